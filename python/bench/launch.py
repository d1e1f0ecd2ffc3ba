# SPDX-License-Identifier: Apache-2.0
"""Host time of a launch with 3 arguments, `name value unit` lines: Yoke, and PyOpenCL where it is installed.

The stream is behind a host function that has not returned, so that Yoke's own path is timed without the driver ("deferred"), and
free ("launch"). bench/overhead of the repository has the same in C.
"""

import threading
import time

import numpy

import yoke

TEXT = """__kernel void f(__global float *x, __global const float *y, float a) { if (get_global_id(0) == 0) x[0] = a + y[0]; }"""
CUDA = """extern "C" __global__ void f(float *x, const float *y, float a) { if (!blockIdx.x && !threadIdx.x) x[0] = a + y[0]; }"""


def best(call, wait, rounds=40, count=200):
    fastest = 1e9
    for _ in range(rounds):
        begin = time.perf_counter_ns()
        for _ in range(count):
            call()
        fastest = min(fastest, (time.perf_counter_ns() - begin) / count)
        wait()
    return fastest


def main():
    device = yoke.Device()
    stream = device.stream()
    x, y = device.buffer(64), device.buffer(64)
    launch = device.build(cuda=CUDA, opencl=TEXT)["f"][64, 1]
    print(f"launch {best(lambda: launch(stream, x, y, 2.0), stream.wait):.0f} ns")
    release = threading.Event()
    stream.call(release.wait)
    print(f"deferred {best(lambda: launch(stream, x, y, 2.0), lambda: None, 10):.0f} ns")
    release.set()
    stream.wait()
    try:
        import pyopencl
    except ImportError:
        return
    context = pyopencl.create_some_context(interactive=False)
    queue = pyopencl.CommandQueue(context)
    kernel = pyopencl.Kernel(pyopencl.Program(context, TEXT).build(), "f")
    p, q = (pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, 64) for _ in range(2))
    a = numpy.float32(2)
    print(f"pyopencl {best(lambda: kernel(queue, (64,), (1,), p, q, a), queue.finish):.0f} ns")


if __name__ == "__main__":
    main()
