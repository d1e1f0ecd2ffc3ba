# SPDX-License-Identifier: Apache-2.0
"""Lambdas and @yoke.function in the place of expressions."""

import math

import numpy
import pytest

import yoke
from kernel_samples import limited, sign, turned, wants_double

POWER = 2


@yoke.function
def distance(x, y):
    d = abs(x - y)
    return math.sqrt(d) if d > 1 else d


@yoke.function
def told(x):
    print(x)
    return x


@yoke.function
def sure(x):
    assert x > 0
    return x


@pytest.fixture(scope="module")
def x():
    return numpy.arange(12, dtype=numpy.float32) * 0.5 - 2


def test_evaluate(x):
    a, y = yoke.asarray(x), yoke.arange(12, dtype="int32")
    shift = 0.25
    cases = [
        (lambda x, y: (x - y) ** POWER, (x - numpy.arange(12)) ** 2),
        (lambda x, y: x / 2 + shift if y % 3 == 1 else -x, numpy.where(numpy.arange(12) % 3 == 1, x / 2 + shift, -x)),
        (lambda x, y: (y - 6) // 4 * 10 + (y - 6) % 4 - sign(x),  # Python's, of negative numbers, too
         (numpy.arange(12) - 6) // 4 * 10 + (numpy.arange(12) - 6) % 4 - numpy.sign(x)),
    ]
    for function, expected in cases:
        numpy.testing.assert_allclose(yoke.evaluate(function, x=a, y=y).to_numpy(), expected, rtol=1e-6)
    truth = yoke.evaluate(lambda x, k: 0 < x <= 2 and x != k, x=a, k=1)
    assert truth.dtype == "bool" and truth.tolist() == ((x > 0) & (x <= 2) & (x != 1)).tolist()
    assert yoke.evaluate(limited, x=a, low=-1.0, high=1.0).tolist() == numpy.clip(x, -1, 1).tolist()


def test_reductions_and_selection(x):
    a, b = yoke.asarray(x), yoke.asarray(x[::-1].copy())
    d = abs(x - x[::-1])
    expected = numpy.where(d > 1, numpy.sqrt(d), d).sum()
    assert yoke.map_reduce("sum", distance, x=a, y=b).item() == pytest.approx(expected, rel=1e-6)
    assert yoke.select_where(a, lambda x, low: x > low, x=a, low=1.0).tolist() == x[x > 1].tolist()
    offsets = yoke.asarray(numpy.array([0, 4, 12]))
    assert yoke.map_reduce_segments("sum", lambda x: 2 * x, offsets, x=a).tolist() == [2 * x[:4].sum(), 2 * x[4:].sum()]


def test_double(x):
    wants_double()
    a = yoke.asarray(x.astype(float))
    assert yoke.evaluate(lambda x, y: x / 3 + y, x=a, y=0.1).tolist() == (x.astype(float) / 3 + 0.1).tolist()


@yoke.function
def of_array(x: yoke.Array["float32"]):
    return x[0]


def test_a_bool():
    assert yoke.evaluate(lambda x, b: x if b else -x, x=yoke.ones(2), b=False).tolist() == [-1, -1]


@pytest.mark.parametrize("call, error, text", [
    (lambda a: yoke.evaluate(lambda x, y: x, x=a), yoke.KernelError, "y lacks a value"),
    (lambda a: yoke.evaluate(lambda x: x, x=a, y=a), yoke.KernelError, "there is no parameter y"),
    (lambda a: yoke.evaluate(lambda x: x.shape, x=a), yoke.KernelError, "has no shape in a kernel"),
    (lambda a: yoke.evaluate(lambda x: yoke.grid(1), x=a), yoke.KernelError, "yoke.grid is for kernels"),
    (lambda a: yoke.evaluate(lambda x: yoke.thread.x, x=a), yoke.KernelError, "yoke.thread.x is for kernels"),
    (lambda a: yoke.evaluate(turned, x=a, y=a, angle=1.0), yoke.KernelError, "returns one number"),
    (lambda a: yoke.evaluate(told, x=a), yoke.KernelError, "print is for kernels"),
    (lambda a: yoke.evaluate(sure, x=a), yoke.KernelError, "assert is for kernels"),
    (lambda a: yoke.evaluate(lambda x: nothing, x=a), yoke.KernelError, "nothing is not defined"),
    (lambda a: yoke.evaluate(lambda x: "text", x=a), yoke.KernelError, "a string is not part of kernels"),
    (lambda a: yoke.evaluate(lambda *x: x[0], x=a), yoke.KernelError, "the parameters of a lambda in an expression are plain"),
    (lambda a: yoke.evaluate(of_array, x=a), yoke.KernelError, "takes the elements, and no array"),
    (lambda a: yoke.evaluate(lambda x: x, x=yoke.zeros(3, "complex64")), yoke.KernelError, "takes real numbers"),
    (lambda a: yoke.evaluate(lambda x, y: x, x=a, y="text"), yoke.KernelError, "takes Arrays and numbers, not str"),
    (lambda a: yoke.evaluate(eval("lambda x: x"), x=a), yoke.KernelError, "the source of this lambda is not there"),
    (lambda a: yoke.evaluate(len, x=a), TypeError, "a str, a lambda or a @yoke.function"),
    (lambda a: yoke.evaluate(3, x=a), TypeError, "an expression is a str"),
])
def test_mistakes(call, error, text):
    with pytest.raises(error, match=text):
        call(yoke.ones(3))


def test_place_of_a_lambda():
    with pytest.raises(yoke.KernelError) as failure:
        yoke.evaluate(lambda x: x + sorted(x), x=yoke.ones(3))
    assert str(failure.value).endswith("    yoke.evaluate(lambda x: x + sorted(x), x=yoke.ones(3))\n" + " " * 32 + "^" * 9)


def without_columns(function):
    """As with -X no_debug_ranges; Python 3.12 has no columns for a lambda that is a constant."""
    units = len(function.__code__.co_code) // 2
    table = b"".join(bytes([0x80 | 13 << 3 | min(8, units - first) - 1, 0]) for first in range(0, units, 8))
    function.__code__ = function.__code__.replace(co_linetable=table)
    return function


def test_a_lambda_without_columns():
    two, alike, other = [without_columns(each) for each in (lambda x: 2, lambda x: 3 * x, lambda x: 3 * x + POWER)]
    a = yoke.ones(3)
    assert yoke.evaluate(two, x=a).tolist() == [2, 2, 2]
    assert yoke.evaluate(alike, x=a).tolist() == [3, 3, 3] and yoke.evaluate(other, x=a).tolist() == [5, 5, 5]
    both = [without_columns(each) for factor in (2,) for each in (lambda x: factor * x, lambda x: x - factor)]
    with pytest.raises(yoke.KernelError, match="the source of this lambda is not there"):
        yoke.evaluate(both[0], x=a)
