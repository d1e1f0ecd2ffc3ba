# SPDX-License-Identifier: Apache-2.0
# What operations on arrays stand on: new arrays, the order between streams, overlaps; expressions and their variables.
cimport cython

from .c_yoke cimport *
from .c_ops cimport *
from .stream cimport Stream
from .array cimport Array

cdef Array new_array(Stream stream, int32_t dtype, shape)
cdef bint are_alike(Array a, Array b)
cdef int order_streams(Stream stream, list arrays) except -1
cdef int order_back(Stream stream, list arrays) except -1
cdef int assign(Array target, Array source, const char *where) except -1
cdef int read_array(Array source, out) except -1
cdef Array part_of_complex(Array array, int number)
cdef Array with_last(Array array, int32_t axis)
cdef bint is_sequence(value) except -1
cdef Array trimmed(Array values, Py_ssize_t dimensions)
cdef bint spans_meet(Array a, Array b)
cdef Array away(Array target, Array source)
cdef Array apart(Array target, Array source)

cdef enum:
    MOST_VARS = 32

@cython.final
cdef class Function:
    cdef bytes declaration, text

cdef int map_arrays(Stream stream, expression, dict values, const char *where) except -1
cdef bytes fill_expression(yoke_var *vars, size_t *count, expression, dict values, list names, list arrays)
cdef tuple from_function(expression, dict variables)
cdef Function called_function(str declaration, str text)
cdef dict in_double(expression, dict variables)
cdef Py_ssize_t fill_vars(yoke_var *vars, dict values, list names, list arrays) except -1
cdef int assign_value(Array target, value, const char *where) except -1
cdef list arrays_in(dict variables)
cdef int32_t value_dtype(dtype, expression, dict variables) except -1
