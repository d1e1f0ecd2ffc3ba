# SPDX-License-Identifier: Apache-2.0
"""Objects that one thread closes while another is inside a call of them, and what lives on after a close."""

import contextlib
import gc
import subprocess
import sys
import threading
import time
import weakref

import numpy
import pytest

import yoke

def run(code):
    """What the code prints in a process of its own."""
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", "import atexit, os, sys, threading, time, yoke\n" + code],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


@contextlib.contextmanager
def inside(call, *args):
    """The block runs while another thread is in the call; gives the list that gets its result or exception."""
    ended = []

    def work():
        try:
            ended.append(call(*args))
        except yoke.Error as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive() and getattr(sys._current_frames().get(thread.ident), "f_code", None) is not call.__code__:
        pass
    yield ended
    thread.join()


def test_stream_closed_in_a_wait(device):
    for _ in range(60):  # what is used after its end is seldom in use again
        stream, go, seen = device.stream(), threading.Event(), []
        stream.call(go.wait)
        stream.call(seen.append, 1)
        with inside(lambda: stream.wait()) as ended:
            stream.close()
            go.set()
        assert isinstance(ended[0], yoke.Error) and not seen  # CancelledError, or the close was earlier


def test_stream_closed_in_an_enqueue(device):
    stream, go = device.stream(depth=1), threading.Event()
    buffer = device.buffer(64)
    stream.call(go.wait)
    with inside(lambda: stream.fill(buffer)) as ended:
        stream.close()
        go.set()
    assert isinstance(ended[0], yoke.Error | None)


