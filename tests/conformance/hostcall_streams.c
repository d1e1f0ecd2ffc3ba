/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host functions of several streams: they never wait for each other unless the program says so, and where it does, whatever stands
 * behind a blocked function stays there, however many streams are in the chain.
 */
#include "suite.h"
#include "stand.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const kernels_cuda = ADVANCE_ONE_CUDA;
static const char *const kernels_opencl = ADVANCE_ONE_OPENCL;

enum { MOST = 64 };

static bool make_streams(suite *t, yoke_stream **streams, int count)
{
    bool ok = true;

    for (int i = 0; i < count; i++)
        ok = CHECK_OK(yoke_stream_create(t->device, NULL, &streams[i])) && ok;
    return ok;
}

static void release_streams(yoke_stream **streams, int count)
{
    for (int i = 0; i < count; i++) {
        yoke_stream_wait(streams[i]);
        yoke_stream_release(streams[i]);
    }
}

static bool advance(suite *t, yoke_stream *stream, yoke_buffer *x, uint32_t k)
{
    return CHECK_OK(yoke_launch(stream, suite_kernel(t, "advance"), YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x, k)));
}

static yoke_status sleep_10ms(yoke_status status, void *user)
{
    struct timespec ten = { 0, 10000000 };

    CHECK_STATUS(YOKE_OK, status);
    nanosleep(&ten, NULL);
    atomic_fetch_add((atomic_uint *)user, 1);
    return YOKE_OK;
}

/* The time is reported and not judged: this machine may be busy. That they overlap is the next case's. */
static void functions_sleep(suite *t)
{
    yoke_stream *streams[MOST] = { NULL };
    atomic_uint ran = 0;

    NEED(make_streams(t, streams, MOST));
    double start = suite_now();
    for (int i = 0; i < MOST; i++)
        NEED_OK(yoke_host_call(streams[i], sleep_10ms, &ran, NULL));
    for (int i = 0; i < MOST; i++)
        CHECK_OK(yoke_stream_wait(streams[i]));
    double seconds = suite_now() - start;
    CHECK(atomic_load(&ran) == MOST);
    tap_diag("%d streams whose functions sleep 10 ms took %.1f ms", MOST, seconds * 1e3);
out:
    release_streams(streams, MOST);
}

typedef struct meeting {
    gate arrived;
    unsigned expected;
} meeting;

static yoke_status meet(yoke_status status, void *user)
{
    meeting *m = user;

    CHECK_STATUS(YOKE_OK, status);
    gate_open(&m->arrived);
    gate_wait(&m->arrived, m->expected);
    return YOKE_OK;
}

/* Each returns only when all are inside. */
static void all_inside_at_once(suite *t)
{
    yoke_stream *streams[MOST] = { NULL };
    meeting m = { GATE_INIT, MOST };

    NEED(make_streams(t, streams, MOST));
    for (int i = 0; i < MOST; i++)
        CHECK_OK(yoke_host_call(streams[i], meet, &m, NULL));
    for (int i = 0; i < MOST; i++)
        CHECK_OK(yoke_stream_wait(streams[i]));
out:
    release_streams(streams, MOST);
}

