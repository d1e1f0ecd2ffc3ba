# SPDX-License-Identifier: Apache-2.0
"""int64 values that are computed in 32 bits where nothing is lost by it: values above 2^31 are right, and counters are ints."""

import os
import re

import numpy
import pytest

import random_ranges
import yoke
from yoke.kernels import ranges

DOUBLE = os.environ.get("YOKE_BACKEND") == "cuda"


# The CUDA double compiles slowly.
@pytest.mark.parametrize("seed", (5,) if DOUBLE else range(4))
def test_random_kernels(seed):
    assert random_ranges.differences(seed) == []


@yoke.kernel
def wide_values(out, x, n, first):
    i = yoke.grid(1)
    if i >= x.size:
        return
    out[i, 0] = i * i * i  # of numbers below 2^30
    out[i, 1] = n * n
    total = 0
    for k in range(5):
        total += n
    out[i, 2] = total
    count = first
    while count < first + 5:
        count += 1
    out[i, 3] = count
    grows = 1
    for k in range(40):
        grows *= 2
    out[i, 4] = grows
    limit = n
    while limit < 3 * n:  # the fact about limit ends where it is assigned
        limit += n
        limit *= 4
    out[i, 5] = limit
    hops = 0
    for k in range(0, n, n - 1):
        hops += k * 2
    out[i, 6] = hops
    out[i, 7] = -n - n - n if n > 0 else abs(-n * 4)


def expected(i, n, first):
    return [i**3, n * n, 5 * n, first + 5, 2**40, 8 * n, (n - 1) * 2, -3 * n]


SIZE = 1300  # whose last index has a third power above 2^31


@pytest.mark.parametrize("n", (2**30 - 1, 2**30, 2**31 + 7))
def test_values_above_32_bits(n):
    out, x = yoke.zeros((SIZE, 8), "int64"), yoke.zeros(SIZE, "int8")
    for first in (n - 3, -3, 2**31 - 3, 2**45):
        wide_values[SIZE](yoke.default_stream(), out, x, n, first)
        got = out[::SIZE - 1].tolist()
        assert got == [expected(0, n, first), expected(SIZE - 1, n, first)]


def test_a_kept_launch_notices_large_numbers():
    """The variant of small numbers is not that of large ones, behind one launch object."""
    launch, out, x = wide_values[SIZE], yoke.zeros((SIZE, 8), "int64"), yoke.zeros(SIZE, "int8")
    for n in (5, 2**31 + 9, -2**30 + 1, -2**31 - 9, 6):
        launch(yoke.default_stream(), out, x, abs(n), n)
        assert out[1].tolist() == expected(1, abs(n), n)
    host = numpy.zeros((SIZE, 8), "int64")
    for n in (numpy.int64(7), numpy.int64(2**31 + 5)):
        launch(yoke.default_stream(), yoke.InOut(host), x, n, n)
        yoke.default_stream().wait()
        assert host[1].tolist() == expected(1, int(n), int(n))


@yoke.kernel
def places(out, x, w, zero):
    i = yoke.grid(1)
    if 0 < i < 4:  # x[-1] is not there
        out[i, 0] = x[i * w + 3]
        out[i, 1] = x[i * w + i - 1]
        out[i, 2] = x[w * w * 64 - (w * w * 64 - i)]  # what is subtracted has more than 32 bits
        out[i, 3] = x[(w * w * w * 64) * zero + i]
        out[i, 4] = x[(i + 1) * w - 1]


def test_indices_beyond_32_bits_on_the_way():
    w = 100_000
    x = yoke.arange(4 * w, dtype="int64")
    for array in (x, yoke.arange(8 * w, dtype="int64")[::2]):
        out = yoke.zeros((4, 5), "int64")
        places[4](yoke.default_stream(), out, array, w, 0)
        values = array.tolist()
        assert out[1:].tolist() == [[values[i * w + 3], values[i * w + i - 1], values[i], values[i], values[i * w + w - 1]]
                                    for i in range(1, 4)]


@yoke.function
def beyond(v):
    return v + 100


