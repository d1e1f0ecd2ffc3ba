# SPDX-License-Identifier: Apache-2.0
"""numpy.linalg's names: norms, products, and what LU and Cholesky's factors give. What yoke.linalg
has of the array API standard is here, too."""

from numpy.linalg import LinAlgError

from .. import _core
from .. import linalg as _linalg
from . import _common
from ._common import array_of as _array_of
from ._common import into as _into
from ._common import of_one_dtype as _of_one_dtype

__all__ = ["LinAlgError", "cholesky", "cross", "det", "diagonal", "inv", "matmul", "matrix_norm", "matrix_power",
           "matrix_transpose", "multi_dot", "norm", "outer", "slogdet", "solve", "tensordot", "trace", "vecdot", "vector_norm"]

# Those of the standard, which NumPy's module has with the standard's parameters.
cholesky, det, inv, slogdet, solve = _linalg.cholesky, _linalg.det, _linalg.inv, _linalg.slogdet, _linalg.solve
cross, diagonal, matmul, outer = _linalg.cross, _linalg.diagonal, _linalg.matmul, _linalg.outer
matrix_norm, matrix_transpose, tensordot = _linalg.matrix_norm, _linalg.matrix_transpose, _linalg.tensordot
trace, vecdot, vector_norm = _linalg.trace, _linalg.vecdot, _linalg.vector_norm


def _floats(x):
    x = _array_of(x)
    return x.astype(_common.mean_dtype(x), copy=False)


def norm(x, ord=None, axis=None, keepdims=False):
    """The norms of vectors along an axis, or of matrices along two; of the whole array without one. ord: None is the root of
    the sum of squares; of vectors any number, of matrices "fro", 1, -1, inf or -inf."""
    x = _floats(x)
    if axis is None and (ord is None or ord in ("f", "fro") and x.ndim == 2 or ord == 2 and x.ndim == 1):
        result = x.reshape(-1).norm(0)
        return result.reshape((1,) * x.ndim) if keepdims else result
    axes = _common.axes_of(axis, x.ndim)
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"ord={_core.shown(ord)} is of matrices, and this is a vector")
        return _linalg.vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError(f"a norm is of vectors or matrices, not of {len(axes)} axes")
    if ord in ("nuc", 2, -2):
        raise TypeError(f"norm: ord={_core.shown(ord)} of matrices is not there: it takes singular values")
    others = [i for i in range(x.ndim) if i not in axes]
    result = _linalg.matrix_norm(x.transpose((*others, *axes)), ord="fro" if ord in (None, "f") else ord)
    return result.reshape(tuple([1 if i in axes else extent for i, extent in enumerate(x.shape)])) if keepdims else result


def matrix_power(a, n):
    """The product of n matrices; the identity for 0, and of the inverses for negative n."""
    return _linalg.matrix_power(a, n)


def multi_dot(arrays, *, out=None):
    """The product of matrices, in the order that takes the fewest multiplications; the first and the last may be vectors."""
    arrays = _of_one_dtype(*arrays)
    if len(arrays) < 2:
        raise ValueError("multi_dot takes two arrays or more")
    row, column = arrays[0].ndim == 1, arrays[-1].ndim == 1
    arrays[0] = arrays[0][None, :] if row else arrays[0]
    arrays[-1] = arrays[-1][:, None] if column else arrays[-1]
    for each in arrays:
        if each.ndim != 2:
            raise ValueError(f"multi_dot takes matrices, and vectors at both ends, not an array of {each.ndim} dimensions")
    result = _product(arrays, _cuts([arrays[0].shape[0], *[each.shape[1] for each in arrays]]), 0, len(arrays) - 1)
    shape = tuple([extent for extent, gone in zip(result.shape, (row, column)) if not gone])
    return _into(result.reshape(shape), out)


def _cuts(extents):
    """Of each chain of matrices i to j the last of its first part, so that all products take the fewest multiplications."""
    count = len(extents) - 1
    cost, cuts = {(i, i): 0 for i in range(count)}, {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            ways = [(cost[i, k] + cost[k + 1, j] + extents[i] * extents[k + 1] * extents[j + 1], k) for k in range(i, j)]
            cost[i, j], cuts[i, j] = min(ways)
    return cuts


def _product(arrays, cuts, i, j):
    if i == j:
        return arrays[i]
    return _core.matmul(_product(arrays, cuts, i, cuts[i, j]), _product(arrays, cuts, cuts[i, j] + 1, j))


_MOVED = {name: "numpy.linalg of np.asnumpy(a) has it: orthogonal factors are not computed on the device" for name in (
    "cond", "eig", "eigh", "eigvals", "eigvalsh", "lstsq", "matrix_rank", "pinv", "qr", "svd", "svdvals", "tensorinv",
    "tensorsolve")}


def __getattr__(name):
    """What yoke.linalg has beside these."""
    if not name.startswith("_") and hasattr(_linalg, name):
        return getattr(_linalg, name)
    raise AttributeError(_core.missing("yoke.numpy.linalg", name, __all__, _MOVED), name=name)
