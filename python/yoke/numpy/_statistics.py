# SPDX-License-Identifier: Apache-2.0
"""Quantiles, covariances and histograms."""

import numpy as _host

from .. import _core, _positions
from . import _common, _reductions
from ._common import array_of as _array_of
from ._common import arrays_of as _arrays_of
from ._common import evaluate as _evaluate
from ._common import into as _into
from ._common import kind_of as _kind
from ._common import refuse as _refuse
from ._sorting import _ordered
from ._sorting import placed as _placed
from ._sorting import sort as _sort

__all__ = ["bincount", "corrcoef", "cov", "digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd", "median",
           "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]


# ---- Quantiles ----

def _by(alpha, beta):
    return lambda n, q, xp: n * q + (alpha + q * (1 - alpha - beta)) - 1


# Where a quantile lies among n sorted elements, counted from 0 and between them; and whether it is one of these.
_PLACES = {
    "linear": (lambda n, q, xp: (n - 1) * q, False), "lower": (lambda n, q, xp: xp.floor((n - 1) * q), True),
    "higher": (lambda n, q, xp: xp.ceil((n - 1) * q), True), "nearest": (lambda n, q, xp: xp.rint((n - 1) * q), True),
    "midpoint": (lambda n, q, xp: (xp.floor((n - 1) * q) + xp.ceil((n - 1) * q)) * 0.5, False),
    "inverted_cdf": (lambda n, q, xp: xp.ceil(n * q) - 1, True),
    "averaged_inverted_cdf": (lambda n, q, xp: (xp.ceil(n * q) - 1 + xp.floor(n * q)) * 0.5, False),
    "closest_observation": (lambda n, q, xp: xp.rint(n * q) - 1, True),
    "interpolated_inverted_cdf": (_by(0, 1), False), "hazen": (_by(0.5, 0.5), False), "weibull": (_by(0, 0), False),
    "median_unbiased": (_by(1 / 3, 1 / 3), False), "normal_unbiased": (_by(3 / 8, 3 / 8), False),
}


def _lines(a, axis, keepdims):
    """The elements of each result along the last axis, and the results' shape."""
    axes = _common.axes_of(axis, a.ndim)
    return _reductions._flattened(a, axes, keepdims)


def _between(low, high, part, dtype):
    return _evaluate("a == b ? a : t >= 0.5 ? b - (b - a) * (1 - t) : a + (b - a) * t", dtype, a=low, b=high, t=part)


def _real_of(q):
    return q.dtype if q.dtype.kind == "f" else "float64"


def _quantile(name, a, q, axis, out, overwrite_input, method, keepdims, weights, skip_nan, scale):
    _refuse(name, overwrite_input=overwrite_input)
    if weights is not None:
        raise TypeError(f"{name}: weights are not there")
    if method not in _PLACES:
        raise ValueError(f"method is one of {', '.join(_PLACES)}, not {_core.shown(method)}")
    a = _array_of(a)
    if _kind(a) == "c":
        raise TypeError(f"{name} is not for complex numbers, which have no order")
    given = _common.on_host(q)
    if given.dtype.kind not in "biuf":
        raise TypeError(f"{name}: q is real, not {_core.shown(q)}")
    if given.ndim > 2:
        raise ValueError(f"{name}: q has up to two dimensions, not {given.ndim}")
    parts = given.astype("float64") / scale
    if not ((parts >= 0) & (parts <= 1)).all():
        raise ValueError(f"{name}: q is from 0 to {scale}")
    single = type(q) in (int, float)  # and not numpy.float64, whose width counts
    place, one_of_them = _PLACES[method]
    dtype = a.dtype
    if not one_of_them:
        alone = single or _kind(a) == "b" or given.dtype.kind != "f" and _kind(a) in "iu"
        dtype = _common.mean_dtype(a) if alone else _core.result_dtype((a, _real_of(given)))
    if _kind(a) == "b":
        a = a.astype("uint8")
    axes = _common.axes_of(axis, a.ndim)
    if not _reductions._extent(a, axes):
        raise ValueError(f"{name} of no elements has no value")
    if skip_nan and _kind(a) == "f":
        flat, shape = _lines(a, axis, keepdims)
        result = _common.moved_back(_picked_of_numbers(_sort(flat, -1), parts.reshape(-1), place, one_of_them, str(dtype)), 0)
    else:
        result = _core.quantile(a, parts.reshape(-1).tolist(), tuple(axes), method=method, keepdims=keepdims, dtype=dtype)
        shape = result.shape[1:]
    result = result.reshape((*parts.shape, *shape)).astype(dtype, copy=False)
    return _into(result.copy() if skip_nan and result.ndim > 1 and parts.ndim else result, out)


def _picked_of_numbers(ordered, parts, place, one_of_them, dtype):
    """Of lines of sorted elements the quantiles of those that are not NaN, which is last; NaN where all are."""
    import yoke

    wide = _common.wide_float(ordered.device)
    count = _core.map_reduce("sum", "!isnan(a)", -1, keepdims=True, dtype="int64", a=ordered)
    places = place(count.astype(wide), _array_of(parts.astype(wide), stream=ordered.stream), yoke)
    places = _evaluate("p < 0 || n == 0 ? 0 : p > n - 1 ? n - 1 : p", wide, p=places, n=count)
    low = places.astype("int64")
    result = _positions.take_along_axis(ordered, low, -1)
    if not one_of_them:
        high = _positions.take_along_axis(ordered, _evaluate("a + 1 < n ? a + 1 : a", "int64", a=low, n=count), -1)
        result = _between(result.astype(dtype), high.astype(dtype), (places - low).astype(dtype), dtype)
    return result


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The values below which a part q (0 to 1) of the elements lies; of several q along a new first axis. q that is an Array is
    waited for."""
    return _quantile("quantile", a, q, axis, out, overwrite_input, method, keepdims, weights, False, 1)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """As quantile, with q from 0 to 100."""
    return _quantile("percentile", a, q, axis, out, overwrite_input, method, keepdims, weights, False, 100)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """quantile of the elements that are not NaN."""
    return _quantile("nanquantile", a, q, axis, out, overwrite_input, method, keepdims, weights, True, 1)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """percentile of the elements that are not NaN."""
    return _quantile("nanpercentile", a, q, axis, out, overwrite_input, method, keepdims, weights, True, 100)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The element in the middle of the sorted ones, or the mean of the two there; NaN where one is."""
    _refuse("median", overwrite_input=overwrite_input)
    a = _array_of(a)
    if not a.size:
        return _reductions.mean(a, axis, out=out, keepdims=keepdims)
    if _kind(a) == "b":
        a = a.astype("uint8")
    low, high = _middle(a, _common.axes_of(axis, a.ndim), keepdims)
    return _into(_evaluate("a == b ? a : (a + b) / 2", low.dtype, a=low, b=high), out)


def _middle(a, axes, keepdims):
    """The one or the two elements in the middle, twice NaN where one is, as what means are made in."""
    last = _reductions._extent(a, axes) - 1
    if _kind(a) != "c":
        places = [place / last if last else 0.0 for place in (last // 2, (last + 1) // 2)]
        return _core.quantile(a, places, tuple(axes), method="nearest", keepdims=keepdims, dtype=_common.mean_dtype(a))
    flat, shape = _reductions._flattened(a, axes, keepdims)
    ordered = _sort(flat, -1)
    low, high, behind = [ordered[..., i].reshape(shape) for i in (last // 2, (last + 1) // 2, last)]
    return [_evaluate("l != l ? l : a", a.dtype, a=each, l=behind) for each in (low, high)]


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median of the elements that are not NaN."""
    _refuse("nanmedian", overwrite_input=overwrite_input)
    a = _array_of(a)
    if _kind(a) not in "fc" or not a.size:
        return median(a, axis, out, keepdims=keepdims)
    if _kind(a) == "c":
        return _into(_complex_nanmedian(a, axis, keepdims), out)
    return _quantile("nanmedian", a, 0.5, axis, out, False, "linear", keepdims, None, True, 1)


def _complex_nanmedian(a, axis, keepdims):
    """The same of complex numbers, of which one with NaN in a part is NaN, and behind all others when they are sorted."""
    flat, shape = _lines(a, axis, keepdims)
    flat = _evaluate("x = real(a); y = imag(a); x != x ? a : y != y ? complex(y, y) : a", a.dtype, a=flat)
    ordered = _sort(flat, -1)
    count = _core.map_reduce("sum", "!isnan(real(a))", -1, keepdims=True, dtype="int64", a=ordered)
    low = _positions.take_along_axis(ordered, _evaluate("n == 0 ? 0 : (n - 1) / 2", "int64", n=count), -1)
    high = _positions.take_along_axis(ordered, _evaluate("n == 0 ? 0 : n / 2", "int64", n=count), -1)
    return _evaluate("a == b ? a : (a + b) / 2", a.dtype, a=low, b=high).reshape(shape)


# ---- Covariance ----

def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariances of variables, each a row, or a column where rowvar is false. fweights: how often each observation counts,
    integers; aweights: its weight."""
    if ddof is not None and int(ddof) != ddof:
        raise ValueError(f"ddof is an integer, not {ddof}")
    arrays = _arrays_of(*([m] if y is None else [m, y]))
    if any([each.ndim > 2 for each in arrays]):
        raise ValueError("cov is of arrays of up to two dimensions")
    wide = _core.result_dtype((*arrays, _common.wide_float(arrays[0].device))) if dtype is None else dtype
    if _common.kind_of_dtype(wide) not in "fc":
        raise TypeError(f"cov: dtype is a float's or complex numbers', whose fractions {_core.named_dtype(wide)} does not hold")
    arrays = [(each.reshape(1, -1) if each.ndim < 2 else each if rowvar else each.T).astype(wide) for each in arrays]
    x = arrays[0] if y is None else _core.concatenate(arrays, 0)
    ddof = (0 if bias else 1) if ddof is None else int(ddof)
    if not x.shape[0]:
        return _core.zeros((0, 0), wide, stream=x.stream)
    weights = _weights(x, fweights, aweights)
    if weights is None:
        count, middle = x.shape[1], _reductions.mean(x, 1, keepdims=True)
        factor = count - ddof
    else:
        count = weights.sum()
        middle = (x * weights).sum(1, keepdims=True) / count
        if not ddof or aweights is None:
            factor = count - ddof
        else:
            factor = count - ddof * (weights * _array_of(aweights, stream=x.stream)).sum() / count
    x = x - middle
    scaled = x if weights is None else x * weights
    result = _core.matmul(scaled, x.T.conj() if _kind(x) == "c" else x.T)
    if weights is None:
        return (result / factor if factor > 0 else result / 0.0).squeeze()
    return (result / factor.astype(_common.real_dtype(result))).squeeze()


def _weights(x, fweights, aweights):
    result = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        given = _array_of(given, stream=x.stream)
        if given.ndim != 1:
            raise RuntimeError(f"{name} has one dimension, not {given.ndim}")
        if given.shape[0] != x.shape[1]:
            raise RuntimeError(f"{name} has {given.shape[0]} elements for {x.shape[1]} observations")
        if name == "fweights" and _kind(given) not in "iu":
            raise TypeError(f"fweights are integers, not {given.dtype}")
        if given.size and given.min().item() < 0:
            raise ValueError(f"{name} are not negative")
        given = given.astype(_common.real_dtype(x))
        result = given if result is None else result * given
    return result


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """The correlations: covariances divided by the standard deviations of both variables."""
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return c / c
    from ._indexing import diagonal

    spread = _core.apply("sqrt", diagonal(c).real.copy())
    c = c / spread[:, None] / spread
    if _kind(c) == "c":
        text = "x = real(a); y = imag(a); complex(x > 1 ? 1 : x < -1 ? -1 : x, y > 1 ? 1 : y < -1 ? -1 : y)"
        return _evaluate(text, c.dtype, a=c)
    return _evaluate("a > 1 ? 1 : a < -1 ? -1 : a", c.dtype, a=c)


# ---- Histograms ----

def bincount(x, /, weights=None, minlength=0):
    """How often each integer from 0 is there, or the sums of weights at its places. Waits for the largest."""
    x = _array_of(x) if _common.is_array(x) or _host.size(x) else _core.zeros((0,), "int64")
    if x.ndim != 1:
        raise ValueError(f"bincount is of an array of one dimension, not of shape {tuple(x.shape)}")
    if _kind(x) == "b":
        x = x.astype("uint8")
    if _kind(x) not in "iu" or str(x.dtype) == "uint64":
        raise TypeError(f"bincount is of integers that int64 holds, not of {x.dtype}")
    if minlength < 0:
        raise ValueError(f"minlength is {minlength}: a number that is not negative is wanted")
    if x.size and x.min().item() < 0:
        raise ValueError("bincount is of integers that are not negative")
    if weights is not None:
        weights = _array_of(weights, stream=x.stream)
        if weights.shape != x.shape:
            raise ValueError(f"weights of shape {tuple(weights.shape)} for {x.size} elements")
        weights = weights.astype(_common.wide_float(x.device))
    if not x.size:
        return _core.zeros((minlength,), "int64", stream=x.stream)  # with weights, too, as in NumPy
    return _core.bincount(x, weights, minlength)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of a histogram's bins. Waits for the smallest and largest elements; for bins that are named by a rule, a text, the
    elements come to the host."""
    a = _array_of(a)
    if isinstance(bins, str):
        if weights is not None:
            raise TypeError("bins by a rule take no weights")
        return _array_of(_host.histogram_bin_edges(a.to_numpy(), bins, range), stream=a.stream)
    if hasattr(bins, "__len__"):
        edges = _array_of(bins, stream=a.stream)
        if edges.ndim != 1:
            raise ValueError(f"edges have one dimension, not {edges.ndim}")
        return edges
    return _array_of(_host.histogram_bin_edges(_limits(a, range), bins, range), stream=a.stream)


def _limits(a, range):
    """The smallest and largest element on the host, which is all that even bins need."""
    if range is not None or not a.size:
        return _host.zeros(0, str(a.dtype) if _kind(a) != "b" else "uint8")
    a = a.astype("uint8") if _kind(a) == "b" else a
    return _host.stack([a.min().to_numpy(), a.max().to_numpy()])


def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements are in each bin, and the bins' edges. density: as a density whose integral is 1."""
    a = _array_of(a).reshape(-1)
    if _kind(a) == "c":
        raise TypeError("a histogram is not of complex numbers")
    edges = histogram_bin_edges(a, bins, range, weights)
    if hasattr(bins, "__len__") and not isinstance(bins, str) and edges.size > 1 and (edges[1:] < edges[:-1]).any().item():
        raise ValueError("edges of bins go up")
    if weights is not None:
        weights = _array_of(weights, stream=a.stream)
        if weights.size != a.size:
            raise ValueError(f"weights of shape {tuple(weights.shape)} for {a.size} elements")
        weights = weights.reshape(-1)
    counts = _counted([a], [edges], weights)
    if density:
        width = (edges[1:] - edges[:-1]).astype(_common.wide_float(a.device))
        counts = counts / width / counts.sum()
    return counts, edges


def _counted(columns, edges, weights):
    """Counts, or sums of weights, in the cells between edges along each axis. The last edge belongs to its bin."""
    place, good = None, None
    for x, each in zip(columns, edges):
        x, each = _common.together(x, each)
        if _kind(x) == "b":
            x, each = x.astype("uint8"), each.astype("uint8")
        bins = each.size - 1
        found = _placed(each, x, "right") - 1
        found = _evaluate("x == last ? bins - 1 : f", "int64", x=x, last=each[-1], f=found, bins=bins)
        inside = (found >= 0) & (found < bins)
        place = found if place is None else place * bins + found
        good = inside if good is None else good & inside
    shape = tuple([each.size - 1 for each in edges])
    total = 1
    for extent in shape:
        total *= extent
    place = _core.where(good, place, _core.full((), total, "int64", stream=place.stream))
    if weights is not None and _kind(weights) == "c":
        parts = [_core.bincount(place, part.copy(), length=total + 1) for part in (weights.real, weights.imag)]
        counts = _evaluate("complex(a, b)", "complex128", a=parts[0], b=parts[1])
    elif weights is not None:
        integers = _kind(weights) in "biu"
        counts = _core.bincount(place, weights.astype(_common.wide_float(place.device) if integers else weights.dtype),
                                length=total + 1)
        counts = counts.astype(weights.dtype if _kind(weights) != "b" else "int64") if integers else counts
    else:
        counts = _core.bincount(place, length=total + 1)
    return counts[:total].reshape(shape)


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """Counts of points, the rows, in cells, and a tuple of the edges along each axis."""
    if isinstance(sample, (list, tuple)):
        columns = [each.reshape(-1) for each in _common.together(*sample)]
    else:
        sample = _array_of(sample)
        columns = [sample] if sample.ndim == 1 else [sample[:, i] for i in _host.arange(sample.shape[1])]
    count = len(columns)
    bins = list(bins) if hasattr(bins, "__len__") else [bins] * count
    if len(bins) != count:
        raise ValueError(f"bins for {len(bins)} axes, and points have {count}")
    ranges = [None] * count if range is None else list(range)
    if len(ranges) != count:
        raise ValueError(f"ranges for {len(ranges)} axes, and points have {count}")
    edges = [histogram_bin_edges(column, *each) for column, *each in zip(columns, bins, ranges)]
    edges = [each if hasattr(number, "__len__") or limits is None and _kind(column) == "f" else
             each.astype(_common.wide_float(each.device))
             for each, number, limits, column in zip(edges, bins, ranges, columns)]
    counts = _counted([each.copy() for each in columns], edges, None if weights is None else _array_of(weights))
    counts = counts.astype(_common.wide_float(counts.device))
    if density:
        counts = counts / counts.sum()
        for axis, each in enumerate(edges):
            shape = [1] * count
            shape[axis] = each.size - 1
            counts = counts / (each[1:] - each[:-1]).reshape(tuple(shape))
    return counts, tuple(edges)


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """Counts of points in cells, and the edges along both axes."""
    if hasattr(bins, "__len__") and len(bins) != 2:
        bins = [_array_of(bins)] * 2
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]


def digitize(x, bins, right=False):
    """The number of the bin of each element, between edges that go up or down, which is waited for. right: the right edge
    belongs to the bin."""
    bins, x = _ordered(bins, x)
    if _kind(x) == "c":
        raise TypeError("digitize is not for complex numbers, which have no order")
    if bins.ndim != 1:
        raise ValueError(f"edges have one dimension, not {bins.ndim}")
    host = bins.to_numpy()
    side = "left" if right else "right"
    others = host[host != host[0]] if host.size else host
    up = not others.size or bool(host[0] < others[0])  # the first other edge tells: with NaN, too, as in NumPy
    if (host[1:] < host[:-1] if up else host[1:] > host[:-1]).any():
        raise ValueError("edges of bins go up or down")
    return _placed(bins, x, side) if up else bins.size - _placed(bins[::-1].copy(), x, side)