@yoke.kernel
def edges(out, small):
    v = 5
    if v < 10:
        v = 2147483640  # where the condition tells nothing any more
        out[0] = v + 100
    c = 2147483640
    while c < 2147483647 and small < 10:  # the last step leaves 32 bits
        c += 3
    out[1] = c
    for k in range(-2147483640, -2147483645, -4):
        out[2] = k
    for k in range(-2147483640, -2147483648, -7):
        out[3] = k * 1
    w = 0
    if not (small < 10 or v < 0):
        w = 1
    if (small < 10) == (v < 10):  # what is compared with tells nothing
        w = v + 100
    out[4] = v + 100 + w
    if small < 10 or v < 10:
        out[5] = v + 100
    if (small < 10) if v < 10 else (small < 10):
        out[6] = v + 100
    if v < 10:
        w = 7
    else:
        out[7] = v + 100
    v = 5
    if v < 10:
        for k in range(2):
            out[8] = v + 100  # of the second turn, too
            v = 2147483640
    v = 5
    n = 0
    if v < 10:
        while n < 2:
            n += 1
            out[9] = v + 100
            v = 2147483640
    out[10] = beyond(v)
    while v < 10:
        w = 8
    out[11] = v + 100
    v = 5
    if v < 10:
        if small < 10:
            v = 2147483640
        out[12] = v + 100


def test_edges():
    out, wanted = yoke.zeros(13, "int64"), numpy.zeros(13, "int64")
    edges[1](yoke.default_stream(), out, 3)
    edges.simulate[1](wanted, 3)
    assert out.tolist() == wanted.tolist()


@yoke.kernel
def chain(out, n):
    a = b = c = d = e = f = g = h = j = k = l = m = o = p = q = r = s = t = u = v = 0
    for i in range(24):
        a, b, c, d, e, f, g, h, j, k = b, c, d, e, f, g, h, j, k, l
        l, m, o, p, q, r, s, t, u, v = m, o, p, q, r, s, t, u, v, v + n
    out[0], out[1], out[2] = a, k, v


def test_a_long_chain_of_values():
    """However many variables get one after the other what has no bounds, the rounds of the translation end with what holds."""
    for n in (2**29, 2**34):
        out, wanted = yoke.zeros(3, "int64"), numpy.zeros(3, "int64")
        chain[1](yoke.default_stream(), out, n)
        chain.simulate[1](wanted, n)
        assert out.tolist() == wanted.tolist()


@yoke.kernel
def operators(out, n, x):
    odd = bool(yoke.thread.x + n)
    out[0] = 5 if odd else 6
    out[1] = n // (x.shape[0] - 3)  # which may be 0 by its bounds
    out[2] = ((n | -1) << 1) % -7
    out[3] = (n & -8) | (n & 7)
    out[4] = int(x[0]) // -1


def test_operators_without_bounds():
    out, wanted = yoke.zeros(5, "int64"), numpy.zeros(5, "int64")
    x = numpy.full(2, -2**31, "int32")
    operators[1](yoke.default_stream(), out, 100, yoke.asarray(x))
    operators.simulate[1](wanted, 100, x.astype("int64"))
    assert out.tolist() == wanted.tolist()


def test_what_may_overflow_on_the_way_to_an_index():
    """x[a * b - c]: the text is that of ints if nothing on the way leaves 32 bits where the index is inside the array."""
    narrow = ranges.Narrow
    some, minus = narrow("a", 0, 2**30), narrow("m", -5, 2**30)
    product = ranges.ring(some, some, "*")
    assert product.excess == 0 and product.as_index
    assert ranges.ring(product, narrow("1", 1, 1), "-").excess == 1
    assert ranges.ring(product, minus, "+").excess == 5
    assert not ranges.ring(product, narrow("b", 0, 2**31 - 1), "-").as_index
    assert ranges.ring(product, product, "-") is None  # which both may be large
    assert ranges.ring(product, some, "*") is None  # which may be 0
    assert ranges.ring(some, minus, "*") is None


# ---- Which launches are small ----

def test_small_launches():
    assert ranges.is_small_launch(5) and ranges.is_small_launch((2**20, 1024)) and ranges.is_small_launch(((4, 2**20), (8, 2**10)))
    assert not any(map(ranges.is_small_launch, (2**30, (2**20 + 1, 1024), ((4, 2**20), (8, 2**11)), ((1, 1, 2**31), 1))))
    assert not ranges.is_small_launch(("many", 4)) and not ranges.is_small_launch(1.5)


def test_small_arguments():
    assert ranges.is_small(2**30 - 1) and ranges.is_small(numpy.int64(-5)) and not ranges.is_small(-2**30)
    assert not ranges.is_small(numpy.uint64(2**63))
    wide = yoke.broadcast_to(yoke.zeros(1), (2**20, 2**10))
    assert ranges.is_small(yoke.zeros((3, 4))) and not ranges.is_small(wide)
    assert not ranges.is_small(yoke.In(numpy.broadcast_to(numpy.zeros(1), (0, 2**31))))  # whose extents count, too


@yoke.kernel
def extents(out, x):
    out[0], out[1] = x.size, x.shape[0] * x.shape[0]


