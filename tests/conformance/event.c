/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: pending, complete, waited for, timed. A host function that stands at a gate makes "not yet" certain on any driver.
 */
#include "suite.h"
#include "stand.h"

#include <stdlib.h>
#include <string.h>

static void pending_then_complete(suite *t)
{
    stand s = STAND_INIT;
    yoke_event *before = NULL, *after = NULL;

    CHECK_OK(yoke_event_record(t->stream, 0, &before));
    CHECK_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_event_record(t->stream, 0, &after));
    CHECK_OK(yoke_event_wait(before));
    CHECK_OK(yoke_event_query(before));
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(after));
    gate_wait(&s.inside, 1);
    for (int i = 0; i < 1000; i++)
        CHECK_STATUS(YOKE_PENDING, yoke_event_query(after));
    gate_open(&s.leave);
    CHECK_OK(yoke_event_wait(after));
    CHECK_OK(yoke_event_query(after));
    CHECK_OK(yoke_event_wait(after));
    yoke_event_release(before);
    yoke_event_release(after);
}

static void completes_on_an_idle_stream(suite *t)
{
    yoke_event *event = NULL;
    guarded x = { 0 };

    CHECK_OK(yoke_event_record(t->stream, 0, &event));
    CHECK_OK(yoke_event_wait(event));
    yoke_event_release(event);
    event = NULL;
    NEED(guarded_create(t, 64, &x));
    NEED_OK(yoke_fill(t->stream, x.buffer, 0, 64, "x", 1));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    while (yoke_event_query(event) == YOKE_PENDING) /* nothing but queries: they have to make progress */
        ;
    CHECK_OK(yoke_event_query(event));
out:
    yoke_event_release(event);
    guarded_release(&x);
}

static void complete_means_done(suite *t)
{
    guarded out = { 0 };
    yoke_event *event = NULL;
    uint32_t rounds = 0, wanted[2];

    NEED(guarded_create(t, sizeof wanted, &out));
    for (uint32_t value = 1; value <= 6; value++) {
        NEED(suite_spin(t, t->stream, out.buffer, value, 8, &rounds));
        NEED_OK(yoke_event_record(t->stream, 0, &event));
        if (value % 2)
            CHECK_OK(yoke_event_wait(event));
        else
            while (yoke_event_query(event) == YOKE_PENDING)
                ;
        CHECK_OK(yoke_event_query(event));
        wanted[0] = value;
        wanted[1] = spin_result(value, rounds);
        guarded_check(t, &out, wanted);
        yoke_event_release(event);
        event = NULL;
    }
out:
    guarded_release(&out);
}

static void outlives_its_stream(suite *t)
{
    guarded out = { 0 };
    yoke_stream *stream = NULL;
    yoke_event *event = NULL, *early = NULL;

    NEED(guarded_create(t, 2 * sizeof(uint32_t), &out));
    NEED_OK(yoke_stream_create(t->device, &stream));
    CHECK_OK(yoke_event_record(stream, 0, &early));
    CHECK_OK(yoke_stream_wait(stream));
    CHECK(suite_spin(t, stream, out.buffer, 3, 10, NULL));
    CHECK_OK(yoke_event_record(stream, 0, &event));
    yoke_stream_release(stream);
    CHECK_OK(yoke_event_query(early));
    CHECK_OK(yoke_stream_wait_event(t->stream, event));
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_event_query(event));
    CHECK_OK(yoke_event_wait(event));
out:
    yoke_event_release(early);
    yoke_event_release(event);
    guarded_release(&out);
}

static void released_while_pending(suite *t)
{
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    yoke_stream *waiting = NULL;

    NEED_OK(yoke_stream_create(t->device, &waiting));
    CHECK_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    for (int i = 0; i < 100; i++) {
        CHECK_OK(yoke_event_record(t->stream, 0, &event));
        if (i % 10 == 0)
            CHECK_OK(yoke_stream_wait_event(waiting, event));
        yoke_event_release(event);
    }
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(waiting));
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_event_release(NULL);
out:
    yoke_stream_release(waiting);
}

static void retain_counts(suite *t)
{
    yoke_event *event = NULL;

    NEED_OK(yoke_event_record(t->stream, 0, &event));
    CHECK(yoke_event_retain(event) == event);
    yoke_event_release(event);
    CHECK_OK(yoke_event_wait(event));
    CHECK(yoke_event_retain(NULL) == NULL);
out:
    yoke_event_release(event);
}

static void *wait_for_event(void *user)
{
    CHECK_OK(yoke_event_wait(user));
    return NULL;
}

static void several_threads_wait(suite *t)
{
    enum { THREADS = 8 };
    stand s = STAND_INIT;
    pthread_t threads[THREADS];
    yoke_event *event = NULL;

    CHECK_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, wait_for_event, event) == 0);
    gate_wait(&s.inside, 1);
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(event));
    gate_open(&s.leave);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_OK(yoke_event_query(event));
