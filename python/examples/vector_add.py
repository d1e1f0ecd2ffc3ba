# SPDX-License-Identifier: Apache-2.0
"""Host arrays in and out of a kernel."""
import numpy as np
import yoke

stream = yoke.default_stream()
add = stream.device.build(cuda="""
extern "C" __global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}""", opencl="""
__kernel void add(__global const float *x, __global const float *y, __global float *out, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = x[i] + y[i];
}""")["add"]

n = 1024
x, y = (np.random.rand(n).astype(np.float32) for _ in range(2))
out = np.zeros(n, np.float32)
add[n](stream, yoke.In(x), yoke.In(y), yoke.Out(out), n)
stream.wait()
assert (out == x + y).all()
print("vector_add: right")
