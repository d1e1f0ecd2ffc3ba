# SPDX-License-Identifier: Apache-2.0
"""Host functions, exceptions, await, and how processes end."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import weakref

import numpy
import pytest

import yoke


def test_order(stream):
    seen = []
    for i in range(100):
        stream.call(seen.append, i)
    stream.wait()
    assert seen == list(range(100))


def test_exception(stream, device):
    class Mine(Exception):
        pass

    go = threading.Event()

    def fails():
        go.wait()
        raise Mine("why")

    after = []
    event_before = stream.event()
    stream.call(fails)
    stream.call(after.append, 1)
    stream.call_always(lambda error, word: after.append((type(error), word)), "x")
    event = stream.event()
    other = device.stream()
    other.wait_for(event)
    go.set()
    for waits in (stream.wait, event.wait, other.wait, stream.wait):
        with pytest.raises(Mine, match="why") as failure:
            waits()
        assert "fails" in "".join(traceback.format_tb(failure.value.__traceback__))
    event_before.wait()
    assert after == [(Mine, "x")]
    stream.recover()
    stream.call(after.append, 2)
    stream.wait()
    assert after[1:] == [2]


def test_exception_without_its_stream(device):
    stream = device.stream()
    go = threading.Event()
    stream.call(lambda: go.wait() and 1 / 0)
    event = stream.event()
    go.set()
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            event.wait()
        stream = None
        gc.collect()


def test_exception_of_a_graph(device, stream):
    class Thing:
        pass

    alive = []

    def fails():
        thing = Thing()
        alive.append(weakref.ref(thing))
        raise KeyError("mine")

    recorder = device.stream()
    with recorder.record() as graph:
        recorder.call(fails)
    del recorder
    for _ in range(300):
        graph.launch(stream)
        with pytest.raises(KeyError, match="mine"):
            stream.wait()
        stream.recover()
    gc.collect()
    assert sum(each() is not None for each in alive) < 300
    graph.launch(stream)
    del graph
    with pytest.raises(KeyError, match="mine"):
        stream.wait()


def test_waits_for_many_streams_leave_nothing(device, stream):
    def lists():
        gc.collect()
        return sum(type(each) is list for each in gc.get_objects())

    before = lists()
    for _ in range(300):
        stream.wait_for(device.stream().event())
        stream.wait()
    assert lists() < before + 150


def test_arguments_are_released(stream):
    class Thing:
        pass

    thing = Thing()
    alive = weakref.ref(thing)
    stream.call(lambda each: None, thing)
    stream.wait()
    del thing
    gc.collect()
    assert alive() is None


def test_deadlock(stream):
    answers = []

    def waits():
        try:
            stream.wait()
        except yoke.DeadlockError as error:
            answers.append(error)

    async def awaits():
        await stream

    stream.call(waits)
    stream.call_always(lambda error: answers.append(error) or asyncio.run(awaits()))
    with pytest.raises(yoke.DeadlockError):
        stream.wait(100)
    assert isinstance(answers[0], yoke.DeadlockError) and answers[1:] == [None]


def test_refused_wait_of_to_numpy(stream):
    """It writes nothing to the host's memory later."""
    array, out = yoke.ones(4, "float32", stream=stream), numpy.zeros(4, "float32")
    errors = []

    def waits():
        for call in (lambda: array.to_numpy(out=out), array.tolist):
            try:
                call()
            except yoke.DeadlockError as error:
                errors.append(error)

    stream.call(waits)
    stream.wait()
    stream.wait()  # for what the function has enqueued
    assert len(errors) == 2 and out.tolist() == [0] * 4
    with stream.record() as graph, pytest.raises(yoke.InvalidArgumentError, match="being recorded"):
        array.to_numpy(out=out)
    assert len(graph) == 0
    assert array.to_numpy(out=out).tolist() == [1] * 4


def test_deadlock_by_way_of_another_stream(device, stream):
    began = threading.Event()
    answers = []

    def waits():
        began.wait()
        for wait in (other.wait, b.to_numpy, lambda: other.wait(60), lambda: yoke.wait_any([other.event()])):
            try:
                wait()
            except yoke.DeadlockError as error:
                answers.append(str(error))

    with device.stream() as other:
        a, b = yoke.ones(4, "float32", stream=stream), yoke.ones(4, "float32", stream=other)
        stream.call(waits)
        a += 1
        b += a  # behind the function, by way of a
        began.set()
        stream.wait()
        assert b.to_numpy().tolist() == [3] * 4
    assert len(answers) == 4 and all("whose function this is" in answer for answer in answers)


def test_function_may_enqueue(stream):
    seen = []
    stream.call(lambda: stream.call(seen.append, 1))
    stream.wait()
    stream.wait()
    assert seen == [1]


def test_streams_are_independent(device):
    streams = [device.stream() for _ in range(16)]
    barrier = threading.Barrier(17, timeout=100)
    for each in streams:
        each.call(barrier.wait)
    barrier.wait()  # all sixteen functions are inside at once
    for each in streams:
        each.wait()


