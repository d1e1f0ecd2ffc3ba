# SPDX-License-Identifier: Apache-2.0
"""Reductions and scans by functions of the caller's own, and functions in the epilogue of a product."""

import functools

import numpy
import pytest

import yoke


@yoke.function
def together(a, b):
    return (a * b) % 10007


NUMBERS = numpy.random.default_rng(3).integers(1, 10007, (7, 1300))


def test_reduce_by_function():
    x = yoke.asarray(NUMBERS)
    wanted = functools.reduce(together, NUMBERS.ravel().tolist(), 5)
    assert yoke.reduce(together, x, initial=5).item() == wanted
    assert yoke.reduce("a * b % 10007", x, initial=5).item() == wanted
    rows = yoke.reduce(lambda p, q: p * q % 10007, x, 1, initial=5)
    assert rows.dtype == "int64" and rows.shape == (7,)
    assert rows.tolist() == [functools.reduce(together, row, 5) for row in NUMBERS.tolist()]
    out = yoke.zeros((7, 1), dtype="int64")
    assert yoke.reduce(together, x, 1, initial=1, out=out, keepdims=True) is out
    assert out.ravel().tolist() == [functools.reduce(together, row, 1) for row in NUMBERS.tolist()]


def test_reduce_of_nothing_and_of_no_axes():
    assert yoke.reduce(lambda a, b: a + b, yoke.zeros((3, 0)), 1, initial=2.5).tolist() == [2.5] * 3
    assert yoke.reduce("a + b", yoke.ones(2), (), initial=2.5).tolist() == [3.5] * 2


def test_floats_have_the_bits_of_sums():
    x = yoke.asarray(numpy.random.default_rng(4).random(9001, numpy.float32))
    assert yoke.reduce("a + b", x, initial=0.0).item() == yoke.reduce("sum", x).item()


def test_scan_by_function():
    marks = numpy.where(NUMBERS[0] % 5 == 0, NUMBERS[0], 0).astype(numpy.int32)
    wanted = list(marks)
    for i in range(len(wanted)):
        wanted[i] = marks[i] if marks[i] != 0 else wanted[i - 1] if i else -1
    assert yoke.scan(lambda a, b: b if b != 0 else a, yoke.asarray(marks), initial=-1).tolist() == wanted
    before = yoke.scan(lambda a, b: b if b != 0 else a, yoke.asarray(marks), initial=-1, exclusive=True)
    assert before.tolist() == [-1, *wanted[:-1]]


def test_initial_of_reductions_by_name():
    x = yoke.asarray(numpy.array([[3, 1], [2, 5]], numpy.int32))
    assert yoke.reduce("sum", x, 0, initial=10).tolist() == [15, 16]
    assert x.max(initial=9).item() == 9
    with pytest.raises(TypeError, match="the methods min and max take it"):
        yoke.reduce("max", x, initial=9)  # which leaves NaN out


def test_epilogue_by_function():
    a = numpy.arange(12, dtype=numpy.float32).reshape(3, 4) - 6
    bias = numpy.arange(3, dtype=numpy.float32)
    wanted = numpy.maximum(a @ a.T + bias, 0)
    found = yoke.matmul(yoke.asarray(a), yoke.asarray(a.T.copy()), epilogue=lambda value, bias: max(value + bias, 0),
                        bias=yoke.asarray(bias))
    assert found.tolist() == wanted.tolist()


def test_map_by_function():
    x, y = yoke.asarray(NUMBERS[0, :100].astype(numpy.float32)), yoke.ones(100)
    yoke.map(lambda a, x, y: a * x + y, out=y, a=2.0, x=x, y=y)
    assert y.tolist() == (2 * x + 1).tolist()
    whole = yoke.zeros(100, dtype="int32")
    yoke.map(lambda x: int(x) // 2, out=whole, x=x)
    assert whole.tolist() == (NUMBERS[0, :100] // 2).tolist()


def test_keys_of_sorts():
    x = numpy.array([[3, -5, 1], [-2, 2, -1]], numpy.int32)
    assert yoke.sort(x, key=lambda v: abs(v)).tolist() == [sorted(row, key=abs) for row in x.tolist()]
    assert yoke.sort(x, 0, key=lambda v: -v, descending=True).tolist() == numpy.sort(x, 0).tolist()
    assert yoke.argsort(x, None, key=lambda v: abs(v)).tolist() == numpy.argsort(abs(x), None, kind="stable").tolist()


@pytest.mark.parametrize("call, kind, words", [
    (lambda x: yoke.reduce(together, x), TypeError, "initial"),
    (lambda x: yoke.reduce(together, x, initial=0.5), TypeError, "initial"),
    (lambda x: yoke.reduce(lambda a: a, x, initial=0), yoke.KernelError, "two values"),
    (lambda x: yoke.reduce(abs, x, initial=0), yoke.KernelError, "abs"),
    (lambda x: yoke.reduce(lambda a, b: a / b, x, initial=0), yoke.KernelError, "another dtype"),
    (lambda x: yoke.reduce("a +", x, initial=0), yoke.InvalidArgumentError, "\\^"),
    (lambda x: yoke.reduce("mean", x, initial=0), TypeError, "initial"),
    (lambda x: yoke.reduce("summ", x, initial=0), (TypeError, ValueError), "summ"),
    (lambda x: yoke.scan("sum", x, initial=0), TypeError, "initial"),
    (lambda x: yoke.scan(together, x), TypeError, "initial"),
    (lambda x: yoke.map(lambda x: x + 1, x=x), TypeError, "evaluate"),
    (lambda x: yoke.map(lambda x: x / 2, out=x, x=x), TypeError, "floats"),
    (lambda x: yoke.map(lambda out: out, out=x), yoke.KernelError, "out"),
    (lambda x: yoke.sort(x, key="abs"), TypeError, "key"),
    (lambda x: yoke.argsort(x, key=lambda a, b: a), TypeError, "one element"),
])
def test_mistakes(call, kind, words):
    with pytest.raises(kind, match=words):
        call(yoke.asarray(NUMBERS[0, :10]))
