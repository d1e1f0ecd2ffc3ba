#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A build for 64-bit Windows with mingw-w64, tested under Wine, whose OpenCL.dll hands everything to this machine's OpenCL drivers:
# unit tests, and programs of the conformance suite on PoCL. A line of TAP for each program.
#     sh tests/release/windows.sh FOLDER JOBS
set -u

folder=$1 jobs=$2
source=$PWD
compiler=x86_64-w64-mingw32-gcc-posix
wine=/usr/lib/wine/wine64
vendor=/etc/OpenCL/vendors/pocl.icd

for needed in "$(command -v $compiler):mingw-w64 (package gcc-mingw-w64-x86-64)" "$wine:Wine (package wine64)" \
    "$vendor:PoCL (package pocl-opencl-icd)" "/usr/include/CL/cl.h:OpenCL's headers (package opencl-headers)"; do
    if [ ! -e "${needed%%:*}" ]; then
        echo "1..0 # SKIP no ${needed#*:}"
        exit 0
    fi
done

mkdir -p "$folder/bin" "$folder/headers"
cd "$folder" || exit 1
here=$PWD
ln -sfn "$source" source # configure takes no folder with a blank
ln -sfn /usr/include/CL headers/CL
# Packages of this machine cannot be used there.
[ -f Makefile ] || source/configure --host=x86_64-w64-mingw32 --disable-static --without-gpuarray --with-cuda-headers=no CXX=no \
    CC=$compiler CFLAGS=-O2 CPPFLAGS=-Iheaders PKG_CONFIG_LIBDIR=/nowhere --enable-werror >configure.log || exit 1
make -j "$jobs" libyoke.la libyoke-ops.la >make.log || exit 1

# Not here: what starts programs or forks, maps memory, opens libraries by dlopen, or makes folders.
unit='codes cxx_name error half hash name object program_file retire selector signature sizes text waiter'
suite='arguments arguments_language buffer copy deadlock depth error event event_callback event_wait graph_misuse hostcall_failure
    hostcall_inside hostcall_order hostcall_streams image_copy image_misuse kernel kernels launch_host_arrays pool rect_misuse
    source_compile'

cp .libs/*.dll /usr/x86_64-w64-mingw32/lib/libwinpthread-1.dll "$($compiler -print-file-name=libgcc_s_seh-1.dll)" bin
export WINEPREFIX="$here/wine" WINEDEBUG=-all OCL_ICD_VENDORS=$vendor YOKE_TEST_DEVICES=opencl:0 YOKE_TEST_REQUIRE=opencl \
    POCL_CACHE_DIR="$here/pocl"

# compile PROGRAM SOURCE...: objects and libraries follow the sources.
compile() {
    program=$1
    shift
    $compiler -std=gnu11 -O1 -D_GNU_SOURCE -include source/tests/windows/posix.h -Isource/tests/windows -Iheaders -Isource/include \
        -Isource/src -Isource/ops -Isource -I. -o "bin/$program.exe" "$@" -lws2_32 -lpthread >"bin/$program.log" 2>&1
}

count=0 failed=0
# try NAME SOURCE...: compile and run a program; what it says is its own TAP.
try() {
    count=$((count + 1)) name=$1
    program=$(echo "$name" | tr / -)
    shift
    if compile "$program" "$@" && timeout 100 "$wine" "bin/$program.exe" >"bin/$program.out" 2>&1 </dev/null &&
        grep -q '^1\.\.[1-9]' "bin/$program.out" && ! grep -q '^not ok' "bin/$program.out"; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        failed=$((failed + 1))
        grep -hE -A 3 '^not ok|Bail out|error:|undefined' "bin/$program.log" "bin/$program.out" | sed 's/^/# /' | head -n 20
    fi
}

tap='source/tests/tap/tap.c source/tests/windows/limit.c'
# shellcheck disable=SC2086
{
    for name in $unit; do
        try "unit/$name" source/tests/unit/$name.c $tap .libs/libyoke-all.a
    done
    for name in $suite; do
        try "conformance/$name" source/tests/conformance/$name.c source/tests/conformance/suite.c \
            source/tests/conformance/suite_log.c source/tests/conformance/area.c $tap -L.libs -lyoke
    done
}
# The working folder has a library that is no driver, and must not be loaded for one.
mkdir -p planted
echo 'int cuInit(unsigned flags) { return (int)flags; }' | $compiler -shared -x c -o planted/nvcuda.dll - || exit 1
cd planted || exit 1
ln -sfn ../source ../headers ../bin ../.libs .
# shellcheck disable=SC2086
try windows/system source/tests/windows/system.c $tap -L.libs -lyoke
echo "1..$count"
[ $failed = 0 ]
