#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each public header compiles alone, in every language it promises, without a warning.

. "$top_srcdir/tests/tap/tap.sh"

# compiles COMPILER LANGUAGE STANDARD HEADER
compiles() {
    printf '#include <yoke/%s>\n' "$4" >"$tap_folder/alone.$2"
    # The compiler may come with options of its own.
    # shellcheck disable=SC2086
    $1 -std="$3" -pedantic -Wall -Wextra -Wshadow -Werror -I"$top_srcdir/include" -fsyntax-only "$tap_folder/alone.$2"
}

for header in "$top_srcdir"/include/yoke/*.h; do
    header=${header##*/}
    for standard in c99 c11; do
        tap_try "$header as $standard with $CC" compiles "$CC" c $standard "$header"
    done
    if [ "$CLANG" != no ]; then
        tap_try "$header as c99 with clang" compiles "$CLANG" c c99 "$header"
        tap_try "$header as c++11 with clang" compiles "$CLANG" cpp c++11 "$header"
    fi
    if [ "$CXX" = no ]; then
        tap_skip "$header as c++11: no C++ compiler"
        continue
    fi
    for standard in c++11 c++20; do
        tap_try "$header as $standard with $CXX" compiles "$CXX" cpp $standard "$header"
    done
done

# The one that kernels include too, as OpenCL C; without double also.
includes_in_kernels() {
    # shellcheck disable=SC2086
    echo '#include <yoke/types.h>' | "$CLANG" -x cl -cl-std="$1" $2 -Xclang -finclude-default-header -target spir64 -pedantic \
        -Wall -Wextra -Werror -I"$top_srcdir/include" -fsyntax-only -
}
if [ "$CLANG" != no ]; then
    for standard in CL1.2 CL2.0 CL3.0; do
        tap_try "types.h as OpenCL C, $standard" includes_in_kernels $standard ""
    done
    tap_try "types.h as OpenCL C without double" includes_in_kernels CL1.2 "-Xclang -cl-ext=-cl_khr_fp64"
fi
tap_done
