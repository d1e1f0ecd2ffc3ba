# SPDX-License-Identifier: Apache-2.0
from builtins import bool as _bool
from typing import Any, NamedTuple, TypeAlias

from . import Array, Device, DType

e: float
inf: float
nan: float
pi: float
newaxis: None
# As types, in annotations of kernels, they are Python's numbers; as values, dtypes.
bool: TypeAlias = _bool
int8: TypeAlias = int
int16: TypeAlias = int
int32: TypeAlias = int
int64: TypeAlias = int
uint8: TypeAlias = int
uint16: TypeAlias = int
uint32: TypeAlias = int
uint64: TypeAlias = int
float16: TypeAlias = float
bfloat16: TypeAlias = float
float32: TypeAlias = float
float64: TypeAlias = float
complex64: TypeAlias = complex
complex128: TypeAlias = complex

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
