# SPDX-License-Identifier: Apache-2.0
from collections.abc import Sequence
from typing import Any, TypeAlias

from . import Array, Stream

Shape: TypeAlias = int | Sequence[int]

def uniform(
    shape: Shape,
    low: float = 0.0,
    high: float = 1.0,
    *,
    seed: int,
    offset: int = 0,
    sequence: int = 0,
    dtype: Any = None,
    stream: Stream | None = None,
) -> Array: ...
def normal(
    shape: Shape,
    mean: float = 0.0,
    deviation: float = 1.0,
    *,
    seed: int,
    offset: int = 0,
    sequence: int = 0,
    dtype: Any = None,
    stream: Stream | None = None,
) -> Array: ...
def exponential(
    shape: Shape,
    mean: float = 1.0,
    *,
    seed: int,
    offset: int = 0,
    sequence: int = 0,
    dtype: Any = None,
    stream: Stream | None = None,
) -> Array: ...
def integers(
    shape: Shape,
    low: int,
    high: int | None = None,
    *,
    endpoint: bool = False,
    seed: int,
    offset: int = 0,
    sequence: int = 0,
    dtype: Any = "int64",
    stream: Stream | None = None,
) -> Array: ...
def permutation(
    n: Shape,
    *,
    seed: int,
    offset: int = 0,
    sequence: int = 0,
    dtype: Any = "int64",
    stream: Stream | None = None,
) -> Array: ...
def shuffle(array: Array, axis: int = 0, *, seed: int, offset: int = 0, sequence: int = 0) -> Array: ...
