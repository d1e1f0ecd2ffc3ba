# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Concatenate, Literal, final

from .. import Buffer, Device, Event, Graph, HostMemory, Image, P, Pitch

def default_stream() -> Stream: ...
def stream_on(device: Device | None) -> Stream: ...

@final
class Stream:
    def __init__(
        self,
        device: Device | None = None,
        *,
        timed: bool = False,
        wait: Literal["auto", "spin", "block"] = "auto",
        depth: int = 0,
        priority: int = 0,
        name: str | None = None,
    ) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Stream: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...
    @property
    def priority(self) -> int: ...
    @property
    def device(self) -> Device: ...
    @property
    def name(self) -> str | None: ...
    def wait(self, timeout: float | None = None) -> None: ...
    def __await__(self) -> Generator[Any, None, None]: ...
    def event(self, *, timed: bool = False) -> Event: ...
    def wait_for(self, event: Event) -> None: ...
    def cancel(self) -> None: ...
    def recover(self) -> None: ...
    def write(self, buffer: Buffer, source: HostMemory, offset: int = 0) -> None: ...
    def read(self, target: HostMemory, buffer: Buffer, offset: int = 0, *, blocking: bool = True) -> None: ...
    def copy(
        self, target: Buffer, source: Buffer, size: int | None = None, target_offset: int = 0, source_offset: int = 0
    ) -> None: ...
    def fill(self, buffer: Buffer, pattern: HostMemory = b"\0", offset: int = 0, size: int | None = None) -> None: ...
    def write_rect(
        self,
        buffer: Buffer,
        source: HostMemory,
        shape: Sequence[int],
        *,
        buffer_offset: int = 0,
        buffer_pitch: Pitch = None,
        source_offset: int = 0,
        source_pitch: Pitch = None,
    ) -> None: ...
    def read_rect(
        self,
        target: HostMemory,
        buffer: Buffer,
        shape: Sequence[int],
        *,
        target_offset: int = 0,
        target_pitch: Pitch = None,
        buffer_offset: int = 0,
        buffer_pitch: Pitch = None,
        blocking: bool = True,
    ) -> None: ...
    def copy_rect(
        self,
        target: Buffer,
        source: Buffer,
        shape: Sequence[int],
        *,
        target_offset: int = 0,
        target_pitch: Pitch = None,
        source_offset: int = 0,
        source_pitch: Pitch = None,
    ) -> None: ...
    def fill_rect(
        self,
        buffer: Buffer,
        shape: Sequence[int],
        pattern: HostMemory = b"\0",
        *,
        offset: int = 0,
        pitch: Pitch = None,
    ) -> None: ...
    def write_image(
        self,
        image: Image,
        source: HostMemory,
        *,
        offset: Sequence[int] | None = None,
        shape: Sequence[int] | None = None,
    ) -> None: ...
    def read_image(
        self,
        target: HostMemory,
        image: Image,
        *,
        offset: Sequence[int] | None = None,
        shape: Sequence[int] | None = None,
        blocking: bool = True,
    ) -> None: ...
    def copy_to_image(
        self,
        image: Image,
        buffer: Buffer,
        buffer_offset: int = 0,
        *,
        offset: Sequence[int] | None = None,
        shape: Sequence[int] | None = None,
    ) -> None: ...
    def copy_from_image(
        self,
        buffer: Buffer,
        image: Image,
        buffer_offset: int = 0,
        *,
        offset: Sequence[int] | None = None,
        shape: Sequence[int] | None = None,
    ) -> None: ...
    def wait_for_native(self, queue: int) -> None: ...
    def native(self) -> AbstractContextManager[int]: ...
    def native_call(
        self, function: Callable[Concatenate[int, P], object], *args: P.args, **kwargs: P.kwargs
    ) -> None: ...
    def buffer(self, size: int) -> Buffer: ...
    def call(self, function: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None: ...
    def call_always(self, function: Callable[..., object], *args: Any, **kwargs: Any) -> None: ...
    def record(self, name: str | None = None) -> AbstractContextManager[Graph]: ...
