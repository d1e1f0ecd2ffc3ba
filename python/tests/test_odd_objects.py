# SPDX-License-Identifier: Apache-2.0
"""Objects that are not what they seem: sequences whose length is not that of what they give, arrays of Python's objects, objects
with a `shape` or a `repr` that is none."""

import array
import collections
import decimal
import fractions
import sys
import threading
from unittest import mock

import numpy
import pytest

import yoke


class Liar:
    """A sequence of two, as its length says."""

    def __init__(self, value, count=3000):
        self.values = [value] * count

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self.values[index]

    def __iter__(self):
        return iter(self.values)


class ListLiar(list):
    def __len__(self):
        return 2


class TupleLiar(tuple):
    """Gives more when it is read again."""

    reads = 0

    def __iter__(self):
        self.reads += 1
        return iter([slice(None)] * (2 if self.reads == 1 else 3000))


class Grows:
    """An index that lengthens the list it is in."""

    def __init__(self, axes):
        self.axes = axes

    def __index__(self):
        self.axes.extend([Grows(self.axes)] * 500)
        return 1


@pytest.mark.parametrize("call", [
    lambda a: a.transpose(Liar(1)),
    lambda a: a.broadcast_to(Liar(1)),
    lambda a: a.reshape(Liar(1)),
    lambda a: a.sum(axis=Liar(1)),
    lambda a: yoke.zeros(Liar(1)),
    lambda a: yoke.ndimage.gaussian_filter(a, Liar(1.0)),
    lambda a: yoke.ndimage.gaussian_filter(a, 1.0, axes=Liar(1)),
    lambda a: yoke.ndimage.uniform_filter(a, Liar(1)),
    lambda a: yoke.ndimage.uniform_filter(a, 3, origin=Liar(0)),
    lambda a: yoke.ndimage.correlate(a, [ListLiar([1.0] * 3000), [1.0, 1.0]]),
    lambda a: yoke.ndimage.separable_filter(a, ListLiar([[1.0]] * 3000)),
    lambda a: yoke.ndimage.separable_filter(a, Liar([1.0])),
])
def test_lengths_that_lie(stream, call):
    with pytest.raises((ValueError, IndexError)):
        call(yoke.zeros((2, 3), stream=stream))


def test_sequences_that_change(stream):
    a = yoke.asarray(numpy.arange(6).reshape(2, 3), stream=stream)
    axes = []
    axes += [Grows(axes), 0]
    assert a.transpose(axes).shape == (3, 2)
    assert a[TupleLiar()].tolist() == a.tolist()
    weights = [1.0]
    weights[0] = weights
    with pytest.raises(ValueError, match="at most 8 dimensions"):
        yoke.ndimage.correlate(a, weights)


def test_sources_that_change(device):
    class Word:
        def __str__(self):
            source.defines.extend([Word()] * 3000)
            return "COUNT=1"

    source = yoke.Source("#include <yoke/kernel.h>\nYOKE_KERNEL void f(YOKE_GLOBAL int *x) { x[0] = COUNT; }")
    source.defines = [Word()]
    device.build(source)


def test_memory_of_objects(device, stream):
    """The bytes of an object array are pointers, which no device knows, and which the host would follow."""
    buffer = device.buffer(64)
    stream.fill(buffer, b"\1")
    objects = numpy.empty(8, object)
    fields = numpy.zeros(2, [("Other", "i4"), ("object", object)])
    for memory in (objects, memoryview(objects), fields):
        for call in (lambda: stream.read(memory, buffer), lambda: stream.write(buffer, memory),  # noqa: B023
                     lambda: device.pin(memory), lambda: stream.read_rect(memory, buffer, (1, 8))):  # noqa: B023
            with pytest.raises(TypeError, match="has Python's objects"):
                call()
    stream.wait()
    assert objects.tolist() == [None] * 8
    names = numpy.zeros(2, [("Other", "i4"), ("O", "i4")])  # numbers
    dates = numpy.zeros(2, "M8[s]")
    for memory in (names, dates):
        stream.read(memory, buffer)
        stream.write(buffer, memory)
    stream.wait()
    assert names["O"].tolist() == [0x01010101] * 2


def test_an_interface_of_too_many_elements(device, stream):
    if device.backend != "cuda":
        pytest.skip("__cuda_array_interface__ is for CUDA")
    base = yoke.ones(8, stream=stream)

    class Other:
        __cuda_array_interface__ = {**base.__cuda_array_interface__, "shape": (2**40, 2**40), "strides": (0, 0)}

    with pytest.raises(yoke.Error):
        yoke.asarray(Other(), stream=stream)
    Other.__cuda_array_interface__["shape"] = (2**20, 2**20)
    assert yoke.asarray(Other(), stream=stream)[5, 6:8].tolist() == [1, 1]


def test_an_interface_of_another_backend(device, stream):
    if device.backend == "cuda":
        pytest.skip("where __cuda_array_interface__ is an array")

    class Other:
        __cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (4096, False), "version": 3}

    with pytest.raises(TypeError, match=f"Other: an array on CUDA, and the stream is on {device.backend}: copy it to NumPy"):
        yoke.asarray(Other(), stream=stream)


