# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Memory that other libraries use, and theirs: DLPack and __cuda_array_interface__, both ways. On CUDA the streams of both sides
# wait for each other, by the numbers of streams; elsewhere, what leaves is ready.

import math
import sys

cimport cython
from cpython.object cimport PyObject
from libc.string cimport memset

from .c_python cimport PyCapsule_GetPointer_raw, PyCapsule_IsValid_raw, PyCapsule_New_raw, PyCapsule_SetName_raw
from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport check, fail, here, shown
from .dtype cimport dtype_names, dtype_number, shape_of
from .device cimport Device
from .memory cimport Buffer, Kept, lent_memory
from .event cimport lead_native, native_queue
from .stream cimport follow_native, keep_until_done, Stream
from .array cimport above, Array
from .expression cimport new_array
from .create cimport stream_for

from .stream import stream_on
from .create import array_from, asarray


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
    cdef DLManagedTensorVersioned *versioned
    if PyCapsule_IsValid_raw(capsule, "dltensor"):  # nobody took it: who takes it, renames it
        tensor = <DLManagedTensor *>PyCapsule_GetPointer_raw(capsule, "dltensor")
        with nogil:
            yoke_py_dl_delete(tensor)
    elif PyCapsule_IsValid_raw(capsule, "dltensor_versioned"):
        versioned = <DLManagedTensorVersioned *>PyCapsule_GetPointer_raw(capsule, "dltensor_versioned")
        with nogil:
            yoke_py_dl_delete_versioned(versioned)


cdef enum:
    HOST = 1, OPENCL = 4  # DLPack's types of devices
    READ_ONLY = 1, COPIED = 2  # its flags


cdef bint knows_versions(max_version):
    """Whether who asks takes capsules with a version, and so with flags."""
    return max_version is not None and max_version[0] >= 1


cdef object made_capsule(DLManagedTensor *tensor, max_version, uint64_t flags):
    cdef DLManagedTensorVersioned *versioned
    if not knows_versions(max_version):
        return PyCapsule_New_raw(tensor, "dltensor", delete_capsule)
    versioned = yoke_py_dl_with_version(tensor, flags)
    if versioned == NULL:
        yoke_py_dl_delete(tensor)
        raise MemoryError("no memory for a DLPack tensor")
    return PyCapsule_New_raw(versioned, "dltensor_versioned", delete_capsule)


cdef object shared_with_host(Array array, max_version):
    """A capsule over the array's memory, as the host's, where that is what it is; else None."""
    from .. import _host_memory

    cdef DLManagedTensor *tensor = NULL
    cdef bint read_only = yoke_buffer_is_read_only(array.a.buffer) == 1
    if not _host_memory.is_shared(array.stream.device) or read_only and not knows_versions(max_version):
        return None
    check(yoke_array_to_dlpack(&array.a, &tensor))
    try:
        address = _host_memory.address_of(array.stream, <uintptr_t>tensor.dl_tensor.data)
    except BaseException:
        yoke_py_dl_delete(tensor)
        raise
    if address is None:
        yoke_py_dl_delete(tensor)
        return None
    tensor.dl_tensor.data = <void *>(<uintptr_t>address + tensor.dl_tensor.byte_offset)
    tensor.dl_tensor.byte_offset = 0
    tensor.dl_tensor.device.device_type, tensor.dl_tensor.device.device_id = HOST, 0
    return made_capsule(tensor, max_version, READ_ONLY if read_only else 0)


cdef object host_capsule(Array array, max_version, copy):
    """A capsule in the host's memory: over the array's own, or over a copy."""
    capsule = None if copy else shared_with_host(array, max_version)
    if capsule is not None:
        return capsule
    if copy is False:
        raise BufferError(f"{array!r} gets to the host's memory by a copy, and copy is false: to_numpy() copies it")
    try:
        values = array.to_numpy()
        if not knows_versions(max_version) or sys.modules["numpy"].lib.NumpyVersion(sys.modules["numpy"].__version__) < "2.1.0":
            return values.__dlpack__()
        return values.__dlpack__(max_version=max_version)
    except (ImportError, TypeError) as error:  # without NumPy, or of a dtype that it does not have
        raise BufferError(f"{array!r} gives no copy in the host's memory: {error}") from None


cdef tuple pair_of_ints(value, str name):
    """DLPack's devices and versions."""
    if not isinstance(value, tuple) or len(value) != 2 or not all([hasattr(each, "__index__") for each in value]):
        raise TypeError(f"{name} is a tuple of two ints, not {shown(value)}")
    return value


cdef int check_copy(copy) except -1:
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"copy is True, False or None, not {shown(copy)}")
    return 0


