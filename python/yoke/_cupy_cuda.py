# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""CuPy's module `cuda` over Yoke: streams, events, the device, pools of memory, and a little of the runtime."""

import contextvars as _contextvars
import sys as _sys
import time as _time
import weakref as _weakref

from . import _core

_streams = _weakref.WeakSet()


def _default():
    """The stream below all `with`."""
    return _contextvars.Context().run(_core.default_stream)


class Stream:
    """A stream: `with stream:` and stream.use() make it the current one. Arrays of other streams are waited for by the work that
    uses them, as if all streams were blocking ones; null is the default stream."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        if ptds:
            raise TypeError("Stream: ptds=True is not there: each thread has the streams that it makes")
        if priority:
            raise TypeError("Stream: priority is not there: device.stream(priority=…) of yoke has it")
        self.non_blocking = bool(non_blocking)  # streams that share arrays are ordered by these alone, in any case
        self._own = None if null else _core.default_stream().device.stream(timed=True)
        if not null:
            _streams.add(self)

    @property
    def stream(self):
        """The yoke.Stream."""
        return _default() if self._own is None else self._own

    @property
    def done(self):
        return self.stream.event().query()

    def __enter__(self):
        self.stream.__enter__()
        return self

    def __exit__(self, *exception):
        """The work goes on; the stream itself stays open, other than with yoke's own."""
        self.stream.__exit__(Stream, None, None)  # as after an exception: it does not wait

    def use(self):
        """Make it the current stream of this thread."""
        self.stream.__enter__()
        return self

    def synchronize(self):
        """Wait for the work; null waits for all streams that were made here, as CUDA's legacy default stream does."""
        self.stream.wait()
        if self._own is None:
            for each in list(_streams):
                each.stream.wait()

    def record(self, event=None):
        """An event at the end of the work so far."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        """The work from now on waits for the event."""
        self.stream.wait_for(event._recorded())

    def launch_host_func(self, callback, arg):
        """callback(arg) in the stream's order."""
        self.stream.call(callback, arg)

    def add_callback(self, callback, arg):
        """callback(stream, 0, arg) in the stream's order."""
        self.stream.call(callback, self, 0, arg)

    def __eq__(self, other):
        return isinstance(other, Stream) and self.stream is other.stream

    def __hash__(self):
        return hash(self.stream)

    def __repr__(self):
        return f"<Stream of {self.stream!r}>"


def _of(stream):
    """The yoke.Stream of what CuPy's functions take."""
    return _core.default_stream() if stream is None else getattr(stream, "stream", stream)


def get_current_stream(device_id=None):
    """The stream of `with stream:` or use(), or null."""
    _known(device_id)
    current = _core.default_stream()
    for each in list(_streams):
        if each.stream is current:
            return each
    return Stream.null


