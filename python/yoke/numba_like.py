# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Numba's names for CUDA, over Yoke: a program that says `from numba import cuda` says `from yoke.numba_like import cuda`, and runs
on CUDA and on OpenCL. doc/from-numba.md has what there is and what differs.

    from yoke.numba_like import cuda

    @cuda.jit
    def scale(x, a):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= a

    scale[4, 256](numpy_array, 2.0)      # copied to the device and back, as Numba does
"""

import ast as _ast
import contextlib as _contextlib
import functools as _functools
import math as _math
import sys as _sys
import types as _types
import weakref as _weakref

import numpy as _numpy

from . import _core
from . import _numba_atomics as _atomics
from . import _numba_capture as _capture
from . import _numba_device as _devices
from . import _numba_hints as _hints
from . import _numba_words as _words
from .kernels import device as _device
from .kernels.launch import DeviceFunction as _DeviceFunction
from .kernels.simulate import Simulation as _Simulation

# ---- What kernels call: the translator knows these objects ----

grid, gridsize, syncthreads = _device.grid, _device.gridsize, _device.barrier
threadIdx, blockIdx, blockDim, gridDim = _device.thread, _device.block, _device.block_size, _device.grid_size
atomic = _atomics.atomic
shared, local = _types.SimpleNamespace(array=_device.shared), _types.SimpleNamespace(array=_device.local)
const = _types.SimpleNamespace(array_like=_capture.array_like)
cg = _types.SimpleNamespace(this_grid=_device.grid_barrier)  # whose sync() the kernel calls

popc, brev, clz, ffs = _words.popc, _words.brev, _words.clz, _words.ffs
fma, cbrt, selp = _words.fma, _words.cbrt, _words.selp
shfl_sync, shfl_xor_sync = _words.shfl_sync, _words.shfl_xor_sync
shfl_down_sync, shfl_up_sync = _words.shfl_down_sync, _words.shfl_up_sync
ballot_sync, all_sync, any_sync, eq_sync = _words.ballot_sync, _words.all_sync, _words.any_sync, _words.eq_sync
syncwarp, match_any_sync, lanemask_lt = _words.syncwarp, _words.match_any_sync, _words.lanemask_lt
laneid, warpsize = _words.laneid, _words.warpsize

# ---- Types and signatures ----


class _Type:
    """A type of Numba's: float32(x) converts, float32[:] is an array, float32(float32, int32) a signature."""

    def __init__(self, name):
        self.name = name

    def __call__(self, *args):
        if len(args) == 1 and not isinstance(args[0], (_Type, _ArrayType)):
            return _numpy.dtype(self.name).type(args[0])
        return _Signature(self, args)

    def __getitem__(self, key):
        return _ArrayType(self, len(key) if isinstance(key, tuple) else 1)

    def __repr__(self):
        return self.name


class _ArrayType:
    """An array of a dtype and a number of dimensions. Its layout is not demanded: a kernel takes arrays of any strides."""

    def __init__(self, dtype, ndim):
        self.dtype, self.ndim = dtype, ndim

    def __repr__(self):
        return f"{self.dtype}[{', '.join(':' * self.ndim)}]"


class _Signature:
    def __init__(self, result, args):
        self.result, self.args = result, tuple(args)
        for each in self.args:
            if not isinstance(each, (_Type, _ArrayType)) or each is void:
                raise TypeError(f"a signature is of types, as void(float32[:], int32), and {each!r} is none")


