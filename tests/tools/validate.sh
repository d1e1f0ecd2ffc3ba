#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# yoke validate: its exit code, what it says, and the JSON that it writes.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
validated=$PWD/tests/tools/validated
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"

run 2 "no command" validate
run 127 "a command that is not there" validate ./absent
says "cannot start"
run 1 "a program that opens no device" validate true
says "nothing was checked"
run 7 "the program's own exit code" validate sh -c 'exit 7'
run 1 "a file that cannot be made" validate --json absent/reports.json true
says "No such file or directory"
run 2 "no checks" validate --checks "" true
says "no check is named"
echo mine >there.json
run 1 "a file that is there" validate --json there.json true
says "is left as it is"

if [ ! -f "$vendors/pocl.icd" ]; then
    tap_skip "what runs on PoCL: there is no $vendors/pocl.icd"
else
    use pocl
    run 0 "a program without a mistake" validate "$validated" right
    says "nothing was found"
    run 1 "a race" validate --json race.json "$validated" race
    says "YOKE_VALIDATE found (races)"
    says "yoke_stream_wait_event"
    if [ -x "$json_check" ]; then
        "$json_check" "$source/tools/schema/validate.json" <race.json >faults
        tap_empty "the report is as its schema says" faults
    else
        tap_skip "the schema: configure found no libjansson"
    fi
    run 0 "a race that is not looked for" validate --checks host,leaks,uninit "$validated" race
    run 1 "a buffer that is not released" validate "$validated" buffer
    says "a buffer of 64 bytes of opencl:0 was never released"
    run 1 "a stream that is not released" validate "$validated" stream
    says "stream 1 of opencl:0 was never released"
    run 1 "a program that closes the file" validate "$validated" closed
    says "1 report, above"
    tap_empty "whose own file stays its own" own
    # shellcheck disable=SC2016
    run 1 "reports that have no room" validate sh -c '(ulimit -f 1; exec "$1" race) 2>&1 | cat >&2' sh "$validated"
    says "a report could not be written: File too large"
    says "does not hold all reports"
    run 9 "a check that does not exist" validate --checks races,bounds "$validated" right
    says "'bounds' is no check; the checks are races, host, leaks and uninit"
fi
tap_done
