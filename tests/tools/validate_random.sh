#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# No false report: random programs of the models of tests/random, under all checks of `yoke validate`, on PoCL.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
tests=$PWD/tests
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"

if [ ! -f "$vendors/pocl.icd" ]; then
    tap_skip "random programs: there is no $vendors/pocl.icd"
    tap_done
    exit
fi
use pocl
export YOKE_BACKEND=opencl
run 0 "stress" validate "$tests/stress/stress" --seed 901 --rounds 300 --seconds 60
says "nothing was found"
run 0 "random graphs" validate "$tests/conformance/graph_random"
says "nothing was found"
tap_done
