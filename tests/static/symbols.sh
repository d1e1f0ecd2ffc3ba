#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The library exports what the headers declare and what symbols.txt lists, and internal names in the archive have our prefix.

. "$top_srcdir/tests/tap/tap.sh"
export LC_ALL=C

list=$top_srcdir/tests/static/symbols.txt
grep -v '^#' "$list" >"$tap_folder/listed"

tap_try "symbols.txt is sorted" sort -c "$tap_folder/listed"

# A declaration may go on for lines: what counts is the name behind YOKE_API.
sed -n 's/^YOKE_API [^(]*[ *]\(yoke_[a-z0-9_]*\)(.*/\1/p' "$top_srcdir"/include/yoke/*.h | sort >"$tap_folder/declared"
diff "$tap_folder/listed" "$tap_folder/declared" >"$tap_folder/difference"
tap_empty "the headers declare what is listed" "$tap_folder/difference"

sed -n 's/^ \(yoke_[a-z0-9_]*\)@YOKE_0 .*/\1/p' "$top_srcdir/debian/libyoke0.symbols" >"$tap_folder/packaged"
diff "$tap_folder/listed" "$tap_folder/packaged" >"$tap_folder/difference"
tap_empty "Debian's package has the same list" "$tap_folder/difference"

if [ -f .libs/libyoke.so ]; then
    nm -D --defined-only .libs/libyoke.so | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$tap_folder/exported"
    diff "$tap_folder/listed" "$tap_folder/exported" >"$tap_folder/difference"
    tap_empty "libyoke.so exports what is listed" "$tap_folder/difference"

    # ld-linux is named where thread-local storage is used; the sanitizers bring libraries of their own.
    objdump -p .libs/libyoke.so | awk '
        $1 == "NEEDED" && $2 !~ /^(lib(c|m|dl|pthread|asan|ubsan|tsan|gcc_s)\.so|ld-linux)/ { print $2 }' >"$tap_folder/needed"
    tap_empty "libyoke.so needs only libc, libm, libdl and libpthread" "$tap_folder/needed"

    if [ -n "${YOKE_NODELETE-}" ]; then
        readelf -dW .libs/libyoke.so | grep -q 'FLAGS_1.*NODELETE'
        tap_ok $? "libyoke.so stays in memory when the plugin that brought it is closed"
    else
        tap_skip "the linker has no -z nodelete"
    fi
else
    tap_skip "no shared library in this build"
    tap_skip "no shared library in this build"
    tap_skip "no shared library in this build"
fi

if [ -f .libs/libyoke.a ]; then
    # Weak and common helpers of the compiler and of sanitizers are not ours.
    nm -g --defined-only .libs/libyoke.a 2>/dev/null | awk '
        NF == 3 && $2 ~ /[TDBR]/ && $3 !~ /^(yk_|yoke_|_)/ { print $3 }' >"$tap_folder/strange"
    tap_empty "every global name in libyoke.a begins with yoke_ or yk_" "$tap_folder/strange"
else
    tap_skip "no static library in this build"
fi
tap_done
