#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The conformance program for forked children calls every public function: functions that return a status must fail there, except
# six that touch no driver, and the others must do no harm.

. "$top_srcdir/tests/tap/tap.sh"
export LC_ALL=C

program=$top_srcdir/tests/conformance/refused.c

# A macro stands for the function whose name ends in _at. What operations of libyoke-ops and libyoke-comm enqueue, they enqueue
# through these functions.
for header in "$top_srcdir"/include/yoke/*.h; do
    case $header in
    */array.h | */comm.h | */fft.h | */filter.h | */matmul.h | */ops.h | */random.h | */vars.h) ;;
    *) sed -n 's/^YOKE_API yoke_status \(yoke_[a-z0-9_]*\)(.*/\1/p' "$header" ;;
    esac
done |
    grep -vE '^yoke_(fail|source_builtin|source_expand|cache_get_info|cache_note|cache_recall)$' |
    sed 's/_at$//' | sort >"$tap_folder/declared"
sed -n 's/^ *REFUSED(\(yoke_[a-z0-9_]*\)(.*/\1/p' "$program" | sort -u >"$tap_folder/refused"
diff "$tap_folder/declared" "$tap_folder/refused" >"$tap_folder/difference"
tap_empty "every function that returns a status is refused in a forked child" "$tap_folder/difference"

grep -v '^#' "$top_srcdir/tests/static/symbols.txt" | sed 's/_at$//' | while read -r name; do
    grep -q "$name(" "$program" || echo "$name"
done >"$tap_folder/forgotten"
tap_empty "every function is called in a forked child" "$tap_folder/forgotten"

tap_try "there are such functions" test -s "$tap_folder/declared"
tap_done
