/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Array arithmetic: one kernel for any expression of x and y, inserted when the kernel is compiled. The arrays are created on the
 * device and stay there from one expression to the next. arrays [N]
 *
 * A common mistake: one pass over memory for each operator; and a result that nothing compares.
 */
#include <math.h>

#include "example.h"

#define BODY                                \
    "    if (i < n) {\n"                    \
    "        float x = xs[i], y = ys[i];\n" \
    "        z[i] = EXPRESSION;\n"          \
    "    }\n"                               \
    "}\n"

static const char cuda[] = "extern \"C\" __global__ void evaluate(float *z, const float *xs, const float *ys, int n)\n"
                           "{\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" BODY;
static const char opencl[] =
    "__kernel void evaluate(__global float *z, __global const float *xs, __global const float *ys, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n" BODY;

/* z = expression, element by element; `expression` may also use the index i. x and y may be z itself. */
static void evaluate(yoke_stream *stream, yoke_buffer *z, const char *expression, yoke_buffer *x, yoke_buffer *y, int n)
{
    char define[128];
    yoke_source source = { .name = expression, .cuda = cuda, .opencl = opencl, .defines = (const char *[]){ define, NULL } };
    yoke_program *program;
    yoke_kernel *kernel;

    snprintf(define, sizeof define, "EXPRESSION=%s", expression);
    YOKE_CHECK(yoke_program_build(yoke_stream_get_device(stream), &source, &program)); /* from the cache after the first time */
    YOKE_CHECK(yoke_kernel_get(program, "evaluate", &kernel));
    YOKE_CHECK(yoke_launch_n(stream, kernel, (size_t)n, YOKE_ARGS(z, x, y, n)));
    yoke_program_release(program); /* the launch keeps it alive until it has run */
}

int main(int argc, char **argv)
{
    const int n = number(argc, argv, 1, 100000, 1 << 24); /* a float is exact up to here */
    const size_t size = (size_t)n * sizeof(float);
    float *host = allocate(2 * size), *z = host, *w = host + n;
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *dx, *dy, *dz, *dw;
    int wrong = 0;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_buffer_create(device, size, &dx));
    YOKE_CHECK(yoke_buffer_create(device, size, &dy));
    YOKE_CHECK(yoke_buffer_create(device, size, &dz));
    YOKE_CHECK(yoke_buffer_create(device, size, &dw));

    evaluate(stream, dx, "(float)i", dx, dx, n);
    evaluate(stream, dy, "(float)(i % 100)", dy, dy, n);
    evaluate(stream, dz, "x + y", dx, dy, n);
    evaluate(stream, dw, "sqrt(x * x + y * y) - 1.0f", dx, dy, n);
    YOKE_CHECK(yoke_read(stream, z, dz, 0, size));
    YOKE_CHECK(yoke_read(stream, w, dw, 0, size));
    YOKE_CHECK(yoke_stream_wait(stream));

    for (int i = 0; i < n; i++) {
        const double x = i, y = i % 100, expected = sqrt(x * x + y * y) - 1;
        wrong += z[i] != x + y || !(fabs(w[i] - expected) <= 1e-6 * (1 + x));
    }
    printf("arrays: %d elements of 2 expressions, %d wrong; the last are %.0f and %.3f\n", n, wrong, z[n - 1], w[n - 1]);
    yoke_buffer_release(dw);
    yoke_buffer_release(dz);
    yoke_buffer_release(dy);
    yoke_buffer_release(dx);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(host);
    return wrong != 0;
}
