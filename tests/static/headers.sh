#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each public header compiles alone, without a warning, in every language standard that it supports.

. "$top_srcdir/tests/tap/tap.sh"

# compiles COMPILER LANGUAGE STANDARD HEADER
compiles() {
    printf '#include <yoke/%s>\n' "$4" >"$tap_folder/alone.$2"
    # The compiler may come with options of its own.
    # shellcheck disable=SC2086
    $1 -std="$3" -pedantic -Wall -Wextra -Wshadow -Werror -I"$top_srcdir/include" -fsyntax-only "$tap_folder/alone.$2"
}

for header in "$top_srcdir"/include/yoke/*.h; do
    header=${header##*/}
    case $header in
    kernel.h | philox.h | block_*.h) continue ;; # are for kernels alone: see below
    esac
    for standard in c99 c11; do
        tap_try "$header as $standard with $CC" compiles "$CC" c $standard "$header"
    done
    if [ "$CLANG" != no ]; then
        tap_try "$header as c99 with clang" compiles "$CLANG" c c99 "$header"
        tap_try "$header as c++11 with clang" compiles "$CLANG" cpp c++11 "$header"
    fi
    if [ "$CXX" = no ]; then
        tap_skip "$header as c++11: no C++ compiler"
        continue
    fi
    for standard in c++11 c++20; do
        tap_try "$header as $standard with $CXX" compiles "$CXX" cpp $standard "$header"
    done
done

# Those in C++; the test of them in every standard, by the two compilers in turn, since each time is a second and more; and the
# example, which has nothing that the test has not, in the oldest by one compiler and in the newest by the other.
for header in "$top_srcdir"/include/yoke/*.hpp "$top_srcdir"/include/yoke/hpp/*.hpp; do
    header=${header#*/include/yoke/}
    [ "$CXX" = no ] || tap_try "$header as c++11 with $CXX" compiles "$CXX" cpp c++11 "$header"
done
in_standard() {
    program=$1 standard=$2 compiler=$3
    # shellcheck disable=SC2086
    [ "$compiler" = no ] || tap_try "$program as $standard with $compiler" $compiler -x c++ -std="$standard" -Wall -Wextra \
        -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror -I"$top_srcdir/include" -fsyntax-only "$top_srcdir/$program"
}
compiler=$CXX other=$CLANG
[ "$CXX" != no ] || compiler=$CLANG
[ "$CLANG" != no ] || other=$CXX
in_standard tests/cpp.cpp c++11 "$compiler"
in_standard tests/cpp.cpp c++14 "$other"
in_standard tests/cpp.cpp c++17 "$compiler"
in_standard tests/cpp.cpp c++20 "$other"
in_standard examples/saxpy.cpp c++11 "$CXX"
in_standard examples/saxpy.cpp c++20 "$CLANG"

# What the macros become in a program's own code.
careful='-Wall -Wextra -Wshadow -Wpedantic -Wconversion -Wsign-conversion'

# uses COMPILER LANGUAGE STANDARD OPTION...
uses() {
    compiler=$1 language=$2 standard=$3
    shift 3
    # shellcheck disable=SC2086
    $compiler -std="$standard" $careful -Werror "$@" -I"$top_srcdir/include" -fsyntax-only -x "$language" \
        "$top_srcdir/tests/static/use.c"
}

# refuses NUMBER WORDS COMPILER LANGUAGE STANDARD: what is wrong there is an error, in these words.
refuses() {
    number=$1 words=$2
    shift 2
    ! uses "$@" -DREFUSED="$number" 2>"$tap_folder/refused" && grep -F "$words" "$tap_folder/refused"
}

# in_a_program COMPILER LANGUAGE STANDARD OPTION...
in_a_program() {
    tap_try "a program as $3 with $1" uses "$@"
    # What refuses is one macro or template for all, so that the oldest and the newest will do.
    case $3 in
    c99 | c17 | c++14 | c++17) return ;;
    esac
    tap_try "65 arguments as $3 with $1: the error says how many there may be" refuses 1 "64 arguments at most" "$@"
    tap_try "128 arguments as $3 with $1: the same" refuses 2 "64 arguments at most" "$@"
    tap_try "a pointer of the host's as $3 with $1 is no argument: the error says what is" refuses 3 yoke_in "$@"
    tap_try "an array of the host's as $3 with $1 is none" refuses 4 yoke_in "$@"
    tap_try "NULL as $3 with $1 is none" refuses 5 "yoke_arg_null" "$@"
}

for standard in c99 c11 c17 c2x; do
    in_a_program "$CC" c $standard
    [ "$CLANG" = no ] || in_a_program "$CLANG" c $standard
done
for standard in c++11 c++14 c++17 c++20; do
    [ "$CXX" = no ] || in_a_program "$CXX" c++ $standard -Wold-style-cast -Wzero-as-null-pointer-constant
    [ "$CLANG" = no ] || in_a_program "$CLANG" c++ $standard -Wold-style-cast -Wzero-as-null-pointer-constant
done

# A program that includes the header for kernels is told what that is for.
printf '#include <yoke/kernel.h>\n' >"$tap_folder/program.c"
! $CC -I"$top_srcdir/include" -fsyntax-only "$tap_folder/program.c" 2>"$tap_folder/said" &&
    grep -qF 'is for kernels' "$tap_folder/said"
tap_ok $? "kernel.h in a program is an error that says what it is for"

# Those that kernels include, as OpenCL C; without double also.
includes_in_kernels() {
    # shellcheck disable=SC2086
    printf '#include <yoke/%s.h>\n' types kernel block_rank block_reduce block_scan philox |
        "$CLANG" -x cl -cl-std="$1" $2 -Xclang -finclude-default-header -target spir64 -pedantic \
        -Wall -Wextra -Werror -I"$top_srcdir/include" -fsyntax-only -DYOKE_RANK_NAME=rank -DYOKE_RANK_THREADS=256 \
        -DYOKE_RANK_ITEMS=4 -
}
if [ "$CLANG" != no ]; then
    for standard in CL1.2 CL2.0 CL3.0; do
        tap_try "types.h, kernel.h and those of blocks as OpenCL C, $standard" includes_in_kernels $standard ""
    done
    tap_try "the same as OpenCL C without double" includes_in_kernels CL1.2 "-Xclang -cl-ext=-cl_khr_fp64"
fi
# An enumerator says its enum, as YOKE_SEARCH_LEFT does, and counts are no enumerators, since they change with the library and would
# be compiled into programs. A dtype is like a type of C, as short as that: YOKE_F32.
cat "$top_srcdir"/include/yoke/*.h | tr '\n' ' ' | sed 's|/\*[^*]*\*\**\([^/*][^*]*\*\**\)*/| |g' | grep -o '\<enum {[^}#]*}' |
    sed 's/enum {//; s/[ }]*//g; s/=[^,]*//g' | awk -F , '
        {
            prefix = $1
            for (i = 1; i <= NF; i++) {
                while (prefix != "" && index($i, prefix) != 1)
                    sub(/.$/, "", prefix)
                if ($i ~ /_COUNT$/)
                    print $i " is a count"
            }
            sub(/[^_]*$/, "", prefix)
            if (NF > 1 && prefix !~ /^YOKE_[A-Z0-9]+_/)
                print $0 ": no name says which enum it is of"
        }
        END { if (NR < 30) print "only " NR " enums were found" }' >"$tap_folder/bare"
tap_empty "each enumerator says its enum" "$tap_folder/bare"
tap_done
