#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The functions of expressions stand in one list, ops/expression/functions.def; what repeats their names has the same ones: the
# list that users read, and the functions of Python's package.

. "$top_srcdir/tests/tap/tap.sh"

# In Python by operators, methods or names of their own; or not yet, since their arguments or results need more than `apply`.
elsewhere='abs clamp complex conj fabs fma fmax fmin fmod hypot imag isfinite isinf isnan max min pow real'
not_there='acosh asinh atan2 atanh copysign cospi erfc exp10 fdim ldexp lgamma nextafter remainder round signbit sinpi tgamma'

sed -n 's/^YOPS_FUNCTION(\([a-z0-9]*\), .*/\1/p' "$top_srcdir/ops/expression/functions.def" >"$tap_folder/functions"
tap_try "there are functions" test -s "$tap_folder/functions"
LC_ALL=C sort -c "$tap_folder/functions" 2>"$tap_folder/said"
tap_ok $? "they are sorted"

# From "Functions for float and double" to the next point of the list, without what is no name.
sed -n '/ \*  - Functions for float/,/ \*  - Index variables/p' "$top_srcdir/include/yoke/vars.h" | sed '$d; s/([^)]*)//g' |
    tr -c 'a-z0-9A-Z\n' '\n' | LC_ALL=C sort -u >"$tap_folder/words"
LC_ALL=C comm -23 "$tap_folder/functions" "$tap_folder/words" >"$tap_folder/untold"
tap_empty "<yoke/vars.h> names each function" "$tap_folder/untold"

sed -n '/^cdef dict functions = /,/^).split/s/^ *"\(.*\)"$/\1/p' "$top_srcdir/python/yoke/_core/operators.pyx" | tr ' ' '\n' |
    LC_ALL=C sort >"$tap_folder/python"
LC_ALL=C comm -13 "$tap_folder/functions" "$tap_folder/python" >"$tap_folder/unknown"
tap_empty "Python's functions are functions of expressions" "$tap_folder/unknown"
{ cat "$tap_folder/python"; echo "$elsewhere $not_there" | tr ' ' '\n'; } | LC_ALL=C sort >"$tap_folder/known"
LC_ALL=C comm -3 "$tap_folder/functions" "$tap_folder/known" >"$tap_folder/differ"
tap_empty "each function is in Python, or among those that this test names" "$tap_folder/differ"
tap_done
