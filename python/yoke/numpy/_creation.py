# SPDX-License-Identifier: Apache-2.0
"""Arrays made of nothing, of values on the host, and by a rule. device: the device they are made on. The default float is yoke's,
which set_default_dtype sets."""

import operator as _operator

import numpy as _host

from .. import _core, _shapes
from . import _common
from ._common import array_of as _array_of
from ._common import is_array as _is_array
from ._common import refuse as _refuse

__all__ = ["arange", "array", "asanyarray", "asarray", "asarray_chkfinite", "ascontiguousarray", "asfortranarray", "bartlett",
           "blackman", "copy", "diag", "diagflat", "empty", "empty_like", "eye", "from_dlpack", "frombuffer", "fromfile",
           "fromfunction", "fromiter", "fromstring", "full", "full_like", "geomspace", "hamming", "hanning", "identity",
           "indices", "kaiser", "linspace", "load", "logspace", "meshgrid", "mgrid", "ogrid", "ones", "ones_like", "require",
           "tri", "tril", "triu", "vander", "zeros", "zeros_like"]


# ---- Of one value ----

def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """An array whose elements are not set."""
    _refuse("empty", order=order, like=like)
    return _core.empty(shape, dtype, device=device)


def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    """An array of zeros."""
    _refuse("zeros", order=order, like=like)
    return _core.zeros(shape, dtype, device=device)


def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """An array of ones."""
    _refuse("ones", order=order, like=like)
    return _core.ones(shape, dtype, device=device)


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """An array of one value, or of an array that is broadcast."""
    _refuse("full", order=order, like=like)
    if isinstance(fill_value, (bool, int, float, complex)):
        return _core.full(shape, fill_value, dtype, device=device)
    value = asarray(fill_value, dtype, device=device)
    shape = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
    return value.broadcast_to(shape).copy()


def _like(name, a, dtype, order, subok, shape, device, fill):
    _refuse(name, order=order, subok=subok)
    a = a if _is_array(a) else _host.asarray(a)
    shape = tuple(a.shape) if shape is None else shape
    dtype = a.dtype if dtype is None else dtype
    place = {"device": device} if device is not None else {"stream": a.stream} if _is_array(a) else {}
    return fill(shape, dtype, **place)


def empty_like(prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of the shape and dtype of another, not set."""
    return _like("empty_like", prototype, dtype, order, subok, shape, device, _core.empty)


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of zeros of the shape and dtype of another."""
    return _like("zeros_like", a, dtype, order, subok, shape, device, _core.zeros)


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of ones of the shape and dtype of another."""
    return _like("ones_like", a, dtype, order, subok, shape, device, _core.ones)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An array of one value of the shape and dtype of another."""
    result = empty_like(a, dtype, order, subok, shape, device=device)
    result[...] = fill_value
    return result


def identity(n, dtype=None, *, like=None):
    """A square matrix with ones on the diagonal."""
    _refuse("identity", like=like)
    return _shapes.eye(n, dtype=dtype)


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """A matrix with ones on the diagonal, or on the k-th above it."""
    _refuse("eye", order=order, like=like)
    return _shapes.eye(N, M, k, None if dtype is float else dtype, device=device)


# ---- Of values ----

def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=0, like=None):
    """A new array of values on the host, of an Array, or of nested lists in which there are Arrays. copy=None: only where one is
    needed; False: ValueError where one is. ndmin: as many dimensions at least."""
    _refuse("array", order=order, subok=subok, ndmax=ndmax, like=like)
    result = _of_nested(object, dtype) if _has_arrays(object) else _array_of(object, dtype)
    if copy is False and result is not object:
        raise ValueError("copy is False, and these values must be copied to the device, or cast")
    if copy and result is object:
        result = result.copy()
    return result if result.ndim >= ndmin else result.reshape((1,) * (ndmin - result.ndim) + tuple(result.shape))


def _has_arrays(object):
    return isinstance(object, (list, tuple)) and any([_is_array(each) or _has_arrays(each) for each in object])


def _of_nested(object, dtype):
    return _core.stack(_common.together(*[_of_nested(each, dtype) if _has_arrays(each) else _array_of(each, dtype)
                                          for each in object]), 0)


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """An Array of values; itself where it is one of that dtype on that device."""
    _refuse("asarray", order=order, like=like)
    result = array(a, dtype, copy=copy)
    return result if device is None else result.to_device(device)


