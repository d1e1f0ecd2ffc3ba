/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `yoke bench` measures: work through Yoke, and by turns the same work by hand on the driver below it. How the work is done
 * on either side is what the benchmarks in bench/ have.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/memory.h"
#include "figures.h"

enum { LEAST = 5, MOST = 4000, FIGURES = 60, CHAIN = 100 };

/* A batch, and what else it takes. */
typedef struct job {
    bench_batch batch; /* the first member: bench_by_turns hands it back */
    const bench_memory *memory;
    int way;
} job;

/* All that a measurement needs. jobs[0] is by hand, and has no self where that is left out. */
typedef struct bench {
    yoke_device *device;
    yoke_device_info info;
    double nanoseconds; /* for each figure */
    bool raw;
    job jobs[2];
    double times[2][MOST];
    void (*tell)(const figure *one);
} bench;

static void must(yoke_status status)
{
    if (status < 0)
        bench_fail("yoke", yoke_error()->text);
}

/* ---- Batches ---- */

/* Those of a bench_side. What only gives work to the device waits for it outside of the time. */
#define SIDE(name, call)                         \
    static double name(const bench_batch *batch) \
    {                                            \
        const bench_side *side = batch->side;    \
        double start = bench_now();              \
        call;                                    \
        double time = bench_now() - start;       \
        side->wait(batch->self);                 \
        return time;                             \
    }

SIDE(launch, side->launch(batch->self, batch->count))
SIDE(launch_rate, (side->launch(batch->self, batch->count), side->wait(batch->self)))
SIDE(launch_wait, side->launch_wait(batch->self, batch->count))
SIDE(wait_idle, side->wait(batch->self))
SIDE(write_wait, side->write_wait(batch->self, batch->host, batch->size, batch->count))
SIDE(read_wait, side->read_wait(batch->self, batch->host, batch->size, batch->count))
SIDE(kernels, side->kernels(batch->self, batch->count))
SIDE(call, side->call(batch->self, batch->count))
SIDE(graph_launch, (side->graph_launch(batch->self, 1), side->wait(batch->self)))

/* Those of a bench_memory. */
#define MEMORY(name, work)                       \
    static double name(const bench_batch *batch) \
    {                                            \
        const job *j = (const job *)batch;       \
        const bench_memory *side = j->memory;    \
        side->enter(batch->self);                \
        double start = bench_now();              \
        for (int i = 0; i < batch->count; i++)   \
            work;                                \
        double time = bench_now() - start;       \
        side->wait(batch->self, 0);              \
        side->leave(batch->self);                \
        return time;                             \
    }

MEMORY(copy_write, side->write_wait(batch->self, batch->host, batch->size))
MEMORY(copy_read, side->read_wait(batch->self, batch->host, batch->size))
MEMORY(copy_inside, (side->copy(batch->self, batch->size), side->wait(batch->self, 0)))
MEMORY(alloc_free, side->alloc_free(batch->self, j->way, batch->size))

/* ---- Figures ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the times. */
static void distribute(distribution *d, double *times, size_t count)
{
    qsort(times, count, sizeof *times, compare);
    d->count = count;
    for (size_t i = 0; i < FIGURE_SAMPLES; i++)
        d->samples[i] = times[(size_t)(((double)i + 0.5) * (double)count / FIGURE_SAMPLES)];
}

double distribution_at(const distribution *d, double quantile)
{
    double at = quantile * FIGURE_SAMPLES - 0.5;
    double low = fmin(fmax(floor(at), 0), FIGURE_SAMPLES - 1), high = fmin(low + 1, FIGURE_SAMPLES - 1);
    double part = fmin(fmax(at - low, 0), 1);
    return d->samples[(size_t)low] * (1 - part) + d->samples[(size_t)high] * part;
}

