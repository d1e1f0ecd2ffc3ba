#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Our own declarations of CUDA's and NVRTC's functions agree with NVIDIA's headers, if these are installed.

. "$top_srcdir/tests/tap/tap.sh"

[ -n "$CUDA_CPPFLAGS" ] || tap_skip_all "configure found no CUDA headers"
# shellcheck disable=SC2086
version=$(echo CUDA_VERSION | $CC -E -P $CUDA_CPPFLAGS -include cuda.h - | tail -n 1)
[ "$version" -ge 12080 ] || tap_skip_all "the CUDA headers are of version $version; 12080 is the first that has all we use"

# shellcheck disable=SC2086
tap_try "every declaration agrees with version $version" $CC -std=c11 -Wall -Wextra -Werror $CUDA_CPPFLAGS -I"$top_srcdir/include" \
    -fsyntax-only "$top_srcdir/tests/static/cuda_api.c"
tap_done
