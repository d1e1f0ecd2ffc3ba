# SPDX-License-Identifier: Apache-2.0
# Masks and lists as indices, and operands that overlap what is written.

cdef object as_index(Array array, key):
    """Lists and NumPy's arrays as an index are Arrays; any other key is returned as it is."""
    if type(key) is slice or type(key) is int or type(key) is tuple:  # most are, and to ask for what they lack takes long
        return key
    if isinstance(key, list) or hasattr(key, "__array_interface__") and key.ndim:
        index = array_from(key, stream=array.stream)
        return index.astype("int64") if isinstance(key, list) and not index.size else index  # of nothing NumPy makes floats
    return key


cdef bint is_sequence(value) except -1:
    """What is neither an Array nor one value, but may be made an Array."""
    return not isinstance(value, (Array, str, bytes)) and getattr(value, "shape", None) != () and hasattr(value, "__len__")


cdef Array from_the_start(Array array, indices, int32_t axis):
    """Integer indices, of which negative ones count from the end of the axis, as positions from its start."""
    cdef Array given = array_from(as_index(array, indices), stream=array.stream)
    if kind_of(given.a.dtype) > 1:
        raise IndexError(f"indices are integers, not {dtype_names[given.a.dtype]}")
    return evaluate(f"k < 0 ? k + {array.shape[axis]}ll : k", dtype="int64", k=given)


cdef tuple axes_behind(Array array, Array mask):
    """The extents of the axes that a mask, which is of the leading ones, leaves."""
    if mask.shape != array.shape[:mask.a.dimensions]:
        raise IndexError(f"a mask of shape {mask.shape} for an array of shape {array.shape}")
    return array.shape[mask.a.dimensions:]


cdef Array positions_of(Array mask):
    """The positions of the flat mask's True elements, which waits for them."""
    return compress(arange(mask.size, stream=mask.stream), mask.reshape(-1))


cdef object take_array(Array array, Array index):
    if index.a.dtype == BOOL:
        behind = axes_behind(array, index)
        if not behind:
            return compress(array.reshape(-1), index.reshape(-1))
        return take(array.reshape((index.size, *behind)), positions_of(index), 0)
    if index.a.dimensions == 1:
        return take(array, index, 0)
    return take(array, index.reshape(-1), 0).reshape(index.shape + array.shape[1:])


cdef int assign_masked(Array array, Array mask, value, const char *where) except -1:
    """array[mask] = value, as in NumPy: a number, or values that are broadcast to the shape of array[mask]. What the mask leaves
    out keeps its bits."""
    cdef Array values
    behind = axes_behind(array, mask)
    if not isinstance(value, Array) and not is_sequence(value):
        return map_masked(array, mask, in_dtype(array.a.dtype, value), where)
    values = array_from(value, None if hasattr(value, "dtype") else array.dtype, array.stream)
    values = trimmed(values, len(behind))
    if values.a.dimensions <= len(behind):
        return map_masked(array, mask, apart(array, values), where)
    return assign_in_order(array, mask, behind, away(array, values), where)


cdef Array trimmed(Array values, Py_ssize_t dimensions):
    """The values without leading axes of one element, where they have more dimensions than that."""
    cdef Py_ssize_t more = 0
    while values.a.dimensions - more > dimensions and values.shape[more] == 1:
        more += 1
    return values.reshape(values.shape[more:]) if more else values


cdef int map_masked(Array array, Array mask, value, const char *where) except -1:
    """The value is the same for each True element of the mask: a number, or an array of the axes behind."""
    mask = apart(array, mask).reshape((*mask.shape, *[1] * (array.a.dimensions - mask.a.dimensions)))
    cast = f"({expression_names[array.a.dtype]})" if isinstance(value, Array) else ""
    return map_arrays(array.stream, f"x = mask ? {cast}value : x", {"x": array, "mask": mask, "value": value}, where)


cdef int assign_in_order(Array array, Array mask, tuple behind, Array values, const char *where) except -1:
    """Each True element of the mask gets the next of the values, which waits for the mask."""
    cdef Array positions = positions_of(mask)
    cdef Array flat = array.reshape((mask.size, *behind))

    if values.shape[0] != positions.size:
        raise ValueError(f"{values.shape[0]} values for a mask with {positions.size} True elements")
    scatter(flat, positions, values.broadcast_to((positions.size, *behind)), 0)
    if flat.a.buffer != array.a.buffer:
        assign(array, flat.reshape(array.shape), where)
    return 0


cdef int assign_at(Array array, Array indices, value) except -1:
    """array[indices] = value, along the first axis; of several values for one place the last is kept. An index out of range is left
    out, since nothing waits for the indices."""
    cdef Array positions = from_the_start(array, indices.reshape(-1), 0)
    cdef Array values
    if isinstance(value, Array) or is_sequence(value):
        values = away(array, array_from(value, None if hasattr(value, "dtype") else array.dtype, array.stream))
    else:
        values = full((), value, array.dtype, array.stream)
    behind = array.shape[1:]
    values = trimmed(values, len(indices.shape) + len(behind))
    scatter(array, positions, values.broadcast_to((*indices.shape, *behind)).reshape((positions.size, *behind)), 0)
    return 0


cdef tuple span_of(Array array):
    """The first and the last element's place, in bytes."""
    size = yoke_dtype_get_size(array.a.dtype)
    reach = [(extent - 1) * stride * size for extent, stride in zip(array.shape, array.strides)]
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
    step = math.gcd(*[stride * size for stride in target.strides], *[stride * source_size for stride in source.strides])
    if step and size <= (span_of(source)[0] - span_of(target)[0]) % step <= step - source_size:  # between the other's elements
        return source
    return source.copy()
