#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The same source gives the same bytes in any folder: tarball, library and manual pages are built in two folders.
#     sh tests/release/reproducible.sh yoke-0.1.0.tar.xz JOBS
set -eu

tarball=$1 jobs=$2
place=$(mktemp -d "${TMPDIR:-/tmp}/yoke-reproducible.XXXXXX")
trap 'rm -rf "$place"' EXIT

# built FOLDER UMASK: unpacked and built there, with names of source files in the debug information.
built() (
    umask "$2"
    mkdir -p "$place/$1"
    tar -C "$place/$1" --strip-components=1 -xJf "$tarball"
    cd "$place/$1"
    # libyoke.a would be each file compiled once more; libyoke-all.a is what libyoke.so is linked of.
    ./configure --disable-static --without-gpuarray CFLAGS="-O0 -g -ffile-prefix-map=$PWD=."
    make -j "$jobs" libyoke.la doc/man/links
)
built one 022
built another/and/longer 077

cd "$place"
for file in .libs/libyoke-all.a "$(cd one && echo .libs/libyoke.so.*.*.*)"; do
    cmp "one/$file" "another/and/longer/$file"
done
diff -r one/doc/man another/and/longer/doc/man

# Made once more, of what was in it, by somebody else and at another time.
find another/and/longer -exec touch -h -d 2001-02-03 {} +
(umask 077 && make -C another/and/longer dist AUTOCONF=: AUTOMAKE=: ACLOCAL=: AUTOHEADER=:)
cmp "$tarball" another/and/longer/"${tarball##*/}"
