# SPDX-License-Identifier: Apache-2.0
"""Words of Numba's that kernels call: bits, fma, selp, atomics, on the device and as Python; and those of warps."""

import numpy
import pytest

import yoke
from yoke.numba_like import cuda, uint32

INTS = {"int32": [0, 1, -1, 12, -2147483648], "int64": [0, 1 << 40, -1, 12, -(1 << 63)]}


@cuda.jit
def bits(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = cuda.popc(x[i])
        out[1, i] = cuda.clz(x[i])
        out[2, i] = cuda.ffs(x[i])
        out[3, i] = cuda.brev(x[i])


@pytest.mark.parametrize("dtype, wanted", [
    ("int32", [[0, 1, 32, 2, 1], [32, 31, 0, 28, 0], [0, 1, 1, 3, 32], [0, -1 << 31, -1, 0x30000000, 1]]),
    ("int64", [[0, 1, 64, 2, 1], [64, 23, 0, 60, 0], [0, 41, 1, 3, 64], [0, 1 << 23, -1, 3 << 60, 1]]),
])
def test_bits(dtype, wanted):
    x, out, plain = numpy.array(INTS[dtype], dtype), numpy.zeros((4, 5), dtype), numpy.zeros((4, 5), dtype)
    bits[1, 8](x, out)
    bits.simulate[1, 8](x, plain)
    assert out.tolist() == wanted and plain.tolist() == wanted


@cuda.jit
def numbers(x, out):
    out[0] = cuda.fma(x[0], x[0], -x[1])
    out[1] = cuda.cbrt(x[2])
    out[2] = cuda.selp(x[2] > 0, x[0], x[1])
    out[3] = cuda.selp(x[2] < 0, x[0], x[1])


def test_fma_is_rounded_once():
    one = numpy.float32(1 + 2 ** -12)
    x = numpy.float32([one, one * one, 27])
    wanted = [float(one) ** 2 - float(one * one), 3, float(one), float(one * one)]
    assert wanted[0] != 0
    for launch in (numbers[1, 1], numbers.simulate[1, 1]):
        out = numpy.zeros(4, numpy.float32)
        launch(x, out)
        assert out[0] == wanted[0] and abs(out[1] - 3) < 1e-6 and out[2:].tolist() == wanted[2:]


@cuda.jit
def counted(x, u, f, c):
    own = cuda.shared.array(1, uint32)
    i = cuda.threadIdx.x
    if i == 0:
        own[0] = 0
    cuda.syncthreads()
    cuda.atomic.inc(own, 0, 4)
    cuda.atomic.sub(x, 0, i)
    cuda.atomic.and_(x, 1, ~(1 << i))
    cuda.atomic.or_(x, 2, 1 << i)
    cuda.atomic.xor(x, 3, 1 << i)
    cuda.atomic.inc(u, 0, 100)
    cuda.atomic.dec(u, 1, 4)
    cuda.atomic.sub(f, 0, 0.5)
    cuda.atomic.compare_and_swap(c, 0, 7)
    cuda.atomic.compare_and_swap(c, 8, 9)
    cuda.syncthreads()
    if i == 0:
        u[2] = own[0]


def test_atomics():
    for launch in (counted[1, 24], counted.simulate[1, 24]):
        x, c = numpy.array([0, -1, 0, 5], numpy.int32), numpy.zeros(1, numpy.int32)
        u, f = numpy.zeros(3, numpy.uint32), numpy.zeros(1, numpy.float32)
        launch(x, u, f, c)
        assert x.tolist() == [-276, -(1 << 24), (1 << 24) - 1, 5 ^ (1 << 24) - 1] and c.tolist() == [7] and f == -12
        assert u.tolist() == [24, 1, 4]  # up to the limit and again from 0; down from it again and again


@cuda.jit
def gathered(x, total, low, high, last, bits):
    i = cuda.threadIdx.x
    cuda.atomic.add(total, 0, x[i])
    cuda.atomic.sub(total, 1, x[i])
    cuda.atomic.min(low, 0, x[i])
    cuda.atomic.nanmin(low, 1, x[i])
    cuda.atomic.max(high, 0, x[i])
    cuda.atomic.nanmax(high, 1, x[i])
    cuda.atomic.exch(last, 0, 1 << 40)
    if cuda.atomic.cas(last, 1, i + (1 << 41), 7) == i + (1 << 41):
        cuda.atomic.or_(bits, 0, 1 << (i + 32))
    cuda.atomic.inc(bits, 1, 9)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_atomics_of_eight_bytes_and_of_floats(dtype):
    x = (numpy.arange(24) - 7).astype(dtype)
    for launch in (gathered[1, 24], gathered.simulate[1, 24]):
        total, low, high = numpy.zeros(2, dtype), numpy.zeros(2, dtype), numpy.zeros(2, dtype)
        last, bits = numpy.array([0, 3 + (1 << 41)], numpy.int64), numpy.array([1, 0], numpy.uint64)
        if dtype != "int64":
            low[:] = high[:] = numpy.nan
        launch(x, total, low, high, last, bits)
        assert total.tolist() == [108, -108] and low[1] == -7 and high[1] == 16
        assert [low[0], high[0]] == [-7, 16] if dtype == "int64" else numpy.isnan([low[0], high[0]]).all()
        assert last.tolist() == [1 << 40, 7] and bits.tolist() == [1 + (1 << 35), 4]


@cuda.jit
def shared_sum(x, out):
    own = cuda.shared.array(2, x.dtype)
    i = cuda.threadIdx.x
    if i < 2:
        own[i] = 0
    cuda.syncthreads()
    cuda.atomic.add(own, i % 2, x[i])
    cuda.atomic.max(own, 1, x[i] * 1000)
    cuda.syncthreads()
    if i < 2:
        out[i] = own[i]


def test_atomics_of_floats_in_shared_memory():
    x = numpy.arange(24, dtype=numpy.float32)
    out = numpy.zeros(2, numpy.float32)
    shared_sum[1, 24](x, out)
    assert out[0] == 132 and out[1] >= 23000


@cuda.jit
def voted(x, out):
    i = cuda.threadIdx.x
    out[0, i] = cuda.ballot_sync(0xffffffff, x[i] > 3)
    out[1, i] = cuda.popc(cuda.match_any_sync(0xffffffff, x[i] // 8))
    out[2, i] = cuda.lanemask_lt()
    if cuda.all_sync(0xffffffff, x[i] >= 0):
        out[3, i] = 1
    if cuda.any_sync(0xffffffff, x[i] == 7):
        out[3, i] += 2
    if cuda.all_sync(0xffffffff, x[i] > 0) or cuda.any_sync(0xffffffff, x[i] < 0):
        out[3, i] += 4
    same, mixed = cuda.eq_sync(0xffffffff, x[i] < 0), cuda.eq_sync(0xffffffff, x[i] < 9)
    if same and not mixed:
        out[3, i] += 8
    if cuda.laneid == i % cuda.warpsize:
        out[3, i] += 16
    cuda.syncwarp()


def has_warps(device):
    """Whether <yoke/kernel.h> has the words of warps there: on CUDA, and in NVIDIA's OpenCL."""
    try:
        device.build("#include <yoke/kernel.h>\n#if !YOKE_HAS_WARP\n#error none\n#endif\n"
                     "YOKE_KERNEL void first(YOKE_GLOBAL int *x) { x[0] = 1; }\n")
    except yoke.BuildError:
        return False
    return True


def test_votes(device):
    x, out = numpy.arange(32, dtype=numpy.int32), numpy.zeros((4, 32), numpy.uint32)
    if not has_warps(device):
        with pytest.raises(yoke.BuildError, match="no warps"):
            voted[1, 32](x, out)
        return
    voted[1, 32](x, out)
    assert out[0].tolist() == [0xfffffff0] * 32 and out[1].tolist() == [8] * 32
    assert out[2].tolist() == [(1 << i) - 1 for i in range(32)] and out[3].tolist() == [27] * 32


def refused(kernel):
    with pytest.raises(yoke.KernelError) as found:
        cuda.jit(kernel)[1, 32](numpy.zeros(4, numpy.int32))
    return str(found.value)


def test_what_is_refused():
    def half(x):
        cuda.syncwarp(0xffff)

    def some(x):
        x[0] = cuda.ballot_sync(x[0], True)

    def signed(x):
        cuda.atomic.inc(x, 0, 3)

    def rounded(x):
        cuda.atomic.or_(x, 0, 1.5)

    def short(x):
        cuda.atomic.nanmax(x, 0)

    def of_float(x):
        x[0] = cuda.popc(1.5)

    assert "0xffffffff" in refused(half) and "0xffffffff" in refused(some)
    assert "uint32" in refused(signed) and "integers of 4 or 8" in refused(of_float)
    assert "these are int32" in refused(signed) and "int(" in refused(rounded) and "takes 3 arguments" in refused(short)
    with pytest.raises(RuntimeError, match="has warps"):
        cuda.syncwarp()