def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The same: there are no classes below Array."""
    return asarray(a, dtype, order, device=device, copy=copy, like=like)


def ascontiguousarray(a, dtype=None, *, like=None):
    """An array whose elements lie one behind the other; of one dimension at least."""
    _refuse("ascontiguousarray", like=like)
    result = asarray(a, dtype)
    result = result if result.ndim else result.reshape(1)
    return result if _contiguous(result) else result.copy()


def _contiguous(a):
    step = a.itemsize
    for extent, stride in zip(reversed(a.shape), reversed(a.strides)):
        if extent > 1 and stride != step:
            return False
        step *= extent
    return True


def asfortranarray(a, dtype=None, *, like=None):
    """Not there: TypeError, since arrays are in C's order."""
    raise TypeError("asfortranarray is not there: arrays are in C's order. A kernel that wants columns takes a.T, a view")


def asarray_chkfinite(a, dtype=None, order=None):
    """An Array of values that are all finite; ValueError: they are not, for which it waits."""
    from .._elementwise import isfinite

    given = asarray(a, None, order)
    if not isfinite(given).all().item():
        integers = dtype is not None and _common.kind_of_dtype(dtype) in "iu"
        raise (OverflowError if integers and not _is_array(a) else ValueError)("the array has infinities or NaN")
    result = asarray(given, dtype)
    if not isfinite(result).all().item():
        raise ValueError(f"the array has numbers that are infinite as {result.dtype}")
    return result


def require(a, dtype=None, requirements=None, *, like=None):
    """An array of a dtype; requirements: letters or words for C's order, writeable and aligned, which all are that it makes."""
    _refuse("require", like=like)
    for each in [requirements] if isinstance(requirements, str) else requirements or ():
        if each.upper() not in ("C", "C_CONTIGUOUS", "CONTIGUOUS", "A", "ALIGNED", "W", "WRITEABLE", "E", "ENSUREARRAY"):
            raise ValueError(f"an array cannot be {_core.shown(each)} here: C, A, W and E are there")
    return ascontiguousarray(a, dtype) if requirements else asarray(a, dtype)


def copy(a, order="K", subok=False):
    """A copy on the device."""
    _refuse("copy", order=order, subok=subok)
    return array(a, copy=True)


def from_dlpack(x, /, *, device=None, copy=None):
    """An Array over the memory of another library's, by DLPack. copy: True gives a copy."""
    result = _core.from_dlpack(x)
    if device is not None:
        result = result.to_device(device)
    return result.copy() if copy else result


def frombuffer(buffer, dtype=None, count=-1, offset=0, *, like=None):
    """A copy of host memory as an array of one dimension."""
    _refuse("frombuffer", like=like)
    return _array_of(_host.frombuffer(buffer, float if dtype is None else dtype, count, offset))


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """What a function of the indices, which are given as Arrays, makes."""
    _refuse("fromfunction", like=like)
    return function(*indices(shape, dtype=dtype), **kwargs)


def fromiter(iter, dtype, count=-1, *, like=None):
    """An array of one dimension of what an iterable gives, which is taken on the host."""
    _refuse("fromiter", like=like)
    return _array_of(_host.fromiter(iter, dtype, count))


def fromstring(string, dtype=float, count=-1, *, sep, like=None):
    """Numbers of a text."""
    _refuse("fromstring", like=like)
    return _array_of(_host.fromstring(string, dtype, count, sep=sep))


def fromfile(file, dtype=None, count=-1, sep="", offset=0, *, like=None):
    """Numbers of a file, read on the host."""
    _refuse("fromfile", like=like)
    return _array_of(_host.fromfile(file, float if dtype is None else dtype, count, sep, offset))


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=10000):
    """The array of a file .npy, or the arrays of a file .npz by name, a dict."""
    found = _host.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    if hasattr(found, "files"):
        with found:
            return {name: _array_of(found[name]) for name in found.files}
    return _array_of(found)


# ---- By a rule ----

