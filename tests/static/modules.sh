#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The extension modules of Python's package, and their walls: a module cimports and imports only modules that stand before it in the
# table of python/yoke/_core/README.md, or beside it in one row. Inside a function it may import any: it does so when it is called.

. "$top_srcdir/tests/tap/tap.sh"

folder=$top_srcdir/python/yoke/_core
largest=5

# Lines of "RANK MODULE", from the lowest up.
awk -F'|' '/^\| \[`/ {
        rank++
        for (rest = $2; match(rest, /\[`[a-z]*`\]/); rest = substr(rest, RSTART + RLENGTH))
            print rank, substr(rest, RSTART + 2, RLENGTH - 4)
    }' "$folder/README.md" >"$tap_folder/table"
cut -d' ' -f2 "$tap_folder/table" | LC_ALL=C sort >"$tap_folder/rows"
(cd "$folder" && ls ./*.pyx) | sed 's|^\./||; s/\.pyx$//' | LC_ALL=C sort >"$tap_folder/modules"
tap_try "there are modules" test -s "$tap_folder/modules"
LC_ALL=C comm -3 "$tap_folder/rows" "$tap_folder/modules" >"$tap_folder/differ"
tap_empty "the table has each module once, and no other" "$tap_folder/differ"

cut -d' ' -f1 "$tap_folder/table" | uniq -c | awk -v largest=$largest '$1 > largest { print "row " $2 " has " $1 " modules" }' \
    >"$tap_folder/circles"
tap_empty "at most $largest modules use each other" "$tap_folder/circles"

# Lines of "FILE MODULE USED": of the C API and the interpreter anybody may.
(cd "$folder" && grep -nE '^(from|cimport|import) *\.' ./*.pyx ./*.pxd) |
    sed -nE 's/^\.\/(([a-z]*)\.p[a-z]*):[0-9]*:from \.([a-z]+) c?import .*/\1 \2 \3/p' >"$tap_folder/uses"
tap_try "they use each other" test -s "$tap_folder/uses"
awk 'FNR == NR { rank[$2] = $1; next }
    !($3 in rank) || !($2 in rank) && $2 !~ /^c_/ { print $1 " uses " $3 ", and one of them is not in the table"; next }
    rank[$3] > rank[$2] { print $1 " uses " $3 }' "$tap_folder/table" "$tap_folder/uses" >"$tap_folder/up"
tap_empty "no module uses one above it" "$tap_folder/up"

# Names do not leak: nothing is included, and of modules only what is named is taken.
(cd "$folder" && grep -nE '^ *include |^(from \.([a-z]+)|from \.\.[a-z.]*) c?import \*|^ *(cimport|import) +yoke' ./*.pyx ./*.pxd) \
    >"$tap_folder/leaks"
tap_empty "nothing is included, and names are taken one by one" "$tap_folder/leaks"

# What no other module uses stays out of the .pxd.
(cd "$folder" && ls ./*.pxd) | sed 's|^\./||; s/\.pxd$//' | grep -v '^c_' | while read -r module; do
    grep -q " $module\$" "$tap_folder/uses" || echo "$module.pxd: no module uses it"
done >"$tap_folder/unused"
tap_empty "another module uses each .pxd" "$tap_folder/unused"

tap_done
