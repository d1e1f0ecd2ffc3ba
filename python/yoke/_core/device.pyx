# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Devices: listing them, opening one, what it is and what it can do. A method that makes an object of a module above imports that
# module when it is called. And which file the library writes a trace to: it decides so when the first device is opened.

import atexit
import os

cimport cython
from libc.string cimport memset

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport as_size, c_text, check, shown, text_of
from .dtype cimport dtype_number

from .errors import Error


cdef class MpiRanks:
    """Instead of a selector: the device that is dealt out to this rank of an MPI communicator."""

    def __cinit__(self, size_t mpi):
        self.mpi = mpi


cdef int32_t wait_number(wait) except -1:
    if wait not in ("auto", "spin", "block"):
        raise ValueError(f"wait is 'auto', 'spin' or 'block', not {shown(wait)}")
    return ("auto", "spin", "block").index(wait)


cdef dict native_device(Device device):
    cdef yoke_native_device native
    cdef yoke_device *ptr
    cdef yoke_status status
    memset(&native, 0, sizeof(native))
    native.size = sizeof(native)
    ptr = yoke_device_retain(device.ptr)  # another thread may close the device meanwhile
    with nogil:
        status = yoke_device_get_native(ptr, &native)
        yoke_device_release(ptr)
    check(status)
    return {"context": <uintptr_t>native.context, "device": native.device,
            "platform": <uintptr_t>native.platform if native.platform != NULL else None}


cdef uint64_t NO_LIMIT = <uint64_t>-1
cdef tuple device_kinds = ("", "gpu", "accelerator", "cpu", "emulator")
cdef tuple capability_names = ("fp64", "int64_atomics", "signature", "timing", "exact_fp32", "mapped", "managed",
                               "program_binaries", "spirv", "globals", "cooperative", "graphs", "images")


class DeviceInfo:
    """What a device is, without opening it: selector, backend ("cuda" or "opencl"), name, vendor, platform, driver, pci, uuid,
    index, kind ("gpu", "accelerator", "cpu", "emulator"), capabilities (a frozenset of names), compute_units, memory and
    max_buffer (bytes), max_shared_bytes (of one block), max_grid (blocks), max_block (threads), max_block_threads,
    view_alignment (bytes), compute_capability (of NVIDIA's devices, 90 for 9.0; else 0)."""

    __module__ = "yoke"

    def __repr__(self):
        return f"<yoke.DeviceInfo {self.selector}: {self.name}, {self.memory >> 20} MiB>"


cdef object make_info(yoke_device_info *info):
    result = DeviceInfo()
    result.selector = text_of(info.selector)
    result.backend = text_of(info.backend)
    result.name = text_of(info.name)
    result.vendor = text_of(info.vendor)
    result.platform = text_of(info.platform)
    result.driver = text_of(info.driver)
    result.pci = text_of(info.pci)
    result.uuid = text_of(info.uuid)
    result.index = info.index
    result.kind = device_kinds[info.kind] if 0 < info.kind < 5 else ""
    result.capabilities = frozenset(name for bit, name in enumerate(capability_names) if info.capabilities >> bit & 1)
    result.compute_units = info.compute_units
    result.memory = info.memory
    result.max_buffer = info.max_buffer
    result.max_shared_bytes = info.max_shared_bytes
    result.max_grid = (info.max_grid[0], info.max_grid[1], info.max_grid[2])
    result.max_block = (info.max_block[0], info.max_block[1], info.max_block[2])
    result.max_block_threads = info.max_block_threads
    result.view_alignment = info.view_alignment
    result.compute_capability = info.compute_capability
    return result


def devices():
    """The devices of all backends (or of the one that YOKE_BACKEND names), best first, as a list of DeviceInfo. Opens none, and
    leaves a later fork safe. An empty list: info() says why."""
    cdef yoke_device_info infos[64]
    cdef size_t count = 0
    cdef yoke_status status

    for i in range(64):
        infos[i].size = sizeof(yoke_device_info)
    with nogil:
        status = yoke_device_list(infos, 64, &count)
    check(status)
    return [make_info(&infos[i]) for i in range(min(count, 64))]


version = yoke_version().decode()


