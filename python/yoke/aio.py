# SPDX-License-Identifier: Apache-2.0
"""Waiting for GPU work and builds in an event loop: by the loop's add_reader, and one descriptor for all that its tasks await; no
polling, and no thread but where a loop has no add_reader."""

from __future__ import annotations

import asyncio
import weakref
from typing import TYPE_CHECKING, Any

from ._core import BuildError, CompletionQueue, refuse_deadlock, retained, start_build

if TYPE_CHECKING:
    from . import Array, Device, Event, Program, Source

# Of the loops whose tasks wait, by their ids. What keeps a queue is its loop, by the reader, so that both can be forgotten.
queues: weakref.WeakValueDictionary[int, CompletionQueue] = weakref.WeakValueDictionary()


async def wait(event: Event) -> None:
    """Wait for the event and raise the failure of the work before it. Cancelling the task ends the wait, and not the work."""
    event = retained(event)  # whoever closes it meanwhile does not take the outcome from this
    if event.query():
        return
    refuse_deadlock(event)
    loop = asyncio.get_running_loop()
    try:
        queue = queue_of(loop)
    except NotImplementedError:
        await loop.run_in_executor(None, event.wait)
        return
    number = 0
    try:
        ready = loop.create_future()
        number = queue.add(event, ready)
        await ready
    finally:
        queue.remove(number)
        end_idle(loop, queue)
    event.query()


async def wait_for_array(array: Array) -> Array:
    """Wait for the work that makes the array so far; the array itself, for `x = await f(x)`."""
    await wait(array.stream.event())
    return array


def queue_of(loop: asyncio.AbstractEventLoop) -> CompletionQueue:
    queue = queues.get(id(loop))
    if queue is None:
        queue = CompletionQueue()
        loop.add_reader(queue.fileno(), answer, queue)
        queues[id(loop)] = queue
    return queue


def answer(queue: CompletionQueue) -> None:
    for ready in queue.take():
        if not ready.done():
            ready.set_result(None)


def end_idle(loop: asyncio.AbstractEventLoop, queue: CompletionQueue) -> None:
    """Close the queue when the last task has its answer."""
    if len(queue) or queue.fileno() < 0:
        return
    queues.pop(id(loop), None)
    if not loop.is_closed():
        loop.remove_reader(queue.fileno())
    queue.close()


async def build(device: Device, source: Source | str | None, texts: dict[str, Any]) -> Program:
    """Build a program on one of Yoke's threads, and wait for it."""
    program, built = start_build(device, source, texts)
    try:
        await built
    except BuildError as error:
        error.log = program.log
        raise
    return program
