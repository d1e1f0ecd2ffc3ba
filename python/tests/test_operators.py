# SPDX-License-Identifier: Apache-2.0
"""Operators of arrays beside NumPy's: the same values, signs of zero and dtypes, or a refusal that says what to use instead."""

import operator

import numpy
import pytest

import yoke

FLOATS = [0.0, numpy.inf, numpy.nan, 1, 0.5, 3, 0.1, 7, 1 / 3, 1e-3, 6e4]


def assert_same(found, wanted):
    """Bit for bit, but for the bits of NaN."""
    found = found.to_numpy()
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    same = (found == wanted) & (numpy.signbit(found) == numpy.signbit(wanted)) | numpy.isnan(found) & numpy.isnan(wanted)
    assert same.all(), (found[~same], wanted[~same])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("function", [operator.floordiv, operator.mod])
def test_quotients_and_remainders_of_floats(device, stream, dtype, function):
    """Also of zeros, infinities and NaN on both sides, and the sign of a quotient that is zero."""
    if dtype == "float64" and not device.supports("fp64"):
        pytest.skip("no float64")
    info = numpy.finfo(dtype)
    values = numpy.array([*FLOATS, info.tiny, info.max]).astype(dtype)
    values = numpy.concatenate([values, -values])
    left, right = [each.ravel().copy() for each in numpy.meshgrid(values, values)]
    with numpy.errstate(all="ignore"):
        assert_same(function(yoke.asarray(left, stream=stream), yoke.asarray(right, stream=stream)), function(left, right))
        array = yoke.asarray(values, stream=stream)
        for number in values:
            for kind in (float, values.dtype.type):
                assert_same(function(array, kind(number)), function(values, kind(number)))
                assert_same(function(kind(number), array), function(kind(number), values))


def test_quotients_of_bfloat16(stream):
    with numpy.errstate(all="ignore"):
        values = numpy.array([0.0, -0.0, 1, -1, 0.5, -3, numpy.inf, -numpy.inf, numpy.nan], "float32")
        left, right = [each.ravel().copy() for each in numpy.meshgrid(values, values)]
        for function in (operator.floordiv, operator.mod):
            found = function(*[yoke.asarray(each, stream=stream).astype("bfloat16") for each in (left, right)])
            assert found.dtype == "bfloat16"
            assert_same(found.astype("float32"), function(left, right))


def test_minus_of_bools(stream):
    flags = yoke.asarray([True, False], stream=stream)
    for wrong in (lambda: flags - flags, lambda: flags - True, lambda: numpy.True_ - flags, lambda: numpy.subtract(flags, flags),
                  lambda: operator.isub(flags, flags)):
        with pytest.raises(TypeError, match=r"- is not for bool: use a \^ b"):
            wrong()
    with pytest.raises(TypeError, match="- is not for bool: use ~a"):
        -flags
    assert (flags ^ flags).tolist() == [False, False] and (~flags).tolist() == [False, True] and (flags - 1).tolist() == [0, -1]


def test_divmod(stream):
    for dtype in ("int32", "uint8", "float32"):
        values = numpy.array([7, 9, 250, 0], dtype) - numpy.array(0 if dtype == "uint8" else 8, dtype)
        divisors = numpy.array([2, 3, 7, 1], dtype)
        array, others = yoke.asarray(values, stream=stream), yoke.asarray(divisors, stream=stream)
        for found, wanted in ((divmod(array, 2), divmod(values, 2)), (divmod(100, others), divmod(100, divisors)),
                              (divmod(array, others), divmod(values, divisors)), (divmod(values, others), divmod(values, divisors)),
                              (divmod(array, numpy.int64(3)), divmod(values, numpy.int64(3)))):
            assert isinstance(found, tuple) and len(found) == 2
            for one, other in zip(found, wanted):
                assert isinstance(one, yoke.Array) and one.tolist() == other.tolist()
    with pytest.raises(TypeError):
        divmod(array, "2")


class Anything:
    """It has its own idea of what equals it."""

    def __eq__(self, other):
        return "mine"

    def __ne__(self, other):
        return "not mine"


def test_comparison_with_what_is_no_number(stream):
    for shape in ((3,), (2, 2), (), (0,)):
        array, values = yoke.ones(shape, stream=stream), numpy.ones(shape, "float32")
        for other in (None, "a", b"a", object(), {}, "1"):
            for function in (operator.eq, operator.ne):
                found, wanted = function(array, other), function(values, other)
                assert isinstance(found, yoke.Array) and found.tolist() == numpy.broadcast_to(wanted, shape).tolist()
                assert function(other, array).tolist() == found.tolist()
            with pytest.raises(TypeError):
                array < other
    assert (array == Anything()) == (Anything() == array) == "mine" and (array != Anything()) == "not mine"
    assert None not in yoke.ones(3) and "a" not in yoke.ones(3)


@pytest.mark.parametrize("other", [[1, 2, 3], (3, 2, 1), [2], [[1], [2]], [1.5, 0, 2], [True, False, True]])
def test_lists_as_operands(stream, other):
    values = numpy.arange(6.0).reshape(2, 3)
    array = yoke.asarray(values, stream=stream)
    for function in (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.eq, operator.ne):
        with numpy.errstate(all="ignore"):
            for operands in ((array, other), (other, array)):
                found, wanted = function(*operands), function(*[values if each is array else each for each in operands])
                assert isinstance(found, yoke.Array) and found.dtype == wanted.dtype
                numpy.testing.assert_array_equal(found.to_numpy(), wanted)


def test_lists_that_are_no_operands(stream):
    array = yoke.ones(3, stream=stream)
    for other, error in ((["a", "b", "c"], TypeError), ([1, 2], ValueError), ([[1], [2, 3]], ValueError), ([None] * 3, TypeError)):
        for function in (operator.add, operator.lt, operator.eq):
            with pytest.raises(error):
                function(array, other)
            with pytest.raises(error):
                function(other, array)


def test_lists_in_place(stream):
    """What is assigned may be a list, and so may what is added to it."""
    for change in (lambda a: a.__iadd__([1, 2, 3, 4]), lambda a: a.__imul__((2,)), lambda a: a.__isub__([[1], [2]][1])):
        values = numpy.arange(4)
        array = yoke.asarray(values, stream=stream)
        assert change(array).tolist() == change(values).tolist() == array.tolist()
    values = numpy.arange(4.0, dtype="float32")
    array = yoke.asarray(values, stream=stream)
    for operand in ([1], [10, 20], (0.5,)):
        values[values > 1] += operand
        array[array > 1] += operand
        assert array.tolist() == values.tolist()
    for wrong, error in (([1.5], TypeError), (["a"], TypeError), ([1, 2, 3], ValueError), ([2**70], TypeError)):
        whole = yoke.zeros(4, "int32", stream=stream)
        with pytest.raises(error):
            whole += wrong


def test_complement_is_of_integers(stream):
    for dtype in ("float16", "float32", "complex64"):
        with pytest.raises(TypeError, match=f"~ is for integers and bool, not for {dtype}"):
            ~yoke.ones(3, dtype, stream=stream)
    assert (~yoke.asarray(numpy.array([0, -1, 7], "int8"), stream=stream)).tolist() == [-1, 0, -8]
