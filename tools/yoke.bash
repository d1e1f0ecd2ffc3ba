# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completions of `yoke` for bash.

_yoke()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=''
    local selectors='cuda cuda:0 opencl opencl:0 opencl:gpu opencl:cpu'

    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words='info check bench cc trace help --help --version'
    else
        case $before in
        --device) words=$selectors ;;
        --format) words='text tap junit' ;;
        --html | --out | --read | --report | --svg)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        -I)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
            return
            ;;
        --instance | --seconds | --timeout | -D) return ;;
        esac
    fi
    if [ -z "$words" ]; then
        case $command:$word in
        help:*) words='info check bench cc trace' ;;
        info:-*) words='--json --timeout --help' ;;
        check:-*) words='--device --report --format --help' ;;
        bench:-*) words='--seconds --json --html --no-raw --help' ;;
        cc:-*) words='-I -D --instance --device --help' ;;
        trace:-*) words='--out --svg --read --help' ;;
        info:* | bench:*) words=$selectors ;;
        cc:*)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -X '!*.c[ul]' -- "$word"; compgen -d -- "$word")
            return
            ;;
        trace:*)
            mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
            return
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _yoke yoke
