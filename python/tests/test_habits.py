# SPDX-License-Identifier: Apache-2.0
"""What users of Python expect beside results: help, pickles, messages that speak of what they wrote, `await array`, a cache that is
filled ahead, a driver by pip."""

import asyncio
import inspect
import os
import pickle
import subprocess
import sys
import threading

import numpy
import pytest

import yoke
from yoke import _pocl, _prepare


def test_classes_have_signatures():
    for name, thing in vars(yoke).items():
        if isinstance(thing, type) and not issubclass(thing, BaseException) and not name.startswith("_"):
            inspect.signature(thing)
            assert thing.__doc__, name


def test_pickles_speak_plainly(device, stream, program):
    for thing in (device, stream, program, device.buffer(4), stream.event()):
        with pytest.raises(TypeError, match=f"^cannot pickle '{type(thing).__name__}' object$"):
            pickle.dumps(thing)


def test_await_array(stream):
    async def program():
        x = await yoke.asarray([1.0, 2.0], stream=stream)
        return x, await (x * 2)

    x, twice = asyncio.run(program())
    assert isinstance(x, yoke.Array) and repr(twice).startswith("yoke.Array([2.0, 4.0]")

    async def failing():
        stream.call(lambda: 1 / 0)
        await x

    with pytest.raises(ZeroDivisionError):
        asyncio.run(failing())


def test_await_array_lets_the_loop_go_on(stream):
    """The loop runs what the array's work waits for."""
    async def program():
        gate = threading.Event()
        stream.call(gate.wait)
        x = yoke.ones(3, stream=stream)
        waiter = asyncio.ensure_future(waits(x))
        await asyncio.sleep(0)
        assert not waiter.done()
        gate.set()
        return (await waiter).tolist()

    async def waits(x):
        return await x

    assert asyncio.run(program()) == [1, 1, 1]


def test_get():
    out = numpy.zeros(2, "float32")
    assert yoke.asarray([1.0, 2.0]).get().tolist() == [1, 2]
    assert yoke.asarray([1.0, 2.0]).get(out=out) is out and out.tolist() == [1, 2]


# Calls that the library refuses, or this package by the library's text.
WRONG = [
    lambda a: a.reshape(7), lambda a: a.reshape(-1, -1), lambda a: a.transpose(0, 0), lambda a: a.broadcast_to((2, 7)),
    lambda a: yoke.take(a, [9], 0), lambda a: yoke.take(a, [0.5], 0), lambda a: yoke.take(a, yoke.asarray([0.5]), 0),
    lambda a: a @ yoke.ones((5, 2)), lambda a: yoke.matmul(a, a, out=yoke.ones((9, 9))), lambda a: a.sum(9),
    lambda a: yoke.clip(a, "x", 2), lambda a: yoke.topk(a, 99), lambda a: yoke.topk(a, -1), lambda a: yoke.sort(a, axis=5),
    lambda a: yoke.searchsorted(a, 1), lambda a: yoke.scatter(a, yoke.asarray([0.5]), a), lambda a: yoke.histogram(a, 0),
    lambda a: yoke.bincount(a), lambda a: yoke.concatenate([a, yoke.ones((2, 9))]), lambda a: yoke.evaluate("x +", x=a),
    lambda a: yoke.evaluate("y", x=a), lambda a: yoke.map("x = x + nothing", x=a), lambda a: yoke.map_reduce("most", "x", x=a),
    lambda a: yoke.map_reduce("sum", "x", 4, x=a), lambda a: yoke.fft.fft(a, axis=4), lambda a: yoke.fft.irfft(a, n=0),
    lambda a: yoke.random.normal(3, 0, -1, seed=1), lambda a: yoke.random.uniform(3, 2, 1, seed=1),
    lambda a: yoke.random.integers(3, 5, 5, seed=1), lambda a: yoke.random.permutation(3, seed=1, dtype="int8"),
    lambda a: yoke.ndimage.gaussian_filter(a, -1), lambda a: yoke.ndimage.uniform_filter(a, 0),
    lambda a: yoke.ndimage.correlate(a, [[1] * 3], origin=(0, 2)), lambda a: yoke.ndimage.sobel(a, 0, axes=(1,)),
    lambda a: yoke.reduce_segments("sum", a, yoke.asarray([0])), lambda a: yoke.scan("sum", a, 7),
    lambda a: yoke.scan_segments("sum", a, yoke.ones(3)), lambda a: yoke.partition_by(a, a), lambda a: a[0, 0, 0],
    lambda a: a.__setitem__((0, 9), 1), lambda a: yoke.asarray(1 << 70, "int64"), lambda a: yoke.dot(a, yoke.ones(7)),
    lambda a: a.device.buffer(-1), lambda a: a.device.buffer(1 << 60), lambda a: yoke.full(3, 1 << 40, "int8"),
    lambda a: a.stream.event().elapsed(a.stream.event()), lambda a: a.device.build("what").kernels,
    lambda a: yoke.Device("vulkan:7"), lambda a: a.stream.write(a.device.buffer(4), b"12345678"),
    lambda a: a.stream.copy(a.device.buffer(4), a.device.buffer(8)), lambda a: yoke.graph, lambda a: a.flaten,
    lambda a: yoke.ones((2, 2), "complex64") > 1j, lambda a: yoke.sort(a + 1j), lambda a: yoke.ones((1,) * 9),
]


