/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of an array in two launches: many blocks each write a partial sum, and one block adds the partial sums. reduce [N] */
#include "example.h"

enum { BLOCKS = 64, THREADS = 128 };

int main(int argc, char **argv)
{
    const int n = number(argc, argv, 1, 1000003, 1 << 28);
    const size_t size = (size_t)n * sizeof(float), shared = THREADS * sizeof(float);
    float *x = allocate(size), sum;
    double expected = 0;
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *dx, *parts, *whole;
    yoke_program *program;
    yoke_kernel *reduce;

    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 9 - 3); /* small numbers, so that no sum is rounded */
        expected += x[i];
    }
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(
        yoke_source_builtin("reduce", &source)); /* kernels/reduce.cu and .cl: each block folds its values in shared memory */
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "reduce_sum", &reduce));
    YOKE_CHECK(yoke_buffer_create(device, size, &dx));
    YOKE_CHECK(yoke_buffer_create(device, BLOCKS * sizeof(float), &parts));
    YOKE_CHECK(yoke_buffer_create(device, sizeof(float), &whole));

    YOKE_CHECK(yoke_write(stream, dx, 0, x, size));
    YOKE_CHECK(yoke_launch(stream, reduce, YOKE_DIM(BLOCKS), YOKE_DIM(THREADS), shared, YOKE_ARGS(dx, parts, n)));
    YOKE_CHECK(yoke_launch(stream, reduce, YOKE_DIM(1), YOKE_DIM(THREADS), shared, YOKE_ARGS(parts, whole, BLOCKS)));
    YOKE_CHECK(yoke_read(stream, &sum, whole, 0, sizeof sum));
    YOKE_CHECK(yoke_stream_wait(stream));
    printf("reduce: the sum of %d values is %.0f: %s\n", n, sum, sum == expected ? "right" : "wrong");

    yoke_buffer_release(whole);
    yoke_buffer_release(parts);
    yoke_buffer_release(dx);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(x);
    return sum != expected;
}
