# SPDX-License-Identifier: Apache-2.0
"""NumPy's names over Yoke's arrays: `import yoke.numpy as np` for programs written for NumPy or CuPy.

What a name means in NumPy it means here, with the same parameters in the same order; a parameter, or a value of one, that is not
there is a TypeError that says so. Results are on the device. Functions whose result's shape depends on values (unique, nonzero, a
mask as an index) wait for it, and their docstrings say so. asnumpy brings values to the host.

Dtypes, constants and what is about them are NumPy's own, so that this module, unlike `yoke`, needs NumPy.
doc/python-numpy.md lists what is refused, and why.
"""

import numpy as _numpy
from numpy import (
    base_repr, binary_repr, bool_, broadcast_shapes, byte, cdouble, complex64, complex128, complexfloating, csingle, double, dtype,
    e, errstate, euler_gamma, finfo, float16, float32, float64, floating, format_float_positional, format_float_scientific, generic,
    half, iinfo, index_exp, inexact, inf, int8, int16, int32, int64, int_, intc, integer, intp, isdtype, issubdtype, iterable,
    longlong, nan, ndindex, newaxis, number, pi, s_, short, signedinteger, single, typename, ubyte, uint, uint8, uint16, uint32,
    uint64, uintc, uintp, ulonglong, unsignedinteger, ushort,
)

from .. import _random_state as random
from .. import fft
from .._core import Array as ndarray
from .._core import missing as _missing
from . import (
    _creation, _indexing, _joining, _manipulation, _math, _nan, _outside, _polynomials, _products, _reductions, _sorting,
    _statistics, _ufuncs,
)
from . import linalg

bool = bool_

_HERE = [_name for _name in dir() if not _name.startswith("_")]
for _module in (_ufuncs, _creation, _manipulation, _joining, _indexing, _sorting, _reductions, _nan, _statistics, _products, _math,
                _polynomials, _outside):
    for _name in _module.__all__:
        globals()[_name] = _value = getattr(_module, _name)
        if callable(_value) and getattr(_value, "__module__", "").startswith("yoke.numpy."):
            try:
                _value.__module__ = "yoke.numpy"  # what users see, and pickle
            except AttributeError:
                pass
    _HERE += _module.__all__

__all__ = sorted({*_HERE} - {"fft", "linalg", "random"})

# Names of NumPy's that are not here, and what to do.
_REFUSED = {
    "vectorize": "a function of each element is an expression, or a lambda, that yoke.evaluate compiles",
    "frompyfunc": "a function of each element is an expression, or a lambda, that yoke.evaluate compiles",
    "matrix": "arrays of two dimensions multiply with @", "bmat": "block joins arrays",
    "memmap": "load(file, mmap_mode=…) reads a file",
    "poly1d": "polyval, polyadd, polymul, polyder and polyint take coefficients",
    "roots": "numpy.roots of asnumpy(p)", "polyfit": "numpy.polyfit of asnumpy(x) and asnumpy(y)", "polydiv": "numpy.polydiv",
    "nditer": "a GPU computes all elements at once", "flatiter": "a.ravel()", "recarray": "arrays have no fields",
    "longdouble": "no device has more than 64 bits", "clongdouble": "no device has more than 64 bits",
    "object_": "a device has numbers alone", "str_": "a device has numbers alone", "bytes_": "a device has numbers alone",
    "datetime64": "a device has numbers alone: int64 holds the count of units",
    "testing": "numpy.testing compares what asnumpy gives",
}


def __getattr__(name):
    raise AttributeError(_missing("yoke.numpy", name, __all__, _REFUSED), name=name)


def __dir__():
    return [*__all__, "fft", "linalg", "random"]
