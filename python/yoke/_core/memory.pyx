# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Memory of devices. Buffers: device, pinned, mapped and managed memory, and host memory that copies still use. Images: texels that
# kernels read through a sampler, and write; their shapes and offsets have NumPy's order, (rows, columns) or (slices, rows,
# columns), all in texels.

import math

cimport cython
from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_ND, PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.string cimport memset, strchr

from .c_yoke cimport *
from .errors cimport as_size, check, shown, text_of
from .dtype cimport extents_of
from .device cimport above, Device

from .errors import RangeError


cdef tuple memory_kinds = ("device", "pinned", "mapped", "managed")


@cython.final
cdef class Buffer:
    """Buffer(device, size=None, kind='device')\n--\n\n\
    Memory that a device can access: `size` bytes, with undefined content.

    kind: "device" (the host reaches it by copies), "pinned" (page-locked host memory for copies at full speed), "mapped" or
    "managed" (both sides access it in place, where the device supports that). All kinds but "device" have the buffer protocol:
    memoryview(buffer) or numpy.frombuffer(buffer, dtype) is the memory itself. buffer[a:b] is a view of these bytes, without a
    copy. Raises InvalidArgumentError, RangeError, UnsupportedError, OutOfDeviceMemoryError, OutOfHostMemoryError.
    """

    def __cinit__(self, Device device not None, size=None, kind="device"):
        cdef yoke_status status
        cdef size_t count
        cdef int32_t memory
        cdef yoke_device *ptr

        self.device = device
        if size is None:  # for the functions of this file
            return
        if kind not in memory_kinds:
            raise ValueError(f"no such kind of memory: {shown(kind)}; there are {', '.join(memory_kinds)}")
        count = as_size(size, "size")
        memory = memory_kinds.index(kind)
        ptr = yoke_device_retain(device.ptr)  # another thread may close the device meanwhile
        with nogil:
            status = yoke_buffer_create_in(ptr, memory, count, &self.ptr)
            yoke_device_release(ptr)
        check(status)

    def __dealloc__(self):
        cdef yoke_buffer *ptr = self.closed if self.ptr == NULL else self.ptr
        if ptr != NULL:
            with nogil:
                yoke_buffer_release(ptr)

    def close(self):
        """Release the memory; the device may still use it, and is not waited for. An Array and its views keep their memory.
        BufferError while a memoryview or NumPy array of it lives. A second call does nothing."""
        cdef yoke_buffer *ptr = self.ptr
        if self.exports:
            raise BufferError("the buffer cannot be closed: arrays or memoryviews of its memory still exist")
        self.ptr = NULL
        if self.users and ptr != NULL:
            self.closed = ptr
        elif ptr != NULL:
            with nogil:
                yoke_buffer_release(ptr)
        if self.closed == NULL:
            self.owner = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    @property
    def size(self):
        """Bytes; 0 when closed."""
        return yoke_buffer_get_size(self.ptr)

    @property
    def nbytes(self):
        """As size."""
        return yoke_buffer_get_size(self.ptr)

    @property
    def kind(self):
        """"device", "pinned", "mapped" or "managed"; "closed" when closed."""
        cdef int32_t kind = yoke_buffer_get_kind(self.ptr)
        return memory_kinds[kind] if kind >= 0 else "closed"

    @property
    def native(self):
        """The driver's handle as an int: a CUdeviceptr, or a cl_mem. UnsupportedError where there is none (pinned memory)."""
        cdef uintptr_t handle = 0
        check(yoke_buffer_get_native(self.ptr, &handle))
        return handle

    def __len__(self):
        return yoke_buffer_get_size(self.ptr)

    def __getitem__(self, index):
        if not isinstance(index, slice):
            raise TypeError("a buffer is sliced in bytes, buffer[a:b]; the host reads elements through stream.read")
        start, stop, step = index.indices(self.size)
        if step != 1:
            raise ValueError("a view of a buffer has a step of 1")
        return self.view(start, stop - start)

    @property
    def read_only(self):
        """Whether this is a view that kernels and copies only read."""
        return yoke_buffer_is_read_only(self.ptr) == 1

    def view(self, offset, size, *, read_only=False):
        """A view: `size` bytes from `offset`, without a copy. The view keeps the memory alive. RangeError: not inside.
        read_only: a write, a copy to it, or a launch that passes it for a parameter known not to be const is
        KernelArgumentError."""
        cdef Buffer view = Buffer.__new__(Buffer, self.device)
        cdef size_t first = as_size(offset, "offset")
        cdef size_t count = as_size(size, "size")
        cdef bint constant = read_only
        cdef yoke_status status
        cdef Inside call = inside(self)
        with nogil:
            if constant:
                status = yoke_buffer_create_const_view(self.ptr, first, count, &view.ptr)
            else:
                status = yoke_buffer_create_view(self.ptr, first, count, &view.ptr)
        check(status)
        view.owner = self.owner
        return view

    def __getbuffer__(self, Py_buffer *out, int flags):
        cdef void *host = yoke_buffer_get_host(self.ptr)
        if host == NULL:
            raise BufferError("device memory is not the host's: copy it with stream.read, or use kind='pinned' or 'managed'"
                              if self.ptr != NULL else "the buffer is closed")
        self.bytes[0] = yoke_buffer_get_size(self.ptr)
        if PyBuffer_FillInfo(out, self, host, self.bytes[0], yoke_buffer_is_read_only(self.ptr) == 1, flags) < 0:
            raise BufferError("this kind of access is not possible")
        self.exports += 1

    def __releasebuffer__(self, Py_buffer *out):
        self.exports -= 1

    def __dlpack_device__(self):
        """(1, 0), the host, for all kinds but "device", which is BufferError."""
        memoryview(self)
        return 1, 0

    def __dlpack__(self, **options):
        """A DLPack capsule of the bytes, uint8, as NumPy gives it (with NumPy), which has the options; without a copy, unless
        copy=True. BufferError: device memory."""
        from .foreign import bytes_to_dlpack

        return bytes_to_dlpack(self, options)

    def __repr__(self):
        if self.ptr == NULL:
            return "<yoke.Buffer closed>"
        return f"<yoke.Buffer {self.size} bytes of {self.kind} memory on {self.device.info.selector}>"


