# SPDX-License-Identifier: Apache-2.0
"""A CPU function in a stream, between two kernels: it sees what the first has written, and the second sees what it writes."""
import numpy as np
import yoke

stream = yoke.Device().stream()
twice = stream.device.build(
    cuda='extern "C" __global__ void twice(float *y, int n) {int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] *= 2;}',
    opencl='__kernel void twice(__global float *y, int n) {int i = get_global_id(0); if (i < n) y[i] *= 2;}')["twice"]

x, y = np.arange(1024, dtype=np.float32), np.empty(1024, np.float32)
d_y = stream.device.buffer(y.nbytes)
stream.write(d_y, x)
twice[1024](stream, d_y, 1024)
stream.read(y, d_y)


def cpu_bound_task():
    y[:] += 1  # in the stream's order


stream.call(cpu_bound_task)
stream.write(d_y, y)
twice[1024](stream, d_y, 1024)
result = np.empty_like(y)
stream.read(result, d_y)
stream.wait()
assert (result == (2 * x + 1) * 2).all()
print("host_function: right")
