# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Kernels and launches. This is the hot path: `launch` and what it calls use the interpreter's C functions, and allocate nothing.

import collections
import operator
import threading

cimport cython
from cpython.object cimport PyObject

from .c_python cimport (
    Py_TYPE_raw, PyBytes_AsString, PyBytes_Size, PyFloat_AsDouble_raw, PyLong_AsLongLongAndOverflow_raw, PyTuple_GetItem,
    PyTuple_Size,
)
from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport as_size, c_text, check, fail, here, shown, text_of
from .dtype cimport is_complex, is_floating
from .memory cimport Buffer, hold, Image, Kept, leave_buffer, leave_image, Surface, with_owner
from .stream cimport keep_until_done, Stream
from .array cimport Array
from .expression cimport order_back, order_streams
from .program cimport Program

from .errors import Error, KernelArgumentError


cdef class HostArgument:
    """HostArgument(memory)\n--\n\n\
    What In, Out and InOut have in common: an argument of a launch that is memory of the host."""

    cdef readonly object memory

    @cython.embedsignature(False)
    def __init__(self, memory):
        self.memory = memory

    def __repr__(self):
        return f"yoke.{type(self).__name__}({self.memory!r})"


cdef class In(HostArgument):
    """In(memory)\n--\n\n\
    A host array that a launch copies to the device for the kernel to read: kernel[n](stream, In(x), …). It is kept alive, and
    must not change, until the launch is complete. Anything contiguous with the buffer protocol."""


cdef class Out(HostArgument):
    """Out(memory)\n--\n\n\
    A host array that the kernel writes completely; the result is there when the launch is complete: wait before you look."""


cdef class InOut(HostArgument):
    """InOut(memory)\n--\n\n\
    A host array that the kernel reads and writes; the result is there when the launch is complete."""


cdef class Local:
    """Local(size)\n--\n\n\
    `size` bytes of shared memory, at the position of an OpenCL kernel's __local parameter; in CUDA dynamic shared memory."""

    cdef size_t size

    @cython.embedsignature(False)
    def __init__(self, size):
        self.size = as_size(size, "size")


@cython.final
cdef class Strided:
    """Strided(array)\n--\n\n\
    An Array of any strides as an argument of a kernel that is given them: the pointer is to the beginning of its buffer, and the
    first element is `offset` elements behind that."""

    def __cinit__(self, Array array not None):
        self.array, self.offset = array, array.a.offset // <Py_ssize_t>yoke_dtype_get_size(array.a.dtype)


cdef void *type_buffer = <void *>Buffer
cdef void *type_image = <void *>Image
cdef void *type_surface = <void *>Surface
cdef void *type_float = <void *>float
cdef void *type_int = <void *>int


