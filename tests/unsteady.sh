#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Finds tests that depend on time, load or order: runs all of them four times, many more at a time than there are processors.
#
#     make -C build unsteady                              all tests
#     make -C build unsteady TESTS=tests/unit/tap.tap     some
#     make -C build unsteady TESTS='$(python_tests)'      those of the Python package, which are not among all tests
#
# ROUNDS and AT_ONCE are how often, and how many at a time. Works in the build folder; the logs of what failed are in
# unsteady/ROUND/. Fails if any test has failed.

rounds=${ROUNDS:-4}
at_once=${AT_ONCE:-$((8 * $(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)))}

rm -rf unsteady
mkdir unsteady || exit 1
for round in $(seq "$rounds"); do
    echo "round $round of $rounds, $at_once tests at a time"
    # Without -i, a test that failed to run would end the round.
    "${MAKE:-make}" -k -j "$at_once" check "$@" >"unsteady/$round.log" 2>&1 </dev/null
    mkdir "unsteady/$round"
    find tests -name '*.trs' -exec grep -lE ':test-result: (FAIL|XPASS|ERROR)' {} + | sed 's/\.trs$//' | sort \
        >"unsteady/$round.failed"
    while read -r name; do
        cp "$name.log" "unsteady/$round/$(echo "${name#tests/}" | tr / -).log"
    done <"unsteady/$round.failed"
    if [ "$(find tests -name '*.trs' | wc -l)" -eq 0 ]; then
        echo "no test has run, see $PWD/unsteady/$round.log"
        exit 1
    fi
done
echo ""
cat unsteady/*.failed | sort | uniq -c | awk -v rounds="$rounds" '
    { failed[$1 == rounds] = failed[$1 == rounds] "\n    " $2 (rounds > $1 ? ", " $1 " of " rounds : "") }
    END {
        if (failed[1] != "") print "failed every time:" failed[1]
        if (failed[0] != "") print "unsteady:" failed[0]
        if (NR == 0) print "every test passed every time"
        exit NR > 0
    }'
