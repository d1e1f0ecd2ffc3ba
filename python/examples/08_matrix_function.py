# SPDX-License-Identifier: Apache-2.0
# The matrix product as a function of NumPy arrays of any shape.
import numpy
import yoke

stream = yoke.default_stream()
matrixMultiply = stream.device.build("""#include <yoke/kernel.h>
YOKE_KERNEL void matrixMultiply(YOKE_GLOBAL const float *A, YOKE_GLOBAL const float *B, YOKE_GLOBAL float *C,
                    int heightA, int widthA, int widthB) {
  int row = yoke_global_y(), col = yoke_global_x();
  if (row < heightA && col < widthB) {
    float sum = 0;
    for (int k = 0; k < widthA; ++k) {
      sum += A[row * widthA + k] * B[k * widthB + col];
    }
    C[row * widthB + col] = sum;
  }
}""")["matrixMultiply"]


def multiplyMatrices(A_h, B_h):
    (heightA, widthA), widthB = A_h.shape, B_h.shape[1]
    C_h = numpy.empty((heightA, widthB), dtype=numpy.float32)
    grid = ((widthB + 15) // 16, (heightA + 15) // 16)
    matrixMultiply[grid, (16, 16)](stream, yoke.In(A_h), yoke.In(B_h), yoke.Out(C_h), heightA, widthA, widthB)
    stream.wait()
    return C_h


A_h = numpy.random.randn(64, 48).astype(numpy.float32)
B_h = numpy.random.randn(48, 80).astype(numpy.float32)
assert numpy.allclose(multiplyMatrices(A_h, B_h), A_h @ B_h, rtol=1e-4, atol=1e-5)
print("matrix product of NumPy arrays: right")