cdef object new_buffer(Device device, size, kind):
    return Buffer(device, size, kind)


above.buffer = new_buffer


cdef void leave_buffer(Buffer buffer) noexcept:
    """One user less: the last one releases what was closed meanwhile."""
    cdef yoke_buffer *ptr = buffer.closed
    buffer.users -= 1
    if buffer.users == 0 and ptr != NULL:
        buffer.closed = NULL
        with nogil:
            yoke_buffer_release(ptr)
        buffer.owner = None


def host_array(Device device not None, shape, dtype, str kind):
    import numpy

    dtype = numpy.dtype(dtype)
    shape = extents_of(shape)
    if any([each < 0 for each in shape]):
        raise ValueError(f"a shape has a negative extent: {shown(shape)}")
    count = math.prod(shape)
    buffer = Buffer(device, max(1, count * dtype.itemsize), kind)
    return numpy.frombuffer(buffer, dtype, count).reshape(shape)


def root_of(array):
    """The Buffer whose memory an array of host_array is."""
    base = array
    while base is not None and not isinstance(base, Buffer):
        base = base.obj if isinstance(base, memoryview) else base.base
    return base


# ---- Host memory in use ----
# A copy reads or writes host memory until it has run. Its Py_buffer, and with it the array, is kept until an event behind the copy
# is complete. Nobody is called when it is: each later copy, wait and launch with host arrays looks at the oldest entries.
cdef class Kept:

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.view)
        if self.event != NULL:
            with nogil:
                yoke_event_release(self.event)


cdef dict kept_memory = {}  # the streams' queues that are not empty, by their ids


cdef Kept hold(object memory, bint writable):
    """The memory of an object with the buffer protocol, contiguous in C's order. References to Python's objects are no memory to
    copy."""
    cdef Kept kept = Kept.__new__(Kept)
    if type(memory) in (list, tuple, int, float, bool):  # NumPy's float64 is a float, too
        raise TypeError(f"host memory is wanted, as of numpy.array(x, dtype) or numpy.float32(x), not {type(memory).__name__}")
    flags = PyBUF_WRITABLE if writable else PyBUF_SIMPLE
    try:
        PyObject_GetBuffer(memory, &kept.view, flags | PyBUF_ND | PyBUF_FORMAT)
    except (ValueError, BufferError):  # NumPy has no format for dates, whose bytes are as good as others
        PyObject_GetBuffer(memory, &kept.view, flags)
    kept.held = True
    if (kept.view.format != NULL and strchr(kept.view.format, c'O') != NULL and format_has_objects(text_of(kept.view.format))
            or getattr(getattr(memory, "dtype", None), "hasobject", False)):
        raise TypeError(f"host memory of numbers is wanted, and this {type(memory).__name__} has Python's objects: convert it with "
                        "astype")
    return kept


cdef bint format_has_objects(str text):
    """Whether a format of the buffer protocol has an "O" elsewhere than in the name of a field, which is between colons."""
    return any(["O" in part for part in text.split(":")[::2]])


@cython.final
@cython.no_gc
cdef class Inside:
    """As long as it lives, a call is inside that uses the handles of these buffers, which another thread may close."""

    def __dealloc__(self):
        leave_buffer(self.one)
        if self.other is not None:
            leave_buffer(self.other)


