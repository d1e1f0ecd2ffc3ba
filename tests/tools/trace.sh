#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# yoke trace, and the traces that YOKE_TRACE writes: complete JSON, with every operation of a known program, each after the
# previous operation of its stream; findings that name what took the time; and a drawing that is valid XML.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
examples=$PWD/examples trouble=$PWD/tests/tools/trouble double=$PWD/tests/cuda-double/.libs
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"

run 2 "no command" trace
run 2 "a command and a trace that is there" trace --read trace.json true
run 2 "an unknown option" trace --no-such true
run 127 "a command that is not there" trace ./absent
says "cannot start"
run 1 "a program that opens no device" trace true
says "opened no device with Yoke"
run 7 "the program's own exit code" trace sh -c 'exit 7'
for picture in ./same.json same.json linked.json; do
    run 2 "a picture in place of the new trace: $picture" trace --out same.json --svg $picture touch ran
    says "--svg $picture: the trace is in this file"
    echo '[{"ph":"X","ts":1,"dur":1}]' >same.json # from here on it is there
    ln -sf same.json linked.json
    run 2 "a picture in place of a trace that is there: $picture" trace --read same.json --svg $picture
    grep -q '"ph"' same.json
    tap_ok $? "which stays"
done
[ ! -e ran ]
tap_ok $? "no program is run for it"
rm same.json linked.json
run 1 "a trace that is not there" trace --read absent.json
echo '{"a":1}' >other.json
run 1 "JSON of something else" trace --read other.json
says "not an array of events"
echo '[1, {"ph":"X"}, {"ph":"X","ts":"x","args":[]}, {"ph":"M","name":"thread_name","args":7}]' >odd.json
run 0 "events that make no sense are no crash" trace --read odd.json
run 127 "a program that ends as one that is not there" trace sh -c 'exit 127'
says "opened no device with Yoke"
silent "cannot start"

# event DEVICE ROW KIND BEGIN LENGTH [ARGS]
event() {
    printf '{"ph":"X","pid":%s,"tid":%s,"cat":"%s","name":"%s","ts":%s,"dur":%s,"args":{"where":"a.c:%s"%s}}' \
        "$1" "$2" "$3" "${name:-$3}" "$4" "$5" "$2" "$6"
}

# name_of KIND DEVICE ROW TEXT [ARGS]: the name of a device or a row
name_of() {
    printf '{"ph":"M","name":"%s","pid":%s,"tid":%s,"args":{"name":"%s"%s}}' "$1" "$2" "$3" "$4" "$5"
}

# trace FILE EVENT...: a trace of these events
trace() {
    file=$1
    shift
    (IFS=, && echo "[$*]") >"$file"
}

for time in 1e308 -1e308 1e999; do
    trace endless.json "$(event 1 1 launch 0 400)" "$(event 1 1 launch $time 400)" "$(event 1 1 launch 900 $time)"
    run 0 "a time of $time, of no clock" trace --read endless.json --svg endless.svg
done

# counts NUMBER WORDS FILE TEXT: so many lines of the file have them
counts() {
    [ "$(grep -c -- "$2" "$3")" -eq "$1" ]
    tap_ok $? "$4"
}

trace covered.json "$(event 1 1 launch 0 1000)" "$(event 1 2 'host function' 200 500)"
run 0 "a host function beside a kernel" trace --read covered.json
says "1.0 ms from the first to the last entry; 1.0 ms of them (100%) with work on a device"
says "nothing that took one hundredth of the time"
trace uncovered.json "$(event 1 1 launch 0 400)" "$(event 1 2 'host function' 200 500)" "$(event 1 1 launch 700 300)"
run 0 "a host function beside a kernel for a part of its time" trace --read uncovered.json
says "300 us (30%): 1 host function ran while no device worked at a.c:2. Give"
silent "had enqueued nothing"

