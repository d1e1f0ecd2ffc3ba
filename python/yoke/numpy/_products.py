# SPDX-License-Identifier: Apache-2.0
"""Products and sums of products: of matrices, vectors, axes that letters name, and of signals."""

import math as _math
import operator as _operator

import numpy as _host

from .. import _core, linalg as _linalg
from . import _common
from ._common import array_of as _array_of
from ._common import arrays_of as _arrays_of
from ._common import into as _into
from ._common import kind_of as _kind
from ._common import of_one_dtype as _together
from ._manipulation import moveaxis as _moveaxis

__all__ = ["convolve", "correlate", "cross", "dot", "einsum", "einsum_path", "inner", "kron", "matmul", "outer", "tensordot",
           "vdot", "vecdot"]


def _multiplied(a, b):
    """matmul; bools as integers that are bools again."""
    if str(a.dtype) == "bool":
        return _core.matmul(a.astype("int32"), b.astype("int32")) != 0
    return _core.matmul(a, b)


def matmul(x1, x2, /, out=None, *, axes=None, axis=None, keepdims=False, casting="same_kind", order="K", dtype=None, subok=True,
           signature=None):
    """The products of matrices along the last two axes. axes: for both operands and the result the two in which a matrix lies."""
    _common.refuse("matmul", casting=casting, order=order, subok=subok, signature=signature)
    if axis is not None or keepdims:
        raise TypeError("matmul: axis and keepdims are not there, as they are not for NumPy's product of matrices")
    a, b = _together(x1, x2)
    if dtype is not None:
        a, b = a.astype(dtype), b.astype(dtype)
    if not a.ndim or not b.ndim:
        raise ValueError("matmul is of vectors and matrices: a number multiplies with *")
    if axes is None:
        return _into(_multiplied(a, b), out)
    if not isinstance(axes, list) or len(axes) != 3:
        raise ValueError(f"axes is a list of two axes for each of both operands and the result, not {_core.shown(axes)}")
    a, b = [_moveaxis(each, _matrix_axes(pair, each), (-2, -1)) for each, pair in zip((a, b), axes)]
    result = _multiplied(a, b)
    return _into(_moveaxis(result, (-2, -1), _matrix_axes(axes[2], result)), out)


def _matrix_axes(pair, array):
    """Two axes of an array that has so many; AxisError, as in NumPy, tells of one or three."""
    if array.ndim < 2:
        raise TypeError("matmul: axes are for matrices, and a vector has one")
    if not hasattr(pair, "__len__") or len(pair) != 2:
        raise _host.exceptions.AxisError(f"matmul: axes has two for a matrix, not {_core.shown(pair)}")
    return tuple(_common.axes_of(pair, array.ndim))


def _exact_tensordot(a, b, axes):
    if str(a.dtype) == "bool":
        return _linalg.tensordot(a.astype("int32"), b.astype("int32"), axes=axes) != 0
    return _linalg.tensordot(a, b, axes=axes)


def tensordot(a, b, axes=2):
    """The sums of products over axes: so many, the last of a and the first of b, or those of two sequences."""
    a, b = _together(a, b)
    if hasattr(axes, "__len__"):
        left, right = [list(each) if hasattr(each, "__len__") else [each] for each in axes]
        if len(left) != len(right):
            raise ValueError(f"{len(left)} axes of a, and {len(right)} of b")
        axes = (left, right)
    return _exact_tensordot(a, b, axes)


def dot(a, b, out=None):
    """The sums of products over the last axis of a and the last but one of b; of numbers the product."""
    a, b = _together(a, b)
    if not a.ndim or not b.ndim:
        result = a * b
    elif a.shape[-1] != b.shape[-2 if b.ndim > 1 else -1]:
        raise ValueError(f"shapes {tuple(a.shape)} and {tuple(b.shape)} do not fit: {a.shape[-1]} elements meet "
                         f"{b.shape[-2 if b.ndim > 1 else -1]}")
    else:
        result = _exact_tensordot(a, b, ([a.ndim - 1], [max(b.ndim - 2, 0)]))
    return _into(result, out)


def inner(a, b, /):
    """The sums of products over the last axis of both."""
    a, b = _together(a, b)
    if not a.ndim or not b.ndim:
        return a * b
    return _exact_tensordot(a, b, ([a.ndim - 1], [b.ndim - 1]))