cdef class Kernel:
    """Kernel(program, name)\n--\n\n\
    An entry point of a Program. A launch is a call:

    kernel[n](stream, x, y, 2.0): at least n threads in one dimension, in blocks of a size that Yoke chooses.
    kernel[grid, block](stream, …), kernel[grid, block, shared](stream, …): blocks, threads of a block, and bytes of dynamic shared
    memory; grid and block are ints or tuples of up to 3.

    Arguments: Buffers and contiguous Arrays; None for a null pointer; Python's and NumPy's numbers; structured NumPy scalars;
    In, Out, InOut for host arrays; Images to read and image.surface to write; Local. A Python number gets the width of its
    parameter, a NumPy scalar has its own, and is wanted where the type is the source's own. Count, kinds and widths are checked
    against the compiled kernel: KernelArgumentError. The launch keeps its objects alive, and is ordered with the streams of its
    Arrays.
    """

    def __cinit__(self, Program program not None, name):
        cdef bytes label = c_text(name, "the name of a kernel")
        cdef const char *text = label
        cdef yoke_param_info param
        cdef yoke_kernel_info info
        cdef yoke_status status

        self.program, self.name = program, label.decode()
        with nogil:
            status = yoke_kernel_get(program.ptr, text, &self.ptr)
        check(status)
        info.size = sizeof(info)
        check(yoke_kernel_get_info(self.ptr, &info))
        self.count = info.parameters
        for i in range(128):
            self.params[i].floating, self.params[i].element, self.params[i].signed_ = -1, 0, False
            self.params[i].hidden = self.params[i].truth = False
        for i in range(min(max(self.count, 0), 128)):
            param.size = sizeof(param)
            if yoke_kernel_get_param(self.ptr, i, &param) < 0:
                continue
            if "*" in text_of(param.type):
                self.params[i].element = param.scalar_bytes if param.scalar_bytes > 1 else 0
                self.params[i].floats = param.scalar == YOKE_SCALAR_FLOATING
            elif param.kind == YOKE_PARAM_VALUE or param.kind == YOKE_PARAM_UNKNOWN:
                self.set_value(i, &param)

    cdef int set_value(self, int i, yoke_param_info *param) except -1:
        """Parameter i is a value; without a type where neither the driver nor the source tells."""
        type = text_of(param.type)
        known = param.scalar != YOKE_SCALAR_UNKNOWN or not type or "enum" in type.split()
        self.params[i].hidden = param.bytes == 0 or not known and param.bytes <= 8
        self.params[i].size = 0 if self.params[i].hidden or param.bytes > 8 else param.bytes
        if type:
            self.params[i].floating = param.scalar == YOKE_SCALAR_FLOATING
            self.params[i].signed_ = param.scalar == YOKE_SCALAR_SIGNED
            self.params[i].truth = param.scalar == YOKE_SCALAR_BOOL
        return 0

    @property
    def info(self):
        """A dict: parameters, max_block_threads, preferred_multiple, static_shared_bytes, max_dynamic_shared_bytes,
        automatic_block (threads), registers and local_bytes (per thread)."""
        cdef yoke_kernel_info info
        info.size = sizeof(info)
        check(yoke_kernel_get_info(self.ptr, &info))
        return {"parameters": info.parameters, "max_block_threads": info.max_block_threads,
                "preferred_multiple": info.preferred_multiple, "static_shared_bytes": info.static_shared_bytes,
                "max_dynamic_shared_bytes": info.max_dynamic_shared_bytes, "automatic_block": info.automatic_block,
                "registers": info.registers, "local_bytes": info.local_bytes}

    @property
    def parameters(self):
        """The parameters, a list of (type, name, bytes); "" and 0 where the driver does not tell."""
        cdef yoke_param_info param
        result = []
        for i in range(max(self.count, 0)):
            param.size = sizeof(param)
            check(yoke_kernel_get_param(self.ptr, i, &param))
            result.append((text_of(param.type), text_of(param.name), param.bytes))
        return result

    def __getitem__(self, shape):
        # The same object each time: in a loop the number is one object, too.
        cdef Launch launch = self.last
        if launch is not None and self.last_n is shape:
            return launch
        launch = Launch(self, shape)
        if type(shape) is int or type(shape) is tuple:  # others may have another value the next time
            self.last_n, self.last = shape, launch
        return launch

    def __call__(self, *args, **options):
        raise TypeError(f"a launch needs its size: {self.name}[n](stream, …) or {self.name}[grid, block](stream, …)")

    def __repr__(self):
        return f"<yoke.Kernel {self.name}({', '.join(type or '?' for type, _, _ in self.parameters)})>"


cdef int as_dim(yoke_dim *out, value) except -1:
    if isinstance(value, tuple):
        if not 1 <= len(value) <= 3:
            raise ValueError(f"grid and block have 1 to 3 dimensions, not {len(value)}")
        out.x = value[0]
        out.y = value[1] if len(value) > 1 else 1
        out.z = value[2] if len(value) > 2 else 1
    else:
        out.x, out.y, out.z = operator.index(value), 1, 1
    return 0


