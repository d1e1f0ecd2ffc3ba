# SPDX-License-Identifier: Apache-2.0
# Arrays: how they are made, on the device and from the memory of the host.

def empty(shape, dtype="float32", stream=None):
    """A new array with undefined content. shape: an int or a tuple; stream: None means default_stream()."""
    return new_array(default_stream() if stream is None else stream, dtype_number(dtype), shape)


def full(shape, value, dtype="float32", stream=None):
    """A new array whose elements are all `value`."""
    cdef Array result = empty(shape, dtype, stream)
    assign_value(result, value, here())
    return result


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


def arange(start, stop=None, step=1, dtype=None, stream=None):
    """The numbers start, start + step, … below stop; arange(n) begins with 0. dtype: None means int64, or float32 where one of
    the three is a float."""
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("the step is 0")
    floating = any([isinstance(each, float) for each in (start, stop, step)])
    count = max(0, math.ceil((stop - start) / step))
    result = empty(count, dtype or ("float32" if floating else "int64"), stream)
    if floating:
        map_arrays(result.stream, "x = start + i * step", {"x": result, "start": float(start), "step": float(step)}, here())
    else:
        map_arrays(result.stream, "x = start + i * step", {"x": result, "start": int(start), "step": int(step)}, here())
    return result


def asarray(data, dtype=None, stream=None):
    """An array of anything: an Array (itself, where the dtype fits), a NumPy array, numbers and nested lists (with NumPy),
    anything contiguous with the buffer protocol; and, without a copy, arrays of this device by DLPack or
    __cuda_array_interface__. Host memory is copied before this returns. stream: None means default_stream()."""
    cdef Array result

    if isinstance(data, Array):
        return data if dtype is None or dtype_number(dtype) == (<Array>data).a.dtype else data.astype(dtype)
    stream = default_stream() if stream is None else stream
    # DLPack orders the streams also where the interface names none, as PyTorch's.
    interface = getattr(data, "__cuda_array_interface__", None) if stream.device.backend == "cuda" else None
    if interface is not None and (interface.get("stream") is not None or not hasattr(data, "__dlpack__")):
        result = from_interface(data, stream)
        return result if dtype is None else asarray(result, dtype)
    if hasattr(data, "__dlpack__") and not hasattr(data, "__array_interface__"):
        return from_dlpack(data, stream)
    if "numpy" not in sys.modules and isinstance(data, (bytes, bytearray, memoryview, array.array)):
        memory = memoryview(data)
        names = [name for name, letter in zip(dtype_names, dtype_letters) if letter == memory.format.lstrip("<=@")]
        names = names or (["int64"] if memory.format == "l" else ["uint64"] if memory.format == "L" else [])
        if not names:
            raise TypeError(f"memory of format {memory.format!r} has no dtype")
        result = new_array(stream, dtype_number(names[0]), memory.shape)
        stream.write(result.buffer, memory)
        stream.wait()
        return result if dtype is None else asarray(result, dtype)
    import numpy

    values = numpy.asarray(data)
    if dtype is not None and dtype_number(dtype) != BF16:
        values = values.astype(numpy.dtype(dtype_names[dtype_number(dtype)]), copy=False)
    elif dtype is None and values.dtype == numpy.float64 and not hasattr(data, "dtype"):
        values = values.astype(numpy.float32)
    elif dtype is None and values.dtype == numpy.complex128 and not hasattr(data, "dtype"):
        values = values.astype(numpy.complex64)
    result = new_array(stream, dtype_number(values.dtype), values.shape)
    if values.size:
        # A copy of the values: the caller may change its array at once.
        stream.write(result.buffer, numpy.array(values, order="C", copy=True))
    return asarray(result, dtype)
