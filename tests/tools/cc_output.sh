#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What yoke cc compiles without a device, and what it writes: bad command lines; names that need an expression; files of code; and C
# files, with which programs are built that run without a compiler and without files. NVRTC is that of the CUDA double.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
build=$PWD double=$PWD/tests/cuda-double/.libs
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"

# writes TEXT FILE...: a case, passed when these files are there and nothing else is.
writes() {
    text=$1
    shift
    [ "$(echo made/*)" = "$(printf 'made/%s ' "$@" | sed 's/ $//')" ]
    tap_ok $? "$text: writes $*"
    echo made/* >listing
    [ "$(cat listing)" = "$(printf 'made/%s ' "$@" | sed 's/ $//')" ] || tap_tell listing
}

# fresh: nothing has been written.
fresh() {
    rm -rf made
    mkdir made
}

fresh
cat >part.h <<'END'
#pragma once
#define FACTOR 3
END
cat >kern.cu <<'END'
#include "part.h"
template <typename T> __global__ void scale(T *x, T a) { x[threadIdx.x] *= a; }
__global__ void triple(int *x) { x[threadIdx.x] = FACTOR * x[threadIdx.x] + WHENCE; }
END
cat >kern.cl <<'END'
#include "part.h"
__kernel void scale_float(__global float *x, float a) { x[get_global_id(0)] *= a; }
__kernel void triple(__global int *x) { x[get_global_id(0)] = FACTOR * x[get_global_id(0)] + WHENCE; }
END

# run_set CODE TEXT ARGUMENT...: with what the two files need.
run_set() {
    set_code=$1 set_text=$2
    shift 2
    run "$set_code" "$set_text" cc -I . -D WHENCE=1 "$@"
}

# ---- Bad command lines: no device and no compiler is asked ----

for word in '' ',' sm_9 sm90 sm_90ab 'sm_90 -G' SM_90 gfx90a compute_ 'sm_90,nothing'; do
    run 2 "--arch '$word'" cc --arch "$word" kern.cu
    says "--arch"
    says "compute_90 for PTX"
done
run 2 "--arch without a .cu file" cc --arch sm_90 kern.cl
says "--arch needs a .cu file"
run 2 "an output that is none" cc -o made/kern.o kern.cu
says "the name has to end in .c, .cubin, .ptx or .spv"
run 2 "a cubin for nothing" cc -o made/kern.cubin kern.cu
says "name it, as --arch sm_90"
run 2 "a cubin for two architectures" cc --arch sm_80,sm_90 -o made/kern.cubin kern.cu
says "a file of code is for one architecture"
run 2 "a cubin of PTX" cc --arch compute_90 -o made/kern.cubin kern.cu
says "a cubin is made for sm_NN, PTX for compute_NN"
run 2 "PTX of a cubin" cc --arch sm_90 -o made/kern.ptx kern.cu
run 2 "SPIR-V of CUDA" cc -o made/kern.spv kern.cu
says "SPIR-V is made of a .cl or .yk file"
run 2 "SPIR-V of CUDA, again" cc --spirv -o made/kern.c kern.cu
run 2 "a name without -o" cc --name kern kern.cu
says "--name is for -o FILE.c"
run 2 "a name that makes the type's" cc --name yoke -o made/kern.c kern.cl
says "the function cannot be called yoke_source, as its type is; --name"
cp kern.cl yoke.cl
run 2 "a file with this name" cc -o made/kern.c yoke.cl
says "the function cannot be called yoke_source"
run 2 "a name that is none" cc --name 9-a -o made/kern.c kern.cu
says "letters, digits and underscores"
for word in 99 1 c++20 17x; do
    run 2 "--cuda-std $word" cc --cuda-std $word -o made/kern.c kern.cu
    says "--cuda-std $word: no compiler knows this version; there are 03, 11, 14, 17, 20, 23 and 26"
done
for word in 9.9 3 CL4.0 CLC++; do
    run 2 "--opencl-std $word" cc --opencl-std $word -o made/kern.c kern.cl
    says "no compiler knows this version; there are 1.0, 1.1, 1.2, 2.0 and 3.0"
done
run 2 "a file that is not there" cc --arch sm_90 -o made/kern.c absent.cu
says "absent.cu: No such file or directory"
writes "bad command lines" '*'

# ---- C files of texts alone, which need no compiler ----

run_set 0 "texts" --name-expression 'scale<float>' -o made/kern.c kern.cu kern.cl
writes "texts" kern.c kern.h
silent "kern"
cp made/kern.c first.c
run_set 0 "texts of versions" --cuda-std 20 --opencl-std CL3.0 -o made/versions.c kern.cu kern.cl
for line in 'source.cuda_std = "20";' 'source.opencl_std = "3.0";'; do
    tap_try "the source has them: $line" grep -qF "$line" made/versions.c
done
rm made/versions.*
run_set 0 "texts, again" --name-expression 'scale<float>' -o made/kern.c kern.cu kern.cl
tap_try "the file is the same" cmp first.c made/kern.c
fresh
mkdir elsewhere
echo '#error "this is not the folder of the file"' >elsewhere/part.h
folder=$(pwd -P)
run 0 "a header beside the file" cc -I elsewhere --depfile made/kern.d -o made/kern.c "$folder/kern.cl"
tap_try "the rule has that one" grep -qxF "made/kern.c: $folder/kern.cl $folder/part.h" made/kern.d
run_set 0 "what was read" --depfile made/kern.d -o made/kern.c kern.cu kern.cl
tap_try "the rule" grep -qxF "made/kern.c: kern.cu $folder/part.h kern.cl $folder/part.h" made/kern.d
cat >macro.cl <<'END'
#define NEAR "part.h"
#if __has_include(NEAR) && __has_include(GIVEN)
#include NEAR
#endif
#include GIVEN
__kernel void triple(__global int *x) { x[get_global_id(0)] *= FACTOR; }
END
echo '#define OTHER 1' >other.h
run 0 "headers that macros name" cc -I . -D 'GIVEN=<other.h>' --depfile made/kern.d -o made/kern.c macro.cl
tap_try "the rule has them" grep -qxF "made/kern.c: macro.cl $folder/part.h $folder/other.h" made/kern.d
grep -qE 'include (NEAR|GIVEN)|__has_include' made/kern.c
[ $? -eq 1 ]
tap_ok $? "the text is complete"
run 1 "a header that nothing names" cc -I . --depfile made/none.d -o made/none.c macro.cl
says "macro.cl:2: whether this asks for a header"
[ ! -e made/none.d ] && [ ! -e made/none.c ]
tap_ok $? "nothing of this is written"
rm -f macro.cl other.h
run_set 1 "a rule that cannot be written" --depfile made/none/kern.d -o made/kern.c kern.cu
says "made/none/kern.d cannot be written"
run 2 "a rule for nothing" cc --depfile made/kern.d kern.cu
says "--depfile is for -o FILE"
newline=$(printf 'new\nline')
mkdir 'quo"ted'
cp kern.cl 'quo"ted/kern.cl'
cp kern.cl "$newline.cl"
for file in 'quo"ted/kern.cl' "$newline.cl"; do
    odd=$(echo "$file" | tr '\n' ' ')
    run 2 "a rule with $odd" cc -I . -D WHENCE=1 --depfile made/odd.d -o made/odd.c "$file"
    says "a rule cannot name"
    run 0 "$odd without a rule" cc -I . -D WHENCE=1 -o made/odd.c "$file"
    # shellcheck disable=SC2086
    tap_try "is C" $CC -I "$source/include" -fsyntax-only made/odd.c
done
run 2 "a rule with headers in such a folder" cc -I . -I 'quo"ted' -D WHENCE=1 --depfile made/odd.d -o made/odd.c kern.cl
says "a rule cannot name $folder/quo\"ted, which has a quote"
run 2 "a C file of such a name" cc -I . -D WHENCE=1 -o 'made/o"dd.c' kern.cl
says "the file includes its header by this name, which has a quote"
[ ! -e made/odd.d ] && [ ! -e 'made/o"dd.c' ]
tap_ok $? "nothing of this is written"
rm made/odd.*
cp kern.cl source.cl
for file in source.cl ./source.cl made/rule.c made/rule.h ./made/rule.h; do
    run 2 "a rule in place of $file" cc -I . -D WHENCE=1 --depfile "$file" -o made/rule.c source.cl
    says "the rule has a file of its own"
done
cmp -s kern.cl source.cl
tap_ok $? "the source stays"
rm source.cl
for letter in : ';' '*' '|' % = '[' '~'; do
    case $letter in
    '~') odd='~a.cl' ;;
    *) odd="a${letter}b.cl" ;;
    esac
    cp kern.cl "$odd"
    run 2 "a rule with $odd" cc -I . -D WHENCE=1 --depfile made/odd.d -o made/odd.c "$odd"
    says "a rule cannot name $odd, which begins with ~ or has one of"
    rm "$odd"
done
mkdir 'with=sign'
echo >'with=sign/header.h'
echo '#include "with=sign/header.h"' | cat - kern.cl >odd.cl
run 1 "a rule with a header in such a folder" cc -I . -D WHENCE=1 --depfile made/odd.d -o made/odd.c odd.cl
says "a rule cannot name $folder/with=sign/header.h, which begins"
[ ! -e made/odd.c ]
tap_ok $? "nothing of this is written"
run 0 "the header without a rule" cc -I . -D WHENCE=1 -o made/odd.c odd.cl
rm made/odd.*
mkdir 'a b'
cp kern.cl 'a b/c#$d.cl'
run 0 "a rule with names that can be escaped" cc -I . -D WHENCE=1 --depfile made/odd.d -o made/odd.c 'a b/c#$d.cl'
printf '%%.c:\n\ttouch made/again\n' >>made/odd.d
if command -v make >/dev/null; then
    make -rq -f made/odd.d made/odd.c >out 2>err
    tap_ok $? "make finds all that it names"
    touch -d '+1 hour' 'a b/c#$d.cl'
    make -rq -f made/odd.d made/odd.c >out 2>err
    [ $? -eq 1 ]
    tap_ok $? "and makes the file again when one has changed"
fi
rm made/odd.*
(
    ulimit -f 1
    exec "$yoke" cc -I . -D WHENCE=1 -D "LONG=$(seq -s . 2000)" -o made/half.c kern.cl
) >out 2>err
got=$?
[ $got -eq 1 ]
tap_ok $? "a limit for the size of files: exit code 1 ($got)"
says "made/half.c cannot be written: File too large"
[ ! -e made/half.c ]
tap_ok $? "and half of the file does not stay"
rm -f made/half.*
for name in blur Blur; do
    run 0 "--name $name" cc -I . -D WHENCE=1 --name $name -o made/$name-text.c kern.cl
done
cat >both.c <<'END'
#include "made/blur-text.h"
#include "made/Blur-text.h"
yoke_source (*use[])(void) = { blur_source, Blur_source };
END
# shellcheck disable=SC2086
tap_try "names that differ by their case alone can stand in one file" $CC -Werror -I "$source/include" -fsyntax-only both.c
rm made/?lur-text.*
run 0 "a name" cc -I . -D WHENCE=1 --name other -o made/kern.c kern.cl
tap_try "the function has the name" grep -q '^yoke_source other_source(void);' made/kern.h
run 1 "a folder that is not there" cc -I . -o made/none/kern.c kern.cl
says "made/none/kern.h cannot be written: No such file or directory"
fresh
echo '/* mine */' >made/kern.h
run 1 "a header that someone has written" cc -I . -o made/kern.c kern.cl
says "made/kern.h is there, and was not made by yoke cc"
tap_try "and that is still there" grep -q mine made/kern.h
writes "a header that someone has written" kern.h
fresh
run 0 "twins that differ" cc -I . -o made/kern.c kern.cu "$source/kernels/saxpy.cl"
says "The forms differ in 3 places"
writes "twins that differ" kern.c kern.h

# ---- SPIR-V: clang and llvm-spirv ----

mkdir bin
run 1 "no llvm-spirv" cc -I . -o made/kern.spv kern.cl
path=$PATH
for tool in clang llvm-spirv; do
    cat >bin/$tool <<'END'
#!/bin/sh
echo "$0 $*" >>words
for word in "$@"; do
    [ "$before" = -o ] && target=$word
    before=$word
done
[ ! -f broken ] || { echo "kern.cl:1:1: error: broken"; exit 1; }
printf '\003\002\043\007\0\0\1\0\0\0\0\0\1\0\0\0\0\0\0\0' >"$target"
END
    chmod +x bin/$tool
done
PATH=$PWD/bin:$PATH
export TMPDIR="$PWD/temporary"
mkdir temporary
fresh
run 0 "SPIR-V" cc -I . -D WHENCE=1 --opencl-std CL2.0 --fast-math -o made/kern.spv kern.cl
writes "SPIR-V" kern.spv
tap_try "clang gets the options" grep -q -- 'clang .*-cl-std=CL2.0 .*-DWHENCE=1 -cl-fast-relaxed-math' words
tap_try "llvm-spirv makes the file" grep -q -- 'llvm-spirv .*\.bc -o .*\.spv' words
run 0 "SPIR-V in a C file" cc -I . -D WHENCE=1 --spirv -o made/kern.c kern.cl
tap_try "has the code" grep -q '{ code_spirv, sizeof code_spirv }' made/kern.c
fresh
: >broken
run 1 "SPIR-V of a file that does not compile" cc -I . -o made/kern.spv kern.cl
says "does not compile for SPIR-V"
says "error: broken"
writes "SPIR-V of a file that does not compile" '*'
rm broken
TMPDIR=$PWD/absent run 1 "SPIR-V without a folder for temporary files" cc -I . -o made/kern.spv kern.cl
says "no folder for temporary files can be made in $PWD/absent: No such file or directory; TMPDIR names another place"
tap_try "no temporary file is left" rmdir temporary
unset TMPDIR
PATH=$path

# ---- CUDA, with a real NVRTC where there is one ----

cat >names.cu <<'END'
template <typename T> __global__ void scale(T *x, T a) { x[threadIdx.x] *= a; }
__global__ void plain(int *x) { x[0] = 1; }
extern "C" __global__ void linked(int *x) { x[0] = 1; }
namespace ns { __global__ void inside(int *x) { x[0] = 1; } }
template <int N> __global__ void times(int *x) { x[0] *= N; }
template __global__ void times<3>(int *x);
__global__ void twice(float *x) { x[0] *= 2; }
__global__ void twice(int *x) { x[0] *= 2; }
struct S { int n; };
__global__ void of_struct(S s, int *x) { x[0] = s.n; }
__global__ void of_vector(float4 f, int *x) { x[0] = (int)f.x; }
__global__ void of_texture(cudaTextureObject_t t, float *x) { x[0] = tex2D<float>(t, 0.5f, 0.5f); }
namespace ns { __global__ void of_both(S s, S t, int *x) { x[0] = s.n + t.n; } }
END
"$yoke" cc --arch compute_90 names.cu >/dev/null 2>&1
if [ $? -eq 3 ]; then
    tap_skip "names that need an expression: there is no NVRTC"
else
    for architecture in sm_90 compute_90; do
        run 0 "names that need an expression" cc --arch $architecture names.cu
        says "kernel scale it is not in the code: a template needs --name-expression 'scale<...>'"
        says "kernel times it is compiled, but a template needs --name-expression 'times<...>'"
        says "kernel twice 2 kernels have this name"
        says "kernel plain 1 x int*"
        says "kernel linked 1 x int*"
        says "kernel inside 1 x int*"
        says "kernel of_struct 1 s S value"
        says "kernel of_vector 1 f float4 value"
        says "kernel of_texture 1 t cudaTextureObject_t image"
        says "kernel of_both 1 s S value"
        run 0 "and the expressions" cc --arch $architecture --name-expression 'scale<int>' \
            --name-expression 'times<3>' \
            --name-expression '(void (*)(int *))twice' --name-expression '(void (*)(float *))twice' names.cu
        says "kernel scale_int 1 x"
        silent "it is not in the code"
        silent "it is compiled"
        silent "kernels have this name"
    done
    run 0 "a cubin" cc --arch sm_90 -o made/names.cubin names.cu
    says "kernel scale it is not in the code"
    silent "plain"
    run 1 "an architecture that NVRTC lacks" cc --arch sm_20 names.cu
    says "does not support sm_20"
    run 1 "a letter that NVRTC lacks" cc --arch sm_90x names.cu
    says "does not support sm_90x"
fi

# ---- CUDA, with the double's NVRTC ----

fresh

if [ "$CXX" = no ] || [ ! -f "$double/libnvrtc.so.13" ]; then
    tap_skip "what needs NVRTC: there is no $double/libnvrtc.so.13, or no C++ compiler for it"
    tap_done
fi
export YOKE_NVRTC=/nowhere/libnvrtc.so
run 3 "no NVRTC" cc --arch sm_90 kern.cu
says "YOKE_NVRTC is /nowhere/libnvrtc.so"
run 1 "no NVRTC, and a file" cc --arch sm_90 -o made/kern.c kern.cu
says "YOKE_NVRTC is /nowhere/libnvrtc.so"
writes "no NVRTC" '*'
export YOKE_NVRTC="$double/libnvrtc.so.13"

run_set 0 "two architectures" --arch sm_90,compute_80 kern.cu
says "kern.cu: compiles for sm_90, compute_80"
says "kernel triple"
run_set 1 "an architecture that NVRTC lacks" --arch sm_20 kern.cu
says "does not support sm_20"
says "80, 86"
run_set 1 "a version of C++ that NVRTC lacks" --arch sm_90 --cuda-std 11 kern.cu
says "does not support C++11"
run 1 "a file that does not compile" cc -I . --arch sm_90 -o made/kern.c kern.cu
says "does not compile for sm_90"
says "WHENCE"
run_set 1 "an expression that names nothing" --arch sm_90 --name-expression 'nobody<int>' -o made/kern.c kern.cu
says "nobody"
writes "what does not compile" '*'
run_set 0 "a cubin" --arch sm_90 -o made/kern.cubin kern.cu
run_set 0 "PTX" --arch compute_80 -o made/kern.ptx kern.cu
writes "files of code" kern.cubin kern.ptx
tap_try "PTX names its target" grep -q '^.target sm_80' made/kern.ptx
ln -s /dev/full made/full.ptx
run_set 1 "a full disk" --arch compute_80 -o made/full.ptx kern.cu
says "made/full.ptx cannot be written: No space left on device"
if mknod made/device.ptx c 1 7 2>/dev/null && ! echo x 2>/dev/null >made/device.ptx; then
    run_set 1 "a device that is full" --arch compute_80 -o made/device.ptx kern.cu
    [ -c made/device.ptx ]
    tap_ok $? "which stays"
    rm made/device.ptx
else
    tap_skip "no device can be made here"
fi
ln -s /dev/zero endless.cu
run_set 2 "a file without end" endless.cu
says "endless.cu: File too large"
rm endless.cu

# ---- A program with all of it, which runs without NVRTC ----

fresh
export LD_LIBRARY_PATH="$build/.libs:$double${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
run_set 0 "a C file with everything" --arch sm_90,sm_80 --name-expression 'scale<float>' \
    -o made/kern.c kern.cu kern.cl
writes "a C file with everything" kern.c kern.h
for code in sm_90 sm_80 compute_90; do
    tap_try "it has $code" grep -q "{ code_$code, sizeof code_$code }" made/kern.c
done
sed 's/FACTOR 3/FACTOR 5/' part.h >changed.h && mv changed.h part.h
cat >main.c <<'END'
#include <stdio.h>
#include <string.h>

#include <yoke/check.h>

#include "made/kern.h"

int main(int argc, char **argv)
{
    yoke_source source = kern_source();
    yoke_device *device;
    yoke_program *program;
    yoke_kernel *triple, *scale;
    yoke_stream *stream;
    yoke_buffer *x;
    int number = 5;
    float half = 0.5f;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    if (argc > 1 && strcmp(argv[1], "later") == 0)
        source.compiled += 3; /* a device that came later than all of the code */
    if (argc > 1 && strcmp(argv[1], "ptx") == 0)
        source.compiled += 1; /* one that takes the PTX alone */
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "triple", &triple));
    YOKE_CHECK(yoke_kernel_get(program, "scale<float>", &scale));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_buffer_create(device, sizeof number, &x));
    YOKE_CHECK(yoke_write_sync(stream, x, 0, &number, sizeof number));
    YOKE_CHECK(yoke_launch(stream, triple, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x)));
    YOKE_CHECK(yoke_read_sync(stream, &number, x, 0, sizeof number));
    YOKE_CHECK(yoke_write_sync(stream, x, 0, &half, sizeof half));
    YOKE_CHECK(yoke_launch(stream, scale, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x, 3.0f)));
    YOKE_CHECK(yoke_read_sync(stream, &half, x, 0, sizeof half));
    printf("%d %g, too few: %d\n", number, half,
           yoke_launch(stream, scale, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x)) == YOKE_E_KERNEL_ARGUMENT);
    yoke_buffer_release(x);
    yoke_stream_release(stream);
    yoke_program_release(program);
    yoke_device_release(device);
    return 0;
}
END
# compile STANDARD FILE...: $CC may come with options of its own.
compile() {
    standard=$1
    shift
    # shellcheck disable=SC2086
    $CC -std=$standard -Wall -Wextra -Werror -pedantic ${YOKE_SANITIZER-} -I "$source/include" "$@"
}
tap_try "it is C99" compile c99 -c made/kern.c -o kern.o
# shellcheck disable=SC2086
tap_try "it is C++11" $CXX -x c++ -std=c++11 -Wall -Wextra -Werror -I "$source/include" -c made/kern.c -o kernpp.o
tap_try "a program with it" compile c11 main.c kern.o -o program -L "$build/.libs" -lyoke -lpthread
mkdir empty
mv ./*.cu ./*.cl part.h empty

# gives WORDS BACKEND ARGUMENT...
gives() {
    words=$1 backend=$2
    shift 2
    YOKE_BACKEND=$backend YOKE_CACHE=off ./program "$@" >got 2>&1
    [ "$(cat got)" = "$words" ]
    tap_ok $? "the program on $backend $*: $words"
    [ "$(cat got)" = "$words" ] || tap_tell got
}
unset YOKE_BACKEND
if [ -f $vendors/pocl.icd ]; then
    use pocl
    export POCL_DEVICES=pthread
    gives "16 1.5, too few: 1" opencl
else
    tap_skip "on PoCL: there is no $vendors/pocl.icd"
fi
export YOKE_NVRTC=/nowhere/libnvrtc.so
gives "16 1.5, too few: 1" cuda
gives "16 1.5, too few: 1" cuda ptx
YOKE_BACKEND=cuda ./program later >got 2>&1
tap_ok $((! $?)) "without code for the device, and without NVRTC, it fails"
tap_try "and says why" grep -q "YOKE_NVRTC is /nowhere/libnvrtc.so" got
export YOKE_NVRTC="$double/libnvrtc.so.13"
gives "16 1.5, too few: 1" cuda later
tap_done