void = _Type("void")
boolean = bool_ = _Type("bool")
int8, int16, int32, int64 = map(_Type, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(_Type, ("uint8", "uint16", "uint32", "uint64"))
float32, float64, complex64, complex128 = map(_Type, ("float32", "float64", "complex64", "complex128"))
int_ = intp = int64
uint = uintp = uint64
_NAMES = {each.name: each for each in (void, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, complex64,
                                       complex128)}
_NAMES.update(boolean=boolean, bool_=boolean, int_=int64, intp=int64, uint=uint64, uintp=uint64, f4=float32, f8=float64, i4=int32,
              i8=int64, u4=uint32, u8=uint64, b1=boolean, c8=complex64, c16=complex128)


class _Namespace(_types.SimpleNamespace):
    def __getattr__(self, name):
        raise AttributeError(f"types has no {name}: " + (
            "a kernel takes arrays, which OpenCL has instead of pointers: write uint8[:], and pass the array" if name == "CPointer"
            else f"there are {', '.join(_NAMES)}"), name=name)


types = _Namespace(**_NAMES)


def _signature(given):
    """void(float32[:]), a string of it, or a tuple of the arguments' types."""
    if isinstance(given, str):
        text = given
        try:
            given = eval(text, {"__builtins__": {}}, _NAMES)
        except Exception:
            raise TypeError(f"the signature {text!r} has no meaning: write void(float32[:], int32), with the types "
                            f"{', '.join(_NAMES)}") from None
    if isinstance(given, (_Type, _ArrayType)):
        given = (given,)
    return _Signature(None, given) if isinstance(given, (tuple, list)) else given


def _annotated(function, signature):
    """The same function with the types of a signature."""
    names = function.__code__.co_varnames[:function.__code__.co_argcount]
    if len(names) != len(signature.args):
        raise TypeError(f"{function.__name__} takes {len(names)} arguments, and its signature has {len(signature.args)}")
    copy = _types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__,
                               function.__closure__)
    _functools.update_wrapper(copy, function)
    del copy.__wrapped__
    copy.__annotations__ = {name: _core.Array[each.dtype.name] if isinstance(each, _ArrayType) else each.name
                            for name, each in zip(names, signature.args)}
    if signature.result not in (None, void):
        copy.__annotations__["return"] = signature.result.name
    return copy


# ---- Streams and events ----

_streams = _weakref.WeakSet()


class Stream:
    """A stream; 0 stands for the default one."""

    def __init__(self, stream):
        self.stream = stream

    def synchronize(self):
        """Wait for all work of the stream."""
        self.stream.wait()

    @_contextlib.contextmanager
    def auto_synchronize(self):
        """Wait for the stream at the end of the with statement."""
        yield self
        self.synchronize()


def _stream_of(stream):
    return _core.default_stream() if stream is None or type(stream) is int and stream == 0 else getattr(stream, "stream", stream)


def stream():
    """A new stream."""
    own = Stream(_core.default_stream().device.stream(timed=True))
    _streams.add(own)
    return own


def default_stream():
    """The stream that 0 stands for."""
    return Stream(_core.default_stream())


def synchronize():
    """Wait for the default stream and those of cuda.stream()."""
    for each in [default_stream(), *_streams]:
        each.synchronize()


class Event:
    """A place in a stream."""

    def __init__(self, timing):
        self.timing, self.timed, self.event = timing, False, None

    def _recorded(self):
        if self.event is None:
            raise RuntimeError("the event has not been recorded: event.record(stream)")
        return self.event

    def record(self, stream=0):
        own = _stream_of(stream)
        self.timed = self.timing and own is not _core.default_stream()
        self.event = own.event(timed=self.timed)

    def synchronize(self):
        self._recorded().wait()

    def query(self):
        return self._recorded().query()

    def wait(self, stream=0):
        """The stream's work from now on waits for the event."""
        _stream_of(stream).wait_for(self._recorded())

    def elapsed_time(self, evtend):
        """Milliseconds from this event to a later one."""
        if not (self.timed and evtend.timed):
            raise RuntimeError("the event has no time: record events that are made with timing=True in a stream of cuda.stream(), "
                               "since the default stream keeps no times")
        return evtend._recorded().elapsed(self._recorded()) * 1e3


def event(timing=True):
    """An event that can be recorded; timing: elapsed_time is asked of it."""
    return Event(timing)


def event_elapsed_time(evtstart, evtend):
    """Milliseconds between two events."""
    return evtstart.elapsed_time(evtend)


# ---- Devices ----

gpus, list_devices, get_current_device = _devices.gpus, _devices.list_devices, _devices.get_current_device
select_device, current_context, detect, pinned = (_devices.select_device, _devices.current_context, _devices.detect,
                                                  _devices.pinned)

# ---- Arrays ----


