# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# The TAP producer for shell tests, which source it. A test prints details with `told` and ends with `tap_done`.

tap_cases=0
tap_failures=0
tap_folder=$(mktemp -d "${TMPDIR:-/tmp}/yoke-test.XXXXXX") || exit 1
trap 'rm -rf "$tap_folder"' EXIT
trap 'exit 1' HUP INT TERM

# tap_ok STATUS TEXT: a case, passed when STATUS is 0.
tap_ok() {
    tap_cases=$((tap_cases + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_cases - $2"
    else
        echo "not ok $tap_cases - $2"
        tap_failures=$((tap_failures + 1))
    fi
}

# tap_try TEXT COMMAND...: a case, passed when the command succeeds. What it printed is told when it fails.
tap_try() {
    tap_text=$1
    shift
    "$@" >"$tap_folder/output" 2>&1 </dev/null
    tap_status=$?
    tap_ok "$tap_status" "$tap_text"
    [ "$tap_status" -eq 0 ] || tap_tell "$tap_folder/output"
}

# tap_empty TEXT FILE: a case, passed when the file of objections is empty.
tap_empty() {
    [ ! -s "$2" ]
    tap_ok $? "$1"
    tap_tell "$2"
}

# The file's first lines, as remarks.
tap_tell() {
    sed -n 's/^/# /; 1,40p' "$1"
}

tap_skip() {
    tap_cases=$((tap_cases + 1))
    echo "ok $tap_cases # SKIP $1"
}

tap_skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

tap_done() {
    echo "1..$tap_cases"
    [ "$tap_failures" -eq 0 ] || exit 10
    exit 0
}
