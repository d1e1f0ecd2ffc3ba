#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each pair of twins has the same kernels with the same parameters in the same order, and the same structs: see twins.awk.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

for file in "$top_srcdir"/kernels/*.cu "$top_srcdir"/kernels/*.cl; do
    file=${file##*/}
    echo "${file%.*}"
done | sort -u >"$tap_folder/names"

# both NAME CUDA OPENCL: what awk has against a pair. It also fails, with a message, on a file that is not there.
both() {
    LC_ALL=C "${AWK:-awk}" -v name="$1" -f "$top_srcdir/tests/static/twins.awk" "$2" "$3"
}

while read -r name; do
    tap_try "$name.cu and $name.cl" both "$name" "$top_srcdir/kernels/$name.cu" "$top_srcdir/kernels/$name.cl"
done <"$tap_folder/names"

# The check itself: each of these changes to saxpy.cl has to be found, in these words.
finds() {
    sed "$2" "$top_srcdir/kernels/saxpy.cl" >"$tap_folder/changed.cl"
    ! both saxpy "$top_srcdir/kernels/saxpy.cu" "$tap_folder/changed.cl" >"$tap_folder/said" && grep -qF "$1" "$tap_folder/said"
    tap_ok $? "finds: $1"
}
finds "kernel saxpy: parameter 4 is 'int n' in CUDA and 'long n' in OpenCL" 's/int n)/long n)/'
finds "kernel saxpy: parameter 1 is 'float * x' in CUDA and 'float * z' in OpenCL" 's/restrict x/restrict z/'
finds "kernel saxpy: 4 parameters in CUDA and 3 in OpenCL" 's/, int n)/)/'
finds "kernel saxpy: is only in CUDA" 's/void saxpy/void axpy/'
finds "kernel saxpy: a __local parameter has to be the last one" 's/float a, int n/__local float *a, int n/'
tap_done
