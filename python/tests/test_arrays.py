# SPDX-License-Identifier: Apache-2.0
"""Arrays beside NumPy."""

import ctypes
import gc
import operator
import pickle
import subprocess
import sys
import threading

import numpy
import pytest

import yoke


def same(got, expected):
    expected = numpy.asarray(expected)
    got = got.to_numpy()
    assert got.shape == expected.shape and (got == expected).all(), (got, expected)


@pytest.fixture(autouse=True)
def current(stream):
    with stream:
        yield


A = numpy.arange(24, dtype="f4").reshape(4, 6) - 11
I = numpy.arange(24, dtype="i4").reshape(4, 6) - 11


def test_creation():
    same(yoke.zeros((2, 3)), numpy.zeros((2, 3), "f4"))
    same(yoke.ones(3, "int16"), numpy.ones(3, "i2"))
    same(yoke.full((2, 2), 7, numpy.uint8), numpy.full((2, 2), 7, "u1"))
    same(yoke.arange(10), numpy.arange(10))
    same(yoke.arange(3, 10, 2), numpy.arange(3, 10, 2))
    same(yoke.arange(10, 0, -3), numpy.arange(10, 0, -3))
    assert yoke.arange(0, 2**62 + 1, 2**61).tolist() == [0, 2**61, 2**62]  # beyond a double's integers
    same(yoke.asarray([[1.5, 2], [3, 4]]), numpy.array([[1.5, 2], [3, 4]], "f4"))
    same(yoke.asarray(I[:, ::2]), I[:, ::2])
    same(yoke.zeros((0, 3)), numpy.zeros((0, 3), "f4"))
    assert yoke.asarray(I).dtype == numpy.int32 and yoke.zeros(3, "bfloat16").dtype == "bfloat16"
    assert yoke.asarray(3.5).item() == 3.5 and float(yoke.asarray(3.5)) == 3.5
    values = I.copy()
    array = yoke.asarray(values)
    values[:] = 0
    same(array, I)


def test_more_creation():
    same(yoke.asarray(A.astype(">f4")), A)
    for like, function in ((yoke.zeros_like, numpy.zeros_like), (yoke.ones_like, numpy.ones_like)):
        same(like(yoke.asarray(I)), function(I))
        assert like(yoke.asarray(I), "float64").dtype == "float64"
    same(yoke.full_like(yoke.asarray(I), 7), numpy.full_like(I, 7))
    same(yoke.linspace(0, 4, 5), numpy.linspace(0, 4, 5))
    same(yoke.linspace(1, 0, 4, endpoint=False, dtype="float64"), numpy.linspace(1, 0, 4, endpoint=False))
    same(yoke.arange(.1, 1, .1, dtype="float64"), .1 + numpy.arange(9) * .1)
    same(yoke.arange(2.0**24 - 1, 2.0**24 + 3, dtype="int64"), numpy.arange(2**24 - 1, 2**24 + 3))
    assert yoke.linspace(0, .1, 100)[-1].item() == numpy.float32(.1) and yoke.linspace(1e10, -3, 7)[-1].item() == -3
    assert yoke.linspace(2, 3, 1).tolist() == [2] and yoke.linspace(2, 3, 0).shape == (0,)
    same(yoke.zeros(numpy.int64(3)), numpy.zeros(3))
    for axis in (0, 1, -1):
        same(yoke.concatenate([yoke.asarray(I), yoke.asarray(A)], axis), numpy.concatenate([I, A], axis))
        same(yoke.stack([yoke.asarray(I), yoke.asarray(I)[::-1]], axis), numpy.stack([I, I[::-1]], axis))
    for wrong in (lambda: yoke.concatenate([yoke.ones((2, 2)), yoke.ones((3, 3))]),
                  lambda: yoke.stack([yoke.ones(2), yoke.ones(3)]), lambda: yoke.full(3, 300, "uint8"),
                  lambda: yoke.zeros(3, "uint8").fill(-1)):
        with pytest.raises((ValueError, OverflowError)):
            wrong()
    for wrong in (lambda: yoke.concatenate([1.0, 2.0]), lambda: yoke.concatenate([])):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        yoke.zeros(2.5)