def arange(start_or_stop, /, stop=None, step=1, *, dtype=None, device=None, like=None):
    """start, start + step, … before stop."""
    _refuse("arange", like=like)
    start, stop = (0, start_or_stop) if stop is None else (start_or_stop, stop)
    start, stop, step = [_common.value_of(each) for each in (start, stop, 1 if step is None else step)]
    if step == 0:
        raise ZeroDivisionError("a step of 0 leads nowhere")
    if dtype is not None and str(_core.named_dtype(dtype)) == "bool":
        values = _host.arange(start, stop, step, dtype=bool)
        return _array_of(values)
    return _core.arange(start, stop, step, dtype, device=device)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """num values from start to stop, which are numbers or arrays. retstep: and the step between them."""
    try:
        count = _operator.index(num)
    except TypeError:
        raise TypeError(f"linspace: num is an int, not {_core.shown(num)}") from None
    if count < 0:
        raise ValueError(f"{count} values: a number that is not negative is wanted")
    parts = count - 1 if endpoint else count
    if not _shaped(start) and not _shaped(stop):
        start, stop = _common.value_of(start), _common.value_of(stop)
        complex_ = isinstance(start, complex) or isinstance(stop, complex)
        wide = _core.result_dtype((_core.get_default_dtype(), "complex64")) if complex_ else _core.get_default_dtype()
        steps = _core.arange(count, dtype="int64", device=device)
        numbers = {name: _core.full((), value, wide, stream=steps.stream) for name, value in
                   (("b", start), ("s", (stop - start) / parts if parts > 0 else float("nan")), ("e", stop))}
        step = (stop - start) / parts if parts > 0 else float("nan")
    else:
        a, b = _common.arrays_of(start, stop)
        plain = [each for each in (start, stop) if type(each) in _common.PLAIN]  # whose width gives way
        wide = _core.result_dtype(tuple([each for given, each in ((start, a), (stop, b)) if type(given) not in _common.PLAIN]))
        wide = wide if _common.kind_of_dtype(wide) in "fc" else _common.wide_float(a.device)
        wide = _core.result_dtype((wide, *plain))
        steps = _core.arange(count, dtype="int64", stream=a.stream)
        shape = _core.broadcast_shape([a.shape, b.shape])
        steps = steps.reshape((count,) + (1,) * len(shape))
        a, b = a.astype(wide), b.astype(wide)
        step = (b - a) / parts if parts > 0 else _core.full(shape, float("nan"), wide, stream=a.stream)
        numbers = {"b": a, "s": step, "e": b}
    last = f"k == {count - 1} ? e : " if endpoint and count > 1 else ""
    result = _common.evaluate(f"k == 0 ? b : {last}b + s * k", wide, k=steps, **numbers)
    if dtype is not None:
        result = (_core.apply("floor", result) if _is_integer(dtype) else result).astype(dtype, copy=False)
    if axis != 0:
        result = _shapes.moveaxis(result, 0, axis)
    return (result, step) if retstep else result


def _is_integer(dtype):
    return str(_core.named_dtype(dtype)).lstrip("u").startswith("int")


