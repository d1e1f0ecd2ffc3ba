# SPDX-License-Identifier: Apache-2.0
"""The class of NumPy's functions of each element: the call with out, where and dtype, and reduce, accumulate, outer and at."""

import inspect as _inspect

from .. import _core
from . import _common
from ._common import array_of as _array_of
from ._common import arrays_of as _arrays_of
from ._common import axes_of as _axes_of
from ._common import is_array as _is_array

_TRUE = frozenset("equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not isfinite "
                  "isinf isnan signbit".split())  # whose results are bools, whatever the operands


def _signature(nin, nout):
    named, keyword = _inspect.Parameter.POSITIONAL_OR_KEYWORD, _inspect.Parameter.KEYWORD_ONLY
    names = ("x",) if nin == 1 else tuple([f"x{i + 1}" for i in range(nin)])
    return _inspect.Signature(
        [_inspect.Parameter(name, _inspect.Parameter.POSITIONAL_ONLY) for name in names]
        + [_inspect.Parameter("out", named, default=None if nout == 1 else (None,) * nout)]
        + [_inspect.Parameter(name, keyword, default=value) for name, value in (
            ("where", True), ("casting", "same_kind"), ("order", "K"), ("dtype", None), ("subok", True), ("signature", None))])


class ufunc:
    """A function of each element. The call computes; reduce, accumulate, outer and at use it over one array, where it can.

    out: an Array, or a tuple of one for each result. where: a mask; elements where it does not hold keep what out has, and are 0
    without an out, where NumPy leaves them undefined. dtype: the operands are cast to it before."""

    def __init__(self, name, function, nin, nout=1, text="", whole=None, running=None):
        self.__name__ = self.__qualname__ = name
        self.__doc__ = text
        self.__signature__ = _signature(nin, nout)
        self.nin, self.nout, self.nargs = nin, nout, nin + nout
        self.identity = whole[1] if whole else None
        self._function, self._whole, self._running = function, whole and whole[0], running

    def __repr__(self):
        return f"<yoke.numpy.ufunc {self.__name__!r}>"

    def __reduce__(self):
        return self.__name__

    def __call__(self, *operands, out=None, where=True, casting="same_kind", order="K", dtype=None, subok=True, signature=None):
        _common.refuse(self.__name__, casting=casting, order=order, subok=subok, signature=signature)
        operands, outs = self._parted(operands, out)
        if dtype is not None:
            if self.__name__ in _TRUE and _core.named_dtype(dtype) != _core.named_dtype("bool"):
                raise TypeError(f"{self.__name__} gives bools: say astype for {dtype}")
            if self.__name__ not in _TRUE:
                operands = self._cast(operands, dtype)
        results = self._function(*operands)
        results = results if isinstance(results, tuple) else (results,)
        results = tuple([self._placed(result, target, where) for result, target in zip(results, outs)])
        return results if self.nout > 1 else results[0]

    def _parted(self, operands, out):
        """The operands, and an `out` or None for each result."""
        if not self.nin <= len(operands) <= self.nargs:
            raise TypeError(f"{self.__name__} takes {self.nin} operands and up to {self.nout} for results, not {len(operands)}")
        if len(operands) > self.nin:
            if out is not None:
                raise TypeError(f"{self.__name__}: out is given by position and by name")
            out = (*operands[self.nin:], *(None,) * (self.nargs - len(operands)))
        outs = out if isinstance(out, tuple) else (out,) + (None,) * (self.nout - 1)
        if len(outs) != self.nout:
            raise ValueError(f"{self.__name__} has {self.nout} results, and out is a tuple of {len(outs)}")
        return operands[:self.nin], outs

    def _cast(self, operands, dtype):
        arrays = _arrays_of(*operands)
        for each, given in zip(arrays, operands):
            if _is_array(given) and not _common.castable(each.dtype, dtype):
                raise TypeError(f"{self.__name__}: an operand of {each.dtype} is not cast to {dtype} by the rule 'same_kind'")
        return [each.astype(dtype, copy=False) for each in arrays]

    def _placed(self, result, out, where):
        if out is not None:
            _common.check_out(result, out)
            if _core.broadcast_shape([tuple(result.shape), tuple(out.shape)]) != tuple(out.shape):
                raise ValueError(f"a result of shape {tuple(result.shape)} does not fit into out, of shape {tuple(out.shape)}")
        if where is not True:
            where = _array_of(where, stream=result.stream)
            if _common.kind_of(where) != "b":
                raise TypeError(f"where is a mask of bools, not of {where.dtype}")
            other = out if out is not None else _core.full((), 0, result.dtype, stream=result.stream)
            result = _core.where(where, result.astype(other.dtype, copy=False), other)
        if out is None:
            return result
        out[...] = result
        return out

    # ---- Over one array ----

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        """The function over all elements along an axis, or several, from the first to the last."""
        self._two("reduce")
        array = _array_of(array)
        if self._whole is not None:
            return self._whole(array, axis, dtype, out, keepdims, initial, where)
        if initial is not None or where is not True:
            raise TypeError(f"{self.__name__}.reduce has no initial and no where here: fill what is left out before")
        if self.__name__ not in _HALVED:
            raise TypeError(f"{self.__name__}.reduce is not there: the order of its operands counts, and a GPU takes them in pairs")
        if dtype is not None:
            array = array.astype(dtype)
        axes = _axes_of(axis, array.ndim)
        for each in axes:
            array = self._halved(array, each)
        array = array if keepdims or not axes else array.squeeze(tuple(axes))
        return _common.into(array, out)

    def _halved(self, array, axis):
        """One axis with one element, by the function of its two halves, again and again."""
        extent = array.shape[axis]
        if not extent:
            raise ValueError(f"{self.__name__}.reduce of no elements has no value")
        while extent > 1:
            half = extent // 2
            front, back = _common.along(array, axis, slice(half)), _common.along(array, axis, slice(half, 2 * half))
            rest = _common.along(array, axis, slice(2 * half, None))
            array = self(front, back)
            if extent % 2:
                array = _core.concatenate([array, rest.astype(array.dtype, copy=False)], axis)
            extent = array.shape[axis]
        return array

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """The function over all elements up to each along an axis."""
        self._two("accumulate")
        if self._running is None:
            raise TypeError(f"{self.__name__}.accumulate is not there: add, multiply, maximum and minimum have it")
        array = _array_of(array)
        if dtype is not None:
            array = array.astype(dtype)
        return _common.into(self._running(array, _common.axis_of(axis, array.ndim)), out)

    def outer(self, A, B, **options):
        """The function of each element of A with each of B."""
        self._two("outer")
        a, b = _arrays_of(A, B)
        return self(a.reshape((*a.shape, *(1,) * b.ndim)), b, **options)

    def at(self, a, indices, b=None):
        """a[indices] += b, with every element counted where it is named several times; for add and subtract."""
        if self.__name__ not in ("add", "subtract"):
            raise TypeError(f"{self.__name__}.at is not there: add and subtract have it")
        if not _is_array(a):
            raise TypeError(f"{self.__name__}.at changes an Array, and this is a {type(a).__name__}")
        if b is None:
            raise TypeError(f"{self.__name__}.at takes the values as its third argument")
        plain = type(b) is int and _common.kind_of(a) in "iufc" or type(b) is float and _common.kind_of(a) in "fc"
        values = _array_of(b, a.dtype if plain else None, stream=a.stream)
        integers = _common.kind_of(values) in "biu" and _common.kind_of(a) in "iu"  # of which the low bits count, as in NumPy
        if not integers and not _common.castable(values.dtype, a.dtype):
            raise TypeError(f"values of {values.dtype} are not cast to {a.dtype}, which the array has, by the rule 'same_kind'")
        values = values.astype(a.dtype, copy=False)
        _core.scatter_add(a, indices, values if self.__name__ == "add" else -values)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """Not there: TypeError."""
        raise TypeError(f"{self.__name__}.reduceat is not there: yoke.reduce_segments has sums and extremes of segments")

    def _two(self, method):
        if (self.nin, self.nout) != (2, 1):
            raise ValueError(f"{self.__name__}.{method} is for functions of two operands with one result")


_HALVED = frozenset("bitwise_and bitwise_or bitwise_xor fmax fmin gcd hypot lcm logaddexp logaddexp2 logical_xor".split())
