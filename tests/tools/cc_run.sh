#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# yoke cc --run: both forms on the same data, PoCL beside the CUDA double. Forms that agree, and that differ in each way; where the
# data comes from; and what is refused.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
double=$PWD/tests/cuda-double/.libs
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"
export YOKE_CACHE_DIR="$tap_folder/cache" YOKE_CACHE=on

cat >pair.cl <<'END'
__kernel void add(__global const float *x, __global float *y, float a, int n)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] += a * x[i];
}

__kernel void differ(__global const int *order, __global float *y, __global int *z, int n)
{
    const int i = get_global_id(0);
    if (i < n) {
        y[i] = i == 3 ? NAN : i == 4 ? -0.0f : 1.0f;
        z[i] = order[i];
    }
}
END
cat >pair.cu <<'END'
extern "C" __global__ void add(const float *left, float *y, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * left[i];
}

extern "C" __global__ void differ(const int *order, float *y, int *z, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = i == 3 ? __int_as_float(0x7fc00001) : i == 4 ? 0.0f : i == 7 ? __int_as_float(0x3f800001) :
               i == 9 ? __int_as_float(0x3f800003) : 1.0f;
        z[i] = order[i] + (i == 5);
    }
}
END

# ---- Usage ----

run 2 "an option of --run without it" cc --size n=10 pair.cl
says "--size is for --run"
run 2 "with an output" cc --run -o a.c pair.cl
run 2 "no name" cc --run --size 100 pair.cl
says "it is NAME=VALUE"
run 2 "a range of three" cc --run --range x=1:2:3 pair.cl
run 2 "a range that ends before it begins" cc --run --range x=2:1 pair.cl
run 2 "a range wider than a double" cc --run --range x=-1e308:1e308 pair.cl
run 2 "a grid of four" cc --run --grid 1x2x3x4 pair.cl
run 2 "a grid of none" cc --run --grid 0 pair.cl
run 3 "no device" cc --run pair.cl

[ -f $vendors/pocl.icd ] || { tap_skip "with PoCL: there is no $vendors/pocl.icd" && tap_done; }
use pocl
export POCL_DEVICES=pthread

# ---- One form, and one device ----

run 3 "one form and one device" cc --run pair.cl
says "there is one device here to run it on, and comparing takes two"
run 3 "twins without CUDA" cc --run pair.cu pair.cl
says "pair.cu cannot run"
again="cc --run --device opencl:0 --device opencl:0"
# shellcheck disable=SC2086
{
    run 0 "one form on a device twice" $again --kernel add pair.cl
    says "y 1000 elements equal"
    run 0 "with a size" $again --kernel add --size n=77 pair.cl
    says "y 77 elements equal"
    run 0 "with a product" $again --kernel add --size n=7,y=n*n*2 pair.cl
    says "y 98 elements equal"
    run 2 "a name that no parameter has" $again --kernel add --size m=77 pair.cl
    says "no kernel has a parameter of this name"
    run 2 "a product with such a name" $again --kernel add --size n=m*2 pair.cl
    says "a product of numbers and of other sizes"
    run 2 "sizes in a circle" $again --kernel add --size n=y,y=n pair.cl
    run 2 "a size for no integer" $again --kernel add --size a=5 pair.cl
    says "'a' is no integer; --range gives it a value"
    run 2 "an integer that is none" $again --kernel add --range n=5.5 pair.cl
    says "'n' is of integers of 4 bytes, which have no such values"
    run 2 "more than an integer has" $again --kernel add --range n=0:1e10 pair.cl
    run 0 "all that an integer has" $again --kernel differ --range order=-2147483648:2147483648 pair.cl
    run 2 "three components" $again --kernel add --type x=float3 pair.cl
    says "three components take the place of four in OpenCL C"
    run 1 "a kernel that is not there" $again --kernel ad pair.cl
    says "kernel ad is not in pair.cl"
    run 2 "three devices" $again --device opencl:0 pair.cl
    run 2 "a device that has no file" $again pair.cu

    # 3 floats of one dimension, the file as NumPy writes it.
    header="{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
    { printf '\223NUMPY\001\000\072\000%-57s\n' "$header" && printf '\000\000\200\077\000\000\000\100\000\000\100\100'; } >x.npy
    run 0 "data of a file" $again --kernel add --size n=3 --data x=x.npy --range a=2 pair.cl
    says "y 3 elements equal"
    head -c 75 x.npy >short.npy
    run 2 "data that ends early" $again --kernel add --data x=short.npy pair.cl
    says "it has not as many bytes as its header says"
    run 2 "data that is none" $again --kernel add --data x=pair.cl pair.cl
    says "it is no .npy file"
    sed 's/<f4/<i4/' x.npy >ints.npy
    run 2 "data of another type" $again --kernel add --data x=ints.npy pair.cl
    says "of another type than those of 'x'"

    cat >struct.cl <<'END'
struct pair { float a, b; };
struct many { float a[12]; };
__kernel void turn(__global struct pair *p, struct many by, float4 v, __local float *s, int n)
{
    const int i = get_global_id(0);
    s[get_local_id(0)] = p[i].a * by.a[0] + v.x;
    p[i].a = p[i].b * by.a[11];
    p[i].b = s[get_local_id(0)];
}
END
    run 2 "a struct" $again struct.cl
    says "--type p=float says what it is made of"
    run 2 "a struct of no type" $again --type p=flaot --type by=float struct.cl
    run 2 "a struct of no known size" $again --type p=float --type by=float struct.cl
    says "--size by=COUNT says how many"
    run 2 "shared memory" $again --type p=float --type by=float --size n=64,by=12 struct.cl
    says "--size s=BYTES says how much"
    run 0 "a struct, a vector and shared memory" $again --type p=float --type by=float \
        --size n=64,p=n*2,s=256,by=12 --block 64 struct.cl
    says "p 128 elements equal"
    says "1 x 1 x 1 blocks of 64 x 1 x 1 threads"
}

