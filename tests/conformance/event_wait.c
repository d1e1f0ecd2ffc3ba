/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for events with a limit, and for any of several. A kernel may end at any time, so what has to be pending stands behind a
 * host function at a gate.
 */
#include "suite.h"

#include <string.h>

#include "stand.h"

enum { MILLISECOND = 1000000 }; /* in nanoseconds */

/* ---- One event ---------------------------------------------------------------------------------------------------------- */

static void limit_on_a_held_event(suite *t)
{
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    opener o;
    double shortest = 1e9;

    NEED(record_held(t->stream, &s, &event));
    for (int before = 0; before < 2; before++) {
        CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(event, 0));
        CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(event, 1));
        gate_wait(&s.inside, 1); /* the second time it is certain that the function runs */
    }
    for (int tries = 0; tries < 5; tries++) {
        double start = suite_now();
        CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(event, 20 * MILLISECOND));
        double took = suite_now() - start;
        CHECK(took >= 0.0199);
        shortest = took < shortest ? took : shortest;
    }
    CHECK(shortest < 0.1);
    NEED(opener_start(&o, &s.leave, 0.02));
    CHECK_OK(yoke_event_wait_for(event, YOKE_FOREVER));
    pthread_join(o.thread, NULL);
    CHECK_OK(yoke_event_wait_for(event, 0));
out:
    gate_open(&s.leave);
    yoke_event_release(event);
    CHECK_OK(yoke_stream_wait(t->stream));
}

/* So far away that the time of day and the limit do not fit into 64 bits together, or hardly. */
static void limits_that_never_come(suite *t)
{
    static const uint64_t limits[] = { YOKE_FOREVER, YOKE_FOREVER - 1, YOKE_FOREVER / 2, INT64_MAX, (uint64_t)3600 * 1000000000 };

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        stand s = STAND_INIT;
        yoke_event *event = NULL;
        opener o;

        if (record_held(t->stream, &s, &event) && opener_start(&o, &s.leave, 0.01)) {
            CHECK_OK(yoke_event_wait_for(event, limits[i]));
            pthread_join(o.thread, NULL);
        }
        gate_open(&s.leave);
        CHECK_OK(yoke_stream_wait(t->stream));
        yoke_event_release(event);
    }
}

/* A kernel may be done at any time, and some drivers run it within the call: what is checked is that each answer was true. */
static void limit_on_a_given_event(suite *t)
{
    guarded out = { 0 };
    yoke_event *event = NULL;
    uint32_t rounds = 0, wanted[2];
    unsigned unfinished = 0, passed = 0;

    NEED(guarded_create(t, sizeof wanted, &out));
    for (uint32_t value = 1; value <= 20 && !passed; value++) {
        NEED(suite_spin(t, t->stream, out.buffer, value, 60, &rounds));
        NEED_OK(yoke_event_record(t->stream, 0, &event));
        unfinished += yoke_event_query(event) == YOKE_PENDING;
        for (yoke_status status = YOKE_PENDING; status == YOKE_PENDING; passed += status == YOKE_PENDING) {
            double start = suite_now();
            status = yoke_event_wait_for(event, MILLISECOND / 10);
            CHECK(status == YOKE_OK || status == YOKE_PENDING);
            CHECK(status == YOKE_OK || suite_now() - start >= 0.00009);
        }
        wanted[0] = value;
        wanted[1] = spin_result(value, rounds);
        guarded_check(t, &out, wanted);
        CHECK_OK(yoke_event_wait_for(event, 0));
        yoke_event_release(event);
        event = NULL;
    }
    tap_diag("%u kernels were unfinished when asked, %u limits passed before one was done", unfinished, passed);
    CHECK(passed > 0 || unfinished == 0);
    NEED(suite_spin(t, t->stream, out.buffer, 5, 20, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    CHECK_OK(yoke_event_wait_for(event, YOKE_FOREVER));
out:
    yoke_event_release(event);
    guarded_release(&out);
}

static void limit_on_a_failed_event(suite *t)
{
    stand s = STAND_INIT;
    yoke_event *event = NULL, *complete = NULL;
    yoke_event *both[2];
    opener o;
    size_t index = 9;

    NEED_OK(yoke_event_record(t->stream, 0, &complete));
    CHECK_OK(yoke_event_wait_for(complete, YOKE_FOREVER));
    CHECK_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(event, MILLISECOND));
    NEED(opener_start(&o, &s.leave, 0.01));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_wait_for(event, YOKE_FOREVER));
    pthread_join(o.thread, NULL);
    yoke_error_clear();
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_wait_for(event, 0));
    both[0] = event;
    both[1] = complete;
    yoke_error_clear();
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_wait_any(both, 2, YOKE_FOREVER, &index));
    CHECK(index == 0);
    CHECK_OK(yoke_event_wait_for(complete, 0));
