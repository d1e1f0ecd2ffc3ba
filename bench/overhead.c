/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Yoke adds to the driver's own calls: the same small piece of work through Yoke and by hand, in short batches by turns. Times
 * are those of the calls alone, and what was given is waited for outside of them, except where a name says otherwise.
 */
#include <pthread.h>
#include <string.h>

#include "bench.h"

#define SMALL 4096
#define THREADS 4
#define THREAD_LAUNCHES 1000 /* of each thread */

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

/* ---- Several threads ---- */

/* A side for each thread, with a stream and a kernel of its own. */
typedef struct team {
    void *members[THREADS];
} team;

typedef struct member {
    const bench_batch *batch;
    void *self;
    pthread_barrier_t *start;
    pthread_t thread;
} member;

static void *launch_in_thread(void *user)
{
    member *m = user;
    pthread_barrier_wait(m->start);
    m->batch->side->launch(m->self, m->batch->count);
    m->batch->side->wait(m->self);
    return NULL;
}

/* From the moment when all threads are there to the end of the last. */
static double launch_in_threads(const bench_batch *batch)
{
    const team *all = batch->self;
    member members[THREADS];
    pthread_barrier_t start;
    if (pthread_barrier_init(&start, NULL, THREADS + 1))
        bench_fail("threads", "no barrier");
    for (int i = 0; i < THREADS; i++) {
        members[i] = (member){ .batch = batch, .self = all->members[i], .start = &start };
        if (pthread_create(&members[i].thread, NULL, launch_in_thread, &members[i]))
            bench_fail("threads", "none to be had");
    }
    pthread_barrier_wait(&start);
    double began = bench_now();
    for (int i = 0; i < THREADS; i++)
        pthread_join(members[i].thread, NULL);
    double ended = bench_now();
    pthread_barrier_destroy(&start);
    return ended - began;
}

static void measure_threads(yoke_device *device, const char *backend)
{
    bench_batch batches[2] = { { .side = bench_raw(device) }, { .side = &bench_yoke } };
    team teams[2];
    for (int b = 0; b < 2; b++) {
        bool left_out = b == 0 && bench_option.no_raw;
        for (int i = 0; i < THREADS && !left_out; i++)
            teams[b].members[i] = batches[b].side->open(device);
        batches[b].self = left_out ? NULL : &teams[b];
        batches[b].run = launch_in_threads;
        batches[b].count = THREAD_LAUNCHES;
    }
    bench_compare(backend, "launch_4_threads", &batches[0], &batches[1], THREADS * THREAD_LAUNCHES, "ns");
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < THREADS && batches[b].self; i++)
            batches[b].side->close(teams[b].members[i]);
}

/* ---- All of it ---- */

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
    measure_threads(device, info.backend);
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
