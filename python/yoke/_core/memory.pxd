# SPDX-License-Identifier: Apache-2.0
# Buffers, images, and host memory that copies still use.
cimport cython

from .c_yoke cimport *
from .device cimport Device

@cython.final
cdef class Buffer:
    cdef yoke_buffer *ptr
    cdef readonly Device device
    cdef Py_ssize_t exports
    cdef Py_ssize_t bytes[1]
    cdef object owner  # whatever owns memory that Yoke does not own
    cdef Py_ssize_t users  # arrays, and calls that are inside, which may use the handle
    cdef yoke_buffer *closed  # for them
    cdef object __weakref__

cdef void leave_buffer(Buffer buffer) noexcept

cdef class Kept:
    cdef Py_buffer view
    cdef yoke_event *event
    cdef bint held

cdef dict kept_memory
cdef Kept hold(object memory, bint writable)

@cython.final
@cython.no_gc
cdef class Inside:
    cdef Buffer one, other

cdef inline Inside inside(Buffer one, Buffer other=None):
    cdef Inside call = Inside.__new__(Inside)
    call.one, call.other = one, other
    one.users += 1
    if other is not None:
        other.users += 1
    return call

cdef list with_owner(list kept, Buffer buffer)
cdef list forgotten
cdef dict lent_memory
cdef int prune_kept() except -1
cdef int prune_queue(queue) except -1

@cython.final
cdef class Image:
    cdef yoke_image *ptr
    cdef yoke_image *closed  # for launches that are inside, and were given the handle
    cdef Py_ssize_t users    # these
    cdef readonly Device device
    cdef readonly tuple shape
    cdef readonly str format, address, filter
    cdef readonly int channels
    cdef readonly bint normalized
    cdef object __weakref__
    cdef int sample(self, yoke_sampler *sampler, address, filter, normalized) except -1

cdef void leave_image(Image image) noexcept

@cython.final
cdef class Surface:
    cdef readonly Image image

cdef const yoke_region *region_of(yoke_region *out, Image image, offset, shape) except? NULL
