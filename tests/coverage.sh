#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: tests/coverage.sh FOLDER LINES BRANCHES
#
# The coverage of base/, src/ and backends/ by the tests that ran in FOLDER, a build with --enable-coverage: FOLDER/coverage.txt and
# branches.txt have a line for each file, FOLDER/coverage/index.html shows every line. Fails if less than LINES % of the lines or
# BRANCHES % of the branches are covered. Fault injection, which is for tests, is excluded, with its wrappers of symbols.def. Code
# that cannot be reached is marked GCOVR_EXCL_LINE in the source, with the reason.

source=$(cd "$(dirname "$0")/.." && pwd) || exit 1
folder=$1 lines=$2 branches=$3

command -v gcovr >/dev/null || {
    echo "gcovr is not installed"
    exit 1
}
cd "$folder" || exit 1
mkdir -p coverage

# Branches that only an exception takes are none in C; what the compiler has found unreachable is no gap of the tests.
# A process that forks while its threads run writes counts that do not add up, by a few: gcovr leaves out such a line, and would
# else hang (5.2, with -j).
common="--exclude-throw-branches --exclude-unreachable-branches --add-tracefile coverage.json"
gcovr --root "$source" --object-directory . --exclude-throw-branches --exclude-unreachable-branches \
    --gcov-ignore-parse-errors -j 2 \
    --filter "$source/base/" --filter "$source/src/" --filter "$source/backends/" \
    --exclude '.*/inject\.[ch]$' --exclude '.*/symbols\.def$' \
    --json coverage.json || exit 1
# shellcheck disable=SC2086
gcovr --root "$source" $common --html-details coverage/index.html --txt coverage.txt || exit 1
# shellcheck disable=SC2086
gcovr --root "$source" $common --branches --txt branches.txt || exit 1
cut -c 1-60 coverage.txt
cut -c 1-60 branches.txt
# shellcheck disable=SC2086
gcovr --root "$source" $common --print-summary --fail-under-line "$lines" --fail-under-branch "$branches" --txt summary.txt
