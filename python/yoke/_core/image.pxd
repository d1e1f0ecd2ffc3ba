# SPDX-License-Identifier: Apache-2.0
# Images.
cimport cython

from .c_yoke cimport *
from .device cimport Device

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
