# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completions of `yoke` for bash.

_yoke()
{
    local selectors='cuda cuda:0 opencl opencl:0 opencl:gpu opencl:cpu' words='' kept=''
    local word before command=${COMP_WORDS[1]} i=$((COMP_CWORD))

    # Bash breaks words at colons, which selectors have: what stands before the last one is there, and not offered again.
    word=${COMP_WORDS[i]}
    while [ "$i" -gt 2 ] && [[ $word == :* || ${COMP_WORDS[i - 1]} == : ]]; do
        i=$((i - 1))
        word=${COMP_WORDS[i]}$word
    done
    before=${COMP_WORDS[i - 1]}
    [[ $COMP_WORDBREAKS == *:* && $word == *:* ]] && kept=${word%"${word##*:}"}

    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words='info check bench cc trace tune validate help version --help --version'
    else
        case $before in
        --device) words=$selectors ;;
        --format) words='text tap junit lines' ;;
        --depfile | --out | --read | --replay | --report | --svg | -o)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        -I)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
            return
            ;;
        --arch | --block | --cuda-std | --data | --grid | --kernel | --name | --name-expression | --opencl-std | --range | --seconds | --seed | --shared | --size | --timeout | --type | --ulps | -D) return ;;
        esac
    fi
    if [ -z "$words" ]; then
        case $command:$word in
        help:*) words='info check bench cc trace tune validate' ;;
        info:-*) words='--all --json --timeout --help' ;;
        check:-*) words='--device --report --format --help' ;;
        bench:-*) words='--seconds --json --no-raw --help' ;;
        cc:-*) words='-I -D --arch --cuda-std --opencl-std --exact-math --fast-math --name-expression --device -o --name --depfile --spirv --run --replay --kernel --size --range --data --type --seed --grid --block --shared --ulps --help' ;;
        trace:-*) words='--out --svg --read --help' ;;
        validate:-*) words='--checks --json --help' ;;
        tune:-*) words='--all --seconds --json --help' ;;
        info:* | bench:* | tune:*) words=$selectors ;;
        cc:*)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -X '!*.c[ul]' -- "$word"; compgen -d -- "$word")
            return
            ;;
        trace:* | validate:*)
            # The program to run, and behind it what may be its files.
            case $before in
            trace | validate) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
            *) compopt -o default 2>/dev/null ;;
            esac
            return
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}

complete -F _yoke yoke
