# SPDX-License-Identifier: Apache-2.0
"""Programs in Numba's names: launches, host arrays, device arrays, signatures, streams, reductions, and what is refused."""

import math

import numpy
import pytest

import yoke
from yoke.numba_like import (
    cuda, float32, int32, int64, types, vectorize, void, xoroshiro128p_normal_float32, xoroshiro128p_uniform_float32,
)

TILE = 4


@cuda.jit
def axpy(x, y, a):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@cuda.jit
def product(a, b, c):
    left = cuda.shared.array(shape=(TILE, TILE), dtype=float32)
    right = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0.0)
    for k in range(cuda.gridDim.x):
        left[ty, tx] = a[y, tx + k * TILE]
        right[ty, tx] = b[ty + k * TILE, x]
        cuda.syncthreads()
        for j in range(TILE):
            total += left[ty, j] * right[j, tx]
        cuda.syncthreads()
    c[y, x] = total


@cuda.jit(device=True)
def square(x):
    return x * x


@cuda.jit
def twice(x):
    return x + x


@cuda.jit("void(int32[:], int32[:], int64)")
def count(bins, values, n):
    own = cuda.local.array(2, int32)
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < n:
        own[1] = twice(square(values[i])) // 2
        cuda.atomic.add(bins, own[1] % 8, 1)


X = numpy.arange(1000, dtype=numpy.float32)


def test_host_arrays_are_copied_in_and_out():
    y = numpy.ones(1000, numpy.float32)
    assert axpy[4, 256](X, y, 2.0) is None
    assert y.tolist() == (1 + 2 * X).tolist()
    every = numpy.ones(2000, numpy.float32)[::2]
    axpy.forall(1000)(X, every, 2.0)
    assert every.tolist() == y.tolist()
    frozen, out = X.copy(), numpy.zeros_like(X)
    frozen.flags.writeable = False
    axpy[4, 256](cuda.In(frozen), out, 1.0)
    axpy[4, 256](frozen, cuda.InOut(out), 1.0)
    assert out.tolist() == (2 * X).tolist()
    with pytest.raises(ValueError, match="axpy: y is a read-only array"):
        axpy[4, 256](X, frozen, 1.0)
    assert frozen.tolist() == X.tolist()


@cuda.jit
def grown(bodies, sums):
    i = cuda.grid(1)
    if i < bodies.size:
        bodies[i].mass *= 2
        bodies[i]["count"] += 1
        sums[i] = bodies[i].mass + bodies[i]["count"]


def test_records_of_the_host_are_copied_in_and_out():
    layout = numpy.dtype([("mass", "f4"), ("count", "i4")])
    every, sums = numpy.ones(6, layout)[::2], numpy.zeros(3, numpy.float32)
    grown[1, 4](every, sums)
    grown[1, 4](cuda.In(every), sums)
    assert every.tolist() == [(2, 2)] * 3 and sums.tolist() == [7] * 3
    grown[1, 4](cuda.InOut(every), sums)
    grown.configure(1, 4)(every, sums)
    assert every.tolist() == [(8, 4)] * 3
    with pytest.raises(NotImplementedError, match="pass the array of NumPy"):
        cuda.to_device(every)
    with pytest.raises(yoke.KernelError, match="align=True"):
        grown[1, 4](numpy.ones(3, [("count", "i1"), ("mass", "f4")]), sums)
    for name, hint in (("inspect_asm", "text"), ("specialize", "variant"), ("nothing", "nothing$")):
        with pytest.raises(AttributeError, match=hint):
            getattr(grown, name)


def test_device_arrays():
    x, y = cuda.to_device(X), cuda.device_array_like(X)
    y[:] = 1
    axpy[4, 256](x, y, 2.0)
    assert y.copy_to_host().tolist() == (1 + 2 * X).tolist()
    assert (y.shape, y.dtype, y.size, len(y), y.ndim, y.nbytes) == ((1000,), numpy.float32, 1000, 1000, 1, 4000)
    assert y[3] == 7 and y[:2].copy_to_host().tolist() == [1, 3] and list(y[:2]) == [1, 3]
    target = numpy.zeros(1000, numpy.float32)
    assert y.copy_to_host(target) is target and target[999] == 1999
    y.copy_to_device(X)
    assert numpy.asarray(y).tolist() == X.tolist() and str(y[:2]) == "[0. 1.]"
    grid = cuda.device_array((2, 3), order="F")
    assert grid.dtype == numpy.float64 and not grid.is_c_contiguous() and grid.T.is_c_contiguous()
    assert cuda.to_device([1, 10]).dtype == numpy.int64
    with pytest.raises(ValueError, match="shape"):
        y.copy_to_device(X[:5])
    with pytest.raises(ValueError, match="shape"):
        y.copy_to_host(target[:5])