trace pause.json "$(event 1 1 launch 0 400)" "$(event 1 3 launch 900 100 ',"enqueued":890')"
run 0 "a program that pauses" trace --read pause.json
says "490 us (49%): the program had enqueued nothing, the longest time 490 us before a.c:3. Enqueue"
trace late.json "$(event 1 1 launch 0 400 ',"enqueued":0')" "$(event 1 3 launch 900 100 ',"enqueued":100')"
run 0 "work that begins late" trace --read late.json
says "500 us (50%): work was enqueued, but had not begun"
says "That is how long the driver took to start it"
silent "as a graph"
silent "had enqueued nothing"
trace turn.json "$(event 1 1 launch 0 400 ',"enqueued":0')" "$(event 1 2 'host function' 900 100 ',"enqueued":100')"
run 0 "a host function that begins late" trace --read turn.json
says "500 us (50%): host functions had their turn, but had not begun while no device worked. The"
says "processors were busy"
silent "as a graph"
small=$(seq 0 10 1990 | while read -r at; do event 1 3 launch $((at + 5)) 5 ",\"enqueued\":$at" && echo; done | paste -sd,)
trace small.json "$small"
run 0 "many small operations" trace --read small.json
says "(50%): work was enqueued, but had not begun"
says "or launch them as a graph"
trace deferred.json "$(name_of thread_name 1 3 'stream 1')" "$(name_of thread_name 1 4 'stream 1: host functions')" \
    "$(event 1 4 'host function' 0 500)" "$(event 1 3 launch 600 400 ',"enqueued":590,"deferred":true')"
run 0 "work behind a host function" trace --read deferred.json
says "100 us (10%): work was enqueued, but had not begun"
silent "had enqueued nothing"

copies=$(event 1 57 write 0 1000 ',"bytes":4194304,"pageable":true')
copies=$copies,$(event 1 58 write 1000 1000 ',"bytes":4194304,"pageable":true')
copies=$copies,$(event 1 60 read 3000 2000 ',"bytes":4194304,"pageable":true')
trace separate.json "$copies"
run 0 "copies of one cause" trace --read separate.json
says "4.0 ms (80%): 3 copies of pageable memory, 12 MiB at a.c:57, 58, 60. The driver copies such memory twice"
counts 1 yoke_buffer_create_pinned err "with one advice"
trace beside.json "$copies" "$(event 1 2 launch 0 4000)"
run 0 "copies beside a kernel" trace --read beside.json
says "1.0 ms (20%): 3 copies of pageable memory, 12 MiB at a.c:57, 58, 60, of which this is the time without a kernel. The"
trace same.json "$(name_of process_name 1 0 cpu ',"in_host_memory":true,"mapped":true')" "$copies"
run 0 "the same on a device that works in the host's memory" trace --read same.json
says "3 copies between host and device, 12 MiB at a.c:57, 58, 60. This device works in the machine's memory"
says "YOKE_MEMORY_MAPPED"
silent "pageable"

name=scramble
first=$(event 1 1 launch 0 9000 ',"grid":[4,1,1]')
later=$(event 1 1 launch 9000 100 ',"grid":[4,1,1]'),$(event 1 1 launch 9100 120 ',"grid":[4,1,1]')
other=$(event 1 1 launch 9300 700 ',"grid":[8,1,1]')
unset name
trace first.json "$first" "$later" "$other"
run 0 "a kernel that the driver compiles at its first launch" trace --read first.json --svg first.svg
says "the first launch of scramble took 9.0 ms, later ones 120 us: the driver compiles then. Launch the kernel once before"
counts 1 "scramble: first launch" first.svg "and the picture says so"
counts 1 ">device busy 99%<" first.svg "with a whole title for the time in which the device worked"
trace only.json "$first" "$other"
run 0 "a first launch without another of its size" trace --read only.json
says "9.0 ms (90%): scramble was launched once, and no later launch of the same size"

lane="'a long name of thirty-one let'"
trace waits.json "$(name_of thread_name 1 1 "stream $lane")" "$(name_of thread_name 2 1 "stream 2")" \
    "$(name_of thread_name 2 2 "stream 2: on the host")" "$(name_of process_name 1 0 "opencl:0 one")" \
    "$(name_of process_name 2 0 "opencl:1 other")" "$(event 1 1 launch 0 600)" "$(event 2 1 launch 700 300)" \
    "$(event 2 2 'wait for an event' 100 600 ",\"awaited_stream\":\"$lane\",\"awaited_device\":1")"
