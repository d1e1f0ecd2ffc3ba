/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams with a depth: no more than so many operations are unfinished, held behind a host function or given to the driver; what
 * comes beyond waits, or is YOKE_PENDING; and what was bounded is all that still runs when the stream is cancelled.
 */
#include "suite.h"

#include <sched.h>
#include <stdatomic.h>

#include <yoke/graph.h>

#include "stand.h"
enum { DEPTH = 8, MANY = 200 };

static bool bounded_stream(suite *t, uint32_t depth, uint32_t flags, yoke_stream **out_stream)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;

    desc.depth = depth;
    desc.flags = flags;
    return CHECK_OK(yoke_stream_create(t->device, &desc, out_stream));
}

static yoke_status count_done(yoke_status status, void *counter)
{
    if (status == YOKE_OK)
        atomic_fetch_add((atomic_uint *)counter, 1);
    return YOKE_OK;
}

static yoke_status pass(yoke_status status, void *user)
{
    (void)user;
    return status;
}

/* ---- What is refused ---- */

static void descriptors(suite *t)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL;

    CHECK(desc.depth == 0);
    desc.flags = YOKE_STREAM_PENDING_WHEN_FULL;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_stream_create|PENDING_WHEN_FULL|depth",
                yoke_stream_create(t->device, &desc, &stream));
    CHECK(stream == NULL);
    desc.flags = 4;
    desc.depth = 1;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "flags|0x4", yoke_stream_create(t->device, &desc, &stream));
}

/* ---- Held ---- */