class DeviceNDArray:
    """An array of the device; `array` is the yoke.Array."""

    def __init__(self, array):
        self.array = array

    shape = property(lambda self: self.array.shape)
    strides = property(lambda self: self.array.strides)
    size = property(lambda self: self.array.size)
    ndim = property(lambda self: self.array.ndim)
    nbytes = property(lambda self: self.array.nbytes)
    dtype = property(lambda self: _numpy.dtype(str(self.array.dtype)))
    T = property(lambda self: DeviceNDArray(self.array.T))

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__

    def copy_to_host(self, ary=None, stream=0):
        """The elements as a NumPy array, or in the one that is given; waits."""
        found = self.array.to_numpy()
        if ary is None:
            return found
        if ary.shape != found.shape:
            raise ValueError(f"the array on the device has the shape {found.shape}, and the host's {ary.shape}")
        _numpy.copyto(ary, found, casting="no")
        return ary

    def copy_to_device(self, ary, stream=0):
        """Take the elements of an array of the host or of the device."""
        source = ary.array if isinstance(ary, DeviceNDArray) else _core.asarray(_numpy.ascontiguousarray(ary))
        if source.shape != self.shape or source.dtype != self.array.dtype:
            raise ValueError(f"the array is {self.dtype} of shape {self.shape}, and the other {source.dtype} of {source.shape}")
        self.array[...] = source

    def is_c_contiguous(self):
        return self.array.size == 0 or self.strides == _numpy.empty(self.shape, self.dtype).strides

    def reshape(self, *shape):
        return DeviceNDArray(self.array.reshape(*shape))

    def ravel(self):
        return DeviceNDArray(self.array.ravel())

    def __len__(self):
        return len(self.array)

    def __getitem__(self, key):
        found = self.array[key]
        return found.to_numpy()[()] if found.shape == () else DeviceNDArray(found)

    def __setitem__(self, key, value):
        self.array[key] = value.array if isinstance(value, DeviceNDArray) else value

    def __iter__(self):
        return iter(self.copy_to_host() if self.ndim == 1 else [self[i] for i in range(len(self))])

    def __array__(self, dtype=None, copy=None):
        return _numpy.asarray(self.copy_to_host(), dtype)

    def __str__(self):
        return str(self.copy_to_host())

    def __repr__(self):
        return f"<DeviceNDArray {self.dtype} {self.shape}>"


def to_device(obj, stream=0, copy=True, to=None):
    """An array of the device with the elements of `obj`, a NumPy array or a sequence; to: an array that takes them."""
    if to is not None:
        to.copy_to_device(obj)
        return to
    if isinstance(obj, DeviceNDArray):
        obj = obj.array
    elif getattr(getattr(obj, "dtype", None), "names", None):
        raise NotImplementedError("to_device takes no records: pass the array of NumPy to the kernel, which copies it there and "
                                  "back")
    elif not hasattr(obj, "__cuda_array_interface__"):
        obj = _numpy.ascontiguousarray(obj).reshape(_numpy.shape(obj))
    array = DeviceNDArray(_core.asarray(obj, stream=_stream_of(stream)))
    return array if copy else device_array_like(array)


def as_cuda_array(obj):
    """An array of another library, without a copy."""
    return obj if isinstance(obj, DeviceNDArray) else DeviceNDArray(_core.asarray(obj))


def is_cuda_array(obj):
    return isinstance(obj, DeviceNDArray) or hasattr(obj, "__cuda_array_interface__")


def device_array(shape, dtype=_numpy.float64, strides=None, order="C", stream=0):
    """A new array, whose elements are not set."""
    if strides is not None:
        raise NotImplementedError("device_array takes no strides: make a larger array, and slice it")
    if order not in ("C", "F"):
        raise ValueError(f"order is C or F, not {order!r}")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    name = dtype.name if isinstance(dtype, _Type) else dtype
    array = _core.empty(shape if order == "C" else shape[::-1], dtype=name, stream=_stream_of(stream))
    return DeviceNDArray(array if order == "C" else array.T)


def device_array_like(ary, stream=0):
    """A new array of the shape and dtype of another."""
    return device_array(ary.shape, ary.dtype, stream=stream)


def pinned_array(shape, dtype=_numpy.float64, strides=None, order="C"):
    """A NumPy array in page-locked memory."""
    if strides is not None or order != "C":
        raise NotImplementedError("pinned_array is in the order of C")
    return _core.default_stream().device.pinned(shape, dtype.name if isinstance(dtype, _Type) else dtype)


# ---- Kernels ----


class _Host:
    """A host array as an argument: whether it is copied to the device, and back."""

    def __init__(self, array, there, back):
        self.array, self.there, self.back = array, there, back


def In(array):
    """A host array that the kernel only reads."""
    return _Host(array, True, False)


def Out(array):
    """A host array that the kernel writes completely."""
    return _Host(array, False, True)


def InOut(array):
    """A host array that the kernel reads and writes, as without this word."""
    return _Host(array, True, True)


