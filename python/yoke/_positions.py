# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions of positions: those of the elements that are not 0, and elements that are named by theirs."""

from ._core import Array, arange, map_reduce, nonzero, scatter_add, stack, take
from ._core import array_from as _array
from ._core import axis_error as _axis_error
from ._core import shown as _shown

__all__ = ["argwhere", "compress", "count_nonzero", "extract", "flatnonzero", "nonzero", "put", "put_along_axis", "scatter_add",
           "take", "take_along_axis"]


def flatnonzero(a):
    """The positions in the flattened array of the elements that are not 0, int64; waits for their number."""
    return nonzero(_array(a).reshape(-1))[0]


def argwhere(a):
    """The positions of the elements that are not 0, one in each row, int64; waits for their number."""
    a = _array(a)
    return stack(nonzero(a), 1) if a.ndim else stack(nonzero(a.reshape(1)), 1)[:, :0]


def count_nonzero(a, axis=None, *, keepdims=False):
    """How many elements are not 0, along an axis, several, or all: int64."""
    return map_reduce("sum", "x != 0", axis, keepdims=keepdims, dtype="int64", x=_array(a))


def compress(condition, a, axis=None):
    """The elements along an axis, or of the flattened array where it is None, where the condition, of one dimension, holds. It may
    be shorter than the axis. A condition on the device waits for the number of elements."""
    stream = condition.stream if isinstance(condition, Array) else None
    a = _array(a, stream=stream)
    where = _found(condition)
    if len(where) != 1:
        raise ValueError(f"a condition has one dimension, not {len(where)}")
    return take(a, where[0], axis)


def extract(condition, arr):
    """The elements of the flattened array where the condition, flattened too, holds."""
    return compress(condition.reshape(-1) if hasattr(condition, "reshape") else _host(condition).reshape(-1), arr)


def take_along_axis(arr, indices, axis=-1):
    """Of each line of elements along the axis those at the line's own indices, as argsort gives them. The shapes are broadcast, but
    for the axis; None: both are flattened."""
    indices = _integers(indices)
    arr = _array(arr, stream=indices.stream if isinstance(indices, Array) else None)
    if axis is None:
        return arr.reshape(-1)[_key_along(arr.reshape(-1), indices, 0)]
    return arr[_key_along(arr, indices, axis)]


def put_along_axis(arr, indices, values, axis):
    """The reverse of take_along_axis: values, which are broadcast to the indices, are put at these."""
    indices = _integers(indices)
    if axis is None:
        _set_flat(arr, _key_along(arr.reshape(-1), indices, 0), values)
    else:
        arr[_key_along(arr, indices, axis)] = values


def put(a, ind, v, mode="raise"):
    """Put values at positions of the flattened array. They are repeated where they are fewer, and the last of several for one place
    is kept. mode: as take has it."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"mode is raise, clip or wrap, not {_shown(mode)}")
    ind = _integers(ind).reshape(-1)
    values = _array(v, None if hasattr(v, "dtype") else a.dtype, a.stream).reshape(-1)
    if not values.size or not ind.size:
        return
    if not a.size:
        raise IndexError("an array without elements has no positions")
    if mode != "raise":
        ind = ind % a.size if mode == "wrap" else ind.clip(0, a.size - 1)
    if values.size < ind.size:
        values = take(values, arange(ind.size, stream=a.stream), mode="wrap")
    _set_flat(a, (ind,), values[:ind.size])


def _host(values):
    import numpy

    return numpy.asarray(values)


def _found(condition):
    """The positions along each axis where a condition holds, on the host for one that is there."""
    return nonzero(condition) if isinstance(condition, Array) else _host(condition).nonzero()


def _integers(indices):
    """Indices as an Array or NumPy's array, of int64. IndexError: they are none."""
    given = indices if isinstance(indices, Array) else _host(indices)
    if not isinstance(indices, Array) and not given.size:  # of nothing NumPy makes floats
        return given.astype("int64")
    if getattr(given.dtype, "kind", "") not in ("i", "u"):
        raise IndexError(f"indices are integers, not {given.dtype}")
    return given.astype("int64")


def _key_along(array, indices, axis):
    """The key of the elements at indices along an axis: along each other axis, all."""
    import numpy

    if indices.ndim != array.ndim:
        raise ValueError(f"indices of {indices.ndim} dimensions for an array of {array.ndim}")
    if not -array.ndim <= axis < array.ndim:
        raise _axis_error(axis, array.ndim)
    lines = numpy.ogrid[tuple([slice(extent) for extent in array.shape])]
    return tuple([indices if n in (axis, axis + array.ndim) else each for n, each in enumerate(lines)])


def _set_flat(array, key, values):
    """array.reshape(-1)[key] = values, also where that is a copy."""
    flat = array.reshape(-1)
    flat[key] = values
    if flat.buffer is not array.buffer:
        array[...] = flat.reshape(array.shape)


for _each in (argwhere, compress, count_nonzero, extract, flatnonzero, put, put_along_axis, take_along_axis):
    _each.__module__ = "yoke"  # what users see, and pickle
