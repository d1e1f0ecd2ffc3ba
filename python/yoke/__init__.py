# SPDX-License-Identifier: Apache-2.0
"""Yoke: GPU computing on CUDA and OpenCL alike.

    import numpy, yoke

    x = numpy.arange(1000, dtype=numpy.float32)
    a = yoke.asarray(x)
    print((2 * a + 1).sum().item())

Kernels: Device, Stream, Buffer, Program, Source, Kernel, In, Out, InOut, Local, Event, Graph, Image. Arrays: asarray, empty, zeros,
ones, full, arange, map, evaluate, where, matmul, the functions of one array, those of order (sort, unique, histogram, …), filters,
and the modules fft and random. trace shows what streams did. Failures are Error and its subclasses. doc/python.md has the guide.
"""

import sys as _sys

from ._core import (
    Array, Buffer, BuildError, CancelledError, DeadlockError, Device, DeviceInfo, DeviceLostError, DriverError, Error, Event,
    ExecutionError, ForkedError, Graph, HostArgument, HostFunctionError, Image, In, InOut, InvalidArgumentError, Kernel,
    KernelArgumentError, Launch, Local, NotFoundError, Out, OutOfDeviceMemoryError, OutOfHostMemoryError, Program, RangeError,
    Source, Stream, Surface, UnavailableError, UnsupportedError, apply, arange, argsort, asarray, binary_function, bincount,
    broadcast_shape, cache_info, clip, concatenate, convolve, correlate, correlate1d, default_stream, devices, dot, empty,
    empty_like, evaluate, from_dlpack, full, full_like, gaussian_filter, histogram, info, libraries, linspace, map, map_reduce,
    map_reduce_segments, matmul, ones, ones_like, partition, reduce, reduce_segments, scan, scan_segments, scatter, searchsorted,
    select, select_where, separable_filter, sobel, sort_in_place, stack, take, topk, uniform_filter, unique, wait_all, wait_any,
    where, zeros, zeros_like,
)
from ._core import version as __version__
from . import fft, random
from ._trace import Trace, trace


def _elementwise(name: str):
    def function(array):
        return apply(name, array)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of each element; integers give float32."
    return function


for _name in ("sqrt exp exp2 log log2 log10 sin cos tan asin acos atan sinh cosh tanh floor ceil trunc rint cbrt expm1 log1p erf "
              "rsqrt").split():
    setattr(_sys.modules[__name__], _name, _elementwise(_name))


def minimum(a, b):
    """The smaller of each two elements; NaN only where both are."""
    return binary_function("min", a, b)


def maximum(a, b):
    """The larger of each two elements; NaN only where both are."""
    return binary_function("max", a, b)


def sort(array, descending=False):
    """A sorted copy, along the last axis; stable, NaN last."""
    result = array.copy()
    sort_in_place(result, None, descending)
    return result


def sort_pairs(keys, values, descending=False):
    """Sort keys in place along the last axis; the values, an array of the same shape, move with them."""
    sort_in_place(keys, values, descending)


def cumsum(array, axis=None):
    """The sums of all elements up to each, along an axis; None: of the flattened array."""
    return scan("sum", array, axis)


def cumprod(array, axis=None):
    """The products of all elements up to each, as cumsum."""
    return scan("prod", array, axis)


def cummin(array, axis=None):
    """The smallest of all elements up to each, as cumsum."""
    return scan("min", array, axis)


def cummax(array, axis=None):
    """The largest of all elements up to each, as cumsum."""
    return scan("max", array, axis)


def outer(a, b):
    """a[i] * b[j] of two arrays of one dimension."""
    return matmul(a[:, None], b[None, :])


def to_numpy(array):
    """As array.to_numpy()."""
    return array.to_numpy()


__all__ = [name for name in dir() if not name.startswith("_")]
