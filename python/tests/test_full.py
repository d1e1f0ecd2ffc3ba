# SPDX-License-Identifier: Apache-2.0
"""Streams with a depth that are full: what waits for room can be interrupted, and what only looks at the stream needs none."""

import asyncio
import contextlib
import gc
import signal
import sys
import threading
import weakref

import numpy
import pytest
from test_images import CUDA, OPENCL

import yoke


class Memory(numpy.ndarray):
    """An array for which there are weak references."""


@pytest.fixture
def full(device):
    """An array in a stream that has room for nothing until the event is set."""
    gc.collect()  # of other tests' buffers, which are counted
    stream, go = device.stream(depth=2), threading.Event()
    array = yoke.zeros(16, stream=stream)
    # Compiled before: where SIGINT arrives while PoCL compiles, LLVM removes the files that it is writing, and the build fails.
    compiled = yoke.zeros(16, stream=stream)
    compiled.sort()
    compiled += 1
    stream.wait()
    stream.call(go.wait)
    stream.call(len, "")
    yield array, go
    go.set()
    stream.close()


def interrupted(call, go, *args, number=signal.SIGINT, error=KeyboardInterrupt):
    """Whether the signal ends the call of the main thread that it comes in; else the stream gets room, some seconds later."""
    left, main = threading.Event(), threading.main_thread().ident

    def interrupt():
        while getattr(sys._current_frames()[main], "f_code", None) is not call.__code__ and not left.is_set():
            pass
        signal.pthread_kill(main, number)
        if not left.wait(60):
            go.set()

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(error):
            call(*args)
    finally:
        left.set()
        thread.join()
    return not go.is_set()


ENQUEUES = {
    "write": lambda stream, array, host, graph, saxpy, ran, event: stream.write(array.buffer, host),
    "read": lambda stream, array, host, graph, saxpy, ran, event: stream.read(host, array.buffer),
    "fill": lambda stream, array, host, graph, saxpy, ran, event: stream.fill(array.buffer),
    "call": lambda stream, array, host, graph, saxpy, ran, event: stream.call(ran.append, 1),
    "graph": lambda stream, array, host, graph, saxpy, ran, event: graph.launch(stream),
    "launch": lambda stream, array, host, graph, saxpy, ran, event: saxpy[16](stream, array, yoke.In(host), 1.0, 16),
    "wait_for": lambda stream, array, host, graph, saxpy, ran, event: stream.wait_for(event),
    "operator": lambda stream, array, host, graph, saxpy, ran, event: array.__iadd__(1),
    "sort": lambda stream, array, host, graph, saxpy, ran, event: array.sort(),
}


@pytest.mark.parametrize("name", ENQUEUES)
def test_interrupt_in_an_enqueue(device, full, saxpy, name):
    array, go = full
    other, ran = device.stream(), []
    with other.record() as graph:
        other.call(ran.append, 1)
    other.call(go.wait)
    host = numpy.ones(16, "float32").view(Memory)
    alive = weakref.ref(host)
    assert interrupted(ENQUEUES[name], go, array.stream, array, host, graph, saxpy, ran, other.event())
    del host
    gc.collect()
    assert alive() is None
    go.set()
    array.stream.wait()
    assert not ran and array.tolist() == [0] * 16  # and the stream goes on


def test_exception_of_another_signal(full):
    stream, go = full[0].stream, full[1]

    def alarm(number, frame):
        raise ValueError("mine")

    before = signal.signal(signal.SIGUSR1, alarm)
    try:
        assert interrupted(lambda: stream.call(len, ""), go, number=signal.SIGUSR1, error=ValueError)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_signal_without_an_exception(full):
    stream, go = full[0].stream, full[1]
    ran = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: go.set())
    try:
        def send():
            signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)

        thread = threading.Thread(target=send)
        thread.start()
        stream.call(ran.append, 1)
        thread.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    stream.wait()
    assert ran == [1]


CLOSED = {
    "write": lambda stream, buffer, saxpy, array: stream.write(buffer, bytes(64)),
    "fill": lambda stream, buffer, saxpy, array: stream.fill(buffer),
    "copy": lambda stream, buffer, saxpy, array: stream.copy(array.buffer, buffer),
    "fill_rect": lambda stream, buffer, saxpy, array: stream.fill_rect(buffer, (4, 16)),
    "launch": lambda stream, buffer, saxpy, array: saxpy[16](stream, buffer, array, 1.0, 16),
}


