# SPDX-License-Identifier: Apache-2.0
"""The package as a namespace of the array API standard: its names, dtypes and devices, and what its functions give, with NumPy,
which is one, too, as the oracle."""

import itertools
import math
import pickle

import numpy
import pytest

import yoke

N = numpy.array([[3, 1, 2], [9, 7, 8]], numpy.int32)
F = numpy.array([[0.5, -1.25, 2.0], [-0.0, 8.0, -3.5]], numpy.float32)
C = numpy.array([1 + 2j, -1 - 0.5j, 3j, 0.25], numpy.complex64)

# All functions of the standard 2024.12.
NAMES = """
    arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like
    astype broadcast_arrays broadcast_to can_cast finfo iinfo isdtype result_type abs acos acosh add asin asinh atan atan2
    atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos
    cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log
    log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter
    not_equal positive pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc take
    matmul matrix_transpose tensordot vecdot concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack
    tile unstack argmax argmin searchsorted where unique_all unique_counts unique_inverse unique_values argsort sort
    cumulative_prod cumulative_sum max mean min prod std sum var all any diff e inf nan newaxis pi bool int8 int16 int32 int64
    uint8 uint16 uint32 uint64 float32 float64 complex64 complex128 __array_api_version__ __array_namespace_info__
""".split()


def same(got, expected, close=False):
    """The shape, and the values, or nearly; dtypes where the default float does not change them."""
    got, expected = numpy.asarray(got.to_numpy()), numpy.asarray(expected)
    assert got.shape == expected.shape
    assert got.dtype.kind == expected.dtype.kind, (got.dtype, expected.dtype)
    (numpy.testing.assert_allclose if close else numpy.testing.assert_array_equal)(got, expected, *[2e-6] * close)


# ---- The namespace ----

def test_names():
    assert [name for name in NAMES if not hasattr(yoke, name)] == []
    assert {*NAMES} - {name for name in NAMES if name.startswith("__")} <= {*dir(yoke)}


def test_star_leaves_the_names_of_python():
    names = {}
    exec("from yoke import *", names)
    assert not {"sum", "abs", "bool", "max", "pow"} & {*names}


def test_namespace():
    a = yoke.ones(3)
    assert a.__array_namespace__() is yoke is a.__array_namespace__(api_version="2022.12")
    with pytest.raises(ValueError, match="2024.12, not '1999.1'"):
        a.__array_namespace__(api_version="1999.1")
    info = yoke.__array_namespace_info__()
    assert info.default_device() is yoke.default_stream().device is info.devices()[0]
    assert info.capabilities()["max dimensions"] == 8
    assert info.default_dtypes()["real floating"] == yoke.float32
    assert [*info.dtypes(kind=("bool", "signed integer"))] == ["bool", "int8", "int16", "int32", "int64"]
    assert ("float64" in info.dtypes(device=a.device)) == a.device.supports("fp64")


def test_dtypes():
    for name in ("bool", "int8", "uint64", "float16", "float32", "complex64"):
        dtype = getattr(yoke, name)
        assert dtype == yoke.zeros(2, dtype).dtype == numpy.dtype(name) == pickle.loads(pickle.dumps(dtype))
    assert yoke.zeros(1, yoke.bfloat16).dtype == yoke.bfloat16
    assert yoke.isdtype(yoke.int8, "integral") and not yoke.isdtype(yoke.int8, ("bool", yoke.int16))
    with pytest.raises(ValueError, match="no such kind"):
        yoke.isdtype(yoke.int8, "integer")
    for name in ("int8", "uint16", "int64", "uint64"):
        assert yoke.iinfo(name)[:3] == (numpy.iinfo(name).bits, numpy.iinfo(name).max, numpy.iinfo(name).min)
    for name in ("float16", "float32", "float64", "complex64"):
        ours, theirs = yoke.finfo(name), numpy.finfo(name)
        assert ours == (theirs.bits, theirs.eps, theirs.max, theirs.min, theirs.smallest_normal, theirs.dtype)
    assert yoke.finfo(yoke.ones(2)).eps == 2.0**-23


def test_results_of_dtypes():
    for one, other in itertools.product(("int8", "uint8", "int32", "uint32", "int64"), repeat=2):
        assert yoke.result_type(one, other) == numpy.result_type(one, other)
        assert yoke.can_cast(one, other) == numpy.can_cast(one, other), (one, other)
    assert not yoke.can_cast("uint64", "int64") and not yoke.can_cast("float64", "float32")
    assert yoke.can_cast("float32", "complex64")
    assert yoke.result_type(yoke.ones(2, "int16"), 3, "int8") == yoke.int16
    assert yoke.result_type(yoke.ones(2), 1j) == yoke.complex64
    with pytest.raises(ValueError, match="there is no dtype"):
        yoke.result_type(1, 2.0)


