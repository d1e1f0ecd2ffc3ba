#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build-aux/rename-0.1, by which programs of the time before 0.1.0 get the names of today: those in tests/release/renamed compile
# when it has been over them, and its table is complete.

. "$top_srcdir/tests/tap/tap.sh"

command -v python3 >/dev/null || tap_skip_all "python3 is not installed"
rename=$top_srcdir/build-aux/rename-0.1
old=$tap_folder/old
mkdir "$old" || exit 1
for program in arrays.c ranks.cpp ranks.py; do
    cp "$top_srcdir/tests/release/renamed/$program" "$old/" || exit 1
done
chmod -R u+w "$old"
python3 "$rename" --table >"$tap_folder/table"

# Which of the names in column $1 stand in these files.
known() {
    awk -v column="$1" '{ print $column }' "$tap_folder/table" >"$tap_folder/names"
    shift
    grep -owhF -f "$tap_folder/names" "$@" | sort -u
}

awk '{ print $1 }' "$tap_folder/table" | sort >"$tap_folder/wanted"
known 1 "$old"/* | comm -3 - "$tap_folder/wanted" | grep -v '_at$' >"$tap_folder/missing"
tap_empty "the old programs have each of the old names" "$tap_folder/missing"
known 1 "$top_srcdir"/include/yoke/*.h "$top_srcdir"/include/yoke/hpp/*.hpp >"$tap_folder/kept"
tap_empty "no header has one" "$tap_folder/kept"
awk '{ print $2 }' "$tap_folder/table" | sort -u >"$tap_folder/wanted"
known 2 "$top_srcdir"/include/yoke/*.h | comm -13 - "$tap_folder/wanted" >"$tap_folder/unknown"
tap_empty "the headers have each of the new names" "$tap_folder/unknown"

cp "$old/arrays.c" "$tap_folder/arrays.c"
tap_try "a difference is shown" python3 "$rename" --diff "$old"
grep -q '^+.*yoke_searchsorted(stream' "$tap_folder/output" && cmp -s "$old/arrays.c" "$tap_folder/arrays.c"
tap_ok $? "  which changes nothing"
tap_try "a folder is renamed" python3 "$rename" "$old"
[ "$(wc -l <"$tap_folder/output")" -eq 3 ]
tap_ok $? "  and the files that have changed are named"
known 1 "$old"/* >"$tap_folder/left"
tap_empty "no old name is left" "$tap_folder/left"
tap_try "a second time" python3 "$rename" "$old"
tap_empty "  nothing changes" "$tap_folder/output"

# compiles COMPILER SOURCE
compiles() {
    # The compiler may come with options of its own.
    # shellcheck disable=SC2086
    $1 -Wall -Wextra -Werror -I"$top_srcdir/include" -fsyntax-only "$2"
}
tap_try "the renamed program in C compiles" compiles "$CC -std=c11" "$old/arrays.c"
if [ "$CXX" = no ]; then
    tap_skip "the renamed program in C++: no C++ compiler"
else
    tap_try "the renamed program in C++ compiles" compiles "$CXX -std=c++11" "$old/ranks.cpp"
fi
tap_try "the renamed program in Python compiles" python3 -c 'import sys; compile(open(sys.argv[1]).read(), "ranks.py", "exec")' \
    "$old/ranks.py"
# count NUMBER PATTERN FILE
count() {
    [ "$(grep -c "$2" "$3")" -eq "$1" ]
}
tap_try "  with a method of today" count 1 'world\.sendrecv(halo' "$old/ranks.py"
tap_try "  and a key" count 1 'info\["transport"\], world\.info\[.transport.\]' "$old/ranks.py"
tap_try "a member is renamed" count 1 'described->transport' "$old/ranks.cpp"
tap_try "  and stays where it is not Yoke's" count 1 'info\.transport, road\.way' "$old/ranks.cpp"
tap_done
