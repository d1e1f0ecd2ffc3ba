# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Filters with the names, parameters, modes and origins of scipy.ndimage; what they read and write is on the device.

Integers are rounded to the nearest number within the range of the result, where SciPy truncates and wraps. Weights are few and are
read by the host: lists or NumPy's arrays; an Array of weights is waited for. output: None, a dtype, or an Array, which may be the
input itself; it is returned. mode: reflect (or grid-mirror), constant (or grid-constant: cval), nearest, mirror, wrap (or
grid-wrap); a list has one for each axis, but for correlate and convolve. With axes, sizes, origins and modes are in their order;
with weights, a footprint or a structure, and in filters by rank whose window differs along the axes, axes ascend: of others SciPy
takes some in that order and some in theirs. Where a weight is NaN, so is the result; SciPy's correlate and convolve leave it
out."""

import math as _math
import operator as _operator

from . import _core
from ._core import Array as _Array
from ._core import array_from as _array_from
from ._core import evaluate as _evaluate

__all__ = ["binary_closing", "binary_dilation", "binary_erosion", "binary_opening", "convolve", "convolve1d", "correlate",
           "correlate1d", "gaussian_filter", "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace", "grey_closing",
           "grey_dilation", "grey_erosion", "grey_opening", "laplace", "maximum_filter", "maximum_filter1d", "median_filter",
           "minimum_filter", "minimum_filter1d", "percentile_filter", "prewitt", "rank_filter", "separable_filter", "sobel",
           "uniform_filter", "uniform_filter1d"]

_DIRECT = {"int8", "uint8", "int16", "uint16", "float16", "bfloat16", "float32", "float64"}  # dtypes of the library's filters
_MODES = {"reflect": "reflect", "grid-mirror": "reflect", "constant": "constant", "grid-constant": "constant",
          "nearest": "nearest", "mirror": "mirror", "wrap": "wrap", "grid-wrap": "wrap"}


# ---- What all have in common ----

def _axes(axes, ndim):
    """A list of axes from 0."""
    chosen = range(ndim) if axes is None else axes if hasattr(axes, "__iter__") else (axes,)
    result = []
    for axis in chosen:
        axis = _operator.index(axis)
        if not -ndim <= axis < ndim:
            raise _core.axis_error(axis, ndim)
        result.append(axis % ndim)
    if len(set(result)) != len(result):
        raise ValueError("an axis is named twice")
    return result


def _ascending(axes, is_alike=False):
    """The axes of a window, whose own order is theirs; is_alike: it is the same along all of them."""
    if not is_alike and axes != sorted(axes):
        raise ValueError(f"axes are {tuple(axes)}, and ascend where a window has an order of its own: turn it, say {sorted(axes)}")
    return sorted(axes)


def _each(value, count, name):
    """One value for each axis, from one for all or a sequence."""
    values = list(value) if hasattr(value, "__len__") and not isinstance(value, str) else [value] * count
    if len(values) != count:
        raise ValueError(f"{name} has {len(values)} values for {count} axes")
    return values


def _modes(mode, count):
    modes = _each(mode, count, "mode")
    for each in modes:
        if not isinstance(each, str) or each not in _MODES:
            raise ValueError(f"no such mode: {_core.shown(each)}; there are {', '.join(_MODES)}")
    return [_MODES[each] for each in modes]


def _image(input):
    """The input as an Array, of real numbers."""
    image = _array_from(input)
    name = str(image.dtype)
    if name.startswith("complex"):
        raise TypeError(f"an array of {name} is filtered by its parts: input.real and input.imag are views of them")
    return image


def _target(output, image):
    """The dtype of the result, and the Array for it, or None."""
    if output is None:
        return str(image.dtype), None
    if isinstance(output, _Array):
        if output.shape != image.shape:
            raise ValueError(f"output has the shape {output.shape}, and the input {image.shape}")
        return str(output.dtype), output
    if not isinstance(output, type) and hasattr(output, "shape") and hasattr(output, "__array__"):
        raise TypeError(f"output is an Array or a dtype, not a {type(output).__name__}, which is in the host's memory")
    return str(_core.named_dtype(output)), None


def _work(image, target):
    """The dtype that sums are kept in between filters."""
    wide = image.device.supports("fp64") and any([
        name in ("float64", "int32", "uint32", "int64", "uint64") for name in (str(image.dtype), target)])
    return "float64" if wide else "float32"


def _limited(values, target):
    """Integers, where they are beyond the range of the target its end."""
    from ._types import iinfo  # which imports NumPy

    own, ends = iinfo(values.dtype), iinfo(target)
    low, high = max(own.min, ends.min), min(own.max, ends.max)
    return values if (low, high) == (own.min, own.max) else values.clip(low, high)


def _finished(values, target, out):
    """Values as the result: floats are rounded to integers, and integers limited to the range of others."""
    if "int" in target and str(values.dtype) != target:
        values = _limited(values, target) if "int" in str(values.dtype) else _core.apply("rint", values)
    if out is None:
        return values.astype(target, copy=False)
    out[...] = values
    return out


def _direct(image, output, call):
    """call(input, output) of the library, which knows some dtypes; of others the values are converted."""
    target, out = _target(output, image)
    if str(image.dtype) in _DIRECT and target in _DIRECT:
        return call(image, target if out is None else out)
    work = _work(image, target)
    return _finished(call(image.astype(work), work), target, out)


def _passes(image, output, calls):
    """Filters one after the other, each call(input, output), with floats in between."""
    if len(calls) == 1:
        return _direct(image, output, calls[0])
    target, out = _target(output, image)
    if not calls:
        return _finished(image.copy() if out is None else image, target, out)
    work = _work(image, target)
    values = image if str(image.dtype) in _DIRECT else image.astype(work)
    for call in calls:
        values = call(values, work)
    return _finished(values, target, out)


# ---- Weights ----

def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Correlate one axis with weights of one dimension."""
    return _direct(_image(input), output, lambda a, out: _core.correlate1d(
        a, weights, axis, output=out, mode=mode, cval=cval, origin=origin))


