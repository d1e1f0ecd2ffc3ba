# SPDX-License-Identifier: Apache-2.0
# CPU work beside the GPU's: an own thread computes while the kernel runs, and takes nothing from the stream.
import threading
import numpy as np
import yoke

stream = yoke.default_stream()
gpu_kernel = stream.device.build("""#include <yoke/kernel.h>
YOKE_KERNEL void gpu_kernel(YOKE_GLOBAL const float *x, YOKE_GLOBAL float *y, int n) {
    int idx = yoke_global_x();
    if (idx < n) y[idx] = x[idx] * 2;
}""")["gpu_kernel"]
x = np.arange(1024, dtype=np.float32)
d_x, d_y = yoke.asarray(x), yoke.empty(1024)
sums = []
gpu_kernel[1024](stream, d_x, d_y, 1024)
t = threading.Thread(target=lambda: sums.append(sum(range(1000000))))
t.start()
y = d_y.to_numpy()
t.join()
assert (y == 2 * x).all() and sums == [499999500000]
print("a thread beside the GPU: right")
