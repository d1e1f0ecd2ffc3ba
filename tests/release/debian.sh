#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Debian packages are built from a tarball, without tests, and lintian finds no fault with them.
#     sh tests/release/debian.sh yoke-0.1.0.tar.xz JOBS
set -eu

place=$(mktemp -d "${TMPDIR:-/tmp}/yoke-debian.XXXXXX")
trap 'rm -rf "$place"' EXIT
mkdir "$place/yoke"
tar -C "$place/yoke" --strip-components=1 -xJf "$1"
cd "$place/yoke"
# Enough for hardening, and half of the work. Packages of debugging symbols are debhelper's, with nothing of ours in them.
DEB_CFLAGS_APPEND='-O1 -g0' DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$2" dpkg-buildpackage -us -uc -b -tc
ls -l ..
lintian -EI --pedantic --fail-on error,warning,info,pedantic,experimental --tag-display-limit 0 ../*.changes
