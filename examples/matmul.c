/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The product of matrices of any shape, c = a b: a has m rows of k, b has k rows of n, c has m rows of n. matmul [M N K]
 *
 * A common mistake: summing over the number of a's rows, and using it as the stride of a, which is right for square matrices
 * only.
 */
#include <math.h>

#include "example.h"

#define BODY                                                   \
    "    if (row < m && column < n) {\n"                       \
    "        float sum = 0.0f;\n"                              \
    "        for (int i = 0; i < k; i++)\n"                    \
    "            sum += a[row * k + i] * b[i * n + column];\n" \
    "        c[row * n + column] = sum;\n"                     \
    "    }\n"                                                  \
    "}\n"

static const yoke_source source = {
    .name = "multiply",
    .cuda = "extern \"C\" __global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)\n"
            "{\n"
            "    int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n" BODY,
    .opencl = "__kernel void multiply(__global const float *a, __global const float *b, __global float *c, int m, int n, int k)\n"
              "{\n"
              "    int column = get_global_id(0);\n"
              "    int row = get_global_id(1);\n" BODY,
};

static float *random_matrix(int rows, int columns)
{
    const size_t count = (size_t)rows * (size_t)columns;
    float *matrix = allocate(count * sizeof *matrix);

    for (size_t i = 0; i < count; i++)
        matrix[i] = (float)rand() / (float)RAND_MAX;
    return matrix;
}

/* The largest relative difference from the host's product. */
static double worst(const float *a, const float *b, const float *c, int m, int n, int k)
{
    double most = 0;

    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++) {
            double sum = 0;
            for (int i = 0; i < k; i++)
                sum += (double)a[row * k + i] * b[i * n + column];
            most = fmax(most, fabs(c[row * n + column] - sum) / sum);
        }
    return most;
}

int main(int argc, char **argv)
{
    const int m = number(argc, argv, 1, 150, 8192), n = number(argc, argv, 2, 70, 8192), k = number(argc, argv, 3, 200, 8192);
    const size_t a_size = sizeof(float) * (size_t)(m * k), b_size = sizeof(float) * (size_t)(k * n),
                 c_size = sizeof(float) * (size_t)(m * n);
    float *a = random_matrix(m, k), *b = random_matrix(k, n), *c = allocate(c_size);
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *da, *db, *dc;
    yoke_program *program;
    yoke_kernel *multiply;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_buffer_create(device, a_size, &da));
    YOKE_CHECK(yoke_buffer_create(device, b_size, &db));
    YOKE_CHECK(yoke_buffer_create(device, c_size, &dc));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "multiply", &multiply));

    YOKE_CHECK(yoke_write(stream, da, 0, a, a_size));
    YOKE_CHECK(yoke_write(stream, db, 0, b, b_size));
    YOKE_CHECK(
        yoke_launch(stream, multiply, YOKE_DIM((n + 15) / 16, (m + 15) / 16), YOKE_DIM(16, 16), 0, YOKE_ARGS(da, db, dc, m, n, k)));
    YOKE_CHECK(yoke_read(stream, c, dc, 0, c_size));
    YOKE_CHECK(yoke_stream_wait(stream));

    const double error = worst(a, b, c, m, n, k);
    printf("matmul: %d x %d times %d x %d, off by %.1e at most: %s\n", m, k, k, n, error, error < 1e-4 ? "right" : "wrong");

    yoke_program_release(program);
    yoke_buffer_release(dc);
    yoke_buffer_release(db);
    yoke_buffer_release(da);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(c);
    free(b);
    free(a);
    return !(error < 1e-4);
}
