#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The kinds of operations are one table, src/objects/op.def: every switch over them names them all, so that the compiler finds what
# a new kind is missing, and their order means nothing.

. "$top_srcdir/tests/tap/tap.sh"

# defaults FILE: the switches over kinds or families of operations that have a default.
defaults() {
    awk -v name="${1#"$top_srcdir/"}" '
        /^[[:space:]]*switch \(/ { start = FNR; match($0, /^ */); depth = RLENGTH; operations = 0; default_at = 0 }
        start && /YK_OP_|YK_FAMILY_|objects\/op\.def/ { operations = 1 }
        start && /^[[:space:]]*default:/ { default_at = FNR }
        start && /^[[:space:]]*}/ {
            match($0, /^ */)
            if (RLENGTH == depth) {
                if (operations && default_at)
                    print name ":" default_at ": a default among kinds of operations"
                start = 0
            }
        }' "$1"
}

find "$top_srcdir/base" "$top_srcdir/src" "$top_srcdir/backends" -name '*.[ch]' >"$tap_folder/sources"
while read -r file; do
    defaults "$file"
done <"$tap_folder/sources" >"$tap_folder/defaults"
tap_empty "no switch over the kinds of operations has a default" "$tap_folder/defaults"

xargs grep -nE '(<|>|<=|>=) *YK_(OP|FAMILY)_[A-Z]|YK_(OP|FAMILY)_[A-Z_]+ *(<|>)' \
    <"$tap_folder/sources" >"$tap_folder/order"
tap_empty "and none is compared by its order" "$tap_folder/order"
xargs grep -nE '(<|>|<=|>=) *YOKE_MEMORY_[A-Z]|YOKE_MEMORY_[A-Z]+ *(<|>)' <"$tap_folder/sources" >"$tap_folder/order"
tap_empty "nor is a kind of memory" "$tap_folder/order"

# compiles AWK: whether what is made of the table still compiles when the table is what the awk program makes of it.
compiles() {
    mkdir -p "$tap_folder/changed/objects"
    awk "$1" "$top_srcdir/src/objects/op.def" >"$tap_folder/changed/objects/op.def"
    # What configure defines has blanks in it, and none of it matters here.
    # shellcheck disable=SC2046
    $CC $(echo "$YOKE_CPPFLAGS" | grep -o -- '-I[^ ]*') -D_GNU_SOURCE -std=c11 -pthread -Wall -Werror -fsyntax-only \
        -I"$tap_folder/changed" -I"$top_srcdir/include" -I"$top_srcdir/src" -I"$top_srcdir" "$top_srcdir/src/stream/op.c" \
        "$top_srcdir/src/stream/submit.c" "$top_srcdir/src/stream/worker.c" "$top_srcdir/src/copy/fill.c" \
        "$top_srcdir/backends/opencl/graph.c"
}

refuses() {
    ! compiles "$1"
}

tap_try "the table compiles" compiles '{ print }'
tap_try "but not without a row" refuses '!/^YK_OP\(FILL,/'
tap_try "nor without a column" refuses '/^YK_OP\(FILL,/ { sub(/FILLED, /, "") } { print }'
tap_try "nor with the slot of a backend that there is not" refuses \
    '/^YK_OP\(FILL,/ { sub(/SLOT\(fill\)/, "SLOT(filled)") } { print }'
tap_try "nor with a new row that the backends do not know" refuses \
    '/^YK_OP\(FILL,/ { print; sub(/FILL,/, "FILL_AGAIN,") } { print }'
tap_done
