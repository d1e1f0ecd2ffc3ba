# SPDX-License-Identifier: Apache-2.0
"""Yoke: GPU computing on CUDA and OpenCL alike.

    import numpy, yoke

    x = numpy.arange(1000, dtype=numpy.float32)
    a = yoke.asarray(x)
    print((2 * a + 1).sum().item())

Kernels: Device, Stream, Buffer, Program, Source, Kernel, In, Out, InOut, Local, Event, Graph, Image. Kernels written in Python:
kernel, function, grid, barrier, shared, atomic, … (doc/kernels-in-python.md). Arrays: asarray, empty, zeros,
ones, full, arange, map, evaluate, where, matmul, the functions of one array, those of order (sort, unique, histogram, …), and the
modules fft, linalg, ndimage (filters) and random. Trace shows what streams did. Failures are Error and its subclasses.
doc/python.md has the guide.

The package is a namespace of the array API standard, of the version __array_api_version__. What the standard adds is in modules
that are imported with the first use of a name.
"""

import sys as _sys

from ._core import (
    Array, Buffer, BuildError, CancelledError, DeadlockError, Device, DeviceInfo, DeviceLostError, DriverError, Error, Event,
    ExecutionError, ForkedError, Graph, HostArgument, HostFunctionError, Image, In, InOut, InvalidArgumentError, Kernel,
    KernelArgumentError, Launch, Local, NotFoundError, Out, OutOfDeviceMemoryError, OutOfHostMemoryError, Program, RangeError,
    Source, Stream, Surface, UnavailableError, UnsupportedError, apply, arange, argsort, asarray, binary_function, bincount,
    broadcast_shape, cache_info, clip, concatenate, cumprod, cumsum, default_stream, devices, dot, empty, empty_like, evaluate,
    from_dlpack, full, full_like, get_default_dtype, histogram, info, libraries, linspace, map, map_reduce, map_reduce_segments,
    matmul, ones, ones_like, partition_by, quantile, reduce, reduce_segments, scan, scan_segments, scatter,
    select_where, set_default_dtype, sort, sort_in_place, stack, stream_on, topk, unique, wait_all, wait_any, where, zeros,
    zeros_like,
)
from ._core import array_from as _array_from
from ._core import missing as _missing
from ._core import searchsorted as _searchsorted
from ._core import version as __version__
from . import _pocl, fft, ndimage, random
from ._positions import (
    argwhere, compress, count_nonzero, extract, flatnonzero, nonzero, put, put_along_axis, scatter_add, take, take_along_axis,
)
from ._rows import log_softmax, logsumexp, softmax
from ._trace import Trace
from . import _methods  # which gives Array some of its methods


def _elementwise(name: str):
    def function(a):
        return apply(name, a)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of each element; integers give float32."
    return function


for _name in ("sqrt exp exp2 log log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh floor ceil trunc rint cbrt "
              "expm1 log1p erf rsqrt").split():
    setattr(_sys.modules[__name__], _name, _elementwise(_name))


def minimum(a, b):
    """The smaller of each two elements; NaN where one is."""
    return binary_function("min", a, b)


def maximum(a, b):
    """The larger of each two elements; NaN where one is."""
    return binary_function("max", a, b)


def fmin(a, b):
    """The smaller of each two elements; NaN only where both are."""
    return binary_function("fmin", a, b)


def fmax(a, b):
    """The larger of each two elements; NaN only where both are."""
    return binary_function("fmax", a, b)


def sort_pairs(keys, values, *, descending=False):
    """Sort keys in place along the last axis; the values, an array of the same shape, move with them."""
    sort_in_place(keys, values, descending=descending)


def cummin(array, axis=None):
    """The smallest of all elements up to each, as cumsum."""
    return scan("min", array, axis)


def cummax(array, axis=None):
    """The largest of all elements up to each, as cumsum."""
    return scan("max", array, axis)


def outer(a, b):
    """a[i] * b[j] of two flattened arrays."""
    return _array_from(a).ravel()[:, None] * _array_from(b).ravel()[None, :]


def searchsorted(array, values, side="left", sorter=None):
    """Where values belong in an ascending array of one dimension, int64: before equal elements ("left") or behind them ("right").
    sorter: the indices that sort the array, if it does not ascend."""
    return _searchsorted(array if sorter is None else take(array, sorter, 0), values, side)


def to_numpy(array):
    """As array.to_numpy()."""
    return array.to_numpy()


_pocl.use()

__all__ = [name for name in dir() if not name.startswith("_")]

__array_api_version__ = "2024.12"

# Names of the array API standard, of NumPy beside, and those of kernels written in Python, by the modules that have them.
# `from yoke import *` does not take them, since some would hide Python's.
_LATER = {name: module for module, names in {
    "_types": "__array_namespace_info__ astype bfloat16 bool can_cast complex128 complex64 e finfo float16 float32 float64 "
              "iinfo inf int16 int32 int64 int8 isdtype nan newaxis pi result_type uint16 uint32 uint64 uint8",
    "_elementwise": "abs absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh atan2 bitwise_and bitwise_invert "
                    "bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor conj conjugate copysign divide "
                    "equal floor_divide greater greater_equal hypot imag invert isfinite isinf isnan left_shift less less_equal "
                    "logaddexp logical_and logical_not logical_or logical_xor multiply negative nextafter not_equal positive "
                    "pow power real reciprocal remainder right_shift round sign signbit square subtract",
    "_statistics": "all any argmax argmin cumulative_prod cumulative_sum max mean min prod std sum unique_all unique_counts "
                   "unique_inverse unique_values var",
    "_shapes": "broadcast_arrays broadcast_to concat diff expand_dims eye flip meshgrid moveaxis permute_dims repeat reshape "
               "roll squeeze tile tril triu unstack",
    "_layout": "array",
    "linalg": "linalg matrix_transpose tensordot vecdot",
    "numpy": "numpy",
    "kernels": "KernelError atomic barrier block block_size float2 float4 function grid grid_barrier grid_size gridsize int2 int4 "
               "kernel local philox random_float random_words shared shuffle shuffle_down shuffle_up shuffle_xor thread uint2 "
               "uint4",
}.items() for name in names.split()}

# Names of NumPy's whose meaning was another here, and of filters, which have a module.
_MOVED = {
    "trace": "yoke.Trace shows what streams did", "select": "a[mask], or yoke.select_where(a, expression, …)",
    "partition": "yoke.sort, or yoke.partition_by(a, flags)",
    "convolve": "yoke.fft.convolve of signals, yoke.ndimage.convolve of images", "correlate": "yoke.ndimage.correlate of images",
    **{name: f"yoke.ndimage.{name}" for name in ndimage.__all__ if name not in ("convolve", "correlate")},
    "asnumpy": "yoke.to_numpy(a), or a.to_numpy()",
}


def __getattr__(name):
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(_missing("yoke", name, __dir__(), _MOVED), name=name)
    __import__(f"yoke.{module}")
    module = _sys.modules[f"yoke.{module}"]
    value = module if name in ("linalg", "numpy") else getattr(module, name)
    globals()[name] = value  # so that it is found without this function from now on
    return value


def __dir__():
    return [*__all__, *_LATER]
