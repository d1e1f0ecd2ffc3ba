#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# yoke cc on PoCL: the OpenCL form is compiled, and the CUDA form is parsed as text, or compiled in the last cases. Good files,
# bad files, and twins that differ in each way.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
double=$PWD/tests/cuda-double/.libs
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"

# ---- Usage ----

echo 'int none(int x) { return x; }' >none.cl
run 2 "no file" cc
run 2 "a file that is not there" cc absent.cl
says "No such file or directory"
run 2 "two files of one language" cc none.cl none.cl
cp none.cl none.yk
run 2 "one text, and a file of one of its languages" cc none.yk none.cl
says "one file of each language"
run 2 "one text that is not there" cc absent.yk
says "No such file or directory"
run 2 "a file of another kind" cc "$source/configure.ac"
run 2 "a folder that is not there" cc -I absent none.cl
run 2 "an unknown option" cc --no-such none.cl
YOKE_BACKEND=metal run 2 "an unknown backend" cc none.cl
says "no such backend"
run 3 "no device at all" cc "$source/kernels/saxpy.cl"
says "not compiled"
run 3 "a device that is not there" cc --device opencl:0 "$source/kernels/saxpy.cl"

[ -f $vendors/pocl.icd ] || { tap_skip "with PoCL: there is no $vendors/pocl.icd" && tap_done; }
use pocl
export POCL_DEVICES=pthread

# ---- Twins that agree ----

for pair in "$source"/kernels/*.cl; do
    run 0 "kernels/${pair##*/}" cc "${pair%.cl}.cu" "$pair"
    says "The kernels and their parameters agree"
done
run 0 "one form" cc "$source/kernels/saxpy.cl"
says "kernel saxpy: blocks of up to"
says "1 x float* buffer 8 bytes, const"
says "3 a float value 4 bytes"
silent "twins"
run 0 "a file without a kernel" cc none.cl
says "no kernel in it"
echo '#include "none.h"' >includes.cu
echo '__global__ void in_a_header(int *x) { *x = 1; }' >none.h
run 3 "a file whose kernels are in its header" cc includes.cu
says "kernel in_a_header"
cp none.h none.cuh
run 3 "a CUDA header" cc none.cuh
says "kernel in_a_header"
run 3 "a form that cannot be tried" cc "$source/kernels/saxpy.cu"
says "YOKE_BACKEND=opencl leaves it out"
says "4 n int value 4 bytes"

cat >image.cl <<'END'
__kernel void look(__read_only image2d_t t, sampler_t s, __global float *x) { x[0] = read_imagef(t, s, (float2)(0.5f)).x; }
END
cat >image.cu <<'END'
extern "C" __global__ void look(float *t, float *x) { x[0] = t[0]; }
END
run 0 "a kernel with an image" cc image.cl
says "1 t image2d_t image"
says "x float* buffer"
run 1 "an image beside a buffer" cc image.cu image.cl
says "is a buffer in CUDA and an image in OpenCL"

run 0 "one text for both languages" cc "$source/tests/one_text/six.yk"
says "six.yk: compiles for opencl:0"
says "six.yk: not compiled"
says "1 x float* buffer 8 bytes, const"
says "The kernels and their parameters agree: 6 kernels"

# ---- A form that does not compile ----

mkdir include
cat >include/part.h <<'END'

float half_of(float x) { return x * nothing; }
END
cat >bad.cl <<'END'
#include "part.h"
__kernel void bad(__global float *x)
{
    x[0] = half_of(absent);
}
END
run 1 "a file that does not compile" cc -I include bad.cl
says "does not compile"
says "bad.cl:4:20: use of undeclared identifier 'absent'"
says "include/part.h:2:37: use of undeclared identifier 'nothing'"
run 0 "the same with macros" cc -I include -D nothing=2 -D absent=1.0f bad.cl

cat >bad.yk <<'END'
#include <yoke/kernel.h>
YOKE_KERNEL void bad(YOKE_GLOBAL float *x)
{
    x[yoke_thread_x()] = absent;
}
END
run 1 "one text that does not compile" cc bad.yk
says "does not compile"
says "bad.yk:4:26: use of undeclared identifier 'absent'"

# ---- Twins that differ ----

