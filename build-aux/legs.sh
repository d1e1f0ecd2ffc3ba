# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# The legs of ./check, which sources this behind setup.sh: sets of tests, each run by make in one environment, with its logs in
# $results/NAME/. What has failed runs once more, alone. Set before: results, tests_at_once.

# heading WORDS
heading() {
    heading_words=$1
    printf '  %-46s' "$heading_words"
    leg_start=$(date +%s)
}

# counted COMMAND...: a command of the leg $name; the seconds that it takes of all processors are added to the leg's. The 14th and
# the 15th field behind a process's name, which may have blanks, are those of what it has waited for, in hundredths.
counted() (
    "$@"
    counted_status=$?
    # shellcheck disable=SC2086
    if read -r stat 2>/dev/null </proc/self/stat && set -- ${stat##*) } && [ $# -ge 15 ]; then
        say $(((${14} + ${15}) / 100)) >>"$results/$name/cpu"
    fi
    exit $counted_status
)

# of_cpu FILE...: what counted has written there.
of_cpu() {
    cat "$@" 2>/dev/null | awk '{ sum += $1 } END { if (NR) print sum " s of CPU" }'
}

# watched PID FOLDER: wait for the make that runs tests there, with a sign of life: a counter on a terminal, else a line a minute.
watched() {
    watched_told=0
    while kill -0 "$1" 2>/dev/null; do
        sleep 1
        watched_seconds=$(($(date +%s) - leg_start))
        [ -t 1 ] || [ $((watched_seconds / 60)) -gt "$watched_told" ] || continue
        watched_tests="$(find "$2/tests" -name '*.trs' | wc -l) tests have ended"
        if [ -t 1 ]; then
            printf '\r  %-46s%s, %s s' "$heading_words" "$watched_tests" $watched_seconds
        else
            [ $watched_told -gt 0 ] || say ""
            say "    $watched_seconds s: $watched_tests"
        fi
        watched_told=$((watched_seconds / 60))
    done
    wait "$1"
    watched_status=$?
    if [ -t 1 ]; then
        printf '\r\033[K  %-46s' "$heading_words"
    elif [ "$watched_told" -gt 0 ]; then
        printf '  %-46s' "$heading_words"
    fi
    return $watched_status
}

# is_unsteady NAME WHAT: it has failed, and passed when it ran alone. The names are told at the end.
is_unsteady() {
    say "$2" >>"$results/unsteady"
    say "$2 failed, and passed when it ran alone" >>"$results/$1/unsteady"
}

bad_result=':test-result: (FAIL|XPASS|ERROR)'

# outcome NAME: what the leg's results say, and where it failed, why.
outcome() {
    leg=$results/$1
    counts=$(sh tests/summary.sh "$leg")
    leg_status=$?
    seconds=$(($(date +%s) - leg_start))
    cpu=$(of_cpu "$leg/cpu")
    say "$counts, $seconds s${cpu:+, $cpu}"
    [ "$seconds" -lt 60 ] || longest "$leg"
    if [ -f "$leg/unsteady" ]; then
        sed 's/^/    /' "$leg/unsteady"
        say "    What it said when it failed is in $leg, in files that end in .first"
    fi
    [ "$leg_status" -ne 0 ] || return 0
    find "$leg" -name '*.trs' -exec grep -lE "$bad_result" {} + | sort | while read -r trs; do
        log=${trs%.trs}.log
        say "    $log:"
        # Remarks come before the case that they belong to; a crash says nothing but its last words.
        [ ! -f "$log" ] || grep -vE '^(ok|PASS:|SKIP:|FAIL:)' "$log" | tail -n 40 | sed 's/^/      /'
    done
}

# longest FOLDER: its tests that have taken longest, of which one or two are most of a long leg.
longest() {
    find "$1" -name '*.log' -exec grep -H '^# took [0-9]* s' {} + |
        sed 's|^.*/tests/\(.*\)\.log:# took \([0-9]*\) s.*|\2 \1|' | sort -rn | head -n 5 |
        awk '{ printf "%s%s %s s", (NR > 1 ? ", " : "    longest: "), $2, $1 } END { if (NR) print "" }'
}

# verdict NAME PASS|FAIL|SKIP WORDS: a result that no test has written.
verdict() {
    mkdir -p "$results/$1"
    printf ':test-result: %s %s\n' "$2" "$3" >"$results/$1/verdict.trs"
}

# seen NAME SED-SCRIPT: what it prints for the leg's logs, each line once.
seen() {
    find "$results/$1" -name '*.log' -exec sed -n "$2" {} + | sort -u | sed 's/^/    /'
}

# skip NAME WORDS REASON
skip() {
    verdict "$1" SKIP "$3"
    heading "$2"
    say "skipped: $3"
}

# only NAME FILE: the legs that follow see this OpenCL driver alone, and it has to be there.
only() {
    icd=$PWD/build/icd/$1/ # the loader of CUDA's toolkit wants the slash
    mkdir -p "$icd"
    case $2 in
    *.icd) cp "$2" "${icd}only.icd" ;;
    *) echo "$2" >"${icd}only.icd" ;;
    esac
}

