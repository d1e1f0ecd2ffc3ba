# SPDX-License-Identifier: Apache-2.0
"""Functions of each element that are no ufuncs in NumPy, comparisons with a tolerance, differences and integrals along an axis,
interpolation, and bits."""

import math as _math

import numpy as _host

import yoke._elementwise as _elements

from .. import _core
from . import _common
from ._common import along as _along
from ._common import array_of as _array_of
from ._common import arrays_of as _arrays_of
from ._common import axis_of as _axis_of
from ._common import evaluate as _evaluate
from ._common import into as _into
from ._common import kind_of as _kind
from ._common import together as _together
from ._functions import bessel_i0 as _bessel_i0

__all__ = ["allclose", "angle", "around", "array_equal", "array_equiv", "clip", "diff", "ediff1d", "fix", "gradient", "i0",
           "imag", "interp", "isclose", "iscomplex", "iscomplexobj", "isneginf", "isposinf", "isreal", "isrealobj", "isscalar",
           "packbits", "real", "real_if_close", "round", "sinc", "trapezoid", "unpackbits", "unwrap"]


def _float(x):
    a = _array_of(x)
    return a.astype(_common.float_dtype(a), copy=False)


class _Missing:
    """What a parameter is that is not given, where None means something."""

    def __repr__(self):
        return "<no value>"


_MISSING = _Missing()


def clip(a, a_min=_MISSING, a_max=_MISSING, out=None, *, min=_MISSING, max=_MISSING, **kwargs):
    """The elements, of which none is below one limit or above another. min and max: other names of a_min and a_max."""
    where = kwargs.pop("where", True)
    dtype = kwargs.pop("dtype", None)
    _common.refuse("clip", **kwargs)
    if a_min is _MISSING and a_max is _MISSING:
        low, high = [None if each is _MISSING else each for each in (min, max)]
    elif a_min is _MISSING or a_max is _MISSING:
        raise TypeError("clip takes both a_min and a_max, of which one may be None; or min, or max, or both")
    elif min is not _MISSING or max is not _MISSING:
        raise ValueError("a_min and a_max are min and max: give one name of each")
    else:
        low, high = a_min, a_max
    a = _array_of(a) if dtype is None else _array_of(a).astype(dtype)
    if low is None and high is None:
        return _into(a.copy(), out)
    import yoke

    if low is not None:
        a = yoke.maximum(*_together(a, low))
    if high is not None:
        a = yoke.minimum(*_together(a, high))
    if where is not True:
        raise TypeError("clip: where is not there: take where(mask, clip(a, …), a)")
    return _into(a, out)


def round(a, decimals=0, out=None):
    """The nearest numbers with so many decimals; halves go to the even one."""
    a = _array_of(a)
    if _kind(a) == "b":
        a = a.astype("float16")
    return _into(_elements.round(a, decimals), out)


around = round


def fix(x, out=None):
    """The whole number towards 0."""
    return _into(_core.apply("trunc", _array_of(x)), out)


def real(val):
    """The real parts, a view."""
    return _array_of(val).real


def imag(val):
    """The imaginary parts, a view; zeros where numbers are real."""
    return _array_of(val).imag


def angle(z, deg=False):
    """The angles of complex numbers in radians, or in degrees."""
    z = _array_of(z)
    z = z.astype("int64") if _kind(z) == "b" else z
    wide = _common.real_dtype(z) if _kind(z) == "c" else _common.float_dtype(z)
    text = "atan2(imag(a), real(a))" if _kind(z) == "c" else "atan2(a == a ? 0 : a, a)"
    z = z if _kind(z) == "c" else z.astype(wide)
    return _evaluate(text + (" * 57.2957795130823209" if deg else ""), wide, a=z)


def real_if_close(a, tol=100):
    """The real parts where all imaginary ones are near 0, by tol times the dtype's eps; waits for that."""
    a = _array_of(a)
    if _kind(a) != "c":
        return a
    eps = float(_host.finfo(str(a.dtype)).eps)
    limit = tol * eps if tol > 1 else tol
    return a.real if _core.map_reduce("all", "fabs(imag(a)) < t", a=a, t=_core.full((), limit, a.real.dtype)).item() else a