# ---- Both forms, where there is something to stand for CUDA ----

if [ "$CXX" = no ] || [ ! -f "$double/libcuda.so.1" ]; then
    tap_skip "both forms: the double of CUDA is not here, or has no C++ compiler"
    tap_done
fi
unset YOKE_BACKEND
export LD_LIBRARY_PATH="$double${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
run 0 "forms that agree, by either name" cc --run --kernel add --size n=300 --range left=0:8 --range x=0:8 pair.cu pair.cl
says "pair.cu on cuda:0"
says "The results are the same: 1 kernel"
run 1 "forms that differ" cc --run --kernel differ --size n=100 --seed 2 pair.cu pair.cl
says "y 100 elements 2 differ"
says "first [7]: 1.00000012 and 1, 1 ulp apart"
says "worst [9]: 1.00000036 and 1, 3 ulps apart"
says "z 100 elements 1 differs"
says "first [5]:"
silent "order"
says "The results differ in 2 buffers"
run 1 "with a tolerance" cc --run --kernel differ --size n=100 --ulps 2 pair.cu pair.cl
says "first [9]: 1.00000036 and 1, 3 ulps apart"
run 1 "which integers do not have" cc --run --kernel differ --size n=100 --ulps 3 pair.cu pair.cl
says "y 100 elements equal"
says "z 100 elements 1 differs"
sed 's/y\[i\] += a \* x/y[i] -= a * x/' pair.cl >minus.cl
run 1 "another sign" cc --run --kernel add pair.cu minus.cl
says "The results differ in 1 buffer"
sed 's/void add/void sub/' pair.cl >sub.cl
run 1 "a kernel of one form" cc --run pair.cu sub.cl
says "kernel sub is not in pair.cu on cuda:0"
sed 's/float a, int n)/int n)/' pair.cl | sed 's/a \* x/2 * x/' >fewer.cl
run 1 "fewer parameters" cc --run --kernel add pair.cu fewer.cl
says "4 parameters in one form and 3 in the other"
run 0 "one text on both" cc --run --kernel saxpy "$source/tests/one_text/six.yk"
says "six.yk on cuda:0"
says "six.yk on opencl:0"
tap_done
