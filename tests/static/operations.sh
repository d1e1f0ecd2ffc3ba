#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The operations of libyoke-ops stand in one list, api/operations.def; what repeats their names has the same ones: the headers, the
# random operations of the tests, what is compiled ahead, and Python's package. tests/ops/calls_table.c is made of the list.

. "$top_srcdir/tests/tap/tap.sh"
export LC_ALL=C

list=$top_srcdir/api/operations.def
row='^YK_OPERATION(\([a-z0-9_]*\), \([A-Z]*\), "\(.*\)")$'

sed -n "s/$row/\1/p" "$list" | sort >"$tap_folder/operations"
tap_try "there are operations" test -s "$tap_folder/operations"
grep -c '^YK_OPERATION' "$list" | grep -qx "$(sed -n "s/$row/\1/p" "$list" | wc -l | tr -d ' ')"
tap_ok $? "each row has its columns"

# Functions that enqueue take the caller's place, and so end in _at.
headers=$(sed -n 's|^\tinclude/yoke/\([a-z]*\.h\).*|\1|p' "$top_srcdir/ops/local.mk")
# shellcheck disable=SC2086
(cd "$top_srcdir/include/yoke" && sed -n 's/^YOKE_API [^(]*[ *]yoke_\([a-z0-9_]*\)_at(.*/\1/p' $headers) | sort |
    comm -3 - "$tap_folder/operations" >"$tap_folder/differ"
tap_empty "they are the functions of the headers that enqueue" "$tap_folder/differ"

sed -n "s/$row/\1 \2/p" "$list" | while read -r name when; do
    grep -q "[^a-z_]yoke_$name(" "$top_srcdir/ops/prepare.c" && called=AHEAD || called=LATER
    [ "$when" = "$called" ] || echo "$name: $when in the list, $called by ops/prepare.c"
done >"$tap_folder/differ"
tap_empty "ops/prepare.c calls those that are compiled ahead" "$tap_folder/differ"

grep -oh 'OPERATION([a-z0-9_]*)' "$top_srcdir"/tests/random/ops/*.c | sed 's/.*(\(.*\))/\1/' | sort -u |
    comm -13 - "$tap_folder/operations" >"$tap_folder/missing"
tap_empty "each is among the random operations of the tests" "$tap_folder/missing"

# Python: what is called there is declared there, and the function that calls it has its name.
find "$top_srcdir/python/yoke" -name '*.p[xy]*' >"$tap_folder/sources"
sed -n "s/$row/\1 \3/p" "$list" | while read -r name python; do
    xargs grep -lw "yoke_${name}_at" <"$tap_folder/sources" >"$tap_folder/found"
    if [ "${python#-}" != "$python" ]; then
        [ ! -s "$tap_folder/found" ] || echo "$name has no place in Python, says the list: $(cat "$tap_folder/found")"
    elif ! grep -qv '\.pxd$' "$tap_folder/found"; then
        echo "$name is $python in Python, says the list, but nothing there calls yoke_${name}_at"
    elif ! xargs grep -hqE "\bdef ([A-Za-z]+ )?$python\(" <"$tap_folder/sources"; then
        echo "$name is $python in Python, says the list, but nothing there has that name"
    fi
done >"$tap_folder/differ"
tap_empty "Python has those that the list says, and no others" "$tap_folder/differ"
tap_done
