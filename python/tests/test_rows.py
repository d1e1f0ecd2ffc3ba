# SPDX-License-Identifier: Apache-2.0
"""Expressions that reduce along an axis and go on with the result, and scipy.special's functions of that kind."""

import numpy
import pytest

import yoke

VALUES = numpy.sin(numpy.arange(3 * 5 * 70, dtype=numpy.float32)).reshape(3, 5, 70) * 30


def softmax(x, axis):
    x = x.astype(numpy.float64)
    e = numpy.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@pytest.mark.parametrize("axis", [-1, 0, (0, 2), None])
def test_softmax(axis):
    a = yoke.asarray(VALUES)
    wanted = softmax(VALUES, axis)
    result = yoke.softmax(a, axis)
    assert result.shape == VALUES.shape and result.dtype == numpy.float32
    numpy.testing.assert_allclose(yoke.to_numpy(result), wanted, rtol=2e-5, atol=1e-37)
    numpy.testing.assert_allclose(yoke.to_numpy(yoke.log_softmax(a, axis)), numpy.log(wanted), rtol=2e-5, atol=2e-5)
    largest = VALUES.astype(numpy.float64).max(axis, keepdims=True)
    wanted = numpy.log(numpy.exp(VALUES - largest).sum(axis, keepdims=True)) + largest
    numpy.testing.assert_allclose(yoke.to_numpy(yoke.logsumexp(a, axis, keepdims=True)), wanted, rtol=1e-5)
    assert yoke.logsumexp(a, axis).shape == numpy.max(VALUES, axis).shape


def test_no_axis():
    """Every element is a row of its own."""
    x = numpy.float32([[0.5, 2], [1, -3]])
    for keepdims in (False, True):
        numpy.testing.assert_array_equal(yoke.logsumexp(x, (), keepdims=keepdims).to_numpy(), x)
    numpy.testing.assert_allclose(yoke.logsumexp(x, (), yoke.asarray([1, 2])).to_numpy(), x + numpy.log([1, 2]), rtol=1e-6)
    assert yoke.softmax(x, ()).tolist() == [[1, 1], [1, 1]]


def test_dtypes():
    halves = yoke.asarray(VALUES).astype("float16")
    assert yoke.softmax(halves, -1).dtype == numpy.float16
    short = halves.astype("bfloat16")
    for function in (yoke.softmax, yoke.log_softmax, yoke.logsumexp):
        assert str(function(short, -1).dtype) == "bfloat16"
    assert yoke.softmax(yoke.asarray([1, 2, 3]), -1).dtype in (numpy.float32, numpy.float64)
    numpy.testing.assert_allclose(yoke.to_numpy(yoke.softmax([1, 2, 3])), softmax(numpy.array([1, 2, 3]), None), rtol=1e-6)


def test_infinities():
    inf, nan = numpy.inf, numpy.nan
    rows = yoke.asarray([[-inf, -inf], [inf, 1], [1, nan], [-inf, 2]], dtype="float32")
    numpy.testing.assert_array_equal(yoke.to_numpy(yoke.logsumexp(rows, 1)), numpy.array([-inf, inf, nan, 2], numpy.float32))
    numpy.testing.assert_array_equal(yoke.to_numpy(yoke.softmax(rows, 1))[1:],
                                     numpy.array([[nan, nan], [nan, nan], [0, 1]], numpy.float32))


def test_weights():
    a = yoke.asarray([[1.0, 2.0, 1000.0], [0.0, 1.0, 2.0]], dtype="float32")
    b = yoke.asarray([2.0, 1.0, 0.0], dtype="float32")
    wanted = numpy.log(2 * numpy.exp([1, 0]) + numpy.exp([2, 1]))
    numpy.testing.assert_allclose(yoke.to_numpy(yoke.logsumexp(a, 1, b)), wanted, rtol=1e-6)
    with pytest.raises(NotImplementedError, match="return_sign"):
        yoke.logsumexp(a, 1, b, return_sign=True)


