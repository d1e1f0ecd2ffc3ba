# SPDX-License-Identifier: Apache-2.0
"""Kernels as plain Python: threads that wait for one another at barriers and shuffles."""

import numpy
import pytest

import yoke


@yoke.function
def warp_sum(v):
    for k in range(5):
        v += yoke.shuffle_xor(v, 16 >> k)
    return v


@yoke.function
def doubled(v):
    return 2 * warp_sum(v)


@yoke.kernel
def sums(out, neighbours, x):
    i, t = yoke.grid(1), yoke.thread.x
    part = yoke.shared(2, "float32")
    total = doubled(x[i])
    if t % 32 == 0:
        part[t // 32] = total
    yoke.barrier()
    out[i] = part[0] + part[1]
    neighbours[0, i] = yoke.shuffle_down(x[i], 3)
    neighbours[1, i] = yoke.shuffle_up(x[i], 2)
    neighbours[2, i] = yoke.shuffle(x[i], t + 33)
    neighbours[3, i] = yoke.shuffle_xor(x[i], 5)


def test_shuffles():
    """Warps are of 32 threads, as CUDA's; a lane outside the warp is one's own."""
    x = numpy.arange(128, dtype="f4")
    out, neighbours = numpy.zeros(128, "f4"), numpy.zeros((4, 128), "f4")
    sums.simulate[2, 64](out, neighbours, x)
    lane = numpy.arange(128) % 32
    assert out.tolist() == [2 * x[:64].sum()] * 64 + [2 * x[64:].sum()] * 64
    assert (neighbours[0] == x + numpy.where(lane < 29, 3, 0)).all() and (neighbours[1] == x - numpy.where(lane > 1, 2, 0)).all()
    assert (neighbours[2] == x - lane + (lane + 1) % 32).all() and (neighbours[3] == x - lane + (lane ^ 5)).all()


def test_shuffles_on_the_device():
    x = yoke.arange(128, dtype="float32")
    out, neighbours = yoke.zeros(128), yoke.zeros((4, 128))
    try:
        sums[2, 64](yoke.default_stream(), out, neighbours, x)
    except yoke.BuildError as failure:
        assert "this device has no shuffles" in failure.log
        pytest.skip("the device has no shuffles")
    expected = [numpy.zeros(128, "f4"), numpy.zeros((4, 128), "f4"), x.to_numpy()]
    sums.simulate[2, 64](*expected)
    assert out.tolist() == expected[0].tolist()


@yoke.kernel
def some_end(x):
    if yoke.thread.x < 3:
        x[0] = yoke.shuffle_xor(x[0], 1)


@yoke.kernel
def some_wait(x):
    if yoke.thread.x < 3:
        x[0] = yoke.shuffle_xor(x[0], 1)
    else:
        yoke.barrier()


@yoke.kernel
def all_take(x):
    x[yoke.thread.x] = yoke.shuffle_xor(x[yoke.thread.x], 1)


@yoke.kernel
def two_barriers(x):
    if yoke.thread.x < 3:
        yoke.barrier()
    else:
        yoke.barrier()


@pytest.mark.parametrize("kernel, threads, line, text", [
    (some_end, 4, 2, "thread .3, 0, 0. of block .0, 0, 0. has ended, and others wait at this shuffle"),
    (some_wait, 4, 2, "threads of a warp wait at different places, in lines .* all come to the same shuffle"),
    (all_take, 7, 1, "takes a value from lane 7, and the block has no such thread: make its size a multiple of 32"),
    (two_barriers, 4, 2, "threads of a block wait at different places, in lines .* all come to the same barrier"),
])
def test_who_does_not_come(kernel, threads, line, text):
    with pytest.raises(yoke.KernelError, match=text) as failure:
        kernel.simulate[1, threads](numpy.zeros(threads, "f4"))
    assert failure.value.line == kernel.function.__code__.co_firstlineno + 1 + line


def test_random_words_are_those_of_the_paper():
    """Random123's answers for Philox4x32-10, of a counter and a key of zeros and of ones."""
    @yoke.kernel
    def words(out):
        out[0, 0], out[0, 1], out[0, 2], out[0, 3] = yoke.philox((0, 0, 0, 0), (0, 0))
        ones = numpy.uint32(0xffffffff)
        out[1, 0], out[1, 1], out[1, 2], out[1, 3] = yoke.philox((ones, ones, ones, ones), (ones, ones))

    out = numpy.zeros((2, 4), numpy.uint32)
    words.simulate[1](out)
    assert [f"{each:08x}" for each in out.ravel()] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8",
                                                       "408f276d", "41c83b0e", "a20bc7c6", "6d5451fd"]


