#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Counts the results that Automake's test driver left in the .trs files of the given folders, and prints one line. Fails if a test
# failed or there is no result at all.

find "$@" -name '*.trs' -exec cat {} + | awk '
    $1 == ":test-result:" && ($2 == "PASS" || $2 == "XFAIL") { passed++ }
    $1 == ":test-result:" && ($2 == "FAIL" || $2 == "XPASS" || $2 == "ERROR") { failed++ }
    $1 == ":test-result:" && $2 == "SKIP" { skipped++ }
    END {
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0 || passed + skipped == 0
    }'
