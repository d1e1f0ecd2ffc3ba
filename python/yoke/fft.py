# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms with the names, shapes and norms of numpy.fft.

float32 and complex64 give complex64 or float32, float64 and complex128 the wider ones; other dtypes are converted. s and n: the
extents along the axes, to which the input is cut or filled with zeros; of s -1 is the axis as it is. norm: "backward", "ortho",
"forward" or "none". exact: not by a vendor's library, so that every device gives the same bits.
"""

from ._core import arange as _arange
from ._core import asarray as _asarray
from ._core import axis_error as _axis_error
from ._core import convolved as _convolved
from ._core import empty as _empty
from ._core import evaluate as _evaluate
from ._core import full as _full
from ._core import get_default_dtype as _get_default_dtype
from ._core import index_of as _index_of
from ._core import transform as _transform
from ._core import zeros as _zeros


def _name(array):
    return str(array.dtype)


def _wide(array):
    return _name(array) in ("float64", "complex128")


def _extents(array, s, axes):
    """The axes and the extents along them."""
    if axes is None:
        axes = range(array.ndim) if s is None else range(-len(s), 0)
    chosen = []
    for axis in axes:
        number = _index_of(axis, "an axis")
        if not -array.ndim <= number < array.ndim:
            raise _axis_error(number, array.ndim)
        chosen.append(number % array.ndim)
    s = [-1] * len(chosen) if s is None else [_index_of(extent, "an extent of s") for extent in s]
    if len(s) != len(chosen):
        raise ValueError(f"s has {len(s)} extents for {len(chosen)} axes")
    s = [array.shape[axis] if extent == -1 else extent for axis, extent in zip(chosen, s)]
    for extent in s:
        if extent < 1:
            raise ValueError(f"a transform has one element or more, not {extent}")
    return chosen, s


def _parts(axes, s):
    """The axes and extents of one transform after another, from the last axes on: up to three axes at a time, and each once."""
    parts, end = [], len(axes)
    while end:
        first = end - 1
        while first and end - first < 3 and axes[first - 1] not in axes[first:end]:
            first -= 1
        parts.append((axes[first:end], s[first:end]))
        end = first
    return parts


def _resized(array, axes, s):
    """The array with these extents along axes: cut, or filled with zeros."""
    shape = list(array.shape)
    for axis, extent in zip(axes, s):
        shape[axis] = extent
    if tuple(shape) == array.shape:
        return array
    common = tuple(slice(min(old, new)) for old, new in zip(array.shape, shape))
    if all(new <= old for old, new in zip(array.shape, shape)):
        return array[common]
    result = _zeros(shape, _name(array), stream=array.stream)
    result[common] = array[common]
    return result


def _complex(array, s, axes, norm, inverse, exact):
    array = _asarray(array)
    for along, extents in _parts(*_extents(array, s, axes)):
        source = _resized(_asarray(array, "complex128" if _wide(array) else "complex64"), along, extents)
        array = _transform(_empty(source.shape, _name(source), stream=source.stream), source, inverse, along, norm, exact)
    return array


def fftn(a, s=None, axes=None, norm=None, *, exact=False):
    """The transform along axes, all of them where None; along none, axes=(), the array as it is."""
    return _complex(a, s, axes, norm, False, exact)


def ifftn(a, s=None, axes=None, norm=None, *, exact=False):
    """The inverse of fftn."""
    return _complex(a, s, axes, norm, True, exact)


def _halved(array, s, axes):
    """The parts of a transform between real numbers and half a spectrum, the halved axis in the first."""
    parts = _parts(*_extents(array, s, axes))
    if not parts:
        raise IndexError("the last of the axes is halved, and there is none")
    return parts


def rfftn(a, s=None, axes=None, norm=None, *, exact=False):
    """The transform of real numbers: the last of the axes has n // 2 + 1 elements, the rest being their mirror image."""
    array = _asarray(a)
    if _name(array).startswith("complex"):
        raise TypeError("rfft is of real numbers: take fft for complex ones")
    (along, extents), *others = _halved(array, s, axes)
    wide = _wide(array)
    source = _resized(_asarray(array, "float64" if wide else "float32"), along, extents)
    shape = list(source.shape)
    shape[along[-1]] = shape[along[-1]] // 2 + 1
    result = _empty(shape, "complex128" if wide else "complex64", stream=source.stream)
    result = _transform(result, source, False, along, norm, exact)
    for along, extents in others:
        result = _complex(result, extents, along, norm, False, exact)
    return result


