# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Buffers: device, pinned, mapped and managed memory; and host memory that copies still use.

import math

cimport cython
from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_ND, PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.string cimport strchr

from .c_yoke cimport *
from .errors cimport as_size, check, shown, text_of
from .dtype cimport extents_of
from .device cimport Device


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

    def __repr__(self):
        if self.ptr == NULL:
            return "<yoke.Buffer closed>"
        return f"<yoke.Buffer {self.size} bytes of {self.kind} memory on {self.device.info.selector}>"


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
