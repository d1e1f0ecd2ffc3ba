# SPDX-License-Identifier: Apache-2.0
"""Elements that are named by positions or masks, and set there; positions themselves."""

import math as _math
import operator as _operator

import numpy as _host

from .. import _core, _positions
from . import _common
from ._common import array_of as _array_of
from ._common import arrays_of as _arrays_of
from ._common import axis_of as _axis_of
from ._common import into as _into
from ._common import is_array as _is_array

__all__ = ["argwhere", "c_", "choose", "compress", "diag_indices", "diag_indices_from", "diagonal", "extract", "fill_diagonal",
           "flatnonzero", "ix_", "mask_indices", "nonzero", "piecewise", "place", "put", "put_along_axis", "putmask", "r_",
           "ravel_multi_index", "select", "take", "take_along_axis", "trace", "tril_indices", "tril_indices_from", "triu_indices",
           "triu_indices_from", "unravel_index", "where"]


def _changed(name, a):
    if not _is_array(a):
        raise TypeError(f"{name} changes an Array, and this is a {type(a).__name__}")
    return a


def _wrapped(indices, extent, mode):
    """Indices in the range by a mode, and a check of those that must be there: on the host for what is there."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"mode is raise, clip or wrap, not {_core.shown(mode)}")
    if mode == "raise":
        return indices
    return indices % extent if mode == "wrap" else indices.clip(0, extent - 1)


def take(a, indices, axis=None, out=None, mode="raise"):
    """The elements at indices along an axis, or of the flattened array. mode: what an index beyond the end does: an error that the
    stream has, the last element ("clip"), or one counted on from the front ("wrap")."""
    a, indices = _arrays_of(a, indices)
    if _common.kind_of(indices) not in "iu" and indices.size:
        raise TypeError(f"indices are integers, not {indices.dtype}")
    if axis is None or not a.ndim and axis in (0, -1):
        a, axis = a.reshape(-1), 0
    axis = _axis_of(axis, a.ndim)
    flat = indices.reshape(-1).astype("int64")
    if not a.shape[axis] and flat.size:
        raise IndexError("an axis without elements has no positions")
    result = _core.take(a, flat, axis, mode=mode)
    return _into(result.reshape((*a.shape[:axis], *indices.shape, *a.shape[axis + 1:])), out)


def put(a, ind, v, mode="raise"):
    """Put values at positions of the flattened array; they are repeated where they are fewer."""
    return _positions.put(_changed("put", a), ind, v, mode)


def take_along_axis(arr, indices, axis=-1):
    """Of each line of elements along the axis those at the line's own indices."""
    return _positions.take_along_axis(arr, indices, axis)


def put_along_axis(arr, indices, values, axis):
    """The reverse of take_along_axis."""
    return _positions.put_along_axis(_changed("put_along_axis", arr), indices, values, axis)


def compress(condition, a, axis=None, out=None):
    """The elements along an axis where a condition of one dimension holds, for whose number it waits."""
    return _into(_positions.compress(condition, a, axis), out)


def extract(condition, arr):
    """The elements of the flattened array where the condition holds, for whose number it waits."""
    return _positions.extract(condition, arr)


def nonzero(a):
    """The positions along each axis of the elements that are not 0; waits for their number."""
    return tuple(_core.nonzero(_array_of(a)))


def flatnonzero(a):
    """The positions in the flattened array of the elements that are not 0; waits for their number."""
    return _positions.flatnonzero(a)


def argwhere(a):
    """The positions of the elements that are not 0, one in each row; waits for their number."""
    return _positions.argwhere(a)


def where(condition, x=None, y=None, /):
    """x where a condition holds, and y elsewhere; without both the positions where it holds, for whose number it waits."""
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("where takes both x and y, or neither")
    return _core.where(condition, x, y)


