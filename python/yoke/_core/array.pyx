# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
# Arrays: a buffer with a dtype, a shape and strides, on a stream. Most methods call modules above, which set `above`.

cimport cython

from .c_yoke cimport *
from .c_ops cimport *
from .errors cimport fail, here, shown
from .dtype cimport (
    axis_of, BF16, BOOL, dtype_letters, dtype_names, dtype_number, dtype_object, F16, is_complex, is_integer, is_integer_or_bool,
    part_of, shape_of,
)
from .memory cimport Buffer

from .errors import KernelArgumentError


cdef tuple comparisons = ("<", "<=", "==", "!=", ">", ">=")  # in the order of Py_LT, Py_LE, …


cdef class Array:
    """Array()\n--\n\n\
    An array on a device, made by empty, zeros, arange, asarray, … or by operations on others.

    shape, dtype, strides (in bytes), ndim, size (elements), nbytes; device, stream: the stream its work is enqueued in.
    Operators, slices, comparisons and reductions follow NumPy; a slice or transpose is a view. Nothing blocks but what gives
    values to Python: to_numpy, tolist, item, print(a), float(a), bool(a), a[mask]. Work that uses arrays of several streams is
    ordered. Types: results of mixed dtypes are NumPy's, but integers of 8 and 16 bits give float32 with Python's floats and by /.
    Those of 32 and 64 bits give float64, and float32 on devices that lack it. Comparisons are of values, exactly. A number of
    Python's never widens an array of its kind (NumPy's NEP 50), and a NumPy scalar counts with its dtype.
    """

    @cython.embedsignature(False)
    def __init__(self):
        raise TypeError("arrays are made by empty, zeros, ones, full, arange and asarray")

    @property
    def shape(self):
        """Elements along each axis."""
        return tuple([self.a.shape[i] for i in range(self.a.dimensions)])

    @property
    def strides(self):
        """Bytes from one index to the next, along each axis, as NumPy's."""
        return tuple([self.a.strides[i] * <int64_t>yoke_dtype_get_size(self.a.dtype) for i in range(self.a.dimensions)])

    @property
    def ndim(self):
        """The number of axes, 0 to 8."""
        return self.a.dimensions

    @property
    def size(self):
        """The number of elements."""
        return yoke_array_get_size(&self.a)

    @property
    def itemsize(self):
        """Bytes of an element."""
        return yoke_dtype_get_size(self.a.dtype)

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def dtype(self):
        """The dtype: NumPy's where NumPy is installed and has it, else its name."""
        return dtype_object(self.a.dtype)

    @property
    def device(self):
        """The Device."""
        return self.stream.device

    def to_device(self, device, *, stream=None):
        """The array itself, where it is on the device, else a copy in the stream, or that of the device, stream_on(device)."""
        from .create import asarray

        return asarray(self, stream=stream, device=device)

    def __array_namespace__(self, *, api_version=None):
        """The package, which is a namespace of the array API standard. ValueError: it is none of that version."""
        from .exchange import namespace

        return namespace(api_version)

    @property
    def real(self):
        """The real part, a view; the array itself where it is not complex."""
        return above.part_of_complex(self, 0) if is_complex(self.a.dtype) else self

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        """The imaginary part, a view; where the array is not complex, zeros that are only read."""
        return above.part_of_complex(self, 1) if is_complex(self.a.dtype) else above.read_only_zeros(self)

    @imag.setter
    def imag(self, value):
        if not is_complex(self.a.dtype):
            raise TypeError(f"an array of {dtype_names[self.a.dtype]} has no imaginary part to set")
        self.imag[...] = value

    def conj(self):
        """The complex conjugate; the array itself where it is not complex."""
        return above.unary("c = conj(a)", self, self.a.dtype) if is_complex(self.a.dtype) else self

    cdef Array view(self, yoke_array a):
        cdef Array result
        if a.dtype == 0:
            fail(YOKE_E_INVALID_ARGUMENT)
        result = Array.__new__(Array)
        result.a, result.buffer, result.stream = a, self.buffer, self.stream
        return result

    @property
    def _offset(self):
        """Bytes in front of the first element."""
        return self.a.offset

    cdef yoke_buffer *contiguous_buffer(self) except NULL:
        """For kernels: the buffer that begins with the first element."""
        if not yoke_array_is_contiguous(&self.a):
            raise KernelArgumentError(f"an array of shape {self.shape} with strides {self.strides} is not contiguous: a kernel "
                                      "sees only its buffer; pass a.copy()")
        if self.a.offset == 0:
            return self.a.buffer
        if self.part is None:
            part = self.memory().view(self.a.offset, max(1, self.nbytes))
            if self.part is None:  # nor has another thread made one meanwhile
                self.part = part
        return self.part.ptr

    cdef Buffer memory(self):
        """The buffer, by a reference of its own, since a close of the buffer leaves the array its memory."""
        cdef Buffer own = Buffer.__new__(Buffer, self.buffer.device)
        own.ptr, own.owner = yoke_buffer_retain(self.a.buffer), self.buffer.owner
        return own

    def transpose(self, *axes):
        """A view with permuted axes: transpose(1, 0), transpose((1, 0)); without axes they are reversed."""
        cdef int32_t order[8]
        if not axes or axes[0] is None:
            return self.view(yoke_array_transpose(self.a, NULL))
        axes = tuple(axes[0]) if len(axes) == 1 and hasattr(axes[0], "__len__") else axes
        if len(axes) != self.a.dimensions:
            raise ValueError(f"{len(axes)} axes for an array of {self.a.dimensions} dimensions")
        for i, axis in enumerate(axes):
            order[i] = axis_of(axis, self.a.dimensions)
        return self.view(yoke_array_transpose(self.a, order))

    def reshape(self, *shape, order="C", copy=None):
        """The same elements in another shape; one extent may be -1. A view where the strides allow it, else a copy. order: "C", "F"
        or "A", as NumPy's. copy: True gives one in any case; with False, ValueError tells that one is needed."""
        cdef int64_t extents[8]
        cdef yoke_array a
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        if order != "C" or copy is not None:
            from .._layout import reshaped

            return reshaped(self, shape, order, copy)
        dimensions = shape_of(shape, extents)
        a = yoke_array_reshape(self.a, dimensions, extents)
        if a.dtype == 0 and not yoke_array_is_contiguous(&self.a):
            return self.copy().reshape(shape)
        return self.view(a)

    def ravel(self, order="C"):
        """The elements along one axis, as reshape(-1); with order "K" as they lie in memory."""
        return self.reshape((-1,), order=order)

    def clip(self, min=None, max=None):
        """The elements, limited to min … max, which are numbers or arrays; NaN stays NaN."""
        return above.clipped(self, min, max)

    def round(self, decimals=0, out=None):
        """The nearest numbers with `decimals` decimals, as in NumPy: halves go to the even number. Below 0: with so many zeros."""
        return above.put_same(out, above.rounded(self, decimals))

    def __round__(self, ndigits=None):
        return above.rounded(self, 0 if ndigits is None else ndigits)

    def broadcast_to(self, shape):
        """A view of a larger shape, by NumPy's rules."""
        cdef int64_t extents[8]
        dimensions = shape_of(shape, extents)
        return self.view(yoke_array_broadcast(self.a, dimensions, extents))

    def copy(self, order="C"):
        """A contiguous copy. order: its layout in memory; "C" is by rows."""
        if order != "C":
            from .._layout import copied

            return copied(self, order)
        cdef Array result = above.new_array(self.stream, self.a.dtype, self.shape)
        above.assign(result, self, here())
        return result

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def astype(self, dtype, *, order="C", copy=True):
        """A copy with another dtype; copy=False: the array itself where it has the dtype. Floats are truncated to integers, values
        out of range give the nearest end. order: the copy's layout in memory."""
        cdef int32_t number = dtype_number(dtype)
        if order != "C":
            from .._layout import converted

            return converted(self, dtype, order, copy)
        if not copy and number == self.a.dtype:
            return self
        cdef Array result = above.new_array(self.stream, number, self.shape)
        above.assign(result, self, here())
        return result

    cdef Array select(self, key):
        """The view of a key of integers, slices, None and …"""
        return above.selected(self, key)

    def __getitem__(self, key):
        return above.get_item(self, key)

    def __setitem__(self, key, value):
        above.set_item(self, key, value)

    def fill(self, value):
        """Set each element to a number."""
        above.assign_value(self, value, here())

    def to_numpy(self, out=None):
        """A NumPy array with the values; waits for them. out: a contiguous NumPy array of the same shape and dtype to read into.
        DeadlockError: as Stream.wait, and nothing is written to `out`."""
        import numpy

        cdef Array source = self
        if self.dtype == "bfloat16":
            raise TypeError("NumPy has no bfloat16: convert first, as a.astype('float32')")
        if out is None:
            out = numpy.empty(self.shape, self.dtype)
        elif out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError(f"out has shape {out.shape} and dtype {out.dtype}, not {self.shape} and {self.dtype}")
        above.read_array(self, out)
        return out

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("an array on a device is not in the host's memory: a copy is needed")
        result = self.to_numpy()
        return result if dtype is None else result.astype(dtype, copy=False)

    def tolist(self):
        """The values as nested lists; waits for them."""
        if self.a.dtype == F16 or self.a.dtype == BF16:  # which memoryviews do not have
            return self.astype("float32").tolist()
        letter = dtype_letters[self.a.dtype]
        if self.size == 0:
            self.stream.wait()
            return above.empty_lists(self.shape)
        if not letter:
            return self.to_numpy().tolist()
        room = bytearray(self.nbytes)
        above.read_array(self, room)
        flat = memoryview(room).cast(letter)
        return flat[0] if self.a.dimensions == 0 else flat.cast("B").cast(letter, self.shape).tolist()

    def item(self):
        """The value of an array of one element; waits for it."""
        if self.size != 1:
            raise ValueError(f"an array of {self.size} elements is not one value")
        return self.reshape(()).tolist()

    def __float__(self):
        return float(self.item())

    def __complex__(self):
        return complex(self.item())

    def __int__(self):
        return int(self.item())

    def __index__(self):
        if self.a.dimensions or not is_integer(self.a.dtype):
            raise TypeError("only an integer array without axes is an index")
        return self.item()

    def __bytes__(self):
        raise TypeError("bytes(array) does not say which bytes: array.to_numpy().tobytes() has those of its elements in order")

    def __getattr__(self, name):
        raise AttributeError(above.no_attribute(self, name), name=name, obj=self)

    def __bool__(self):
        if self.size != 1:
            raise ValueError(f"the truth of an array of {self.size} elements is ambiguous: use any() or all()")
        return bool(self.item())

    def __len__(self):
        if self.a.dimensions == 0:
            raise TypeError("an array without axes has no length")
        return self.a.shape[0]

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    # ---- Operators: NumPy's broadcasting; weak() has the rule for numbers ----

    def __add__(self, other):
        return above.binary("+", self, other)

    def __radd__(self, other):
        return above.binary("+", other, self)

    def __sub__(self, other):
        return above.binary("-", self, other)

    def __rsub__(self, other):
        return above.binary("-", other, self)

    def __mul__(self, other):
        return above.binary("*", self, other)

    def __rmul__(self, other):
        return above.binary("*", other, self)

    def __truediv__(self, other):
        return above.binary("/", self, other)

    def __rtruediv__(self, other):
        return above.binary("/", other, self)

    def __floordiv__(self, other):
        return above.binary("//", self, other)

    def __rfloordiv__(self, other):
        return above.binary("//", other, self)

    def __mod__(self, other):
        return above.binary("%", self, other)

    def __rmod__(self, other):
        return above.binary("%", other, self)

    def __divmod__(self, other):
        return above.quotient_and_remainder(self, other)

    def __rdivmod__(self, other):
        return above.quotient_and_remainder(other, self)

    def __and__(self, other):
        return above.binary("&", self, other)

    def __rand__(self, other):
        return above.binary("&", other, self)

    def __or__(self, other):
        return above.binary("|", self, other)

    def __ror__(self, other):
        return above.binary("|", other, self)

    def __xor__(self, other):
        return above.binary("^", self, other)

    def __rxor__(self, other):
        return above.binary("^", other, self)

    def __lshift__(self, other):
        return above.binary("<<", self, other)

    def __rlshift__(self, other):
        return above.binary("<<", other, self)

    def __rshift__(self, other):
        return above.binary(">>", self, other)

    def __rrshift__(self, other):
        return above.binary(">>", other, self)

    def __pow__(self, other, modulus):
        if modulus is not None:
            return NotImplemented
        return above.binary("**", self, other)

    def __rpow__(self, other, modulus):
        if modulus is not None:
            return NotImplemented
        return above.binary("**", other, self)

    def __iadd__(self, other):
        return above.in_place("+", self, other)

    def __isub__(self, other):
        return above.in_place("-", self, other)

    def __imul__(self, other):
        return above.in_place("*", self, other)

    def __itruediv__(self, other):
        return above.in_place("/", self, other)

    def __ifloordiv__(self, other):
        return above.in_place("//", self, other)

    def __imod__(self, other):
        return above.in_place("%", self, other)

    def __ipow__(self, other):
        return above.in_place("**", self, other)

    def __iand__(self, other):
        return above.in_place("&", self, other)

    def __ior__(self, other):
        return above.in_place("|", self, other)

    def __ixor__(self, other):
        return above.in_place("^", self, other)

    def __ilshift__(self, other):
        return above.in_place("<<", self, other)

    def __irshift__(self, other):
        return above.in_place(">>", self, other)

    def __neg__(self):
        if self.a.dtype == BOOL:
            raise TypeError("- is not for bool: use ~a, or a.astype(\"int8\") first")
        return above.unary("c = -a", self, self.a.dtype)

    def __abs__(self):
        return above.unary("c = abs(a)", self, part_of(self.a.dtype))

    def __pos__(self):
        return self.copy()

    def __contains__(self, value):
        equal = self == value
        return bool(equal.any().item()) if isinstance(equal, Array) else bool(equal)

    def __invert__(self):
        if not is_integer_or_bool(self.a.dtype):
            raise TypeError(f"~ is for integers and bool, not for {dtype_names[self.a.dtype]}")
        return above.unary("c = !a" if self.a.dtype == BOOL else "c = ~a", self, self.a.dtype)

    def __matmul__(self, other):
        return above.product(self, other)

    def __rmatmul__(self, other):
        return above.product(other, self)

    def __richcmp__(self, other, int operation):
        return above.compare(comparisons[operation], self, other)

    __hash__ = None

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        """NumPy's functions of each element: those that the package has give Arrays, and others are TypeError, since they would
        copy the array to the host."""
        return above.numpy_elementwise(ufunc, method, inputs, options)

    def __array_function__(self, function, types, args, kwargs):
        """NumPy's other functions, by the same rule."""
        return above.numpy_function(function, args, kwargs)

    # ---- Reductions and order: axis is None for all, an int, or a tuple; out: an array for the result; where: a mask ----

    def sum(self, axis=None, dtype=None, out=None, *, keepdims=False, initial=None, where=True):
        """The sum, from initial on; of integers as int64 or uint64. dtype: of the result; with float64 the sum is made so."""
        return above.reduced_from("sum", self, axis, keepdims, dtype, out, initial, where)

    def prod(self, axis=None, dtype=None, out=None, *, keepdims=False, initial=None, where=True):
        """The product."""
        return above.reduced_from("prod", self, axis, keepdims, dtype, out, initial, where)

    def mean(self, axis=None, dtype=None, out=None, *, keepdims=False, where=True):
        """The mean; of integers of 32 and 64 bits as float64, where the device has it, and of shorter ones as float32."""
        return above.mean(self, axis, keepdims, dtype, out, where)

    def var(self, axis=None, dtype=None, out=None, ddof=0, *, keepdims=False, where=True):
        """The variance: the mean of the squared distances from the mean; their sum is divided by n - ddof."""
        return above.variance(self, axis, keepdims, dtype, out, ddof, False, where)

    def std(self, axis=None, dtype=None, out=None, ddof=0, *, keepdims=False, where=True):
        """The standard deviation: the square root of var."""
        return above.variance(self, axis, keepdims, dtype, out, ddof, True, where)

    def min(self, axis=None, out=None, *, keepdims=False, initial=None, where=True):
        """The smallest element; NaN where one is."""
        return above.reduced_from("min", self, axis, keepdims, None, out, initial, where)

    def max(self, axis=None, out=None, *, keepdims=False, initial=None, where=True):
        """The largest element; NaN where one is."""
        return above.reduced_from("max", self, axis, keepdims, None, out, initial, where)

    def any(self, axis=None, out=None, *, keepdims=False, where=True):
        """Whether an element is not 0."""
        return above.reduced_from("any", self, axis, keepdims, None, out, None, where)

    def all(self, axis=None, out=None, *, keepdims=False, where=True):
        """Whether no element is 0."""
        return above.reduced_from("all", self, axis, keepdims, None, out, None, where)

    def argmin(self, axis=None, out=None, *, keepdims=False):
        """The position of the first smallest element, or of the first NaN, int64."""
        return above.reduced("argmin_or_nan", self, axis, keepdims, None, out)

    def argmax(self, axis=None, out=None, *, keepdims=False):
        """The position of the first largest element, or of the first NaN, int64."""
        return above.reduced("argmax_or_nan", self, axis, keepdims, None, out)

    def norm(self, axis=None, *, keepdims=False, out=None):
        """The square root of the sum of squares."""
        return above.reduced("norm", self, axis, keepdims, None, out)

    def cumsum(self, axis=None, dtype=None, out=None):
        """The sums of all elements up to each, along an axis; None: of the flattened array. dtype: that it is added in."""
        return above.accumulate("sum", self, axis, dtype, out)

    def cumprod(self, axis=None, dtype=None, out=None):
        """The products of all elements up to each."""
        return above.accumulate("prod", self, axis, dtype, out)

    def sort(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
        """Sort in place along an axis; stable, whatever kind and stable are, NaN last. order is refused: there are no fields."""
        above.check_sort(kind, order, stable)
        above.sort_along(self, axis, descending)

    def argsort(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
        """The indices, int64, that would sort along an axis; None: the flattened array."""
        above.check_sort(kind, order, stable)
        return above.sorting(self, axis, descending)

    # ---- Exchange with other libraries ----

    @property
    def __cuda_array_interface__(self):
        """Version 3, for arrays on CUDA. Its stream is the legacy default stream, 1, which waits for the array's work; None where
        that is not possible, and then the data is ready when this returns."""
        return above.interface_of(self)

    def __dlpack_device__(self):
        """DLPack's (type, number) of the device."""
        return above.dlpack_device(self)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A DLPack capsule over the same memory. stream, on CUDA: the consumer's, as a number, which then waits for the array's
        work (1: the legacy default stream, and so is None; 2: the calling thread's default stream); -1: no order. Otherwise, and on
        OpenCL, the data is ready when this returns. max_version: from (1, 0) on the capsule has a version, and says whether the
        memory is only read; without, such memory is BufferError. dl_device: (1, 0) wants the host's memory, which on PoCL's devices
        is the array's own, and elsewhere a copy (with NumPy). copy: True gives a copy in any case; with False, BufferError tells
        that one is needed. Another dl_device is BufferError."""
        return above.to_dlpack(self, stream, max_version, dl_device, copy)

    def __reduce__(self):
        from .create import asarray

        if self.a.dtype == BF16:  # which NumPy does not have
            return asarray, (self.astype("float32").to_numpy(), "bfloat16")
        return asarray, (self.to_numpy(),)

    def _repr_html_(self):
        """For notebooks: as repr, which waits for nothing."""
        return above.html_of(self)

    def __str__(self):
        """The values, as NumPy prints them; waits for them."""
        if self.a.dtype == BF16:
            return str(self.astype("float32"))
        try:
            return str(self.to_numpy())
        except ImportError:
            return str(self.tolist())

    def __format__(self, specification):
        if not specification:
            return str(self)
        if self.a.dimensions:
            raise TypeError(f"an array of shape {self.shape} has no format {shown(specification)}; an array without axes has")
        return format(self.item(), specification)

    def __repr__(self):
        """With the values of a small array whose work is done."""
        values = above.values_at_hand(self)
        return (f"yoke.Array({values + ', ' if values else ''}shape={self.shape}, dtype={dtype_names[self.a.dtype]}, "
                f"device={self.stream.device.info.selector})")


cdef Above above