def test_shared_memory_and_barriers():
    a = numpy.arange(64, dtype=numpy.float32).reshape(8, 8)
    c = cuda.device_array((8, 8), numpy.float32)
    product[(2, 2), (TILE, TILE)](a, cuda.to_device(a), c)
    assert c.copy_to_host().tolist() == (a @ a).tolist()


@cuda.jit
def halves(data):
    tid = cuda.threadIdx.x
    if tid < len(data):
        own = cuda.shared.array(64, int32)
        own[tid] = data[tid]
        cuda.syncthreads()
        s = 1
        while s < cuda.blockDim.x:
            if tid % (2 * s) == 0:
                own[tid] += own[tid + s]
            s *= 2
            cuda.syncthreads()
        if tid == 0:
            data[tid] = own[tid]


def test_a_size_of_the_launch_in_a_loop_with_barriers():
    data = numpy.arange(64)
    halves[1, 64](data)
    assert data[0] == 2016
    text = halves.kernel.text(yoke.asarray(data))
    assert text.count("yoke_block_size_x") == 1 and text.index("yoke_block_size_x") < text.index("while")


def test_signatures_functions_and_atomics():
    bins, values = numpy.zeros(8, numpy.int32), numpy.arange(100, dtype=numpy.int32)
    count[1, 128](bins, values, 100)
    assert bins.tolist() == numpy.bincount(values ** 2 % 8, minlength=8).tolist()
    assert square(3) == 9 and twice(4) == 8
    assert repr(types.void(int32[:, ::1], int64).args[0]) == "int32[:, :]" and float32(2) == numpy.float32(2)
    with pytest.raises(TypeError, match="bins is int32"):
        count[1, 128](bins.reshape(2, 4), values, 100)
    with pytest.raises(yoke.KernelError, match="int32"):
        count[1, 128](bins.astype(numpy.int64), values, 100)
    with pytest.raises(TypeError, match="2 arguments"):
        cuda.jit((int32[:],))(lambda a, b: None)


def test_streams_and_events():
    if not yoke.default_stream().device.supports("timing"):
        pytest.skip("events have no times here")
    stream, begin, end = cuda.stream(), cuda.event(), cuda.event()
    x, y = cuda.to_device(X, stream=stream), cuda.to_device(numpy.zeros_like(X), stream)
    with stream.auto_synchronize():
        begin.record(stream)
        axpy[4, 256, stream](x, y, 1.0)
        end.record(stream)
    assert end.query() and begin.elapsed_time(end) >= 0 and cuda.event_elapsed_time(begin, end) >= 0
    end.wait()
    cuda.synchronize()
    assert y.copy_to_host(stream=stream).tolist() == X.tolist()
    with pytest.raises(RuntimeError, match="record"):
        cuda.event().synchronize()
    begin.record()
    begin.synchronize()
    with pytest.raises(RuntimeError, match="default stream"):
        begin.elapsed_time(end)


def test_devices():
    here = cuda.get_current_device()
    assert cuda.select_device(here.id).name == here.name and cuda.gpus.current.id == here.id and len(cuda.list_devices()) > here.id
    assert [each.id for each in cuda.gpus] == list(range(len(cuda.gpus)))
    context = cuda.current_context()
    context.synchronize()
    assert context.device.uuid == here.uuid and context.get_memory_info().total >= context.get_memory_info()[0] > 0
    y = numpy.ones(1000, numpy.float32)
    with cuda.gpus[here.id], cuda.pinned(y):
        axpy[4, 256](X, y, 1.0)
    assert y.tolist() == (1 + X).tolist()
    other = type(here)(here.id + 1, here.info)
    with pytest.raises(ValueError, match="YOKE_DEVICE"), other:
        pass


