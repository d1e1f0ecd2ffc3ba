#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The functions of expressions stand in one list, api/functions.def; what repeats their names has the same ones: the list that users
# read, and the functions of Python's package.

. "$top_srcdir/tests/tap/tap.sh"

# listed COLUMN: the functions whose last column this is.
listed() {
    sed -n "s/^YOPS_FUNCTION(\([a-z0-9]*\), .*, $1)\$/\1/p" "$top_srcdir/api/functions.def"
}

listed '[A-Z]*' >"$tap_folder/functions"
tap_try "there are functions" test -s "$tap_folder/functions"
LC_ALL=C sort -c "$tap_folder/functions" 2>"$tap_folder/said"
tap_ok $? "they are sorted"

# From "Functions for float and double" to the next point of the list, without what is no name.
sed -n '/ \*  - Functions for float/,/ \*  - Index variables/p' "$top_srcdir/include/yoke/vars.h" | sed '$d; s/([^)]*)//g' |
    tr -c 'a-z0-9A-Z\n' '\n' | LC_ALL=C sort -u >"$tap_folder/words"
LC_ALL=C comm -23 "$tap_folder/functions" "$tap_folder/words" >"$tap_folder/untold"
tap_empty "<yoke/vars.h> names each function" "$tap_folder/untold"

sed -n '/^cdef dict functions = /,/^).split/s/^ *"\(.*\)"$/\1/p' "$top_srcdir/python/yoke/_core/operators.pyx" |
    tr ' ' '\n' | grep . | LC_ALL=C sort >"$tap_folder/python"
tap_try "Python has functions" test -s "$tap_folder/python"
listed APPLIED | LC_ALL=C comm -3 - "$tap_folder/python" >"$tap_folder/differ"
tap_empty "Python's functions are those that the list calls APPLIED" "$tap_folder/differ"
{ listed APPLIED; listed OTHERWISE; listed MISSING; } | LC_ALL=C sort >"$tap_folder/known"
LC_ALL=C comm -3 "$tap_folder/known" "$tap_folder/functions" >"$tap_folder/differ"
tap_empty "each function says where it is in Python" "$tap_folder/differ"
tap_done