def sinc(x):
    """sin(pi x) / (pi x), and 1 at 0."""
    x = _array_of(x)
    wide = _common.wide_float(x.device) if _kind(x) in "biu" else x.dtype
    x = x.astype(wide, copy=False)
    if _kind(x) == "c":
        import yoke

        y = x * _math.pi
        return _core.where(y == 0, _core.full((), 1, wide, stream=x.stream), yoke.sin(y) / _core.where(y == 0, y + 1, y))
    return _evaluate("y = a * 3.14159265358979324; y == 0 ? 1 : sin(y) / y", wide, a=x)


def i0(x):
    """The modified Bessel function of the first kind, of order 0."""
    x = _array_of(x)
    if _kind(x) == "c":
        raise TypeError("i0 is not for complex numbers")
    wide = _common.wide_float(x.device) if _kind(x) in "biu" else x.dtype
    return _core.evaluate(_bessel_i0, wide, x=x.astype(wide, copy=False))


# ---- Tests ----

def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether abs(a - b) is no more than atol + rtol * abs(b), of each two elements."""
    a, b = _together(a, b)
    if _kind(a) in "biu":
        a, b = [each.astype(_common.wide_float(each.device)) for each in (a, b)]
    wide = _common.real_dtype(a)
    wide = "float32" if wide in ("float16", "bfloat16") else wide
    limits = {name: _array_of(value, stream=a.stream).astype(wide) for name, value in (("r", rtol), ("t", atol))}
    if _kind(a) == "c":
        text = ("d = a - b; f = isfinite(real(b)) && isfinite(imag(b)); "
                "a == b || (f && hypot(real(d), imag(d)) <= t + r * hypot(real(b), imag(b)))")
        nan = " || ((isnan(real(a)) || isnan(imag(a))) && (isnan(real(b)) || isnan(imag(b))))"
    else:
        text = "a == b || (isfinite(b) && fabs(a - b) <= t + r * fabs(b))"
        nan = " || (isnan(a) && isnan(b))"
    return _evaluate(text + (nan if equal_nan else ""), "bool", a=a, b=b, **limits)


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether isclose holds for all, an array of no dimensions."""
    return isclose(a, b, rtol, atol, equal_nan).all()