class Dispatcher(_DeviceFunction):
    """What @cuda.jit makes: kernel[blocks, threads](…), kernel.forall(n)(…); kernels may also call it as a function."""

    def __init__(self, function, signature, fastmath):
        super().__init__(function)
        self.py_func, self.signature = function, signature
        self._math, self._launched = "fast" if fastmath else "default", False
        self.kernel = self._made()

    def _made(self):
        return _capture.CapturingKernel(self.py_func, self._math, self.signature is not None)

    def _ready(self):
        """The kernel, with what is defined below it: names outside it mean what they mean at the first launch."""
        if not self._launched and self.kernel.outside != _capture.arrays_outside(self, self.tree):
            self.kernel = self._made()
        self._launched = True
        return self.kernel

    def __getitem__(self, launch):
        launch = launch if isinstance(launch, tuple) else (launch,)
        if not 2 <= len(launch) <= 4:
            raise ValueError(f"a launch needs its size: {self.name}[blocks, threads], or {self.name}[blocks, threads, stream]")
        return _Configured(self, *launch)

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """The launch for `ntasks` threads at least, of tpb in a block."""
        tpb = tpb or 256
        return _Configured(self, max(1, _math.ceil(ntasks / tpb)), tpb, stream, sharedmem)

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        """kernel[griddim, blockdim, stream]"""
        return _Configured(self, griddim, blockdim, stream, sharedmem)

    def __getattr__(self, name):
        hint = _hints.OF_KERNELS.get(name)
        raise AttributeError(f"a kernel of cuda.jit has no {name}" + (f": {hint}" if hint else ""), name=name)

    @property
    def simulate(self):
        return _Simulation(self)

    def __call__(self, *args, **options):
        raise ValueError(f"a launch needs its size: {self.name}[blocks, threads](…)")

    def __repr__(self):
        return f"<cuda.jit {self.name}>"


class _Configured:
    def __init__(self, dispatcher, blocks, threads, stream=0, sharedmem=0):
        if sharedmem:
            raise NotImplementedError("shared memory has a constant shape: cuda.shared.array((16, 16), float32)")
        self.dispatcher, self.stream = dispatcher, stream
        self.kernel = dispatcher._ready()
        self.launch = self.kernel[blocks, threads]

    def __call__(self, *args):
        if self.dispatcher.signature is not None:
            _check_dimensions(self.dispatcher, args)
        back = []
        passed = [self.pass_on(each, back) for each in args]
        passed += self.kernel.arrays(passed)
        stream = _stream_of(self.stream)
        _capture.check_written(self.dispatcher.name, self.kernel, stream.device, self.launch, args, passed)
        self.launch(stream, *passed)
        for target, read in back:
            _numpy.copyto(target, read())

    def pass_on(self, value, back):
        """What Yoke's launch takes; host arrays are copied, and written back behind the launch."""
        if isinstance(value, DeviceNDArray):
            return value.array
        if isinstance(value, _numpy.ndarray):
            value = _Host(value, True, value.flags.writeable)
        if not isinstance(value, _Host):
            return _core.asarray(value) if hasattr(value, "__cuda_array_interface__") else value
        own = value.array
        if own.dtype.names:
            return self.pass_records(value, back)
        if value.there:
            array = _core.asarray(_numpy.ascontiguousarray(own).reshape(own.shape))
        else:
            array = _core.empty(own.shape, own.dtype)
        if value.back:
            back.append((own, array.to_numpy))
        return array

    def pass_records(self, value, back):
        """The same of a host array of records, which Yoke's launch copies by itself."""
        own = _numpy.ascontiguousarray(value.array).reshape(value.array.shape)

        def read():
            _stream_of(self.stream).wait()
            return own

        if value.back:
            back.append((value.array, read))
        return (_core.In if not value.back else _core.InOut if value.there else _core.Out)(own)


def _check_dimensions(dispatcher, args):
    for parameter, wanted, value in zip(dispatcher.parameters, dispatcher.signature.args, args):
        ndim = getattr(value.array if isinstance(value, _Host) else value, "ndim", 0)
        if isinstance(wanted, _ArrayType) and ndim != wanted.ndim:
            raise TypeError(f"{dispatcher.name}: {parameter.arg} is {wanted}, and an array of {ndim} dimensions is passed")


