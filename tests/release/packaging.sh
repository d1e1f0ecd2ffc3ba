#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is said of a release in many files is the same in all of them: version, date, licence, dependencies and options. The
# packages' templates, filled in, are read by the languages that they are written in, as far as these are installed.

. "$top_srcdir/tests/tap/tap.sh"

source=$(cd "$top_srcdir" && pwd)
templates=$source/contrib/packaging
filled=$tap_folder/filled
wrong=$tap_folder/wrong

# objections TEXT: what has been written to $wrong
objections() {
    tap_empty "$1" "$wrong"
    : >"$wrong"
}
: >"$wrong"

# ---- The version and its date: configure.ac has them ----

# says FILE WHAT: the file's version is not that of configure.ac.
says() {
    [ "$2" = "$PACKAGE_VERSION" ] || echo "$1 says '$2', configure.ac says '$PACKAGE_VERSION'" >>"$wrong"
}

date=$(sed -n 's/^AC_SUBST(\[YOKE_DATE\], \[\(.*\)\])$/\1/p' "$source/configure.ac")
says yoke.h "$(sed -n 's/^#define YOKE_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$source/include/yoke/yoke.h" | paste -sd.)"
says debian/changelog "$(sed -n '1s/^yoke (\(.*\)) .*/\1/p' "$source/debian/changelog")"
says python/pyproject.toml "$(sed -n 's/^version = "\(.*\)"$/\1/p' "$source/python/pyproject.toml")"
says CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\).*/\1/p' "$source/CHANGELOG.md" | head -n 1)"
major=${PACKAGE_VERSION%%.*}
minor=${PACKAGE_VERSION#*.}
minor=${minor%%.*}
grep -rnoE --include='*.md' 'find_package\(Yoke [0-9.]+' "$source/README.md" "$source/doc" |
    grep -v "Yoke $major\.$minor$" >>"$wrong"
objections "every file names the version of configure.ac"

# A commit with a release's tag is the release.
tag=$(git -C "$source" tag --points-at HEAD 2>/dev/null | grep '^v[0-9]' | head -n 1)
if [ -n "$tag" ]; then
    [ "$tag" = "v$PACKAGE_VERSION" ] || echo "the tag is $tag, the version is $PACKAGE_VERSION"
    grep -n 'not released yet' "$source/CHANGELOG.md"
    grep -n 'example\.org' "$source/debian/control" "$source/debian/changelog"
fi >"$wrong"
objections "a commit with a release's tag is that release"

for page in "$source"/tools/*.1; do
    grep -qxF ".Dd $(LC_ALL=C date -u -d "$date" '+%B %-d, %Y')" "$page" || echo "${page##*/} is not of $date"
done >"$wrong"
grep -qF "  $(LC_ALL=C date -u -d "$date" '+%a, %d %b %Y') " "$source/debian/changelog" ||
    echo "debian/changelog is not of $date" >>"$wrong"
objections "manual pages and debian/changelog have the date of configure.ac"

