/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocating and freeing, beside the driver's own ways (memory.h names them): again and again, the first time, and with a kernel in
 * between that nobody waits for. Times are those of the calls alone.
 */
#include <stdio.h>
#include <string.h>

#include "memory.h"

/* A batch, and what else it takes. */
typedef struct job {
    bench_batch batch; /* the first member: bench_compare hands it back */
    const bench_memory *side;
    int way;
} job;

static const char *const ways[BENCH_WAYS] = { "plain", "present", "ordered", "pinned" };

static double timed(const bench_batch *batch, void (*work)(void *self, int way, size_t size))
{
    const job *j = (const job *)batch;
    j->side->enter(batch->self);
    double start = bench_now();
    for (int i = 0; i < batch->count; i++)
        work(batch->self, j->way, batch->size);
    double time = bench_now() - start;
    j->side->wait(batch->self, 0);
    j->side->leave(batch->self);
    return time;
}

static double alloc_free(const bench_batch *batch)
{
    return timed(batch, ((const job *)batch)->side->alloc_free);
}

static double alloc_launch_free(const bench_batch *batch)
{
    return timed(batch, ((const job *)batch)->side->alloc_launch_free);
}

/* Of this size, on a side that keeps nothing from before but what a pool of the driver's does. */
static void print_first(const char *backend, const char *name, const char *side, const job *j)
{
    char text[96];
    job once = *j;
    if (!once.batch.self)
        return;
    once.batch.count = 1;
    once.side->reserve(once.batch.self, 0, 0);
    snprintf(text, sizeof text, "%s_first.%s", name, side);
    bench_print(backend, text, alloc_free(&once.batch) / 1e3, "us");
}

static void measure_way(const char *backend, job *raw, job *yoke, int way, size_t size)
{
    char name[64], size_name[16];
    snprintf(name, sizeof name, "alloc_free_%s_%s", ways[way], bench_size_name(size, size_name));
    raw->way = yoke->way = way;
    raw->batch.size = yoke->batch.size = size;
    raw->batch.run = yoke->batch.run = alloc_free;
    raw->batch.count = yoke->batch.count = way == BENCH_PINNED ? 20 : 100;
    print_first(backend, name, "raw", raw);
    print_first(backend, name, "yoke", yoke);
    bench_compare(backend, name, &raw->batch, &yoke->batch, 1e3 * yoke->batch.count, "us");
    if (size != 1 << 20 || (way != BENCH_PLAIN && way != BENCH_ORDERED))
        return;
    snprintf(name, sizeof name, "alloc_launch_free_%s_%s", ways[way], size_name);
    raw->batch.run = yoke->batch.run = alloc_launch_free;
    bench_compare(backend, name, &raw->batch, &yoke->batch, 1e3 * yoke->batch.count, "us");
}

static void measure(yoke_device *device)
{
    static const size_t sizes[] = { 4 << 10, 1 << 20, 64 << 20 };
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    if (yoke_device_get_info(device, &info) < 0)
        bench_fail("alloc", yoke_error()->text);
    job yoke = { .side = &bench_memory_yoke }, raw = { .side = bench_memory_raw(device) };
    yoke.batch.self = yoke.side->open(device);
    raw.batch.self = bench_option.no_raw ? NULL : raw.side->open(device);
    for (int way = 0; way < BENCH_WAYS; way++) {
        if (way == BENCH_PRESENT && strcmp(info.backend, "opencl") != 0)
            continue;
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            if (sizes[i] <= bench_option.largest && sizes[i] <= info.max_buffer && (way != BENCH_PINNED || sizes[i] == 1 << 20))
                measure_way(info.backend, &raw, &yoke, way, sizes[i]);
    }
    if (raw.batch.self)
        raw.side->close(raw.batch.self);
    yoke.side->close(yoke.batch.self);
}

int main(int argc, char **argv)
{
    yoke_device *device;
    bench_begin(argc, argv, "alloc", "Allocating and freeing memory.");
    while ((device = bench_next_device())) {
        measure(device);
        yoke_device_release(device);
    }
    return bench_end();
}
