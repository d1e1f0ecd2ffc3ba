# SPDX-License-Identifier: Apache-2.0
"""An array of structs: the layout is checked, not guessed. The points are in page-locked memory."""
import numpy as np
import yoke

POINT = "typedef struct Point { float x; float y; } Point;\n"
device = yoke.Device()
stream = device.stream()
source = yoke.Source(
    cuda=POINT + """extern "C" __global__ void process(Point *points, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) { points[i].x *= 2.0f; points[i].y += 1.0f; } }""",
    opencl=POINT + """__kernel void process(__global Point *points, int n) {
    int i = get_global_id(0);
    if (i < n) { points[i].x *= 2.0f; points[i].y += 1.0f; } }""")
dtype = np.dtype([("x", np.float32), ("y", np.float32)])
device.check_struct(source, "Point", dtype)

points = device.pinned(1024, dtype)
points["x"], points["y"] = np.random.rand(1024), np.random.rand(1024)
expected = points.copy()
device.build(source)["process"][1024](stream, yoke.InOut(points), 1024)
stream.wait()
assert (points["x"] == expected["x"] * 2).all() and (points["y"] == expected["y"] + 1).all()
print("structs: right")
