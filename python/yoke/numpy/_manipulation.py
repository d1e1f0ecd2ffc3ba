# SPDX-License-Identifier: Apache-2.0
"""Arrays in other shapes, and with their axes or elements in another order. Views where that can be, as NumPy's."""

import math as _math
import operator as _operator

from .. import _core, _shapes
from .._layout import order_of as _order_of
from . import _common
from ._common import array_of as _array_of
from ._common import arrays_of as _arrays_of
from ._common import axis_of as _axis_of
from ._common import is_array as _is_array

__all__ = ["astype", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to", "copyto", "expand_dims",
           "flip", "fliplr", "flipud", "matrix_transpose", "moveaxis", "ndim", "permute_dims", "ravel", "repeat", "reshape",
           "resize", "roll", "rollaxis", "rot90", "shape", "size", "squeeze", "swapaxes", "tile", "transpose", "trim_zeros",
           "unstack"]


def shape(a):
    """The extents along the axes."""
    return tuple(a.shape) if hasattr(a, "shape") else tuple(_array_of(a).shape)


def ndim(a):
    """How many axes there are."""
    return len(shape(a))


def size(a, axis=None):
    """How many elements there are, in all or along an axis, or several."""
    extents = shape(a)
    return _math.prod([extents[i] for i in _common.axes_of(axis, len(extents))])


def _order(name, order):
    """The order of elements: TypeError if it is none of NumPy's."""
    order = _order_of(order)
    if order not in ("C", "F", "A", "K", None):
        raise ValueError(f"{name}: order is C, F, A or K, not {_core.shown(order)}")
    return order or "C"


def _is_columns(a):
    """Whether the elements lie in Fortran's order, and not in C's."""
    extents, strides, step = a.shape, a.strides, a.itemsize
    if sum([extent > 1 for extent in extents]) < 2:
        return False
    for extent, stride in zip(extents, strides):
        if extent > 1 and stride != step:
            return False
        step *= extent
    return True


def reshape(a, /, shape, order="C", *, copy=None):
    """The same elements in another shape; one extent may be -1. order "F": the first index counts fastest in both shapes. copy:
    True gives a copy; with False ValueError tells that one is needed."""
    a = _array_of(a)
    order = _order("reshape", order)
    if order == "K":
        raise ValueError("reshape: order K is not for a new shape, as in NumPy")
    if order == "F" or order == "A" and _is_columns(a):
        extents = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
        result = _shapes.reshape(a.T, tuple(reversed(extents)), copy=copy)
        return result.T
    return _shapes.reshape(a, shape, copy=copy)


def ravel(a, order="C"):
    """The elements in one dimension, a view where that can be. order "F": the first index counts fastest; "A": so where the
    elements lie so; "K": as they lie."""
    a = _array_of(a)
    order = _order("ravel", order)
    if order == "F" or order == "A" and _is_columns(a):
        return a.T.reshape(-1)
    if order == "K" and a.ndim > 1:
        return a.transpose(sorted(range(a.ndim), key=lambda i: -abs(a.strides[i]))).reshape(-1)
    return a.reshape(-1)