cdef list with_owner(list kept, Buffer buffer):
    """`kept` with the owner of the buffer's memory, where Yoke is not."""
    if buffer.owner is None:
        return kept
    if kept is None:
        kept = [Kept.__new__(Kept)]
    kept.append(buffer.owner)
    return kept


cdef list forgotten = []
cdef dict lent_memory = {}  # other libraries' that Arrays use, by the addresses of what keeps it


cdef int prune_kept() except -1:
    for queue in list(kept_memory.values()):
        prune_queue(queue)
    return 0


cdef int prune_queue(queue) except -1:
    """Give up what is complete of one stream's, from the oldest on."""
    cdef Kept first
    cdef yoke_status status
    while True:
        try:
            items = queue.popleft()
        except IndexError:
            if not queue:
                kept_memory.pop(id(queue), None)
            return 0
        first = items[0]
        with nogil:
            status = yoke_event_query(first.event)
        if status == YOKE_PENDING:
            queue.appendleft(items)
            kept_memory[id(queue)] = queue  # which another thread may have found empty
            return 0
        items.clear()


def wrap_native(Device device not None, native, size, owner):
    """Device.wrap."""
    cdef Buffer buffer = Buffer.__new__(Buffer, device)
    cdef uintptr_t handle = as_size(native, "native")
    cdef size_t count = as_size(size, "size")
    cdef yoke_device *ptr = yoke_device_retain(device.ptr)
    cdef yoke_status status
    with nogil:
        status = yoke_buffer_wrap(ptr, handle, count, &buffer.ptr)
        yoke_device_release(ptr)
    check(status)
    buffer.owner = owner
    return buffer


def pin_memory(Device device not None, memory):
    """Device.pin."""
    cdef Buffer buffer = Buffer.__new__(Buffer, device)
    cdef Kept kept = hold(memory, True)
    cdef yoke_device *ptr = yoke_device_retain(device.ptr)
    cdef yoke_status status
    with nogil:
        status = yoke_buffer_create_from_host(ptr, kept.view.buf, kept.view.len, &buffer.ptr)
        yoke_device_release(ptr)
    check(status)
    buffer.owner = kept
    return buffer


# ---- Images ----

cdef tuple image_formats = ("", "unorm8", "unorm16", "snorm8", "snorm16", "uint8", "uint16", "uint32", "int8", "int16", "int32",
                            "float16", "float32")


cdef tuple image_addresses = ("clamp", "border", "repeat", "mirror")
cdef tuple image_filters = ("nearest", "linear")


cdef int32_t position_of(word, tuple words, str what) except -1:
    if word not in words or word == "":
        raise ValueError(f"no such {what}: {shown(word)}; there are {', '.join([each for each in words if each])}")
    return words.index(word)


