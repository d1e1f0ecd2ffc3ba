# SPDX-License-Identifier: Apache-2.0
"""Matrices and grids made of nothing, and arrays with their elements in other places. Results are copies, but for views by
broadcast_arrays, broadcast_to, expand_dims, flip, moveaxis, permute_dims, squeeze and unstack."""

import math as _math

from . import _core
from ._core import array_from as _array_from
from ._core import axis_error as _axis_error
from ._core import evaluate as _evaluate
from ._core import index_of as _index_of


def axis_from_the_front(axis, dimensions):
    """An axis from the front."""
    number = _index_of(axis, "axis")
    if not -dimensions <= number < dimensions:
        raise _axis_error(number, dimensions)
    return number % dimensions


def chosen_axes(axis, dimensions):
    """The axes that are named, or all."""
    if axis is None:
        return list(range(dimensions))
    chosen = [axis_from_the_front(each, dimensions) for each in (axis if hasattr(axis, "__iter__") else (axis,))]
    if len({*chosen}) != len(chosen):
        raise ValueError(f"an axis is named twice: {axis}")
    return chosen


# ---- Made of nothing ----

def eye(n_rows, n_cols=None, /, k=0, dtype=None, *, stream=None, device=None):
    """A matrix with ones on the diagonal, or on the k-th above it, and zeros elsewhere. NumPy's N and M are n_rows and n_cols."""
    result = _core.zeros((n_rows, n_rows if n_cols is None else n_cols), dtype, stream=stream, device=device)
    rows, columns = result.shape
    first = -k * columns if k < 0 else k
    count = min(rows + min(k, 0), columns - max(k, 0))
    if count > 0:
        result.reshape(-1)[first:first + (count - 1) * (columns + 1) + 1:columns + 1] = 1
    return result


def _triangle(x, k, below):
    array = _array_from(x)
    if array.ndim < 2:
        raise ValueError(f"an array of shape {array.shape} has no matrices")
    rows = _core.arange(array.shape[-2], stream=array.stream)[:, None]
    columns = _core.arange(array.shape[-1], stream=array.stream)
    return _evaluate(f"j - i {'<=' if below else '>='} k ? a : 0", array.dtype, a=array, i=rows, j=columns, k=_index_of(k, "k"))


def tril(x, /, k=0):
    """The matrices along the last two axes with zeros above the diagonal, or the k-th above it."""
    return _triangle(x, k, True)


def triu(x, /, k=0):
    """The matrices along the last two axes with zeros below the diagonal, or the k-th above it."""
    return _triangle(x, k, False)