run 0 "a stream that waits for one of another device" trace --read waits.json --svg waits.svg
says "600 us (60%): stream 2 of opencl:1 waited 600 us for stream $lane of opencl:0, at a.c:2."
counts 1 "class='arrow'" waits.svg "an arrow goes from one device to the other"
counts 1 ">stream $lane<" waits.svg "labels are whole"
counts 1 ">device busy 60%<" waits.svg "each device says how busy it was"
counts 1 ">stream waits<" waits.svg "the legend has what occurs"
counts 0 ">host function<" waits.svg "and nothing else"
counts 1 ">600 us (60%): stream 2 of opencl:1 waited" waits.svg "the findings stand below"
run 0 "the picture on standard output" trace --read waits.json --svg -
cmp -s out waits.svg && [ ! -e - ]
tap_ok $? "is the same"

many=$copies,$(event 0 1 'build a program' 5000 2000),$(event 0 1 'open a device' 7000 3000)
many=$many,$(event 0 1 'allocate memory' 10000 4000),$(event 1 3 'wait for an event' 15000 4000)
for i in 1 2 3 4 5 6; do
    name=k$i
    many=$many,$(event 1 1 launch "${i}2000" 9000),$(event 1 1 launch "${i}1000" 100)
done
unset name
trace many.json "$many" "$(event 1 2 'host function' 90000 5000)" "$(event 1 2 launch 97000 5000)"
run 0 "a program with every trouble" trace --read many.json
counts 5 "^  - " err "has five findings"

run 1 "a folder for the trace that is not there" trace --out absent/trace.json touch ran
says "cannot write absent/trace.json: No such file"
mkfifo nowhere
run 1 "a trace that is to be no file" trace --out nowhere touch ran
says "a regular file"
echo "my notes" >notes.txt
run 1 "a file of another kind" trace --out notes.txt touch ran
says "notes.txt: the file is there, and is no trace"
[ "$(cat notes.txt)" = "my notes" ]
tap_ok $? "which stays"
echo '[{"name":"my settings"}]' >settings.json
run 1 "JSON that is no trace" trace --out settings.json touch ran
grep -q "my settings" settings.json
tap_ok $? "which stays"
cp many.json old.json
run 1 "a program without a device, and an older trace" trace --out old.json true
says "the trace is empty"
run 1 "a path that the library would change" trace --out %p.json touch ran
says "the library replaces %p; --out or TMPDIR can name"
mkdir temporary%p
TMPDIR=$PWD/temporary%p run 1 "a folder for temporary files that the library would change" trace touch ran
says "the library replaces %p"
tap_try "no temporary file stays behind" rmdir temporary%p
if command -v flock >/dev/null; then
    printf '[\n%s\n]\n' "$(event 1 1 launch 0 400)" >written.json
    cp written.json held.json
    flock held.json "$yoke" trace --out held.json touch ran >out 2>err
    [ $? -eq 1 ]
    tap_ok $? "a trace that another program writes: exit code 1"
    says "held.json: a program that is running writes its trace there"
    tap_try "which stays" cmp written.json held.json
    # shellcheck disable=SC2016
    run 0 "a program that leaves behind a process that writes" trace --out behind.json sh -c 'cp written.json behind.json
        flock behind.json sh -c ": >locked; while [ ! -e free ]; do sleep 0.1; done" &
        while [ ! -e locked ]; do sleep 0.1; done'
    says "behind.json: a process that the program has started still writes the trace"
    tap_try "nothing is written between its entries" cmp written.json behind.json
    : >free
else
    tap_skip "a trace that another program writes: there is no flock"
fi
run 1 "a picture that cannot be written" trace --svg absent/picture.svg touch ran
says "cannot write absent/picture.svg: No such file"
[ ! -e ran ]
tap_ok $? "and the program is not run in vain"

# ---- Signals are for the program ----

