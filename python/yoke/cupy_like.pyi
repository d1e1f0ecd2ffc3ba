# SPDX-License-Identifier: Apache-2.0
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from . import Array
from . import Array as ndarray
from .numpy import asnumpy as asnumpy

cupy: ModuleType
cuda: ModuleType
fft: Any
random: Any
testing: Any

class ElementwiseKernel:
    name: str
    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        *,
        loop_prep: str = "",
        after_loop: str = "",
        options: Sequence[str] = (),
    ) -> None: ...
    def __call__(self, *args: Any, size: int | None = None, block_size: int = 128) -> Any: ...

class ReductionKernel:
    name: str
    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Sequence[str] = (),
    ) -> None: ...
    def __call__(
        self, *args: Any, out: Array | None = None, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
    ) -> Array: ...

class RawModule:
    def __init__(
        self,
        code: str | None = None,
        *,
        path: None = None,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        name_expressions: Sequence[str] = (),
    ) -> None: ...
    def get_function(self, name: str) -> RawKernel: ...

class RawKernel:
    name: str
    def __init__(
        self,
        code: str | RawModule,
        name: str,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        *,
        enable_cooperative_groups: bool = False,
    ) -> None: ...
    def __call__(
        self, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], *, shared_mem: int = 0, stream: Any = None
    ) -> None: ...

def fuse(*args: Any, **kwargs: Any) -> Any: ...
def get_array_module(*args: Any) -> ModuleType: ...
def get_default_memory_pool() -> Any: ...
def get_default_pinned_memory_pool() -> Any: ...
def is_available() -> bool: ...
def show_config() -> None: ...
def __getattr__(name: str) -> Any: ...
