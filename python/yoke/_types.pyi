# SPDX-License-Identifier: Apache-2.0
from builtins import bool as _bool
from typing import Any, NamedTuple

from . import Array, Device, DType

e: float
inf: float
nan: float
pi: float
newaxis: None
bool: Any
int8: Any
int16: Any
int32: Any
int64: Any
uint8: Any
uint16: Any
uint32: Any
uint64: Any
float16: Any
bfloat16: Any
float32: Any
float64: Any
complex64: Any
complex128: Any

class _Integers(NamedTuple):
    bits: int
    max: int
    min: int
    dtype: Any

class _Floats(NamedTuple):
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any

def iinfo(type: DType | Array, /) -> _Integers: ...
def finfo(type: DType | Array, /) -> _Floats: ...
def isdtype(dtype: DType, kind: DType | tuple[DType, ...]) -> _bool: ...
def result_type(*arrays_and_dtypes: Array | DType | complex) -> Any: ...
def can_cast(from_: DType | Array, to: DType, /) -> _bool: ...
def astype(x: Array, dtype: DType, /, *, copy: _bool = True, device: Device | None = None) -> Array: ...