/* More blocked streams than any driver has hardware queues, each with work behind; then everything a program may do. */
static void blocked_ones_stop_nobody(suite *t)
{
    enum { BLOCKED = 40 };
    yoke_stream *blocked[BLOCKED] = { NULL }, *free_stream = NULL;
    stand s = STAND_INIT;
    guarded x = { 0 }, y[BLOCKED] = { { 0 } };
    uint32_t value = 7;
    atomic_uint ran = 0;
    bool ok = false;

    NEED(guarded_create(t, 4, &x) && guarded_write(t, &x, &value));
    for (int i = 0; i < BLOCKED; i++)
        NEED(guarded_create(t, 4, &y[i]) && guarded_write(t, &y[i], &value));
    NEED(make_streams(t, blocked, BLOCKED));
    for (int i = 0; i < BLOCKED; i++) {
        CHECK_OK(yoke_host_call(blocked[i], stand_at_gate, &s, NULL));
        advance(t, blocked[i], y[i].buffer, 0);
    }
    gate_wait(&s.inside, BLOCKED);
    ok = CHECK_OK(yoke_stream_create(t->device, NULL, &free_stream));
    for (int i = 0; ok && i < 50; i++) {
        yoke_buffer *buffer = NULL;

        ok = advance(t, free_stream, x.buffer, (uint32_t)i) && CHECK_OK(yoke_buffer_create(t->device, 4096, &buffer)) &&
             CHECK_OK(yoke_copy(free_stream, buffer, 0, x.buffer, 0, 4)) &&
             CHECK_OK(yoke_host_call(free_stream, count_up, &ran, NULL)) &&
             CHECK_OK(yoke_copy_sync(free_stream, x.buffer, 0, buffer, 0, 4));
        yoke_buffer_release(buffer);
        value = value * 3u + (uint32_t)i;
    }
    CHECK(atomic_load(&ran) == 50);
    guarded_check(t, &x, &value);
    value = 7;
    for (int i = 0; i < BLOCKED; i++)
        guarded_check(t, &y[i], &value);
    suite_works(t); /* the first time, it builds a program too */
out:
    gate_open(&s.leave);
    release_streams(blocked, BLOCKED);
    release_streams(&free_stream, 1);
    for (int i = 0; i < BLOCKED; i++)
        guarded_release(&y[i]);
    guarded_release(&x);
}

typedef struct waits {
    yoke_event *event;
    yoke_stream *stream;
    gate *first;
    atomic_uint *ran;
    unsigned wanted;
} waits;

static yoke_status wait_inside(yoke_status status, void *user)
{
    waits *w = user;

    CHECK_STATUS(YOKE_OK, status);
    if (w->first)
        gate_open(w->first);
    if (w->event)
        CHECK_OK(yoke_event_wait(w->event));
    if (w->stream)
        CHECK_OK(yoke_stream_wait(w->stream));
    CHECK(atomic_load(w->ran) >= w->wanted);
    atomic_fetch_add(w->ran, 1);
    return YOKE_OK;
}

/* A waits inside its function for B's event, which is behind B's function, which waits for C, and so on. */
static void functions_wait_for_functions(suite *t)
{
    enum { DEPTH = 12 };
    yoke_stream *streams[DEPTH] = { NULL };
    waits w[DEPTH];
    atomic_uint ran = 0;
    stand s = STAND_INIT;
    yoke_event *event = NULL;

    memset(w, 0, sizeof w);
    NEED(make_streams(t, streams, DEPTH));
    NEED_OK(yoke_host_call(streams[0], stand_at_gate, &s, NULL));
    CHECK_OK(yoke_event_record(streams[0], 0, &event));
    for (int i = 1; i < DEPTH; i++) {
        w[i] = (waits){ i % 3 ? event : NULL, i % 3 ? NULL : streams[i - 1], NULL, &ran, i - 1 };
        CHECK_OK(yoke_host_call(streams[i], wait_inside, &w[i], NULL));
        if (!w[i].event)
            yoke_event_release(event);
        event = NULL;
        CHECK_OK(yoke_event_record(streams[i], 0, &event));
    }
    gate_wait(&s.inside, 1);
    CHECK(atomic_load(&ran) == 0);
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(event));
    gate_open(&s.leave);
    CHECK_OK(yoke_event_wait(event));
    CHECK(atomic_load(&ran) == DEPTH - 1);
    for (int i = 1; i < DEPTH; i++)
        CHECK_OK(yoke_stream_wait(streams[i]));
out:
    release_streams(streams, DEPTH);
    yoke_event_release(event);
    for (int i = 1; i < DEPTH; i++)
        yoke_event_release(w[i].event);
}