/* Exactly so many fit behind a function that stands; each kind counts as one. */
static void pending_when_full(suite *t)
{
    stand s = STAND_INIT;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;
    yoke_graph *graph = NULL;
    atomic_uint called = 0;
    uint32_t value = 5, expected = 7;

    NEED(bounded_stream(t, 5, YOKE_STREAM_PENDING_WHEN_FULL, &stream));
    NEED_OK(yoke_buffer_create(t->device, 64, &buffer));
    NEED_OK(yoke_graph_create(t->device, NULL, &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    for (int i = 0; i < MANY; i++)
        NEED_OK(yoke_host_call(t->stream, count_done, &called, NULL)); /* a recorded stream is never full */
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
    gate_wait(&s.inside, 1);
    NEED_OK(yoke_fill(stream, buffer, 0, 64, &value, sizeof value));
    NEED_OK(yoke_host_call(stream, count_done, &called, NULL));
    NEED_OK(yoke_graph_launch(stream, graph));
    NEED_OK(yoke_event_record(stream, 0, &event));
    for (int tries = 0; tries < 3; tries++) {
        yoke_event *another = (yoke_event *)&value;
        CHECK_STATUS(YOKE_PENDING, yoke_fill(stream, buffer, 0, 64, &expected, sizeof expected));
        CHECK_STATUS(YOKE_PENDING, yoke_write(stream, buffer, 0, &expected, sizeof expected));
        CHECK_STATUS(YOKE_PENDING, yoke_host_call(stream, count_done, &called, NULL));
        CHECK_STATUS(YOKE_PENDING, yoke_graph_launch(stream, graph));
        CHECK_STATUS(YOKE_PENDING, yoke_event_record(stream, 0, &another));
        CHECK(another == NULL);
    }
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(event));
    gate_open(&s.leave);
    NEED_OK(yoke_event_wait(event));
    CHECK(atomic_load(&called) == MANY + 1);
    NEED_OK(yoke_stream_wait(stream));
    NEED_OK(yoke_fill(stream, buffer, 0, 64, &expected, sizeof expected)); /* there is room again */
    NEED_OK(yoke_read_sync(stream, &value, buffer, 60, sizeof value));
    CHECK(value == 7);
out:
    gate_open(&s.leave);
    yoke_event_release(event);
    yoke_graph_release(graph);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
}

/* A call that is several operations is all of them or none. */
static void all_or_nothing(suite *t)
{
    stand s = STAND_INIT;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL, *view = NULL;
    unsigned char bytes[64], pattern[4] = { 1, 2, 3, 4 }, wanted[64] = { 0 };

    NEED(bounded_stream(t, 3, YOKE_STREAM_PENDING_WHEN_FULL, &stream));
    NEED_OK(yoke_buffer_create(t->device, sizeof bytes, &buffer));
    NEED_OK(yoke_buffer_create_view(buffer, 3, 60, &view));
    NEED_OK(yoke_write_sync(stream, buffer, 0, wanted, sizeof wanted));
    NEED_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
    gate_wait(&s.inside, 1);
    NEED_OK(yoke_host_call(stream, pass, NULL, NULL));
    NEED_OK(yoke_fill(stream, view, 0, 56, pattern, sizeof pattern)); /* not at a multiple of the pattern: in several pieces */
    CHECK_STATUS(YOKE_PENDING, yoke_fill(stream, view, 0, 60, pattern, sizeof pattern));
    gate_open(&s.leave);
    NEED_OK(yoke_read_sync(stream, bytes, buffer, 0, sizeof bytes));
    for (int i = 0; i < 56; i++)
        wanted[3 + i] = pattern[i % 4];
    CHECK_BYTES(bytes, wanted, sizeof wanted);
out:
    gate_open(&s.leave);
    yoke_buffer_release(view);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
}

typedef yoke_status rect_call(yoke_stream *stream, yoke_buffer *buffer, yoke_buffer *source, uint32_t value);

static const yoke_pitch uneven = { 4, 8, 20 }; /* slices that are no whole rows apart, which drivers do not take at once */
static const yoke_rect rects = { 4, 2, 3 };

static yoke_status fill_rects(yoke_stream *stream, yoke_buffer *buffer, yoke_buffer *source, uint32_t value)
{
    (void)source;
    return yoke_fill_rect(stream, buffer, uneven, rects, &value, sizeof value);
}

/* Not at a multiple of the pattern: each slice is in several pieces. */
static yoke_status fill_odd_rects(yoke_stream *stream, yoke_buffer *buffer, yoke_buffer *source, uint32_t value)
{
    yoke_buffer *view = NULL;
    yoke_status status = yoke_buffer_create_view(buffer, 1, 60, &view);

    (void)source;
    if (status == YOKE_OK)
        status = yoke_fill_rect(stream, view, uneven, rects, &value, sizeof value);
    yoke_buffer_release(view);
    return status;
}

static yoke_status copy_rects(yoke_stream *stream, yoke_buffer *buffer, yoke_buffer *source, uint32_t value)
{
    (void)value;
    return yoke_copy_rect(stream, buffer, uneven, source, uneven, rects);
}

static yoke_status write_rects(yoke_stream *stream, yoke_buffer *buffer, yoke_buffer *source, uint32_t value)
{
    static const uint32_t host[16] = { 0 };

    (void)source;
    (void)value;
    return yoke_write_rect(stream, buffer, uneven, host, uneven, rects);
}

static void count_as_all(suite *t, rect_call *call)
{
    stand s = STAND_INIT;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL, *source = NULL;

    NEED(bounded_stream(t, 2, YOKE_STREAM_PENDING_WHEN_FULL, &stream));
    NEED_OK(yoke_buffer_create(t->device, 64, &buffer));
    NEED(!yoke_buffer_create_with_data(t->stream, (char[64]){ 0 }, 64, &source) && !yoke_stream_wait(t->stream));
    NEED_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
    gate_wait(&s.inside, 1);
    CHECK_STATUS(YOKE_OK, call(stream, buffer, source, 7));
    CHECK_STATUS(YOKE_PENDING, call(stream, buffer, source, 7));
out:
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(stream));
    yoke_buffer_release(source);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
}

/* Room for one operation is room for a rect that is enqueued slice by slice. */
static void rects_all_or_nothing(suite *t)
{
    count_as_all(t, fill_rects);
    count_as_all(t, fill_odd_rects);
    count_as_all(t, copy_rects);
    count_as_all(t, write_rects);
}

typedef struct feeder {
    yoke_stream *stream;
    atomic_uint fed, called;
    yoke_status status;
} feeder;

