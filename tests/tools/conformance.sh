#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# yoke-conformance as installed, without the source: on a correct driver, on a driver that fails, and with programs that crash,
# hang or print what no report can contain.

. "$top_srcdir/tests/tap/tap.sh"

root=$tap_folder/root
tap_try "make install DESTDIR=..." cp -R "$PWD/tests/installed" "$root"
tool=$root$bindir/yoke-conformance suite=$root$libexecdir/yoke/conformance layer=$PWD/tests/faults/.libs/layer.so
export YOKE_BACKEND=opencl LD_LIBRARY_PATH="$root$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" TMPDIR="$tap_folder/work"
mkdir "$TMPDIR"
cd "$tap_folder" || exit 1

# run STATUS FOLDER OPTION...: what is printed goes to `printed`, and the status has to be that.
run() {
    expected=$1 folder=$2
    shift 2
    "$tool" --programs "$folder" "$@" >printed 2>&1 </dev/null
    got=$?
    [ "$got" -eq "$expected" ] || { echo "exit status $got, expected $expected" && cat printed && false; }
}

# has WORDS [FILE]
has() {
    grep -qF -- "$1" "${2-printed}" || { echo "no '$1' in:" && cat "${2-printed}" && false; }
}

# counts PASSED FAILED SKIPPED BROKEN: the last table's last line.
counts() {
    last=$(tail -n 1 printed)
    # shellcheck disable=SC2086
    set -- "$*" $last
    [ "$2 $1" = "all $3 $4 $5 $6" ] || { cat printed && false; }
}

# xml COUNT PATH: JUnit's report has so many of them.
xml() {
    [ "$(xmllint --xpath "count($2)" report.xml)" = "$1" ] || { echo "not $1 of $2" && cat report.xml && false; }
}

# program NAME: one that is run in place of the suite's; reads its text.
mkdir fake
program() {
    { echo '#!/bin/sh' && cat; } >"fake/$1"
    chmod +x "fake/$1"
}

# ---- Usage ----

tap_try "--version" run 0 "$suite" --version
tap_try "--help" run 0 "$suite" --help
tap_try "an unknown option is refused" run 2 "$suite" --no-such
tap_try "too many jobs are refused" run 2 "$suite" --jobs 1000
tap_try "an unknown format is refused" run 2 "$suite" --format pdf
tap_try "a format without a report is refused" run 2 "$suite" --format junit
tap_try "  and says what is missing" has "name its file with --report"
tap_try "no such program" run 2 "$suite" --filter no-such
tap_try "  is named" has "has 'no-such' in its name; --list prints the names"
tap_try "no such program beside one that is there" run 2 "$suite" --filter error,no-such
tap_try "  is named" has "has 'no-such' in its name"
tap_try "no such folder" run 2 /no-such --list
tap_try "no such selector" run 2 "$suite" --device 'what?'
OCL_ICD_VENDORS=/no-such/ OCL_ICD_FILENAMES='' run 3 "$suite" >"$tap_folder/none" 2>&1
tap_ok $? "no device"

run 0 "$suite" --list || {
    for what in "on this driver" "on a driver that fails" "with fake programs"; do
        tap_skip "$what: there is no OpenCL device"
    done
    tap_done
}
device=$(sed -n 's/^\(opencl:[0-9]*\) .*/\1/p; q' printed)
tap_try "--list names the programs" has hostcall_order

# ---- On this driver ----

tap_try "nothing fails" run 0 "$suite" --device "$device" --filter error,event_ways --jobs 2 --report report.tap --format tap
tap_try "  the table says so" has "$device"
tap_try "  and explains its last column" has "once: cases that run once for a backend"
tap_try "  and nothing is broken" sh -c 'tail -n 1 printed | grep -qE "^all +[1-9][0-9]* +0 +[0-9]+ +0$"'
tap_try "  TAP has as many cases as it says" \
    awk '/^1\.\./ { plan = substr($0, 4) } /^(not )?ok / { cases++ } END { exit plan != cases || !cases }' report.tap
tap_try "  nothing is left behind" sh -c '[ -z "$(ls "$TMPDIR")" ]'
tap_try "  and piped, there is no progress line" sh -c '! grep -q "$(printf "\r")" printed'
if command -v script >/dev/null; then
    script -qec "'$tool' --programs '$suite' --device $device --filter error" /dev/null >terminal 2>&1 </dev/null
    tap_try "  but on a terminal there is" has "] 0 failed  opencl error" terminal
else
    tap_skip "the progress line: there is no program 'script'"
fi

# ---- On one that fails ----

fails() {
    OPENCL_LAYERS=$layer YOKE_LAYER_FAILS=kernel run 1 "$suite" --filter launch --report report.xml --format junit
}
loader=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | sed -n 's/.*libOpenCL\.so\.1 .* => //p' | head -n 1)
if [ -f "$layer" ] && [ -n "$loader" ] && grep -q OPENCL_LAYERS "$loader"; then
    tap_try "a driver that refuses to launch fails" fails
    tap_try "  the table says so" has FAILED
    tap_try "  with the driver's code" has CL_OUT_OF_RESOURCES
    tap_try "  in JUnit's report, too" has '<failure message=' report.xml