out:
    gate_open(&s.leave);
    CHECK_STATUS(OWN_STATUS, yoke_stream_wait(t->stream));
    yoke_event_release(event);
    yoke_event_release(complete);
}

static void *wait_a_minute(void *user)
{
    CHECK_OK(yoke_event_wait_for(user, (uint64_t)60 * 1000000000));
    return NULL;
}

static void threads_with_limits(suite *t)
{
    enum { THREADS = 8 };
    stand s = STAND_INIT;
    pthread_t threads[THREADS];
    yoke_event *event = NULL;
    int started = 0;

    NEED(record_held(t->stream, &s, &event));
    while (started < THREADS && CHECK(pthread_create(&threads[started], NULL, wait_a_minute, event) == 0))
        started++;
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(event, 5 * MILLISECOND));
    gate_open(&s.leave);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
out:
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_event_release(event);
}

/* ---- Any of several ----------------------------------------------------------------------------------------------------- */

static void any_of_several_streams(suite *t)
{
    enum { STREAMS = 3 };
    yoke_stream *streams[STREAMS] = { NULL };
    stand s[STREAMS] = { STAND_INIT, STAND_INIT, STAND_INIT };
    yoke_event *events[STREAMS + 1] = { NULL }, *pair[2];
    guarded out = { 0 };
    opener o;
    size_t index = 9;

    NEED(guarded_create(t, 2 * sizeof(uint32_t), &out));
    for (int i = 0; i < STREAMS; i++)
        NEED(CHECK_OK(yoke_stream_create(t->device, &streams[i])) && record_held(streams[i], &s[i], &events[i]));
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_any(events, STREAMS, 0, &index));
    CHECK(index == STREAMS);
    double start = suite_now();
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_any(events, STREAMS, 5 * MILLISECOND, &index));
    CHECK(suite_now() - start >= 0.0049 && index == STREAMS);

    NEED(opener_start(&o, &s[1].leave, 0.01));
    CHECK_OK(yoke_event_wait_any(events, STREAMS, YOKE_FOREVER, &index));
    CHECK(index == 1);
    pthread_join(o.thread, NULL);

    /* A kernel's event among those that are held. */
    NEED(suite_spin(t, t->stream, out.buffer, 1, 20, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &events[STREAMS]));
    pair[0] = events[0];
    pair[1] = events[STREAMS];
    CHECK_OK(yoke_event_wait_any(pair, 2, YOKE_FOREVER, &index));
    CHECK(index == 1);

    CHECK_OK(yoke_event_wait_any(events, STREAMS + 1, 0, &index)); /* two are complete: the first of them */
    CHECK(index == 1);
    pair[1] = events[2];
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_any(pair, 2, MILLISECOND, &index));
    CHECK(index == 2);
    gate_open(&s[0].leave);
    CHECK_OK(yoke_event_wait_any(events, 1, YOKE_FOREVER, &index));
    CHECK(index == 0);
out:
    for (int i = 0; i < STREAMS; i++) {
        gate_open(&s[i].leave);
        CHECK_OK(yoke_stream_wait(streams[i]));
        yoke_stream_release(streams[i]);
    }
    for (int i = 0; i <= STREAMS; i++)
        yoke_event_release(events[i]);
    guarded_release(&out);
}