# The same of the array API's functions and of the modules, each with what its message names: function, parameter or value.
NAMED = [
    ("det", lambda a: yoke.linalg.det(a)), ("solve", lambda a: yoke.linalg.solve(a, 3)), ("'x'", lambda a: yoke.linalg.inv("x")),
    ("n is", lambda a: yoke.linalg.matrix_power(a, 0.5)), ("axis 5", lambda a: yoke.linalg.vector_norm(a, axis=5)),
    ("ord is", lambda a: yoke.linalg.matrix_norm(a, ord="max")), ("outer", lambda a: yoke.linalg.outer(a, a)),
    ("axis 7", lambda a: yoke.vecdot(a, a, axis=7)), ("axes is", lambda a: yoke.tensordot(a, a, axes="ab")),
    ("axes is -1", lambda a: yoke.tensordot(a, a, axes=-1)), ("k is", lambda a: yoke.tril(a, k="x")),
    ("axis is", lambda a: yoke.flip(a, axis="x")), ("shift is", lambda a: yoke.roll(a, "x")),
    ("'x'", lambda a: yoke.repeat(a, "x")), ("repetitions is", lambda a: yoke.tile(a, "x")),
    ("axis 9", lambda a: yoke.expand_dims(a, axis=9)),
    ("axis 0", lambda a: yoke.squeeze(a, axis=0)), ("axis 9", lambda a: yoke.moveaxis(a, 0, 9)),
    ("axes", lambda a: yoke.permute_dims(a, (0,))), ("axis is", lambda a: yoke.sum(a, axis="x")),
    ("axis is", lambda a: yoke.argmax(a, axis=1.5)), ("axis is", lambda a: yoke.sort(a, axis="x")),
    ("correction is", lambda a: yoke.var(a, correction="x")), ("axis is named twice", lambda a: yoke.mean(a, axis=(0, 0))),
    ("broadcast_to", lambda a: yoke.broadcast_to(a, (5,))), ("int7", lambda a: yoke.astype(a, "int7")),
    ("extent: -1", lambda a: yoke.zeros(-1)), ("shape", lambda a: yoke.zeros("x")), ("'x'", lambda a: yoke.full(3, "x")),
    ("step", lambda a: yoke.arange(0, 5, 0)), ("grid", lambda a: yoke.meshgrid(a, a)), ("where", lambda a: yoke.where(a, a)),
    ("side", lambda a: yoke.searchsorted(a[0], a, side="middle")), ("n is -1", lambda a: yoke.diff(a, n=-1)),
    ("&", lambda a: yoke.bitwise_and(a, a)), ("'x'", lambda a: yoke.sin("x")), ("iinfo", lambda a: yoke.finfo("int32")),
    ("default dtype", lambda a: yoke.set_default_dtype("int8")), ("transform", lambda a: yoke.fft.fft(a, n=-1)),
    ("norm is", lambda a: yoke.fft.fft(a, norm="x")), ("rfft", lambda a: yoke.fft.rfft(a + 1j)),
    ("seed", lambda a: yoke.random.default_rng(-1)), ("scale is -1", lambda a: yoke.random.default_rng(1).normal(0, -1, 3)),
    ("low is 5", lambda a: yoke.random.default_rng(1).integers(5, 5)), ("sigma", lambda a: yoke.ndimage.gaussian_filter(a, "x")),
    ("size", lambda a: yoke.ndimage.median_filter(a)), ("mode", lambda a: yoke.ndimage.uniform_filter(a, 3, mode="x")),
    ("copy is", lambda a: yoke.from_dlpack(a, copy=1)), ("order is", lambda a: yoke.asarray(a, order="Z")),
    ("wait is", lambda a: a.device.stream(wait="never")), ("percentile: q", lambda a: yoke.numpy.percentile(a, 101)),
    ("einsum", lambda a: yoke.numpy.einsum("ij,jk", a)), ("mode is", lambda a: yoke.numpy.pad(a, 1, mode="x")),
    ("casting", lambda a: yoke.numpy.add(a, a, casting="no")), ("convolve", lambda a: yoke.numpy.convolve(a, a)),
    ("array_split", lambda a: yoke.numpy.split(a, 5)), ("topk", lambda a: yoke.top_k),
]


