# SPDX-License-Identifier: Apache-2.0
"""Sums, products, extremes, means and variances along axes, and sums of all before. where: a mask of the elements that count.
initial: the value to begin with. out: an Array for the result, which is given back."""

from .. import _core, _statistics
from . import _common
from ._common import array_of as _array_of
from ._common import evaluate as _evaluate
from ._common import into as _into
from ._common import kind_of as _kind

__all__ = ["all", "amax", "amin", "any", "argmax", "argmin", "average", "count_nonzero", "cumprod", "cumsum", "cumulative_prod",
           "cumulative_sum", "max", "mean", "min", "prod", "ptp", "std", "sum", "var"]


def _masked(a, where, other):
    """The elements where the mask holds, and another value elsewhere."""
    if where is True:
        return a
    where = _array_of(where, stream=a.stream)
    if _kind(where) != "b":
        raise TypeError(f"where is a mask of bools, not of {where.dtype}")
    return _core.where(where, a, _core.full((), other, a.dtype, stream=a.stream))


def _begun(operation, a, axis, dtype, out, keepdims, initial, where, neutral):
    a = _masked(_array_of(a), where, neutral)
    a = _summable(a, dtype)
    result = getattr(a, operation)(_axis(axis), dtype, keepdims=keepdims)
    if initial is not None:
        result = result + initial if operation == "sum" else result * initial
    return _into(result, out)


def _summable(a, dtype):
    """Integers and bools as NumPy adds them; a dtype that is given is cast to before."""
    return a if dtype is None or str(a.dtype) == str(_core.named_dtype(dtype)) else a.astype(dtype)


def _axis(axis):
    return tuple(axis) if isinstance(axis, list) else axis


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The sum along an axis, several, or all; of integers as int64 or uint64."""
    return _begun("sum", a, axis, dtype, out, keepdims, initial, where, 0)


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """The product, as sum."""
    return _begun("prod", a, axis, dtype, out, keepdims, initial, where, 1)


def _extreme(name, a, axis, out, keepdims, initial, where):
    a = _array_of(a)
    if where is not True and initial is None:
        raise ValueError(f"{name} with where takes an initial, since the mask may hold nowhere")
    axis = _axis(axis)
    if initial is not None:
        initial = _array_of(initial, a.dtype, a.stream) if not _common.is_array(initial) else initial.astype(a.dtype)
        a = _masked(a, where, _common.value_of(initial))
    axes = _common.axes_of(axis, a.ndim)
    if initial is not None and not _extent(a, axes):
        shape = [1 if i in axes else extent for i, extent in enumerate(a.shape) if keepdims or i not in axes]
        return _into(initial.broadcast_to(tuple(shape)).copy(), out)
    if not _extent(a, axes):
        raise ValueError(f"{name} of no elements has no value: give initial")
    if _kind(a) == "c":
        result = _extreme_complex(name, a, axes, keepdims)
    elif not axes:
        result = a.copy()
    else:
        result = getattr(_statistics, name)(a, axis, keepdims=keepdims)
    if initial is not None:
        result = _core.binary_function(name, result, initial)
    return _into(result, out)


def _extent(a, axes):
    result = 1
    for each in axes:
        result *= a.shape[each]
    return result


def _extreme_complex(name, a, axes, keepdims):
    """By the real part, and by the imaginary part among equal ones; NaN where one is."""
    flat, shape = _flattened(a, axes, keepdims)
    nothing = float("inf") if name == "min" else -float("inf")
    best = getattr(_statistics, name)(flat.real, -1, keepdims=True)
    imaginary = _core.where(flat.real == best, flat.imag, _core.full((), nothing, best.dtype, stream=a.stream))
    second = getattr(_statistics, name)(imaginary, -1, keepdims=True)
    bad = _core.map_reduce("any", "isnan(real(a)) || isnan(imag(a))", -1, keepdims=True, a=flat)
    result = _evaluate("bad ? complex((r - r) / (r - r), (r - r) / (r - r)) : complex(r, i)", a.dtype, bad=bad, r=best, i=second)
    return result.reshape(shape)


def _flattened(a, axes, keepdims=False):
    """The axes as one behind the others, and the shape of a reduction over them."""
    others = [i for i in range(a.ndim) if i not in axes]
    flat = a.transpose((*others, *axes)) if a.ndim else a
    flat = flat.reshape((*[a.shape[i] for i in others], _extent(a, axes)))
    return flat, tuple([1 if i in axes else extent for i, extent in enumerate(a.shape) if keepdims or i not in axes])


def min(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The smallest element; NaN where one is."""
    return _extreme("min", a, axis, out, keepdims, initial, where)


