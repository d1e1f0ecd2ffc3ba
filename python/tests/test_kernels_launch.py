# SPDX-License-Identifier: Apache-2.0
"""Launches of kernels written in Python: variants, host arrays, strides, graphs, what is captured; and that nobody else pays."""

import math
import subprocess
import sys
import types

import numpy
import pytest

import kernel_samples
import yoke

FACTOR = 3
FACTORS = (3, 4)


@yoke.kernel
def scaled(x, y):
    i = yoke.grid(1)
    if i < x.size:
        y[i] = x[i] * FACTOR


@yoke.kernel
def copied(x: "Array[float32]", y: yoke.Array["float32"]):
    i = yoke.grid(1)
    if i < x.size:
        y[i] = x[i]


def test_import_of_yoke_loads_no_translator():
    code = "import sys, yoke; assert 'yoke.kernels' not in sys.modules; yoke.kernel; assert 'yoke.kernels' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_host_arrays_and_graph(stream, device):
    x, y = numpy.arange(10, dtype=numpy.float32), numpy.zeros(10, numpy.float32)
    launch = copied[10]
    launch(stream, yoke.In(x), yoke.Out(y))
    stream.wait()
    assert y.tolist() == x.tolist()
    a, b = device.buffer(40), device.buffer(40)
    stream.write(a, x)
    with stream.record() as graph:
        launch(stream, a, b)
    graph.launch(stream)
    y[:] = 0
    stream.read(y, b)
    stream.wait()
    assert len(graph) == 1 and y.tolist() == x.tolist()


@yoke.kernel
def added(x, y, a):
    i = yoke.grid(1)
    if i < x.size:
        y[i] = x[i] + a


def test_a_launch_that_is_kept_takes_other_arguments(stream):
    """Arguments that look as the last ones go a short way: what looks otherwise must not."""
    launch = added[8]
    assert launch is added[8] and launch is not added[9]
    plain, long = numpy.arange(8, dtype="f4"), numpy.arange(24, dtype="f4")
    for x, a in ((plain, 2.0), (plain, 3.0), (plain.astype("i4"), 3), (plain, 4), (plain[:5], 0.5), (plain, True),
                 (long[3:11], 1.0), (long[::3], 1.0), (plain[:0], 1.0), (plain, numpy.float32(7)), (plain, 2.0)):
        array = yoke.asarray(long, stream=stream)[3:11] if x.base is long and x[0] == 3 else \
            yoke.asarray(long, stream=stream)[::3] if x.base is long else yoke.asarray(x, stream=stream)
        y = yoke.zeros(x.shape, x.dtype, stream=stream)
        launch(stream, array, y, a)
        assert y.tolist() == (x + x.dtype.type(a)).tolist(), (x.dtype, x.strides, a)
    with pytest.raises(yoke.KernelError, match="takes 3 arguments"):
        launch(stream, y, y)
    with pytest.raises(TypeError, match="its stream"):
        launch(y, y, y, 1.0)


def test_a_launch_like_the_last_one(stream):
    """It sees what has changed outside the kernel, takes bools as bools, and keeps nothing."""
    amount = 1

    @yoke.kernel
    def raised(x, negative):
        i = yoke.grid(1)
        if i < x.shape[0]:
            x[i, 0] = -amount if negative else amount

    x, launch = yoke.zeros((300, 2), stream=stream), raised[300]
    assert raised[300] is launch
    counts = []
    for amount in (1, 1, 5, 5):
        for negative in (True, True, False, 0, 1):
            launch(stream, x, negative)
            assert x[299].tolist() == [-amount if negative else amount, 0]
        counts.append(sys.getrefcount(x))
    assert len(set(counts)) == 1 and len(raised.variants) == 2
    del amount
    with pytest.raises(yoke.KernelError, match="amount is not defined"):
        launch(stream, x, 1)


def test_buffer(stream, device):
    buffer = device.buffer(40)
    copied[10](stream, yoke.In(numpy.arange(10, dtype=numpy.float32)), buffer)
    out = numpy.zeros(10, numpy.float32)
    stream.read(out, buffer)
    stream.wait()
    assert out.tolist() == list(range(10))
    with pytest.raises(yoke.KernelError, match="has no dtype: annotate"):
        scaled[10](stream, buffer, buffer)