# killed CODE TEXT COMMAND...: yoke trace gets SIGTERM, or the signal $number, when the program has written its number to the file
# pid, and ends so.
killed() {
    expected=$1 killed_text=$2
    shift 2
    rm -f pid
    # As a child of another shell, which tells of a signal.
    sh -c '"$@"; exit $?' sh "$yoke" trace "$@" >out 2>err </dev/null &
    shell=$!
    for tenth in $(seq 300); do
        [ -s pid ] && break
        sleep 0.1
    done
    traced=$(cat pid)
    kill "-${number-TERM}" "$(ps -o ppid= -p "$traced")"
    wait $shell
    got=$?
    [ "$got" -eq "$expected" ]
    tap_ok $? "$killed_text: exit code $expected ($got, after $tenth tenths)"
    ! kill -0 "$traced" 2>/dev/null
    tap_ok $? "the program does not go on"
    ls "$TMPDIR" >left
    tap_empty "no temporary file stays behind" left
}

export TMPDIR="$tap_folder/temporary"
mkdir "$TMPDIR"
# shellcheck disable=SC2016
killed 143 "SIGTERM" sh -c 'echo $$ >pid; exec sleep 60'
says "Terminated"
# shellcheck disable=SC2016
killed 7 "SIGTERM that the program answers" sh -c 'trap "exit 7" TERM; echo $$ >pid; while :; do sleep 0.1; done'
silent "Terminated"
# shellcheck disable=SC3045 # where there is no such limit, a core or two are left in the folder
ulimit -c 0 2>/dev/null
# SIGALRM, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO, SIGSEGV, and the first and last of real time
for number in 14 24 26 27 29 11 34 64; do
    # shellcheck disable=SC2016
    killed $((128 + number)) "signal $number" sh -c 'echo $$ >pid; exec sleep 60'
    kill "$traced" 2>/dev/null
done
unset number
timeout --preserve-status -s INT 1 "$yoke" trace sleep 60 >out 2>err </dev/null
[ $? -eq 130 ]
tap_ok $? "SIGINT: exit code 130"
ls "$TMPDIR" >left
tap_empty "no temporary file stays behind" left
(trap '' HUP && exec "$yoke" trace sh -c 'kill -HUP $PPID; kill -HUP $$; exit 9') >out 2>err </dev/null
[ $? -eq 9 ]
tap_ok $? "what nohup has the program ignore is ignored"
if env --block-signal=USR1 --ignore-signal=CHLD true 2>/dev/null; then # a shell's trap does not do all of it
    ordered="env --block-signal=USR1 --block-signal=ALRM --ignore-signal=USR2"
    $ordered grep -E 'Sig(Blk|Ign)' /proc/self/status >expected
    $ordered "$yoke" trace grep -E 'Sig(Blk|Ign)' /proc/self/status >out 2>err
    tap_try "a program starts with the signals that the caller has blocked or ignored" cmp expected out
    # What libtool has for a program that is not installed may be a script of a shell that does not pass this on.
    env --ignore-signal=CHLD "$yoke" trace sh -c 'exit 9' >out 2>err
    [ $? -eq 9 ]
    tap_ok $? "the exit code comes where the caller ignores SIGCHLD"
else
    tap_skip "signals that the caller has blocked or ignored: env does not do that"
fi
(ulimit -f 4 && exec "$yoke" trace --read "many.json" --svg large.svg) >out 2>err
[ $? -eq 1 ]
tap_ok $? "a limit for the size of files, and a picture: exit code 1"
says "cannot write large.svg: File too large"
run 1 "a program without a device, and a file that is not there yet" trace --out new.json true
says "the trace is empty"
TMPDIR=$PWD/absent run 1 "a folder for temporary files that is not there" trace touch ran
says "no folder for temporary files can be made in $PWD/absent: No such file or directory; TMPDIR names another place"
[ ! -e ran ]
tap_ok $? "and the program is not run in vain"
unset TMPDIR

[ -f $vendors/pocl.icd ] || { tap_skip "with PoCL: there is no $vendors/pocl.icd" && tap_done; }
use pocl
export POCL_DEVICES=pthread