OPERATIONS = {
    "map": lambda array, text: yoke.map("x = " + text, x=array),
    "evaluate": lambda array, text: yoke.evaluate(text, x=array),
    "map_reduce": lambda array, text: yoke.map_reduce("sum", text, x=array),
    "select_where": lambda array, text: yoke.select_where(array, text, x=array),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_stream_closed_in_an_operation(device, name):
    """It compiles its kernel, and then enqueues it in a stream that may be no more."""
    for _ in range(3):
        array = yoke.zeros(16, stream=device.stream())
        with inside(OPERATIONS[name], array, f"x * {time.monotonic_ns()}.0f") as ended:
            array.stream.close()
        assert not isinstance(ended[0], yoke.Error) or "released" not in str(ended[0])  # which what is freed says for a while


def test_buffer_of_an_array_closed(stream, saxpy):
    array = yoke.zeros(16, stream=stream)
    array.buffer.close()
    assert (array[2:4] + 1).tolist() == [1, 1]  # by the handle that the array has of it
    assert yoke.from_dlpack(array, stream=stream).tolist() == [0] * 16
    ones, array = yoke.ones(2048, stream=stream), yoke.zeros(2048, stream=stream)
    array.buffer.close()
    saxpy[2048](stream, array, ones, 1.0, 2048)
    saxpy[2](stream, array[1024:1026], ones, 1.0, 2)
    assert array.tolist() == [1] * 1024 + [2] * 2 + [1] * 1022 and array[1025].item() == 2


def test_device_closed_in_a_build():
    run("""
device, made = yoke.Device(), []
def build():
    made.append(device.build(opencl=f"__kernel void f{os.getpid()}(void) {{}}",
                             cuda=f"__global__ void f{os.getpid()}() {{}}"))
thread = threading.Thread(target=build)
thread.start()
while getattr(sys._current_frames().get(thread.ident), "f_code", None) is not build.__code__ and thread.is_alive(): pass
device.close()
del device
thread.join()
print(len(list(made[0])))
""")


def test_device_closed_by_two_threads():
    run("""
sys.setswitchinterval(1e-6)
def close(device, barrier):
    barrier.wait()
    device.close()
end = time.monotonic() + 6  # some drivers take a second to open a device
for number in range(200):
    if number >= 5 and time.monotonic() > end: break
    device, barrier = yoke.Device(), threading.Barrier(2)
    stream = device.stream()
    threads = [threading.Thread(target=close, args=(device, barrier)) for _ in range(2)]
    for each in threads: each.start()
    for each in threads: each.join()
    stream.fill(stream.buffer(64))
    stream.wait()
""")


def test_event_closed_in_a_wait(device, stream):
    go = threading.Event()
    stream.call(go.wait)
    one, other = stream.event(), stream.event()
    with inside(lambda: one.wait()) as ended, inside(lambda: yoke.wait_any([other])) as first:
        one.close()
        other.close()
        go.set()
    assert isinstance(ended[0], yoke.Error | None) and isinstance(first[0], yoke.Error | int)


def test_closed_device_and_the_end_of_the_interpreter():
    assert run("""
device = yoke.Device()
stream, inside = device.stream(), threading.Event()
def work():
    inside.set()
    while threading.main_thread().is_alive(): pass  # until atexit
    print("done", flush=True)
stream.call(work)
inside.wait()
device.close()
""") == "done\n"


def test_closed_device_and_its_streams():
    with yoke.Device() as device:
        stream = device.stream()
    a = yoke.asarray(numpy.arange(3, dtype="float32"), stream=stream)
    assert (a + 1).tolist() == [1, 2, 3] and device.info.selector in repr(stream) and "float32" in repr(a)


# Other libraries' memory, which lasts as long as the work on it.

class Owner:
    pass


def owned(device, base, view):
    """A Buffer over a part of another, for whose owner there is a weak reference."""
    owner = Owner()
    buffer = device.wrap(base.native, base.size, owner)
    return buffer[:64] if view else buffer, weakref.ref(owner)


USES = {
    "launch": lambda saxpy, stream, buffer, base: saxpy[16](stream, buffer, base, 1.0, 16),
    "write": lambda saxpy, stream, buffer, base: stream.write(buffer, bytes(64)),
    "read": lambda saxpy, stream, buffer, base: stream.read(bytearray(64), buffer, blocking=False),
    "copy": lambda saxpy, stream, buffer, base: stream.copy(base, buffer, 64),
    "fill": lambda saxpy, stream, buffer, base: stream.fill(buffer),
    "fill_rect": lambda saxpy, stream, buffer, base: stream.fill_rect(buffer, (2, 8)),
    "copy_rect": lambda saxpy, stream, buffer, base: stream.copy_rect(base, buffer, (2, 8)),
}


@pytest.mark.parametrize("view", [False, True])
@pytest.mark.parametrize("name", USES)
def test_owner_lives_until_the_work_is_done(device, stream, saxpy, name, view):
    base, other, go = device.buffer(4096), device.buffer(4096), threading.Event()
    buffer, alive = owned(device, base, view)
    stream.call(go.wait)
    USES[name](saxpy, stream, buffer, other)
    del buffer
    gc.collect()
    during = alive()
    go.set()
    stream.wait()
    assert during is not None
    del during
    stream.wait()
    assert alive() is None


UPDATES = {
    "launch": lambda graph, saxpy, buffer, base: graph.set_args(0, saxpy, buffer, base, 1.0, 16),
    "write": lambda graph, saxpy, buffer, base: graph.set_write(0, buffer, bytes(64)),
    "read": lambda graph, saxpy, buffer, base: graph.set_read(0, bytearray(64), buffer),
    "copy": lambda graph, saxpy, buffer, base: graph.set_copy(0, base, buffer, 64),
    "fill": lambda graph, saxpy, buffer, base: graph.set_fill(0, buffer),
}


@pytest.mark.parametrize("name", UPDATES)
def test_owner_of_a_graph(device, stream, saxpy, name):
    base, other = device.buffer(4096), device.buffer(4096)
    buffer, alive = owned(device, base, False)
    with stream.record() as graph:
        USES[name](saxpy, stream, base, other)
    UPDATES[name](graph, saxpy, buffer, other)
    del buffer
    gc.collect()
    assert alive() is not None
    graph.launch(stream)
    stream.wait()


def slow_kernel(device):
    return device.build(cuda="__global__ void f(float *x, int n) { for (int i = 0; i < n; i++) *x = *x * 0.5f + 1; }",
                        opencl="__kernel void f(__global float *x, int n) { for (int i = 0; i < n; i++) *x = *x * 0.5f + 1; }")["f"]


def test_lent_array_in_another_stream(own_device):
    stream, other, go = own_device.stream(), own_device.stream(), threading.Event()
    array = yoke.from_dlpack(yoke.zeros(16, stream=stream), stream=stream)
    stream.wait()
    other.call(go.wait)
    slow_kernel(own_device)[1, 1](other, array, 1)
    gc.collect()
    before = own_device.memory["buffers"]
    del array
    gc.collect()
    during = own_device.memory["buffers"]
    go.set()
    other.wait()
    other.wait()
    assert during == before and own_device.memory["buffers"] < before


def test_lent_array_of_a_closed_stream(own_device):
    stream, kernel = own_device.stream(), slow_kernel(own_device)
    array = yoke.from_dlpack(yoke.zeros(1, stream=stream), stream=stream)
    stream.wait()
    kernel[1, 1](stream, array, 20_000_000)
    event, before = stream.event(), own_device.memory["buffers"]
    stream.close()
    del array
    gc.collect()
    assert own_device.memory["buffers"] == before - 1 or event.query()  # the array's own, and not what it was lent
    event.wait()
    assert own_device.memory["buffers"] == before - 2


def test_view_that_is_only_read(device):
    if device.supports("mapped"):
        buffer = device.buffer(16, "mapped")
        assert memoryview(buffer.view(0, 16, read_only=True)).readonly and not memoryview(buffer).readonly


def test_host_memory_of_other_streams(device, stream):
    class Memory(numpy.ndarray):
        pass

    slow, go, buffer = device.stream(), threading.Event(), device.buffer(64)
    slow.call(go.wait)
    slow.write(buffer, bytes(64))
    memory = numpy.zeros(16, "float32").view(Memory)
    alive = weakref.ref(memory)
    stream.write(buffer, memory)
    stream.wait()
    del memory
    gc.collect()
    after = alive()
    go.set()
    slow.wait()
    assert after is None


RECORDED = """
import gc, time
device = yoke.Device()
stream, other, buffer = device.stream(), device.stream(), device.buffer(64)
end, calls, dirty = time.time() + 1, [], []
def repeat():
    while time.time() < end:
        try:
            step()
        except yoke.Error:
            pass
def read():
    stream.read(bytearray(64), buffer, blocking=False)
    stream.wait()
    new = [bytearray(64) for _ in range(8)]
    time.sleep(0)
    dirty.extend(each for each in new if any(each))
def call():
    stream.call(calls.append, 1)
def section():
    with stream.native():
        pass
stream.fill(buffer, b"\\1")
stream.wait()
sys.setswitchinterval(1e-5)
step = STEP
threads = [threading.Thread(target=repeat) for _ in range(2)]
for each in threads:
    each.start()
while time.time() < end:
    try:
        with stream.record() as graph:
            pass
        for _ in range(3):
            graph.launch(other)
        other.wait()
    except yoke.Error:
        pass
for each in threads:
    each.join()
print(len(dirty))
"""


@pytest.mark.parametrize("step", ["read", "call", "section"])
def test_recorded_while_other_threads_enqueue(step):
    """What they enqueue is in a graph or runs, and nobody knows which: it is an error or has run, and crashes and hangs nothing."""
    assert run(RECORDED.replace("STEP", step)) == "0\n"
