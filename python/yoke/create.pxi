# SPDX-License-Identifier: Apache-2.0
# Arrays: how they are made, on the device and from the memory of the host.

def empty(shape, dtype="float32", stream=None):
    """A new array with undefined content. shape: an int or a tuple; stream: None means default_stream()."""
    return new_array(default_stream() if stream is None else stream, dtype_number(dtype), shape)


def full(shape, value, dtype=None, stream=None):
    """A new array whose elements are all `value`. dtype: None means that of the value: a NumPy scalar's own, and bool, int64
    (uint64 of an int that needs it), float32 or complex64 of Python's."""
    cdef Array result = empty(shape, number_dtype(value) if dtype is None else dtype, stream)
    assign_value(result, value, here())
    return result


cdef object number_dtype(value):
    """The name of a number's dtype, for an array of it."""
    own = getattr(value, "dtype", None)
    if own is not None:
        return own
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int64" if value < 1 << 63 else "uint64"
    return "complex64" if isinstance(value, complex) else "float32"


def zeros(shape, dtype="float32", stream=None):
    """A new array of zeros."""
    cdef Array result = empty(shape, dtype, stream)
    assign_value(result, 0, here())
    return result


def ones(shape, dtype="float32", stream=None):
    """A new array of ones."""
    cdef Array result = empty(shape, dtype, stream)
    assign_value(result, 1, here())
    return result


def empty_like(Array array not None):
    """A new array of the same shape, dtype and stream, with undefined content."""
    return new_array(array.stream, array.a.dtype, array.shape)


def zeros_like(Array array not None, dtype=None):
    """An array of zeros of the same shape, dtype (None) and stream."""
    return zeros(array.shape, dtype_names[array.a.dtype] if dtype is None else dtype, array.stream)


def ones_like(Array array not None, dtype=None):
    """An array of ones of the same shape, dtype (None) and stream."""
    return ones(array.shape, dtype_names[array.a.dtype] if dtype is None else dtype, array.stream)


def full_like(Array array not None, value, dtype=None):
    """An array of the same shape, dtype (None) and stream, whose elements are all `value`."""
    return full(array.shape, value, dtype_names[array.a.dtype] if dtype is None else dtype, array.stream)


def linspace(start, stop, num=50, endpoint=True, dtype="float32", stream=None):
    """num numbers at equal distances from start to stop, which is the last, or with endpoint=False would be the next.
    Integers are the next below."""
    cdef Array result = empty(operator.index(num), dtype, stream)
    cdef bint whole = kind_of(result.a.dtype) == 1
    cdef int32_t wide = F64 if result.a.dtype == F64 or whole and "fp64" in result.stream.device.info.capabilities else F32
    number = "i == last ? stop : start + distance * i / steps"
    steps = max(1, result.size - 1 if endpoint else result.size)
    map_arrays(result.stream, f"x = floor({number})" if whole else f"x = {number}",
               {"x": result, "start": (wide, start), "distance": (wide, stop - start), "steps": steps, "stop": (wide, stop),
                "last": result.size - 1 if endpoint and result.size > 1 else -1}, here())
    return result


cdef list list_of_arrays(arrays):
    result = list(arrays)
    if not result:
        raise TypeError("a sequence of one Array or more is wanted")
    for each in result:
        if not isinstance(each, Array):
            raise TypeError(f"a sequence of Arrays is wanted, and one is of {type(each).__name__}: yoke.asarray makes an Array")
    return result


def concatenate(arrays, axis=0):
    """A new array of several, one behind the other along an axis; their other extents are the same."""
    cdef Array first, result
    cdef const char *where = here()
    arrays = list_of_arrays(arrays)
    first = arrays[0]
    along = axis_of(axis, first.a.dimensions)
    shape = list(first.shape)
    for each in arrays:
        if each.ndim != first.ndim or [*each.shape[:along], *each.shape[along + 1:]] != [*shape[:along], *shape[along + 1:]]:
            raise ValueError(f"shapes {first.shape} and {each.shape} differ elsewhere than along axis {along}")
    shape[along] = sum([each.shape[along] for each in arrays])
    result = new_array(first.stream, promote([(<Array>each).a.dtype for each in arrays], first.stream), shape)
    start = 0
    for each in arrays:
        stop = start + each.shape[along]
        assign(result.select((*[slice(None)] * along, slice(start, stop))), each, where)
        start = stop
    return result


def stack(arrays, axis=0):
    """A new array of several of one shape, one behind the other along a new axis."""
    arrays = list_of_arrays(arrays)
    along = axis_of(axis, arrays[0].ndim + 1)
    return concatenate([each[(*[slice(None)] * along, None)] for each in arrays], along)


