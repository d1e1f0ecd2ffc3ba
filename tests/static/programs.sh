#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The programs that README.md and the guide show, and hello.c, check what they call: with a mistake in them they say so on stderr
# and end with a status other than 0, on OpenCL and on CUDA. guide.sh compiles and runs them as they are.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

build=$PWD
source=$(cd "$top_srcdir" && pwd) || exit 1
export LD_LIBRARY_PATH="$build/.libs${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}"
export YOKE_CACHE=off
unset YOKE_BACKEND YOKE_DEVICE

# has BACKEND: there is a device.
has() {
    YOKE_BACKEND=$1 "$build/examples/hello" >"$tap_folder/said" 2>&1
}

backends=
for backend in opencl cuda; do
    if [ $backend = cuda ] && ! has cuda && [ -e tests/cuda-double/.libs/libcuda.so.1 ]; then
        LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$build/tests/cuda-double/.libs
    fi
    if has $backend; then
        backends="$backends $backend"
    else
        tap_skip "$backend: $(head -n 1 "$tap_folder/said")"
    fi
done

# compile FILE PROGRAM
compile() {
    # $CC may come with options of its own.
    # shellcheck disable=SC2086
    $CC -std=c11 -w ${YOKE_SANITIZER-} -I "$source/include" "$1" -o "$2" -L "$build/.libs" -lyoke
}

# ends PATTERN PROGRAM: with a failure, and one line on stderr about it. Clang in PoCL prints a line of its own.
ends() {
    "$2" >"$tap_folder/out" 2>"$tap_folder/err"
    ended=$?
    cat "$tap_folder/err"
    [ "$ended" -eq 1 ] || return
    [ "$(grep -cvx '[0-9]* errors* generated\.' "$tap_folder/err")" -eq 1 ] && grep -qE -- "$1" "$tap_folder/err"
}

# mistake TEXT SED PATTERN: $program with the mistake.
mistake() {
    sed "$2" "$program" >"$tap_folder/wrong.c"
    if cmp -s "$program" "$tap_folder/wrong.c"; then
        tap_ok 1 "$shown: there is something to get wrong: $1"
        return
    fi
    tap_try "$shown with $1 compiles" compile "$tap_folder/wrong.c" "$tap_folder/wrong"
    for backend in $backends; do
        export YOKE_BACKEND="$backend"
        tap_try "$shown with $1 ends with a message, $backend" ends "wrong\.c:[0-9]+: yoke_.*: $3" "$tap_folder/wrong"
        unset YOKE_BACKEND
    done
}

# mistakes KERNEL SHOWN PROGRAM: those of one program.
mistakes() {
    kernel=$1 shown=$2 program=$3
    compile "$program" "$tap_folder/right"
    mistake "a wrong name of its kernel" "s/\\(yoke_kernel_get(program, \"$kernel\\)/\\1x/" "YOKE_E_NOT_FOUND: .*$kernel"
    if [ "$kernel" = hello ]; then
        mistake "an argument too many" 's/YOKE_ARGS(/&length, /' "YOKE_E_KERNEL_ARGUMENT: .*argument"
    else
        mistake "a double for a float" 's/2\.0f/2.0/' "YOKE_E_KERNEL_ARGUMENT: .*8 bytes"
    fi
    if grep -q yoke_source_builtin "$program"; then
        mistake "a wrong name of its source" "s/builtin(\"$kernel/&x/" "YOKE_E_NOT_FOUND: .*$kernel"
    else
        mistake "a kernel that does not compile" \
            's/\(x\[i\]\|text\[[a-zA-Z_.()0]*\]\) [-*]= /nothing + &/' "YOKE_E_BUILD: .*nothing"
    fi

    # A machine with NVIDIA's driver, and without NVRTC.
    case $backends in
    *cuda*)
        tap_try "$shown without NVRTC ends with a message" env YOKE_BACKEND=cuda YOKE_NVRTC="$tap_folder/none.so" sh -c '
            ! "$0" 2>"$0.said" && cat "$0.said" && grep -q "yoke_program_build.*: YOKE_E_UNAVAILABLE: .*none.so" "$0.said"' \
            "$tap_folder/right"
        ;;
    esac
}

mistakes hello examples/hello.c "$source/examples/hello.c"
for page in README.md:saxpy doc/from-cuda.md:scale doc/from-opencl.md:scale; do
    mkdir "$tap_folder/page"
    "$AWK" -v out="$tap_folder/page" -v name="$page" -f "$source/tests/static/guide.awk" "$source/${page%:*}" >"$tap_folder/wrong"
    sed -i '/^#line/d' "$tap_folder"/page/program-*.c
    mistakes "${page#*:}" "${page%:*}" "$(echo "$tap_folder"/page/program-*.c)"
    rm -r "$tap_folder/page"
done
tap_done