# make_check JOBS TESTS LOG VARIABLE=VALUE...: of the leg, whose name and folder are set.
make_check() {
    make_jobs=$1 make_tests=$2 make_log=$results/$name/$3
    shift 3
    counted env ${icd:+"OCL_ICD_VENDORS=$icd" OCL_ICD_FILENAMES= YOKE_TEST_REQUIRE=opencl} \
        POCL_CACHE_DIR="$PWD/$folder/cache/pocl" MESA_SHADER_CACHE_DIR="$PWD/$folder/cache/mesa" "$@" \
        make -C "$folder" -j "$make_jobs" "check${of:+-TESTS}" TESTS="$make_tests" >"$make_log" 2>&1 </dev/null
}

most_again=10 # where more has failed, it is not for being unsteady

# again VARIABLE=VALUE...: what has failed in the leg runs once more, with nothing beside it.
again() {
    failed=$(cd "$folder" && find tests -name '*.trs' -exec grep -lE "$bad_result" {} + | sort)
    [ -n "$failed" ] && [ "$(say "$failed" | wc -l)" -le $most_again ] || return 0
    for trs in $failed; do
        mkdir -p "$results/$name/$(dirname "$trs")"
        mv "$folder/$trs" "$results/$name/$trs.first"
        mv "$folder/${trs%.trs}.log" "$results/$name/${trs%.trs}.log.first"
    done
    if make_check 1 "$(say "$failed" | sed 's/\.trs$/.tap/' | tr '\n' ' ')" again.log "$@"; then make_status=0; fi
    for trs in $failed; do
        [ ! -f "$folder/$trs" ] || grep -qE "$bad_result" "$folder/$trs" || is_unsteady "$name" "$name/${trs%.trs}"
    done
}

# leg NAME WORDS FOLDER TESTS VARIABLE=VALUE...: make check in the build folder, for the named lists of tests, in this environment.
# The programs of those that $of names are there already.
leg() {
    name=$1 words=$2 folder=$3
    # In one line: of several, make passes on less to a make that it starts, which then cannot run a test again.
    tests=$(printf %s "$4" | tr '\n' ' ')
    shift 4
    heading "$words"
    mkdir -p "$results/$name"
    find "$folder/tests" \( -name '*.trs' -o -name '*.log' \) -exec rm -f {} +
    # A cache of its own, unless it names one: drivers do not put all of their settings into their cache's keys.
    rm -rf "$folder/cache"
    [ ! -d "$folder/warm" ] || mv "$folder/warm" "$folder/cache"
    make_check "$tests_at_once" "$tests" make.log "$@" &
    watched $! "$folder"
    make_status=$?
    again "$@"
    (cd "$folder" && find tests -name '*.trs' -o -name '*.log') | while read -r file; do
        mkdir -p "$results/$name/$(dirname "$file")"
        mv "$folder/$file" "$results/$name/$file"
    done
    # Where no test says that it has failed, something else has, or none ran.
    if ! grep -rqE --include='*.trs' "^$bad_result" "$results/$name" &&
        { [ "$make_status" -ne 0 ] || ! sh tests/summary.sh "$results/$name" >/dev/null; }; then
        verdict "$name" FAIL "make check"
        cp "$results/$name/make.log" "$results/$name/verdict.log"
    fi
    outcome "$name"
}

