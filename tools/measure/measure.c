/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of all sides, times, and running two sides by turns: see measure.h. */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* One thread writes all of it, so that nothing depends on scheduling. */
const yoke_source measure_touch = {
    .size = sizeof(yoke_source),
    .name = "touch",
    .cuda = "extern \"C\" __global__ void touch(float *x, float a, int n)\n"
            "{\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < n)\n"
            "        x[i] = a;\n"
            "}\n",
    .opencl = "__kernel void touch(__global float *x, float a, int n)\n"
              "{\n"
              "    int i = get_global_id(0);\n"
              "    if (i < n)\n"
              "        x[i] = a;\n"
              "}\n",
};

const yoke_source measure_spin = {
    .size = sizeof(yoke_source),
    .name = "spin",
    .cuda = "extern \"C\" __global__ void spin(unsigned *x, unsigned long long n)\n"
            "{ unsigned a = x[0]; for (unsigned long long i = 0; i < n; i++) { a = a * 1664525u + 1013904223u; a ^= a >> 16; } "
            "x[0] = a; }",
    .opencl = "__kernel void spin(__global uint *x, ulong n)\n"
              "{ uint a = x[0]; for (ulong i = 0; i < n; i++) { a = a * 1664525u + 1013904223u; a ^= a >> 16; } x[0] = a; }",
};

/* ---- Times ---- */

double measure_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

measure_times measure_by_turns(const measure_pair *pair, size_t least, size_t most, double nanoseconds)
{
    const measure_batch *raw = &pair->batch[MEASURE_RAW], *yoke = &pair->batch[MEASURE_YOKE];
    double *raws = calloc(3 * most, sizeof *raws), *yokes = raws + most, *ratios = yokes + most;
    if (!raws)
        measure_fail("times", "out of memory");
    double began = measure_now();
    size_t i;
    for (int warm = 0; warm < 2; warm++) {
        if (raw->self)
            raw->run(raw);
        yoke->run(yoke);
    }
    for (i = 0; i < most && (i < least || measure_now() - began < nanoseconds); i++) {
        bool yoke_first = i % 2;
        if (yoke_first)
            yokes[i] = yoke->run(yoke);
        raws[i] = raw->self ? raw->run(raw) : 0;
        if (!yoke_first)
            yokes[i] = yoke->run(yoke);
        ratios[i] = raws[i] > 0 ? yokes[i] / raws[i] : 0;
    }
    return (measure_times){ raws, yokes, i, raw->self ? measure_median(ratios, i) : 0 };
}

uint64_t measure_rounds(const measure_batch *batch, double nanoseconds)
{
    const measure_side *side = batch->side;
    uint64_t rounds = 1000;
    double time = 0;
    side->enter(batch->self);
    for (; time < nanoseconds; rounds *= 2) {
        double start = measure_now();
        side->spin(batch->self, rounds);
        side->wait(batch->self, 0);
        time = measure_now() - start;
    }
    side->leave(batch->self);
    return (uint64_t)((double)rounds / 2 * nanoseconds / time);
}

_Noreturn void measure_fail(const char *what, const char *why)
{
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}
