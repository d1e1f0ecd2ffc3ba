# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# Which texts of kernels there are, for tests that compile all of them as OpenCL C; they source this behind tap.sh. Texts of ops/
# are compiled with macros: a text says with which, a line for each set,
#
#   // options: IN=f32 OUT=f64 OP=sum NEED_F64=1
#   // generated: #define EXPRESSION(i) LOAD(IN)(in, i)
#
# of which the second is for a text that includes what the expression of a call becomes, "generated.h": its lines are that header.
# "// options: -" is a set without macros. A header of texts (NAME.yh) that has such lines is compiled alone.

# texts_plain COMMAND...: calls COMMAND... NAME - FILE OPTION... for each text that needs no macros.
texts_plain() {
    for text_file in "$top_srcdir"/kernels/*.cl "$top_srcdir"/tests/one_text/*.cl "$top_srcdir"/tests/one_text/*.yk; do
        "$@" "${text_file##*/}" - "$text_file" -I"$top_srcdir/include"
    done
}

# texts_sets COMMAND...: calls COMMAND... NAME SET FILE OPTION... for each text of ops/ and each of its sets; a text without a set
# has an empty one.
texts_sets() {
    text_folders=-I$top_srcdir/include
    for text_folder in "$top_srcdir"/ops/*/; do
        text_folders="$text_folders -I${text_folder%/}"
    done
    for text_file in "$top_srcdir"/ops/*/*.y[hk]; do
        text_name=${text_file##*/}
        sed -n 's#^\(//\| \*\) options: ##p' "$text_file" >"$tap_folder/sets"
        if [ ! -s "$tap_folder/sets" ]; then
            [ "${text_name##*.}" = yh ] || "$@" "$text_name" '' "$text_file"
            continue
        fi
        sed -n 's#^\(//\| \*\) generated: ##p' "$text_file" >"$tap_folder/generated.h"
        printf '#include "%s"\n' "$text_name" >"$tap_folder/text.cl"
        while read -r text_set; do
            # shellcheck disable=SC2046,SC2086
            "$@" "$text_name" "$text_set" "$tap_folder/text.cl" $text_folders -I"$tap_folder" \
                $(echo "$text_set" | tr ' ' '\n' | sed '/^-*$/d; s/^/-D/')
        done <"$tap_folder/sets"
    done
}

# texts_of_examples COMMAND...: as texts_plain, for the files of kernels in the examples, and for the strings in their C files, but
# those for which a program makes macros.
texts_of_examples() {
    for text_file in "$top_srcdir"/examples/*.cl "$top_srcdir"/examples/*/*.cl "$top_srcdir"/examples/*.yk \
        "$top_srcdir"/python/examples/*.yk; do
        "$@" "${text_file##*examples/}" - "$text_file" -I"$top_srcdir/include" -I"${text_file%/*}"
    done
    for text_file in "$top_srcdir"/examples/*.c; do
        if ! grep -qE '\bopencl(\[\])? = ' "$text_file" || grep -q '\.defines = ' "$text_file"; then
            continue
        fi
        texts_of_c opencl "$text_file" >"$tap_folder/text.cl"
        "$@" "${text_file##*/}" - "$tap_folder/text.cl" -I"$top_srcdir/include"
    done
}

# texts_of_c cuda|opencl FILE: what of a C file is a kernel's text, with the file's own macros expanded.
texts_of_c() {
    grep -v '^#include' "$2" | ${CC:-cc} -E -P -x c - | LC_ALL=C "${AWK:-awk}" -v form="$1" -f "$top_srcdir/tests/static/texts.awk"
}
