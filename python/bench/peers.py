# SPDX-License-Identifier: Apache-2.0
"""
Yoke's package beside CuPy, PyTorch, Numba and cuda.core in one run, each where it is installed: lines "name value unit", and lines
".ratio" of Yoke to the others. What is compared runs by turns, in batches, each side in a process of its own, after a warm-up;
figures are medians of the batches.

Usage: peers.py [--rounds N] [--build DIR] [--c-program PATH] [PART...]
Parts: launch add start function sleep await; all of them where none is named. --build: a build of the repository, whose
examples/vector_add is the C program beside which a process's first result is timed; --c-program: another one. Beside launch and add
their C side, side.c, takes its turn, where a C compiler is there. Yoke's devices are the first of CUDA's and the first of OpenCL's;
YOKE_BACKEND leaves one of them out. bench/launch.py has a launch beside PyOpenCL's.
"""

import argparse
import asyncio
import collections
import ctypes
import multiprocessing
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy
import yoke

CUDA = """extern "C" __global__ void f(float *x, const float *y, float a) { if (!blockIdx.x && !threadIdx.x) x[0] = a + y[0]; }"""
OPENCL = """__kernel void f(__global float *x, __global const float *y, float a) { if (get_global_id(0) == 0) x[0] = a + y[0]; }"""
BLOCK = 64
GROUP = 200  # calls of one batch: what is enqueued without a wait stays well below the depth of a driver's queue
STREAMS, SLEEP = 64, 0.01
AWAITS = 1000
CONTEXT = multiprocessing.get_context("spawn")


def show(name, value, unit):
    print(f"{name} {value:.4g} {unit}", flush=True)


def present(name, make):
    """A library's side; None, and a line that says why, where it is absent or does not work here."""
    try:
        return make()
    except Exception as error:
        print(f"# {name} is left out: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", flush=True)
        return None


class Side:
    """A side of a comparison, in a process of its own, as a program uses one library: `make`, a function of this file, of `args`,
    returns (calls, wait); calls(count) makes so many."""

    def __init__(self, one_core, make, *args):
        self.pipe, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=serve, args=(theirs, one_core, make, args), daemon=True)
        self.process.start()
        theirs.close()
        error = self.receive()
        if error:
            raise RuntimeError(error)

    def receive(self):
        try:
            return self.pipe.recv()
        except EOFError:
            self.process.join()
            raise RuntimeError(f"its process ended with {self.process.exitcode}") from None

    def batch(self, count, timed_wait):
        """Microseconds of one call. The wait behind them is outside of their time unless timed_wait."""
        self.pipe.send((count, timed_wait))
        return self.receive()

    def close(self):
        self.pipe.send(None)
        self.process.join()


def serve(pipe, one_core, make, args):
    try:
        calls, wait = make(*args)
        calls(1)
        wait()
    except Exception as error:
        pipe.send(f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
        return
    pipe.send(None)
    if one_core and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    while order := pipe.recv():
        count, timed_wait = order
        begin = time.perf_counter_ns()
        calls(count)
        if timed_wait:
            wait()
        end = time.perf_counter_ns()
        if not timed_wait:
            wait()
        pipe.send((end - begin) / count / 1e3)


def compare(makers, rounds, count, timed_wait=False, one_core=False):
    """Microseconds of one call of each side that works here, of {name: (make, argument…)}: medians of batches by turns. one_core:
    all sides run on the same one, for cores of a machine in use differ; not where a side's other threads have work."""
    sides = {name: present(name, lambda maker=maker: Side(one_core, *maker)) for name, maker in makers.items()}
    sides = {name: side for name, side in sides.items() if side}
    times = {name: [] for name in sides}
    for turn in range(rounds + 3):
        for name, side in sides.items():
            time_of_one = side.batch(count, timed_wait)
            if turn >= 3:
                times[name].append(time_of_one)
    for side in sides.values():
        side.close()
    return {name: statistics.median(list_of) for name, list_of in times.items()}


def report(part, medians, unit="us"):
    """The figures; Yoke's ratios to the others; and how much longer a call takes in Python than in C."""
    for name, value in medians.items():
        show(f"{part}.{name}", value, unit)
    for mine in medians:
        if mine.startswith("yoke") and not mine.endswith(".c"):
            for other, value in medians.items():
                if not other.startswith("yoke"):
                    show(f"{part}.{mine}.ratio", medians[mine] / value, f"of_{other}")
            if mine + ".c" in medians:
                show(f"{part}.{mine}.above_c", medians[mine] - medians[mine + ".c"], unit)


def find_devices():
    """{"yoke.cuda": selector, "yoke.opencl": selector}, of NVIDIA where there is one."""
    found = {}
    for info in sorted(yoke.devices(), key=lambda each: "NVIDIA" not in each.vendor.upper()):
        if info.backend not in found and os.environ.get("YOKE_BACKEND", info.backend) == info.backend:
            found[info.backend] = info.selector
            print(f"# yoke.{info.backend}: {info!r}")
    return {f"yoke.{backend}": found[backend] for backend in ("cuda", "opencl") if backend in found}


def gather(devices, mine, in_c=None, **others):
    """The makers of a comparison: Yoke's for each device, in Python and in C, and beside CUDA's those of the others."""
    makers = {}
    for name, selector in devices.items():
        makers[name] = mine, selector
        if in_c:
            makers[name + ".c"] = side_in_c, selector, in_c
    if "yoke.cuda" in devices:
        makers |= {name: (make,) for name, make in others.items()}
    return makers


def side_in_c(selector, call):
    """side_launch or side_add of side.c, with the libraries of this package."""
    for name in ("libyoke.so.0", "libyoke-ops.so.0"):
        ctypes.CDLL(str(pathlib.Path(yoke.__file__).parent / name), ctypes.RTLD_GLOBAL)
    here = pathlib.Path(__file__).resolve()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O2", f"-I{here.parents[2] / 'include'}", "-o",
                        f"{folder}/side.so", here.parent / "side.c"], check=True)
        library = ctypes.CDLL(f"{folder}/side.so")
    library.side_open.restype = ctypes.c_void_p
    side = ctypes.c_void_p(library.side_open(selector.encode(), CUDA.encode(), OPENCL.encode()))
    return lambda count: getattr(library, call)(side, count), lambda: library.side_wait(side)