@cython.final
cdef class Image:
    """Image(device, shape=None, format='float32', channels=1, *, address='clamp', filter='nearest', normalized=False)\n--\n\n\
    Texels on a device: a texture and surface in CUDA, an image2d_t or image3d_t with its sampler in OpenCL. Undefined content.

    shape: (rows, columns), or (slices, rows, columns) for three dimensions. format: of a channel; kernels read "unorm8", "unorm16",
    "snorm8", "snorm16", "float16" and "float32" as float, "uint8" to "int32" as they are; a NumPy dtype stands for its name.
    channels: of a texel, 1, 2 or 4.
    address: what is read outside: "clamp" (the edge), "border" (0), and with normalized coordinates "repeat" or "mirror". filter:
    "nearest" or "linear". normalized: coordinates go from 0.0 to 1.0; else texel i is at i + 0.5.

    As the argument of a launch the image is read through its sampler (a sampler_t parameter takes no argument); image.surface is
    written. Copies: stream.write_image, read_image, copy_to_image, copy_from_image. Raises UnsupportedError where the device lacks
    images or the format, RangeError where they are smaller, InvalidArgumentError where the words do not go together.
    """

    def __cinit__(self, Device device not None, shape=None, format="float32", channels=1, *, address="clamp", filter="nearest",
                  normalized=False):
        cdef yoke_image_desc desc
        cdef yoke_device *ptr
        cdef yoke_status status

        self.device, self.shape = device, ()
        if shape is None:  # for view
            return
        shape = tuple([as_size(extent, "an extent of the shape") for extent in shape])
        if not 2 <= len(shape) <= 3 or 0 in shape:
            raise ValueError(f"an image has 2 or 3 dimensions, none of them 0, and not the shape {shown(shape)}")
        memset(&desc, 0, sizeof(desc))
        desc.size = sizeof(desc)
        format = format if isinstance(format, str) else getattr(format, "name", None) or getattr(format, "__name__", format)
        desc.format, desc.channels = position_of(format, image_formats, "format"), channels
        desc.width, desc.height, desc.depth = shape[-1], shape[-2], shape[0] if len(shape) == 3 else 0
        self.sample(&desc.sampler, address, filter, normalized)
        ptr = yoke_device_retain(device.ptr)  # another thread may close the device meanwhile
        with nogil:
            status = yoke_image_create(ptr, &desc, &self.ptr)
            yoke_device_release(ptr)
        check(status)
        self.shape, self.format, self.channels = shape, format, channels

    @cython.embedsignature(False)
    def __init__(self, device, shape=None, format="float32", channels=1, *, address="clamp", filter="nearest", normalized=False):
        if self.ptr == NULL:
            raise TypeError("an image needs a shape: (rows, columns) or (slices, rows, columns)")

    cdef int sample(self, yoke_sampler *sampler, address, filter, normalized) except -1:
        memset(sampler, 0, sizeof(sampler[0]))
        sampler.address = position_of(address, image_addresses, "address")
        sampler.filter = position_of(filter, image_filters, "filter")
        sampler.normalized = bool(normalized)
        self.address, self.filter, self.normalized = address, filter, sampler.normalized
        return 0

    def __dealloc__(self):
        cdef yoke_image *ptr = self.closed if self.ptr == NULL else self.ptr
        if ptr != NULL:
            with nogil:
                yoke_image_release(ptr)

    def close(self):
        """Release the memory; the device may still use it, and is not waited for. A second call does nothing."""
        cdef yoke_image *ptr = self.ptr
        self.ptr = NULL
        if self.users and ptr != NULL:
            self.closed = ptr
        elif ptr != NULL:
            with nogil:
                yoke_image_release(ptr)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def view(self, *, address=None, filter=None, normalized=None):
        """The same texels, read through another sampler; arguments that are None keep their values. The view keeps the memory alive."""
        cdef Image view = Image.__new__(Image, self.device)
        cdef yoke_sampler sampler
        cdef yoke_image *ptr
        cdef yoke_status status

        if self.ptr != NULL:
            view.sample(&sampler, self.address if address is None else address, self.filter if filter is None else filter,
                        self.normalized if normalized is None else normalized)
        ptr = yoke_image_retain(self.ptr)  # another thread may close the image meanwhile
        with nogil:
            status = yoke_image_create_view(ptr, &sampler, &view.ptr)
            yoke_image_release(ptr)
        check(status)
        view.shape, view.format, view.channels = self.shape, self.format, self.channels
        return view

    @property
    def surface(self):
        """The image as an argument that a kernel writes: kernel[n](stream, source, target.surface)."""
        return Surface(self)

    @property
    def nbytes(self):
        """Bytes of all texels, as copies have them."""
        width = 1 if self.format.endswith("8") else 4 if self.format.endswith("32") else 2
        return math.prod(self.shape) * self.channels * width

    def __repr__(self):
        if self.ptr == NULL:
            return "<yoke.Image closed>"
        return f"<yoke.Image {' x '.join([str(each) for each in self.shape])}, {self.channels} {self.format} on " \
               f"{self.device.info.selector}>"


cdef void leave_image(Image image) noexcept:
    """One user less: the last one releases what was closed meanwhile."""
    cdef yoke_image *ptr = image.closed
    image.users -= 1
    if image.users == 0 and ptr != NULL:
        image.closed = NULL
        with nogil:
            yoke_image_release(ptr)


@cython.final
cdef class Surface:
    """Surface(image)\n--\n\n\
    An Image as an argument that a kernel writes: a cudaSurfaceObject_t in CUDA, a write_only image in OpenCL."""

    def __cinit__(self, Image image not None):
        self.image = image

    def __repr__(self):
        return f"<yoke.Surface of {self.image!r}>"


cdef const yoke_region *region_of(yoke_region *out, Image image, offset, shape) except? NULL:
    """The part of an image that begins at `offset`; None: the first texel, and all that follows. NULL for the whole image."""
    if offset is None and shape is None or image.ptr == NULL:
        return NULL
    count = len(image.shape)
    first = [0] * count if offset is None else [as_size(each, "an offset") for each in offset]
    if shape is None:
        extents = [max(0, size - begin) for size, begin in zip(image.shape, first)]
    else:
        extents = [as_size(each, "an extent of the shape") for each in shape]
    if len(first) != count or len(extents) != count:
        raise ValueError(f"offset and shape have {count} numbers for an image of shape {image.shape}")
    if 0 in extents:
        raise RangeError(f"a part of shape {tuple(extents)} at {tuple(first)} of an image of shape {image.shape} has no texels")
    memset(out, 0, sizeof(out[0]))
    out.x, out.y, out.width, out.height = first[-1], first[-2], extents[-1], extents[-2]
    if count == 3:
        out.z, out.depth = first[0], extents[0]
    return out