/* Run what is in jobs. `one` says what it is; each batch counts for `count` operations. Returns the time of a batch. */
static double measure(bench *b, figure *one, int count)
{
    double *raws = b->times[0], *yokes = b->times[1], *ratios;
    for (int i = 0; i < 2; i++)
        b->jobs[i].batch.count = count;
    size_t rounds = bench_by_turns(&b->jobs[0].batch, &b->jobs[1].batch, raws, yokes, LEAST, MOST, b->nanoseconds);
    ratios = tool_alloc(rounds * sizeof *ratios);
    for (size_t i = 0; i < rounds; i++) {
        ratios[i] = raws[i] > 0 ? yokes[i] / raws[i] : 0;
        raws[i] /= count;
        yokes[i] /= count;
        if (one->size) {
            raws[i] = raws[i] > 0 ? (double)one->size / raws[i] : 0;
            yokes[i] = (double)one->size / yokes[i];
        }
    }
    one->ratio = b->jobs[0].batch.self ? bench_median(ratios, rounds) : 0;
    distribute(&one->yoke, yokes, rounds);
    if (b->jobs[0].batch.self)
        distribute(&one->raw, raws, rounds);
    free(ratios);
    b->tell(one);
    double typical = distribution_at(&one->yoke, 0.5);
    return one->size ? (double)one->size / typical * count : typical * count;
}

static void set(bench *b, double (*run)(const bench_batch *batch), void *host, size_t size)
{
    for (int i = 0; i < 2; i++) {
        b->jobs[i].batch.run = run;
        b->jobs[i].batch.host = host;
        b->jobs[i].batch.size = size;
    }
}

static void measure_time(bench *b, int group, const char *name, const char *words, double (*run)(const bench_batch *), int count)
{
    figure one = { .group = group };
    snprintf(one.name, sizeof one.name, "%s", name);
    snprintf(one.words, sizeof one.words, "%s", words);
    set(b, run, b->jobs[1].batch.host, b->jobs[1].batch.size);
    measure(b, &one, count);
}

/* ---- Launches, host functions, graphs ---- */

/* The driver may have no graphs; the same chain in a stream is beside it. */
static void measure_graphs(bench *b)
{
    job by_hand = b->jobs[0];
    measure_time(b, FIGURE_GRAPH, "stream_100", "one of 100 kernels in a stream", launch_rate, CHAIN);
    if (b->jobs[0].batch.self && !b->jobs[0].batch.side->graph_make(b->jobs[0].batch.self, CHAIN))
        b->jobs[0].batch.self = NULL;
    b->jobs[1].batch.side->graph_make(b->jobs[1].batch.self, CHAIN);
    measure_time(b, FIGURE_GRAPH, "graph_100", "one of 100 kernels in a graph", graph_launch, CHAIN);
    b->jobs[0] = by_hand;
}

static void measure_sides(bench *b)
{
    const size_t small = 4096;
    yoke_buffer *pinned;
    const bench_side *sides[2] = { bench_raw(b->device), &bench_yoke };
    must(yoke_buffer_create_pinned(b->device, small, &pinned));
    void *host = memset(yoke_buffer_get_host(pinned), 1, small);
    for (int i = b->raw ? 0 : 1; i < 2; i++)
        b->jobs[i].batch = (bench_batch){ .side = sides[i], .self = sides[i]->open(b->device) };
    set(b, launch, host, small);
    measure_time(b, FIGURE_LAUNCH, "launch", "launch, the call alone", launch, 100);
    measure_time(b, FIGURE_LAUNCH, "launch_rate", "one of 1000 launches in a row", launch_rate, 1000);
    measure_time(b, FIGURE_LAUNCH, "launch_wait", "launch and wait", launch_wait, 1);
    measure_time(b, FIGURE_LAUNCH, "wait", "wait for an idle stream", wait_idle, 1);
    measure_time(b, FIGURE_LAUNCH, "write_4k_wait", "write 4 KiB and wait", write_wait, 1);
    measure_time(b, FIGURE_LAUNCH, "read_4k_wait", "read 4 KiB and wait", read_wait, 1);
    measure_time(b, FIGURE_CALL, "kernels", "kernel, kernel, wait", kernels, 1);
    measure_time(b, FIGURE_CALL, "call", "kernel, host function, kernel, wait", call, 1);
    measure_graphs(b);
    for (int i = 0; i < 2; i++)
        if (b->jobs[i].batch.self)
            b->jobs[i].batch.side->close(b->jobs[i].batch.self);
    yoke_buffer_release(pinned);
}

