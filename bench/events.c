/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events and waits: what recording and asking cost beside the driver's own calls; what a long wait takes of a core, and how late it
 * wakes, by each way to wait; and how fast four threads launch, each into a stream of its own.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"

#define THREADS 4
#define LAUNCHES 2000 /* of each thread */

static void must(yoke_status status)
{
    if (status < 0)
        bench_fail("yoke", yoke_error()->text);
}

/* ---- Recording and asking ---- */

static double event_query(const bench_batch *batch)
{
    double start = bench_now();
    batch->side->event_query(batch->self, batch->count);
    return bench_now() - start;
}

/* Behind a long copy, since on an idle stream there is nothing to ask the driver for. */
static double event_record(const bench_batch *batch)
{
    batch->side->write(batch->self, batch->host, BENCH_LARGE, 1);
    double start = bench_now();
    batch->side->event_record(batch->self, batch->count);
    double end = bench_now();
    batch->side->wait(batch->self);
    return end - start;
}

static void measure_calls(const char *backend, yoke_device *device, const bench_side *by_hand)
{
    yoke_buffer *pinned;
    must(yoke_buffer_create_pinned(device, BENCH_LARGE, &pinned));
    void *host = yoke_buffer_get_host(pinned);
    memset(host, 1, BENCH_LARGE);
    bench_batch yoke = { .side = &bench_yoke, .self = bench_yoke.open(device), .host = host, .run = event_record, .count = 200 };
    bench_batch raw = yoke;
    raw.side = by_hand;
    raw.self = bench_option.no_raw ? NULL : by_hand->open(device);
    bench_compare(backend, "event_record", &raw, &yoke, yoke.count, "ns");
    yoke.run = raw.run = event_query;
    yoke.count = raw.count = 1000;
    bench_compare(backend, "event_query", &raw, &yoke, yoke.count, "ns");
    if (raw.self)
        raw.side->close(raw.self);
    yoke.side->close(yoke.self);
    yoke_buffer_release(pinned);
}

/* ---- Threads ---- */

typedef struct launcher {
    const bench_side *side;
    void *self;
    pthread_barrier_t *start;
} launcher;

static void *launch_all(void *argument)
{
    launcher *l = argument;
    pthread_barrier_wait(l->start);
    l->side->launch(l->self, LAUNCHES);
    l->side->wait(l->self);
    return NULL;
}

/* batch->self: THREADS sides, one a thread. */
static double threads(const bench_batch *batch)
{
    void **selves = batch->self;
    pthread_barrier_t start;
    pthread_t ids[THREADS];
    launcher launchers[THREADS];
    if (pthread_barrier_init(&start, NULL, THREADS + 1))
        bench_fail("threads", "no barrier");
    for (int i = 0; i < THREADS; i++) {
        launchers[i] = (launcher){ batch->side, selves[i], &start };
        if (pthread_create(&ids[i], NULL, launch_all, &launchers[i]))
            bench_fail("threads", "no thread");
    }
    pthread_barrier_wait(&start);
    double begin = bench_now();
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    double time = bench_now() - begin;
    pthread_barrier_destroy(&start);
    return time;
}

static void measure_threads(const char *backend, yoke_device *device, const bench_side *by_hand)
{
    void *ours[THREADS], *theirs[THREADS] = { NULL };
    for (int i = 0; i < THREADS; i++) {
        ours[i] = bench_yoke.open(device);
        theirs[i] = bench_option.no_raw ? NULL : by_hand->open(device);
    }
    bench_batch yoke = { .side = &bench_yoke, .self = ours, .run = threads };
    bench_batch raw = { .side = by_hand, .self = theirs[0] ? theirs : NULL, .run = threads };
    bench_compare(backend, "4_threads_launch", &raw, &yoke, THREADS * LAUNCHES, "ns");
    for (int i = 0; i < THREADS; i++) {
        if (theirs[i])
            by_hand->close(theirs[i]);
        bench_yoke.close(ours[i]);
    }
}

/* ---- Long waits ---- */

typedef struct spinner {
    yoke_stream *stream;
    yoke_buffer *buffer;
    yoke_kernel *kernel;
    double rate; /* rounds in a second */
} spinner;