# The interface version of a library names its Debian package; the versions of its symbols are those of releases.
for library in yoke:symbols yoke-ops:ops_symbols yoke-comm:comm_symbols; do
    list=${library#*:} library=${library%:*}
    prefix=$(echo "$library" | tr 'a-z-' 'A-Z_')
    interface=$(sed -n "s/^AC_SUBST(\[${prefix}_LIBTOOL_VERSION\], \[\(.*\)\])$/\1/p" "$source/configure.ac")
    soname=$((${interface%%:*} - ${interface##*:}))
    grep -qx "lib$library.so.$soname lib$library$soname #MINVER#" "$source/debian/lib$library$soname.symbols" &&
        grep -qx "Package: lib$library$soname" "$source/debian/control" || echo "lib$library: no package of interface $interface"
    sed -n "s/^${prefix}_\([0-9.]*\) {$/\1/p" "$source/build-aux/lib$library.map" >"$tap_folder/nodes"
    [ -s "$tap_folder/nodes" ] || echo "lib$library.map has no node"
    { cat "$tap_folder/nodes"; echo "$PACKAGE_VERSION"; } | sort -V -c 2>&1
    sed -n 's/^ \(yoke_[a-z0-9_]*\)@.*/\1/p' "$source/debian/lib$library$soname.symbols" | sort >"$tap_folder/debian"
    grep -vE '^(#|later )' "$source/tests/static/$list.txt" | sort | diff - "$tap_folder/debian"
done >"$wrong"
objections "Debian's packages follow the interface versions of configure.ac, and have the libraries' symbols"

# ---- The templates ----

printf 'not really a tarball' >"$tap_folder/yoke-$PACKAGE_VERSION.tar.xz"
cd "$tap_folder" || exit 1
tap_try "fill.sh fills the templates in" sh "$templates/fill.sh" "yoke-$PACKAGE_VERSION.tar.xz" \
    https://example.org/yoke "https://example.org/yoke/yoke-$PACKAGE_VERSION.tar.xz" "$filled"
(cd "$templates" && find . -mindepth 2 -type f) | sort >"$tap_folder/templates"
(cd "$filled" && find . -type f) | sort | diff "$tap_folder/templates" - >"$wrong"
objections "fill.sh knows every template"
grep -rnE '@[A-Z0-9]+@' "$filled" >"$wrong"
for file in spack/package.py vcpkg/vcpkg.json conda-forge/recipe.yaml conan/conanfile.py; do
    grep -qF "\"$PACKAGE_VERSION\"" "$filled/$file" || echo "$file does not name $PACKAGE_VERSION" >>"$wrong"
done
objections "nothing is left open, and every package names the version"

for file in spack/package.py vcpkg/vcpkg.json conda-forge/recipe.yaml homebrew/yoke.rb conan/conanfile.py; do
    grep -qE "license.*Apache-2\.0" "$filled/$file" || echo "$file does not name the licence"
done >"$wrong"
grep -q 'Apache License' "$source/LICENSE" && grep -qx 'License: Apache-2.0' "$source/debian/copyright" ||
    echo "LICENSE, or debian/copyright" >>"$wrong"
objections "every package names the licence"

# Options of configure and of CMake that a package gives.
named() {
    grep -v '^ *#' | grep -oE -- '--(with|without|enable|disable)-[a-z-]+' | sed 's/^--[a-z]*-//' | sort -u
}
sh "$source/configure" --help | named >"$tap_folder/options"
cat "$filled"/*/* "$source/debian/rules" | named | comm -23 - "$tap_folder/options" >"$wrong"
cat "$filled"/*/* | grep -oE 'YOKE_[A-Z_]+' | sort -u | while read -r option; do
    grep -qE "^(option|set)\($option " "$source/CMakeLists.txt" || echo "$option"
done >>"$wrong"
objections "configure and CMakeLists.txt have the options that packages give"

# Dependencies: everything that configure.ac looks for has a word in each kind of package. Examples' libraries are left out by all
# but Debian, which installs examples as sources and builds them only as a check.
cat >"$tap_folder/dependencies" <<'END_OF_FILE'
opencl debian/control opencl-headers
opencl contrib/packaging/spack/package.py opencl-c-headers
opencl contrib/packaging/vcpkg/vcpkg.json "opencl"
opencl contrib/packaging/conda-forge/recipe.yaml khronos-opencl-headers
opencl contrib/packaging/homebrew/yoke.rb opencl-headers
opencl contrib/packaging/conan/conanfile.py opencl-headers
jansson debian/control libjansson-dev
jansson contrib/packaging/spack/package.py jansson@2.8:
jansson contrib/packaging/conda-forge/recipe.yaml jansson
jansson contrib/packaging/homebrew/yoke.rb jansson
libpng debian/control libpng-dev
mpi debian/control libopenmpi-dev
mpi contrib/packaging/spack/package.py depends_on("mpi"
libuv debian/control libuv1-dev
END_OF_FILE
while read -r _ file words; do
    grep -qF -- "$words" "$source/$file" || echo "$file does not name $words"
done <"$tap_folder/dependencies" >"$wrong"
sed -n 's/.*PKG_CHECK_MODULES(\[[A-Z]*\], \[\([a-z]*\).*/\1/p' "$source/m4/yoke.m4" | while read -r library; do
    grep -q "^$library " "$tap_folder/dependencies" || echo "configure looks for $library: which packages need it?"
done >>"$wrong"
for file in spack/package.py conda-forge/recipe.yaml homebrew/yoke.rb; do # else a build takes what happens to be there
    grep -q -- '--with[a-z]*-mpi' "$templates/$file" || echo "$file does not say whether there is an MPI"
done >>"$wrong"
objections "packages depend on what configure looks for"

# ---- The languages ----

# reads WORDS PROGRAM COMMAND...
reads() {
    words=$1 program=$2
    shift 2
    if command -v "$program" >/dev/null; then
        tap_try "$words" "$@"
    else
        tap_skip "$words: $program is not installed"
    fi
}

# Every function of vcpkg's is there, and does nothing.
sed -n 's/^\(vcpkg_[a-z_]*\)(.*/function(\1)\nendfunction()/p' "$filled/vcpkg/portfile.cmake" |
    cat - "$filled/vcpkg/portfile.cmake" | sed '/^file(INSTALL/d' >"$tap_folder/portfile.cmake"
reads "Python reads spack/package.py" python3 python3 -m py_compile "$filled/spack/package.py"
reads "Python reads conan/conanfile.py" python3 python3 -m py_compile "$filled/conan/conanfile.py"
reads "Python reads vcpkg/vcpkg.json" python3 python3 -m json.tool "$filled/vcpkg/vcpkg.json"
reads "CMake reads vcpkg/portfile.cmake" cmake cmake -P "$tap_folder/portfile.cmake"
reads "Ruby reads homebrew/yoke.rb" ruby ruby -c "$filled/homebrew/yoke.rb"
if python3 -c 'import yaml' 2>/dev/null; then
    tap_try "YAML: conda-forge/recipe.yaml" python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))["package"]' \
        "$filled/conda-forge/recipe.yaml"
else
    tap_skip "YAML: conda-forge/recipe.yaml: python3 has no yaml (package python3-yaml)"
fi
if command -v conan >/dev/null; then
    tap_try "Conan reads conan/conanfile.py" env CONAN_HOME="$tap_folder/conan" conan inspect "$filled/conan"
else
    tap_skip "Conan reads conan/conanfile.py: conan is not installed"
fi

# Files that only pip reads: nothing misses one that make dist has left out.
(cd "$source" && find python tests/python.sh -maxdepth 3 \( -name '*.py' -o -name '*.px[di]' -o -name '*.py[xi]' -o -name '*.toml' \
    -o -name '*.md' -o -name '*.sh' -o -name '*.yk' -o -name '*.pgm' -o -name py.typed -o -path 'python/bench/*.c' \)) |
    sort >"$tap_folder/there"
sed -n 's/^\t\([^ ]*\)\( \\\)\{0,1\}$/\1/p' "$source/python/local.mk" | grep / | sort | comm -3 - "$tap_folder/there" >"$wrong"
objections "python/local.mk has every file of the package"
tap_done
