# SPDX-License-Identifier: Apache-2.0
"""What is done on the host: texts and files of arrays, dtypes, and functions that are called for each line."""

import inspect as _inspect

import numpy as _numpy

from .. import _core
from . import _common
from ._common import array_of as _array_of
from ._common import axis_of as _axis_of
from ._common import is_array as _is_array
from ._common import on_host as _on_host

__all__ = ["apply_along_axis", "apply_over_axes", "array2string", "array_repr", "array_str", "asnumpy", "broadcast", "can_cast",
           "common_type", "genfromtxt", "get_array_module", "isfortran", "loadtxt", "may_share_memory", "min_scalar_type",
           "promote_types", "result_type", "save", "savetxt", "savez", "savez_compressed"]


def get_array_module(*args):
    """yoke.numpy where one of the arguments is an Array, and numpy otherwise, so that a function computes where its data are."""
    import yoke.numpy

    return yoke.numpy if any(map(_is_array, args)) else _numpy


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """The values on the host, as NumPy's array, which are waited for. out: a NumPy array that takes them."""
    _common.refuse("asnumpy", order=order)
    if stream is not None and not (_is_array(a) and stream is a.stream):
        raise TypeError("asnumpy: an array is read in its own stream, and another is not taken")
    if blocking is not True:
        raise TypeError("asnumpy: it waits for the values; await a.stream, or stream.read with memory of your own, do not")
    return a.to_numpy(out) if _is_array(a) else _numpy.asarray(a)


# ---- Texts and files ----

def _as_numpys(function, changed, text):
    """A function with NumPy's signature, which hands on its arguments and has its result changed."""
    def called(*words, **options):
        return changed(function, words, options)

    called.__name__ = called.__qualname__ = function.__name__
    called.__doc__, called.__signature__ = text, _inspect.signature(function)
    return called


def _written(function, words, options):
    return function(*[_on_host(each) if _is_array(each) else each for each in words], **options)


def _read(function, words, options):
    if options.get("like") is not None:
        _common.refuse(function.__name__, like=options["like"])
    return _array_of(function(*words, **options))


array2string = _as_numpys(_numpy.array2string, _written, "NumPy's text of the values.")
savetxt = _as_numpys(_numpy.savetxt, _written, "Write an array as text.")
loadtxt = _as_numpys(_numpy.loadtxt, _read, "An array of a file's text, read on the host.")
genfromtxt = _as_numpys(_numpy.genfromtxt, _read, "An array of a file's text, in which values may be missing, read on the host.")


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """NumPy's text of the values, with the dtype."""
    return _numpy.array_repr(_on_host(arr), max_line_width, precision, suppress_small)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """NumPy's text of the values."""
    return _numpy.array_str(_on_host(a), max_line_width, precision, suppress_small)


def save(file, arr, allow_pickle=True):
    """Write an array as a file .npy."""
    _numpy.save(file, _on_host(arr), allow_pickle)


def savez(file, *args, allow_pickle=True, **kwds):
    """Write arrays as a file .npz."""
    _numpy.savez(file, *map(_on_host, args), allow_pickle=allow_pickle, **{name: _on_host(each) for name, each in kwds.items()})


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """Write arrays as a compressed file .npz."""
    _numpy.savez_compressed(file, *map(_on_host, args), allow_pickle=allow_pickle,
                            **{name: _on_host(each) for name, each in kwds.items()})


# ---- Dtypes ----

def _host_dtype(x):
    return _numpy.dtype(str(x.dtype)) if _is_array(x) else x


def can_cast(from_, to, casting="safe"):
    """Whether a dtype is cast to another by NumPy's rules."""
    return _numpy.can_cast(_host_dtype(from_), to, casting)


def result_type(*arrays_and_dtypes):
    """The dtype of an operation on these."""
    return _core.named_dtype(_core.result_dtype(arrays_and_dtypes)) if any(map(_is_array, arrays_and_dtypes)) \
        else _numpy.result_type(*arrays_and_dtypes)


def promote_types(type1, type2, /):
    """The smallest dtype to which two are cast safely."""
    return _numpy.promote_types(type1, type2)


def min_scalar_type(a, /):
    """The smallest dtype that holds a number; of an array its dtype."""
    return a.dtype if _is_array(a) and a.ndim else _numpy.min_scalar_type(_on_host(a))


def common_type(*arrays):
    """The float or complex type that holds all of the arrays."""
    return _numpy.common_type(*[_numpy.empty(0, str(each.dtype)) if _is_array(each) else each for each in arrays])


def isfortran(a):
    """Whether the elements lie in Fortran's order, and not in C's."""
    from ._manipulation import _is_columns

    return _is_columns(a)


def may_share_memory(a, b, /, max_work=0):
    """Whether two arrays have elements and are of one buffer, so that they may have an element in common."""
    if max_work not in (0, None):
        raise TypeError(f"may_share_memory: max_work={_core.shown(max_work)} is not there: only the buffers are compared")
    return _is_array(a) and _is_array(b) and a.buffer is b.buffer and a.size > 0 and b.size > 0


class broadcast:
    """The shape that several arrays have together: shape, ndim, nd and size."""

    def __init__(self, *arrays):
        self.shape = tuple(_core.broadcast_shape([tuple(getattr(each, "shape", _numpy.shape(each))) for each in arrays]))
        self.ndim = self.nd = len(self.shape)
        self.size = int(_numpy.prod(self.shape, dtype="int64"))
        self.numiter = len(arrays)


# ---- Functions of lines ----

def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """What a function gives for each line of elements along an axis, which it gets as an Array: one call for each line."""
    arr = _array_of(arr)
    axis = _axis_of(axis, arr.ndim)
    lines = _common.moved_last(arr, axis)
    count = lines.size // (lines.shape[-1] or 1)
    if not count:
        raise ValueError("apply_along_axis of no lines has no value")
    flat = lines.reshape((count, lines.shape[-1]))
    results = [_array_of(func1d(flat[i], *args, **kwargs), stream=arr.stream) for i in range(count)]
    shape = tuple(results[0].shape)
    whole = _core.stack(results, 0).reshape((*lines.shape[:-1], *shape))
    front = list(range(arr.ndim - 1))
    inner = list(range(arr.ndim - 1, arr.ndim - 1 + len(shape)))
    order = front[:axis] + inner + front[axis:]
    return whole.transpose(order) if order else whole


def apply_over_axes(func, a, axes):
    """What a function func(a, axis) gives for one axis after the other; an axis that it takes away comes back with one element."""
    result = _array_of(a)
    dimensions = result.ndim
    for axis in axes if hasattr(axes, "__len__") else (axes,):
        axis = _axis_of(axis, dimensions)
        after = func(result, axis)
        if after.ndim != dimensions:
            after = after[(slice(None),) * axis + (None,)]
            if after.ndim != dimensions:
                raise ValueError(f"apply_over_axes: the function gave {after.ndim - 1} dimensions for {dimensions}")
        result = after
    return result
