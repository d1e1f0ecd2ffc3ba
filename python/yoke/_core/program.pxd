# SPDX-License-Identifier: Apache-2.0
# Programs.
cimport cython

from .c_yoke cimport *
from .device cimport Device

@cython.final
cdef class Program:
    cdef yoke_program *ptr
    cdef readonly Device device
    cdef dict kernels
    cdef object __weakref__