@cython.final
cdef class Launch:
    """Launch(kernel, shape)\n--\n\n\
    kernel[n] or kernel[grid, block, shared]: what a call launches. May be kept and called any number of times."""

    def __cinit__(self, Kernel kernel not None, shape):
        self.kernel, self.ptr = kernel, kernel.ptr
        if isinstance(shape, tuple):
            if not 2 <= len(shape) <= 3:
                raise TypeError(f"{kernel.name}[n], {kernel.name}[grid, block] or {kernel.name}[grid, block, shared] is wanted")
            as_dim(&self.grid, shape[0])
            as_dim(&self.block, shape[1])
            self.shared = as_size(shape[2], "shared") if len(shape) > 2 else 0
        else:
            self.n = as_size(shape, "n")
            if self.n == 0:
                raise ValueError("a launch has at least 1 thread")

    def cooperative(self):
        """The same launch with all blocks on the device at once, so that blocks may wait for each other."""
        cdef Launch launch
        if self.n:
            raise TypeError("a cooperative launch has a grid and a block")
        launch = Launch(self.kernel, ((self.grid.x, self.grid.y, self.grid.z), (self.block.x, self.block.y, self.block.z),
                                      self.shared))
        launch.cooperative_ = True
        return launch

    def __call__(self, *args):
        cdef yoke_arg list_[MOST_ARGS]
        cdef PyObject *values[MOST_ARGS]
        cdef list kept
        cdef Stream stream
        cdef yoke_stream *queue
        cdef const char *where
        cdef yoke_status status
        cdef list others
        cdef bint arrays
        cdef Py_ssize_t count = count_args(args, 1)
        cdef PyObject *first = NULL if count < 0 else PyTuple_GetItem(args, 0)
        cdef unsigned before

        if first == NULL or not isinstance(<object>first, Stream):
            raise TypeError(f"the first argument of a launch is its stream: {self.kernel.name}[…](stream, …)")
        stream = <Stream>first
        before = stream.recordings
        arrays = enter_arguments(values, args, 1, count)
        try:
            kept = fill_arguments(list_, values, count, self.kernel)
            where = here()
            others = arrays_of_others(stream, args) if arrays else None
            if others is not None:
                order_streams(stream, others)
            queue = stream.ptr
            if self.n:
                with nogil:
                    status = yoke_launch_n_at(where, queue, self.ptr, self.n, list_, count)
            elif self.cooperative_:
                with nogil:
                    status = yoke_launch_cooperative_at(where, queue, self.ptr, self.grid, self.block, self.shared, list_, count)
            else:
                with nogil:
                    status = yoke_launch_at(where, queue, self.ptr, self.grid, self.block, self.shared, list_, count)
            if status < 0:
                fail(status)
            if kept is not None:
                keep_until_done(stream, kept, before)
            if others is not None:
                order_back(stream, others)
        finally:
            leave_arguments(values, count)

    def __repr__(self):
        if self.n:
            return f"<yoke.Launch {self.kernel.name}[{self.n}]>"
        return (f"<yoke.Launch {self.kernel.name}[({self.grid.x}, {self.grid.y}, {self.grid.z}), "
                f"({self.block.x}, {self.block.y}, {self.block.z}), {self.shared}]>")


cdef inline list arrays_of_others(Stream stream, tuple args):
    """The Arrays among the arguments that are of other streams; None: there are none. What is recorded knows no order with what
    runs."""
    cdef list arrays = None
    for value in args:
        if isinstance(value, Strided):
            value = (<Strided>value).array
        if (isinstance(value, Array) and (<Array>value).stream is not stream and stream.graph is None
                and (<Array>value).stream.graph is None):
            arrays = [] if arrays is None else arrays
            arrays.append(value)
    return arrays


cdef inline Py_ssize_t count_args(tuple args, Py_ssize_t first) except? -1:
    cdef Py_ssize_t count = PyTuple_Size(args) - first
    if count > MOST_ARGS:
        raise ValueError(f"a launch has at most {MOST_ARGS} arguments")
    return count