/* B waits for an event behind A's blocked function: B's work stays out, while C goes on. */
static void waiting_streams_are_held(suite *t)
{
    yoke_stream *b = NULL, *c = NULL;
    stand s = STAND_INIT;
    yoke_event *event = NULL, *done = NULL;
    guarded x = { 0 };
    uint32_t value = 11;
    atomic_uint ran = 0;

    NEED_OK(yoke_stream_create(t->device, NULL, &b));
    NEED_OK(yoke_stream_create(t->device, NULL, &c));
    NEED(guarded_create(t, 4, &x) && guarded_write(t, &x, &value));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    bool ok = advance(t, t->stream, x.buffer, 1) && CHECK_OK(yoke_event_record(t->stream, 0, &event)) &&
              CHECK_OK(yoke_stream_wait_event(b, event)) && advance(t, b, x.buffer, 2) &&
              CHECK_OK(yoke_host_call(b, count_up, &ran, NULL)) && advance(t, b, x.buffer, 3) &&
              CHECK_OK(yoke_event_record(b, 0, &done));
    gate_wait(&s.inside, 1);
    for (int i = 0; i < 50; i++) {
        guarded_check(t, &x, &value);
        CHECK_OK(yoke_host_call(c, count_up, &ran, NULL));
        CHECK_OK(yoke_stream_wait(c));
    }
    CHECK(atomic_load(&ran) == 50);
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(done));
    gate_open(&s.leave);
    NEED(ok);
    CHECK_OK(yoke_event_wait(done));
    CHECK(atomic_load(&ran) == 51);
    value = ((value * 3 + 1) * 3 + 2) * 3 + 3;
    guarded_check(t, &x, &value);
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    release_streams(&b, 1);
    release_streams(&c, 1);
    yoke_event_release(event);
    yoke_event_release(done);
    guarded_release(&x);
}

/* Sixteen streams, each waiting for the next one's event; the last stands at a gate. One value goes through all of them. */
static void chain(suite *t)
{
    enum { LENGTH = 16 };
    yoke_stream *streams[LENGTH] = { NULL };
    guarded x = { 0 };
    uint32_t value = 3;

    NEED(guarded_create(t, 4, &x));
    NEED(make_streams(t, streams, LENGTH));
    for (int round = 0; round < 5; round++) {
        stand s = STAND_INIT;
        yoke_event *event = NULL;
        bool ok = guarded_write(t, &x, &value);

        ok = CHECK_OK(yoke_host_call(streams[LENGTH - 1], stand_at_gate, &s, NULL)) && ok;
        for (int i = LENGTH - 1; ok && i >= 0; i--) {
            if (event)
                ok = CHECK_OK(yoke_stream_wait_event(streams[i], event));
            yoke_event_release(event);
            event = NULL;
            ok = ok && advance(t, streams[i], x.buffer, (uint32_t)i) && CHECK_OK(yoke_event_record(streams[i], 0, &event));
        }
        CHECK_STATUS(YOKE_PENDING, yoke_event_query(event));
        guarded_check(t, &x, &value);
        gate_open(&s.leave);
        CHECK_OK(yoke_event_wait(event));
        for (int i = LENGTH - 1; i >= 0; i--)
            value = value * 3u + (uint32_t)i;
        guarded_check(t, &x, &value);
        yoke_event_release(event);
        for (int i = 0; i < LENGTH; i++)
            CHECK_OK(yoke_stream_wait(streams[i]));
        if (!ok)
            break;
    }
out:
    release_streams(streams, LENGTH);
    guarded_release(&x);
}

static yoke_status advance_in_host_memory(yoke_status status, void *user)
{
    uint32_t *x = user;

    CHECK_STATUS(YOKE_OK, status);
    x[0] = x[0] * 3u + 1;
    return YOKE_OK;
}

