#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Types the tutorial as it stands, block by block, in a clean folder, on each backend: files are written, edits are applied, the
# shell's blocks run, and what they print is what the page prints. A comment above a block says what the page says in words:
#
#   <!-- before: LINE -->                    the block goes in front of the line that begins so
#   <!-- instead of: FIRST ... LAST -->      it replaces the lines from the one that begins so to the one that begins so
#   <!-- fails -->                           the last command ends with a status other than 0
#   <!-- not run: WHY -->                    left out
#
# first.c after each section is also in examples/tutorial; `sh tutorial.sh record`, in a build folder, writes it there.

top_srcdir=${top_srcdir:-$(dirname "$0")/../..}
: "${AWK:=awk}" "${CC:=cc}"
# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

build=$PWD
source=$(cd "$top_srcdir" && pwd) || exit 1
steps=$source/examples/tutorial
record=${1-}

# What an installed Yoke would bring.
mkdir "$tap_folder/bin" "$tap_folder/page"
printf '#!/bin/sh\nPATH=%s\nexec %s %s "$@"\n' "'$PATH'" "$CC" "${YOKE_SANITIZER-}" >"$tap_folder/bin/cc"
printf '#!/bin/sh\nexec "%s/tools/yoke" "$@"\n' "$build" >"$tap_folder/bin/yoke"
printf '#!/bin/sh\necho -I"%s/include" -L"%s/.libs" -lyoke\n' "$source" "$build" >"$tap_folder/bin/pkg-config"
chmod +x "$tap_folder"/bin/*
PATH=$tap_folder/bin:$PATH
unset YOKE_DEVICE

"$AWK" -v out="$tap_folder/page" -f "$source/tests/static/tutorial.awk" "$source/doc/tutorial.md"

# says EXPECTED FILE: the file has the page's lines. The device's name and what a compiler says depend on the machine.
says() {
    sed 's/[][\\.*^$+?(){}|]/\\&/g; s/^NVIDIA H200:/.*:/; s/YOKE_E_BUILD: .*/YOKE_E_BUILD: .*/; s/^/^/; s/$/$/' \
        "$1" >"$tap_folder/expected"
    [ "$(wc -l <"$2")" -eq "$(wc -l <"$tap_folder/expected")" ] || { cat "$2"; return 1; }
    paste -d '\n' "$tap_folder/expected" "$2" | while IFS= read -r pattern && IFS= read -r line; do
        printf '%s\n' "$line" | grep -qE -- "$pattern" || { echo "'$line' is not '$pattern'" && exit 1; }
    done
}

# What the program prints comes before its failure: in a file its output is not flushed line by line. Clang in PoCL prints too.
shell() {
    sh -e "$block" >said 2>errors
    shell_status=$?
    grep -vx '[0-9]* errors* generated\.' errors >>said
    return "$shell_status"
}

# step KIND FILE: one block, whose text is $block, and how it is to be used, $how.
step() {
    case $1:$how in
    cuda:* | opencl:* | c:) cp "$block" "$2" ;;
    c:*) "$AWK" -v how="$how" -f "$source/tests/static/tutorial.awk" "$block" "$2" >edited && mv edited "$2" ;;
    sh:fails) ! shell ;;
    sh:) shell || { cat said; return 1; } ;;
    text:*) says "$block" said ;;
    *) false ;;
    esac
}

# after_section NUMBER: first.c is what examples/tutorial has, below its licence.
after_section() {
    for typed in first.c saxpy.cu saxpy.cl; do
        if [ "$typed" = first.c ]; then
            name=first$1.c about=", after section $1. It reads saxpy.cu and saxpy.cl"
        else
            name=$typed about=
        fi
        {
            printf '/* SPDX-License-Identifier: Apache-2.0 */\n/* %s of doc/tutorial.md%s. */\n' "$typed" "$about"
            cat "$typed"
        } >with
        if [ "$record" = record ]; then
            mkdir -p "$steps" && cp with "$steps/$name"
        fi
        cmp with "$steps/$name" || return
    done
}

# keep BACKEND: the sections that change first.c.
keep() {
    case $section in
    3 | 5 | 6) tap_try "$1: examples/tutorial has first.c after section $section" after_section "$section" ;;
    esac
}

# typed BACKEND: all of the page.
typed() {
    export YOKE_BACKEND="$1"
    mkdir "$tap_folder/$1" && cd "$tap_folder/$1" || exit 1
    section=0
    while read -r number kind file; do
        block=$tap_folder/page/$number
        if [ "$kind" = section ]; then
            keep "$1"
            section=$file
            continue
        fi
        how=$(cat "$block.how")
        [ "${how#not run}" = "$how" ] || continue
        tap_try "$1: section $section, block $number: $kind ${file:-$(head -n 1 "$block")}" step "$kind" "$file"
    done <"$tap_folder/page/steps"
    keep "$1"
    cd "$build" || exit 1
}

# has BACKEND: there is a device.
has() {
    YOKE_BACKEND=$1 "$build/examples/hello" >"$tap_folder/said" 2>&1
}

export LD_LIBRARY_PATH="$build/.libs${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}"
for backend in opencl cuda; do
    if [ "$backend" = cuda ] && ! has cuda && [ -e tests/cuda-double/.libs/libcuda.so.1 ]; then
        LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$build/tests/cuda-double/.libs
    fi
    if has $backend; then
        typed $backend
    else
        tap_skip "$backend: $(head -n 1 "$tap_folder/said")"
    fi
done
tap_done