/* Many events, each of which is the one that completes once: nobody else's end is taken for it. */
static void any_of_many(suite *t)
{
    enum { STREAMS = 24 };
    yoke_stream *streams[STREAMS] = { NULL };
    yoke_event *events[STREAMS] = { NULL }, *left[STREAMS];
    stand s[STREAMS];
    size_t count = STREAMS, index = 99;

    for (int i = 0; i < STREAMS; i++)
        s[i] = (stand)STAND_INIT;
    for (int i = 0; i < STREAMS; i++)
        NEED(CHECK_OK(yoke_stream_create(t->device, &streams[i])) && record_held(streams[i], &s[i], &events[i]));
    memcpy(left, events, sizeof left);
    for (int i = 0; i < STREAMS; i++) {
        int next = i * 7 % STREAMS;
        opener o;

        NEED(opener_start(&o, &s[next].leave, 0.002));
        CHECK_OK(yoke_event_wait_any(left, count, YOKE_FOREVER, &index));
        pthread_join(o.thread, NULL);
        NEED(index < count && left[index] == events[next]);
        left[index] = left[--count];
    }
out:
    for (int i = 0; i < STREAMS; i++) {
        gate_open(&s[i].leave);
        yoke_stream_wait(streams[i]);
        yoke_stream_release(streams[i]);
        yoke_event_release(events[i]);
    }
}

static void bad_arguments(suite *t)
{
    yoke_event *event = NULL, *released = NULL, *events[2];
    size_t index = 9;

    NEED_OK(yoke_event_record(t->stream, 0, &event));
    NEED_OK(yoke_event_record(t->stream, 0, &released));
    yoke_event_release(released);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_wait_for|event", yoke_event_wait_for(NULL, 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_wait_for|event", yoke_event_wait_for(released, YOKE_FOREVER));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_wait_any|out_index", yoke_event_wait_any(&event, 1, 0, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_wait_any|no events", yoke_event_wait_any(&event, 0, YOKE_FOREVER, &index));
    CHECK(index == 0);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_wait_any|no events", yoke_event_wait_any(NULL, 2, YOKE_FOREVER, &index));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_wait_any|no array",
                yoke_event_wait_any(&event, SIZE_MAX, YOKE_FOREVER, &index));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_wait_any|no array", yoke_event_wait_any(&event, SIZE_MAX / 16 + 1, 0, &index));
    events[0] = event;
    events[1] = NULL;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_wait_any|events[1]", yoke_event_wait_any(events, 2, YOKE_FOREVER, &index));
    events[1] = released;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_wait_any|events[1]", yoke_event_wait_any(events, 2, YOKE_FOREVER, &index));
    events[1] = (yoke_event *)(void *)t->stream;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_wait_any|events[1]", yoke_event_wait_any(events, 2, YOKE_FOREVER, &index));
    events[1] = event; /* twice the same is no fault */
    CHECK_OK(yoke_event_wait_any(events, 2, YOKE_FOREVER, &index));
    CHECK(index == 0);
out:
    yoke_event_release(event);
}

/* ---- Inside a host function --------------------------------------------------------------------------------------------- */

typedef struct inside {
    yoke_event *before, *behind, *other;
    gate recorded;
    gate *let_other_go;
} inside;

static yoke_status wait_inside(yoke_status status, void *user)
{
    inside *in = user;
    size_t index = 9;

    CHECK_STATUS(YOKE_OK, status);
    gate_wait(&in->recorded, 1); /* only now `behind` is there */
    yoke_event *behind_twice[] = { in->behind, in->behind }, *mixed[] = { in->behind, in->other };
    yoke_event *with_before[] = { in->behind, in->before };
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(in->behind, 0)); /* a look is no wait */
    CHECK_FAILS(YOKE_E_DEADLOCK, "yoke_event_wait_for", yoke_event_wait_for(in->behind, 1));
    CHECK_FAILS(YOKE_E_DEADLOCK, "yoke_event_wait_for", yoke_event_wait_for(in->behind, YOKE_FOREVER));
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_any(behind_twice, 2, 0, &index));
    CHECK_FAILS(YOKE_E_DEADLOCK, "yoke_event_wait_any", yoke_event_wait_any(behind_twice, 2, YOKE_FOREVER, &index));
    CHECK(index == 2);
    CHECK_OK(yoke_event_wait_for(in->before, YOKE_FOREVER));
    CHECK_OK(yoke_event_wait_any(with_before, 2, YOKE_FOREVER, &index));
    CHECK(index == 1);
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_any(mixed, 2, MILLISECOND, &index)); /* the other one may come */
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(in->other, MILLISECOND));
    gate_open(in->let_other_go);
    CHECK_OK(yoke_event_wait_any(mixed, 2, YOKE_FOREVER, &index));
    CHECK(index == 1);
    return YOKE_OK;
}