cdef object to_dlpack(Array array, stream, max_version, dl_device, copy):
    """Array.__dlpack__."""
    check_copy(copy)
    if max_version is not None:
        pair_of_ints(max_version, "max_version")
    if stream is not None and array.stream.device.backend != "cuda" and stream != -1:
        raise ValueError(f"stream is for arrays on CUDA, and {array!r} is not there")
    if dl_device is not None:
        wanted = pair_of_ints(dl_device, "dl_device")
        if wanted == (HOST, 0):
            return host_capsule(array, max_version, copy)
        if wanted != dlpack_device(array):
            raise BufferError(f"the array is on DLPack's device {dlpack_device(array)}, not on {wanted}: to_numpy() copies it")
    return capsule_of(array, stream, max_version, copy)


cdef object capsule_of(Array array, stream, max_version, copy):
    cdef DLManagedTensor *tensor = NULL
    cdef yoke_status status
    cdef bint cuda = array.stream.device.backend == "cuda"
    cdef uint64_t flags = COPIED if copy else 0

    if copy:
        array = array.copy()
    elif yoke_buffer_is_read_only(array.a.buffer) == 1:
        if not knows_versions(max_version):
            raise BufferError(f"{array!r} is of memory that is only read, which a capsule without a version does not say: "
                              "max_version=(1, 0) asks for one that does, and copy=True for a copy")
        flags |= READ_ONLY
    if not cuda or (stream != -1 and not lead_cuda(array.stream, 1 if stream is None else stream)):
        array.stream.wait()
    with nogil:
        status = yoke_array_to_dlpack(&array.a, &tensor)
    check(status)
    return made_capsule(tensor, max_version, flags)


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
    cdef DLManagedTensorVersioned *versioned
    cdef object owner  # instead of a tensor

    def __dealloc__(self):
        with nogil:
            yoke_py_dl_delete(self.tensor)
            yoke_py_dl_delete_versioned(self.versioned)

    cdef int take(self, capsule, DLManagedTensor *out) except -1:
        """The tensor of a capsule, which nobody else takes from now on."""
        cdef PyObject *borrowed = <PyObject *>capsule
        memset(out, 0, sizeof(out[0]))
        if PyCapsule_IsValid_raw(borrowed, "dltensor_versioned"):
            self.versioned = <DLManagedTensorVersioned *>PyCapsule_GetPointer_raw(borrowed, "dltensor_versioned")
            PyCapsule_SetName_raw(borrowed, "used_dltensor_versioned")  # before another thread sees it and takes it, too
            if self.versioned.major > 1:
                major = self.versioned.major
                self.give_back(capsule)
                raise BufferError(f"the capsule is of DLPack's version {major}, and 1 was asked for")
            out.dl_tensor = self.versioned.dl_tensor
            return 0
        if not PyCapsule_IsValid_raw(borrowed, "dltensor"):
            raise TypeError("__dlpack__ gave no capsule named dltensor or dltensor_versioned")
        self.tensor = <DLManagedTensor *>PyCapsule_GetPointer_raw(borrowed, "dltensor")
        PyCapsule_SetName_raw(borrowed, "used_dltensor")
        out.dl_tensor = self.tensor.dl_tensor
        return 0

    cdef void give_back(self, capsule) noexcept:
        """The tensor is the capsule's own again."""
        PyCapsule_SetName_raw(<PyObject *>capsule, "dltensor" if self.versioned == NULL else "dltensor_versioned")
        self.tensor, self.versioned = NULL, NULL


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


cdef object asked_capsule(data, dict options):
    """A producer's capsule, with a version where the producer knows of versions."""
    try:
        return data.__dlpack__(max_version=(1, 0), **options)
    except TypeError:
        return data.__dlpack__(**options)


def from_dlpack(data, /, *, stream=None, device=None, copy=None):
    """An array over the memory of an object with __dlpack__ (NumPy, CuPy, PyTorch, JAX, Yoke), without a copy. The object must be
    on the stream's device (else InvalidArgumentError), or in host memory, as NumPy's arrays are: that is shared with PoCL's
    devices, which are the host, and copied to others. copy: True always copies; False never copies, and raises BufferError where a
    copy is needed. Whoever shares memory with the host waits for the stream before the host uses it. On CUDA the stream waits for
    the work that the object's producer has enqueued so far; the producer's memory is released when no array uses it and the stream
    has reached the end of its work. Operations that refuse overlapping operands do not see that two such arrays overlap."""
    if not hasattr(data, "__dlpack__"):
        raise TypeError(f"{type(data).__name__} has no __dlpack__: yoke.asarray makes an array of anything")
    check_copy(copy)
    if isinstance(data, Array) and stream is None:
        stream = stream_on((<Array>data).stream.device if device is None else device)
    stream = stream_for(stream, device)
    if isinstance(data, Array) and (<Array>data).stream.device is not stream.device:
        if copy is False:
            raise BufferError("an array gets to another device by a copy, and copy is false")
        return asarray(data, stream=stream, copy=copy)
    kind = data.__dlpack_device__()[0] if hasattr(data, "__dlpack_device__") else None
    if kind == HOST:
        return from_host(data, stream, copy)
    if copy:
        return from_dlpack(data, stream=stream).copy()
    if kind in (2, 13):
        capsule = asked_capsule(data, {"stream": 1})  # CUDA: the legacy default stream waits for the producer, and this stream for
        follow_cuda(stream, 1)                        # that
    else:
        capsule = asked_capsule(data, {})
    return over_capsule(capsule, stream, False)