def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """As correlate1d, with the weights reversed."""
    return _direct(_image(input), output, lambda a, out: _core.convolve(
        a, weights, axes=(axis,), output=out, mode=mode, cval=cval, origin=origin))


def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Correlate 1 to 3 axes (None: all) with weights of as many dimensions; origin: how far the weights are shifted, one for all
    axes or one for each."""
    image = _image(input)
    axes = _ascending(_axes(axes, image.ndim))
    return _direct(image, output, lambda a, out: _core.correlate(
        a, weights, output=out, mode=mode, cval=cval, origin=origin, axes=axes))


def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """As correlate, with the weights reversed along each axis."""
    image = _image(input)
    axes = _ascending(_axes(axes, image.ndim))
    return _direct(image, output, lambda a, out: _core.convolve(
        a, weights, output=out, mode=mode, cval=cval, origin=origin, axes=axes))


def separable_filter(input, weights, *, axes=None, output=None, mode="reflect", cval=0.0, origin=0):
    """Correlate each axis (None: all) with weights of its own: a list with the weights of each axis. SciPy has none."""
    return _direct(_image(input), output, lambda a, out: _core.separable_filter(
        a, weights, axes=axes, output=out, mode=mode, cval=cval, origin=origin))


def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The mean of a box of this size around each element, one for all axes or one for each; origin: how far the box is shifted."""
    image = _image(input)
    axes = _axes(axes, image.ndim)
    sizes, origins = _each(size, len(axes), "size"), _each(origin, len(axes), "origin")
    origins = [0 if n == 1 else shift for n, shift in zip(sizes, origins)]  # an axis of one neighbour is left out
    if isinstance(mode, str):
        return _direct(image, output, lambda a, out: _core.uniform_filter(
            a, sizes, output=out, mode=mode, cval=cval, origin=origins, axes=axes))
    return _passes(image, output, [
        lambda a, out, axis=axis, size=size, mode=mode, origin=origin: _core.uniform_filter(
            a, size, output=out, mode=mode, cval=cval, origin=origin, axes=(axis,))
        for axis, size, mode, origin in zip(axes, sizes, _modes(mode, len(axes)), origins)])


