# SPDX-License-Identifier: Apache-2.0
"""For test_peers.py: calls of CUDA's driver, a gate in a stream, and what a library of arrays can be asked for; and "driver", such
a library by the driver's calls alone, so that the tests run on the CUDA double too.

A stream is known by its kind: "own" (the library made it), "legacy" (CUDA's default stream), "thread" (that of this thread); and
by its number, a CUstream as DLPack has it. Whatever a library does, it does in the stream of `with library.on(kind) as number`.
"""

import contextlib
import ctypes
import time

import numpy
import pytest

import yoke

KINDS = ("own", "legacy", "thread")


class Driver:
    """Calls of CUDA's driver in the device's context."""

    def __init__(self, device):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.context = ctypes.c_void_p(device.native["context"])

    def result(self, name, *arguments):
        assert self.library.cuCtxPushCurrent_v2(self.context) == 0
        try:
            return getattr(self.library, name)(*arguments)
        finally:
            self.library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))

    def call(self, name, *arguments):
        code = self.result(name, *arguments)
        assert code == 0, f"{name}: {code}"

    def pending(self, number):
        return self.result("cuStreamQuery", ctypes.c_void_p(number)) != 0

    def wait(self, number):
        self.call("cuStreamSynchronize", ctypes.c_void_p(number))

    def join(self, behind, before):
        """The stream of the number `behind` waits for what the other one has now."""
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), 2)
        self.call("cuEventRecord", event, ctypes.c_void_p(before))
        self.call("cuStreamWaitEvent", ctypes.c_void_p(behind), event, 0)
        self.call("cuEventDestroy_v2", event)


class Timer:
    """The C library calls one of its functions after a time: also while something holds Python's lock and waits."""

    class Notice(ctypes.Structure):  # sigevent
        _fields_ = [("argument", ctypes.c_void_p), ("signal", ctypes.c_int), ("kind", ctypes.c_int),
                    ("function", ctypes.c_void_p), ("rest", ctypes.c_void_p * 5)]

    IN_A_THREAD = 2  # SIGEV_THREAD
    MONOTONIC = 1

    def __init__(self, seconds, function, argument):
        whole = int(seconds)
        notice = self.Notice(argument, 0, self.IN_A_THREAD, ctypes.cast(function, ctypes.c_void_p))
        when = (ctypes.c_long * 4)(0, 0, whole, int((seconds - whole) * 1e9))
        self.process, self.number = ctypes.CDLL(None), ctypes.c_void_p()
        assert self.process.timer_create(self.MONOTONIC, ctypes.byref(notice), ctypes.byref(self.number)) == 0
        assert self.process.timer_settime(self.number, 0, when, None) == 0

    def cancel(self):
        self.process.timer_delete(self.number)


class Gate:
    """A place in a CUDA stream that its work does not pass before open(). It opens by itself after a time, and is `late` then:
    something on the host has waited for work behind it."""

    SECONDS = 60
    OR_MORE = 0  # CU_STREAM_WAIT_VALUE_GEQ

    def __init__(self, device, driver):
        self.driver = driver
        self.flag = device.pinned(16, "uint32")
        self.process = ctypes.CDLL(None)
        self.semaphore = (ctypes.c_byte * 64)()
        self.timers, self.closed_at, self.opened_at = [], None, None
        self.flag[:] = 0
        self.process.sem_init(self.semaphore, 0, 0)

    def close(self, number):
        stream = ctypes.c_void_p(number)
        self.closed_at = time.monotonic()
        self.open_after(self.SECONDS)
        # The device looks at the flag; a driver that cannot do that waits in a function, which knows nothing of Python's lock.
        if hasattr(self.driver.library, "cuStreamWaitValue32_v2") and self.driver.result(
                "cuStreamWaitValue32_v2", stream, ctypes.c_uint64(self.flag.ctypes.data), ctypes.c_uint32(1), self.OR_MORE) == 0:
            return
        self.driver.call("cuLaunchHostFunc", stream, ctypes.cast(self.process.sem_wait, ctypes.c_void_p), self.semaphore)

    @property
    def late(self):
        return self.closed_at is not None and (self.opened_at or time.monotonic()) - self.closed_at >= self.SECONDS

    def open_after(self, seconds):
        self.timers.append(Timer(seconds, self.process.time, self.flag.ctypes.data))  # time(address) stores a number there
        self.timers.append(Timer(seconds, self.process.sem_post, ctypes.addressof(self.semaphore)))

    def open(self):
        self.opened_at = time.monotonic()
        while self.timers:
            self.timers.pop().cancel()
        self.flag[:] = 1
        self.process.sem_post(self.semaphore)

    def open_soon(self):
        self.open_after(0.05)


