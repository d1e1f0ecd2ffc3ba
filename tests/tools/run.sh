# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# What the tests of the tool share; they source it after tap.sh. The tool sees only OpenCL, and only the drivers in the folder
# `icds`.

yoke=$PWD/tools/yoke json_check=$PWD/tests/tools/json_check bad=$PWD/tests/tools/.libs/bad_icd.so
source=$(cd "$top_srcdir" && pwd)
vendors=/etc/OpenCL/vendors
unset OCL_ICD_FILENAMES OPENCL_VENDOR_PATH YOKE_DEVICE RUSTICL_ENABLE
export LC_ALL=C NO_COLOR=1 YOKE_BACKEND=opencl
cd "$tap_folder" || exit 1
mkdir icds
export OCL_ICD_VENDORS="$tap_folder/icds/" # the loader of CUDA's toolkit wants the slash

# run CODE TEXT ARGUMENT...: a case, passed when yoke exits so. What it said is in the files out and err.
run() {
    expected=$1 run_text=$2
    shift 2
    "$yoke" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$expected" ]
    tap_ok $? "$run_text: exit code $expected ($got)"
    [ "$got" -eq "$expected" ] || { tap_tell out && tap_tell err; }
}

# says WORDS: it said them, on either output. Lines are broken where a person would.
says() {
    cat out err | tr '\n' ' ' | tr -s ' ' | grep -qF -- "$1"
    said=$?
    tap_ok $said "says: $1"
    [ $said -eq 0 ] || { tap_tell out && tap_tell err; }
}

# silent WORDS: it did not say them.
silent() {
    ! cat out err | tr '\n' ' ' | tr -s ' ' | grep -qF -- "$1"
    tap_ok $? "does not say: $1"
}

# fits SCHEMA: what it printed is JSON of this schema.
fits() {
    if [ -x "$json_check" ]; then
        cp out document
        "$json_check" "$source/tools/schema/$1.json" <document >faults 2>&1
        tap_ok $? "its JSON is what schema/$1.json says"
        tap_tell faults
    else
        tap_skip "its JSON: configure found no libjansson"
    fi
}

# use NAME...: PoCL, when it is installed, is `pocl`; the others are broken drivers.
use() {
    rm -f icds/*
    for icd in "$@"; do
        case $icd in
        pocl) cp "$vendors/pocl.icd" icds/pocl.icd ;;
        *)
            cp "$bad" "$tap_folder/libbad-$icd.so"
            echo "$tap_folder/libbad-$icd.so" >"icds/$icd.icd"
            ;;
        esac
    done
}

has_json() {
    [ -x "$json_check" ]
}
