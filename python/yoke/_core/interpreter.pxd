# SPDX-License-Identifier: Apache-2.0
# Which thread this is, and whether Yoke's threads may enter Python.

cdef bint in_main_thread() noexcept nogil
cdef bint enter_python() noexcept nogil
cdef void leave_python() noexcept nogil
cdef bint in_host_function() noexcept nogil
cdef int python_busy() noexcept nogil
cdef void close_python() noexcept nogil
cdef bint python_closed() noexcept nogil
