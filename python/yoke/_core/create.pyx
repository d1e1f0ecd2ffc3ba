# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Arrays: how they are made, on the device and from the memory of the host.

import array
import math
import operator
import sys

from .c_yoke cimport *
from .errors cimport here, shown
from .dtype cimport (
    axis_of, BF16, default_float, dtype_letters, dtype_names, dtype_number, dtype_object, dtype_or_default, F32, F64, in_dtype,
    is_integer, is_integer_or_bool, own_dtype, plain_number, promote, weak,
)
from .stream cimport Stream
from .array cimport Array
from .expression cimport assign, assign_value, is_sequence, map_arrays, new_array, read_array, trimmed

from .stream import default_stream, stream_on


def empty(shape, dtype=None, *, stream=None, device=None):
    """A new array with undefined content. shape: an int or a tuple; dtype: None means the default, float32 unless
    set_default_dtype has set another; stream: None means that of the device, stream_on(device), without one
    default_stream()."""
    return new_array(stream_for(stream, device), dtype_or_default(dtype), shape)


cdef object stream_for(stream, device):
    """The stream that is named, which has to be of the device where that is named, too."""
    if stream is None:
        return stream_on(device)
    if device is not None and (<Stream?>stream).device is not device:
        raise ValueError("the stream is of another device: name one of the two")
    return stream


cdef Array filled(shape, value, int32_t dtype, stream, const char *where):
    cdef Array result = new_array(default_stream() if stream is None else stream, dtype, shape)
    assign_value(result, value, where)
    return result


def full(shape, fill_value, dtype=None, *, stream=None, device=None):
    """A new array whose elements are all `fill_value`, of whose own dtype it is where dtype is None: bool, int64, the default float
    and its complex dtype for Python's numbers. Values of several elements are broadcast to the shape."""
    cdef Array values, result
    stream = stream if stream is None and device is None else stream_for(stream, device)
    if is_sequence(fill_value) or isinstance(fill_value, Array):
        values = array_from(fill_value, None if dtype is None or isinstance(fill_value, Array) else dtype, stream)
        result = new_array(values.stream if stream is None else stream, values.a.dtype if dtype is None else dtype_number(dtype),
                           shape)
        assign(result, trimmed(values, result.a.dimensions), here())
        return result
    return filled(shape, fill_value, own_dtype(fill_value) if dtype is None else dtype_number(dtype), stream, here())


def zeros(shape, dtype=None, *, stream=None, device=None):
    """A new array of zeros; dtype, stream and device as in empty."""
    return filled(shape, 0, dtype_or_default(dtype), stream_for(stream, device), here())


def ones(shape, dtype=None, *, stream=None, device=None):
    """A new array of ones; dtype, stream and device as in empty."""
    return filled(shape, 1, dtype_or_default(dtype), stream_for(stream, device), here())


cdef tuple likeness(array, dtype, device):
    """The stream, the dtype and the shape of what is made like an array, which may be any that asarray takes."""
    cdef Array given
    if not isinstance(array, Array) and hasattr(array, "__array_interface__") and hasattr(array, "shape"):
        return stream_on(device), dtype_number(array.dtype if dtype is None else dtype), array.shape
    given = array_from(array, stream=None if device is None or isinstance(array, Array) else stream_on(device))
    stream = given.stream if device is None or device is given.stream.device else stream_on(device)
    return stream, given.a.dtype if dtype is None else dtype_number(dtype), given.shape


def empty_like(array, dtype=None, *, device=None):
    """A new array of the same shape, dtype (None) and stream, with undefined content; device: another than the array's."""
    stream, number, shape = likeness(array, dtype, device)
    return new_array(stream, number, shape)


def zeros_like(array, dtype=None, *, device=None):
    """An array of zeros of the same shape, dtype (None) and stream."""
    stream, number, shape = likeness(array, dtype, device)
    return filled(shape, 0, number, stream, here())


def ones_like(array, dtype=None, *, device=None):
    """An array of ones of the same shape, dtype (None) and stream."""
    stream, number, shape = likeness(array, dtype, device)
    return filled(shape, 1, number, stream, here())


def full_like(array, fill_value, dtype=None, *, device=None):
    """An array of the same shape, dtype (None) and stream, whose elements are all `fill_value`."""
    stream, number, shape = likeness(array, dtype, device)
    return full(shape, fill_value, dtype_names[number], stream=stream)


def linspace(start, stop, num=50, *, endpoint=True, dtype=None, stream=None, device=None):
    """num numbers at equal distances from start to stop, which is the last, or with endpoint=False would be the next.
    Integers are the next below."""
    cdef Array result = empty(operator.index(num), dtype, stream=stream, device=device)
    cdef bint whole = is_integer(result.a.dtype)
    cdef int32_t wide = F64 if result.a.dtype == F64 or whole and "fp64" in result.stream.device.info.capabilities else F32
    number = "i == last ? stop : start + distance * i / steps"
    steps = max(1, result.size - 1 if endpoint else result.size)
    map_arrays(result.stream, f"x = floor({number})" if whole else f"x = {number}",
               {"x": result, "start": (wide, start), "distance": (wide, stop - start), "steps": steps, "stop": (wide, stop),
                "last": result.size - 1 if endpoint and result.size > 1 else -1}, here())
    return result


cdef list list_of_arrays(arrays):
    """The elements of a sequence as Arrays; those that are not Arrays yet are created in the stream of the first Array."""
    result = list(arrays)
    if not result:
        raise ValueError("a sequence of one array or more is wanted")
    stream = stream_of(result)
    return [array_from(each, stream=stream) for each in result]