def test_as_numpy_shows_them():
    array = yoke.asarray(A)
    assert str(array) == str(A) and f"{array[1, 2]:.2f}" == f"{A[1, 2]:.2f}" and str(array) in f"{array}"
    assert str(yoke.ones(2, "bfloat16")) == "[1. 1.]"
    assert yoke.full((2, 1), 1.5, "float16").tolist() == [[1.5], [1.5]] and yoke.full(1, 1.5, "bfloat16").item() == 1.5
    with pytest.raises(TypeError, match="astype"):
        yoke.ones(2, "bfloat16").to_numpy()
    with pytest.raises(TypeError, match="format"):
        f"{array:.2f}"


@pytest.mark.parametrize("key", [[2, 0], [[0, 1], [3, 2]], [], numpy.array([3, -1]), A > 2])
def test_lists_and_numpy_arrays_as_indices(key):
    same(yoke.asarray(I)[key], I[key] if len(key) else I[:0])


def test_wrong_indices():
    array = yoke.asarray(I)
    for key in ([0.5], ([0, 99], 0), (numpy.array([0, 99]), slice(None)), ([0], 0.5)):
        with pytest.raises(IndexError):
            array[key]


@pytest.mark.parametrize("text", ["a //= 2", "a %= 3", "a **= 2", "a &= 6", "a |= 1", "a ^= 3", "a <<= 1", "a >>= 1", "a += 1",
                                  "a *= 2"])
def test_in_place_is_in_place(text):
    whole, expected = yoke.asarray(I), I.copy()
    exec(text, {"a": whole[1:3]})
    exec(text, {"a": expected[1:3]})
    same(whole, expected)


