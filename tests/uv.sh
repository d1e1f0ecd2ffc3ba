#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# examples/uv on each backend: every batch is checked, and the loop continues while a batch is running.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

uv=$PWD/examples/uv
[ -x "$uv" ] || tap_skip_all "examples/uv is not built: configure found no libuv"
cd "$tap_folder" || exit 1

# exits CODE TEXT
exits() {
    [ "$code" -eq "$1" ]
    tap_ok $? "$2 (exit code $code)"
    [ "$code" -eq "$1" ] || { tap_tell out; tap_tell err; }
}

# says PATTERN TEXT: a line that it printed matches.
says() {
    grep -qE -- "$1" out err
    tap_ok $? "$2"
}

# on BACKEND
on() {
    YOKE_BACKEND=$1 "$uv" >out 2>err </dev/null
    code=$?
    case $code:,${YOKE_TEST_REQUIRE-}, in
    3:*,"$1",*) ;;
    3:*)
        tap_skip "$1: $(cat err)"
        return
        ;;
    esac
    exits 0 "$1: all batches"
    says "^device +$1:[0-9]" "$1: on a device of this backend"
    [ "$(grep -cE '^batch [1-4] ' out)" -eq 4 ]
    tap_ok $? "$1: 4 batches"
    # A loop that waits ticks once or twice a batch.
    says "^timer +([2-9][0-9]|[1-9][0-9][0-9]+) ticks" "$1: the loop's timer ticked all the time"
    says "^checked .* all equal" "$1: every value is right"
    [ ! -s err ]
    tap_ok $? "$1: no complaint"
    tap_tell out
}

for backend in cuda opencl; do
    case ${YOKE_BACKEND:-$backend} in
    "$backend") on $backend ;;
    *) tap_skip "$backend: YOKE_BACKEND=$YOKE_BACKEND leaves this backend out" ;;
    esac
done

YOKE_BACKEND='' YOKE_DEVICE=opencl:999 "$uv" >out 2>err </dev/null
code=$?
exits 3 "a device that is not there"
says "^uv: " "says so"
tap_done
