#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Our own declarations of the functions of cuBLAS, cuFFT, CLBlast, NCCL and OpenCL agree with the vendors' headers, where these are
# installed.

. "$top_srcdir/tests/tap/tap.sh"

# there HEADER: with the compiler's and configure's paths.
there() {
    # shellcheck disable=SC2086
    printf '#include <%s>\n' "$1" | $CC -E $CUDA_CPPFLAGS $YOKE_CPPFLAGS -o "$tap_folder/header" - 2>/dev/null
}

# agree DEFINE
agree() {
    # shellcheck disable=SC2086
    $CC -std=c11 -Wall -Wextra -Werror $CUDA_CPPFLAGS $YOKE_CPPFLAGS -DCL_TARGET_OPENCL_VERSION=120 -D"$1" -fsyntax-only \
        "$top_srcdir/tests/static/vendor_api.c"
}

if there cublas_v2.h && there cufft.h; then
    tap_try "every declaration of cuBLAS and cuFFT agrees" agree CHECK_CUDA
else
    tap_skip "there are no headers of cuBLAS and cuFFT"
fi
if there clblast_c.h; then
    tap_try "every declaration of CLBlast agrees" agree CHECK_CLBLAST
else
    tap_skip "there is no header of CLBlast"
fi
if there nccl.h && there cuda.h; then
    tap_try "every declaration of NCCL agrees" agree CHECK_NCCL
else
    tap_skip "there is no header of NCCL"
fi
if there CL/cl.h; then
    tap_try "every declaration of OpenCL in comm/ agrees" agree CHECK_OPENCL
else
    tap_skip "there is no header of OpenCL"
fi
tap_done
