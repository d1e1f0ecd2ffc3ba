# SPDX-License-Identifier: Apache-2.0
"""YOKE_KERNEL_BOUNDS=1: an index outside its array is an error at the wait, which names kernel, array, index, shape and line."""

import numpy
import pytest

import yoke
from kernel_samples import not_for_mesa


@yoke.function
def item(v, i):
    return v[i]


def outside(x, m, e, n):
    i = yoke.grid(1)
    s = yoke.shared(4, "float32")
    own = yoke.local((2, 3), "int32")
    if n == 0:
        x[i + 3] = 1
    if n == 1:
        x[0] = m[1, i - 2]
    if n == 2:
        x[0] = e[i]
    if n == 3:
        s[n + 1] = 2
    if n == 4:
        own[i, 3 + n] = 2
    if n == 5:
        x[0] = item(x, -1 - i)
    if n == 6:
        yoke.atomic.add(x, i + 100, 1.0)
    if n == 7:
        x[0] = m[-3, 0]
    if n == 8:
        x[-1] += m[-1, -1] + x[i]


FIRST = outside.__code__.co_firstlineno
MESSAGES = [(6, "outside: x[4] is outside the array, whose shape is (4,)"),
            (8, "outside: m[1, -1] is outside the array, whose shape is (2, 4)"),
            (10, "outside: e[1] is outside the array, whose shape is (0,)"),
            (12, "outside: s[4] is outside the array, whose shape is (4,)"),
            (14, "outside: own[1, 7] is outside the array, whose shape is (2, 3)"),
            (None, "item: v[-2] is outside the array, whose shape is (4,), called by outside"),
            (18, "outside: x[101] is outside the array, whose shape is (4,)"),
            (20, "outside: m[-3, 0] is outside the array, whose shape is (2, 4)")]


@pytest.fixture(scope="module")
def checked():
    patch = pytest.MonkeyPatch()
    patch.setenv("YOKE_KERNEL_BOUNDS", "1")
    yield yoke.kernel(outside)
    patch.undo()


@pytest.fixture
def queue():
    """One that may fail: a stream of the arrays' device."""
    with yoke.default_stream().device.stream() as queue:
        yield queue


def matrix(strided):
    return yoke.ones((4, 4))[::2] if strided else yoke.ones((2, 4))


@pytest.mark.parametrize("strided", (False, True))
def test_an_index_outside_is_an_error_at_the_wait(checked, queue, strided):
    m, empty = matrix(strided), yoke.zeros(0)
    for n, (line, message) in enumerate(MESSAGES):
        x = yoke.zeros(4)
        checked[(1,), (1 if n == 3 else 2,)](queue, x, m, empty, n)
        with pytest.raises(yoke.KernelError) as failure:
            queue.wait()
        # Of several threads that are outside, any may be the first.
        lines = str(failure.value).split("\n")
        other = message.replace("x[4]", "x[3]").replace("1, -1", "1, -2").replace("e[1]", "e[0]").replace("own[1", "own[0").replace(
            "v[-2]", "v[-1]").replace("x[101]", "x[100]")
        assert lines[0] in (message, other)
        if line is not None:
            assert failure.value.line == FIRST + line - 1 and lines[1].endswith(f"test_kernels_bounds.py:{FIRST + line - 1}")
        queue.recover()


def test_what_is_inside_is_as_without(checked, queue):
    x = yoke.asarray(numpy.arange(4, dtype="f4"), stream=queue)
    checked[((1,), (1,))](queue, x, matrix(False), yoke.zeros(0), 8)
    assert x.tolist() == [0, 1, 2, 4]


def test_a_graph_checks_each_launch(checked, queue):
    x, m, empty = yoke.zeros(4, stream=queue), matrix(False), yoke.zeros(0)
    kernel = checked[((1,), (1,))]
    with queue.record() as graph:
        kernel(queue, x, m, empty, 7)
    for _ in range(2):
        graph.launch(queue)
        with pytest.raises(yoke.KernelError, match=r"m\[-3, 0\] is outside"):
            queue.wait()
        queue.recover()


