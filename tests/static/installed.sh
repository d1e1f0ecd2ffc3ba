#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A program is built against the installed library, the way a user would: with pkg-config, in C99, C11 and C++11, shared and static.

. "$top_srcdir/tests/tap/tap.sh"

command -v "${PKG_CONFIG:=pkg-config}" >/dev/null || tap_skip_all "pkg-config is not installed"
root=$tap_folder/root

# A make inside a make: the outer one's job server is none of its business.
unset MAKEFLAGS MFLAGS MAKELEVEL
tap_try "make install DESTDIR=..." "$MAKE" install DESTDIR="$root"
export PKG_CONFIG_PATH="$root$libdir/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"

cat >"$tap_folder/consumer.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <yoke/yoke.h>

int main(void)
{
    yoke_source source;

    if (strcmp(yoke_version(), EXPECTED_VERSION) != 0)
        return 1;
    if (yoke_source_get("saxpy", &source) < 0 || !source.cuda || !source.opencl)
        return 2;
    return yoke_launch(NULL, NULL, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_NO_ARGS) == YOKE_E_INVALID ? 0 : 3;
}
END
cp "$tap_folder/consumer.c" "$tap_folder/consumer.cpp"

# consumer COMPILER STANDARD SUFFIX LIBRARIES...: build and run.
consumer() {
    compiler=$1 standard=$2 suffix=$3
    shift 3
    # shellcheck disable=SC2046,SC2086
    $compiler -std="$standard" -pedantic -Wall -Wextra -Werror -DEXPECTED_VERSION="\"$PACKAGE_VERSION\"" $YOKE_SANITIZER \
        $($PKG_CONFIG --cflags yoke) "$tap_folder/consumer.$suffix" -o "$tap_folder/consumer" "$@" &&
        LD_LIBRARY_PATH="$root$libdir" "$tap_folder/consumer"
}

if [ -f "$root$libdir/libyoke.so" ]; then
    # shellcheck disable=SC2046
    set -- $($PKG_CONFIG --libs yoke)
    tap_try "a C99 program with libyoke.so" consumer "$CC" c99 c "$@"
    tap_try "a C11 program with libyoke.so" consumer "$CC" c11 c "$@"
    if [ "$CXX" != no ]; then
        tap_try "a C++11 program with libyoke.so" consumer "$CXX" c++11 cpp "$@"
    else
        tap_skip "a C++11 program with libyoke.so: no C++ compiler"
    fi
fi
if [ -f "$root$libdir/libyoke.a" ]; then
    # shellcheck disable=SC2046
    set -- "$root$libdir/libyoke.a" $($PKG_CONFIG --libs --static yoke | tr ' ' '\n' | grep -v '^-lyoke$')
    tap_try "a C99 program with libyoke.a" consumer "$CC" c99 c "$@"
fi

for kernel in "$top_srcdir"/kernels/*.c[ul]; do
    cmp "$kernel" "$root$datadir/yoke/kernels/${kernel##*/}"
done >"$tap_folder/kernels" 2>&1
tap_empty "the kernels are installed as they are" "$tap_folder/kernels"

tap_try "make uninstall DESTDIR=..." "$MAKE" uninstall DESTDIR="$root"
find "$root" ! -type d >"$tap_folder/left"
tap_empty "nothing is left behind" "$tap_folder/left"
tap_done
