# SPDX-License-Identifier: Apache-2.0
# A device function called from a kernel; the result is read into page-locked memory.
import numpy
import yoke

stream = yoke.default_stream()
add_kernel = stream.device.build("""#include <yoke/kernel.h>
YOKE_FUNCTION float sum(float a, float b) { return a + b; }
YOKE_KERNEL void add(YOKE_GLOBAL const float *a, YOKE_GLOBAL const float *b, YOKE_GLOBAL float *c, int n) {
    int i = yoke_global_x();
    if (i < n) {
        c[i] = sum(a[i], b[i]);
    }
}""")["add"]


def add_vectors(a_h, b_h, n):
    c_d, c_h = stream.buffer(4 * n), stream.device.pinned(n, "float32")
    add_kernel[n](stream, yoke.In(a_h), yoke.In(b_h), c_d, n)
    stream.read(c_h, c_d)
    return c_h


a_h, b_h = numpy.random.randn(1024).astype(numpy.float32), numpy.random.randn(1024).astype(numpy.float32)
assert (add_vectors(a_h, b_h, 1024) == a_h + b_h).all()
print("device function: right")
