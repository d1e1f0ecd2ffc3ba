#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/coverage.sh FOLDER
#
# The coverage of the libraries by the tests that ran in FOLDER, a build with --enable-coverage: FOLDER/coverage.txt and
# branches.txt have a line for each file, FOLDER/coverage/index.html shows every line. Fails if less of a library is covered than
# its line of the table below asks for. Fault injection, which is for tests, is excluded, with its wrappers of symbols.def. Code
# that cannot be reached is marked GCOVR_EXCL_LINE in the source, with the reason.

source=$(cd "$(dirname "$0")/.." && pwd) || exit 1
folder=$1

command -v gcovr >/dev/null || {
    echo "gcovr is not installed"
    exit 1
}
cd "$folder" || exit 1
mkdir -p coverage

# Branches that only an exception takes are none in C; what the compiler has found unreachable is no gap of the tests.
# A process that forks while its threads run writes counts that do not add up, by a few: gcovr leaves out such a line, and would
# else hang (5.2, with -j).
common="--exclude-throw-branches --exclude-unreachable-branches"
# shellcheck disable=SC2086
gcovr --root "$source" --object-directory . $common --gcov-ignore-parse-errors -j 2 \
    --filter "$source/base/" --filter "$source/src/" --filter "$source/backends/" --filter "$source/ops/" \
    --filter "$source/comm/" \
    --exclude '.*/inject\.[ch]$' --exclude '.*/symbols\.def$' \
    --json coverage.json --html-details coverage/index.html --txt coverage.txt --csv coverage.csv || exit 1
# shellcheck disable=SC2086
gcovr --root "$source" --add-tracefile coverage.json $common --branches --txt branches.txt || exit 1
cut -c 1-60 coverage.txt
cut -c 1-60 branches.txt

# Each library: the least covered lines and branches in percent, and its folders.
status=0
while read -r library lines branches folders; do
    # The columns: filename, line_total, line_covered, line_percent, branch_total, branch_covered, and more.
    awk -F, -v library="$library" -v lines="$lines" -v branches="$branches" -v folders="$folders" '
        function percent(part, all) { return all ? 100 * part / all : 0 }
        BEGIN { for (n = split(folders, each, " "); n > 0; n--) wanted[each[n]] = 1 }
        NR > 1 && substr($1, 1, index($1, "/") - 1) in wanted { all += $2; some += $3; all_ways += $5; ways += $6 }
        END {
            form = "%s, %s: %.1f%% (%d out of %d), %s %% asked for\n"
            printf form, library, "lines", percent(some, all), some, all, lines
            printf form, library, "branches", percent(ways, all_ways), ways, all_ways, branches
            exit percent(some, all) < lines || percent(ways, all_ways) < branches
        }' coverage.csv || status=1
done <<'EOF'
libyoke 95 85 base src backends
libyoke-ops 88 76 ops
libyoke-comm 91 77 comm
EOF
exit $status
