# SPDX-License-Identifier: Apache-2.0
# The order between a stream of Yoke's and a queue of another library, which is known by its number alone: a cl_command_queue; a
# CUstream, 1 for the legacy default stream, 2 for the calling thread's.

cdef uintptr_t native_queue(number) except? 0:
    """A queue's number as other libraries give it; 0 is refused, because on CUDA it means one of two streams."""
    cdef uintptr_t queue = as_size(number, "stream")
    if queue == 0:
        raise ValueError("stream 0 is ambiguous: 1 is the legacy default stream, and 2 that of the calling thread")
    return queue


cdef int follow_native(Stream stream, number, const char *where) except -1:
    """What follows in the stream waits for all that the queue has now."""
    cdef uintptr_t queue = native_queue(number)
    cdef yoke_status status
    with nogil:
        status = yoke_stream_wait_native_at(where, stream.ptr, <void *>queue)
    return check(status)


cdef bint lead_native(Event event, number) except -1:
    """The queue waits for the event. False: the driver does not have the work before it yet."""
    cdef uintptr_t queue = native_queue(number)
    cdef yoke_status status
    with nogil:
        status = yoke_native_wait_event(<void *>queue, event.ptr)
    check(status)
    return status == YOKE_OK


cdef int follow_cuda(Stream stream, number) except -1:
    """As follow_native, where the stream is CUDA's."""
    if stream.device.backend == "cuda":
        follow_native(stream, number, here())
    return 0


cdef bint lead_cuda(Stream stream, number) except -1:
    """The CUDA stream of this number waits for all that the stream has now. False: it does not, and the caller waits itself."""
    native_queue(number)
    if stream.device.backend != "cuda" or stream.graph is not None:
        return False
    return lead_native(stream.event(), number)
