# SPDX-License-Identifier: Apache-2.0
"""
Four programs that people begin with, each by Yoke and by CuPy in one run, by turns: lines "name value unit". Times of "host" begin
and end with arrays of the host, the others with arrays of the device. Usage: seeds.py [ROUNDS]; YOKE_BACKEND chooses Yoke's side.
"""

import statistics
import sys
import time

import cupy
from cupyx.scipy.ndimage import gaussian_filter
import numpy
import yoke


def alternate(name, mine, theirs, rounds):
    """Both by turns, each until its result is there: medians and their ratio."""
    times = ([], [])
    for run in (mine, theirs):
        run()
        run()
    for _ in range(rounds):
        for run, list_of in zip((mine, theirs), times):
            start = time.perf_counter()
            run()
            list_of.append((time.perf_counter() - start) * 1e6)
    medians = [statistics.median(list_of) for list_of in times]
    print(f"seeds.{name}.cupy {medians[1]:.1f} us")
    print(f"seeds.{name}.yoke {medians[0]:.1f} us")
    print(f"seeds.{name}.ratio {medians[0] / medians[1]:.3f} of_cupy", flush=True)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    stream = yoke.default_stream()
    random = numpy.random.default_rng(1)
    print(f"# {stream.device!r}")

    def waited(enqueue):
        return lambda: (enqueue(), stream.wait())

    def waited_cupy(enqueue):
        return lambda: (enqueue(), cupy.cuda.get_current_stream().synchronize())

    host = [random.random((1024, 1024), dtype=numpy.float32) for _ in range(2)]
    product = host[0] @ host[1]
    mine = (yoke.asarray(host[0]) @ yoke.asarray(host[1])).to_numpy()
    assert numpy.allclose(mine, product, rtol=1e-4)
    alternate("product_1024_host", lambda: (yoke.asarray(host[0]) @ yoke.asarray(host[1])).to_numpy(),
              lambda: cupy.asnumpy(cupy.asarray(host[0]) @ cupy.asarray(host[1])), rounds)

    large = [random.random((4096, 4096), dtype=numpy.float32) for _ in range(2)]
    a, b = (yoke.asarray(x) for x in large)
    c, d = (cupy.asarray(x) for x in large)
    alternate("product_4096", waited(lambda: a @ b), waited_cupy(lambda: c @ d), rounds)

    assert numpy.allclose(yoke.ndimage.gaussian_filter(a, 3).to_numpy(), cupy.asnumpy(gaussian_filter(c, 3)), atol=1e-5)
    alternate("gaussian_4096", waited(lambda: yoke.ndimage.gaussian_filter(a, 3)),
              waited_cupy(lambda: gaussian_filter(c, 3)), rounds)
    alternate("gaussian_4096_host", lambda: yoke.ndimage.gaussian_filter(yoke.asarray(large[0]), 3).to_numpy(),
              lambda: cupy.asnumpy(gaussian_filter(cupy.asarray(large[0]), 3)), rounds)

    alternate("arithmetic_4096", waited(lambda: 2 * a + b), waited_cupy(lambda: 2 * c + d), rounds)
    alternate("arithmetic_4096_host", lambda: (2 * yoke.asarray(large[0]) + yoke.asarray(large[1])).to_numpy(),
              lambda: cupy.asnumpy(2 * cupy.asarray(large[0]) + cupy.asarray(large[1])), rounds)

    small = [random.random(1000, dtype=numpy.float32) for _ in range(2)]
    e, f = (yoke.asarray(x) for x in small)
    g, h = (cupy.asarray(x) for x in small)
    alternate("add_1000_call", lambda: [e + f for _ in range(100)], lambda: [g + h for _ in range(100)], rounds)
    alternate("sum_1000", waited(lambda: e.sum()), waited_cupy(lambda: g.sum()), rounds)


if __name__ == "__main__":
    main()