static double cpu_seconds(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

static yoke_event *spin_for(spinner *s, double seconds)
{
    yoke_event *event;
    must(yoke_launch(s->stream, s->kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(s->buffer, (uint64_t)(s->rate * seconds))));
    must(yoke_event_record(s->stream, 0, &event));
    return event;
}

static void wait_in_call(yoke_event *event)
{
    must(yoke_event_wait(event));
}

static void wait_in_poll(yoke_event *event)
{
    struct pollfd readable = { .events = POLLIN };
    must(yoke_event_get_fd(event, &readable.fd));
    poll(&readable, 1, -1);
    close(readable.fd);
}

/* Looks all the time, and notes when the work has ended. */
typedef struct witness {
    yoke_event *event;
    double ended;
} witness;

static void *look(void *argument)
{
    witness *w = argument;
    while (yoke_event_query(w->event) == YOKE_PENDING)
        continue;
    w->ended = bench_now();
    return NULL;
}

/* How late the wait wakes, in microseconds, for work of a length that no timer divides. */
static double wake_late(spinner *s, void (*wait)(yoke_event *event))
{
    double late[51];
    for (size_t i = 0; i < sizeof late / sizeof late[0]; i++) {
        pthread_t id;
        witness w = { .event = spin_for(s, 0.0097 + 0.00013 * (double)i) };
        if (pthread_create(&id, NULL, look, &w))
            bench_fail("wake", "no thread");
        wait(w.event);
        double woke = bench_now();
        pthread_join(id, NULL);
        late[i] = (woke - w.ended) * 1e-3;
        yoke_event_release(w.event);
    }
    return bench_median(late, sizeof late / sizeof late[0]);
}

static void measure_way(const char *backend, const char *way, spinner *s, void (*wait)(yoke_event *event))
{
    char name[64];
    yoke_event *event = spin_for(s, 2.0);
    double cpu = cpu_seconds(), start = bench_now();
    wait(event);
    double took = (bench_now() - start) * 1e-9;
    snprintf(name, sizeof name, "wait_2s.%s.core", way);
    bench_print(backend, name, 100 * (cpu_seconds() - cpu) / took, "%");
    yoke_event_release(event);
    snprintf(name, sizeof name, "wait_10ms.%s.late", way);
    bench_print(backend, name, wake_late(s, wait), "us");
}

static void measure_waits(const char *backend, yoke_device *device)
{
    static const struct {
        const char *name;
        int32_t policy;
    } ways[] = { { "spin", YOKE_WAIT_SPIN }, { "auto", YOKE_WAIT_AUTO }, { "block", YOKE_WAIT_BLOCK } };
    spinner s = { .rate = 1e5 };
    yoke_program *program;
    yoke_event *event;
    must(yoke_stream_create(device, &s.stream));
    must(yoke_buffer_create(device, 4, &s.buffer));
    must(yoke_program_build(device, &bench_spin, &program));
    must(yoke_kernel_get(program, "spin", &s.kernel));
    for (double time = 0; time < 0.05; s.rate *= 2) {
        double start = bench_now();
        event = spin_for(&s, 1.0);
        must(yoke_event_wait(event));
        yoke_event_release(event);
        time = (bench_now() - start) * 1e-9;
        if (time >= 0.05)
            s.rate /= 2 * time;
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        must(yoke_device_set_wait(device, ways[i].policy));
        measure_way(backend, ways[i].name, &s, wait_in_call);
    }
    must(yoke_device_set_wait(device, YOKE_WAIT_AUTO));
    measure_way(backend, "fd", &s, wait_in_poll);
    yoke_program_release(program);
    yoke_buffer_release(s.buffer);
    yoke_stream_release(s.stream);
}

int main(int argc, char **argv)
{
    yoke_device *device;
    bench_begin(argc, argv, "events", "Events, waits, and launching from four threads.");
    while ((device = bench_next_device())) {
        yoke_device_info info = YOKE_DEVICE_INFO_INIT;
        must(yoke_device_get_info(device, &info));
        measure_calls(info.backend, device, bench_raw(device));
        measure_threads(info.backend, device, bench_raw(device));
        measure_waits(info.backend, device);
        yoke_device_release(device);
    }
    return bench_end();
}
