#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What all subcommands of the tool share: help, versions, exit statuses, output into pipes; the manual page and the completions.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
# shellcheck source=tests/tools/run.sh
. "$top_srcdir/tests/tools/run.sh"

run 2 "nothing to do"
says "Usage: yoke SUBCOMMAND"
run 2 "no such subcommand" fly
says "unknown subcommand 'fly'; the subcommands are: info"
run 2 "a mistyped subcommand" inf
says "unknown subcommand 'inf', did you mean 'info'?"
run 2 "an option in front" --json info
says "options of a subcommand come after it"
run 2 "a mistyped option" --versoin
says "did you mean '--version'?"
run 2 "an unknown option behind it" info --fly
says "yoke info: unknown option '--fly'"
for word in --version -V version; do
    run 0 "$word" $word
    says "yoke $PACKAGE_VERSION"
done
run 0 "-h" -h
says "Usage: yoke SUBCOMMAND"
run 0 "help" help
says "Usage: yoke SUBCOMMAND"
run 0 "--help" --help
sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' out | grep -vE '^(help|version)$' >subcommands
[ -s subcommands ]
tap_ok $? "it lists subcommands"
# documented NAME: what the manual page and the completions lack of a subcommand.
documented() {
    grep -q "^\.Ss $1\$" "$source/tools/yoke.1" || echo "$1: is not in the manual page"
    "$yoke" help "$1" | sed -n 's/^  .*--\([a-z-]*\).*/\1/p' | while read -r option; do
        grep -qF -- "$option" "$source/tools/yoke.1" || echo "$1 --$option: is not in the manual page"
        grep -qF -- "--$option" "$source/tools/yoke.bash" || echo "$1 --$option: is not in the completions"
    done
}

: >gaps
while read -r name; do
    run 0 "help $name" help "$name"
    says "Usage: yoke $name"
    for option in -h --help; do
        run 0 "$name $option" "$name" $option
        says "Usage: yoke $name"
    done
    documented "$name" >>gaps
done <subcommands
run 2 "help for what is none" help fly
tap_empty "every option is in the manual page and in the completions" gaps

run 3 "no device" info
! grep -q "$(printf '\033')" out
tap_ok $? "what is piped has no colours"
if [ -w /dev/full ]; then
    "$yoke" --help >/dev/full 2>err
    [ $? -eq 1 ] && grep -q "No space left" err
    tap_ok $? "a full disk is reported"
    echo '[{"ph":"X","pid":1,"tid":1,"cat":"launch","ts":0,"dur":5}]' >trace.json
    run 0 "a report" trace --read trace.json
    "$yoke" trace --read trace.json 2>/dev/full >out
    [ $? -eq 1 ]
    tap_ok $? "a report that cannot be written is a failure: exit code 1"
    "$yoke" trace sh -c 'exit 7' 2>/dev/full >out
    [ $? -eq 7 ]
    tap_ok $? "but the failure of a program comes first"
else
    tap_skip "there is no /dev/full"
fi
if command -v script >/dev/null; then
    TERM=xterm script -qec "env -u NO_COLOR '$yoke' info" /dev/null >out 2>&1 </dev/null
    grep -q "$(printf '\033')" out
    tap_ok $? "a terminal gets colours"
    TERM=xterm script -qec "env NO_COLOR=1 '$yoke' info" /dev/null >out 2>&1 </dev/null
    ! grep -q "$(printf '\033')" out
    tap_ok $? "and with NO_COLOR none"
    TERM=xterm script -qec "env NO_COLOR= '$yoke' info" /dev/null >out 2>&1 </dev/null
    grep -q "$(printf '\033')" out
    tap_ok $? "but an empty NO_COLOR is none"
else
    tap_skip "a terminal: there is no script(1)"
fi

if command -v mandoc >/dev/null; then
    tap_try "mandoc has nothing to say of the manual page" mandoc -T lint -W warning "$source/tools/yoke.1"
else
    tap_skip "mandoc is not installed"
fi
if command -v bash >/dev/null; then
    # offers WORD...: what bash offers for the last word.
    offers() {
        bash -c 'source "$0"; COMP_WORDBREAKS=": " COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _yoke; echo "${COMPREPLY[@]}"' \
            "$source/tools/yoke.bash" "$@" | tr '\n' ' '
    }
    offers yoke '' | grep -q 'info .*cc'
    tap_ok $? "bash completes subcommands"
    [ "$(offers yoke info --j)" = "--json " ]
    tap_ok $? "bash completes options"
    offers yoke bench 'open' | grep -q 'opencl'
    tap_ok $? "bash completes selectors"
    [ "$(offers yoke bench opencl : g)" = "gpu " ]
    tap_ok $? "and what stands behind their colon"
else
    tap_skip "bash is not installed"
fi
tap_done
