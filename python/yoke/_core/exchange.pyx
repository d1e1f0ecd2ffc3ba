# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Arrays and other libraries: DLPack and __cuda_array_interface__, both ways; NumPy's functions of Arrays; names that others have;
# and what an Array shows of itself. On CUDA the streams of both sides wait for each other, by the numbers of streams; elsewhere,
# what leaves is ready.

import math
import operator
import sys

cimport cython
from cpython.object cimport PyObject

from .c_python cimport PyCapsule_GetPointer_raw, PyCapsule_IsValid_raw, PyCapsule_New_raw, PyCapsule_SetName_raw
from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport check, fail, here, in_host_function, shown
from .dtype cimport dtype_names, dtype_number, shape_of
from .device cimport Device
from .memory cimport Buffer, Kept, lent_memory
from .event cimport lead_native, native_queue
from .stream cimport follow_native, keep_until_done, Stream
from .array cimport above, Array
from .expression cimport new_array
from .create cimport filled, stream_for
from .operators cimport compare, numpy_signs, quotient_and_remainder
from .numerics cimport product

from .errors import Error
from .stream import stream_on
from .create import array_from, asarray
from .indexing import scatter_add


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


cdef void delete_capsule(PyObject *capsule) noexcept:
    cdef DLManagedTensor *tensor
    if PyCapsule_IsValid_raw(capsule, "dltensor"):  # nobody took it: who takes it, renames it
        tensor = <DLManagedTensor *>PyCapsule_GetPointer_raw(capsule, "dltensor")
        with nogil:
            yoke_py_dl_delete(tensor)


cdef object host_capsule(Array array):
    """A capsule over a copy in the host's memory."""
    try:
        return array.to_numpy().__dlpack__()
    except (ImportError, TypeError) as error:  # without NumPy, or of a dtype that it does not have
        raise BufferError(f"{array!r} gives no copy in the host's memory: {error}") from None


cdef tuple pair_of_ints(value, str name):
    """DLPack's devices and versions."""
    if not isinstance(value, tuple) or len(value) != 2 or not all([hasattr(each, "__index__") for each in value]):
        raise TypeError(f"{name} is a tuple of two ints, not {shown(value)}")
    return value


cdef object to_dlpack(Array array, stream, max_version, dl_device, copy):
    """Array.__dlpack__."""
    if max_version is not None:
        pair_of_ints(max_version, "max_version")
    if dl_device is not None:
        wanted = pair_of_ints(dl_device, "dl_device")
        if wanted == (1, 0) and copy is not False:
            return host_capsule(array)
        if wanted != dlpack_device(array):
            raise BufferError(f"the array is on DLPack's device {dlpack_device(array)}, not on {wanted}: to_numpy() copies it")
    return capsule_of(array, stream, copy)


cdef object capsule_of(Array array, stream, copy):
    cdef DLManagedTensor *tensor = NULL
    cdef yoke_status status
    cdef bint cuda = array.stream.device.backend == "cuda"

    if stream is not None and not cuda and stream != -1:
        raise ValueError(f"stream is for arrays on CUDA, and {array!r} is not there")
    if copy:
        array = array.copy()
    elif yoke_buffer_is_read_only(array.a.buffer) == 1:
        raise BufferError(f"{array!r} is of memory that is only read, which a capsule does not say: copy=True gives a copy")
    if not cuda or (stream != -1 and not lead_cuda(array.stream, 1 if stream is None else stream)):
        array.stream.wait()
    with nogil:
        status = yoke_array_to_dlpack(&array.a, &tensor)
    check(status)
    return PyCapsule_New_raw(tensor, "dltensor", delete_capsule)


cdef object dlpack_device(Array array):
    cdef DLManagedTensor *tensor = NULL
    check(yoke_array_to_dlpack(&array.a, &tensor))
    result = (tensor.dl_tensor.device.device_type, tensor.dl_tensor.device.device_id)
    yoke_py_dl_delete(tensor)
    return result


@cython.final
cdef class Lent:
    """Memory of another library, which is released with this object."""

    cdef DLManagedTensor *tensor
    cdef object owner  # instead of a tensor

    def __dealloc__(self):
        with nogil:
            yoke_py_dl_delete(self.tensor)


@cython.final
@cython.no_gc_clear  # __dealloc__ needs the members
cdef class Foreign:
    """The owner of such memory, for arrays: when no array uses the memory any more, it is released behind the work that used it.
    This happens in __dealloc__, because Cython does not call __del__ with the stable ABI."""

    cdef Lent lent
    cdef Stream stream  # of the arrays

    def __dealloc__(self):
        if self.stream is not None:
            lent_memory.pop(<uintptr_t><void *>self, None)
            keep_until_done(self.stream, [Kept.__new__(Kept), self.lent], self.stream.recordings)


