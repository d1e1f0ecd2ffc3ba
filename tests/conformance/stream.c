/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: in order within, independent of each other, joined only by events, usable from several threads. Host functions have
 * programs of their own.
 */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kernels_cuda = SPIN_CUDA ADVANCE_CUDA;
static const char *const kernels_opencl = SPIN_OPENCL ADVANCE_OPENCL;

enum { N = 500 };

static void advance_host(uint32_t *x, uint32_t k)
{
    for (int i = 0; i < N; i++)
        x[i] = x[i] * 3u + k;
}

static bool advance(suite *t, yoke_stream *stream, yoke_buffer *x, uint32_t k)
{
    return CHECK_OK(yoke_launch_n(stream, suite_kernel(t, "advance"), N, YOKE_ARGS(x, (uint32_t)N, k)));
}

static void runs_in_order(suite *t)
{
    uint32_t wanted[N], other[N];
    guarded x = { 0 }, y = { 0 };

    fill_random(wanted, sizeof wanted, 5);
    NEED(guarded_create(t, sizeof wanted, &x) && guarded_create(t, sizeof wanted, &y));
    NEED_OK(yoke_write(t->stream, x.buffer, 0, wanted, sizeof wanted));
    memcpy(other, wanted, sizeof other);
    for (uint32_t k = 0; k < 100; k++) {
        NEED(advance(t, t->stream, x.buffer, k));
        advance_host(other, k);
        if (k % 10 == 3) { /* through another buffer and back */
            NEED_OK(yoke_copy(t->stream, y.buffer, 0, x.buffer, 0, sizeof wanted));
            NEED_OK(yoke_fill(t->stream, x.buffer, 0, sizeof wanted, &k, sizeof k));
            NEED(advance(t, t->stream, y.buffer, 7));
            NEED_OK(yoke_copy(t->stream, x.buffer, 0, y.buffer, 0, sizeof wanted));
            advance_host(other, 7);
        }
    }
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, other);
out:
    guarded_release(&y);
    guarded_release(&x);
}

static void wait_means_done(suite *t)
{
    guarded out = { 0 };
    uint32_t rounds = 0;

    NEED(guarded_create(t, 2 * sizeof(uint32_t), &out));
    CHECK_OK(yoke_stream_wait(t->stream));
    for (uint32_t value = 1; value <= 5; value++) {
        NEED(suite_spin(t, t->stream, out.buffer, value, 10, &rounds));
        NEED_OK(yoke_stream_wait(t->stream));
        uint32_t wanted[2] = { value, spin_result(value, rounds) };
        guarded_check(t, &out, wanted);
    }
    CHECK_OK(yoke_stream_wait(t->stream));
out:
    guarded_release(&out);
}

/* The driver has been given the work, so it runs, and the event that stands for it completes. */
static void release_lets_given_work_run(suite *t)
{
    guarded out = { 0 };
    yoke_stream *stream = NULL;
    yoke_event *event = NULL;
    uint32_t rounds = 0;

    NEED(guarded_create(t, 2 * sizeof(uint32_t), &out));
    for (uint32_t value = 1; value <= 5; value++) {
        NEED_OK(yoke_stream_create(t->device, &stream));
        bool ok = suite_spin(t, stream, out.buffer, value, 10, &rounds) && CHECK_OK(yoke_event_record(stream, 0, &event));
        yoke_stream_release(stream);
        NEED(ok);
        CHECK_OK(yoke_event_wait(event));
        CHECK_OK(yoke_event_query(event));
        uint32_t wanted[2] = { value, spin_result(value, rounds) };
        guarded_check(t, &out, wanted);
        yoke_event_release(event);
        event = NULL;
    }
out:
    yoke_event_release(event);
    guarded_release(&out);
}

static void release_does_not_wait(suite *t)
{
    guarded out = { 0 };
    yoke_stream *stream = NULL;
    yoke_event *event = NULL;

    NEED(guarded_create(t, 2 * sizeof(uint32_t), &out));
    NEED_OK(yoke_stream_create(t->device, &stream));
    if (suite_spin(t, stream, out.buffer, 1, 1000, NULL))
        CHECK_OK(yoke_event_record(stream, 0, &event));
    bool pending = event && yoke_event_query(event) == YOKE_PENDING;
    yoke_stream_release(stream);
    bool still = event && yoke_event_query(event) == YOKE_PENDING;
    if (!pending)
        suite_skip("this driver runs work within the call that enqueues it");
    else
        CHECK(still);
    CHECK_OK(yoke_event_wait(event));
out:
    yoke_event_release(event);
    guarded_release(&out);
}

