#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The style rules that a program can check.

. "$top_srcdir/tests/tap/tap.sh"

# Everything that a person wrote and that is code. What configure and make put into the tree of an in-tree build is left out.
(
    cd "$top_srcdir" || exit 1
    find backends bench comm contrib doc examples include kernels ops src tests tools -name '*.[ch]' -o -name '*.[ch]pp' \
        -o -name '*.c[ul]' -o -name '*.yk' -o -name '*.def' -o -name '*.sh' -o -name '*.mk' -o -name '*.awk' |
        grep -vE '^(kernels/embedded\.c|ops/texts\.c|examples/mandelbrot_kernels\.[ch])$'
    find python -maxdepth 2 -name '*.py' -o -name '*.px[di]' -o -name '*.pyx' -o -name '*.pyi' -o -name '*.mk'
    find build-aux -name '*.awk' -o -name setup.sh -o -name '*.map'
    printf '%s\n' .ci/run CMakeLists.txt Makefile.am check cmake/YokeConfig.cmake.in cmake/YokeConfigVersion.cmake.in \
        cmake/YokeKernels.cmake cmake/install.cmake configure.ac demo doc/Doxyfile.in examples/Makefile m4/yoke.m4 \
        m4/yoke_kernels.m4 meson.build meson_options.txt
) | sort >"$tap_folder/sources"

# each COMMAND...: what the command prints for each source file whose path it is given.
each() {
    while read -r file; do
        "$@" "$file"
    done <"$tap_folder/sources"
}

licence() {
    head -5 "$top_srcdir/$1" | grep -q 'SPDX-License-Identifier: Apache-2\.0' || echo "$1"
}

length() {
    awk -v name="$1" 'END { if (FNR > 600) print name ": " FNR " lines" }' "$top_srcdir/$1"
}

width() {
    LC_ALL=C.UTF-8 grep -nHE '^.{133,}' "$top_srcdir/$1"
}

blanks() {
    case $1 in
    *.mk | Makefile.am | */Makefile) ;;
    *) grep -nHF "$(printf '\t')" "$top_srcdir/$1" ;;
    esac
    grep -nHE '[[:space:]]$' "$top_srcdir/$1"
}

each licence >"$tap_folder/licence"
tap_empty "every source file names its licence" "$tap_folder/licence"
each length >"$tap_folder/length"
tap_empty "no source file is longer than 600 lines" "$tap_folder/length"
# The macros that a kernel's text is compiled with in tests are one line.
each width | grep -v '// \(options\|generated\): ' >"$tap_folder/width"
tap_empty "no line is wider than 132 columns" "$tap_folder/width"
each blanks >"$tap_folder/blanks"
tap_empty "no tabs, and no blanks at line ends" "$tap_folder/blanks"

# What depends on the locale that the program has chosen: src/base/text.c has these for the library.
localised() {
    case $1 in
    ops/decimal.c) return ;; # reads and writes decimal points itself
    src/* | backends/* | comm/* | ops/*.[ch]) ;;
    *) return ;;
    esac
    ctype='(is|to)(alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit)'
    strings='strto(d|f|ld)|atof|str(n?casecmp|casestr|coll|xfrm|ftime)|setlocale|localeconv'
    grep -nHE "%[-+#0-9.*]*[lL]?[aefgAEFG]|\\<($ctype|$strings) *\\(" "$top_srcdir/$1"
}

each localised >"$tap_folder/local"
tap_empty "numbers and letters of the library are the same in every locale" "$tap_folder/local"

version=$(sed -n 's/^#define YOKE_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)$/\2/p' "$top_srcdir/include/yoke/yoke.h" | paste -sd.)
[ "$version" = "$PACKAGE_VERSION" ]
tap_ok $? "configure.ac and yoke.h name the same version ($PACKAGE_VERSION, $version)"

if command -v shellcheck >/dev/null; then
    grep -E '\.sh$|^(check|demo|\.ci/run)$' "$tap_folder/sources" | while read -r file; do
        (cd "$top_srcdir" && shellcheck "$file")
    done >"$tap_folder/shellcheck" 2>&1
    tap_empty "shellcheck has nothing to say" "$tap_folder/shellcheck"
else
    tap_skip "shellcheck is not installed"
fi
tap_done
