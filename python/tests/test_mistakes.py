# SPDX-License-Identifier: Apache-2.0
"""Mistakes that people who come from NumPy, CuPy and the like make: what they are told, and in Python's words."""

import re

import numpy
import pytest

import yoke
import yoke.fft
from yoke import ndimage
from yoke._core import errors

KERNEL = """#include <yoke/kernel.h>
YOKE_KERNEL void f(YOKE_GLOBAL float *x, int n, float a, unsigned char c) { x[0] = n + a + c; }"""


# Calls that the library refuses, and the words of Python's for what it calls otherwise.
RENAMED = [
    (lambda x: ndimage.maximum_filter(x.astype("uint8"), 3, mode="constant", cval=0.5), "rank_filter: cval is 0.5"),
    (lambda x: ndimage.gaussian_filter(x, 1, truncate=float("inf")), "gaussian_filter: truncate is inf"),
    (lambda x: yoke.matmul(x, x, alpha=1j), "matmul: alpha is complex"),
    (lambda x: yoke.reduce("max_or_nan", x + 1j), "reduce: max does not take complex64"),
    (lambda x: yoke.scan("max", x + 1j), "have no order for max"),
    (lambda x: yoke.fft.convolve(x[:1], x[:, :1], "valid"), "fft.convolve: valid: of a"),
    (lambda x: x.device.load(b"some text"), "device.build takes sources"),
]


@pytest.mark.parametrize("number", range(len(RENAMED)))
def test_names_of_python(number):
    """Beside what conftest.py asks of every message."""
    call, text = RENAMED[number]
    with pytest.raises(yoke.InvalidArgumentError, match=re.escape(text)):
        call(yoke.ones((3, 3)))


async def coroutine():
    pass


@pytest.fixture
def kernel(device):
    return device.build(KERNEL)["f"]


@pytest.mark.parametrize("arguments, text", [
    ((2.5, 1.0, 1), r"takes an integer, and 2\.5 is floating-point: pass int\(x\)"),
    ((2, 1.0, 1.5), r"takes an integer, and 1\.5 is floating-point: pass int\(x\)"),
    ((numpy.int64(2), 1.0, 1), r"an integer of 8 bytes was passed; pass int\(x\)"),
    ((2, numpy.float64(1), 1), r"a floating-point value of 8 bytes was passed; pass float\(x\)"),
    ((2, numpy.int32(1), 1), r"takes a floating-point value of 4 bytes, but an integer .*; pass float\(x\)"),
    (([2], 1.0, 1), r"list is not an argument of a kernel: write In\(numpy\.array\(x, dtype\)\)"),
])
def test_arguments(stream, kernel, arguments, text):
    if not kernel.parameters[1][0]:
        pytest.skip("the driver does not tell the types")
    with pytest.raises(yoke.KernelArgumentError, match=text):
        kernel[1](stream, yoke.zeros(1, stream=stream), *arguments)
    kernel[1](stream, x := yoke.zeros(1, stream=stream), 2, 1, 3)
    assert x.tolist() == [6]


def test_operands():
    x = yoke.ones(3)
    for wrong in (None, "a"):
        with pytest.raises(TypeError, match="an Array, a NumPy array, a list or a number is wanted, not"):
            yoke.maximum(x, wrong)
    assert yoke.maximum(x, [0, 1, 2]).tolist() == yoke.maximum([0, 1, 2], x).tolist() == [1, 1, 2]
    for text in ("12", ["1", "2"]):  # which NumPy would read as numbers
        with pytest.raises(TypeError, match="numbers, not texts"):
            x[0:2] = text
        with pytest.raises(TypeError, match="numbers, not texts"):
            yoke.asarray(text, "float32")
    assert yoke.concatenate([x, numpy.zeros(1)]).tolist() == [1, 1, 1, 0]
    with pytest.raises(ValueError, match="a sequence of one array or more is wanted"):
        yoke.stack([])


def test_masked_arrays():
    x = yoke.ones(3)
    masked = numpy.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    whole = numpy.ma.array([1.0, 2.0, 3.0])
    for wrong in (lambda: yoke.asarray(masked), lambda: x + masked, lambda: x.__iadd__(masked), lambda: x == masked,
                  lambda: yoke.where(x > 0, masked, x), lambda: x.__setitem__(slice(None), masked)):
        with pytest.raises(TypeError):
            wrong()
    assert yoke.asarray(whole).tolist() == [1, 2, 3] and (x + whole).tolist() == [2, 3, 4]
    assert (masked + x).tolist() == [2, None, 4]  # by NumPy
    assert (x + masked.filled(0)).tolist() == [2, 1, 4] and x.tolist() == [1, 1, 1]


