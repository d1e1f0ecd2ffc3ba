# SPDX-License-Identifier: Apache-2.0
"""A name, a position and a type that NumPy has mean here what they mean there, or are refused with a sentence."""

import contextlib
import copy
import inspect
import math
import operator
import pickle

import numpy
import pytest

import yoke
import yoke.comm

B = numpy.array([[3, 1, 2], [9, 7, 8], [4, 6, 5]], numpy.int32)


@pytest.fixture(autouse=True)
def current(device):
    """A stream of the test's own, which it may leave failed."""
    with contextlib.suppress(Exception), device.stream() as stream:
        yield stream


def same(got, expected):
    got = got.to_numpy()
    assert got.dtype == expected.dtype and got.shape == expected.shape
    numpy.testing.assert_array_equal(got, expected)


# ---- Positions ----

def signatures():
    """Of all public functions and methods, by their names."""
    for module in (yoke, yoke.fft, yoke.ndimage, yoke.random, yoke.comm):
        for name in getattr(module, "__all__", dir(module)):
            thing = getattr(module, name)
            if name.startswith("_") or inspect.ismodule(thing):
                continue
            if not isinstance(thing, type):
                if callable(thing):
                    yield name, inspect.signature(thing)
                continue
            if not issubclass(thing, BaseException) and thing is not yoke.DeviceInfo:
                yield name, inspect.signature(thing)
            for member, value in vars(thing).items():
                if not member.startswith("_") and inspect.isroutine(value):
                    yield f"{name}.{member}", inspect.signature(getattr(thing, member))


def test_flags_are_named():
    """No place in a call is true or false, which another library's call could have there. A Generator's places are NumPy's, as
    test_random.py says, and those of binary morphology are SciPy's, as test_ndimage.py says."""
    checked = 0
    for name, signature in signatures():
        if name.startswith(("Generator.", "binary_")):
            continue
        for each in signature.parameters.values():
            checked += 1
            assert not isinstance(each.default, bool) or each.kind == each.KEYWORD_ONLY, (name, each.name)
            assert each.name != "stream" or each.default is each.empty or each.kind == each.KEYWORD_ONLY or not name.islower(), name
    assert checked > 300


# What NumPy calls what here has another name.
ALSO = {"array": ("a", "ar", "x", "prototype", "keys"), "a": ("x", "x1", "condition"), "b": ("x2", "y"), "arrays": ("seq",),
        "data": ("a", "x"), "values": ("v",), "min": ("a_min",), "max": ("a_max",), "axes": ("axes",), "start": ("start_or_stop",),
        "x": ("a", "m", "A", "array", "val"), "x1": ("a",), "x2": ("b",), "n_rows": ("N",), "n_cols": ("M",),
        "type": ("dtype", "int_type"), "repetitions": ("reps",)}


@pytest.mark.parametrize("ours, theirs", [(yoke, numpy), (yoke.fft, numpy.fft), (yoke.linalg, numpy.linalg),
                                          (yoke.Array, numpy.ndarray)])
def test_positions_are_those_of_numpy(ours, theirs):
    checked = 0
    for name in dir(ours):
        one, other = getattr(ours, name), getattr(theirs, name, None)
        if name.startswith("_") or not inspect.isroutine(one) or other is None or name == "info":
            continue
        try:
            other = [each.name for each in inspect.signature(other).parameters.values() if each.kind < each.KEYWORD_ONLY]
        except ValueError:  # written in C, and not described
            continue
        for place, each in enumerate(inspect.signature(one).parameters.values()):
            if each.kind < each.VAR_POSITIONAL and place < len(other):
                checked += 1
                assert other[place] == each.name or other[place] in ALSO.get(each.name, ()) or other[place] in ("self", "args"), (
                    name, place, each.name, other[place])
            else:
                assert each.kind >= each.VAR_POSITIONAL or place >= len(other) and name not in ("zeros", "sum"), (name, each.name)
    assert checked > 10


@pytest.mark.parametrize("axis", [0, 1, -1, -2, None])
@pytest.mark.parametrize("descending", [False, True])
def test_order_along_an_axis(axis, descending):
    values = numpy.random.default_rng(1).permutation(60).astype("f4").reshape(3, 4, 5)
    sign = -1 if descending else 1
    array = yoke.asarray(values)
    same(yoke.sort(array, axis, descending=descending), sign * numpy.sort(sign * values, axis))
    same(yoke.argsort(array, axis, descending=descending), numpy.argsort(sign * values, axis))
    same(array.argsort(axis, descending=descending), numpy.argsort(sign * values, axis))
    if axis is not None:
        array[:, ::-1].sort(axis, descending=descending)
        values[:, ::-1] = sign * numpy.sort(sign * values[:, ::-1], axis)
        same(array, values)
    else:
        with pytest.raises(TypeError):
            array.sort(None)