def test_reductions_of_numpy():
    """numpy.sum(array) and the like are the array's methods."""
    array = yoke.asarray(A)
    for name in ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std"):
        got = getattr(numpy, name)(array, axis=1)
        assert isinstance(got, yoke.Array), name
        assert numpy.allclose(got.to_numpy(), getattr(numpy, name)(A, axis=1)), name
    assert numpy.allclose(array.var(0, ddof=1).to_numpy(), A.var(0, ddof=1))
    assert numpy.allclose(array.std(ddof=1).item(), A.std(ddof=1))
    assert numpy.isnan(yoke.ones(1).var(ddof=1).item())
    assert array.sum(dtype="float64").dtype == "float64"
    same(yoke.asarray(numpy.array([[2**62] * 4, [-2**63] * 4])).mean(1, dtype="float64"), [2.0**62, -2.0**63])
    out = yoke.zeros(6, stream=yoke.Stream(array.device))
    assert array.sum(0, out=out) is out
    same(out, A.sum(0))
    same(array.var(axis=()), numpy.zeros_like(A))
    same(yoke.zeros((0, 3)).min(1), numpy.zeros((0, 3)).min(1))
    for wrong in (lambda: array.sum(out=yoke.zeros(3)), lambda: yoke.zeros((0, 3)).min(0)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        array.sum(0, dtype="float64", out=out)


def test_shapes():
    array = yoke.asarray(A)
    same(array.ravel(), A.ravel())
    same(array[None, :, None].squeeze(), A)
    same(array[None, :, None].squeeze(0), A[:, None])
    same(array.clip(-2, 3), A.clip(-2, 3))
    with pytest.raises(ValueError, match="squeezed"):
        array.squeeze(1)


@pytest.mark.parametrize("key", [0, -1, (1, 2), slice(1, 3), (slice(None), 1), (slice(None, None, -1), slice(4, 0, -2)), ...,
                                 (..., 0), (None, 1), (slice(3, 1), 0), (2, ..., None), slice(-9, None, -1), slice(-9, -7, -1)])
def test_slices(key):
    same(yoke.asarray(I)[key], I[key])


def test_views_and_assignment():
    array, expected = yoke.asarray(I), I.copy()
    array[1:3, ::2] = 5
    expected[1:3, ::2] = 5
    array[:, 1] = yoke.arange(4)
    expected[:, 1] = numpy.arange(4)
    array[0] = [9, 8, 7, 6, 5, 4]
    expected[0] = [9, 8, 7, 6, 5, 4]
    array[array > 8] = -1
    expected[expected > 8] = -1
    array[numpy.array([True, False, False, True])] = yoke.arange(6, dtype="int64")
    expected[[0, 3]] = numpy.arange(6)
    same(array, expected)
    for big, value in ((numpy.array([2.0, 1.0]), 0.1), (numpy.array([2**53 + 1, 5]), 1.5)):
        target = yoke.asarray(big)
        target[[False, True]] = value
        big[1] = value
        same(target, big)
    target[[False, True]] = yoke.ones(1) * 2.5
    same(target, [2**53 + 1, 2])
    with pytest.raises(OverflowError):
        target[[False, True]] = 2**63
    with pytest.raises(IndexError, match="mask of shape"):
        array[numpy.ones(6, bool)] = 1
    same(array.T, expected.T)
    same(array.T.reshape(3, -1), expected.T.reshape(3, -1))
    same(array.T.copy(), expected.T)
    same(array.astype("float32"), expected)
    same(array[array % 2 == 0], expected[expected % 2 == 0])
    same(yoke.take(array, yoke.asarray([3, -1, 0]), 1), expected[:, [3, -1, 0]])


BINARY = [operator.add, operator.sub, operator.mul, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("function", BINARY)
def test_operators(function):
    for left, right in ((A, A[::-1].copy()), (I, I[::-1].copy()), (A, A[:, :1]), (I, I[2])):
        same(function(yoke.asarray(left), yoke.asarray(right)), function(left, right))
    for number in (3, -2):
        same(function(yoke.asarray(I), number), function(I, number))
        same(function(number, yoke.asarray(A)), function(numpy.float32(number), A))


def test_signs():
    """Integers with and without a sign: C would make both unsigned."""
    a, b = numpy.array([-7, -1, 0, 5, 2**31 - 1, -2**31], "i4"), numpy.array([2, 1, 3, 2**32 - 1, 7, 2**31], "u4")
    x, y = yoke.asarray(a), yoke.asarray(b)
    same(x < y, a < b)
    same(y == x, b == a)
    same(yoke.asarray(a.astype("i8")) < yoke.asarray(b.astype("u8") << numpy.uint8(32)), [True] * 6)
    same(yoke.asarray(a.astype("i8")) < numpy.uint64(2**63 + 5), [True] * 6)
    same(numpy.uint64(2**63 + 5) < yoke.asarray(a.astype("i8")), [False] * 6)
    same(x // y, a // b)
    same(yoke.minimum(y, x), numpy.minimum(a, b))
    same(yoke.where(x > 0, x, y), numpy.where(a > 0, a, b))
    x //= y
    same(x, a // b)


def test_floor_of_a_quotient():
    a = numpy.array([1, -1, 5.5, -5.5, 0, numpy.inf, 7, -7, 1, -1, 1, numpy.nan], "f4")
    b = numpy.array([.1, .1, numpy.inf, numpy.inf, 3, 2, -.5, .3, 0, 0, -numpy.inf, 1], "f4")
    for kind in ("f4", "f8"):
        a, b = a.astype(kind), b.astype(kind)
        for function in (operator.floordiv, operator.mod):
            with numpy.errstate(all="ignore"):
                expected = function(a, b)
            got = function(yoke.asarray(a), yoke.asarray(b)).to_numpy()
            assert numpy.array_equal(got, expected, equal_nan=True), (got, expected)
    assert numpy.signbit((yoke.asarray(A) % -1).to_numpy()).all()


def test_more_operators():
    array = yoke.asarray(I)
    for divisor in (3, -4):
        same(array // divisor, I // divisor)
        same(array % divisor, I % divisor)
        same(yoke.asarray(A) // divisor, A // divisor)
        same(yoke.asarray(A) % divisor, A % divisor)
    same(array / 4, (I / 4).astype("f4"))
    same(yoke.asarray(A) / 4, A / 4)
    same(array & 6, I & 6)
    same(array | 6, I | 6)
    same(array ^ 6, I ^ 6)
    same(array << 2, I << 2)
    same(~array, ~I)
    same(~(array > 0), ~(I > 0))
    same(-array, -I)
    same(abs(array), abs(I))
    same(array ** 2, I ** 2)
    same(yoke.minimum(array, 2), numpy.minimum(I, 2))
    same(yoke.where(array > 0, array, 0), numpy.where(I > 0, I, 0))
    array += 2
    array *= 3
    same(array, (I + 2) * 3)
    assert numpy.allclose(yoke.sqrt(abs(yoke.asarray(A))).to_numpy(), numpy.sqrt(abs(A)))
    assert (array + 1.5).dtype == (array * 0.5).dtype == numpy.float64 and (array + numpy.int64(1)).dtype == numpy.int64
    with pytest.raises(TypeError):
        array + "x"
    with pytest.raises(ValueError, match="broadcast"):
        array + yoke.zeros(5)
    with pytest.raises(TypeError):
        yoke.asarray(A) & 1
    with pytest.raises(ValueError):
        bool(array)
    with pytest.raises(IndexError):
        array[4]
    with pytest.raises(IndexError):
        array[0, 0, 0]
    with pytest.raises(TypeError):
        yoke.zeros(3, "float99")
    with pytest.raises(TypeError):
        yoke.Array()


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
def test_reductions(axis):
    for values in (A, I, A[:, ::2]):
        array = yoke.asarray(values)
        same(array.sum(axis), values.sum(axis))
        same(array.max(axis), values.max(axis))
        same(array.min(axis, keepdims=True), values.min(axis, keepdims=True))
        same((array > 3).any(axis), (values > 3).any(axis))
        same((array > -50).all(axis), (values > -50).all(axis))
        assert numpy.allclose(array.mean(axis).to_numpy(), values.mean(axis))
        assert numpy.allclose(array.std(axis).to_numpy(), values.std(axis))
        if not isinstance(axis, tuple):
            same(array.argmax(axis), values.argmax(axis))


def test_order():
    values = numpy.random.default_rng(1).permutation(1000).astype("f4")
    array = yoke.asarray(values)
    same(yoke.sort(array), numpy.sort(values))
    same(array.argsort(), numpy.argsort(values))
    same(array.cumsum(), numpy.cumsum(values))
    array.sort(descending=True)
    same(array, numpy.sort(values)[::-1])
    assert yoke.dot(array, array).item() == pytest.approx(float((values.astype("f8") ** 2).sum()), rel=1e-6)


def test_expressions(device):
    x, y = yoke.asarray(A), yoke.zeros(A.shape)
    yoke.map("y = a * x + y", a=2.0, x=x, y=y)
    same(y, 2 * A)
    same(yoke.evaluate("d = x - y; d * d", x=x, y=y), A * A)
    with pytest.raises(yoke.InvalidArgumentError, match=r"\^"):
        yoke.map("y = x +* y", x=x, y=y)
    with pytest.raises(TypeError):
        yoke.map("y = x", x="text", y=y)


def test_several_streams(device):
    other = device.stream()
    other.call(sum, [1])
    x = yoke.asarray(A, stream=other)
    y = yoke.asarray(A)
    same(y + x, A + A)
    x.fill(0)
    same(x, A * 0)


def test_exchange(device):
    array = yoke.asarray(I)
    assert pickle.loads(pickle.dumps(array)).tolist() == I.tolist()
    halves = pickle.loads(pickle.dumps(yoke.full(2, 1.5, "bfloat16")))
    assert halves.dtype == "bfloat16" and halves.tolist() == [1.5, 1.5]
    assert (numpy.asarray(array) == I).all() and array.tolist() == I.tolist()
    assert "(4, 6)" in repr(array) and "int32" in repr(array)
    kind, _ = array.__dlpack_device__()
    assert kind == (2 if device.backend == "cuda" else 4)
    again = yoke.from_dlpack(array[1:, ::2])
    same(again, I[1:, ::2])
    array[1, 0] = 77
    assert again[0, 0].item() == 77  # the same memory
    array.__dlpack__()  # nobody takes it
    if device.backend == "cuda":
        class Other:
            __cuda_array_interface__ = array[1:].__cuda_array_interface__

        same(yoke.asarray(Other()), array[1:].to_numpy())
    else:
        with pytest.raises(AttributeError):
            array.__cuda_array_interface__


class Driver:
    """What another library of CUDA's would do, by the driver's own functions."""

    def __init__(self, device):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuCtxPushCurrent_v2", ctypes.c_void_p(device.native["context"]))
        stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 1)
        self.stream = stream.value

    def call(self, name, *arguments):
        assert getattr(self.library, name)(*arguments) == 0, name

    def fill(self, array, value):
        self.call("cuMemsetD32Async", ctypes.c_uint64(array.buffer.native), ctypes.c_uint(value), ctypes.c_size_t(array.size),
                  ctypes.c_void_p(self.stream))

    def pending(self):
        return self.library.cuStreamQuery(ctypes.c_void_p(self.stream)) != 0


@pytest.fixture
def driver(device):
    if device.backend != "cuda":
        pytest.skip("for CUDA")
    driver = Driver(device)
    yield driver
    driver.call("cuStreamDestroy_v2", ctypes.c_void_p(driver.stream))
    driver.call("cuCtxPopCurrent_v2", None)


def test_a_stream_of_cuda_leads(device, stream, driver):
    memory = yoke.zeros(1 << 20, "int32")
    stream.wait()

    class Other:
        __cuda_array_interface__ = {**memory.__cuda_array_interface__, "stream": driver.stream}

    for value in range(1, 20):
        driver.fill(memory, value)
        assert yoke.asarray(Other()).sum().item() == value << 20
    for wrong, error in ((0, ValueError), (-1, ValueError), ("1", TypeError)):
        Other.__cuda_array_interface__["stream"] = wrong
        with pytest.raises(error):
            yoke.asarray(Other())


def test_a_stream_of_cuda_follows(device, stream, driver):
    memory = yoke.zeros(1 << 20, "int32")
    for value in range(1, 20):
        memory.fill(value)
        memory.__dlpack__(stream=driver.stream)
        driver.fill(memory, 7)  # behind Yoke's work
        driver.call("cuStreamSynchronize", ctypes.c_void_p(driver.stream))
        assert memory.sum().item() == 7 << 20
    go = threading.Event()
    stream.call(go.wait)
    memory.fill(3)
    timer = threading.Timer(0.05, go.set)
    timer.start()
    memory.__dlpack__(stream=driver.stream)  # behind a host function: it waits
    driver.fill(memory, 9)
    assert go.is_set()
    driver.call("cuStreamSynchronize", ctypes.c_void_p(driver.stream))
    assert memory.sum().item() == 9 << 20


def test_stream_arguments(device, stream):
    array = yoke.ones(3)
    for number in (None, -1) + ((1,) if device.backend == "cuda" else ()):
        array.__dlpack__(stream=number)
    for wrong in (0, "x", -2, 2.5) if device.backend == "cuda" else (0, 1, "x", 2.5):
        with pytest.raises((ValueError, TypeError)):
            array.__dlpack__(stream=wrong)
    stream.call(divmod, 1, 0)
    with pytest.raises(ZeroDivisionError):
        stream.wait()
    with pytest.raises(ZeroDivisionError):
        array.__dlpack__()
    stream.recover()


def test_foreign_memory_is_kept_until_the_work_is_done(own_device):
    class Producer:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    stream, go = own_device.stream(), threading.Event()
    memory = yoke.ones(64, stream=own_device.stream())
    array = yoke.from_dlpack(Producer(memory), stream=stream)
    buffers = own_device.memory["buffers"]
    stream.call(go.wait)
    array.fill(2)
    del array
    memory = None
    gc.collect()
    assert own_device.memory["buffers"] == buffers  # the fill has still to run
    go.set()
    stream.wait()
    stream.wait()
    assert own_device.memory["buffers"] == buffers - 2


def test_kernels_take_arrays(stream, saxpy):
    x, y = yoke.arange(128, dtype="float32"), yoke.ones(128)
    saxpy[64](stream, y[64:], x[64:], 1.0, 64)  # 256 bytes: views have to be aligned
    same(y, numpy.concatenate([numpy.ones(64), 1 + numpy.arange(64, 128)]))
    with pytest.raises(yoke.KernelArgumentError, match="contiguous"):
        saxpy[50](stream, y[::2], x, 1.0, 50)


def test_default_stream_is_left(device, stream):
    assert yoke.default_stream() is stream
    other = device.stream()
    with other:
        assert yoke.zeros(1).stream is other
    assert yoke.default_stream() is stream


# ---- Numbers of Python's and NumPy's (NEP 50) ----

C = (A + 1j * A[::-1]).astype("c8")


def test_complex_numbers():
    for left, number in ((A, 1j), (A, 2 - 3j), (C, 1j), (C, 2.5), (C, 3), (A, numpy.complex64(1 + 2j)), (A.astype("f8"), 1j),
                         (A, numpy.complex128(1j)), (I.astype("i2"), 1j)):
        array = yoke.asarray(left)
        wide = numpy.complex128 if left.dtype == "f8" or numpy.asarray(number).dtype == "c16" and hasattr(number, "dtype") else \
            numpy.complex64
        for function in (operator.add, operator.sub, operator.mul):
            same(function(array, number), function(left, number).astype(wide))
            same(function(number, array), function(number, left).astype(wide))
        assert (array * number).dtype == wide
        assert numpy.allclose((array / number).to_numpy(), left / number)
        same(array == number, left == number)
    array = yoke.asarray(C)
    same(array ** 2, C * C)
    array[1:3, 0] = 5 - 1j
    array *= 1j
    array[:, 1] = 2
    expected = C.copy()
    expected[1:3, 0] = 5 - 1j
    expected *= 1j
    expected[:, 1] = 2
    same(array, expected)
    same(yoke.full(3, 1 + 2j, "complex128"), numpy.full(3, 1 + 2j))
    same(yoke.where(yoke.asarray(A) > 0, 1j, yoke.asarray(A)), numpy.where(A > 0, numpy.complex64(1j), A))
    same(yoke.asarray([1j, 2]), numpy.array([1j, 2], "c8"))
    same(yoke.evaluate("a * x + 1", a=2j, x=yoke.asarray(A)), 2j * A + numpy.complex64(1))
    assert complex(yoke.asarray(3 + 4j)) == 3 + 4j and abs(yoke.asarray(3 + 4j)).item() == 5
    y = yoke.zeros(C.shape, "complex64")
    yoke.map("y = a * x + y", a=numpy.complex64(1 - 1j), x=yoke.asarray(C), y=y)
    same(y, numpy.complex64(1 - 1j) * C)


def test_complex_numbers_refused():
    real, complex_ = yoke.asarray(A), yoke.asarray(C)
    for call in (lambda: complex_ < 1j, lambda: complex_ // 2, lambda: complex_ % 2, lambda: complex_ & 1,
                 lambda: yoke.minimum(complex_, 1), lambda: real.fill(1j), lambda: real.__iadd__(1j),
                 lambda: real.__imul__(complex_), lambda: yoke.full(3, 1j, "float32")):
        with pytest.raises(TypeError):
            call()
    for call in (lambda: yoke.matmul(real, real.T, epilogue="value + c", c=1j), lambda: yoke.matmul(real, real.T, alpha=1j),
                 lambda: yoke.map("x = c", x=real.copy(), c=1j)):
        with pytest.raises(yoke.InvalidArgumentError, match="complex"):
            call()
    with pytest.raises(ValueError, match="32"):
        yoke.map("y = " + "+".join(f"a{i}" for i in range(32)), y=complex_, **{f"a{i}": 1j for i in range(32)})


@pytest.mark.parametrize("name", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_ints_of_python(name):
    values = numpy.array([0, 1, 100], name)
    array = yoke.asarray(values)
    low, high = numpy.iinfo(name).min, numpy.iinfo(name).max
    assert (array + 27).dtype == name and (27 - array).dtype == name
    for number in (low, high):
        same(array == number, values == number)
        same(array & number, values & number)
    for number in (low - 1, high + 1):
        for function in (operator.add, operator.sub, operator.mul, operator.and_, operator.floordiv):
            with pytest.raises(OverflowError):
                function(array, number)
        with pytest.raises(OverflowError):
            array += number
        with pytest.raises(OverflowError):
            yoke.where(array > 0, array, number)
        for function in BINARY[3:]:
            same(function(array, number), function(values, number))
            same(function(number, array), function(number, values))
        assert numpy.allclose((array / number).to_numpy(), values / float(number))


def test_numpy_on_the_left():
    array = yoke.asarray(A)
    same(numpy.float32(2) * array, 2 * A)
    same(A[:1] + array, A[:1] + A)
    same(numpy.float32(0) < array, A > 0)
    same(A.T @ array, A.T @ A)
    assert (numpy.float64(2) - array).dtype == numpy.float64
    same(numpy.add.reduce(array), numpy.add.reduce(A))
    same(numpy.add(array, 1, dtype="f8"), numpy.add(A, 1, dtype="f8"))
    with pytest.raises(TypeError, match="to_numpy"):
        numpy.add(A, A, out=array)


def test_kinds():
    floats, ints, flags = yoke.asarray(A), yoke.asarray(I), yoke.asarray(I > 0)
    assert (floats + numpy.float64(1)).dtype == numpy.float64 and (floats.astype("float16") + 1.5).dtype == numpy.float16
    assert (flags + 1).dtype == numpy.int64 and (flags + 1.5).dtype == numpy.float32
    assert (ints + numpy.uint8(1)).dtype == numpy.int32 and (ints + numpy.float64(1)).dtype == numpy.float64
    assert yoke.where(flags, 1, 0).dtype == numpy.int64 and yoke.where(flags, True, False).dtype == bool
    assert yoke.where(flags, 1.5, 0).dtype == numpy.float32
    for call in (lambda: ints.__iadd__(1.5), lambda: ints.__itruediv__(2), lambda: ints.__imul__(floats),
                 lambda: flags.__iadd__(1)):
        with pytest.raises(TypeError, match="astype"):
            call()
    ints += yoke.asarray(I.astype("i8"))
    same(ints, 2 * I)


WITHOUT_NUMPY = """
import sys
class Absent:
    def find_spec(self, name, *more):
        if name == "numpy":
            raise ImportError(name)
sys.meta_path.insert(0, Absent())
import yoke
for dtype in ("float32", "int8", "bool", "bfloat16", "complex64"):
    assert yoke.zeros(0, dtype).tolist() == [] and yoke.zeros((2, 0, 3), dtype).tolist() == [[], []]
    assert str(yoke.zeros((2, 0), dtype)) == "[[], []]"
assert yoke.asarray(b"abc").tolist() == [97, 98, 99] and yoke.asarray(b"abc").dtype == "uint8"
assert yoke.zeros(1, "f4").dtype == "float32" and yoke.zeros(1, "u2").dtype == "uint16"
"""


def test_without_numpy():
    done = subprocess.run([sys.executable, "-c", WITHOUT_NUMPY], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_bytes():
    for data in (b"abc", bytearray(b"abc"), memoryview(b"abc")):
        same(yoke.asarray(data), numpy.array([97, 98, 99], "u1"))
    same(yoke.asarray(b"abc", "float32"), numpy.array([97, 98, 99], "f4"))
    assert yoke.zeros((2, 0, 3)).tolist() == [[], []]
