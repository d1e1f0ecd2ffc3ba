# SPDX-License-Identifier: Apache-2.0
"""Bad input of every kind raises an exception, and neither crashes nor hangs: values in the place of others, closed objects, other
threads, a forked child, exceptions and Ctrl-C."""

import ctypes
import inspect
import os
import pathlib
import signal
import subprocess
import sys
import threading

import numpy
import pytest

import bad_values
import yoke

FOLDER = pathlib.Path(__file__).parent


@pytest.mark.parametrize("group", bad_values.GROUPS)
def test_values(group):
    exits = ["exit"] if group == "functions" else []  # the interpreter ends as usual after the most of them
    done = subprocess.run([sys.executable, FOLDER / "bad_values.py", group, *exits], capture_output=True, text=True, timeout=900)
    assert "end\n" in done.stdout, done.stdout[-300:] + done.stderr[-3000:]
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-3000:]


@pytest.mark.parametrize("kind", [each for each in vars(yoke).values() if isinstance(each, type)], ids=lambda kind: kind.__name__)
def test_methods_of_another_object(kind):
    """Methods of classes of C could take that object's memory for that of their own."""
    for name, method in vars(kind).items():
        if not callable(method) or inspect.isfunction(method) or isinstance(method, (staticmethod, classmethod, type)):
            continue
        for other in (3, object(), "text"):
            with pytest.raises((TypeError, AttributeError)):
                method(other)
                pytest.fail(name)


def test_no_device():
    with pytest.raises(TypeError, match="device"):
        yoke.Buffer(None, 8)


@pytest.mark.parametrize("size", [-1, float("nan"), 2.5, "8", None])
def test_sizes(device, stream, saxpy, size):
    for call in (stream.buffer, lambda size: device.buffer(8).view(0, size), lambda size: saxpy[size], yoke.Local,
                 lambda size: yoke.empty(size, stream=stream)):
        with pytest.raises((TypeError, ValueError)):
            call(size)


@pytest.mark.parametrize("size", [2**48, 2**62, 2**64, 2**70])
def test_huge_sizes(device, stream, size):
    for call in (device.buffer, stream.buffer, device.pinned, lambda size: yoke.empty(size, stream=stream),
                 lambda size: yoke.empty((size, size), stream=stream)):
        with pytest.raises((MemoryError, OverflowError, ValueError, yoke.Error)):
            call(size)


def test_dtypes_and_shapes(stream):
    a = yoke.asarray(numpy.ones((2, 3), "float32"), stream=stream)
    for dtype in ("no", "float128", object, "U5", [("x", "f4")], 7):
        with pytest.raises((TypeError, ValueError)):
            a.astype(dtype)
    for other in ((4,), (3, 2), (2, 2, 2)):
        with pytest.raises(ValueError, match="broadcast|shape"):
            a + yoke.ones(other, stream=stream)
    for index in (5, (0, 0, 0), "x", 1.5):
        with pytest.raises((IndexError, TypeError, ValueError)):
            a[index]


def test_closed_in_use(device, stream, saxpy):
    x, y = device.buffer(64), device.buffer(64)
    y.close()
    with pytest.raises(yoke.Error):
        saxpy[16](stream, x, y, 1.0, 16)
    with pytest.raises(yoke.Error):
        stream.write(y, bytes(64))
    with pytest.raises(yoke.Error):
        y.view(0, 8)
    stream.write(x, bytes(64))
    x.close()  # the write has still to run: the memory is the driver's until then
    stream.wait()


def test_another_thread_and_its_exception(stream):
    seen = []

    def work():
        try:
            stream.call(lambda: 1 / 0)
            stream.wait()
        except ZeroDivisionError as error:
            seen.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(seen) == 1
    stream.recover()
    stream.wait()


def test_forked_child(device, stream):
    buffer = device.buffer(64)
    stream.write(buffer, bytes(64))
    stream.wait()
    child = os.fork()
    if child == 0:
        calls = (stream.wait, stream.event, lambda: stream.write(buffer, bytes(64)), lambda: device.buffer(8),
                 lambda: stream.call(print), lambda: yoke.empty(3, stream=stream))
        right = 0
        for call in calls:
            try:
                call()
            except yoke.ForkedError:
                right += 1
            except BaseException:
                pass
        os._exit(0 if right == len(calls) else 1)
    assert os.waitpid(child, 0)[1] == 0
    stream.wait()


FORKS = """
import os, signal, sys, threading, time, yoke
opener = threading.Thread(target=yoke.default_stream)
opener.start()
children, hung = [], 0
while opener.is_alive() and len(children) < 20:
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            yoke.default_stream()
        except yoke.Error:
            pass
        os._exit(0)
    children.append(child)
    time.sleep(0.002)
opener.join()
for child in children:
    hung += os.waitpid(child, 0)[1] != 0
print(f"{hung} of {len(children)} hung")
"""


def test_fork_while_the_default_stream_is_opened():
    """The thread that holds its lock is not in the child."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKS], capture_output=True, text=True, timeout=100)
    assert done.stdout.startswith("0 of "), done.stdout + done.stderr


@pytest.mark.parametrize("wait", [lambda stream: stream.wait(), lambda stream: stream.event().wait(),
                                  lambda stream: stream.wait(100)])
def test_interrupt_in_a_wait(stream, wait):
    go, main = threading.Event(), threading.get_ident()

    def interrupt():
        while sys._current_frames()[main].f_code is not wait.__code__:
            pass  # until the main thread is in the call that waits
        os.kill(os.getpid(), signal.SIGINT)

    stream.call(go.wait)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            wait(stream)
    finally:
        go.set()
    thread.join()
    stream.wait()


INTERRUPTED = """
import os, signal, sys, threading, yoke

