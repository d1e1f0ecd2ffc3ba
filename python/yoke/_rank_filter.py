# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""The smallest, the largest, or the element of a rank among the neighbours of each element, for yoke.ndimage: a copy with a border,
made by the mode, and one kernel, which is told the places of the neighbours in that copy."""

import threading as _threading
import weakref as _weakref

from . import _core

# plan: the number of axes and of neighbours, the shape, the strides of the copy, the neighbours' distances in it. Of the
# neighbours' elements the one is kept that has `rank` smaller ones, each counted as often as it is there; NaN has no rank, and is
# the result where there is nothing else.
_TEXT = """#include <yoke/kernel.h>
#include <yoke/types.h>
YOKE_KERNEL void rank_filter(YOKE_GLOBAL TYPE *out, YOKE_GLOBAL const TYPE *wide, YOKE_GLOBAL const yoke_i64 *plan, yoke_i64 rank,
                             yoke_i64 total)
{
    yoke_i64 i = (yoke_i64)yoke_global_x(), rest = i, at = 0, axes = plan[0], count = plan[1], k, j;
    YOKE_GLOBAL const yoke_i64 *shape = plan + 2, *strides = shape + axes, *near = strides + axes;
    if (i >= total)
        return;
    for (k = axes - 1; k >= 0; k--) {
        at += rest % shape[k] * strides[k];
        rest /= shape[k];
    }
    TYPE found = wide[at + near[0]];
    if (rank == 0 || rank == count - 1) {
        for (k = 1; k < count; k++) {
            TYPE x = wide[at + near[k]];
            if ((rank == 0 ? x < found : x > found) || found != found)
                found = x;
        }
    } else {
        for (k = 0; k < count; k++) {
            TYPE x = wide[at + near[k]];
            yoke_i64 less = 0, same = 0;
            for (j = 0; j < count; j++) {
                TYPE y = wide[at + near[j]];
                less += y < x;
                same += y == x;
            }
            if (less <= rank && rank < less + same) {
                found = x;
                break;
            }
        }
    }
    out[i] = found;
}
"""

# The words of C, and what other dtypes are computed as: each has all values.
_TYPES = {"int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "int32": "int",
          "uint32": "unsigned int", "int64": "yoke_i64", "uint64": "yoke_u64", "float32": "float", "float64": "double"}
_AS = {"bool": "uint8", "float16": "float32", "bfloat16": "float32"}

_kernels = _weakref.WeakKeyDictionary()
_lock = _threading.Lock()


def _kernel(device, dtype):
    with _lock:
        kernels = _kernels.setdefault(device, {})
        if dtype not in kernels:
            kernels[dtype] = device.build(_TEXT, defines={"TYPE": _TYPES[dtype]})["rank_filter"]
        return kernels[dtype]


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


def ranked(array, offsets, rank, modes, cval):
    """A new array. offsets: the distances of the neighbours, a tuple of ints for each, of one int for each axis."""
    name = str(array.dtype)
    if name in _AS:
        return ranked(array.astype(_AS[name]), offsets, rank, modes, cval).astype(name)
    if name not in _TYPES:
        raise TypeError(f"an array of {name} has no order: a filter by ranks is for real numbers")
    out = _core.empty(array.shape, name, stream=array.stream)
    if not array.size:
        return out
    before = [max(0, -min(each)) for each in zip(*offsets)]
    behind = [max(0, max(each)) for each in zip(*offsets)]
    wide = bordered(array, before, behind, modes, cval)
    wide = wide.copy() if wide is array else wide
    strides = [each // wide.itemsize for each in wide.strides]
    near = [sum([(k + first) * stride for k, first, stride in zip(each, before, strides)]) for each in offsets]
    plan = _core.array_from([array.ndim, len(near), *array.shape, *strides, *near], "int64", array.stream)
    _kernel(array.device, name)[out.size](array.stream, out, wide, plan, rank, out.size)
    return out