def vdot(a, b, /):
    """The sum of conj(a) * b over all elements."""
    a, b = [each.reshape(-1) for each in _together(a, b)]
    if a.size != b.size:
        raise ValueError(f"{a.size} elements meet {b.size}")
    return _exact_tensordot(a.conj(), b, 1)


def vecdot(x1, x2, /, out=None, *, axes=None, axis=-1, keepdims=False, casting="same_kind", order="K", dtype=None, subok=True,
           signature=None):
    """The sums of conj(x1) * x2 along an axis."""
    _common.refuse("vecdot", casting=casting, order=order, subok=subok, signature=signature, axes=axes)
    a, b = _together(x1, x2)
    if dtype is not None:
        a, b = a.astype(dtype), b.astype(dtype)
    a, b = _common.moved_last(a, axis), _common.moved_last(b, axis)
    result = (a.conj() * b).sum(-1, a.dtype)
    return _into(_common.moved_back(result[..., None], axis) if keepdims else result, out)


def outer(a, b, out=None):
    """a[i] * b[j] of two flattened arrays."""
    a, b = [each.reshape(-1) for each in _together(a, b)]
    return _into(a[:, None] * b, out)


def kron(a, b):
    """Blocks that are b times each element of a."""
    a, b = _together(a, b)
    if not a.ndim or not b.ndim:
        return a * b
    dimensions = max(a.ndim, b.ndim)
    left = (1,) * (dimensions - a.ndim) + tuple(a.shape)
    right = (1,) * (dimensions - b.ndim) + tuple(b.shape)
    keep = [i for i in range(dimensions) if left[i] != 1 or right[i] != 1]  # few axes: an Array has eight at most
    one = a.reshape(tuple([each for i in keep for each in (left[i], 1)]))
    other = b.reshape(tuple([each for i in keep for each in (1, right[i])]))
    return (one * other).reshape(tuple([i * j for i, j in zip(left, right)]))


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vector products of vectors of three elements; of two elements the third of them is 0."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = _together(a, b)
    a, b = _common.moved_last(a, axisa), _common.moved_last(b, axisb)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError(f"cross is of vectors of two or three elements, not of {a.shape[-1]} and {b.shape[-1]}")
    if a.shape[-1] == b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if a.shape[-1] == 2 or b.shape[-1] == 2:
        zero = _core.zeros((*(a if a.shape[-1] == 2 else b).shape[:-1], 1), a.dtype, stream=a.stream)
        a, b = [_core.concatenate([each, zero], each.ndim - 1) if each.shape[-1] == 2 else each for each in (a, b)]
    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    result = _core.stack(parts, parts[0].ndim)
    return _common.moved_back(result, axisc)


# ---- Sums over letters ----

def _letters(operands):
    """The subscripts of each operand as lists of labels, those of the result or None, and the operands. An ellipsis is "."."""
    if isinstance(operands[0], str):
        text, arrays = operands[0].replace(" ", ""), operands[1:]
        inputs, arrow, result = text.partition("->")
        for each in text.replace("->", "").replace("...", "").replace(",", ""):
            if not (each.isascii() and each.isalpha()):
                raise ValueError(f"einsum: {each!r} in {text!r} is no letter from a to z or A to Z")
        named = [list(each.replace("...", ".")) for each in inputs.split(",")]
        target = list(result.replace("...", ".")) if arrow else None
    else:
        parts = list(operands)
        target = parts.pop() if len(parts) % 2 else None
        arrays, named = parts[::2], parts[1::2]
        named = [[_subscript(one) for one in each] for each in named]
        target = None if target is None else [_subscript(one) for one in target]
    if len(named) != len(arrays):
        raise ValueError(f"einsum: subscripts for {len(named)} operands, and there are {len(arrays)}")
    return named, target, _together(*arrays)


def _subscript(one):
    """A subscript that is a number stands for a letter, of which there are 52."""
    if one is Ellipsis:
        return "."
    number = _operator.index(one)
    if not 0 <= number < 52:
        raise ValueError(f"einsum: a subscript is a number from 0 to 51, not {_core.shown(number)}")
    return number