@pytest.mark.parametrize("number", range(len(NAMED)))
def test_messages_name_what_is_wrong(number):
    word, call = NAMED[number]
    with pytest.raises(Exception) as caught:
        call(yoke.ones((2, 3)))
    text = str(caught.value)
    assert word in text and "yoke_" not in text and "YOKE_" not in text and " NULL" not in text


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_no_names_of_c(number):
    """A message names what the user wrote."""
    try:
        WRONG[number](yoke.ones((2, 3)))
    except Exception as error:
        text = str(error).replace("yoke_dtype", "")
        assert text and "yoke_" not in text and "YOKE_" not in text.replace("YOKE_CACHE", ""), text
        assert " NULL" not in text and "__cinit__" not in text, text
    else:
        pytest.fail("nothing was refused")


def test_prepare(tmp_path):
    def run(*words, **variables):
        return subprocess.run([sys.executable, "-m", "yoke", "prepare", *words], capture_output=True, text=True,
                              env={**os.environ, "YOKE_CACHE_DIR": str(tmp_path), "YOKE_CACHE": "on", **variables})

    done = run("products", "--dtypes", "float32")
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout and "float32 products: " in done.stdout and ": 0 programs" not in done.stdout
    assert any(tmp_path.rglob("*"))
    again = run("products", "--dtypes", "float32")
    assert "float32 products: 0 programs compiled" in again.stdout
    assert run(YOKE_CACHE="off").returncode == 1
    wrong = run("lunch")
    assert wrong.returncode == 2 and "no group lunch" in wrong.stderr


@pytest.mark.parametrize("group", ["arithmetic", "random"])
def test_groups_of_prepare(group):
    for each in _prepare.GROUPS[group](yoke.asarray(numpy.arange(1, 10, dtype="float32").reshape(3, 3))):
        assert isinstance(each, yoke.Array)


def test_pocl_by_pip(tmp_path, monkeypatch):
    place, vendors = tmp_path / "site-packages" / "pyopencl" / ".libs", tmp_path / "vendors"
    folder = str(tmp_path / "site-packages")
    place.mkdir(parents=True)
    vendors.mkdir()
    (place / "pocl.icd").write_text("libpocl-1.so")
    assert _pocl.installed([folder], str(vendors)) is None  # the library is not there
    (place / "libpocl-1.so").write_text("")
    assert _pocl.installed([str(tmp_path), folder], str(vendors)) == str(place / "libpocl-1.so")
    assert _pocl.installed([folder], str(tmp_path / "none")) == str(place / "libpocl-1.so")
    monkeypatch.setattr(sys, "path", [folder])
    monkeypatch.setenv("OCL_ICD_VENDORS", "own")
    _pocl.use()
    assert os.environ["OCL_ICD_VENDORS"] == "own"
    (vendors / "nvidia.icd").write_text("libnvidia-opencl.so.1")
    assert _pocl.installed([folder], str(vendors)) is None
