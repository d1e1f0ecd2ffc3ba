#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs one test for Automake: tests/KIND/NAME.tap is the program tests/KIND/NAME or the script tests/KIND/NAME.sh, and
# tests/KIND/NAME.BACKEND.tap is tests/KIND/NAME with that backend, as are tests/examples.BACKEND.tap and tests/cpp.BACKEND.tap.
# Works in the build folder, and tells how long the test has taken, by the clock and of processors.

started=$(date +%s)
name=${1##*tests/}
name=${name%.tap}

case $name in
backend-host/*.* | comm/*.* | conformance/*.* | faults/*.* | fuzz/*.* | ops/*.* | random/*.* | \
    stress/*.* | validate/*.* | examples.* | cpp.*)
    backend=${name##*.}
    name=${name%.*}
    case ${YOKE_BACKEND:-$backend} in
    "$backend") ;;
    cuda | opencl | host)
        echo "1..0 # SKIP YOKE_BACKEND=$YOKE_BACKEND leaves this backend out"
        exit 0
        ;;
    *)
        echo "Bail out! YOKE_BACKEND=$YOKE_BACKEND: there is no such backend"
        exit 0
        ;;
    esac
    export YOKE_BACKEND="$backend"
    ;;
esac

# To save a program, PoCL compiles each of its kernels once more. Its own cache is as good for the dozens of programs of
# operations, or of kernels in a program, that these build.
case $name.${backend-} in
ops/*.opencl | random/*.opencl | examples.opencl | static/guide*) export YOKE_CACHE=read ;;
conformance/arguments.opencl | conformance/kernels.opencl | conformance/layout.opencl) export YOKE_CACHE=read ;;
esac

# PoCL compiles kernels in about half the time when it does not optimise them. What kernels compute is tested on optimised ones, by
# the programs of each operation; these tests are about what surrounds kernels, or whether they compile, for which any will do. Of
# the examples, each checks its own results.
case $name.${backend-} in
ops/first.opencl | ops/prepare.opencl | ops/repeat.opencl | ops/streams.opencl | ops/call/options.opencl | \
    ops/expression/names.opencl | ops/linear/matmul_rules.opencl | examples.opencl | static/guide* | tools/tune.)
    export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
    ;;
esac

# Oclgrind empties its log when it starts, so that each test needs one of its own.
if [ -n "${OCLGRIND_LOG-}" ]; then
    OCLGRIND_LOG=$OCLGRIND_LOG.$(echo "$name" | tr / -)
    export OCLGRIND_LOG
fi

# Mesa makes a folder for its cache only inside one that is there.
[ -z "${MESA_SHADER_CACHE_DIR-}" ] || mkdir -p "$MESA_SHADER_CACHE_DIR"

if [ -f "${top_srcdir:=.}/tests/$name.sh" ]; then
    export top_srcdir
    sh "$top_srcdir/tests/$name.sh"
elif [ -x "tests/$name" ]; then
    # For another architecture: libtool names the program itself and not the script that stands for it.
    # shellcheck disable=SC2086
    ${YOKE_TEST_EMULATOR:+./libtool --mode=execute $YOKE_TEST_EMULATOR} "tests/$name"
else
    echo "Bail out! there is neither tests/$name nor $top_srcdir/tests/$name.sh"
fi
status=$?
# Of what this shell has waited for, in hundredths: their fields behind the name, which may have blanks, are the 14th and the 15th.
cpu=''
# shellcheck disable=SC2086
if read -r stat 2>/dev/null </proc/self/stat && set -- ${stat##*) } && [ $# -ge 15 ]; then
    cpu=", $(((${14} + ${15}) / 100)) s of CPU"
fi
echo "# took $(($(date +%s) - started)) s$cpu"

# 10: the failures have been told, so that they are not counted again.
[ "$status" -eq 10 ] && exit 0
exit "$status"