def test_cancel(stream):
    go, seen = threading.Event(), []
    stream.call(go.wait)
    stream.call(seen.append, 1)
    stream.call_always(lambda error: seen.append(type(error)))
    stream.cancel()
    go.set()
    with pytest.raises(yoke.CancelledError):
        stream.wait()
    stream.recover()
    assert seen == [yoke.CancelledError]


def test_interrupted_wait(stream):
    go = threading.Event()
    main = threading.main_thread().ident
    with pytest.raises(KeyboardInterrupt):
        stream.call(signal.pthread_kill, main, signal.SIGINT)
        stream.call(go.wait)
        stream.wait()
    go.set()
    stream.wait()


def run_loop(main):
    asyncio.run(main())
    try:
        import uvloop
    except ImportError:
        return
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())


def test_current_stream_of_a_task(device):
    """A task has a current stream of its own, whatever the others of its thread enter meanwhile."""
    entered = []

    async def task(stream, before, after):
        with stream:
            entered.append(stream)
            while len(entered) < before:
                await asyncio.sleep(0)
            assert yoke.default_stream() is stream
            while len(entered) < after:
                await asyncio.sleep(0)
        entered.append(None)
        assert yoke.default_stream() is outside

    async def main():
        entered.clear()
        first, second = device.stream(), device.stream()
        await asyncio.gather(task(first, 2, 2), task(second, 3, 3))
        entered.clear()
        await asyncio.gather(task(first, 2, 3), task(second, 2, 2))

    outside = yoke.default_stream()
    run_loop(main)


def test_with_stream_that_another_thread_ends(stream):
    def enter():
        with stream:
            yield

    entered = enter()
    next(entered)
    errors = []
    thread = threading.Thread(target=lambda: errors.append(entered.close()))
    thread.start()
    thread.join()
    assert errors == [None]
    stream.__exit__(None, None, None)  # this thread's own
    assert yoke.default_stream() is not stream


def open_files():
    return len(os.listdir("/proc/self/fd"))


def has_at_most(files):
    """Whether no more files are open, or will be soon: drivers open some for a moment."""
    patience = time.monotonic() + 60
    while open_files() > files and time.monotonic() < patience:
        gc.collect()
        time.sleep(0.001)
    return open_files() <= files


def test_await(device):
    async def main():
        stream = device.stream()
        go = threading.Event()
        await stream
        stream.call(go.wait)
        event = stream.event()
        before = threading.active_count()
        descriptors = open_files()

        async def one():
            await event

        tasks = [asyncio.create_task(one()) for _ in range(100)]
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(one(), 0.01)
        tasks[0].cancel()
        await asyncio.sleep(0)
        assert threading.active_count() == before
        assert has_at_most(descriptors + 2)
        go.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(results[0], asyncio.CancelledError) and results[1:] == [None] * 99
        assert has_at_most(descriptors)
        stream.call(int, "no number")
        with pytest.raises(ValueError):
            await stream

    run_loop(main)


SETUP = """
import asyncio, os, sys, threading, time, yoke
stream = yoke.Device().stream()
buffer = stream.device.buffer(1 << 20)
"""

ENDS = {
    "pending work": "stream.call(time.sleep, 0.05)\nfor _ in range(100): stream.fill(buffer); stream.call(print)",
    "pending read": "stream.call(time.sleep, 0.05)\nstream.read(bytearray(1 << 20), buffer, blocking=False)",
    "unwaited exception": "stream.call(lambda: 1 / 0)",
    "exit in the main thread": "stream.call(time.sleep, 0.05)\nsys.exit(0)",
    "many streams": "s = [stream.device.stream() for _ in range(16)]\nfor each in s:\n    for _ in range(20): each.call(sum, [1])",
    "a recorded graph": "with stream.record() as g: stream.call(sum, [1])\nfor _ in range(50): g.launch(stream)",
    "a daemon thread that waits": "stream.call(time.sleep, 0.1)\nthreading.Thread(target=stream.wait, daemon=True).start()",
    "a thread that enqueues": "def f():\n  try:\n    while 1: stream.call(sum, [1])\n  except yoke.Error: pass\n"
                              "threading.Thread(target=f, daemon=True).start(); time.sleep(0.02)",
    "a loop with awaits": "async def f():\n  stream.call(time.sleep, 0.05); t = asyncio.create_task(g())\n"
                          "async def g(): await stream\nasyncio.run(f())",
    "cycles": "class C: pass\nc = C(); c.c = c; c.s = stream; c.b = buffer; stream.call(id, c); del stream, buffer, c",
    "arrays": "a = yoke.arange(1000)\nb = a + a",
    "streams that failed with SystemExit": "several = [stream.device.stream() for _ in range(4)]\nfor each in several:\n"
                                           "  each.call(sys.exit, 0)\n  try: each.wait()\n  except SystemExit: pass\n"
                                           "stream.call(time.sleep, 0.1)",
}


def run_python(code, seconds=60):
    return subprocess.run([sys.executable, "-X", "faulthandler", "-c", SETUP + code], capture_output=True, text=True,
                          timeout=seconds, check=False)


