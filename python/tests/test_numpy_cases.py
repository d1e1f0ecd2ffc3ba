# SPDX-License-Identifier: Apache-2.0
"""Cases in which functions of yoke.numpy are easily otherwise than NumPy's, which is the oracle: dtypes of results, arrays without
elements or axes, scalars by position, orders in lower case, NaN, and which exception tells of what."""

import os

import numpy
import pytest

import yoke
import yoke.numpy as np

NAN, INF = numpy.nan, numpy.inf


@pytest.fixture(autouse=True, scope="module")
def _doubles():
    """As NumPy's, so that dtypes are compared, too."""
    before = yoke.get_default_dtype()
    yoke.set_default_dtype("float64")
    yield
    yoke.set_default_dtype(before)


def numbers(x):
    """On the host, of an Array, or several."""
    return [numbers(each) for each in x] if isinstance(x, (tuple, list)) else x.to_numpy() if hasattr(x, "to_numpy") else x


def compare(call):
    """Whether a call gives the same values, shape and dtype with yoke.numpy as with numpy."""
    with numpy.errstate(all="ignore"):
        expected = call(numpy)
    got = numbers(call(np))
    for one, other in zip(got, expected) if isinstance(expected, (tuple, list)) else [(got, expected)]:
        one, other = numpy.asarray(one), numpy.asarray(other)
        assert one.dtype == other.dtype and one.shape == other.shape
        numpy.testing.assert_allclose(one, other, rtol=1e-6 if one.dtype.itemsize > 2 else 1e-3)


def changed(x, key, value):
    """The sum of an array of ones after a[key] = value."""
    a = x.ones((2, 3, 4))
    a[key(x)] = value(x)
    return a.sum()


