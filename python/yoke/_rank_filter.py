# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Filters by rank for yoke.ndimage: the neighbours that a size or a footprint names, and the library's filter of them."""

import math as _math
import operator as _operator

from . import _core

_MOST = 1 << 20  # neighbours, in the library too


def flags_of(values, name, dimensions):
    """The shape of nested rows, or of an array, and its elements in row-major order."""
    values = values.tolist() if hasattr(values, "tolist") else values
    shape, flat = [], [values]
    while hasattr(flat[0], "__len__"):
        shape.append(len(flat[0]))
        if any([not hasattr(row, "__len__") or len(row) != shape[-1] for row in flat]) or len(shape) > 8:
            raise ValueError(f"the rows of the {name} have different lengths")
        flat = [each for row in flat for each in row]
        if not flat:
            break
    if len(shape) != dimensions:
        raise ValueError(f"a {name} of {len(shape)} dimensions for {dimensions} axes")
    return shape, flat


def window(size, footprint, sizes, origins, is_separable):
    """The extents of the box of neighbours, its flags as bytes, or None, and its origins. sizes, origins: those of the axes.
    is_separable: a whole box is filtered along one axis after the other by SciPy, which leaves out axes of one neighbour, whatever
    their origin is."""
    flags = None
    if footprint is None:
        if size is None:
            raise ValueError("neither size nor footprint says which neighbours count")
        shape = [_operator.index(each) for each in sizes]
    else:
        if size is not None:
            raise ValueError("size and footprint both say which neighbours count: name one of them")
        shape, flat = flags_of(footprint, "footprint", len(origins))
        if not any(flat):
            raise ValueError("a footprint has one neighbour or more")
        flags = bytes([1 if each else 0 for each in flat])
    if is_separable and (flags is None or all(flags)):
        origins = [0 if n == 1 else shift for n, shift in zip(shape, origins)]
    for n, shift in zip(shape, origins):
        if n < 1:
            raise ValueError("a size is 1 or more")
        if not 0 <= n // 2 + shift < n:
            raise ValueError(f"origin {shift} leads out of {n} neighbours")
    if _math.prod(shape) > _MOST:
        raise ValueError("there are more than 1,048,576 neighbours")
    return shape, flags, origins


def _place(i, n, mode):
    """The element that stands at position i of an axis of n elements."""
    if mode == "nearest":
        return min(max(i, 0), n - 1)
    if mode == "wrap":
        return i % n
    if mode == "mirror":
        i %= max(2 * n - 2, 1)
        return min(i, 2 * n - 2 - i) if n > 1 else 0
    i %= 2 * n
    return min(i, 2 * n - 1 - i)


def _element(cval, dtype):
    """The constant as an element of integers or bools, or the library's error."""
    if dtype.startswith(("float", "bfloat")):
        return cval
    bits = 1 if dtype == "bool" else int(dtype.strip("uint"))
    low, high = (-1 << bits - 1, (1 << bits - 1) - 1) if dtype.startswith("int") else (0, (1 << bits) - 1)
    if not low <= cval <= high or cval != int(cval):
        raise _core.InvalidArgumentError(f"rank_filter: cval is {_core.shown(cval)}, and the elements are {dtype}")
    return int(cval)


def bordered(array, before, behind, modes, cval):
    """The array with so many elements more before and behind each axis."""
    from ._positions import take

    for axis, (first, last, mode) in enumerate(zip(before, behind, modes)):
        if not first and not last:
            continue
        n = array.shape[axis]
        places = [_place(i, n, "nearest" if mode == "constant" else mode) for i in range(-first, n + last)]
        array = take(array, _core.array_from(places, "int64", array.stream), axis)
        if mode == "constant":
            rows = [slice(None)] * axis
            if first:
                array[(*rows, slice(None, first))] = cval
            if last:
                array[(*rows, slice(n + first, None))] = cval
    return array


def ranked(array, rank, shape, flags, axes, origins, modes, cval, out):
    """The element of this rank among the neighbours, in `out` or a new array. modes: one for each axis; where they differ, the
    borders are made first."""
    if len(set(modes)) < 2 or not array.size:
        mode = modes[0] if modes else "nearest"
        return _core.rank_filter(array, rank, shape, flags, axes=axes, output=out, mode=mode,
                                 cval=cval if mode == "constant" else 0, origin=origins)
    if "constant" in modes:
        cval = _element(cval, str(array.dtype))
    before, behind, every = [0] * array.ndim, [0] * array.ndim, ["nearest"] * array.ndim
    for axis, n, shift, mode in zip(axes, shape, origins, modes):
        before[axis], behind[axis], every[axis] = max(0, n // 2 + shift), max(0, n - 1 - n // 2 - shift), mode
    wide = bordered(array, before, behind, every, cval)
    wide = _core.rank_filter(wide, rank, shape, flags, axes=axes, mode="nearest", origin=origins)
    inner = wide[tuple([slice(first, first + n) for first, n in zip(before, array.shape)])]
    if out is None:
        return inner.copy()
    out[...] = inner
    return out