def test_reductions_by_position():
    array = yoke.asarray(B)
    for name in ("sum", "prod", "mean", "var", "std"):
        found, wanted = getattr(array, name)(0, numpy.float32), getattr(B, name)(0, numpy.float32)
        assert found.dtype == wanted.dtype and numpy.allclose(found.to_numpy(), wanted)
        out = yoke.full(3, -1.0)
        assert getattr(array.astype("float32"), name)(0, None, out) is out
        assert numpy.allclose(out.to_numpy(), getattr(B.astype("f4"), name)(0))
    for name in ("min", "max", "any", "all", "argmin", "argmax"):
        wanted = getattr(B, name)(0)
        out = yoke.zeros(3, wanted.dtype)
        assert getattr(array, name)(0, out) is out
        same(out, wanted)
    for name in ("cumsum", "cumprod"):
        same(getattr(array, name)(1, "int32"), getattr(B, name)(1, "int32"))
        out = yoke.zeros((3, 3), "int64")
        assert getattr(array, name)(1, None, out) is out
        same(out, getattr(B, name)(1))
    assert numpy.allclose(array.var(0, "float32", None, 1).to_numpy(), B.var(0, "f4", None, 1))


REFUSED = {
    "keepdims": lambda a: a.sum(0, True), "counts": lambda a: yoke.unique(a, True), "descending": lambda a: a.sort(0, True),
    "endpoint": lambda a: yoke.linspace(0, 1, 3, True), "order": lambda a: yoke.zeros(2, "f4", "C"),
    "density": lambda a: yoke.histogram(a, 3, (0, 1), True), "largest": lambda a: yoke.topk(a, 1, False),
    "exclusive": lambda a: yoke.scan("sum", a, 0, True),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_positions(name):
    with pytest.raises(TypeError):
        REFUSED[name](yoke.asarray(B))


# ---- Dtypes ----

def test_an_array_is_no_dtype():
    class Like:
        dtype = numpy.dtype("int8")

    array = yoke.asarray(B)
    for other in (yoke.zeros(1, "int8"), numpy.zeros(1, "int8"), numpy.float32(1), Like()):
        for call in (lambda a: yoke.zeros(2, a), lambda a: yoke.empty(2, a), lambda a: yoke.full(2, 1, a), array.astype,
                     lambda a: yoke.asarray([1], a), lambda a: yoke.asarray(array, a), lambda a: array.sum(dtype=a),
                     lambda a: array.sum(0, a), lambda a: yoke.arange(3, dtype=a), lambda a: yoke.zeros_like(array, a),
                     lambda a: yoke.evaluate("x", a, x=array), lambda a: yoke.random.uniform(3, seed=1, dtype=a)):
            with pytest.raises(TypeError, match="is not a dtype: pass the dtype of the array, as x.dtype"):
                call(other)
    for other in (yoke.Array, Like, True, 1, [], None):
        with pytest.raises(TypeError):
            array.astype(other)
    with pytest.raises(TypeError, match="float32 has this one's"):
        yoke.zeros(2, ">f4" if numpy.dtype("=f4").str[0] == "<" else "<f4")


def test_dtypes_of_python():
    for kind in (int, float, bool, complex, "float", "int", "complex", "double", "single", "half"):
        assert yoke.empty(2, kind).dtype == numpy.dtype(kind)


def test_default_dtype(device):
    if not device.supports("fp64"):
        pytest.skip("no float64")
    make = (lambda: yoke.zeros(2), lambda: yoke.ones(2), lambda: yoke.empty(2), lambda: yoke.full(2, 1.5),
            lambda: yoke.linspace(0, 1),
            lambda: yoke.arange(0.5), lambda: yoke.asarray([1.5]), lambda: yoke.asarray(1.5), lambda: yoke.random.normal(2, seed=1))
    assert yoke.get_default_dtype() == "float32" and {each().dtype.name for each in make} == {"float32"}
    assert yoke.asarray([1j]).dtype == yoke.full(1, 1j).dtype == "complex64"
    yoke.set_default_dtype(float)
    try:
        assert yoke.get_default_dtype() == "float64" and {each().dtype.name for each in make} == {"float64"}
        assert yoke.asarray([1j]).dtype == yoke.full(1, 1j).dtype == "complex128"
        assert yoke.zeros_like(yoke.zeros(1, "f4")).dtype == yoke.asarray(numpy.float32(1)).dtype == "float32"
    finally:
        yoke.set_default_dtype("float32")
    for wrong in ("float16", "int32"):
        with pytest.raises(ValueError):
            yoke.set_default_dtype(wrong)


@pytest.mark.parametrize("value", [True, 7, 16777217, -2**63, 2**63, numpy.int8(3), numpy.float16(1.5), numpy.array(2, "u2"),
                                   numpy.arange(3), [1, 2, 3], [[True], [False]]])
def test_full_has_the_dtype_of_its_value(value):
    same(yoke.full((2, 3), value), numpy.full((2, 3), value))
    same(yoke.full_like(yoke.zeros((2, 3)), value), numpy.full_like(numpy.zeros((2, 3), "f4"), value))


# ---- Views that write through ----

@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_parts_of_complex_numbers_are_views(device, dtype):
    if dtype == "complex128" and not device.supports("fp64"):
        pytest.skip("no float64")
    values = (numpy.arange(12) - 3j * numpy.arange(12)).reshape(3, 4).astype(dtype)
    array = yoke.asarray(values)
    for text in ("z.real[...] = 0", "z.imag.fill(7)", "z.real[1:, ::2] = 3", "z.imag += 1", "z.T.real[0] = [4, 5, 6]",
                 "z.real = z.imag",
                 "z[::2].imag *= 2", "z.imag[z.real > 4] = 9", "z.real.sort()"):
        for each in (values, array):
            exec(text, {"z": each})
        same(array, values)
    assert array.imag.strides == values.imag.strides


def test_parts_of_real_numbers():
    array = yoke.ones(3)
    array.real[1] = 5
    assert array.tolist() == [1, 5, 1] and array.imag.tolist() == [0, 0, 0]
    array.real = [1, 2, 3]
    for wrong in (lambda: array.imag.fill(1), lambda: array.imag.__setitem__(0, 1), lambda: array.imag.__iadd__(1)):
        with pytest.raises(ValueError, match="read-only"):
            wrong()
    with pytest.raises(TypeError, match="no imaginary part to set"):
        array.imag = 0
    assert (array.imag + array).tolist() == [1, 2, 3] == array.tolist()


def test_strides_are_bytes():
    for values in (B, B.T, B[::-1, 1:], B.astype("f8"), numpy.float32(1)):
        values = numpy.asarray(values)
        assert yoke.zeros(values.shape, values.dtype).strides == numpy.zeros(values.shape, values.dtype).strides
    assert yoke.asarray(B).T[::-1, 1:].strides == B.T[::-1, 1:].strides


# ---- What is out of range ----

def test_bins_below_zero():
    for values in ([-1, 1], [-128], [3, -2]):
        for options in ({}, {"minlength": 9}):
            with pytest.raises(ValueError, match="is negative"):
                yoke.bincount(yoke.asarray(numpy.array(values, "int8")), **options)
    with pytest.raises(ValueError, match="minlength"):
        yoke.bincount(yoke.asarray([1]), minlength=-1)
    assert yoke.bincount([3, 1]).tolist() == [0, 1, 0, 1]


def test_histograms_without_a_range():
    for values in ([1, numpy.nan], [numpy.nan], [1, numpy.inf], [-numpy.inf, 0]):
        with pytest.raises(ValueError, match="not finite"):
            yoke.histogram(yoke.asarray(numpy.array(values, "f4")))
        same(yoke.histogram(yoke.asarray(numpy.array(values, "f4")), 2, (0, 2))[0], numpy.histogram(values, 2, (0, 2))[0])
    for wrong in ((0, numpy.nan), (-numpy.inf, 0), (2, 1)):
        with pytest.raises(ValueError, match="two finite numbers that ascend"):
            yoke.histogram(yoke.ones(3), 3, wrong)


def test_edges_that_do_not_ascend(current):
    with pytest.raises(ValueError, match="ascend"):
        yoke.histogram(yoke.ones(3), [1.0, 0.0])
    with pytest.raises(ValueError, match="ascend"):
        yoke.histogram(yoke.ones(3), yoke.asarray([1.0, 0.0]))  # it may be told here already
        current.wait()


def test_positions_of_the_host_are_told_at_once(current):
    array = yoke.asarray(B)
    for index in ([3], [-4], [0, 9], numpy.array([[1, 5]]), numpy.array([2**40]), numpy.array([3], "u8")):
        for call in (lambda: array[index], lambda: array.__setitem__(index, 0), lambda: yoke.take(array, index, 0)):  # noqa: B023
            with pytest.raises(IndexError, match="out of range for an axis of 3 elements"):
                call()
    with pytest.raises(IndexError):
        yoke.take(array, 9)
    current.wait()
    same(array, B)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
@pytest.mark.parametrize("name", ["read", "take", "write"])
def test_positions_of_the_device_are_told_to_who_waits(current, name, dtype):
    array = yoke.asarray(B)
    for index in ([3], [0, 100], *([[-4], [1, -100]] if dtype[0] == "i" else [])):
        positions = yoke.asarray(numpy.array(index, dtype))
        with pytest.raises(IndexError, match="out of range for an axis of 3 elements"):
            if name == "write":
                array[positions] = 1  # it may be told here already
            elif name == "take":
                yoke.take(array, positions, 0)
            else:
                array[positions]  # noqa: B018
            current.wait()
        current.recover()
    positions = yoke.asarray(numpy.array([2, 0] if dtype[0] == "u" else [-1, 0, -3], dtype))
    same(array[positions], B[positions.to_numpy().astype("i8")])
    current.wait()


@pytest.mark.parametrize("mode", ["raise", "clip", "wrap"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("index", [1, [2, 0], [[0, 1], [1, 2]], [], [[-1], [1]], [7, -8, 100]])
def test_take(index, axis, mode):
    try:
        wanted = numpy.take(B, numpy.array(index, "int64"), axis, mode=mode)
    except IndexError:
        with pytest.raises(IndexError):
            yoke.take(yoke.asarray(B), index, axis, mode=mode)
        return
    same(yoke.take(yoke.asarray(B), index, axis, mode=mode), wanted)
    same(yoke.take(yoke.asarray(B), yoke.asarray(numpy.array(index, "int64")), axis, mode=mode), wanted)


# ---- Powers ----

@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_powers_of_integers(dtype):
    values = numpy.array([0, 1, 2, 3, 5, 7, 100, 11], dtype)
    powers = numpy.array([0, 5, 7, 13, 27, 2, 3, 64], dtype)
    if dtype[0] == "i":
        values[::2] *= -1
    x, k = yoke.asarray(values), yoke.asarray(powers)
    same(x ** k, values ** powers)
    same(2 ** k, 2 ** powers)
    same(numpy.array(3, dtype)[()] ** k, numpy.array(3, dtype)[()] ** powers)
    same(x ** numpy.array(2, dtype)[()], values ** numpy.array(2, dtype)[()])
    if dtype != "uint64":  # which with int64 is float64 there
        same(x ** [0, 1, 2, 3, 0, 1, 2, 3], values ** numpy.array([0, 1, 2, 3, 0, 1, 2, 3]))
    x **= k
    values **= powers
    same(x, values)


def test_negative_powers_of_integers(current):
    x = yoke.asarray(numpy.array([1, 2]))
    with pytest.raises(ValueError, match="no power|no negative power"):
        x ** -1
    for call in (lambda: x ** yoke.asarray(numpy.array([1, -1])), lambda: 2 ** yoke.asarray(numpy.array([1, -1])),
                 lambda: x ** numpy.array([-1, 0])):
        with pytest.raises(ValueError, match="no negative power"):
            call()
            current.wait()
        current.recover()


# ---- NumPy's functions ----

def test_functions_of_numpy_stay_on_the_device():
    array, floats = yoke.asarray(B), B.astype("f4")
    for call in (numpy.sum, numpy.max, numpy.transpose, numpy.squeeze, numpy.cumsum, numpy.sort, numpy.argsort, numpy.ravel, abs,
                 lambda a: numpy.clip(a, 2, 5), lambda a: numpy.reshape(a, -1), lambda a: numpy.where(a > 3, a, a),
                 lambda a: numpy.stack([a, a]), lambda a: numpy.concatenate([a, B]), lambda a: numpy.maximum(a, 4),
                 lambda a: numpy.take(a, [1, 2]), lambda a: numpy.sort(a, 0), lambda a: numpy.zeros_like(a), numpy.negative,
                 lambda a: numpy.max(a, axis=1, keepdims=True), lambda a: numpy.sum(a, 0, numpy.int64), numpy.unique, numpy.real,
                 lambda a: numpy.broadcast_to(a, (2, 3, 3)), lambda a: numpy.full_like(a, 3), lambda a: numpy.dot(a, a),
                 lambda a: numpy.roll(a, 1, axis=0), lambda a: numpy.tile(a, (2, 1)), numpy.isfinite, numpy.flip, numpy.logical_not,
                 lambda a: numpy.linalg.matrix_power(a, 2)):
        assert isinstance(call(array), yoke.Array)
        same(call(array), call(B))
    for call in (numpy.sqrt, numpy.exp, numpy.arcsin, numpy.fmax, numpy.fft.fft):
        found = call(yoke.asarray(floats / 9), 1) if call is numpy.fmax else call(yoke.asarray(floats / 9))
        wanted = call(floats / 9, numpy.float32(1)) if call is numpy.fmax else call(floats / 9)
        assert isinstance(found, yoke.Array) and numpy.allclose(found.to_numpy(), wanted, rtol=1e-5, atol=1e-6)
    assert numpy.shape(array) == (3, 3) and numpy.ndim(array) == 2 and numpy.size(array) == 9


@pytest.mark.parametrize("call", [numpy.roots, numpy.linalg.svd, numpy.spacing])
def test_no_copies_that_nobody_asked_for(call):
    a = yoke.ones(3)
    with pytest.raises(TypeError, match=r"numpy\.[a-z_.]+ is for the memory of the host.*to_numpy\(\)"):
        call(a)


def test_functions_of_numpy_are_those_of_yoke_numpy():
    a = yoke.asarray([3.0, 1.0, 2.0])
    assert numpy.median(a).item() == 2 and isinstance(numpy.average(a), yoke.Array)
    assert numpy.allclose(numpy.ones(3), a / a) and not numpy.array_equal(numpy.ones(3), a)
    assert numpy.linalg.norm(a).item() == pytest.approx(math.sqrt(14)) and numpy.fft.fft(a).shape == (3,)
    assert numpy.heaviside(numpy.zeros(3), a).tolist() == [3, 1, 2] and numpy.add.reduce(a).item() == 6
    assert numpy.add.accumulate(a).tolist() == [3, 4, 6] and numpy.multiply.outer(numpy.ones(2, "f4"), a).shape == (2, 3)
    out = yoke.empty(3)
    assert numpy.add(a, numpy.ones(3, "f4"), out=out) is out and out.tolist() == [4, 2, 3]
    assert numpy.sqrt(a, out=out, where=numpy.array([False, True, False])) is out and out.tolist() == [4, 1, 3]
    with pytest.raises(TypeError, match=r"to_numpy\(\)"):
        numpy.add(a, 1, out=numpy.ones(3, "f4"))
    with pytest.raises(TypeError, match="copyto writes into an Array"):
        numpy.copyto(numpy.ones(3), a)


def test_copies_that_are_asked_for():
    a, host = yoke.arange(3, dtype="float32"), numpy.ones(3, "f4")
    for found in (numpy.asarray(a), numpy.array(a), numpy.array(a, "f8"), a.to_numpy()):
        assert type(found) is numpy.ndarray and found.tolist() == [0, 1, 2]
    with pytest.raises(ValueError):
        numpy.array(a, copy=False)
    with pytest.raises(TypeError, match="to_numpy"):
        host += a
    host += a.to_numpy()
    assert host.tolist() == [1, 2, 3]


def test_dlpack_and_the_host():
    a = yoke.asarray(B)
    for options in ({"device": "cpu"}, {"device": "cpu", "copy": True}):
        try:
            found = numpy.from_dlpack(a, **options)
        except TypeError:
            pytest.skip("this NumPy does not ask for a device")
        assert found.tolist() == B.tolist()
    a.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="bfloat16"):
        yoke.zeros(1, "bfloat16").__dlpack__(dl_device=(1, 0), copy=True)
    same(yoke.from_dlpack(B), B)
    same(yoke.from_dlpack(B, copy=True), B)
    twin = yoke.from_dlpack(a, copy=True)
    twin.fill(0)
    same(a, B)


# ---- Operands ----

def test_operands_of_functions():
    array = yoke.asarray(B)
    same(yoke.where(B > 4, array, 0), numpy.where(B > 4, B, 0).astype("i4"))
    same(yoke.where(array > 4, B, B), B)
    assert yoke.where([True, False], 1, 2).tolist() == [1, 2]
    same(yoke.concatenate([array, B], None), numpy.concatenate([B, B], None))
    same(yoke.stack([B, array], 1), numpy.stack([B, B], 1))
    for low, high in ((B[0], None), (None, [4, 5, 6]), (B.T, 7), (3, B[1]), (B.T, B[2])):
        for values in (B, B.astype("f4"), B.astype("i8")):
            assert yoke.clip(yoke.asarray(values), low, high).tolist() == numpy.clip(values, low, high).tolist()
    same(yoke.clip(array, min=3, max=5), B.clip(min=3, max=5))
    same(array.clip(max=5), B.clip(max=5))
    nan = numpy.array([numpy.nan, 1, 5, numpy.nan], "f4")
    same(yoke.clip(yoke.asarray(nan), numpy.array([0, 2, numpy.nan, 1], "f4")), nan.clip(numpy.array([0, 2, numpy.nan, 1], "f4")))
    for operand in ([1.0, 4.0], numpy.array([1, 4], "f8"), 4.0, (9.0,)):
        assert numpy.allclose(yoke.sqrt(operand).to_numpy(), numpy.sqrt(operand))
    for operand in ("4", None, ["a"]):
        with pytest.raises(TypeError):
            yoke.sqrt(operand)
    same(yoke.outer(B, [1, 2]), numpy.outer(B, [1, 2]))
    same(yoke.dot(array, B[0]), numpy.dot(B, B[0]))
    same(yoke.dot(array, 2), numpy.dot(B, 2).astype("i4"))
    cube = numpy.arange(18, dtype="i4").reshape(2, 3, 3)
    same(yoke.dot(array, yoke.asarray(cube)), numpy.dot(B, cube))
    out = yoke.empty((3, 2, 3), "int32")
    assert array.dot(cube, out) is out and out.tolist() == numpy.dot(B, cube).tolist()
    for wrong in (yoke.empty((3, 2, 3), "int64"), yoke.empty(3, "int32"), numpy.empty((3, 2, 3), "i4")):
        with pytest.raises(ValueError, match=r"out is to be an Array of shape \(3, 2, 3\) and dtype int32"):
            yoke.dot(array, cube, wrong)


def test_nan_wins_where_it_does_in_numpy():
    a, b = (numpy.array(each, "f4") for each in ([1, numpy.nan, 3, numpy.nan], [2, 0, numpy.nan, numpy.nan]))
    for name in ("minimum", "maximum", "fmin", "fmax"):
        same(getattr(yoke, name)(yoke.asarray(a), b), getattr(numpy, name)(a, b))
        same(getattr(yoke, name)(yoke.asarray(a), 2.0), getattr(numpy, name)(a, numpy.float32(2)))


@pytest.mark.parametrize("key", [True, False, numpy.True_, numpy.False_])
def test_true_and_false_as_indices(key):
    array, values = yoke.asarray(B), B.copy()
    same(array[key], B[key])
    values[key] = array[key] = 5
    same(array, values)
    same(array[0, key], values[0, key])


def test_round():
    values = numpy.array([1.26, -2.5, 0.5, 1.5, 1234.5], "f4")
    for decimals in (0, 1, -2):
        assert numpy.allclose(round(yoke.asarray(values), decimals).to_numpy(), values.round(decimals))
        assert numpy.allclose(numpy.round(yoke.asarray(values), decimals).to_numpy(), values.round(decimals))
    same(round(yoke.asarray(values)), values.round())
    same(round(yoke.asarray(B), 2), B)


# ---- What is said ----

def test_axis_errors():
    array = yoke.ones((2, 3))
    for call in (lambda: array.sum(2), lambda: array.sort(-3), lambda: yoke.concatenate([array], 5),
                 lambda: yoke.fft.fft(array, axis=7)):
        with pytest.raises(numpy.exceptions.AxisError, match="out of range for 2 dimensions") as caught:
            call()
        assert isinstance(caught.value, ValueError) and isinstance(caught.value, IndexError)


def test_names_that_are_not_there():
    array = yoke.ones(2)
    for name, hint in (("flaten", "flatten"), ("squeez", "squeeze"), ("numpy", "to_numpy"), ("ptr", "buffer.native")):
        with pytest.raises(AttributeError, match=f"an Array has no {name}: .*{hint}"):
            getattr(array, name)
    for name, hint in (("sorf", "sort"), ("trace", "yoke.Trace"), ("convolve", "yoke.ndimage.convolve"), ("select", "select_where"),
                       ("gausian_filter", "yoke.ndimage.gaussian_filter"), ("partition", "partition_by")):
        with pytest.raises(AttributeError, match=f"yoke has no {name}: .*{hint}"):
            getattr(yoke, name)
    assert not hasattr(array, "__array_interface__") and not hasattr(yoke, "nothing_like_it")


def test_objects_of_the_process_are_not_pickled(device, current, saxpy):
    for each in (device, current, device.buffer(4), current.event(), saxpy, saxpy.program, yoke.Graph(device), saxpy[1]):
        for call in (pickle.dumps, copy.copy):
            with pytest.raises(TypeError, match=f"cannot pickle '(yoke._core.)?{type(each).__name__}' object"):
                call(each)


def test_signatures_of_classes():
    assert list(inspect.signature(yoke.Stream).parameters) == ["device", "timed", "wait", "depth", "priority", "name"]
    for kind in (yoke.Device, yoke.Stream, yoke.Buffer, yoke.Image, yoke.Kernel, yoke.Launch, yoke.Program, yoke.Source, yoke.In,
                 yoke.Local, yoke.Graph):
        assert inspect.signature(kind).parameters and not kind.__doc__.startswith(kind.__name__ + "(")


def test_no_functions_of_c():
    array = yoke.ones(3)
    for call, text in ((lambda: array.reshape(7), "^reshape: "), (lambda: array.broadcast_to(2), "^broadcast_to: "),
                       (lambda: array[5], "^index: "), (lambda: yoke.searchsorted(yoke.ones((2, 2)), 1), "^searchsorted: ")):
        with pytest.raises((ValueError, IndexError), match=text):
            call()


def test_bytes_and_index():
    with pytest.raises(TypeError, match=r"to_numpy\(\)\.tobytes\(\)"):
        bytes(yoke.ones(2))
    assert operator.index(yoke.asarray(3)) == 3 and [1, 2, 3][yoke.asarray(1)] == 2
    for wrong in (yoke.asarray([1]), yoke.asarray(1.0), yoke.asarray(True)):
        with pytest.raises(TypeError, match="is an index"):
            operator.index(wrong)


def test_values_of_small_arrays_are_shown(device, current):
    array = yoke.asarray(B)
    current.wait()
    assert repr(array).startswith("yoke.Array([[3, 1, 2], [9, 7, 8], [4, 6, 5]], shape=(3, 3), dtype=int32, ")
    assert "[4, 6, 5]" in array._repr_html_()
    large = yoke.zeros(1000)
    current.wait()
    assert repr(large).startswith("yoke.Array(shape=(1000,)")
    with current.record():
        assert repr(array).startswith("yoke.Array(shape=(3, 3)")
    current.cancel()
    assert repr(array).startswith("yoke.Array(shape=(3, 3)")


# ---- Reads ----

def test_reads_wait(device, current):
    buffer, host, ran = device.buffer(16), bytearray(16), []
    current.fill(buffer, b"\1")
    current.call(ran.append, 1)
    current.read(host, buffer)
    assert host == b"\1" * 16 and ran == [1]
    current.fill(buffer, b"\2")
    current.read_rect(host, buffer, (2, 8))
    assert host == b"\2" * 16
    current.fill(buffer, b"\3")
    current.read(host, buffer, blocking=False)
    current.wait()
    assert host == b"\3" * 16


def test_reads_that_cannot_wait(device, current):
    buffer, host, seen = device.buffer(16), bytearray(16), []
    current.fill(buffer, b"\1")
    current.wait()
    with current.record() as graph:
        with pytest.raises(yoke.InvalidArgumentError, match="blocking=False"):
            current.read(host, buffer)
        current.read(host, buffer, blocking=False)
    assert len(graph) == 1
    graph.launch(current)
    current.wait()
    assert host == b"\1" * 16

    def inside():
        try:
            current.read(host, buffer)
        except yoke.DeadlockError as error:
            seen.append(error)

    current.call(inside)
    current.wait()
    assert len(seen) == 1
    current.call(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        current.read(host, buffer)
    current.recover()
