/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A matrix product straight from host arrays: the launch takes the arrays directly, allocates device memory, and copies the
 * result back. host_arrays [WIDTH]
 *
 * A common mistake: memory that is freed only if nothing fails, and a check against the host that is commented out.
 */
#include <math.h>

#include "example.h"

int main(int argc, char **argv)
{
    const int width = number(argc, argv, 1, 160, 16384), blocks = (width + 63) / 64;
    const size_t w = (size_t)width, size = w * w * sizeof(float);
    float *a = allocate(size), *b = allocate(size), *c = allocate(size);
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *matmul;
    int wrong = 0;

    for (size_t i = 0; i < w * w; i++) {
        a[i] = (float)rand() / (float)RAND_MAX;
        b[i] = (float)rand() / (float)RAND_MAX;
    }
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_source_builtin("matmul",
                                   &source)); /* kernels/matmul.cu and .cl: blocks of 16 x 16 threads, for 64 x 64 elements each */
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "matmul_tiled", &matmul));
    YOKE_CHECK(yoke_launch(stream, matmul, YOKE_DIM(blocks, blocks), YOKE_DIM(16, 16), 0,
                           YOKE_ARGS(yoke_in(a, size), yoke_in(b, size), yoke_out(c, size), width, width, width)));
    YOKE_CHECK(yoke_stream_wait(stream));

    for (size_t row = 0; row < w; row++)
        for (size_t column = 0; column < w; column++) {
            double sum = 0;
            for (size_t i = 0; i < w; i++)
                sum += (double)a[row * w + i] * b[i * w + column];
            wrong += !(fabs(c[row * w + column] - sum) <= 1e-5 * sum);
        }
    printf("host_arrays: %d x %d elements of a product, %d wrong\n", width, width, wrong);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(c);
    free(b);
    free(a);
    return wrong != 0;
}
