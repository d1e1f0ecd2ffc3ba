#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every .cl, and each text for both languages, compiles as OpenCL C 1.2 with a compiler that belongs to no driver; nvrtc_compile.c
# does the same for CUDA. Texts of ops/ are compiled with macros: a text says with which, a line for each set,
#
#   // options: IN=f32 OUT=f64 OP=sum NEED_F64=1
#   // generated: #define EXPRESSION(i) LOAD(IN)(in, i)
#
# of which the second is for a text that includes what the expression of a call becomes, "generated.h": its lines are that header.
# "// options: -" is a set without macros. A header of texts (NAME.yh) that has such lines is compiled alone.

. "$top_srcdir/tests/tap/tap.sh"

[ "$CLANG" != no ] || tap_skip_all "clang is not installed"

# compiles FILE OPTION...
compiles() {
    file=$1
    shift
    "$CLANG" -x cl -cl-std=CL1.2 -D__OPENCL_VERSION__=120 -Xclang -finclude-default-header -target spir64 -Wall -Wextra -Werror \
        -I"$top_srcdir/include" -fsyntax-only "$@" "$file"
}

for file in "$top_srcdir"/kernels/*.cl "$top_srcdir"/tests/one_text/*.cl "$top_srcdir"/tests/one_text/*.yk; do
    tap_try "${file##*/}" compiles "$file"
done

folders=
for folder in "$top_srcdir"/ops/*/; do
    folders="$folders -I$folder"
done
for file in "$top_srcdir"/ops/*/*.y[hk]; do
    name=${file##*/}
    sed -n 's#^\(//\| \*\) options: ##p' "$file" >"$tap_folder/sets"
    if [ ! -s "$tap_folder/sets" ]; then
        [ "${name##*.}" = yh ] || tap_ok 1 "$name has a line '// options: ...'"
        continue
    fi
    sed -n 's#^\(//\| \*\) generated: ##p' "$file" >"$tap_folder/generated.h"
    printf '#include "%s"\n' "$name" >"$tap_folder/text.cl"
    while read -r set; do
        # Not each set of macros needs all functions and parameters of a text.
        # shellcheck disable=SC2046,SC2086
        tap_try "$name, $set" compiles "$tap_folder/text.cl" $folders -I"$tap_folder" -Wno-unused \
            -Wno-unused-parameter $(echo "$set" | tr ' ' '\n' | sed '/^-*$/d; s/^/-D/')
    done <"$tap_folder/sets"
done
tap_done
