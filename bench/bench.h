/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share: options, one main, and figures as lines "name value unit" or as JSON. How they measure is in
 * tools/measure/. */
#ifndef BENCH_H
#define BENCH_H

#include "../tools/measure/cases.h"
#include "../tools/measure/measure.h"

/* libgpuarray's OpenCL backend, a library of Yoke's size; it is not there where configure has not found it. */
extern const measure_side bench_gpuarray;

typedef struct bench_options {
    const char *device; /* a selector, or NULL: each backend that has a device */
    int rounds;
    size_t largest; /* bytes: larger transfers and fills are left out */
    bool json, no_raw;
    const char *part; /* what a benchmark runs of itself, for its own use */
} bench_options;

extern bench_options bench_option;

/* All that most benchmarks do in main: measure each device. Returns main's status. */
int bench_main(int argc, char **argv, const char *name, const char *help,
               void (*measure)(yoke_device *device, const yoke_device_info *info));

/* Its parts. Read the options; prints --help, and exits, when asked to or when one is wrong. */
void bench_begin(int argc, char **argv, const char *name, const char *help);
/* The next device to measure, to be released; NULL after the last. Prints what is left out, and why, to stderr. */
yoke_device *bench_next_device(yoke_device_info *out_info);
/* Returns main's status. */
int bench_end(void);

/* Both sides of a device, as the options say. */
void bench_open(measure_pair *pair, yoke_device *device);

/* Store the address of a library's function at `slot`, for peers that are opened at run time; NULL, and false, where there is no
 * library or no such function. */
bool bench_find(void *library, const char *name, void *slot);

/* A figure. `prefix`: the backend, or NULL. */
void bench_print(const char *prefix, const char *name, double value, const char *unit);

/* Measure and print PREFIX.NAME.raw and .yoke, their medians of one operation in `unit` ("ns", "us", "ms"), and .ratio. Without
 * raw (its self is NULL) only .yoke. Returns the median of a batch through Yoke in nanoseconds. */
double bench_compare(const char *prefix, const char *name, const measure_pair *pair, double operations, const char *unit);

/* The same, and .above: how much longer an operation takes through Yoke. */
void bench_compare_above(const char *prefix, const char *name, const measure_pair *pair, double operations, const char *unit);

/* The same for a speed ("GB/s", "TB/s"): .raw and .yoke are `bytes`, what a batch moves, over time. The ratio is still one of
 * times. */
void bench_compare_speed(const char *prefix, const char *name, const measure_pair *pair, double bytes, const char *unit);

/* Measure a case of the table, with the host memory that the pair has. Returns as bench_compare does. */
double bench_case(const char *prefix, const measure_case *which, measure_pair *pair);

/* Launches from 4 threads, each with sides of its own and so many launches. */
void bench_threads(const char *prefix, const char *name, yoke_device *device, int launches);

/* A name of the table with `size` for '#'. */
const char *bench_name(const char *pattern, const char *size, char name[64]);

/* A size for names, as "64k" or "256m". */
const char *bench_size_name(size_t size, char name[16]);

#endif
