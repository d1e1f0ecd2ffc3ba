# SPDX-License-Identifier: Apache-2.0
"""NumPy's `order`: in which order elements are read, and lie in memory. Arrays are made in the order C, by rows, where nothing else
is asked for; F is by columns, A is F for an array that lies so, and K keeps the order that is there."""

from ._core import Array, asarray
from ._core import shown as _shown


def _lies_by_columns(array):
    """Whether the array is contiguous in the order F, and not in the order C."""
    expected = array.itemsize
    for extent, stride in zip(array.shape, array.strides):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return sum([extent != 1 for extent in array.shape]) > 1 and array.size > 0


def order_of(order):
    """An order's capital letter, which NumPy takes in lower case, too; others stay what they are, and are refused."""
    return order.upper() if isinstance(order, str) and len(order) == 1 else order


def _axes(array, order, known):
    """The axes from the one whose elements are farthest apart, in the order that is asked for."""
    order = order_of(order)
    if order not in known:
        raise ValueError(f"order is {', '.join(known)}, not {_shown(order)}")
    axes = list(range(array.ndim))
    if order == "F" or order == "A" and _lies_by_columns(array):
        return axes[::-1]
    return sorted(axes, key=lambda i: -abs(array.strides[i])) if order == "K" else axes


def _by(axes, make, array):
    """What `make` gives by rows, with these axes."""
    result = make(array.transpose(axes)) if axes else make(array)
    return result.transpose([axes.index(i) for i in range(len(axes))]) if axes else result


def reshaped(array, shape, order, copy):
    """Array.reshape and ravel, with all arguments. The elements are read, and put, in the order."""
    axes = _axes(array, order, ("C", "F", "A", "K") if shape == (-1,) else ("C", "F", "A"))
    if axes == list(range(array.ndim)):
        result = array.reshape(shape)
    elif shape == (-1,):
        result = array.transpose(axes).reshape(shape)
    else:
        try:
            result = array.transpose(axes).reshape(tuple(shape)[::-1]).transpose()
        except ValueError:
            array.reshape(shape)  # which says it of this shape
            raise
    if copy is not None and not isinstance(copy, (bool, int)):
        raise ValueError(f"copy is True, False or None, not {_shown(copy)}")
    shared = result.buffer is array.buffer
    if copy is False and not shared:
        raise ValueError(f"an array of shape {array.shape} and strides {array.strides} takes a copy, and copy is false")
    return result.copy() if copy and shared else result


def copied(array, order):
    """Array.copy in an order; None, as in NumPy, is that of the method without it."""
    return _by(_axes(array, "C" if order is None else order, ("C", "F", "A", "K")), Array.copy, array)


def converted(array, dtype, order, copy):
    """Array.astype in an order; without `copy` the array itself where dtype and order fit."""
    axes = _axes(array, "K" if order is None else order, ("C", "F", "A", "K"))
    result = _by(axes, lambda each: each.astype(dtype), array)
    return array if not copy and result.dtype == array.dtype and result.strides == array.strides else result


def arranged(data, dtype, order, stream, device, copy):
    """asarray in an order."""
    order = order_of(order)
    if order not in ("C", "F"):
        raise ValueError(f"order is C or F, not {_shown(order)}: an array is made by rows, whatever its source's layout")
    result = asarray(data, dtype, stream=stream, device=device, copy=copy)
    ordered = converted(result, result.dtype, order, False)
    if ordered is not result and copy is False:
        raise ValueError(f"the order {order} takes a copy, and copy is false")
    return ordered


def array(object, dtype=None, *, copy=True, order="C", ndmin=0, stream=None, device=None):
    """A new array of anything, as asarray takes it; copy: False raises ValueError where one is needed, None copies only then.
    order: of the elements in memory. ndmin: so many axes at least; new ones come in front."""
    result = arranged(object, dtype, order, stream, device, copy)
    return result.reshape((1,) * (ndmin - result.ndim) + result.shape) if result.ndim < ndmin else result