VALUES = {
    "angle of what is real": lambda x: x.angle(x.array([-1.0, 0, 2, -0.0, -INF, NAN])),
    "angle of integers": lambda x: x.angle(x.array([1, 0, -1])),
    "angle of short integers": lambda x: x.angle(x.array([1, 0, -1], "int8")),
    "histogram of zeros of both signs": lambda x: x.histogram(x.array([-0.0, 0.3, 0.0]), 4, range=(0, 1)),
    "digitize of a negative zero": lambda x: x.digitize(x.array([-0.0]), x.array([0.0, 1])),
    "searchsorted of zeros": lambda x: x.searchsorted(x.array([-0.0, 1]), x.array([0.0, -0.0])),
    "searchsorted in uint64": lambda x: x.searchsorted(x.array([1, 5, 7], "uint64"), x.array([-3, 5, 6])),
    "searchsorted of uint64": lambda x: x.searchsorted(x.array([-1, 0, 5]), x.array([2**64 - 1, 3], "uint64")),
    "isin of negative integers": lambda x: x.isin(x.array([-1, 2]), x.array([2**64 - 1, 2], "uint64")),
    "closest observation": lambda x: [x.quantile(x.arange(1, 6), q, method="closest_observation") for q in (0.5, 0.7, 0.9)],
    "digitize in NaN alone": lambda x: x.digitize(x.array([1.0, 2, NAN, INF]), x.array([NAN] * 4)),
    "digitize, NaN last": lambda x: x.digitize(x.array([1.0, 2, NAN, INF]), x.array([1, 1.5, NAN, NAN])),
    "digitize, NaN first": lambda x: x.digitize(x.array([1.0, 2, NAN, INF]), x.array([NAN, NAN, 2, 1])),
    "nanmedian of complex": lambda x: x.nanmedian(x.array([[1 + 1j, 2 + 2j, 4 + 4j, 3], [complex(1, NAN), 1j, 2, 5 - 1j]]), 1),
    "nanmedian of complex, all": lambda x: x.nanmedian(x.array([2j, NAN, 1, 3]), keepdims=True),
    "searchsorted of complex": lambda x: x.searchsorted(x.array([1, 1 + 1j, 2, 2, 4 + 3j]), x.array([2, 1 + 1j, 0, 9])),
    "searchsorted in a float's": lambda x: x.array([1.0, 2, 4]).searchsorted(x.array([[1, 1 + 1j], [4 - 1j, 4]]), "right"),
    "searchsorted of wider": lambda x: x.array([1, 1.3], "float32").searchsorted(x.array([1.3, 1.0])),
    "searchsorted of a number": lambda x: x.array([1, 1.1], "float32").searchsorted(1.1),
    "setxor1d of twins": lambda x: x.setxor1d(x.array([3, 4, 9, 1, 4]), x.array([8, 3, 9]), assume_unique=True),
    "setxor1d": lambda x: x.setxor1d(x.array([3, 4, 9, 1, 4]), x.array([8, 3, 9])),
    "setxor1d of nothing": lambda x: x.setxor1d(x.array([], "int64"), x.array([], "int64")),
    "bincount of nothing": lambda x: x.bincount(x.array([], "int64"), weights=x.array([]), minlength=2),
    "linspace of short integers": lambda x: x.linspace(x.array([0, 120], "int8"), x.array([100, 0], "int8"), 7, axis=1),
    "arange, no step": lambda x: x.arange(0, 4, None),
    "roll by an array": lambda x: x.roll(x.arange(6).reshape(2, 3), x.array([1, 2]), (0, 1)),
    "roll by a scalar array": lambda x: x.roll(x.arange(6).reshape(2, 3), x.array(2)),
    "squeeze without axes": lambda x: (x.array(3).squeeze(0), x.squeeze(x.array(3), -1)),
    "take without axes": lambda x: (x.array(3).take(x.array([0, -1]), 0), x.take(x.array(3), x.array([0, 0]), -1)),
    "take into out": lambda x: x.arange(6).take(x.array([1, 2]), 0, x.zeros(2, "int64")),
    "argsort and sort by kind": lambda x: (x.array([1, 3, 2]).argsort(-1, "stable"), x.array([1, 3, 2]).argsort(kind="quicksort")),
    "argsort without axes": lambda x: (x.argsort(x.array(3)), x.array(3).argsort(axis=0), x.argpartition(x.array(3), 0)),
    "orders in lower case": lambda x: (x.zeros((2, 1), order="c"), x.arange(6).reshape(2, 3).reshape((3, 2), order="f"),
                                       x.ravel(x.arange(6).reshape(2, 3), "f"), x.arange(6).reshape(2, 3).T.copy(order="k")),
    "quantiles of float32 parts": lambda x: (x.quantile(x.arange(9, dtype="int16"), x.array([0.5, 0.3], "float32")),
                                             x.quantile(x.arange(9, dtype="int32"), x.array([0.5, 0.3], "float32")),
                                             x.percentile(x.arange(9, dtype="float32"), numpy.float64(30))),
    "round into out": lambda x: x.array([1.5, 2.5, -0.5]).round(0, x.zeros(3)),
    "matmul by axes": lambda x: (
        x.matmul(x.arange(24).reshape(3, 4, 2), x.arange(40).reshape(4, 5, 2), axes=[(0, 1), (0, 1), (2, 0)]),
        x.matmul(x.ones((2, 3)), x.ones((4, 2)), axes=[(1, 0), (1, 0), (1, 0)], out=x.zeros((4, 3)))),
    "interp with infinities": lambda x: (
        x.interp(x.array([0, 1.0, 2, 2.5, 3]), x.array([0, 1.0, 2, 3]), x.array([INF, INF, 1, INF])),
        x.interp(x.array([0, 0.5, 2.5]), x.array([0, 1.0, 2, 3]), x.array([-INF, INF, 1, -INF])),
        x.interp(x.array([-1, 0.5, 2.5]), x.array([0, 1.0, 2, 3]), x.array([complex(INF, 1), complex(INF, 2), 1, 2]), 3 + 1j)),
    "einsum over one diagonal": lambda x: (x.einsum("ii", x.ones((1, 1))), x.einsum("iij->ij", x.ones((2, 2, 1)))),
    "exp2 and rint of complex": lambda x: (x.exp2(x.array([1 + 2j, 0, -1j])), x.rint(x.array([1.5 - 2.5j, 0.4 + 0.6j]))),
    "square and clip of bools": lambda x: (x.square(x.array([True, False])), x.array([True, False]).clip(3, 13),
                                           x.array([True, False]).clip(False, True)),
    "nan_to_num by an array": lambda x: x.nan_to_num(x.array([0, 1, NAN, 4]), nan=x.arange(4.0)),
    "unwrap by fractions of integers": lambda x: x.unwrap(x.array([0, 3, 7, 120, 5, 90], "uint16"), period=1.2),
    "unwrap of bools": lambda x: (x.unwrap(x.array([False, True, False]), period=2), x.unwrap(x.array([False, True, False]))),
    "trapezoid of integers": lambda x: (x.trapezoid(x.array([0, 3, 7, 100], "int8")),
                                        x.trapezoid(x.array([0, 3, 7, 100], "int8"), dx=0.1),
                                        x.trapezoid(x.array([0, 3, 7], "int8"), x.array([0, 3, 5], "int8"))),
    "cumulative sums without axes": lambda x: (x.cumulative_sum(x.array(3)), x.cumulative_prod(x.array(3), include_initial=True)),
    "linspace from a number": lambda x: (x.linspace(0, x.array([1, 2], "float32"), 3), x.linspace(0.5, x.array([1, 2], "int8"), 3)),
    "reciprocal of bools": lambda x: x.reciprocal(x.array([True, True])),
    "chkfinite": lambda x: x.asarray_chkfinite([1, 2], "float32"),
}
MASKS = [(0,), (2, 0), (0, 0, 4), (0, 3), (0, 3, 4), (2, 3, 0)]


