# SPDX-License-Identifier: Apache-2.0
"""Programs in CuPy's names: kernels from texts, streams, events, the device, random numbers, and what is refused."""

import ast
import inspect

import numpy
import pytest

import yoke
import yoke.cupy_like as cp
from yoke.cupy_like import cupy

X = numpy.arange(12, dtype="float32").reshape(3, 4)
has_double = yoke.default_stream().device.supports("fp64")
double = pytest.mark.skipif(not has_double, reason="the device has no float64")

squared = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared")
norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")


def host(x):
    return cp.asnumpy(x)


# ---- ElementwiseKernel ----

def test_elementwise():
    x = cp.asarray(X)
    numpy.testing.assert_array_equal(host(squared(x, x[::-1])), (X - X[::-1]) ** 2)
    numpy.testing.assert_array_equal(host(squared(x, 2)), (X - 2) ** 2)
    numpy.testing.assert_array_equal(host(squared(x.T, x[:, 0])), (X.T - X[:, 0]) ** 2)
    numpy.testing.assert_array_equal(host(squared(x[:, None, 0], x[0])), (X[:, None, 0] - X[0]) ** 2)
    numpy.testing.assert_array_equal(host(squared(x[:0], 1)), X[:0])
    assert squared(x, x).dtype == "float32" and squared(x[0, 0], 1.0).shape == ()


def test_elementwise_into_outputs():
    x, out = cp.asarray(X), cp.zeros((4, 3), "float32")
    given = out.T
    assert squared(x, 1, given) is given
    numpy.testing.assert_array_equal(host(out), ((X - 1) ** 2).T)
    with pytest.raises(ValueError, match=r"output z has the shape \(1, 4\), and the result \(3, 4\)"):
        squared(x, 1, cp.zeros((1, 4), "float32"))


def test_elementwise_of_statements():
    """Local variables, functions, several outputs, an index, raw arrays."""
    both = cp.ElementwiseKernel(
        "T x, raw T table, int32 shift, bool negative", "T y, int64 at",
        """
        T value = table[(i + shift) % 3] + T(0.5);
        if (negative) { value = -value; }
        y = larger(value, x) + abs(x - 20) + pow(x, 2);
        at = _ind.size() - i;
        """, "both", preamble="__device__ inline T larger(T a, T b) { return a > b ? a : b; }")
    table = numpy.array([10, 20, 30], "float32")
    y, at = both(cp.asarray(X), cp.asarray(table), 1, False)
    i = numpy.arange(12).reshape(3, 4)
    numpy.testing.assert_array_equal(host(y), numpy.maximum(table[(i + 1) % 3] + 0.5, X) + abs(X - 20) + X**2)
    numpy.testing.assert_array_equal(host(at), 12 - i, strict=True)


def mixed_values(dtype, other):
    """A kernel of two types, and NumPy's values."""
    kernel = cp.ElementwiseKernel(
        "X x, M m", "X larger, X smaller, float32 z, M whole",
        "larger = max(x, m); smaller = min(x, 1.5f); whole = max(m, 2); z = sqrt(m) + 10 * pow(x, m) + 100 * fmod(m, 2)", "mixed")
    x, n = numpy.array([2.5, 0.5, numpy.nan], dtype), numpy.array([3, 1, 4], other)
    found = [host(each) for each in kernel(cp.asarray(x), cp.asarray(n))]
    z = numpy.sqrt(n) + 10 * x.astype("float64") ** n + 100 * numpy.fmod(n, 2)
    return found, [numpy.fmax(x, n), numpy.fmin(x, 1.5), z, numpy.maximum(n, 2)]


@pytest.mark.parametrize("dtype, other", [
    ("float32", "int32"), ("float32", "uint8"), pytest.param("float32", "float64", marks=double),
    pytest.param("float64", "int64", marks=double)])
def test_elementwise_of_mixed_types(dtype, other):
    """Functions take numbers of any types, as in C++, and max and min leave NaN out."""
    for got, expected in zip(*mixed_values(dtype, other)):
        numpy.testing.assert_allclose(got, expected, rtol=1e-5)


@pytest.mark.parametrize("preamble", [
    "__device__ float hypot(float a, float b) { return a - b; }", "#define hypot(a, b) ((a) - (b))",
    "__device__ float hypot(float a, float b);\n__device__ float hypot(float a, float b)\n{ return a - b; }"])
