# SPDX-License-Identifier: Apache-2.0
# Every failure of the library as an exception, texts for messages, and the place of an enqueue.
from .c_yoke cimport *

cdef str text_of(const char *text)
cdef str shown(value)
cdef bytes c_text(value, str name)
cdef str text_for_python(str text, kind)
cdef object make_error(yoke_status status)
cdef int fail(yoke_status status) except -1

cdef inline int check(yoke_status status) except -1:
    if status < 0:
        fail(status)
    return 0

cdef const char *here() except? NULL
cdef yoke_status status_of(box) noexcept
cdef yoke_status heed_signals(void *user) noexcept nogil
cdef size_t as_size(value, str name) except? <size_t>-1
