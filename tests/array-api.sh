#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The public tests of the array API standard, on the Python package and PoCL: all that tests/array-api.txt does not leave out, and
# what that leaves out must fail. They come by git at the commits below, once for each build; YOKE_ARRAY_API_TESTS names a clone
# that is there already, with its submodule. The wheel is that of tests/python.sh.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

suite_url=https://github.com/data-apis/array-api-tests
suite_commit=55fcc60179efa2680ddd6cd926ddf17b83530e2b
standard_url=https://github.com/data-apis/array-api
standard_commit=5f847a3858875c682ae901aa22b0413bf24be9da

place=$PWD/array-api
source=$(cd "$top_srcdir" && pwd)
log=$place/log
python=${YOKE_PYTHON:-python3}
mkdir -p "$place"

# fetched FOLDER URL COMMIT: the files of a commit. Without a network git gives up soon.
fetched() {
    [ "$(git -C "$1" rev-parse -q --verify HEAD 2>/dev/null)" = "$3" ] && return 0
    rm -rf "$1"
    git init -q "$1" &&
        git -C "$1" -c http.lowSpeedLimit=1000 -c http.lowSpeedTime=15 fetch -q --depth 1 "$2" "$3" &&
        git -C "$1" checkout -q FETCH_HEAD
}

wheel=$(ls "$PWD"/wheel/dist/*.whl 2>/dev/null) || tap_skip_all "there is no wheel: tests/python.tap makes it"
[ -f /etc/OpenCL/vendors/pocl.icd ] || tap_skip_all "there is no PoCL (package pocl-opencl-icd)"
suite=${YOKE_ARRAY_API_TESTS:-$place/suite}
if [ -z "${YOKE_ARRAY_API_TESTS-}" ]; then
    # The standard is where the suite has its submodule.
    { fetched "$suite" $suite_url $suite_commit && fetched "$suite/array-api" $standard_url $standard_commit; } >"$log" 2>&1 ||
        tap_skip_all "git cannot fetch the public tests here: $(tail -n 1 "$log")"
fi
if ! "$place/venv/bin/python" -c 'import hypothesis, ndindex, numpy, pytest, pytest_jsonreport, xdist' 2>/dev/null; then
    rm -rf "$place/venv"
    { "$python" -m venv "$place/venv" && "$place/venv/bin/pip" --disable-pip-version-check --timeout 15 --retries 1 install -q \
        numpy pytest pytest-json-report pytest-xdist 'hypothesis>=6.151' 'ndindex>=1.8'; } >"$log" 2>&1 ||
        tap_skip_all "pip cannot install the public tests' needs here: $(tail -n 1 "$log")"
fi
"$place/venv/bin/pip" --disable-pip-version-check install -q --no-deps --no-index --force-reinstall "$wheel" >"$log" 2>&1
tap_ok $? "the wheel installs"

# Few examples, the same each time: what is wrong for some values only is the matter of python/tests. A limit of time for each would
# count compilation.
(cd "$suite" && PYTHONPATH="$source/python/tests" env -u YOKE_DEVICE OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd \
    YOKE_BACKEND=opencl YOKE_CACHE_DIR="$place/cache" POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable ARRAY_API_TESTS_MODULE=yoke \
    YOKE_ARRAY_API_EXCLUSIONS="$source/tests/array-api.txt" timeout -s INT -k 20 "${YOKE_TEST_SECONDS:-600}" \
    "$place/venv/bin/python" -m pytest -q -n 2 -p no:cacheprovider -p array_api_exclusions --disable-warnings --disable-deadline \
    --ci --max-examples 3 array_api_tests) >"$log" 2>&1
status=$?
tap_ok $status "the public tests of the array API standard: $(tail -n 1 "$log")"
grep -E '^(FAILED|ERROR|E  )' "$log" >"$log.told" || tail -n 25 "$log" >"$log.told"
[ $status -eq 0 ] || tap_tell "$log.told"
tap_done