/* ---- Memory ---- */

static void measure_allocations(bench *b)
{
    static const struct {
        const char *name, *words;
        int way;
        size_t size;
    } cases[] = {
        { "alloc_4k", "4 KiB, made and released", BENCH_PLAIN, 4 << 10 },
        { "alloc_1m", "1 MiB, made and released", BENCH_PLAIN, 1 << 20 },
        { "alloc_64m", "64 MiB, made and released", BENCH_PLAIN, 64 << 20 },
        { "alloc_ordered_1m", "1 MiB, in stream order", BENCH_ORDERED, 1 << 20 },
        { "alloc_pinned_1m", "1 MiB, pinned", BENCH_PINNED, 1 << 20 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (cases[i].size > b->info.max_buffer)
            continue;
        b->jobs[0].way = b->jobs[1].way = cases[i].way;
        set(b, alloc_free, NULL, cases[i].size);
        measure_time(b, FIGURE_ALLOC, cases[i].name, cases[i].words, alloc_free, 10);
    }
}

/* From small to large, until the least of rounds takes the time of a figure, or memory is too small. */
static void measure_copies(bench *b, const char *name, const char *words, double (*run)(const bench_batch *), void *host)
{
    bool both = run == copy_inside;
    for (size_t size = 4 << 10; size <= BENCH_LARGE && size <= b->info.max_buffer / (both ? 2 : 1); size *= 4) {
        figure one = { .group = FIGURE_COPY, .size = size };
        snprintf(one.name, sizeof one.name, "%s", name);
        snprintf(one.words, sizeof one.words, "%s", words);
        for (int i = 0; i < 2; i++)
            if (b->jobs[i].batch.self)
                b->jobs[i].memory->reserve(b->jobs[i].batch.self, size, both ? size : 0);
        set(b, run, host, size);
        if (measure(b, &one, 1) * 2 * LEAST > b->nanoseconds)
            break;
    }
}

static void measure_memory(bench *b)
{
    const bench_memory *sides[2] = { bench_memory_raw(b->device), &bench_memory_yoke };
    yoke_buffer *pinned;
    must(yoke_buffer_create_pinned(b->device, BENCH_LARGE, &pinned));
    char *fast = memset(yoke_buffer_get_host(pinned), 1, BENCH_LARGE), *plain = memset(tool_alloc(BENCH_LARGE), 1, BENCH_LARGE);
    for (int i = b->raw ? 0 : 1; i < 2; i++)
        b->jobs[i] = (job){ .memory = sides[i], .batch = { .self = sides[i]->open(b->device) } };
    measure_allocations(b);
    measure_copies(b, "write_pinned", "to the device, pinned", copy_write, fast);
    measure_copies(b, "read_pinned", "from the device, pinned", copy_read, fast);
    measure_copies(b, "write_pageable", "to the device, pageable", copy_write, plain);
    measure_copies(b, "read_pageable", "from the device, pageable", copy_read, plain);
    measure_copies(b, "copy", "within the device", copy_inside, NULL);
    for (int i = 0; i < 2; i++)
        if (b->jobs[i].batch.self)
            b->jobs[i].memory->close(b->jobs[i].batch.self);
    free(plain);
    yoke_buffer_release(pinned);
}

void figures_measure(yoke_device *device, double seconds, bool raw, void (*tell)(const figure *one))
{
    bench *b = tool_alloc(sizeof *b);
    b->device = device;
    b->info = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    b->nanoseconds = seconds * 1e9 / FIGURES;
    b->raw = raw;
    b->tell = tell;
    must(yoke_device_get_info(device, &b->info));
    measure_sides(b);
    memset(b->jobs, 0, sizeof b->jobs);
    measure_memory(b);
    free(b);
}