def test_arrays_of_more_elements_than_an_int_counts():
    out, x = yoke.zeros(2, "int64"), yoke.broadcast_to(yoke.zeros(1), (2**17, 2**16))
    for array in (x[:2**13], x, x[:3]):
        extents[1](yoke.default_stream(), out, array)
        assert out.tolist() == [array.size, array.shape[0]**2]


# ---- What is computed in 32 bits ----

def wide_parts(kernel, *args):
    """What the text of a small launch has in 64 bits, in the kernel itself."""
    text = kernel.text(*args)
    return re.findall(r"yoke_i64[^;]*", text[text.index("YOKE_KERNEL void"):])


@yoke.kernel
def counted(out, x, limit):
    part = yoke.shared(64, "float32")
    t, i = yoke.thread.x, yoke.grid(1)
    total, now, count = 0.0, 0, 0
    for k in range(i, x.shape[0], yoke.gridsize(1)):
        total += x[k, 1] + x[x.shape[0] - 1 - k, -1]
    part[t] = total
    half = 32
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        yoke.barrier()
        half //= 2
    step = 1
    while step < 64:
        now = 1 - now
        step *= 2
    while total * count < 9 and count < limit:
        count += 1
    out[i % out.size] = part[0] + count + now + min(i, 5) + abs(t - 3) + (i if i < t else t) + (i & 7) + (i >> 2)


def test_counters_and_indices_are_ints():
    args = [yoke.In(numpy.zeros(9, "f4")), yoke.In(numpy.zeros((9, 2), "f4")), 7]
    assert wide_parts(counted, *args) == []
    assert wide_parts(counted, *args[:2], 2**40) != []  # the counter of a limit that is not small


@yoke.kernel
def turns(out, x, b, a):
    c = 0
    for _ in range(x[0], x[1], -60):
        c += 1
    out[0] = c
    for j in range(x[2]):
        out[1] = j * j
    out[2] = 1 << b
    out[3] = (2000000000 if b > 3 else 1) * 3
    c = 0
    for _ in range(0, a, 2**62):
        c += 1
    out[4] = c


@pytest.mark.parametrize("dtype, last", [("int8", 100), ("int32", 70000)])
def test_loops_over_elements_and_numbers_alone_are_int64(dtype, last):
    x, out = numpy.array([100, -128, last], dtype), yoke.zeros(5, "int64")
    turns[(1,), (1,)](yoke.default_stream(), out, yoke.asarray(x), 40, 2**63 - 1)
    assert out.tolist() == [4, (last - 1)**2, 1 << 40, 6000000000, 2]


@yoke.kernel
def shifted(out, n):
    i = yoke.grid(1)
    if i < out.shape[0]:
        out[i, 0] = 1 << (i + n)
        out[i, 1] = numpy.int64(1) << (i + n)
        out[i, 2] = 3 << (n - i)
        out[i, 3] = -1 << (i + n)
        out[i, 4] = (1 << (i + n)) >> i


def test_a_number_that_is_shifted_has_64_bits():
    """C takes the type of a shift from its left side alone."""
    out = yoke.zeros((8, 5), dtype="int64")
    shifted[8](yoke.default_stream(), out, 40)
    assert out.to_numpy().tolist() == [[1 << 40 + i, 1 << 40 + i, 3 << 40 - i, -1 << 40 + i, 1 << 40] for i in range(8)]


@yoke.kernel
def of_no_type(out, c):
    n = 1
    if c > 0:
        n = -3 if c > 1 else 7
    out[0], out[1], out[2] = n // 2, n % 2, 7 // n
    n = 3
    if c > 0:
        n = 2000000000 if c > 1 else 7
    out[3] = n * 2
    m = 1
    if c > 0:
        m = -(2000000000 if c > 1 else 7)
    out[4] = m * 2
    k = 1
    if c > 0:
        k = (2000000000 if c > 1 else 7) + (2000000000 if c > 1 else 7)
    out[5] = k


@pytest.mark.parametrize("c", (0, 1, 2))
def test_values_without_a_type_of_their_own_have_bounds_too(c):
    out, wanted = yoke.zeros(6, "int64"), numpy.zeros(6, "int64")
    of_no_type[1](yoke.default_stream(), out, c)
    of_no_type.simulate[1](wanted, c)
    assert out.tolist() == wanted.tolist()


@yoke.kernel
def one_of_two(out, x):
    i = yoke.grid(1)
    step = 1 if i < 2 else -1
    last, now = x.shape[0], 0
    while last > 1:
        now = 1 - now
        last = now
    out[i + step + last] = x[i + step]


def test_one_of_two_numbers_is_an_int():
    assert wide_parts(one_of_two, yoke.In(numpy.zeros(9, "f4")), yoke.In(numpy.zeros(9, "f4"))) == []
