# SPDX-License-Identifier: Apache-2.0
"""Functions of rows, of scipy.special's names: each is one expression that reduces along axes and goes on with the result."""

from ._core import array_from as _array
from ._core import evaluate as _evaluate

__all__ = ["log_softmax", "logsumexp", "softmax"]

_DISTANCE = "((uint64)max(x) - (uint64)x)"  # of integers: exact before it is a float, whatever their signs


def _value(text, a, axis, keepdims=False, **variables):
    """The value of an expression of x. Floats keep their dtype; integers count as floats."""
    a = _array(a)
    dtype = a.dtype if str(a.dtype).startswith(("float", "bfloat")) else None
    if not isinstance(axis, (tuple, list)) or axis:
        return _evaluate(text, dtype, axis=axis, keepdims=keepdims, x=a, **variables)
    variables = {name: each[..., None] for name, each in variables.items()}  # no axis: every element is a row
    result = _evaluate(text, dtype, axis=-1, x=a[..., None], **variables)
    return result[..., 0] if result.ndim > a.ndim else result


def softmax(x, axis=None):
    """exp(x) / sum(exp(x)) along an axis, several, or all, in one launch; elements are taken relative to the largest one, so that
    none overflows. Integers give floats."""
    if str(_array(x).dtype).startswith(("int", "uint")):
        return _value(f"e = exp({_DISTANCE} * -1.0); e / sum(e)", x, axis)
    return _value("v = x * 1.0; e = exp(v - max(v)); e / sum(e)", x, axis)


def log_softmax(x, axis=None):
    """The logarithm of softmax, which is exact also where softmax is 0."""
    if str(_array(x).dtype).startswith(("int", "uint")):
        return _value(f"d = {_DISTANCE} * -1.0; d - log(sum(exp(d)))", x, axis)
    return _value("v = x * 1.0; m = max(v); d = v - (isfinite(m) ? m : 0); d - log(sum(exp(d)))", x, axis)


def logsumexp(a, axis=None, b=None, *, keepdims=False, return_sign=False):
    """log(sum(b * exp(a))) along an axis, several, or all, in one launch; b is 1 where it is None. Of a negative sum it is NaN."""
    if return_sign:
        raise NotImplementedError("return_sign is not here: take the sign of (b * yoke.exp(a - a.max())).sum()")
    if b is None:
        text, weights = "v = x * 1.0; m = max(v); f = isfinite(m) ? m : 0; log(sum(exp(v - f))) + f", {}
    else:
        text = "v = b == 0 ? -INFINITY : x * 1.0; m = max(v); f = isfinite(m) ? m : 0; log(sum(b * exp(v - f))) + f"
        weights = {"b": _array(b)}
    return _value(text, a, axis, keepdims, **weights)


for _each in (softmax, log_softmax, logsumexp):
    _each.__module__ = "yoke"  # what users see, and pickle