cdef inline bint enter_arguments(PyObject **values, tuple args, Py_ssize_t first, Py_ssize_t count):
    """Borrow the arguments of a launch, args[first] and on. Another thread may close them while the launch is inside;
    leave_arguments has to follow. Whether there may be Arrays."""
    cdef bint others = False
    cdef PyObject *value
    cdef void *kind
    cdef Py_ssize_t i
    for i in range(count):
        value = values[i] = PyTuple_GetItem(args, first + i)
        kind = <void *>Py_TYPE_raw(value)
        if kind == type_buffer:
            (<Buffer>value).users += 1
        elif kind == type_image:
            (<Image>value).users += 1
        elif kind == type_surface:
            (<Surface>value).image.users += 1
        elif kind != type_float and kind != type_int:
            others = True
    return others


cdef inline void leave_arguments(PyObject **values, Py_ssize_t count):
    cdef void *kind
    cdef Py_ssize_t i
    for i in range(count):
        kind = <void *>Py_TYPE_raw(values[i])
        if kind == type_buffer:
            if (<Buffer>values[i]).closed == NULL:  # as nearly always
                (<Buffer>values[i]).users -= 1
            else:
                leave_buffer(<Buffer>values[i])
        elif kind == type_image:
            leave_image(<Image>values[i])
        elif kind == type_surface:
            leave_image((<Surface>values[i]).image)


cdef inline list fill_arguments(yoke_arg *out, PyObject **values, Py_ssize_t count, Kernel kernel):
    """The library's form of the arguments; the host memory that has to live until the launch is complete, or None."""
    cdef list kept = None
    cdef Py_ssize_t i

    for i in range(count):
        if fill_argument(&out[i], values[i], &kernel.params[i]):
            kept = fill_other(&out[i], <object>values[i], &kernel.params[i], kernel, i, kept)
    return kept


cdef inline int fill_argument(yoke_arg *out, PyObject *value, Param *param) except -1:
    """The common arguments: buffers, contiguous arrays, floats and ints that fit. 1: fill_other has to look."""
    cdef void *kind = <void *>Py_TYPE_raw(value)
    cdef int overflow = 0
    cdef long long number

    if kind == type_buffer and (<Buffer>value).owner is None:
        out[0] = yoke_arg_buffer((<Buffer>value).ptr)
        return 0
    if kind == type_float and param.floating != 0:
        if param.size == 4:
            out[0] = yoke_arg_f32(<float>PyFloat_AsDouble_raw(value))
            return 0
        if param.size == 8:
            out[0] = yoke_arg_f64(PyFloat_AsDouble_raw(value))
            return 0
    if kind == type_int and param.floating != 1:
        number = PyLong_AsLongLongAndOverflow_raw(value, &overflow)
        if overflow == 0:
            # A negative int fits a parameter without a sign, as in C: the library checks the width alone.
            if param.size == 4 and -0x80000000LL <= number <= (0x7fffffffLL if param.signed_ else 0xffffffffLL):
                out[0] = yoke_arg_i32(<int32_t><uint32_t>number)
                return 0
            if param.size == 8:
                out[0] = yoke_arg_i64(number)
                return 0
    return 1


