# SPDX-License-Identifier: Apache-2.0
from numpy import (
    base_repr as base_repr, binary_repr as binary_repr, bool_ as bool_, broadcast_shapes as broadcast_shapes,
    byte as byte, cdouble as cdouble, complex64 as complex64, complex128 as complex128,
    complexfloating as complexfloating, csingle as csingle, double as double, dtype as dtype, e as e,
    errstate as errstate, euler_gamma as euler_gamma, finfo as finfo, float16 as float16, float32 as float32,
    float64 as float64, floating as floating, format_float_positional as format_float_positional,
    format_float_scientific as format_float_scientific, generic as generic, half as half, iinfo as iinfo,
    index_exp as index_exp, inexact as inexact, inf as inf, int8 as int8, int16 as int16, int32 as int32,
    int64 as int64, int_ as int_, intc as intc, integer as integer, intp as intp, isdtype as isdtype,
    issubdtype as issubdtype, iterable as iterable, longlong as longlong, nan as nan, ndindex as ndindex,
    newaxis as newaxis, number as number, pi as pi, s_ as s_, short as short, signedinteger as signedinteger,
    single as single, typename as typename, ubyte as ubyte, uint as uint, uint8 as uint8, uint16 as uint16,
    uint32 as uint32, uint64 as uint64, uintc as uintc, uintp as uintp, ulonglong as ulonglong,
    unsignedinteger as unsignedinteger, ushort as ushort,
)
from numpy import bool_ as bool

from .. import Array as ndarray
from .. import fft as fft
from .. import _random_state as random
from . import linalg as linalg
from ._creation import *
from ._indexing import *
from ._joining import *
from ._manipulation import *
from ._math import *
from ._nan import *
from ._outside import *
from ._polynomials import *
from ._products import *
from ._reductions import *
from ._sorting import *
from ._statistics import *
from ._ufuncs import *

__all__: list[str]