@yoke.function
def positive(v):
    assert v > -2, "too small"
    return v


@yoke.kernel
def asserting(x, n):
    i = yoke.grid(1)
    if i < x.size:
        assert x[i] < n
        x[i] = positive(x[i]) + 1


def test_assertions(queue):
    """In a kernel and in a function; the thread ends at its own."""
    x = yoke.asarray(numpy.arange(3, dtype="f4"))
    asserting[3](queue, x, 7)
    queue.wait()
    for values, line, message in (
            ([0, 3, 0], FIRST_OF_ASSERTING + 4, r"x\[i\] < n does not hold, in the thread .* \(1, 0, 0\)"),
            ([-3.0], positive.function.__code__.co_firstlineno + 2, "positive: .* does not hold: too small, in")):
        y = yoke.asarray(numpy.array(values, "f4"))
        asserting[3](queue, y, 2)
        with pytest.raises(yoke.KernelError, match=message) as failure:
            queue.wait()
        assert failure.value.line == line
        queue.recover()
    assert x.tolist() == [1, 2, 3]
    with pytest.raises(AssertionError):
        asserting.simulate[1](numpy.ones(1, "f4"), 0)


FIRST_OF_ASSERTING = asserting.function.__code__.co_firstlineno


@yoke.kernel
def printing(x):
    i = yoke.grid(1)
    if i == 0:
        print("i", i, "is", x[1], numpy.uint8(200), i > 1, sep="|")
        print(f'50% of {x.size} "q" \\ {x.shape}', end=".\n")


def test_print(queue, capfd):
    not_for_mesa("22.3 prints %% as it stands")
    printing[1](queue, yoke.asarray(numpy.array([0.5, -1.25], "f4")))
    queue.wait()
    assert capfd.readouterr().out == 'i|0|is|-1.25|200|0\n50% of 2 "q" \\ (2,).\n'
    printing.simulate[1](numpy.array([0.5, -1.25], "f4"))
    assert capfd.readouterr().out == 'i|0|is|-1.25|200|False\n50% of 2 "q" \\ (2,).\n'


def test_off_costs_nothing(monkeypatch):
    monkeypatch.delenv("YOKE_KERNEL_BOUNDS", raising=False)
    text = yoke.kernel(outside).text(yoke.zeros(4), matrix(False), yoke.zeros(0), 1)
    assert "yk_at" not in text and "yk_record" not in text
    monkeypatch.setenv("YOKE_KERNEL_BOUNDS", "yes")
    with pytest.raises(yoke.KernelError, match="YOKE_KERNEL_BOUNDS is 0 or 1, and not 'yes'"):
        yoke.kernel(outside)


def test_what_a_record_tells(checked):
    """As test_outside, of what Yoke's thread finds in the record."""
    from array import array

    from yoke.kernels.bounds import Record

    _, _, places = checked.program(checked.types_of([yoke.In(numpy.zeros(shape, "f4")) for shape in (4, (2, 4), 0)] + [1]))
    record = object.__new__(Record)
    record.words = array("q", [1, 4, 0, 0, 0, 4, 1, 1, 1])
    with pytest.raises(yoke.KernelError, match=r"outside: x\[4\] is outside the array, whose shape is \(4,\)"):
        record.raise_found(checked, places)
    record.words[0] = 0
    record.raise_found(checked, places)
    _, _, places = asserting.program(asserting.types_of([yoke.In(numpy.zeros(4, "f4")), 1]))
    record.words = array("q", [1, 3, 0, 0, 0, 0, 0, 0, 0])
    with pytest.raises(yoke.KernelError, match=r"does not hold.*whose index is \(3, 0, 0\)"):
        record.raise_found(asserting, places)