def _spelled(named, target, arrays):
    """Every axis with a label of its own: those of an ellipsis are ("...", place from the end)."""
    widest, full = 0, []
    for labels, array in zip(named, arrays):
        if labels.count(".") > 1:
            raise ValueError("einsum: an operand has one ellipsis at most")
        rest = array.ndim - len([one for one in labels if one != "."])
        if rest < 0 or rest and "." not in labels:
            raise ValueError(f"einsum: {len(labels)} subscripts for an operand of {array.ndim} dimensions")
        widest = max(widest, rest) if "." in labels else widest
        full.append([one for each in labels for one in
                     ([("...", i) for i in range(rest - 1, -1, -1)] if each == "." else [each])])
    ellipsis = [("...", i) for i in range(widest - 1, -1, -1)]
    if target is None:
        every = [one for each in full for one in each if not isinstance(one, tuple)]
        return full, ellipsis + sorted([one for one in {*every} if every.count(one) == 1])
    target = [one for each in target for one in (ellipsis if each == "." else [each])]
    for one in target:
        if target.count(one) > 1 or not any([one in each for each in full]):
            raise ValueError(f"einsum: the result's subscript {one!r} is there twice, or is none of an operand's")
    return full, target


def _once(labels, array):
    """Each label once: an axis that is named twice is a diagonal."""
    from ._indexing import diagonal

    for one in [*labels]:
        while labels.count(one) > 1:
            first = labels.index(one)
            second = labels.index(one, first + 1)
            if array.shape[first] != array.shape[second]:
                raise ValueError(f"einsum: the subscript {one!r} names extents {array.shape[first]} and {array.shape[second]}")
            array = diagonal(array, 0, first, second)
            labels = [each for i, each in enumerate(labels) if i not in (first, second)] + [one]
    return labels, array


def _summed(labels, array, wanted):
    """The sum over the axes that nothing else names."""
    axes = tuple([i for i, one in enumerate(labels) if one not in wanted])
    if not axes:
        return labels, array
    if str(array.dtype) == "bool":
        return [one for one in labels if one in wanted], array.any(axes)
    return [one for one in labels if one in wanted], array.sum(axes, array.dtype)


def _pair(one, other, wanted):
    """The product of two operands, summed over what nothing else names: a product of matrices, with a batch of what both keep."""
    (left, a), (right, b) = one, other
    left, a = _summed(left, a, {*wanted, *right})
    right, b = _summed(right, b, {*wanted, *left})
    for label in [each for each in left if each in right]:  # extents of 1 are broadcast
        i, j = left.index(label), right.index(label)
        if a.shape[i] != b.shape[j]:
            if 1 not in (a.shape[i], b.shape[j]):
                raise ValueError(f"einsum: the subscript {label!r} names extents {a.shape[i]} and {b.shape[j]}")
            if a.shape[i] == 1:
                left, a = [each for each in left if each != label], a.squeeze(i)
            else:
                right, b = [each for each in right if each != label], b.squeeze(j)
    batch = [each for each in left if each in right and each in wanted]
    inside = [each for each in left if each in right and each not in wanted]
    rows, columns = [each for each in left if each not in right], [each for each in right if each not in left]
    extents = {**dict(zip(left, a.shape)), **dict(zip(right, b.shape))}
    count = {name: _math.prod([extents[each] for each in part])
             for name, part in (("batch", batch), ("inside", inside), ("rows", rows), ("columns", columns))}
    a = _ordered(left, a, batch + rows + inside).reshape((count["batch"], count["rows"], count["inside"]))
    b = _ordered(right, b, batch + inside + columns).reshape((count["batch"], count["inside"], count["columns"]))
    result = _multiplied(a, b) if inside else a * b
    labels = batch + rows + columns
    return labels, result.reshape(tuple([extents[each] for each in labels]))


def _ordered(labels, array, wanted):
    return array.transpose([labels.index(each) for each in wanted]) if array.ndim else array