def info():
    """A text: the version, the devices and, for each candidate that was rejected, the reason."""
    lines = [f"Yoke {version}"]
    found = devices()
    report = text_of(yoke_device_get_report())
    for device in found:
        lines.append(f"{device.selector:12} {device.name} ({device.kind}, {device.platform}, driver {device.driver}, "
                     f"{device.compute_units} units, {device.memory >> 20} MiB)")
    if not found:
        lines.append("no device")
    return "\n".join(lines + [report.rstrip("\n")])


def libraries():
    """The vendors' libraries that operations use where they are there, a dict by name ("cuBLAS", "cuFFT", "CLBlast") of dicts:
    version, path, and reason, why it cannot be used ("" when it can). Searches for them and opens them; where they are absent,
    operations use Yoke's own kernels."""
    cdef yoke_ops_library library
    cdef size_t index = 0
    cdef yoke_status status
    result = {}

    while True:
        library.size = sizeof(library)
        with nogil:
            status = yoke_ops_get_library(index, &library)
        if status == YOKE_E_RANGE:
            return result
        check(status)
        result[text_of(library.name)] = {"version": text_of(library.version), "path": text_of(library.path),
                                         "reason": text_of(library.reason)}
        index += 1


def cache_info():
    """The cache of compiled programs on disk, a dict: mode ("off", "read", "on"), folder ("" without a cache), limit (bytes),
    reason, why the mode is less than YOKE_CACHE asks for; and since the process began hits and misses of builds, stored and
    rejected (damaged) entries."""
    cdef yoke_cache_info info
    cdef yoke_status status

    info.size = sizeof(info)
    with nogil:
        status = yoke_cache_get_info(&info)
    check(status)
    return {"mode": ("off", "read", "on")[info.mode], "folder": text_of(info.folder), "limit": info.limit,
            "reason": text_of(info.reason), "hits": info.hits, "misses": info.misses, "stored": info.stored,
            "rejected": info.rejected}