# The CUDA double compiles slowly: there every fourth.
CHOSEN = [*VALUES][::4 if os.environ.get("YOKE_BACKEND") == "cuda" else 1]


@pytest.mark.parametrize("name", CHOSEN)
def test_values(name):
    compare(VALUES[name])


def test_masks_without_elements():
    for shape in MASKS:
        compare(lambda x: x.ones((2, 3, 4))[x.zeros(shape, "bool")])
        compare(lambda x: x.ones((2, 3, 4))[numpy.zeros(shape, "bool")])
    compare(lambda x: x.ones((2, 3, 4))[:, x.zeros((0, 4), "bool")])
    compare(lambda x: changed(x, lambda x: x.zeros((2, 0), "bool"), lambda x: x.ones(4)))
    compare(lambda x: changed(x, lambda x: (slice(None), x.zeros((3, 0), "bool")), lambda x: 2.0))


def test_strides_by_order():
    columns = np.arange(6).reshape(2, 3).T
    assert columns.astype("float32", order=None).strides == (4, 12) and columns.copy(order=None).strides == (16, 8)
    assert columns.astype("float32", order="k").strides == (4, 12) and np.arange(6).reshape(2, 3).copy(order="f").strides == (8, 16)


# ---- add.at, and rounding to tens ----

def at(x, function, key, value, dtype):
    """An array after function.at(array, key, value)."""
    a = x.zeros((2, 3, 4), dtype)
    getattr(x, function).at(a, key, value if isinstance(value, (int, float)) else x.array(value))
    return a


@pytest.mark.parametrize("function", ["add", "subtract"])
def test_at(function):
    short = numpy.arange(4, dtype="uint8")  # whose negatives are none of its own
    for key in (-1, [-1, 0, -1], (slice(None), [1, 2, -1]), (None, [1, -1]), slice(1), ..., (0, 1), numpy.array([True, False]), [],
                (0, [1, 1], [2, 2])):
        compare(lambda x: at(x, function, key, 2, "float32"))
        if not isinstance(key, tuple) or len(key) == 2:
            compare(lambda x: at(x, function, key, short, "float32"))
    compare(lambda x: at(x, function, -1, 3, "uint8"))
    compare(lambda x: at(x, function, [0, 1], numpy.array([[[1]], [[-2]]]), "uint32"))


def test_at_refuses():
    a = np.zeros(3, "int32")
    for value in (2.5, np.ones(1, "float32")):
        with pytest.raises(TypeError, match="values of float.. are not cast to int32"):
            np.add.at(a, 0, value)
    with pytest.raises(TypeError, match="takes the values as its third argument"):
        np.add.at(a, 0)
    assert a.tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64"])