class Interface:
    """An array's __cuda_array_interface__ and nothing else of it."""

    def __init__(self, array, **changes):
        self.array, self.changes = array, changes

    @property
    def __cuda_array_interface__(self):
        return {**self.array.__cuda_array_interface__, **self.changes}


class Library:
    """What a test may ask. lacks: dtypes; waiting: the ways in which its own import waits on the host; deaf: those in which its
    own import looks at no stream, so that only its default stream is in order."""

    ways = ("dlpack", "interface")
    kinds = KINDS
    lacks: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()
    deaf: frozenset[str] = frozenset()
    writes = strides = True
    external = None

    def take(self, array, way):
        """Yoke's array as one of the library."""
        return self.from_dlpack(array) if way == "dlpack" else self.from_interface(Interface(array))


class CudaDriver(Library):
    lacks = frozenset({"bfloat16"})

    class Array:
        def __init__(self, library, pointer, like, owner):
            self.library, self.pointer, self.owner = library, pointer, owner
            self.shape, self.dtype = like.shape, like.dtype
            self.strides = like.strides

        @property
        def __cuda_array_interface__(self):
            return {"version": 3, "shape": self.shape, "typestr": self.dtype.str, "strides": self.strides,
                    "data": (self.pointer, False), "stream": self.library.number}

        def __dlpack_device__(self):
            return self.owner.__dlpack_device__()

        def __dlpack__(self, stream=None, **options):
            if stream is not None:
                self.library.driver.join(stream, self.library.number)
            return self.owner.__dlpack__(stream=-1)

    def __init__(self, device):
        if device.backend != "cuda":
            pytest.skip("for CUDA")
        self.driver, self.side = Driver(device), device.stream()
        self.number = 1

    @contextlib.contextmanager
    def on(self, kind):
        stream = ctypes.c_void_p({"own": None, "legacy": 1, "thread": 2}[kind])
        if kind == "own":
            self.driver.call("cuStreamCreate", ctypes.byref(stream), 1)
        elif self.driver.result("cuStreamSynchronize", stream) == 801:
            pytest.skip("the driver does no work in its default streams")
        with self.external(stream.value):
            yield stream.value
        if kind == "own":
            self.driver.call("cuStreamDestroy_v2", stream)

    def wrap(self, memory):
        self.side.wait()
        return self.Array(self, memory.__cuda_array_interface__["data"][0], memory, memory)

    def array(self, values):
        return self.wrap(yoke.asarray(values, stream=self.side))

    def numpy(self, x):
        span = x.dtype.itemsize + sum((n - 1) * s for n, s in zip(x.shape, x.strides)) if 0 not in x.shape else 0
        memory = (ctypes.c_byte * max(1, span))()
        self.driver.wait(self.number)
        if span:
            self.driver.call("cuMemcpyDtoH_v2", memory, ctypes.c_uint64(x.pointer), ctypes.c_size_t(span))
        return numpy.ndarray(x.shape, x.dtype, memory, 0, x.strides).copy()

    def address(self, x):
        return x.pointer

    def fill(self, x, value):
        bits = int(numpy.asarray(value, x.dtype).view("u4"))
        self.driver.call("cuMemsetD32Async", ctypes.c_uint64(x.pointer), ctypes.c_uint(bits),
                         ctypes.c_size_t(int(numpy.prod(x.shape))), ctypes.c_void_p(self.number))

    def copied(self, x):
        out = self.wrap(yoke.empty(x.shape, dtype=x.dtype, stream=self.side))
        self.driver.call("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(out.pointer), ctypes.c_uint64(x.pointer),
                         ctypes.c_size_t(x.dtype.itemsize * int(numpy.prod(x.shape))), ctypes.c_void_p(self.number))
        return out

    def part(self, x):
        return self.wrap(x.owner[1:, ::2])

    def from_dlpack(self, array):
        capsule = array.__dlpack__(stream=self.number)
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        tensor = get(capsule, b"dltensor")
        first = ctypes.c_void_p.from_address(tensor).value or 0
        offset = ctypes.c_uint64.from_address(tensor + 40).value  # behind data, device, ndim, dtype, shape, strides
        return self.Array(self, first + offset, array, capsule)

    def from_interface(self, interface):
        found = interface.__cuda_array_interface__
        if found["stream"] is not None:
            self.driver.join(self.number, found["stream"])
        return self.Array(self, found["data"][0], interface.array, interface)

    @contextlib.contextmanager
    def external(self, number):
        self.number, before = number, self.number
        try:
            yield
        finally:
            self.number = before


class SilentDriver(CudaDriver):
    """As PyTorch: its interface is of version 2, and so names no stream; DLPack has it."""

    ways = ("dlpack",)

    class Array(CudaDriver.Array):
        @property
        def __cuda_array_interface__(self):
            found = super().__cuda_array_interface__
            del found["stream"]
            return {**found, "version": 2}
