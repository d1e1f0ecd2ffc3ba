# SPDX-License-Identifier: Apache-2.0
# Arrays, and what their methods call of the modules above.
from .c_yoke cimport *
from .c_ops cimport *
from .memory cimport Buffer
from .stream cimport Stream

cdef tuple comparisons

cdef class Array:
    cdef yoke_array a
    cdef readonly Buffer buffer
    cdef readonly Stream stream
    cdef Buffer part
    cdef object __weakref__
    cdef Array view(self, yoke_array a)
    cdef yoke_buffer *contiguous_buffer(self) except NULL
    cdef Buffer memory(self)
    cdef Array select(self, key)

# What the methods of an Array do, as the modules above have it: each sets its own when it is imported.
cdef struct Above:
    # expression
    Array (*new_array)(Stream stream, int32_t dtype, shape)
    Array (*part_of_complex)(Array array, int number)
    int (*assign)(Array target, Array source, const char *where) except -1
    int (*read_array)(Array source, out) except -1
    list (*empty_lists)(tuple shape)
    int (*assign_value)(Array target, value, const char *where) except -1
    # reduction
    Array (*reduced)(name, Array array, axis, keepdims, dtype, Array out)
    Array (*reduced_from)(str name, Array array, axis, keepdims, dtype, Array out, initial, where)
    Array (*mean)(Array array, axis, keepdims, dtype, Array out, where)
    Array (*variance)(Array array, axis, keepdims, dtype, Array out, ddof, bint root, where)
    Array (*accumulate)(str name, Array array, axis, dtype, Array out)
    int (*sort_along)(Array array, axis, descending) except -1
    Array (*put_same)(Array out, Array result)
    int (*check_sort)(kind, order, stable) except -1
    Array (*sorting)(Array array, axis, descending)
    # order
    Array (*clipped)(Array array, low, high)
    # operators
    object (*binary)(str sign, left, right)
    object (*in_place)(str sign, Array array, other)
    object (*compare)(str sign, left, right)
    object (*quotient_and_remainder)(left, right)
    object (*unary)(str text, Array array, int32_t dtype)
    object (*rounded)(Array array, decimals)
    # indexing
    Array (*selected)(Array array, key)
    object (*get_item)(Array array, key)
    int (*set_item)(Array array, key, value) except -1
    # numerics
    object (*product)(left, right)
    # foreign
    object (*interface_of)(Array array)
    object (*dlpack_device)(Array array)
    object (*to_dlpack)(Array array, stream, max_version, dl_device, copy)
    # exchange
    Array (*read_only_zeros)(Array array)
    object (*no_attribute)(Array array, name)
    object (*numpy_elementwise)(ufunc, str method, tuple inputs, dict options)
    object (*numpy_function)(function, tuple args, dict kwargs)
    str (*values_at_hand)(Array array)
    object (*html_of)(Array array)

cdef Above above
