# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Dtypes, shapes and numbers: their names, what an operation of two of them gives, and Python's numbers as C has them.

import operator
import sys

from libc.string cimport memset

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport shown


cdef extern from *:
    """
    static inline void set_f64(yoke_number *number, double value) { number->value.f64 = value; }
    static inline void set_parts(yoke_number *number, double real, double imaginary)
    {
        number->value.parts[0] = real;
        number->value.parts[1] = imaginary;
    }
    static inline void set_i64(yoke_number *number, int64_t value) { number->value.i64 = value; }
    static inline void set_u64(yoke_number *number, uint64_t value) { number->value.u64 = value; }
    """
    void set_f64(yoke_number *number, double value)
    void set_parts(yoke_number *number, double real, double imaginary)
    void set_i64(yoke_number *number, int64_t value)
    void set_u64(yoke_number *number, uint64_t value)

# Names by the numbers of YOKE_DTYPE_LIST, NumPy's names; struct's letters for memoryviews.
cdef tuple dtype_names = ("", "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
                          "bfloat16", "float32", "float64", "complex64", "complex128")


cdef tuple dtype_letters = ("", "?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "", "f", "d", "", "")
cdef dict dtype_numbers = {name: number for number, name in enumerate(dtype_names) if number}


# Python's types, and the names of C's, are what they are in NumPy.
dtype_numbers.update({float: F64, int: I64, bool: BOOL, complex: C128, "float": F64, "double": F64, "single": F32, "half": F16,
                      "int": I64, "uint": U64, "complex": C128})


# NumPy's short names, which it resolves itself only where it is imported.
dtype_numbers.update({"i1": I8, "u1": U8, "i2": I16, "u2": U16, "i4": I32, "u4": U32, "i8": I64, "u8": U64, "f2": F16, "f4": F32,
                      "f8": F64, "c8": C64, "c16": C128})


cdef int32_t dtype_number(dtype) except -1:
    """The number of a dtype: its name, a NumPy dtype or scalar type, or Python's float (float64), int (int64), bool, complex."""
    numpy = sys.modules.get("numpy")
    number = None
    if isinstance(dtype, (str, type)):
        number = dtype_numbers.get(dtype)
        if number is None and isinstance(dtype, type):
            number = dtype_numbers.get(dtype.__name__)  # numpy.float32, and the types of other libraries that are named like it
        if number is None and numpy is not None and (isinstance(dtype, str) or issubclass(dtype, numpy.generic)):
            number = number_of_numpy(numpy.dtype(dtype))
    elif numpy is not None and isinstance(dtype, numpy.dtype):
        number = number_of_numpy(dtype)
    if number is None and getattr(dtype, "dtype", None) is not None and not isinstance(dtype, type):
        raise TypeError(f"{type(dtype).__name__} is not a dtype: pass the dtype of the array, as x.dtype")
    if number is None:
        raise TypeError(f"no such dtype: {shown(dtype)}; there are {', '.join(dtype_names[1:])}")
    return number


cdef object number_of_numpy(dtype):
    """The number of a NumPy dtype; None: Yoke has no such dtype."""
    if not dtype.isnative:
        raise TypeError(f"the dtype {dtype.str} has the bytes of another machine's numbers: {dtype.name} has this one's")
    return dtype_numbers.get(dtype.name)


cdef object dtype_object(int32_t number):
    """What x.dtype gives: NumPy's dtype where NumPy is installed and has it, else the name."""
    name = dtype_names[number]
    try:
        import numpy
        return numpy.dtype(name)
    except (ImportError, TypeError):
        return name


def named_dtype(dtype):
    """A dtype, of whatever kind, as x.dtype gives it."""
    return dtype_object(dtype_number(dtype))


cdef int32_t default_float = F32  # of what has no dtype of its own


def set_default_dtype(dtype):
    """Set the dtype, float32 or float64, of arrays that are created without a dtype, for example from Python floats. The complex
    dtype of the same width goes with it. The default is float32; a change applies to all threads."""
    global default_float
    number = dtype_number(dtype)
    if number not in (F32, F64):
        raise ValueError(f"the default dtype is float32 or float64, not {dtype_names[number]}")
    default_float = number


def get_default_dtype():
    """The name of the dtype that set_default_dtype has set."""
    return dtype_names[default_float]


cdef int32_t dtype_or_default(dtype) except -1:
    return default_float if dtype is None else dtype_number(dtype)


cdef int32_t own_dtype(value) except -1:
    """The dtype of a number by itself, as in NumPy: that of a NumPy scalar; for Python's numbers bool, int64 (or uint64) and the
    default float."""
    own = getattr(value, "dtype", None)
    if own is not None:
        return dtype_number(own)
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return U64 if value >= 1 << 63 else I64
    if isinstance(value, complex):
        return C64 if default_float == F32 else C128
    return default_float


cdef tuple extents_of(shape):
    """A shape's extents: of a number, or of a sequence of numbers, which a text's bytes are not meant to be."""
    if isinstance(shape, (str, bytes, bytearray)):
        raise TypeError(f"a shape is a number or a sequence of numbers, not {shown(shape)}")
    return tuple([operator.index(each) for each in (shape if hasattr(shape, "__len__") else (shape,))])


cdef int32_t shape_of(shape, int64_t *out) except -1:
    shape = extents_of(shape)
    if len(shape) > 8:
        raise ValueError(f"an array has at most 8 dimensions, not {len(shape)}")
    for i, extent in enumerate(shape):
        out[i] = extent
    return len(shape)


cpdef object index_of(value, str name):
    """An int, or what stands for one; TypeError names the parameter."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is an integer, not {shown(value)}") from None


cdef int32_t axis_of(axis, int32_t dimensions) except -1:
    number = index_of(axis, "axis")
    if not -dimensions <= number < dimensions:
        raise axis_error(number, dimensions)
    return number + dimensions if number < 0 else number


class AxisError(ValueError, IndexError):
    """An axis that an array does not have, where NumPy is not there, whose exception it is."""


def axis_error(axis, dimensions):
    """The exception for an axis that an array of `dimensions` dimensions does not have."""
    numpy = sys.modules.get("numpy")
    kind = AxisError if numpy is None else getattr(numpy, "exceptions", numpy).AxisError
    return kind(f"axis {shown(axis)} is out of range for {dimensions} dimensions")


cdef object plain_number(value):
    """A real number as Python's int or float."""
    if type(value) is float or type(value) is int:
        return value  # nearly always, and to ask a float for an index takes as long as an operator
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"a number is wanted, not {shown(value)}")
    try:
        return operator.index(value)
    except TypeError:
        return float(value)


