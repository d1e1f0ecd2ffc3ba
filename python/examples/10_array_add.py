# SPDX-License-Identifier: Apache-2.0
# Arrays on the GPU, added.
import yoke

x_gpu, y_gpu = yoke.arange(100000, dtype="float32"), yoke.arange(100000, dtype="float32")
z_cpu = (x_gpu + y_gpu).to_numpy()
assert (z_cpu == 2 * x_gpu.to_numpy()).all()
print("arrays added: right")
