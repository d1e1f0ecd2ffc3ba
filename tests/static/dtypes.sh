#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The dtypes stand in two lists of one order, YOKE_DTYPE_LIST and api/dtypes.def, of which C is made. Compared here is what is not:
# the texts of kernels, which have words for each dtype, and Python's names. Numbers of dtypes have no order, and no switch over
# dtypes has a default: what a new dtype needs would be missing in silence.

. "$top_srcdir/tests/tap/tap.sh"
export LC_ALL=C

# Lines of "NAME NUMBER TEXT BYTES", and of "NAME TOKEN KIND LETTER".
sed -n 's/^ *X(YOKE_\([A-Z0-9]*\), \([0-9]*\), "\([a-z0-9_]*\)", \([0-9]*\)).*/\1 \2 \3 \4/p' "$top_srcdir/include/yoke/array.h" |
    sort >"$tap_folder/public"
sed -n 's/^YK_DTYPE(\([A-Z0-9]*\), \([a-z0-9]*\), \([A-Z]*\), \([a-z]\), .*/\1 \2 \3 \4/p' "$top_srcdir/api/dtypes.def" |
    sort >"$tap_folder/columns"
# Of "TOKEN KIND LETTER BYTES".
join -o 2.2,2.3,2.4,1.4 "$tap_folder/public" "$tap_folder/columns" >"$tap_folder/dtypes"
tap_try "there are dtypes" test -s "$tap_folder/dtypes"
join -v 1 "$tap_folder/public" "$tap_folder/columns" >"$tap_folder/missing"
tap_empty "each has columns" "$tap_folder/missing"

# ---- The texts of kernels ----

# has FILE WORD: the text defines the word, as a macro or a type.
has() {
    grep -qE "^(#define $2([ (]|\$)|typedef [a-z0-9_]+ $2;)" "$top_srcdir/ops/$1" || echo "$1 has no $2"
}

# conversions TOKEN KIND: from each class of numbers. Integers have theirs by macros.
conversions() {
    case $2 in
    SIGNED | UNSIGNED)
        for macro in "^YOPS_FROM_INTEGERS($1)" "YOPS_SATURATE($1, C" "YOPS_FROM_COMPLEX($1, C"; do
            grep -q "$macro" "$top_srcdir/ops/array/element.yh" || echo "array/element.yh has no $macro"
        done
        ;;
    *)
        for letter in i u l m f d e g; do
            has array/element.yh "$1_from_$letter"
        done
        ;;
    esac
}

while read -r token kind letter bytes; do
    for word in stored_ value_ class_ load_ store_ bytes_; do
        has array/element.yh "$word$token"
    done
    grep -q "^#define class_$token $letter\$" "$top_srcdir/ops/array/element.yh" || echo "class_$token is not $letter"
    grep -q "^#define bytes_$token $bytes\$" "$top_srcdir/ops/array/element.yh" || echo "bytes_$token is not $bytes"
    conversions "$token" "$kind"
    has linear/matmul.yh "own_$token"
    has linear/matmul.yh "own_to_$token"
    has reduce/reduce_tree.yh "held_$token"
    has reduce/scan.yh "most_$token"
    has reduce/scan.yh "least_$token"
    [ "$kind" = COMPLEX ] && continue
    has reduce/histogram.yk "part_$token"
    has order/sort_key.yh "key_bits_$token"
    has order/sort_key.yh "key_kind_$token"
    case $kind in
    REDUCED | FLOATING) has order/sort_key.yh "key_infinity_$token" ;;
    *) [ "$bytes" -le 2 ] && [ "$kind" != BOOL ] && has signal/filter.yk "load_vector_$token" ;;
    esac
    case $kind in
    REDUCED)
        grep -q " yops_round_$token(" "$top_srcdir/ops/expression/expression.yh" ||
            echo "expression/expression.yh has no yops_round_$token"
        has random/random.yk "bits_$token"
        has signal/filter.yk "load_vector_$token"
        ;;
    FLOATING) has signal/filter.yk "load_vector_$token" ;;
    esac
done <"$tap_folder/dtypes" >"$tap_folder/missing"
tap_empty "the texts of kernels have their words for each dtype" "$tap_folder/missing"

# ---- Python ----

find "$top_srcdir/python/yoke" -name '*.p[xy]*' -exec cat {} + >"$tap_folder/python"
sort -n -k 2,2 "$tap_folder/public" | sed 's/^[^ ]* \([^ ]*\) \([^ ]*\) .*/\1 \2/' >"$tap_folder/names"
sed -n '/^cdef tuple dtype_names = /,/)$/p' "$tap_folder/python" | grep -o '"[a-z0-9]*"' | tr -d '"' |
    awk 'NR > 1 { print NR - 1, $0 }' | diff "$tap_folder/names" - >"$tap_folder/difference"
tap_empty "Python has the same names by the same numbers" "$tap_folder/difference"
while read -r name number rest; do
    grep -qx "    $name = $number" "$tap_folder/python" || echo "$name = $number"
done <"$tap_folder/public" >"$tap_folder/missing"
tap_empty "and the same constants" "$tap_folder/missing"

# ---- What must not be ----

dtype='YOKE_(BOOL|[IUF](8|16|32|64)|BF16|C64|C128)'
(cd "$top_srcdir" && find include api base src backends ops comm tools bench examples tests -name '*.[ch]' -o -name '*.hpp') |
    sort >"$tap_folder/sources"
(cd "$top_srcdir" && xargs grep -nE "[^<][<>]=? *$dtype\\>|\\<$dtype *[<>]=?[^<>]") <"$tap_folder/sources" >"$tap_folder/order"
tap_empty "dtypes are not compared by their order" "$tap_folder/order"
(cd "$top_srcdir" && xargs grep -nE "[^<][<>]=? *YOKE_REDUCE_|\<YOKE_REDUCE_[A-Z]* *[<>]=?[^<>]") <"$tap_folder/sources" \
    >"$tap_folder/order"
tap_empty "nor are operations of reductions" "$tap_folder/order"

(cd "$top_srcdir" && xargs awk -v dtype="case $dtype:|api/dtypes.def" '
    FNR == 1 { depth = -1 }
    /^ *switch \(/ { match($0, /^ */); depth = RLENGTH; over = 0; place = "" }
    $0 ~ dtype { over = 1 }
    /^ *default:/ { place = FILENAME ":" FNR }
    /^ *}/ {
        match($0, /^ */)
        if (RLENGTH == depth && over && place)
            print place
        if (RLENGTH == depth)
            depth = -1
    }') <"$tap_folder/sources" >"$tap_folder/defaults"
tap_empty "no switch over dtypes has a default" "$tap_folder/defaults"
tap_done
