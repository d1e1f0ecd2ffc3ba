#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each public function, and the macro that wraps it, has a manual page in which mandoc finds no fault.

. "$top_srcdir/tests/tap/tap.sh"
export LC_ALL=C

grep -v '^#' "$top_srcdir/tests/static/symbols.txt" | while read -r name; do
    for page in "$name" "${name%_at}"; do
        [ -f "doc/man/$page.3" ] || grep -q "^$page\.3 " doc/man/links || echo "$page"
    done
done >"$tap_folder/missing"
tap_empty "every public function has a page" "$tap_folder/missing"

while read -r name page; do
    [ -f "doc/man/$page" ] && [ ! -f "doc/man/$name" ] || echo "$name is another name of $page"
done <doc/man/links >"$tap_folder/wrong"
sort doc/man/links | cut -d ' ' -f 1 | uniq -d >>"$tap_folder/wrong"
tap_empty "every other name leads to a page" "$tap_folder/wrong"

# Every variable of Yoke's that the library names. YOKE_INJECT is for tests, and in no library that is released.
grep -rhoE --include='*.c' '"YOKE_[A-Z_]*"' "$top_srcdir/src" "$top_srcdir/backends" | grep -v YOKE_INJECT | tr -d '"' | sort -u |
    while read -r name; do
        grep -q "^\.It Ev $name$" doc/man/yoke-environment.7 || echo "$name"
    done >"$tap_folder/variables"
tap_empty "every variable is told of" "$tap_folder/variables"

if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning doc/man/*.3 doc/man/*.7 "$top_srcdir"/tools/*.1 >"$tap_folder/lint" 2>&1
    tap_empty "mandoc has nothing to say" "$tap_folder/lint"
else
    tap_skip "mandoc is not installed"
fi

# The generator refuses what nobody could read.
broken() {
    sed "$2" "$top_srcdir/include/yoke/yoke.h" >"$tap_folder/yoke.h"
    mkdir -p "$tap_folder/man"
    ! "$AWK" -v out="$tap_folder/man" -v version=0 -v date=2000-01-01 -f "$top_srcdir/build-aux/man.awk" \
        -f "$top_srcdir/build-aux/headers.awk" "$tap_folder/yoke.h" "$top_srcdir/doc/environment.md" >"$tap_folder/said" 2>&1
    tap_ok $? "refused: $1"
}
broken "a function without a comment" '/^\/\* The version of the library/d'
broken "a parameter without a name" 's/yoke_status_group(yoke_status status)/yoke_status_group(yoke_status)/'

# Doxygen takes a file's name apart where there is a blank in its folder's.
for page in "$top_srcdir"/doc/*.md; do
    "$AWK" -f "$top_srcdir/build-aux/guide.awk" "$page" | grep -n '](.*\.md[)#]'
done >"$tap_folder/links"
tap_empty "pages of the guide know each other by name" "$tap_folder/links"

# A make inside a make: the outer one's job server is none of its business.
unset MAKEFLAGS MFLAGS MAKELEVEL
if [ "$DOXYGEN" != no ]; then
    tap_try "Doxygen has nothing to say" "$MAKE" html
else
    tap_skip "doxygen is not installed"
fi
tap_done
