# SPDX-License-Identifier: Apache-2.0
"""Devices, buffers, copies, programs, launches, events, graphs; and what is refused."""

import asyncio
import gc
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import yoke

N = 1000
LINE = "test_core.py:"


def line():
    return f"{LINE}{sys._getframe(1).f_lineno}"


def upload(stream, array):
    buffer = stream.device.buffer(array.nbytes)
    stream.write(buffer, array)
    return buffer


def download(stream, buffer, like):
    out = numpy.empty_like(like)
    stream.read(out, buffer)
    stream.wait()
    return out


@pytest.fixture
def xy():
    return numpy.arange(N, dtype=numpy.float32), numpy.ones(N, numpy.float32)


# An interpreter that has imported nothing of its own: what it has then, Yoke has imported.
IMPORT = """
import sys
sys.path.insert(0, {!r})
import yoke
print(*{{"ast", "asyncio", "enum", "inspect", "numpy", "pathlib", "re", "subprocess", "tempfile", "typing"}} & {{*sys.modules}})
"""


def test_import_brings_little():
    code = IMPORT.format(str(Path(yoke.__file__).parent.parent))
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def test_device(device):
    assert device.info.selector in [each.selector for each in yoke.devices()]
    assert device.info.selector in yoke.info() and device.info.name in repr(device)
    assert device.supports("signature") == (device.lacks("signature") is None)
    with pytest.raises(ValueError):
        device.lacks("wings")
    with pytest.raises(yoke.NotFoundError) as failure:
        yoke.Device(f"{device.backend}:99")
    assert failure.value.status == "YOKE_E_NOT_FOUND" and failure.value.code == -104 and failure.value.function
    assert failure.value.group == "caller"
    for wait in ("spin", "auto"):
        device.set_wait(wait)
    with pytest.raises(ValueError, match="sleep"):
        device.set_wait("sleep")
    device.prepare()
    with pytest.raises(TypeError):
        device.prepare("text")
    if not device.supports("fp64"):
        with pytest.raises(yoke.UnsupportedError):
            device.prepare("float64")


def test_what_is_there(program):
    cache = yoke.cache_info()
    assert cache["mode"] in ("off", "read", "on") and cache["hits"] + cache["misses"] > 0 or cache["mode"] == "off"
    libraries = yoke.libraries()
    assert set(libraries) == {"cuBLAS", "cuFFT", "CLBlast"}
    assert all([bool(each["reason"]) != bool(each["path"]) for each in libraries.values()])


