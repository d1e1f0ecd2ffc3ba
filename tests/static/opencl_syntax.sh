#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every .cl, and each text for both languages, compiles as OpenCL C 1.2 with a compiler that belongs to no driver; nvrtc_compile.c
# does the same for CUDA, and makers.sh with compilers of drivers. texts.sh says which texts there are, and with which macros.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"
# shellcheck source=tests/static/texts.sh
. "$top_srcdir/tests/static/texts.sh"

[ "$CLANG" != no ] || tap_skip_all "clang is not installed"

# compiles FILE OPTION...
compiles() {
    file=$1
    shift
    "$CLANG" -x cl -cl-std=CL1.2 -D__OPENCL_VERSION__=120 -Xclang -finclude-default-header -target spir64 -Wall -Wextra -Werror \
        -fsyntax-only "$@" "$file"
}

# plain NAME - FILE OPTION...
plain() {
    name=$1
    shift 2
    tap_try "$name" compiles "$@"
}

# with_set NAME SET FILE OPTION...: not each set of macros needs all functions and parameters of a text.
with_set() {
    if [ -z "$2" ]; then
        tap_ok 1 "$1 has a line '// options: ...'"
        return
    fi
    name="$1, $2"
    shift 2
    tap_try "$name" compiles "$@" -Wno-unused -Wno-unused-parameter
}

texts_plain plain
texts_sets with_set
tap_done
