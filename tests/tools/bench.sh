#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# yoke bench with tiny times on PoCL: everything is measured, in each output format; the figures themselves are not checked.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"

run 2 "a time that is none" bench --seconds 0
run 2 "an unknown option" bench --no-such
run 3 "no device at all" bench
run 3 "a device that is not there" bench opencl:7
run 2 "a selector that is none" bench what?

[ -f $vendors/pocl.icd ] || { tap_skip "with PoCL: there is no $vendors/pocl.icd" && tap_done; }
use pocl
export POCL_DEVICES="pthread pthread"

run 0 "a device" bench --seconds 1 opencl:0
for words in "opencl:0" "Launch and wait" "launch, the call alone" "Host functions" "Graphs" "Allocation" "Copies, GB/s" \
    "to the device, pinned" "from the device, pageable" "within the device" "driver"; do
    says "$words"
done
says "Yoke $PACKAGE_VERSION on $(uname -n), $(date -u +%Y)-"
says "load average"
! grep -qiE '[^a-z](nan|inf)[^a-z]' out
tap_ok $? "all of its numbers are numbers"
run 0 "without the raw driver" bench --seconds 1 --no-raw opencl:0
silent "ratio 0"

if has_json; then
    run 0 "two devices as JSON" bench --seconds 1 --json opencl:0 opencl:1
    fits bench
    [ "$(grep -c '"selector"' out)" -eq 2 ] && [ "$(grep -c '"name": "write_pinned"' out)" -ge 2 ]
    tap_ok $? "has both devices, with their copies"
fi
tap_done
