# SPDX-License-Identifier: Apache-2.0
# Events, and how to wait for them.
cimport cython

from .c_yoke cimport *
from .device cimport Device

cdef yoke_status wait_event(yoke_event *event, uint64_t left) except? 12345
cdef uint64_t nanoseconds_of(timeout) except? 0

@cython.final
cdef class Event:
    cdef yoke_event *ptr
    cdef list raised
    cdef object __weakref__

cdef Event own_event(Event event)
cdef object native_handle(uintptr_t handle, Device device)
cdef uintptr_t native_queue(number) except? 0
cdef bint lead_native(Event event, number) except -1
