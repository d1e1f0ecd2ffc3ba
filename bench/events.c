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

/* ---- Recording and asking ---- */

/* Behind a long copy, since on an idle stream there is nothing to ask the driver for. */
MEASURE_RUN(event_record, side->write(self, 0, batch->host, MEASURE_LARGE, 1), side->event_record(self, batch->count))
MEASURE_RUN(event_query, , side->event_query(self, batch->count))

static void measure_calls(const char *backend, yoke_device *device)
{
    yoke_buffer *pinned;
    measure_pair pair;
    measure_must(yoke_buffer_create_pinned(device, MEASURE_LARGE, &pinned));
    void *host = memset(yoke_buffer_get_host(pinned), 1, MEASURE_LARGE);
    bench_open(&pair, device);
    measure_reserve(&pair, MEASURE_LARGE, 0);
    measure_set(&pair, event_record, host, 0, 200);
    bench_compare(backend, "event_record", &pair, 200, "ns");
    measure_set(&pair, event_query, NULL, 0, 1000);
    bench_compare(backend, "event_query", &pair, 1000, "ns");
    measure_close(&pair);
    yoke_buffer_release(pinned);
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
    measure_must(
        yoke_launch(s->stream, s->kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(s->buffer, (uint64_t)(s->rate * seconds))));
    measure_must(yoke_event_record(s->stream, 0, &event));
    return event;
}

static void wait_in_call(yoke_event *event)
{
    measure_must(yoke_event_wait(event));
}

static void wait_in_poll(yoke_event *event)
{
    struct pollfd readable = { .events = POLLIN };
    measure_must(yoke_event_get_fd(event, &readable.fd));
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
    w->ended = measure_now();
    return NULL;
}

/* How late the wait wakes, in microseconds, for work of about this length, which no timer divides. */
static double wake_late(spinner *s, double seconds, void (*wait)(yoke_event *event))
{
    double late[51];
    for (size_t i = 0; i < sizeof late / sizeof late[0]; i++) {
        pthread_t id;
        witness w = { .event = spin_for(s, seconds * (0.97 + 0.0013 * (double)i)) };
        if (pthread_create(&id, NULL, look, &w))
            measure_fail("wake", "no thread");
        wait(w.event);
        double woke = measure_now();
        pthread_join(id, NULL);
        late[i] = (woke - w.ended) * 1e-3;
        yoke_event_release(w.event);
    }
    return measure_median(late, sizeof late / sizeof late[0]);
}

static void measure_way(const char *backend, const char *way, spinner *s, void (*wait)(yoke_event *event))
{
    char name[64];
    yoke_event *event = spin_for(s, 2.0);
    double cpu = cpu_seconds(), start = measure_now();
    wait(event);
    double took = (measure_now() - start) * 1e-9;
    snprintf(name, sizeof name, "wait_2s.%s.core", way);
    bench_print(backend, name, 100 * (cpu_seconds() - cpu) / took, "%");
    yoke_event_release(event);
    snprintf(name, sizeof name, "wait_10ms.%s.late", way);
    bench_print(backend, name, wake_late(s, 10e-3, wait), "us");
    snprintf(name, sizeof name, "wait_400us.%s.late", way);
    bench_print(backend, name, wake_late(s, 400e-6, wait), "us");
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
    measure_must(yoke_stream_create(device, NULL, &s.stream));
    measure_must(yoke_buffer_create(device, 4, &s.buffer));
    measure_must(yoke_program_build(device, &measure_spin, &program));
    measure_must(yoke_kernel_get(program, "spin", &s.kernel));
    for (double time = 0; time < 0.05; s.rate *= 2) {
        double start = measure_now();
        event = spin_for(&s, 1.0);
        measure_must(yoke_event_wait(event));
        yoke_event_release(event);
        time = (measure_now() - start) * 1e-9;
        if (time >= 0.05)
            s.rate /= 2 * time;
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        measure_must(yoke_device_set_wait(device, ways[i].policy));
        measure_way(backend, ways[i].name, &s, wait_in_call);
    }
    measure_must(yoke_device_set_wait(device, YOKE_WAIT_AUTO));
    measure_way(backend, "fd", &s, wait_in_poll);
    yoke_program_release(program);
    yoke_buffer_release(s.buffer);
    yoke_stream_release(s.stream);
}

static void measure(yoke_device *device, const yoke_device_info *info)
{
    measure_calls(info->backend, device);
    bench_threads(info->backend, "4_threads_launch", device, 2000);
    measure_waits(info->backend, device);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "events", "Events, waits, and launching from four threads.", measure);
}
