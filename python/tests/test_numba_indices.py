# SPDX-License-Identifier: Apache-2.0
"""Integers in kernels of yoke.numba_like, as Numba's: indices that are computed count from the end where they are negative, and
sums and products have 64 bits; numbers that do not fit a signature."""

import numpy
import pytest

import yoke
from yoke.kernels import ranges
from yoke.numba_like import cuda, int32, int64, uint8, void


@cuda.jit(device=True)
def turned(v, i):
    return v[-1 - i]


@cuda.jit
def everywhere(x, m, places, strided, out, sums, tops):
    i = cuda.grid(1)
    shared = cuda.shared.array(4, int32)
    own = cuda.local.array((2, 3), int32)
    if i < 4:
        shared[-1 - i] = i
    cuda.syncthreads()
    if i < 4:
        own[i // 4 - 1, -1 - i % 3] = i + 10
        out[0, i] = x[-1 - i]
        out[1, i] = m[-1 - i % 2, i - 4]
        out[2, i] = x[places[i]]
        out[3, i] = turned(x, i)
        out[4, i] = strided[i - 2]
        out[5, i] = shared[i - 4]
        out[6, i] = own[1, i % 3 - 3] if i % 3 else own[-1, 2 - i % 3]
        out[-1, i - 4] = x[numpy.int32(i) - 3]
        cuda.atomic.add(sums, i - 4, i)
        cuda.atomic.max(tops, -1 - i, i)


WANTED = [[4, 3, 2, 1], [4, 1, 6, 3], [4, 1, 1, 3], [4, 3, 2, 1], [4, 6, 0, 2], [3, 2, 1, 0], [10, 11, 0, 13], [2, 3, 4, 1]]


def check(launch, on_device=True):
    x, strided = numpy.arange(4, dtype="int32") + 1, numpy.arange(8, dtype="int32")
    out, sums, tops = numpy.zeros((8, 4), "int32"), numpy.zeros(4, "int32"), numpy.zeros(4, "int32")
    launch(x, numpy.arange(8, dtype="int32").reshape(2, 4), numpy.array([-1, 0, -4, 2]),
           (cuda.to_device(strided) if on_device else strided)[::2], out, sums, tops)
    assert out.tolist() == WANTED and sums.tolist() == [0, 1, 2, 3] and tops.tolist() == [3, 2, 1, 0]


def test_negative_indices_count_from_the_end():
    check(everywhere[1, 4])
    check(everywhere.simulate[1, 4], on_device=False)


def test_large_launches(monkeypatch):
    monkeypatch.setattr(ranges, "is_small_launch", lambda shape: False)
    check(cuda.jit(everywhere.py_func)[1, 4])


def test_checked_indices(monkeypatch):
    monkeypatch.setenv("YOKE_KERNEL_BOUNDS", "1")
    check(cuda.jit(everywhere.py_func)[1, 4])

    @cuda.jit
    def beyond(x, n):
        x[n] = 1
        x[-1] = 2

    for n, shown in ((-4, r"x\[-4\]"), (3, r"x\[3\]")):
        stream = yoke.default_stream().device.stream()
        beyond.kernel[1, 1](stream, yoke.zeros(3, stream=stream), n)
        with pytest.raises(yoke.KernelError, match=f"beyond: {shown} is outside the array, whose shape is"):
            stream.wait()


@cuda.jit
def never_negative(x, m, out, shift):
    i = cuda.grid(1)
    row, col = cuda.grid(2)
    tile = cuda.shared.array((8, 8), int32)
    tile[cuda.threadIdx.y, cuda.threadIdx.x] = m[row, col]
    cuda.syncthreads()
    for k in range(1, 8):
        out[i + k * cuda.blockDim.x] = x[k - 1] + tile[k, k // 2] + m[row % 8, 7]
    for j in range(7, -1, -1):
        out[i] += x[j * 8 + cuda.threadIdx.x]
    if 0 < i < x.size - 1:
        out[i] = x[i - 1] + x[i + 1] + x[-1]
    if shift >= 2:
        out[i * x.size + shift - 2] = x[(i + 1) % x.size]


@cuda.jit
def perhaps_negative(x, m, out, shift):
    i = cuda.grid(1)
    out[i] = x[i - shift] + x[i - 1] + m[i + shift, i]


def test_what_is_not_negative_costs_nothing():
    x, m = yoke.zeros(64, dtype="int32"), yoke.zeros((8, 8), dtype="int32")
    assert never_negative.kernel.text(x, m, x, 1).count("yk_wrap_") == 0
    assert perhaps_negative.kernel.text(x, m, x, 1).count("yk_wrap_") == 1 + 3  # the function, and its calls
    assert yoke.kernel(perhaps_negative.py_func).text(x, m, x, 1).count("yk_wrap_") == 0


@cuda.jit(int32(int32, int32), device=True)
def narrowed(a, b):
    return a + b


@cuda.jit(device=True)
def raised(a, n):
    n += 1
    return a + n


@cuda.jit
def of_64_bits(a, u, x, out):
    out[0], out[1], out[2] = a[0] + a[0], a[0] * a[0], -a[1]
    out[3], out[4], out[5] = x[u[0] - 1], a[0] << 4, a[0] ** 2
    total, most = 0, a[0]
    for _ in range(4):
        total += a[0]
        most += a[0]
    out[6], out[7] = total, most
    h = u[1]
    h = h * u[1]  # has no sign
    out[8] = h >> 3
    pair = a[0], u[1]
    pair = pair[0] - a[1], pair[1] + u[1]
    out[9], out[10] = pair
    out[11], out[12] = raised(a[0], a[0]), narrowed(a[1], 1)


@cuda.jit
def of_all_operators(a, u, out, more):
    out[0] = (a[0] // a[1]) << 40  # each would lose its upper half in 32 bits
    out[1] = (a[0] % a[2]) << 40
    out[2] = (a[0] >> 1) << 40
    out[3] = (a[0] & a[2]) << 40
    out[4] = (a[0] | a[2]) << 40
    out[5] = (a[0] ^ a[2]) << 40
    out[6] = (~a[0]) << 40
    out[7] = (+a[0]) << 40
    out[8] = cuda.popc(a[1] & a[1])  # of an int64
    out[9] = a[3] // a[1]  # of the least int32 and -1
    more[0] = ~u[0]
    more[1] = (u[0] >> 1) << 40
    more[2] = -u[0]
    more[3] = u[0] << a[2]


def test_all_operators_of_integers_have_64_bits():
    out, more = numpy.zeros(10, numpy.int64), numpy.zeros(4, numpy.uint64)
    of_all_operators[1, 1](numpy.array([9, -1, 5, -1 << 31], numpy.int32), numpy.array([6], numpy.uint32), out, more)
    assert (out[:8] >> 40).tolist() == [-9, 4, 4, 1, 13, 12, -10, 9] and out[8:].tolist() == [64, 1 << 31]
    assert more.tolist() == [2**64 - 7, 3 << 40, 2**64 - 6, 192]


@pytest.mark.parametrize("signed, unsigned", [("int8", "uint8"), ("int16", "uint16"), ("int32", "uint32")])
def test_sums_and_products_have_64_bits(signed, unsigned):
    least, most, top = numpy.iinfo(signed).min, numpy.iinfo(signed).max, numpy.iinfo(unsigned).max
    out = numpy.zeros(13, numpy.int64)
    of_64_bits[1, 1](numpy.array([most, least], signed), numpy.array([0, top], unsigned), numpy.arange(5) * 10, out)
    assert out.tolist() == [2 * most, most**2, -least, 40, most << 4, most**2, 4 * most, 5 * most, top**2 >> 3, most - least,
                            2 * top, 2 * most + 1, least + 1]


@cuda.jit(void(int64[:], int32, uint8))
def parameters(out, n, m):
    out[0] = n
    n += 1
    m += m
    out[1], out[2] = n, m


def test_parameters_become_wider():
    out = numpy.zeros(3, numpy.int64)
    parameters[1, 1](out, 2**31 - 1, 200)
    assert out.tolist() == [2**31 - 1, 2**31, 400]


@cuda.jit
def one_of_two(x, sign):
    d = 0
    if sign != 0:
        d = 1 if sign > 0 else -1
    x[2, d] = 7


def test_one_of_two_constants_counts_from_the_end():
    for sign in (1, 0, -1):
        x = numpy.zeros((4, 4), numpy.float32)
        one_of_two[1, 1](x, sign)
        assert numpy.argwhere(x).tolist() == [[2, sign % 4]]


@cuda.jit(void(int32[:], int32[:], int32))
def shifted(x, out, k):
    out[0] = x[0] + k


def test_numbers_that_do_not_fit_are_told_in_words_of_python():
    x, out = cuda.to_device(numpy.zeros(3, "int32")), cuda.device_array(3, "int32")
    launch = shifted[1, 1]
    for _ in range(2):
        for number in (1 << 31, 1 << 70):
            with pytest.raises(OverflowError, match=f"shifted: k is int32, and {number} does not fit in it"):
                launch(x, out, number)
        launch(x, out, (1 << 30) + 5)  # is kept, and the next goes its way
    assert out[0] == (1 << 30) + 5