cdef object stream_of(values):
    """The stream of the first Array among them; None: there is none."""
    for each in values:
        if isinstance(each, Array):
            return (<Array>each).stream
    return None


def concatenate(arrays, axis=0):
    """A new array of several, one behind the other along an axis; their other extents are the same. axis: None joins the flattened
    arrays."""
    cdef Array first, result
    cdef const char *where = here()
    arrays = list_of_arrays(arrays)
    if axis is None:
        arrays, axis = [each.reshape(-1) for each in arrays], 0
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


def arange(start, stop=None, step=1, dtype=None, *, stream=None, device=None):
    """The numbers start, start + step, … below stop; arange(n) begins with 0. dtype: None means int64, or the default float where
    one of the three is a float, Python's or NumPy's. OverflowError: the dtype does not have one of the numbers."""
    cdef Array result
    cdef int32_t wide

    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("the step is 0")
    start, stop, step = [plain_number(each) for each in (start, stop, step)]
    floating = any([isinstance(each, float) for each in (start, stop, step)])
    count = max(0, math.ceil((stop - start) / step) if floating else -((start - stop) // step))
    result = empty(count, ("int64", None)[floating] if dtype is None else dtype, stream=stream, device=device)
    if floating and not (is_integer_or_bool(result.a.dtype) and start == int(start) and step == int(step)):
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
    """NumPy's values as another dtype. Floats out of range become the nearest end of an integer dtype, and NaN becomes 0, as in
    Array.astype. `python`: the values are Python's, and an int that the dtype does not have is an OverflowError."""
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


def asarray(data, dtype=None, *, order=None, stream=None, device=None, copy=None):
    """An array of anything: an Array (itself, where dtype and stream fit, else a copy), a NumPy array, numbers and nested lists
    (with NumPy), anything contiguous with the buffer protocol; and, without a copy, arrays of this device by DLPack or
    __cuda_array_interface__. Host memory is copied before this returns. stream: None means an Array's own, else
    that of the device, or default_stream(). Python's floats get the default dtype, float32 unless set_default_dtype has set
    another. copy: True gives a copy in any case; with False, ValueError tells that one is needed. order: the layout in memory, "C"
    or "F"; None takes an Array's as it is."""
    cdef Array result
    if order is not None:
        from .._layout import arranged

        return arranged(data, dtype, order, stream, device, copy)
    if isinstance(data, Array):
        if device is not None or stream is not None:
            if stream is not None or device is not (<Array>data).stream.device:
                stream = stream_for(stream, device)
        result = array_from(in_stream(data, stream), dtype)
        if copy is False and result is not data:
            raise ValueError("another dtype, stream or device takes a copy, and copy is false")
        return result.copy() if copy and result is data else result
    if stream is not None or device is not None:
        stream = stream_for(stream, device)
    result = array_from(data, dtype, stream)
    shared = result.buffer.owner is not None  # memory of another library
    if copy is False and not shared:
        raise ValueError(f"a {type(data).__name__} gets to the device by a copy, and copy is false")
    return result.copy() if copy and shared else result


def result_dtype(operands):
    """What an operation of dtypes, Arrays and Python's numbers gives, as x.dtype."""
    operands = list(operands)
    if not operands:
        raise ValueError("a dtype, an Array or a number is wanted")
    numbers, values, stream = [], [], stream_of(operands)
    for each in operands:
        if isinstance(each, Array):
            numbers.append((<Array>each).a.dtype)
        elif isinstance(each, (bool, int, float, complex)) and not hasattr(each, "dtype"):
            values.append(each)
        else:
            numbers.append(dtype_number(each if isinstance(each, type) or not hasattr(each, "__array_interface__") else each.dtype))
    if not numbers:
        raise ValueError("of numbers of Python's alone there is no dtype: an Array or a dtype is wanted, too")
    stream = default_stream() if stream is None else stream
    dtype = promote(numbers, stream)
    for each in values:
        dtype = weak(dtype, each, stream)
    return dtype_object(dtype)


def array_from(data, dtype=None, stream=None):
    """asarray for operations, which order the streams of their Arrays: an Array stays in its own."""
    cdef Array result

    if isinstance(data, Array):
        return data if dtype is None or dtype_number(dtype) == (<Array>data).a.dtype else data.astype(dtype)
    stream = default_stream() if stream is None else stream
    # DLPack orders the streams also where the interface names none, as PyTorch's.
    interface = getattr(data, "__cuda_array_interface__", None) if stream.device.backend == "cuda" else None
    if interface is not None and (interface.get("stream") is not None or not hasattr(data, "__dlpack__")):
        from .foreign import from_interface

        result = from_interface(data, stream)
        return result if dtype is None else array_from(result, dtype)
    if hasattr(data, "__dlpack__") and not hasattr(data, "__array_interface__") and not is_host_tensor(data):
        from .foreign import from_dlpack

        return array_from(from_dlpack(data, stream=stream), dtype)
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
    elif dtype is None and default_float == F32 and not hasattr(data, "dtype"):
        narrow = {"float64": numpy.float32, "complex128": numpy.complex64}.get(values.dtype.name)
        values = values if narrow is None else values.astype(narrow)
    result = new_array(stream, dtype_number(values.dtype), values.shape)
    if values.size:
        # A copy of the values: the caller may change its array at once.
        stream.write(result.buffer, numpy.array(values, order="C", copy=True))
    return array_from(result, dtype)