def test_devices(device):
    a = yoke.asarray(F)
    assert yoke.stream_on(None) is yoke.stream_on(a.device) is yoke.default_stream()
    there = yoke.zeros(3, device=device)
    assert there.device is device and there.stream is yoke.stream_on(device)
    for make in (lambda: a.to_device(device), lambda: yoke.asarray(N, device=device), lambda: yoke.full(2, 3, device=device),
                 lambda: yoke.arange(3, device=device), lambda: yoke.eye(2, device=device),
                 lambda: yoke.ones_like(a, device=device), lambda: yoke.linspace(0, 1, 5, device=device),
                 lambda: yoke.astype(a, "int8", device=device), lambda: yoke.from_dlpack(a, device=device)):
        assert make().device is device
    same(a.to_device(device), F)
    assert a.to_device(a.device) is a
    if device is not a.device:
        with pytest.raises(ValueError, match="another device"):
            yoke.zeros(3, stream=a.stream, device=device)
    with pytest.raises(TypeError, match="a device is a Device"):
        yoke.zeros(3, device="cpu")


def test_copies():
    a = yoke.asarray(F)
    assert yoke.asarray(a, copy=False) is a is yoke.astype(a, "float32", copy=False)
    assert yoke.asarray(a, copy=True) is not a and yoke.astype(a, "float32") is not a
    for wrong in (lambda: yoke.asarray(a, "int8", copy=False), lambda: yoke.asarray(F, copy=False),
                  lambda: yoke.reshape(a.T, (6,), copy=False)):
        with pytest.raises(ValueError, match="copy is false"):
            wrong()
    yoke.reshape(a, (6,))[0] = 4
    yoke.reshape(a, (6,), copy=True)[0] = 5
    assert a[0, 0].item() == 4


# ---- Functions ----

@pytest.mark.parametrize("name, operands", [
    *[(name, (N, 3)) for name in "add subtract multiply divide floor_divide remainder pow maximum bitwise_and left_shift".split()],
    *[(name, (F, F[:, ::-1])) for name in "less equal greater_equal logical_or logical_xor hypot atan2 copysign logaddexp".split()],
    ("bitwise_invert", (N,)), ("nextafter", (F, numpy.float32(9))), ("sign", (F,)), ("sign", (C,)), ("sign", (-0.0 * C.conj(),)),
    ("sign", (N.astype("uint8"),)),
    ("signbit", (F,)), ("reciprocal", (F[:1],)), ("square", (N,)), ("abs", (C,)), ("positive", (N,)), ("round", (C * 3,)),
    ("isfinite", (C / numpy.float32(0.25),)), ("isnan", (N,)), ("logical_not", (F,)), ("pow", (C[:3], C[1:])),
    ("logaddexp", (numpy.float32([math.inf, -math.inf, math.nan, 1]), numpy.float32([-math.inf, -math.inf, 1, 1]))),
])
def test_elementwise(name, operands):
    with numpy.errstate(all="ignore"):
        expected = getattr(numpy, name)(*operands)
    operands = [yoke.asarray(each) if isinstance(each, numpy.ndarray) else each for each in operands]
    same(getattr(yoke, name)(*operands), expected, True)


def test_names_of_numpy():
    a = yoke.asarray(F[0] / 4)
    for name in "arcsin arccos arctan arcsinh arctanh absolute conjugate".split():
        same(getattr(yoke, name)(a), getattr(numpy, name)(F[0] / 4), True)


COMPLEX = "sqrt exp expm1 log log2 log10 log1p sinh cosh tanh asinh acosh atanh sin cos tan asin acos atan".split()
VALUES = [0.0, -0.0, 1.0, -2.5, 1e-3, 30.0, math.inf, -math.inf, math.nan]
OPEN = {"asin", "asinh", "atan", "atanh"}  # C leaves signs open where one part is infinite and the other one is NaN
FREE = {"exp", "expm1", "sinh", "cosh", "sin", "cos"}  # the standard leaves signs open, or NumPy has NaN where a part is known


