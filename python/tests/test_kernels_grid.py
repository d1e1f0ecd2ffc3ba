# SPDX-License-Identifier: Apache-2.0
"""Kernels whose grid waits for itself, and names that stand for several arrays by turns."""

import numpy
import pytest

import yoke
from yoke.kernels.compile import text_of_file
from yoke.numba_like import cuda


@yoke.kernel
def rows(m):
    column = yoke.grid(1)
    for row in range(1, m.shape[0]):
        m[row, column] = m[row - 1, m.shape[1] - column - 1] + 1
        yoke.grid_barrier()


@cuda.jit
def heat(first, second, steps, k):
    i = cuda.grid(1)
    if i >= len(first):
        return
    grid = cuda.cg.this_grid()
    for step in range(steps):
        if step % 2 == 0:
            now = first
            then = second
        else:
            now = second
            then = first
        left = now[i - 1] if i > 0 else 0
        right = now[i + 1] if i + 1 < now.size else 0
        then[i] = now[i] + k * (left + right - 2 * now[i])
        grid.sync()


def test_the_grid_waits_for_itself(device, stream):
    plain, array = numpy.zeros((30, 12), "int32"), yoke.zeros((30, 12), dtype="int32", stream=stream)
    rows.simulate[3, 4](plain)
    assert (plain == numpy.arange(30)[:, None]).all()
    hot = numpy.zeros(101, "float32")
    hot[50] = 64
    if not device.supports("cooperative"):
        for launch in (lambda: rows[3, 4](stream, array), lambda: heat.forall(101, 32)(hot, hot.copy(), 3, 0.25)):
            with pytest.raises(yoke.UnsupportedError, match="waits for itself, and blocks cannot .*: end the kernel there"):
                launch()
        return
    for _ in range(2):
        rows[3, 4](stream, array)
        assert (array.to_numpy() == plain).all()
    with pytest.raises(yoke.KernelError, match=r"rows: the grid waits for itself.*rows\[grid, block\]"):
        rows[12](stream, array)
    other = numpy.zeros(101, "float32")
    heat.forall(101, 32)(hot, other, 3, 0.25)
    assert other[47:54].tolist() == [1, 6, 15, 20, 15, 6, 1] and other.sum() == 64


def test_threads_that_do_not_come_to_a_barrier_of_the_grid():
    @yoke.kernel
    def half(x):
        if yoke.block.x == 0:
            yoke.grid_barrier()
        x[yoke.grid(1)] = 1

    @yoke.kernel
    def some(x):
        if yoke.thread.x == 0:
            yoke.grid_barrier()
        x[yoke.grid(1)] = 1

    x = numpy.zeros(4, "float32")
    with pytest.raises(yoke.KernelError, match="a block has ended, and others wait at this barrier of the grid"):
        half.simulate[2, 2](x)
    with pytest.raises(yoke.KernelError, match="has ended, and others wait"):
        some.simulate[2, 2](x)


def refused(function, *args):
    with pytest.raises(yoke.KernelError) as found:
        yoke.kernel(function).text(*args)
    return str(found.value)


def test_what_is_refused(tmp_path):
    @yoke.function
    def waits(x):
        yoke.grid_barrier()
        return x

    def in_function(x):
        x[0] = waits(x[0])

    def with_argument(x):
        yoke.grid_barrier(1)

    def as_value(x):
        x[0] = yoke.grid_barrier()

    def of_two_types(x, n):
        b = x
        if x[0] > 0:
            b = n
        b[0] = 1

    x, n = yoke.zeros(4), yoke.zeros(4, dtype="int32")
    assert "stands in a kernel" in refused(in_function, x) and "no arguments" in refused(with_argument, x)
    assert "statement of its own" in refused(as_value, x) and "b cannot become another array" in refused(of_two_types, x, n)
    with pytest.raises(RuntimeError, match="is for kernels"):
        yoke.grid_barrier()

    def named(x):
        cuda.cg.this_grid()

    def twice(x):
        a = b = cuda.cg.this_grid()
        a.sync()
        b.sync()

    for function, words in ((named, r"does not wait for it: write cuda.cg.this_grid\(\).sync"), (twice, "assigned to one name")):
        with pytest.raises(yoke.KernelError, match=words):
            cuda.jit(function)
    file = tmp_path / "barrier.py"
    file.write_text("import yoke\n@yoke.kernel\ndef f(x: yoke.Array[\"float32\"]):\n    x[0] = 1\n    yoke.grid_barrier()\n")
    with pytest.raises(yoke.KernelError, match="a barrier of the grid.*take it out for C"):
        text_of_file(file)


@yoke.function
def doubled(v, i):
    v[i] = 2 * v[i]


@yoke.kernel
def by_turns(a, b, turns, out):
    i = yoke.grid(1)
    x = a
    for turn in range(turns):
        y = x  # what x was
        if turn % 2 == 0:
            x = b
        else:
            x = a
        if i < x.shape[0] and i < y.size:
            doubled(x, i)
            out[i] += x[i] * x.shape[0] + y[i]


@pytest.mark.parametrize("step", [1, 2])
def test_a_name_of_several_arrays(stream, step):
    """Of any strides; what is written by the name is written to each array."""
    numbers = [numpy.arange(12, dtype="float32"), numpy.arange(5, 13, dtype="float32"), numpy.zeros(12, "float32")]
    a, b, out = (yoke.asarray(each, stream=stream) for each in numbers)
    for turns in (0, 1, 4):
        by_turns[12](stream, a[::step], b[::step], turns, out)
        by_turns.simulate[12](numbers[0][::step], numbers[1][::step], turns, numbers[2])
        assert [each.tolist() for each in (a, b, out)] == [each.tolist() for each in numbers]
    frozen = yoke.ones(12, stream=stream).imag
    with pytest.raises(yoke.KernelArgumentError, match="by_turns: b is a read-only array"):
        by_turns[12](stream, a, frozen, 1, out)


def test_a_second_name_of_shared_memory(stream):
    @yoke.kernel
    def turned(x):
        tile = yoke.shared(4, "float32")
        other = tile
        other[yoke.thread.x] = x[yoke.thread.x]
        yoke.barrier()
        x[yoke.thread.x] = tile[3 - yoke.thread.x]

    x = yoke.arange(4, dtype="float32", stream=stream)
    turned[1, 4](stream, x)
    assert x.tolist() == [3, 2, 1, 0]
