#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A kernel that writes beyond its buffer, which on a CPU ends the process without a word: each command that the guide advises then
# finds it, where its tool is installed.

. "$top_srcdir/tests/tap/tap.sh"
trouble=$PWD/tests/tools/trouble
. "$top_srcdir/tests/tools/run.sh"

[ -f "$vendors/pocl.icd" ] || tap_skip_all "PoCL is not installed (package pocl-opencl-icd)"
use pocl
export POCL_DEVICES=pthread

# advised WORDS PAGE...: the pages advise this command.
advised() {
    words=$1
    shift
    for page in "$@"; do
        tap_try "$page advises: $words" grep -qF -- "$words" "$source/doc/$page"
    done
}

# A shell between them says the signal's name, and not on this test's output.
sh -c '"$@"; exit $?' - "$trouble" wild >out 2>err </dev/null
[ $? -eq 139 ]
tap_ok $? "on PoCL the program is ended by a segmentation fault"

advised "YOKE_BLOCKING=1 yoke trace ./program" troubleshooting.md
YOKE_BLOCKING=1 run 139 "yoke trace, of the same program" trace "$trouble" wild
says "ended by signal 11"
says "Given to a device last: launch of wild in stream 1 of opencl:0, enqueued at "
says "trouble.c:"
says "YOKE_BLOCKING=1"

advised "oclgrind ./program" troubleshooting.md from-python.md porting-kernels.md
if command -v oclgrind >/dev/null; then
    oclgrind "$trouble" wild >out 2>err </dev/null
    says "Invalid write of size 1 at global memory address"
    says "Kernel: wild"
    says "of wild:"
    oclgrind "$yoke" info >out 2>err </dev/null
    says "programs use opencl:0, Oclgrind Simulator"
else
    tap_skip "Oclgrind is not installed (package oclgrind)"
fi

advised "YOKE_BLOCKING=1 gdb -ex run -ex 'thread apply all bt' ./program" troubleshooting.md
if command -v gdb >/dev/null; then
    program=$trouble
    [ ! -f "$(dirname "$trouble")/.libs/trouble" ] || program=$(dirname "$trouble")/.libs/trouble
    DEBUGINFOD_URLS='' YOKE_BLOCKING=1 LD_LIBRARY_PATH="$(dirname "$yoke")/../.libs${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}" \
        gdb -batch -nx -ex "set confirm off" -ex run -ex 'thread apply all bt' --args "$program" wild >out 2>err </dev/null
    says "SIGSEGV"
    case $(gdb -batch -nx -ex "info line main" "$program" 2>/dev/null) in
        *trouble.c*) says "trouble.c:" ;;
        *) says "in main ()" ;; # compiled without -g
    esac
else
    tap_skip "gdb is not installed (package gdb)"
fi

tap_done
