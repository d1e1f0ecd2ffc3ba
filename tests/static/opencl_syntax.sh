#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every .cl compiles as OpenCL C 1.2 with a compiler that belongs to no driver.

. "$top_srcdir/tests/tap/tap.sh"

[ "$CLANG" != no ] || tap_skip_all "clang is not installed"

for file in "$top_srcdir"/kernels/*.cl; do
    tap_try "${file##*/}" "$CLANG" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target spir64 -Wall -Wextra -Werror \
        -fsyntax-only "$file"
done
tap_done