def resize(a, new_shape):
    """A copy in another shape: the elements again and again, as many as are needed."""
    a = _array_of(a).reshape(-1)
    extents = tuple(new_shape) if hasattr(new_shape, "__iter__") else (new_shape,)
    if any([extent < 0 for extent in extents]):
        raise ValueError(f"extents are not negative, as in {extents}")
    count = _math.prod(extents)
    if not a.size or not count:
        return _core.zeros(extents, a.dtype, stream=a.stream)
    times = -(-count // a.size)
    return (_shapes.tile(a, times) if times > 1 else a.copy())[:count].reshape(extents)


def transpose(a, axes=None):
    """A view with the axes in reverse order, or another."""
    a = _array_of(a)
    if axes is None:
        return a.T
    axes = tuple(axes) if hasattr(axes, "__iter__") else (axes,)
    if len(axes) != a.ndim:
        raise ValueError(f"{len(axes)} axes do not match an array of {a.ndim} dimensions")
    return a.transpose(tuple(_common.axes_of(axes, a.ndim))) if axes else a


def permute_dims(a, axes=None):
    """As transpose."""
    return transpose(a, axes)


def matrix_transpose(x, /):
    """A view with the last two axes exchanged."""
    return _array_of(x).mT


def swapaxes(a, axis1, axis2):
    """A view with two axes exchanged."""
    a = _array_of(a)
    order = list(range(a.ndim))
    one, other = _axis_of(axis1, a.ndim), _axis_of(axis2, a.ndim)
    order[one], order[other] = other, one
    return a.transpose(order)


def moveaxis(a, source, destination):
    """A view with some axes in other places; the others keep their order."""
    return _shapes.moveaxis(_array_of(a), source, destination)


def rollaxis(a, axis, start=0):
    """A view with an axis before the one that is at start."""
    a = _array_of(a)
    axis = _axis_of(axis, a.ndim)
    start = _operator.index(start)
    if not -a.ndim <= start <= a.ndim:
        raise _core.axis_error(start, a.ndim + 1)
    start += a.ndim if start < 0 else 0
    start -= axis < start
    order = [i for i in range(a.ndim) if i != axis]
    order.insert(start, axis)
    return a.transpose(order)


def expand_dims(a, axis):
    """A view with new axes of one element."""
    return _shapes.expand_dims(_array_of(a), tuple(axis) if isinstance(axis, list) else axis)


def squeeze(a, axis=None):
    """A view without axes of one element."""
    return _array_of(a).squeeze(axis)


def _at_least(count, expand, arrays):
    results = tuple([each if each.ndim >= count else expand(each) for each in _arrays_of(*arrays)])
    return results[0] if len(results) == 1 else results


def atleast_1d(*arys):
    """Views of one dimension at least; of several arrays a tuple."""
    return _at_least(1, lambda a: a.reshape(1), arys)


def atleast_2d(*arys):
    """Views of two dimensions at least; a vector is a row."""
    return _at_least(2, lambda a: a.reshape(1, a.size), arys)


def atleast_3d(*arys):
    """Views of three dimensions at least; a matrix is one slice."""
    return _at_least(3, lambda a: a.reshape(1, a.size, 1) if a.ndim < 2 else a[:, :, None], arys)


def broadcast_to(array, shape, subok=False):
    """A view of a larger shape."""
    _common.refuse("broadcast_to", subok=subok)
    return _array_of(array).broadcast_to(shape)


def broadcast_arrays(*args, subok=False):
    """Views of several arrays in the shape that they have together."""
    _common.refuse("broadcast_arrays", subok=subok)
    return tuple(_shapes.broadcast_arrays(*_arrays_of(*args)))


# ---- Order of elements ----

def flip(m, axis=None):
    """A view with the elements along axes, or all, in reverse order."""
    return _shapes.flip(_array_of(m), axis)


def _of_dimensions(name, m, count):
    m = _array_of(m)
    if m.ndim < count:
        raise ValueError(f"{name} is of arrays of {count} dimensions or more, not of shape {tuple(m.shape)}")
    return m


def flipud(m):
    """A view with the rows in reverse order."""
    return _of_dimensions("flipud", m, 1)[::-1]


def fliplr(m):
    """A view with the columns in reverse order."""
    return _of_dimensions("fliplr", m, 2)[:, ::-1]


def rot90(m, k=1, axes=(0, 1)):
    """A view turned by k quarters, from the first of two axes to the second."""
    m = _array_of(m)
    if len(axes) != 2:
        raise ValueError(f"rot90 turns in a plane of two axes, not of {len(axes)}")
    if m.ndim < 2 or (axes[0] - axes[1]) % m.ndim == 0:
        raise ValueError(f"rot90 takes two axes of an array, not {tuple(axes)} of one of {m.ndim} dimensions")
    one, other = [_axis_of(each, m.ndim) for each in axes]
    k %= 4
    if k == 2:
        return _shapes.flip(m, (one, other))
    if k == 1:
        return swapaxes(_shapes.flip(m, other), one, other)
    return _shapes.flip(swapaxes(m, one, other), other) if k else m[...]


def roll(a, shift, axis=None):
    """The elements moved on along axes, those beyond the end to the front. shift that is an Array is waited for."""
    a = _array_of(a)
    if hasattr(shift, "shape"):
        if len(shift.shape) > 1:
            raise ValueError(f"shift is a number, or several in one dimension, not of the shape {tuple(shift.shape)}")
        shift = _common.on_host(shift).tolist()
    if axis is None or not hasattr(shift, "__len__") and not hasattr(axis, "__len__"):
        return _shapes.roll(a, shift if not hasattr(shift, "__len__") else sum(shift), axis)
    axes = tuple(axis) if hasattr(axis, "__len__") else (axis,)
    shifts = tuple(shift) if hasattr(shift, "__len__") else (shift,)
    if len(axes) != len(shifts) and 1 not in (len(axes), len(shifts)):
        raise ValueError(f"{len(shifts)} shifts for {len(axes)} axes")
    count = max(len(axes), len(shifts))
    return _shapes.roll(a, shifts * (count // len(shifts)), axes * (count // len(axes)))


def repeat(a, repeats, axis=None):
    """Each element, or slice along an axis, several times; numbers of times that are an Array are waited for."""
    if hasattr(repeats, "__index__") and not hasattr(repeats, "shape"):
        return _shapes.repeat(_array_of(a), _operator.index(repeats), axis)
    a, repeats = _arrays_of(a, repeats)
    if str(repeats.dtype) == "uint64":
        raise TypeError("repeats are integers that int64 holds, not uint64, as in NumPy: say astype")
    return _shapes.repeat(a, repeats.astype("int64") if _common.kind_of(repeats) == "b" else repeats, axis)


def tile(A, reps):
    """The array several times along each axis."""
    return _shapes.tile(_array_of(A), reps)


def astype(x, dtype, /, *, copy=True, device=None):
    """The array in another dtype."""
    result = _array_of(x).astype(dtype, copy=copy)
    return result if device is None else result.to_device(device)


def unstack(x, /, *, axis=0):
    """Views of the array at each index of an axis, a tuple."""
    return _shapes.unstack(_array_of(x), axis=axis)


def copyto(dst, src, casting="same_kind", where=True):
    """Copy values into an Array, where a mask holds. casting: the casts that are allowed."""
    if not _is_array(dst):
        raise TypeError(f"copyto writes into an Array, and this is a {type(dst).__name__}")
    weak = type(src) in (bool, int, float, complex)
    if weak and "biufc".index(_common.kind_of(dst)) < {bool: 0, int: 1, float: 3, complex: 4}[type(src)] and casting != "unsafe":
        raise TypeError(f"{_core.shown(src)} is not cast to {dst.dtype} by the rule {_core.shown(casting)}")
    src = _array_of(src, dst.dtype if weak else None, dst.stream)
    if not _common.castable(src.dtype, dst.dtype, casting):
        raise TypeError(f"values of {src.dtype} are not cast to {dst.dtype} by the rule {_core.shown(casting)}")
    if where is True:
        dst[...] = src
        return
    where = _array_of(where, stream=dst.stream)
    where = where if _common.kind_of(where) == "b" else where != 0
    dst[...] = _core.where(where, src.astype(dst.dtype, copy=False), dst)


def trim_zeros(filt, trim="fb", axis=None):
    """The array without zeros at the front ("f") and the back ("b") of its axes. Waits for where the others are."""
    filt = _array_of(filt)
    if any([letter not in "fb" for letter in trim.lower()]):
        raise ValueError(f"trim is f, b or both, not {_core.shown(trim)}")
    key = [slice(None)] * filt.ndim
    for each in _common.axes_of(axis, filt.ndim):
        others = tuple([i for i in range(filt.ndim) if i != each])
        there = _core.nonzero((filt != 0).any(others) if others else filt != 0)[0]
        low, high = (there[0].item(), there[-1].item() + 1) if there.size else (filt.shape[each],) * 2
        key[each] = slice(low if "f" in trim.lower() or not there.size else 0, high if "b" in trim.lower() else None)
    return filt[tuple(key)]
