# SPDX-License-Identifier: Apache-2.0
"""Waiting for GPU work and builds in an event loop: the event's descriptor and the loop's add_reader; no polling, and no thread but
where a loop has no add_reader."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from ._core import BuildError, refuse_deadlock, retained, start_build

if TYPE_CHECKING:
    from . import Device, Event, Program, Source


async def wait(event: Event) -> None:
    """Wait for the event and raise the failure of the work before it. Cancelling the task ends the wait, and not the work."""
    event = retained(event)  # whoever closes it meanwhile does not take the outcome from this
    if event.query():
        return
    refuse_deadlock(event)
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    fd = event.fileno()
    try:
        try:
            loop.add_reader(fd, finish, ready)
        except NotImplementedError:
            await loop.run_in_executor(None, event.wait)
            return
        try:
            await ready
        finally:
            loop.remove_reader(fd)
    finally:
        os.close(fd)
    event.query()


async def build(device: Device, source: Source | str | None, texts: dict[str, Any]) -> Program:
    """Build a program on one of Yoke's threads, and wait for it."""
    program, built = start_build(device, source, texts)
    try:
        await built
    except BuildError as error:
        error.log = program.log
        raise
    return program


def finish(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