static void retain_counts(suite *t)
{
    yoke_stream *stream = NULL;
    unsigned char byte = 1, got = 0;
    yoke_buffer *buffer = NULL;

    NEED_OK(yoke_stream_create(t->device, &stream));
    CHECK(yoke_stream_retain(stream) == stream);
    yoke_stream_release(stream);
    NEED_OK(yoke_buffer_create(t->device, 1, &buffer));
    CHECK_OK(yoke_write(stream, buffer, 0, &byte, 1));
    CHECK_OK(yoke_read_sync(stream, &got, buffer, 0, 1));
    CHECK(got == 1);
    CHECK(yoke_stream_get_device(stream) == t->device);
    CHECK(yoke_stream_get_device(NULL) == NULL);
    CHECK(yoke_stream_retain(NULL) == NULL);
    yoke_stream_release(NULL);
out:
    yoke_stream_release(stream);
    yoke_buffer_release(buffer);
}

static void flags(suite *t)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    struct {
        yoke_stream_desc desc;
        unsigned char later[32];
    } newer = { YOKE_STREAM_DESC_INIT, { 0 } };
    yoke_stream *stream = NULL;

    CHECK_OK(yoke_stream_create_with(t->device, &desc, &stream));
    yoke_stream_release(stream);
    desc.size = 0;
    CHECK_OK(yoke_stream_create_with(t->device, &desc, &stream));
    yoke_stream_release(stream);
    newer.desc.size = sizeof newer;
    CHECK_OK(yoke_stream_create_with(t->device, &newer.desc, &stream));
    yoke_stream_release(stream);

    desc = (yoke_stream_desc)YOKE_STREAM_DESC_INIT;
    desc.flags = YOKE_STREAM_TIMED;
    if (suite_can(t, YOKE_CAP_TIMING)) {
        CHECK_OK(yoke_stream_create_with(t->device, &desc, &stream));
        yoke_stream_release(stream);
    } else {
        CHECK_FAILS(YOKE_E_UNSUPPORTED, "", yoke_stream_create_with(t->device, &desc, &stream));
        CHECK(stream == NULL);
    }
}

static void many_streams(suite *t)
{
    enum { STREAMS = 64 };
    yoke_stream *streams[STREAMS] = { NULL };
    guarded buffers[STREAMS] = { { 0 } };
    uint32_t wanted[STREAMS][N];

    fill_random(wanted, sizeof wanted, 6);
    for (int i = 0; i < STREAMS; i++) {
        NEED_OK(yoke_stream_create(t->device, &streams[i]));
        NEED(guarded_create(t, sizeof wanted[i], &buffers[i]));
        NEED(guarded_write(t, &buffers[i], wanted[i]));
    }
    for (uint32_t k = 0; k < 4; k++)
        for (int i = 0; i < STREAMS; i++) {
            NEED(advance(t, streams[i], buffers[i].buffer, k + (uint32_t)i));
            advance_host(wanted[i], k + (uint32_t)i);
        }
    for (int i = 0; i < STREAMS; i++) {
        CHECK_OK(yoke_stream_wait(streams[i]));
        guarded_check(t, &buffers[i], wanted[i]);
    }
out:
    for (int i = 0; i < STREAMS; i++) {
        yoke_stream_release(streams[i]);
        guarded_release(&buffers[i]);
    }
}

/* The data is handed from stream to stream; each hand-over is behind a kernel that takes a while. */
static void event_joins_two_streams(suite *t)
{
    yoke_stream *streams[2] = { t->stream, NULL };
    yoke_event *event = NULL;
    guarded x = { 0 }, out = { 0 };
    uint32_t wanted[N];

    fill_random(wanted, sizeof wanted, 7);
    NEED_OK(yoke_stream_create(t->device, &streams[1]));
    NEED(guarded_create(t, sizeof wanted, &x) && guarded_create(t, 2 * sizeof(uint32_t), &out));
    NEED(guarded_write(t, &x, wanted));
    for (uint32_t k = 0; k < 10; k++) {
        yoke_stream *from = streams[k % 2], *to = streams[1 - k % 2];

        NEED(suite_spin(t, from, out.buffer, k, 3, NULL));
        NEED(advance(t, from, x.buffer, k));
        advance_host(wanted, k);
        NEED_OK(yoke_event_record(from, 0, &event));
        NEED_OK(yoke_stream_wait_event(to, event));
        yoke_event_release(event);
        event = NULL;
    }
    NEED_OK(yoke_stream_wait(streams[0]));
    guarded_check(t, &x, wanted);
    NEED_OK(yoke_stream_wait(streams[1]));
out:
    yoke_event_release(event);
    yoke_stream_release(streams[1]);
    guarded_release(&out);
    guarded_release(&x);
}

