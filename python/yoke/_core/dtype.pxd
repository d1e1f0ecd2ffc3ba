# SPDX-License-Identifier: Apache-2.0
# Dtypes by their numbers, what kind of number each is, and Python's numbers as C has them.
from .c_yoke cimport *
from .c_ops cimport *

# The columns of api/dtypes.def. The order of dtypes means nothing: ask for a kind, or for yoke_dtype_get_size.
cdef extern from "api/dtypes.h" nogil:
    ctypedef enum yk_kind:
        YK_KIND_SIGNED
        YK_KIND_UNSIGNED
    ctypedef struct yk_dtype:
        yk_kind kind
        int32_t part
    const yk_dtype *yk_dtype_get(int32_t dtype)
    bint is_integer_or_bool "yk_dtype_is_integer"(int32_t dtype)
    bint is_floating "yk_dtype_is_floating"(int32_t dtype)  # not complex
    bint is_complex "yk_dtype_is_complex"(int32_t dtype)


cdef inline bint is_signed(int32_t dtype) noexcept:  # an integer that may be negative
    return yk_dtype_get(dtype).kind == YK_KIND_SIGNED


cdef inline bint is_unsigned(int32_t dtype) noexcept:  # an integer that is never negative; bool is not one
    return yk_dtype_get(dtype).kind == YK_KIND_UNSIGNED


cdef inline bint is_integer(int32_t dtype) noexcept:  # as in NumPy, where bool is not an integer
    return is_signed(dtype) or is_unsigned(dtype)


cdef inline int32_t part_of(int32_t dtype) noexcept:  # the dtype of a complex number's parts; of others, the dtype itself
    return yk_dtype_get(dtype).part


cdef tuple dtype_names
cdef tuple dtype_letters

cdef enum:
    BOOL = 1
    I8 = 2
    U8 = 3
    I16 = 4
    U16 = 5
    I32 = 6
    U32 = 7
    I64 = 8
    U64 = 9
    F16 = 10
    BF16 = 11
    F32 = 12
    F64 = 13
    C64 = 14
    C128 = 15

cdef int32_t dtype_number(dtype) except -1
cdef object dtype_object(int32_t number)
cdef int32_t default_float
cdef int32_t dtype_or_default(dtype) except -1
cdef int32_t own_dtype(value) except -1
cdef tuple extents_of(shape)
cdef int32_t shape_of(shape, int64_t *out) except -1
cdef int32_t axis_of(axis, int32_t dimensions) except -1
cdef object plain_number(value)
cdef yoke_number number_of(int32_t dtype, value) except *
cdef bint has_double(stream)
cdef int32_t fractions_of(int32_t dtype, stream) except -1
cdef int32_t promote(list numbers, stream) except -1
cdef int32_t weak(int32_t dtype, value, stream) except -1
cdef bint fits(int32_t dtype, value)
cdef object in_dtype(int32_t dtype, value)
cdef object operand_of(int32_t dtype, value)
cdef yoke_number integer_number(value) except *
cdef yoke_number any_number(value) except *