def build():
    gate.release()
    device.build("int f(int);\\n" * 30000 + "#error as it has to\\n")

def interrupt(gate, sent):
    gate.acquire()
    sent.append(True)
    os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
device = yoke.Device()
sys.setswitchinterval(1000)  # the thread goes on while the main thread waits for the driver's compiler, or behind the build
for _ in range(100):
    gate, sent = threading.Lock(), []
    gate.acquire()
    thread = threading.Thread(target=interrupt, args=(gate, sent))
    thread.start()
    try:
        build()
    except KeyboardInterrupt:
        print("interrupted")
        break
    except yoke.BuildError:
        if sent:
            break
        try:
            thread.join()
        except KeyboardInterrupt:
            pass
"""


def test_interrupt_in_a_build_that_fails():
    """As one does whose linker Ctrl-C has ended: it is an interruption, and no failure of the build."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=100)
    assert done.stdout == "interrupted\n", done.stdout + done.stderr[-2000:]


def test_other_byte_order(device, stream, saxpy, program):
    x, y = numpy.ones(16, ">f4"), numpy.ones(16, "f4")
    for pair in ((yoke.InOut(y), yoke.In(x)), (yoke.InOut(x), yoke.In(y))):
        with pytest.raises(yoke.KernelArgumentError, match="byte order"):
            saxpy[16](stream, *pair, 1.0, 16)
    point = numpy.zeros((), numpy.dtype([("x", ">f4"), ("y", ">f8")], align=True))[()]
    with pytest.raises(yoke.KernelArgumentError, match="byte order"):
        program["put"][1](stream, device.buffer(64), point, 1, 1)


@pytest.mark.parametrize("weights", ["abc", b"abc", bytearray(3), ["abc"], "", ["a", "b"]])
def test_text_for_weights(stream, weights):
    array = yoke.ones(8, stream=stream)
    for call in (yoke.ndimage.correlate, yoke.ndimage.convolve, yoke.ndimage.correlate1d, yoke.ndimage.separable_filter):
        with pytest.raises((TypeError, ValueError)):
            call(array, weights)


def test_dlpack_for_another_device(stream):
    array = yoke.ones(3, stream=stream)
    array.__dlpack__(dl_device=array.__dlpack_device__())
    with pytest.raises(BufferError):
        array.__dlpack__(dl_device=(99, 0))


def test_nul_in_an_expression(stream):
    array = yoke.ones((2, 2), stream=stream)
    for call in (lambda text: yoke.evaluate(text, x=array), lambda text: yoke.map("y = " + text, y=array, x=array),
                 lambda text: yoke.select_where(array.ravel(), text, x=array.ravel()),
                 lambda text: yoke.matmul(array, array, epilogue=text, x=array)):
        with pytest.raises(ValueError, match="NUL"):
            call("x > 0 \0 ? 1 : 2")


def test_tensor_of_the_host(stream):
    class Tensor:
        """As PyTorch's: no __array_interface__."""

        values = numpy.arange(3, dtype="float32")

        def __dlpack__(self, **options):
            return self.values.__dlpack__(**options)

        def __dlpack_device__(self):
            return 1, 0

        def __array__(self, dtype=None, copy=None):
            return self.values

    assert yoke.asarray(Tensor(), stream=stream).tolist() == [0, 1, 2]


NAMES = {
    "kernel": lambda device, program, text: program["saxpy" + text],
    "global": lambda device, program, text: program.variable("saxpy" + text),
    "stream": lambda device, program, text: device.stream(name="a" + text),
    "graph": lambda device, program, text: device.stream().record("a" + text),
    "device": lambda device, program, text: yoke.Device(device.info.selector + text),
    "variable": lambda device, program, text: yoke.map("a = 1", **{"a" + text: yoke.zeros(1)}),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_end_where_they_say(device, program, name):
    with pytest.raises(ValueError, match="NUL"):
        NAMES[name](device, program, "\0b")


def test_what_has_no_meaning(stream):
    a = yoke.arange(4, stream=stream)
    for call in (lambda: pow(a, 2, 5), lambda: pow(2, a, 5), lambda: a.astype(None)):
        with pytest.raises(TypeError):
            call()
    for index in (2**63, 2**70, -2**63 - 1, (2**70, None)):
        with pytest.raises(IndexError):
            a[index]
    for axis in (0, 1):
        with pytest.raises(ValueError, match="shapes"):
            yoke.concatenate([yoke.ones((2, 3), stream=stream), yoke.ones(2, stream=stream)], axis)


class Moved:
    """An array whose DLPack tensor begins a byte later."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        capsule = self.array.__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        ctypes.c_uint64.from_address(pointer(capsule, b"dltensor") + 40).value += 1  # its byte_offset
        return capsule


def test_unaligned_tensor(stream):
    with pytest.raises(yoke.InvalidArgumentError, match="multiple of its size of 4 bytes"):
        yoke.from_dlpack(Moved(yoke.zeros(8, stream=stream)[:4]), stream=stream)
