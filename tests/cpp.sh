#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# <yoke/yoke.hpp> and the example in C++, compiled and run on the backend that YOKE_BACKEND names. headers.sh compiles both in every
# standard.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

[ "$CXX" != no ] || tap_skip_all "configure found no C++ compiler"
build=$PWD
export LD_LIBRARY_PATH="$build/.libs${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}"

# compile SOURCE PROGRAM STANDARD
compile() {
    # The compiler may come with options of its own.
    # shellcheck disable=SC2086
    $CXX -std="$3" -O1 -g ${YOKE_SANITIZER-} -I "$top_srcdir/include" "$1" -o "$2" -L "$build/.libs" -lyoke -lpthread
}

for standard in c++11 c++20; do
    tap_try "the test compiles as $standard" compile "$top_srcdir/tests/cpp.cpp" "$tap_folder/test" $standard
    "$tap_folder/test" >"$tap_folder/out" 2>"$tap_folder/err" </dev/null
    code=$?
    if [ $code -eq 77 ]; then
        case ,${YOKE_TEST_REQUIRE-}, in
        *",$YOKE_BACKEND,"*) tap_ok 1 "there is a device: $(cat "$tap_folder/out")" ;;
        *) tap_skip "$(cat "$tap_folder/out")" ;;
        esac
        continue
    fi
    while read -r word name; do
        [ "$word" = pass ]
        tap_ok $? "$standard: $name"
    done <"$tap_folder/out"
    tap_ok $code "$standard: the test ends with 0 after all of its cases"
    [ $code -eq 0 ] || tap_tell "$tap_folder/err"
    tap_try "the example compiles as $standard" compile "$top_srcdir/examples/saxpy.cpp" "$tap_folder/saxpy" $standard
    "$tap_folder/saxpy" >"$tap_folder/out" 2>"$tap_folder/err" </dev/null
    code=$?
    [ $code -eq 0 ] && [ ! -s "$tap_folder/err" ] && grep -q '^saxpy: 1048576 results of 2 x + y, 0 wrong' "$tap_folder/out"
    tap_ok $? "$standard: the example runs"
    "$tap_folder/saxpy" nonsense >"$tap_folder/out" 2>"$tap_folder/err" </dev/null
    code=$?
    [ $code -eq 1 ] && grep -q '^saxpy: YOKE_E_' "$tap_folder/err"
    tap_ok $? "$standard: the example says that there is no such device"
done
tap_done
