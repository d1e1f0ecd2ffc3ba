# SPDX-License-Identifier: Apache-2.0
# An array of structs: the layout is checked, not guessed. The points are in page-locked memory.
import numpy
import yoke

device = yoke.Device()
source = yoke.Source("""#include <yoke/kernel.h>
typedef struct Point {
    float x;
    float y;
} Point;
YOKE_KERNEL void processPoints(YOKE_GLOBAL Point *points, int n) {
    int i = yoke_global_x();
    if (i < n) {
        points[i].x *= 2.0f;
        points[i].y += 1.0f;
    }
}""")
dtype = numpy.dtype([("x", numpy.float32), ("y", numpy.float32)])
device.check_struct(source, "Point", dtype)
processPoints = device.build(source)["processPoints"]
points = device.pinned(1024, dtype)
points["x"], points["y"] = numpy.random.rand(1024), numpy.random.rand(1024)
before, stream = points.copy(), device.stream()
processPoints[1024](stream, yoke.InOut(points), 1024)
stream.wait()
assert (points["x"] == before["x"] * 2).all() and (points["y"] == before["y"] + 1).all()
print("structs: right")
