# SPDX-License-Identifier: Apache-2.0
# A CPU function in a stream, between two kernels: it sees what the first has written, and the second sees what it writes.
import numpy as np
import yoke

stream = yoke.default_stream()
double = stream.device.build("""#include <yoke/kernel.h>
YOKE_KERNEL void twice(YOKE_GLOBAL const float *x, YOKE_GLOBAL float *y, int n) {
    int idx = yoke_global_x();
    if (idx < n) y[idx] = x[idx] * 2;
}""")["twice"]


def cpu_bound_task():
    y[:] += 1


x = np.arange(1024, dtype=np.float32)
y, z = np.empty_like(x), np.empty_like(x)
double[1024](stream, yoke.In(x), yoke.Out(y), 1024)
stream.call(cpu_bound_task)  # starts when the kernel and the copy before it are done
double[1024](stream, yoke.In(y), yoke.Out(z), 1024)
stream.wait()
assert (z == (2 * x + 1) * 2).all()
print("host function between two kernels: right")