# ---- A launch with 3 arguments ----

def launch_yoke(selector):
    device = yoke.Device(selector)
    stream = device.stream()
    x, y = device.buffer(64), device.buffer(64)
    launch = device.build(cuda=CUDA, opencl=OPENCL)["f"][1, BLOCK]

    def calls(count):
        for _ in range(count):
            launch(stream, x, y, 2.0)

    return calls, stream.wait


def launch_cupy():
    import cupy

    x, y = cupy.zeros(16, "f4"), cupy.zeros(16, "f4")
    kernel, a = cupy.RawKernel(CUDA, "f"), numpy.float32(2)
    stream = cupy.cuda.Stream(non_blocking=True)
    stream.use()
    kernel((1,), (BLOCK,), (x, y, a))

    def calls(count):
        for _ in range(count):
            kernel((1,), (BLOCK,), (x, y, a))

    return calls, stream.synchronize


def launch_core():
    from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

    device = Device()
    device.set_current()
    stream = device.create_stream()
    program = Program(CUDA, "c++", ProgramOptions(std="c++17"))
    kernel = program.compile("cubin").get_kernel("f")
    x, y = (device.allocate(64, stream=stream) for _ in range(2))
    config, a = LaunchConfig(grid=1, block=BLOCK), numpy.float32(2)
    launch(stream, config, kernel, x, y, a)

    def calls(count):
        for _ in range(count):
            launch(stream, config, kernel, x, y, a)

    return calls, stream.sync


def launch_numba():
    if not hasattr(numpy, "row_stack"):  # removed in NumPy 2.5; numba-cuda 0.30 still looks it up
        numpy.row_stack = numpy.vstack
    from numba import cuda

    @cuda.jit
    def f(x, y, a):
        if cuda.grid(1) == 0:
            x[0] = a + y[0]

    stream = cuda.stream()
    x, y, a = *(cuda.to_device(numpy.zeros(16, "f4")) for _ in range(2)), numpy.float32(2)
    f[1, BLOCK, stream](x, y, a)
    ready = f[1, BLOCK, stream]

    def calls(count):
        for _ in range(count):
            ready(x, y, a)

    return calls, stream.synchronize


def part_launch(devices, options):
    makers = gather(devices, launch_yoke, "side_launch", cupy=launch_cupy, cuda_core=launch_core, numba=launch_numba)
    report("launch", compare(makers, options.rounds, GROUP, one_core=True))


# ---- Host time of a + b ----

VALUES = numpy.arange(1000, dtype="f4")


def sums(a, b):
    def calls(count):
        for _ in range(count):
            a + b

    return calls


def add_yoke(selector):
    stream = yoke.Device(selector).stream()
    a, b = (yoke.asarray(VALUES, stream=stream) for _ in range(2))
    assert ((a + b).to_numpy() == 2 * VALUES).all()
    return sums(a, b), stream.wait