cdef object from_host(data, Stream stream, copy):
    """from_dlpack of host memory, which the device shares, or which is copied."""
    from .. import _host_memory

    if not copy and _host_memory.is_shared(stream.device):
        result = over_capsule(asked_capsule(data, {}), stream, True)
        if result is not None:
            return result
    if copy is False and 0 not in getattr(data, "shape", ()):  # what has no elements has no memory to copy
        raise BufferError(f"a {type(data).__name__} in the host's memory gets to the device by a copy, and copy is false")
    import numpy

    return array_from(numpy.from_dlpack(data), stream=stream)


cdef uintptr_t place_on_host(DLManagedTensor *tensor, Stream stream) except? 0:
    """Make a tensor of the host one of the device, which computes in the same memory: a cl_mem, or 0 where there is none."""
    from .. import _host_memory

    cdef yoke_py_dl_tensor *t = &tensor.dl_tensor
    cdef uintptr_t memory
    size = t.bits // 8
    shape = [t.shape[i] for i in range(t.ndim)]
    strides = [t.strides[i] if t.strides != NULL else math.prod(shape[i + 1:]) for i in range(t.ndim)]
    first = <uintptr_t>t.data + t.byte_offset
    if any([n <= 0 for n in shape]) or size == 0 or t.lanes != 1 or first % size:  # nothing to share, or an error
        return 0
    reach = [(n - 1) * stride * size for n, stride in zip(shape, strides)]
    base = first + sum([each for each in reach if each < 0])
    base -= base % _host_memory.ALIGNMENT
    memory = _host_memory.memory_over(stream.device, base, first + sum([each for each in reach if each > 0]) + size - base)
    if memory:
        t.data, t.byte_offset = <void *>memory, first - base
        t.device.device_type, t.device.device_id = OPENCL, stream.device.info.index
    return memory


cdef object over_capsule(capsule, Stream stream, bint on_host):
    """An array over a capsule's memory. on_host: it is the host's; None where it cannot be the device's, too."""
    cdef Foreign foreign = foreign_on(stream)
    cdef DLManagedTensor tensor
    cdef yoke_status status
    cdef yoke_device *ptr
    cdef Array result = Array.__new__(Array)
    cdef uintptr_t memory = 0

    foreign.lent.take(capsule, &tensor)
    if on_host:
        kind = tensor.dl_tensor.device.device_type
        if kind != HOST:
            foreign.lent.give_back(capsule)
            raise BufferError("__dlpack_device__ says that the memory is on the host, and __dlpack__ that it is on DLPack's "
                              f"device {kind}")
        memory = place_on_host(&tensor, stream)
        if memory == 0:
            foreign.lent.give_back(capsule)
            return None
    result.stream, result.buffer = stream, Buffer.__new__(Buffer, stream.device)
    ptr = yoke_device_retain((<Device>stream.device).ptr)  # another thread may close the device meanwhile
    with nogil:
        status = yoke_array_from_dlpack(ptr, &tensor, &result.a)
        yoke_device_release(ptr)
    if memory:
        from .. import _host_memory

        _host_memory.release(memory)  # the buffer has a reference of its own
    if status < 0:
        foreign.lent.give_back(capsule)
        fail(status)
    result.buffer.ptr, result.buffer.users = result.a.buffer, 1
    if foreign.lent.versioned != NULL and foreign.lent.versioned.flags & READ_ONLY:
        result.buffer = result.buffer.view(0, result.buffer.size, read_only=True)
        result.buffer.users, result.a.buffer = 1, result.buffer.ptr
    result.buffer.owner = foreign
    return result


def bytes_to_dlpack(buffer, dict options):
    """Buffer.__dlpack__."""
    memory = memoryview(buffer)
    import numpy

    wanted = options.get("dl_device")
    if wanted is not None and pair_of_ints(wanted, "dl_device") != (HOST, 0):
        raise BufferError(f"the buffer is on DLPack's device (1, 0), the host, not on {wanted}")
    return numpy.frombuffer(memory, "uint8").__dlpack__(**options)


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