static void *feed(void *user)
{
    feeder *f = user;

    for (int i = 0; i < MANY && f->status == YOKE_OK; i++) {
        f->status = yoke_host_call(f->stream, count_done, &f->called, NULL);
        atomic_fetch_add(&f->fed, f->status == YOKE_OK);
    }
    return NULL;
}

/* Several threads that enqueue without end: none gets more in than there is room, and all of it runs in the end. */
static void waits_for_room(suite *t)
{
    enum { THREADS = 4 };
    stand s = STAND_INIT;
    feeder feeders[THREADS] = { { .stream = NULL } };
    pthread_t threads[THREADS];
    yoke_stream *stream = NULL;
    unsigned started = 0, fed = 0;

    NEED(bounded_stream(t, DEPTH, 0, &stream));
    NEED_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
    gate_wait(&s.inside, 1);
    for (; started < THREADS; started++) {
        feeders[started].stream = stream;
        NEED(pthread_create(&threads[started], NULL, feed, &feeders[started]) == 0);
    }
    while (fed < DEPTH - 1) {
        fed = 0;
        for (unsigned i = 0; i < THREADS; i++)
            fed += atomic_load(&feeders[i].fed);
        sched_yield();
    }
    for (int i = 0; i < 1000; i++) /* a moment, in which one too many would get in */
        sched_yield();
    fed = 0;
    for (unsigned i = 0; i < THREADS; i++)
        fed += atomic_load(&feeders[i].fed);
    CHECK(fed == DEPTH - 1);
out:
    gate_open(&s.leave);
    while (started > 0) {
        pthread_join(threads[--started], NULL);
        CHECK_OK(feeders[started].status);
        CHECK_OK(yoke_stream_wait(stream));
        CHECK(atomic_load(&feeders[started].called) == MANY);
    }
    yoke_stream_release(stream);
}

/* ---- Asked ---- */

enum { ENOUGH = -4711 };

static yoke_status second_time(void *times)
{
    return atomic_fetch_add((atomic_uint *)times, 1) % 2 ? yoke_fail(ENOUGH, "waited long enough") : YOKE_OK;
}