def add_cupy():
    import cupy

    a, b = cupy.asarray(VALUES), cupy.asarray(VALUES)
    return sums(a, b), cupy.cuda.get_current_stream().synchronize


def add_torch():
    import torch

    a, b = (torch.from_numpy(VALUES).cuda() for _ in range(2))
    return sums(a, b), torch.cuda.synchronize


def part_add(devices, options):
    makers = gather(devices, add_yoke, "side_add", cupy=add_cupy, torch=add_torch)
    report("add_1000", compare(makers, options.rounds, GROUP, one_core=True))


# ---- Import, and the first result, each in a process of its own ----

ADD = {"cuda": 'extern "C" __global__ void add(const float *x, const float *y, float *out, int n)'
               "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = x[i] + y[i]; }",
       "opencl": "__kernel void add(__global const float *x, __global const float *y, __global float *out, int n)"
                 "{ int i = get_global_id(0); if (i < n) out[i] = x[i] + y[i]; }"}
FIRST = f"""
import array, yoke
n, stream = 1000, yoke.default_stream()
add = stream.device.build(**{ADD!r})["add"]
x, y, out = array.array("f", range(n)), array.array("f", range(n)), array.array("f", bytes(4 * n))
add[n](stream, yoke.In(x), yoke.In(y), yoke.Out(out), n)
stream.wait()
assert out[n - 1] == 2 * (n - 1)
"""
IMPORT = "import time; begin = time.perf_counter(); import {0}; print((time.perf_counter() - begin) * 1e3)"
BARE = "import sys; sys.path[:0] = {!r}; ".format([path for path in sys.path if path])
PROCESSES = {
    "python": "pass",
    "python_bare": BARE,
    **{f"import.{name}": IMPORT.format(name) for name in ("yoke", "numpy", "cupy", "torch")},
    "import_bare.yoke": BARE + IMPORT.format("yoke"),
    "first.yoke": FIRST,
    "first_bare.yoke": BARE + FIRST,
    "first_array.yoke": "import yoke; assert (yoke.ones(1000) + 1).to_numpy()[9] == 2",
    "first_array.cupy": "import cupy; assert cupy.asnumpy(cupy.ones(1000, 'f4') + 1)[9] == 2",
    "first_array.torch": "import torch; assert (torch.ones(1000, device='cuda') + 1).cpu().numpy()[9] == 2",
}


def process(command, environment):
    """Milliseconds of a whole process, or those that a process of Python's prints; RuntimeError: it failed."""
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    elapsed = (time.perf_counter() - begin) * 1e3
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip() or f"exit {done.returncode}").splitlines()[-1])
    return float(done.stdout) if command[0] == sys.executable and done.stdout else elapsed


def part_start(devices, options):
    program = options.c_program or (options.build and pathlib.Path(options.build) / "examples" / "vector_add")
    for backend in [name.partition(".")[2] for name in devices]:
        environment = {**os.environ, "YOKE_BACKEND": backend}
        # What other packages have put into the folder of packages, to run whenever Python starts, does not run in a bare one.
        commands = {each: [sys.executable, *(["-S"] if code.startswith(BARE) else []), "-c", code]
                    for each, code in PROCESSES.items()}
        if program:
            commands["first.c"] = [str(program), *(["1000"] if options.c_program is None else [])]
        if backend != "cuda":
            commands = {each: command for each, command in commands.items() if not each.endswith((".cupy", ".torch"))}
        # The first runs fill the caches.
        times = {each: [] for each, command in commands.items() if present(each, lambda command=command: process(
            command, environment) + process(command, environment))}
        for i in range(options.processes):
            for each, list_of in times.items():
                if i % 3 == 0 or not each.endswith((".cupy", ".torch")):  # which take seconds
                    list_of.append(process(commands[each], environment))
        medians = {each: statistics.median(list_of) for each, list_of in times.items()}
        for each, value in medians.items():
            show(f"start.{backend}.{each}", value, "ms")
        for each in ("first", "first_bare") if "first.c" in medians else ():
            show(f"start.{backend}.{each}.ratio", medians[f"{each}.yoke"] / (1.05 * medians["first.c"] + 50), "of_1.05_c_and_50_ms")
        for kind in ("import", "first_array"):
            for other in ("cupy", "torch"):
                if f"{kind}.{other}" in medians:
                    show(f"start.{backend}.{kind}.ratio", medians[f"{kind}.yoke"] / medians[f"{kind}.{other}"], f"of_{other}")


# ---- Python functions in the streams ----