run 0 "a program" trace --out trace.json --svg trace.svg "$examples/pipeline"
says "pipeline: 24 chunks through 3 streams"
says "52 copies between host and device"
says "52 host functions" # two chunks are timed first
[ "$(grep -c '"cat":"launch"' trace.json)" -ge 24 ]
tap_ok $? "with each of the launches"
grep '"cat":"launch"' trace.json | grep -v '"where":"[^"]*pipeline\.c:[0-9]' >nowhere.txt
tap_empty "and where it is in the program" nowhere.txt
# Each trouble is found where it is, and only there.
# finds MODE WORDS SILENT...
finds() {
    run 0 "trouble $1" trace --out "$1.json" --svg "$1.svg" "$trouble" "$1"
    says "$2"
    shift 2
    for other in "$@"; do
        silent "$other"
    done
}
mapped="This device works in the machine's memory: a buffer of YOKE_MEMORY_MAPPED"
finds pageable "1 copy between host and device, 8 MiB at" " waited " " ran while no device worked" "pageable"
says "$mapped"
finds call "1 host function ran while no device worked" " waited " "pageable"
finds waits "stream 2 waited " "pageable"
finds none "$mapped" "pageable" " waited " " ran while no device worked" "missing"
finds pause "the program had enqueued nothing, the longest time "
says "ms from the program's start to its end"
says "opening opencl:0"

# A first launch, with nothing in any cache. Unasked, PoCL's programs are stored later.
kept=$POCL_CACHE_DIR kept_yoke=$YOKE_CACHE_DIR
export POCL_CACHE_DIR="$tap_folder/pocl" YOKE_CACHE_DIR="$tap_folder/yoke" YOKE_CACHE=on
finds first "the first launch of advance took "
says "building advance (compiled). A later run finds a compiled program in the cache"
run 0 "the same again" trace --out again.json "$trouble" first
counts 1 '"how":"from the cache"' again.json "the program is from the cache"
export POCL_CACHE_DIR="$kept" YOKE_CACHE_DIR="$kept_yoke"
unset YOKE_CACHE

export POCL_DEVICES="pthread pthread"
finds devices "stream 1 of opencl:1 waited "
says "1 copy between devices"
counts 1 "class='arrow'" devices.svg "an arrow goes from one device to the other"
counts 2 ">stream 1: on the host<" devices.svg "copies between devices and waits have rows of their own"
export POCL_DEVICES=pthread

# A program that dies leaves what it has finished.
run 134 "a program that aborts" trace --out abort.json "$trouble" abort
says "The program was ended by signal 6 (Aborted): what was under way is missing"
says "1 copy or fill on the device"
run 0 "the same, read later" trace --read abort.json
says "ended by signal 6"
mkdir parts
export TMPDIR="$PWD/parts"
# shellcheck disable=SC2016
run 0 "a program that starts another" trace sh -c '"$0" none & "$0" none; wait' "$trouble"
unset TMPDIR
ls parts >left
tap_empty "no temporary file of either stays behind" left
run 0 "a program that ends by _exit" trace "$trouble" exit
says "ended without its exit handlers"
says "1 copy or fill on the device"
export YOKE_TRACE=mine.json
run 0 "YOKE_TRACE of the caller" trace "$trouble" none
says "YOKE_TRACE=mine.json is not used here; --out mine.json keeps the trace there"
unset YOKE_TRACE
if has_json; then
    for file in trace abort devices first; do
        "$json_check" "$source/tools/schema/trace.json" <$file.json >faults
        tap_empty "the trace $file.json is as its schema says" faults
    done
else
    tap_skip "the traces' schema: configure found no libjansson"
fi
# In each row everything begins where what was before has ended; a microsecond is what the stamps of both may differ by.
sed -n 's/^.*"pid":\([0-9]*\),"tid":\([0-9]*\),"ts":\([-0-9.]*\),"dur":\([0-9.]*\).*$/\1.\2 \3 \4/p' trace.json |
    sort -k 1,1 -k 2,2n | awk '$1 == row && $2 < end - 1 { print } { row = $1; end = $2 + $3 }' >overlapping
tap_empty "what is in one stream does not overlap" overlapping
if command -v xmllint >/dev/null; then
    xmllint --noout trace.svg first.svg waits.svg devices.svg 2>err
    tap_ok $? "the pictures are XML"
else
    tap_skip "no xmllint to look at the picture with"
