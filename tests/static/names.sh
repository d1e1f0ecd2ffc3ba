#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Which kernels, tiles and ways are taken is decided by facts of a device, never by its maker's name: outside comments, a name of a
# maker or a driver stands only where names.txt allows it, with the reason.

. "$top_srcdir/tests/tap/tap.sh"

list=$top_srcdir/tests/static/names.txt
names='nvidia|amd|intel|mesa|rusticl|clover|pocl|portable comput|llvmpipe|oclgrind|radeon|adreno|qualcomm|powervr|imgtec|mali|apple'
ids='0x10de|0x1002|0x8086|0x13b5|0x5143|[.>]vendor([^_a-z]|$)'

# code FILE: its lines without comments, which in kernels' texts may go to a line's end.
code() {
    "$AWK" -v slashes="$(case $1 in *.yk | *.yh | *.cu | *.cl) echo 1 ;; esac)" '{
        line = $0
        text = ""
        while (line != "")
            if (inside) {
                end = index(line, "*/")
                inside = !end
                line = end ? substr(line, end + 2) : ""
            } else {
                begin = index(line, "/*")
                inside = begin > 0
                text = text (begin ? substr(line, 1, begin - 1) : line)
                line = begin ? substr(line, begin + 2) : ""
            }
        if (slashes && (begin = index(text, "//")))
            text = substr(text, 1, begin - 1)
        print FILENAME ": " text
    }' "$1"
}

cd "$top_srcdir" || exit 1
find src ops backends base comm kernels api tools/measure tools/bench tools/check tools/conformance -type f \
    \( -name '*.[ch]' -o -name '*.def' -o -name '*.y[kh]' -o -name '*.cu' -o -name '*.cl' \) | sort >"$tap_folder/files"
while read -r file; do
    code "$file"
done <"$tap_folder/files" | grep -iE "^[^:]*: (.*[^a-z])?($names)|$ids" >"$tap_folder/named"
# In Python a decision would compare with a text.
find python/yoke -name '*.py' -o -name '*.py[xi]' | sort | xargs grep -HiE "(^|[^\"'])[\"'](${names})" |
    sed 's/:/: /' >>"$tap_folder/named"
tap_try "there is code, with names" test -s "$tap_folder/named"

# Lines of "FILE | PART | WHY": a file, or a folder with a slash, and what a line has in it, or * for any.
"$AWK" -F ' [|] ' -v list="${list#"$top_srcdir"/}" '
    FILENAME == list {
        if ($0 !~ /^#/ && NF == 3) { files[++count] = $1; parts[count] = $2 }
        next
    }
    {
        at = index($0, ": ")
        file = substr($0, 1, at - 1)
        text = substr($0, at + 2)
        allowed = 0
        for (i = 1; i <= count; i++) {
            below = files[i] ~ /\/$/ ? index(file, files[i]) == 1 : file == files[i]
            if (below && (parts[i] == "*" || index(text, parts[i])))
                allowed = used[i] = 1
        }
        if (!allowed)
            print
    }
    END {
        for (i = 1; i <= count; i++)
            if (!used[i])
                print "names.txt allows what is not there: " files[i] " | " parts[i]
    }' "${list#"$top_srcdir"/}" "$tap_folder/named" >"$tap_folder/wrong"
tap_empty "no code goes by a maker's name but what names.txt allows" "$tap_folder/wrong"
tap_done