def trip_yoke(selector):
    device = yoke.Device(selector)
    stream = device.stream()
    x, y = device.buffer(64), device.buffer(64)
    launch = device.build(cuda=CUDA, opencl=OPENCL)["f"][1, BLOCK]
    seen = collections.deque(maxlen=1)

    def trips(count):
        for _ in range(count):
            launch(stream, x, y, 2.0)
            stream.call(seen.append, 1)
            launch(stream, x, y, 2.0)
            stream.wait()

    return trips, lambda: None


def trip_cupy():
    import cupy

    launch, wait = launch_cupy()
    stream = cupy.cuda.get_current_stream()
    seen = collections.deque(maxlen=1)

    def trips(count):
        for _ in range(count):
            launch(1)
            stream.launch_host_func(seen.append, 1)
            launch(1)
            wait()

    return trips, lambda: None


def part_function(devices, options):
    """Kernel, function, kernel and a wait: all of it."""
    report("kernel_function_kernel", compare(gather(devices, trip_yoke, cupy=trip_cupy), options.rounds, 20))


def sleep_yoke(selector):
    device = yoke.Device(selector)
    streams = [device.stream() for _ in range(STREAMS)]

    def wait():
        for each in streams:
            each.wait()

    return lambda count: [each.call(time.sleep, SLEEP) for each in streams], wait


def sleep_cupy():
    import cupy

    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(STREAMS)]

    def wait():
        for each in streams:
            each.synchronize()

    return lambda count: [each.launch_host_func(time.sleep, SLEEP) for each in streams], wait


def part_sleep(devices, options):
    """Streams whose functions sleep, all at once."""
    medians = compare(gather(devices, sleep_yoke, cupy=sleep_cupy), max(3, options.rounds // 4), 1, True)
    report(f"{STREAMS}_streams_sleep_10ms", {name: value / 1e3 for name, value in medians.items()}, "ms")


# ---- await ----

def threads():
    """Python's own, and all of the process."""
    return threading.active_count(), len(os.listdir("/proc/self/task"))


async def await_finished(device, rounds):
    stream = device.stream()
    event = stream.event()
    event.wait()
    times = []
    for _ in range(rounds + 3):
        begin = time.perf_counter_ns()
        for _ in range(GROUP):
            await event
        times.append((time.perf_counter_ns() - begin) / GROUP / 1e3)
    return statistics.median(times[3:])


async def await_many(device):
    """Awaits of as many events at once, behind a function that holds them: the threads that they add, and milliseconds from the
    function's end to the last await's."""
    stream, go, inside = device.stream(), threading.Event(), threading.Event()

    def hold():
        inside.set()
        go.wait()

    async def one(event):
        await event

    stream.call(hold)
    inside.wait()
    before = threads()
    tasks = [asyncio.create_task(one(stream.event())) for _ in range(AWAITS)]
    await asyncio.sleep(0)
    during = threads()
    assert not any(task.done() for task in tasks)
    begin = time.perf_counter()
    go.set()
    await asyncio.gather(*tasks)
    return during[0] - before[0], during[1] - before[1], (time.perf_counter() - begin) * 1e3


def part_await(devices, options):
    for name, selector in devices.items():
        device = yoke.Device(selector)
        show(f"await_finished.{name}", asyncio.run(await_finished(device, options.rounds)), "us")
        several = [asyncio.run(await_many(device)) for _ in range(3)]
        show(f"await_{AWAITS}.{name}.python_threads", max(each[0] for each in several), "threads_more")
        show(f"await_{AWAITS}.{name}.threads", max(each[1] for each in several), "threads_more")
        show(f"await_{AWAITS}.{name}.all_done", statistics.median(each[2] for each in several), "ms")


PARTS = {"launch": part_launch, "add": part_add, "start": part_start, "function": part_function, "sleep": part_sleep,
         "await": part_await}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40, help="batches of each figure")
    parser.add_argument("--processes", type=int, default=15, help="processes of each figure of `start`")
    parser.add_argument("--build", help="a build of the repository")
    parser.add_argument("--c-program", help="a C program, instead of the build's examples/vector_add")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; none: all")
    options = parser.parse_args()
    for name in options.parts:
        if name not in PARTS:
            parser.error(f"there is no part {name}; there are {', '.join(PARTS)}")
    print(f"# Python {sys.version.split()[0]}, NumPy {numpy.__version__}, yoke {yoke.__version__}, load {os.getloadavg()[0]:.2f}")
    devices = find_devices()
    for name, part in PARTS.items():
        if name in (options.parts or PARTS):
            part(devices, options)


if __name__ == "__main__":
    main()
