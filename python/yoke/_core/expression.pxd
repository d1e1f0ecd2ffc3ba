# SPDX-License-Identifier: Apache-2.0
# Expressions and their variables.
cimport cython

from .c_yoke cimport *
from .c_ops cimport *
from .stream cimport Stream
from .array cimport Array

cdef enum:
    MOST_VARS = 32

@cython.final
cdef class Function:
    cdef bytes declaration, text

cdef int map_arrays(Stream stream, expression, dict values, const char *where) except -1
cdef bytes fill_expression(yoke_var *vars, size_t *count, expression, dict values, list names, list arrays)
cdef dict in_double(expression, dict variables)
cdef Py_ssize_t fill_vars(yoke_var *vars, dict values, list names, list arrays, list made) except -1
cdef int assign_value(Array target, value, const char *where) except -1
cdef list arrays_in(dict variables)
cdef int32_t value_dtype(dtype, expression, dict variables) except -1
