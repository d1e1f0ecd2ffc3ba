# SPDX-License-Identifier: Apache-2.0
# Shared memory of a size that is a number outside the kernel.
import numpy as np
import yoke

BLOCK = 256


@yoke.kernel
def add_shared(x, y, out):
    s = yoke.shared(BLOCK, "float32")
    l, i = yoke.thread.x, yoke.grid(1)
    s[l] = x[i] + y[i] if i < out.size else 0
    yoke.barrier()
    if i < out.size:
        out[i] = s[l]


x, y, out = np.random.rand(1000).astype("float32"), np.random.rand(1000).astype("float32"), yoke.zeros(1000)
add_shared[4, BLOCK](yoke.default_stream(), yoke.asarray(x), yoke.asarray(y), out)
assert (out.to_numpy() == x + y).all()
print("shared memory: right")