cdef Foreign foreign_on(Stream stream):
    cdef Foreign foreign = Foreign.__new__(Foreign)
    foreign.lent, foreign.stream = Lent.__new__(Lent), stream
    lent_memory[<uintptr_t><void *>foreign] = foreign.lent
    stream.lent = True
    return foreign


def from_dlpack(data, /, *, stream=None, device=None, copy=None):
    """An array over the memory of an object with __dlpack__ (CuPy, PyTorch, JAX, Yoke), without a copy. The object must be on the
    stream's device (else InvalidArgumentError), or in host memory, as NumPy's arrays are: host memory is copied. copy: True always
    copies; False never copies, and raises BufferError for host memory. On CUDA the stream waits for the work that the object's
    producer has enqueued so far; the producer's memory is released when no array uses it and the stream has reached the end of its
    work. Operations that refuse overlapping operands do not see that two such arrays overlap."""
    cdef Foreign foreign
    cdef yoke_status status
    cdef yoke_device *ptr
    cdef Array result

    if not hasattr(data, "__dlpack__"):
        raise TypeError(f"{type(data).__name__} has no __dlpack__: yoke.asarray makes an array of anything")
    if isinstance(data, Array) and stream is None:
        stream = stream_on((<Array>data).stream.device if device is None else device)
    stream = stream_for(stream, device)
    if isinstance(data, Array) and (<Array>data).stream.device is not stream.device:
        return asarray(data, stream=stream, copy=copy)
    if copy:
        return from_dlpack(data, stream=stream).copy()
    if hasattr(data, "__dlpack_device__") and data.__dlpack_device__()[0] == 1:
        if copy is not None:
            raise BufferError(f"a {type(data).__name__} in the host's memory gets to the device by a copy, and copy is false")
        import numpy

        return array_from(numpy.from_dlpack(data), stream=stream)
    if hasattr(data, "__dlpack_device__") and data.__dlpack_device__()[0] in (2, 13):
        capsule = data.__dlpack__(stream=1)  # CUDA: the legacy default stream waits for the producer, and this stream for that
        follow_cuda(stream, 1)
    else:
        capsule = data.__dlpack__()
    foreign = foreign_on(stream)
    result = Array.__new__(Array)
    result.stream, result.buffer = stream, Buffer.__new__(Buffer, stream.device)
    if not PyCapsule_IsValid_raw(<PyObject *>capsule, "dltensor"):
        raise TypeError("__dlpack__ gave no capsule named dltensor")
    cdef DLManagedTensor *tensor = <DLManagedTensor *>PyCapsule_GetPointer_raw(<PyObject *>capsule, "dltensor")
    PyCapsule_SetName_raw(<PyObject *>capsule, "used_dltensor")  # before another thread sees it and takes it, too
    ptr = yoke_device_retain((<Device>stream.device).ptr)  # another thread may close the device meanwhile
    with nogil:
        status = yoke_array_from_dlpack(ptr, tensor, &result.a)
        yoke_device_release(ptr)
    if status < 0:
        PyCapsule_SetName_raw(<PyObject *>capsule, "dltensor")  # its own again
        fail(status)
    result.buffer.ptr, result.buffer.users = result.a.buffer, 1
    foreign.lent.tensor = tensor
    result.buffer.owner = foreign
    return result


cdef dict typestrings = {"bool": "|b1", "int8": "|i1", "uint8": "|u1", "int16": "<i2", "uint16": "<u2", "int32": "<i4",
                         "uint32": "<u4", "int64": "<i8", "uint64": "<u8", "float16": "<f2", "float32": "<f4",
                         "float64": "<f8", "complex64": "<c8", "complex128": "<c16"}


cdef object interface_of(Array array):
    name = dtype_names[array.a.dtype]
    if array.stream.device.backend != "cuda" or name not in typestrings:
        raise AttributeError(f"__cuda_array_interface__ is for arrays on CUDA, not for {array!r}")
    led = lead_cuda(array.stream, 1)
    if not led:
        array.stream.wait()
    return {"version": 3, "shape": array.shape, "typestr": typestrings[name], "stream": 1 if led else None,
            "strides": None if yoke_array_is_contiguous(&array.a) else array.strides,
            "data": (array.memory().native + array.a.offset if array.size else 0,
                     yoke_buffer_is_read_only(array.a.buffer) == 1)}


