# SPDX-License-Identifier: Apache-2.0
"""DLPack to and from the host: without a copy where the device computes in the host's memory, as PoCL does; with one elsewhere, or
BufferError where none may be made."""

import ctypes
import gc
import weakref

import numpy
import pytest

import yoke
from yoke import _host_memory

N = numpy.arange(12, dtype="float32").reshape(3, 4)


def is_shared():
    return _host_memory.is_shared(yoke.default_stream().device)


shared = pytest.mark.skipif("not is_shared()", reason="the device's memory is not the host's")
apart = pytest.mark.skipif("is_shared()", reason="the device's memory is the host's")


def frozen(values):
    values = values.copy()
    values.flags.writeable = False
    return values


def name_of(capsule):
    get = ctypes.pythonapi.PyCapsule_GetName
    get.restype, get.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return get(capsule)


class Old:
    """A producer that knows of no versions."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, *, stream=None):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class New:
    """A consumer's view of a capsule that is there already."""

    def __init__(self, capsule, device=(1, 0)):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


def test_pocl_shares():
    """What the other tests go by, so that they are not left out without a word."""
    info = yoke.default_stream().device.info
    assert is_shared() == (info.platform == "Portable Computing Language")


@shared
def test_a_device_that_is_not_the_capsules():
    with pytest.raises(BufferError, match="device 4"):
        yoke.from_dlpack(New(yoke.ones(3).__dlpack__(), (1, 0)))


# ---- Out ----

@shared
@pytest.mark.parametrize("select", [lambda a: a, lambda a: a.T, lambda a: a[1:, ::2], lambda a: a[2], lambda a: a[:, :0]])
def test_out_is_the_memory_itself(select):
    a = yoke.asarray(N)
    part = select(a)
    for options in ({}, {"copy": False}):
        host = numpy.from_dlpack(part, device="cpu", **options)
        numpy.testing.assert_array_equal(host, select(N), strict=True)
        assert host.strides == part.strides or part.size == 0
    if part.size:
        part += 1  # by the device
        part.stream.wait()
        numpy.testing.assert_array_equal(host, select(N) + 1)
        host += 1  # by the host
        numpy.testing.assert_array_equal(part.to_numpy(), select(N) + 2)


@shared
def test_out_of_memory_that_the_array_has_left():
    host = numpy.from_dlpack(yoke.asarray(N) * 2, device="cpu", copy=False)
    for _ in range(4):
        yoke.full(N.shape, 7.0)  # which would get the memory if it were free
    numpy.testing.assert_array_equal(host, N * 2)


@shared
def test_out_of_every_dtype():
    for dtype in ("bool", "int8", "uint16", "int64", "uint64", "float16", "float64", "complex64"):
        values = numpy.arange(4).astype(dtype)
        numpy.testing.assert_array_equal(numpy.from_dlpack(yoke.asarray(values), device="cpu", copy=False), values, strict=True)
    assert name_of(yoke.zeros(2, "bfloat16").__dlpack__(dl_device=(1, 0), copy=False)) == b"dltensor"


def test_out_as_a_copy():
    a = yoke.asarray(N)
    host = numpy.from_dlpack(a, device="cpu", copy=True)
    a += 1
    a.stream.wait()
    numpy.testing.assert_array_equal(host, N)


@apart
def test_out_elsewhere():
    a = yoke.asarray(N)
    host = numpy.from_dlpack(a, device="cpu")
    a += 1
    a.stream.wait()
    numpy.testing.assert_array_equal(host, N)
    with pytest.raises(BufferError, match="copy is false"):
        a.__dlpack__(dl_device=(1, 0), copy=False)


def test_versions():
    a = yoke.asarray(N)
    device = a.__dlpack_device__()
    for options in ({}, {"dl_device": (1, 0)}, {"dl_device": device}, {"copy": True}):
        assert name_of(a.__dlpack__(**options)) == name_of(a.__dlpack__(max_version=(0, 8), **options)) == b"dltensor"
        assert name_of(a.__dlpack__(max_version=(1, 0), **options)) == b"dltensor_versioned"
        assert name_of(a.__dlpack__(max_version=(2, 3), **options)) == b"dltensor_versioned"
    capsule = a.__dlpack__(max_version=(1, 0))
    again = yoke.from_dlpack(New(capsule, device))
    assert name_of(capsule) == b"used_dltensor_versioned"
    again += 1
    numpy.testing.assert_array_equal(a.to_numpy(), N + 1)


@shared
def test_memory_that_is_only_read():
    constant = yoke.from_dlpack(frozen(N))
    with pytest.raises(BufferError, match=r"max_version=\(1, 0\)"):
        constant.__dlpack__()
    again = yoke.from_dlpack(constant)
    with pytest.raises(yoke.InvalidArgumentError, match="read-only"):
        again += 1
    host = numpy.from_dlpack(constant, device="cpu", copy=False)
    assert not host.flags.writeable
    with pytest.raises(BufferError, match="copy is false"):
        constant.__dlpack__(dl_device=(1, 0), copy=False)  # whoever asks so learns of no flag
    copied = numpy.from_dlpack(New(constant.__dlpack__(dl_device=(1, 0))))
    numpy.testing.assert_array_equal(copied, host)
    assert not numpy.shares_memory(copied, host)


# ---- In ----

