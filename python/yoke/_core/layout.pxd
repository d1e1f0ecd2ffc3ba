# SPDX-License-Identifier: Apache-2.0
# What operations ask of arrays: their memory, the order between their streams, copies, and whether operands overlap.
from .c_yoke cimport *
from .stream cimport Stream
from .array cimport Array

cdef Array new_array(Stream stream, int32_t dtype, shape)
cdef bint are_alike(Array a, Array b)
cdef int order_streams(Stream stream, list arrays) except -1
cdef int order_back(Stream stream, list arrays) except -1
cdef int assign(Array target, Array source, const char *where) except -1
cdef int read_array(Array source, out) except -1
cdef Array with_last(Array array, int32_t axis)
cdef bint is_sequence(value) except -1
cdef Array trimmed(Array values, Py_ssize_t dimensions)
cdef bint spans_meet(Array a, Array b)
cdef Array away(Array target, Array source)
cdef Array apart(Array target, Array source)