def einsum(*operands, out=None, optimize=False, **kwargs):
    """Sums of products by subscripts: einsum("ij,jk->ik", a, b), or einsum(a, [0, 1], b, [1, 2], [0, 2]). Two operands after
    another are multiplied, from the left to the right; optimize: in the order of einsum_path, or in the one that is given."""
    dtype = kwargs.pop("dtype", None)
    _common.refuse("einsum", **{name: kwargs.pop(name) for name in ("order", "casting") if name in kwargs})
    if kwargs:
        raise TypeError(f"einsum takes no {', '.join(kwargs)}")
    if len(operands) < 2:
        raise ValueError("einsum takes subscripts and one operand or more")
    named, target, arrays = _letters(operands)
    if dtype is not None:
        arrays = [each.astype(dtype) for each in arrays]
    given = arrays
    full, target = _spelled(named, target, arrays)
    left = [_once(labels, array) for labels, array in zip(full, arrays)]
    path = [(0, 1)] * (len(left) - 1)
    if optimize is not False and optimize is not None and len(left) > 2:
        chosen = optimize if isinstance(optimize, (list, tuple)) and optimize[0] == "einsum_path" else None
        path = (chosen or einsum_path(*operands, optimize=optimize)[0])[1:]
    for places in path:
        group = [left.pop(i) for i in sorted(places, reverse=True)][::-1]
        while len(group) > 1:
            wanted = {one for labels, _ in (*left, *group[2:]) for one in labels} | {*target}
            group[:2] = [_pair(group[0], group[1], wanted)]
        left.append(group[0]) if optimize else left.insert(0, group[0])
    labels, array = _summed(*left[0], {*target})
    result = _ordered(labels, array, target)
    result = result.copy() if len(given) == 1 and result.buffer is given[0].buffer else result
    return _into(result, out)


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """The order of products for einsum, and its description, by the extents alone."""
    if einsum_call:
        raise TypeError("einsum_path: einsum_call is NumPy's own")
    hollow = [_host.broadcast_to(_host.zeros((), str(each.dtype)), each.shape) if _common.is_array(each) else each
              for each in operands]
    return _host.einsum_path(*hollow, optimize=optimize)


# ---- Signals ----

_MOST = 1 << 22  # elements of windows at a time


def _direct(a, v, low, count):
    """count sums of products of the shorter signal, reversed, with windows of the longer, from the window that ends at `low`."""
    length, taps = a.size, v.size
    kernel = v[::-1].copy()
    frame = _core.zeros((length + 2 * (taps - 1),), a.dtype, stream=a.stream)
    frame[taps - 1:taps - 1 + length] = a
    step = max(1, _MOST // taps)
    lags = _core.arange(taps, dtype="int64", stream=a.stream)
    parts = []
    for start in range(0, count, step):
        rows = _core.arange(low + start, low + min(start + step, count), dtype="int64", stream=a.stream)
        places = (rows[:, None] + lags).reshape(-1)
        windows = _core.take(frame, places, 0).reshape((rows.size, taps))
        parts.append(_multiplied(windows, kernel))
    return parts[0] if len(parts) == 1 else _core.concatenate(parts, 0)


def convolve(a, v, mode="full"):
    """The sums of products of one signal with the other, reversed, at each shift. mode: all shifts ("full"), as many as the longer
    has elements ("same"), or those where all elements meet ("valid"). Long signals of floats go by Fourier transforms."""
    a, v = _together(a, v)
    if a.ndim > 1 or v.ndim > 1:
        raise ValueError("convolve is of signals of one dimension: yoke.fft.convolve and yoke.ndimage.convolve take more")
    a, v = a.reshape(-1), v.reshape(-1)
    if not a.size or not v.size:
        raise ValueError("a signal without elements is not convolved")
    if v.size > a.size:
        a, v = v, a
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"mode is full, same or valid, not {_core.shown(mode)}")
    low, count = {"full": (0, a.size + v.size - 1), "same": ((v.size - 1) // 2, a.size),
                  "valid": (v.size - 1, a.size - v.size + 1)}[mode]
    if _kind(a) in "fc" and a.size * v.size > _MOST and str(a.dtype) not in ("float16", "bfloat16"):
        from ..fft import convolve as by_transforms

        return by_transforms(a, v, "full")[low:low + count].copy()
    return _direct(a, v, low, count)


def correlate(a, v, mode="valid"):
    """The sums of a[n + k] * conj(v[n]) at each shift k."""
    a, v = [each.reshape(-1) if each.ndim < 2 else each for each in _together(a, v)]
    turned = v[::-1].conj() if v.ndim == 1 else v
    if mode == "same" and v.size > a.size:  # NumPy exchanges the signals then, and cuts at the other end
        return convolve(a, turned, "full")[a.size // 2:a.size // 2 + v.size].copy()
    return convolve(a, turned, mode)
