# SPDX-License-Identifier: Apache-2.0
# A kernel of one's own, which is a Python function.
import numpy as np
import yoke


@yoke.kernel
def add(x, y, out):
    i = yoke.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


n = 1024
x, y = np.random.rand(n).astype("float32"), np.random.rand(n).astype("float32")
x_gpu, y_gpu, out_gpu = yoke.asarray(x), yoke.asarray(y), yoke.empty(n)
add[n](yoke.default_stream(), x_gpu, y_gpu, out_gpu)
assert (out_gpu.to_numpy() == x + y).all()
print("vector addition: right")
