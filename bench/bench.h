/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the benchmarks share: options, figures as lines "name value unit" or as JSON, and two ways of doing the same measured by
 * turns. Benchmarks are programs of their own: they may print, and exit when something fails.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include <yoke/yoke.h>

/* The same work, done through Yoke or by hand. Every function does it `count` times; those that only give work to the device leave
 * it to wait. What a side has no way for is NULL. */
typedef struct bench_side {
    const char *name;
    void *(*open)(yoke_device *device); /* beside a device that Yoke has opened, in the same context; NULL when it is not there */
    void (*close)(void *self);
    void (*wait)(void *self);
    void (*launch)(void *self, int count); /* a small kernel with 3 arguments */
    void (*launch_wait)(void *self, int count);
    void (*event_record)(void *self, int count);
    void (*event_query)(void *self, int count); /* of one that has settled */
    void (*write)(void *self, const void *host, size_t size, int count);
    void (*write_wait)(void *self, const void *host, size_t size, int count);
    void (*read_wait)(void *self, void *host, size_t size, int count);
    void (*alloc_free)(void *self, size_t size, int count);
    void (*kernels)(void *self, int count);                           /* two kernels, then a wait */
    void (*call)(void *self, int count);                              /* the same with a host function between the two */
    void (*call_pairs)(void *self, int count);                        /* a kernel and a host function, and a wait after the last */
    void (*call_sleepers)(void *self, int streams, int milliseconds); /* a kernel and a host function that sleeps, in each stream */
    /* A graph of the small kernel, so many times one behind the other, instead of the one before; 0: none. False: this driver has
     * no graphs. */
    bool (*graph_make)(void *self, int kernels);
    void (*graph_launch)(void *self, int count);
    void (*graph_set_args)(void *self, int count); /* of its first kernel, each time others */
} bench_side;

extern const bench_side bench_yoke, bench_cuda, bench_opencl, bench_gpuarray;

/* The side by hand for a device's backend. */
const bench_side *bench_raw(yoke_device *device);

/* The small kernel, "touch": x[i] = a for i < n. */
extern const yoke_source bench_touch;

/* A kernel that takes as long as one likes: "spin" works n rounds, one after the other, on x[0]. */
extern const yoke_source bench_spin;

enum {
    BENCH_BLOCK = 32,        /* threads of a launch */
    BENCH_LARGE = 256 << 20, /* bytes of a large copy, and of each side's buffer */
    BENCH_STREAMS = 64       /* the most streams of call_sleepers */
};

typedef struct bench_options {
    const char *device; /* a selector, or NULL: each backend that has a device */
    int rounds;
    size_t largest; /* bytes: larger transfers and fills are left out */
    bool json, no_raw;
    const char *part; /* what a benchmark runs of itself, for its own use */
} bench_options;

extern bench_options bench_option;

/* Read the options; prints --help, and exits, when asked to or when one is wrong. */
void bench_begin(int argc, char **argv, const char *name, const char *help);
/* Returns main's status. */
int bench_end(void);

/* The next device to measure, to be released; NULL after the last. Prints what is left out, and why, to stderr. */
yoke_device *bench_next_device(void);

/* A figure. `prefix`: the backend, or NULL. */
void bench_print(const char *prefix, const char *name, double value, const char *unit);

/* Nanoseconds, monotonic. */
double bench_now(void);

double bench_median(double *values, size_t count);

/* A batch to be timed, as a bench_side's function and what it takes. */
typedef struct bench_batch {
    const bench_side *side;
    void *self;
    double (*run)(const struct bench_batch *batch); /* nanoseconds */
    void *host;
    size_t size;
    int count;
} bench_batch;

/* Run `raw` and `yoke` by turns, after two rounds that do not count: at least so often, then until the time is over, at most so
 * often. Their times, in nanoseconds, go to the arrays (0 for a raw without self). Returns how many rounds there were. */
size_t bench_by_turns(const bench_batch *raw, const bench_batch *yoke, double *raws, double *yokes, size_t least, size_t most,
                      double nanoseconds);

/* Run `raw` and `yoke` by turns and print PREFIX.NAME.raw and .yoke, their medians in `unit` after division by `divisor`, and
 * .ratio, the median of yoke over raw of neighbouring batches, so that drift cancels. Without raw (its self is NULL) only .yoke.
 * Returns the median of yoke in nanoseconds. */
double bench_compare(const char *prefix, const char *name, const bench_batch *raw, const bench_batch *yoke, double divisor,
                     const char *unit);

/* The same for a speed: .raw and .yoke are `amount`, what a batch moves, over nanoseconds. The ratio is still one of times. */
void bench_compare_speed(const char *prefix, const char *name, const bench_batch *raw, const bench_batch *yoke, double amount,
                         const char *unit);

/* A size for names, as "64k" or "256m". */
const char *bench_size_name(size_t size, char name[16]);

/* Print why, and exit. */
_Noreturn void bench_fail(const char *what, const char *why);

#endif