cdef list fill_other(yoke_arg *out, value, Param *param, Kernel kernel, Py_ssize_t index, list kept):
    """The rest: numbers of other widths, NumPy's scalars, host arrays, views. Returns `kept` with what has to live longer."""
    cdef Kept held
    cdef Array array
    cdef size_t size

    if value is None:
        out[0] = yoke_arg_null()
    elif isinstance(value, Array):
        array = value
        size = 0 if is_complex(array.a.dtype) else yoke_dtype_get_size(array.a.dtype)
        check_elements(param, size, is_floating(array.a.dtype), value, kernel, index)
        out[0] = yoke_arg_buffer(array.contiguous_buffer())
        kept = with_owner(kept, array.buffer)
    elif isinstance(value, Strided):
        array = (<Strided>value).array
        out[0] = yoke_arg_buffer(array.a.buffer)
        kept = with_owner(kept, array.buffer)
    elif isinstance(value, Buffer):
        out[0] = yoke_arg_buffer((<Buffer>value).ptr)
        kept = with_owner(kept, value)
    elif isinstance(value, (bool, int)):
        fill_int(out, int(value), param, kernel, index)
    elif isinstance(value, float) and not hasattr(value, "dtype"):  # which NumPy's float64 has
        fill_float(out, value, param, kernel, index)
    elif isinstance(value, HostArgument):
        kept = [] if kept is None else kept
        held = hold((<HostArgument>value).memory, not isinstance(value, In))
        dtype = getattr((<HostArgument>value).memory, "dtype", None)
        refuse_foreign_order(dtype, kernel, index)
        if getattr(dtype, "kind", "") in ("f", "i", "u", "b", "c"):
            size = 0 if dtype.kind == "c" else dtype.itemsize
            check_elements(param, size, dtype.kind == "f", (<HostArgument>value).memory, kernel, index)
        kept.append(held)
        if isinstance(value, In):
            out[0] = yoke_in(held.view.buf, held.view.len)
        elif isinstance(value, Out):
            out[0] = yoke_out(held.view.buf, held.view.len)
        else:
            out[0] = yoke_inout(held.view.buf, held.view.len)
    elif isinstance(value, Local):
        out[0] = yoke_arg_local((<Local>value).size)
    elif isinstance(value, Image):
        out[0] = yoke_arg_image((<Image>value).ptr)
    elif isinstance(value, Surface):
        out[0] = yoke_arg_surface((<Surface>value).image.ptr)
    else:
        fill_scalar(out, value, param, kernel, index)
    return kept


cdef int check_elements(Param *param, size_t size, bint floats, value, Kernel kernel, Py_ssize_t index) except -1:
    """An array of numbers is one of those that the parameter points to; halves may be taken for short. size: 0 of complex ones."""
    if param.element and (param.element != size or param.floats != floats and size > 2):
        raise KernelArgumentError(f"{parameter_name(kernel, index)}: an array of {value.dtype} is passed: convert it with astype"
                                  + ("; or pass a.buffer, for the bytes as they are" if isinstance(value, Array) else ""))
    return 0


cdef int refuse_foreign_order(dtype, Kernel kernel, Py_ssize_t index) except -1:
    if not getattr(dtype, "isnative", True):
        raise KernelArgumentError(f"{parameter_name(kernel, index)}: {dtype} has another machine's byte order: convert it with "
                                  "x.astype(x.dtype.newbyteorder('='))")
    return 0


cdef str parameter_name(Kernel kernel, Py_ssize_t index):
    try:
        type, name, size = kernel.parameters[index]
        return f"parameter {index + 1} ({type or f'{size} bytes'} {name}".rstrip() + f") of {kernel.name}"
    except (Error, IndexError):
        return f"parameter {index + 1} of {kernel.name}"


cdef int fill_int(yoke_arg *out, value, Param *param, Kernel kernel, Py_ssize_t index) except -1:
    if param.floating == 1:
        return fill_float(out, float(value), param, kernel, index)
    size = param.size
    if size not in (1, 2, 4, 8):
        if kernel.count >= 0 and index >= kernel.count:
            size = 4  # one argument too many: the library says so
        elif kernel.count >= 0 and size == 0 and not param.hidden:
            out[0] = yoke_arg_i64(0)  # a number for a buffer or a struct: the library says so
            return 0
        else:
            raise KernelArgumentError(f"{parameter_name(kernel, index)}: its type is not known here: pass a NumPy scalar of it, as "
                                      f"numpy.int32({shown(value)})")
    if not -(1 << size * 8 - 1) <= value < 1 << size * 8 - param.signed_:
        raise OverflowError(f"{parameter_name(kernel, index)}: {shown(value)} does not fit in {size} bytes")
    value = value != 0 if param.truth else value & (1 << size * 8) - 1
    if size == 1:
        out[0] = yoke_arg_u8(value)
    elif size == 2:
        out[0] = yoke_arg_u16(value)
    elif size == 4:
        out[0] = yoke_arg_u32(value)
    else:
        out[0] = yoke_arg_u64(value)
    return 0


