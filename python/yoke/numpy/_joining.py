# SPDX-License-Identifier: Apache-2.0
"""Arrays of several arrays, and several arrays of one; arrays with more elements, or fewer."""

import operator as _operator

import numpy as _host

from .. import _core
from . import _common
from ._common import along as _along
from ._common import array_of as _array_of
from ._common import arrays_of as _arrays_of
from ._common import axis_of as _axis_of
from ._manipulation import atleast_1d as _atleast_1d
from ._manipulation import atleast_2d as _atleast_2d
from ._manipulation import atleast_3d as _atleast_3d

__all__ = ["append", "array_split", "block", "column_stack", "concat", "concatenate", "delete", "dsplit", "dstack", "hsplit",
           "hstack", "insert", "pad", "row_stack", "split", "stack", "vsplit", "vstack"]


# ---- Several to one ----

def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """The arrays one behind the other along an axis; None: flattened."""
    arrays = _listed("concatenate", arrays)
    return _joined(arrays, axis, out, dtype, casting, _core.concatenate)


def concat(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """As concatenate."""
    return concatenate(arrays, axis, out, dtype=dtype, casting=casting)


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """The arrays, of one shape, along a new axis."""
    arrays = _listed("stack", arrays)
    return _joined(arrays, axis, out, dtype, casting, _core.stack)


def _listed(name, arrays):
    """The arrays of a sequence; an array is the sequence of its slices."""
    arrays = list(arrays)
    if not arrays:
        raise ValueError(f"{name} takes one array or more")
    return _arrays_of(*arrays)


def _joined(arrays, axis, out, dtype, casting, join):
    if dtype is not None:
        if out is not None:
            raise TypeError("out has a dtype: give one of out and dtype")
        for each in arrays:
            if not _common.castable(each.dtype, dtype, casting):
                raise TypeError(f"an array of {each.dtype} is not cast to {dtype} by the rule {_core.shown(casting)}")
        arrays = [each.astype(dtype, copy=False) for each in arrays]
    return _common.into(join(arrays, axis), out, casting)


def vstack(tup, *, dtype=None, casting="same_kind"):
    """The arrays one below the other; vectors are rows."""
    return concatenate([_atleast_2d(each) for each in _listed("vstack", tup)], 0, dtype=dtype, casting=casting)


def row_stack(tup, *, dtype=None, casting="same_kind"):
    """As vstack."""
    return vstack(tup, dtype=dtype, casting=casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """The arrays side by side: along the second axis, vectors along the first."""
    arrays = [_atleast_1d(each) for each in _listed("hstack", tup)]
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(tup):
    """The arrays along the third axis."""
    return concatenate([_atleast_3d(each) for each in _listed("dstack", tup)], 2)


def column_stack(tup):
    """The arrays side by side; vectors are columns."""
    arrays = [each[:, None] if each.ndim == 1 else each.reshape(1, 1) if not each.ndim else each
              for each in _listed("column_stack", tup)]
    return concatenate(arrays, 1)


def block(arrays):
    """An array of nested lists of blocks: the innermost ones along the last axis, those around them along the one before, …"""
    depth = _depth(arrays)
    blocks = _flat(arrays)
    dimensions = max(depth, max([each.ndim for each in _arrays_of(*blocks)]))
    return _blocks(arrays, depth, dimensions).copy()


def _depth(arrays):
    if not isinstance(arrays, list):
        if isinstance(arrays, tuple):
            raise TypeError("block takes lists of blocks, and no tuple")
        return 0
    depths = {_depth(each) for each in arrays}
    if len(depths) != 1:
        raise ValueError("block takes lists that are nested equally deep, and none that is empty")
    return depths.pop() + 1


def _flat(arrays):
    return [one for each in arrays for one in _flat(each)] if isinstance(arrays, list) else [arrays]


def _blocks(arrays, depth, dimensions):
    if not depth:
        array = _array_of(arrays)
        return array.reshape((1,) * (dimensions - array.ndim) + tuple(array.shape))
    return concatenate([_blocks(each, depth - 1, dimensions) for each in arrays], -depth)


# ---- One to several ----

def array_split(ary, indices_or_sections, axis=0):
    """Views of parts along an axis: so many, of which the first are longer by one where that must be, or those between indices."""
    ary = _array_of(ary)
    axis = _axis_of(axis, ary.ndim) if ary.ndim else _axis_of(axis, 1)
    if not ary.ndim:
        raise ValueError("an array of no dimensions is not split")
    extent = ary.shape[axis]
    if hasattr(indices_or_sections, "__len__") and getattr(indices_or_sections, "ndim", 1):
        cuts = [int(each) for each in _common.on_host(indices_or_sections)]
    else:
        count = int(indices_or_sections)
        if count <= 0:
            raise ValueError(f"an array is split into one part or more, not {count}")
        length, longer = divmod(extent, count)
        cuts = [i * length + min(i, longer) for i in range(1, count)]
    return [_along(ary, axis, slice(low, high)) for low, high in zip([0, *cuts], [*cuts, extent])]


def split(ary, indices_or_sections, axis=0):
    """Views of parts along an axis: so many of one length, or those between indices."""
    ary = _array_of(ary)
    if not hasattr(indices_or_sections, "__len__") or not getattr(indices_or_sections, "ndim", 1):
        extent = ary.shape[_axis_of(axis, ary.ndim)]
        if int(indices_or_sections) <= 0 or extent % int(indices_or_sections):
            raise ValueError(f"{extent} elements are not split into {indices_or_sections} equal parts: array_split does it")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary, indices_or_sections):
    """Parts along the second axis; of a vector along the first."""
    return _split_along(ary, indices_or_sections, 1, "hsplit", 1)


def vsplit(ary, indices_or_sections):
    """Parts along the first axis, of two dimensions or more."""
    return _split_along(ary, indices_or_sections, 0, "vsplit", 2)


def dsplit(ary, indices_or_sections):
    """Parts along the third axis."""
    return _split_along(ary, indices_or_sections, 2, "dsplit", 3)


def _split_along(ary, parts, axis, name, least):
    ary = _array_of(ary)
    if ary.ndim < least:
        raise ValueError(f"{name} is of arrays of {least} dimensions or more, not of shape {tuple(ary.shape)}")
    return split(ary, parts, min(axis, ary.ndim - 1))


# ---- More elements, or fewer ----

def append(arr, values, axis=None):
    """The array with values behind it along an axis; None: both flattened."""
    arr, values = _arrays_of(arr, values)
    if axis is None:
        arr, values, axis = arr.reshape(-1), values.reshape(-1), 0
    return concatenate([arr, values], axis)


def _places(obj, extent, what):
    """The indices of a slice, a mask, an index or several, on the host."""
    if isinstance(obj, slice):
        return _host.arange(*obj.indices(extent)), False
    places = _common.on_host(obj)
    if places.dtype.kind == "b":
        if places.shape != (extent,):
            raise ValueError(f"a mask of shape {places.shape} for an axis of {extent} elements")
        return places.nonzero()[0], False
    single = places.ndim == 0
    if places.size and places.dtype.kind not in "iu":
        raise IndexError(f"indices are integers, not {places.dtype}")
    places = places.reshape(-1).astype("int64")
    most = extent + (what == "insert")
    if places.size and (places.min() < -extent or places.max() >= most):
        raise IndexError(f"an index of {places.tolist()} is beyond an axis of {extent} elements")
    return _host.where(places < 0, places + extent, places), single


def delete(arr, obj, axis=None):
    """A copy without the elements at indices, of a slice, or of a mask along an axis; None: of the flattened array. Indices that
    are an Array are waited for."""
    arr = _array_of(arr)
    if axis is None:
        arr, axis = arr.reshape(-1), 0
    axis = _axis_of(axis, arr.ndim)
    extent = arr.shape[axis]
    places, _ = _places(obj, extent, "delete")
    kept = _host.ones(extent, bool)
    kept[places] = False
    if kept.all():
        return arr.copy()
    return _core.take(arr, _array_of(kept.nonzero()[0].astype("int64"), stream=arr.stream), axis)


def insert(arr, obj, values, axis=None):
    """A copy with values before the elements at indices along an axis; None: of the flattened array. Indices that are an Array are
    waited for."""
    arr = _array_of(arr)
    if axis is None:
        arr, axis = arr.reshape(-1), 0
    axis = _axis_of(axis, arr.ndim)
    extent = arr.shape[axis]
    places, single = _places(obj, extent, "insert")
    values = _array_of(values, arr.dtype, arr.stream)
    shape = list(arr.shape)
    if single and values.ndim:
        values = values.reshape((1,) * (arr.ndim - values.ndim) + tuple(values.shape)) if values.ndim < arr.ndim else values
        values = _common.moved_back(_common.moved_last(values, 0), axis)  # as NumPy has it: the values' first axis goes there
        places = _host.repeat(places, values.shape[axis])
    elif places.size == 1 and values.ndim == arr.ndim:
        places = _host.repeat(places, values.shape[axis])
    shape[axis] = places.size
    values = values.broadcast_to(tuple(shape))
    order = _host.argsort(places, kind="stable")
    targets = places[order] + _host.arange(places.size)
    source = _host.empty(extent + places.size, "int64")  # of each element of the result: its index in both arrays, joined
    old = _host.ones(source.size, bool)
    old[targets] = False
    source[targets] = extent + order
    source[old] = _host.arange(extent)
    return _core.take(_core.concatenate([arr, values.copy()], axis), _array_of(source, stream=arr.stream), axis)


# ---- Frames ----

def _pairs(value, count, what):
    """(before, after) for each axis."""
    value = _common.on_host(value)
    try:
        return [tuple(pair) for pair in _host.broadcast_to(value, (count, 2)).tolist()]
    except ValueError:
        raise ValueError(f"{what} is a number, a pair, or a pair for each axis, not of shape {value.shape}") from None


_PAD_OPTIONS = {"constant": ("constant_values",), "linear_ramp": ("end_values",), "maximum": ("stat_length",),
                "mean": ("stat_length",), "median": ("stat_length",), "minimum": ("stat_length",),
                "reflect": ("reflect_type",), "symmetric": ("reflect_type",), "edge": (), "wrap": (), "empty": ()}


def pad(array, pad_width, mode="constant", **kwargs):
    """The array in a frame: of constant_values, of its edge, of its elements mirrored ("reflect" without the edge, "symmetric" with
    it), again and again ("wrap"), of a ramp to end_values, of extremes or means of stat_length elements, or of what a function sets
    that gets each line of the host's, its frame's widths, the axis and the options."""
    array = _array_of(array)
    if isinstance(pad_width, dict):
        pad_width = [pad_width.get(i, pad_width.get(i - array.ndim, (0, 0))) for i in range(array.ndim)]
        pad_width = [each if hasattr(each, "__len__") else (each, each) for each in pad_width]
    widths = [(_operator.index(low), _operator.index(high)) for low, high in _pairs(pad_width, array.ndim, "pad_width")]
    if any([each < 0 for pair in widths for each in pair]):
        raise ValueError(f"a frame is not narrower than 0, as in {widths}")
    if callable(mode):
        host = _host.pad(array.to_numpy(), widths, mode, **kwargs)
        return _array_of(host, stream=array.stream)
    if mode not in _PAD_OPTIONS:
        raise ValueError(f"mode is a function or one of {', '.join(_PAD_OPTIONS)}, not {_core.shown(mode)}")
    for name in kwargs:
        if name not in _PAD_OPTIONS[mode]:
            raise ValueError(f"mode {_core.shown(mode)} takes no {_core.shown(name)}")
    if mode in ("reflect", "symmetric", "edge", "wrap"):
        for axis, (low, high) in enumerate(widths):
            array = _padded_by_index(array, axis, low, high, mode, kwargs.get("reflect_type", "even"))
        return array
    options = next(iter(kwargs.values()), 0 if mode in ("constant", "linear_ramp") else None)
    options = _pairs(options, array.ndim, "the option") if options is not None else [(None, None)] * array.ndim
    for axis, (pair, values) in enumerate(zip(widths, options)):
        parts = [_frame(array, axis, count, value, mode, front) for count, value, front in zip(pair, values, (True, False))]
        array = _core.concatenate([parts[0], array, parts[1]], axis)
    return array


def _frame(array, axis, count, value, mode, front):
    """One side of a frame along one axis."""
    from . import _reductions, _statistics

    shape = list(array.shape)
    shape[axis] = count
    if mode == "empty":
        return _core.empty(tuple(shape), array.dtype, stream=array.stream)
    if mode == "constant":
        return _core.full(tuple(shape), value, "float64" if isinstance(value, float) and _common.kind_of(array) in "iu"
                          else array.dtype, stream=array.stream).astype(array.dtype, copy=False)
    edge = _along(array, axis, slice(0, 1) if front else slice(-1, None))
    if mode == "linear_ramp":
        from ._creation import linspace

        ramp = linspace(_core.full(edge.shape, value, array.dtype, stream=array.stream), edge, count, False, axis=0,
                        dtype=array.dtype)
        ramp = _common.moved_back(ramp.transpose((*range(1, ramp.ndim), 0)).squeeze(axis), axis)
        return ramp if front else ramp[(slice(None),) * axis + (slice(None, None, -1),)]
    if value is not None and value < 1:
        raise ValueError(f"stat_length is {value}, and of no elements there is no {mode}")
    part = array if value is None else _along(array, axis, slice(value) if front else slice(-value, None))
    name = {"maximum": "max", "minimum": "min"}.get(mode, mode)
    function = _statistics.median if mode == "median" else getattr(_reductions, name)
    result = function(part, axis, keepdims=True)
    if _common.kind_of(array) in "iu" and mode in ("mean", "median"):
        result = _core.apply("rint", result)
    return result.astype(array.dtype, copy=False).broadcast_to(tuple(shape))


def _padded_by_index(array, axis, low, high, mode, reflect_type):
    """A frame of elements of the array itself: one gather."""
    extent = array.shape[axis]
    if not low and not high:
        return array.copy() if axis == 0 else array
    if not extent:
        raise ValueError(f"an axis without elements has none for a frame by {_core.shown(mode)}")
    if reflect_type not in ("even", "odd"):
        raise ValueError(f"reflect_type is even or odd, not {_core.shown(reflect_type)}")
    places = _host.arange(-low, extent + high)
    if reflect_type == "odd" and (extent > 1 or mode == "symmetric"):
        return _odd(array, axis, low, high, mode)
    if mode == "edge":
        places = places.clip(0, extent - 1)
    elif mode == "wrap":
        places = places % extent
    elif mode == "symmetric":
        places = places % (2 * extent)
        places = _host.where(places < extent, places, 2 * extent - 1 - places)
    else:
        period = max(2 * extent - 2, 1)
        places = places % period
        places = _host.where(places < extent, places, period - places)
    return _core.take(array, _array_of(places.astype("int64"), stream=array.stream), axis)


def _odd(array, axis, low, high, mode):
    """A mirror that goes on with the slope at the edge: two times the edge less the mirrored element, again and again."""
    skip = 1 if mode == "reflect" else 0
    while low or high:
        extent = array.shape[axis]
        front, back = min(low, extent - skip), min(high, extent - skip)
        first, last = _along(array, axis, slice(0, 1)), _along(array, axis, slice(-1, None))
        turned = (slice(None),) * axis + (slice(None, None, -1),)
        parts = [first * 2 - _along(array, axis, slice(skip, skip + front))[turned], array,
                 last * 2 - _along(array, axis, slice(extent - skip - back, extent - skip))[turned]]
        array = _core.concatenate(parts, axis)
        low, high = low - front, high - back
    return array
