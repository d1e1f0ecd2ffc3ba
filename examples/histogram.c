/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often each byte occurs: each block counts in shared memory, by atomic additions, and adds its counts to those of all at its
 * end. histogram [FILE], without which it counts in bytes of its own.
 */
#include <errno.h>
#include <string.h>

#include "example.h"

enum { BINS = 256, MOST = 1 << 24 };

#define BAR "####################################################################################################"
#define COUNT                                                 \
    "    for (int bin = thread; bin < 256; bin += threads)\n" \
    "        bins[bin] = 0;\n"                                \
    "    BARRIER;\n"                                          \
    "    for (int i = first; i < n; i += all)\n"              \
    "        ADD(&bins[bytes[i]], 1u);\n"                     \
    "    BARRIER;\n"                                          \
    "    for (int bin = thread; bin < 256; bin += threads)\n" \
    "        ADD(&counts[bin], bins[bin]);\n"                 \
    "}\n"

static const yoke_source source = {
    .name = "histogram",
    .cuda = "#define BARRIER __syncthreads()\n"
            "#define ADD atomicAdd\n"
            "extern \"C\" __global__ void histogram(const unsigned char *bytes, unsigned int *counts, int n)\n"
            "{\n"
            "    __shared__ unsigned int bins[256];\n"
            "    int thread = threadIdx.x, threads = blockDim.x;\n"
            "    int first = blockIdx.x * threads + thread, all = gridDim.x * threads;\n" COUNT,
    .opencl = "#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)\n"
              "#define ADD atomic_add\n"
              "__kernel void histogram(__global const unsigned char *bytes, __global unsigned int *counts, int n)\n"
              "{\n"
              "    __local unsigned int bins[256];\n"
              "    int thread = get_local_id(0), threads = get_local_size(0);\n"
              "    int first = get_global_id(0), all = get_global_size(0);\n" COUNT,
};

/* The file's bytes, or some that are small more often than large. */
static int fill(unsigned char *bytes, const char *path)
{
    size_t n = 300007;

    errno = 0;
    if (path) {
        FILE *file = fopen(path, "rb");
        n = file ? fread(bytes, 1, MOST, file) : 0;
        if (n == 0)
            fprintf(stderr, "%s: %s\n", path, errno ? strerror(errno) : "there is nothing in it"), exit(EXIT_FAILURE);
        fclose(file);
    } else
        for (size_t i = 0; i < n; i++)
            bytes[i] = (unsigned char)((i * i % 256) * (i % 256) / 256);
    return (int)n;
}

int main(int argc, char **argv)
{
    unsigned char *bytes = allocate(MOST);
    const int n = fill(bytes, argc > 1 ? argv[1] : NULL);
    unsigned int counts[BINS] = { 0 }, expected[BINS] = { 0 };
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *histogram;
    int most = 0;

    CHECK(yoke_device_open(NULL, &device));
    CHECK(yoke_stream_create(device, &stream));
    CHECK(yoke_program_build(device, &source, &program));
    CHECK(yoke_kernel_get(program, "histogram", &histogram));
    CHECK(yoke_launch(stream, histogram, YOKE_DIM(32), YOKE_DIM(128), 0,
                      YOKE_ARGS(yoke_in(bytes, (size_t)n), yoke_inout(counts, sizeof counts), n)));
    CHECK(yoke_stream_wait(stream));

    for (int i = 0; i < n; i++)
        expected[bytes[i]]++;
    for (int bin = 0; bin < BINS; bin++)
        most = counts[bin] > counts[most] ? bin : most;
    const int same = memcmp(counts, expected, sizeof counts) == 0;
    printf("histogram: of %d bytes %u are %d, which is the most: %s\n", n, counts[most], most, same ? "right" : "wrong");
    for (int bin = 0; bin < BINS; bin += 16) { /* bars for 16 bytes each */
        unsigned int sum = 0;
        for (int i = bin; i < bin + 16; i++)
            sum += counts[i];
        printf("%3d to %3d %8u %.*s\n", bin, bin + 15, sum, (int)(100ull * sum / (unsigned int)n), BAR);
    }
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(bytes);
    return !same;
}