cdef int fill_float(yoke_arg *out, double value, Param *param, Kernel kernel, Py_ssize_t index) except -1:
    if param.floating == 0 and param.size:
        raise KernelArgumentError(f"{parameter_name(kernel, index)} takes an integer, and {value} is floating-point: pass int(x)")
    if param.size == 2:
        out[0] = yoke_arg_f16(yoke_half_from(<float>value))
    elif param.size == 4:
        out[0] = yoke_arg_f32(<float>value)
    elif param.size == 8 or (kernel.count >= 0 and param.size == 0 and not param.hidden):
        out[0] = yoke_arg_f64(value)
    else:
        raise KernelArgumentError(f"{parameter_name(kernel, index)}: its type is not known here: pass a NumPy scalar of it, as "
                                  f"numpy.float32({value})")
    return 0


cdef int fill_scalar(yoke_arg *out, value, Param *param, Kernel kernel, Py_ssize_t index) except -1:
    """A NumPy scalar, structured ones included, or anything else with a dtype and the buffer protocol that is one element."""
    dtype = getattr(value, "dtype", None)
    if dtype is None or getattr(value, "shape", None) != ():
        hint = ""
        if dtype is not None or isinstance(value, (bytes, bytearray, memoryview)):
            hint = ": write In(x), Out(x) or InOut(x) for a host array, or copy it to a Buffer first"
        elif isinstance(value, (list, tuple)):
            hint = ": write In(numpy.array(x, dtype)), or pass an Array of yoke.asarray"
        raise KernelArgumentError(f"{parameter_name(kernel, index)}: {type(value).__name__} is not an argument of a kernel{hint}")
    char = dtype.char
    if char == "f":
        out[0] = yoke_arg_f32(value)
    elif char == "d":
        out[0] = yoke_arg_f64(value)
    elif char == "e":
        out[0] = yoke_arg_f16(yoke_half_from(<float>float(value)))
    elif dtype.kind in "iub" and dtype.itemsize == 1 and param.truth:
        out[0] = yoke_arg_u8(value != 0)
    elif dtype.kind == "i":
        size = dtype.itemsize
        if size == 1:
            out[0] = yoke_arg_i8(value)
        elif size == 2:
            out[0] = yoke_arg_i16(value)
        elif size == 4:
            out[0] = yoke_arg_i32(value)
        else:
            out[0] = yoke_arg_i64(value)
    elif dtype.kind in "ub":
        size = dtype.itemsize
        if size == 1:
            out[0] = yoke_arg_u8(int(value))
        elif size == 2:
            out[0] = yoke_arg_u16(value)
        elif size == 4:
            out[0] = yoke_arg_u32(value)
        else:
            out[0] = yoke_arg_u64(value)
    elif dtype.kind in "Vc":
        refuse_foreign_order(dtype, kernel, index)
        if param.size and param.floating >= 0:
            raise KernelArgumentError(f"{parameter_name(kernel, index)} takes a number, not a scalar of {dtype}")
        fill_struct(out, value, kernel)
    else:
        raise KernelArgumentError(f"{parameter_name(kernel, index)}: a scalar of {dtype} is not an argument of a kernel")
    return 0


# The bytes of structs of the launch that this thread is preparing.
cdef object struct_bytes = threading.local()


cdef int fill_struct(yoke_arg *out, value, Kernel kernel) except -1:
    cdef bytes data = value.tobytes()
    recent = getattr(struct_bytes, "recent", None)
    if recent is None:
        recent = struct_bytes.recent = collections.deque(maxlen=128)
    recent.append(data)
    out[0] = yoke_arg_struct(PyBytes_AsString(data), PyBytes_Size(data))
    return 0