def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have one shape and the same elements, an array of no dimensions."""
    a, b = _arrays_of(a1, a2)
    if a.shape != b.shape:
        return _core.full((), False, "bool", stream=a.stream)
    same = a == b
    if equal_nan and _kind(a) in "fc" and _kind(b) in "fc":
        same = same | (_elements.isnan(a) & _elements.isnan(b))
    return same.all()


def array_equiv(a1, a2):
    """Whether two arrays, broadcast, have the same elements, an array of no dimensions."""
    a, b = _arrays_of(a1, a2)
    try:
        _core.broadcast_shape([a.shape, b.shape])
    except ValueError:
        return _core.full((), False, "bool", stream=a.stream)
    return (a == b).all()


def _infinite(name, x, out, sign):
    x = _array_of(x)
    if _kind(x) == "c":
        raise TypeError(f"{name} is not for complex numbers")
    result = _evaluate(f"isinf(a) && a {sign} 0", "bool", a=x) if _kind(x) == "f" else _core.full(x.shape, False, "bool",
                                                                                                  stream=x.stream)
    return _into(result, out)


def isposinf(x, out=None):
    """Whether each element is infinite and more than 0."""
    return _infinite("isposinf", x, out, ">")


def isneginf(x, out=None):
    """Whether each element is infinite and less than 0."""
    return _infinite("isneginf", x, out, "<")


def iscomplex(x):
    """Whether each element has an imaginary part that is not 0."""
    x = _array_of(x)
    return x.imag != 0 if _kind(x) == "c" else _core.full(x.shape, False, "bool", stream=x.stream)


def isreal(x):
    """Whether each element has the imaginary part 0."""
    x = _array_of(x)
    return x.imag == 0 if _kind(x) == "c" else _core.full(x.shape, True, "bool", stream=x.stream)


def iscomplexobj(x):
    """Whether the dtype is complex."""
    return _kind(x if hasattr(x, "dtype") else _host.asarray(x)) == "c"


def isrealobj(x):
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)


def isscalar(element):
    """Whether it is a number of Python's or NumPy's, and no array."""
    return not _common.is_array(element) and _host.isscalar(element)


# ---- Along an axis ----

def diff(a, n=1, axis=-1, prepend=None, append=None):
    """The differences of neighbours along an axis, n times. prepend, append: what is joined to the front and the end before."""
    from .. import _shapes

    a = _array_of(a)
    if not a.ndim:
        raise ValueError("diff is of arrays of one dimension or more")
    axis = _axis_of(axis, a.ndim)
    ends = [each if each is None else _end(each, a, axis) for each in (prepend, append)]
    return _shapes.diff(a, axis=axis, n=n, prepend=ends[0], append=ends[1])


def _end(value, a, axis):
    value = _array_of(value, stream=a.stream)
    return value if value.ndim else value.broadcast_to((*a.shape[:axis], 1, *a.shape[axis + 1:])).copy()


def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours in the flattened array. to_begin, to_end: what is joined to them."""
    ary = _array_of(ary).reshape(-1)
    parts = [ary[1:] - ary[:-1]]
    for each, place in ((to_begin, 0), (to_end, 2)):
        if each is not None:
            each = _array_of(each, None if hasattr(each, "dtype") else ary.dtype, ary.stream).reshape(-1)
            if not _common.castable(each.dtype, ary.dtype):
                raise TypeError(f"values of {each.dtype} are not joined to differences of {ary.dtype}")
            parts.insert(place, each.astype(ary.dtype))
    return parts[0] if len(parts) == 1 else _core.concatenate(parts, 0)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral along an axis by trapezoids."""
    y = _array_of(y)
    axis = _axis_of(axis, y.ndim)
    if x is None:
        step = dx
    else:
        x = _array_of(x, stream=y.stream)
        step = diff(x, axis=axis if x.ndim > 1 else -1)
        if x.ndim == 1:
            step = step.reshape(tuple([step.size if i == axis else 1 for i in range(y.ndim)]))
    total = _along(y, axis, slice(1, None)) + _along(y, axis, slice(None, -1))
    wide = _common.wide_float(y.device)
    if _kind(total) in "biu" and isinstance(step, float):
        total = total.astype(wide)
    product = total * step
    return ((product.astype(wide) if _kind(product) in "biu" else product) / 2.0).sum(axis)


def unwrap(p, discont=None, axis=-1, *, period=2 * _math.pi):
    """The angles without jumps of half a period or more, or of discont."""
    p = _array_of(p)
    axis = _axis_of(axis, p.ndim)
    integers = _kind(p) in "biu" and isinstance(period, int)
    if integers and _kind(p) == "u":
        raise OverflowError(f"unwrap: {p.dtype} does not hold the negative half of a whole period: say astype")
    dtype = _common.wide_float(p.device) if _kind(p) in "biu" and not integers else _core.result_dtype((p, period))
    steps = diff(p, axis=axis)
    half = period // 2 if integers else period / 2
    limit = half if discont is None else max(discont, half)
    steps = steps.astype(dtype)
    names = {name: _core.full((), value, dtype, stream=p.stream) for name, value in (("q", period), ("h", half), ("l", limit))}
    floor = "((d + h) % q + q) % q - h" if integers else "(fmod(d + h, q) < 0 ? fmod(d + h, q) + q : fmod(d + h, q)) - h"
    size = "(d < 0 ? -d : d)" if integers else "fabs(d)"
    low = "" if integers and period % 2 else "m == -h && d > 0 ? h : "
    text = f"m = {floor}; w = {low}m; {size} < l ? 0 : w - d"
    corrections = _evaluate(text, dtype, d=steps, **names)
    result = p.astype(dtype)
    _along(result, axis, slice(1, None))[...] = _along(p, axis, slice(1, None)).astype(dtype) + _core.cumsum(corrections, axis)
    return result


def gradient(f, *varargs, axis=None, edge_order=1):
    """The derivatives along axes by differences of both neighbours, and at the ends of the nearest ones. varargs: the distance of
    neighbours, for all axes or for each, or the places along an axis, which come to the host."""
    f = _array_of(f)
    axes = _common.axes_of(axis, f.ndim)
    if edge_order not in (1, 2):
        raise ValueError(f"edge_order is 1 or 2, not {edge_order}")
    steps = list(varargs) or [1.0]
    if len(steps) == 1:
        steps = steps * len(axes)
    if len(steps) != len(axes):
        raise TypeError(f"{len(steps)} distances for {len(axes)} axes")
    if _kind(f) == "b":
        raise TypeError("gradient is not for bools, whose difference is none: say astype")
    if _kind(f) in "iu":
        f = f.astype(_common.wide_float(f.device))
    results = []
    for each, step in zip(axes, steps):
        if f.shape[each] < edge_order + 1:
            raise ValueError(f"a derivative of edge_order {edge_order} takes {edge_order + 1} elements, not {f.shape[each]}")
        results.append(_derivative(f, each, _distances(step, f.shape[each]), edge_order))
    return results[0] if axis is not None and not hasattr(axis, "__len__") or len(results) == 1 else tuple(results)


def _distances(step, extent):
    """One distance, or those of all neighbours on the host."""
    step = _common.on_host(step)
    if not step.ndim:
        return step.item()
    if step.ndim != 1 or step.size != extent:
        raise ValueError(f"places of shape {step.shape} for {extent} elements")
    steps = _host.diff(step.astype("float64"))
    return steps[0].item() if (steps == steps[0]).all() else steps


def _derivative(f, axis, step, edge_order):
    result = _core.empty(f.shape, f.dtype, stream=f.stream)

    def part(low, high):
        return _along(f, axis, slice(low, high))

    def weights(values):
        values = _array_of(values.astype("float32" if f.itemsize == 2 else _common.real_dtype(f)), stream=f.stream)
        return values.reshape(tuple([values.size if i == axis else 1 for i in range(f.ndim)]))

    if isinstance(step, _host.ndarray):
        low, high = step[:-1], step[1:]
        inner = (part(None, -2) * weights(-high / (low * (low + high))) + part(1, -1) * weights((high - low) / (low * high))
                 + part(2, None) * weights(low / (high * (low + high))))
    else:
        low = high = None
        inner = (part(2, None) - part(None, -2)) / (2.0 * step)
    _along(result, axis, slice(1, -1))[...] = inner
    one, other = (step[0].item(), step[-1].item()) if low is not None else (step, step)
    if edge_order == 1:
        _along(result, axis, slice(0, 1))[...] = (part(1, 2) - part(0, 1)) / one
        _along(result, axis, slice(-1, None))[...] = (part(-1, None) - part(-2, -1)) / other
        return result
    two, last = (step[1].item(), step[-2].item()) if low is not None else (step, step)
    _along(result, axis, slice(0, 1))[...] = (part(0, 1) * (-(2.0 * one + two) / (one * (one + two)))
                                              + part(1, 2) * ((one + two) / (one * two))
                                              + part(2, 3) * (-one / (two * (one + two))))
    _along(result, axis, slice(-1, None))[...] = (part(-3, -2) * (other / (last * (last + other)))
                                                  + part(-2, -1) * (-(other + last) / (last * other))
                                                  + part(-1, None) * ((2.0 * other + last) / (other * (last + other))))
    return result


def interp(x, xp, fp, left=None, right=None, period=None):
    """The values at x of straight lines between the points (xp, fp), whose xp ascend. left, right: the values beyond the ends.
    period: that of x."""
    x, xp = _together(x, xp)
    fp = _array_of(fp, stream=x.stream)
    wide = _common.wide_float(x.device)
    if xp.ndim != 1 or xp.shape != fp.shape:
        raise ValueError(f"points of shapes {tuple(xp.shape)} and {tuple(fp.shape)}: both have one dimension and as many elements")
    if not xp.size:
        raise ValueError("no points have no lines between them")
    if _kind(fp) == "c":  # each part by itself, so that an infinity of one is none of the other
        ends = [None if each is None else complex(_common.value_of(each)) for each in (left, right)]
        parts = [interp(x, xp, getattr(fp, part).copy(), *[each if each is None else getattr(each, part) for each in ends], period)
                 for part in ("real", "imag")]
        return _evaluate("complex(r, i)", "complex128" if wide == "float64" else "complex64", r=parts[0], i=parts[1])
    x, xp = x.astype(wide), xp.astype(wide)
    if period is not None:
        if period == 0:
            raise ValueError("a period is not 0")
        period, left, right = abs(period), None, None
        x, xp = x % period, xp % period
        order = _core.argsort(xp)
        xp, fp = _core.take(xp, order, 0), _core.take(fp, order, 0)
        xp = _core.concatenate([xp[-1:] - period, xp, xp[:1] + period], 0)
        fp = _core.concatenate([fp[-1:], fp, fp[:1]], 0)
    fp = fp.astype(wide)
    place = _core.searchsorted(xp, x, "right") - 1
    low, high = place.clip(0, max(xp.size - 2, 0)), (place + 1).clip(0, xp.size - 1)
    high = _core.where(place >= xp.size - 1, xp.size - 1, high)
    x0, x1 = _taken(xp, low), _taken(xp, high)
    y0, y1 = _taken(fp, low), _taken(fp, high)
    ends = {"l": fp[0] if left is None else _array_of(left, fp.dtype, x.stream),
            "r": fp[-1] if right is None else _array_of(right, fp.dtype, x.stream)}
    text = ("s = (y1 - y0) / (x1 - x0); v = s * (x - x0) + y0; w = v == v ? v : s * (x - x1) + y1; "
            "x < b ? l : x > e ? r : x == x1 ? y1 : x == x0 ? y0 : w != w && y0 == y1 ? y0 : w")
    return _evaluate(text, fp.dtype, x=x, b=xp[0], e=xp[-1], x0=x0, x1=x1, y0=y0, y1=y1, **ends)


def _taken(a, places):
    return _core.take(a, places.reshape(-1), 0).reshape(places.shape)


# ---- Bits ----

def _bit_order(bitorder):
    if bitorder not in ("big", "little"):
        raise ValueError(f"bitorder is big or little, not {_core.shown(bitorder)}")
    return range(7, -1, -1) if bitorder == "big" else range(8)


def packbits(a, /, axis=None, bitorder="big"):
    """Eight elements along an axis, or of the flattened array, as the bits of one uint8; those that are missing are 0."""
    a = _array_of(a)
    if _kind(a) not in "biu":
        raise TypeError(f"packbits is of bools and integers, not of {a.dtype}")
    if axis is None:
        a, axis = a.reshape(-1), 0
    shifts = _core.array_from([1 << i for i in _bit_order(bitorder)], "uint8", stream=a.stream)
    a = _common.moved_last(a, axis)
    bits = (a != 0).astype("uint8")
    missing = -bits.shape[-1] % 8
    if missing:
        bits = _core.concatenate([bits, _core.zeros((*bits.shape[:-1], missing), "uint8", stream=a.stream)], bits.ndim - 1)
    groups = bits.reshape((*bits.shape[:-1], bits.shape[-1] // 8, 8))
    return _common.moved_back((groups * shifts).sum(-1, "uint8"), axis)


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """The bits of elements of uint8, along an axis or of the flattened array. count: how many, the rest being 0; negative: without
    so many at the end."""
    a = _array_of(a)
    if str(a.dtype) != "uint8":
        raise TypeError(f"unpackbits is of uint8, not of {a.dtype}")
    if axis is None:
        a, axis = a.reshape(-1), 0
    shifts = _core.array_from([*_bit_order(bitorder)], "uint8", stream=a.stream)
    a = _common.moved_last(a, axis)
    bits = ((a[..., None] >> shifts) & 1).reshape((*a.shape[:-1], a.shape[-1] * 8))
    if count is not None:
        if count > bits.shape[-1]:
            more = _core.zeros((*bits.shape[:-1], count - bits.shape[-1]), "uint8", stream=a.stream)
            bits = _core.concatenate([bits, more], bits.ndim - 1)
        bits = bits[..., :count]
    return _common.moved_back(bits, axis)
