# SPDX-License-Identifier: Apache-2.0
from collections.abc import Sequence
from typing import Any

from . import Array, ArrayLike, Axes, FilterMode

def binary_closing(
    input: ArrayLike,
    structure: Any = None,
    iterations: int = 1,
    output: Any = None,
    origin: int | Sequence[int] = 0,
    mask: Any = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: Axes = None,
) -> Array: ...
def binary_dilation(
    input: ArrayLike,
    structure: Any = None,
    iterations: int = 1,
    mask: Any = None,
    output: Any = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
    brute_force: bool = False,
    *,
    axes: Axes = None,
) -> Array: ...
def binary_erosion(
    input: ArrayLike,
    structure: Any = None,
    iterations: int = 1,
    mask: Any = None,
    output: Any = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
    brute_force: bool = False,
    *,
    axes: Axes = None,
) -> Array: ...
def binary_opening(
    input: ArrayLike,
    structure: Any = None,
    iterations: int = 1,
    output: Any = None,
    origin: int | Sequence[int] = 0,
    mask: Any = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: Axes = None,
) -> Array: ...
def convolve(
    input: ArrayLike,
    weights: Any,
    output: Any = None,
    mode: FilterMode = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array: ...
def convolve1d(
    input: ArrayLike,
    weights: Any,
    axis: int = -1,
    output: Any = None,
    mode: FilterMode = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Array: ...
def correlate(
    input: ArrayLike,
    weights: Any,
    output: Any = None,
    mode: FilterMode = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array: ...
def correlate1d(
    input: ArrayLike,
    weights: Any,
    axis: int = -1,
    output: Any = None,
    mode: FilterMode = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Array: ...
def gaussian_filter(
    input: ArrayLike,
    sigma: float | Sequence[float],
    order: int | Sequence[int] = 0,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | Sequence[int] | None = None,
    axes: Axes = None,
) -> Array: ...
def gaussian_filter1d(
    input: ArrayLike,
    sigma: float | Sequence[float],
    axis: int = -1,
    order: int | Sequence[int] = 0,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | Sequence[int] | None = None,
) -> Array: ...
def gaussian_gradient_magnitude(
    input: ArrayLike,
    sigma: float | Sequence[float],
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    *,
    axes: Axes = None,
    **kwargs: Any,
) -> Array: ...
def gaussian_laplace(
    input: ArrayLike,
    sigma: float | Sequence[float],
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    *,
    axes: Axes = None,
    **kwargs: Any,
) -> Array: ...
def grey_closing(
    input: ArrayLike,
    size: Any = None,
    footprint: Any = None,
    structure: Any = None,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array: ...
def grey_dilation(
    input: ArrayLike,
    size: Any = None,
    footprint: Any = None,
    structure: Any = None,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array: ...
def grey_erosion(
    input: ArrayLike,
    size: Any = None,
    footprint: Any = None,
    structure: Any = None,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array: ...
def grey_opening(
    input: ArrayLike,
    size: Any = None,
    footprint: Any = None,
    structure: Any = None,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array: ...
def laplace(
    input: ArrayLike,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    *,
    axes: Axes = None,
) -> Array: ...
def maximum_filter(
    input: ArrayLike,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array: ...
def maximum_filter1d(
    input: ArrayLike,
    size: Any,
    axis: int = -1,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Array: ...
def median_filter(
    input: ArrayLike,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array: ...
def minimum_filter(
    input: ArrayLike,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array: ...
def minimum_filter1d(
    input: ArrayLike,
    size: Any,
    axis: int = -1,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Array: ...
def percentile_filter(
    input: ArrayLike,
    percentile: float,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array: ...
def prewitt(
    input: ArrayLike,
    axis: int = -1,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
) -> Array: ...
def rank_filter(
    input: ArrayLike,
    rank: int,
    size: Any = None,
    footprint: Any = None,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array: ...
def separable_filter(
    input: ArrayLike,
    weights: Any,
    *,
    axes: Axes = None,
    output: Any = None,
    mode: FilterMode = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Array: ...
def sobel(
    input: ArrayLike,
    axis: int = -1,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    *,
    axes: Axes = None,
) -> Array: ...
def uniform_filter(
    input: ArrayLike,
    size: Any = 3,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: Axes = None,
) -> Array: ...
def uniform_filter1d(
    input: ArrayLike,
    size: Any,
    axis: int = -1,
    output: Any = None,
    mode: FilterMode | Sequence[FilterMode] = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
) -> Array: ...