out:
    yoke_event_release(event);
}

/* Later events of a stream never complete before earlier ones. */
static void complete_in_order(suite *t)
{
    enum { EVENTS = 2000 };
    yoke_event **events = calloc(EVENTS, sizeof *events);
    guarded x = { 0 };

    NEED(events != NULL);
    NEED(guarded_create(t, 64, &x));
    for (int i = 0; i < EVENTS; i++) {
        if (i % 50 == 0)
            NEED_OK(yoke_fill(t->stream, x.buffer, 0, 64, &(uint32_t){ (uint32_t)i }, 4));
        NEED_OK(yoke_event_record(t->stream, 0, &events[i]));
    }
    for (bool all = false; !all;) {
        int complete = EVENTS;
        while (complete > 0 && yoke_event_query(events[complete - 1]) == YOKE_PENDING)
            complete--;
        for (int i = 0; i < complete; i++)
            if (!CHECK_OK(yoke_event_query(events[i])))
                goto out;
        all = complete == EVENTS;
    }
out:
    for (int i = 0; events && i < EVENTS; i++)
        yoke_event_release(events[i]);
    free(events);
    guarded_release(&x);
}

static void carries_the_failure(suite *t)
{
    yoke_event *before = NULL, *after = NULL;
    yoke_stream *other = NULL;

    NEED_OK(yoke_stream_create(t->device, &other));
    CHECK_OK(yoke_event_record(t->stream, 0, &before));
    CHECK_OK(yoke_stream_wait(t->stream));
    stand s = STAND_INIT;
    CHECK_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    CHECK_OK(yoke_event_record(t->stream, 0, &after));
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(after));
    gate_open(&s.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_wait(after));
    yoke_error_clear();
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_query(after));
    CHECK_OK(yoke_event_query(before));
    CHECK_OK(yoke_event_wait(before));
    CHECK_STATUS(OWN_STATUS, yoke_stream_wait(t->stream));
out:
    yoke_event_release(before);
    yoke_event_release(after);
    yoke_stream_release(other);
}

static void timing(suite *t)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL;
    yoke_event *start = NULL, *end = NULL, *plain = NULL;
    guarded out = { 0 };
    int64_t elapsed = 0, none = 5;

    desc.flags = YOKE_STREAM_TIMED;
    if (!suite_can(t, YOKE_CAP_TIMING)) {
        CHECK_FAILS(YOKE_E_UNSUPPORTED, "", yoke_stream_create_with(t->device, &desc, &stream));
        suite_skip("no timed events: %s", yoke_device_lacks(t->device, YOKE_CAP_TIMING));
        return;
    }
    NEED_OK(yoke_stream_create_with(t->device, &desc, &stream));
    NEED(guarded_create(t, 2 * sizeof(uint32_t), &out));
    NEED(suite_spin(t, stream, out.buffer, 1, 1, NULL));
    NEED_OK(yoke_stream_wait(stream));
    /* The host's clock also counts what a busy machine did in between, so of several tries one has to come near to it. */
    double wall = 0, share = 0;
    for (int tries = 0; tries < 20 && share < 0.25; tries++) {
        yoke_event_release(start);
        yoke_event_release(end);
        start = end = NULL;
        double before = suite_now();
        NEED_OK(yoke_event_record(stream, YOKE_EVENT_TIMED, &start));
        NEED(suite_spin(t, stream, out.buffer, 1, 40, NULL));
        NEED_OK(yoke_event_record(stream, YOKE_EVENT_TIMED, &end));
        NEED_OK(yoke_event_wait(end));
        wall = suite_now() - before;
        NEED_OK(yoke_event_get_elapsed(start, end, &elapsed));
        CHECK((double)elapsed * 1e-9 <= wall * 1.05 + 1e-3);
        share = (double)elapsed * 1e-9 / wall;
    }
    tap_diag("a kernel of %.3f ms on the host's clock took %.3f ms on the device's", wall * 1e3, (double)elapsed * 1e-6);
    CHECK(share >= 0.25);
    NEED_OK(yoke_event_record(stream, 0, &plain));
    NEED_OK(yoke_event_get_elapsed(end, start, &none));
    CHECK(none == -elapsed);
    NEED_OK(yoke_event_get_elapsed(start, start, &none));
    CHECK(none == 0);

    none = 5;
    NEED_OK(yoke_event_wait(plain));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "end", yoke_event_get_elapsed(start, plain, &none));
    CHECK(none == 0);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "start", yoke_event_get_elapsed(plain, end, &none));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_nanoseconds", yoke_event_get_elapsed(start, end, NULL));