def test_another_device():
    """Each Device is one of its own, also of the same GPU."""
    first, second = yoke.Device(), yoke.Device()
    x, kernel = yoke.ones(3, stream=first.stream()), second.build(KERNEL)["f"]
    with pytest.raises(yoke.InvalidArgumentError, match=r"both must come from one yoke\.Device: array\.to_device"):
        kernel[1](x.stream, x, 1, 1.0, 1)
    with pytest.raises(yoke.InvalidArgumentError, match=r"both must come from one yoke\.Device: array\.to_device"):
        kernel[1](second.stream(), x, 1, 1.0, 1)


APART = [
    lambda a, b: a + b, lambda a, b: a == b, lambda a, b: a @ b, lambda a, b: a.__iadd__(b), lambda a, b: a.__setitem__(0, b[0]),
    lambda a, b: a[yoke.astype(b, "int32")], lambda a, b: yoke.where(a > 1, a, b), lambda a, b: yoke.concatenate([a, b]),
    lambda a, b: yoke.stack([a, b]), lambda a, b: yoke.evaluate("x + y", x=a, y=b), lambda a, b: yoke.searchsorted(a, b),
    lambda a, b: yoke.map_reduce("sum", "x * y", x=a, y=b), lambda a, b: numpy.add(a, b), lambda a, b: yoke.numpy.hypot(a, b),
    lambda a, b: yoke.numpy.copyto(a, b), lambda a, b: yoke.tensordot(a, b, 1),
]


@pytest.mark.parametrize("number", range(len(APART)))
def test_arrays_of_two_devices(number):
    a, b = [yoke.zeros(3, stream=yoke.Device().stream()) for _ in range(2)]
    with pytest.raises(yoke.InvalidArgumentError, match=r"another device .*array\.to_device\(device\) copies"):
        APART[number](a, b)
    assert (a + b.to_device(a.device)).tolist() == [0, 0, 0]


def test_asarray_in_another_stream(device, stream):
    x = yoke.asarray(numpy.arange(12, dtype="f4").reshape(3, 4), stream=stream)
    other, far = device.stream(), yoke.Device().stream()
    assert yoke.asarray(x) is x and yoke.asarray(x, stream=stream) is x
    for place in (other, far):
        for view in (x, x[::2, 1:], x[:0]):
            found = yoke.asarray(view, stream=place)
            assert found.stream is place and found.tolist() == view.tolist()
        assert yoke.asarray(x, "int64", stream=place).tolist() == x.tolist()
    kernel = device.build(KERNEL)["f"]
    kernel[1](stream, x, 7, 0.0, 0)
    assert yoke.asarray(x, stream=other)[0, 0].item() == 7  # behind the kernel


def test_coroutine_function(stream):
    for call in (stream.call, stream.call_always, stream.event().on_complete):
        with pytest.raises(TypeError, match=r"is a coroutine function, whose call runs nothing: pass lambda: asyncio\.run"):
            call(coroutine)
    stream.wait()


def test_sources(device):
    for wrong in (b"text", 5, ["text"]):
        with pytest.raises(TypeError, match="a text or a Source is wanted, not"):
            device.build(wrong)


def test_ways_of_other_libraries(device, stream, kernel):
    with pytest.raises(TypeError, match=r"a launch needs its size: f\[n\]\(stream, …\)"):
        kernel(yoke.zeros(1), 1, 1.0, 1, block=(256, 1, 1), grid=(1, 1))
    with pytest.raises(AttributeError, match=r"a kernel is program\['f'\]"):
        kernel.program.f  # noqa: B018
    other = "cuda" if device.backend == "opencl" else "opencl"
    with pytest.raises(yoke.Error, match="only the other backend's text: pass both, as cuda=… and opencl=…, or one text"):
        device.build(**{other: "text"})


def test_host_memory(device, stream):
    buffer = device.buffer(16)
    for call in (lambda: stream.write(buffer, [1]), lambda: stream.fill(buffer, 1.0), lambda: stream.read((5,), buffer)):
        with pytest.raises(TypeError, match=r"host memory is wanted, as of numpy\.array\(x, dtype\) or numpy\.float32\(x\)"):
            call()
    stream.fill(buffer, numpy.float64(1))


