#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each pair of twins has the same kernels with the same parameters in the same order, the same structs and the same tolerance: see
# twins.awk. Twins in the examples need no tolerance; they are strings in C files, which texts.awk extracts.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
# shellcheck source=tests/static/texts.sh
. "$top_srcdir/tests/static/texts.sh"

# both NAME CUDA OPENCL: what awk has against a pair. It also fails, with a message, on a file that is not there.
both() {
    LC_ALL=C "${AWK:-awk}" -v name="${1%.*}" -v tolerance="${4-1}" -f "$top_srcdir/tests/static/twins.awk" "$2" "$3"
}

# pairs FOLDER TOLERANCE: one case for each name.
pairs() {
    find "$top_srcdir/$1" -name '*.cu' -o -name '*.cl' | sed 's/\.[a-z]*$//' | LC_ALL=C sort -u >"$tap_folder/names"
    while read -r path; do
        tap_try "$1: ${path##*/}.cu and .cl" both "$1/${path##*/}" "$path.cu" "$path.cl" "$2"
    done <"$tap_folder/names"
}
pairs kernels 1

for file in "$top_srcdir"/examples/*.c; do
    if grep -qE '\bopencl(\[\])? = ' "$file"; then
        texts_of_c cuda "$file" >"$tap_folder/text.cu"
        texts_of_c opencl "$file" >"$tap_folder/text.cl"
        tap_try "examples: both forms in ${file##*/}" both "examples/${file##*/}" "$tap_folder/text.cu" "$tap_folder/text.cl" 0
    fi
done
sed '/opencl = /s/int steps)/long steps)/' "$top_srcdir/examples/event_loop.c" >"$tap_folder/example.c"
texts_of_c cuda "$tap_folder/example.c" >"$tap_folder/text.cu"
texts_of_c opencl "$tap_folder/example.c" >"$tap_folder/text.cl"
! both example.c "$tap_folder/text.cu" "$tap_folder/text.cl" 0 >"$tap_folder/said" &&
    grep -qF "'long steps' in OpenCL" "$tap_folder/said"
tap_ok $? "finds a parameter of another type in a C file"

# The check itself: each of these changes to one of a pair has to be found, in these words.
finds() {
    sed "$3" "$top_srcdir/kernels/$2" >"$tap_folder/changed.${2##*.}"
    case $2 in
    *.cl) set -- "$1" "${2%.*}" "$top_srcdir/kernels/${2%.*}.cu" "$tap_folder/changed.cl" ;;
    *) set -- "$1" "${2%.*}" "$tap_folder/changed.cu" "$top_srcdir/kernels/${2%.*}.cl" ;;
    esac
    ! both "kernels/$2" "$3" "$4" >"$tap_folder/said" && grep -qF "$1" "$tap_folder/said"
    tap_ok $? "finds: $1"
}
finds "kernel saxpy: parameter 4 is 'int n' in CUDA and 'long n' in OpenCL" saxpy.cl 's/int n)/long n)/'
finds "kernel saxpy: parameter 1 is 'float * x' in CUDA and 'float * z' in OpenCL" saxpy.cl 's/restrict x/restrict z/'
finds "kernel saxpy: 4 parameters in CUDA and 3 in OpenCL" saxpy.cl 's/, int n)/)/'
finds "kernel saxpy: is only in CUDA" saxpy.cl 's/void saxpy/void axpy/'
finds "kernel saxpy: a __local parameter has to be the last one" saxpy.cl 's/float a, int n/__local float *a, int n/'
finds "the tolerance is '0' in CUDA and '1 ulp' in OpenCL" saxpy.cl 's/Tolerance: 0/Tolerance: 1 ulp/'
finds "CUDA has no line 'Tolerance: 0'" saxpy.cu 's/Tolerance: 0/Tolerance: little/'
finds "struct point: member 1 is 'float x, y, z, w' in CUDA and 'float x, y, w, z' in OpenCL" points.cl 's/x, y, z, w;/x, y, w, z;/'
finds "struct point: member 1 is 'float x, y, z, w' in CUDA and 'double x, y, z, w' in OpenCL" points.cl \
    's/float x, y, z, w;/double x, y, z, w;/'
finds "struct affine: 2 members in CUDA and 1 in OpenCL" points.cu 's/float rows\[12\];/& int n;/'
finds "struct affine: is only in CUDA" points.cl 's/struct affine {/struct linear {/'
finds "member 'float3 place' has 12 bytes in CUDA and 16 in OpenCL" points.cl 's/float x, y, z, w;/float3 place;/'

# What the languages spell differently is the same.
spells() {
    sed "s/float rows\[12\];/$1/" "$top_srcdir/kernels/points.cu" >"$tap_folder/spelled.cu"
    sed "s/float rows\[12\];/$2/" "$top_srcdir/kernels/points.cl" >"$tap_folder/spelled.cl"
    tap_try "takes '$1' for '$2'" both kernels/points.cu "$tap_folder/spelled.cu" "$tap_folder/spelled.cl"
}
spells 'unsigned long long a;' 'ulong a;'
spells 'long long a[3];' 'long a[3];'
spells 'unsigned int a; unsigned char b; unsigned short c;' 'uint a; uchar b; ushort c;'
spells 'signed char a; unsigned b;' 'char a; uint b;'
tap_done