/* Who waits for room is asked, and his answer is the call's, which has no effect; the stream goes on. */
static void gives_up(suite *t)
{
    stand s = STAND_INIT;
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;
    yoke_graph *graph = NULL;
    atomic_uint called = 0, times = 0;
    uint32_t value = 5, other = 7;

    desc.depth = 2;
    desc.on_full = second_time;
    desc.user = &times;
    NEED_OK(yoke_stream_create(t->device, &desc, &stream));
    NEED_OK(yoke_buffer_create(t->device, 64, &buffer));
    NEED_OK(yoke_graph_create(t->device, NULL, &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED_OK(yoke_host_call(t->stream, count_done, &called, NULL));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
    gate_wait(&s.inside, 1);
    NEED_OK(yoke_fill(stream, buffer, 0, 64, &value, sizeof value));
    CHECK(atomic_load(&times) == 0);
    CHECK_FAILS(ENOUGH, "long enough", yoke_fill(stream, buffer, 0, 64, &other, sizeof other));
    CHECK(atomic_load(&times) == 2 && strcmp(yoke_error()->function, "yoke_fill") == 0);
    CHECK_FAILS(ENOUGH, "long enough", yoke_write(stream, buffer, 0, &other, sizeof other));
    CHECK_FAILS(ENOUGH, "long enough", yoke_write_sync(stream, buffer, 0, &other, sizeof other));
    CHECK_FAILS(ENOUGH, "long enough", yoke_host_call(stream, count_done, &called, NULL));
    CHECK_FAILS(ENOUGH, "long enough", yoke_graph_launch(stream, graph));
    CHECK_FAILS(ENOUGH, "long enough", yoke_event_record(stream, 0, &event));
    CHECK(event == NULL);
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(stream));
    CHECK(atomic_load(&called) == 0);
    NEED_OK(yoke_read_sync(stream, &other, buffer, 0, sizeof other));
    CHECK(other == 5);
out:
    gate_open(&s.leave);
    yoke_graph_release(graph);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
}

/* In the driver's hands as well; and an answer without a text has one of the library's. */
static yoke_status never(void *times)
{
    atomic_fetch_add((atomic_uint *)times, 1);
    return ENOUGH;
}

/* Behind `spins` kernels of another stream; false where the driver has run them in the calls that launched them. */
static bool stands_behind(suite *t, yoke_stream *busy, yoke_stream *stream, yoke_buffer *out, unsigned spins)
{
    yoke_event *event = NULL;
    bool ok = true, pending = false;

    for (unsigned i = 0; i < spins && ok; i++)
        ok = suite_spin(t, busy, out, 1, 20, NULL);
    if (ok && CHECK_OK(yoke_event_record(busy, 0, &event)) && CHECK_OK(yoke_stream_wait_event(stream, event)))
        pending = yoke_event_query(event) == YOKE_PENDING;
    yoke_event_release(event);
    return pending;
}

static void gives_up_on_the_driver(suite *t)
{
    enum { SPINS = 16, MOST = 1024 };
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL, *busy = NULL;
    yoke_buffer *out = NULL;
    atomic_uint times = 0;
    yoke_status status = YOKE_OK;
    bool stood = false;

    desc.depth = 1;
    desc.on_full = never;
    desc.user = &times;
    NEED_OK(yoke_stream_create(t->device, &desc, &stream));
    NEED_OK(yoke_stream_create(t->device, NULL, &busy));
    NEED_OK(yoke_buffer_create(t->device, 8, &out));
    for (unsigned spins = SPINS; status == YOKE_OK && spins < (stood ? MOST : 4 * SPINS); spins *= 2) {
        NEED_OK(yoke_stream_wait(stream)); /* a round may be short; its operations leave no room for the next wait */
        stood = stands_behind(t, busy, stream, out, spins) || stood;
        for (unsigned i = 0; i < 2 && status == YOKE_OK; i++) /* where the wait counts as one, already the first has no room */
            status = yoke_fill(stream, out, 0, 8, "", 1);
    }
    if (stood) {
        CHECK_STATUS(ENOUGH, status);
        CHECK(atomic_load(&times) == 1 && strstr(yoke_error()->text, "on_full"));
    } else {
        tap_diag("the driver runs kernels in the calls that launch them, and so nobody waits for room");
    }
    CHECK_OK(yoke_stream_wait(stream));
    CHECK_OK(yoke_fill(stream, out, 0, 8, "", 1));
    CHECK_OK(yoke_stream_wait(stream));
out:
    yoke_stream_release(busy);
    yoke_buffer_release(out);
    yoke_stream_release(stream);
}

typedef struct answerer {
    yoke_status status;
    const char *text; /* NULL: none */
    unsigned times;
} answerer;

static yoke_status answer(void *user)
{
    answerer *a = user;

    a->times++;
    return a->text ? yoke_fail(a->status, "%s", a->text) : a->status;
}

/* Whatever the answer is, it ends this call and nothing else; and what has failed before is not its reason. */
static void any_answer(suite *t)
{
    static const yoke_status statuses[] = { YOKE_E_INVALID_ARGUMENT, YOKE_E_OUT_OF_HOST_MEMORY, YOKE_E_DEVICE_LOST };

    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        stand s = STAND_INIT;
        answerer a = { statuses[i], "answered", 0 };
        yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
        yoke_stream *stream = NULL;
        yoke_buffer *buffer = NULL;
        yoke_event *event = NULL;
        uint32_t value = 5;

        desc.depth = 1;
        desc.on_full = answer;
        desc.user = &a;
        NEED_OK(yoke_stream_create(t->device, &desc, &stream));
        NEED_OK(yoke_buffer_create(t->device, 64, &buffer));
        NEED_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
        gate_wait(&s.inside, 1);
        CHECK_FAILS(a.status, "answered", yoke_write(stream, buffer, 0, &value, sizeof value));
        CHECK_FAILS(a.status, "answered", yoke_write_sync(stream, buffer, 0, &value, sizeof value));
        CHECK_FAILS(a.status, "answered", yoke_read(stream, &value, buffer, 0, sizeof value));
        CHECK_FAILS(a.status, "answered", yoke_read_sync(stream, &value, buffer, 0, sizeof value));
        CHECK_FAILS(a.status, "answered", yoke_fill(stream, buffer, 0, 64, &value, sizeof value));
        CHECK_FAILS(a.status, "answered", yoke_event_record(stream, 0, &event));
        CHECK(a.times == 6);
        a.text = NULL;
        (void)yoke_fail(a.status, "something else");
        CHECK_FAILS(a.status, "is full|on_full", yoke_fill(stream, buffer, 0, 64, &value, sizeof value));
        gate_open(&s.leave);
        CHECK_OK(yoke_stream_wait(stream));
        CHECK_OK(yoke_fill(t->stream, buffer, 0, 64, &value, sizeof value));
        CHECK_OK(yoke_stream_wait(t->stream));
    out:
        gate_open(&s.leave);
        yoke_buffer_release(buffer);
        yoke_stream_release(stream);
    }
}

