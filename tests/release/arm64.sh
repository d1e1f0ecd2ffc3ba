#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A build for aarch64 with Debian's cross compiler, tested under qemu-user: unit tests, models, and a few programs of the
# conformance suite on the CUDA double, whose kernels the cross compiler compiles.
#     sh tests/release/arm64.sh FOLDER JOBS
set -eu

folder=$1 jobs=$2
source=$PWD
mkdir -p "$folder"
cd "$folder"
ln -sfn "$source" source # configure takes no folder with a blank
# Packages of this machine cannot be used there.
[ -f Makefile ] || source/configure --host=aarch64-linux-gnu --disable-static --without-gpuarray CXX=aarch64-linux-gnu-g++ \
    CFLAGS=-O2 PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig --enable-werror

# Not those that load drivers into children beside threads, which the emulator does not survive, nor the one that asks the
# kernel what its pages allow: the emulator answers for other pages.
unit=$(sed -n '/^own_unit_programs/,/[^\\]$/s/^\t\(tests\/unit[^ ]*\).*/\1/p' "$source/tests/local.mk" |
    grep -vE '/(bad_drivers|listing|pinned)$')
suite='tests/conformance/buffer tests/conformance/copy tests/conformance/event tests/conformance/hostcall_order
    tests/conformance/kernels tests/conformance/stream'
double='tests/cuda-double/libcuda.la tests/cuda-double/libnvrtc.la'
# shellcheck disable=SC2086
make -j "$jobs" libyoke.la $unit tests/model/gate tests/model/rule $suite $double

tests=''
for program in $unit tests/model/gate tests/model/rule; do
    tests="$tests $program.tap"
done
for program in $suite; do
    tests="$tests $program.cuda.tap"
done
YOKE_TEST_REQUIRE=cuda YOKE_TEST_SECONDS=300 LD_LIBRARY_PATH="$PWD/tests/cuda-double/.libs" \
    YOKE_TEST_EMULATOR="qemu-aarch64 -L /usr/aarch64-linux-gnu" make -j "$jobs" check-TESTS check_DATA= check_LTLIBRARIES= \
    TESTS="$tests"