def jit(func_or_sig=None, device=False, inline=None, fastmath=False, cache=True, **options):
    """A kernel, or with device=True a function that kernels call: @cuda.jit, with or without a signature. What is compiled is
    cached on disk in any case."""
    options["inline"] = None if inline == "never" else inline
    for name, value in options.items():
        if name not in _hints.OPTIONS:
            raise TypeError(f"jit has no option {name}")
        if value is not None and value is not False and not (name == "opt" and value is True):
            raise NotImplementedError(f"jit takes no {name}: {_hints.OPTIONS[name]}")
    if isinstance(func_or_sig, _types.FunctionType):
        return _decorated(func_or_sig, None, device, fastmath)
    if isinstance(func_or_sig, list) and len(func_or_sig) != 1:
        raise NotImplementedError("jit takes one signature: without any, a variant is compiled for each combination of types")
    given = func_or_sig[0] if isinstance(func_or_sig, list) else func_or_sig
    signature = None if given is None else _signature(given)

    def decorate(function):
        typed = function if signature is None else _annotated(function, signature)
        return _decorated(typed, signature, device, fastmath)
    return decorate


def _decorated(function, signature, device, fastmath):
    """A kernel, unless the function returns a value, which kernels cannot: then kernels call it, and so does Python, as
    numba.jit."""
    own = _DeviceFunction(function)
    returns = any(isinstance(each, _ast.Return) and each.value is not None and not (
        isinstance(each.value, _ast.Constant) and each.value.value is None) for each in _ast.walk(own.tree))
    return own if device or returns else Dispatcher(function, signature, fastmath)


class Reduce:
    """@cuda.reduce: a function of two values becomes the reduction of arrays by it."""

    def __init__(self, functor):
        self.functor = functor

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        """The elements, or the first `size`, combined; res: an array whose first element takes it, on the device."""
        array = arr.array if isinstance(arr, DeviceNDArray) else _core.asarray(arr)
        if array.ndim != 1:
            raise TypeError(f"cuda.reduce takes an array of one dimension, not of {array.ndim}")
        found = _core.reduce(self.functor, array if size is None else array[:size], initial=init)
        if res is None:
            return found.to_numpy()[()]
        (res.array if isinstance(res, DeviceNDArray) else res)[0] = found
        return None


reduce = Reduce


class _Vectorized:
    def __init__(self, function, signatures):
        self.function, self.signatures = function, signatures
        self.names = function.__code__.co_varnames[:function.__code__.co_argcount]
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *args, out=None):
        on_device = any(isinstance(each, (DeviceNDArray, _core.Array)) for each in args)
        arrays = [each.array if isinstance(each, DeviceNDArray) else each if isinstance(each, _core.Array) else
                  _core.asarray(_numpy.asarray(each)) for each in args]
        for signature in self.signatures:
            if len(arrays) == len(signature.args) and all(
                    _numpy.can_cast(str(each.dtype), type_.name) for each, type_ in zip(arrays, signature.args)):
                break
        else:
            raise TypeError(f"{self.__name__} has no signature for {', '.join(str(each.dtype) for each in arrays)}")
        arrays = [each.astype(type_.name) for each, type_ in zip(arrays, signature.args)]
        found = _core.evaluate(self.function, dtype=signature.result.name, **dict(zip(self.names, arrays)))
        if out is not None:
            out[...] = found if isinstance(out, _core.Array) else DeviceNDArray(found) if isinstance(
                out, DeviceNDArray) else found.to_numpy()
            return out
        return DeviceNDArray(found) if on_device else found.to_numpy()[()]


def vectorize(ftylist, target="cuda"):
    """An elementwise function of arrays: @vectorize(["float32(float32, float32)"], target="cuda")."""
    if target != "cuda":
        raise ValueError(f"target is cuda, which here is any device, and not {target!r}")
    if isinstance(ftylist, _types.FunctionType):
        raise TypeError('vectorize takes signatures: @vectorize(["float32(float32, float32)"], target="cuda")')
    signatures = [_signature(each) for each in (ftylist if isinstance(ftylist, (list, tuple)) else [ftylist])]
    return lambda function: _Vectorized(function, signatures)


def is_available():
    """Whether there is a device."""
    return bool(_core.devices())


# ---- The modules of Numba that programs import ----

cuda = _sys.modules[__name__]
njit = _functools.partial(jit, device=True)


def __getattr__(name):
    from . import _numba_random

    if name == "random":
        return _numba_random
    if "xoroshiro128p" in name and hasattr(_numba_random, name):
        return getattr(_numba_random, name)
    hint = _hints.NAMES.get(name)
    raise AttributeError(f"yoke.numba_like has no {name}" + (f": {hint}" if hint else ""), name=name)