def _shaped(x):
    return bool(getattr(x, "ndim", 0)) or isinstance(x, (list, tuple))


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """base to the powers of num values from start to stop."""
    powers = linspace(start, stop, num, endpoint, axis=axis)
    if _shaped(base):
        base = _shapes.expand_dims(_array_of(base, stream=powers.stream), axis)
    result = _core.array_from(base, powers.dtype, stream=powers.stream) ** powers
    return result if dtype is None else result.astype(dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """num values from start to stop, each the one before times the same number. Waits where these are Arrays."""
    start, stop = _common.on_host(start), _common.on_host(stop)
    if (start == 0).any() or (stop == 0).any():
        raise ValueError("a geometric sequence has no 0")
    wide = _common.wide_float(_core.default_stream().device)
    if start.dtype.kind == "c" or stop.dtype.kind == "c":
        wide = "complex128" if wide == "float64" else "complex64"
    kind = complex if wide.startswith("complex") else float
    sign = _host.sign(start.astype(kind)) if kind is complex else _host.where((start < 0) & (stop < 0), -1.0, 1.0)
    low, high = _host.log10((start / sign).astype(kind)), _host.log10((stop / sign).astype(kind))
    places = linspace(_array_of(low, wide), _array_of(high, wide), num, endpoint)
    result = (_core.full((), 10.0, wide) ** places) * _array_of(sign, wide)
    if num > 0:
        result[0] = start
        if num > 1 and endpoint:
            result[-1] = stop
    if axis != 0:
        result = _shapes.moveaxis(result, 0, axis)
    if dtype is None and start.ndim == 0 and stop.ndim == 0:
        dtype = _core.get_default_dtype() if kind is float else result.dtype
    return result if dtype is None else result.astype(dtype)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """For each of several arrays of one dimension its values in a grid of all. sparse: of extent 1 along the other axes.
    copy=False: views."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is \"xy\" or \"ij\", not {_core.shown(indexing)}")
    arrays = [each.reshape(-1) for each in _common.arrays_of(*xi)]
    places = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        places[:2] = 1, 0
    views = [each.reshape(tuple([each.size if i == place else 1 for i in range(len(arrays))]))
             for place, each in zip(places, arrays)]
    views = views if sparse else _shapes.broadcast_arrays(*views)
    return tuple([each.copy() if copy else each for each in views])


def indices(dimensions, dtype=int, sparse=False):
    """The indices of the elements of a shape along each axis: one array, or with sparse a tuple of arrays that broadcast."""
    dimensions = tuple(dimensions) if hasattr(dimensions, "__iter__") else (dimensions,)
    dtype = "int64" if dtype is int else None if dtype is float else dtype
    each = [_core.arange(extent, dtype=dtype or _core.get_default_dtype()).reshape(
        tuple([extent if i == axis else 1 for i in range(len(dimensions))])) for axis, extent in enumerate(dimensions)]
    if sparse:
        return tuple(each)
    if not each:
        return _core.empty((0,), dtype)
    return _core.stack([one.broadcast_to(dimensions) for one in each], 0)


class _Grid:
    """np.mgrid[0:3, 0:1:5j]: the values of slices in a grid; a step of 5j means 5 values."""

    def __init__(self, sparse):
        self._sparse = sparse

    def __getitem__(self, key):
        several = isinstance(key, tuple)
        lines = [self._line(each) for each in (key if several else (key,))]
        if not several:
            return lines[0]
        lines = _common.together(*lines)
        views = meshgrid(*lines, sparse=self._sparse, indexing="ij")
        return views if self._sparse else _core.stack(views, 0)

    def _line(self, part):
        start, step = 0 if part.start is None else part.start, 1 if part.step is None else part.step
        if isinstance(step, complex):
            return linspace(start, part.stop, int(abs(step)))
        return arange(start, part.stop, step)


mgrid, ogrid = _Grid(False), _Grid(True)


# ---- Matrices ----

def diag(v, k=0):
    """The diagonal of a matrix, or the matrix with a vector on its diagonal, the k-th above it."""
    v = _array_of(v)
    if v.ndim == 2:
        return _diagonal(v, k)
    if v.ndim != 1:
        raise ValueError(f"diag is of a vector or a matrix, not of shape {v.shape}")
    n = v.size + abs(k)
    result = _core.zeros((n, n), v.dtype, stream=v.stream)
    first = k if k >= 0 else -k * n
    if v.size:
        result.reshape(-1)[first:first + (v.size - 1) * (n + 1) + 1:n + 1] = v
    return result


def _diagonal(v, k):
    from ..linalg import diagonal

    return diagonal(v, offset=k)


def diagflat(v, k=0):
    """The matrix with the flattened array on its diagonal, the k-th above it."""
    return diag(_array_of(v).reshape(-1), k)


def tri(N, M=None, k=0, dtype=float, *, like=None):
    """A matrix of ones at and below a diagonal, and zeros above."""
    _refuse("tri", like=like)
    M = N if M is None else M
    rows, columns = _core.arange(N, dtype="int64")[:, None], _core.arange(M, dtype="int64")
    return (columns - rows <= k).astype(_core.get_default_dtype() if dtype is float else dtype)


def tril(m, k=0):
    """The matrix with zeros above a diagonal."""
    return _shapes.tril(_square(m), k)


def triu(m, k=0):
    """The matrix with zeros below a diagonal."""
    return _shapes.triu(_square(m), k)


def _square(m):
    """A vector as the rows of a square matrix, as NumPy has it."""
    m = _array_of(m)
    return m.broadcast_to((m.size, m.size)) if m.ndim == 1 else m


def vander(x, N=None, increasing=False):
    """The powers of each element in a row, from the highest down."""
    x = _array_of(x)
    if x.ndim != 1:
        raise ValueError(f"vander is of a vector, not of shape {x.shape}")
    N = x.size if N is None else N
    powers = _core.arange(N, dtype="int64", stream=x.stream)
    powers = powers if increasing else powers[::-1]
    wide = _core.result_dtype((x, "int64"))
    return x.astype(wide)[:, None] ** powers.astype(wide)


# ---- Windows ----

def _window(M, text):
    count = int(M)
    if count < 1:
        return _core.zeros((0,), _core.get_default_dtype())
    if count == 1:
        return _core.ones((1,), _core.get_default_dtype())
    steps = _core.arange(count, dtype="int64")
    last = _core.full((), count - 1, _core.get_default_dtype(), stream=steps.stream)
    return _common.evaluate(text, _core.get_default_dtype(), k=steps, m=last)


def hanning(M):
    """The window of von Hann."""
    return _window(M, "0.5 - 0.5 * cos(6.28318530717958648 * k / m)")


def hamming(M):
    """The window of Hamming."""
    return _window(M, "0.54 - 0.46 * cos(6.28318530717958648 * k / m)")


def blackman(M):
    """The window of Blackman."""
    return _window(M, "0.42 - 0.5 * cos(6.28318530717958648 * k / m) + 0.08 * cos(12.5663706143591730 * k / m)")


def bartlett(M):
    """A triangle."""
    return _window(M, "1 - fabs(2 * k / m - 1)")


def kaiser(M, beta):
    """The window of Kaiser."""
    from ._math import i0

    where = _window(M, "sqrt(fmax(1 - (2 * k / m - 1) * (2 * k / m - 1), 0))")
    return where if where.size < 2 else i0(where * float(beta)) / i0(_core.full((), float(beta), where.dtype))
