#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints the page "function -> file": where each public function is promised, and where it is defined.
#
#   sh where.sh SRCDIR

cd "$1" || exit 1
export LC_ALL=C

# definitions PATTERN FILE...: lines of "FUNCTION FILE".
definitions() {
    pattern=$1
    shift
    grep -oE "$pattern" "$@" /dev/null | sed 's/^\([^:]*\):.*[ *]\(yoke_[a-z0-9_]*\)($/\2 \1/' | sort -u
}

temporary=${TMPDIR:-/tmp}/where.$$
trap 'rm -f "$temporary".*' EXIT
grep -hv '^#' tests/static/symbols.txt tests/static/ops_symbols.txt tests/static/comm_symbols.txt | sort >"$temporary.names"
definitions '^YOKE_API [^(]*[ *]yoke_[a-z0-9_]*\(' include/yoke/*.h >"$temporary.promised"
find base src ops comm -name '*.c' | sort >"$temporary.sources"
# shellcheck disable=SC2046
definitions '^[a-z][a-z0-9_ *]*[ *]yoke_[a-z0-9_]*\(' $(cat "$temporary.sources") >"$temporary.defined"

printf '# Where each function is\n\nA function `yoke_x_at` is called by the macro `yoke_x`. '
printf 'This page is made by build-aux/where.sh.\n\n'
printf '| function | promised in | defined in |\n|---|---|---|\n'
join "$temporary.names" "$temporary.promised" | join - "$temporary.defined" | sed 's/^\(.*\) \(.*\) \(.*\)$/| `\1` | \2 | \3 |/'
