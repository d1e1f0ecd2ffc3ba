#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Whether the project's twins compute the same: yoke cc --run over each pair of kernels/, tests/one_text and the gallery, with data
# for each. It takes the CUDA device and the OpenCL device that are the machine's best, so that on a machine with a GPU this is what
# both of its compilers make; where there is no CUDA device, the CUDA double. In a build folder:
#
#     make check-TESTS TESTS=tests/tools/cc_twins.tap

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
# shellcheck source=tests/static/texts.sh
. "$top_srcdir/tests/static/texts.sh"
yoke=$PWD/tools/yoke double=$PWD/tests/cuda-double/.libs
export LC_ALL=C NO_COLOR=1
unset YOKE_BACKEND YOKE_DEVICE

# try_both: saxpy on the best two; the exit code is 3 where one is missing.
try_both() {
    "$yoke" cc --run "$top_srcdir/kernels/saxpy.cu" "$top_srcdir/kernels/saxpy.cl" >"$tap_folder/out" 2>&1
}

try_both
code=$?
if [ $code -eq 3 ]; then
    case ",${YOKE_TEST_REQUIRE-}," in
    *,cuda,*)
        tap_ok 1 "both devices, which YOKE_TEST_REQUIRE orders"
        tap_tell "$tap_folder/out"
        tap_done
        ;;
    esac
    if [ "$CXX" != no ] && [ -f "$double/libcuda.so.1" ]; then
        export LD_LIBRARY_PATH="$double${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
        try_both
        code=$?
    fi
fi
if [ $code -eq 3 ]; then
    tap_skip "a CUDA device, or the CUDA double, beside one of OpenCL: $(tr '\n' ' ' <"$tap_folder/out")"
    tap_done
fi
sed -n 's/^  .* on /on /p' "$tap_folder/out" >"$tap_folder/devices"
tap_tell "$tap_folder/devices"

# compare NAME FILE... OPTION...
compare() {
    echo "$1" >>"$tap_folder/seen"
    compared=$1
    shift
    "$yoke" cc --run "$@" >"$tap_folder/out" 2>&1
    code=$?
    tap_ok "$code" "$compared"
    [ "$code" -eq 0 ] || tap_tell "$tap_folder/out"
}

# pair NAME OPTION...: two files.
pair() {
    name=$1
    shift
    compare "$name" "$top_srcdir/$name.cu" "$top_srcdir/$name.cl" "$@"
}

# example NAME OPTION...: two texts in a C file.
example() {
    name=$1
    shift
    texts_of_c cuda "$top_srcdir/examples/$name.c" >"$tap_folder/$name.cu"
    texts_of_c opencl "$top_srcdir/examples/$name.c" >"$tap_folder/$name.cl"
    compare "examples/$name" -I "$top_srcdir/include" "$tap_folder/$name.cu" "$tap_folder/$name.cl" "$@"
}

# without NAME REASON: one that cannot be compared so.
without() {
    echo "$1" >>"$tap_folder/seen"
    tap_skip "$1: $2"
}

plane="--size width=61,height=45"
product="--size m=75,n=67,k=39,a=m*k,b=k*n,c=m*n --range a=0:1 --range b=0:1"
# shellcheck disable=SC2086
{
    pair kernels/fill --size offset=5,width=100,pitch=128,rows=9,target=2000 --range chunk=0:4294967296 --grid 1x9 --block 64
    pair kernels/fractal $plane,iterations=50,pixels=width*height --range scale=0.05 --grid 4x3 --block 16x16
    pair kernels/gaussian $plane,radius=3,source=width*height,target=width*height,weights=7 --grid 4x3 --block 16x16
    pair kernels/matmul --kernel matmul_naive $product --grid 5x5 --block 16x16
    pair kernels/matmul --kernel matmul_tiled $product --grid 2x2
    pair kernels/points --size n=1003,in=n*4,out=n*4 --type in=float --type out=float --type map=float
    pair kernels/reduce --size n=5003,out=8 --grid 8 --block 256 --shared 1024
    pair kernels/rgba8 --size n=1003 --range bytes=0:256
    pair kernels/saxpy --size n=1003
    pair kernels/vector_add --size n=1003
    pair tests/one_text/twins --kernel histogram --size n=5003,counts=256 --range bytes=0:256
    pair tests/one_text/twins --kernel stencil $plane,from=width*height,to=width*height --grid 4x6
    pair tests/one_text/twins --kernel nbody --size n=256 --range from=0:1
    example arrays -D 'EXPRESSION=x + 2 * y' --size n=1003
    example cancel --size n=1003
    example converge --size n=1003,steps=20,more=1 --range x=1:1000
    example event_loop --size n=1003,steps=5
    without examples/fallback "its forms differ on purpose"
    example heat $plane --grid 4x3 --block 16x16
    example hello --size text=64 --block 64 --grid 1 --range text=33:127
    example host_function --size n=1003
    example life $plane --range from=0:2 --grid 4x3 --block 16x16
    example matmul $product --grid 5x5 --block 16x16
    example nbody --size n=100 --range from=0:1
    example pipeline --size n=1003,rounds=5
    example several_devices --size n=1003,first=7
    example shared_memory --size n=1000,r=3 --block 100 --shared 424
    example structs --size n=1003,points=n*4 --type points=float
    example uv --size n=1003,steps=5
    example vector_add --size n=1003
    without examples/zoom "its kernel takes images"
}

# A pair that nobody has added here is not compared.
{
    find "$top_srcdir/kernels" -name '*.cl' | sed 's|.*/|kernels/|; s/\.cl$//'
    grep -lE '\bopencl(\[\])? = ' "$top_srcdir"/examples/*.c | sed 's|.*/|examples/|; s/\.c$//'
} | sort >"$tap_folder/there"
sort -u "$tap_folder/seen" | comm -23 "$tap_folder/there" - >"$tap_folder/missing"
tap_empty "each pair has a line here" "$tap_folder/missing"
tap_done