@pytest.mark.parametrize("name", COMPLEX)
def test_complex(name):
    z = numpy.array([complex(x, y) for x, y in itertools.product(VALUES, VALUES)], numpy.complex64)
    with numpy.errstate(all="ignore"):
        expected = getattr(numpy, name)(z.astype("complex128"))
    got = getattr(yoke, name)(yoke.asarray(z)).to_numpy()
    free = (numpy.isinf(z.real) & numpy.isnan(z.imag)) | (numpy.isnan(z.real) & numpy.isinf(z.imag)) if name in OPEN else False
    for ours, theirs in ((got.real, expected.real), (got.imag, expected.imag)):
        ours, theirs = numpy.where(free, abs(ours), ours), numpy.where(free, abs(theirs), theirs)
        known = numpy.isfinite(z) & (abs(theirs) < 1e30) if name in FREE else ~(numpy.isfinite(theirs) & (abs(theirs) > 1e30))
        numpy.testing.assert_allclose(ours[known], theirs[known], 1e-5, 1e-6)
        zero = known & (theirs == 0) & ~numpy.isnan(got.real) & ~numpy.isnan(got.imag)
        zero &= (z != 0) | (name != "expm1")  # of -0.0 it is 0.0 by the standard, and -0.0 by NumPy
        numpy.testing.assert_array_equal(numpy.signbit(ours[zero]), numpy.signbit(theirs[zero]))


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "argmin", "argmax"])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_reductions(name, axis):
    same(getattr(yoke, name)(yoke.asarray(F), axis=axis, keepdims=True), getattr(numpy, name)(F, axis=axis, keepdims=True), True)


def test_extremes_and_corrections():
    a = F.copy()
    a[0, 1] = math.nan
    for name in ("min", "max"):
        same(getattr(yoke, name)(yoke.asarray(a), axis=1), getattr(numpy, name)(a, axis=1))
        same(getattr(yoke, name)(yoke.asarray(numpy.float32([math.inf, 1])), 0), getattr(numpy, name)(numpy.float32([math.inf, 1])))
    same(yoke.var(yoke.asarray(F), axis=0, correction=1), numpy.var(F, axis=0, ddof=1), True)
    same(yoke.cumulative_sum(yoke.asarray(N), axis=1, include_initial=True), [[0, 3, 4, 6], [0, 9, 16, 24]])
    same(yoke.cumulative_prod(yoke.asarray([2, 3])), [2, 6])


@pytest.mark.parametrize("values", [[3, 1, 2, 1, 3], [2.5, math.nan, -0.0, 0.0, math.nan], [1j, 1, -1j, 1j], [True, False], []])
def test_sets(values):
    values = numpy.array(values, None if values else numpy.int32)
    values = values.astype({"float64": "float32", "complex128": "complex64"}.get(values.dtype.name, values.dtype))
    found = yoke.unique_all(yoke.asarray(values))
    expected = numpy.unique(values, True, True, True, equal_nan=False)
    for got, want in zip(found, expected):
        same(got, want)
    a = yoke.asarray(values)
    same(yoke.unique_values(a), expected[0])
    same(yoke.unique_counts(a).counts, expected[3])
    same(yoke.unique_inverse(a).inverse_indices, expected[2])


@pytest.mark.parametrize("call", [
    lambda xp, n: xp.flip(n), lambda xp, n: xp.flip(n, axis=1), lambda xp, n: xp.roll(n, 4),
    lambda xp, n: xp.roll(n, (1, -2), (0, 1)),
    lambda xp, n: xp.repeat(n, 2), lambda xp, n: xp.repeat(n, 2, axis=0), lambda xp, n: xp.repeat(n, xp.asarray([2, 0, 1]), axis=1),
    lambda xp, n: xp.tile(n, (2,)), lambda xp, n: xp.tile(n, (2, 1, 2)), lambda xp, n: xp.tile(n, (0, 1)),
    lambda xp, n: xp.moveaxis(n[None], 2, 0), lambda xp, n: xp.expand_dims(n, axis=1), lambda xp, n: xp.squeeze(n[None], axis=0),
    lambda xp, n: xp.permute_dims(n, (1, 0)), lambda xp, n: xp.concat([n, n], axis=1),
    lambda xp, n: xp.concat([n, n[:, 1:]], axis=None),
    lambda xp, n: xp.diff(n, axis=0), lambda xp, n: xp.diff(n, n=2), lambda xp, n: xp.diff(n, append=n[:, :1], prepend=n),
    lambda xp, n: xp.unstack(n, axis=1)[2], lambda xp, n: xp.broadcast_arrays(n, n[0])[1], lambda xp, n: xp.matrix_transpose(n),
    lambda xp, n: xp.tril(n, k=-1), lambda xp, n: xp.triu(n[None], k=1), lambda xp, n: xp.meshgrid(n[0], n[1])[0],
    lambda xp, n: xp.meshgrid(n[0], n[1, :2], indexing="ij")[1], lambda xp, n: xp.reshape(n, (3, -1)), lambda xp, n: n.mT,
    lambda xp, n: xp.tensordot(n, n, axes=((1,), (1,))), lambda xp, n: xp.tensordot(n, n, axes=2), lambda xp, n: xp.vecdot(n, n),
    lambda xp, n: xp.tensordot(n, n[0], axes=0), lambda xp, n: xp.vecdot(n, n, axis=-2), lambda xp, n: xp.linalg.cross(n, n[::-1]),
    lambda xp, n: xp.linalg.outer(n[0], n[1]), lambda xp, n: xp.linalg.diagonal(n, offset=1), lambda xp, n: xp.linalg.trace(n),
    lambda xp, n: xp.linalg.diagonal(n, offset=-1), lambda xp, n: xp.linalg.diagonal(n, offset=7),
    lambda xp, n: xp.linalg.matrix_power(n[:, :2], 3), lambda xp, n: xp.searchsorted(n[1], xp.asarray(8), sorter=xp.argsort(n[1])),
    lambda xp, n: xp.eye(3, 4, k=-1) + n[0, 0], lambda xp, n: xp.eye(2, k=5), lambda xp, n: xp.eye(4, 2, k=1),
])
def test_shapes_and_products(call):
    same(call(yoke, yoke.asarray(N)), call(numpy, N))