def from_interface(data, Stream stream not None):
    """An array over the memory of an object with __cuda_array_interface__."""
    cdef dict interface = data.__cuda_array_interface__
    cdef Array result = Array.__new__(Array)
    cdef Foreign foreign
    cdef int64_t extents[8]
    cdef yoke_device *ptr
    cdef yoke_status status
    cdef uintptr_t address
    cdef size_t size

    names = [name for name, text in typestrings.items() if text == interface["typestr"]]
    if not names or interface.get("mask") is not None:
        raise TypeError(f"an array of type {interface['typestr']}, or with a mask, is not supported")
    dtype = dtype_number(names[0])
    itemsize = yoke_dtype_get_size(dtype)
    shape, strides = tuple(interface["shape"]), interface.get("strides")
    strides = None if strides is None else tuple(strides)
    shape_of(shape, extents)
    if any([n < 0 for n in shape]):
        raise ValueError(f"the shape {shown(shape)} has a negative extent")
    if strides is not None and len(strides) != len(shape):
        raise ValueError(f"there are {len(strides)} strides, {shown(strides)}, and {len(shape)} dimensions, {shown(shape)}")
    address = interface["data"][0]
    if address % itemsize and 0 not in shape:
        raise ValueError(f"the address 0x{address:x} is not a multiple of the elements' {itemsize} bytes")
    if interface.get("stream") is not None:
        follow_cuda(stream, interface["stream"])
    if 0 in shape:
        return new_array(stream, dtype, shape)
    if strides is not None and any([s < 0 or s % itemsize for s in strides]):
        raise ValueError(f"strides {shown(strides)} are negative or do not fit elements of {itemsize} bytes")
    if strides is None:
        size = itemsize * math.prod(shape)
    else:
        size = itemsize + sum([(n - 1) * s for n, s in zip(shape, strides)])
    result.stream, result.buffer = stream, Buffer.__new__(Buffer, stream.device)
    ptr = yoke_device_retain(stream.device.ptr)  # another thread may close the device meanwhile
    with nogil:
        status = yoke_buffer_wrap(ptr, address, size, &result.buffer.ptr)
        yoke_device_release(ptr)
    check(status)
    foreign = foreign_on(stream)
    foreign.lent.owner = data
    if interface["data"][1]:  # read-only
        result.buffer = result.buffer.view(0, size, read_only=True)
    result.buffer.owner, result.buffer.users = foreign, 1
    result.a = yoke_array_nd(result.buffer.ptr, dtype, shape_of(shape, extents), extents)
    if result.a.dtype == 0:  # with strides of 0 a little memory may have more elements than can be counted
        fail(YOKE_E_INVALID_ARGUMENT)
    if strides is not None:
        for i, each in enumerate(strides):
            result.a.strides[i] = each // itemsize
    return result


above.interface_of = interface_of
above.dlpack_device = dlpack_device
above.to_dlpack = to_dlpack


# ---- NumPy's functions ----

# NumPy's functions of each element, by the names that these have here; operators are in numpy_signs.
cdef dict numpy_functions = {
    **{name: name for name in ("sqrt exp exp2 log log2 log10 sin cos tan sinh cosh tanh floor ceil trunc rint cbrt expm1 log1p "
                               "minimum maximum fmin fmax").split()},
    "arcsin": "asin", "arccos": "acos", "arctan": "atan",
}


cdef dict numpy_operators = {"negative": operator.neg, "positive": operator.pos, "absolute": abs, "invert": operator.invert}


# NumPy's functions that are methods here, by their names there.
cdef dict numpy_methods = {
    **{name: name for name in ("sum prod mean var std min max any all argmin argmax transpose reshape ravel squeeze copy round "
                               "broadcast_to swapaxes diagonal trace").split()},
    "amin": "min", "amax": "max", "permute_dims": "transpose",
}


cdef tuple numpy_attributes = ("shape", "ndim", "size", "real", "imag")


cdef object refuse_numpy(str name):
    raise TypeError(f"numpy.{name} is for the memory of the host, where an Array is not: pass array.to_numpy(), which copies it")


cdef object numpy_elementwise(ufunc, str method, tuple inputs, dict options):
    """Array.__array_ufunc__: the package's function of each element, the quick way; else that of yoke.numpy."""
    name = ufunc.__name__
    if method == "__call__" and not options:
        if name == "divmod":
            return quotient_and_remainder(inputs[0], inputs[1])
        sign = numpy_signs.get(name)
        if sign:
            return product(inputs[0], inputs[1]) if sign == "@" else compare(sign, inputs[0], inputs[1])
        if name in numpy_operators:
            return numpy_operators[name](inputs[0])
        if name in ("conjugate", "conj"):
            return inputs[0].conj()
        if name in numpy_functions:
            return getattr(sys.modules["yoke"], numpy_functions[name])(*inputs)
        if name in sys.modules["yoke"]._LATER:
            return getattr(sys.modules["yoke"], name)(*inputs)
    if name == "add" and method == "at" and isinstance(inputs[0], Array):
        return scatter_add(*inputs)
    outs = options.get("out", ())
    function = function_of_numpy("numpy", name)
    if function is not None and method != "__call__":
        function = getattr(function, method, None)
    ours = any([isinstance(each, Array) for each in inputs]) and all([each is None or isinstance(each, Array) for each in outs])
    if function is None or not ours:
        refuse_numpy(name if method == "__call__" else f"{name}.{method}")
    if len(outs) == 1:
        options = {**options, "out": outs[0]}
    return function(*inputs, **options)


