/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared memory: each output is the mean of the 2 r + 1 inputs around it. A block loads its inputs once into shared memory, whose
 * size the launch sets. shared_memory [N R]
 *
 * A common mistake: sharing values that no other thread reads, in arrays of a fixed size of 256 that a larger block overruns.
 */
#include <math.h>

#include "example.h"

/* The window is a block of inputs and r more on either side, padded with zeros beyond the ends. The barrier is outside any branch:
 * every thread of the block must reach it. */
#define LOAD                                                          \
    "    for (int j = thread; j < threads + 2 * r; j += threads) {\n" \
    "        int from = first - r + j;\n"                             \
    "        window[j] = from >= 0 && from < n ? in[from] : 0.0f;\n"  \
    "    }\n"
#define SUM                                                     \
    "    if (first + thread < n) {\n"                           \
    "        float sum = 0.0f;\n"                               \
    "        for (int j = 0; j <= 2 * r; j++)\n"                \
    "            sum += window[thread + j];\n"                  \
    "        out[first + thread] = sum / (float)(2 * r + 1);\n" \
    "    }\n"                                                   \
    "}\n"

static const yoke_source source = {
    .name = "smooth",
    .cuda = "extern \"C\" __global__ void smooth(const float *in, float *out, int n, int r)\n"
            "{\n"
            "    extern __shared__ float window[];\n"
            "    int thread = threadIdx.x, threads = blockDim.x, first = blockIdx.x * threads;\n" LOAD "    __syncthreads();\n" SUM,
    .opencl = "__kernel void smooth(__global const float *in, __global float *out, int n, int r, __local float *window)\n"
              "{\n"
              "    int thread = get_local_id(0), threads = get_local_size(0), first = get_group_id(0) * threads;\n" LOAD
              "    barrier(CLK_LOCAL_MEM_FENCE);\n" SUM,
};

/* Returns how many results are not the mean of the inputs around them. */
static int check(const float *in, const float *out, int n, int r)
{
    int wrong = 0;

    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = i - r; j <= i + r; j++)
            sum += j >= 0 && j < n ? in[j] : 0;
        wrong += !(fabs(out[i] - sum / (2 * r + 1)) < 1e-5);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    const int n = number(argc, argv, 1, 100003, 1 << 28), r = number(argc, argv, 2, 20, 1000);
    const int threads = 128;
    const size_t size = (size_t)n * sizeof(float);
    const size_t shared = (size_t)(threads + 2 * r) * sizeof(float);
    float *in = allocate(size), *out = allocate(size);
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *smooth;

    for (int i = 0; i < n; i++)
        in[i] = (float)(i % 100) / 100;
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "smooth", &smooth));
    YOKE_CHECK(yoke_launch(stream, smooth, YOKE_DIM((n + threads - 1) / threads), YOKE_DIM(threads), shared,
                           YOKE_ARGS(yoke_in(in, size), yoke_out(out, size), n, r)));
    YOKE_CHECK(yoke_stream_wait(stream));

    const int wrong = check(in, out, n, r);
    printf("shared_memory: %d means of %d values, %zu bytes shared by a block, %d wrong\n", n, 2 * r + 1, shared, wrong);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(out);
    free(in);
    return wrong != 0;
}
