# SPDX-License-Identifier: Apache-2.0
# A matrix product, with a fallback to the CPU where there is no device or the GPU fails.
import numpy as np
import yoke

width = 256
A = np.random.rand(width, width).astype(np.float32)
B = np.random.rand(width, width).astype(np.float32)
C = np.zeros((width, width), dtype=np.float32)
try:
    stream = yoke.default_stream()
    matrixMul = stream.device.build("""#include <yoke/kernel.h>
YOKE_KERNEL void matrixMul(YOKE_GLOBAL const float *A, YOKE_GLOBAL const float *B, YOKE_GLOBAL float *C,
                    int heightA, int widthA, int widthB) {
  int row = yoke_global_y(), col = yoke_global_x();
  if (row < heightA && col < widthB) {
    float sum = 0;
    for (int k = 0; k < widthA; ++k) {
      sum += A[row * widthA + k] * B[k * widthB + col];
    }
    C[row * widthB + col] = sum;
  }
}""")["matrixMul"]
    matrixMul[((width + 15) // 16, (width + 15) // 16), (16, 16)](
        stream, yoke.In(A), yoke.In(B), yoke.Out(C), width, width, width)
    stream.wait()
except yoke.Error as error:
    print(f"on the CPU: {error}")
    C = A @ B
assert np.allclose(C, A @ B, rtol=1e-4)
print("matrix product with a fallback: right")