def test_strides():
    stream = yoke.default_stream()
    base = yoke.arange(24, dtype="float32").reshape(4, 6)
    for view in (base[1, ::-2], base[:, 2], base.T[1], base[1], base[1, 1:]):
        y = yoke.zeros(view.size)
        copied[view.size](stream, view, y)
        assert y.tolist() == view.tolist()
    y = yoke.zeros(8)
    copied[4](stream, yoke.arange(4, dtype="float32"), y[::-2])
    assert y.tolist() == [0, 3, 0, 2, 0, 1, 0, 0]


def test_streams_of_arrays_are_ordered(device):
    other = yoke.default_stream().device.stream()
    x = yoke.arange(1000, dtype="float32")
    y = yoke.zeros(500)
    copied[500](other, x[::2], y)
    assert y.tolist() == list(range(0, 1000, 2))


def test_a_variant_for_each_combination_of_types():
    stream = yoke.default_stream()
    for dtype in ("int32", "float32"):
        y = yoke.zeros(4, dtype=dtype)
        scaled[4](stream, yoke.arange(4, dtype=dtype), y)
        assert y.tolist() == [0, 3, 6, 9]
    before = len(scaled.variants)
    scaled[4](stream, yoke.ones(4, dtype="int32"), y.astype("int32"))
    assert len(scaled.variants) == before


def test_captured_numbers_may_change(monkeypatch):
    stream = yoke.default_stream()
    y = yoke.zeros(4, dtype="int32")
    for factor in (3, 5):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        scaled[4](stream, yoke.arange(4, dtype="int32"), y)
        assert y.tolist() == [0, factor, 2 * factor, 3 * factor]


def test_captured_numbers_that_are_equal_and_not_the_same(monkeypatch):
    @yoke.kernel
    def signed(x):
        x[0] = math.copysign(1.0, FACTOR)

    @yoke.kernel
    def first(x):
        x[0] = FACTORS[0]

    stream, x, numbers = yoke.default_stream(), yoke.zeros(1), yoke.zeros(1, "int32")
    for factor in (0.0, -0.0, 0.0):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        signed[1](stream, x)
        assert x.item() == math.copysign(1.0, factor)
    first[1](stream, numbers)
    monkeypatch.setitem(globals(), "FACTORS", (3.0, 4))
    with pytest.raises(yoke.KernelError, match="rounded"):
        first[1](stream, numbers)
    monkeypatch.setitem(globals(), "FACTORS", (3, 4))
    first[1](stream, numbers)
    assert numbers.item() == 3


@yoke.function
def stored(v, i, value):
    v[i] = value
    return value


@yoke.kernel
def passed_on(x, y, z):
    i = yoke.grid(1)
    if i < x.size:
        y[i] = first_of(x) + stored(z, i, x[i])


@yoke.function
def first_of(v):
    return v[0]


def test_read_only_arrays():
    """They are refused where the kernel writes, in words of Python, and taken where it does not; each time."""
    x, y, stream = yoke.ones(4).imag, yoke.ones(4), yoke.default_stream()
    launch, through = scaled[4], passed_on[4]
    for _ in range(2):
        launch(stream, y, y)
        launch(stream, x, y)
        assert y.tolist() == [0] * 4
        with pytest.raises(yoke.KernelArgumentError, match=r"scaled: y is a read-only array, and the kernel.*y\.copy\(\)"):
            launch(stream, y, x)
        through(stream, x, y, y)
        with pytest.raises(yoke.KernelArgumentError, match="passed_on: z is a read-only array"):
            through(stream, x, y, x)
        y[...] = 1
    assert x.tolist() == [0] * 4
    with pytest.raises(yoke.KernelArgumentError, match=r"scaled: x is Out, and the kernel only reads it: pass In\(x\)"):
        launch(stream, yoke.Out(numpy.ones(4, "float32")), y)


@yoke.kernel
def counted(x, y):
    yoke.atomic.add(x, 0, y[0])


def test_read_only_arrays_and_atomics():
    x, stream = yoke.zeros(1, dtype="int32"), yoke.default_stream()
    frozen = yoke.ones(1, dtype="int32").imag
    counted[1](stream, x, frozen)
    with pytest.raises(yoke.KernelArgumentError, match="counted: x is a read-only array"):
        counted[1](stream, frozen, x)


