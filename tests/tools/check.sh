#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# yoke check --report: one file with facts, results and figures, in lines that a script reads; what is private is not in it,
# whatever programs and drivers print.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"

# has LINE: the report has it, whole.
has() {
    grep -qxF -- "$1" report
    had=$?
    tap_ok $had "the report has: $1"
    [ $had -eq 0 ] || tap_tell report
}

# lacks WORDS
lacks() {
    ! grep -F -- "$1" report >found
    tap_ok $? "the report has nowhere: $2"
    tap_tell found
}

# count NUMBER KEY: the report has so many lines of it.
count() {
    [ "$(grep -cE "^$2: " report)" -eq "$1" ]
    tap_ok $? "the report has $1 of $2"
}

# What a program of the suite says that tells of its user: a user, a machine, folders with blanks, in quotes and in lists.
mkdir fake "home of alice" other
home="$tap_folder/home of alice"
cat >fake/a_leak <<END
#!/bin/sh
echo 1..4
echo "ok 1 - \$YOKE_TEST_DEVICES: one"
echo "# first line"
seq 1 20 | sed 's/^/# number /'
echo "# cannot open '$home/My Docs/x.cl', $home/y, /srv/alice7/z.cl:3:1: error; 1/2 ok"
echo "# user alice7 at $(uname -n): <script>alert(1)</script> ~/z/w"
echo "# clang -I/srv/alice7/inc, pocl-alice7_2, /home/bob"
echo "# GPU-12345678-9abc-def0-1234-56789abcdef0 $(printf 'a\001b\377c')"
echo "not ok 2 - \$YOKE_TEST_DEVICES: leaks"
echo "ok 3 # SKIP \$YOKE_TEST_DEVICES: three: no file /srv/alice7/q here"
echo "ok 4 # SKIP \$YOKE_TEST_DEVICES: four: no file /srv/alice7/q here"
END
printf '#!/bin/sh\necho 1..1\necho "ok 1 - $YOKE_TEST_DEVICES: one"\n' >fake/good
chmod +x fake/a_leak fake/good

# ---- Without a device ----

run 3 "no device" check --report report
has "report_format: 1"
has "yoke: $PACKAGE_VERSION"
has "suite: not run, exit status 3"
has "end: report"
run 2 "a file that cannot be written" check --report /no/such/file
says "cannot write /no/such/file"
run 2 "an option that the suite has not" check --report report --no-such
run 0 "the list of programs, and no report" check --help --report other/report
[ ! -e other/report ]
tap_ok $? "help writes no report"

run 3 "no name of a file" check --report
[ -s yoke-report.txt ]
tap_ok $? "is yoke-report.txt"

[ -f $vendors/pocl.icd ] || { tap_skip "with PoCL: there is no $vendors/pocl.icd" && tap_done; }
use pocl
export POCL_DEVICES=pthread

# ---- What it has ----

HOME=$home USER=alice7 SECRET_TOKEN=hush-hush OCL_TEST="/opt/alice7/lib a/x.icd" YOKE_TEST_ORDER="$home/b:c" \
    run 1 "a report with a failure" check --report report --programs fake
says "device passed failed skipped broken"
says "The report is in report"
has "suite: complete"
has "suite_programs: 2"
has "result.1.device: opencl:0"
has "result.1.passed: 2"
has "result.1.failed: 1"
has "result.1.skipped: 2"
has "result.1.broken: 0"
has "failure.1.program: a_leak"
has "failure.1.case: leaks"
has "failure.1.kind: failed"
count 12 failure.1.says
has "skipped.1.cases: 2"
has "skipped.1.reason: no file .../q here"
has "device.1.selector: opencl:0"
has "device.1.kind: cpu"
count 1 device.1.can.fp64
count 1 device.1.cl.device_extensions
count 1 device.1.cl.platform_version
count 1 bench.1.launch_ns
count 1 bench.1.launch_wait_ns
count 1 bench.1.copy_gb_per_s
has "env.YOKE_BACKEND: opencl"
[ "$(tail -n 1 report)" = "end: report" ]
tap_ok $? "its last line says that it is whole"
! grep -vE '^[a-z][a-z0-9_]*(\.[A-Za-z0-9_]+)*: .*' report >found
tap_ok $? "each line is KEY: VALUE"
tap_tell found
[ "$(cut -d: -f1 report | grep -v '\.says$' | sort | uniq -d | wc -l)" -eq 0 ]
tap_ok $? "no key comes twice, but those of lines that were said"

# ---- What it has not ----

has "failure.1.says: cannot open '.../x.cl', .../y, .../z.cl:3:1: error; 1/2 ok"
has "failure.1.says: user (private) at (private): <script>alert(1)</script> .../w"
has "failure.1.says: clang -I.../inc, pocl-(private)_2, ..."
has "failure.1.says: GPU-(uuid) a b?c"
has "env.OCL_TEST: .../x.icd"
has "env.YOKE_TEST_ORDER: .../b:c"
lacks alice "the user's name, or the home"
! grep -wF -- "$(uname -n)" report >found
tap_ok $? "the report has nowhere: the machine's name"
tap_tell found
lacks hush "another variable of the environment"
lacks "$tap_folder" "the folder it was made in"
lacks "$(id -un | sed 's/^root$/no such user/')" "the name of who runs this"
! grep -E '(^|[^.a-z0-9>])/[a-z]+/' report >found
tap_ok $? "the report has no path"
tap_tell found
! grep -aq "$(printf '[\001-\010\013-\037\177]')" report
tap_ok $? "the report has no control characters"

# ---- What it leaves as it was ----

run 0 "a report of the suite alone" check --report own --format tap --programs fake --filter good
grep -q "^TAP version" own
tap_ok $? "--format says that the suite writes it"
"$yoke-conformance" --programs fake --filter good --report own >out 2>err
grep -q "^device  *passed" own
tap_ok $? "yoke-conformance --report writes what it did"
tap_done
