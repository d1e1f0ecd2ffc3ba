/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Yoke adds to the driver's own calls: the same small piece of work through Yoke and by hand, in short batches by turns. Times
 * are those of the calls alone, and what was given is waited for outside of them, except where a name says otherwise.
 */
#include <string.h>

#include "bench.h"

#define SMALL 4096

typedef double (*batch_fn)(const bench_batch *batch);

/* A batch function that times side->NAME(…) and waits afterwards. */
#define BATCH(name, call)                        \
    static double name(const bench_batch *batch) \
    {                                            \
        const bench_side *side = batch->side;    \
        double start = bench_now();              \
        call;                                    \
        double end = bench_now();                \
        side->wait(batch->self);                 \
        return end - start;                      \
    }

BATCH(launch, side->launch(batch->self, batch->count))
BATCH(launch_rate, (side->launch(batch->self, batch->count), side->wait(batch->self)))
BATCH(launch_wait, side->launch_wait(batch->self, batch->count))
BATCH(write, side->write(batch->self, batch->host, batch->size, batch->count))
BATCH(write_wait, side->write_wait(batch->self, batch->host, batch->size, batch->count))
BATCH(read_wait, side->read_wait(batch->self, batch->host, batch->size, batch->count))

static void measure(yoke_device *device)
{
    /* Batches stay well below the depth of the drivers' queues, where a call would wait for the device. */
    static const struct {
        const char *name;
        batch_fn run;
        size_t size;
        int count;
    } cases[] = {
        { "launch", launch, 0, 200 },
        { "launch_rate", launch_rate, 0, 2000 }, /* with the wait for all of them at the end */
        { "launch_wait", launch_wait, 0, 100 },
        { "write_4k", write, SMALL, 100 },
        { "write_4k_wait", write_wait, SMALL, 100 },
        { "read_4k_wait", read_wait, SMALL, 100 },
        { "write_256m_wait", write_wait, BENCH_LARGE, 1 },
        { "read_256m_wait", read_wait, BENCH_LARGE, 1 },
    };
    const bench_side *by_hand = bench_raw(device);
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_buffer *pinned;
    if (yoke_device_get_info(device, &info) < 0 || yoke_buffer_create_pinned(device, BENCH_LARGE, &pinned) < 0)
        bench_fail("overhead", yoke_error()->text);
    void *host = yoke_buffer_get_host(pinned);
    memset(host, 1, BENCH_LARGE);

    bench_batch yoke = { .side = &bench_yoke, .self = bench_yoke.open(device), .host = host };
    bench_batch raw = { .side = by_hand, .self = bench_option.no_raw ? NULL : by_hand->open(device), .host = host };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        yoke.run = raw.run = cases[i].run;
        yoke.size = raw.size = cases[i].size;
        yoke.count = raw.count = cases[i].count;
        bool large = cases[i].size == BENCH_LARGE;
        double time = bench_compare(info.backend, cases[i].name, &raw, &yoke, large ? 1e6 : cases[i].count, large ? "ms" : "ns");
        if (large) {
            char name[64] = "";
            strcat(strcat(name, cases[i].name), ".yoke_speed");
            bench_print(info.backend, name, BENCH_LARGE / time, "GB/s");
        }
    }
    if (raw.self)
        raw.side->close(raw.self);
    yoke.side->close(yoke.self);
    yoke_buffer_release(pinned);
}

int main(int argc, char **argv)
{
    yoke_device *device;
    bench_begin(argc, argv, "overhead", "What Yoke adds to the driver's own calls.");
    while ((device = bench_next_device())) {
        measure(device);
        yoke_device_release(device);
    }
    return bench_end();
}
