#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/fuzz/fuzz.sh FOLDER CLANG SECONDS
#
# Build the library and the fuzz targets in FOLDER with libFuzzer, and run them for so many seconds in all. What breaks one is left
# in FOLDER as TARGET-crash-...; new inputs that reach new code are in FOLDER/corpus.

set -e
folder=$1 compiler=$2 seconds=$3
source=$(cd "$(dirname "$0")/../.." && pwd)
sanitizers=address,undefined
targets='image selector source'
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

mkdir -p "$folder"
cd "$folder"
[ -f Makefile ] ||
    "$source/configure" --disable-shared --enable-sanitizer=fuzzer-no-link,$sanitizers CC="$compiler" CFLAGS='-O1 -g'
make -j "$(getconf _NPROCESSORS_ONLN)" libyoke-all.la
# shellcheck disable=SC2086
for target in $targets; do
    "$compiler" -std=c11 -O1 -g -fsanitize=fuzzer,$sanitizers -fno-sanitize-recover=all -D_GNU_SOURCE -I"$source/include" \
        -I"$source/src" "$source/tests/fuzz/$target.c" .libs/libyoke-all.a -o "fuzz-$target" -pthread -ldl -lm
done
for target in $targets; do
    mkdir -p "corpus/$target"
    "./fuzz-$target" -max_total_time=$((seconds / $(echo "$targets" | wc -w))) -max_len=4096 -timeout=10 -verbosity=0 \
        -print_final_stats=1 -artifact_prefix="$target-" "corpus/$target" "$source/tests/fuzz/corpus/$target"
done
