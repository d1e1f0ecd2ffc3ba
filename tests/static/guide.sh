#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every block of C in the guide and in README.md compiles without a warning and runs successfully on the best device; links between
# the pages are valid, and every function, type and variable that the pages name exists. The word after the three backquotes says
# what a block is:
#
#   c                 with a line `int main(`: a complete program. Otherwise a fragment: the body of a function that may return 1
#                     for failure. The fragments of a page are one program and run in their order.
#   c top             definitions for the following fragments, outside functions
#   c fragment=none   not compiled; a comment above it says why, <!-- not compiled: ... -->
#   c NAME.c          part of a file that tutorial.sh puts together from the page's blocks
#   cuda NAME.cu, opencl NAME.cl    files, in the folder in which the page's programs run. `yoke cc` compares them.
#
# Fragments may use, and do not release: device, info (of the device), stream, other (streams), x, y, z (buffers of N floats: ones,
# twos, zeros), a, b, c (the same as yoke_arrays of 32 x 32 floats), pinned (a page-locked buffer), hx and hy (arrays of N floats on
# the host), source, program and saxpy (Yoke's own kernel), event (which is complete), value (an int) and publish (a host function).
# They check calls by YOKE_CHECK. guide.c surrounds them.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

build=$PWD
source=$(cd "$top_srcdir" && pwd) || exit 1
export LD_LIBRARY_PATH="$build/.libs${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}"
unset YOKE_BACKEND YOKE_DEVICE
# Those of operations are guide_operations.sh's.
: "${guide_pages=$(cd "$source" && printf '%s\n' README.md doc/*.md | grep -vxE 'doc/(examples|operations).md')}"

# compile FILE PROGRAM OPTION...
compile() {
    file=$1 to=$2
    shift 2
    # $CC may come with options of its own.
    # shellcheck disable=SC2086
    $CC -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${YOKE_SANITIZER-} -I "$source/include" "$@" "$file" -o "$to" \
        -L "$build/.libs" -lyoke-ops -lyoke -lpthread -lm
}

# run PROGRAM, with the blocks of its page at hand.
run() {
    (cd "${1%/*}" && "$1")
}

tap_try "what stands round fragments compiles" compile "$source/tests/static/guide.c" "$tap_folder/round" -DNO_FRAGMENTS
"$tap_folder/round" >"$tap_folder/said" 2>&1
device=$?

# runs TEXT PROGRAM: a program that was compiled runs to its end.
runs() {
    if [ $device -eq 77 ]; then
        tap_skip "$1 runs: $(head -n 1 "$tap_folder/said")"
    elif [ -x "$2" ]; then
        tap_try "$1 runs" run "$2"
    fi
}

for page in $guide_pages; do
    folder=$tap_folder/$(echo "$page" | tr / -).d
    mkdir "$folder"
    "$AWK" -v out="$folder" -v name="$page" -f "$source/tests/static/guide.awk" "$source/$page" >"$folder/wrong"
    tap_empty "$page: blocks are marked as they have to be" "$folder/wrong"

    # Links to files beside the page; what is behind a # and addresses of the network are not looked at. Code is no link: f[1](x).
    sed '/^ *```/,/^ *```/d; s/`[^`]*`//g' "$source/$page" | grep -o '](\([^)#]*\)' | sed 's/^](//' | grep -v '^https\{0,1\}:' |
        while read -r link; do
            [ -z "$link" ] || [ -e "$source/$(dirname "$page")/$link" ] || echo "$page: there is no $link"
        done >"$folder/links"
    tap_empty "$page: links lead somewhere" "$folder/links"

    for file in "$folder"/program-*.c; do
        [ -f "$file" ] || continue
        line=${file##*-}
        tap_try "$page:${line%.c} compiles" compile "$file" "${file%.c}" -Wno-unused-parameter
        runs "$page:${line%.c}" "${file%.c}"
    done
    if [ -f "$folder/calls.c" ]; then
        tap_try "$page: its fragments compile" compile "$source/tests/static/guide.c" "$folder/page" -I "$folder" -Wno-unused \
            -Wno-unused-parameter
        runs "$page: what its fragments are part of" "$folder/page"
    fi
    for file in "$folder"/*.cu; do
        if [ $device -eq 77 ] || [ ! -f "$file" ]; then
            break # without a device the tool has nothing to say
        elif [ -f "${file%u}l" ]; then
            tap_try "$page: ${file##*/} and its twin fit together" "$build/tools/yoke" cc "$file" "${file%u}l"
        fi
    done
done

# Names that pages and the messages of the tool tell of; what ends in _ stands for several. Variables are those of environment*.md.
cd "$source" || exit 1
export LC_ALL=C # for sort and comm
# shellcheck disable=SC2046,SC2086
grep -ohE 'yoke_[a-z0-9_]*|YOKE_[A-Z0-9_]*' $guide_pages $(find tools -name '*.c' ! -path '*/measure/*') | grep -v '_$' | sort -u \
    >"$tap_folder/told"
{
    grep -rohE '\<(yoke_[a-z0-9_]+|YOKE_[A-Z0-9_]+)\>' include cmake
    grep -rohE '\<YOKE_[A-Z0-9_]+\>' base src backends tests doc/environment.md doc/environment-measuring.md
} | sort -u >"$tap_folder/known"
comm -23 "$tap_folder/told" "$tap_folder/known" | sed 's/^/there is no /' >"$tap_folder/names"
tap_empty "functions, types and variables that are named are there" "$tap_folder/names"
tap_done
