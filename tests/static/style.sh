#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The style rules that a program can check.

. "$top_srcdir/tests/tap/tap.sh"

# Everything that a person wrote and that is code. What configure and make put into the tree of an in-tree build is left out.
(
    cd "$top_srcdir" || exit 1
    find api backends base bench comm contrib doc examples include kernels ops src tests tools -name '*.[ch]' -o -name '*.[ch]pp' \
        -o -name '*.c[ul]' -o -name '*.y[hk]' -o -name '*.def' -o -name '*.sh' -o -name '*.mk' -o -name '*.awk' |
        grep -vE '^(kernels/embedded\.c|ops/call/texts\.c|examples/(drafted|mandelbrot)_kernels\.[ch])$'
    find python -maxdepth 2 -name '*.py' -o -name '*.px[di]' -o -name '*.pyx' -o -name '*.pyi' -o -name '*.mk'
    find build-aux -name '*.awk' -o -name legs.sh -o -name setup.sh -o -name where.sh -o -name 'rename-*' -o -name '*.map'
    printf '%s\n' .ci/run CMakeLists.txt Makefile.am check cmake/YokeConfig.cmake.in cmake/YokeConfigVersion.cmake.in \
        cmake/YokeKernels.cmake cmake/install.cmake configure.ac demo doc/Doxyfile.in examples/Makefile m4/yoke.m4 \
        m4/yoke_kernels.m4 meson.build meson_options.txt
) | sort >"$tap_folder/sources"

# The paths that stand in the standard input go to one program, since a program for each takes most of the time.

# for_all COMMAND...: the command with these files, in the tree.
for_all() (
    cd "$top_srcdir" && LC_ALL=C.UTF-8 xargs "$@"
)

# lines PATTERN: the lines of these files that match it, and where they are.
lines() {
    for_all grep -nHE -e "$1"
}

for_all grep -L 'SPDX-License-Identifier: Apache-2\.0' <"$tap_folder/sources" >"$tap_folder/licence"
tap_empty "every source file names its licence" "$tap_folder/licence"
for_all wc -l <"$tap_folder/sources" | awk '$1 > 600 && $2 != "total"' >"$tap_folder/length"
tap_empty "no source file is longer than 600 lines" "$tap_folder/length"
# The macros that a kernel's text is compiled with in tests are one line.
lines '^.{133,}' <"$tap_folder/sources" | grep -v '// \(options\|generated\): ' >"$tap_folder/width"
tap_empty "no line is wider than 132 columns" "$tap_folder/width"
# What a user's function shares with a declaration there gets another name: ops/expression/calls.c.
grep '\.y[hk]$' "$tap_folder/sources" |
    lines '^(if|else|for|while|do|switch|case|return|break|continue)\>' >"$tap_folder/statements"
tap_empty "no statement of a kernel's text begins in the first column" "$tap_folder/statements"
{
    lines '[[:space:]]$' <"$tap_folder/sources"
    grep -vE '(\.mk|^Makefile\.am|/Makefile)$' "$tap_folder/sources" | lines "$(printf '\t')"
} >"$tap_folder/blanks"
tap_empty "no tabs, and no blanks at line ends" "$tap_folder/blanks"

# What depends on the locale that the program has chosen: base/text.c has these for the library. ops/array/decimal.c reads and
# writes decimal points itself.
ctype='(is|to)(alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit)'
strings='strto(d|f|ld)|atof|str(n?casecmp|casestr|coll|xfrm|ftime)|setlocale|localeconv'
grep -E '^(base/|src/|backends/|comm/|ops/.*\.[ch]$)' "$tap_folder/sources" | grep -vx 'ops/array/decimal\.c' |
    lines "%[-+#0-9.*]*[lL]?[aefgAEFG]|\\<($ctype|$strings) *\\(" >"$tap_folder/local"
tap_empty "numbers and letters of the library are the same in every locale" "$tap_folder/local"

version=$(sed -n 's/^#define YOKE_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)$/\2/p' "$top_srcdir/include/yoke/yoke.h" | paste -sd.)
[ "$version" = "$PACKAGE_VERSION" ]
tap_ok $? "configure.ac and yoke.h name the same version ($PACKAGE_VERSION, $version)"

if command -v shellcheck >/dev/null; then
    grep -E '\.sh$|^(check|demo|\.ci/run)$' "$tap_folder/sources" | for_all shellcheck >"$tap_folder/shellcheck" 2>&1
    tap_empty "shellcheck has nothing to say" "$tap_folder/shellcheck"
else
    tap_skip "shellcheck is not installed"
fi
tap_done
