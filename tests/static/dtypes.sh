#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The dtypes stand in two lists of one order, YOKE_DTYPE_LIST and api/dtypes.def, of which C is made. Compared here is what is not:
# the texts of kernels, which have words for each dtype, and Python's names. Numbers of dtypes have no order, and no switch over
# dtypes has a default: what a new dtype needs would be missing in silence.
#
# What kernels have of the columns is written anew, from a build folder, with
#
#   sh ../tests/static/dtypes.sh record

top_srcdir=${top_srcdir:-$(dirname "$0")/../..}
. "$top_srcdir/tests/tap/tap.sh"
export LC_ALL=C

# Lines of "NAME NUMBER TEXT BYTES", and of "NAME TOKEN KIND LETTER".
sed -n 's/^ *X(YOKE_\([A-Z0-9]*\), \([0-9]*\), "\([a-z0-9_]*\)", \([0-9]*\)).*/\1 \2 \3 \4/p' "$top_srcdir/include/yoke/array.h" |
    sort >"$tap_folder/public"
sed -n 's/^YK_DTYPE(\([A-Z0-9]*\), \([a-z0-9]*\), \([A-Z]*\), \([a-z]\), .*/\1 \2 \3 \4/p' "$top_srcdir/api/dtypes.def" |
    sort >"$tap_folder/columns"
# Of "TOKEN KIND LETTER BYTES".
join -o 2.2,2.3,2.4,1.4 "$tap_folder/public" "$tap_folder/columns" >"$tap_folder/dtypes"

# words: ops/array/dtypes.yh. The bits of infinity are those of the exponent, above the fraction's.
words() {
    cat <<'END'
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of api/dtypes.def that kernels need, by the token of a dtype; written by tests/static/dtypes.sh.
 *
 *   bytes_T           its size in memory, for the preprocessor too
 *   class_T           the letter of the type that it is computed with
 *   digits_T          bits of a floating-point number's fraction, with the leading 1
 *   key_kind_T        of sorts: 0 unsigned, 1 signed, 2 floating point, 3 bool
 *   key_infinity_T    the bits of infinity, as a code_t of sort_key.yh
 */
#ifndef YOPS_DTYPES_H
#define YOPS_DTYPES_H

END
    sort -n -k 2,2 "$tap_folder/public" | while read -r name _ _ bytes; do
        sed -n "s/^YK_DTYPE($name, \(.*\))\$/\1/p" "$top_srcdir/api/dtypes.def" | tr -d , |
            while read -r token kind letter _ _ exponent fraction _; do
                printf '#define bytes_%s %d\n#define class_%s %s\n' "$token" "$bytes" "$token" "$letter"
                case $kind in
                COMPLEX) continue ;;
                UNSIGNED) of=0 ;;
                SIGNED) of=1 ;;
                BOOL) of=3 ;;
                *)
                    of=2
                    echo "#define digits_$token $((fraction + 1))"
                    if [ "$bytes" -eq 8 ]; then
                        printf '#define key_infinity_%s ((code_t)0x%xu << 32)\n' "$token" \
                            $((((1 << exponent) - 1) << (fraction - 32)))
                    else
                        printf '#define key_infinity_%s 0x%xu\n' "$token" $((((1 << exponent) - 1) << fraction))
                    fi
                    ;;
                esac
                echo "#define key_kind_$token $of"
            done
    done
    printf '\n#endif\n'
}

if [ "${1-}" = record ]; then
    words >"$tap_folder/words" && cp "$tap_folder/words" "$top_srcdir/ops/array/dtypes.yh"
    exit
fi

tap_try "there are dtypes" test -s "$tap_folder/dtypes"
join -v 1 "$tap_folder/public" "$tap_folder/columns" >"$tap_folder/missing"
tap_empty "each has columns" "$tap_folder/missing"

# ---- The texts of kernels ----

words | diff "$top_srcdir/ops/array/dtypes.yh" - >"$tap_folder/difference"
tap_empty "ops/array/dtypes.yh is what the columns say" "$tap_folder/difference"

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
    for word in stored_ value_ load_ store_ own_load_ own_store_; do
        has array/element.yh "$word$token"
    done
    conversions "$token" "$kind"
    [ "$kind" = COMPLEX ] && continue
    has array/element.yh "part_$token"
    case $kind in
    REDUCED)
        grep -q " yops_round_$token(" "$top_srcdir/ops/array/element.yh" || echo "array/element.yh has no yops_round_$token"
        has signal/filter.yk "load_vector_$token"
        ;;
    FLOATING) has signal/filter.yk "load_vector_$token" ;;
    *)
        has reduce/scan.yh "most_$token"
        has reduce/scan.yh "least_$token"
        [ "$bytes" -gt 2 ] || [ "$kind" = BOOL ] || has signal/filter.yk "load_vector_$token"
        ;;
    esac
done <"$tap_folder/dtypes" >"$tap_folder/missing"
tap_empty "the texts of kernels have their words for each dtype" "$tap_folder/missing"

# ---- Python ----

find "$top_srcdir/python/yoke" -name '*.p[xy]*' -exec cat {} + >"$tap_folder/python"
sort -n -k 2,2 "$tap_folder/public" | sed 's/^[^ ]* \([^ ]*\) \([^ ]*\) .*/\1 \2/' >"$tap_folder/names"
sed -n '/^cdef tuple dtype_names = /,/)$/p' "$tap_folder/python" | grep -o '"[a-z0-9_]*"' | tr -d '"' |
    awk 'NR > 1 { print NR - 1, $0 }' | diff "$tap_folder/names" - >"$tap_folder/difference"
tap_empty "Python has the same names by the same numbers" "$tap_folder/difference"
while read -r name number _; do
    grep -qx "    $name = $number" "$tap_folder/python" || echo "$name = $number"
done <"$tap_folder/public" >"$tap_folder/missing"
tap_empty "and the same constants" "$tap_folder/missing"

# What kind of number a dtype is, Python has from api/dtypes.h.
python='(BOOL|[IU](8|16|32|64)|F(16|32|64)|BF16|C64|C128)'
(cd "$top_srcdir" && find python/yoke -name '*.p[xy]*' -exec grep -nE \
    "[<>]=? *$python\\>|\\<$python *[<>]|\\<dtypes? *([<>]|in \\(?[0-9])" {} +) >"$tap_folder/order"
tap_empty "and compares no dtypes by their order" "$tap_folder/order"

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