/* An event for who waits for a full stream: nobody is asked for room. */
static void beyond_depth(suite *t)
{
    static const uint32_t flags[] = { 0, YOKE_STREAM_PENDING_WHEN_FULL };

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        stand s = STAND_INIT;
        yoke_stream *stream = NULL;
        yoke_event *event = NULL;
        atomic_uint called = 0;

        NEED(bounded_stream(t, 2, flags[i], &stream));
        NEED_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
        gate_wait(&s.inside, 1);
        NEED_OK(yoke_host_call(stream, count_done, &called, NULL));
        NEED_OK(yoke_event_record(stream, YOKE_EVENT_IGNORE_DEPTH, &event));
        CHECK_STATUS(YOKE_PENDING, yoke_event_query(event));
        gate_open(&s.leave);
        CHECK_OK(yoke_event_wait(event));
        CHECK(atomic_load(&called) == 1);
        CHECK_OK(yoke_stream_cancel(stream));
        yoke_event_release(event);
        event = NULL;
        CHECK_FAILS(YOKE_E_CANCELLED, "", yoke_event_record(stream, YOKE_EVENT_IGNORE_DEPTH, &event));
    out:
        gate_open(&s.leave);
        yoke_event_release(event);
        yoke_stream_release(stream);
    }
}

/* ---- Inside ---- */

typedef struct inner {
    yoke_stream *stream;
    unsigned left;
    atomic_uint called;
} inner;

/* Each enqueues two more: beyond any depth, and none of them waits for itself. */
static yoke_status enqueue_more(yoke_status status, void *user)
{
    inner *of = user;

    CHECK_STATUS(YOKE_OK, status);
    atomic_fetch_add(&of->called, 1);
    for (int i = 0; i < 2 && of->left > 0; i++, of->left--)
        CHECK_OK(yoke_host_call(of->stream, enqueue_more, of, NULL));
    return YOKE_OK;
}

static void from_inside(suite *t)
{
    inner of = { .left = 40 };

    NEED(bounded_stream(t, 2, 0, &of.stream));
    NEED_OK(yoke_host_call(of.stream, enqueue_more, &of, NULL));
    while (atomic_load(&of.called) < 41)
        CHECK_OK(yoke_stream_wait(of.stream));
out:
    yoke_stream_release(of.stream);
}

/* ---- The driver ---- */

/* Far more than fits, one after the other, of all that can be enqueued; and the right result. */
static void through_the_driver(suite *t)
{
    static const uint32_t depths[] = { 1, 2, 3, 16, 100 };
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    uint32_t value;

    NEED_OK(yoke_buffer_create(t->device, 4 * (MANY + 1), &buffer));
    for (size_t k = 0; k < sizeof depths / sizeof depths[0]; k++) {
        NEED(bounded_stream(t, depths[k], 0, &stream));
        for (uint32_t i = 0; i < MANY; i++) {
            NEED_OK(yoke_fill(stream, buffer, (size_t)4 * i, 4, &i, sizeof i));
            if (i % 7 == 0)
                NEED_OK(yoke_host_call(stream, pass, NULL, NULL));
            NEED_OK(yoke_copy(stream, buffer, (size_t)4 * MANY, buffer, (size_t)4 * i, 4));
            NEED_OK(yoke_read_sync(stream, &value, buffer, (size_t)4 * MANY, 4));
            CHECK(value == i);
        }
        yoke_stream_release(stream);
        stream = NULL;
    }
out:
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
}

