# SPDX-License-Identifier: Apache-2.0
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, final

from .. import Buffer, Device, HostMemory, Kernel

class Source:
    def __init__(
        self,
        text: str | None = None,
        *,
        cuda: str | None = None,
        opencl: str | None = None,
        cuda_file: str | os.PathLike[str] | None = None,
        opencl_file: str | os.PathLike[str] | None = None,
        text_file: str | os.PathLike[str] | None = None,
        name: str | None = None,
        defines: Mapping[str, object] | Sequence[str] = (),
        cuda_defines: Mapping[str, object] | Sequence[str] = (),
        opencl_defines: Mapping[str, object] | Sequence[str] = (),
        math: Literal["default", "exact", "fast"] = "default",
        headers: Mapping[str, str] | None = None,
        include_folders: Sequence[str | os.PathLike[str]] = (),
        name_expressions: Sequence[str] = (),
        cuda_std: str | None = None,
        opencl_std: str | None = None,
        cuda_options: Sequence[str] = (),
        opencl_options: Sequence[str] = (),
        debug: bool = False,
        compiled: Sequence[HostMemory] = (),
    ) -> None: ...
    def compile(self, architecture: str, *, bare: bool = False) -> bytes: ...
    @classmethod
    def builtin(cls, name: str) -> Source: ...

@final
class Program:
    def __init__(self, device: Device, source: Source | str | None = None, **texts: Any) -> None: ...
    @property
    def log(self) -> str: ...
    @property
    def device(self) -> Device: ...
    def kernel(self, name: str) -> Kernel: ...
    def __getitem__(self, name: str) -> Kernel: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __contains__(self, name: object) -> bool: ...
    def variable(self, name: str) -> Buffer: ...
    def save(self) -> bytes: ...