else
    tap_skip "a driver that fails: there is no shared layer, or the loader takes none"
fi

# ---- Fake programs ----

program a_crash <<END
echo 1..3; echo "# $device is it"; echo "ok 1 - $device: one"; echo "the driver's last words"; kill -SEGV \$\$
END
program b_hang <<END
echo 1..2; echo "ok 1 - $device: one"; exec sleep 1000
END
program c_bail <<'END'
echo "Bail out! no host memory"; exit 10
END
program d_few <<END
echo 1..3; echo "ok 1 - once: one"
END
program e_silent </dev/null
program f_status <<END
echo 1..1; echo "ok 1 - $device: one"; exit 3
END
program g_bytes <<END
echo 1..2; printf '# <&"\\001\\377\\303\\244 ]]>\\n'; echo "not ok 1 - $device: <bytes> & \"more\""
echo "ok 2 # SKIP $device: two: because <so>"
END
program h_good <<END
echo 1..1; [ "\$YOKE_TEST_DEVICES" = $device ] && [ "\$YOKE_BACKEND" = opencl ] && echo "ok 1 - once: one"
END
program i_all <<'END'
echo "1..0 # SKIP not here"
END

# One of them hangs, but on a busy machine others, too, may print nothing for a while: then all have more time.
broken() {
    for seconds in 1 4 16; do
        run 1 fake --device "$device" --jobs 3 --seconds "$seconds" --report report.xml --format junit || return 1
        [ "$(grep -c "printed nothing for" printed)" -gt 1 ] || return 0
    done
}
tap_try "broken programs are named, and the rest goes on" broken
tap_try "  each is counted once" counts 5 1 2 6
tap_try "  a crash, with its signal" has "signal 11"
tap_try "  behind its last case" has "after 'one', 1 of 3 cases"
tap_try "  with the last words" has "the driver's last words"
tap_try "  a hang" has "printed nothing for $seconds s"
tap_try "  one that gives up" has "no host memory"
tap_try "  one that ends early" has "exit status 0, after 'one', 1 of 3 cases"
tap_try "  one that says nothing" has "exit status 0, before its first case"
tap_try "  one that fails without a failed case" has "exit status 3, though no case failed"
tap_try "  and why something is skipped" has "$device: because <so>"
if command -v xmllint >/dev/null; then
    tap_try "  JUnit's report is XML" xmllint --noout report.xml
    tap_try "    with every case" xml 14 //testcase
    tap_try "    that crashed" xml 6 //testcase/error
    tap_try "    failed" xml 1 "//testcase/failure[contains(., '<&\"')]"
    tap_try "    or was skipped" xml 1 "//testcase/skipped[@message='because <so>']"
    tap_try "    and sums" xml 1 "/testsuites[@tests=14 and @failures=1 and @errors=6 and @skipped=2]"
else
    tap_skip "JUnit's report is XML: there is no xmllint"
fi
# A caller that ignores SIGCHLD, as some that run other programs do.
unwatched() {
    timeout -s KILL 60 env --ignore-signal=CHLD "$tool" --programs fake --device "$device" --filter _good,_status >printed 2>&1
    [ $? -eq 1 ] || { cat printed && false; }
}
if env --ignore-signal=CHLD true 2>/dev/null; then
    tap_try "the ends of programs are known where the caller ignores SIGCHLD" unwatched
    tap_try "  with their exit status" has "exit status 3, though no case failed"
else
    tap_skip "a caller that ignores SIGCHLD: env does not do that"
fi
mkdir other
cat >other/j_last <<END
#!/bin/sh
echo 1..2; echo "ok 1 - $device: one"; kill -INT \$PPID; exec sleep 1000
END
chmod +x other/j_last
cp other/j_last other/k_never
tap_try "a signal interrupts it" run 1 other --device "$device" --jobs 1 --report report.xml --format junit
tap_try "  with a report of what has run until then" has "<testcase classname=" report.xml
tap_try "  what was running" has "interrupted after 'one', 1 of 2 cases"
tap_try "  and what was not" has "1 of 2 runs were not started"
tap_try "the same as TAP" run 1 fake --device "$device" --filter _bytes,_crash --report report.tap --format tap
tap_try "  with failures" has "not ok 3 - $device: g_bytes: <bytes> & \"more\"" report.tap
tap_try "  crashes" has "not ok 2 - $device: a_crash: crashed" report.tap
tap_try "  and what was skipped" has "ok 4 - $device: g_bytes: two # SKIP because <so>" report.tap
tap_try "the same as text, and each case on the way" run 1 fake --device "$device" --filter _bytes --verbose --report report.txt
tap_try "  a line each" has "FAILED  $device: g_bytes: <bytes>"
tap_try "  and the report" has "device         passed" report.txt
tap_done
