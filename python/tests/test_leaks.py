# SPDX-License-Identifier: Apache-2.0
"""Objects that are made, used and dropped thousands of times leave no memory behind, neither the process's nor the device's; and
the interpreter ends with work pending."""

import asyncio
import gc
import resource
import subprocess
import sys
import threading
import time
import weakref

import numpy
import pytest

import yoke

ROUNDS = 1500
MOST = 4 << 20  # bytes: a leak of 3 KiB in each round is more
SECONDS, LEAST = 4, 4  # of a part, where a driver takes a second to open a device; its rounds all the same


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def rounds(device, program):
    stream = device.stream(depth=64)  # what the host is ahead by does not grow, nor the memory for it
    host = numpy.zeros(16, "float32")

    def graph():
        with stream.record() as recorded:
            stream.call(len, "")
        recorded.launch(stream)

    def failure():
        stream.call(int, "no number")
        with pytest.raises(ValueError):
            stream.wait()
        stream.recover()

    def refused():
        with pytest.raises(yoke.Error):
            stream.write(device.buffer(4), host)

    def update():
        recorded.set_write(0, buffer, host.copy())
        recorded.launch(stream)

    def native():
        with stream.native():
            pass
        stream.native_call(len.__eq__)

    def exchange():
        yoke.from_dlpack(yoke.asarray(host, stream=stream), stream=stream).stream.wait()

    def image():
        pictures = device.image((4, 4)).view(filter="nearest")
        stream.write_image(pictures, host)
        stream.read_image(host, pictures)

    def complete():
        stream.event().on_complete(lambda error: done.release())
        done.acquire()  # else thousands of threads are alive at once
        yoke.wait_any([stream.event(), stream.event()])

    done = threading.Semaphore(0)
    buffer = device.buffer(64)
    with stream.record() as recorded:
        stream.write(buffer, host)
    return {
        "updates": update, "natives": native, "exchanges": exchange, "images": image, "completions": complete,
        "rects": lambda: stream.write_rect(buffer, host, (4, 16)), "wraps": lambda: device.wrap(buffer.native, 64).close(),
        "pins": lambda: device.pin(bytearray(4096)), "complex": lambda: (yoke.asarray(host, stream=stream) * 1j).stream.wait(),
        "streams": lambda: device.stream().wait(), "buffers": lambda: stream.write(device.buffer(4096), host),
        "views": lambda: device.buffer(4096)[1024:2048], "pinned": lambda: device.pinned(64, "float32").fill(1),
        "events": lambda: stream.event().wait(), "calls": lambda: stream.call(len, host), "graphs": graph, "failures": failure,
        "refused": refused, "arrays": lambda: (yoke.asarray(host, stream=stream) + 1).sum().item(),
        "kernels": lambda: program["saxpy"][16](stream, yoke.InOut(host), yoke.In(host), 1.0, 16),
        "devices": lambda: yoke.Device(device.info.selector).close(),
    }, stream


NAMES = ("updates natives exchanges images completions rects wraps pins complex streams buffers views pinned events calls graphs "
         "failures refused arrays kernels devices").split()


@pytest.mark.parametrize("name", NAMES)
def test_leak(device, program, name):
    if name == "images" and not device.supports("images"):
        pytest.skip("no images")
    calls, stream = rounds(device, program)
    call = calls[name]

    def some(count):
        end = time.monotonic() + SECONDS
        for number in range(count):
            if number >= LEAST and time.monotonic() > end:
                break
            call()
        stream.wait()
        gc.collect()
        stream.wait()
        memory = device.memory
        return resident(), len(gc.get_objects()), memory["buffers"], memory["in_use"], memory["pinned"]

    some(300)
    before = some(200)
    after = [some(ROUNDS) for _ in range(3)]
    # A leak grows in each part; stacks and arenas of threads that are just ending, in one or the other.
    assert min(b[0] - a[0] for a, b in zip([before, *after], after)) < MOST, "bytes of the process"
    assert after[-1][1] - before[1] < 100, "Python objects"
    assert after[-1][2:] == before[2:], "buffers and bytes of the device"


@pytest.mark.parametrize("last", [
    "stream.call(time.sleep, 0.2)", "stream.call(time.sleep, 0.2); del stream", "stream.write(buffer, bytes(1 << 20))",
    "[stream.call(time.sleep, 0.001) for _ in range(100)]", "x = (yoke.arange(1000, stream=stream) + 1).sum()",
    "stream.call(stream.write, buffer, bytes(100)); sys.exit()", "stream.call(int, 'x')", "event = stream.event(); stream.close()",
    "threading.Thread(target=stream.wait, daemon=True).start(); stream.call(time.sleep, 0.1)",
    "graph = stream.record(); graph.__enter__(); stream.call(print)",
])
def test_exit_with_work_pending(last):
    text = f"import sys, threading, time, yoke\nstream = yoke.Device().stream()\nbuffer = stream.buffer(1 << 20)\n{last}\n"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and "Fatal" not in done.stderr


def test_memory_of_awaited_streams(device):
    class Memory(numpy.ndarray):
        pass

    buffer, alive = device.buffer(1 << 22), []

    async def one():
        stream, memory = device.stream(), numpy.zeros(1 << 20, "f4").view(Memory)
        alive.append(weakref.ref(memory))
        stream.write(buffer, memory)
        await stream

    async def one_after_another():
        for _ in range(20):
            await one()

    asyncio.run(one_after_another())
    gc.collect()
    assert not any(each() is not None for each in alive[:-1])


def test_exit_ends_daemon_threads():
    text = """
import atexit, threading, time

ended = []
atexit.register(lambda: thread.join() or print(*ended))  # after Yoke's own, which is registered later

import yoke

def work():
    try:
        stream.wait()
    except Exception as error:
        ended.append(error)
    finally:
        ended.append("cleaned up")

stream = yoke.Device().stream()
called = threading.Event()
stream.call(lambda: called.set() or time.sleep(0.1))
thread = threading.Thread(target=work, daemon=True)
thread.start()
called.wait()
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "cleaned up\n", "")