def max(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    """The largest element; NaN where one is."""
    return _extreme("max", a, axis, out, keepdims, initial, where)


amin, amax = min, max


def ptp(a, axis=None, out=None, keepdims=False):
    """The largest element less the smallest."""
    return _into(max(a, axis, keepdims=keepdims) - min(a, axis, keepdims=keepdims), out)


def all(a, axis=None, out=None, keepdims=False, *, where=True):
    """Whether no element is 0."""
    return _into(_masked(_array_of(a), where, 1).all(_axis(axis), keepdims=keepdims), out)


def any(a, axis=None, out=None, keepdims=False, *, where=True):
    """Whether an element is not 0."""
    return _into(_masked(_array_of(a), where, 0).any(_axis(axis), keepdims=keepdims), out)


def _position(name, a, axis, out, keepdims):
    a = _array_of(a)
    if axis is not None and hasattr(axis, "__len__"):
        raise TypeError(f"{name} takes one axis or None, not {_core.shown(axis)}")
    if not (a.size if axis is None else a.shape[_common.axis_of(axis, a.ndim)]):
        raise ValueError(f"{name} of no elements has no value")
    if not a.ndim:
        return _into(_core.zeros((), "int64", stream=a.stream), out)
    if _kind(a) == "c":
        one = _extreme_complex(name[3:], a, _common.axes_of(axis, a.ndim), True)
        result = _evaluate("a == b || isnan(real(a)) || isnan(imag(a))", "bool", a=a, b=one).argmax(axis, keepdims=keepdims)
        return _into(result, out)
    result = getattr(a, name)(axis, keepdims=keepdims)
    if _kind(a) == "f":  # of the first NaN, where one is
        bad = _evaluate("isnan(a)", "bool", a=a)
        result = _core.where(bad.any(axis, keepdims=keepdims), bad.argmax(axis, keepdims=keepdims), result)
    return _into(result, out)


def argmin(a, axis=None, out=None, *, keepdims=False):
    """The position of the first smallest element, or of the first NaN: int64."""
    return _position("argmin", a, axis, out, keepdims)


def argmax(a, axis=None, out=None, *, keepdims=False):
    """The position of the first largest element, or of the first NaN: int64."""
    return _position("argmax", a, axis, out, keepdims)


def count_nonzero(a, axis=None, *, keepdims=False):
    """How many elements are not 0: int64."""
    return _core.map_reduce("sum", "x != 0", _axis(axis), keepdims=keepdims, dtype="int64", x=_array_of(a))


# ---- Means ----

def _count(a, axis, where, keepdims):
    """How many elements count, as floats of the mean's dtype, or as a number."""
    axes = _common.axes_of(axis, a.ndim)
    if where is True:
        return _extent(a, axes)
    mask = _array_of(where, stream=a.stream).broadcast_to(a.shape)
    return mask.sum(_axis(axis), keepdims=keepdims)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The mean; of integers as the widest float of the device."""
    a = _array_of(a)
    dtype = _common.mean_dtype(a) if dtype is None else dtype
    if where is True and _kind(a) != "c" and str(_core.named_dtype(dtype))[0] in "fb":
        return _into(a.mean(_axis(axis), dtype, keepdims=keepdims), out)
    total = sum(a, axis, dtype, keepdims=keepdims, where=where)
    return _into((total / _count(a, axis, where, keepdims)).astype(dtype, copy=False), out)


def _spread(a, axis, dtype, ddof, keepdims, where, mean_given, correction):
    """The variance."""
    if correction is not None:
        if ddof:
            raise ValueError("ddof and correction are two names of one thing: give one of them")
        ddof = correction
    a = _array_of(a)
    if where is True and mean_given is None and _kind(a) != "c":
        return a.var(_axis(axis), _common.mean_dtype(a) if dtype is None else dtype, None, ddof, keepdims=keepdims)
    wide = _common.mean_dtype(a) if dtype is None else dtype
    a = a.astype(wide, copy=False)
    middle = mean(a, axis, keepdims=True, where=where) if mean_given is None else _array_of(mean_given, stream=a.stream)
    text = "d = a - m; real(d) * real(d) + imag(d) * imag(d)" if _kind(a) == "c" else "d = a - m; d * d"
    squares = _evaluate(text, _common.real_dtype(a), a=a, m=middle)
    count = _count(a, axis, where, keepdims)
    freedom = _core.full((), count, "int64", stream=a.stream) if isinstance(count, int) else count
    total = sum(squares, axis, keepdims=keepdims, where=where)
    return _evaluate("n > d ? t / (n - d) : t / 0", squares.dtype, t=total, n=freedom,
                     d=_core.full((), ddof, squares.dtype, stream=a.stream))


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """The variance: the mean of the squares of what differs from the mean, divided by n - ddof. mean: that mean with the axes kept,
    where it is known. correction: another name of ddof."""
    return _into(_spread(a, axis, dtype, ddof, keepdims, where, mean, correction), out)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """The standard deviation: the square root of var."""
    return _into(_core.apply("sqrt", _spread(a, axis, dtype, ddof, keepdims, where, mean, correction)), out)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """The mean with weights, of the array's shape, or of one dimension along the axis. returned: also the sum of the weights, whose
    sum is waited for where it could be 0."""
    a = _array_of(a)
    if weights is None:
        result = mean(a, axis, keepdims=keepdims)
        if not returned:
            return result
        return result, _core.full(result.shape, a.size // (result.size or 1), result.dtype, stream=a.stream)
    weights = _array_of(weights, stream=a.stream)
    if weights.shape != a.shape:
        weights = _spread_weights(a, axis, weights)
    dtype = _core.result_dtype((a, weights, *([] if _kind(a) in "fc" or _kind(weights) in "fc" else ["float64"])))
    scale = sum(weights.astype(dtype), axis, keepdims=keepdims)
    if not all(scale).item():
        raise ZeroDivisionError("weights whose sum is 0 give no average")
    result = sum(a.astype(dtype) * weights.astype(dtype), axis, keepdims=keepdims) / scale
    return (result, scale.broadcast_to(result.shape)) if returned else result


def _spread_weights(a, axis, weights):
    """Weights along some axes in the shape of the array."""
    if axis is None:
        raise TypeError(f"weights of shape {weights.shape} for an array of shape {a.shape}: give axis, or weights of its shape")
    axes = _common.axes_of(axis, a.ndim)
    if tuple(weights.shape) != tuple([a.shape[i] for i in axes]):
        raise ValueError(f"weights of shape {weights.shape} along the axes {axes} of an array of shape {a.shape}")
    weights = weights.transpose([axes.index(i) for i in sorted(axes)])
    return weights.reshape(tuple([a.shape[i] if i in axes else 1 for i in range(a.ndim)])).broadcast_to(a.shape)


# ---- All before ----

def _of_out(a, dtype, out):
    """The dtype that sums are made in: without one that of `out`, as NumPy has it."""
    if dtype is not None or not _common.is_array(out):
        return dtype
    if not (_kind(a) in "biu" and _kind(out) in "biu" or _common.castable(a.dtype, out.dtype)):
        raise TypeError(f"elements of {a.dtype} are not cast to {out.dtype}, which out has, by the rule 'same_kind'")
    return out.dtype


def cumsum(a, axis=None, dtype=None, out=None):
    """The sums of all elements up to each along an axis; None: of the flattened array."""
    a = _array_of(a)
    dtype = _of_out(a, dtype, out)
    return _into(_core.cumsum(_summable(a, dtype), axis, dtype), out)


def cumprod(a, axis=None, dtype=None, out=None):
    """The products of all elements up to each."""
    a = _array_of(a)
    dtype = _of_out(a, dtype, out)
    return _into(_core.cumprod(_summable(a, dtype), axis, dtype), out)


def _with_axis(x):
    """An array; a single value is one of one element, as in NumPy."""
    x = _array_of(x)
    return x if x.ndim else x.reshape(1)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The sums of all elements up to each along an axis; include_initial: with 0 before them."""
    x = _with_axis(x)
    dtype = _of_out(x, dtype, out)
    return _into(_statistics.cumulative_sum(_summable(x, dtype), axis=axis, dtype=dtype, include_initial=include_initial), out)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The products of all elements up to each along an axis; include_initial: with 1 before them."""
    x = _with_axis(x)
    dtype = _of_out(x, dtype, out)
    return _into(_statistics.cumulative_prod(_summable(x, dtype), axis=axis, dtype=dtype, include_initial=include_initial), out)
