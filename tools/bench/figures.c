/* SPDX-License-Identifier: Apache-2.0 */
/* The measurements of `yoke bench`: every case of the table in measure/cases.h that it has a name for, over some seconds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "tools/measure/cases.h"

enum { LEAST = 5, MOST = 4000, FIGURES = 60, FEW_FIGURES = 20, SMALL = 4096 };

/* All that a measurement needs. */
typedef struct bench {
    yoke_device_info info;
    double nanoseconds; /* for each figure */
    bool few;           /* only those of a report */
    measure_pair pair;
    void (*tell)(const figure *one);
} bench;

/* ---- Figures ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of batches: the time of one operation, or its speed. Sorts the times. */
static void distribute(distribution *d, double *times, size_t count, double operations, uint64_t bytes)
{
    for (size_t i = 0; i < count; i++)
        times[i] = bytes ? (double)bytes * operations / times[i] : times[i] / operations;
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

/* With the host memory and the size that the pair has. Returns the time of a batch. */
static double measure(bench *b, const measure_case *which)
{
    figure *one = tool_alloc(sizeof *one);
    const measure_batch *batch = &b->pair.batch[MEASURE_YOKE];
    double operations = which->tool_count;
    one->group = which->group;
    one->size = which->group == MEASURE_COPY ? batch->size : 0;
    snprintf(one->name, sizeof one->name, "%s", which->tool_name);
    snprintf(one->words, sizeof one->words, "%s", which->words);
    if (which->group == MEASURE_GRAPH)
        operations *= (double)batch->size;
    measure_times times = measure_by_turns(&b->pair, LEAST, MOST, b->nanoseconds);
    double typical = measure_median(times.yokes, times.count);
    distribute(&one->yoke, times.yokes, times.count, operations, one->size);
    if (b->pair.batch[MEASURE_RAW].self)
        distribute(&one->raw, times.raws, times.count, operations, one->size);
    one->ratio = times.ratio;
    b->tell(one);
    free(times.raws);
    free(one);
    return typical;
}

/* ---- Groups ---- */

/* From small to large, until the least of rounds takes the time of a figure, or memory is too small. */
static void measure_sizes(bench *b, const measure_case *which, void *host)
{
    bool both = which->way == MEASURE_ORDERED;
    for (size_t size = 4 << 10; size <= MEASURE_LARGE && size <= b->info.max_buffer / (both ? 2 : 1); size *= 4) {
        measure_reserve(&b->pair, size, both ? size : 0);
        measure_set(&b->pair, which->run, host, size, which->tool_count);
        if (measure(b, which) * 2 * LEAST > b->nanoseconds)
            break;
    }
}

/* The driver may have no graphs; the same chain in a stream is beside it. */
static void measure_graph(bench *b, const measure_case *which)
{
    void **by_hand = &b->pair.batch[MEASURE_RAW].self, *kept = *by_hand;
    if (!measure_make_graphs(&b->pair, (int)which->size) && strncmp(which->tool_name, "graph", 5) == 0)
        *by_hand = NULL;
    measure(b, which);
    *by_hand = kept;
}

/* Those that tell what a driver and its device are good for. */
static bool is_among_few(const char *name)
{
    static const char *const few[] = { "launch", "launch_wait", "write_pinned", "read_pinned", "copy" };
    for (size_t i = 0; i < YK_COUNT_OF(few); i++)
        if (strcmp(name, few[i]) == 0)
            return true;
    return false;
}

static void measure_group(bench *b, int group, void *pinned, void *pageable)
{
    for (size_t i = 0; i < measure_case_count; i++) {
        const measure_case *which = &measure_cases[i];
        if (which->group != group || !which->tool_name || which->size > b->info.max_buffer ||
            (b->few && !is_among_few(which->tool_name)))
            continue;
        if (group == MEASURE_COPY) {
            measure_sizes(b, which, which->way == MEASURE_PINNED ? pinned : which->way == MEASURE_PLAIN ? pageable : NULL);
            continue;
        }
        measure_set(&b->pair, which->run, pinned, which->size, which->tool_count);
        b->pair.batch[MEASURE_RAW].way = b->pair.batch[MEASURE_YOKE].way = which->way;
        if (group == MEASURE_GRAPH)
            measure_graph(b, which);
        else
            measure(b, which);
    }
}

void figures_measure(yoke_device *device, double seconds, bool raw, bool few, void (*tell)(const figure *one))
{
    bench b = { .info = YOKE_DEVICE_INFO_INIT, .few = few, .tell = tell };
    yoke_buffer *pinned;
    b.nanoseconds = seconds * 1e9 / (few ? FEW_FIGURES : FIGURES);
    measure_must(yoke_device_get_info(device, &b.info));
    measure_must(yoke_buffer_create_pinned(device, MEASURE_LARGE, &pinned));
    char *fast = memset(yoke_buffer_get_host(pinned), 1, MEASURE_LARGE),
         *plain = memset(tool_alloc(MEASURE_LARGE), 1, MEASURE_LARGE);
    measure_open(&b.pair, device, raw);
    measure_reserve(&b.pair, SMALL, 0);
    for (int group = 0; group < MEASURE_GROUPS; group++)
        measure_group(&b, group, fast, plain);
    measure_close(&b.pair);
    free(plain);
    yoke_buffer_release(pinned);
}