static void own_event_is_no_obstacle(suite *t)
{
    yoke_event *event = NULL;
    uint32_t wanted[N];
    guarded x = { 0 };

    fill_random(wanted, sizeof wanted, 8);
    NEED(guarded_create(t, sizeof wanted, &x));
    NEED(guarded_write(t, &x, wanted));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    NEED_OK(yoke_stream_wait_event(t->stream, event));
    NEED_OK(yoke_stream_wait_event(t->stream, event));
    NEED(advance(t, t->stream, x.buffer, 1));
    advance_host(wanted, 1);
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, wanted);
out:
    yoke_event_release(event);
    guarded_release(&x);
}

static const yoke_source *source_of_all;
/* Streams that wait for each other's work, unless only the second waits for the first's, and a third for theirs, while that is
 * under way. `order` has a bit for each thing that is released late. In the end nothing may keep the device. */
static void wait_and_release(suite *t, unsigned order, bool one_way)
{
    suite q = { .spin_rate = t->spin_rate };
    yoke_stream *streams[3] = { NULL };
    yoke_event *events[2] = { NULL };
    guarded out[2] = { { 0 } };

    NEED_OK(yoke_device_open(t->info.selector, &q.device));
    q.info = t->info;
    NEED_OK(yoke_program_build(q.device, source_of_all, &q.program));
    for (int i = 0; i < 3; i++)
        NEED_OK(yoke_stream_create(q.device, &streams[i]));
    for (int i = 0; i < 2; i++) {
        NEED_OK(yoke_stream_create(q.device, &q.side));
        NEED(guarded_create(&q, 2 * sizeof(uint32_t), &out[i]));
        NEED(suite_spin(&q, streams[i], out[i].buffer, 1, 20, NULL));
        t->spin_rate = q.spin_rate; /* measured once */
        NEED_OK(yoke_event_record(streams[i], 0, &events[i]));
        yoke_stream_release(q.side);
        q.side = NULL;
    }
    for (int i = 0; i < 2; i++) {
        if (i == 1 || !one_way)
            NEED_OK(yoke_stream_wait_event(streams[i], events[!i]));
        if (!one_way)
            NEED_OK(yoke_stream_wait_event(streams[2], events[i]));
    }
out:
    for (unsigned late = 0; late < 2; late++) {
        if ((order & 1) == late) {
            yoke_device_release(q.device);
            yoke_program_release(q.program);
        }
        for (int i = 0; i < 2; i++)
            if ((order >> 1 & 1) == late)
                yoke_event_release(events[i]);
        for (int i = 0; i < 3; i++)
            if ((order >> (2 + i) & 1) == late)
                yoke_stream_release(streams[i]);
        for (int i = 0; i < 2; i++)
            if ((order >> 5 & 1) == late)
                guarded_release(&out[i]);
    }
    yoke_stream_release(q.side);
    if (!CHECK(suite_log_open(1))) /* the suite's own */
        tap_diag("order %u, %s way", order, one_way ? "one" : "each");
}

static void waits_keep_nothing(suite *t)
{
    for (unsigned order = 0; order < 64 && suite_failures() == 0; order++)
        wait_and_release(t, order, order % 5 == 0);
    wait_and_release(t, 0, true); /* all at once, the device first */
    wait_and_release(t, 1, true);
}

/* Stream b of another device starts its copy when a's has reached the host memory between them. */
static void event_joins_two_devices(suite *t)
{
    yoke_device *other = NULL;
    yoke_stream *b = NULL;
    yoke_event *event = NULL;
    guarded x = { 0 }, y = { 0 }, out = { 0 };
    uint32_t *between = NULL, wanted[N];

    if (!suite_open_other(t, &other)) {
        suite_skip("there is one device");
        return;
    }
    between = memory_new(sizeof wanted);
    NEED_OK(yoke_stream_create(other, &b));
    NEED(guarded_create(t, sizeof wanted, &x) && guarded_create(t, 2 * sizeof(uint32_t), &out));
    NEED(guarded_create_on(other, b, sizeof wanted, &y));
    for (uint32_t k = 0; k < 5; k++) {
        fill_random(wanted, sizeof wanted, k);
        NEED(guarded_write(t, &x, wanted));
        NEED(suite_spin(t, t->stream, out.buffer, k, 10, NULL));
        NEED_OK(yoke_read(t->stream, between, x.buffer, 0, sizeof wanted));
        NEED_OK(yoke_event_record(t->stream, 0, &event));
        NEED_OK(yoke_stream_wait_event(b, event));
        NEED_OK(yoke_write(b, y.buffer, 0, between, sizeof wanted));
        yoke_event_release(event);
        event = NULL;
        NEED_OK(yoke_stream_wait(b));
        guarded_check_on(b, &y, wanted);
    }
out:
    yoke_stream_wait(t->stream);
    yoke_event_release(event);
    guarded_release(&y);
    guarded_release(&out);
    guarded_release(&x);
    yoke_stream_release(b);
    yoke_device_release(other);
    memory_free(between);
}