def meshgrid(*arrays, indexing="xy"):
    """For each of several arrays of one dimension its values in a grid of all of them. indexing: "ij" has the axes in the arrays'
    order, and "xy" the first two exchanged. Copies, as NumPy's."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is \"xy\" or \"ij\", not {indexing!r}")
    arrays = [_array_from(each) for each in arrays]
    for each in arrays:
        if each.ndim > 1:
            raise ValueError(f"a grid is of arrays of one dimension, not of shape {each.shape}")
    places = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        places[:2] = 1, 0
    views = []
    for place, each in zip(places, arrays):
        shape = [1] * len(arrays)
        shape[place] = each.size
        views.append(each.reshape(shape))
    return [each.copy() for each in broadcast_arrays(*views)]


# ---- Views ----

def broadcast_to(x, /, shape):
    """A view of a larger shape."""
    return _array_from(x).broadcast_to(shape)


def broadcast_arrays(*arrays):
    """Views of several arrays in the shape that they have together."""
    arrays = [_array_from(each) for each in arrays]
    shape = _core.broadcast_shape([each.shape for each in arrays])
    return [each.broadcast_to(shape) for each in arrays]


def expand_dims(x, /, axis=0):
    """A view with a new axis of one element, or several, at these places of the result."""
    array = _array_from(x)
    count = len(axis) if hasattr(axis, "__len__") else 1
    chosen = chosen_axes(axis, array.ndim + count)
    return array[tuple([None if i in chosen else slice(None) for i in range(array.ndim + count)])]


def squeeze(x, /, axis=None):
    """A view without these axes, which have one element; None: without all that have."""
    return _array_from(x).squeeze(axis)


def permute_dims(x, /, axes):
    """A view with the axes in another order."""
    return _array_from(x).transpose(axes)


def moveaxis(x, source, destination, /):
    """A view with some axes in other places; the others keep their order."""
    array = _array_from(x)
    sources, targets = chosen_axes(source, array.ndim), chosen_axes(destination, array.ndim)
    if len(sources) != len(targets):
        raise ValueError(f"{len(sources)} axes do not go to {len(targets)} places")
    order = [i for i in range(array.ndim) if i not in sources]
    for target, each in sorted(zip(targets, sources)):
        order.insert(target, each)
    return array.transpose(order) if order else array


def flip(x, /, axis=None):
    """A view with the elements along axes, or all axes, in reverse order."""
    array = _array_from(x)
    chosen = chosen_axes(axis, array.ndim)
    return array[tuple([slice(None, None, -1) if i in chosen else slice(None) for i in range(array.ndim)])]


def unstack(x, /, *, axis=0):
    """Views of the array at each index of an axis, a tuple."""
    array = _array_from(x)
    front = (slice(None),) * axis_from_the_front(axis, array.ndim)
    return tuple([array[(*front, i)] for i in range(array.shape[len(front)])])


# ---- Copies ----

def reshape(x, /, shape, *, copy=None):
    """The same elements in another shape; one extent may be -1. copy: True gives a copy; with False, ValueError tells that one is
    needed, which without it is made."""
    array = _array_from(x)
    result = array.reshape(tuple(shape) if hasattr(shape, "__iter__") else shape)
    shared = result.buffer is array.buffer
    if copy is False and not shared:
        raise ValueError(f"an array of shape {array.shape} and strides {array.strides} takes a copy, and copy is false")
    return result.copy() if copy and shared else result


def concat(arrays, /, *, axis=0):
    """As concatenate: a new array of several, one behind the other along an axis; None joins the flattened arrays."""
    return _core.concatenate(arrays, axis)


def roll(x, /, shift, axis=None):
    """The elements moved on along axes, those beyond the end to the front; without axes, those of the flattened array."""
    array = _array_from(x)
    if axis is None:
        return roll(array.reshape(-1), shift, 0).reshape(array.shape)
    axes = axis if hasattr(axis, "__len__") else (axis,)
    shifts = shift if hasattr(shift, "__len__") else (shift,) * len(axes)
    if len(shifts) != len(axes):
        raise ValueError(f"{len(shifts)} shifts for {len(axes)} axes")
    result = array.copy()
    for each, number in zip(axes, shifts):
        front = (slice(None),) * axis_from_the_front(each, array.ndim)
        extent = array.shape[len(front)]
        cut = -_index_of(number, "shift") % extent if extent else 0
        if cut:
            result = _core.concatenate([result[(*front, slice(cut, None))], result[(*front, slice(cut))]], len(front))
    return result


def _several(array, axis, count, split):
    """A copy with what the axes from `split` on have, so many times, one behind the other; so often longer along an axis."""
    if count < 0:
        raise ValueError(f"{count} times: a number that is not negative is wanted")
    front, back = array.shape[:split], array.shape[split:]
    wide = array.reshape((_math.prod(front), 1, _math.prod(back))).broadcast_to((_math.prod(front), count, _math.prod(back)))
    return wide.copy().reshape((*array.shape[:axis], array.shape[axis] * count, *array.shape[axis + 1:]))


def repeat(x, repeats, /, axis=None):
    """Each element, or slice along an axis, several times: as often for all, or by an array as often as each says, which waits for
    it. Without an axis of the flattened array."""
    array = _array_from(x)
    if axis is None:
        array, axis = array.reshape(-1), 0
    axis = axis_from_the_front(axis, array.ndim)
    extent = array.shape[axis]
    if isinstance(repeats, int):
        return _several(array, axis, repeats, axis + 1)
    counts = _array_from(repeats, stream=array.stream)
    if str(counts.dtype)[0] not in "iu":
        raise TypeError(f"repeats are integers, not {counts.dtype}")
    if counts.ndim > 1 or counts.size not in (1, extent):
        raise ValueError(f"repeats of shape {counts.shape} for an axis of {extent} elements")
    counts = counts.astype("int64").reshape(-1).broadcast_to((extent,)).copy()
    if extent and counts.min().item() < 0:
        raise ValueError(f"{counts.min().item()} repeats: numbers that are not negative are wanted")
    ends = _core.cumsum(counts, 0)
    total = ends[-1].item() if extent else 0
    return _core.take(array, _core.searchsorted(ends, _core.arange(total, stream=array.stream), side="right"), axis)


def tile(x, repetitions, /):
    """The array several times along each axis; new axes come in front."""
    array = _array_from(x)
    counts = repetitions if hasattr(repetitions, "__iter__") and not isinstance(repetitions, str) else (repetitions,)
    counts = tuple([_index_of(each, "repetitions") for each in counts])
    counts = (1,) * (array.ndim - len(counts)) + counts
    shape = (1,) * (len(counts) - array.ndim) + array.shape
    array = array.reshape(shape)
    for axis, count in enumerate(counts):
        if count != 1:
            array = _several(array, axis, count, axis)
    return array if any([count != 1 for count in counts]) else array.copy()


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """The differences of neighbours along an axis, n times; of bools whether they differ. prepend, append: arrays that are joined
    to the front and the end before."""
    array = _array_from(x)
    axis = axis_from_the_front(axis, array.ndim)
    if n < 0:
        raise ValueError(f"n is {n}: a number that is not negative is wanted")
    parts = [each for each in (prepend, array, append) if each is not None]
    if len(parts) > 1:
        array = _core.concatenate([_array_from(each, stream=array.stream) for each in parts], axis)
    front = (slice(None),) * axis
    for _ in range(n):
        high, low = array[(*front, slice(1, None))], array[(*front, slice(-1))]
        array = high != low if str(array.dtype) == "bool" else high - low
    return array.copy() if n == 0 else array
