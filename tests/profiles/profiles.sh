#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# PoCL as other devices: what a device gets has to be right, or refused with the reason. Without arguments, three devices that
# differ most; with names, these; with `all`, all, for half an hour of a processor. `record` writes the table of
# doc/where-it-runs.md.

. "$top_srcdir/tests/tap/tap.sh"

here=$top_srcdir/tests/profiles page=$top_srcdir/doc/where-it-runs.md
layer=$PWD/tests/profiles/.libs/profile.so icd=/etc/OpenCL/vendors/pocl.icd
programs='conformance/buffer conformance/kernel conformance/launch conformance/image conformance/event conformance/arguments
    conformance/kernels ops/call/options ops/repeat'
examples='histogram statistics'
loader=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | sed -n 's/.*libOpenCL\.so\.1 .* => //p' | head -n 1)
[ -f "$icd" ] || tap_skip_all "there is no $icd (package pocl-opencl-icd)"
[ -f "$layer" ] || tap_skip_all "there is no $layer: a build with --disable-shared"
{ [ -n "$loader" ] && grep -q OPENCL_LAYERS "$loader"; } ||
    tap_skip_all "the OpenCL loader takes no layers (package ocl-icd-libopencl1)"

# PoCL compiles kernels in half the time when it does not optimise them; what they compute is tested elsewhere.
export OCL_ICD_VENDORS="$icd" YOKE_BACKEND=opencl YOKE_CACHE=read YOKE_TEST_SHORT=1 POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
unset OCL_ICD_FILENAMES

# under PROFILE COMMAND...
under() {
    profile=$1
    shift
    OPENCL_LAYERS=$layer YOKE_PROFILE=$here/$profile.txt "$@"
}

# fact PROFILE KEY
fact() {
    sed -n "s/^\(assumed \)\{0,1\}$2 //p" "$here/$1.txt"
}

# What Yoke says of a device that it cannot use; "" when it can.
refusal() {
    case $(fact "$1" CL_DEVICE_VERSION) in
    'OpenCL 1.0'* | 'OpenCL 1.1'*) echo "OpenCL 1.2 or later is needed" ;;
    *) [ "$(fact "$1" CL_DEVICE_ADDRESS_BITS)" = 64 ] || echo "its addresses have 32 bits" ;;
    esac
}

# info PROFILE: as the device is called there, or why it is not used.
info() {
    wanted=$(refusal "$1")
    [ -n "$wanted" ] || wanted=$(fact "$1" CL_DEVICE_NAME | cut -c 1-20)
    under "$1" tools/yoke info --all >"$tap_folder/info" 2>&1
    tr -s ' \n' ' ' <"$tap_folder/info" | grep -qF -- "$wanted" || { echo "no '$wanted' in:" && cat "$tap_folder/info" && false; }
}

# suite PROFILE PROGRAM: no case fails. What is skipped for the device's sake is told.
suite() {
    under "$1" "tests/$2" >"$tap_folder/suite" 2>&1
    got=$?
    grep '# SKIP' "$tap_folder/suite" | sed 's/^ok [0-9]* //' | cut -c 1-160 >"$tap_folder/skipped"
    [ "$got" -eq 0 ] || { grep -v '^ok' "$tap_folder/suite" | cut -c 1-300 && false; }
}

