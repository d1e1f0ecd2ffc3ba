#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Writes the packages' files for a release: the templates of this folder, with its version, addresses and hashes.
#     sh contrib/packaging/fill.sh yoke-0.1.0.tar.xz HOME-PAGE ADDRESS-OF-THE-TARBALL FOLDER
set -eu

[ $# -eq 4 ] || { echo "usage: fill.sh TARBALL HOME-PAGE ADDRESS-OF-THE-TARBALL FOLDER" >&2 && exit 2; }
tarball=$1 home=$2 address=$3 folder=$4
templates=$(dirname -- "$0")
version=${tarball##*/}
version=${version#yoke-}
version=${version%.tar.xz}
sha256=$(sha256sum <"$tarball" | cut -d ' ' -f 1)
sha512=$(sha512sum <"$tarball" | cut -d ' ' -f 1)

for template in spack/package.py vcpkg/portfile.cmake vcpkg/vcpkg.json vcpkg/usage conda-forge/recipe.yaml homebrew/yoke.rb \
    conan/conanfile.py meson/yoke.wrap; do
    mkdir -p "$folder/${template%/*}"
    sed "s|@VERSION@|$version|g; s|@HOME@|$home|g; s|@TARBALL@|$address|g; s|@SHA256@|$sha256|g; s|@SHA512@|$sha512|g" \
        "$templates/$template" >"$folder/$template"
done
