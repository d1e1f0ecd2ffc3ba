#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build-aux/add-report on reports that are good, malformed and hostile: the table of a page gets a row for a device and its driver,
# and nothing of a report becomes markup.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

command -v python3 >/dev/null || tap_skip_all "there is no python3"
source=$(cd "$top_srcdir" && pwd)
add=$source/build-aux/add-report
cd "$tap_folder" || exit 1
printf '%s\n' before "" "<!-- reports: here -->" "" "| device | driver | Yoke | passed | failed | skipped | date | report |" \
    "|---|---|---|---|---|---|---|---|" "" after >empty

# report [NAME [DRIVER [DATE]]]: a good one, on stdout.
report() {
    cat <<END
report_format: 1
yoke: 0.1.0
date: ${3-2026-11-30}
device.1.selector: opencl:0
device.1.name: ${1-Radeon}
device.1.platform: ROCm
device.1.driver: ${2-6.2}
suite: complete
result.1.device: opencl:0
result.1.passed: 300
result.1.failed: 1
result.1.skipped: 20
result.1.broken: 2
result.2.device: once
result.2.passed: 5
result.2.failed: 4
result.2.skipped: 0
result.2.broken: 0
failure.1.says: one
failure.1.says: two
end: report
END
}

# refused TEXT WHY: of the file `bad`, in words; and the page is as it was.
refused() {
    python3 -IS "$add" bad --page page >said 2>&1
    [ $? -eq 1 ] && grep -qF -- "$2" said && cmp -s page before && ! grep -q Traceback said
    refused_status=$?
    tap_ok $refused_status "refused: $1"
    [ $refused_status -eq 0 ] || tap_tell said
}

# ---- Good ones ----

cp empty page
report >good
tap_try "a report is added" python3 -IS "$add" good --page page --link https://example.org/issues/7
grep -qxF '| Radeon | ROCm 6.2 | 0.1.0 | 300 | 7 | 20 | 2026-11-30 | [report](https://example.org/issues/7) |' page
tap_ok $? "its row has the device, the driver, all failures, the date and the link"
[ "$(sed '/^| Radeon/d' page)" = "$(cat empty)" ]
tap_ok $? "the rest of the page is as it was"
report Radeon 6.2 2026-12-01 | sed 's/passed: 300/passed: 301/' >good
tap_try "a newer report of the same device and driver" python3 -IS "$add" good --page page
[ "$(grep -c '^| Radeon' page)" -eq 1 ] && grep -q '| 301 | 7 | 20 | 2026-12-01 | – |$' page
tap_ok $? "takes the place of its row"
for n in 1 2 3; do
    printf '%s\n' "device.$n.selector: opencl:$n" "device.$n.name: Twin" "device.$n.platform: ROCm" "device.$n.driver: 6.2" \
        "result.$n.device: opencl:$n" "result.$n.passed: 30$n" "result.$n.failed: $((n == 2 ? 8 : 0))" "result.$n.skipped: 0" \
        "result.$n.broken: 0"
done >devices
{ report | sed -n '1,3p;/^suite/p' && cat devices && echo "end: report"; } >twins
cp page three
tap_try "a report of three devices alike" python3 -IS "$add" twins --page three
[ "$(grep -c '^| Twin' three)" -eq 1 ] && grep -q '^| Twin | ROCm 6.2 | 0.1.0 | 302 | 8 | 0 |' three
tap_ok $? "has one row, of the one that failed"
printf '%s' "<!-- reports: here -->" >short
! python3 -IS "$add" twins --page short >said 2>&1 && grep -q "has no table of reports" said
tap_ok $? "a page that ends behind the mark is refused"
report Arc >good
sed 's/$/\r/' good >crlf
tap_try "one of another device, with lines as Windows ends them" python3 -IS "$add" crlf --page page
[ "$(grep -n '^| Arc' page | cut -d: -f1)" -lt "$(grep -n '^| Radeon' page | cut -d: -f1)" ]
tap_ok $? "stands in its place of the alphabet"
cp page before
tap_try "--check" python3 -IS "$add" good --page page --check
tap_try "writes nothing" cmp page before
cp "$source/doc/where-it-runs.md" own
tap_try "the page of the source has such a table" python3 -IS "$add" good --page own
! python3 -IS "$add" good --page page --link 'https://example.org/) <b>' >said 2>&1
tap_ok $? "a link that is no plain address is refused"