cat >twin.cu <<'END'
// __global__ void in_a_comment(int a) {}
#define SOME __global__ void in_a_macro(int a) {}
static const char *text = "__global__ void in_a_string(int a) {}";
extern "C" __global__ void declared(int a);
extern "C" __global__ void __launch_bounds__(256)
same(const float *__restrict__ x, float *y, unsigned long long n, struct item *s) {}
extern "C" __global__ void same2(/* none */) {}
extern "C" __global__ void only_cuda(int *x) {}
extern "C" __global__ void fewer(int *x) {}
extern "C" __global__ void width(double a) {}
extern "C" __global__ void kind(int *a) {}
extern "C" __global__ void type(int a) {}
extern "C" __global__ void pointed(int *a) {}
extern "C" __global__ void name(int a) {}
extern "C" __global__ void reads(const int *a) {}
END
cat >twin.cl <<'END'
struct item { int a; };
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void same(__global const float *restrict x, __global float *y, ulong n, __global struct item *s, __local float *tile) {}
__kernel void same2(void) {}
__kernel void only_opencl(__global int *x) {}
__kernel void fewer(__global int *x, int n) {}
__kernel void width(float a) {}
__kernel void kind(long a) {}
__kernel void type(float a) {}
__kernel void pointed(__global float *a) {}
__kernel void name(int b) {}
__kernel void reads(__global int *a) {}
END
run 1 "twins that differ" cc twin.cu twin.cl
says "The forms differ in 9 places"
says "kernel only_cuda: is only in CUDA"
says "kernel only_opencl: is only in OpenCL"
says "kernel fewer: 1 parameter in CUDA and 2 in OpenCL"
says "kernel width: parameter 1 'a' has 8 bytes in CUDA (double) and 4 in OpenCL (float)"
says "kernel kind: parameter 1 'a' is a buffer in CUDA and a value in OpenCL"
says "kernel type: parameter 1 'a' is 'int' in CUDA and 'float' in OpenCL"
says "kernel pointed: parameter 1 'a' is 'int*' in CUDA and 'float*' in OpenCL"
says "kernel name: parameter 1 'a' is called 'a' in CUDA and 'b' in OpenCL"
says "kernel reads: parameter 1 'a' is const only in CUDA"
silent "kernel same:  p"
silent "in_a_"
silent "declared"

# ---- Both forms compiled, where there is something to stand for CUDA ----

if [ "$CXX" = no ]; then
    tap_skip "both forms compiled: the double of CUDA has no C++ compiler"
    tap_done
fi
if [ ! -f "$double/libcuda.so.1" ]; then
    tap_skip "both forms compiled: there is no $double/libcuda.so.1"
    tap_done
fi
unset YOKE_BACKEND
export LD_LIBRARY_PATH="$double${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
run 0 "both forms" cc "$source/kernels/saxpy.cu" "$source/kernels/saxpy.cl"
says "saxpy.cu: compiles for cuda:0"
says "saxpy.cl: compiles for opencl:0"
says "The kernels and their parameters agree: 1 kernel"
run 0 "one text as both forms" cc "$source/tests/one_text/six.yk"
says "six.yk: compiles for cuda:0"
says "six.yk: compiles for opencl:0"
says "The kernels and their parameters agree: 6 kernels"
run 1 "one text that does not compile as either" cc bad.yk
says "bad.yk(4): error"
says "bad.yk:4:26: use of undeclared identifier 'absent'"
cat >instance.cu <<'END'
template <typename T> __global__ void scale(T *x, T a, int n) { int i = threadIdx.x; if (i < n) x[i] *= a; }
END
cat >instance.cl <<'END'
__kernel void scale_float(__global float *x, float a, int n) { int i = get_global_id(0); if (i < n) x[i] *= a; }
END
run 0 "an instance of a template" cc --name-expression 'scale<float>' instance.cu instance.cl
says "The kernels and their parameters agree: 1 kernel"
sed 's/float a/double a/' instance.cl >wider.cl
run 1 "an instance that differs" cc --name-expression 'scale<float>' instance.cu wider.cl
says "kernel scale_float: parameter 2 'a' has 4 bytes in CUDA (T) and 8 in OpenCL (double)"
tap_done
