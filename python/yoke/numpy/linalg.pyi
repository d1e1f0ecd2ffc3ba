# SPDX-License-Identifier: Apache-2.0
from collections.abc import Sequence
from typing import Any

from numpy.linalg import LinAlgError as LinAlgError

from .. import Array, ArrayLike, Axes
from ..linalg import (
    cholesky as cholesky,
    cross as cross,
    det as det,
    diagonal as diagonal,
    inv as inv,
    matmul as matmul,
    matrix_norm as matrix_norm,
    matrix_transpose as matrix_transpose,
    outer as outer,
    slogdet as slogdet,
    solve as solve,
    tensordot as tensordot,
    trace as trace,
    vecdot as vecdot,
    vector_norm as vector_norm,
)

__all__ = [
    "LinAlgError", "cholesky", "cross", "det", "diagonal", "inv", "matmul", "matrix_norm", "matrix_power",
    "matrix_transpose", "multi_dot", "norm", "outer", "slogdet", "solve", "tensordot", "trace", "vecdot", "vector_norm",
]

def norm(x: ArrayLike, ord: Any = None, axis: Axes = None, keepdims: bool = False) -> Array: ...
def matrix_power(a: ArrayLike, n: int) -> Array: ...
def multi_dot(arrays: Sequence[ArrayLike], *, out: Array | None = None) -> Array: ...
