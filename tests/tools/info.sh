#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# yoke info with drivers that are present, absent, many, or broken in every way; each broken driver must be named.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
stub=$PWD/tests/tools/.libs/stub_cuda.so top_build=$PWD
khronos=${OCL_ICD_FILENAMES+yes} # only Khronos' loader knows the variable
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"
export TMPDIR="$tap_folder/temporary" # other tests use yoke info at the same time
mkdir "$TMPDIR"

# cuda WAY: programs see a libcuda.so.1 without GPUs, in a folder of this name.
cuda() {
    mkdir -p "cuda-$1"
    cp "$stub" "cuda-$1/libcuda.so.1"
    cuda_path=$tap_folder/cuda-$1
}

# with_cuda WAY CODE TEXT ARGUMENT...
with_cuda() {
    cuda "$1"
    shift
    before=${LD_LIBRARY_PATH-}
    export LD_LIBRARY_PATH="$cuda_path${before:+:$before}"
    run "$@"
    export LD_LIBRARY_PATH="$before"
}

# ---- Nothing there ----

use
run 3 "no OpenCL driver" info
says "Yoke $PACKAGE_VERSION programs use no device"
says "CUDA excluded by YOKE_BACKEND=opencl"
says "OpenCL no driver: there is no usable .icd file in OCL_ICD_VENDORS=$tap_folder/icds/"
says "Yoke found no usable device"
says "sudo apt install ocl-icd-libopencl1 pocl-opencl-icd"
says "no OpenCL driver is installed (there is no .icd file in OCL_ICD_VENDORS=$tap_folder/icds/)"
says "YOKE_BACKEND=opencl excludes the other backend"
if has_json; then
    run 3 "the same as JSON" info --json
    fits info
else
    run 1 "JSON without libjansson" info --json
    says "was built without libjansson"
fi

echo /nowhere/libnothing.so >icds/gone.icd
: >icds/empty.icd
run 3 "ICD files that name nothing" info
says "gone.icd names a library that cannot be opened (/nowhere/libnothing.so"
says "empty.icd: it names no library"

says "icds/gone.icd: 0 devices /nowhere/libnothing.so"
before=$OCL_ICD_VENDORS
export OCL_ICD_VENDORS=/nowhere
run 3 "OCL_ICD_VENDORS names nothing" info
says "/nowhere: no such file or folder: unset the variable that names it"
silent "names a library"
export OCL_ICD_VENDORS="$before"

# ---- Broken drivers ----

use crash
run 3 "a driver that crashes" info
says "icds/crash.icd: crashed with signal 11"
says "icds/crash.icd breaks every program that uses OpenCL"
says "this is the driver/libbad-crash.so"
use exit
run 3 "a driver that ends the process" info
says "icds/exit.icd: ended the process with exit status 7"
use hang
run 3 "a driver that hangs" info --timeout 1
says "icds/hang.icd: did not answer in 1 s"
says "opencl: did not answer in 1 s"
(unset YOKE_BACKEND && "$yoke" info --timeout 2 >out 2>err)
silent "NVIDIA's driver does not answer"
says "OpenCL broken: did not answer in 2 s"
use nothing
run 3 "a library that is no driver" info
says "icds/nothing.icd: 0 devices"
use hang crash nothing exit
run 3 "many broken drivers" info --timeout 1
says "hang.icd: did not answer"
says "crash.icd: crashed"
says "exit.icd: ended the process"
run 3 "a device of a broken driver" info --timeout 1 opencl:0
says "opencl:0: the driver"
if has_json; then
    run 3 "many broken drivers as JSON" info --timeout 1 --json
    fits info
fi

export YOKE_BACKEND=cuda
with_cuda plain 3 "a libcuda.so.1 that is the toolkit's stub" info
says "cuda: 0 devices"
says "CUDA_ERROR_STUB_LIBRARY"
with_cuda crash 3 "a libcuda.so.1 that crashes" info
says "cuda: crashed with signal 11"
with_cuda hang 3 "a libcuda.so.1 that hangs" info --timeout 1
says "cuda: did not answer in 1 s (starting)"
says "NVIDIA's driver does not answer properly"

# ---- Usage ----