static void waits_in_a_host_function(suite *t)
{
    stand s = STAND_INIT;
    inside in = { .recorded = GATE_INIT, .let_other_go = &s.leave };
    yoke_stream *stream = NULL;

    NEED_OK(yoke_stream_create(t->device, &stream));
    NEED(record_held(stream, &s, &in.other));
    NEED_OK(yoke_event_record(t->stream, 0, &in.before));
    NEED_OK(yoke_host_call(t->stream, wait_inside, &in, NULL));
    CHECK_OK(yoke_event_record(t->stream, 0, &in.behind));
    gate_open(&in.recorded);
    CHECK_OK(yoke_event_wait_for(in.behind, YOKE_FOREVER));
out:
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(stream));
    yoke_stream_release(stream);
    yoke_event_release(in.before);
    yoke_event_release(in.behind);
    yoke_event_release(in.other);
}

/* ---- Streams that wait for each other, many times ahead ---- */

typedef struct ahead {
    suite *t;
    yoke_stream *other;
    yoke_buffer *buffer;
} ahead;

static void *enqueue_and_wait(void *user)
{
    enum { TIMES = 1000 };
    const ahead *in = user;
    suite *t = in->t;
    yoke_stream *streams[] = { t->stream, in->other };
    const uint8_t zero = 0;

    for (int i = 0; i < TIMES; i++) {
        yoke_event *event = NULL;
        CHECK_OK(yoke_fill(streams[i % 2], in->buffer, 0, yoke_buffer_get_size(in->buffer), &zero, 1));
        CHECK_OK(yoke_event_record(streams[i % 2], 0, &event));
        CHECK_OK(yoke_stream_wait_event(streams[(i + 1) % 2], event));
        yoke_event_release(event);
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_wait(in->other));
    return NULL;
}

/* What the streams have waited for is not as many calls inside each other: a small stack is enough. */
static void two_streams_by_turns(suite *t)
{
    ahead in = { .t = t };
    pthread_attr_t attributes;
    pthread_t thread;

    NEED_OK(yoke_stream_create(t->device, &in.other));
    NEED_OK(yoke_buffer_create(t->device, 1 << 20, &in.buffer));
    NEED(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstacksize(&attributes, 256 << 10) == 0);
    if (CHECK(pthread_create(&thread, &attributes, enqueue_and_wait, &in) == 0))
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
out:
    yoke_buffer_release(in.buffer);
    yoke_stream_release(in.other);
}

int main(void)
{
    static const suite_case cases[] = {
        { "a limit on a held event", limit_on_a_held_event, false },
        { "limits that never come", limits_that_never_come, false },
        { "a limit on an event that the driver has", limit_on_a_given_event, false },
        { "a limit on events that are complete or failed", limit_on_a_failed_event, false },
        { "several threads wait with limits", threads_with_limits, false },
        { "any of several streams' events", any_of_several_streams, false },
        { "any of 24 streams' events", any_of_many, false },
        { "bad arguments", bad_arguments, false },
        { "waits inside a host function", waits_in_a_host_function, false },
        { "two streams wait for each other by turns, far ahead", two_streams_by_turns, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "event wait test";
    source.cuda = SPIN_CUDA;
    source.opencl = SPIN_OPENCL;
    return SUITE_MAIN(cases, &source);
}
