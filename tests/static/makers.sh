#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Texts of kernels, by the compilers of drivers for GPUs that nobody here has: Intel's (ocloc, with IGC), and AMD's device libraries
# with the clang that they need. Neither wants a GPU. makers.txt holds what became of each kernel; one that spills, or takes scratch
# memory, where it did not is a failure. In a build folder, with top_srcdir=..:
#
#   sh ../tests/static/makers.sh install    fetches Debian's packages into makers/, and registers no driver
#   sh ../tests/static/makers.sh            one GPU of each, and the first set of macros of each text: a minute
#   sh ../tests/static/makers.sh all        all GPUs, with every set: a quarter of an hour
#   sh ../tests/static/makers.sh record     the same, and writes makers.txt anew
#   sh ../tests/static/makers.sh record TEXT...     those texts alone, "ranks.yk top.yk": the others keep their rows
#   sh ../tests/static/makers.sh newer      gfx1100, which Debian 12's libraries lack, by clang 17 of Debian 13, which it fetches
#                                           into makers/newer: the first set of macros of each text, beside the table
#
# A text is left out where it needs what the GPU lacks, which `lacks` sees by its own words, and where it is for CPUs or NVIDIA's
# GPUs alone, which it says ("// devices: cpu", "// devices: nvidia"), or its macros (CPU=1).

# Each process that compiles has a $tap_folder of its own.
# shellcheck disable=SC2030,SC2031
# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
# shellcheck source=tests/static/texts.sh
. "$top_srcdir/tests/static/texts.sh"

build=$PWD
table=$top_srcdir/tests/static/makers.txt
intel_targets='skl tgllp dg2 pvc'
amd_targets='gfx906 gfx90a gfx1030'
some_targets='dg2 gfx1030'
packages='intel-opencl-icd libigc1 libigdfcl1 libopencl-clang14 libllvmspirvlib14 rocm-device-libs'
newer_packages='rocm-device-libs-17 clang-17 libclang-common-17-dev libclang-cpp17t64 libllvm17t64 libc6 libedit2 libffi8
    libbsd0 libgcc-s1 libicu76 liblzma5 libmd0 libstdc++6 libtinfo6 libxml2 libz3-4 libzstd1 zlib1g'
newer=
flags='-cl-std=CL1.2 -cl-kernel-arg-info -cl-fp32-correctly-rounded-divide-sqrt'

# Packages of Debian 12, unpacked and not installed: then no program here sees Intel's driver, which would find no GPU.
install() {
    rm -rf makers # what an install that failed has left
    mkdir -p makers/packages
    cd makers/packages || return 1
    # shellcheck disable=SC2086
    apt-get download $packages || return 1
    for package in *.deb; do
        dpkg -x "$package" .. || return 1
    done
    : >../fetched
}

# Packages of Debian 13, with the C library that its programs need, by an apt of their own: the system's lists stay as they are.
install_newer() {
    rm -rf makers/newer
    mkdir -p makers/newer/apt/lists/partial makers/newer/apt/archives/partial
    cd makers/newer/apt || return 1
    echo 'deb http://deb.debian.org/debian trixie main' >sources.list
    own="-o Dir::Etc::sourcelist=$PWD/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/lists -o Dir::Cache=$PWD"
    # shellcheck disable=SC2086
    apt-get $own -o Acquire::Languages=none -q update && apt-get $own -q download $newer_packages || return 1
    for package in *.deb; do
        dpkg -x "$package" .. || return 1
    done
    : >../fetched
}

# run_clang OPTION...: for AMD, the clang that its device libraries need.
run_clang() {
    if [ -n "$newer" ]; then
        "$newer/usr/lib64/ld-linux-x86-64.so.2" --library-path "$newer/usr/lib/x86_64-linux-gnu:$newer/usr/lib/llvm-17/lib" \
            "$newer/usr/lib/llvm-17/bin/clang" -resource-dir "$newer/usr/lib/llvm-17/lib/clang/17" -fintegrated-cc1 "$@"
    else
        clang-15 "$@"
    fi
}

# installed PATH: where it is, unpacked or installed.
installed() {
    for path in "$build/makers/usr/$1" "/usr/$1"; do
        [ ! -e "$path" ] || { echo "$path" && return; }
    done
    return 1
}

run_ocloc() {
    LD_LIBRARY_PATH=$build/makers/usr/lib/x86_64-linux-gnu "$ocloc" "$@" </dev/null
}

# Whether both are here, and compile something: the packages are without LLVM's library, which Debian's clang brings.
find_compilers() {
    echo '__kernel void nothing(void) {}' >"$tap_folder/nothing.cl"
    ocloc=$(installed bin/ocloc) && bitcode=$(installed lib/x86_64-linux-gnu/amdgcn/bitcode) &&
        by_intel skl "$tap_folder/nothing" "$tap_folder/nothing.cl" >/dev/null &&
        by_amd gfx906 "$tap_folder/nothing" "$tap_folder/nothing.cl" >/dev/null
}