@cython.final
cdef class Device:
    """Device(selector=None)\n--\n\n\
    An open device.

    selector: "cuda", "opencl:1", "opencl:gpu", "uuid:…", "pci:…", "name~H200"; None: what YOKE_DEVICE or YOKE_BACKEND order, else
    the best there is. Raises NotFoundError, UnavailableError; InvalidArgumentError for a malformed selector. Streams, buffers and
    programs keep the device alive; `close`, or leaving a with block, gives up this reference.
    """

    def __cinit__(self, selector=None):
        cdef bytes name = None if selector is None else c_text(selector, "selector")
        cdef const char *text = NULL if name is None else <const char *>name
        cdef MpiRanks ranks = selector if isinstance(selector, MpiRanks) else None
        cdef opener open = NULL if ranks is None else ranks.open
        cdef const void *mpi = NULL if ranks is None else <const void *>ranks.mpi
        cdef yoke_status status

        if not searched:
            before_first_device()
        with nogil:
            status = yoke_device_open(text, &self.ptr) if open == NULL else open(mpi, &self.ptr)
        check(status)
        if trace_ours is not None:
            after_first_device()

    def __dealloc__(self):
        cdef yoke_device *ptr = self.ptr
        if ptr != NULL:
            with nogil:
                yoke_device_release(ptr)

    def close(self):
        """Give up the reference. A second call does nothing; any other use of a closed device is InvalidArgumentError, but what
        was made of it goes on, and info stays."""
        cdef yoke_device *ptr
        try:
            self.info  # what lives on asks for it
        except Error:
            pass
        ptr = self.ptr  # only now: another thread may have closed it meanwhile
        self.ptr = NULL
        if ptr != NULL:
            with nogil:
                yoke_device_release(ptr)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    @property
    def info(self):
        """The DeviceInfo of this device."""
        cdef yoke_device_info info
        if self._info is None:
            info.size = sizeof(yoke_device_info)
            check(yoke_device_get_info(self.ptr, &info))
            self._info = make_info(&info)
        return self._info

    @property
    def name(self):
        """The name that the driver reports."""
        return self.info.name

    @property
    def backend(self):
        """"cuda" or "opencl"."""
        return self.info.backend

    def supports(self, capability):
        """Whether the device has a capability, by its name: "fp64", "managed", "cooperative", …"""
        return self.lacks(capability) is None

    def lacks(self, capability):
        """The reason why the device lacks a capability, in words; None when it has it."""
        cdef const char *reason
        if capability not in capability_names:
            raise ValueError(f"no such capability: {shown(capability)}; there are {', '.join(capability_names)}")
        self.info
        reason = yoke_device_lacks(self.ptr, capability_names.index(capability))
        return None if reason == NULL else text_of(reason)

    @property
    def memory(self):
        """The use of the device's memory, a dict in bytes: total, free, in_use, peak (of in_use), cached (released, kept for
        reuse), pinned, pinned_cached, in_use_limit and cached_limit (None: no limit); estimated, whether free is the total without
        what Yoke uses; and buffers, their number."""
        cdef yoke_memory_info info
        cdef yoke_status status
        cdef yoke_device *ptr = yoke_device_retain(self.ptr)  # another thread may close the device meanwhile
        info.size = sizeof(yoke_memory_info)
        with nogil:
            status = yoke_device_get_memory(ptr, &info)
            yoke_device_release(ptr)
        check(status)
        return {"total": info.total, "free": info.free, "in_use": info.in_use, "peak": info.peak, "cached": info.cached,
                "pinned": info.pinned, "pinned_cached": info.pinned_cached,
                "in_use_limit": None if info.in_use_limit == NO_LIMIT else info.in_use_limit,
                "cached_limit": None if info.cached_limit == NO_LIMIT else info.cached_limit,
                "estimated": bool(info.flags & YOKE_MEMORY_INFO_ESTIMATED), "buffers": info.buffers}

    def limit_memory(self, in_use=None, cached=None):
        """Limit the use of the device's memory from now on, in bytes; None: no limit. in_use: an allocation beyond it is
        OutOfDeviceMemoryError. cached: how much released memory is kept for reuse; more than that is freed at once."""
        cdef uint64_t most = NO_LIMIT if in_use is None else as_size(in_use, "in_use")
        cdef uint64_t kept = NO_LIMIT if cached is None else as_size(cached, "cached")
        cdef yoke_status status
        cdef yoke_device *ptr = yoke_device_retain(self.ptr)
        with nogil:
            status = yoke_device_set_memory_limits(ptr, most, kept)
            yoke_device_release(ptr)
        check(status)

    def trim(self, keep=0):
        """Free released memory, all but `keep` bytes of each kind. Does not wait for memory that the device still uses."""
        cdef uint64_t kept = as_size(keep, "keep")
        cdef yoke_status status
        cdef yoke_device *ptr = yoke_device_retain(self.ptr)
        with nogil:
            status = yoke_device_trim_memory(ptr, kept)
            yoke_device_release(ptr)
        check(status)

    def set_wait(self, wait):
        """How the device's streams with wait="auto" wait from now on: "auto", "spin" (the lowest latency, uses a whole core) or
        "block". It goes for default_stream(), too."""
        check(yoke_device_set_wait(self.ptr, wait_number(wait)))

    def prepare(self, *dtypes):
        """Compile what operations on contiguous arrays of these dtypes need, so that their first calls do not. Blocks, for a
        minute perhaps, and other threads run meanwhile; the cache on disk keeps the result. Expressions, operations of mixed
        dtypes and what depends on a size, as fft, are compiled by their first use."""
        cdef int32_t numbers[16]
        cdef size_t count = 0
        cdef yoke_device *ptr
        cdef yoke_status status
        for each in {dtype_number(dtype) for dtype in dtypes}:
            numbers[count] = each
            count += 1
        ptr = yoke_device_retain(self.ptr)  # another thread may close the device meanwhile
        with nogil:
            status = yoke_ops_prepare(ptr, numbers, count)
            yoke_device_release(ptr)
        check(status)

    @property
    def native(self):
        """The driver's handles, a dict of ints: context (a CUcontext, the primary one, or a cl_context), device (a CUdevice or
        cl_device_id), platform (a cl_platform_id; None on CUDA). Valid as long as the device."""
        return native_device(self)

    def wrap(self, native, size, owner=None):
        """A Buffer over `size` bytes of device memory that other code owns: a CUdeviceptr of the device's primary context, or a
        cl_mem of its context, as an int. owner: an object that the Buffer, its views, and launches and copies of them keep alive.
        On CUDA the memory must not be freed before the Buffer is closed and the work that uses it is complete. RangeError: the
        memory is smaller. OpenCL cannot recognize a number that is not a cl_mem: the driver
        crashes."""
        from .memory import wrap_native

        return wrap_native(self, native, size, owner)

    def pin(self, memory):
        """Page-lock host memory, which stays the caller's, so that copies from and to it run at full speed: a pinned Buffer over
        it, which keeps it alive. memory: anything contiguous and writable with the buffer protocol. Wait for those copies before
        the Buffer is closed. InvalidArgumentError: part of it is pinned already."""
        from .memory import pin_memory

        return pin_memory(self, memory)

    def image(self, shape, format="float32", channels=1, **sampler):
        """A new Image of this device."""
        from .memory import Image

        return Image(self, shape, format, channels, **sampler)

    def stream(self, **options):
        """A new Stream of this device."""
        from .stream import Stream

        return Stream(self, **options)

    def buffer(self, size, kind="device"):
        """A new Buffer of `size` bytes."""
        return above.buffer(self, size, kind)

    def pinned(self, shape, dtype="uint8"):
        """Page-locked host memory as a NumPy array, undefined content, for copies at full speed; lives as long as the array."""
        from .memory import host_array

        return host_array(self, shape, dtype, "pinned")

    def managed(self, shape, dtype="uint8"):
        """Managed memory: (Buffer, NumPy array over the same bytes). UnsupportedError where the device lacks it."""
        from .memory import host_array, root_of

        array = host_array(self, shape, dtype, "managed")
        return root_of(array), array

    def build(self, source=None, **texts):
        """Compile a Program: build(Source(…)), build("one text for both languages"), or build(cuda=…, opencl=…)."""
        from .program import Program

        return Program(self, source, **texts)

    def build_async(self, source=None, **texts):
        """As build, for an event loop: program = await device.build_async(…). One of Yoke's threads compiles; cancelling the task
        ends the wait, and not the build."""
        from .. import aio

        return aio.build(self, source, texts)

    def load(self, binary, name=None):
        """A Program from compiled code: bytes of Program.save, PTX, cubin, fatbin, SPIR-V; or a path to a file of them."""
        from .program import load_program

        return load_program(self, binary, name)

    def check_struct(self, source, name, dtype):
        """Check that a structured NumPy dtype has the layout of the struct `name` that the source declares, with a kernel that is
        compiled for it. KernelArgumentError names the first field that differs, with both offsets or sizes."""
        from .program import check_struct

        check_struct(self, source, name, dtype)

    def __repr__(self):
        return "<yoke.Device closed>" if self.ptr == NULL else f"<yoke.Device {self.info.selector}: {self.info.name}>"


