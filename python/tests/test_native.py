# SPDX-License-Identifier: Apache-2.0
"""Several events at once, updates of graphs, the limits of memory, and the drivers' own handles."""

import gc
import sys
import threading
import weakref

import numpy
import pytest

import yoke


def read(stream, buffer, dtype="u1"):
    out = numpy.empty(buffer.size // numpy.dtype(dtype).itemsize, dtype)
    stream.read(out, buffer)
    stream.wait()
    return out


@pytest.fixture
def held(device):
    """A stream behind a host function that waits for `held.go`."""
    class Held:
        stream = device.stream()
        go = threading.Event()

    Held.stream.call(Held.go.wait)
    yield Held
    Held.go.set()


# ---- Events ----

def test_wait_any_and_all(device, stream, held):
    late, early = held.stream.event(), stream.event()
    assert yoke.wait_any([late, early]) == 1
    assert yoke.wait_any((each for each in (early, late)), timeout=5) == 0
    with pytest.raises(TimeoutError):
        yoke.wait_any([late], timeout=0.01)
    with pytest.raises(TimeoutError):
        yoke.wait_all([early, late], timeout=0.01)
    held.go.set()
    yoke.wait_all([early, late])
    yoke.wait_all([])
    assert late.query()


def test_wait_any_and_all_fail(device, stream, held):
    held.stream.call(divmod, 1, 0)
    failed, fine = held.stream.event(), device.stream().event()
    held.go.set()
    for call in (lambda: yoke.wait_any([failed]), lambda: yoke.wait_all([fine, failed])):
        with pytest.raises(ZeroDivisionError):
            call()
    with pytest.raises(ValueError):
        yoke.wait_any([])
    for wrong in ([None], [stream], 5, None, [fine, "x"]):
        for call in (yoke.wait_any, yoke.wait_all):
            with pytest.raises(TypeError):
                call(wrong)
    closed = device.stream().event()
    closed.close()
    for call in (yoke.wait_any, yoke.wait_all):
        with pytest.raises(yoke.InvalidArgumentError):
            call([closed])


def test_wait_any_in_a_host_function(stream):
    seen = []

    def waits():
        try:
            yoke.wait_any([stream.event()])
        except yoke.DeadlockError as error:
            seen.append(error)

    stream.call(waits)
    stream.wait()
    assert len(seen) == 1


def test_on_complete(device, held):
    seen, done = [], threading.Semaphore(0)

    def complete(error, word):
        seen.append((error, word))
        done.release()

    held.stream.event().on_complete(complete, "a")
    assert seen == []
    held.go.set()
    done.acquire()
    go, stream = threading.Event(), device.stream()
    stream.call(lambda: go.wait() and divmod(1, 0))
    stream.event().on_complete(complete, word="b")
    go.set()
    done.acquire()
    assert seen[0] == (None, "a") and isinstance(seen[1][0], ZeroDivisionError) and seen[1][1] == "b"
    with pytest.raises(TypeError):
        held.stream.event().on_complete(5)


def test_on_complete_raises(stream, monkeypatch):
    seen, done = [], threading.Event()

    def hook(record):
        seen.append(record.exc_value)
        done.set()

    def fails(error):
        raise LookupError("here")

    monkeypatch.setattr(sys, "unraisablehook", hook)
    stream.event().on_complete(fails)
    assert done.wait(30) and isinstance(seen[0], LookupError)
    seen.clear()
    stream.wait()


# ---- Graphs ----

def test_graph_updates(device, stream, saxpy):
    x, y, other = device.buffer(64), device.buffer(64), device.buffer(64)
    ones, out = numpy.ones(16, "f4"), numpy.zeros(16, "f4")
    calls = []
    with stream.record() as graph:
        stream.write(x, ones)
        stream.fill(y, bytes(4))
        saxpy[16](stream, y, x, 2.0, 16)
        stream.copy(other, y)
        stream.read(out, other, blocking=False)
        stream.call(calls.append, "old")
    graph.launch(stream)
    stream.wait()
    assert (out == 2).all() and calls == ["old"]

    graph.set_args(2, saxpy, y, x, 5.0, 16)
    graph.launch(stream)
    stream.wait()
    assert (out == 5).all()
    graph.set_launch(2, saxpy[8], y, x, 3.0, 8)
    graph.set_write(0, x, numpy.full(16, 2, "f4"))  # nothing else holds it
    graph.set_fill(1, y, numpy.float32(1))
    gc.collect()
    graph.launch(stream)
    stream.wait()
    assert out.tolist() == [7] * 8 + [1] * 8
    graph.set_launch(2, saxpy[1, 16], y, x, 1.0, 16)
    z = device.buffer(32)
    graph.set_copy(3, z, y, 32)
    again = numpy.zeros(8, "f4")
    graph.set_read(4, again, z)
    graph.set_call(5, calls.append, "new")
    graph.launch(stream)
    stream.wait()
    assert (again == 3).all() and (out == [7] * 8 + [1] * 8).all() and calls[2:] == ["old", "new"]


def test_graph_update_keeps_the_old_until_launches_are_done(device, held):
    class Memory(numpy.ndarray):
        pass

    x = device.buffer(16)
    with held.stream.record() as graph:
        held.stream.write(x, bytes(16))
    first = numpy.full(16, 1, "u1").view(Memory)
    alive = weakref.ref(first)
    graph.set_write(0, x, first)
    del first
    graph.launch(held.stream)
    graph.set_write(0, x, numpy.full(16, 2, "u1"))
    gc.collect()
    assert alive() is not None
    held.go.set()
    assert read(held.stream, x).tolist() == [1] * 16
    graph.launch(held.stream)
    assert read(held.stream, x).tolist() == [2] * 16


def test_a_call_of_an_update_fails(device, stream):
    with stream.record() as graph:
        stream.call(len, "")
    graph.set_call(0, divmod, 1, 0)
    other = device.stream()
    graph.launch(other)
    graph = None
    gc.collect()
    with pytest.raises(ZeroDivisionError):
        other.wait()


def test_refused_updates(device, stream, saxpy):
    x, y = device.buffer(64), device.buffer(64)
    with stream.record() as graph:
        stream.fill(x)
        saxpy[16](stream, y, x, 2.0, 16)
        with pytest.raises(yoke.InvalidArgumentError):
            graph.set_fill(0, y)  # not ended yet
    for call in (lambda: graph.set_fill(2, x), lambda: graph.set_args(7, saxpy, y, x, 1.0, 16)):
        with pytest.raises(yoke.RangeError):
            call()
    for call in (lambda: graph.set_fill(1, x), lambda: graph.set_write(0, x, bytes(4)), lambda: graph.set_read(0, bytearray(4), x),
                 lambda: graph.set_copy(0, x, y), lambda: graph.set_call(0, print),
                 lambda: graph.set_launch(0, saxpy[1], y, x, 1.0, 1)):
        with pytest.raises(yoke.InvalidArgumentError):
            call()
    for call in (lambda: graph.set_args(1, saxpy, y, x, 1.0), lambda: graph.set_args(1, saxpy, y, x, 1.0, "x"),
                 lambda: graph.set_args(1, saxpy), lambda: graph.set_args(1, None), lambda: graph.set_args(1, "saxpy"),
                 lambda: graph.set_launch(1, None), lambda: graph.set_call(1, 5), lambda: graph.set_args("1", saxpy)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(yoke.UnsupportedError):
        graph.set_args(1, saxpy, yoke.InOut(bytearray(64)), x, 1.0, 16)
    with pytest.raises(ValueError):
        graph.set_args(-1, saxpy)
    graph.launch(stream)
    stream.wait()


# ---- Memory ----

def test_limits(device):
    device = yoke.Device(device.info.selector)
    before = device.memory
    assert before["in_use_limit"] is None and before["cached_limit"] and isinstance(before["estimated"], bool)
    try:
        device.limit_memory(before["in_use"] + (1 << 20), 0)
        with pytest.raises(yoke.OutOfDeviceMemoryError):
            device.buffer(1 << 21)
        assert device.memory["cached"] == 0 and device.memory["in_use_limit"] == before["in_use"] + (1 << 20)
        device.buffer(1 << 19)
    finally:
        device.limit_memory(None, before["cached_limit"])
    device.buffer(1 << 20).close()
    device.trim()
    assert device.memory["cached"] == 0
    for wrong in (-1, "x", 2.5, 1 << 64):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            device.trim(wrong)
        with pytest.raises((ValueError, TypeError, OverflowError)):
            device.limit_memory(wrong)


def test_read_only_view(device, stream, saxpy):
    buffer = device.buffer(64)
    view = buffer.view(0, 64, read_only=True)
    assert view.read_only and not buffer.read_only and view[:8].read_only
    with pytest.raises(yoke.KernelArgumentError):
        stream.fill(view)
    stream.fill(buffer, numpy.float32(1))
    out = device.buffer(64)
    stream.fill(out)
    saxpy[16](stream, out, view, 3.0, 16)
    assert (read(stream, out, "f4") == 3).all()


def test_pin(device, stream):
    memory = numpy.zeros(1 << 16, "u1")
    pinned = device.pin(memory)
    assert pinned.kind == "pinned" and pinned.size == memory.nbytes
    numpy.frombuffer(pinned, "u1")[:] = 5
    assert (memory == 5).all()
    buffer = device.buffer(memory.nbytes)
    stream.write(buffer, memory)
    assert (read(stream, buffer) == 5).all()
    with pytest.raises(yoke.InvalidArgumentError):
        device.pin(memory)
    pinned.close()
    device.pin(memory).close()
    for wrong in (b"constant", 5, memory[::2]):
        with pytest.raises((TypeError, BufferError, ValueError)):
            device.pin(wrong)


# ---- Handles ----

def test_wrap(device, stream):
    buffer = device.buffer(64)

    class Owner:
        pass

    owner = Owner()
    alive = weakref.ref(owner)
    wrapped = device.wrap(buffer.native, 64, owner)
    del owner
    stream.fill(wrapped, b"\3")
    assert (read(stream, buffer) == 3).all() and alive() is not None
    wrapped.close()
    assert alive() is None
    for wrong in ((0, 64), (buffer.native, 0)):
        with pytest.raises(yoke.InvalidArgumentError):
            device.wrap(*wrong)
    with pytest.raises(yoke.RangeError):
        device.wrap(buffer.native, 1 << 40)
    for wrong in ((-1, 64), ("x", 64), (None, 1)):
        with pytest.raises((TypeError, ValueError)):
            device.wrap(*wrong)


def test_handles_of_a_device(device):
    native = device.native
    assert native["context"] and (native["platform"] is None) == (device.backend == "cuda")


def test_native_section(device, stream):
    seen = []
    with stream.native() as handle:
        assert isinstance(handle, int) and handle
        seen.append("inside")
    stream.call(seen.append, "after")
    stream.wait()
    assert seen == ["inside", "after"]
    with stream.native() as again:
        assert again == handle
    with pytest.raises(LookupError):  # of the block, and not of the stream
        with stream.native():
            raise LookupError
    stream.wait()


def test_native_section_waits_its_turn(held):
    order = []
    held.stream.call(order.append, 1)
    timer = threading.Timer(0.05, held.go.set)
    timer.start()
    with held.stream.native():
        held.stream.call(order.append, 3)
        order.append(2)
    held.stream.wait()
    assert order == [1, 2, 3]
    timer.join()


def queue_of(stream):
    """A stream's own queue, as if it were another library's."""
    with stream.native() as handle:
        pass
    stream.wait()
    return handle


def test_waits_between_a_stream_and_a_queue(device, stream, held):
    other = device.stream()
    queue = queue_of(other)
    x, y, z = (yoke.zeros(1 << 20, "int32", stream=each) for each in (stream, other, stream))
    stream.wait()
    x.fill(1)
    assert stream.event().lead_native(queue) is True
    for value in range(20):
        yoke.map("x = x + 1; for_later = x", x=x, for_later=z) if value % 2 else x.fill(value)
        event = stream.event()
        if not event.lead_native(queue):  # behind a copy to the host that Yoke makes in parts
            event.wait()
            assert event.lead_native(queue)
        other.copy(y.buffer, x.buffer)  # in the order of the queue alone
        stream.wait_for_native(queue)
        stream.copy(z.buffer, y.buffer)
        assert (z.to_numpy() == x.to_numpy()).all()
    event = held.stream.event()
    assert event.lead_native(queue) is False
    held.stream.wait_for_native(queue)  # does not wait for the host function
    assert not event.query()
    held.go.set()
    event.wait()
    assert event.lead_native(queue) is True


def test_bad_queues(device, stream, saxpy):
    event = stream.event()
    for wrong, error in ((0, ValueError), (-1, ValueError), ("1", TypeError), (1.5, TypeError), (None, TypeError)):
        for call in (stream.wait_for_native, event.lead_native):
            with pytest.raises(error):
                call(wrong)
    queue = queue_of(device.stream())
    with stream.record():
        with pytest.raises(yoke.InvalidArgumentError, match="recorded"):
            stream.wait_for_native(queue)
    stream.call(divmod, 1, 0)
    with pytest.raises(ZeroDivisionError):
        stream.wait()
    with pytest.raises(ZeroDivisionError):
        stream.wait_for_native(queue)
    stream.recover()
    closed = device.stream()
    closed.close()
    with pytest.raises(yoke.InvalidArgumentError):
        closed.wait_for_native(queue)


def test_native_section_holds_the_stream(device, stream):
    other = device.stream()
    with stream.native():
        stream.call(len, "")
        other.call(len, "")
        other.wait()
        event = stream.event()
        with pytest.raises(TimeoutError):
            event.wait(0.05)
    event.wait()


def test_native_section_refused(device, stream):
    section = stream.native()
    with section:
        with pytest.raises(RuntimeError, match="already"):
            section.__enter__()
    with stream.record():
        with pytest.raises(yoke.InvalidArgumentError, match="native_call"):
            stream.native().__enter__()
    seen = []

    def own():
        try:
            with stream.native():
                pass
        except yoke.DeadlockError as error:
            seen.append(error)

    stream.call(own)
    stream.wait()
    assert len(seen) == 1
    stream.call(divmod, 1, 0)
    with pytest.raises(ZeroDivisionError):
        with stream.native():
            seen.append("never")
    assert len(seen) == 1
    stream.recover()
    stream.close()
    with pytest.raises(yoke.InvalidArgumentError):
        stream.native().__enter__()


def test_native_section_is_left_at_an_interrupt(held):
    import os
    import signal

    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        with held.stream.native():
            pass
    timer.join()
    held.go.set()
    held.stream.wait()


def test_native_call(device, stream, held):
    seen = []
    stream.native_call(lambda handle, word: seen.append((handle, word)), word="a")
    with stream.native() as handle:
        pass
    assert seen == [(handle, "a")]
    held.stream.native_call(seen.append)
    assert len(seen) == 1
    held.go.set()
    held.stream.wait()
    assert len(seen) == 2 and seen[1]
    stream.native_call(lambda handle: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        stream.wait()
    stream.recover()
    with stream.record() as graph:
        stream.native_call(seen.append)
    graph.launch(stream)
    graph.launch(stream)
    stream.wait()
    assert len(seen) in (3, 4)  # captured once, or called at each launch
    with pytest.raises(TypeError):
        stream.native_call(5)