cdef object function_of_numpy(str place, str name):
    """What yoke.numpy has by a name of one of NumPy's modules, or None."""
    try:
        from .. import numpy as found
    except ImportError:
        return None
    for each in [*place.split(".")[1:], name]:
        found = getattr(found, each, None)
    return found


cdef object numpy_function(function, tuple args, dict kwargs):
    """Array.__array_function__: the function of yoke.numpy by the same name, which has NumPy's parameters; else that of the package,
    the method or the attribute, whose arguments mean the same."""
    name, place = function.__name__, function.__module__
    ours = sys.modules["yoke"]
    same = function_of_numpy(place, name)
    if same is not None:
        return same(*args, **kwargs)
    if place != "numpy":
        refuse_numpy(f"{place.removeprefix('numpy.')}.{name}")
    if name in ours.__all__:
        return getattr(ours, name)(*args, **kwargs)
    if args and isinstance(args[0], Array):
        if name in numpy_methods:
            return getattr(args[0], numpy_methods[name])(*args[1:], **kwargs)
        if name in numpy_attributes and len(args) == 1:
            return getattr(args[0], name)
    if name in ours._LATER:
        return getattr(ours, name)(*args, **kwargs)
    refuse_numpy(name)


# ---- The array API standard ----

def namespace(version):
    """Array.__array_namespace__."""
    package = sys.modules["yoke"]
    known = ("2021.12", "2022.12", "2023.12", package.__array_api_version__)
    if version is not None and version not in known:
        raise ValueError(f"yoke is a namespace of the array API standard {', '.join(known)}, not {shown(version)}")
    return package


# ---- Names that are not there ----

# Methods that arrays of other libraries have, and what to write here.
cdef dict attributes_of_others = {
    "numpy": "to_numpy()", "cpu": "to_numpy()",
    "copy_to_host": "to_numpy()", "set": "a[...] = values", "ptr": "buffer.native",
    "to": "to_device(device), or astype(dtype)",
    "tobytes": "to_numpy().tobytes()", "partition": "sort()", "argpartition": "argsort()", "ptp": "max() - min()",
}


def missing(what, name, there, others):
    """The text for a name that something does not have: what there is instead, and names like it."""
    text = f"{what} has no {name}"
    if name.startswith("__"):  # of protocols: whether it is there is asked often
        return text
    if name in others:
        return f"{text}: {others[name]}"
    import difflib

    near = difflib.get_close_matches(name, [*[each for each in there if not each.startswith("_")], *others])
    return text + (f": is it {' or '.join([f'{each} ({others[each]})' if each in others else each for each in near])}?" if near
                   else "")


cdef object no_attribute(Array array, name):
    """The text for an attribute that an Array does not have."""
    return missing("an Array", name, dir(type(array)), attributes_of_others)


# ---- What an Array shows ----

cdef enum:
    MOST_SHOWN = 100  # elements


cdef str values_at_hand(Array array):
    """The values as lists of a small array, if showing them waits for no work; else "". A debugger may ask, whatever the array's
    state is."""
    if array.size > MOST_SHOWN or array.stream.graph is not None or in_host_function():
        return ""
    try:
        return str(array.tolist()) if array.stream.event().query() else ""
    except (Error, ImportError):
        return ""


cdef object html_of(Array array):
    import html

    rows = [("shape", array.shape), ("dtype", dtype_names[array.a.dtype]), ("device", array.stream.device.info.name),
            ("bytes", f"{array.nbytes:,}")]
    values = values_at_hand(array)
    if values:
        rows.append(("values", values))
    return ("<table>" + "".join([f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>" for name, value in rows]) +
            "</table>")


cdef Array read_only_zeros(Array array):
    """Zeros of the array's shape and dtype that nothing may write."""
    cdef Array result = filled(array.shape, 0, array.a.dtype, array.stream, here())
    result.buffer = result.buffer.view(0, result.buffer.size, read_only=True)
    result.buffer.users = 1
    result.a.buffer = result.buffer.ptr
    return result


above.read_only_zeros = read_only_zeros
above.no_attribute = no_attribute
above.numpy_elementwise = numpy_elementwise
above.numpy_function = numpy_function
above.values_at_hand = values_at_hand
above.html_of = html_of