# ---- The trace: which file the library writes, and when it does. How it is read is in _trace.py ----

cdef bint searched = False     # a device has been asked for
cdef object trace_name = None  # what YOKE_TRACE was then; None: there is no trace
cdef object trace_ours = None  # the file for temporary use that this package has named in YOKE_TRACE


cdef int before_first_device() except -1:
    global searched, trace_name
    searched, trace_name = True, os.environ.get("YOKE_TRACE") or None
    return 0


def after_first_device():
    """The library has opened the file: the name goes, and with it the order, which child processes would follow. At the
    interpreter's end, too, for a trace without a device."""
    global trace_ours
    if trace_ours is not None:
        name, trace_ours = trace_ours, None
        if os.environ.get("YOKE_TRACE") == name:
            del os.environ["YOKE_TRACE"]
        try:
            os.unlink(name)
        except OSError:
            pass


def order_trace():
    """Have the library write a trace, from the first device on. RuntimeError: it is too late."""
    global trace_ours
    if searched:
        if trace_name is None:
            raise RuntimeError("the trace begins with the first device, and this process has opened one without: start the trace "
                               "before, set YOKE_TRACE to a file, or run python -m yoke trace PROGRAM")
    elif not os.environ.get("YOKE_TRACE"):
        import tempfile

        descriptor, trace_ours = tempfile.mkstemp(prefix="yoke-trace-", suffix=".json")
        os.close(descriptor)
        os.environ["YOKE_TRACE"] = trace_ours
        atexit.register(after_first_device)


def ordered_trace():
    """The name in YOKE_TRACE when the first device was opened; None: there is no trace, or no device yet."""
    return trace_name
