# SPDX-License-Identifier: Apache-2.0
"""
Kernels written in Python beside the same kernels in CUDA C++ or OpenCL C, and beside Numba's on CUDA where Numba is installed:
lines "name value unit". Each runs on the same memory by turns, timed by the device's events; figures are medians, and ".ratio"
is of the kernel in Python to the other. Both results must agree.

Usage: kernels.py [--rounds N] [--scale S] [KERNEL...]
--scale: how large the problems are; 1 is for a large GPU, and the default there. YOKE_BACKEND and YOKE_DEVICE choose the device.
"""

import argparse
import inspect
import math
import re
import statistics
import subprocess
import sys
import time

import numpy
import yoke

import kernel_twins as twins

BLOCK, TILE = twins.BLOCK, twins.TILE
GROUPS = 1024  # of the kernels that stride


def problems(scale):
    """{name: (grid, block, arrays, other arguments, other arguments of the text)}; the first arrays are results."""
    random = numpy.random.default_rng(1)

    def floats(*shape, low=0.0, high=1.0):
        return random.uniform(low, high, shape).astype(numpy.float32)

    n = int(2**24 * scale) // BLOCK * BLOCK
    side = int(2048 * math.sqrt(scale)) // TILE * TILE
    bodies = int(16384 * scale) // BLOCK * BLOCK
    cube = int(256 * scale ** (1 / 3)) // TILE * TILE
    small, bins, tile = numpy.zeros(GROUPS, numpy.float32), numpy.zeros(twins.BINS, numpy.int32), (TILE, TILE)
    square, planes = (side // TILE, side // TILE), (cube // TILE, cube // TILE)
    return {
        "saxpy": (n // BLOCK, BLOCK, [floats(n), floats(n)], [2.0], [2.0, n]),
        "product": (square, tile, [floats(side, side) * 0, floats(side, side), floats(side, side)], [], [side]),
        "reduction": (GROUPS, BLOCK, [small, floats(n)], [], [n]),
        "histogram": (GROUPS, BLOCK, [bins, random.integers(0, twins.BINS, n, numpy.int32)], [], [n]),
        "stencil": (square, tile, [floats(side, side) * 0, floats(side, side)], [], [side]),
        "nbody": (bodies // BLOCK, BLOCK, [floats(bodies, 3) * 0, floats(bodies, 4)], [], [bodies]),
        "mandelbrot": (square, tile, [numpy.zeros((side, side), numpy.int32)], [256], [256, side, side]),
        "black_scholes": (n // BLOCK, BLOCK, [floats(n) * 0, floats(n) * 0, floats(n, low=5, high=30), floats(n, low=1, high=100),
                                              floats(n, low=0.25, high=10)], [0.02, 0.3], [0.02, 0.3, n]),
        "scan": (n // BLOCK, BLOCK, [numpy.zeros(n, numpy.int32), random.integers(0, 9, n, numpy.int32)], [], []),
        "heat": (planes, tile, [floats(cube, cube, cube) * 0, floats(cube, cube, cube)], [0.1], [0.1, cube]),
    }


def show(name, value, unit):
    print(f"{name} {value:.4g} {unit}", flush=True)


def by_yoke(stream, kernel, grid, block, arrays, others):
    """(run, wait): `run` enqueues the kernel and returns a function that gives its milliseconds."""
    launch = kernel[grid, block]

    def run():
        begin = stream.event(timed=True)
        launch(stream, *arrays, *others)
        end = stream.event(timed=True)
        return lambda: end.elapsed(begin) * 1e3

    return run, stream.wait


NAMES = {
    "yoke.grid": "cuda.grid",  # gridsize, too
    "yoke.shared(": "cuda.shared.array(",
    "yoke.barrier": "cuda.syncthreads",
    "yoke.thread.": "cuda.threadIdx.",
    "yoke.block.": "cuda.blockIdx.",
    "yoke.atomic.": "cuda.atomic.",
    '"float32"': "float32",
    '"int32"': "int32",
}


def in_numba(function):
    """The same function under Numba's names."""
    text = inspect.getsource(function)
    text = text[text.index("def "):]
    for mine, theirs in NAMES.items():
        text = text.replace(mine, theirs)
    text = re.sub(r"\btotal = 0\b", "total = float32(0)", text)  # Numba would take float64
    return text


def by_numba(cuda, name, function, grid, block, arrays, others):
    import numba

    names = {"cuda": cuda, "math": math, "float32": numba.float32, "int32": numba.int32, "TILE": TILE, "BINS": twins.BINS,
             "BLOCK": BLOCK}
    exec(in_numba(twins.normal.function), names)
    names["normal"] = cuda.jit(device=True)(names["normal"])
    exec(in_numba(function.function), names)
    kernel = cuda.jit(fastmath=False)(names[name])
    theirs = [cuda.to_device(array) for array in arrays]
    others = [numpy.float32(each) if isinstance(each, float) else each for each in others]

    def run():
        begin, end = cuda.event(), cuda.event()
        begin.record()
        kernel[grid, block](*theirs, *others)
        end.record()

        def milliseconds():
            end.synchronize()
            return cuda.event_elapsed_time(begin, end)

        return milliseconds

    return run, cuda.synchronize


def host_time(run, wait, count=200):
    """Microseconds of a call of `run` without its events' reading."""
    times = []
    for _ in range(30):
        begin = time.perf_counter()
        for _ in range(count):
            run()
        times.append((time.perf_counter() - begin) / count * 1e6)
        wait()
    return statistics.median(times)


def compare(name, sides, rounds):
    times = {side: [] for side in sides}
    for turn in range(rounds + 3):
        for side, (run, wait) in sides.items():
            milliseconds = run()
            wait()
            if turn >= 3:
                times[side].append(milliseconds())
    medians = {side: statistics.median(each) for side, each in times.items()}
    for side, value in medians.items():
        show(f"{name}.{side}", value, "ms")
    for side, value in medians.items():
        if side != "python":
            show(f"{name}.ratio", medians["python"] / value, f"of_{side}")


def check(name, mine, others):
    """Whether the results agree: of floats up to what another order of fused operations changes."""
    if mine.dtype.kind == "i":
        wrong = numpy.count_nonzero(mine != others)
        good = wrong <= (mine.size // 1000 if name == "mandelbrot" else 0)  # at its edge, a last bit decides
    else:
        good = numpy.allclose(mine, others, rtol=1e-3, atol=1e-4)
    if not good:
        sys.exit(f"{name}: the kernel in Python and the other disagree")


def first_launch(side):
    """Milliseconds from a text, or a function, to the end of its first launch, in a process that has opened a device."""
    device = yoke.Device()
    stream = device.stream()
    x, y = (yoke.ones(1000, stream=stream) for _ in range(2))
    stream.wait()
    begin = time.perf_counter()
    if side == "python":
        twins.saxpy[1000](stream, y, x, 2.0)
    else:
        text = twins.TEXT[:twins.TEXT.index("KERNEL void product")]
        device.build(cuda=twins.CUDA + text, opencl=twins.OPENCL + text)["saxpy"][1000](stream, y, x, 2.0, 1000)
    stream.wait()
    return (time.perf_counter() - begin) * 1e3


def compare_first(rounds=7):
    """The same from a warm cache, each time in a process of its own."""
    times = {"python": [], "text": []}
    for turn in range(rounds + 1):
        for side, each in times.items():
            said = subprocess.run([sys.executable, __file__, "--first", side], check=True, capture_output=True, text=True).stdout
            if turn > 0:
                each.append(float(said))
    medians = {side: statistics.median(each) for side, each in times.items()}
    for side, value in medians.items():
        show(f"first.{side}", value, "ms")
    show("first.above", medians["python"] - medians["text"], "ms_of_text")


def find_numba(device):
    if device.backend != "cuda":
        return None
    try:
        if not hasattr(numpy, "row_stack"):
            numpy.row_stack = numpy.vstack  # NumPy 2.5 has no second name for it, which Numba 0.62 asks for
        from numba import cuda

        return cuda if cuda.is_available() else None
    except ImportError:
        return None


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--scale", type=float)
    arguments.add_argument("kernels", nargs="*")
    arguments.add_argument("--first", choices=("python", "text"), help=argparse.SUPPRESS)
    chosen = arguments.parse_args()
    if chosen.first:
        print(first_launch(chosen.first))
        return
    device = yoke.Device()
    stream = device.stream(timed=True)
    scale = chosen.scale or (1 if "NVIDIA" in device.name.upper() else 1 / 64)
    program = device.build(cuda=twins.CUDA + twins.TEXT, opencl=twins.OPENCL + twins.TEXT)
    numba = find_numba(device)
    print(f"# {device}")
    for name, (grid, block, arrays, others, texts) in problems(scale).items():
        if chosen.kernels and name not in chosen.kernels:
            continue
        function, results = getattr(twins, name), []
        sides = {}
        for side, kernel, more in (("python", function, others), ("text", program[name], texts)):
            own = [yoke.asarray(array, stream=stream) for array in arrays]
            results.append(own[0])
            sides[side] = by_yoke(stream, kernel, grid, block, own, more)
            sides[side][0]()  # compiled, and run once
            stream.wait()
        mine = results[0].to_numpy()
        check(name, mine, results[1].to_numpy())
        if numba:
            try:
                sides["numba"] = by_numba(numba, name, function, grid, block, arrays, others)
                sides["numba"][0]()
                sides["numba"][1]()
            except Exception as error:
                sides.pop("numba", None)
                print(f"# {name} is left out for Numba: {type(error).__name__}: {str(error).splitlines()[0]}")
        compare(name, sides, chosen.rounds)
        if name == "saxpy":
            for side, (run, wait) in sides.items():
                show(f"launch.{side}", host_time(run, wait), "us_with_two_events")
            compare_first()


if __name__ == "__main__":
    main()
