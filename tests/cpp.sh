#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# <yoke/yoke.hpp>, what <yoke/ops.h> is in C++, and the example in C++, compiled and run on the backend that YOKE_BACKEND names.
# headers.sh compiles both in every standard.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

[ "$CXX" != no ] || tap_skip_all "configure found no C++ compiler"
build=$PWD
export LD_LIBRARY_PATH="$build/.libs${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}"

# compile SOURCE PROGRAM STANDARD
compile() {
    # The compiler may come with options of its own.
    # shellcheck disable=SC2086
    $CXX -std="$3" -O0 ${YOKE_SANITIZER-} -I "$top_srcdir/include" "$1" -o "$2" -L "$build/.libs" -lyoke-ops -lyoke -lpthread
}

# The page about C++: its programs, and its fragments, one after the other in a function that has what the first program has.
"$AWK" -v out="$tap_folder" '
    /^```cpp/ { inside = 1; text = ""; next }
    /^```/ && inside {
        inside = 0
        if (text ~ /\nint main\(/) {
            printf "%s", text >(out "/page_program.cpp")
            sub(/int main\(.*/, "", text)
            printf "#include <memory>\n#include <stdexcept>\n#include <string>\n#include <yoke/ops.h>\n%s", \
                text >(out "/page_fragments.cpp")
            print "int main()\n{\n    const int n = 1000;\n    std::vector<float> x(n, 3.0f), y(n, 1.0f);\n" \
                "    yoke::device device = yoke::device::open();\n" \
                "    yoke::kernel saxpy = yoke::program(device, yoke::source::builtin(\"saxpy\")).get_kernel(\"saxpy\");\n" \
                "    yoke::buffer<float> dx(device, n), dy(device, n);\n" \
                "    yoke::stream stream(device);" >(out "/page_fragments.cpp")
        } else
            printf "{\n%s}\n", text >(out "/page_fragments.cpp")
        next
    }
    inside { text = text $0 "\n" }
    END { print "}" >(out "/page_fragments.cpp") }' "$top_srcdir/doc/cpp.md"

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
    for part in program fragments; do
        tap_try "doc/cpp.md, $part, compiles as $standard" compile "$tap_folder/page_$part.cpp" "$tap_folder/page" $standard
        tap_try "doc/cpp.md, $part, runs" "$tap_folder/page"
    done
done
tap_done