def test_results_have_the_bits_of_the_methods():
    a = yoke.asarray(VALUES)
    assert yoke.to_numpy(yoke.evaluate("sum(x)", axis=-1, x=a)).tobytes() == yoke.to_numpy(a.sum(-1)).tobytes()
    assert yoke.to_numpy(yoke.evaluate("mean(x)", axis=(0, 1), x=a)).tobytes() == yoke.to_numpy(a.mean((0, 1))).tobytes()
    wanted = a - a.mean(-1, keepdims=True)
    assert yoke.to_numpy(yoke.evaluate("x - mean(x)", axis=-1, x=a)).tobytes() == yoke.to_numpy(wanted).tobytes()


def test_shapes():
    x, y = yoke.asarray(VALUES[0]), yoke.asarray(VALUES[1])
    apart = yoke.evaluate("sqrt(sum((x - y) * (x - y)))", axis=-1, x=x[:, None], y=y)
    wanted = numpy.linalg.norm((VALUES[0][:, None] - VALUES[1]).astype(numpy.float64), axis=-1)
    numpy.testing.assert_allclose(yoke.to_numpy(apart), wanted, rtol=1e-5)
    assert yoke.evaluate("max(x)", axis=0, keepdims=True, x=x).shape == (1, 70)
    assert yoke.evaluate("any(x > 1000)", axis=0, x=x).dtype == bool
    assert yoke.to_numpy(yoke.evaluate("sum(x)", axis=0, x=yoke.zeros((0, 4), dtype="int32"))).tolist() == [0] * 4
    assert yoke.evaluate("s = sum(x); x * s", axis=1, x=x).shape == x.shape


def test_mistakes():
    a = yoke.asarray(VALUES)
    with pytest.raises(yoke.InvalidArgumentError, match="nothing is reduced along the axes"):
        yoke.evaluate("x * 2", axis=0, x=a)
    with pytest.raises(yoke.InvalidArgumentError, match="evaluate with axis="):
        yoke.evaluate("x / sum(x)", x=a)
    with pytest.raises(ValueError, match="named twice"):
        yoke.evaluate("sum(x)", axis=(0, -3), x=a)
    with pytest.raises(ValueError, match="names no axis"):
        yoke.evaluate("sum(x)", axis=(), x=a)
    with pytest.raises(TypeError, match="keepdims goes with axis"):
        yoke.evaluate("x", keepdims=True, x=a)
    for options in ({}, {"axis": 0}):
        with pytest.raises(TypeError, match="yoke.map"):
            yoke.evaluate("x + x", x=a, out=a, **options)
    with pytest.raises(TypeError, match="as a str"):
        yoke.evaluate(lambda x: x, axis=0, x=a)
    with pytest.raises((IndexError, ValueError)):
        yoke.softmax(a, 3)


@pytest.mark.parametrize("shape, axis", [((5, 1), 1), ((1, 1, 1), 1), ((2, 3, 1), -1), ((1, 4), 0)])
def test_rows_of_one_element_keep_their_axis(shape, axis):
    x = yoke.ones(shape)
    assert yoke.softmax(x, axis).shape == yoke.log_softmax(x, axis).shape == shape
    assert yoke.evaluate("x / sum(x)", axis=axis, x=x).shape == shape
    assert yoke.softmax(yoke.ones(4).broadcast_to((3, 4)), 0).tolist() == [[numpy.float32(1 / 3).item()] * 4] * 3


def test_large_integers_are_subtracted_before_they_are_floats():
    x = yoke.asarray(numpy.array([2**62, 2**62 + 5, 3]))
    numpy.testing.assert_allclose(yoke.softmax(x).tolist(), [0.0066928509, 0.9933071491, 0], rtol=1e-6)
    numpy.testing.assert_allclose(yoke.log_softmax(x).tolist()[:2], [-5.0067153485, -0.0067153485], rtol=1e-6)
    for dtype in ("int32", "int64"):  # whose difference the dtype does not hold
        least, most = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
        x = yoke.asarray(numpy.array([least, most, most - 1, 0], dtype))
        numpy.testing.assert_allclose(yoke.softmax(x).tolist(), [0, 0.7310585786, 0.2689414214, 0], rtol=1e-6)
        logarithms = [float(least) - most, -0.3132616875, -1.3132616875, -float(most)]
        numpy.testing.assert_allclose(yoke.log_softmax(x).tolist(), logarithms, rtol=1e-6)
