#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each public function, the macro that wraps it, and each type has a manual page, with an example, in which mandoc and groff find no
# fault. That the examples compile and run is guide.sh's.

. "$top_srcdir/tests/tap/tap.sh"
export LC_ALL=C

# libyoke-comm has pages where it is built.
comm_symbols=/dev/null without=comm.h
[ ! -f libyoke-comm.la ] || comm_symbols=$top_srcdir/tests/static/comm_symbols.txt without=
sed '/^#/d' "$top_srcdir/tests/static/symbols.txt" "$top_srcdir/tests/static/ops_symbols.txt" "$comm_symbols" |
    while read -r name; do
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

# Every variable of Yoke's that the library names. YOKE_INJECT is for tests, and in no library that is released; and the words of
# <yoke/kernel.h> are no variables.
grep -rhoE --include='*.c' '"YOKE_[A-Z_]*"' "$top_srcdir/base" "$top_srcdir/src" "$top_srcdir/backends" |
    grep -v YOKE_INJECT | tr -d '"' | sort -u |
    while read -r name; do
        grep -q "^#define $name\>" "$top_srcdir/include/yoke/kernel.h" || grep -q "^\.It Ev $name$" doc/man/yoke-environment.7 ||
            echo "$name"
    done >"$tap_folder/variables"
tap_empty "every variable is documented" "$tap_folder/variables"

{
    grep -ohE '^(typedef (struct yoke_[a-z0-9_]+|u?int32_t)|}) yoke_[a-z0-9_]+;' --exclude="$without" \
        "$top_srcdir"/include/yoke/*.h |
        sed 's/.* \(.*\);/\1/'
    printf '%s\n' yoke_status YOKE_ARGS YOKE_DIM yoke_in yoke_arg_f32
} | grep -vE '^yoke_(vec|[iu][0-9])' | sort -u | while read -r name; do
    [ -f "doc/man/$name.3" ] || grep -q "^$name\.3 " doc/man/links || echo "$name"
done >"$tap_folder/types"
tap_empty "and so has every type, and what launches are written with" "$tap_folder/types"

# Each function since when, as its library's map says.
for map in "$top_srcdir"/build-aux/lib*.map; do
    case ${map##*/} in libyoke-comm.map) [ -f libyoke-comm.la ] || continue ;; esac
    awk '/^YOKE/ { version = $1; sub(/.*_/, "", version) } /^ +yoke_/ { sub(/;/, ""); print $1, version }' "$map" |
        while read -r name version; do
            page=$(sed -n "s/^$name\.3 //p" doc/man/links)
            grep -iq "^since Yoke $version\.$" "doc/man/${page:-$name.3}" || echo "$name: not since $version"
        done
done >"$tap_folder/since"
tap_empty "every function's page says since when" "$tap_folder/since"

for page in doc/man/*.3; do
    for part in SYNOPSIS DESCRIPTION EXAMPLES 'SEE ALSO' HISTORY; do
        grep -q "^\.Sh $part\$" "$page" || echo "$page: no $part"
    done
    # A summary is a whole clause.
    sed -n 's/^\.Nd //p' "$page" | awk -v page="$page" '
        length > 140 || / (a|an|the|of|to|or|and|for|with|in|by|as|that|which)$/ || gsub(/\(/, "(") != gsub(/\)/, ")") || /[,:;]$/ {
            print page ": " $0
        }'
done >"$tap_folder/parts"
tap_empty "every page of a function has all of its parts, and a summary that is not cut" "$tap_folder/parts"

grep -n '()(' doc/man/*.[37] >"$tap_folder/spoiled"
tap_empty "code has no parentheses that nobody has written" "$tap_folder/spoiled"

{
    grep -q '^\.Xr yoke 1' doc/man/yoke.7 || echo "yoke(7) does not name yoke(1)"
    grep -q '^\.Xr yoke 7' "$top_srcdir/tools/yoke.1" || echo "yoke(1) does not name yoke(7)"
    grep -q "^\.It Pa .*/guide" doc/man/yoke.7 || echo "yoke(7) does not name the folder of the guide"
} >"$tap_folder/names"
tap_empty "the manuals of the library and of the tool name each other" "$tap_folder/names"

# Where lines break is left out: folders may have long names.
if command -v groff >/dev/null; then
    for page in doc/man/*.[37] "$top_srcdir"/tools/*.1; do
        groff -ww -W break -mandoc -Tutf8 -K utf-8 "$page" >/dev/null
    done 2>"$tap_folder/groff"
    tap_empty "groff has nothing to say" "$tap_folder/groff"
else
    tap_skip "groff is not installed"
fi
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning doc/man/*.3 doc/man/*.7 "$top_srcdir"/tools/*.1 >"$tap_folder/lint" 2>&1
    tap_empty "mandoc has nothing to say" "$tap_folder/lint"
else
    tap_skip "mandoc is not installed"
fi

# The generator refuses what nobody could read. with SCRIPT EXAMPLES [PARAMETERS]: a change of yoke.h, one of the examples, and one
# of the parameters' meanings.
with() {
    sed "${3-}" "$top_srcdir/build-aux/parameters.txt" >"$tap_folder/parameters.txt"
    sed "$1" "$top_srcdir/include/yoke/yoke.h" >"$tap_folder/yoke.h"
    sed "$2" "$top_srcdir/doc/examples.md" >"$tap_folder/examples.md"
    mkdir -p "$tap_folder/man"
    "$AWK" -v out="$tap_folder/man" -v version=0 -v date=2000-01-01 -f "$top_srcdir/build-aux/man.awk" \
        -f "$top_srcdir/build-aux/man_seven.awk" -f "$top_srcdir/build-aux/man_text.awk" \
        -f "$top_srcdir/build-aux/headers.awk" "$tap_folder/yoke.h" \
        "$top_srcdir/doc/environment.md" "$top_srcdir/doc/environment-measuring.md" "$tap_folder/examples.md" \
        "$tap_folder/parameters.txt" >"$tap_folder/said" 2>&1
}
tap_try "a header alone is accepted" with '' ''
tap_try "but not a function without a comment" eval "! with '/^\/\* The version of the library/d' ''"
tap_try "a parameter without a name" eval "! with 's/yoke_status_group(yoke_status status)/yoke_status_group(yoke_status)/' ''"
tap_try "or a function without an example" eval "! with '' 's/^### yoke_version\$/### yoke_other/'"
tap_try "  which is named" grep -q 'yoke_version has no example' "$tap_folder/said"
tap_try "or two meanings for one parameter" eval "! with '' '' 's/^level: .*/&\nlevel: another/'"
tap_try "  which is named" grep -q 'parameters.txt: two lines for level' "$tap_folder/said"

# A function's own line says more than that of all parameters of this name.
grep -A 1 'Fa level' doc/man/yoke_log_write.3 | grep -q 'the level of this message'
tap_ok $? "yoke_log_write has its own meaning of level"
grep -A 1 'Fa level' doc/man/yoke_log_set.3 | grep -q 'the least important level'
tap_ok $? "yoke_log_set has the general one"
grep -A 1 'Fa flags' doc/man/yoke_select.3 | grep -q 'elements other than 0 choose'
tap_ok $? "yoke_select's flags are elements"
tap_done
