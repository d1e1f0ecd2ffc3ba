# SPDX-License-Identifier: Apache-2.0
# A kernel of one's own, and copies of one's own.
import numpy as np
import yoke

stream = yoke.default_stream()
add = stream.device.build("""#include <yoke/kernel.h>
YOKE_KERNEL void add(YOKE_GLOBAL const float *x, YOKE_GLOBAL const float *y, YOKE_GLOBAL float *out, int n) {
  int i = yoke_global_x();
  if (i < n) {
    out[i] = x[i] + y[i];
  }
}""")["add"]
n = 1024
x, y, out = np.random.rand(n).astype("float32"), np.random.rand(n).astype("float32"), np.zeros(n, "float32")
x_gpu, y_gpu, out_gpu = [stream.device.buffer(out.nbytes) for _ in range(3)]
stream.write(x_gpu, x)
stream.write(y_gpu, y)
add[n](stream, x_gpu, y_gpu, out_gpu, n)
stream.read(out, out_gpu)
assert (out == x + y).all()
print("vector addition: right")