cdef object clamp(int32_t dtype, double value):
    """A float as an integer of the dtype, as astype does it: truncated, or the nearest end, and 0 for NaN."""
    bits = 8 * <int>yoke_dtype_get_size(dtype)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed(dtype) else (0, (1 << bits) - 1)
    return 0 if value != value else low if value <= low else high if value >= high else int(value)


cdef yoke_number number_of(int32_t dtype, value) except *:
    cdef yoke_number number
    memset(&number, 0, sizeof(number))
    number.dtype = dtype
    if is_complex(dtype):
        set_complex(&number, value)
        return number
    if dtype != BOOL:
        value = plain_number(value)
    if is_integer(dtype) and isinstance(value, float):
        value = clamp(dtype, value)
    if is_floating(dtype):
        set_f64(&number, float(value))
    elif is_signed(dtype):
        set_i64(&number, wrap(int(value), 64))
    elif dtype == BOOL:
        set_u64(&number, 1 if value else 0)
    else:
        set_u64(&number, int(value) & 0xffffffffffffffff)
    return number


cdef int set_complex(yoke_number *number, value) except -1:
    cdef object parts  # the stable ABI has no struct of a complex number
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"a number is wanted, not {shown(value)}")
    parts = complex(value)
    set_parts(number, parts.real, parts.imag)
    return 0


