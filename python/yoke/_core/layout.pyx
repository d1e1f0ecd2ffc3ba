# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# What operations ask of arrays: their memory, the order between their streams, copies, and whether operands overlap.

import math

from libc.string cimport memcmp

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport check, fail, shown
from .dtype cimport C64, F32, F64, shape_of
from .stream cimport ordered_buffer, refuse_recorded, refuse_wait, Stream
from .array cimport above, Array


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


cdef Array part_of_complex(Array array, int number):
    """The real (0) or imaginary (1) parts, which are every other number of the memory."""
    cdef yoke_array a = array.a
    a.dtype = F32 if a.dtype == C64 else F64
    a.offset += number * yoke_dtype_get_size(a.dtype)
    for i in range(a.dimensions):
        a.strides[i] *= 2
    return array.view(a)


cdef Array with_last(Array array, int32_t axis):
    """The view whose last axis is this one; twice gives the array itself."""
    cdef int32_t order[8]
    for i in range(array.a.dimensions):
        order[i] = i
    order[axis], order[array.a.dimensions - 1] = array.a.dimensions - 1, axis
    return array.view(yoke_array_transpose(array.a, order))


cdef bint is_sequence(value) except -1:
    """What is neither an Array nor one value, but may be made an Array."""
    return not isinstance(value, (Array, str, bytes)) and getattr(value, "shape", None) != () and hasattr(value, "__len__")


cdef Array trimmed(Array values, Py_ssize_t dimensions):
    """The values without leading axes of one element, where they have more dimensions than that."""
    cdef Py_ssize_t more = 0
    while values.a.dimensions - more > dimensions and values.shape[more] == 1:
        more += 1
    return values.reshape(values.shape[more:]) if more else values


cdef tuple span_of(Array array):
    """The first and the last element's place, in bytes."""
    reach = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides)]
    return (array.a.offset + sum([each for each in reach if each < 0]), array.a.offset + sum([each for each in reach if each > 0]))


cdef bint spans_meet(Array a, Array b):
    """Whether the bytes from the first element to the last of two arrays have some in common."""
    if a.a.buffer != b.a.buffer:
        return False
    low, high = span_of(a)
    first, last = span_of(b)
    return high + <Py_ssize_t>yoke_dtype_get_size(a.a.dtype) > first and last + <Py_ssize_t>yoke_dtype_get_size(b.a.dtype) > low


cdef Array away(Array target, Array source):
    """The source, or a copy where it meets the target: for operations that read also other elements than the one they write."""
    return source.copy() if spans_meet(target, source) else source


cdef Array apart(Array target, Array source):
    """The source, or a copy where it overlaps the target and an operation could read what it has written."""
    if source is target or not spans_meet(target, source):
        return source
    layouts = [(each.dtype, each.shape, each.strides) for each in (source, target)]
    if source.a.offset == target.a.offset and layouts[0] == layouts[1]:
        return source
    size, source_size = yoke_dtype_get_size(target.a.dtype), yoke_dtype_get_size(source.a.dtype)
    step = math.gcd(*target.strides, *source.strides)
    if step and size <= (span_of(source)[0] - span_of(target)[0]) % step <= step - source_size:  # between the other's elements
        return source
    return source.copy()


above.new_array = new_array
above.part_of_complex = part_of_complex
above.assign = assign
above.read_array = read_array
above.empty_lists = empty_lists
