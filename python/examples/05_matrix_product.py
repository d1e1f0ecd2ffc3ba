# SPDX-License-Identifier: Apache-2.0
# A matrix product with a grid of two dimensions, for matrices that are not square.
import numpy as np
import yoke

stream = yoke.default_stream()
multiply = stream.device.build("""#include <yoke/kernel.h>
YOKE_KERNEL void multiply(YOKE_GLOBAL const float *A, YOKE_GLOBAL const float *B, YOKE_GLOBAL float *C,
                    int heightA, int widthA, int widthB) {
  int row = yoke_global_y(), col = yoke_global_x();
  if (row < heightA && col < widthB) {
    float sum = 0;
    for (int k = 0; k < widthA; ++k) {
      sum += A[row * widthA + k] * B[k * widthB + col];
    }
    C[row * widthB + col] = sum;
  }
}""")["multiply"]
A, B = np.random.rand(100, 60).astype(np.float32), np.random.rand(60, 130).astype(np.float32)
C = np.zeros((100, 130), np.float32)
block, grid = (16, 16), ((130 + 15) // 16, (100 + 15) // 16)
multiply[grid, block](stream, yoke.In(A), yoke.In(B), yoke.Out(C), 100, 60, 130)
stream.wait()
assert np.allclose(C, A @ B, rtol=1e-5)
print("matrix product: right")
