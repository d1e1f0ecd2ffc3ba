# SPDX-License-Identifier: Apache-2.0
"""Reductions that leave NaN out. Integers have none, and go to the plain functions."""

from .. import _core
from . import _common, _reductions
from ._common import array_of as _array_of
from ._common import evaluate as _evaluate
from ._common import into as _into
from ._common import kind_of as _kind

__all__ = ["nan_to_num", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd",
           "nansum", "nanvar"]


def _is_nan(a):
    return _evaluate("isnan(real(a)) || isnan(imag(a))" if _kind(a) == "c" else "isnan(a)", "bool", a=a)


def _filled(a, value):
    """The array with a value in place of NaN."""
    a = _array_of(a)
    if _kind(a) not in "fc":
        return a
    return _core.where(_is_nan(a), _core.full((), value, a.dtype, stream=a.stream), a)


def _valid(a, where):
    """The mask of what counts: True where all does."""
    if _kind(a) not in "fc":
        return where
    good = ~_is_nan(a)
    return good if where is True else good & _array_of(where, stream=a.stream)


def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The sum of what is not NaN."""
    return _reductions.sum(_filled(a, 0), axis, dtype, out, keepdims, initial, where)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The product of what is not NaN."""
    return _reductions.prod(_filled(a, 1), axis, dtype, out, keepdims, initial, where)


def nancumsum(a, axis=None, dtype=None, out=None):
    """The sums of all up to each that is not NaN."""
    return _reductions.cumsum(_filled(a, 0), axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """The products of all up to each that is not NaN."""
    return _reductions.cumprod(_filled(a, 1), axis, dtype, out)


def _extreme(name, a, axis, out, keepdims, initial, where):
    """The extreme of all but NaN; NaN where nothing else is."""
    a = _array_of(a)
    function = getattr(_reductions, name)
    if _kind(a) != "f" or not a.size:
        return function(a, axis, out, keepdims, initial, where)
    worst = float("inf") if name == "min" else -float("inf")
    result = function(_filled(a, worst), axis, None, keepdims, initial, where)
    if initial is None:
        nothing = _reductions.all(_is_nan(a), axis, keepdims=keepdims)
        result = _evaluate("none ? (r - r) / (r - r) : r", a.dtype, none=nothing, r=result)
    return _into(result, out)


def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The largest element that is not NaN; NaN where all are."""
    return _extreme("max", a, axis, out, keepdims, initial, where)


def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The smallest element that is not NaN; NaN where all are."""
    return _extreme("min", a, axis, out, keepdims, initial, where)


def _position(name, a, axis, out, keepdims):
    a = _array_of(a)
    worst = float("inf") if name == "argmin" else -float("inf")
    if _kind(a) == "f" and a.size and _reductions.any(_reductions.all(_is_nan(a), axis)).item():
        raise ValueError(f"nan{name}: a part of the array is all NaN")
    return getattr(_reductions, name)(_filled(a, worst), axis, out, keepdims=keepdims)


def nanargmax(a, axis=None, out=None, *, keepdims=False):
    """The position of the largest element that is not NaN; waits, since ValueError tells of a part that is all NaN."""
    return _position("argmax", a, axis, out, keepdims)


def nanargmin(a, axis=None, out=None, *, keepdims=False):
    """The position of the smallest element that is not NaN; waits, since ValueError tells of a part that is all NaN."""
    return _position("argmin", a, axis, out, keepdims)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The mean of what is not NaN."""
    a = _array_of(a)
    return _reductions.mean(_filled(a, 0), axis, dtype, out, keepdims, where=_valid(a, where))


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """The variance of what is not NaN."""
    a = _array_of(a)
    return _reductions.var(_filled(a, 0), axis, dtype, out, ddof, keepdims, where=_valid(a, where), mean=mean,
                           correction=correction)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """The standard deviation of what is not NaN."""
    a = _array_of(a)
    return _reductions.std(_filled(a, 0), axis, dtype, out, ddof, keepdims, where=_valid(a, where), mean=mean,
                           correction=correction)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """NaN as 0 or another number, and infinities as the largest numbers of the dtype or others. copy=False: in the array itself."""
    a = _array_of(x)
    if _kind(a) not in "fc":
        return a.copy() if copy else a
    from .._types import finfo

    limits = finfo(a.dtype)
    wide = "float32" if str(a.dtype) in ("float16", "bfloat16") else _common.real_dtype(a)
    numbers = {name: _array_of(value, stream=a.stream).astype(wide)
               for name, value in (("q", nan), ("h", limits.max if posinf is None else posinf),
                                   ("l", limits.min if neginf is None else neginf))}
    if _core.broadcast_shape([a.shape, *[each.shape for each in numbers.values()]]) != a.shape:
        raise ValueError(f"nan_to_num: numbers of shapes that are broadcast to that of the array, {tuple(a.shape)}, are wanted")
    text = "({0} != {0} ? q : isinf({0}) ? ({0} > 0 ? h : l) : {0})"
    if _kind(a) == "c":
        text = f"x = real(a); y = imag(a); complex({text.format('x')}, {text.format('y')})"
    result = _evaluate(text.format("a"), a.dtype, a=a, **numbers)
    if copy:
        return result
    a[...] = result
    return a