def arange(start, stop=None, step=1, dtype=None, stream=None):
    """The numbers start, start + step, … below stop; arange(n) begins with 0. dtype: None means int64, or float32 where one of
    the three is a float, Python's or NumPy's. OverflowError: the dtype does not have one of the numbers."""
    cdef Array result
    cdef int32_t wide

    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("the step is 0")
    start, stop, step = [plain_number(each) for each in (start, stop, step)]
    floating = any([isinstance(each, float) for each in (start, stop, step)])
    count = max(0, math.ceil((stop - start) / step) if floating else -((start - stop) // step))
    result = empty(count, dtype or ("float32" if floating else "int64"), stream)
    if floating and not (result.a.dtype < F16 and start == int(start) and step == int(step)):
        wide = F64 if result.a.dtype == F64 else F32
        first, distance = (wide, start), (wide, step)
    else:
        first, distance = int(start), int(step)
        for each in (first, first + (count - 1) * distance) if count else ():
            in_dtype(result.a.dtype, each)
    map_arrays(result.stream, "x = start + i * step", {"x": result, "start": first, "step": distance}, here())
    return result


cdef bint is_host_tensor(data):
    """An array of another library in host memory, as PyTorch's: NumPy reads it."""
    return hasattr(data, "__array__") and hasattr(data, "__dlpack_device__") and data.__dlpack_device__()[0] == 1


cdef object host_values(values, dtype, bint python):
    """NumPy's values as another dtype. Floats become the nearest integers' ends, and NaN 0, as by an Array's astype. `python`: the
    values are Python's, and OverflowError tells of an int that the dtype does not have."""
    import numpy

    if dtype.kind not in "iu" or values.dtype.kind not in "iuf" or not values.size:
        return values.astype(dtype, copy=False)
    least, most = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
    if values.dtype.kind != "f":
        low, high = int(values.min()), int(values.max())
        if python and (low < least or high > most):
            raise OverflowError(f"the int {shown(low if low < least else high)} is not a value of {dtype}")
        return values.astype(dtype, copy=False)
    # The largest integer may be none of the floats: they reach the power of two above it.
    inside = numpy.where((values > least) & (values < most), values, 0)
    return numpy.where(values >= most, most, numpy.where(values <= least, least, inside.astype(dtype))).astype(dtype)


cdef Array in_stream(Array array, Stream stream):
    """The array, or a copy in another stream; of another device, by way of the host."""
    cdef Array result

    if stream is None or stream is array.stream:
        return array
    result = new_array(stream, array.a.dtype, array.shape)
    if stream.device is array.stream.device:
        assign(result, array, here())
    elif result.size:
        memory = bytearray(result.nbytes)
        read_array(array, memory)
        stream.write(result.buffer, memory)
    return result


def asarray(data, dtype=None, stream=None):
    """An array of anything: an Array (itself, where dtype and stream fit, else a copy), a NumPy array, numbers and nested lists
    (with NumPy), anything contiguous with the buffer protocol; and, without a copy, arrays of this device by DLPack or
    __cuda_array_interface__. Host memory is copied before this returns. stream: None means an Array's own, else
    default_stream(). Python's floats become float32."""
    return array_from(in_stream(data, stream) if isinstance(data, Array) else data, dtype, stream)


def array_from(data, dtype=None, stream=None):
    """asarray for operations, which order the streams of their Arrays: an Array stays in its own."""
    cdef Array result

    if isinstance(data, Array):
        return data if dtype is None or dtype_number(dtype) == (<Array>data).a.dtype else data.astype(dtype)
    stream = default_stream() if stream is None else stream
    # DLPack orders the streams also where the interface names none, as PyTorch's.
    interface = getattr(data, "__cuda_array_interface__", None) if stream.device.backend == "cuda" else None
    if interface is not None and (interface.get("stream") is not None or not hasattr(data, "__dlpack__")):
        result = from_interface(data, stream)
        return result if dtype is None else array_from(result, dtype)
    if hasattr(data, "__dlpack__") and not hasattr(data, "__array_interface__") and not is_host_tensor(data):
        return array_from(from_dlpack(data, stream), dtype)
    if "numpy" not in sys.modules and isinstance(data, (bytes, bytearray, memoryview, array.array)):
        memory = memoryview(data)
        names = [name for name, letter in zip(dtype_names, dtype_letters) if letter == memory.format.lstrip("<=@")]
        names = names or (["int64"] if memory.format == "l" else ["uint64"] if memory.format == "L" else [])
        if not names:
            raise TypeError(f"memory of format {memory.format!r} has no dtype")
        result = new_array(stream, dtype_number(names[0]), memory.shape)
        stream.write(result.buffer, memory)
        stream.wait()
        return result if dtype is None else array_from(result, dtype)
    import numpy

    if "numpy.ma" in sys.modules and numpy.ma.is_masked(data):
        raise TypeError("a masked array has elements that are no numbers: pass array.filled(value)")
    values = numpy.asarray(memoryview(data) if isinstance(data, bytes) else data)  # of bytes NumPy makes one string
    if values.dtype.kind == "O" and hasattr(data, "__cuda_array_interface__"):
        raise TypeError(f"{type(data).__name__}: an array on CUDA, and the stream is on {stream.device.backend}: copy it to NumPy")
    if values.dtype.kind == "O" and dtype is None:
        raise TypeError(f"{type(data).__name__}: an array has numbers, and ints of at most 64 bits")
    if values.dtype.kind in "US":  # which NumPy would read as numbers
        raise TypeError(f"an array has numbers, not texts: {shown(data):.60}")
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if dtype is not None and dtype_number(dtype) != BF16:
        values = host_values(values, numpy.dtype(dtype_names[dtype_number(dtype)]), not hasattr(data, "dtype"))
    elif dtype is None and values.dtype == numpy.float64 and not hasattr(data, "dtype"):
        values = values.astype(numpy.float32)
    elif dtype is None and values.dtype == numpy.complex128 and not hasattr(data, "dtype"):
        values = values.astype(numpy.complex64)
    result = new_array(stream, dtype_number(values.dtype), values.shape)
    if values.size:
        # A copy of the values: the caller may change its array at once.
        stream.write(result.buffer, numpy.array(values, order="C", copy=True))
    return array_from(result, dtype)
