#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# yoke trace, and the traces that YOKE_TRACE writes: complete JSON, with every operation of a known program, each after the
# previous operation of its stream, and a drawing that is valid XML.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
examples=$PWD/examples trouble=$PWD/tests/tools/trouble
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"

run 2 "no command" trace
run 2 "a command and a trace that is there" trace --read trace.json true
run 2 "an unknown option" trace --no-such true
"$yoke" trace --read absent.json >out 2>err
if grep -q jansson err; then
    tap_skip "yoke was built without jansson, so it reads no trace"
    tap_done
fi
run 127 "a command that is not there" trace ./absent
says "cannot start"
run 1 "a program that opens no device" trace true
says "opened no device with Yoke"
run 7 "the program's own exit code" trace sh -c 'exit 7'
run 1 "a trace that is not there" trace --read absent.json
echo '{"a":1}' >other.json
run 1 "JSON of something else" trace --read other.json
says "not an array of events"
echo '[1, {"ph":"X"}, {"ph":"X","ts":"x","args":[]}, {"ph":"M","name":"thread_name","args":7}]' >odd.json
run 0 "events that make no sense are no crash" trace --read odd.json

# event ROW KIND BEGIN LENGTH
event() {
    echo "{\"ph\":\"X\",\"pid\":1,\"tid\":$1,\"cat\":\"$2\",\"ts\":$3,\"dur\":$4,\"args\":{\"where\":\"a.c:$1\"}}"
}
echo "[$(event 1 launch 0 1000), $(event 2 'host function' 200 500)]" >covered.json
run 0 "a host function beside a kernel" trace --read covered.json
says "1.000 ms in all, 1.000 ms of them with work on the device"
says "nothing that took one hundredth of the time"
echo "[$(event 1 launch 0 400), $(event 2 'host function' 200 500), $(event 1 launch 700 300)]" >uncovered.json
run 0 "a host function beside one for a part of its time" trace --read uncovered.json
says "1 host function of a.c:2 ran for 0.300 ms while the device was idle"
says "the device was idle for 0.300 ms"
run 1 "a folder for the trace that is not there" trace --out absent/trace.json touch ran
says "cannot write absent/trace.json: No such file"
mkfifo nowhere
run 1 "a trace that is to be no file" trace --out nowhere touch ran
says "a regular file"
run 1 "a picture that cannot be written" trace --svg absent/picture.svg touch ran
says "cannot write absent/picture.svg: No such file"
[ ! -e ran ]
tap_ok $? "and the program is not run in vain"

[ -f $vendors/pocl.icd ] || { tap_skip "with PoCL: there is no $vendors/pocl.icd" && tap_done; }
use pocl
export POCL_DEVICES=pthread

run 0 "a program" trace --out trace.json --svg trace.svg "$examples/pipeline"
says "pipeline: 24 chunks through 3 streams"
says "24 kernels"
says "48 copies between host and device"
says "48 host functions"
"$json_check" "$source/tools/schema/trace.json" <trace.json >faults
tap_empty "the trace is as its schema says" faults
[ "$(grep -c '"cat":"launch"' trace.json)" -eq 24 ]
tap_ok $? "with each of the launches"
[ "$(grep '"cat":"launch"' trace.json | grep -c '"where":"[^"]*pipeline\.c:[0-9]')" -eq 24 ]
tap_ok $? "and where it stands"
# Each trouble is found where it is, and only there. (That a pinned copy is slow, too, is PoCL's.)
# finds MODE WORDS SILENT...
finds() {
    run 0 "trouble $1" trace "$trouble" "$1"
    says "$2"
    shift 2
    for other in "$@"; do
        silent "$other"
    done
}
finds pageable "1 copy of pageable memory, 8 MiB" " waited " "host function"
finds call "1 host function of " " waited " "pageable"
finds waits "stream 2 waited " "pageable"
finds none "1 copy between host and device" "pageable" " waited " "host function"
# In each row everything begins where what was before has ended; a microsecond is what the stamps of both may differ by.
sed -n 's/^.*"pid":\([0-9]*\),"tid":\([0-9]*\),"ts":\([-0-9.]*\),"dur":\([0-9.]*\).*$/\1.\2 \3 \4/p' trace.json |
    sort -k 1,1 -k 2,2n | awk '$1 == row && $2 < end - 1 { print } { row = $1; end = $2 + $3 }' >overlapping
tap_empty "what is in one stream does not overlap" overlapping
if command -v xmllint >/dev/null; then
    xmllint --noout trace.svg 2>err
    tap_ok $? "the picture is XML"
else
    tap_skip "no xmllint to look at the picture with"
fi

YOKE_TRACE=$PWD/two.json "$examples/vector_add" >/dev/null && YOKE_TRACE=$PWD/%p.json "$examples/vector_add" >/dev/null
tap_ok $? "a program runs with YOKE_TRACE alone"
run 0 "whose trace can be read" trace --read two.json
[ "$(find . -name '[0-9]*.json' | wc -l)" -eq 1 ]
tap_ok $? "%p is the number of the process"

# A file that is not the user's to write to, or no file, is told of, and the program goes on.
mkfifo pipe
ln -s two.json link.json
for bad in absent/trace.json pipe link.json; do
    YOKE_LOG=error YOKE_TRACE=$PWD/$bad "$examples/vector_add" >out 2>err && grep -q "YOKE_TRACE" err
    tap_ok $? "$bad is told of, and the program goes on"
done
tap_done
