#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# make dist gives everybody the same bytes: this folder and a clone of what is committed, in different folders, at different times,
# with another umask, locale, time zone and user, other settings of tar and xz, and on a machine that lacks what is optional.
#     sh tests/release/dist.sh [yoke-0.1.0.tar.xz]        which this folder made; a second clone stands for it where something is
#                                                         uncommitted
set -eu

tarball=${1-}
place=$(mktemp -d "${TMPDIR:-/tmp}/yoke-dist.XXXXXX")
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
unset MAKEFLAGS MFLAGS MAKELEVEL SOURCE_DATE_EPOCH XZ_OPT XZ_DEFAULTS TAR_OPTIONS

# made FOLDER USER UMASK CONFIGURE-OPTION...: the hash of the tarball that a clone makes.
made() (
    folder=$1 user=$2
    umask "$3"
    shift 3
    git clone -q . "$place/$folder"
    git -C "$place/$folder" checkout -q --detach "$(git rev-parse HEAD)"
    [ "$user" = me ] || find "$place/$folder" -exec touch -h -d 2001-02-03 {} +
    as=''
    if [ "$user" != me ] && [ "$(id -u)" -eq 0 ]; then
        chown -R "$user" "$place/${folder%%/*}"
        as="setpriv --reuid=$user --clear-groups"
    fi
    cd "$place/$folder"
    # shellcheck disable=SC2086
    $as sh -ec 'autoreconf -fi && ./configure "$@" && make dist' configure "$@" >../log 2>&1 </dev/null ||
        { cat ../log >&2 && exit 1; }
    sha256sum <"$(echo yoke-*.tar.xz)"
)

if [ -n "$tarball" ] && [ -z "$(git status --porcelain)" ]; then
    one=$(sha256sum <"$tarball")
else
    one=$(made one me 022)
fi
locale=$(locale -a | grep -viE '^(C|POSIX)($|\.utf)' | head -n 1)
mkdir -m 755 "$place/another" "$place/another/and"
another=$(LC_ALL=${locale:-C.UTF-8} TZ=Asia/Tokyo XZ_OPT=-0 XZ_DEFAULTS=-T4 TAR_OPTIONS=--sort=none HOME=/nonexistent \
    PATH=/usr/local/bin:/usr/bin:/bin \
    made another/and/longer nobody 077 --disable-static --without-jansson --without-gpuarray PKG_CONFIG=false CXX=no)
echo "$one"
echo "$another"
[ "$one" = "$another" ]