required=cuda # by the legs on the double

# double_leg NAME WORDS FOLDER TESTS VARIABLE=VALUE...: a leg on the CUDA double, which compiles kernels as C++.
double_leg() {
    if grep -q '^CXX_PATH = /' build/Makefile; then
        leg "$@" YOKE_TEST_REQUIRE=$required LD_LIBRARY_PATH="$PWD/$3/tests/cuda-double/.libs"
    else
        skip "$1" "$2" "configure has found no C++ compiler (package g++)"
    fi
}

# both_leg NAME WORDS FOLDER TESTS VARIABLE=VALUE...: the double and an OpenCL driver in one program.
both_leg() {
    required=cuda,opencl
    double_leg "$@" YOKE_TEST_DEVICES=cuda:0,opencl:0
    required=cuda
}

# once NAME WORDS COMMAND...: a command that passes or fails as a whole.
once() {
    name=$1
    heading "$2"
    shift 2
    mkdir -p "$results/$name"
    if counted "$@" >"$results/$name/verdict.log" 2>&1 </dev/null; then
        verdict "$name" PASS "$name"
    elif mv "$results/$name/verdict.log" "$results/$name/verdict.log.first" &&
        counted "$@" >"$results/$name/verdict.log" 2>&1 </dev/null; then
        verdict "$name" PASS "$name"
        is_unsteady "$name" "$name"
    else
        verdict "$name" FAIL "$name"
    fi
    outcome "$name"
}

# ---- Beside the legs ----

# What measures no time goes on beside the legs of --deep, one after the other and at low priority: it takes the processors that the
# legs leave idle, as a leg does whose last test is a long one.
beside=''

# made NAME COMMAND...: in the background; what it says, and whether it has passed.
made() {
    name=$1
    shift
    mkdir -p "$results/$name"
    if counted "$@" >"$results/$name/made.log" 2>&1 </dev/null; then
        result=PASS
    elif mv "$results/$name/made.log" "$results/$name/made.log.first" &&
        counted "$@" >"$results/$name/made.log" 2>&1 </dev/null; then
        result=PASS
        is_unsteady "$name" "$name"
    else
        result=FAIL
    fi
    printf '%s\n' $result >"$results/$name/made.part"
    mv "$results/$name/made.part" "$results/$name/made" # whole, or not there
}

# awaited NAME WORDS: a leg that is made beside the others. Its time is how long it is waited for.
awaited() {
    heading "$2"
    while [ ! -f "$results/$1/made" ] && kill -0 "$beside" 2>/dev/null; do
        sleep 1
    done
    mkdir -p "$results/$1"
    [ ! -f "$results/$1/made.log" ] || mv "$results/$1/made.log" "$results/$1/verdict.log"
    # The one that makes it may have ended before it did.
    verdict "$1" "$(cat "$results/$1/made" 2>/dev/null || echo FAIL)" "$1"
    outcome "$1"
}

# ---- The end ----

# totals: the last line, and the status; before it, what all legs have taken of processors. What is unsteady is named behind the
# totals, and fails nothing.
totals() {
    of_cpu "$results"/*/cpu
    sh tests/summary.sh "$results"
    totals_status=$?
    [ ! -f "$results/unsteady" ] || say "unsteady: $(sort -u "$results/unsteady" | tr '\n' ' ' | sed 's/ $//')"
    return $totals_status
}
