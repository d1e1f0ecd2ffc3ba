# SPDX-License-Identifier: Apache-2.0
"""Kernels written in Python, each with arguments: test_kernels_language.py runs them on the device and simulated."""

import math

import numpy
import pytest

import yoke

SCALE = 3
TABLE = (2, 5, 7)
MESA_COMPARES = "22.3 takes (long)x < 5L of an int x for false, and (long)x > 5L for true"


def wants_double():
    """Skip a test of float64 where the device has none."""
    if not yoke.default_stream().device.supports("fp64"):
        pytest.skip("the device has no float64")


def not_for_mesa(what):
    if yoke.default_stream().device.name.startswith("llvmpipe"):
        pytest.skip(f"Mesa's llvmpipe: {what}")


@yoke.function
def limited(x: "float32", low: "float32", high: "float32") -> "float32":
    return min(max(x, low), high)


@yoke.function
def turned(x, y, angle):
    """Two results."""
    c, s = math.cos(angle), math.sin(angle)
    return c * x - s * y, s * x + c * y


@yoke.function
def total_of(values, first, count):
    total = 0
    for k in range(first, first + count):
        total += values[k]
    return total


@yoke.function
def sign(x):
    if x > 0:
        return 1
    elif x < 0:
        return -1
    return 0


@yoke.kernel
def saxpy(x: yoke.Array["float32"], y: yoke.Array["float32"], a: "float32"):
    i = yoke.grid(1)
    if i < x.size:
        y[i] = limited(a * x[i] + y[i], 0.0, 1e6)


@yoke.kernel
def integers(out, x, y):
    i = yoke.grid(1)
    if i >= len(x):
        return
    a, b = x[i], y[i]
    out[0, i] = a // b
    out[1, i] = a % b
    out[2, i] = a ** 3
    out[3, i] = (a & b) | (a ^ 5)
    out[4, i] = (a << 2) >> 1
    out[5, i] = abs(a) + min(a, b, 3) + max(a, -b)
    out[6, i] = ~a + -b
    out[7, i] = a if a > b else -b
    out[8, i] = sign(a) * SCALE + TABLE[1]
    out[9, i] = int(a / b)
    out[10, i] = round(a / 4)
    out[11, i] = -7 // 2 + -7 % 3 + int(7.9)


@yoke.kernel
def floats(out, x, y):
    i = yoke.grid(1)
    if i < x.shape[0]:
        a, b = x[i], y[i]
        out[i, 0] = a // b
        out[i, 1] = a % b
        out[i, 2] = a ** 2 + 0.5
        out[i, 3] = abs(a) ** 0.5 + abs(a) ** b
        out[i, 4] = math.sqrt(abs(a)) + math.exp(-abs(b)) + math.atan2(a, b)
        out[i, 5] = math.floor(a) + math.ceil(b) + math.trunc(float(a))
        out[i, 6] = math.pi * a / 2
        out[i, 7] = float(i) / len(x) + math.hypot(a, b)
        out[i, 8] = numpy.sin(a) + numpy.minimum(a, b)


@yoke.kernel
def conditions(out, x):
    i = yoke.grid(1)
    if i < x.size and not i >= x.size:
        a = x[i]
        out[i, 0] = 0 < a <= 5 < 10
        out[i, 1] = a > 0 and a < 3 or a == 7
        out[i, 2] = not a
        flag = a % 2 == 0
        out[i, 3] = flag
        out[i, 4] = flag != (a > 3)
        out[i, 5] = bool(a) if a < 4 else False


@yoke.kernel
def loops(out, n):
    i = yoke.grid(1)
    if i < out.shape[0]:
        total = 0
        for k in range(i):
            if k == 5:
                continue
            total += k
            k = 100
        for k in range(10, 0, -3):
            total += k
        step = i + 1
        for k in range(0, n, step):
            total += k
        left = n
        while left > 0:
            left -= 3
            if left == 8:
                break
        while True:
            left += 1
            if left > i:
                break
        out[i] = total * 10 + left


