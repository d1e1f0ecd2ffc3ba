# SPDX-License-Identifier: Apache-2.0
from typing import Any

from .. import Array, ArrayLike, Axes, DType

class ufunc:
    nin: int
    nout: int
    nargs: int
    identity: Any
    def __call__(
        self,
        *operands: ArrayLike,
        out: Any = None,
        where: ArrayLike = True,
        casting: str = "same_kind",
        order: str | None = "K",
        dtype: DType | None = None,
        subok: bool = True,
        signature: None = None,
    ) -> Any: ...
    def reduce(
        self,
        array: ArrayLike,
        axis: Axes = 0,
        dtype: DType | None = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: ArrayLike = True,
    ) -> Array: ...
    def accumulate(
        self, array: ArrayLike, axis: int = 0, dtype: DType | None = None, out: Array | None = None
    ) -> Array: ...
    def outer(self, A: ArrayLike, B: ArrayLike, **options: Any) -> Array: ...
    def at(self, a: Array, indices: ArrayLike, b: ArrayLike | None = None) -> None: ...
    def reduceat(
        self,
        array: ArrayLike,
        indices: ArrayLike,
        axis: int = 0,
        dtype: DType | None = None,
        out: Array | None = None,
    ) -> Array: ...