def choose(a, choices, out=None, mode="raise"):
    """Of several arrays for each element that whose number stands there. mode "raise" waits for whether all numbers are below
    theirs."""
    choices = list(choices)
    a, *choices = _common.arrays_of(a, *choices)
    if _common.kind_of(a) not in "iub":
        raise TypeError(f"choose takes integers, not {a.dtype}")
    a = a.astype("int64")
    count = len(choices)
    if mode == "raise" and a.size and (a.min().item() < 0 or a.max().item() >= count):
        raise ValueError(f"choose: a number is not in the range of {count} choices")
    a = _wrapped(a, count, mode)
    choices = _common.together(*choices)
    result = choices[-1]
    for number in range(count - 2, -1, -1):
        result = _core.where(a == number, choices[number], result)
    shape = _core.broadcast_shape([a.shape, *[each.shape for each in choices]])
    return _into(result.broadcast_to(shape).copy() if result.shape != shape else result, out)


def select(condlist, choicelist, default=0):
    """For each element that of the first choice whose condition holds, or the default."""
    if len(condlist) != len(choicelist):
        raise ValueError(f"{len(condlist)} conditions for {len(choicelist)} choices")
    if not condlist:
        raise ValueError("select takes one condition or more")
    conditions = _arrays_of(*condlist)
    for each in conditions:
        if _common.kind_of(each) != "b":
            raise TypeError(f"a condition is a mask of bools, not of {each.dtype}")
    *choices, result = _common.together(*choicelist, default)
    shape = _core.broadcast_shape([each.shape for each in (*conditions, *choices, result)])
    result = result.broadcast_to(shape)
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        result = _core.where(condition, choice, result)
    return result


def piecewise(x, condlist, funclist, *args, **kw):
    """The value of a function for each element whose condition holds, of the last that does; functions are given the elements, for
    whose number it waits. A function more than conditions is for the others."""
    x = _array_of(x)
    single = not isinstance(condlist, (list, tuple)) or not x.ndim and not hasattr(condlist[0], "__len__") and len(condlist) == 0
    if single or condlist and not hasattr(condlist[0], "__len__") and not getattr(condlist[0], "ndim", 0) and x.ndim:
        condlist = [condlist]
    conditions = [_array_of(each, stream=x.stream).astype("bool") for each in condlist]
    functions = list(funclist)
    if len(functions) == len(conditions) + 1:
        other = ~conditions[0]
        for each in conditions[1:]:
            other = other & ~each
        conditions.append(other)
    elif len(functions) != len(conditions):
        raise ValueError(f"{len(conditions)} conditions take as many functions, or one more, not {len(functions)}")
    result = _core.zeros(x.shape, x.dtype, stream=x.stream)
    for condition, function in zip(conditions, functions):
        if not callable(function):
            value = _array_of(function, stream=x.stream)
            result = _core.where(condition, value.astype(x.dtype), result)
        else:
            chosen = x[condition]
            if chosen.size:
                result[condition] = function(chosen, *args, **kw)
    return result


def place(arr, mask, vals):
    """Set the elements where a mask holds to the values in turn, again and again. Waits for their number."""
    arr = _changed("place", arr)
    mask, vals = [_array_of(each, stream=arr.stream) for each in (mask, vals)]
    if mask.size != arr.size:
        raise ValueError(f"a mask of {mask.size} elements for an array of {arr.size}")
    places = flatnonzero(mask)
    if not places.size:
        return
    if not vals.size:
        raise ValueError("place takes one value or more")
    turns = _core.arange(places.size, dtype="int64", stream=arr.stream) % vals.size
    put(arr, places, take(vals.astype(arr.dtype), turns))


def putmask(a, /, mask, values):
    """Set the elements where a mask holds to the values at the same positions, which are repeated where they are fewer."""
    a = _changed("putmask", a)
    mask, given = _array_of(mask, stream=a.stream), _array_of(values, None, a.stream)
    if not isinstance(values, (bool, int, float, complex)) and not _common.castable(given.dtype, a.dtype):
        raise TypeError(f"values of {given.dtype} are not cast to {a.dtype} by the rule 'same_kind'")
    if mask.shape != a.shape:
        raise ValueError(f"a mask of shape {mask.shape} for an array of shape {a.shape}")
    if not given.size or not a.size:
        return
    given = given.astype(a.dtype)
    if given.shape != a.shape:
        from ._manipulation import resize

        given = given.reshape(()) if given.size == 1 else resize(given, a.shape)
    a[...] = _core.where(mask.astype("bool"), given, a)