@yoke.kernel
def tuples(out, x, y):
    i = yoke.grid(1)
    if i < x.size:
        a, b = turned(x[i], y[i], 0.5)
        a, b = b, a
        pair = (a, b)
        p, (q, r) = 1.5, pair
        out[0, i], out[1, i] = pair[0], p * r
        h, w = out.shape
        out[2, i] = h * 1000 + w + q


@yoke.kernel
def heat(new, old):
    """A stencil of two dimensions."""
    j, i = yoke.grid(2)
    if 0 < i < old.shape[0] - 1 and 0 < j < old.shape[1] - 1:
        new[i, j] = 0.25 * (old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1])


@yoke.kernel
def ends(x):
    i = yoke.grid(1)
    if i == 0:
        x[-1] = x[0] + x[-2] + 5


@yoke.kernel
def scalars(out, flag, small, large, number, p_t0):
    i = yoke.grid(1)
    pair = (1, 2)
    limited = 0
    if i == 0 and flag:
        out[0] = small + p_t0
        out[1] = int(large >> 60)
        out[2] = number + pair[0] + limited
        pair = (pair[1], pair[0]) if number > 1 else (0, 0)
        out[3] = pair[0]


WIDTH = 8


@yoke.kernel
def product(c: yoke.Array["float32"], a: yoke.Array["float32"], b: yoke.Array["float32"]):
    """A product by tiles."""
    at = yoke.shared((WIDTH, WIDTH), "float32")
    bt = yoke.shared((WIDTH, WIDTH), "float32")
    tx, ty = yoke.thread.x, yoke.thread.y
    j, i = yoke.grid(2)
    total = 0
    for k in range((a.shape[1] + WIDTH - 1) // WIDTH):
        at[ty, tx] = a[i, k * WIDTH + tx] if i < a.shape[0] and k * WIDTH + tx < a.shape[1] else 0
        bt[ty, tx] = b[k * WIDTH + ty, j] if j < b.shape[1] and k * WIDTH + ty < b.shape[0] else 0
        yoke.barrier()
        for m in range(WIDTH):
            total += at[ty, m] * bt[m, tx]
        yoke.barrier()
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = total


@yoke.kernel
def block_sums(out, x):
    """The sum of each block, by halves, in shared memory."""
    part = yoke.shared(64, "float32")
    t = yoke.thread.x
    i = yoke.grid(1)
    part[t] = x[i] if i < x.size else 0
    yoke.barrier()
    half = yoke.block_size.x // 2
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        yoke.barrier()
        half //= 2
    if t == 0:
        out[yoke.block.x] = part[0] + total_of(part, 0, 1)


@yoke.kernel
def counted(counts, sums, low, x):
    i = yoke.grid(1)
    if i < x.size:
        yoke.atomic.add(counts, x[i] % 4, 1)
        yoke.atomic.add(sums, 0, 0.5)
        yoke.atomic.min(low, 0, x[i])
        yoke.atomic.max(low, 1, x[i])
        if yoke.atomic.cas(low, 2, 0, 7) == 0:
            yoke.atomic.exch(low, 3, 11)


@yoke.kernel
def own_arrays(out, x):
    i = yoke.grid(1)
    window = yoke.local(4, "float32")
    if i < x.size:
        for k in range(4):
            window[k] = x[(i + k) % x.size]
        out[i] = total_of(window, 0, 4) + total_of(x, 0, 2)


@yoke.kernel
def narrow(out, x, y):
    """Numbers of 8 bits wrap, as NumPy's."""
    i = yoke.grid(1)
    if i < x.size:
        out[i] = x[i] + y[i]
        z = yoke_int(x[i]) - 200
        out[i] += numpy.uint8(z & 15)


@yoke.function
def yoke_int(x):
    return int(x)


@yoke.kernel
def step(out, x, sqrt):
    """Names that mean something in C or OpenCL C."""
    int_ = yoke.grid(1)
    kernel = 2
    half = 0.5
    if int_ < x.size:
        float_ = x[int_]
        out[int_] = float_ * half + kernel + sqrt


@yoke.kernel
def mandelbrot(out, limit):
    x, y = yoke.grid(2)
    h, w = out.shape
    if x < w and y < h:
        cr, ci = x / w * 3.5 - 2.5, y / h * 2 - 1
        a = b = 0.0
        count = 0
        while a * a + b * b <= 4 and count < limit:
            a, b = a * a - b * b + cr, 2 * a * b + ci
            count += 1
        out[y, x] = count


@yoke.function
def crossed(a, b):
    """Tuples as arguments, and one in another as a result."""
    return (a[0] * b[1], (a[1], b[0])), a[0] + b[1]


@yoke.kernel
def nested(out, x):
    i = yoke.grid(1)
    if i < x.size:
        p = (x[i], 2)
        (u, (v, w)), z = crossed(p, (p[1], p[0]))
        r = crossed((x[i], 1.5), p)
        r = (r[1], (r[0][0], r[0][1][1])), r[0][1][0]  # each part moves
        out[0, i], out[1, i] = u + 10 * v, w + 10 * z
        out[2, i] = r[0][0] + 100 * r[0][1][0] + 1000 * r[0][1][1] + 10000 * r[1]


@yoke.kernel
def random_numbers(words, floats, seed):
    i = yoke.grid(1)
    if i < floats.size:
        words[i, 0], words[i, 1], words[i, 2], words[i, 3] = yoke.random_words(seed, 7, i)
        a = yoke.philox((i, 1, -1 + 2, 3), (4, 5))
        words[i, 4] = a[0] ^ a[3]
        floats[i] = yoke.random_float(a[1])


@yoke.kernel
def four(out, x):
    l, k = yoke.grid(2)
    if k < x.shape[2] and l < x.shape[3]:
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                out[i, j, k, l] = x[i, j, l % x.shape[2], k % x.shape[3]] + 10 * x[-1, j, k, l] + x.strides[1]


@yoke.function
def first_two(x):
    """An array by another name, and a loop that ends nowhere else."""
    y = x
    while True:
        return y[0], y[1]


COUNT = numpy.int64(3)
NOTHING = math.nan


@yoke.kernel
def functions(out, flags, x, on):
    """What stands in no other sample: functions of constants, of floats' kinds, bools as numbers, captured NumPy scalars."""
    i = yoke.grid(1)
    all_threads = yoke.gridsize(1)
    window = yoke.local(2, x.dtype)
    more = yoke.local((1, 2), numpy.float32)
    if i < x.size:
        a = x[i]
        flags[i, 0] = math.isnan(a) or numpy.isfinite(a / 2) and not math.isinf(a)
        flags[i, 1] = on[i] & (a > 0) | (a == COUNT)
        flags[i, 2] = on[i] if a > 1 else a < math.inf
        flags[i, 3] = on[i] ^ True
        if 1 and COUNT:
            out[i, 0] = math.radians(a) + math.degrees(a) + numpy.deg2rad(a) + numpy.floor(a) + numpy.trunc(a * 0.5)
        out[i, 1] = abs(-3) + min(1, 2) + max(1.5, 2) + round(2.5) + float(3) + numpy.int32(2.7) + len((1, 2)) + numpy.floor(2.5)
        out[i, 2] = pow(a, 2) + pow(i, 2) + -(i > 1) + (+a) + out.ndim + math.ceil(2.2) + math.floor(i) + round(i) + out.itemsize
        window[0] = abs(on[i]) + abs(numpy.uint8(3)) + numpy.absolute(a)
        place = (i, 3)
        more[0, 1] = 1
        out[place] = more[0, 1] + window[0] + first_two(x)[1]
        out[i, 4] = (all_threads - 0) * 0 + -2147483648 // 2 - (numpy.int32(-2147483648) < 0) + (a ** 0.5 if a > 0 else 0)
        out[i, 5] = 1 if NOTHING != NOTHING else -math.inf
        b = c = i
        out[i, 6] = b + c + numpy.hypot(a, 2) if on[i] else (i << 1) + (1.5 if i else 2)
        pass
        counts: "int64" = i + 1
        for k in range(numpy.uint32(3), numpy.uint32(0), -1):
            counts += k
        for k in range(2, 0, -1 if on[0] else -2):
            counts += k
        out[i, 7] = counts


def ramp(count, dtype, first=0, step=1):
    return (numpy.arange(count) * step + first).astype(dtype)


def samples():
    """(kernel, shape of the launch, arguments) of each."""
    f32, i32, i64 = numpy.float32, numpy.int32, numpy.int64
    x, y = ramp(70, f32, -9, 0.25), ramp(70, f32, 2.5, -0.125)
    return [
        (saxpy, 70, [x, y.copy(), 2.0]),
        (integers, 40, [numpy.zeros((12, 40), i64), ramp(40, i64, -20), ramp(40, i64, 3) % 5 - 6]),
        (integers, 40, [numpy.zeros((12, 40), i32), ramp(40, i32, -20), ramp(40, i32, 3) % 5 - 6]),
        (floats, 19, [numpy.zeros((19, 9), f32), x[:19].copy(), y[:19].copy()]),
        (floats, 19, [numpy.zeros((19, 9)), x[:19].astype(float), y[:19].astype(float)]),
        (conditions, 12, [numpy.zeros((12, 6), bool), ramp(12, i32, -3)]),
        (loops, 30, [numpy.zeros(30, i64), 30]),
        (tuples, 70, [numpy.zeros((3, 70), f32), x, y]),
        (heat, ((3, 2), (4, 8)), [numpy.zeros((12, 11), f32), ramp(132, f32).reshape(12, 11) % 7]),
        (scalars, 1, [numpy.zeros(4, i64), True, numpy.int8(-3), numpy.uint64(2**63 + 1), 1 << 40, numpy.int16(5)]),
        (ends, 1, [ramp(9, f32, 1)]),
        (product, ((2, 2), (8, 8)), [numpy.zeros((10, 9), f32), ramp(130, f32).reshape(10, 13) % 7,
                                     ramp(117, f32).reshape(13, 9) % 5]),
        (block_sums, (2, 64), [numpy.zeros(2, f32), ramp(100, f32) % 9]),
        (counted, 50, [numpy.zeros(4, i32), numpy.zeros(1, f32), numpy.array([9, 9, 0, 0], i32), ramp(50, i32, 3)]),
        (own_arrays, 20, [numpy.zeros(20, f32), ramp(20, f32) % 7]),
        (narrow, 30, [numpy.zeros(30, numpy.uint8), ramp(30, numpy.uint8, 100), ramp(30, numpy.uint8, 140)]),
        (step, 20, [numpy.zeros(20, f32), ramp(20, f32), 0.25]),
        (mandelbrot, ((3, 2), (8, 8)), [numpy.zeros((12, 20), i32), 20]),
        (nested, 20, [numpy.zeros((3, 20), f32), ramp(20, f32, -3)]),
        (random_numbers, 9, [numpy.zeros((9, 5), numpy.uint32), numpy.zeros(9, f32), 1 << 40]),
        (functions, 9, [numpy.zeros((9, 8), f32), numpy.zeros((9, 4), bool), ramp(9, f32, -3), ramp(9, i32) % 2 == 1]),
        (four, ((1, 1), (5, 4)), [numpy.zeros((2, 3, 4, 5), f32), ramp(120, f32).reshape(2, 3, 4, 5)]),
    ]
