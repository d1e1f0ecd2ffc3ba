#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each example of the gallery on the backend that YOKE_BACKEND names: the example exits with 0 after its own check against the
# host, writes nothing to stderr, and prints the expected figures.

# shellcheck source=tests/tap/tap.sh
. "$top_srcdir/tests/tap/tap.sh"

examples=$PWD/examples
cd "$tap_folder" || exit 1

# runs PATTERN NAME ARGUMENT...: the example prints a line that matches.
runs() {
    pattern=$1 name=$2
    shift 2
    if [ ! -x "$examples/$name" ]; then
        tap_skip "$name is not built: configure found no libpng"
        return
    fi
    "$examples/$name" "$@" >out 2>err </dev/null
    code=$?
    [ "$code" -eq 0 ] && [ ! -s err ] && grep -qE -- "$pattern" out
    tap_status=$?
    tap_ok "$tap_status" "$name: $pattern"
    [ "$tap_status" -eq 0 ] || { echo "# exit code $code" && tap_tell out && tap_tell err; }
}

# fails CODE PATTERN NAME ARGUMENT...: it ends with this code and says why.
fails() {
    expected=$1 pattern=$2 name=$3
    shift 3
    "$examples/$name" "$@" >out 2>err </dev/null
    code=$?
    [ "$code" -eq "$expected" ] && grep -qE -- "$pattern" err
    tap_ok $? "$name $*: exit code $code, $pattern"
}

"$examples/hello" >out 2>err </dev/null
if grep -q 'yoke_device_open' err; then # there is no device
    case ,${YOKE_TEST_REQUIRE-}, in
    *",$YOKE_BACKEND,"*) ;;
    *) tap_skip_all "$(cat err)" ;;
    esac
fi
runs "^Hello, world from .* \($YOKE_BACKEND:[0-9]+\)$" hello
runs '^vector_add: 1000003 sums, 0 of them wrong; the last is 333334$' vector_add
runs '^vector_add: 1 sums, 0 of them wrong; the last is 1$' vector_add 1
runs '^matmul: 150 x 200 times 200 x 70, off by .*: right$' matmul
runs '^matmul: 1 x 33 times 33 x 17, off by .*: right$' matmul 1 17 33
runs '^shared_memory: 100003 means of 41 values, 672 bytes shared by a block, 0 wrong$' shared_memory
runs '^shared_memory: 5 means of 601 values, 2912 bytes shared by a block, 0 wrong$' shared_memory 5 300
runs '^page_locked: 500009 sums .* 0 wrong; the last is 500013$' page_locked
runs '^structs: 10007 structs of 16 bytes, 0 wrong$' structs
runs '^arrays: 100000 elements of 2 expressions, 0 wrong; the last are 100098 and 99998\.0[45][0-9]$' arrays
runs '^pinned: 1048576 results of 2 x \+ y, 0 wrong; the last is 1151$' pinned
runs '^host_arrays: 160 x 160 elements of a product, 0 wrong$' host_arrays
runs '^reduce: the sum of 1000003 values is 999993: right$' reduce
runs '^zoom: 64 x 48 texels enlarged to 320 x 240, 0 wrong$|^zoom: no images: ' zoom
runs '^histogram: of 300007 bytes 30470 are 0, which is the most: right$' histogram
runs '^host_function: ran 1 time\(s\), found the sum 2048 ' host_function
runs '^event_loop: 4 jobs awaited, .* 0 values wrong$' event_loop
runs '^cancel: stopped after a limit of 50 ms: right$' cancel
runs '^cancel: the next job of 20 rounds in the same stream, 0 wrong$' cancel 5
runs '^converge: after 12 rounds of 16 steps, the longest sequence up to 1000 begins with 871 and has 178 steps, 0 wrong$' converge
runs '^pipeline: 24 chunks through 3 streams, [0-9]+ rounds of each value: right$' pipeline
runs '^heat: 200 steps, .*, 100\.00% of the heat is still there: right$' heat
runs '^nbody: 1024 bodies, 160 steps: .*, (99|100)\.[0-9]% of the energy at the end: right$' nbody
runs '^generation 90: 51 cells are alive$' life # 36, and 5 for each glider
runs '^drafted: 500 bodies, 0 wrong$' drafted
runs '^mandelbrot: 295 of 1152 points are inside, 0 wrong$' mandelbrot
runs '^blur: 300 x 200 pixels, sigma 3, .*: right$' blur
drawn='blur again heat nbody'
if [ -n "${YOKE_TEST_SHORT-}" ]; then
    tap_skip "those with operations: YOKE_TEST_SHORT is set, and each compiles dozens of kernels"
else
    runs '^statistics: 300 x 200 pixels, the brightest at [0-9]+, [0-9]+, neighbours differ by .*, 0 figures wrong$' statistics
    # A million takes too long on the CUDA double.
    runs '^sort_structs: 50000 structs of 24 bytes, 0 wrong$' sort_structs 50000
    runs '^sort_structs: 2 structs of 24 bytes, 0 wrong$' sort_structs 2
    runs '^sparse: 1000 x 1500 elements, 2\.[0-9]% of them not 0, .*, 0 wrong$' sparse
    runs '^sparse: 1 x 33 elements, .*, 0 wrong$' sparse 1 33
    runs '^monte_carlo: 1500000 worlds, 7\.[0-9]* \+- 0\.0[0-9]*, by the formula 7\.[0-9]*, 0 wrong$' monte_carlo 1500000
    runs '^kmeans: 20000 points, 7 centres, [0-9]+ rounds, 0 wrong$' kmeans
    runs '^particles: 400 steps, 24000 particles were born and [0-9]+ are alive, 0 wrong$' particles
    drawn="$drawn kmeans particles"
fi
if "$examples/hello" | grep -q 'CUDA double'; then
    tap_skip "load_kernel: the CUDA double understands only the simplest PTX"
else
    runs '^load_kernel: 1000 sums by vector_add of vector_add\.bin |^load_kernel: no driver binary: ' load_kernel
    [ "$YOKE_BACKEND" != cuda ] || runs '^load_kernel: 1000 sums by add of add\.ptx ' load_kernel
fi
export POCL_DEVICES="${POCL_DEVICES-pthread pthread}" # PoCL has as many as it is told
runs '^several_devices: 1000003 results from [0-9]+ device\(s\), 0 wrong$' several_devices
runs '^fallback: 100000 square roots by (cuda|opencl), 0 wrong$' fallback no:device "$YOKE_BACKEND"
runs '^fallback: 100000 square roots by the processor, 0 wrong$' fallback no:device "$YOKE_BACKEND:999"

if [ -x "$examples/blur" ]; then
    runs '^blur: written to again\.png$' blur blur.png again.png 1.5
    fails 1 '^absent\.png: ' blur absent.png out.png
    fails 2 '^usage: ' blur blur.png out.png x
    for picture in $drawn; do
        [ "$(head -c 4 "$picture.png" | tail -c 3)" = PNG ] || echo "$picture.png is no PNG file"
    done >pictures
    tap_empty "the pictures are there" pictures
fi
fails 2 "^(lt-)?matmul: argument 1, '0', has to be a number from 1 to" matmul 0
fails 2 "argument 2, '3x', has to be a number from 1 to" matmul 4 3x
fails 1 '^absent: No such file' histogram absent
fails 1 '^absent: ' load_kernel absent add
tap_done
