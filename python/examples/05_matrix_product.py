# SPDX-License-Identifier: Apache-2.0
# A matrix product with a grid of two dimensions, for matrices that are not square.
import numpy as np
import yoke


@yoke.kernel
def multiply(A, B, C):
    col, row = yoke.grid(2)
    if row < C.shape[0] and col < C.shape[1]:
        total = 0.0
        for k in range(A.shape[1]):
            total += A[row, k] * B[k, col]
        C[row, col] = total


A, B = np.random.rand(100, 60).astype(np.float32), np.random.rand(60, 130).astype(np.float32)
C = yoke.empty((100, 130))
block, grid = (16, 16), ((130 + 15) // 16, (100 + 15) // 16)
multiply[grid, block](yoke.default_stream(), yoke.asarray(A), yoke.asarray(B), C)
assert np.allclose(C.to_numpy(), A @ B, rtol=1e-5)
print("matrix product: right")