def test_functions_of_the_preamble(preamble):
    """They are those of the text, whatever C has by their names."""
    kernel = cp.ElementwiseKernel("T x", "T y", "y = hypot(x, 4) + max(x, 1)", "own", preamble=preamble)
    numpy.testing.assert_array_equal(host(kernel(cp.asarray(X))), X - 4 + numpy.maximum(X, 1))


def test_what_a_preamble_includes_keeps_its_names():
    body = 'y = max(x, 1); s.max(x); std::max(x, y); f("max(")'
    text = cp.ElementwiseKernel("T x", "T y", body, "own", preamble="int max (int);").text({"T": "float32"}, [True])
    assert "define max" not in text and body.replace("= max", "= yk_max") in text and "int yk_max (int);" in text


def test_elementwise_of_raw_arrays():
    reverse = cp.ElementwiseKernel("raw T x, int32 n_", "raw T y", "y[n_ - 1 - i] = x[i]", "reverse", no_return=True)
    x, y = cp.asarray(X[0]), cp.zeros(4, "float32")
    assert reverse(x, 4, y, size=4) is None
    numpy.testing.assert_array_equal(host(y), X[0][::-1])
    with pytest.raises(ValueError, match="size=… has to say"):
        reverse(x, 4, y)


@pytest.mark.parametrize("call, kind, text", [
    (lambda x: squared(x), TypeError, "squared takes 2 arguments, or 3 with the outputs, not 1"),
    (lambda x: squared(x, x.astype("int32")), TypeError, r"y is int32, and its type T is float32: say y.astype\('float32'\)"),
    (lambda x: squared(X, x), TypeError, "x is a ndarray: arrays of the device are taken"),
    (lambda x: squared(x, x[:2]), (ValueError, yoke.InvalidArgumentError), "(3, 4)"),
    (lambda x: squared(x.astype("float16"), 1), TypeError, "x is float16"),
    (lambda x: cp.ElementwiseKernel("T x", "U y", "y = x", "f")(x), TypeError, "the type U of the output y"),
    (lambda x: cp.ElementwiseKernel("int32 k, T x", "T y", "y = x", "f")(1.5, x), TypeError, "k is int32, which 1.5 does not fit"),
    (lambda x: cp.ElementwiseKernel("T x y", "T z", "z = x"), ValueError, "a parameter is a type and a name"),
    (lambda x: cp.ElementwiseKernel("T i", "T z", "z = i"), ValueError, "take another name"),
    (lambda x: cp.ElementwiseKernel("T x", "T x", "x = x"), ValueError, "different names"),
    (lambda x: cp.ElementwiseKernel("T x", "T y", "y = x", "a b"), ValueError, "the name of a kernel"),
    (lambda x: cp.ElementwiseKernel("T x", "T y", "y = x", options=("-G",)), TypeError, "options=.* is not there"),
    (lambda x: cp.ElementwiseKernel("T x", "T y", "y = unknown", "f")(x), yoke.BuildError, "unknown"),
])
def test_wrong_elementwise(call, kind, text):
    with pytest.raises(kind, match=text):
        call(cp.asarray(X))


def test_slices():
    both = cp.ElementwiseKernel("T x, T y", "T z", "z = x - y", "both")
    x, out = cp.asarray(numpy.float32([1, 3, 6, 10])), cp.zeros(4, "float32")
    assert host(both(x[1:], x[:-1])).tolist() == [2, 3, 4]
    both(x[:2], x[2:], out[1:3])
    assert host(out).tolist() == [0, -5, -7, 0]


# ---- ReductionKernel ----

def test_reduction():
    x = cp.asarray(X)
    numpy.testing.assert_allclose(host(norm(x)), numpy.linalg.norm(X), rtol=1e-6)
    numpy.testing.assert_allclose(host(norm(x, axis=1)), numpy.linalg.norm(X, axis=1), rtol=1e-6)
    out = cp.zeros((1, 4), "float32")
    assert norm(x, axis=0, keepdims=True, out=out) is out
    numpy.testing.assert_allclose(host(out), numpy.linalg.norm(X, axis=0, keepdims=True), rtol=1e-6)


def test_reduction_by_a_combination():
    largest = cp.ReductionKernel("T x, bool mask", "T y", "mask ? x : -1", "max(a, b)", "y = a", "-1", "largest")
    x, mask = cp.asarray(X), X % 5 != 1
    numpy.testing.assert_array_equal(host(largest(x, cp.asarray(mask), axis=1)), numpy.where(mask, X, -1).max(1))


