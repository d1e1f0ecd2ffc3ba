# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Morphology with flat structures, for yoke.ndimage: erosions are smallest, dilations largest neighbours. A structure of heights is
refused; binary operations compare with 0 and give bool."""

import operator as _operator

from . import _core
from ._rank_filter import flags_of


def _mirrored(rows, dimensions):
    """Nested rows, reversed along each axis."""
    return [_mirrored(row, dimensions - 1) for row in reversed(rows)] if dimensions else rows


def _flat(size, footprint, structure, dimensions):
    """The size and the footprint, of which a flat structure is one where there is none."""
    if structure is None:
        return size, footprint
    if size is not None:
        raise ValueError("size and structure both say which neighbours count: name one of them")
    shape, heights = flags_of(structure, "structure", dimensions)
    if any(heights):
        raise ValueError("a structure whose values are not 0 adds heights to the neighbours, which there is no filter for: for the "
                         "shape alone give a footprint")
    if footprint is None:
        return shape, None
    return None, footprint  # as SciPy has it


def _turned(size, footprint, origin, each, dimensions):
    """Of a dilation: the window mirrored at the element."""
    if footprint is None:
        shape = each(size, dimensions, "size")
    else:
        shape, _ = flags_of(footprint, "footprint", dimensions)
        rows = footprint.tolist() if hasattr(footprint, "tolist") else footprint
        footprint = _mirrored(rows, dimensions)
    origins = [-_operator.index(shift) - (n % 2 == 0) for shift, n in zip(each(origin, dimensions, "origin"), shape)]
    return footprint, origins


def grey(largest, input, size, footprint, structure, output, mode, cval, origin, axes):
    """An erosion or a dilation."""
    from . import ndimage

    image = ndimage._image(input)
    axes = ndimage._axes(axes, image.ndim)
    count = len(axes)
    if size is None and footprint is None and structure is None:
        raise ValueError("neither size, footprint nor structure says which neighbours count")
    if structure is not None:
        axes = ndimage._ascending(axes)
    size, footprint = _flat(size, footprint, structure, count)
    if not largest:
        return ndimage.minimum_filter(image, size, footprint, output, mode, cval, origin, axes=axes)
    footprint, origins = _turned(size, footprint, origin, ndimage._each, count)
    return ndimage.maximum_filter(image, size, footprint, output, mode, cval, origins, axes=axes)


def _cross(dimensions):
    """The element and its direct neighbours."""
    def rows(left, steps):
        return [rows(left - 1, steps + (k != 1)) for k in range(3)] if left else steps < 2

    return rows(dimensions, 0)


def binary(largest, input, structure, iterations, mask, output, border_value, origin, brute_force, axes):
    """An erosion or a dilation of what is not 0, so many times, or with iterations below 1 until nothing changes."""
    from . import ndimage

    image = ndimage._image(input)
    if brute_force:
        raise ValueError("brute_force chooses between two ways of SciPy to the same result: leave it out")
    axes = ndimage._axes(axes, image.ndim)
    axes = ndimage._ascending(axes, structure is None and not hasattr(origin, "__len__"))
    count = len(axes)
    target, out = ("bool", None) if output is None else ndimage._target(output, image)
    structure = _cross(count) if structure is None else structure
    extents, flags = flags_of(structure, "structure", count)
    if not flags:
        raise ValueError("a structure has one element or more")
    origins = ndimage._each(origin, count, "origin")
    for n, shift in zip(extents, origins):
        if not 0 <= n // 2 + _operator.index(shift) < n:
            raise ValueError(f"origin {shift} leads out of {n} neighbours")
    if largest:
        structure, origins = _turned(None, structure, origins, ndimage._each, count)
    bits = image != 0
    where = None if mask is None else _core.array_from(mask) != 0
    if where is not None and where.shape != image.shape:
        raise ValueError(f"mask has the shape {where.shape}, and the input {image.shape}")
    step = ndimage.maximum_filter if largest else ndimage.minimum_filter
    nothing = bits ^ bits if largest else bits | ~bits  # of no neighbours none is set, and all are
    iterations, border = _operator.index(iterations), 1 if border_value else 0
    done = 0
    while iterations < 1 or done < iterations:
        after = step(bits, None, structure, None, "constant", border, origins, axes=axes) if any(flags) else nothing
        if where is not None:
            after = _core.where(where, after, bits)
        same = iterations < 1 and bool((after == bits).all())
        bits, done = after, done + 1
        if same:
            break
    if out is None:
        return bits.astype(target, copy=False)
    out[...] = bits
    return out
