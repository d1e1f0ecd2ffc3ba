# SPDX-License-Identifier: Apache-2.0
"""yoke.trace, and python -m yoke. A trace begins with a process's first device, so what traces has processes of its own."""

import json
import os
import re
import subprocess
import sys
import threading

import pytest

import yoke
from yoke.__main__ import find_program, with_python

PROGRAM = """
import json, os, sys, threading
import yoke

def work(stream, times=1):
    buffer = stream.device.buffer(64)
    for _ in range(times):
        stream.fill(buffer, b"ab")
    stream.call(len, "ab")

def names(trace):
    return sorted(each["cat"] for each in trace.events if each["ph"] == "X" and each["pid"] != 0)
"""


def run(text, *words, code=0, **variables):
    """A program with PROGRAM's beginning; its output."""
    environment = {**{name: value for name, value in os.environ.items() if name != "YOKE_TRACE"}, **variables}
    done = subprocess.run([sys.executable, "-c", PROGRAM + text, *words], capture_output=True, text=True, timeout=120,
                          env=environment)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_parts(device, tmp_path):
    if not device.supports("timing"):
        pytest.skip("no timing")
    path = tmp_path / "run.json"
    out = run("""
with yoke.Trace(sys.argv[1]) as trace:
    assert repr(trace) == "<yoke.Trace started>"
    stream = yoke.Device().stream(name="mine")
    assert "YOKE_TRACE" not in os.environ  # child processes have traces of their own, if any
    work(stream, 3)
assert names(trace) == ["fill"] * 3 + ["host function"], names(trace)
fill = [each for each in trace.events if each.get("cat") == "fill"][0]
assert fill["dur"] >= 0 and fill["args"]["bytes"] == 64 and "<string>:" in fill["args"]["where"]
assert any("mine" in each["args"].get("name", "") for each in trace.events)
work(stream, 5)  # between two traces
stream.wait()
again = yoke.Trace()
again.start()
work(stream)
again.stop()
assert names(again) == ["fill", "host function"], names(again)
print(again)
""", str(path), TMPDIR=str(tmp_path))
    assert "fill, stream 'mine'" in out and "1  host function" in out
    assert [each["name"] for each in json.loads(path.read_text()) if each.get("cat") == "fill"] == ["fill"] * 3
    assert list(tmp_path.iterdir()) == [path]


def test_many_times(device):
    if not device.supports("timing"):
        pytest.skip("no timing")
    run("""
trace = yoke.Trace()
with trace:
    streams = [yoke.Device().stream() for _ in range(3)]
for i in range(20):
    with trace:
        for each in streams:
            work(each)
    assert names(trace) == ["fill"] * 3 + ["host function"] * 3, names(trace)
""")


def test_streams_come_and_go(device):
    closed = [device.stream() for _ in range(500)]
    for each in closed:
        each.close()
    over, interval = threading.Event(), sys.getswitchinterval()

    def come_and_go():
        while not over.is_set():
            device.stream().close()

    threads = [threading.Thread(target=come_and_go) for _ in range(2)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for _ in range(300):
            yoke._core.mark_trace()
    finally:
        over.set()
        sys.setswitchinterval(interval)
        for thread in threads:
            thread.join()


def test_failures_stay(device):
    out = run("""
with yoke.Trace() as trace:
    stream = yoke.Device().stream()
    go = threading.Event()
    stream.call(lambda: go.wait() and divmod(1, 0))
    stream.call(print, "never")
    go.set()
    recorded = stream.device.stream()
    recording = recorded.record()
    recording.__enter__()
assert trace.events
try:
    stream.wait()
except ZeroDivisionError:
    print("right")
""")
    assert out == "right\n"


def test_too_late_and_out_of_order(tmp_path):
    out = run("""
device = yoke.Device()
for call in (yoke.Trace().start, yoke.Trace().stop, lambda: yoke.Trace("x").save("/nowhere/x")):
    try:
        call()
    except (RuntimeError, OSError) as error:
        print(type(error).__name__, error)
""")
    lines = out.splitlines()
    assert "python -m yoke trace" in lines[0] and "not been started" in lines[1] and lines[2].startswith("FileNotFoundError")
    assert "already" in run("t = yoke.Trace()\nt.start()\nt.start()", code=1)
    run("with yoke.Trace() as t: pass\nassert t.events == [] and str(t)", TMPDIR=str(tmp_path))  # no device at all
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(TypeError):
        yoke.Trace(5)


def test_the_environments_trace(device, tmp_path):
    if not device.supports("timing"):
        pytest.skip("no timing")
    text = """
before = yoke.Device().stream()
work(before)
before.wait()
with yoke.Trace() as trace:
    stream = yoke.Device().stream()
    work(stream)
assert names(trace) == ["fill", "host function"], names(trace)
"""
    run(text, YOKE_TRACE=str(tmp_path / "all.%p.json"))
    [path] = tmp_path.glob("all.*.json")
    assert len([each for each in json.loads(path.read_text()) if each.get("cat") == "fill"]) == 4  # with a mark in each stream
    assert "has to be a file" in run(text, code=1, YOKE_TRACE="/nowhere/trace.json")


def module(*words, **variables):
    return subprocess.run([sys.executable, "-m", "yoke", *words], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **variables})


def test_module(tmp_path, device):
    done = module()
    told = [re.sub(r"\d+ MiB", "", text) for text in (done.stdout, yoke.info() + "\n")]  # a virtual machine's memory may grow
    assert done.returncode == 0 and told[0] == told[1] and device.info.name in done.stdout
    assert with_python(["trace", "--out", "a.py", "--svg=b.svg", "p.py", "--out"]) == \
        ["trace", "--out", "a.py", "--svg=b.svg", sys.executable, "p.py", "--out"]
    assert with_python(["trace", "./program", "a.py"]) == ["trace", "./program", "a.py"]
    if find_program() is None:
        done = module("info", PATH="/nowhere")
        assert done.returncode == 2 and "nor in PATH" in done.stderr
        return
    done = module("info")
    assert done.returncode == 0 and device.info.name in done.stdout
    assert module("no-such-word").returncode != 0
    program = tmp_path / "program.py"
    program.write_text(PROGRAM + "stream = yoke.Device().stream()\nwork(stream)\nstream.wait()\nprint('ran')\n")
    done = module("trace", "--out", str(tmp_path / "out.json"), str(program))
    assert done.returncode == 0 and "ran" in done.stdout, done.stderr
    assert any(each.get("cat") == "fill" for each in json.loads((tmp_path / "out.json").read_text()))


def test_module_without_the_program(tmp_path, monkeypatch):
    monkeypatch.setattr("yoke.__main__.__file__", str(tmp_path / "__main__.py"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_program() is None
    import yoke.__main__ as main

    assert main.main(["bench"]) == 2
    (tmp_path / "yoke").write_text("#!/bin/sh\n")
    (tmp_path / "yoke").chmod(0o755)
    assert find_program() == str(tmp_path / "yoke")