def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The mean of `size` elements along one axis."""
    return uniform_filter(input, size, output, mode, cval, origin, axes=(axis,))


# ---- Gauss ----

def _gauss_weights(sigma, order, radius):
    """The weights of a correlation with the derivative of this order: the Gaussian, whose sum is 1, times a polynomial. With each
    derivative the polynomial q becomes q' - q * x / sigma**2."""
    polynomial = [1.0]
    for _ in range(order):
        slope = [k * q for k, q in enumerate(polynomial)][1:] + [0.0, 0.0]
        polynomial = [a + b for a, b in zip(slope, [0.0] + [-q / sigma**2 for q in polynomial])]
    bell = [_math.exp(-0.5 * x * x / sigma**2) for x in range(-radius, radius + 1)]
    total = _math.fsum(bell)
    return [each / total * sum([q * x**k for k, q in enumerate(polynomial)])
            for each, x in zip(bell, range(radius, -radius - 1, -1))]


def _order(order):
    order = _operator.index(order)
    if order < 0:
        raise ValueError(f"order is {order}, and is 0 or more")
    return order


def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None, axes=None):
    """Smooth with a Gaussian of this sigma, or with order filter by its derivative; sigma, order and radius are one for all axes or
    one for each. The weights end truncate sigmas from the middle, or at the radius."""
    image = _image(input)
    chosen = _axes(axes, image.ndim)
    count = len(chosen)
    orders = [_order(each) for each in _each(order, count, "order")]
    if not any(orders) and radius is None and isinstance(mode, str):
        return _direct(image, output, lambda a, out: _core.gaussian_filter(
            a, sigma, output=out, mode=mode, cval=cval, truncate=truncate, axes=chosen))
    sigmas = [float(each) for each in _each(sigma, count, "sigma")]
    if not all([each >= 0 and _math.isfinite(each) for each in sigmas]):
        raise ValueError(f"sigma is a finite number that is not negative, not {_core.shown(sigma)}")
    calls = []
    for axis, s, k, one_mode, r in zip(chosen, sigmas, orders, _modes(mode, count), _each(radius, count, "radius")):
        if s <= 1e-15:  # as SciPy has it, without its derivative
            continue
        r = int(truncate * s + 0.5) if r is None else _operator.index(r)
        if r < 0:
            raise ValueError(f"radius is {r}, and is 0 or more")
        calls.append(lambda a, out, axis=axis, weights=_gauss_weights(s, k, r), one_mode=one_mode: _core.correlate1d(
            a, weights, axis, output=out, mode=one_mode, cval=cval))
    return _passes(image, output, calls)


def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None):
    """gaussian_filter along one axis."""
    return gaussian_filter(input, float(sigma), order, output, mode, cval, truncate, radius=radius, axes=(axis,))


# ---- Derivatives ----

def _along(axis, ndim):
    return _axes((axis,), ndim)[0]


def _derivative(input, axis, across, output, mode, cval):
    """[-1, 0, 1] along an axis, then these weights along the others."""
    image = _image(input)
    axis, modes = _along(axis, image.ndim), _modes(mode, image.ndim)
    order = [axis, *[each for each in range(image.ndim) if each != axis]]
    return _passes(image, output, [
        lambda a, out, each=each, weights=[-1, 0, 1] if each == axis else across: _core.correlate1d(
            a, weights, each, output=out, mode=modes[each], cval=cval) for each in order])


def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0, *, axes=None):
    """Sobel's derivative along an axis, smoothed along the others of axes (None: all; SciPy has no axes here)."""
    image = _image(input)
    if isinstance(mode, str) and _MODES.get(mode) != "constant":  # where the order of the axes makes no difference
        return _direct(image, output, lambda a, out: _core.sobel(a, axis, output=out, mode=mode, cval=cval, axes=axes))
    if axes is not None:
        raise ValueError("with axes, mode is one of reflect, nearest, mirror and wrap")
    return _derivative(image, axis, [1, 2, 1], output, mode, cval)


def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Prewitt's derivative along an axis: the sum of three along the others."""
    return _derivative(input, axis, [1, 1, 1], output, mode, cval)


