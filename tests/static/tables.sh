#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tables beside enums. A table that is indexed by an enum is written with designators, "[YOKE_PARAM_VALUE] = ", and has no size of
# its own; an assertion behind it says how many rows it has: by the enum's count, or by its last value, of which this test knows
# that it is the last. So a value that is added to an enum does not compile until each table has its row.

. "$top_srcdir/tests/tap/tap.sh"

# These have rows for some values only; what reads them knows.
sparse='comm/message/collective.c:shapes comm/message/opening.c:names ops/call/dlpack.c:names'

(cd "$top_srcdir" && find include base src backends ops comm tools -name '*.[ch]' ! -path '*/kernels/*' | sort) >"$tap_folder/files"
(cd "$top_srcdir" && xargs awk -v sparse=" $sparse " '
    BEGIN { RS = "\001" }
    {
        text = $0
        while ((from = index(text, "/*")) > 0) {
            rest = substr(text, from)
            to = index(rest, "*/")
            text = substr(text, 1, from - 1) " " (to > 0 ? substr(rest, to + 2) : "")
        }
        gsub(/\\"/, "", text)
        gsub(/"[^"\n]*"/, "\"\"", text) # of strings only their places matter
        enums(text)
        tables(text)
        assertions(text)
    }

    function enums(text,   body, count, names, i, name, last) {
        while (match(text, /enum[ \n]*[a-z_0-9]*[ \n]*\{[^}]*\}/)) {
            body = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            sub(/^[^{]*\{/, "", body)
            sub(/\}$/, "", body)
            if (body ~ /#/) # made from a list
                continue
            count = split(body, names, ",")
            for (i = 1; i <= count; i++) {
                name = names[i]
                gsub(/=.*|[ \n\t]/, "", name)
                if (name != "") {
                    enumerator[name] = 1
                    last = name
                }
            }
            is_last[last] = 1
        }
    }

    function tables(text,   head, body, name, counted) {
        while (match(text, /[a-z_]+(\[[A-Za-z_0-9 +]*\])+ = \{/)) {
            head = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            body = text
            sub(/;.*/, "", body)
            name = head
            sub(/\[.*/, "", name)
            if (body ~ /#/ || !match(body, /\[[A-Z][A-Za-z_0-9]*\] =/))
                continue
            found++
            table[found] = FILENAME ":" name
            index_of[found] = substr(body, RSTART + 1, RLENGTH - 4)
            counted = "([A-Z]*_COUNT_OF\\(" name "\\)|sizeof " name " / sizeof " name "\\[0\\])"
            asserted[found] = head ~ /\[\]/ && text ~ ("_Static_assert\\(" counted " ==")
        }
    }

    function assertions(text,   one) {
        while (match(text, /_Static_assert\([A-Z]*_COUNT_OF\([a-z_]*\) == [A-Za-z_0-9]*/)) {
            one = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            sub(/.* == /, "", one)
            asserts++
            by[asserts] = one
            where[asserts] = FILENAME
        }
    }

    END {
        for (i = 1; i <= found; i++)
            if ((index_of[i] in enumerator) && !asserted[i] && index(sparse, " " table[i] " ") == 0)
                print table[i] ": no assertion says how many rows it has, or it has a size of its own"
        for (i = 1; i <= asserts; i++)
            if (by[i] !~ /_COUNT$/ && !(by[i] in is_last))
                print where[i] ": " by[i] " is not the last of its enum"
        if (found < 30 || asserts < 30)
            print "only " found " tables and " asserts " assertions were found"
    }' <"$tap_folder/files") >"$tap_folder/faults"
tap_empty "each table beside an enum has a row for each value" "$tap_folder/faults"

tap_done