# ---- Diagonals ----

def diagonal(a, offset=0, axis1=0, axis2=1):
    """The diagonals of the planes of two axes, along a new last axis."""
    a = _array_of(a)
    if a.ndim < 2:
        raise ValueError(f"an array of shape {tuple(a.shape)} has no diagonals")
    one, other = _axis_of(axis1, a.ndim), _axis_of(axis2, a.ndim)
    if one == other:
        raise ValueError("axis1 and axis2 are the same axis")
    from ..linalg import diagonal as of_last

    return of_last(a.transpose((*[i for i in range(a.ndim) if i not in (one, other)], one, other)), offset=offset)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sums of the diagonals."""
    return _into(diagonal(a, offset, axis1, axis2).sum(-1, dtype), out)


def fill_diagonal(a, val, wrap=False):
    """Set the diagonal of an array to values, which are repeated. wrap: of a tall matrix, the diagonals below it, too."""
    a = _changed("fill_diagonal", a)
    if a.ndim < 2:
        raise ValueError(f"an array of shape {tuple(a.shape)} has no diagonal")
    if a.ndim > 2 and len({*a.shape}) != 1:
        raise ValueError(f"the diagonal of an array of more than two dimensions takes equal extents, not {tuple(a.shape)}")
    if a.ndim == 2:
        step, end = a.shape[1] + 1, a.size if wrap else min(a.size, a.shape[1] * a.shape[1])
    else:
        step, end = 1 + sum([_math.prod(a.shape[i + 1:]) for i in range(a.ndim - 1)]), a.size
    count = len(range(0, end, step))
    values = _array_of(val, a.dtype, a.stream).reshape(-1)
    if not count or not values.size:
        return
    places = _core.arange(count, dtype="int64", stream=a.stream)
    put(a, places * step, take(values, places % values.size) if values.size > 1 else values)


def diag_indices(n, ndim=2):
    """The indices of a diagonal: the same along each axis."""
    return (_core.arange(n, dtype="int64"),) * ndim


def diag_indices_from(arr):
    """The indices of the diagonal of an array of equal extents."""
    if arr.ndim < 2:
        raise ValueError(f"an array of shape {tuple(arr.shape)} has no diagonal")
    if len({*arr.shape}) != 1:
        raise ValueError(f"the diagonal takes equal extents, not {tuple(arr.shape)}")
    return diag_indices(arr.shape[0], arr.ndim)


def mask_indices(n, mask_func, k=0):
    """The indices where mask_func of a square of ones is not 0."""
    return nonzero(mask_func(_core.ones((n, n), "int64"), k) != 0)


def tril_indices(n, k=0, m=None):
    """The indices of the elements at and below a diagonal of an n by m matrix."""
    from ._creation import tri

    return nonzero(tri(n, m, k, "bool"))


def triu_indices(n, k=0, m=None):
    """The indices of the elements at and above a diagonal of an n by m matrix."""
    from ._creation import tri

    return nonzero(~tri(n, m, k - 1, "bool"))


def tril_indices_from(arr, k=0):
    """tril_indices of a matrix's shape."""
    return tril_indices(_plane(arr)[0], k, arr.shape[1])


def triu_indices_from(arr, k=0):
    """triu_indices of a matrix's shape."""
    return triu_indices(_plane(arr)[0], k, arr.shape[1])


def _plane(arr):
    if arr.ndim != 2:
        raise ValueError(f"a matrix is wanted, not an array of shape {tuple(arr.shape)}")
    return arr.shape


# ---- Positions ----

def ix_(*args):
    """Indices, or masks, of each axis as arrays that broadcast to all combinations. Waits for the number of a mask's elements."""
    results = []
    for place, each in enumerate(args):
        each = _array_of(each) if _is_array(each) or _host.size(each) else _core.zeros((0,), "int64")
        if each.ndim != 1:
            raise ValueError(f"ix_ takes arrays of one dimension, not of shape {tuple(each.shape)}")
        each = flatnonzero(each) if _common.kind_of(each) == "b" else each
        results.append(each.reshape(tuple([each.size if i == place else 1 for i in range(len(args))])))
    return tuple(results)


