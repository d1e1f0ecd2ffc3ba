#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/fuzz/fuzz.sh FOLDER CLANG SECONDS [TARGET...]
#
# Build the library and the fuzz targets in FOLDER with libFuzzer, and run each target for SECONDS, two at a time. An input that
# breaks a target is left in FOLDER as TARGET-crash-...; inputs that reach new code are in FOLDER/corpus. `calls` needs a device,
# which YOKE_BACKEND and YOKE_DEVICE name. For 0 seconds only the library is built.

set -e
folder=$1 compiler=$2 seconds=$3
shift 3
source=$(cd "$(dirname "$0")/../.." && pwd)
sanitizers=address,undefined
targets=${*:-calls environment expression program_file record selector source}
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

mkdir -p "$folder"
cd "$folder"
ln -sfn "$source" source # configure takes no folder with a blank
[ -f Makefile ] ||
    source/configure --disable-shared --enable-sanitizer=fuzzer-no-link,$sanitizers CC="$compiler" CFLAGS='-O1 -g'
make -j "$(getconf _NPROCESSORS_ONLN)" libyoke-all.la libyoke-ops-all.la
[ "$seconds" -gt 0 ] || exit 0
for target in $targets; do
    files=source/tests/fuzz/$target.c
    [ "$target" != calls ] || files="$files $(echo source/tests/random/*.c)"
    [ "$target" != expression ] || files="$files $(echo source/tests/ops/expression/evaluate*.c) .libs/libyoke-ops-all.a"
    jansson=
    if [ "$target" = record ]; then
        files="$files source/tools/run/launch.c source/tools/run/record.c source/tools/ground/tool.c"
        jansson='-DHAVE_JANSSON=1 -ljansson'
    fi
    # shellcheck disable=SC2086
    "$compiler" -std=c11 -O1 -g -fsanitize=fuzzer,$sanitizers -fno-sanitize-recover=all -D_GNU_SOURCE -Isource/include \
        -Isource -Isource/src -Isource/ops $files .libs/libyoke-all.a -o "fuzz-$target" -pthread -ldl -lm $jansson
    mkdir -p "corpus/$target"
done

# Leaks are not looked for in programs of calls, neither after each nor at the end: a driver's compiler leaves some. What those
# programs make is counted instead.
export seconds
status=0
for target in $targets; do
    [ "$target" = calls ] && echo 0 calls || echo 1 "$target"
done | xargs -P 2 -n 2 sh -c 'exec env ASAN_OPTIONS=detect_leaks="$0":intercept_tls_get_addr=0 "./fuzz-$1" -detect_leaks="$0" \
    -max_len=4096 -timeout=30 -max_total_time="$seconds" -verbosity=0 -print_final_stats=1 -artifact_prefix="$1-" \
    "corpus/$1" "source/tests/fuzz/corpus/$1" >"$1.log" 2>&1' || status=$?
for target in $targets; do
    cat "$target.log"
done
for target in $targets; do # last, so that the end of a log says what broke
    grep -E 'does not hold|ERROR:|runtime error:|written to' "$target.log" | sed "s/^/$target: /"
done
exit $status