run 2 "a selector that is none" info what?
run 2 "two selectors" info cuda:0 cuda:1
TMPDIR=$PWD/absent YOKE_BACKEND=opencl run 1 "no folder for temporary files" info
says "no folder for temporary files can be made in $PWD/absent: No such file or directory; TMPDIR names another place"
run 2 "a time that is none" info --timeout soon
YOKE_BACKEND=metal run 2 "an unknown backend" info
run 2 "an unknown option" info --no-such
run 2 "a mistyped option" info --jsom
says "unknown option '--jsom' (did you mean '--json'?)"
[ "$(cat out err | wc -l)" -eq 1 ]
tap_ok $? "in one line"
run 2 "an option without its value" info --timeout
says "option '--timeout' needs a value"
run 2 "a value that no option takes" info --json=yes
says "option '--json' takes no value"
run 2 "an unknown short option" info -x
says "unknown option '-x'"

# ---- A driver that works, alone and among the others ----

export YOKE_BACKEND=opencl
if [ ! -f $vendors/pocl.icd ]; then
    tap_skip "with PoCL: there is no $vendors/pocl.icd"
    tap_done
fi
use pocl
export POCL_DEVICES="pthread pthread"
run 0 "PoCL with two devices" info
says "programs use opencl:0,"
says "the best device of YOKE_BACKEND=opencl"
says "lacks SPIR-V, program variables"
silent "does not accept SPIR-V"
silent "What was tried"
run 0 "all that is known of them" info --all
says "opencl:0"
says "opencl:1"
says "Portable Computing Language"
says "compiler OpenCL"
says "SPIR-V: the OpenCL driver does not accept SPIR-V"
[ "$(grep -c '^  opencl:[01]$' out)" -eq 2 ] && [ "$(grep -c '^[^ ].* (cpu, ' out)" -eq 2 ]
tap_ok $? "two devices of one platform are not taken for one"
run 0 "one of them" info opencl:1
silent "opencl:0"
says "SPIR-V: the OpenCL driver does not accept SPIR-V"
silent "4294967295"
before=${POCL_CACHE_DIR-}
: >file
export POCL_CACHE_DIR="$PWD/file/cache"
run 3 "PoCL with a cache that cannot be made" info
says "PoCL has no device, since the folder of its cache, $PWD/file/cache, cannot be made (Not a directory): set POCL_CACHE_DIR"
unset POCL_CACHE_DIR
XDG_CACHE_HOME=$PWD/file run 3 "the same without a variable of its own" info
says "since the folder of its cache, $PWD/file/pocl/kcache, cannot be made"
XDG_CACHE_HOME='' HOME=$PWD/file run 3 "the same at home" info
says "since the folder of its cache, $PWD/file/.cache/pocl/kcache, cannot be made"
[ -z "$before" ] || export POCL_CACHE_DIR="$before"
POCL_DEVICES=none run 3 "PoCL with devices that it does not have" info
says "PoCL has no device with POCL_DEVICES=none"
silent "since the folder of its cache"
run 3 "one that is not there" info opencl:7
says "no such device"
export POCL_DEVICES=pthread
YOKE_DEVICE=opencl:7 run 3 "YOKE_DEVICE names one that is not there" info
says "programs use no device: YOKE_DEVICE=opencl:7 cannot be satisfied"
says "programs that use YOKE_DEVICE=opencl:7 get no device"
if has_json; then
    YOKE_DEVICE=gpu0 run 3 "YOKE_DEVICE is no selector" info --json
    fits info
fi
YOKE_DEVICE=opencl:7 run 0 "YOKE_DEVICE does not matter to a device that is named" info opencl:0
YOKE_DEVICE=opencl:0 run 0 "YOKE_DEVICE names one that is" info
says "as YOKE_DEVICE=opencl:0 says"
silent "programs that go by"
if has_json; then
    run 0 "the same as JSON" info --json
    fits info
    sed 's/"selector"/"selektor"/' out >wrong
    "$json_check" "$source/tools/schema/info.json" <wrong >faults
    [ $? -eq 1 ] && grep -q "has no member 'selector'" faults && grep -q "selektor: is not in the schema" faults
    tap_ok $? "the check itself sees what is not in the schema"
fi

# fits_columns N TEXT: no line is longer.
fits_columns() {
    awk -v most="$1" 'length > most { print length ": " $0 }' out >long
    tap_empty "$2" long
}
COLUMNS=60 run 0 "in a narrow window" info --all
fits_columns 60 "no line is longer than 60 columns"
run 0 "in a window of unknown width" info --all
fits_columns 80 "no line is longer than 80 columns"
COLUMNS=x run 0 "COLUMNS is no number" info
if command -v script >/dev/null; then
    script -qec "stty cols 64; '$yoke' info --all" /dev/null </dev/null | tr -d '\r' >out 2>&1
    awk 'length > 56 { found = 1 } END { exit !found }' out
    tap_ok $? "a terminal's own width is used"
    fits_columns 64 "and kept to"