@pytest.mark.parametrize("call, kind, text", [
    (lambda x: cp.ReductionKernel("T x", "T y, T z", "x", "a + b", "y = a", "0"), ValueError, "one output"),
    (lambda x: cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "zero"), ValueError, "the identity is a number"),
    (lambda x: cp.ReductionKernel("T x", "U y", "x", "a + b", "y = a", "0")(x), TypeError, "pass out"),
    (lambda x: norm(x, out=cp.zeros(2, "float32")), ValueError, r"out has the shape \(2,\), and the result \(\)"),
])
def test_wrong_reduction(call, kind, text):
    with pytest.raises(kind, match=text):
        call(cp.asarray(X))


# ---- Transforms ----

@double
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16"])
def test_dtypes_of_transforms(dtype):
    """Those of NumPy, which are CuPy's, but that CuPy has no transform to float16."""
    x = numpy.arange(6).reshape(2, 3).astype(dtype)
    for name, args in (("fft", ()), ("rfft", ()), ("irfft", ()), ("hfft", ()), ("irfftn", (None, (1,))), ("fftn", (None, ())),
                       ("fftshift", ())):
        got, expected = getattr(cp.fft, name)(cp.asarray(x), *args), getattr(numpy.fft, name)(x, *args)
        is_real = name in ("irfft", "hfft", "irfftn")
        assert got.dtype == ("float32" if is_real and dtype == "float16" else expected.dtype), (name, args)
        numpy.testing.assert_allclose(host(got), expected, rtol=1e-3 if dtype == "float16" else 1e-5, atol=1e-5)
    assert cp.fft.fft([1, 2]).dtype == "complex128" and cp.fft.fftfreq(3).dtype == cp.fft.rfftfreq(3).dtype == "float64"


# ---- RawKernel ----

ONE = """#include <yoke/kernel.h>
YOKE_KERNEL void add(YOKE_GLOBAL const float *x, YOKE_GLOBAL float *y, float a, int n)
{
    const int i = (int)yoke_global_x();
    if (i < n)
        y[i] = x[i] + a;
}
"""


def test_raw():
    x, y = cp.asarray(X[0]), cp.zeros(4, "float32")
    cp.RawKernel(ONE, "add")((1,), (4,), (x, y, 2.0, 4))
    numpy.testing.assert_array_equal(host(y), X[0] + 2)
    cp.RawModule(code=ONE).get_function("add")((2,), (2,), (x, y, numpy.float32(3), numpy.int32(4)))
    numpy.testing.assert_array_equal(host(y), X[0] + 3)
    with pytest.raises(TypeError, match="NumPy's array: cupy.asarray copies"):
        cp.RawKernel(ONE, "add")((1,), (4,), (X[0], y, 2.0, 4))


def test_raw_of_cuda():
    kernel = cp.RawKernel(r'extern "C" __global__ void one(float *x) { x[threadIdx.x] = 1; }', "one")
    x = cp.zeros(4, "float32")
    if x.device.backend != "cuda":
        with pytest.raises(yoke.UnsupportedError, match="CUDA C.., and the device is OpenCL's: #include <yoke/kernel.h>"):
            kernel((1,), (4,), (x,))
        return
    kernel((1,), (4,), (x,))
    assert host(x).tolist() == [1] * 4


# ---- Arrays ----

@double
def test_float64_where_nothing_is_said():
    for made in (cp.zeros(2), cp.ones((2, 2)), cp.empty(1), cp.eye(2), cp.identity(2), cp.array([1.5, 2]), cp.asarray(0.1),
                 cp.linspace(0, 1, 3), cp.full(2, 0.5), cp.arange(0, 1, 0.25), cp.random.rand(2), cp.random.randn(2, 2),
                 cp.random.uniform(0, 1, 3), cp.random.RandomState(1).normal(size=2), cp.random.default_rng(1).random(2)):
        assert made.dtype == "float64", made
    assert host(cp.array(0.1)) == 0.1 and host(cp.linspace(0, 1, 3)).tolist() == [0, 0.5, 1]
    assert yoke.get_default_dtype() == "float32"  # which is nobody else's business


def test_dtypes_that_are_said():
    assert cp.zeros(2, cp.float32).dtype == cp.ones(2, dtype="f4").dtype == "float32"
    assert cp.array([1, 2]).dtype == cp.arange(3).dtype == cp.full(2, 7).dtype == "int64"
    assert cp.array(X).dtype == cp.asarray(cp.asarray(X)).dtype == cp.random.rand(2, dtype="float32").dtype == "float32"
    assert cp.linspace(0, 1, 3, dtype=cp.float32).dtype == "float32"


