# SPDX-License-Identifier: Apache-2.0
"""Arrays on the GPU, added."""
import yoke

x_gpu = yoke.arange(100000, dtype="float32")
y_gpu = yoke.arange(100000, dtype="float32")
z_gpu = x_gpu + y_gpu
z_cpu = z_gpu.to_numpy()
assert (z_cpu == 2 * x_gpu.to_numpy()).all()
print("array_add: right")
