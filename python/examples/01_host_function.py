# SPDX-License-Identifier: Apache-2.0
# A CPU function in a stream, between two kernels: it sees what the first has written, and the second sees what it writes.
import numpy as np
import yoke


@yoke.kernel
def double(x, y):
    idx = yoke.grid(1)
    if idx < x.size:
        y[idx] = x[idx] * 2


def cpu_bound_task():
    y[:] += 1


stream = yoke.default_stream()
x = np.arange(1024, dtype=np.float32)
y, z = np.empty_like(x), np.empty_like(x)
double[1024](stream, yoke.In(x), yoke.Out(y))
stream.call(cpu_bound_task)  # starts when the kernel and the copy before it are done
double[1024](stream, yoke.In(y), yoke.Out(z))
stream.wait()
assert (z == (2 * x + 1) * 2).all()
print("host function between two kernels: right")