@pytest.mark.parametrize("name", ENDS)
def test_exit(name):
    result = run_python(ENDS[name])
    assert result.returncode == 0, result.stderr
    assert "Fatal" not in result.stderr and "Segmentation" not in result.stderr and "ignored" not in result.stderr


def test_fork():
    result = run_python("""
stream.call(sum, [1]); stream.wait()
child = os.fork()
if child == 0:
    try:
        stream.fill(buffer); os._exit(3)
    except yoke.ForkedError:
        pass
    try:
        stream.wait(); os._exit(4)
    except yoke.ForkedError:
        pass
    del stream, buffer
    sys.exit(7)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 7, status
stream.fill(buffer); stream.wait()
""")
    assert result.returncode == 0, result.stderr


def test_interrupted_wait_after_a_fork_of_a_thread():
    """The thread that forked is the main one of the child, where handlers of signals run."""
    result = subprocess.run([sys.executable, "-c", """
import os, signal, threading, yoke
def child():
    stream, go, seen = yoke.Device().stream(), threading.Event(), []
    def alarm(*_):
        go.set()
        raise InterruptedError
    signal.signal(signal.SIGALRM, alarm)
    stream.call(lambda: seen.append(go.wait(5)))
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        stream.wait()
    except InterruptedError:
        stream.wait()
    os._exit(0 if seen == [True] else 3)
def fork():
    pid = os.fork()
    if not pid:
        child()
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
codes = []
thread = threading.Thread(target=fork)
thread.start()
thread.join()
assert codes == [0], codes
"""], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr


def test_an_exception_keeps_no_context_of_a_wait(stream):
    """It is raised as at first, and as if nobody had handled something else meanwhile."""
    def function():
        raise ValueError("host") from KeyError("cause")

    stream.call(function)
    for _ in range(2):
        try:
            [][0]
        except IndexError:
            with pytest.raises(ValueError) as caught:
                stream.wait()
            assert isinstance(caught.value.__context__, IndexError)
            caught.value.__cause__ = None
        with pytest.raises(ValueError) as caught:
            stream.wait()
        assert isinstance(caught.value.__cause__, KeyError) and caught.value.__context__ is None
        assert caught.value.__suppress_context__


def test_await_an_event_that_is_closed_meanwhile(stream):
    go = threading.Event()
    stream.call(go.wait)
    event = stream.event()

    async def main():
        async def wait():
            await event
        task = asyncio.ensure_future(wait())
        await asyncio.sleep(0.05)
        event.close()
        go.set()
        await asyncio.wait_for(task, 20)

    asyncio.run(main())


def test_loops_that_end_before_their_events(device):
    """They leave no descriptor, and disturb no later loop."""
    go, streams = threading.Event(), [device.stream() for _ in range(3)]
    for stream in streams:
        stream.call(int)
        stream.wait()
    before = open_files()

    async def wait_in_vain(stream):
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.ensure_future(awaiting(stream)), 0.01)

    async def awaiting(stream):
        await stream

    for stream in streams:
        stream.call(go.wait)
        asyncio.run(wait_in_vain(stream))
        assert has_at_most(before)
    go.set()
    asyncio.run(awaiting(streams[0]))
    for stream in streams:
        stream.call(int, "no number")
        with pytest.raises(ValueError):
            asyncio.run(awaiting(stream))
    assert has_at_most(before)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the loop's sockets, which are not closed
def test_a_loop_that_is_forgotten(stream):
    class Loop(asyncio.SelectorEventLoop):
        def __del__(self):
            """asyncio's closes the sockets, which may have been finalized before, and then raises."""

    go = threading.Event()
    stream.call(go.wait)

    async def wait():
        await stream

    loop = Loop()
    waiting = loop.create_task(wait())
    loop.run_until_complete(asyncio.sleep(0))
    assert not waiting.done()
    forgotten = weakref.ref(loop)
    del loop, waiting
    patience = time.monotonic() + 60
    while forgotten() is not None and time.monotonic() < patience:
        gc.collect()  # which does nothing while another thread collects
        time.sleep(0.001)
    assert forgotten() is None
    go.set()
    stream.wait()


def test_a_loop_without_readers(stream):
    class Loop(asyncio.SelectorEventLoop):
        def add_reader(self, fd, callback, *args):
            raise NotImplementedError

    async def main():
        stream.call(time.sleep, 0.01)
        await stream
        stream.call(int, "no number")
        with pytest.raises(ValueError):
            await stream

    with asyncio.Runner(loop_factory=Loop) as runner:
        runner.run(main())


def test_two_loops_await_one_event(stream):
    go, ended = threading.Event(), []
    stream.call(go.wait)
    event = stream.event()

    async def main():
        await asyncio.gather(*[asyncio.ensure_future(wait()) for _ in range(50)])
        ended.append(True)

    async def wait():
        await event

    threads = [threading.Thread(target=asyncio.run, args=(main(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    go.set()
    for thread in threads:
        thread.join()
    assert ended == [True, True]


def test_the_repr_of_an_event_of_a_recording(stream):
    with stream.record():
        event = stream.event()
        assert "failed" not in repr(event)
    assert "failed" not in repr(event)