fi

YOKE_TRACE=$PWD/two.json "$examples/vector_add" >/dev/null && YOKE_TRACE=$PWD/%p.json "$examples/vector_add" >/dev/null
tap_ok $? "a program runs with YOKE_TRACE alone"
run 0 "whose trace can be read" trace --read two.json
[ "$(find . -name '[0-9]*.json' | wc -l)" -eq 1 ]
tap_ok $? "%p is the number of the process"

# A file that takes no more, as on a full disk: 8 KiB, or 16 where a shell counts so.
(
    ulimit -f 16
    YOKE_TRACE=$PWD/full.json exec "$trouble" many
) >out 2>err
tap_ok $? "a program whose trace gets no more room goes on"
says "all is done"
says "yoke: warning: the trace ends "
says "$PWD/full.json takes no more: File too large; its first "
says "make room there, or name a file of another disk in YOKE_TRACE"
counts 1 "the trace ends" err "which it says once"
said=$(sed -n 's/^.*its first \([0-9]*\) entries.*$/\1/p' err)
[ "$(grep -c '^{' full.json)" -eq "$said" ]
tap_ok $? "so many entries are there ($said)"
run 0 "what is there can be read" trace --read full.json
says "The trace has no end"
(
    ulimit -f 16
    exec "$yoke" trace "$trouble" many
) >out 2>err
tap_ok $? "yoke trace of such a program"
# limited OPTION...: yoke trace where only the program may write files of any size
limited() {
    {
        # shellcheck disable=SC2016,SC3045
        (ulimit -S -f 1 && exec "$yoke" trace "$@" sh -c 'ulimit -S -f unlimited && exec "$1" many' sh "$trouble")
        echo $? >code
    } 2>&1 >out | cat >err
}
limited
[ "$(cat code)" -eq 0 ]
tap_ok $? "yoke trace where only the program may write as much"
says "the trace does not get when the program began and ended: File too large"
says "copies and fills on the device"
mkdir limited
TMPDIR=$PWD/limited limited --svg limited.svg
[ "$(cat code)" -eq 1 ]
tap_ok $? "and with a picture: exit code 1"
says "cannot write limited.svg: File too large"
tap_try "no temporary file stays behind" rmdir limited

# A device's clock that is slower than the host's.
if [ -e "$double/libcuda.so.1" ]; then
    LD_LIBRARY_PATH=$double YOKE_CUDA_DOUBLE_CLOCK=99 YOKE_BACKEND=cuda YOKE_TRACE=$PWD/clock.json "$trouble" first >out 2>err
    tap_ok $? "a program on a device whose clock gets to 99 when the host's gets to 100"
    sed -n 's/^.*"ts":\([-0-9.]*\),"dur":\([0-9.]*\),.*"cat":"launch".*"enqueued":\([0-9.]*\).*$/\1 \2 \3/p' clock.json >launches
    [ "$(wc -l <launches)" -eq 10 ]
    tap_ok $? "its ten launches are traced"
    awk '$1 < $3' launches >wrong
    tap_empty "none begins before it was enqueued" wrong
else
    tap_skip "a slow clock: the CUDA double is not built"
fi

# A file that is not the user's to write to, no file, or a file of another kind is reported, and the program goes on.
mkfifo pipe
ln -s two.json link.json
for bad in absent/trace.json pipe link.json notes.txt settings.json; do
    YOKE_TRACE=$PWD/$bad "$examples/vector_add" >out 2>err && grep -q "there is no trace: YOKE_TRACE" err
    tap_ok $? "$bad is reported, and the program goes on"
done
says "settings.json, which must be a new file or an older trace of this user: it is no trace, and stays as it is"
[ "$(cat notes.txt)" = "my notes" ] && grep -q "my settings" settings.json
tap_ok $? "what is no trace stays as it is"
cp many.json old.json
: >empty.json
for old in old.json two.json empty.json; do
    YOKE_TRACE=$PWD/$old "$examples/vector_add" >out 2>err
    counts 1 '"name":"clock"' $old "but an older trace is replaced: $old"
done
counts 0 '"name":"k1"' old.json "with nothing left of it"
tap_done
