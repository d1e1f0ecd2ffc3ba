#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What a release has to pass on a machine with an NVIDIA GPU, in little of that machine's time: both backends side by side, as many
# tests at once as it has processors, and nothing that needs no GPU, which ./check runs elsewhere. What a step leaves is whole when
# the step ends, so that a machine that is taken away takes the last step's results alone. Run in a build folder:
#
#     sh ../tests/release/gpu.sh RESULTS [build|suites|python|random|bench ...]       all steps where none is named
#
# Read from the environment: WHEEL, a wheel of the package and PYTHON, an interpreter with NumPy and pytest (without them, python
# is skipped); SECONDS_RANDOM (200), how long each of the random programs runs; SECONDS_SUITES (500), when a suite is ended. The
# OpenCL driver is NVIDIA's unless OCL_ICD_FILENAMES names another. Fails if a step has.

CDPATH='' cd -- "$(pwd -P)" || exit 1
if [ ! -f Makefile ] || [ $# -eq 0 ]; then
    echo "usage: sh ../tests/release/gpu.sh RESULTS [STEP...], in a build folder" >&2
    exit 2
fi
source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
results=$1
shift
[ $# -gt 0 ] || set -- build suites python random bench
export top_srcdir="$source" srcdir="$source" # as make tells each test
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# A GPU's driver that does not answer is a failure and no reason to skip.
export YOKE_TEST_REQUIRE="${YOKE_TEST_REQUIRE-cuda,opencl}"
export OCL_ICD_FILENAMES="${OCL_ICD_FILENAMES:-libnvidia-opencl.so.1}" OCL_ICD_VENDORS="${OCL_ICD_VENDORS:-/nonexistent/}"
# shellcheck disable=SC2016
suites='$(cuda_tests) $(cuda_source_tests) $(ops_cuda_tests) $(opencl_tests) $(source_tests) $(ops_opencl_tests)'
suites="$suites tests/tools/cc_twins.tap"
failed=0

# tell WORDS: a line on the output, and in the results.
tell() {
    echo "$*" | tee -a "$results/summary.txt"
}

# Without the tests' programs, each test would wait for its own.
step_build() {
    make -j "$jobs" all >"$results/build/make.log" 2>&1 &&
        make -j "$jobs" test-programs TESTS="$suites \$(random_tests)" >>"$results/build/make.log" 2>&1
}

# A test that was ended, or was not built, has left no result, but make has failed.
step_suites() {
    status=0
    find tests -name '*.trs' -exec rm -f {} +
    timeout -s INT -k 20 "${SECONDS_SUITES:-500}" \
        make -k -j "$jobs" check-TESTS TESTS="$suites" >"$results/suites/make.log" 2>&1 </dev/null || status=1
    find tests -name '*.trs' -exec grep -lE '^:test-result: (FAIL|XPASS|ERROR)' {} + | sed 's/trs$/log/' | sort |
        while read -r log; do
            cp "$log" "$results/suites/$(echo "${log#tests/}" | tr / -)"
            tell "    failed: ${log%.log}"
        done
    tell "    $(sh "$source/tests/summary.sh" tests)"
    return "$status"
}

# NVIDIA's OpenCL makes contexts one at a time, for all processes: more of them only wait.
step_python() {
    if [ -z "${WHEEL-}" ] || [ -z "${PYTHON-}" ]; then
        tell "    skipped: WHEEL or PYTHON is not set"
        return 0
    fi
    case $PYTHON in
    /*) ;;
    */*) PYTHON=$PWD/$PYTHON ;;
    esac
    site=$PWD/python-site
    rm -rf "$site" && "$PYTHON" -m pip install -q --no-index --no-deps --target "$site" "$WHEEL" || return 1
    status=0
    for backend in cuda opencl; do
        rm -rf "python-$backend" && cp -R "$source/python/tests" "python-$backend" || return 1
        workers=$jobs
        [ "$backend" = cuda ] || workers=$(((jobs + 1) / 2))
        (cd "python-$backend" && PYTHONPATH=$site YOKE_BACKEND=$backend timeout -s INT -k 20 \
            "${SECONDS_SUITES:-500}" "$PYTHON" -m pytest -q -n "$workers" -p no:cacheprovider --durations=10 .) \
            >"$results/python/$backend.log" 2>&1 </dev/null || status=1
        tell "    $backend: $(tail -n 1 "$results/python/$backend.log")"
    done
    return "$status"
}

# Half of the processors for each backend; every process has a seed of its own.
step_random() {
    processes=''
    for backend in cuda opencl; do
        for i in $(seq $((jobs > 1 ? jobs / 2 : 1))); do
            YOKE_BACKEND=$backend timeout -k 20 $((${SECONDS_RANDOM:-200} + 60)) tests/random/operations --steps 300 \
                --seconds "${SECONDS_RANDOM:-200}" --seed "$(date +%s)$i" >"$results/random/$backend.$i.log" 2>&1 </dev/null &
            processes="$processes $!"
        done
    done
    status=0
    for process in $processes; do
        wait "$process" || status=1
    done
    for backend in cuda opencl; do
        # Whose end is missing has said every 20 s how far it was.
        operations=$(for log in "$results/random/$backend".*.log; do
            sed -nE 's/^# ([0-9]+ seeds, )?([0-9]+) operations.*/\2/p' "$log" | tail -n 1
        done | awk '{ sum += $1 } END { print sum + 0 }')
        tell "    $backend: $operations operations, $(grep -l '^not ok' "$results/random/$backend".*.log | wc -l) programs failed"
    done
    return "$status"
}

# Alone on the machine, backend after backend.
step_bench() {
    make -j "$jobs" bench/ops bench/overhead bench/matmul >"$results/bench/make.log" 2>&1 || return 1
    status=0
    for device in cuda:0 opencl:0; do
        for program in ops overhead matmul; do
            timeout -k 20 300 "bench/$program" --device "$device" >"$results/bench/$program.${device%:0}.txt" 2>&1 || status=1
        done
    done
    return "$status"
}

for step in "$@"; do
    mkdir -p "$results/$step" || exit 1
    results=$(cd "$results" && pwd)
    started=$(date +%s)
    tell "$step"
    case $step in
    build | suites | python | random | bench) ;;
    *)
        echo "gpu.sh: there is no step $step" >&2
        exit 2
        ;;
    esac
    if "step_$step"; then outcome=passed; else outcome=failed failed=1; fi
    tell "    $outcome, $(($(date +%s) - started)) s"
done
exit $failed
