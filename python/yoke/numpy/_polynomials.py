# SPDX-License-Identifier: Apache-2.0
"""Polynomials by their coefficients, the highest power first."""

from .. import _core
from . import _common
from ._common import array_of as _array_of
from ._common import together as _together
from ._products import convolve as _convolve

__all__ = ["poly", "polyadd", "polyder", "polyint", "polymul", "polysub", "polyval"]


def _raised(a, b):
    """Two polynomials with as many coefficients."""
    a, b = [each.reshape(-1) for each in _together(a, b)]
    count = max(a.size, b.size)
    return [each if each.size == count else
            _core.concatenate([_core.zeros((count - each.size,), each.dtype, stream=each.stream), each], 0) for each in (a, b)]


def polyadd(a1, a2):
    """The sum of two polynomials."""
    one, other = _raised(a1, a2)
    return one + other


def polysub(a1, a2):
    """The difference of two polynomials."""
    one, other = _raised(a1, a2)
    return one - other


def polymul(a1, a2):
    """The product of two polynomials."""
    one, other = [each.reshape(-1) for each in _together(a1, a2)]
    return _convolve(one, other)


def polyval(p, x):
    """The values of a polynomial at each x, by Horner's rule: a step for each coefficient."""
    p, x = _together(p, x)
    if p.ndim != 1:
        raise ValueError(f"coefficients have one dimension, not {p.ndim}")
    result = _core.zeros(x.shape, x.dtype, stream=x.stream)
    for i in range(p.size):
        result = _common.evaluate("r * x + c", x.dtype, r=result, x=x, c=p[i])
    return result


def poly(seq_of_zeros):
    """The coefficients of the polynomial with these zeros."""
    zeros = _array_of(seq_of_zeros)
    if zeros.ndim != 1:
        raise ValueError(f"poly is of a vector of zeros, not of shape {tuple(zeros.shape)}: those of matrices are not there")
    wide = zeros.dtype if _common.kind_of(zeros) in "fc" else _common.wide_float(zeros.device)
    zeros = zeros.astype(wide)
    result = _core.ones((1,), wide, stream=zeros.stream)
    for i in range(zeros.size):
        none = _core.zeros((1,), wide, stream=zeros.stream)
        result = _core.concatenate([result, none], 0) - _core.concatenate([none, result * zeros[i]], 0)
    return result


def polyder(p, m=1):
    """The m-th derivative."""
    if m < 0:
        raise ValueError(f"m is {m}: a number that is not negative is wanted")
    p = _array_of(p)
    for _ in range(m):
        powers = _core.arange(p.size - 1, 0, -1, "int64", stream=p.stream)
        p = p[:-1] * powers
    return p


def polyint(p, m=1, k=None):
    """The m-th integral. k: the constants, one for each integration."""
    if m < 0:
        raise ValueError(f"m is {m}: a number that is not negative is wanted")
    p = _array_of(p)
    constants = [0] * m if k is None else [k] * m if not hasattr(k, "__len__") else list(k)
    constants = constants * m if len(constants) == 1 else constants
    if len(constants) != m:
        raise ValueError(f"{len(constants)} constants for {m} integrations")
    for each in constants:
        powers = _core.arange(p.size, 0, -1, "int64", stream=p.stream)
        p = p / powers
        p = _core.concatenate([p, _array_of(each, p.dtype, p.stream).reshape(1)], 0)
    return p
