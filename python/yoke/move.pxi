# SPDX-License-Identifier: Apache-2.0
# Arrays: how they get their memory, the order between their streams, and how elements are set and read.

cdef Array new_array(Stream stream, int32_t dtype, shape):
    cdef Array result = Array.__new__(Array)
    cdef int64_t extents[8]
    cdef int32_t dimensions = shape_of(shape, extents)
    cdef size_t size = yoke_dtype_get_size(dtype)

    for i in range(dimensions):
        if extents[i] < 0:
            raise ValueError(f"a shape has a negative extent: {shown(shape)}")
        size *= extents[i]
    result.stream = stream
    result.buffer = ordered_buffer(stream, max(1, size))
    result.buffer.users = 1
    result.a = yoke_array_nd(result.buffer.ptr, dtype, dimensions, extents)
    if result.a.dtype == 0:
        fail(YOKE_E_INVALID_ARGUMENT)
    return result


cdef bint are_alike(Array a, Array b):
    """Whether two arrays have one shape and dtype."""
    return (a.a.dtype == b.a.dtype and a.a.dimensions == b.a.dimensions
            and memcmp(a.a.shape, b.a.shape, a.a.dimensions * sizeof(int64_t)) == 0)


cdef int order_streams(Stream stream, list arrays) except -1:
    """Work in `stream` on arrays of other streams comes behind what these have now."""
    for each in arrays:
        if (<Array>each).stream is not stream:
            stream.wait_for((<Array>each).stream.event())
    return 0


cdef int order_back(Stream stream, list arrays) except -1:
    """And what the others do from now on comes behind that work."""
    for each in arrays:
        if (<Array>each).stream is not stream:
            (<Array>each).stream.wait_for(stream.event())
    return 0


cdef int assign(Array target, Array source, const char *where) except -1:
    cdef yoke_status status
    cdef yoke_stream *stream = target.stream.ptr
    order_streams(target.stream, [source])
    with nogil:
        status = yoke_assign_at(where, stream, &target.a, &source.a)
    check(status)
    order_back(target.stream, [source])
    return 0


cdef int assign_value(Array target, value, const char *where) except -1:
    cdef yoke_status status
    cdef yoke_number number
    number = number_of(target.a.dtype, in_dtype(target.a.dtype, value)[1])
    with nogil:
        status = yoke_assign_value_at(where, target.stream.ptr, &target.a, number)
    check(status)
    return 0


cdef list empty_lists(tuple shape):
    """The nested lists of an array without elements."""
    return [empty_lists(shape[1:]) for _ in range(shape[0])] if shape[0] else []


cdef int read_array(Array source, out) except -1:
    """Read the elements in row-major order into host memory, and wait. Where the wait is refused, because the stream is recorded or
    this thread would wait for itself, nothing is enqueued that would write the memory later."""
    cdef unsigned before = source.stream.recordings
    refuse_wait(source.stream)
    if source.size == 0:
        source.stream.wait()
        return 0
    if not yoke_array_is_contiguous(&source.a):
        source = source.copy()
    source.stream.read(out, source.memory(), source.a.offset)
    return refuse_recorded(source.stream, before)


cdef int refuse_wait(Stream stream) except -1:
    """Before what is read and waited for is enqueued: refuse it where the wait would be."""
    if stream.graph is not None:
        raise InvalidArgumentError("the stream is being recorded, and there is nothing to wait for: stream.read(…, blocking=False) "
                                   "is recorded, and values are read behind a launch of the graph")
    if yoke_py_in_function():
        refuse_deadlock(stream.event())
    return 0


cdef int wait_for_read(Stream stream, unsigned before) except -1:
    stream.wait()
    return refuse_recorded(stream, before)


cdef int refuse_recorded(Stream stream, unsigned before) except -1:
    """Behind the read: it may have been recorded instead, since `before`."""
    if before & 1 or stream.recordings != before:
        raise InvalidArgumentError("another thread has recorded the stream meanwhile, and the read may be in the graph")
    return 0