typedef struct enqueuer {
    suite *t;
    guarded x;
    uint32_t wanted[N];
    uint32_t first;
    yoke_event *events[100];
} enqueuer;

static void *enqueue_many(void *user)
{
    enqueuer *e = user;

    for (uint32_t k = 0; k < 100; k++) {
        advance(e->t, e->t->stream, e->x.buffer, e->first + k);
        advance_host(e->wanted, e->first + k);
        CHECK_OK(yoke_event_record(e->t->stream, 0, &e->events[k]));
    }
    CHECK_OK(yoke_event_wait(e->events[99]));
    CHECK_OK(yoke_stream_wait(e->t->stream));
    return NULL;
}

static void several_threads_enqueue_on_one_stream(suite *t)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    enqueuer *e = calloc(THREADS, sizeof *e);

    NEED(e != NULL);
    for (uint32_t i = 0; i < THREADS; i++) {
        e[i].t = t;
        e[i].first = i * 1000;
        fill_random(e[i].wanted, sizeof e[i].wanted, i + 20);
        NEED(guarded_create(t, sizeof e[i].wanted, &e[i].x));
        NEED(guarded_write(t, &e[i].x, e[i].wanted));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, enqueue_many, &e[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        guarded_check(t, &e[i].x, e[i].wanted);
        for (int k = 0; k < 100; k++) {
            CHECK_OK(yoke_event_query(e[i].events[k]));
            yoke_event_release(e[i].events[k]);
        }
    }
out:
    for (int i = 0; e && i < THREADS; i++)
        guarded_release(&e[i].x);
    free(e);
}

static void *use_own_stream(void *user)
{
    enqueuer *e = user;
    yoke_stream *stream = NULL;

    for (uint32_t k = 0; k < 40; k++) {
        CHECK_OK(yoke_stream_create(e->t->device, &stream));
        advance(e->t, stream, e->x.buffer, k);
        advance_host(e->wanted, k);
        CHECK_OK(yoke_stream_wait(stream));
        yoke_stream_release(stream);
    }
    return NULL;
}

static void several_threads_with_streams_of_their_own(suite *t)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    enqueuer *e = calloc(THREADS, sizeof *e);

    NEED(e != NULL);
    for (uint32_t i = 0; i < THREADS; i++) {
        e[i].t = t;
        fill_random(e[i].wanted, sizeof e[i].wanted, i + 40);
        NEED(guarded_create(t, sizeof e[i].wanted, &e[i].x));
        NEED(guarded_write(t, &e[i].x, e[i].wanted));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, use_own_stream, &e[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        guarded_check(t, &e[i].x, e[i].wanted);
out:
    for (int i = 0; e && i < THREADS; i++)
        guarded_release(&e[i].x);
    free(e);
}

int main(void)
{
    static const suite_case cases[] = {
        { "runs in order", runs_in_order, false },
        { "a wait means that everything is done", wait_means_done, false },
        { "released, it still runs what the driver was given", release_lets_given_work_run, false },
        { "release does not wait", release_does_not_wait, false },
        { "references are counted", retain_counts, false },
        { "flags, and descriptors of older and newer programs", flags, false },
        { "64 streams at once", many_streams, false },
        { "an event joins two streams", event_joins_two_streams, false },
        { "waiting for its own event is no obstacle", own_event_is_no_obstacle, false },
        { "streams that have waited for each other keep nothing", waits_keep_nothing, false },
        { "an event joins two devices", event_joins_two_devices, false },
        { "several threads enqueue on one stream", several_threads_enqueue_on_one_stream, false },
        { "several threads with streams of their own", several_threads_with_streams_of_their_own, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source_of_all = &source;
    source.name = "stream test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