@shared
@pytest.mark.parametrize("select", [lambda a: a, lambda a: a.T, lambda a: a[1:, ::2], lambda a: a[::-1, ::-1],
                                    lambda a: a[2, 3, ...]])
@pytest.mark.parametrize("producer", [lambda a: a, Old])
def test_in_is_the_memory_itself(select, producer):
    host = numpy.empty(16, "float32")[1:13].reshape(3, 4)  # where NumPy's memory begins, and not
    host[...] = N
    part = select(host)
    a = yoke.from_dlpack(producer(numpy.asarray(part)), copy=False)
    numpy.testing.assert_array_equal(a.to_numpy(), select(N))
    a += 1
    a.stream.wait()
    numpy.testing.assert_array_equal(part, select(N) + 1)
    assert host.sum() == N.sum() + part.size  # and nothing else was written


@shared
def test_in_without_a_word_shares():
    host = N.copy()
    a = yoke.from_dlpack(host)
    a *= 2
    a.stream.wait()
    numpy.testing.assert_array_equal(host, N * 2)
    numpy.testing.assert_array_equal(numpy.from_dlpack(a, device="cpu", copy=False), host)


@shared
def test_in_keeps_the_memory():
    host = N.copy()
    gone = weakref.ref(host)
    a = yoke.from_dlpack(host, copy=False)
    del host
    gc.collect()
    assert gone() is not None
    numpy.testing.assert_array_equal((a + 1).to_numpy(), N + 1)
    stream = a.stream
    del a
    gc.collect()
    stream.wait()
    yoke.zeros(1).to_numpy()  # which looks what is complete
    gc.collect()
    assert gone() is None


@shared
def test_in_of_what_cannot_be_shared():
    odd = numpy.zeros(17, "uint8")[1:].view("float32")  # between two elements' addresses
    if odd.ctypes.data % 4:
        with pytest.raises(BufferError):
            yoke.from_dlpack(odd, copy=False)
        assert yoke.from_dlpack(odd).tolist() == [0] * 4
    assert yoke.from_dlpack(numpy.zeros((0, 3), "float32")).shape == (0, 3)


def test_in_of_nothing():
    """Which no copy is needed for."""
    for shape in ((0,), (3, 0)):
        assert yoke.from_dlpack(numpy.zeros(shape, "float32"), copy=False).shape == shape


def test_in_from_another_device():
    a, other = yoke.asarray(N), yoke.Device()
    with pytest.raises(BufferError, match="copy is false"):
        yoke.from_dlpack(a, device=other, copy=False)
    numpy.testing.assert_array_equal(yoke.from_dlpack(a, device=other).to_numpy(), N)


def test_in_as_a_copy():
    host = N.copy()
    a = yoke.from_dlpack(host, copy=True)
    host[...] = 0
    numpy.testing.assert_array_equal(a.to_numpy(), N)


@apart
def test_in_elsewhere():
    host = N.copy()
    a = yoke.from_dlpack(host)
    host[...] = 0
    numpy.testing.assert_array_equal(a.to_numpy(), N)
    with pytest.raises(BufferError, match="copy is false"):
        yoke.from_dlpack(N, copy=False)


# ---- Buffers of the host ----

@pytest.mark.parametrize("kind", ["pinned", "mapped", "managed"])
def test_buffers(kind):
    device = yoke.default_stream().device
    if kind != "pinned" and not device.supports(kind):
        pytest.skip(device.lacks(kind))
    buffer = device.buffer(16, kind)
    assert buffer.__dlpack_device__() == (1, 0)
    host = numpy.from_dlpack(buffer)
    assert host.dtype == "uint8" and host.ctypes.data == numpy.frombuffer(buffer, "uint8").ctypes.data
    del host
    with pytest.raises(BufferError, match="not on"):
        buffer.__dlpack__(dl_device=(2, 0))
    copied = numpy.from_dlpack(buffer, copy=True)
    assert copied.ctypes.data != numpy.frombuffer(buffer, "uint8").ctypes.data


def test_buffers_of_the_device():
    buffer = yoke.default_stream().device.buffer(16)
    for call in (buffer.__dlpack__, buffer.__dlpack_device__):
        with pytest.raises(BufferError, match="device memory is not the host's"):
            call()


# ---- Wrong calls ----

@pytest.mark.parametrize("call, kind, text", [
    (lambda a: a.__dlpack__(copy=1), TypeError, "copy is True, False or None, not 1"),
    (lambda a: a.__dlpack__(dl_device=(1, 0), copy="no"), TypeError, "copy is True, False or None"),
    (lambda a: yoke.from_dlpack(a, copy=0), TypeError, "copy is True, False or None, not 0"),
    (lambda a: a.__dlpack__(max_version=1), TypeError, "max_version is a tuple of two ints"),
    (lambda a: a.__dlpack__(dl_device=(1,)), TypeError, "dl_device is a tuple of two ints"),
    (lambda a: a.__dlpack__(dl_device=(10, 0), copy=True), BufferError, r"not on \(10, 0\)"),
    (lambda a: yoke.from_dlpack(New(3, a.__dlpack_device__())), TypeError, "no capsule"),
    (lambda a: yoke.from_dlpack(New(3), copy=False), (TypeError, BufferError), "no capsule|copy is false"),
])
def test_wrong_calls(call, kind, text):
    with pytest.raises(kind, match=text):
        call(yoke.ones(2))