@pytest.mark.parametrize("call, error, text", [
    (lambda x: all_take.simulate(x), TypeError, "a launch needs its size: all_take.simulate"),
    (lambda x: all_take.simulate[0](x), ValueError, "a launch has at least 1 thread"),
    (lambda x: all_take.simulate[1, 2, 3](x), TypeError, r"all_take.simulate\[grid, block\] is wanted"),
    (lambda x: all_take.simulate[1, (1, 1, 1, 1)](x), ValueError, "a block is 1 to 3 positive ints"),
    (lambda x: all_take.simulate[1](x, x), yoke.KernelError, "all_take takes 1 arguments .x., not 2"),
    (lambda x: all_take.simulate[1]("text"), yoke.KernelError, "x: str is passed: simulate takes NumPy arrays and numbers"),
    (lambda x: typed.simulate[1](x.astype("i4"), 1), yoke.KernelError, "x is an array of float32, and one of int32 is passed"),
    (lambda x: typed.simulate[1](x, x), yoke.KernelError, "a: ndarray is passed"),
    (lambda x: typed.simulate[1](1, 1), yoke.KernelError, "x: int is passed"),
    (lambda x: yoke.barrier(), RuntimeError, "yoke.barrier.. is for kernels"),
    (lambda x: yoke.shuffle(1, 2), RuntimeError, "yoke.shuffle is for kernels"),
    (lambda x: yoke.thread.w, AttributeError, "yoke.thread has x, y and z, and not w"),
])
def test_mistakes(call, error, text):
    with pytest.raises(error, match=text):
        call(numpy.zeros(2, "f4"))


@yoke.kernel
def typed(x: yoke.Array["float32"], a: "float32"):
    x[0] = a


@yoke.function
def cubed(a: "int32", b) -> "int16":
    t = 1
    if b > 0:
        t = b
    for _ in range(40):
        t = t * 3
    return t + a


@yoke.kernel
def overflowing(x, u, out):
    i = yoke.grid(1)
    t = 1
    if i > 2:
        t = x[i]
    h: "int32" = 7
    for _ in range(40):
        t = t * 3 + 1
        h = h * 31
    a, b = 5, 1
    if i > 3:
        a, b = u[i], u[i]
    for k in range(20):
        a, b = a * 5, b + a
    n = 0
    for m in range(numpy.uint64(3)):
        n = numpy.uint64(1) - m
    out[0, i], out[1, i], out[2, i], out[3, i], out[4, i], out[5, i] = t, h, a, b, cubed(i * 1000000007, x[i]), n >> 1


def test_integers_have_the_width_of_their_variables(stream):
    """Which begin as numbers of Python's, and would be such all along in some threads."""
    x, u, plain = numpy.arange(-3, 5, dtype="i4"), numpy.arange(8, dtype="u4"), numpy.zeros((6, 8), "i8")
    overflowing.simulate[1, 8](x, u, plain)
    out = yoke.zeros((6, 8), dtype="int64", stream=stream)
    overflowing[1, 8](stream, yoke.asarray(x, stream=stream), yoke.asarray(u, stream=stream), out)
    assert (out.to_numpy() == plain).all() and abs(plain[1]).max() < 2**31 < plain[2].max() < 2**32


def test_a_kernel_that_the_translator_refuses_is_simulated():
    """With what a debugger wants."""
    @yoke.kernel
    def told(x):
        seen.append(f"{x[0]:.2f}")

    seen = []
    told.simulate[1](numpy.ones(1, "f4"))
    assert seen == ["1.00"]


def test_what_they_are():
    assert repr(yoke.thread) == "yoke.thread" and repr(warp_sum) == "<yoke.function warp_sum>"
    assert repr(typed) == "<yoke.kernel typed(x, a)>" and repr(typed[3]) == "<launch of yoke.kernel typed[3]>"
