#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What static analysers report on the library's sources: clang-tidy (whose checks are in .clang-tidy), gcc -fanalyzer and
# cppcheck. Takes a minute or two on two cores, so only ./check --deep runs it.

. "$top_srcdir/tests/tap/tap.sh"

cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
# Without what configure says of the package, which is quoted for make.
flags=$(printf '%s' "$YOKE_CPPFLAGS" | tr ' ' '\n' | grep -vF '"' | tr '\n' ' ')
flags="$flags -I$top_srcdir/include -I$top_srcdir/src -I$top_srcdir/ops -I$top_srcdir"
export flags

# each TOOL SCRIPT: run the script for eight sources at a time, its "$@", on all cores. A case, passed when it prints nothing. The
# injection of faults is left out: only tests are built with it, and its macros are too much for an analyzer. So is Windows, whose
# headers are not here.
each() {
    find "$top_srcdir/base" "$top_srcdir/src" "$top_srcdir/backends" "$top_srcdir/ops" -name '*.c' ! -name inject.c \
        ! -path '*/system/windows/*' | sort |
        xargs -P "$cores" -n 8 sh -c "$2" sh >"$tap_folder/said" 2>&1 ||
        echo "$1 has failed" >>"$tap_folder/said"
    tap_empty "$1 has nothing to say" "$tap_folder/said"
}

# Its analyzer takes shallow paths, which are a tenth of the work; gcc's takes deep ones. It counts to stderr.
if command -v clang-tidy >/dev/null; then
    # shellcheck disable=SC2016
    each clang-tidy 'clang-tidy -quiet -extra-arg=-Xclang -extra-arg=-analyzer-config -extra-arg=-Xclang -extra-arg=mode=shallow \
        "$@" -- -std=c11 $flags 2>/dev/null'
else
    tap_skip "clang-tidy is not installed"
fi

# Left out: memory that was put into a list, or belongs to somebody else, is a leak for it too. LeakSanitizer looks for those.
if echo 'int one;' | $CC -fanalyzer -x c -c -o /dev/null - 2>/dev/null; then
    # shellcheck disable=SC2016
    each "$CC -fanalyzer" 'for file; do
            $CC -std=c11 -fanalyzer -Wno-analyzer-malloc-leak $flags -c -o /dev/null "$file" || exit 1
        done'
else
    tap_skip "$CC has no -fanalyzer"
fi

if command -v cppcheck >/dev/null; then
    # shellcheck disable=SC2016
    each cppcheck 'cppcheck -q --std=c11 --enable=warning,performance,portability --inline-suppr $flags "$@"'
else
    tap_skip "cppcheck is not installed"
fi
tap_done
