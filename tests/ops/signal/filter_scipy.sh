#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The filters beside those of scipy.ndimage, on random cases, where YOKE_PYTHON (python3, if it is not set) has SciPy.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

python=${YOKE_PYTHON:-python3}
export YOKE_BACKEND="${YOKE_BACKEND:-opencl}"
"$python" -c 'import scipy.ndimage' 2>/dev/null || tap_skip_all "$python has no SciPy (package python3-scipy)"
[ -f .libs/libyoke-ops.so.0 ] || tap_skip_all "there is no shared libyoke-ops"
tools/yoke info "$YOKE_BACKEND:0" >/dev/null 2>&1 || tap_skip_all "there is no device $YOKE_BACKEND:0"
tap_try "filters agree with scipy.ndimage" env LD_LIBRARY_PATH="$PWD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
    "$python" "$top_srcdir/tests/ops/signal/filter_scipy.py" .libs 1 100
tap_done
