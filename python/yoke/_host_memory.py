# SPDX-License-Identifier: Apache-2.0
"""Memory that is the host's and a device's at once: PoCL computes in the host's memory, so that arrays of NumPy and of Yoke need no
copy to be each other's. OpenCL's functions are those of the library that Yoke has loaded; the handles are those of native().

A pointer that OpenCL maps is only promised until it is unmapped. PoCL's is the buffer's one address, on a CPU, and stays it; of
other drivers nobody knows, and theirs is copied."""

import ctypes
import functools
import os
from typing import Any

ALIGNMENT = 128  # bytes: of OpenCL's largest type, which kernels may suppose at the start of a buffer


@functools.cache
def _opencl() -> Any:
    """The library, or None where none is loaded by this name."""
    try:
        library = ctypes.CDLL("libOpenCL.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        pointer, number, code = ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_int32)
        library.clCreateBuffer.argtypes = [pointer, ctypes.c_uint64, number, pointer, code]
        library.clReleaseMemObject.argtypes = [pointer]
        library.clEnqueueMapBuffer.argtypes = [pointer, pointer, ctypes.c_uint32, ctypes.c_uint64, number, number, ctypes.c_uint32,
                                               pointer, pointer, code]
        library.clEnqueueUnmapMemObject.argtypes = [pointer, pointer, pointer, ctypes.c_uint32, pointer, pointer]
        library.clCreateBuffer.restype = library.clEnqueueMapBuffer.restype = pointer
        return library
    except (OSError, AttributeError):
        return None


def is_shared(device: Any) -> bool:
    """Whether the device's memory is the host's."""
    info = device.info
    return bool(info.kind == "cpu") and info.platform == "Portable Computing Language" and _opencl() is not None


def address_of(stream: Any, memory: int) -> int | None:
    """Where a cl_mem begins, or None; waits for the stream."""
    library, code = _opencl(), ctypes.c_int32(0)
    with stream.native() as queue:
        address = library.clEnqueueMapBuffer(queue, memory, 0, 3, 0, 1, 0, None, None, ctypes.byref(code))  # to read and write
        if code.value == 0:
            library.clEnqueueUnmapMemObject(queue, memory, address, 0, None, None)
    stream.wait()
    return address if code.value == 0 else None


def memory_over(device: Any, address: int, size: int) -> int:
    """A cl_mem over memory of the host, or 0; release() gives it back."""
    code = ctypes.c_int32(0)
    memory = _opencl().clCreateBuffer(device.native["context"], 1 << 3 | 1, size, address, ctypes.byref(code))
    return memory if code.value == 0 and memory else 0


def release(memory: int) -> None:
    """Give a reference of a cl_mem back."""
    _opencl().clReleaseMemObject(memory)