def irfftn(a, s=None, axes=None, norm=None, *, exact=False):
    """The inverse of rfftn, real. s: the result's extents; without it, the last of the axes gets 2 * (m - 1) elements."""
    array = _asarray(a)
    (along, extents), *others = _halved(array, s, axes)
    if s is None:
        extents[-1] = 2 * (extents[-1] - 1)
        if extents[-1] < 1:
            raise ValueError("one element gives no length: give n, or s")
    for first, cut in reversed(others):
        array = _complex(array, cut, first, norm, True, exact)
    wide = _wide(array)
    source = _resized(_asarray(array, "complex128" if wide else "complex64"), along, [*extents[:-1], extents[-1] // 2 + 1])
    shape = list(source.shape)
    shape[along[-1]] = extents[-1]
    return _transform(_empty(shape, "float64" if wide else "float32", stream=source.stream), source, True, along, norm, exact)


def _one(n):
    """The extents of one axis, of n elements."""
    if n is None:
        return None
    if _index_of(n, "n") < 1:
        raise ValueError(f"a transform has one element or more, not {n}")
    return (n,)


def fft(a, n=None, axis=-1, norm=None, *, exact=False):
    """The transform along one axis."""
    return fftn(a, _one(n), (axis,), norm, exact=exact)


def ifft(a, n=None, axis=-1, norm=None, *, exact=False):
    """The inverse of fft."""
    return ifftn(a, _one(n), (axis,), norm, exact=exact)


def rfft(a, n=None, axis=-1, norm=None, *, exact=False):
    """The transform of real numbers along one axis: n // 2 + 1 elements."""
    return rfftn(a, _one(n), (axis,), norm, exact=exact)


def irfft(a, n=None, axis=-1, norm=None, *, exact=False):
    """The inverse of rfft, real, of n elements; None: 2 * (m - 1)."""
    return irfftn(a, _one(n), (axis,), norm, exact=exact)


def fft2(a, s=None, axes=(-2, -1), norm=None, *, exact=False):
    """The transform along two axes."""
    return fftn(a, s, axes, norm, exact=exact)


def ifft2(a, s=None, axes=(-2, -1), norm=None, *, exact=False):
    """The inverse of fft2."""
    return ifftn(a, s, axes, norm, exact=exact)


def rfft2(a, s=None, axes=(-2, -1), norm=None, *, exact=False):
    """The transform of real numbers along two axes."""
    return rfftn(a, s, axes, norm, exact=exact)


def irfft2(a, s=None, axes=(-2, -1), norm=None, *, exact=False):
    """The inverse of rfft2."""
    return irfftn(a, s, axes, norm, exact=exact)


def hfft(a, n=None, axis=-1, norm=None, *, exact=False):
    """The transform, real and of n elements (None: 2 * (m - 1)), of numbers whose other half is their mirror image."""
    return irfft(_asarray(a).conj(), n, axis, _OTHER_WAY.get(norm, norm), exact=exact)


def ihfft(a, n=None, axis=-1, norm=None, *, exact=False):
    """The inverse of hfft, of real numbers: n // 2 + 1 elements."""
    return rfft(a, n, axis, _OTHER_WAY.get(norm, norm), exact=exact).conj()


_OTHER_WAY = {None: "forward", "backward": "forward", "forward": "backward"}


def fftfreq(n, d=1.0, *, dtype=None, stream=None, device=None):
    """The frequencies of the transform of n samples at distances d: from 0 up, and from the negative ones up to 0."""
    return _frequencies(n, d, (n - 1) // 2 + 1, dtype, stream, device)


def rfftfreq(n, d=1.0, *, dtype=None, stream=None, device=None):
    """The same of rfft: from 0 up to the half of 1 / d."""
    return _frequencies(n // 2 + 1, d, n // 2 + 1, dtype, stream, device, n)


def _frequencies(count, d, first, dtype, stream, device, n=None):
    """count frequencies, of which those from `first` on are negative."""
    n = count if n is None else n
    if n < 1:
        raise ValueError(f"a transform has one element or more, not {n}")
    dtype = _get_default_dtype() if dtype is None else dtype
    steps = _arange(count, dtype="int64", stream=stream, device=device)
    return _evaluate(f"(i < {first} ? i : i - {n}) / scale", dtype, i=steps, scale=_full((), n * d, dtype, stream=steps.stream))


def fftshift(x, axes=None):
    """The elements of a transform with that of frequency 0 in the middle of the axes, all of them where None."""
    return _shifted(_asarray(x), axes, lambda extent: extent // 2)


def ifftshift(x, axes=None):
    """The inverse of fftshift."""
    return _shifted(_asarray(x), axes, lambda extent: -(extent // 2))


def _shifted(array, axes, shift):
    from ._shapes import roll

    axes = tuple(range(array.ndim)) if axes is None else axes if hasattr(axes, "__len__") else (axes,)
    for axis in axes:
        if not -array.ndim <= axis < array.ndim:
            raise _axis_error(axis, array.ndim)
    return roll(array, [shift(array.shape[axis]) for axis in axes], axes)


def convolve(a, b, mode="full", axes=None):
    """The convolution of two arrays along axes (None: all), of the shape that scipy.signal.fftconvolve gives: mode is "full",
    "same" or "valid"."""
    return _convolved(_asarray(a), _asarray(b), mode, axes)
