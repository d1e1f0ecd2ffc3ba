# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""CuPy's names over Yoke: a program that says `import cupy as cp` says `import yoke.cupy_like as cp`, and runs on CUDA and
on OpenCL. doc/from-cupy.md has what there is and what differs.

    import yoke.cupy_like as cp

    squared_diff = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    x = cp.arange(10, dtype=cp.float32)
    print(cp.asnumpy(squared_diff(x, x[::-1])))

The functions are those of yoke.numpy. Where these make arrays of the package's default dtype, float32, those here make float64, as
CuPy and NumPy do; on a device without float64 that is an error, and dtype=cp.float32 what to write.
"""

import functools as _functools
import inspect as _inspect
import sys as _sys

import numpy as _numpy

from . import _core
from . import _cupy_cuda as cuda
from . import numpy as _names
from ._cupy_kernels import ElementwiseKernel, RawKernel, RawModule, ReductionKernel, fuse
from .numpy import asnumpy, bool, ndarray

cupy = _sys.modules[__name__]
_float = "float64"

# ---- Arrays of float64 where nothing else is said ----


def _is_plain(value):
    """Whether a value is Python's own, without a dtype."""
    if isinstance(value, (list, tuple)):
        return all(_is_plain(each) for each in value)
    return isinstance(value, (int, float, complex)) and not hasattr(value, "dtype")


def _as_numpy_has(name):
    """A function of yoke.numpy of anything, whose lists and numbers get NumPy's dtype."""
    function = getattr(_names, name)

    @_functools.wraps(function)
    def made(a, dtype=None, **options):
        return function(_numpy.asarray(a) if dtype is None and _is_plain(a) else a, dtype, **options)
    return made


def _of_float(function, when=lambda bound: True):
    """A function with a dtype, which is float64 where the call names none."""
    signature = _inspect.signature(function)

    @_functools.wraps(function)
    def made(*args, **options):
        try:
            bound = signature.bind(*args, **options).arguments
        except TypeError:
            return function(*args, **options)  # which says what is wrong
        if bound.get("dtype") is None and when(bound):
            options["dtype"] = _float
            at = list(signature.parameters).index("dtype")
            if len(args) > at and "dtype" in signature.parameters:  # given, as None
                args = args[:at]
        return function(*args, **options)
    return made


array, asarray, asanyarray, ascontiguousarray = map(_as_numpy_has, ("array", "asarray", "asanyarray", "ascontiguousarray"))
zeros, ones, empty, eye, identity, tri = [_of_float(getattr(_names, each)) for each in (
    "zeros", "ones", "empty", "eye", "identity", "tri")]
linspace, logspace, geomspace = [_of_float(getattr(_names, each), lambda bound: _is_plain(bound.get("start")) and
                                           _is_plain(bound.get("stop")) and not any(isinstance(bound[key], complex) for key in (
                                               "start", "stop"))) for each in ("linspace", "logspace", "geomspace")]
full = _of_float(_names.full, lambda bound: isinstance(bound.get("fill_value"), float) and _is_plain(bound["fill_value"]))
arange = _of_float(_names.arange, lambda bound: any(isinstance(each, float) for each in bound.values()))


def _window(name):
    function = getattr(_numpy, name)

    def window(*args):
        return _names.asarray(function(*args))

    window.__name__ = window.__qualname__ = name
    window.__doc__ = f"NumPy's {name}, on the device."
    return window


bartlett, blackman, hamming, hanning, kaiser = map(_window, ("bartlett", "blackman", "hamming", "hanning", "kaiser"))