def test_module_of_arrays():
    x = cp.asarray(X)
    assert cp.get_array_module(x) is cp is cupy and cp.get_array_module(X) is numpy
    assert cp.ndarray is yoke.Array and cp.fuse(len) is len and cp.fuse(kernel_name="f")(len) is len
    cp.testing.assert_array_equal(x + 1, X + 1)
    with pytest.raises(AssertionError):
        cp.testing.assert_allclose(x, X + 1)


# ---- cuda ----

def test_streams_and_events():
    start, stop = cp.cuda.Event(), cp.cuda.stream.Event()
    x = cp.asarray(X)
    with cp.cuda.Stream() as stream:
        start.record()
        y = cp.asarray(X) + 1
        stop.record()
        assert y.stream is stream.stream and cp.cuda.get_current_stream() == stream
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null
    assert cp.cuda.get_elapsed_time(start, stop) >= 0 and stop.done
    other = cp.cuda.Stream(non_blocking=True)
    other.wait_event(stream.record())
    seen = []
    other.launch_host_func(seen.append, 1)
    other.add_callback(lambda *args: seen.append(args), 2)
    other.synchronize()
    assert seen == [1, (other, 0, 2)]
    first, last = cp.cuda.Stream.null.record(), cp.cuda.Stream.null.record()
    assert cp.cuda.get_elapsed_time(first, last) >= 0
    numpy.testing.assert_array_equal(host(x + y), 2 * X + 1)


def test_used_stream():
    current = yoke.default_stream()
    stream = cp.cuda.Stream().use()
    try:
        assert cp.arange(3).stream is stream.stream
    finally:
        stream.__exit__()
    assert yoke.default_stream() is current


def test_device_and_memory():
    number = cp.cuda.Device().id
    with cp.cuda.Device(number) as device:
        device.synchronize()
    assert cp.cuda.runtime.getDevice() == number < cp.cuda.runtime.getDeviceCount()
    free, total = cp.cuda.Device().mem_info
    assert 0 < free <= total and cp.is_available() and device == number
    pool, x = cp.get_default_memory_pool(), cp.zeros(1 << 16, "uint8")
    used = pool.used_bytes()
    assert used >= x.nbytes and pool.total_bytes() >= used
    del x
    cp.cuda.Device().synchronize()
    pool.free_all_blocks()
    assert pool.used_bytes() < used
    assert len(cp.cuda.alloc_pinned_memory(16)) == 16
    cp.cuda.set_allocator(cp.cuda.MemoryPool().malloc)


@pytest.mark.parametrize("call, kind, text", [
    (lambda: cp.cuda.Device(99), ValueError, "the device is .*, and not 99: YOKE_DEVICE chooses"),
    (lambda: cp.cuda.Device().compute_capability, AttributeError, "no compute_capability"),
    (lambda: cp.cuda.Event().synchronize(), RuntimeError, "has not been recorded"),
    (lambda: cp.cuda.get_elapsed_time(cp.cuda.Event(disable_timing=True), cp.cuda.Event()), RuntimeError, "has no time"),
    (lambda: cp.cuda.Stream(ptds=True), TypeError, "ptds=True is not there"),
    (lambda: cp.cuda.set_allocator(len), TypeError, "an allocator of one's own"),
    (lambda: cp.cuda.runtime.malloc, AttributeError, "cuda.runtime has no malloc"),
    (lambda: cp.cuda.Graph, AttributeError, "no Graph: stream.record"),
    (lambda: cp.fuse(1), TypeError, "fuse takes a function"),
    (lambda: cp.jit, AttributeError, "yoke.cupy_like has no jit: kernels in Python"),
    (lambda: cp.unheard_of, AttributeError, "yoke.cupy_like has no unheard_of"),
    (lambda: cp.poly1d, AttributeError, "yoke.cupy_like has no poly1d: polyval"),
])
def test_refused(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_the_stub_has_the_names():
    stub = open(inspect.getfile(cp).replace(".py", ".pyi"), encoding="utf-8").read()
    names = {getattr(each, "name", None) or getattr(getattr(each, "target", None), "id", "") for each in ast.parse(stub).body}
    own = {name for name, value in vars(cp).items() if inspect.getmodule(value) is cp and not name.startswith("_") and
           not hasattr(yoke.numpy, name)}
    assert own - names == set()