/* Kernels that take a while are waited for: the caller is never more than the depth ahead of the driver. */
static void never_ahead(suite *t)
{
    yoke_stream *stream = NULL;
    yoke_buffer *out = NULL;
    yoke_event *events[24] = { NULL };

    NEED_OK(yoke_buffer_create(t->device, 8, &out));
    NEED(bounded_stream(t, 4, 0, &stream));
    for (uint32_t i = 0; i < 24; i++) {
        NEED(suite_spin(t, stream, out, i, 2, NULL));
        NEED_OK(yoke_event_record(stream, 0, &events[i]));
        if (i >= 4) /* the kernel before the last four is complete by now */
            CHECK_OK(yoke_event_query(events[i - 4]));
    }
    CHECK_OK(yoke_stream_wait(stream));
out:
    for (size_t i = 0; i < 24; i++)
        yoke_event_release(events[i]);
    yoke_buffer_release(out);
    yoke_stream_release(stream);
}

/* ---- Cancelled ---- */

/* The thread that waits for room hears of it, and of what was enqueued no more than the depth has run. */
static void cancelled(suite *t)
{
    stand s = STAND_INIT;
    feeder f = { .stream = NULL };
    pthread_t thread;
    bool started = false;

    NEED(bounded_stream(t, DEPTH, 0, &f.stream));
    NEED_OK(yoke_host_call(f.stream, stand_at_gate, &s, NULL));
    gate_wait(&s.inside, 1);
    started = CHECK(pthread_create(&thread, NULL, feed, &f) == 0);
    while (started && atomic_load(&f.fed) < DEPTH - 1)
        sched_yield();
    CHECK_OK(yoke_stream_cancel(f.stream));
    pthread_join(thread, NULL);
    started = false;
    CHECK_STATUS(YOKE_E_CANCELLED, f.status);
    CHECK(atomic_load(&f.fed) == DEPTH - 1);
    gate_open(&s.leave);
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_stream_wait(f.stream));
    CHECK(atomic_load(&f.called) == 0);
    CHECK_OK(yoke_stream_recover(f.stream));
    CHECK_OK(yoke_host_call(f.stream, count_done, &f.called, NULL));
    CHECK_OK(yoke_stream_wait(f.stream));
    CHECK(atomic_load(&f.called) == 1);
out:
    gate_open(&s.leave);
    if (started)
        pthread_join(thread, NULL);
    yoke_stream_release(f.stream);
}

static const yoke_source source = { .size = sizeof(yoke_source), .name = "spin", .cuda = SPIN_CUDA, .opencl = SPIN_OPENCL };

static const suite_case cases[] = {
    { "a flag for full streams needs a depth", descriptors, false },
    { "exactly so many operations are held", pending_when_full, false },
    { "a call of several operations is all of them or none", all_or_nothing, false },
    { "and so is a rect of several slices", rects_all_or_nothing, false },
    { "threads wait for room", waits_for_room, false },
    { "who waits for room is asked, and may give up", gives_up, false },
    { "also where the driver has the work", gives_up_on_the_driver, false },
    { "any answer ends the call, and nothing else", any_answer, false },
    { "an event needs no room where it is recorded so", beyond_depth, false },
    { "host functions of the stream do not", from_inside, false },
    { "thousands of operations pass through", through_the_driver, false },
    { "the caller is never further ahead of the driver", never_ahead, false },
    { "a cancelled stream lets those go that wait for room", cancelled, false },
};

int main(void)
{
    return SUITE_MAIN(cases, &source);
}