def _sum_over_axes(input, output, axes, mode, term, text):
    """The sum of a filter along each axis, term(image, axis, mode, work), by an expression of the sum and the next."""
    image = _image(input)
    target, out = _target(output, image)
    axes = _axes(axes, image.ndim)
    work = _work(image, target)
    image = image if str(image.dtype) in _DIRECT else image.astype(work)
    values = None
    for axis, one_mode in zip(axes, _modes(mode, len(axes))):
        part = term(image, axis, one_mode, work)
        values = _evaluate(text, work, s=0.0 if values is None else values, x=part)
    return image, target, out, values


def _laplacian(input, output, axes, mode, term):
    image, target, out, values = _sum_over_axes(input, output, axes, mode, term, "s + x")
    return _finished(image.copy() if values is None else values, target, out)


def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    """The sum of the second differences along the axes."""
    return _laplacian(input, output, axes, mode, lambda a, axis, one_mode, work: _core.correlate1d(
        a, [1, -2, 1], axis, output=work, mode=one_mode, cval=cval))


def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The sum of the second derivatives of a Gaussian. kwargs: truncate or radius, of gaussian_filter."""
    return _laplacian(input, output, axes, mode, _gauss_term(sigma, 2, mode, cval, axes, kwargs))


def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The length of the gradient, by the first derivatives of a Gaussian. kwargs: as gaussian_laplace."""
    image, target, out, values = _sum_over_axes(input, output, axes, mode, _gauss_term(sigma, 1, mode, cval, axes, kwargs),
                                                "fma(x, x, s)")
    return _finished(image.copy() if values is None else _core.apply("sqrt", values), target, out)


def _gauss_term(sigma, order, mode, cval, axes, kwargs):
    """The derivative of a Gaussian over all axes along one of them."""
    unknown = set(kwargs) - {"truncate", "radius"}
    if unknown:
        raise TypeError(f"unknown: {', '.join(sorted(unknown))}; gaussian_filter takes truncate and radius here")

    def term(image, axis, one_mode, work):
        chosen = _axes(axes, image.ndim)
        _ascending(chosen, not hasattr(sigma, "__len__"))  # SciPy takes sigmas in ascending order, here alone
        orders = [order if each == axis else 0 for each in chosen]
        return gaussian_filter(image, sigma, orders, work, mode, cval, axes=axes, **kwargs)

    return term


# ---- Ranks ----

def _by_rank(rank, input, size, footprint, output, mode, cval, origin, axes, is_separable=False):
    """rank(count) is which of the sorted neighbours is kept."""
    from ._rank_filter import ranked, window

    image = _image(input)
    target, out = _target(output, image)
    axes = _axes(axes, image.ndim)
    origins = [_operator.index(each) for each in _each(origin, len(axes), "origin")]
    sizes = None if size is None else _each(size, len(axes), "size")
    shape, flags, origins = window(size, footprint, sizes, origins, is_separable)
    modes = _modes(mode, len(axes))
    if not is_separable or flags is not None and not all(flags):
        axes = _ascending(axes, flags is None and len({*zip(shape, origins, modes)}) <= 1)
    count = _math.prod(shape) if flags is None else sum(flags)
    direct = out if out is not None and out.dtype == image.dtype else None
    values = ranked(image, rank(count), shape, flags, axes, origins, modes, cval, direct)
    return values if direct is not None else _finished(values, target, out)


def _extreme(last, input, size, footprint, output, mode, cval, origin, axes):
    return _by_rank(lambda n: n - 1 if last else 0, input, size, footprint, output, mode, cval, origin, axes, is_separable=True)


def minimum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The smallest of the neighbours: a box of this size, one for all axes or one for each, or where the footprint is true. In all
    filters by rank NaN is larger than every number, as in sorts."""
    return _extreme(False, input, size, footprint, output, mode, cval, origin, axes)


def maximum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The largest of the neighbours, as minimum_filter."""
    return _extreme(True, input, size, footprint, output, mode, cval, origin, axes)


def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The smallest of `size` elements along one axis."""
    return _extreme(False, input, size, None, output, mode, cval, origin, (axis,))


def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The largest of `size` elements along one axis."""
    return _extreme(True, input, size, None, output, mode, cval, origin, (axis,))


