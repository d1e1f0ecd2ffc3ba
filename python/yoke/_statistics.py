# SPDX-License-Identifier: Apache-2.0
"""Reductions, sums of all before, and sets of values, as the standard has them. Those that NumPy has take the same arguments in
NumPy's order where the methods of an Array do."""

from collections import namedtuple

from . import _core
from ._core import array_from as _array_from
from ._elementwise import _kind


def sum(x, /, axis=None, dtype=None, out=None, *, keepdims=False, initial=None, where=True):
    """The sum, along an axis, a tuple of axes, or all (None); of integers as int64 or uint64. dtype: that it is made in; initial: a
    number that is added; where: a mask of the elements that count."""
    return _array_from(x).sum(axis, dtype, out, keepdims=keepdims, initial=initial, where=where)


def prod(x, /, axis=None, dtype=None, out=None, *, keepdims=False, initial=None, where=True):
    """The product, as sum."""
    return _array_from(x).prod(axis, dtype, out, keepdims=keepdims, initial=initial, where=where)


def mean(x, /, axis=None, dtype=None, out=None, *, keepdims=False, where=True):
    """The mean."""
    return _array_from(x).mean(axis, dtype, out, keepdims=keepdims, where=where)


def var(x, /, axis=None, dtype=None, out=None, ddof=0, *, correction=None, keepdims=False, where=True):
    """The variance; the sum of squares is divided by n - correction, which NumPy calls ddof, too."""
    return _array_from(x).var(axis, dtype, out, _degrees(ddof, correction), keepdims=keepdims, where=where)


def std(x, /, axis=None, dtype=None, out=None, ddof=0, *, correction=None, keepdims=False, where=True):
    """The standard deviation: the square root of var."""
    return _array_from(x).std(axis, dtype, out, _degrees(ddof, correction), keepdims=keepdims, where=where)


def _degrees(ddof, correction):
    for name, value in (("ddof", ddof), ("correction", correction)):
        if isinstance(value, str):
            raise TypeError(f"{name} is a number, not {_core.shown(value)}")
    if correction is None:
        return ddof
    if ddof:
        raise ValueError("ddof and correction are two names of one thing: give one of them")
    return correction


def min(x, /, axis=None, out=None, *, keepdims=False, initial=None, where=True):
    """The smallest element; NaN where one is. where: a mask of the elements that count; initial: a number beside them."""
    return _array_from(x).min(axis, out, keepdims=keepdims, initial=initial, where=where)


def max(x, /, axis=None, out=None, *, keepdims=False, initial=None, where=True):
    """The largest element; NaN where one is."""
    return _array_from(x).max(axis, out, keepdims=keepdims, initial=initial, where=where)


def any(x, /, axis=None, out=None, *, keepdims=False, where=True):
    """Whether an element is not 0."""
    return _array_from(x).any(axis, out, keepdims=keepdims, where=where)


def all(x, /, axis=None, out=None, *, keepdims=False, where=True):
    """Whether no element is 0."""
    return _array_from(x).all(axis, out, keepdims=keepdims, where=where)


def argmin(x, /, axis=None, out=None, *, keepdims=False):
    """The position of the first smallest element, or of the first NaN, int64."""
    return _array_from(x).argmin(axis, out, keepdims=keepdims)


def argmax(x, /, axis=None, out=None, *, keepdims=False):
    """The position of the first largest element, or of the first NaN, int64."""
    return _array_from(x).argmax(axis, out, keepdims=keepdims)


def _cumulative(method, start, x, axis, dtype, include_initial):
    array = _array_from(x)
    if axis is None:
        if array.ndim != 1:
            raise ValueError(f"an array of {array.ndim} dimensions has no axis of its own for this: give axis")
        axis = 0
    result = method(array, axis, dtype)
    if not include_initial:
        return result
    shape = list(result.shape)
    shape[axis] = 1
    return _core.concatenate([_core.full(shape, start, result.dtype, stream=result.stream), result], axis)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """The sums of all elements up to each along an axis, which an array of one dimension need not name; with include_initial 0
    stands before them."""
    return _cumulative(_core.cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """The products of all elements up to each; with include_initial 1 stands before them."""
    return _cumulative(_core.cumprod, 1, x, axis, dtype, include_initial)


# ---- Sets ----

_All = namedtuple("unique_all_result", "values indices inverse_indices counts")
_Counts = namedtuple("unique_counts_result", "values counts")
_Inverse = namedtuple("unique_inverse_result", "values inverse_indices")


def _order(flat):
    """The positions that sort; complex numbers by their real parts, and equal ones by the imaginary. + 0: -0.0 is 0.0."""
    if _kind(flat) != "c":
        return _core.argsort(flat + 0 if _kind(flat) == "f" else flat)
    order = _core.argsort(flat.imag + 0)
    return _core.take(order, _core.argsort(_core.take(flat.real + 0, order)))


def _groups(x):
    """Of the flattened array: it, the positions that sort it, where in this order a value begins that is not the one before (NaN is
    no other NaN), and how many elements each value has."""
    flat = _array_from(x).reshape(-1)
    order = _order(flat)
    ordered = _core.take(flat, order)
    news = _core.full(flat.shape, True, stream=flat.stream)
    if flat.size > 1:
        news[1:] = ordered[1:] != ordered[:-1]
    starts = _core.arange(flat.size, stream=flat.stream)[news]
    ends = _core.full(starts.shape, flat.size, "int64", stream=flat.stream)
    ends[:-1] = starts[1:]
    return flat, order, news, starts, ends - starts


def _inverse(shape, order, news):
    """For each element of the array the number of its value."""
    result = _core.empty(order.shape, "int64", stream=order.stream)
    if order.size:
        _core.scatter(result, order, _core.cumsum(news.astype("int64"), 0) - 1)
    return result.reshape(shape)


def unique_all(x, /):
    """The sorted values, each once; the position in the flattened array where each is first; for each element the number of its
    value; how often each is there. Each NaN is a value of its own. Waits for their number."""
    flat, order, news, starts, counts = _groups(x)
    first = _core.take(order, starts)
    return _All(_core.take(flat, first), first, _inverse(_array_from(x).shape, order, news), counts)


def unique_counts(x, /):
    """The sorted values, each once, and how often each is there."""
    flat, order, _, starts, counts = _groups(x)
    return _Counts(_core.take(flat, _core.take(order, starts)), counts)


def unique_inverse(x, /):
    """The sorted values, each once, and for each element the number of its value."""
    flat, order, news, starts, _ = _groups(x)
    return _Inverse(_core.take(flat, _core.take(order, starts)), _inverse(_array_from(x).shape, order, news))


def unique_values(x, /):
    """The sorted values, each once."""
    flat, order, _, starts, _ = _groups(x)
    return _core.take(flat, _core.take(order, starts))
