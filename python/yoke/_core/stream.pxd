# SPDX-License-Identifier: Apache-2.0
# Streams, and what keeps host memory until their work is complete.
cimport cython

from .c_yoke cimport *
from .errors cimport Call
from .device cimport Device
from .memory cimport Buffer
from .event cimport Event

@cython.final
cdef class Recorded:
    cdef list kept    # host memory that its nodes use
    cdef list raised  # where its host functions leave their exceptions
    cdef bint calls   # it has some

@cython.final
cdef class Stream:
    cdef yoke_stream *ptr
    cdef readonly Device device
    cdef readonly str name
    cdef Recorded graph  # what its graph keeps, while it is recorded
    cdef unsigned recordings  # changes when a recording begins or ends, and is odd meanwhile
    cdef list raised  # the exceptions of its host functions
    cdef object kept  # host memory that its copies still use
    cdef bint lent    # arrays of it use other libraries' memory
    cdef Event end    # of its work, when it is closed; for such memory
    cdef yoke_stream *closed  # calls of other threads may be inside, and keep this object alive
    cdef object __weakref__

cdef Buffer ordered_buffer(Stream stream, size_t size)
cdef int keep_until_done(Stream stream, list items, unsigned before) except -1
cdef int keep_owners(Stream stream, unsigned before, Buffer one, Buffer other=*) except -1
cdef int refuse_wait(Stream stream) except -1
cdef int refuse_recorded(Stream stream, unsigned before) except -1
cdef list streams_alive()
cdef int raise_in_graph(Call call, Recorded graph) except -1
cdef int may_raise(Stream stream, Event event) except -1
cdef int follow_native(Stream stream, number, const char *where) except -1