def test_norms():
    a = yoke.asarray(F)
    for order in (0, 1, 2, 3, math.inf, -math.inf):
        same(yoke.linalg.vector_norm(a, axis=1, ord=order), numpy.linalg.vector_norm(F, axis=1, ord=order), True)
    for order in ("fro", 1, -1, math.inf, -math.inf):
        same(yoke.linalg.matrix_norm(a, ord=order), numpy.linalg.matrix_norm(F, ord=order), True)
    assert yoke.linalg.matrix_power(a[:, :2], 0).tolist() == [[1, 0], [0, 1]]
    with pytest.raises(ValueError, match="singular values"):
        yoke.linalg.matrix_norm(a, ord=2)


@pytest.mark.parametrize("n", [1, 4, 5])
def test_frequencies(n):
    x = numpy.arange(3 * n, dtype=numpy.float32).reshape(3, n)
    for name in ("fftfreq", "rfftfreq"):
        same(getattr(yoke.fft, name)(n, d=0.5), getattr(numpy.fft, name)(n, d=0.5), True)
    for name in ("fftshift", "ifftshift"):
        same(getattr(yoke.fft, name)(yoke.asarray(x)), getattr(numpy.fft, name)(x))
        same(getattr(yoke.fft, name)(yoke.asarray(x), axes=0), getattr(numpy.fft, name)(x, axes=0))
    for norm in ("backward", "ortho", "forward"):
        got, expected = yoke.fft.ihfft(yoke.asarray(x), norm=norm).to_numpy(), numpy.fft.ihfft(x, norm=norm)
        numpy.testing.assert_allclose(got, expected, 1e-5, 1e-5)
        got, expected = yoke.fft.hfft(yoke.asarray(x), n=6, norm=norm).to_numpy(), numpy.fft.hfft(x, n=6, norm=norm)
        numpy.testing.assert_allclose(got, expected, 1e-5, 1e-5)


@pytest.mark.parametrize("call, error, text", [
    (lambda a: yoke.tril(a[0]), ValueError, "no matrices"),
    (lambda a: yoke.flip(a, axis=2), ValueError, "axis 2"),
    (lambda a: yoke.flip(a, axis=(0, 0)), ValueError, "twice"),
    (lambda a: yoke.repeat(a, [1, 2], axis=1), ValueError, "repeats of"),
    (lambda a: yoke.repeat(a, -1), ValueError, "-1 times"),
    (lambda a: yoke.repeat(a, [1, -1, 2], axis=1), ValueError, "-1 repeats"),
    (lambda a: yoke.cumulative_sum(a), ValueError, "give axis"),
    (lambda a: yoke.linalg.cross(a, a[:, :2]), ValueError, "three"),
    (lambda a: yoke.linalg.matrix_power(a, 2), ValueError, "not square"),
    (lambda a: yoke.iinfo(a), ValueError, "no integer dtype"),
    (lambda a: yoke.vecdot(a, a[:, :2]), ValueError, "differ along"),
    (lambda a: yoke.tensordot(a, a, axes=1), ValueError, "differ"),
    (lambda a: yoke.hypot(a, 1j), TypeError, "complex"),
    (lambda a: yoke.diff(a, n=-1), ValueError, "n is -1"),
    (lambda a: yoke.nextafter(a.astype("float16"), a.astype("float16")), TypeError, "float16"),
    (lambda a: yoke.meshgrid(a), ValueError, "one dimension"),
    (lambda a: yoke.var(a, ddof=1, correction=1), ValueError, "two names"),
])
def test_mistakes(call, error, text):
    with pytest.raises(error, match=text):
        call(yoke.asarray(F))