@contextlib.contextmanager
def closed_inside(call, go, thing, look):
    """A signal's handler closes it inside the call, and gives the stream room; what `look` said before and after that."""
    seen, looks = [], []

    def close(number, frame):
        if frame.f_code is call.__code__:
            seen.append(number)
        if len(seen) == 2 and not looks:  # the first may have come just before the enqueue, and others come later
            looks.append(look())
            thing.close()
            looks.append(look())
            go.set()

    action = signal.signal(signal.SIGALRM, close)
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
    try:
        yield looks
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, action)


@pytest.mark.parametrize("name", CLOSED)
def test_buffer_closed_in_an_enqueue(device, full, saxpy, name):
    """The memory is released when the enqueue is over."""
    array, go = full
    buffer = yoke.Buffer(device, 64)
    count = device.memory["buffers"]
    with closed_inside(CLOSED[name], go, buffer, lambda: device.memory["buffers"]) as looks:
        CLOSED[name](array.stream, buffer, saxpy, array)
    array.stream.wait()
    assert looks == [count, count] and buffer.kind == "closed" and device.memory["buffers"] == count - 1


IMAGES = {
    "launch": lambda stream, image, other, blend, host: blend[4, 4](stream, image, other.surface, 0.5),
    "surface": lambda stream, image, other, blend, host: blend[4, 4](stream, other, image.surface, 0.5),
    "write": lambda stream, image, other, blend, host: stream.write_image(image, host),
    "read": lambda stream, image, other, blend, host: stream.read_image(host, image),
}


@pytest.mark.parametrize("name", IMAGES)
def test_image_closed_in_an_enqueue(device, full, name):
    if not device.supports("images"):
        pytest.skip("no images")
    blend = device.build(cuda=CUDA, opencl=OPENCL)["blend"]
    stream, go = full[0].stream, full[1]
    image, other, host = device.image((4, 4)), device.image((4, 4)), numpy.zeros((4, 4), "f4")
    in_use = device.memory["in_use"]
    with closed_inside(IMAGES[name], go, image, lambda: device.memory["in_use"]) as looks:
        IMAGES[name](stream, image, other, blend, host)
    stream.wait()
    assert looks == [in_use, in_use] and repr(image) == "<yoke.Image closed>"


def test_event_closed_in_an_enqueue(device, full):
    stream, go = full[0].stream, full[1]
    other, held = device.stream(), threading.Event()
    other.call(held.wait)
    event = other.event()

    class Ended:
        def close(self):
            held.set()
            other.wait()
            event.close()
            other.close()

    def wait_for():
        stream.wait_for(event)

    with closed_inside(wait_for, go, Ended(), lambda: None) as looks:
        wait_for()
    stream.wait()
    assert looks == [None, None] and repr(event) == "<yoke.Event closed>"


def test_graph_updated_in_an_enqueue(device, full, saxpy):
    stream, go = full[0].stream, full[1]
    base, other = device.buffer(4096), device.buffer(4096)
    host = numpy.zeros(64, "u1").view(Memory)
    alive, recorder = weakref.ref(host), device.stream()
    with recorder.record() as graph:
        recorder.write(base, bytes(64))
    graph.set_write(0, base, host)
    del host

    class Update:
        def close(self):
            graph.set_write(0, other, bytes(64))
            gc.collect()

    def launch():
        graph.launch(stream)

    with closed_inside(launch, go, Update(), lambda: alive() is not None) as looks:
        launch()
    stream.wait()
    assert looks == [True, True]


def test_waits_for_a_full_stream(full):
    stream, go = full[0].stream, full[1]
    with pytest.raises(TimeoutError):
        stream.wait(0.01)
    assert not stream.event().query()
    with pytest.raises(TimeoutError):
        stream.event().wait(0.01)

    async def awaits():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.ensure_future(aio(stream)), 0.01)

    async def aio(awaited):
        await awaited

    asyncio.run(awaits())
    go.set()
    stream.wait()
