#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every .cl, and the text for both languages, compiles as OpenCL C 1.2 with a compiler that belongs to no driver.

. "$top_srcdir/tests/tap/tap.sh"

[ "$CLANG" != no ] || tap_skip_all "clang is not installed"

for file in "$top_srcdir"/kernels/*.cl "$top_srcdir"/tests/one_text/*.cl "$top_srcdir"/tests/one_text/*.yk; do
    tap_try "${file##*/}" "$CLANG" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target spir64 -Wall -Wextra -Werror \
        -I"$top_srcdir/include" -fsyntax-only "$file"
done
tap_done
