# SPDX-License-Identifier: Apache-2.0
from typing import NamedTuple

from . import Array, ArrayLike, Axes, DType

class _unique_all_result(NamedTuple):
    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array

class _unique_counts_result(NamedTuple):
    values: Array
    counts: Array

class _unique_inverse_result(NamedTuple):
    values: Array
    inverse_indices: Array

def sum(
    x: ArrayLike,
    /,
    axis: Axes = None,
    dtype: DType | None = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
    initial: complex | None = None,
    where: ArrayLike = True,
) -> Array: ...
def prod(
    x: ArrayLike,
    /,
    axis: Axes = None,
    dtype: DType | None = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
    initial: complex | None = None,
    where: ArrayLike = True,
) -> Array: ...
def mean(
    x: ArrayLike,
    /,
    axis: Axes = None,
    dtype: DType | None = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
    where: ArrayLike = True,
) -> Array: ...
def var(
    x: ArrayLike,
    /,
    axis: Axes = None,
    dtype: DType | None = None,
    out: Array | None = None,
    ddof: float = 0,
    *,
    correction: float | None = None,
    keepdims: bool = False,
    where: ArrayLike = True,
) -> Array: ...
def std(
    x: ArrayLike,
    /,
    axis: Axes = None,
    dtype: DType | None = None,
    out: Array | None = None,
    ddof: float = 0,
    *,
    correction: float | None = None,
    keepdims: bool = False,
    where: ArrayLike = True,
) -> Array: ...
def min(
    x: ArrayLike,
    /,
    axis: Axes = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
    initial: float | None = None,
    where: ArrayLike = True,
) -> Array: ...
def max(
    x: ArrayLike,
    /,
    axis: Axes = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
    initial: float | None = None,
    where: ArrayLike = True,
) -> Array: ...
def any(
    x: ArrayLike, /, axis: Axes = None, out: Array | None = None, *, keepdims: bool = False, where: ArrayLike = True
) -> Array: ...
def all(
    x: ArrayLike, /, axis: Axes = None, out: Array | None = None, *, keepdims: bool = False, where: ArrayLike = True
) -> Array: ...
def argmin(x: ArrayLike, /, axis: Axes = None, out: Array | None = None, *, keepdims: bool = False) -> Array: ...
def argmax(x: ArrayLike, /, axis: Axes = None, out: Array | None = None, *, keepdims: bool = False) -> Array: ...
def cumulative_sum(
    x: ArrayLike, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Array: ...
def cumulative_prod(
    x: ArrayLike, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Array: ...
def unique_all(x: ArrayLike, /) -> _unique_all_result: ...
def unique_counts(x: ArrayLike, /) -> _unique_counts_result: ...
def unique_inverse(x: ArrayLike, /) -> _unique_inverse_result: ...
def unique_values(x: ArrayLike, /) -> Array: ...
