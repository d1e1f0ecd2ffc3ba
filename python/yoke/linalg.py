# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors, norms, and what LU and Cholesky's factors give, with the names, shapes and arguments of the
array API standard. Matrices are along the last two axes, and those in front are a batch."""

import math as _math

from . import _core
from ._core import array_from as _array_from
from ._core import index_of as _index_of
from ._core import matmul as matmul
from ._core import result_dtype as _result_dtype
from ._decompositions import SlogdetResult as SlogdetResult
from ._decompositions import cholesky as cholesky
from ._decompositions import det as det
from ._decompositions import inv as inv
from ._decompositions import slogdet as slogdet
from ._decompositions import solve as solve


def _pair(x1, x2):
    """Both as Arrays, in the stream of the first that is one."""
    stream = next((each.stream for each in (x1, x2) if isinstance(each, _core.Array)), None)
    return _array_from(x1, stream=stream), _array_from(x2, stream=stream)


def _axis(axis, dimensions):
    number = _index_of(axis, "axis")
    if not -dimensions <= number < dimensions:
        raise _core.axis_error(number, dimensions)
    return number % dimensions


def matrix_transpose(x, /):
    """The transposes of the matrices, views."""
    return _array_from(x).mT


def vecdot(x1, x2, /, *, axis=-1):
    """The sums of conj(x1) * x2 along an axis, which both have, counted from the end."""
    a, b = _pair(x1, x2)
    if not -min(a.ndim, b.ndim) <= axis < 0 and not a.ndim == b.ndim > axis >= 0:
        raise _core.axis_error(axis, min(a.ndim, b.ndim))
    if a.shape[axis] != b.shape[axis]:
        raise ValueError(f"shapes {a.shape} and {b.shape} differ along axis {axis}")
    dtype = _result_dtype((a, b))
    a, b = [_moved_last(_array_from(each, dtype), axis) for each in (a, b)]
    return matmul(a.conj()[..., None, :], b[..., :, None])[..., 0, 0]


def _moved_last(array, axis):
    axis = _axis(axis, array.ndim)
    return array.transpose((*[i for i in range(array.ndim) if i != axis], axis))


def tensordot(x1, x2, /, axes=2):
    """The sums of products over axes: the last `axes` ones of x1 and the first of x2; or those of two sequences."""
    a, b = _pair(x1, x2)
    if hasattr(axes, "__len__") and not isinstance(axes, str):
        left, right = [[_axis(each, array.ndim) for each in (chosen if hasattr(chosen, "__len__") else (chosen,))]
                       for array, chosen in zip((a, b), axes)]
    else:
        if not 0 <= _index_of(axes, "axes") <= min(a.ndim, b.ndim):
            raise ValueError(f"axes is {axes}, and the arrays have {a.ndim} and {b.ndim} dimensions")
        left, right = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    if [a.shape[i] for i in left] != [b.shape[i] for i in right]:
        raise ValueError(f"shapes {a.shape} and {b.shape} differ along the axes {left} and {right}")
    rows, columns = [i for i in range(a.ndim) if i not in left], [i for i in range(b.ndim) if i not in right]
    shape = (*[a.shape[i] for i in rows], *[b.shape[i] for i in columns])
    depth = _math.prod([a.shape[i] for i in left])
    a = a.transpose((*rows, *left)) if a.ndim else a
    b = b.transpose((*right, *columns)) if b.ndim else b
    first = a.reshape((_math.prod([a.shape[i] for i in range(len(rows))]), depth))
    second = b.reshape((depth, _math.prod(b.shape[len(right):])))
    return matmul(first, second).reshape(shape)


def outer(x1, x2, /):
    """x1[i] * x2[j] of two vectors."""
    a, b = _pair(x1, x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(f"outer is of two vectors, not of shapes {a.shape} and {b.shape}")
    return a[:, None] * b


def cross(x1, x2, /, *, axis=-1):
    """The vector products of vectors of three elements along an axis."""
    a, b = _pair(x1, x2)
    if axis >= 0 and a.ndim != b.ndim:
        raise ValueError(f"axis {axis} counts from the front, and the arrays have {a.ndim} and {b.ndim} dimensions: "
                         "count from the end")
    a, b = _moved_last(a, axis), _moved_last(b, axis)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError(f"cross takes vectors of three elements, not of {a.shape[-1]} and {b.shape[-1]}")
    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return _core.stack(parts, axis if axis < 0 else _axis(axis, len(parts[0].shape) + 1))


def diagonal(x, /, *, offset=0):
    """The diagonals of the matrices, or those so many above them, along the last axis."""
    array = _array_from(x)
    if array.ndim < 2:
        raise ValueError(f"an array of shape {array.shape} has no matrices")
    rows, columns = array.shape[-2:]
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    first = -offset * columns if offset < 0 else offset
    flat = array.reshape((*array.shape[:-2], rows * columns))
    return flat[..., first:first + (count - 1) * (columns + 1) + 1:columns + 1] if count else flat[..., :0]


def trace(x, /, *, offset=0, dtype=None):
    """The sums of the diagonals."""
    return diagonal(x, offset=offset).sum(-1, dtype)


def matrix_power(x, n, /):
    """The product of n matrices, by squaring; the identity for 0, and of the inverses for negative n."""
    array = _array_from(x)
    n = _index_of(n, "n")
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise ValueError(f"matrices of shape {array.shape} are not square")
    if n < 0:
        array, n = inv(array), -n
    if n == 0:
        from ._shapes import eye

        return eye(array.shape[-1], dtype=array.dtype, stream=array.stream).broadcast_to(array.shape).copy()
    result = None
    while True:
        if n & 1:
            result = array if result is None else matmul(result, array)
        n >>= 1
        if not n:
            return result.copy() if result is x else result
        array = matmul(array, array)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norms of vectors along an axis, several, or all: (sum of abs(x) ** ord) ** (1 / ord); of infinity the largest, of minus
    infinity the smallest, of 0 the number of elements that are not 0."""
    array = _array_from(x)
    size = array if str(array.dtype).startswith("u") or str(array.dtype) == "bool" else abs(array)
    if ord == _math.inf or ord == -_math.inf:
        from . import _statistics

        return (_statistics.max if ord > 0 else _statistics.min)(size, axis, keepdims=keepdims)
    if ord == 0:
        return (size != 0).astype(size.dtype).sum(axis, size.dtype, keepdims=keepdims)
    if ord == 1:
        return size.sum(axis, keepdims=keepdims)
    if ord == 2:
        return array.norm(axis, keepdims=keepdims)
    return (size ** float(ord)).sum(axis, keepdims=keepdims) ** (1.0 / ord)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norms of matrices: "fro", the square root of the sum of squares; 1 or -1, the largest or smallest sum of a column's
    sizes; infinity or minus infinity, of a row's."""
    array = _array_from(x)
    if array.ndim < 2:
        raise ValueError(f"an array of shape {array.shape} has no matrices")
    if ord == "fro":
        return array.norm((-2, -1), keepdims=keepdims)
    if ord not in (1, -1, _math.inf, -_math.inf):
        raise ValueError(f"ord is \"fro\", 1, -1, inf or -inf, not {_core.shown(ord)}: norms of singular values are not here yet")
    from . import _statistics

    sums = abs(array).sum(-2 if ord in (1, -1) else -1, keepdims=True)
    result = (_statistics.max if ord > 0 else _statistics.min)(sums, (-2, -1), keepdims=True)
    return result if keepdims else result[..., 0, 0]


_NOT_HERE = {name: f"numpy.linalg.{name} of x.to_numpy() has it: orthogonal factors are not computed on the device" for name in (
    "eig", "eigh", "eigvals", "eigvalsh", "lstsq", "matrix_rank", "pinv", "qr", "svd", "svdvals")}


def __getattr__(name):
    raise AttributeError(_core.missing("yoke.linalg", name, [each for each in globals() if each[0] != "_"], _NOT_HERE), name=name)
