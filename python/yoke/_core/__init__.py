# SPDX-License-Identifier: Apache-2.0
"""The extension modules of the package, one for each kind of object; README.md beside this has the table of them. What the rest of
the package imports is here, but for yoke.comm, which imports its module itself."""

from .errors import (
    BuildError, CancelledError, DeadlockError, DeviceLostError, DriverError, Error, ExecutionError, ForkedError, HostFunctionError,
    InvalidArgumentError, KernelArgumentError, NotFoundError, OutOfDeviceMemoryError, OutOfHostMemoryError, RangeError,
    UnavailableError, UnsupportedError, shown,
)
from .dtype import axis_error, get_default_dtype, index_of, named_dtype, set_default_dtype
from .device import (
    Device, DeviceInfo, after_first_device, cache_info, devices, info, libraries, order_trace, ordered_trace, version,
)
from .memory import Buffer, Image, Surface
from .event import CompletionQueue, Event, refuse_deadlock, retained, wait_all, wait_any
from .stream import Stream, default_stream, stream_on
from .array import Array
from .program import Program, Source, start_build
from .kernel import HostArgument, In, InOut, Kernel, Launch, Local, Out, Strided
from .alike import AlikeLaunch, AlikeLaunches, are_current
from .graph import Graph, Recording, Section
from .expression import broadcast_shape, evaluate, map
from .create import (
    arange, array_from, asarray, concatenate, empty, empty_like, full, full_like, linspace, ones, ones_like, result_dtype, stack,
    zeros, zeros_like,
)
from .reduction import cumprod, cumsum, map_reduce, quantile, reduce, scan
from .order import (
    argsort, bincount, clip, histogram, map_reduce_segments, partition_by, reduce_segments, scan_segments, scatter, searchsorted,
    select_where, sort, sort_in_place, topk, unique,
)
from .operators import apply, binary_function, where
from .indexing import nonzero, scatter_add, take
from .numerics import (
    check_later, convolve, convolved, correlate, correlate1d, dot, draw, fill_random, gaussian_filter, matmul, separable_filter,
    rank_filter, shuffled, sobel, transform, uniform_filter,
)
from .exchange import missing
from .foreign import from_dlpack
from .process import mark_trace

Array.__class_getitem__ = classmethod(type(list[int]))  # yoke.Array["float32"], for annotations
Array.__array_priority__ = 100  # by which Dask chooses the kind of a result


def _await_array(self):
    from .. import aio

    return aio.wait_for_array(self).__await__()


def _get(self, *, out=None):
    """A NumPy array with the values, as to_numpy, by the name that CuPy, PyCUDA and PyOpenCL have."""
    return self.to_numpy(out)


Array.__await__, Array.get = _await_array, _get
_get.__name__, _get.__qualname__ = "get", "Array.get"

# Users see one module, and what they pickle names it.
for _each in list(globals().values()):
    if getattr(_each, "__module__", "").startswith(__name__ + "."):
        _each.__module__ = __name__
        if isinstance(_each, type):
            _each.__name__ = _each.__name__  # without which its messages name the module that it was made in