def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The median of the neighbours, the upper one of an even number."""
    return _by_rank(lambda n: n // 2, input, size, footprint, output, mode, cval, origin, axes)


def rank_filter(input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The neighbour of this rank: 0 is the smallest, -1 the largest."""
    rank = _operator.index(rank)

    def place(n):
        if not -n <= rank < n:
            raise ValueError(f"rank {rank} of {n} neighbours")
        return rank % n

    return _by_rank(place, input, size, footprint, output, mode, cval, origin, axes)


def percentile_filter(input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The neighbour below which so many of 100 are; -20 is 80."""
    percentile = float(percentile)
    share = percentile + 100 if percentile < 0 else percentile
    if not 0 <= share <= 100:
        raise ValueError(f"percentile is from -100 to 100, not {percentile}")
    return _by_rank(lambda n: n - 1 if share == 100 else int(n * share / 100), input, size, footprint, output, mode, cval, origin,
                    axes)


# ---- Morphology ----

def grey_erosion(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The smallest of the neighbours: a box of this size, or where the footprint is true. structure: zeros,
    whose shape is the box."""
    return _grey(False, input, size, footprint, structure, output, mode, cval, origin, axes)


def grey_dilation(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The largest of the neighbours, with the window mirrored at the element; as grey_erosion."""
    return _grey(True, input, size, footprint, structure, output, mode, cval, origin, axes)


def grey_opening(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """An erosion, and then a dilation: small bright parts disappear."""
    eroded = _grey(False, input, size, footprint, structure, None, mode, cval, origin, axes)
    return _grey(True, eroded, size, footprint, structure, output, mode, cval, origin, axes)


def grey_closing(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """A dilation, and then an erosion: small dark parts disappear."""
    dilated = _grey(True, input, size, footprint, structure, None, mode, cval, origin, axes)
    return _grey(False, dilated, size, footprint, structure, output, mode, cval, origin, axes)


def _grey(*call):
    from ._morphology import grey

    return grey(*call)


def _binary(*call):
    from ._morphology import binary

    return binary(*call)


def binary_erosion(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0, brute_force=False, *,
                   axes=None):
    """Where all neighbours are not 0. structure: where the neighbours are; None: the element and those beside it along an axis.
    iterations: how many times; below 1, until nothing changes, which waits each time. mask: only these elements change."""
    return _binary(False, input, structure, iterations, mask, output, border_value, origin, brute_force, axes)


def binary_dilation(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0, brute_force=False, *,
                    axes=None):
    """Where one of the neighbours is not 0; as binary_erosion."""
    return _binary(True, input, structure, iterations, mask, output, border_value, origin, brute_force, axes)


def binary_opening(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0, brute_force=False, *,
                   axes=None):
    """An erosion, and then a dilation."""
    between = _binary(False, input, structure, iterations, mask, None, border_value, origin, brute_force, axes)
    return _binary(True, between, structure, iterations, mask, output, border_value, origin, brute_force, axes)


def binary_closing(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0, brute_force=False, *,
                   axes=None):
    """A dilation, and then an erosion."""
    between = _binary(True, input, structure, iterations, mask, None, border_value, origin, brute_force, axes)
    return _binary(False, between, structure, iterations, mask, output, border_value, origin, brute_force, axes)


# ---- What SciPy has beside ----

_OF_SCIPY = {
    **{f"generic_{name}": "a Python function cannot be called for each element on a device: write a kernel, as @yoke.kernel, or an "
       "expression" for name in ("filter", "filter1d", "laplace", "gradient_magnitude")},
    "vectorized_filter": "write a kernel, as @yoke.kernel, or an expression",
    "white_tophat": "a - grey_opening(a, …)", "black_tophat": "grey_closing(a, …) - a",
    "morphological_gradient": "grey_dilation(a, …) - grey_erosion(a, …)",
    **{name: f"scipy.ndimage.{name}(a.to_numpy(), …) computes it on the host" for name in (
        "affine_transform binary_fill_holes center_of_mass distance_transform_edt fourier_gaussian geometric_transform label "
        "map_coordinates rotate shift spline_filter zoom").split()},
}


def __getattr__(name):
    raise AttributeError(_core.missing("yoke.ndimage", name, __all__, _OF_SCIPY), name=name)
