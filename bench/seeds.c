/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs with arrays that people begin with, from the first line that touches the device to the result: products of matrices,
 * a blurred picture, arithmetic. Those of "host" begin and end with pageable arrays of the host. bench/seeds_cupy.py runs this
 * program, and the same by CuPy, by turns. Results are checked before anything is measured.
 *
 * --part NAME measures only those whose names begin so. On CPUs large matrices and pictures have 1024 rows instead of 4096, and
 * the simple kernel, which takes seconds there, is left out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/ops.h>

#include "bench.h"

enum { SIDE = 1024, BLOCK = 16, COUNT = 100000 };

typedef struct work {
    yoke_device *device;
    yoke_stream *stream;
    yoke_kernel *naive; /* NULL: left out */
    int64_t large;      /* rows and columns of what is large */
    float *host[3];     /* as large */
    yoke_array a, b, c; /* on the device, as large */
} work;

/* The kernel that everybody writes first: a thread for each element. */
static const yoke_source naive_source = {
    .size = sizeof(yoke_source),
    .name = "multiply",
    .text = "#include <yoke/kernel.h>\n"
            "YOKE_KERNEL void multiply(YOKE_GLOBAL const float *a, YOKE_GLOBAL const float *b, YOKE_GLOBAL float *c, int width)\n"
            "{\n"
            "    int column = yoke_global_x(), row = yoke_global_y();\n"
            "    if (row < width && column < width) {\n"
            "        float sum = 0;\n"
            "        for (int k = 0; k < width; k++)\n"
            "            sum += a[row * width + k] * b[k * width + column];\n"
            "        c[row * width + column] = sum;\n"
            "    }\n"
            "}\n",
};

static yoke_array make(const work *w, int64_t side)
{
    yoke_array array;
    measure_must(yoke_array_create(w->device, YOKE_F32, 2, (const int64_t[]){ side, side }, &array));
    return array;
}

static void product(work *w)
{
    measure_must(yoke_matmul(w->stream, &w->c, &w->a, &w->b, NULL));
    measure_must(yoke_stream_wait(w->stream));
}

/* From and to host arrays of 1024 x 1024; the kernel is Yoke's, or the simple one. */
static void multiply_host(work *w, bool simple)
{
    yoke_array a = make(w, SIDE), b = make(w, SIDE), c = make(w, SIDE);
    measure_must(yoke_write_array(w->stream, &a, w->host[0]));
    measure_must(yoke_write_array(w->stream, &b, w->host[1]));
    if (simple)
        measure_must(yoke_launch(w->stream, w->naive, YOKE_DIM(SIDE / BLOCK, SIDE / BLOCK), YOKE_DIM(BLOCK, BLOCK), 0,
                                 YOKE_ARGS(a.buffer, b.buffer, c.buffer, (int32_t)SIDE)));
    else
        measure_must(yoke_matmul(w->stream, &c, &a, &b, NULL));
    measure_must(yoke_read_array(w->stream, w->host[2], &c));
    measure_must(yoke_stream_wait(w->stream));
    yoke_buffer_release(c.buffer);
    yoke_buffer_release(b.buffer);
    yoke_buffer_release(a.buffer);
}

static void product_host(work *w)
{
    multiply_host(w, false);
}

static void product_naive_host(work *w)
{
    multiply_host(w, true);
}

static void gaussian(work *w)
{
    measure_must(yoke_gaussian_filter(w->stream, &w->c, &w->a, (const double[]){ 3, 3 }, YOKE_AXES(0, 1), NULL));
    measure_must(yoke_stream_wait(w->stream));
}

static void gaussian_host(work *w)
{
    yoke_array in = make(w, w->large), out = make(w, w->large);
    measure_must(yoke_write_array(w->stream, &in, w->host[0]));
    measure_must(yoke_gaussian_filter(w->stream, &out, &in, (const double[]){ 3, 3 }, YOKE_AXES(0, 1), NULL));
    measure_must(yoke_read_array(w->stream, w->host[2], &out));
    measure_must(yoke_stream_wait(w->stream));
    yoke_buffer_release(out.buffer);
    yoke_buffer_release(in.buffer);
}

static void arithmetic(work *w)
{
    yoke_array a = w->a, b = w->b, c = w->c;
    measure_must(yoke_map(w->stream, "c = 2 * a + b", YOKE_VARS(a, b, c)));
    measure_must(yoke_stream_wait(w->stream));
}

/* Two ranges of numbers, made on the device, and their sum, read by the host. */
static void ranges_host(work *w)
{
    yoke_array x, y, z;
    yoke_array *const arrays[] = { &x, &y, &z };
    for (int i = 0; i < 3; i++)
        measure_must(yoke_array_create(w->device, YOKE_F32, 1, (const int64_t[]){ COUNT }, arrays[i]));
    measure_must(yoke_map(w->stream, "x = i", YOKE_VARS(x)));
    measure_must(yoke_map(w->stream, "y = i", YOKE_VARS(y)));
    measure_must(yoke_add(w->stream, &z, &x, &y));
    measure_must(yoke_read_array(w->stream, w->host[2], &z));
    measure_must(yoke_stream_wait(w->stream));
    for (int i = 0; i < 3; i++)
        yoke_buffer_release(arrays[i]->buffer);
}

