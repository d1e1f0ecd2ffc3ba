# SPDX-License-Identifier: Apache-2.0
"""A matrix product with a grid of two dimensions, for matrices that are not square."""
import numpy as np
import yoke

BODY = """ {
  int row = ROW, col = COL;
  if (row < heightA && col < widthB) {
    float sum = 0;
    for (int k = 0; k < widthA; ++k) sum += A[row * widthA + k] * B[k * widthB + col];
    C[row * widthB + col] = sum;
  }
}"""
stream = yoke.default_stream()
multiply = stream.device.build(yoke.Source(
    cuda='extern "C" __global__ void multiply(const float *A, const float *B, float *C, int heightA, int widthA, int widthB)'
    + BODY.replace("ROW", "blockIdx.y * blockDim.y + threadIdx.y").replace("COL", "blockIdx.x * blockDim.x + threadIdx.x"),
    opencl="__kernel void multiply(__global const float *A, __global const float *B, __global float *C, int heightA, int widthA, "
    "int widthB)" + BODY.replace("ROW", "get_global_id(1)").replace("COL", "get_global_id(0)")))["multiply"]

A, B = np.random.rand(100, 60).astype(np.float32), np.random.rand(60, 130).astype(np.float32)
C = np.zeros((100, 130), np.float32)
multiply[((130 + 15) // 16, (100 + 15) // 16), (16, 16)](stream, yoke.In(A), yoke.In(B), yoke.Out(C), 100, 60, 130)
stream.wait()
assert np.allclose(C, A @ B, rtol=1e-5)
print("matmul: right")