# ---- Malformed ones ----

report Radeon 6.2 2026-11-01 >bad
refused "an older report" "the table has a newer report of Radeon"
: >bad
refused "an empty file" "line 1 is no 'KEY: VALUE'"
report | sed '$d' >bad
refused "one that was cut" "it was cut, or the run did not end"
report | sed 1d >bad
refused "one without its first line" "first line"
report | sed '1s/1/2/' >bad
refused "one of another format" "this script knows 1"
report | sed 's/^suite: .*/suite: interrupted, 3 of 4 runs were not started/' >bad
refused "one that was interrupted" "the suite did not end"
report | sed '/^device.1.name/d' >bad
refused "one without a name" "there is no device.1.name"
report | sed 's/^result.1.device: .*/result.1.device: opencl:1/' >bad
refused "results of a device that is not listed" "not at all"
report | sed 's/^result.1.passed: .*/result.1.passed: 0x10/' >bad
refused "a count that is none" "is no count"
report | sed 's/^\(result.1.[a-z]*\): [0-9]*$/\1: 0/' >bad
refused "one in which nothing ran" "no case ran"
report | sed 's/^date: .*/date: 2026-13-01/' >bad
refused "a day that is none" "date is no day"
report | sed 's/^date: .*/date: 9999-01-01/' >bad
refused "a day that is to come" "date is no day"
report | sed '3p' >bad
refused "a key that comes twice" "comes twice"
mkdir folder && rmdir bad 2>/dev/null
rm -f bad && mkfifo bad
refused "a pipe" "no regular file"
rm bad

# ---- Hostile ones ----

head -c 2000000 /dev/zero | tr '\0' a >bad
refused "a large one" "more than 1048576 bytes"
{ report | sed '$d' && yes "x.says: y" | head -n 20000 && echo "end: report"; } >bad
refused "one of many lines" "more than 10000 lines"
{ report | sed '$d' && printf 'x: ' && head -c 9000 /dev/zero | tr '\0' a && printf '\nend: report\n'; } >bad
refused "a long line" "more than 5000 characters"
{ report | sed '$d' && for i in $(seq 1 99); do echo "result.$((i + 2)).device: opencl:0"; done && echo "end: report"; } >bad
refused "a device again and again" "listed twice"
report "$(printf 'Rade\033[31mon')" >bad
refused "control characters" "not printable"
report "$(printf 'Rade\377on')" >bad
refused "bytes that are no UTF-8" "no UTF-8"
report "$(printf 'Rade\342\200\256on')" >bad
refused "letters that turn the text round" "not printable"
{ echo "<script>alert(1)</script>" && report; } >bad
refused "a line of markup" "no 'KEY: VALUE'"
report | sed 's/^yoke: .*/yoke: 0.1.0 | x/' >bad
refused "a version that is none" "yoke is no version"

cp empty page
report 'A|B](javascript:x) <b>&amp; **x** `y` @all #1 https://e.org WWW.e.org ~~z~~ ![i](u) \\ x' '_1_ <!-- | -->' >good
tap_try "a name full of markup is taken" python3 -IS "$add" good --page page
grep '^| A' page >row
[ "$(tr -cd '|' <row | wc -c)" -eq 9 ]
tap_ok $? "in one row with eight cells"
! grep -qE '[]<>`*~@#&![]|://|[Ww][Ww][Ww]\.|[^\]_' row
tap_ok $? "without a mark that means anything in a page"
tap_tell row
[ "$(sed '/^| A/d' page)" = "$(cat empty)" ]
tap_ok $? "and the rest of the page is as it was"
tap_done