# unlike PROFILE PROGRAM: why PoCL cannot stand for the device there; "" when it can.
unlike() {
    [ -n "$(fact "$1" PROFILE_ALIGNMENT)" ] || return
    case $2 in
    conformance/buffer) echo "PoCL takes no sub-buffers at any offset, as NVIDIA's driver does" ;;
    ops/* | statistics) echo "operations use kernels there of which parts are PTX" ;;
    esac
}

# ---- The table ----

# lacks PROFILE: of what some devices have.
lacks() {
    words=
    case " $(fact "$1" CL_DEVICE_EXTENSIONS) " in *' cl_khr_fp64 '*) ;; *) words="double" ;; esac
    case " $(fact "$1" CL_DEVICE_EXTENSIONS) " in
    *' cl_khr_int64_base_atomics '*) ;;
    *) words="${words:+$words, }64-bit atomics" ;;
    esac
    case " $(fact "$1" CL_DEVICE_SINGLE_FP_CONFIG) " in
    *' DENORM '*CORRECTLY_ROUNDED*) ;;
    *) words="${words:+$words, }exact float" ;;
    esac
    case $(fact "$1" CL_DEVICE_QUEUE_PROPERTIES) in *PROFILING* | 3) ;; *) words="${words:+$words, }timing" ;; esac
    case $(fact "$1" CL_DEVICE_SVM_CAPABILITIES) in *COARSE*) ;; *) words="${words:+$words, }managed memory" ;; esac
    [ "$(fact "$1" CL_DEVICE_IMAGE_SUPPORT)" = yes ] || words="${words:+$words, }images"
    echo "${words:--}"
}

# kernels PROFILE: those of operations; the limits are those of ops/call/program.c.
kernels() {
    case $(fact "$1" CL_DEVICE_TYPE) in CPU) echo "of CPUs" && return ;; esac
    if [ "$(fact "$1" CL_DEVICE_MAX_WORK_GROUP_SIZE)" -lt 256 ] || [ "$(fact "$1" CL_DEVICE_LOCAL_MEM_SIZE)" -lt 32768 ]; then
        echo "of CPUs: it is small"
    else
        echo "of GPUs"
    fi
}

row() {
    device=$(sed -n '1s/^# //p' "$here/$1.txt")
    why=$(refusal "$1")
    if [ -n "$why" ]; then
        echo "| $device | | | | refused: $why |"
    else
        threads=$(fact "$1" CL_DEVICE_MAX_WORK_GROUP_SIZE) shared=$(fact "$1" CL_DEVICE_LOCAL_MEM_SIZE)
        echo "| $device | $threads | $((shared / 1024)) | $(lacks "$1") | $(kernels "$1") |"
    fi
}

table() {
    echo "| device, and its driver | threads in a block | shared memory, KiB | lacks | kernels of operations |"
    echo "|---|---|---|---|---|"
    for profile in $all; do
        row "$profile"
    done
}

all=$(cd "$here" && for file in *.txt; do echo "${file%.txt}"; done)
begin='<!-- profiles of devices: begin -->' end='<!-- profiles of devices: end -->'
in_page() {
    sed -n "/^$begin\$/,/^$end\$/p" "$page" | sed '1d; $d'
}

if [ "${1-}" = record ]; then
    table >"$tap_folder/table"
    sed -e "/^$begin\$/r $tap_folder/table" -e "/^$begin\$/,/^$end\$/{ /^<!--/!d; }" "$page" >"$tap_folder/page" &&
        cat "$tap_folder/page" >"$page"
    exit
fi

# ---- The cases ----

case ${1-} in
'') chosen='smallest adreno-750 firepro-s7150' ;;
all) chosen=$all ;;
*) chosen=$* ;;
esac

table >"$tap_folder/table"
in_page | diff - "$tap_folder/table" >"$tap_folder/differences"
tap_empty "the page's table has every device ('profiles.sh record' writes it)" "$tap_folder/differences"

for name in $chosen; do
    tap_try "$name: yoke info" info "$name"
    [ -z "$(refusal "$name")" ] || continue
    for program in $programs; do
        why=$(unlike "$name" "$program")
        if [ -n "$why" ]; then
            tap_skip "$name: $program: $why"
            continue
        fi
        tap_try "$name: $program" suite "$name" "$program"
        tap_tell "$tap_folder/skipped"
    done
    for example in $examples; do
        [ -z "$(unlike "$name" "$example")" ] || continue
        tap_try "$name: the example $example" under "$name" "examples/$example"
    done
done
tap_done
