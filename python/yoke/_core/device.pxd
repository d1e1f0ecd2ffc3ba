# SPDX-License-Identifier: Apache-2.0
# Devices.
cimport cython

from .c_yoke cimport *

ctypedef yoke_status (*opener)(const void *mpi, yoke_device **out) noexcept nogil

cdef class MpiRanks:
    cdef size_t mpi
    cdef opener open

cdef int32_t wait_number(wait) except -1

@cython.final
cdef class Device:
    cdef yoke_device *ptr
    cdef object _info
    cdef object __weakref__

# What the methods of a Device do that are called often, as the modules above have it: each sets its own when it is imported.
cdef struct Above:
    object (*buffer)(Device device, size, kind)  # memory

cdef Above above
