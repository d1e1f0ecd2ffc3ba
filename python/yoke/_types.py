# SPDX-License-Identifier: Apache-2.0
"""Dtypes by name, what they hold, what they become; constants; and what the namespace tells of itself.

A dtype is what x.dtype gives: NumPy's where NumPy is installed and has it, else the name.
"""

import math
from collections import namedtuple

from ._core import Device as _Device
from ._core import default_stream as _default_stream
from ._core import devices as _devices
from ._core import get_default_dtype as _get_default_dtype
from ._core import named_dtype as _named
from ._core import result_dtype as _result_dtype
from ._core import shown as _shown

e, inf, nan, newaxis, pi = math.e, math.inf, math.nan, None, math.pi

_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]
_BEYOND = {"real floating": ("float16", "bfloat16"), "numeric": ("float16", "bfloat16")}  # which the standard does not have

bool, int8, int16, int32, int64 = [_named(_name) for _name in ("bool", "int8", "int16", "int32", "int64")]
uint8, uint16, uint32, uint64 = [_named(_name) for _name in ("uint8", "uint16", "uint32", "uint64")]
float16, bfloat16, float32, float64 = [_named(_name) for _name in ("float16", "bfloat16", "float32", "float64")]
complex64, complex128 = _named("complex64"), _named("complex128")

_Integers = namedtuple("iinfo", "bits max min dtype")
_Floats = namedtuple("finfo", "bits eps max min smallest_normal dtype")
_FLOATS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}  # bits of exponent and fraction


def _dtype_of(value):
    return value.dtype if hasattr(value, "dtype") and not isinstance(value, type) else _named(value)


def iinfo(type, /):
    """The limits of an integer dtype, or of an array's: bits, max, min, dtype."""
    dtype = _dtype_of(type)
    name = str(dtype)
    if name not in _KINDS["integral"]:
        raise ValueError(f"{name} is no integer dtype: finfo has the limits of floats")
    bits = int(name.lstrip("uint"))
    low = 0 if name[0] == "u" else -(1 << bits - 1)
    return _Integers(bits, (1 << bits) + low - 1, low, dtype)


def finfo(type, /):
    """The limits of a floating-point dtype, or of an array's, as Python's floats: bits, eps, max, min, smallest_normal, dtype; of a
    complex dtype those of its parts."""
    name = str(_dtype_of(type))
    name = {"complex64": "float32", "complex128": "float64"}.get(name, name)
    if name not in _FLOATS:
        raise ValueError(f"{name} is no floating-point dtype: iinfo has the limits of integers")
    exponent, fraction = _FLOATS[name]
    most = (2.0 - 2.0**-fraction) * 2.0 ** ((1 << exponent - 1) - 1)
    return _Floats(1 + exponent + fraction, 2.0**-fraction, most, -most, 2.0 ** (2 - (1 << exponent - 1)), _named(name))


def isdtype(dtype, kind):
    """Whether a dtype is of a kind, which is a name of the standard ("integral"), a dtype, or a tuple of these."""
    if isinstance(kind, tuple):
        return any([isdtype(dtype, each) for each in kind])
    name = str(_named(dtype))
    if not isinstance(kind, str) or kind == "bool":
        return name == str(_named(kind))
    if kind not in _KINDS:
        raise ValueError(f"no such kind of dtypes: {_shown(kind)}; there are {', '.join(_KINDS)}, and dtypes themselves")
    return name in _KINDS[kind] + _BEYOND.get(kind, ())


def result_type(*arrays_and_dtypes):
    """The dtype that an operation of arrays, dtypes and Python's numbers gives."""
    return _result_dtype(arrays_and_dtypes)


def can_cast(from_, to, /):
    """Whether an operation of this dtype, or of an array, and the other dtype gives the other, so that no value is lost."""
    one, other = str(_dtype_of(from_)), str(_named(to))
    if (one, other) == ("uint64", "int64"):  # which operations give, and which has not all values
        return False
    return str(_result_dtype((one, other))) == other


def astype(x, dtype, /, *, copy=True, device=None):
    """The array in another dtype; itself, with copy=False, where it has that already; and on a device."""
    result = x.astype(dtype, copy=copy)
    return result if device is None else result.to_device(device)


class _Info:
    """What __array_namespace_info__ gives."""

    def capabilities(self):
        """What the standard leaves open."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self):
        """The device of arrays that are made without one."""
        return _default_stream().device

    def devices(self):
        """All devices, which this opens."""
        first = self.default_device()
        for info in _devices():
            if info.selector != first.info.selector and info.selector not in _opened:
                _opened[info.selector] = _Device(info.selector)
        return [first, *[device for selector, device in _opened.items() if selector != first.info.selector]]

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays that are made without one."""
        width = {"float32": "complex64", "float64": "complex128"}
        return {"real floating": _named(_get_default_dtype()), "complex floating": _named(width[_get_default_dtype()]),
                "integral": int64, "indexing": int64}

    def dtypes(self, *, device=None, kind=None):
        """The standard's dtypes that a device has, by name; of a kind, or of a tuple of kinds."""
        device = self.default_device() if device is None else device
        names = {name for each in (kind if isinstance(kind, tuple) else ("bool", "numeric") if kind is None else (kind,))
                 for name in _KINDS[each]}
        lacks = () if device.supports("fp64") else ("float64", "complex128")
        return {name: _named(name) for names_of in (_KINDS["bool"], _KINDS["numeric"]) for name in names_of
                if name in names and name not in lacks}


_opened = {}  # devices by selector


def __array_namespace_info__():
    """What the namespace offers: capabilities, devices, dtypes."""
    return _Info()