class settings:
    amount = 1


@yoke.function
def amount_of():
    return settings.amount


def test_captured_attributes_and_functions_may_change(monkeypatch):
    @yoke.kernel
    def filled(x):
        x[0] = amount_of() + settings.amount

    @yoke.function
    def nine():
        return 9

    x = yoke.zeros(1)
    for change, expected in ((lambda: None, 2), (lambda: monkeypatch.setattr(settings, "amount", 4), 8),
                             (lambda: monkeypatch.setitem(globals(), "amount_of", nine), 13)):
        change()
        filled[1](yoke.default_stream(), x)
        assert x.tolist() == [expected]


class Level:
    number = 1


owners = types.SimpleNamespace(inner=types.SimpleNamespace(number=1))


@yoke.kernel
def of_owners(x):
    x[0], x[1], x[2] = owners.inner.number, Level.number, settings.amount


def test_owners_of_captured_attributes_may_change(monkeypatch):
    """A name, an attribute on the way, a class or a module is another object, and the launch that is kept notices."""
    launch, x = of_owners[1], yoke.zeros(3, "int64")

    def launched():
        launch(yoke.default_stream(), x)
        return x.tolist()

    assert launched() == [1, 1, settings.amount]
    monkeypatch.setattr(owners, "inner", types.SimpleNamespace(number=2))
    assert launched()[0] == 2
    monkeypatch.setitem(globals(), "owners", types.SimpleNamespace(inner=types.SimpleNamespace(number=3)))
    assert launched()[0] == 3
    monkeypatch.setitem(globals(), "owners", types.SimpleNamespace(inner=types.SimpleNamespace(number=3)))
    assert launched()[0] == 3
    owners.inner.number = 4  # of one that equals the last, and is another
    assert launched()[0] == 4
    monkeypatch.setitem(globals(), "Level", type("Level", (), {"number": 5}))
    module = types.ModuleType("other")
    module.amount = 6
    monkeypatch.setitem(globals(), "settings", module)
    assert launched() == [4, 5, 6]


library, rooted, number = numpy, math.sqrt, numpy.int32


def test_functions_and_types_outside_may_become_others(monkeypatch):
    """By a name of the file or of a function around, or by that of their module; the launch that is kept notices."""
    inner = math.sqrt

    @yoke.kernel
    def mapped(x, n):
        x[0], x[1], x[2], n[0] = rooted(4.0), inner(9.0), library.floor(2.5) / 2, number(2.5)

    launch, x, n = mapped[1], yoke.zeros(3), yoke.zeros(1)

    def launched():
        launch(yoke.default_stream(), x, n)
        return [*x.tolist(), *n.tolist()]

    assert launched() == [2, 3, 1, 2]
    monkeypatch.setitem(globals(), "rooted", abs)
    assert launched() == [4, 3, 1, 2]
    inner = math.fabs
    assert launched() == [4, 9, 1, 2]
    monkeypatch.setitem(globals(), "number", numpy.float32)
    assert launched() == [4, 9, 1, 2.5]
    monkeypatch.setitem(globals(), "library", types.SimpleNamespace(floor=numpy.ceil))
    assert launched() == [4, 9, 1.5, 2.5]
    library.floor = numpy.floor
    assert launched() == [4, 9, 1, 2.5]
    monkeypatch.setitem(globals(), "rooted", len)
    with pytest.raises(yoke.KernelError, match="len takes an array"):
        launched()


def test_functions_of_modules_are_not_looked_up_at_each_launch():
    """But what is the module."""
    assert [each[1] for each in copied.program(copied.types_of_annotations())[1]] == ["yoke"]


def test_a_captured_variable_that_is_deleted():
    weight = 2

    @yoke.kernel
    def filled(x):
        x[0] = weight

    x = yoke.zeros(1)
    filled[1](yoke.default_stream(), x)
    del weight
    for array in (x, yoke.zeros(1, "int32")):
        with pytest.raises(yoke.KernelError, match=r"weight is not defined(?!: is it weight)"):
            filled[1](yoke.default_stream(), array)