cdef object wrap(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


# ---- What an operation gives ----

cdef bint has_double(stream):
    """Whether the stream's device has float64."""
    return stream.device.supports("fp64")


cdef int32_t fractions_of(int32_t dtype, stream) except -1:
    """The floating-point dtype for fractions of this one: float32 has all integers of 8 and 16 bits, and those of 32 and 64 bits
    are float64, where the device has it, else float32."""
    if not is_integer_or_bool(dtype):
        return dtype
    return F64 if yoke_dtype_get_size(dtype) >= 4 and has_double(stream) else F32


cdef int32_t promote(list numbers, stream) except -1:
    """The dtype of a result: complex over float over integers, the wider over the narrower; no integer loses values to a sign, and
    beside floating point none of 8 or 16 bits loses bits, and of the others none that fractions_of keeps."""
    distinct = set(numbers)
    if len(distinct) == 1:
        return numbers[0]
    integers = [each for each in distinct if is_integer_or_bool(each)]
    others = [each for each in distinct if not is_integer_or_bool(each)]
    if not others:
        return promote_integers(integers)
    others += [fractions_of(each, stream) for each in integers if yoke_dtype_get_size(each) > 1]
    wide = any([part_of(each) == F64 for each in others])
    if any([is_complex(each) for each in others]):
        return C128 if wide else C64
    return F64 if wide else others[0] if len(set(others)) == 1 else F32


cdef dict signed_by_size = {yoke_dtype_get_size(each): each for each in (I8, I16, I32, I64)}
cdef dict unsigned_by_size = {yoke_dtype_get_size(each): each for each in (U8, U16, U32, U64)}


cdef int32_t promote_integers(list numbers) except -1:
    """promote for integers and bools that are not all bools."""
    signed = max([yoke_dtype_get_size(each) for each in numbers if is_signed(each)], default=0)
    unsigned = max([yoke_dtype_get_size(each) for each in numbers if is_unsigned(each)], default=0)
    if not signed:
        return unsigned_by_size[unsigned]
    return signed_by_size[signed if signed > unsigned else min(8, 2 * unsigned)]


cdef int32_t weak(int32_t dtype, value, stream) except -1:
    """The dtype of an operation between an array and a number, by NumPy's rule (NEP 50): a NumPy scalar counts with its dtype, and
    a Python number has a kind, but no width. Where the number's kind is the higher one, the result has the floats that fractions_of
    chooses, and complex128 where those are float64. TypeError: the value is not a number."""
    if getattr(value, "dtype", None) is not None:
        return promote([dtype, dtype_number(value.dtype)], stream)
    if isinstance(value, bool):
        return dtype
    if isinstance(value, int):
        return I64 if dtype == BOOL else dtype
    if isinstance(value, float):
        return fractions_of(dtype, stream)
    if isinstance(value, complex):
        return dtype if is_complex(dtype) else C128 if fractions_of(dtype, stream) == F64 else C64
    raise TypeError(f"a number is wanted, not {type(value).__name__}")


cdef bint fits(int32_t dtype, value):
    """Whether a Python int is one of an integer dtype's values. Other numbers are always converted."""
    if not is_integer(dtype) or not isinstance(value, int):
        return True
    bits = 8 * <int>yoke_dtype_get_size(dtype)
    if is_signed(dtype):
        return -(1 << bits - 1) <= value < 1 << bits - 1
    return 0 <= value < 1 << bits


cdef object in_dtype(int32_t dtype, value):
    """A number as an operand of this dtype, for fill_vars. OverflowError: the dtype does not have the value of a Python int."""
    if not fits(dtype, value):
        raise OverflowError(f"the int {shown(value)} is not a value of {dtype_names[dtype]}")
    return dtype, value


cdef object operand_of(int32_t dtype, value):
    """in_dtype, except that a NumPy integer keeps its own dtype, as an array does."""
    own = getattr(value, "dtype", None)
    if own is not None and is_integer(dtype) and is_integer(dtype_number(own)):
        return dtype_number(own), value
    return in_dtype(dtype, value)


cdef yoke_number integer_number(value) except *:
    """An int as a number of 64 bits. OverflowError: it has more."""
    value = operator.index(value)
    if not -(1 << 63) <= value < 1 << 64:
        raise OverflowError(f"the int {shown(value)} does not fit into 64 bits")
    return number_of(I64 if value < 1 << 63 else U64, value)


cdef yoke_number any_number(value) except *:
    """A number for the library, which converts it itself: an int with all its bits, others as double."""
    if isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "") == "c":
        return number_of(C128, value)
    whole = isinstance(value, int) or getattr(getattr(value, "dtype", None), "kind", "f") in "iu"
    return integer_number(value) if whole else number_of(F64, value)
