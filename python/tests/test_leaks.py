# SPDX-License-Identifier: Apache-2.0
"""Objects that are made, used and dropped thousands of times leave no memory behind, neither the process's nor the device's; and
the interpreter ends with work pending."""

import gc
import resource
import subprocess
import sys

import numpy
import pytest

import yoke

ROUNDS = 1500
MOST = 4 << 20  # bytes: a leak of 3 KiB in each round is more


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

    return {
        "streams": lambda: device.stream().wait(), "buffers": lambda: stream.write(device.buffer(4096), host),
        "views": lambda: device.buffer(4096)[1024:2048], "pinned": lambda: device.pinned(64, "float32").fill(1),
        "events": lambda: stream.event().wait(), "calls": lambda: stream.call(len, host), "graphs": graph, "failures": failure,
        "refused": refused, "arrays": lambda: (yoke.asarray(host, stream=stream) + 1).sum().item(),
        "kernels": lambda: program["saxpy"][16](stream, yoke.InOut(host), yoke.In(host), 1.0, 16),
        "devices": lambda: yoke.Device(device.info.selector).close(),
    }, stream


NAMES = ("streams buffers views pinned events calls graphs failures refused arrays kernels devices").split()


@pytest.mark.parametrize("name", NAMES)
def test_leak(device, program, name):
    calls, stream = rounds(device, program)
    call = calls[name]

    def some(count):
        for _ in range(count):
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
