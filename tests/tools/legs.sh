#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What ./check does with a test that fails: it runs once more, alone, and is named as unsteady if it passes then. The tests here are
# a makefile that writes what Automake's driver writes.

. "$top_srcdir/tests/tap/tap.sh"

here=$(CDPATH='' cd -- "$top_srcdir" && pwd)
cd "$tap_folder" || exit 1
mkdir -p build/tests tests
cp "$here/tests/summary.sh" tests

# A test is what its name says: it passes, it fails, or it fails unless it has run before.
cat >build/Makefile <<'MAKEFILE'
.RECIPEPREFIX = >
unexport MAKEFLAGS MFLAGS
check:
>@rm -f $(TESTS:.tap=.trs)
>@for test in $(TESTS:.tap=); do \
>    result=PASS; \
>    case $$test in *bad*) result=FAIL ;; *shaky*) [ -f $$test.ran ] || result=FAIL ;; esac; \
>    echo x >$$test.ran; \
>    echo "$$result $(WORDS)" >$$test.log; \
>    echo ":test-result: $$result $$test" >$$test.trs; \
>done
>@! grep -q FAIL $(TESTS:.tap=.trs)
MAKEFILE

# run TESTS: a leg of them, and what comes at the end.
run() {
    rm -rf results
    rm -f build/tests/*
    mkdir results
    (
        . "$here/build-aux/setup.sh"
        . "$here/build-aux/legs.sh"
        results=results tests_at_once=4 of='' icd=''
        leg name "some words" build "$1" WORDS=heard
        totals
    ) >said 2>&1 </dev/null
}

# says LINE
says() {
    grep -qxF -- "$1" said || { cat said && return 1; }
}

run "tests/good.tap"
tap_ok $? "a leg whose test passes, passes"
tap_try "the last line has the totals" test "$(tail -n 1 said)" = "1 passed, 0 failed, 0 skipped"
if [ -r /proc/self/stat ]; then
    tap_try "a leg tells its seconds, and those of all processors" grep -qE ' skipped, [0-9]+ s, [0-9]+ s of CPU$' said
    tap_try "and all legs together" grep -qE '^[0-9]+ s of CPU$' said
fi
tap_try "a leg's variables reach its tests" grep -q '^PASS heard$' results/name/tests/good.log

run "tests/good.tap tests/shaky.tap"
tap_ok $? "a test that fails beside others and passes alone fails nothing"
tap_try "it is named behind the totals" test "$(tail -n 1 said)" = "unsteady: name/tests/shaky"
tap_try "and in its leg" says "    name/tests/shaky failed, and passed when it ran alone"
tap_try "what it said when it failed is kept" grep -q FAIL results/name/tests/shaky.log.first
tap_try "and counts once" says "2 passed, 0 failed, 0 skipped"

run "tests/good.tap tests/shaky.tap tests/bad.tap"
[ $? -eq 1 ]
tap_ok $? "a test that fails again has failed"
tap_try "and is counted" says "2 passed, 1 failed, 0 skipped"
tap_try "beside what is unsteady" test "$(tail -n 1 said)" = "unsteady: name/tests/shaky"

many=$(seq 11 | sed 's|.*|tests/shaky&.tap|' | tr '\n' ' ')
run "$many"
[ $? -eq 1 ]
tap_ok $? "where many tests have failed, none is unsteady"
tap_try "and all are counted" says "0 passed, 11 failed, 0 skipped"

(cd build && rm -rf tests/* && ROUNDS=3 AT_ONCE=2 sh "$here/tests/unsteady.sh" TESTS="tests/good.tap tests/shaky.tap") >said 2>&1
[ $? -eq 1 ]
tap_ok $? "make unsteady finds a test that fails once"
tap_try "and says how often" says "    tests/shaky, 1 of 3"
(cd build && ROUNDS=2 AT_ONCE=2 sh "$here/tests/unsteady.sh" TESTS="tests/good.tap") >said 2>&1
tap_ok $? "and passes where every test does"

tap_done