@pytest.mark.parametrize("made", (numpy.zeros, yoke.zeros))
def test_captured_arrays_of_no_dimensions_are_refused(made):
    number = made((), "float32")

    @yoke.kernel
    def filled(x):
        x[0] = number

    with pytest.raises(yoke.KernelError, match=r"the array number is outside the kernel: pass it .*, number\.item\(\)"):
        filled[1](yoke.default_stream(), yoke.zeros(1))
    number = numpy.float32(2)
    x = yoke.zeros(1)
    filled[1](yoke.default_stream(), x)
    assert x.item() == 2


@yoke.kernel
def told(x, flag: "bool"):
    x[0], x[1] = (1 if flag else 0), (1 if flag == True else 0)  # noqa: E712


def test_bools_are_the_truth_of_integers():
    x = yoke.zeros(2, "int32")
    for flag in (True, 2, 2, 0, 2**40, False, -1, numpy.bool_(True), numpy.bool_(False), numpy.int64(2)):
        told[1](yoke.default_stream(), x, flag)
        assert x.tolist() == [bool(flag)] * 2
    for flag in (0.5, 1.0, "0", None, numpy.float32(2)):
        with pytest.raises(yoke.KernelError, match="flag is bool, and .* is passed: pass x != 0"):
            told[1](yoke.default_stream(), x, flag)


def test_closure():
    def made(amount):
        @yoke.kernel
        def added(x):
            i = yoke.grid(1)
            if i < x.size:
                x[i] += amount
        return added

    x = yoke.zeros(3)
    made(2)[3](yoke.default_stream(), x)
    y = numpy.zeros(3, numpy.float32)
    made(4).simulate[3](y)
    assert x.tolist() == [2, 2, 2] and y.tolist() == [4, 4, 4]


def test_a_compiler_names_the_python_line(monkeypatch):
    """What the translator lets through and a compiler refuses."""
    from yoke.kernels import calls

    monkeypatch.setitem(calls.FUNCTIONS, "sqrt", "no_such_function")

    @yoke.kernel
    def wrong(x):
        x[0] = numpy.sqrt(x[0])

    line = wrong.function.__code__.co_firstlineno + 2
    with pytest.raises(yoke.BuildError) as failure:
        wrong[1](yoke.default_stream(), yoke.zeros(1))
    assert f"test_kernels_launch.py:{line}" in failure.value.log or f"test_kernels_launch.py({line})" in failure.value.log


def test_shuffles():
    """A device without them says so when the kernel is compiled."""
    @yoke.kernel
    def turned(x):
        t = yoke.thread.x
        x[t] = yoke.shuffle_xor(x[t], 1)

    x = yoke.arange(32, dtype="float32")
    try:
        turned[1, 32](yoke.default_stream(), x)
    except yoke.BuildError as failure:
        assert "this device has no shuffles" in failure.log
    else:
        assert x.tolist()[:4] == [1, 0, 3, 2]


def test_text():
    text = kernel_samples.saxpy.text()
    assert "YOKE_KERNEL void saxpy(YOKE_GLOBAL const float *x_" in text and "YOKE_GLOBAL float *y_" in text and "#line" in text
    assert "double" not in text


def test_a_function_is_itself_in_python():
    assert kernel_samples.limited(3.0, 0.0, 1.0) == 1.0 and kernel_samples.sign(-3) == -1
    assert kernel_samples.turned.__doc__ == "Two results."


def test_barriers_in_simulation():
    @yoke.kernel
    def early(x):
        if yoke.thread.x == 2:
            return
        yoke.barrier()
        x[yoke.thread.x] = 1

    with pytest.raises(yoke.KernelError, match="thread .2, 0, 0. of block .0, 0, 0. has ended"):
        early.simulate[1, 4](numpy.zeros(4, numpy.float32))


