# SPDX-License-Identifier: Apache-2.0
# Kernels, launches, and the arguments of a launch.
cimport cython
from cpython.object cimport PyObject

from .c_yoke cimport *
from .array cimport Array
from .program cimport Program

cdef enum:
    MOST_ARGS = 128

cdef struct Param:
    uint8_t size      # of the value in bytes, 0: unknown
    signed char floating # 1, 0, -1: unknown
    bint signed_      # an integer that is known to have a sign
    bint truth        # a bool
    uint8_t element   # bytes of what it points to, 0: unknown, or anything, as bytes are
    bint floats       # which is floating point
    bint hidden       # a value of the source's own type: a typedef may be an integer or floating-point, of any width

cdef class Launch

cdef class Kernel:
    cdef yoke_kernel *ptr
    cdef readonly Program program
    cdef readonly str name
    cdef int count  # of the parameters; -1: unknown
    cdef Param params[128]
    cdef Launch last
    cdef object last_n
    cdef object __weakref__
    cdef int set_value(self, int i, yoke_param_info *param) except -1

@cython.final
cdef class Launch:
    cdef yoke_kernel *ptr
    cdef Kernel kernel
    cdef size_t n
    cdef yoke_dim grid
    cdef yoke_dim block
    cdef size_t shared
    cdef bint cooperative_

@cython.final
cdef class Strided:
    cdef Array array
    cdef readonly Py_ssize_t offset

cdef Py_ssize_t count_args(tuple args, Py_ssize_t first) except? -1
cdef bint enter_arguments(PyObject **values, tuple args, Py_ssize_t first, Py_ssize_t count)
cdef void leave_arguments(PyObject **values, Py_ssize_t count)
cdef list fill_arguments(yoke_arg *out, PyObject **values, Py_ssize_t count, Kernel kernel)