def test_reduce_and_vectorize():
    @cuda.reduce
    def largest(a, b):
        return a if a > b else b

    values = numpy.array([3, 9, 4, 1])
    assert largest(values, init=-1) == 9 and largest(cuda.to_device(values), init=20) == 20 and largest(values, size=1) == 3
    res = cuda.to_device(numpy.zeros(1, numpy.int64))
    assert largest(values, res=res) is None and res[0] == 9

    @vectorize(["float32(float32, float32)"], target="cuda")
    def distance(a, b):
        return math.sqrt(a * a + b * b)

    assert distance(numpy.float32([3, 5]), numpy.float32([4, 12])).tolist() == [5, 13]
    assert distance(cuda.to_device(numpy.float32([3])), numpy.float32(4)).copy_to_host().tolist() == [5]
    with pytest.raises(TypeError, match="no signature"):
        distance(numpy.float64([3]), numpy.float64([4]))


def plain_states(n, seed):
    """The generator step by step, in Python's integers."""
    mask, word = 2 ** 64 - 1, (seed + 0x9e3779b97f4a7c15) % 2 ** 64
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9 & mask
    word = (word ^ word >> 27) * 0x94d049bb133111eb & mask
    state, result = [word ^ word >> 31] * 2, []

    def step():
        both = state[0] ^ state[1]
        state[0] = ((state[0] << 55 | state[0] >> 9) ^ both ^ both << 14) & mask
        state[1] = (both << 36 | both >> 28) & mask

    for _ in range(n):
        result.append(list(state))
        sums = [0, 0]
        for jump in (0xbeac0467eba5facb, 0xd86b048b86aa9922):
            for bit in range(64):
                if jump >> bit & 1:
                    sums = [sums[0] ^ state[0], sums[1] ^ state[1]]
                step()
        state[:] = sums
    return result


def test_random_numbers_are_those_of_the_generator():
    states = cuda.random.create_xoroshiro128p_states(37, seed=42)
    wanted = plain_states(37, 42)
    assert states.copy_to_host().tolist() == wanted
    assert cuda.random.states_of(5, 42, 32).tolist() == wanted[32:]

    @cuda.jit
    def draw(out, states):
        i = cuda.grid(1)
        if i < out.shape[0]:
            out[i, 0] = xoroshiro128p_uniform_float32(states, i)
            out[i, 1] = xoroshiro128p_normal_float32(states, i)

    out = numpy.zeros((37, 2), numpy.float32)
    draw[1, 64](out, states)
    first = [numpy.float32(((a + b) % 2 ** 64 >> 11) * 2.0 ** -53) for a, b in wanted]
    assert out[:, 0].tolist() == first and abs(out[:, 1]).max() < 6 and out[:, 1].std() > 0.5
    assert states.copy_to_host().tolist() != wanted
    cuda.random.init_xoroshiro128p_states(states, 42)
    assert states.copy_to_host().tolist() == wanted


@pytest.mark.parametrize("call, kind, words", [
    (lambda: axpy(X, X, 1.0), ValueError, "blocks, threads"),
    (lambda: axpy[4](X, X, 1.0), ValueError, "blocks, threads"),
    (lambda: axpy[4, 256, 0, 1024], NotImplementedError, "shared"),
    (lambda: cuda.jit(debug=True), NotImplementedError, "simulate"),
    (lambda: cuda.jit(inline="always"), NotImplementedError, "leave it out"),
    (lambda: cuda.jit(quick=True), TypeError, "quick"),
    (lambda: cuda.jit("void(float32[)"), TypeError, "signature"),
    (lambda: cuda.jit([void(int32), void(int64)]), NotImplementedError, "one signature"),
    (lambda: cuda.device_array(3, strides=(4,)), NotImplementedError, "slice"),
    (lambda: cuda.threadfence, AttributeError, "launch another"),
    (lambda: cuda.nanosleep, AttributeError, "sleeps"),
    (lambda: types.CPointer, AttributeError, "pass the array"),
    (lambda: cuda.select_device(99), ValueError, "no 99"),
    (lambda: cuda.get_current_device().compute_capability, AttributeError, "OpenCL"),
    (lambda: int(range(3)[cuda.laneid]), RuntimeError, "warps"),
    (lambda: vectorize(["int32(int32)"], target="cpu"), ValueError, "cuda"),
    (lambda: axpy[4, 256]([1, 2], X, 1.0), yoke.KernelError, "list"),
])
def test_what_is_refused(call, kind, words):
    with pytest.raises(kind, match=words):
        call()