@pytest.mark.parametrize("call, text", [
    (lambda s, x: copied[1](s, x), "copied takes 2 arguments .x, y., not 1"),
    (lambda s, x: copied[1](s, x, [1.0]), "y is an array, and list is passed: write In"),
    (lambda s, x: copied[1](s, x, numpy.zeros(1, numpy.float32)), "y is an array, and ndarray is passed: write In"),
    (lambda s, x: copied[1](s, x, yoke.zeros(1, dtype="int32")), "y is an array of float32, and one of int32 is passed"),
    (lambda s, x: scaled[1](s, x, numpy.float16(1)), "y: kernels have no numbers of float16"),
    (lambda s, x: scaled[1](s, x, "text"), "y: str is not an argument of a kernel"),
    (lambda s, x: scaled[1](s, x, yoke.zeros((1, 1, 1, 1, 1))), "5 dimensions"),
    (lambda s, x: scaled[1](s, x, 2.0), "a number of type float32 has no elements"),
    (lambda s, x: kernel_samples.saxpy[1](s, x, x, x), "a is float32, and an array is passed"),
    (lambda s, x: scaled.text(), "the type of x is not known before a launch"),
])
def test_wrong_arguments(call, text):
    with pytest.raises(yoke.KernelError, match=text):
        call(yoke.default_stream(), yoke.zeros(1))


@yoke.kernel
def numbered(x, y, n: "int32", flag: "bool", f):
    assert n >= 0
    x[0] = y[0, 0] + n + f


@yoke.kernel
def counts(x, n: "int32"):
    x[0] = n


class Real(float):
    pass


def test_refused_numbers_are_named_as_in_python(device):
    """And by the parameter of Python, whose arrays have extents in the text; with and without the record of an assert."""
    x, y, stream = yoke.zeros(2), yoke.zeros((2, 3)), yoke.default_stream()
    for n, flag, text in ((numpy.int64(1), True, r"numbered: n \(int32\) is 4 bytes wide, but .*; pass int\(x\)"),
                          (1.5, True, r"numbered: n \(int32\) takes an integer, and 1\.5 is floating-point: pass int\(x\)")):
        with pytest.raises(yoke.KernelArgumentError, match=text):
            numbered[1](stream, x, y, n, flag, 1.0)
    with pytest.raises(yoke.KernelArgumentError, match=r"^counts: n \(int32\) takes an integer, and 1\.5"):
        counts[1](stream, x, 1.5)
    with pytest.raises(yoke.InvalidArgumentError, match=r"^copied: y \(Array\[float32\], 1 dimension\): the buffer belongs to "):
        copied[1](stream, x, yoke.Device().buffer(8))
    numbered[1](stream, x, y, 2, True, Real(0.5))
    assert x.tolist() == [2.5, 0]


@yoke.kernel
def last_parts(p: "Array[yoke.float4]", out):
    i = yoke.grid(1)
    if i < p.shape[0]:
        out[i] = p[i].w


def test_a_launch_of_vectors_like_the_last_one(monkeypatch):
    """It takes the way of the last one, and looks at the last axis, which has the parts of the vectors."""
    p, out, stream = yoke.arange(12, dtype="float32").reshape((3, 4)), yoke.zeros(3), yoke.default_stream()
    launch, anew = last_parts[3], []
    plain = type(launch).anew
    monkeypatch.setattr(type(launch), "anew", lambda self, *args: [anew.append(1), plain(self, *args)])
    for _ in range(3):
        launch(stream, p, out)
        assert out.tolist() == [3, 7, 11]
    assert len(anew) == 1
    with pytest.raises(yoke.KernelError, match="an array of float4 is one of float32 whose last axis has 4"):
        launch(stream, yoke.zeros((3, 3)), out)


def test_host_arrays_without_elements():
    out = numpy.zeros(0, numpy.float32)
    copied[4](yoke.default_stream(), yoke.In(numpy.zeros(0, numpy.float32)), yoke.Out(out))


def test_launches_without_size_or_stream():
    with pytest.raises(TypeError, match=r"copied\[n\]\(stream"):
        copied(yoke.zeros(1))
    with pytest.raises(TypeError, match="the first argument of a launch is its stream"):
        copied[1](yoke.zeros(1), yoke.zeros(1))
    with pytest.raises(TypeError, match="decorates a function"):
        yoke.kernel(3)
    with pytest.raises(TypeError, match="the first argument of a launch is its stream"):
        copied[1]()
    with pytest.raises(TypeError, match="no arguments by name, as y:"):
        copied[1](yoke.default_stream(), yoke.zeros(1), y=yoke.zeros(1))
    with pytest.raises(RuntimeError, match="yoke.grid is for kernels"):
        yoke.grid(1)
