/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector addition in all its steps: a kernel from source, device memory, copies, a launch, the result. vector_add [N]
 *
 * A common mistake: widths of arguments written by hand, calls whose status nobody checks, and a result that is compared with
 * nothing.
 */
#include "example.h"

static const yoke_source source = {
    .name = "add",
    .cuda = "extern \"C\" __global__ void add(const float *x, const float *y, float *out, int n)\n"
            "{\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < n)\n"
            "        out[i] = x[i] + y[i];\n"
            "}\n",
    .opencl = "__kernel void add(__global const float *x, __global const float *y, __global float *out, int n)\n"
              "{\n"
              "    int i = get_global_id(0);\n"
              "    if (i < n)\n"
              "        out[i] = x[i] + y[i];\n"
              "}\n",
};

int main(int argc, char **argv)
{
    const int n = number(argc, argv, 1, 1000003, 1 << 28);
    const size_t size = (size_t)n * sizeof(float);
    float *x = allocate(size), *y = allocate(size), *out = allocate(size);
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *dx, *dy, *dout;
    yoke_program *program;
    yoke_kernel *add;
    int wrong = 0;

    for (int i = 0; i < n; i++) {
        x[i] = (float)i / 3;
        y[i] = 1 / (float)(i + 1);
    }
    YOKE_CHECK(yoke_device_open(NULL, &device)); /* the device that the environment names, else the best one */
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_buffer_create(device, size, &dx));
    YOKE_CHECK(yoke_buffer_create(device, size, &dy));
    YOKE_CHECK(yoke_buffer_create(device, size, &dout));
    YOKE_CHECK(
        yoke_program_build(device, &source, &program)); /* if it does not compile, yoke_program_get_build_log() has the whole log */
    YOKE_CHECK(yoke_kernel_get(program, "add", &add));

    /* Each of these calls returns at once; the stream runs the operations one after the other. */
    YOKE_CHECK(yoke_write(stream, dx, 0, x, size));
    YOKE_CHECK(yoke_write(stream, dy, 0, y, size));
    YOKE_CHECK(yoke_launch_n(stream, add, (size_t)n, YOKE_ARGS(dx, dy, dout, n)));
    YOKE_CHECK(yoke_read(stream, out, dout, 0, size));
    YOKE_CHECK(yoke_stream_wait(stream));

    for (int i = 0; i < n; i++)
        wrong += out[i] != x[i] + y[i];
    printf("vector_add: %d sums, %d of them wrong; the last is %.6g\n", n, wrong, out[n - 1]);

    yoke_program_release(program);
    yoke_buffer_release(dout);
    yoke_buffer_release(dy);
    yoke_buffer_release(dx);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(out);
    free(y);
    free(x);
    return wrong != 0;
}
