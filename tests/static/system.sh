#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Which system it is, base/system alone knows: no other file of the libraries includes a header of POSIX or of Windows, or asks for
# the system's macro. <pthread.h> is everywhere, and so are <search.h>, <sched.h> and the C library.

. "$top_srcdir/tests/tap/tap.sh"
export LC_ALL=C
cd "$top_srcdir" || exit 1

grep -rnE '^ *# *(if|elif)(def|ndef)? .*(_WIN32|_WIN64|__MINGW|__linux__|__APPLE__|__unix__)' base src backends ops |
    grep -v '^base/system/' >"$tap_folder/asked"
tap_empty "no file outside of base/system asks which system it is" "$tap_folder/asked"

allowed='(assert|complex|ctype|errno|float|inttypes|limits|locale|math|setjmp|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio'
allowed="$allowed|stdlib|string|time|pthread|sched|search|immintrin|CL/[a-z_]*|yoke/[a-z_]*)\\.h"
grep -rnE '^ *# *include <' base src backends ops --include='*.[ch]' --include='*.def' | grep -v '^base/system/' |
    grep -vE "<$allowed>" >"$tap_folder/included"
tap_empty "no file outside of base/system includes a header of the system" "$tap_folder/included"

for header in base/system/*.h; do
    grep -nHE '^ *# *include <' "$header" | grep -vE "<$allowed>"
done >"$tap_folder/included"
tap_empty "the headers of base/system include none either" "$tap_folder/included"

(cd base/system/posix && ls ./*.c) >"$tap_folder/posix"
(cd base/system/windows && ls ./*.c) | grep -vE '/(missing|wide)\.c$' >"$tap_folder/windows"
diff "$tap_folder/posix" "$tap_folder/windows" >"$tap_folder/different"
tap_empty "both systems have the same files, but for what Windows needs for itself" "$tap_folder/different"

# A program that includes the public headers is built with Microsoft's compiler, too.
target='-target x86_64-pc-windows-msvc -fsyntax-only -ffreestanding -Wall -Werror'
if [ "${CLANG:-no}" = no ]; then
    tap_skip "the public headers for Microsoft's compiler: no clang"
else
    for header in array fft filter graph half image library matmul memory native ops program random types vars yoke; do
        for language in 'c -std=c11' 'c++ -std=c++17'; do
            # shellcheck disable=SC2086
            echo "#include <yoke/$header.h>" | "$CLANG" $target -Itests/windows/libc -Iinclude -x $language - 2>&1
        done
    done >"$tap_folder/msvc"
    tap_empty "the public headers compile for Windows, as C and as C++" "$tap_folder/msvc"
fi
tap_done
