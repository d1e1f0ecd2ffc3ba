#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CuPy beside bench/ops: the same operations on the same sizes, as lines "name value unit". Usage: ops_cupy.py [ROUNDS]"""

import statistics
import sys
import time

import cupy as cp
from cupyx.scipy import ndimage


def measure(run, rounds):
    """Microseconds of one run: the median of batches of about 4 ms."""
    sync = cp.cuda.get_current_stream().synchronize
    run()
    sync()
    start = time.perf_counter()
    run()
    sync()
    once = time.perf_counter() - start
    count = max(1, min(1000, int(4e-3 / once)))
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(count):
            run()
        sync()
        times.append((time.perf_counter() - start) / count)
    return statistics.median(times) * 1e6


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    axpy = cp.ElementwiseKernel("float32 a, float32 x", "float32 y", "y = a * x + y", "axpy")

    def floats(exponent):
        return cp.random.random(1 << exponent, dtype=cp.float32)

    def integers(exponent, dtype):
        return cp.random.randint(0, cp.iinfo(dtype).max, 1 << exponent, dtype=dtype)

    def show(name, run):
        print(f"cupy.{name} {measure(run, rounds):.6g} us", flush=True)

    for exponent in (10, 26):
        x, y = floats(exponent), floats(exponent)
        out = cp.empty_like(x)
        show(f"add_f32_{exponent}", lambda: cp.add(x, y, out=out))
        show(f"axpy_f32_{exponent}", lambda: axpy(cp.float32(0.5), x, y))
    for exponent in (10, 28):
        x = floats(exponent)
        show(f"sum_f32_{exponent}", lambda: cp.sum(x))
        show(f"argmax_f32_{exponent}", lambda: cp.argmax(x))
        show(f"scan_f32_{exponent}", lambda: cp.cumsum(x))
        show(f"select_f32_{exponent}", lambda: x[x < 0.5])
    for name, dtype in (("gaussian_f32_24", cp.float32), ("gaussian_u8_24", cp.uint8)):
        picture = (floats(24) * 255).astype(dtype).reshape(4096, 4096)
        blurred = cp.empty_like(picture)
        show(name, lambda: ndimage.gaussian_filter(picture, 3, output=blurred))
    picture = floats(26).reshape(8192, 8192)
    blurred = cp.empty_like(picture)
    for side in (3, 5, 7):
        weights = cp.arange(side * side, dtype=cp.float32).reshape(side, side)**2 % 11 / 16
        show(f"correlate_{side}_f32_26", lambda weights=weights: ndimage.correlate(picture, weights, output=blurred))
    show("median_3_f32_26", lambda: ndimage.median_filter(picture, 3, output=blurred))
    philox = cp.random.Generator(cp.random.Philox4x3210(1))
    out = cp.empty(1 << 28, dtype=cp.float32)
    show("random_normal_f32_28", lambda: philox.standard_normal(dtype=cp.float32, out=out))
    show("random_uniform_f32_28", lambda: philox.random(dtype=cp.float32, out=out))
    show("random_integers_u32_28", lambda: philox.integers(0, 1000, size=1 << 28, dtype=cp.uint32))
    del out
    x = floats(26) + 1j * floats(26)
    show("fft_c64_26", lambda: cp.fft.fft(x))
    x = x.reshape(-1, 512)
    show("fft_rows_c64_26", lambda: cp.fft.fft(x))
    x = integers(28, cp.uint32)
    show("sort_u32_28", lambda: cp.sort(x))
    x = integers(28, cp.uint8)
    show("histogram_u8_28", lambda: cp.bincount(x, minlength=256))


if __name__ == "__main__":
    main()