def test_closed_after_another_failure(device, stream):
    buffer = device.buffer(16)
    with pytest.raises(yoke.RangeError):
        device.buffer(1 << 60)
    buffer.close()
    with pytest.raises(yoke.InvalidArgumentError, match=r"^fill: buffer is closed$"):
        stream.fill(buffer, numpy.float32(1))


def test_events_without_timing(device, stream):
    events = stream.event(), stream.event()
    stream.wait()
    with pytest.raises(yoke.InvalidArgumentError, match="recorded without timed=True"):
        events[1].elapsed(events[0])
    with pytest.raises(yoke.InvalidArgumentError, match="timed=True needs a stream with timed=True"):
        stream.event(timed=True)


SHIFTS = [("i4", [1, 1, -5], "i8", [40, 33, 2]), ("u4", [3804392795], "u8", [3]), ("i2", [300], "i4", [20]),
          ("u1", [200], "u4", [9]), ("i8", [-3], "i4", [40]), ("i4", [-7], "i8", [1])]


@pytest.mark.parametrize("left, a, right, b", SHIFTS)
def test_shifts_in_the_common_dtype(left, a, right, b):
    a, b = numpy.array(a, left), numpy.array(b, right)
    for found, expected in ((yoke.asarray(a) << yoke.asarray(b), a << b), (yoke.asarray(a) >> yoke.asarray(b), a >> b),
                            (yoke.asarray(a) << b[0], a << b[0]), (a[0] << yoke.asarray(b), a[0] << b)):
        assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


def test_values_that_integers_do_not_have():
    bytes_ = yoke.zeros(3, "uint8")
    bytes_[:] = [300.0, -5.0, 3.7]
    assert bytes_.tolist() == [255, 0, 3]
    assert yoke.asarray([float("nan"), 1e20, -1e20], "int32").tolist() == [0, 2**31 - 1, -2**31]
    assert yoke.asarray([2.0**63, -1e20, 2.0**62], "int64").tolist() == [2**63 - 1, -2**63, 2**62]
    assert yoke.asarray([1e30, -1.0], "uint64").tolist() == [2**64 - 1, 0]
    assert yoke.asarray(numpy.array([300.7, -3]), "uint8").tolist() == [255, 0]
    words = yoke.zeros(1, "int32")
    for wrong in (lambda: yoke.asarray([300], "uint8"), lambda: yoke.asarray([-1], "uint64"), lambda: bytes_.__setitem__(0, 300),
                  lambda: bytes_.__setitem__(slice(None), [1, 2, -1]), lambda: words + 2**40):
        with pytest.raises(OverflowError, match="is not a value of"):
            wrong()
    with pytest.raises(TypeError):
        yoke.ones(1).__setitem__(0, numpy.complex64(1j))
    with pytest.raises(TypeError, match="a result of int16 does not go into an array of uint8"):
        bytes_ += numpy.int16(-1)


def test_limits_and_ranges():
    x = numpy.arange(16, dtype="f4")
    for limits in ((7, 3), (None, 2), (3, None), (2, 5)):
        assert yoke.clip(yoke.asarray(x), *limits).tolist() == x.clip(*limits).tolist()
    with pytest.raises(ValueError, match="NaN"):
        yoke.asarray(x).clip(float("nan"), 2)
    data = numpy.array([2, 2.2, 1], "f4")
    assert yoke.histogram(yoke.asarray(data), 5, (2, 2))[0].tolist() == numpy.histogram(data, 5, (2, 2))[0].tolist()
    assert 2 in yoke.asarray(x) and 16 not in yoke.asarray(x) and (+yoke.asarray(x)).tolist() == x.tolist()


def test_shapes(device):
    for wrong in (b"ab", bytearray(b"ab"), "ab"):  # not 97 x 98 elements
        for make in (yoke.zeros, device.pinned, yoke.ones(9506).reshape):
            with pytest.raises(TypeError, match="a shape is a number or a sequence of numbers, not"):
                make(wrong)
    for wrong in (-3, (2, -1)):
        for make in (yoke.zeros, device.pinned):
            with pytest.raises(ValueError, match="a shape has a negative extent"):
                make(wrong)
    assert device.pinned([2, 3]).shape == device.pinned(numpy.array([2, 3])).shape == (2, 3) and device.pinned(4).shape == (4,)


