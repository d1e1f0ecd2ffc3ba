# SPDX-License-Identifier: Apache-2.0
# Every failure of the library as an exception, texts for messages, the place of an enqueue, and host functions as Yoke's threads
# call them.
cimport cython

from .c_yoke cimport *

cdef bint in_main_thread() noexcept nogil
cdef bint in_host_function() noexcept nogil
cdef int python_busy() noexcept nogil
cdef void close_python() noexcept nogil

cdef str text_of(const char *text)
cpdef str shown(value)
cdef bytes c_text(value, str name)
cdef int fail(yoke_status status) except -1

cdef inline int check(yoke_status status) except -1:
    if status < 0:
        fail(status)
    return 0

cdef const char *here() except? NULL
cdef yoke_status heed_signals(void *user) noexcept nogil
cdef size_t as_size(value, str name) except? <size_t>-1

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