is_intel() {
    case " $intel_targets " in *" $1 "*) return 0 ;; esac
    return 1
}

# What compilers these are: those of other versions spill elsewhere. ocloc writes its own to a file.
compilers() (
    cd "$tap_folder" && run_ocloc query OCL_DRIVER_VERSION >/dev/null 2>&1
    echo "ocloc $(tr -d ' ' <OCL_DRIVER_VERSION), $(clang-15 --version | sed -n 's/^.*clang version \([0-9.]*\).*/clang \1/p')"
)

# is_for_others NAME SET: for none of these GPUs.
is_for_others() {
    case " $2 " in *' CPU=1 '*) return 0 ;; esac
    grep -qE '^// devices: (cpu|nvidia)$' "$top_srcdir"/ops/*/"$1" 2>/dev/null
}

# is_wanted NAME: all texts are, but for a record of some.
is_wanted() {
    case "${wanted:- $1 }" in *" $1 "*) return 0 ;; esac
    return 1
}

# recorded TARGET NAME SET: the rows that the table has, as `one` adds them.
recorded() {
    LC_ALL=C awk -F ' [|] ' -v target="$1" -v name="$2" -v set="$3" '
        $1 == "text" { for (i = 4; i <= NF; i++) if ($i == target) column = i }
        column && $1 == name && $2 == set && $column != "-" { print $1 " | " $2 " | " $3 " | " $column }' "$table"
}

# lacks TARGET SET FILE: it needs double, which Intel's Xe-LP and Xe-HPG have not, or images, which CDNA has not.
lacks() {
    case $1 in
    tgllp | dg2) echo "$2" | grep -q 'NEED_F64=1' || grep -q 'cl_khr_fp64' "$3" ;;
    gfx90a) grep -q 'image2d_t' "$3" ;;
    *) false ;;
    esac
}

# The compilers: TARGET FOLDER FILE OPTION..., which print KERNEL WIDTH:REGISTERS:SPILLS:SCRATCH:LOCAL for each kernel. Scratch, of
# Intel's, is that of a hardware thread, and of AMD's that of a work-item; width is how many work-items run as one.
by_intel() {
    target=$1 folder=$2 file=$3
    shift 3
    rm -rf "$folder"
    mkdir -p "$folder/info"
    run_ocloc compile -file "$file" -device "$target" -out_dir "$folder" -output text --format zebin -options "$flags $*" \
        >"$folder/log" 2>&1 || return 1
    run_ocloc disasm -file "$folder"/*.bin -dump "$folder/info/" >/dev/null 2>&1
    [ -f "$folder/info/.ze_info" ] || return 0 # a text without kernels
    LC_ALL=C awk '
        function tell() {
            if (name != "")
                print name, width ":" registers ":" spills[name] + 0 ":" scratch ":" local
            name = ""
            width = registers = scratch = local = memory = 0
        }
        FILENAME == ARGV[1] { if (/ spilled around /) for (i = 1; i < NF; i++) if ($i == "kernel") spills[$(i + 1)] = $NF; next }
        /^[a-z]/ { tell(); kernels = /^kernels:/ }
        kernels && /^  - name:/ { tell(); if ($3 !~ /^Intel_Symbol_Table/) name = $3 }
        /^      grf_count:/ { registers = $2 }
        /^      simd_size:/ { width = $2 }
        /^      slm_size:/ { local = $2 }
        /^    [a-z_]*:/ { memory = /per_thread_memory_buffers:/ }
        memory && $1 == "size:" { scratch += $2 }
        END { tell() }' "$folder/log" "$folder/info/.ze_info"
}

by_amd() {
    target=$1 folder=$2 file=$3
    shift 3
    mkdir -p "$folder"
    # shellcheck disable=SC2086
    run_clang -x cl $flags -D__OPENCL_VERSION__=200 -target amdgcn-amd-amdhsa -mcpu="$target" --rocm-device-lib-path="$bitcode" \
        -O3 "$@" -S -o "$folder/text.s" "$file" >"$folder/log" 2>&1 </dev/null || return 1
    LC_ALL=C awk '
        /^    \.[a-z_]+: / { of[$1] = $2 }
        /^    \.wavefront_size:/ { print of[".name:"], of[".wavefront_size:"] ":" of[".vgpr_count:"] ":" of[".vgpr_spill_count:"] \
            ":" of[".private_segment_fixed_size:"] ":" of[".group_segment_fixed_size:"] }' "$folder/text.s"
}

# one TARGET NAME SET FILE OPTION...: adds the outcome to the files cases and rows.
one() {
    target=$1 name=$2 set=$3 file=$4
    shift 4
    [ -n "$set" ] || return 0
    case $mode in some | newer) [ "$name" != "${last-}" ] || return 0 ;; esac
    ! lacks "$target" "$set" "$file" && ! is_for_others "$name" "$set" || return 0
    is_wanted "$name" || { recorded "$target" "$name" "$set" >>"$tap_folder/rows" && return; }
    last=$name
    by=by_amd
    ! is_intel "$target" || by=by_intel
    if $by "$target" "$tap_folder/made" "$file" "$@" >"$tap_folder/kernels"; then
        echo "ok $target: $name, $set" >>"$tap_folder/cases"
        sed "s#^\([^ ]*\) #$name | $set | \1 | #" "$tap_folder/kernels" >>"$tap_folder/rows"
    else
        echo "bad $target: $name, $set" >>"$tap_folder/cases"
        sed 's/^/# /; 20q' "$tap_folder/made/log" >>"$tap_folder/cases"
    fi
}

# each_text TARGET: what a text consists of goes to a folder of this target, since those of several are compiled at once.
each_text() (
    tap_folder=$tap_folder/$1
    mkdir "$tap_folder"
    : >"$tap_folder/cases"
    texts_plain one "$1"
    texts_of_examples one "$1"
    texts_sets one "$1"
)

# worse TARGET: the kernels that spill, or take scratch memory, where the table has them without, and those that are new or gone.
worse() {
    LC_ALL=C awk -F ' [|] ' -v target="$1" '
        FILENAME == ARGV[1] {
            if ($1 == "text") for (i = 4; i <= NF; i++) if ($i == target) column = i
            if (column && $1 != "text" && $column != "-") known[$1 ", " $2 ": " $3] = $column
            next
        }
        FILENAME == ARGV[2] { if (sub("^ok " target ": ", "")) tried[$0] = 1; next }
        {
            kernel = $1 ", " $2 ": " $3
            made[kernel] = 1
            if (!(kernel in known)) {
                print kernel " is not in the table: sh tests/static/makers.sh record " $1
                next
            }
            split($4, now, ":")
            split(known[kernel], before, ":")
            if (now[3] > 0 && before[3] + 0 == 0) print kernel " spills " now[3] " registers"
            if (now[4] > 0 && before[4] + 0 == 0) print kernel " takes " now[4] " bytes of scratch memory"
        }
        END {
            for (kernel in known) {
                text = kernel
                sub(": [^:]*$", "", text)
                if (text in tried && !(kernel in made)) print kernel " is in the table, and is no more"
            }
        }' "$table" "$tap_folder/$1/cases" "$tap_folder/$1/rows"
}

# write_table TARGET...: the table anew, with a column for each.
write_table() {
    sed -n '/^#/p' "$table"
    echo "compilers | $(compilers)"
    for target; do
        sed "s/^/$target | /" "$tap_folder/$target/rows"
    done | LC_ALL=C awk -F ' [|] ' -v targets="$*" '
        {
            kernel = $2 " | " $3 " | " $4
            if (!(kernel in seen)) {
                seen[kernel] = 1
                kernels[++rows] = kernel
            }
            cell[kernel, $1] = $5
        }
        END {
            count = split(targets, names, " ")
            line = "text | macros | kernel"
            for (i = 1; i <= count; i++) line = line " | " names[i]
            print line
            for (k = 1; k <= rows; k++) {
                line = kernels[k]
                for (i = 1; i <= count; i++) line = line " | " ((kernels[k], names[i]) in cell ? cell[kernels[k], names[i]] : "-")
                print line
            }
        }'
}

mode=${1-some} targets=$some_targets wanted=
[ "$#" -lt 2 ] || wanted=" $(shift && echo "$*") "
case $mode in
install) install && exit 0 || exit 1 ;;
all | record) targets="$intel_targets $amd_targets" ;;
newer) targets=gfx1100 newer=$build/makers/newer ;;
esac
if [ "$mode" = newer ]; then
    [ -f makers/newer/fetched ] || (install_newer) || tap_skip_all "packages of Debian 13 cannot be had"
    bitcode=$newer/usr/lib/llvm-17/lib/clang/17/amdgcn/bitcode
else
    find_compilers ||
        tap_skip_all "ocloc, AMD's device libraries or clang-15 are not here, or do not work: ./check --deep fetches them"
fi

[ -z "$wanted" ] || [ "$(sed -n 's/^compilers | //p' "$table")" = "$(compilers)" ] ||
    tap_skip_all "makers.txt is by other compilers than these: record all of it"
for target in $targets; do
    each_text "$target" &
done
wait
for target in $targets; do
    while IFS= read -r line; do
        case $line in
        'ok '*) tap_ok 0 "${line#ok }" ;;
        'bad '*) tap_ok 1 "${line#bad }" ;;
        *) echo "$line" ;;
        esac
    done <"$tap_folder/$target/cases"
done
if [ "$mode" = record ]; then
    # shellcheck disable=SC2086
    write_table $targets >"$tap_folder/table" && cp "$tap_folder/table" "$table"
    tap_done
fi
[ "$mode" != newer ] || tap_done
for target in $targets; do
    if [ "$(sed -n 's/^compilers | //p' "$table")" != "$(compilers)" ]; then
        tap_skip "$target: other compilers than those of makers.txt"
    else
        worse "$target" >"$tap_folder/objections" 2>&1
        tap_empty "$target: no kernel spills, or takes scratch memory, that did not" "$tap_folder/objections"
    fi
done
tap_done
