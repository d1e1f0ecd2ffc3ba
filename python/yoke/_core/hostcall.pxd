# SPDX-License-Identifier: Apache-2.0
# Host functions as Yoke's threads call them.
cimport cython

from .c_yoke cimport *

@cython.final
cdef class Call:
    cdef object function
    cdef tuple args
    cdef dict kwargs
    cdef list raised
    cdef bint always
    cdef bint called
    cdef bint again  # it is a graph's, whose exceptions no recover clears
    cdef yoke_status run(self, yoke_status status) noexcept
    cdef yoke_status run_native(self, yoke_status status, uintptr_t native) noexcept
    cdef void run_complete(self, yoke_status status) noexcept
    cdef yoke_status keep(self, error) noexcept

cdef yoke_status call_once(yoke_status status, void *user) noexcept nogil
cdef yoke_status call_again(yoke_status status, void *user) noexcept nogil
cdef void release_call(void *user) noexcept nogil
cdef int check_function(function, str what) except -1
cdef void complete(yoke_status status, void *user) noexcept nogil
cdef yoke_status call_native(yoke_status status, void *native, void *user) noexcept nogil