class Event:
    """A place in a stream. Times are the device's in streams made here, and the host's, in the stream's order, in null."""

    def __init__(self, block=True, disable_timing=False, interprocess=False):
        if interprocess:
            raise TypeError("Event: interprocess=True is not there")
        self.block, self.disable_timing, self._event, self._time, self._timed = block, disable_timing, None, None, False

    def _recorded(self):
        if self._event is None:
            raise RuntimeError("the event has not been recorded: event.record(stream)")
        return self._event

    def _stamp(self):
        self._time = _time.perf_counter()

    def record(self, stream=None):
        """Record it at the end of the work so far."""
        own = _of(stream)
        self._time, self._timed = None, False
        if not self.disable_timing:
            own.call(self._stamp)
            self._timed = any(each._own is own for each in list(_streams))
        self._event = own.event(timed=self._timed)

    @property
    def done(self):
        return self._recorded().query()

    def synchronize(self):
        """Wait for the work before it."""
        self._recorded().wait()


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events, which are complete."""
    for each in (start_event, end_event):
        if each.disable_timing:
            raise RuntimeError("the event has no time: it was made with disable_timing=True")
        each.synchronize()
    if start_event._timed and end_event._timed:
        return end_event._recorded().elapsed(start_event._recorded()) * 1e3
    return (end_event._time - start_event._time) * 1e3


# ---- Devices ----


def _ids():
    return [info.selector for info in _core.devices() if info.backend == _default().device.backend]


def _known(number):
    """The number of the device that arrays are made on; others are refused."""
    here = _ids().index(_default().device.info.selector)
    if number is not None and number != here:
        raise ValueError(f"the device is {here}, and not {_core.shown(number)}: YOKE_DEVICE chooses it for a process, and arrays "
                         "of yoke take device=")
    return here


class Device:
    """The device that arrays are made on; `with Device(0):` checks that it is the one."""

    def __init__(self, device=None):
        self.id = _known(device.id if isinstance(device, Device) else device)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def use(self):
        return self

    def synchronize(self):
        """Wait for all streams."""
        Stream.null.synchronize()

    @property
    def mem_info(self):
        """Bytes that are free, and all."""
        memory = _default().device.memory
        return memory["free"], memory["total"]

    @property
    def pci_bus_id(self):
        return _default().device.info.pci

    @property
    def compute_capability(self):
        raise AttributeError("a device has no compute_capability: devices of OpenCL have none; yoke.Device.info has what there is")

    def __int__(self):
        return self.id

    def __eq__(self, other):
        return int(self) == other if isinstance(other, int) else isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<CUDA Device {self.id}>"


def get_device_id():
    """The number of the device."""
    return _known(None)


def is_available():
    """Whether there is a device."""
    return bool(_core.devices())


# ---- Memory ----


class MemoryPool:
    """The device's memory, which Yoke keeps for reuse itself."""

    def used_bytes(self):
        return _default().device.memory["in_use"]

    def free_bytes(self):
        return _default().device.memory["cached"]

    def total_bytes(self):
        return self.used_bytes() + self.free_bytes()

    def free_all_blocks(self, stream=None):
        """Give memory that no array uses back to the driver: that of all streams, in any case."""
        _default().device.trim()

    def set_limit(self, size=None, fraction=None):
        """The largest number of bytes in use."""
        if (size is None) == (fraction is None):
            raise ValueError("set_limit takes size or fraction")
        device = _default().device
        device.limit_memory(in_use=size if fraction is None else int(fraction * device.memory["total"]))

    def get_limit(self):
        return _default().device.memory["in_use_limit"]

    malloc = None  # for set_allocator, which takes the pool's


class PinnedMemoryPool:
    """Page-locked memory, which Yoke keeps for reuse itself."""

    malloc = None

    def free_all_blocks(self):
        _default().device.trim()


def set_allocator(allocator=None):
    """Yoke's own pool is used in any case: None, or the malloc of a pool, is taken."""
    if allocator is not None:
        raise TypeError("set_allocator takes the malloc of a MemoryPool: an allocator of one's own is not there")


set_pinned_memory_allocator = set_allocator


def alloc_pinned_memory(size):
    """Bytes of page-locked memory, with the buffer protocol."""
    return _default().device.buffer(size, "pinned")


# ---- The runtime, a little ----


class _Runtime:
    """What programs ask of CUDA's runtime."""

    is_hip = False
    __name__ = "cuda.runtime"

    def getDeviceCount(self):
        return len(_ids())

    def getDevice(self):
        return _known(None)

    def setDevice(self, device):
        _known(device)

    def deviceSynchronize(self):
        Stream.null.synchronize()

    def memGetInfo(self):
        return Device().mem_info

    def getDeviceProperties(self, device):
        _known(device)
        info = _default().device.info
        return {"name": info.name.encode(), "totalGlobalMem": info.memory, "multiProcessorCount": info.compute_units,
                "maxThreadsPerBlock": info.max_block_threads, "sharedMemPerBlock": info.max_shared_bytes,
                "maxThreadsDim": tuple(info.max_block), "maxGridSize": tuple(info.max_grid)}

    def __getattr__(self, name):
        raise AttributeError(f"cuda.runtime has no {name} here: {', '.join(n for n in dir(type(self)) if n[0] != '_')} are there",
                             name=name)


runtime = _Runtime()
Stream.null = Stream(null=True)
stream = _sys.modules[__name__]

_NOT_HERE = {
    "memory": "arrays have their memory, and get_default_memory_pool() tells how much", "nvtx": "yoke.Trace shows what streams did",
    "profiler": "yoke.Trace shows what streams did", "cublas": "a @ b uses cuBLAS where it is",
    "nccl": "yoke.comm is for many processes",
    "Graph": "stream.record() of yoke records a graph", "MemoryPointer": "yoke.Device.wrap takes memory of other libraries",
    "ExternalStream": "yoke's stream.wait_for_native and native() are for queues of other libraries",
    "texture": "yoke.Image is read through a sampler", "driver": "yoke.Device.info has what the driver tells",
}


def __getattr__(name):
    hint = _NOT_HERE.get(name)
    raise AttributeError(f"yoke.cupy_like's cuda has no {name}" + (f": {hint}" if hint else ""), name=name)