else
    tap_skip "a terminal: there is no script(1)"
fi

# ---- The libraries that operations use ----

# with_libraries FOLDER CODE TEXT ARGUMENT...: the loader looks there first.
with_libraries() {
    before=${LD_LIBRARY_PATH-}
    export LD_LIBRARY_PATH="$1${before:+:$before}"
    shift
    run "$@"
    export LD_LIBRARY_PATH="$before"
}

stand_ins=$top_build/tests/cuda-double/vendor/.libs
mkdir text other
yes text | head -n 100 >text/libclblast.so.1
cp "$bad" other/libclblast.so.1
with_libraries "$PWD/text" 0 "CLBlast is not a library" info
says "CLBlast not used: "
says "invalid ELF header"
with_libraries "$PWD/other" 0 "CLBlast is another library" info
says "CLBlast not used: libclblast.so.1 is not a CLBlast that Yoke can use: it lacks CLBlastSgemm"
if [ -f "$stand_ins/libclblast.so.1" ]; then
    with_libraries "$stand_ins" 0 "CLBlast is there" info
    says "CLBlast 1.0.0, $stand_ins/libclblast.so.1.0.0"
    silent "cuBLAS"
else
    tap_skip "CLBlast is there: its stand-in is not built"
fi
unset CONDA_PREFIX CUDA_HOME CUDA_PATH
if [ -f "$stand_ins/libcublas.so.13" ]; then
    with_libraries "$stand_ins" 0 "cuBLAS and cuFFT are there" info --all
    says "cuBLAS 13.1.2, $stand_ins/libcublas.so.13.0.0"
    says "cuFFT 12.1.2, $stand_ins/libcufft.so.12.0.0"
else
    tap_skip "cuBLAS and cuFFT are there: their stand-ins are not built"
fi
"$yoke" info --all >out 2>err
if [ ! -f "$stand_ins/libcublas.so.13" ] || ! grep -q "cuBLAS *not used" out || ! grep -q "cuFFT *not used" out; then
    tap_skip "cuBLAS and cuFFT are not there: they are, or their stand-ins are not"
else
    says "cuBLAS not used: cuBLAS is not there: searched for libcublas.so.13 and older ones in the process"
    says "cuFFT not used: cuFFT is not there: searched for libcufft.so.12"
    YOKE_VENDOR_DOUBLE=version=9
    export YOKE_VENDOR_DOUBLE
    with_libraries "$stand_ins" 0 "cuBLAS and cuFFT are too old" info --all
    says "cuBLAS not used: libcublas.so.13: it is cuBLAS 9.1.2; Yoke can use versions 11 to 13"
    says "cuFFT not used: libcufft.so.12: it is cuFFT 9.1.2; Yoke can use versions 10 to 12"
    unset YOKE_VENDOR_DOUBLE
fi

use pocl nothing
run 0 "beside a library that is no driver" info --all
says "OpenCL 1 device; 1 of 2 installed drivers has none"
says "icds/pocl.icd: 1 device"
use pocl hang
for seconds in 3 12 48; do # in which PoCL has to answer, on a busy machine too
    "$yoke" info --timeout "$seconds" >out 2>err </dev/null
    got=$?
    grep -q 'icds/pocl.icd: did not answer' out err || break
done
tap_ok $got "beside a driver that hangs: exit code 0 ($got)"
says "icds/hang.icd: did not answer in $seconds s"
says "only with OCL_ICD_VENDORS=$tap_folder/icds/pocl.icd"
silent "pocl.icd breaks"
use pocl crash
run 0 "beside a driver that crashes" info
says "icds/crash.icd: crashed with signal 11"
YOKE_DEVICE=opencl:0 run 3 "beside a driver that crashes, which keeps programs from the device that YOKE_DEVICE names" info
says "only with OCL_ICD_VENDORS=$tap_folder/icds/pocl.icd"
if has_json; then
    run 0 "the same as JSON" info --json
    fits info
fi
use pocl
with_cuda hang 0 "PoCL beside a libcuda.so.1 that hangs, which is not asked" info --timeout 30
if [ -z "$khronos" ]; then
    export OCL_ICD_VENDORS="$vendors/pocl.icd"
    run 0 "OCL_ICD_VENDORS names a file" info --all
    says "$vendors/pocl.icd: 1 device"
else
    tap_skip "OCL_ICD_VENDORS names a file: this loader takes folders"
fi
ls "$TMPDIR" >left
tap_empty "no temporary folder stays behind" left
tap_done