def test_no_words_of_c(device, stream):
    with pytest.raises(yoke.InvalidArgumentError, match=r"has not been recorded: with stream\.record\(\) as graph"):
        yoke.Graph(device).launch(stream)
    stream.cancel()
    with pytest.raises(yoke.CancelledError, match="was cancelled before this could run"):
        stream.event()
    stream.recover()
    with pytest.raises(yoke.Error, match=r"slice the array, or use yoke\.take"):
        yoke.evaluate("x[1]", x=yoke.ones(3))


def test_words_of_the_user(device):
    """They stay as they are, whatever of C's names they have."""
    text = "#error YOKE_SORT_KEYS options->value, use yoke_gather"
    with pytest.raises(yoke.BuildError, match="YOKE_SORT_KEYS options->value, use yoke_gather"):
        device.build(cuda=text, opencl=text)
    told = errors.text_for_python("yoke_map: 'YOKE_SORT_KEYS' is no name; YOKE_SORT_DESCENDING is", yoke.InvalidArgumentError)
    assert told == "map: 'YOKE_SORT_KEYS' is no name; descending is"


def test_numbers_for_vectors(device, stream):
    text = "void f({} float *x, float4 v) {{ x[0] = v.x; }}"
    kernel = device.build(cuda=text.format("").replace("void", 'extern "C" __global__ void'),
                          opencl="__kernel " + text.format("__global"))["f"]
    if not kernel.parameters[1][0]:
        pytest.skip("the driver does not tell the types")
    with pytest.raises(yoke.KernelArgumentError, match="takes a vector of 16 bytes, but .*; pass a NumPy scalar of its dtype"):
        kernel[1](stream, yoke.zeros(1, stream=stream), 1.0)


def test_ints_that_python_does_not_format(device, stream):
    """An int of more than 4300 digits has no str: the messages must not fail for that."""
    huge = 10**5000
    x, words = yoke.ones(3, stream=stream), yoke.zeros(3, "int32", stream=stream)
    for error, call in ((OverflowError, lambda: words + huge), (OverflowError, lambda: words.__setitem__(0, -huge)),
                        (OverflowError, lambda: yoke.arange(huge, huge + 2)), (OverflowError, lambda: words ** huge),
                        (OverflowError, lambda: yoke.evaluate("x + k", x=words, k=huge)), (IndexError, lambda: x[huge]),
                        (IndexError, lambda: x.sum(axis=-huge)), (ValueError, lambda: device.buffer(-huge)),
                        (ValueError, lambda: yoke.topk(x, huge))):
        with pytest.raises(error, match=r"about -?2\*\*16609"):
            call()
    assert (words == huge).tolist() == [False] * 3 and (words < huge).tolist() == [True] * 3


def test_names_of_arguments(stream):
    x, i = yoke.ones((4, 4), stream=stream), yoke.arange(4, stream=stream)
    with pytest.raises(yoke.InvalidArgumentError, match="^matmul: out overlaps a: bytes 0 to 63 "):
        yoke.matmul(x, x, out=x)
    with pytest.raises(yoke.InvalidArgumentError, match=r"out overlaps bias: "):
        yoke.matmul(yoke.ones((4, 4), stream=stream), i.astype("float32"), out=x[0], epilogue="value + bias", bias=x[0])
    with pytest.raises(yoke.InvalidArgumentError, match=r"out has the shape \(3, 3\), and the product of a, \(4, 4\), and b, "):
        yoke.matmul(x, x, out=yoke.ones((3, 3), stream=stream))
    with pytest.raises(yoke.InvalidArgumentError, match="^scatter: out overlaps values: bytes 0 to 63 "):
        yoke.scatter(x, i, x)
    with pytest.raises(yoke.InvalidArgumentError, match=r"out has the shape \(4, 4\), and values has the shape \(3, 3\): "):
        yoke.scatter(x, i, yoke.ones((3, 3), stream=stream))
    with pytest.raises(yoke.InvalidArgumentError, match="^reduce: out overlaps array: "):
        x.sum(0, out=x[0])
    with pytest.raises(yoke.InvalidArgumentError, match="array has the shape .*: it must have one dimension"):
        yoke.searchsorted(x, x)
