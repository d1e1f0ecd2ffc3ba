# SPDX-License-Identifier: Apache-2.0
# Shared memory, as much as the block needs: its size is part of the launch, not of the kernel.
import numpy as np
import yoke

stream = yoke.default_stream()
add_shared = stream.device.build("""#include <yoke/kernel.h>
YOKE_KERNEL void add_shared(YOKE_GLOBAL const float *x, YOKE_GLOBAL const float *y, YOKE_GLOBAL float *out, int n
                            YOKE_AND_DYNAMIC_SHARED) {
  YOKE_SHARED_PTR float *s = yoke_dynamic_shared(float);
  int l = yoke_thread_x(), i = yoke_global_x();
  s[l] = i < n ? x[i] + y[i] : 0;
  yoke_barrier();
  if (i < n) out[i] = s[l];
}""")["add_shared"]
x, y, out = np.random.rand(1000).astype("float32"), np.random.rand(1000).astype("float32"), np.zeros(1000, "float32")
add_shared[4, 256, 4 * 256](stream, yoke.In(x), yoke.In(y), yoke.Out(out), 1000)
stream.wait()
assert (out == x + y).all()
print("shared memory: right")
