#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# yoke tune with tiny times on PoCL and on the CUDA double: what is measured is kept, and known to the programs that follow, unless
# the file is damaged or another device's, or YOKE_CACHE forbids it. That products take it is tests/ops/linear/matmul_tune.c's.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
double=$PWD/tests/cuda-double/.libs
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"

run 2 "a time that is none" tune --seconds 0
run 2 "an unknown option" tune --no-such
run 2 "all devices, and one" tune --all cpu
run 3 "no device at all" tune
run 3 "no device at all, and all are wanted" tune --all
run 2 "a selector that is none" tune what?

# The file of the device's tiles; the folder has notes on the drivers, too.
tiles() {
    grep -lF YkTiles1 "$YOKE_CACHE_DIR"/*.note
}

# tuned TEXT and untuned TEXT: what yoke info says of the device.
tuned() {
    run 0 "$1" info --all
    says "tuned matrix products, "
}

untuned() {
    run 0 "$1" info --all
    says "tuned no: 'yoke tune' measures"
}

# change_file COMMAND...: the file of the tiles becomes what the command makes of it.
change_file() {
    file=$(tiles)
    cp "$file" kept
    "$@" <kept >"$file"
}

flip_middle() {
    size=$(wc -c <kept)
    head -c $((size / 2)) kept
    head -c $((size / 2 + 1)) kept | tail -c 1 | tr '\000-\377' '\001-\377\000'
    tail -c +$((size / 2 + 2)) kept
}

lifecycle() {
    export YOKE_CACHE_DIR="$tap_folder/cache-$1" YOKE_CACHE=on
    untuned "$1: before"
    run 0 "$1: tuning" tune --seconds 1
    for words in "GFLOP/s gain" "128 x 128 x 128" "float" "* is the default"; do
        says "$words"
    done
    tuned "$1: afterwards"
    change_file flip_middle
    untuned "$1: a byte of the file is changed"
    YOKE_LOG=info "$yoke" tune --seconds 1 >out 2>err </dev/null
    says "is damaged, and ignored"
    tuned "$1: tuned once more"
    change_file head -c 100
    untuned "$1: the file is cut"
    cp kept "$(tiles)"
    tuned "$1: the file is whole again"
    chmod go+w "$YOKE_CACHE_DIR"
    untuned "$1: others may write to the folder"
    chmod go-w "$YOKE_CACHE_DIR"
    export YOKE_CACHE=read
    tuned "$1: YOKE_CACHE=read"
    export YOKE_CACHE=off
    untuned "$1: YOKE_CACHE=off"
    for YOKE_CACHE in off read; do
        run 1 "$1: tuning with YOKE_CACHE=$YOKE_CACHE" tune --seconds 1
        says "nothing is measured, since no result could be kept: the cache"
        silent "GFLOP/s"
    done
    unset YOKE_CACHE
}

if [ -f $vendors/pocl.icd ]; then
    use pocl
    lifecycle PoCL
    POCL_MAX_PTHREAD_COUNT=1 untuned "a device with other compute units"
    tuned "the device itself"
    : >file
    YOKE_CACHE_DIR="$PWD/file" run 1 "a cache that is no folder" tune --seconds 1
    says "nothing is measured"
    says "$PWD/file"
    says "set YOKE_CACHE_DIR to a folder that can be written"
    if has_json; then
        run 0 "as JSON" tune --json --seconds 1
        fits tune
        run 0 "yoke info as JSON" info --json
        fits info
        ! grep -q '"tuned_sizes": 0' out
        tap_ok $? "which counts the sizes"
        POCL_DEVICES="pthread pthread" run 0 "all devices" tune --all --seconds 1 --json
        [ "$(grep -c '"selector"' out)" -eq 2 ]
        tap_ok $? "has both devices"
    fi

    # The commands of "An unknown GPU in ten minutes", in its order, each in a second.
    export YOKE_CACHE_DIR="$tap_folder/cache-guide"
    sed -n '/^## An unknown GPU/,/^## When/p' "$source/doc/performance.md" | sed -n '/^```sh/,/^```$/s/^yoke //p' |
        sed 's/ *#.*//; s/--seconds [0-9]*/--seconds 1/; s/^check.*/& --filter error/' >commands
    [ "$(wc -l <commands)" -eq 5 ]
    tap_ok $? "the guide has five commands for an unknown GPU"
    while read -r words; do
        # shellcheck disable=SC2086
        run 0 "the guide: yoke $words" $words
    done <commands
    says "tuned matrix products, "
    [ "$(tail -n 1 report.txt)" = "end: report" ]
    tap_ok $? "the guide: there is a report"
else
    tap_skip "with PoCL: there is no $vendors/pocl.icd"
fi

use
if [ -f "$double/libcuda.so.1" ]; then
    before=${LD_LIBRARY_PATH-}
    export LD_LIBRARY_PATH="$double${before:+:$before}" YOKE_BACKEND=cuda
    lifecycle CUDA
else
    tap_skip "on the CUDA double, which is not built"
fi
tap_done