def test_launch(stream, saxpy, xy):
    x, y = xy
    bx, by = upload(stream, x), upload(stream, y)
    saxpy[N](stream, by, bx, 2.0, N)
    saxpy[(N + 255) // 256, 256](stream, by, bx, numpy.float32(1), numpy.int32(N))
    assert (download(stream, by, y) == 1 + 3 * x).all()


def test_host_arrays(stream, saxpy, xy):
    x, y = xy
    saxpy[N](stream, yoke.InOut(y), yoke.In(x), 2, N)  # an int for a float
    stream.wait()
    assert (y == 1 + 2 * x).all()
    saxpy[N](stream, yoke.InOut(numpy.zeros(N, "f4")), yoke.In(x.copy()), 2.0, N)  # nothing else holds them
    gc.collect()
    stream.wait()


def test_scalars_and_structs(stream, program):
    if not stream.device.supports("fp64"):
        pytest.skip("no double")
    point = numpy.array((1.5, 2.5), numpy.dtype([("x", "f4"), ("y", "f8")], align=True))[()]
    out = numpy.zeros(4)
    program["put"][1, 1](stream, yoke.InOut(out), point, -3, numpy.uint8(200))
    stream.wait()
    assert out.tolist() == [1.5, 2.5, -3, 200]
    with pytest.raises(OverflowError):
        program["put"][1, 1](stream, yoke.InOut(out), point, 70000, 1)
    if stream.device.backend == "opencl":
        return  # its drivers do not tell the size of a struct: check_struct does
    packed = numpy.array((1.5, 2.5), numpy.dtype([("x", "f4"), ("y", "f8")]))[()]
    with pytest.raises(yoke.KernelArgumentError):
        program["put"][1, 1](stream, yoke.InOut(out), packed, 1, 1)


def test_struct_check(device):
    source = yoke.Source("struct point { float x; int y; };", headers={"none.h": ""})
    device.check_struct(source, "struct point", [("x", "f4"), ("y", "i4")])
    with pytest.raises(yoke.KernelArgumentError, match="y"):
        device.check_struct(source, "struct point", [("x", "f4"), ("y", "i8")])


def test_wrong_arguments(stream, saxpy, xy):
    x, y = xy
    bx, by = upload(stream, x), upload(stream, y)
    with pytest.raises(yoke.KernelArgumentError) as failure:
        saxpy[N](stream, by, bx, 2.0)
    assert "4 arguments" in str(failure.value) and isinstance(failure.value, TypeError)
    for wrong in ([by, bx, 2.0, 1.5], [by, bx, 2.0, numpy.int64(1)], [by, 3, 2.0, 1], [by, x, 2.0, 1], [by, "x", 2.0, 1],
                  [by, bx, bx, 1], [by, bx, numpy.float64(2), 1], [by, object(), 2.0, 1], [by, bx, 2.0, N, 1]):
        with pytest.raises((yoke.KernelArgumentError, yoke.InvalidArgumentError)):
            saxpy[N](stream, *wrong)
    with pytest.raises(TypeError):
        saxpy[N](by, bx, 2.0, N)
    with pytest.raises(TypeError):
        saxpy(stream, by, bx, 2.0, N)
    with pytest.raises(ValueError):
        saxpy[0](stream, by, bx, 2.0, N)
    with pytest.raises(OverflowError):
        saxpy[N](stream, by, bx, 2.0, 2**40)
    with pytest.raises(yoke.KernelArgumentError, match="^(?!.*write)"):  # no advice in C
        saxpy[N](stream, by, bx, 2.0, numpy.int64(1))
    bx.close()
    with pytest.raises(yoke.InvalidArgumentError, match="closed"):
        saxpy[N](stream, by, bx, 2.0, N)
    assert (download(stream, by, y) == y).all()


def test_elements(stream, saxpy):
    """Arrays of another dtype than the kernel's, where the driver tells what a parameter points to."""
    x, y = yoke.empty(N, "float64", stream=stream), yoke.empty(N, stream=stream)  # nothing to compile
    known = saxpy.parameters[0][0] != ""
    for wrong in ((y, x), (yoke.empty(N, "int32", stream=stream), y), (y, yoke.In(numpy.ones(N))),
                  (y, yoke.In(numpy.ones(N, "i4")))):
        if known:
            with pytest.raises(yoke.KernelArgumentError, match="parameter [12] .*astype"):
                saxpy[N](stream, *wrong, 1.0, N)
        else:
            saxpy[N](stream, *wrong, 1.0, N)
    saxpy[N](stream, y, x.buffer, 1.0, N)  # a Buffer has no dtype
    saxpy[N](stream, y, yoke.In(bytes(4 * N)), 1.0, N)
    stream.wait()


def test_where(stream):
    with pytest.raises(ValueError):
        buffer = stream.device.buffer(0)
    buffer = stream.device.buffer(16)
    stream.call(divmod, 1, 0); place = line()
    with pytest.raises(ZeroDivisionError):
        stream.wait()
    with pytest.raises(ZeroDivisionError):
        stream.fill(buffer, b"x")
    stream.recover()
    stream.fill(buffer, b"x")
    assert download(stream, buffer, numpy.zeros(16, "u1")).tobytes() == b"x" * 16
    stream.cancel(); stream.event
    with pytest.raises(yoke.CancelledError) as failure:
        stream.wait()
    assert place and failure.value.status == "YOKE_E_CANCELLED"


def test_where_names_the_line(stream, device):
    def fill(where):
        with stream.record() as graph:
            stream.fill(where)
        return graph.describe()

    place = f"{LINE}{fill.__code__.co_firstlineno + 2}"
    assert place in fill(device.buffer(4))
    one = yoke.ones(4, stream=stream)
    with stream.record() as graph:  # a function that is Python's, in the package
        kept = yoke.expand_dims(one, 0), yoke.multiply(one, 2); place = line()
    assert place in graph.describe() and "_elementwise" not in graph.describe() and kept
    namespace = {"stream": stream, "buffer": device.buffer(4)}
    for i in range(600):  # more places than the fast table has, and codes that are freed
        exec(compile(f"\n\nwith stream.record() as graph:\n    stream.fill(buffer)", f"made{i}.py", "exec"), namespace)
        assert f"made{i}.py:4" in namespace["graph"].describe()


def test_buffers(device, stream):
    buffer = device.buffer(100)
    assert len(buffer) == buffer.size == 100 and buffer.kind == "device" and "100 bytes" in repr(buffer)
    data = numpy.arange(100, dtype="u1")
    stream.write(buffer, data)
    assert (download(stream, buffer[10:20], data[:10]) == data[10:20]).all()
    other = device.buffer(50)
    stream.copy(other, buffer, 50, source_offset=50)
    assert (download(stream, other, data[:50]) == data[50:]).all()
    for wrong in (lambda: stream.write(buffer, data, 1), lambda: buffer.view(90, 11), lambda: stream.write(buffer, data, -1),
                  lambda: stream.fill(buffer, b"abc"), lambda: device.buffer(-1), lambda: device.buffer(4, "paper")):
        with pytest.raises((yoke.RangeError, yoke.InvalidArgumentError, ValueError)):
            wrong()
    with pytest.raises(BufferError):
        memoryview(buffer)
    with pytest.raises((BufferError, ValueError)):
        stream.write(buffer, data[::2])
    with pytest.raises((BufferError, TypeError)):
        stream.read(b"constant", buffer)
    with pytest.raises(TypeError):
        stream.write(data, buffer)
    buffer.close()
    buffer.close()
    assert buffer.size == 0
    with pytest.raises(yoke.InvalidArgumentError):
        stream.write(buffer, data)


def test_pinned(device, stream):
    array = device.pinned((4, 5), "f4")
    assert array.shape == (4, 5) and array.flags.writeable
    array[:] = 7
    buffer = upload(stream, array)
    assert (download(stream, buffer, array) == 7).all()
    raw = yoke.Buffer(device, 8, "pinned")
    view = memoryview(raw)
    with pytest.raises(BufferError):
        raw.close()
    view.release()
    raw.close()


def test_managed(device, stream, saxpy):
    if not device.supports("managed"):
        with pytest.raises(yoke.UnsupportedError):
            device.managed(4)
        return
    buffer, array = device.managed(N, "f4")
    array[:] = 1
    saxpy[N](stream, buffer, buffer.device.buffer(4 * N), 0.0, 0)
    stream.wait()
    assert (array == 1).all()


def test_programs(device, program, stream, tmp_path):
    assert sorted(program) == ["put", "saxpy"] and len(program) == 2 and "saxpy" in program
    assert [each[2] for each in program["saxpy"].parameters][2:] == [4, 4]
    with pytest.raises(yoke.NotFoundError, match="saxpy"):
        program["saxpi"]
    with pytest.raises(yoke.BuildError) as failure:
        device.build(cuda="nonsense;", opencl="nonsense;")
    assert "error" in failure.value.log and failure.value.status == "YOKE_E_BUILD"
    with pytest.raises(TypeError):
        yoke.Program(device)
    with pytest.raises(yoke.InvalidArgumentError):
        device.load(b"nothing known", "x") if device.backend == "cuda" else device.build("")
    if device.supports("program_binaries"):
        path = tmp_path / "program.bin"
        path.write_bytes(program.save())
        assert "saxpy" in device.load(path)
    path = tmp_path / "k.src"
    path.write_text('#include "n.h"\n#ifdef __OPENCL_VERSION__\n__kernel void k(__global int *x) { x[0] = NUMBER + M; }\n#else\n'
                    'extern "C" __global__ void k(int *x) { x[0] = NUMBER + M; }\n#endif\n')
    built = device.build(text_file=path, defines={"NUMBER": 40}, headers={"n.h": "#define M 2\n"})
    out = numpy.zeros(1, "i4")
    built["k"][1, 1](stream, yoke.Out(out))
    stream.wait()
    assert out[0] == 42
    source = yoke.Source(name="k", text_file=path, defines=["NUMBER=40"], headers={"n.h": "#define M 2\n"},
                         cuda_defines={"CUDA_ONLY": None}, opencl_defines=["OPENCL_ONLY"], cuda_std="17", opencl_std="1.2")
    assert "k" in device.build(source)
    if device.supports("program_binaries"):
        again = device.build(yoke.Source(text="nonsense;", compiled=[program.save()]))
        assert "saxpy" in again
    for wrong in (lambda: yoke.Source("x", defines="NAME"), lambda: yoke.Source(compiled=b"bytes"),
                  lambda: device.build(yoke.Source("x", compiled=[None]))):
        with pytest.raises(TypeError):
            wrong()
    try:
        ptx = yoke.Source(cuda='extern "C" __global__ void k() {}').compile("compute_90", bare=True)
    except (yoke.UnavailableError, yoke.UnsupportedError):
        return  # no NVRTC, or one that does not know it
    assert ptx


def test_builds_for_an_event_loop(device, program, stream):
    async def build():
        built = await device.build_async(cuda="extern \"C\" __global__ void k(int *x) { x[0] = 7; }",
                                         opencl="__kernel void k(__global int *x) { x[0] = 7; }")
        with pytest.raises(yoke.BuildError) as failure:
            await device.build_async("nonsense;")
        assert "error" in failure.value.log
        with pytest.raises(TypeError):
            await device.build_async("text", 3)
        return built

    out = numpy.zeros(1, "i4")
    asyncio.run(build())["k"][1, 1](stream, yoke.Out(out))
    stream.wait()
    assert out[0] == 7


def test_events(device):
    if not device.supports("timing"):
        pytest.skip("no timing")
    stream = device.stream(timed=True, name="timed")
    buffer = device.buffer(1 << 20)
    first = stream.event(timed=True)
    stream.fill(buffer)
    last = stream.event(timed=True)
    last.wait()
    assert last.query() and first.query() and 0 <= last.elapsed(first) < 60
    with pytest.raises(yoke.InvalidArgumentError):
        device.stream().event(timed=True)
    with pytest.raises(TypeError):
        yoke.Event()


def test_streams_wait_for_each_other(device, stream, saxpy, xy):
    import threading

    x, y = xy
    other = device.stream()
    go = threading.Event()
    other.call(go.wait)
    bx = device.buffer(x.nbytes)
    other.write(bx, x)
    stream.wait_for(other.event())
    by = upload(stream, y)
    saxpy[N](stream, by, bx, 1.0, N)
    with pytest.raises(TimeoutError):
        stream.wait(0.02)
    go.set()
    assert (download(stream, by, y) == 1 + x).all()


def test_graph(device, stream, saxpy, xy):
    x, y = xy
    by, calls = upload(stream, y), []
    with stream.record("step") as graph:
        bx = upload(stream, x.copy())  # the graph keeps the copy alive
        saxpy[N](stream, by, bx, 1.0, N)
        stream.call(calls.append, 1)
    gc.collect()
    assert len(graph) == 3 and calls == []
    for _ in range(3):
        graph.launch(stream)
    assert (download(stream, by, y) == 1 + 3 * x).all() and calls == [1, 1, 1]
    with pytest.raises(RuntimeError):
        with stream.record():
            raise RuntimeError
    stream.fill(by)
    stream.wait()
    with stream.record():
        with pytest.raises(yoke.InvalidArgumentError):
            stream.wait()


def test_closed_stream(device):
    stream = device.stream()
    stream.close()
    for call in (stream.wait, stream.event, stream.cancel, lambda: stream.call(print), lambda: stream.buffer(4)):
        with pytest.raises(yoke.InvalidArgumentError):
            call()


def test_nested_current_streams(device):
    one, other = device.stream(), device.stream()
    with one, other:
        with one:
            pass
        assert yoke.default_stream() is other


@pytest.mark.parametrize("behind", ["launch", "array"])
def test_launch_with_an_array_of_another_stream(device, stream, saxpy, behind):
    import threading

    other, go = device.stream(), threading.Event()
    x = yoke.zeros(N, stream=stream)
    y = yoke.zeros(N, stream=other)
    if behind == "launch":
        other.call(go.wait)
        y.fill(1)
        saxpy[N](stream, x, y, 2.0, N)
        late = stream
    else:
        stream.call(go.wait)
        saxpy[N](stream, y, x, 2.0, N)
        y.fill(1)
        late = other
    with pytest.raises(TimeoutError):
        late.wait(0.02)
    go.set()
    assert x.tolist() == [2.0 if behind == "launch" else 0.0] * N and y.tolist() == [1.0] * N


def test_recorded_launch_with_an_array_of_another_stream(device, stream, saxpy):
    x, y = yoke.ones(N, stream=stream), yoke.ones(N, stream=device.stream())
    y.stream.wait()
    with stream.record() as graph:
        saxpy[N](stream, x, y, 2.0, N)
    with y.stream.record() as other:
        saxpy[N](stream, x, y, 2.0, N)
    graph.launch(stream)
    assert len(graph) == 1 and len(other) == 0 and x.tolist() == [5.0] * N


def test_launch_with_an_array_of_a_closed_stream(device, stream, saxpy):
    x, y = yoke.ones(N, stream=stream), yoke.ones(N, stream=device.stream())
    y.stream.wait()
    y.stream.close()
    with pytest.raises(yoke.InvalidArgumentError, match="closed"):
        saxpy[N](stream, x, y, 2.0, N)  # as operations
    assert x.tolist() == [1.0] * N


def test_size_of_a_launch_that_changes(saxpy):
    n = numpy.array(4)
    assert "[4]" in repr(saxpy[n])
    n[...] = 8
    assert "[8]" in repr(saxpy[n]) and saxpy[8] is saxpy[8]