/* ---- Are they right? ---- */

static void check(const char *name, double found, double expected)
{
    char text[128];
    if (fabs(found - expected) <= 1e-4 * fabs(expected))
        return;
    snprintf(text, sizeof text, "%g is wrong: it should be %g", found, expected);
    measure_fail(name, text);
}

static void check_product(const work *w, const char *name, const float *result, int64_t side)
{
    for (int64_t at = 0; at < side * side; at += side * side / 37) {
        int64_t row = at / side, column = at % side;
        double sum = 0;
        for (int64_t k = 0; k < side; k++)
            sum += (double)w->host[0][row * side + k] * (double)w->host[1][k * side + column];
        check(name, (double)result[at], sum);
    }
}

/* One pixel far from the ends. */
static void check_gaussian(const work *w, const float *result)
{
    int64_t side = w->large, middle = side / 2;
    double sum = 0, weights = 0;
    for (int64_t y = -12; y <= 12; y++)
        for (int64_t x = -12; x <= 12; x++) {
            double weight = exp(-(double)(x * x + y * y) / 18);
            sum += weight * (double)w->host[0][(middle + y) * side + middle + x];
            weights += weight;
        }
    check("gaussian", (double)result[middle * side + middle], sum / weights);
}

static void check_all(work *w)
{
    float *result = w->host[2];
    product(w);
    measure_must(yoke_read_array(w->stream, result, &w->c));
    measure_must(yoke_stream_wait(w->stream));
    check_product(w, "product", result, w->large);
    product_host(w);
    check_product(w, "product_host", result, SIDE);
    if (w->naive) {
        product_naive_host(w);
        check_product(w, "product_naive_host", result, SIDE);
    }
    gaussian_host(w);
    check_gaussian(w, result);
    arithmetic(w);
    measure_must(yoke_read_array(w->stream, result, &w->c));
    measure_must(yoke_stream_wait(w->stream));
    check("arithmetic", (double)result[12345], 2 * (double)w->host[0][12345] + (double)w->host[1][12345]);
    ranges_host(w);
    check("ranges", (double)result[COUNT - 1], 2.0 * (COUNT - 1));
}

/* ---- Measuring ---- */

static const struct {
    const char *name; /* "#" is the number of large rows */
    void (*run)(work *w);
} programs[] = {
    { "product_#", product },
    { "product_1024_host", product_host },
    { "gaussian_#", gaussian },
    { "product_1024_naive_host", product_naive_host },
    { "gaussian_#_host", gaussian_host },
    { "arithmetic_#", arithmetic },
    { "ranges_100000_host", ranges_host },
};

static void measure_program(const char *prefix, work *w, size_t which)
{
    size_t rounds = (size_t)bench_option.rounds;
    double *times = malloc(rounds * sizeof *times);
    char side[16], name[64], text[96];
    if (!times)
        measure_fail("seeds", "out of memory");
    for (size_t i = 0; i < rounds + 2; i++) {
        double start = measure_now();
        programs[which].run(w);
        if (i >= 2)
            times[i - 2] = measure_now() - start;
    }
    snprintf(side, sizeof side, "%d", (int)w->large);
    snprintf(text, sizeof text, "seeds_%s.yoke",
             strchr(programs[which].name, '#') ? bench_name(programs[which].name, side, name) : programs[which].name);
    bench_print(prefix, text, measure_median(times, rounds) / 1e3, "us");
    free(times);
}

static void measure_device(yoke_device *device, const yoke_device_info *info)
{
    work w = { .device = device, .large = info->kind == YOKE_DEVICE_CPU ? 1024 : 4096 };
    size_t count = (size_t)(w.large * w.large);
    const char *part = bench_option.part ? bench_option.part : "";
    yoke_program *program;
    uint32_t state = 1;
    measure_must(yoke_stream_create(device, NULL, &w.stream));
    measure_must(yoke_program_build(device, &naive_source, &program));
    if (info->kind != YOKE_DEVICE_CPU)
        measure_must(yoke_kernel_get(program, naive_source.name, &w.naive));
    for (int i = 0; i < 3; i++) {
        w.host[i] = malloc(count * sizeof(float));
        if (!w.host[i])
            measure_fail("seeds", "out of memory");
        for (size_t j = 0; j < count; j++)
            w.host[i][j] = (float)((state = state * 1664525u + 1013904223u) >> 8) / 16777216;
    }
    w.a = make(&w, w.large);
    w.b = make(&w, w.large);
    w.c = make(&w, w.large);
    measure_must(yoke_write_array(w.stream, &w.a, w.host[0]));
    measure_must(yoke_write_array(w.stream, &w.b, w.host[1]));
    check_all(&w);
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (strncmp(programs[i].name, part, strlen(part)) == 0 && (w.naive || programs[i].run != product_naive_host))
            measure_program(info->backend, &w, i);
    yoke_buffer_release(w.c.buffer);
    yoke_buffer_release(w.b.buffer);
    yoke_buffer_release(w.a.buffer);
    for (int i = 0; i < 3; i++)
        free(w.host[i]);
    yoke_program_release(program);
    yoke_stream_release(w.stream);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "seeds", "The programs with arrays that people begin with; bench/seeds_cupy.py has CuPy's side.",
                      measure_device);
}
