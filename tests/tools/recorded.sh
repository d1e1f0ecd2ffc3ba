#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# YOKE_RECORD, and yoke cc --replay: which launches are kept, what is in a record, that it is run again with the same results on
# PoCL and on the CUDA double; and records that somebody has changed.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
double=$PWD/tests/cuda-double/.libs recorded=$PWD/tests/tools/recorded
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"
export YOKE_CACHE_DIR="$tap_folder/cache" YOKE_CACHE=on

[ -f $vendors/pocl.icd ] || { tap_skip "with PoCL: there is no $vendors/pocl.icd" && tap_done; }
use pocl
export POCL_DEVICES=pthread

# keep FOLDER: run the program, whose records go there.
keep() {
    YOKE_LOG=${YOKE_LOG-warning} YOKE_RECORD=$1 "$recorded" kernels.yk >out 2>err
    tap_ok $? "records to $1"
}

# ---- What is kept ----

keep first
find first -name '*.json' | sort | tr '\n' ' ' >names
tap_ok "$(grep -qx 'first/blend@1.json first/maybe@1.json first/twice@1.json ' names; echo $?)" "the first launch of each kernel"
YOKE_RECORD_KERNELS=blend@3,twice@2,twice@3,other keep chosen
find chosen -name '*.json' | sort | tr '\n' ' ' >names
tap_ok "$(grep -qx 'chosen/blend@3.json chosen/twice@3.json ' names; echo $?)" "those that are named"
says "launch 2 of kernel 'twice' is not recorded: two of its buffers share a part of their memory"
YOKE_RECORD_KERNELS=twice@3 YOKE_RECORD_LIMIT=1 keep limited
tap_ok "$([ -z "$(find limited -name '*.json')" ]; echo $?)" "no larger launch than the limit"
says "its buffers are larger than YOKE_RECORD_LIMIT"
YOKE_TRACE=$PWD/trace.json keep traced
says "one of them is obeyed at a time"
mkdir open && chmod 777 open
keep open
says "users other than the owner may write to the folder"
tap_ok "$([ -z "$(find open -name '*.json')" ]; echo $?)" "and nothing is written there"
echo >file
keep file
says "Not a directory"
ln -s first link
keep link
says "it is a link"
if has_json; then
    run 0 "replayed by the driver that recorded" cc --replay first --kernel blend kernels.yk
    says "kernel blend, recorded on opencl"
    says "y 64 elements equal"
    says "The results are the recorded ones"
    run 0 "the same buffer twice" cc --replay first --kernel twice kernels.yk
    says "x 64 elements equal"
    run 0 "a null pointer" cc --replay first --kernel maybe kernels.yk
    says "y 64 elements equal"
    run 0 "all of a folder" cc --replay chosen kernels.yk
    sed 's/a \* own/2 * own/' kernels.yk >other.yk
    run 1 "another kernel" cc --replay first --kernel blend other.yk
    says "y 64 elements 6"
    says "The results differ from the recorded ones in 1 buffer"
    sed 's/void twice/void thrice/' kernels.yk >other.yk
    run 0 "a kernel that the files do not have" cc --replay first other.yk
    says "not in these files"
    run 1 "none of the kernels" cc --replay first/twice@1.json other.yk
    says "nothing was run: no record is of a kernel of these files"
    run 1 "a kernel of no record" cc --replay first --kernel absent kernels.yk
    says "nothing was run: no record is of that kernel of these files"
    run 2 "no records" cc --replay open kernels.yk
    run 2 "no folder" cc --replay absent kernels.yk
    run 2 "with --run" cc --run --replay first kernels.yk
    run 2 "options of --run" cc --replay first --size n=3 kernels.yk
    says "--size is for --run"

    # ---- Records that somebody has changed ----

    # refuses WORDS SCRIPT: a record, edited so, is refused with these words.
    refuses() {
        sed "$2" first/blend@1.json >first/bad.json
        ! cmp -s first/blend@1.json first/bad.json
        tap_ok $? "changes: $2"
        run 2 "a record: $1" cc --replay first/bad.json kernels.yk
        says "$1"
    }
    refuses "it is no JSON" '$d'
    refuses "it is no record of a launch" 's/"launch_record": 1/"launch_record": 2/'
    refuses "not the shape of a launch" 's/"grid": \[2,/"grid": [0,/'
    refuses "not the shape of a launch" 's/"block": \[32, 1, 1\]/"block": [32, 1]/'
    refuses "an argument has no size" 's/"size": 256/"size": -1/'
    refuses "an argument has no size" 's/"size": 256/"size": 9223372036854775807/'
    refuses "not the contents that its name and the record say" 's/"size": 256/"size": 257/'
    refuses "File too large" 's/"size": 256/"size": 255/'
    refuses "a buffer names no contents" 's|"before": "..|"before": "../|'
    refuses "a buffer names no contents" 's|"after": "|"after": "/etc/passwd|'
    refuses "a buffer is the same as one that does not come before it" 's/"before"/"same": 0, "before"/'
    refuses "a value has a size that no value has" 's/"size": 4,/"size": 3,/'
    refuses "a value has not the bytes of its size" 's/"value": "../"value": "/'
    refuses "a value has not the bytes of its size" 's/"value": "./"value": "g/'
    refuses "an argument is of a kind that no record has" 's/"kind": "struct"/"kind": "image"/'
    refuses "No such file" 's/"before": "../"before": "ff/'
    contents=$(sed -n 's/.*"before": "\([0-9a-f]*\)".*/\1/p' first/blend@1.json | head -n 1)
    cp "first/$contents.bin" whole
    printf 'x' | dd of="first/$contents.bin" conv=notrunc 2>/dev/null
    run 2 "contents that are others" cc --replay first/blend@1.json kernels.yk
    says "not the contents that its name and the record say"
    rm "first/$contents.bin" && mkfifo "first/$contents.bin"
    run 2 "contents that are a pipe" cc --replay first/blend@1.json kernels.yk
    rm "first/$contents.bin" first/bad.json
    cp whole "first/$contents.bin"
else
    tap_skip "yoke cc --replay: configure found no libjansson"
fi

# ---- The CUDA double ----

if [ "$CXX" = no ] || [ ! -f "$double/libcuda.so.1" ]; then
    tap_skip "the double of CUDA is not here, or has no C++ compiler"
    tap_done
fi
unset YOKE_BACKEND
export LD_LIBRARY_PATH="$double${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
YOKE_BACKEND=cuda keep cuda
if has_json; then
    run 0 "recorded on CUDA, replayed on both" cc --replay cuda kernels.yk
    says "kernel blend, recorded on cuda"
    says "kernels.yk on cuda:0"
    says "kernels.yk on opencl:0"
    run 0 "recorded on OpenCL, replayed on both" cc --replay first kernels.yk
fi
tap_done