class _Random:
    """NumPy's names of random numbers, of a module or of a generator; floats are float64."""

    def __init__(self, own):
        self._own = own

    @property
    def generator(self):
        return self

    def RandomState(self, seed=None):
        """A generator with the older names."""
        return _Random(self._own.RandomState(seed))

    def default_rng(self, seed=None):
        """A generator."""
        return _Random(self._own.default_rng(seed))

    def rand(self, *size, dtype=_float):
        """Numbers from 0 to 1 of a shape."""
        return self._own.random(size or None, dtype)

    def randn(self, *size, dtype=_float):
        """Numbers of the normal distribution of a shape."""
        return self._own.standard_normal(size or None, dtype)

    def random_sample(self, size=None, dtype=_float):
        """Numbers from 0 to 1."""
        return self._own.random(size, dtype)

    ranf = sample = random_sample

    def __getattr__(self, name):
        function = getattr(self._own, name)
        if not callable(function) or isinstance(function, type):
            return function
        signature = _inspect.signature(function).parameters
        if "dtype" in signature and signature["dtype"].default is None:
            return _of_float(function)
        return function

    def __dir__(self):
        return dir(self._own)


random = _Random(_names.random)


class _Fft:
    """yoke.fft with CuPy's dtypes: integers and bools are transformed as float64, on a device that has it."""

    _TRANSFORMS = {prefix + name for name in ("fft", "fft2", "fftn") for prefix in ("", "i", "r", "ir")} | {"hfft", "ihfft"}

    def __getattr__(self, name):
        function = getattr(_names.fft, name)
        if name in ("fftfreq", "rfftfreq"):
            return _of_float(function)
        return _transform(function) if name in self._TRANSFORMS else function

    def __dir__(self):
        return dir(_names.fft)


def _transform(function):
    signature = _inspect.signature(function)

    @_functools.wraps(function)
    def made(a, *args, **options):
        array = asarray(a)
        bound = signature.bind(array, *args, **options).arguments
        is_of_none = "axes" in signature.parameters and bound.get("axes") is not None and not len(bound["axes"])
        if not is_of_none and array.dtype.kind in "biu" and array.device.supports("fp64"):
            array = array.astype(_float)
        return function(array, *args, **options)
    return made


fft = _Fft()


# ---- What CuPy has beside NumPy's names ----


def get_array_module(*args):
    """This module where one of the arguments is an array of the device, and numpy otherwise."""
    return cupy if any(isinstance(each, _core.Array) for each in args) else _numpy


def get_default_memory_pool():
    """What the device's memory is used for."""
    return cuda.MemoryPool()


def get_default_pinned_memory_pool():
    """The page-locked memory."""
    return cuda.PinnedMemoryPool()


def is_available():
    """Whether there is a device."""
    return cuda.is_available()


def show_config():
    """Print the devices and drivers, and why others are missing."""
    print(_core.info())


class _Testing:
    """numpy.testing of arrays on the device."""

    @staticmethod
    def _on_host(name, *args, **options):
        return getattr(_numpy.testing, name)(*map(asnumpy, args[:2]), *args[2:], **options)

    def __getattr__(self, name):
        if name not in ("assert_allclose", "assert_array_equal", "assert_array_almost_equal", "assert_array_less"):
            raise AttributeError(f"testing has no {name} here: numpy.testing compares what asnumpy gives", name=name)
        return _functools.partial(self._on_host, name)


testing = _Testing()

_HERE = [name for name in dir() if not name.startswith("_")]

_NOT_HERE = {
    "jit": "kernels in Python are of yoke.kernel, or of yoke.numba_like", "rawkernel": "kernels in Python are of yoke.kernel",
    "cutensor": "einsum and tensordot are there", "cublas": "a @ b uses cuBLAS where it is", "cusparse": "arrays are dense",
    "scipy": "filters are in yoke.ndimage", "fromDlpack": "from_dlpack", "asfortranarray": "arrays are in C's order; a.T is a view",
    "profiler": "yoke.Trace shows what streams did", "memoize": "functools.cache", "clear_memo": "the cache on disk is kept",
    "get_array_module_name": "get_array_module", "set_default_dtype": "dtype= of each call",
}


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    if name in _NOT_HERE:
        raise AttributeError(f"yoke.cupy_like has no {name}: {_NOT_HERE[name]}", name=name)
    try:
        return getattr(_names, name)
    except AttributeError as error:
        raise AttributeError(str(error).replace("yoke.numpy", "yoke.cupy_like"), name=name) from None


def __dir__():
    return sorted({*_HERE, *dir(_names)})