out:
    yoke_event_release(start);
    yoke_event_release(end);
    yoke_event_release(plain);
    yoke_stream_release(stream);
    guarded_release(&out);
}

static void timing_before_it_completes(suite *t)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL;
    yoke_event *start = NULL, *end = NULL, *failed = NULL;
    stand s = STAND_INIT;
    int64_t elapsed = 5;

    if (!suite_can(t, YOKE_CAP_TIMING)) {
        suite_skip("no timed events: %s", yoke_device_lacks(t->device, YOKE_CAP_TIMING));
        return;
    }
    desc.flags = YOKE_STREAM_TIMED;
    NEED_OK(yoke_stream_create_with(t->device, &desc, &stream));
    CHECK_OK(yoke_event_record(stream, YOKE_EVENT_TIMED, &start));
    CHECK_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_event_record(stream, YOKE_EVENT_TIMED, &end));
    CHECK_STATUS(YOKE_PENDING, yoke_event_get_elapsed(start, end, &elapsed));
    CHECK(elapsed == 0);
    gate_wait(&s.inside, 1);
    CHECK_STATUS(YOKE_PENDING, yoke_event_get_elapsed(start, end, &elapsed));
    gate_open(&s.leave);
    CHECK_OK(yoke_event_wait(end));
    CHECK_OK(yoke_event_get_elapsed(start, end, &elapsed));
    CHECK(elapsed > 0);
    CHECK_OK(yoke_host_call(stream, fail_on_purpose, NULL, NULL));
    if (yoke_event_record(stream, YOKE_EVENT_TIMED, &failed) == YOKE_OK) {
        CHECK_STATUS(OWN_STATUS, yoke_event_wait(failed));
        CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_get_elapsed(start, failed, &elapsed));
        CHECK(elapsed == 0);
    }
out:
    yoke_event_release(start);
    yoke_event_release(end);
    yoke_event_release(failed);
    yoke_stream_release(stream);
}

static void timing_across_devices(suite *t)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_device *devices[2] = { NULL };
    yoke_stream *streams[2] = { NULL };
    yoke_event *events[2] = { NULL };
    int64_t elapsed = 5;

    if (!suite_can(t, YOKE_CAP_TIMING)) {
        suite_skip("no timed events: %s", yoke_device_lacks(t->device, YOKE_CAP_TIMING));
        return;
    }
    desc.flags = YOKE_STREAM_TIMED;
    devices[0] = yoke_device_retain(t->device);
    NEED_OK(yoke_device_open(t->info.selector, &devices[1])); /* opened twice counts as two */
    for (int i = 0; i < 2; i++) {
        NEED_OK(yoke_stream_create_with(devices[i], &desc, &streams[i]));
        NEED_OK(yoke_event_record(streams[i], YOKE_EVENT_TIMED, &events[i]));
        NEED_OK(yoke_event_wait(events[i]));
    }
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "device", yoke_event_get_elapsed(events[0], events[1], &elapsed));
    CHECK(elapsed == 0);
out:
    for (int i = 0; i < 2; i++) {
        yoke_event_release(events[i]);
        yoke_stream_release(streams[i]);
        yoke_device_release(devices[i]);
    }
}

static void timed_wants_a_timed_stream(suite *t)
{
    yoke_event *event = (yoke_event *)&event;

    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "YOKE_STREAM_TIMED", yoke_event_record(t->stream, YOKE_EVENT_TIMED, &event));
    CHECK(event == NULL);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "flags|0x80000000", yoke_event_record(t->stream, 0x80000000u, &event));
    CHECK(event == NULL);
    CHECK_OK(yoke_event_record(t->stream, 0, &event));
    CHECK_OK(yoke_event_wait(event));
    yoke_event_release(event);
}

int main(void)
{
    static const suite_case cases[] = {
        { "pending behind a blocked function, then complete", pending_then_complete, false },
        { "completes on an idle stream, also by queries alone", completes_on_an_idle_stream, false },
        { "complete means that the work before it is done", complete_means_done, false },
        { "outlives its stream", outlives_its_stream, false },
        { "may be released while it is pending", released_while_pending, false },
        { "references are counted", retain_counts, false },
        { "several threads wait for one", several_threads_wait, false },
        { "2000 complete in order", complete_in_order, false },
        { "carries the failure of the work before it", carries_the_failure, false },
        { "timed events tell the device's time", timing, false },
        { "elapsed time before both are complete, or after a failure", timing_before_it_completes, false },
        { "elapsed time across devices is refused", timing_across_devices, false },
        { "flags that cannot be", timed_wants_a_timed_stream, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "event test";
    source.cuda = SPIN_CUDA;
    source.opencl = SPIN_OPENCL;
    return SUITE_MAIN(cases, &source);
}
