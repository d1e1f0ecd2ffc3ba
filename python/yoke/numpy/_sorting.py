# SPDX-License-Identifier: Apache-2.0
"""Order and sets. Every sort is stable, NaN is last, and complex numbers are sorted by the real part and then the imaginary."""

import numpy as _host

from .. import _core, _positions, _statistics
from . import _common
from ._common import array_of as _array_of
from ._common import arrays_of as _arrays_of
from ._common import axis_of as _axis_of
from ._common import kind_of as _kind
from ._common import refuse as _refuse
from ._common import together as _together

__all__ = ["argpartition", "argsort", "in1d", "intersect1d", "isin", "lexsort", "partition", "searchsorted", "setdiff1d",
           "setxor1d", "sort", "sort_complex", "union1d", "unique", "unique_all", "unique_counts", "unique_inverse",
           "unique_values"]


def _check_sort(name, kind, order, stable):
    _refuse(name, kind=kind, fields=order)
    if kind is not None and stable is not None:
        raise ValueError(f"{name}: kind and stable both say how to sort: name one of them")


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """A sorted copy along an axis; None: of the flattened array."""
    _check_sort("sort", kind, order, stable)
    a = _array_of(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    if not a.ndim:
        raise _core.axis_error(axis, 0)
    if _kind(a) == "c":
        return _positions.take_along_axis(a, argsort(a, axis), axis)
    return _core.sort(a, axis)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """The positions that sort along an axis; None: of the flattened array."""
    _check_sort("argsort", kind, order, stable)
    a = _array_of(a)
    if axis is None:
        a, axis = a.reshape(-1), 0
    a = a if a.ndim else a.reshape(1)
    if _kind(a) == "c":
        return lexsort((a.imag, a.real), axis)
    return _core.argsort(a, axis)


def sort_complex(a):
    """A sorted copy along the last axis, as complex numbers."""
    a = sort(a, -1)
    if _kind(a) == "c":
        return a
    return a.astype("complex64" if str(a.dtype) in ("int8", "int16", "uint8", "uint16") else "complex128")


def lexsort(keys, axis=-1):
    """The positions that sort by the last of several keys, by the one before among equal ones, and so on."""
    keys = list(_array_of(keys)) if hasattr(keys, "shape") else _arrays_of(*keys)
    if not keys:
        raise TypeError("lexsort takes one key or more")
    if not keys[0].ndim:
        return _core.zeros((), "int64", stream=keys[0].stream)
    axis = _axis_of(axis, keys[0].ndim)
    order = argsort(keys[0], axis)
    for key in keys[1:]:
        order = _positions.take_along_axis(order, argsort(_positions.take_along_axis(key, order, axis), axis), axis)
    return order


def _parted(name, a, kth, kind, order):
    _refuse(name, introselect=kind, fields=order)
    extents = _common.on_host(kth)
    if extents.dtype.kind not in "iu":
        raise TypeError(f"kth is an integer, or several, not {extents.dtype}")
    return _array_of(a), extents.reshape(-1).tolist()


def _check_kth(kth, extent):
    for each in kth:
        if not -extent <= each < extent:
            raise ValueError(f"kth={each} is not in an axis of {extent} elements")


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy with the element that a sort puts at kth there, none larger before and none smaller behind: a whole sort."""
    a, kth = _parted("partition", a, kth, kind, order)
    if axis is None:
        a, axis = a.reshape(-1), 0
    _check_kth(kth, a.shape[_axis_of(axis, a.ndim)])
    return sort(a, axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The positions of partition: those of a whole sort."""
    a, kth = _parted("argpartition", a, kth, kind, order)
    if axis is None or not a.ndim and axis in (0, -1):
        a, axis = a.reshape(-1), 0
    _check_kth(kth, a.shape[_axis_of(axis, a.ndim)])
    return argsort(a, axis)


def searchsorted(a, v, side="left", sorter=None):
    """Where values belong in an ascending array: before equal elements ("left") or behind them ("right")."""
    return placed(*_ordered(a, v), side, sorter)


def _ordered(a, v):
    """Both as arrays that can be compared: of one dtype, but for uint64 beside signed integers, which none of theirs holds."""
    a, v = [each if type(each) in _common.PLAIN else _array_of(each) for each in (a, v)]
    if type(a) in _common.PLAIN or type(v) in _common.PLAIN or not _is_mixed(a, v):
        a, v = _together(a, v)
    return [each.astype("uint8") if _kind(each) == "b" else each for each in (a, v)]


def _is_mixed(a, v):
    return {_kind(a), _kind(v)} == {"i", "u"} and "uint64" in (str(a.dtype), str(v.dtype))


def placed(a, v, side, sorter=None):
    """searchsorted of what _ordered gives. Zeros of either sign are one number, although sorts put -0.0 first."""
    if _kind(a) == "f":
        a, v = [_common.evaluate("x == 0 ? 0 : x", str(each.dtype), x=each) for each in (a, v)]
    if not _is_mixed(a, v):
        return _statistics.places(a, v, side, sorter)
    if _kind(v) == "i":
        found = _statistics.places(a, _common.evaluate("x < 0 ? 0 : x", "uint64", x=v), side, sorter)
        return _common.evaluate("x < 0 ? 0 : f", "int64", x=v, f=found)
    most = _host.uint64(2**63 - 1)
    held = _common.evaluate("x > m ? m : x", "uint64", x=v, m=most).astype("int64")
    found = _statistics.places(a.astype("int64"), held, side, sorter)
    return _common.evaluate("x > m ? n : f", "int64", x=v, m=most, n=a.size, f=found)


def _has(others, element):
    """Whether each element is one of others, which are sorted."""
    places = placed(others, element.reshape(-1), "left").clip(0, others.size - 1)
    found = _core.take(others, places, 0).reshape(element.shape)
    if not _is_mixed(others, element):
        return found == element
    return (found.astype("uint64") == element.astype("uint64")) & ((found < 0) == (element < 0))


# ---- Sets ----

def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The sorted values, each once; and on demand the positions where each is first, for each element the number of its value, and
    how often each is there. Waits for their number. axis: slices as values, compared on the host. sorted=False may sort, too."""
    ar = _array_of(ar)
    if axis is not None:
        return _unique_slices(ar, return_index, return_inverse, return_counts, axis, equal_nan)
    flat = ar.reshape(-1)
    values, first, inverse, counts = _statistics.unique_all(ar.reshape(-1))
    if equal_nan and _kind(flat) in "fc":
        values, first, inverse, counts = _one_nan(values, first, inverse, counts)
    found = [values, *[part for wanted, part in ((return_index, first), (return_inverse, inverse.reshape(ar.shape)),
                                                 (return_counts, counts)) if wanted]]
    return tuple(found) if len(found) > 1 else values


def _one_nan(values, first, inverse, counts):
    """One NaN for all, which are the last values."""
    from ._ufuncs import isnan

    number = isnan(values).sum().item()
    if number < 2:
        return values, first, inverse, counts
    kept = values.size - number + 1
    total = counts[kept - 1:].sum()
    counts = counts[:kept].copy()
    counts[-1] = total
    first = first[:kept].copy()
    return values[:kept], first, inverse.clip(0, kept - 1), counts


def _unique_slices(ar, index, inverse, counts, axis, equal_nan):
    found = _host.unique(ar.to_numpy(), index, inverse, counts, axis, equal_nan=equal_nan)
    found = found if isinstance(found, tuple) else (found,)
    arrays = tuple([_array_of(each, stream=ar.stream) for each in found])
    return arrays if len(arrays) > 1 else arrays[0]


def unique_all(x):
    """The values, where each is first, for each element the number of its value, and counts. Each NaN is a value of its own."""
    return _statistics.unique_all(x)


def unique_counts(x):
    """The values and how often each is there."""
    return _statistics.unique_counts(x)


def unique_inverse(x):
    """The values and for each element the number of its value."""
    return _statistics.unique_inverse(x)


def unique_values(x):
    """The values, each once."""
    return _statistics.unique_values(x)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """For each element whether it is one of others; invert: whether it is none. kind and assume_unique are about speed."""
    if kind not in (None, "sort", "table"):
        raise ValueError(f"kind is sort, table or None, not {_core.shown(kind)}")
    element, others = _ordered(element, test_elements)
    if kind == "table" and _kind(element) not in "biu":
        raise ValueError("kind table is for integers")
    others = others.reshape(-1)
    if not others.size or not element.size:
        return _core.full(element.shape, bool(invert), "bool", stream=element.stream)
    if _kind(element) == "c":
        result = _core.map_reduce("any", "a == b", -1, a=element[..., None], b=others)
        return ~result if invert else result
    others = sort(others)
    if _kind(element) == "b":
        element, others = element.astype("uint8"), others.astype("uint8")
    found = _has(others, element)
    return ~found if invert else found


def in1d(ar1, ar2, assume_unique=False, invert=False, *, kind=None):
    """isin of the flattened array."""
    return isin(_array_of(ar1).reshape(-1), ar2, assume_unique, invert, kind=kind)


def union1d(ar1, ar2):
    """The sorted values that are in one of two arrays."""
    one, other = _together(ar1, ar2)
    return unique(_core.concatenate([one.reshape(-1), other.reshape(-1)], 0))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The sorted values that are in both arrays; return_indices: and where each is first in them."""
    one, other = [each.reshape(-1) for each in _together(ar1, ar2)]
    if assume_unique:
        order = argsort(one)
        values, first = _core.take(one, order), order
    else:
        values, first = unique(one, True)
    both = isin(values, other)
    values = values[both]
    if not return_indices:
        return values
    others, places = (_core.take(other, argsort(other)), argsort(other)) if assume_unique else unique(other, True)
    return values, first[both], places[isin(others, one)]


def setdiff1d(ar1, ar2, assume_unique=False):
    """The sorted values of the first array that are not in the second; with assume_unique in their order."""
    one, other = [each.reshape(-1) for each in _together(ar1, ar2)]
    one = one if assume_unique else unique(one)
    return one[isin(one, other, invert=True)]


def setxor1d(ar1, ar2, assume_unique=False):
    """The sorted values that are in one of two arrays, and not in both."""
    one, other = [each.reshape(-1) if assume_unique else unique(each) for each in _together(ar1, ar2)]
    both = sort(_core.concatenate([one, other], 0))
    alone = _core.full((both.size + 1,), True, stream=both.stream)
    alone[1:-1] = both[1:] != both[:-1]
    return both[alone[1:] & alone[:-1]]