class Own:
    """Operators of its own, and a shape that is none."""

    shape = "round"

    def __eq__(self, other):
        return "eq"

    def __radd__(self, other):
        return "radd"

    def __rmatmul__(self, other):
        return "rmatmul"

    def __gt__(self, other):
        return "gt"


def test_operators_of_other_objects(device, stream):
    a = yoke.ones(3, stream=stream)
    assert (a == Own(), a + Own(), a @ Own(), a < Own()) == ("eq", "radd", "rmatmul", "gt")
    a += Own()
    assert a == "radd"
    a = yoke.ones(3, stream=stream)
    for other in (mock.Mock(), device, device.image((2, 3)), None, {}, object()):
        assert (a == other).tolist() == [False] * 3 and (a != other).tolist() == [True] * 3
        assert other not in a
        with pytest.raises((TypeError, ValueError)):
            a += other
    assert a == mock.ANY


@pytest.mark.parametrize("other", [fractions.Fraction(1), decimal.Decimal(1), array.array("f", [1, 1, 1]), range(3),
                                   bytearray(3), collections.deque([1, 2, 3])])
def test_comparisons_that_would_be_wrong(stream, other):
    a = yoke.ones(3, stream=stream)
    for call in (lambda: a == other, lambda: other != a, lambda: other in a):
        with pytest.raises(TypeError, match="is not an operand"):
            call()


def test_comparisons_by_numpy(stream):
    a = yoke.ones(3, stream=stream)
    for other in (None, "a", numpy.str_("a"), numpy.datetime64("2020-01-01"), numpy.array("a"), numpy.array(None),
                  numpy.array(["a", "b", "c"]), numpy.array(["2020-01-01"], "M8[s]")):
        for equal in (a == other, other == a, numpy.equal(a, other), numpy.equal(other, a)):
            assert isinstance(equal, yoke.Array) and equal.tolist() == [False] * 3
        assert numpy.not_equal(other, a).tolist() == (a != other).tolist() == [True] * 3
    for other in (numpy.array([None, 1, 1]), numpy.longdouble(1), numpy.timedelta64(1, "s")):
        for call in (lambda: a == other, lambda: other == a, lambda: numpy.not_equal(a, other)):  # noqa: B023
            with pytest.raises(TypeError, match="is not an operand"):
                call()
    with pytest.raises(TypeError, match="not texts"):
        a + numpy.array(["a"])
    assert numpy.less(2, a).tolist() == [False] * 3 and numpy.less(a, 2).tolist() == [True] * 3


def test_numpy_functions_where_an_array_says(stream):
    a = yoke.asarray(numpy.array([1, -1, 4], "f4"), stream=stream)
    out = numpy.zeros(3, "f4")
    for call in (lambda: numpy.sqrt(a, where=a > 0, out=out), lambda: numpy.add(out, 1, where=a > 0, out=out),
                 lambda: numpy.add.reduce(out, where=a > 0)):
        with pytest.raises(TypeError, match="to_numpy"):
            call()
    assert numpy.maximum.reduce(a, initial=-9).item() == 4
    assert numpy.add.reduce(a, where=numpy.array([True, False, True])).item() == 5


class NoRepr:
    def __repr__(self):
        raise RuntimeError("no repr")


@pytest.mark.parametrize("value, text", [(NoRepr(), "a NoRepr"), ([0] * 10**5, "0, 0, 0…")])
def test_values_in_messages(device, stream, value, text):
    for call in (lambda: stream.call(value), lambda: device.buffer(8, value), lambda: device.stream(wait=value),
                 lambda: yoke.full(3, value), lambda: yoke.apply(value, yoke.ones(3, stream=stream)),
                 lambda: device.supports(value)):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        assert len(str(caught.value)) < 600
    with pytest.raises(TypeError, match=text):
        stream.call(value)
    for call in (lambda: yoke.zeros(b"a" * 10**5), lambda: yoke.ndimage.correlate(yoke.ones(3), "a" * 10**5)):
        with pytest.raises(TypeError) as caught:
            call()
        assert len(str(caught.value)) < 600


def test_one_capsule_for_two(device, stream):
    """The first takes it."""
    a = yoke.ones(3, stream=stream)

    class Other:
        def __dlpack__(self, stream=None):
            return capsule  # noqa: F821

    def take():
        start.wait()
        try:
            taken.append(yoke.from_dlpack(Other(), stream=stream))
        except TypeError:
            pass

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(1000):
            capsule, start, taken = a.__dlpack__(), threading.Barrier(4), []  # noqa: F841
            threads = [threading.Thread(target=take) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(taken) == 1 and taken[0].tolist() == [1, 1, 1]
    finally:
        sys.setswitchinterval(interval)
    capsule = a.__dlpack__()
    if device.backend == "opencl":  # where each Device is one of its own
        with pytest.raises(yoke.Error):
            yoke.from_dlpack(Other(), stream=yoke.Device().stream())
    assert yoke.from_dlpack(Other(), stream=stream).tolist() == [1, 1, 1]