/* The same over two devices, hand over hand: the value goes through host memory, functions and events only. */
static void chain_over_two_devices(suite *t)
{
    enum { LENGTH = 16 };
    yoke_device *other = NULL;
    yoke_stream *streams[LENGTH] = { NULL }, *sides[2] = { t->side, NULL };
    yoke_event *event = NULL;
    guarded x[2] = { { 0 } };
    stand s = STAND_INIT;
    uint32_t *value = NULL, wanted = 5;
    bool ok = true;

    if (!suite_open_other(t, &other)) {
        suite_skip("there is one device");
        return;
    }
    value = memory_new(sizeof *value);
    *value = wanted;
    NEED_OK(yoke_stream_create(other, NULL, &sides[1]));
    NEED(guarded_create(t, 4, &x[0]) && guarded_create_on(other, sides[1], 4, &x[1]));
    for (int i = 0; i < LENGTH; i++)
        NEED_OK(yoke_stream_create(i % 2 ? other : t->device, NULL, &streams[i]));
    ok = CHECK_OK(yoke_host_call(streams[0], stand_at_gate, &s, NULL));
    for (int i = 0; ok && i < LENGTH; i++) {
        if (event)
            ok = CHECK_OK(yoke_stream_wait_event(streams[i], event));
        yoke_event_release(event);
        event = NULL;
        ok = ok && CHECK_OK(yoke_write(streams[i], x[i % 2].buffer, 0, value, sizeof *value)) &&
             CHECK_OK(yoke_read(streams[i], value, x[i % 2].buffer, 0, sizeof *value)) &&
             CHECK_OK(yoke_host_call(streams[i], advance_in_host_memory, value, NULL)) &&
             CHECK_OK(yoke_event_record(streams[i], 0, &event));
        wanted = wanted * 3u + 1;
    }
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(event));
    gate_open(&s.leave);
    CHECK_OK(yoke_event_wait(event));
    CHECK(*value == wanted);
    for (int i = 0; i < LENGTH; i++)
        CHECK_OK(yoke_stream_wait(streams[i]));
out:
    gate_open(&s.leave);
    release_streams(streams, LENGTH);
    yoke_event_release(event);
    guarded_release(&x[0]);
    guarded_release(&x[1]);
    yoke_stream_release(sides[1]);
    yoke_device_release(other);
    memory_free(value);
}

/* Two streams that hand a value to and fro, each turn a function, all enqueued before the first may run. */
static void to_and_fro(suite *t)
{
    enum { TURNS = 200 };
    yoke_stream *streams[2] = { NULL };
    yoke_event *event = NULL;
    stand s = STAND_INIT;
    uint32_t *value = memory_new(sizeof *value), wanted = 0;
    bool ok = true;

    NEED(make_streams(t, streams, 2));
    ok = CHECK_OK(yoke_host_call(streams[0], stand_at_gate, &s, NULL));
    for (int i = 0; ok && i < TURNS; i++) {
        if (event)
            ok = CHECK_OK(yoke_stream_wait_event(streams[i % 2], event));
        yoke_event_release(event);
        event = NULL;
        ok = ok && CHECK_OK(yoke_host_call(streams[i % 2], advance_in_host_memory, value, NULL)) &&
             CHECK_OK(yoke_event_record(streams[i % 2], 0, &event));
        wanted = wanted * 3u + 1;
    }
    gate_open(&s.leave);
    CHECK_OK(yoke_event_wait(event));
    CHECK(*value == wanted);
out:
    gate_open(&s.leave);
    release_streams(streams, 2);
    yoke_event_release(event);
    memory_free(value);
}

int main(void)
{
    static const suite_case cases[] = {
        { "64 functions that sleep 10 ms", functions_sleep, false },
        { "64 functions have to be inside at once", all_inside_at_once, false },
        { "40 blocked functions stop nobody", blocked_ones_stop_nobody, false },
        { "functions wait for events and streams behind functions", functions_wait_for_functions, false },
        { "a stream that waits for work behind a function is deferred", waiting_streams_are_held, false },
        { "a chain of 16 streams", chain, false },
        { "a chain of 16 streams over two devices", chain_over_two_devices, false },
        { "two streams hand a value to and fro", to_and_fro, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "hostcall test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
