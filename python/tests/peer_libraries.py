# SPDX-License-Identifier: Apache-2.0
"""CuPy, PyTorch, Numba and JAX, each as the same few functions, for test_peers.py; see peer_driver.py."""

import contextlib
import os

import numpy
import pytest
from peer_driver import CudaDriver, Library, SilentDriver

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take most of the memory


class CuPy(Library):
    lacks = frozenset({"bfloat16"})
    waiting = frozenset({"interface"})

    def __init__(self, device):
        import cupy

        if not cupy.cuda.is_available():
            pytest.skip("CuPy finds no GPU")
        self.cupy = cupy

    @contextlib.contextmanager
    def on(self, kind):
        streams = self.cupy.cuda.Stream
        with {"own": lambda: streams(non_blocking=True), "legacy": lambda: streams.null, "thread": lambda: streams.ptds}[kind]():
            yield self.cupy.cuda.get_current_stream().ptr or 1

    def array(self, values):
        return self.cupy.array(values)

    def numpy(self, x):
        return self.cupy.asnumpy(x)

    def address(self, x):
        return x.data.ptr

    def fill(self, x, value):
        x.fill(value)

    def copied(self, x):
        return x + 0

    def part(self, x):
        return x[1:, ::2]

    def from_dlpack(self, array):
        return self.cupy.from_dlpack(array)

    def from_interface(self, interface):
        return self.cupy.asarray(interface)

    def external(self, number):
        return self.cupy.cuda.ExternalStream(number)


class PyTorch(Library):
    deaf = frozenset({"interface"})

    def __init__(self, device):
        import torch

        if not torch.cuda.is_available():
            pytest.skip("PyTorch finds no GPU")
        self.torch = torch

    @contextlib.contextmanager
    def on(self, kind):
        cuda = self.torch.cuda
        stream = {"own": cuda.Stream, "legacy": cuda.default_stream, "thread": lambda: cuda.ExternalStream(2)}[kind]()
        with cuda.stream(stream):
            yield stream.cuda_stream or 1

    def array(self, values):
        return self.torch.from_numpy(numpy.array(values)).cuda()

    def numpy(self, x):
        return x.cpu().numpy()

    def address(self, x):
        return x.data_ptr()

    def fill(self, x, value):
        x.fill_(value)

    def copied(self, x):
        return x + 0

    def part(self, x):
        return x[1:, ::2]

    def from_dlpack(self, array):
        return self.torch.from_dlpack(array)

    def from_interface(self, interface):
        return self.torch.as_tensor(interface, device="cuda")

    def external(self, number):
        return self.torch.cuda.stream(self.torch.cuda.ExternalStream(number))


class Numba(Library):
    ways = ("interface",)
    lacks = frozenset({"bfloat16"})
    waiting = frozenset({"interface"})

    def __init__(self, device):
        from numba import cuda

        if not cuda.is_available():
            pytest.skip("Numba finds no GPU")
        self.cuda, self.stream = cuda, cuda.legacy_default_stream()

        @cuda.jit
        def fill(x, value):
            i = cuda.grid(1)
            if i < x.size:
                x[i] = value

        @cuda.jit
        def copy(out, x):
            i = cuda.grid(1)
            if i < x.size:
                out[i] = x[i]

        self.kernels = {"fill": fill, "copy": copy}

    @contextlib.contextmanager
    def on(self, kind):
        cuda = self.cuda
        with self.external({"own": cuda.stream, "legacy": cuda.legacy_default_stream,
                            "thread": cuda.per_thread_default_stream}[kind]()):
            yield {"own": int(self.stream), "legacy": 1, "thread": 2}[kind]

    def launch(self, name, x, other):
        self.kernels[name][(x.size + 255) // 256, 256, self.stream](x, other)

    def array(self, values):
        x = self.cuda.to_device(values, stream=self.stream)
        self.stream.synchronize()
        return x

    def numpy(self, x):
        out = x.copy_to_host(stream=self.stream)
        self.stream.synchronize()
        return out

    def address(self, x):
        return x.__cuda_array_interface__["data"][0]

    def fill(self, x, value):
        self.launch("fill", x.ravel() if x.ndim > 1 else x, numpy.float32(value))

    def copied(self, x):
        out = self.cuda.device_array(x.shape, x.dtype, stream=self.stream)
        self.launch("copy", out, x)
        return out

    def part(self, x):
        return x[1:, ::2]

    def from_interface(self, interface):
        return self.cuda.as_cuda_array(interface)

    @contextlib.contextmanager
    def external(self, stream):
        stream = self.cuda.external_stream(stream) if isinstance(stream, int) else stream
        self.stream, before = stream, self.stream
        try:
            yield
        finally:
            self.stream = before


class Jax(Library):
    """Its arrays do not change, and its streams are hidden."""

    ways = ("dlpack",)
    kinds = ()
    waiting = frozenset({"dlpack"})
    writes = strides = False

    def __init__(self, device):
        import jax

        try:
            jax.devices("gpu")
        except RuntimeError as error:
            pytest.skip(f"JAX finds no GPU: {error}")
        jax.config.update("jax_enable_x64", True)
        self.jax = jax

    def on(self, kind):
        return contextlib.nullcontext(None)

    def array(self, values):
        return self.jax.numpy.array(values).block_until_ready()

    def numpy(self, x):
        return numpy.array(self.jax.numpy.copy(x))  # a new one: it remembers the values that it has once shown

    def address(self, x):
        return x.unsafe_buffer_pointer()

    def copied(self, x):
        return self.jax.numpy.copy(x)

    def from_dlpack(self, array):
        return self.jax.dlpack.from_dlpack(array)


LIBRARIES = {"driver": CudaDriver, "silent": SilentDriver, "cupy": CuPy, "torch": PyTorch, "numba": Numba, "jax": Jax}


def open_library(name, device):
    """One of LIBRARIES; where it is absent, finds no GPU or does not work without Yoke, the test is skipped and says why."""
    try:
        library = LIBRARIES[name](device)
        with library.on("own"):
            x = library.array(numpy.zeros(3, "float32"))
            if library.writes:
                library.fill(x, 1)
            library.numpy(x)
    except ImportError as error:
        pytest.skip(f"{name} is not here: {error}")
    except Exception as error:
        pytest.skip(f"{name} does not work here: {error!r}")
    return library
