# SPDX-License-Identifier: Apache-2.0
# A kernel from a file, compiled when the program runs.
import yoke

stream = yoke.default_stream()
addVectors = stream.device.build(text_file=__file__[:-3] + ".yk")["addVectors"]
x_gpu, y_gpu = yoke.asarray([1.0, 2, 3, 4, 5]), yoke.asarray([6.0, 7, 8, 9, 10])
z_gpu = yoke.empty_like(x_gpu)
addVectors[x_gpu.size](stream, x_gpu, y_gpu, z_gpu, x_gpu.size)
assert z_gpu.tolist() == [7, 9, 11, 13, 15]
print("kernel from a file: right")
