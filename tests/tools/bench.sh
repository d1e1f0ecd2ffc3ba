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
run 3 "a device that is not there" bench --html none.html opencl:7
[ ! -e none.html ]
tap_ok $? "leaves no empty page"
mkfifo page.pipe
cat page.pipe >page.read &
run 3 "the same with a pipe for the page" bench --html page.pipe opencl:7
[ -p page.pipe ]
tap_ok $? "leaves the pipe alone"
run 2 "a selector that is none" bench what?

[ -f $vendors/pocl.icd ] || { tap_skip "with PoCL: there is no $vendors/pocl.icd" && tap_done; }
use pocl
export POCL_DEVICES="pthread pthread"

run 0 "a device" bench --seconds 1 --html page.html opencl:0
for words in "opencl:0" "Launch and wait" "launch, the call alone" "Host functions" "Graphs" "Allocation" "Copies, GB/s" \
    "to the device, pinned" "from the device, pageable" "within the device" "driver"; do
    says "$words"
done
if command -v xmllint >/dev/null; then
    xmllint --html --noout page.html 2>&1 | grep -vE 'Tag (svg|section|main|path|line|text|circle|title) invalid' |
        grep -E 'error' >html
    tap_empty "the page is HTML" html
    awk '/<svg/ { on = 1 } on { print } /<\/svg>/ { exit }' page.html >plot.svg
    tap_try "a drawing by itself is XML" xmllint --noout plot.svg
else
    tap_skip "the page: there is no xmllint"
fi
[ "$(grep -c '<svg' page.html)" -ge 15 ]
tap_ok $? "it has a plot of bandwidth, and one for each latency"
! grep -qE '<script|https?://|(href|src)=' page.html
tap_ok $? "it needs no script and no network"
! grep -qiE '[^a-z](nan|inf)[^a-z]' page.html
tap_ok $? "all of its numbers are numbers"
run 1 "a page that cannot be written" bench --seconds 1 --no-raw --html /nowhere/page.html opencl:0
says "/nowhere/page.html: No such file or directory"
silent "ratio 0"

if has_json; then
    run 0 "two devices as JSON" bench --seconds 1 --json opencl:0 opencl:1
    fits bench
    [ "$(grep -c '"selector"' out)" -eq 2 ] && [ "$(grep -c '"name": "write_pinned"' out)" -ge 2 ]
    tap_ok $? "has both devices, with their copies"
fi
tap_done
