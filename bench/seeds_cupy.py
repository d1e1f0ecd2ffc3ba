#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
bench/seeds and the same programs by CuPy, by turns: lines "name value unit". Usage: seeds_cupy.py PROGRAM [TURNS [ROUNDS]]

PROGRAM is bench/seeds of a build. A turn is ROUNDS runs of each program by CuPy, then bench/seeds with as many on every backend;
.cupy and .yoke are medians over the turns, .ratio the median of the turns' ratios. Without CuPy only Yoke's times are printed.
"""

import statistics
import subprocess
import sys
import time

try:
    import cupy
    import cupyx.scipy.ndimage
    import numpy
except ImportError as error:
    cupy = None
    print(f"# CuPy is left out: {error}", file=sys.stderr)

NAIVE = r"""
extern "C" __global__ void multiply(const float *a, const float *b, float *c, int width)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < width && column < width) {
        float sum = 0;
        for (int k = 0; k < width; k++)
            sum += a[row * width + k] * b[k * width + column];
        c[row * width + column] = sum;
    }
}
"""


def programs():
    """{name: function}, each of which ends when its result is there."""
    random = numpy.random.default_rng(1)
    host = [random.random((4096, 4096), dtype=numpy.float32) for _ in range(2)]
    small = [random.random((1024, 1024), dtype=numpy.float32) for _ in range(2)]
    a, b = (cupy.asarray(x) for x in host)
    naive = cupy.RawKernel(NAIVE, "multiply")
    blur = cupyx.scipy.ndimage.gaussian_filter
    wait = cupy.cuda.get_current_stream().synchronize

    def waited(enqueue):
        return lambda: (enqueue(), wait())

    def naive_host():
        x, y = (cupy.asarray(m) for m in small)
        z = cupy.empty_like(x)
        naive((64, 64), (16, 16), (x, y, z, numpy.int32(1024)))
        return cupy.asnumpy(z)

    assert numpy.allclose(naive_host(), small[0] @ small[1], rtol=1e-4)
    return {
        "product_4096": waited(lambda: a @ b),
        "product_1024_host": lambda: cupy.asnumpy(cupy.asarray(small[0]) @ cupy.asarray(small[1])),
        "product_1024_naive_host": naive_host,
        "gaussian_4096": waited(lambda: blur(a, 3)),
        "gaussian_4096_host": lambda: cupy.asnumpy(blur(cupy.asarray(host[0]), 3)),
        "arithmetic_4096": waited(lambda: 2 * a + b),
        "ranges_100000_host": lambda: cupy.asnumpy(cupy.arange(100000, dtype=cupy.float32) + cupy.arange(100000, dtype=cupy.float32)),
    }


def measure(run, rounds):
    """Microseconds of a run: the median, after two that do not count."""
    times = []
    for _ in range(rounds + 2):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times[2:])


def measure_yoke(program, rounds):
    """{"cuda.seeds_product_4096": microseconds}"""
    said = subprocess.run([program, "--rounds", str(rounds)], stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = (line.split() for line in said.splitlines())
    return {words[0].removesuffix(".yoke"): float(words[1]) for words in lines}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    turns, rounds = (int(sys.argv[i]) if len(sys.argv) > i else 5 for i in (2, 3))
    theirs, mine = {}, {}
    peers = programs() if cupy else {}
    for _ in range(turns):
        for name, run in peers.items():
            theirs.setdefault(name, []).append(measure(run, rounds))
        for name, value in measure_yoke(sys.argv[1], rounds).items():
            mine.setdefault(name, []).append(value)
    for name, values in mine.items():
        peer = theirs.get(name.partition(".seeds_")[2])
        if peer:
            print(f"{name}.cupy {statistics.median(peer):.6g} us")
        print(f"{name}.yoke {statistics.median(values):.6g} us")
        if peer:
            print(f"{name}.ratio {statistics.median(y / c for y, c in zip(values, peer)):.4g} of_cupy")


if __name__ == "__main__":
    main()
