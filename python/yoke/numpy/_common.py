# SPDX-License-Identifier: Apache-2.0
"""What the functions of yoke.numpy share: operands as Arrays, results in `out`, casts by NumPy's rules, and parameters of NumPy's
that are refused."""

import operator as _operator

import numpy as _host

from .. import _core
from .._core import Array
from .._core import array_from as _array_from
from .._core import axis_error as _axis_error

# Parameters of NumPy's that exist here with the values that are named, and why no others do.
_ALLOWED = {
    "order": (("C", "K", "A", None), "arrays are in C's order, and Fortran's is not there: a.T is a view with the axes reversed"),
    "like": ((None,), "the result is always an Array of yoke's"),
    "subok": ((True, False), "subok is True or False"),
    "casting": (("same_kind",), "results are cast as same_kind: say a.astype(dtype) for other casts"),
    "signature": ((None,), "the loop is chosen by the operands' dtypes: give dtype, or astype"),
    "overwrite_input": ((False, True), "overwrite_input is True or False; the input stays as it is in both cases"),
    "kind": ((None, "quicksort", "mergesort", "heapsort", "stable"), "every sort is stable"),
    "introselect": (("introselect",), "there is one way to partition, a sort"),
    "fields": ((None,), "arrays have no fields"),
    "ndmax": ((0,), "lists are taken apart to the numbers"),
    "copy": ((True,), "the result is always a copy"),
    "axes": ((None,), "axes of several operands are not there: move them with moveaxis"),
    "cov": ((False,), "polyfit gives the coefficients alone"),
}


def refuse(function, **given):
    """TypeError: a parameter of NumPy's has a value that is not there. The sentence says which, and what to do."""
    for name, value in given.items():
        values, reason = _ALLOWED[name]
        value = value.upper() if name == "order" and isinstance(value, str) else value
        if not any([value is each or isinstance(value, str) and value == each for each in values]):
            shown = {"introselect": "kind", "fields": "order"}.get(name, name)
            raise TypeError(f"{function}: {shown}={_core.shown(value)} is not there: {reason}")


def is_array(x):
    """Whether it is an Array of yoke's."""
    return isinstance(x, Array)


def array_of(x, dtype=None, stream=None):
    """An operand as an Array: itself, or a copy of what is on the host."""
    return _array_from(x, dtype, stream=stream)


def arrays_of(*operands):
    """Several operands as Arrays on one stream, that of the first Array among them."""
    stream = next((each.stream for each in operands if is_array(each)), None)
    return [_array_from(each, stream=stream) for each in operands]


def together(*operands):
    """The same, of their common dtype."""
    stream = next((each.stream for each in operands if is_array(each)), None)
    operands = [each if type(each) in PLAIN else _array_from(each, stream=stream) for each in operands]
    if all([type(each) in PLAIN for each in operands]):
        operands = [_array_from(each, stream=stream) for each in operands]
    dtype = _core.result_dtype(tuple(operands))
    return [_core.full((), each, dtype, stream=stream) if type(each) in PLAIN else _array_from(each, dtype, stream=stream)
            for each in operands]


PLAIN = (bool, int, float, complex)  # Python's, whose width gives way to an array's


def of_one_dtype(*operands):
    """As together, but Python's numbers are arrays first, as NumPy's functions of products have it."""
    return together(*arrays_of(*operands))


def kind_of(x):
    """"b", "i", "u", "f" or "c"."""
    return kind_of_dtype(x.dtype)


def kind_of_dtype(dtype):
    """The same of a dtype, of whatever kind."""
    name = str(_core.named_dtype(dtype))
    return "f" if name == "bfloat16" else name[0]


def wide_float(device):
    """The widest float of a device."""
    return "float64" if device.supports("fp64") else "float32"


def float_dtype(array):
    """The dtype in which NumPy computes functions of floats: that of the array, or a float as wide as its integers need."""
    name = str(array.dtype)
    if kind_of(array) in "fc":
        return name
    if name in ("bool", "int8", "uint8"):
        return "float16"
    return "float32" if name in ("int16", "uint16") else wide_float(array.device)


def mean_dtype(array):
    """The dtype of means: that of floats, and of integers the widest float."""
    return str(array.dtype) if kind_of(array) in "fc" else wide_float(array.device)


def real_dtype(array):
    """The dtype of the parts of complex numbers; of others their own."""
    return {"complex64": "float32", "complex128": "float64"}.get(str(array.dtype), str(array.dtype))


def axis_of(axis, dimensions):
    """An axis from the front."""
    number = _operator.index(axis)
    if not -dimensions <= number < dimensions:
        raise _axis_error(number, dimensions)
    return number % dimensions


def axes_of(axis, dimensions):
    """The axes that are named, or all."""
    if axis is None:
        return list(range(dimensions))
    chosen = [axis_of(each, dimensions) for each in (axis if hasattr(axis, "__iter__") else (axis,))]
    if len({*chosen}) != len(chosen):
        raise ValueError(f"an axis is named twice: {axis}")
    return chosen


def moved_last(array, axis):
    """A view with one axis behind the others."""
    axis = axis_of(axis, array.ndim)
    return array if axis == array.ndim - 1 else array.transpose((*[i for i in range(array.ndim) if i != axis], axis))


def moved_back(array, axis):
    """A view with the last axis in the place `axis`."""
    axis = axis_of(axis, array.ndim)
    if axis == array.ndim - 1:
        return array
    order = list(range(array.ndim - 1))
    order.insert(axis, array.ndim - 1)
    return array.transpose(order)


def along(array, axis, key):
    """array[..., key, ...] with the key at one axis."""
    return array[(slice(None),) * axis_of(axis, array.ndim) + (key,)]


def evaluate(text, dtype, **variables):
    """An expression of each element."""
    return _core.evaluate(text, dtype, **variables)


def castable(source, target, casting="same_kind"):
    """Whether a dtype is cast to another by one of NumPy's rules, of which bfloat16 is a float of 16 bits."""
    names = [str(_core.named_dtype(each)) for each in (source, target)]
    one, other = ["float16" if each == "bfloat16" else each for each in names]
    return _host.can_cast(_host.dtype(one), _host.dtype(other), casting)


def check_out(result, out, casting="same_kind"):
    """Refuse an `out` that is no Array, or whose dtype does not take the result's."""
    if not is_array(out):
        raise TypeError(f"out is an Array, not {type(out).__name__}")
    if not castable(result.dtype, out.dtype, casting):
        raise TypeError(
            f"a result of {result.dtype} is not cast to {out.dtype}, which out has, by the rule {_core.shown(casting)}")


def into(result, out, casting="same_kind"):
    """The result, or `out` with the result in it."""
    if isinstance(out, tuple):
        if len(out) != 1:
            raise TypeError(f"out is a tuple of {len(out)}, and there is one result")
        out = out[0]
    if out is None:
        return result
    check_out(result, out, casting)
    if tuple(out.shape) != tuple(result.shape):
        raise ValueError(f"out has the shape {tuple(out.shape)}, and the result {tuple(result.shape)}")
    out[...] = result
    return out


def value_of(x):
    """A number of the host's: an Array of one element waits for it."""
    return x.item() if is_array(x) or hasattr(x, "item") else x


def on_host(x):
    """Values on the host, as NumPy's array; those on the device are waited for."""
    return x.to_numpy() if is_array(x) else _host.asarray(x)