def _dims(shape):
    return tuple([_operator.index(each) for each in (shape if hasattr(shape, "__iter__") else (shape,))])


def _counting(order):
    """Which index counts fastest: "C" for the last, "F" for the first."""
    if order in ("A", "K"):
        raise TypeError(f"order is C or F, not {_core.shown(order)}: positions have no memory of their own")
    if order not in ("C", "F", None):
        raise ValueError(f"order is C or F, not {_core.shown(order)}")
    return order or "C"


def unravel_index(indices, shape, order="C"):
    """The indices along each axis of positions in the flattened array. Waits for whether all are in it."""
    indices = _array_of(indices)
    shape = _dims(shape)
    order = _counting(order)
    if _common.kind_of(indices) not in "iu":
        raise TypeError(f"positions are integers, not {indices.dtype}")
    if indices.size and (indices.min().item() < 0 or indices.max().item() >= _math.prod(shape)):
        raise ValueError(f"a position is not in an array of shape {shape}")
    results, rest = [], indices.astype("int64")
    for extent in reversed(shape) if order == "C" else shape:
        results.append(rest % extent)
        rest = rest // extent
    return tuple(reversed(results) if order == "C" else results)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """The positions in the flattened array of indices along each axis. mode "raise" waits for whether all are in it; "wrap" and
    "clip", or a tuple of these, bring them there."""
    dims = _dims(dims)
    order = _counting(order)
    indices = _arrays_of(*multi_index)
    if len(indices) != len(dims):
        raise ValueError(f"{len(indices)} arrays of indices for {len(dims)} axes")
    modes = mode if isinstance(mode, tuple) else (mode,) * len(dims)
    if len(modes) != len(dims):
        raise ValueError(f"{len(modes)} modes for {len(dims)} axes")
    result, step = 0, 1
    for number in range(len(dims) - 1, -1, -1) if order == "C" else range(len(dims)):
        each, extent = indices[number], dims[number]
        if _common.kind_of(each) not in "iub":
            raise TypeError(f"indices are integers, not {each.dtype}")
        if modes[number] == "raise" and each.size and (each.min().item() < 0 or each.max().item() >= extent):
            raise ValueError(f"an index is not below the extent {extent} of its axis")
        result = _wrapped(each.astype("int64"), extent, modes[number]) * step + result
        step *= extent
    return result


class _Columns:
    """np.r_[1:4, 0, a] and np.c_[a, b]: values, slices and arrays, joined. A text that begins the key says how, as NumPy's."""

    def __init__(self, name, axis, dimensions, place):
        self._name, self._how = name, (axis, dimensions, place)

    def __getitem__(self, key):
        from ._creation import arange, linspace
        from ._joining import concatenate

        parts = list(key) if isinstance(key, tuple) else [key]
        axis, dimensions, place = self._how
        if isinstance(parts[0], str):
            try:
                axis, dimensions, place = (*[int(each) for each in parts.pop(0).split(",")], *(dimensions, place))[:3]
            except ValueError:
                raise ValueError(f"{self._name}: a text has up to three integers: matrices are not there") from None
        arrays, kinds = [], []
        for part in parts:
            if isinstance(part, slice):
                start, step = 0 if part.start is None else part.start, 1 if part.step is None else part.step
                part = linspace(start, part.stop, int(abs(step))) if isinstance(step, complex) else arange(start, part.stop, step)
            kinds.append(part if type(part) in (bool, int, float, complex) else _array_of(part))
            arrays.append(self._raised(_array_of(part), dimensions, place))
        numbers = all([not _is_array(each) for each in kinds])  # whose widths give way to those of arrays
        dtype = _core.result_dtype(tuple(arrays if numbers else kinds))
        return concatenate([each.astype(dtype) for each in arrays], axis)

    def _raised(self, part, dimensions, place):
        """At least so many dimensions: those that are there begin at a place, or end at the last."""
        missing = max(dimensions, 1) - part.ndim
        if missing <= 0:
            return part
        front = missing if place < 0 else min(place, missing)
        return part.reshape((*(1,) * front, *part.shape, *(1,) * (missing - front)))


r_, c_ = _Columns("r_", 0, 1, -1), _Columns("c_", -1, 2, 0)
