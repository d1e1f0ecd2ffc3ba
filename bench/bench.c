/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share: see bench.h. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bench_options bench_option = { .rounds = 31, .largest = SIZE_MAX };

static bool first_figure = true; /* none has been printed yet */

/* One thread writes all of it, so that nothing depends on scheduling. */
const yoke_source bench_touch = {
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

const yoke_source bench_spin = {
    .size = sizeof(yoke_source),
    .name = "spin",
    .cuda = "extern \"C\" __global__ void spin(unsigned *x, unsigned long long n)\n"
            "{ unsigned a = x[0]; for (unsigned long long i = 0; i < n; i++) { a = a * 1664525u + 1013904223u; a ^= a >> 16; } "
            "x[0] = a; }",
    .opencl = "__kernel void spin(__global uint *x, ulong n)\n"
              "{ uint a = x[0]; for (ulong i = 0; i < n; i++) { a = a * 1664525u + 1013904223u; a ^= a >> 16; } x[0] = a; }",
};

static _Noreturn void print_help(const char *name, const char *help, int status)
{
    fprintf(status ? stderr : stdout,
            "Usage: %s [OPTION]...\n%s\n\n"
            "  --device SELECTOR  measure this device only, as cuda:0; else the best one of each backend\n"
            "  --rounds N         batches of each measurement, %d unless told\n"
            "  --largest MIB      leave out what moves or fills more than this\n"
            "  --no-raw           Yoke only, for drivers on which the way by hand hangs\n"
            "  --json             print JSON instead of lines \"name value unit\"\n"
            "  --help             print this\n",
            name, help, bench_option.rounds);
    exit(status);
}

void bench_begin(int argc, char **argv, const char *name, const char *help)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--help") == 0)
            print_help(name, help, 0);
        else if (strcmp(argv[i], "--json") == 0)
            bench_option.json = true;
        else if (strcmp(argv[i], "--no-raw") == 0)
            bench_option.no_raw = true;
        else if (strcmp(argv[i], "--device") == 0 && value)
            bench_option.device = argv[++i];
        else if (strcmp(argv[i], "--part") == 0 && value)
            bench_option.part = argv[++i];
        else if (strcmp(argv[i], "--rounds") == 0 && value && atoi(value) > 0)
            bench_option.rounds = atoi(argv[++i]);
        else if (strcmp(argv[i], "--largest") == 0 && value && atoi(value) > 0)
            bench_option.largest = (size_t)atoi(argv[++i]) << 20;
        else
            print_help(name, help, 2);
    }
    if (bench_option.json)
        printf("{\"benchmark\": \"%s\", \"version\": \"%s\", \"figures\": [", name, yoke_version());
}

int bench_end(void)
{
    if (bench_option.json)
        printf("\n]}\n");
    if (fflush(stdout) != 0 || ferror(stdout))
        return 1;
    return first_figure ? 1 : 0;
}

_Noreturn void bench_fail(const char *what, const char *why)
{
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

yoke_device *bench_next_device(void)
{
    static const char *const backends[] = { "cuda", "opencl" };
    static size_t next;
    yoke_device *device = NULL;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    while (!device && next < (bench_option.device ? 1 : sizeof backends / sizeof backends[0])) {
        const char *selector = bench_option.device ? bench_option.device : backends[next];
        next++;
        if (yoke_device_open(selector, &device) < 0)
            fprintf(stderr, "# %s\n", yoke_error()->text);
    }
    if (!device)
        return NULL;
    if (yoke_device_get_info(device, &info) < 0)
        bench_fail("yoke_device_get_info", yoke_error()->text);
    fprintf(stderr, "# %s: %s, driver %s\n", info.selector, info.name, info.driver);
    return device;
}

const bench_side *bench_raw(yoke_device *device)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    if (yoke_device_get_info(device, &info) < 0)
        bench_fail("yoke_device_get_info", yoke_error()->text);
    return strcmp(info.backend, "cuda") == 0 ? &bench_cuda : &bench_opencl;
}

void bench_print(const char *prefix, const char *name, double value, const char *unit)
{
    const char *dot = prefix ? "." : "";
    prefix = prefix ? prefix : "";
    if (bench_option.json)
        printf("%s\n  {\"name\": \"%s%s%s\", \"value\": %.6g, \"unit\": \"%s\"}", first_figure ? "" : ",", prefix, dot, name, value,
               unit);
    else
        printf("%s%s%s %.6g %s\n", prefix, dot, name, value, unit);
    first_figure = false;
    fflush(stdout);
}

double bench_now(void)
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

double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

typedef struct medians {
    double raw, yoke, ratio;
} medians;

size_t bench_by_turns(const bench_batch *raw, const bench_batch *yoke, double *raws, double *yokes, size_t least, size_t most,
                      double nanoseconds)
{
    double began = bench_now();
    size_t i;
    for (int warm = 0; warm < 2; warm++) {
        if (raw->self)
            raw->run(raw);
        yoke->run(yoke);
    }
    for (i = 0; i < most && (i < least || bench_now() - began < nanoseconds); i++) {
        bool yoke_first = i % 2;
        if (yoke_first)
            yokes[i] = yoke->run(yoke);
        raws[i] = raw->self ? raw->run(raw) : 0;
        if (!yoke_first)
            yokes[i] = yoke->run(yoke);
    }
    return i;
}

static medians measure(const char *name, const bench_batch *raw, const bench_batch *yoke)
{
    size_t rounds = (size_t)bench_option.rounds;
    double *raws = calloc(3 * rounds, sizeof *raws), *yokes = raws + rounds, *ratios = yokes + rounds;
    if (!raws)
        bench_fail(name, "out of memory");
    bench_by_turns(raw, yoke, raws, yokes, rounds, rounds, 0);
    for (size_t i = 0; i < rounds; i++)
        ratios[i] = raw->self ? yokes[i] / raws[i] : 0;
    medians m = { bench_median(raws, rounds), bench_median(yokes, rounds), bench_median(ratios, rounds) };
    free(raws);
    return m;
}

static void print_compared(const char *prefix, const char *name, bool by_hand, medians m, const char *unit)
{
    char text[128];
    if (by_hand) {
        snprintf(text, sizeof text, "%s.raw", name);
        bench_print(prefix, text, m.raw, unit);
    }
    snprintf(text, sizeof text, "%s.yoke", name);
    bench_print(prefix, text, m.yoke, unit);
    if (by_hand) {
        snprintf(text, sizeof text, "%s.ratio", name);
        bench_print(prefix, text, m.ratio, "of_raw");
    }
}

double bench_compare(const char *prefix, const char *name, const bench_batch *raw, const bench_batch *yoke, double divisor,
                     const char *unit)
{
    medians m = measure(name, raw, yoke);
    print_compared(prefix, name, raw->self, (medians){ m.raw / divisor, m.yoke / divisor, m.ratio }, unit);
    return m.yoke;
}

void bench_compare_speed(const char *prefix, const char *name, const bench_batch *raw, const bench_batch *yoke, double amount,
                         const char *unit)
{
    medians m = measure(name, raw, yoke);
    print_compared(prefix, name, raw->self, (medians){ raw->self ? amount / m.raw : 0, amount / m.yoke, m.ratio }, unit);
}

const char *bench_size_name(size_t size, char name[16])
{
    if (size >= (1 << 20))
        snprintf(name, 16, "%zum", size >> 20);
    else
        snprintf(name, 16, "%zuk", size >> 10);
    return name;
}