def test_integers_are_rounded_to_tens(dtype):
    least, most = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
    for count in (1, 2, 17):
        tens = 10**count
        values = [0, 7, tens // 2, 3 * tens // 2, 3 * tens // 2 + 1, -tens // 2, -3 * tens // 2, -3 * tens // 2 - 1, 2 * tens - 1]
        values = [each for each in values if least <= 2 * each <= most]
        expected = [(1 if each > 0 else -1) * tens * (abs(each) // tens + (2 * (abs(each) % tens) + abs(each) // tens % 2 > tens))
                    for each in values]
        got = np.array(values, dtype).round(-count).tolist()
        assert [one for one, other in zip(got, expected) if other <= most] == [each for each in expected if each <= most]
    compare(lambda x: x.round(x.array([15, 25, 105], dtype), -1))
    with pytest.raises(ValueError, match="up to 18 zeros"):
        np.array([1], dtype).round(-19)


ERRORS = {
    "linspace of a fraction": (TypeError, lambda x: x.linspace(0, 1, 2.5)),
    "a complex quantile": (TypeError, lambda x: x.quantile(x.arange(3), 0.5 + 3j)),
    "round into another dtype": (TypeError, lambda x: x.ones(3).round(0, x.zeros(3, "int32"))),
    "round into another shape": (ValueError, lambda x: x.ones(3).round(out=x.zeros(2))),
    "nan_to_num by more": (ValueError, lambda x: x.nan_to_num(x.array([0, 1, NAN, 4]), nan=x.zeros((2, 4)))),
    "axes of one operand": (ValueError, lambda x: x.matmul(x.ones((2, 2)), x.ones((2, 2)), axes=[(0, 1)])),
    "one axis of a matrix": (numpy.exceptions.AxisError,
                             lambda x: x.matmul(x.ones((2, 2)), x.ones((2, 2)), axes=[(0, 1), 1, (0, 1)])),
    "a kind that is no text": (TypeError, lambda x: x.arange(2).sort(0, True)),
    "unwrap of unsigned integers": (OverflowError, lambda x: x.unwrap(x.array([0, 3, 7], "uint8"), period=4)),
    "a subscript beyond the letters": (ValueError, lambda x: x.einsum(x.ones((2, 2)), [0, 52])),
    "a subscript below them": (ValueError, lambda x: x.einsum(x.ones((2, 2)), [0, -1])),
    "a subscript of another alphabet": (ValueError, lambda x: x.einsum("i\u00e9", x.ones((2, 2)))),
    "two ways to sort": (ValueError, lambda x: x.sort(x.ones(3), kind="stable", stable=True)),
    "two ways of one array to sort": (ValueError, lambda x: x.ones(3).argsort(kind="stable", stable=False)),
    "a diagonal of other extents": (ValueError, lambda x: x.einsum("ii->i", x.ones((1, 3)))),
    "argsort along no axis": (numpy.exceptions.AxisError, lambda x: x.array(3).argsort(axis=1)),
    "argsort along no axis, by name": (numpy.exceptions.AxisError, lambda x: x.argsort(x.array(3), 1)),
    "texts as indices": (IndexError, lambda x: x.arange(3)[numpy.array(["1", "2"])]),
    "a mask of other extents": (IndexError, lambda x: x.ones((2, 3))[x.zeros((0, 5), "bool")]),
    "a mask of 1": (IndexError, lambda x: x.ones((2, 3))[x.zeros((1, 0), "bool")]),
    "values for no elements": (ValueError, lambda x: changed(x, lambda x: x.zeros((2, 0), "bool"), lambda x: x.ones(3))),
    "take into another shape": (ValueError, lambda x: x.arange(6).take(x.array([1, 2]), 0, x.zeros(3, "int64"))),
    "take into another dtype": (TypeError, lambda x: x.arange(6).take(x.array([1, 2]), 0, x.zeros(2, "float32"))),
    "cov of integers": (TypeError, lambda x: x.cov(x.ones((2, 3)), dtype="int32")),
    "integers of infinities": (OverflowError, lambda x: x.asarray_chkfinite([INF], "int32")),
    "infinities": (ValueError, lambda x: x.asarray_chkfinite([INF, 1])),
    "repeats of uint64": (TypeError, lambda x: x.repeat(x.arange(3), x.array([1, 2, 3], "uint64"))),
    "copy as a text": (ValueError, lambda x: x.zeros((2, 3)).reshape(3, 2, copy="no")),
    "shifts of two dimensions": (ValueError, lambda x: x.roll(x.arange(4), x.array([[1]]))),
    "a sorter of floats": (TypeError, lambda x: x.arange(2).searchsorted(x.arange(2), sorter=x.array([0.0, 1]))),
    "a short sorter": (ValueError, lambda x: x.searchsorted(x.arange(2), x.arange(2), sorter=x.array([0]))),
    "a kind of sort": (ValueError, lambda x: x.arange(2).argsort(kind="x")),
    "edges up and down": (ValueError, lambda x: x.digitize(x.arange(2), x.array([1, 3, 2]))),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    kind, call = ERRORS[name]
    for x in (numpy, np):
        if x is numpy and name == "take into another dtype" and numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0":
            continue  # it converts, although NumPy says that it does not
        with pytest.raises(kind):
            call(x)


def test_fields_are_refused():
    for name in ("sort", "argsort"):
        with pytest.raises(TypeError, match="fields, which arrays do not have"):
            getattr(np.arange(3), name)(order="x")
