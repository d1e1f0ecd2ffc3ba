# SPDX-License-Identifier: Apache-2.0
from typing import Literal

from . import Array, ArrayLike, Device, DType, Stream

def array(
    object: ArrayLike,
    dtype: DType | None = None,
    *,
    copy: bool | None = True,
    order: Literal["C", "F"] = "C",
    ndmin: int = 0,
    stream: Stream | None = None,
    device: Device | None = None,
) -> Array: ...
