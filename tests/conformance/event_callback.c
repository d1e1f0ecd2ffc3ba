/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion callbacks: called once with the status of the work before the event, on a thread of Yoke's, and in nobody's way. A
 * callback's end is its release function, so each case waits for all of those before its memory goes.
 */
#include "suite.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "stand.h"

/* What a callback is to be told, and that it was called once, and released once after that. */
typedef struct callback {
    yoke_status expected;
    const char *text; /* in the record of a failure */
    yoke_event *wait_for;
    yoke_stream *wait_for_stream;
    yoke_event *event; /* that it belongs to, where the callback looks at it */
    gate *hold;        /* what it stands at */
    pthread_t thread;
    atomic_uint called, released;
    gate inside, done;
} callback;

#define CALLBACK_INIT                          \
    {                                          \
        .inside = GATE_INIT, .done = GATE_INIT \
    }

static void on_complete(yoke_status status, void *user)
{
    callback *c = user;

    CHECK(atomic_fetch_add(&c->called, 1) == 0);
    CHECK(atomic_load(&c->released) == 0);
    c->thread = pthread_self();
    if (CHECK_STATUS(c->expected, status) && status < 0) {
        CHECK(yoke_error()->status == status);
        CHECK_TEXT(yoke_error()->text, c->text);
    }
    if (c->event)
        CHECK_STATUS(c->expected, yoke_event_query(c->event));
    gate_open(&c->inside);
    if (c->hold)
        gate_wait(c->hold, 1);
    if (c->wait_for)
        CHECK_OK(yoke_event_wait(c->wait_for));
    if (c->wait_for_stream)
        CHECK_OK(yoke_stream_wait(c->wait_for_stream));
}

static void on_released(void *user)
{
    callback *c = user;

    CHECK(atomic_load(&c->called) == 1);
    CHECK(atomic_fetch_add(&c->released, 1) == 0);
    gate_open(&c->done);
}

static bool add(yoke_event *event, callback *c)
{
    return CHECK_OK(yoke_event_on_complete(event, on_complete, c, on_released));
}

/* Wait for the end of a callback that `add` has added. */
static void finish(callback *c)
{
    gate_wait(&c->done, 1);
    CHECK(atomic_load(&c->called) == 1 && atomic_load(&c->released) == 1);
}

static void never(yoke_status status, void *user)
{
    (void)status;
    (void)user;
    CHECK(!"a callback that was refused has been called");
}

static void never_released(void *user)
{
    (void)user;
    CHECK(!"what belongs to a callback that was refused has been released");
}

/* ---- Once, with the status ---------------------------------------------------------------------------------------------- */

static void called_when_complete(suite *t)
{
    stand s = STAND_INIT;
    callback first = CALLBACK_INIT, second = CALLBACK_INIT, late = CALLBACK_INIT;
    yoke_event *event = NULL;

    NEED(record_held(t->stream, &s, &event));
    first.event = second.event = late.event = event;
    bool added = add(event, &first), again = add(event, &second);
    gate_wait(&s.inside, 1);
    for (int i = 0; i < 5; i++) {
        CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(event, 2000000));
        CHECK(atomic_load(&first.called) == 0 && atomic_load(&second.called) == 0);
    }
    gate_open(&s.leave);
    if (added)
        finish(&first);
    if (again)
        finish(&second);
    CHECK_OK(yoke_event_query(event));
    if (add(event, &late)) /* complete already */
        finish(&late);
out:
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_event_release(event);
}

/* Kernels are what the event of a callback mostly stands for. The callback reads what they wrote. */
typedef struct result {
    suite *t;
    guarded out;
    uint32_t wanted[2];
    gate done;
} result;

static void check_result(yoke_status status, void *user)
{
    result *r = user;

    CHECK_STATUS(YOKE_OK, status);
    guarded_check(r->t, &r->out, r->wanted);
    gate_open(&r->done);
}

static void called_behind_kernels(suite *t)
{
    enum { KERNELS = 12 };
    result r[KERNELS];
    int added = 0;

    for (int i = 0; i < KERNELS; i++)
        r[i] = (result){ .t = t, .done = GATE_INIT };
    for (uint32_t rounds = 0; added < KERNELS; added++) {
        result *one = &r[added];
        yoke_event *event = NULL;

        NEED(guarded_create(t, sizeof one->wanted, &one->out));
        NEED(suite_spin(t, t->stream, one->out.buffer, (uint32_t)added, 1 + (unsigned)added % 4, &rounds));
        one->wanted[0] = (uint32_t)added;
        one->wanted[1] = spin_result((uint32_t)added, rounds);
        NEED_OK(yoke_event_record(t->stream, 0, &event));
        bool ok = CHECK_OK(yoke_event_on_complete(event, check_result, one, NULL));
        yoke_event_release(event);
        NEED(ok);
    }
out:
    for (int i = 0; i < added; i++)
        gate_wait(&r[i].done, 1);
    for (int i = 0; i < KERNELS; i++)
        guarded_release(&r[i].out);
}

static void told_of_a_failure(suite *t)
{
    stand s = STAND_INIT;
    callback before = CALLBACK_INIT, behind = CALLBACK_INIT, late = CALLBACK_INIT, other = CALLBACK_INIT;
    yoke_event *fine = NULL, *failed = NULL, *followed = NULL;
    yoke_stream *follower = NULL;

    behind.expected = late.expected = other.expected = OWN_STATUS;
    behind.text = late.text = other.text = OWN_TEXT;
    NEED_OK(yoke_stream_create(t->device, &follower));
    NEED(record_held(t->stream, &s, &fine));
    NEED_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &failed));
    NEED_OK(yoke_stream_wait_event(follower, failed));
    NEED_OK(yoke_event_record(follower, 0, &followed));
    bool added = add(fine, &before), behind_added = add(failed, &behind), other_added = add(followed, &other);
    gate_open(&s.leave);
    if (added)
        finish(&before);
    if (behind_added)
        finish(&behind);
    if (other_added)
        finish(&other);
    if (add(failed, &late))
        finish(&late);
    CHECK_STATUS(OWN_STATUS, yoke_stream_wait(t->stream));
out:
    gate_open(&s.leave);
    (void)yoke_stream_wait(t->stream);
    yoke_event_release(fine);
    yoke_event_release(failed);
    yoke_event_release(followed);
    yoke_stream_release(follower);
}

static void cancelled_stream(suite *t)
{
    stand s = STAND_INIT;
    callback behind = CALLBACK_INIT, before = CALLBACK_INIT;
    yoke_event *early = NULL, *event = NULL;

    behind.expected = YOKE_E_CANCELLED;
    behind.text = "cancel";
    NEED_OK(yoke_event_record(t->stream, 0, &early));
    CHECK_OK(yoke_event_wait(early));
    NEED(record_held(t->stream, &s, &event));
    gate_wait(&s.inside, 1);
    bool added = add(event, &behind);
    CHECK_OK(yoke_stream_cancel(t->stream));
    if (add(early, &before))
        finish(&before); /* what was complete stays as it was */
    gate_open(&s.leave);
    if (added)
        finish(&behind);
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_stream_wait(t->stream));
out:
    gate_open(&s.leave);
    (void)yoke_stream_wait(t->stream);
    yoke_event_release(early);
    yoke_event_release(event);
}

static void refused(suite *t)
{
    yoke_event *event = NULL, *released = NULL;

    NEED_OK(yoke_event_record(t->stream, 0, &event));
    NEED_OK(yoke_event_record(t->stream, 0, &released));
    yoke_event_release(released);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_on_complete|event", yoke_event_on_complete(NULL, never, t, never_released));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_on_complete|event",
                yoke_event_on_complete(released, never, t, never_released));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_event_on_complete|fn", yoke_event_on_complete(event, NULL, t, never_released));
    CHECK_OK(yoke_event_wait(event));
out:
    yoke_event_release(event);
}

/* ---- On a thread of its own --------------------------------------------------------------------------------------------- */

typedef struct caller {
    yoke_event *event;
    callback complete;
    gate *ready;
    bool added;
    pthread_t thread;
} caller;

static void *add_and_wait(void *user)
{
    caller *c = user;

    c->added = add(c->event, &c->complete);
    gate_open(c->ready);
    CHECK_OK(yoke_event_wait(c->event));
    return NULL;
}

/* Who registers a callback or waits for the event does not run it, be the event held or complete by then. */
static void on_none_of_the_callers_threads(suite *t)
{
    enum { CALLERS = 5 }; /* the last is this thread, which comes when the event is complete */
    stand s = STAND_INIT;
    gate ready = GATE_INIT;
    caller callers[CALLERS];
    yoke_event *event = NULL;
    int started = 0;

    NEED(record_held(t->stream, &s, &event));
    for (; started < CALLERS; started++) {
        caller *c = &callers[started];
        *c = (caller){ .event = event, .complete = CALLBACK_INIT, .ready = &ready, .thread = pthread_self() };
        if (started < CALLERS - 1)
            NEED(pthread_create(&c->thread, NULL, add_and_wait, c) == 0);
    }
    gate_wait(&ready, CALLERS - 1);
    gate_open(&s.leave);
    add_and_wait(&callers[CALLERS - 1]);
    for (int i = 0; i < CALLERS; i++) {
        if (!callers[i].added)
            continue;
        finish(&callers[i].complete);
        for (int c = 0; c < CALLERS; c++) /* none has been joined, so that no thread could take its number */
            CHECK(!pthread_equal(callers[i].complete.thread, callers[c].thread));
    }
out:
    gate_open(&s.leave);
    for (int i = 0; i < started && i < CALLERS - 1; i++)
        pthread_join(callers[i].thread, NULL);
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_event_release(event);
}

/* While a callback stands at a gate, all that follows in the stream goes on: kernels, functions, and other callbacks. */
static void does_not_hold_the_stream(suite *t)
{
    guarded out = { 0 };
    gate hold = GATE_INIT;
    callback standing = CALLBACK_INIT, next = CALLBACK_INIT;
    yoke_event *event = NULL, *behind = NULL;
    atomic_uint ran = 0;
    uint32_t rounds = 0, wanted[2] = { 5 };
    bool added = false;

    NEED(guarded_create(t, sizeof wanted, &out));
    standing.hold = &hold;
    NEED(suite_spin(t, t->stream, out.buffer, 1, 1, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    added = add(event, &standing);
    NEED(added);
    gate_wait(&standing.inside, 1);
    NEED(suite_spin(t, t->stream, out.buffer, 5, 1, &rounds));
    NEED_OK(yoke_host_call(t->stream, count_up, &ran, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &behind));
    if (add(behind, &next))
        finish(&next);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK(atomic_load(&ran) == 1);
    CHECK(atomic_load(&standing.released) == 0);
    wanted[1] = spin_result(5, rounds);
    guarded_check(t, &out, wanted);
out:
    gate_open(&hold);
    if (added)
        finish(&standing);
    yoke_event_release(event);
    yoke_event_release(behind);
    guarded_release(&out);
}

/* More callbacks that block than there are cores, of one event; those registered later, and those of other streams, still run. */
static void blocked_ones_delay_nobody(suite *t)
{
    enum { BLOCKED = 24 };
    gate hold = GATE_INIT;
    callback blocked[BLOCKED], same_event = CALLBACK_INIT, other_stream = CALLBACK_INIT;
    yoke_event *event = NULL, *other = NULL;
    int added = 0;

    NEED_OK(yoke_event_record(t->stream, 0, &event));
    for (; added < BLOCKED; added++) {
        blocked[added] = (callback)CALLBACK_INIT;
        blocked[added].hold = &hold;
        NEED(add(event, &blocked[added]));
    }
    for (int i = 0; i < BLOCKED; i++)
        gate_wait(&blocked[i].inside, 1); /* all at once */
    if (add(event, &same_event))
        finish(&same_event);
    NEED_OK(yoke_event_record(t->side, 0, &other));
    if (add(other, &other_stream))
        finish(&other_stream);
    for (int i = 0; i < BLOCKED; i++)
        CHECK(atomic_load(&blocked[i].released) == 0);
out:
    gate_open(&hold);
    for (int i = 0; i < added; i++)
        finish(&blocked[i]);
    yoke_event_release(event);
    yoke_event_release(other);
}

/* A callback may wait for anything: for another stream's event behind a host function, and for its own stream. */
static void may_wait(suite *t)
{
    stand other_stand = STAND_INIT, own_stand = STAND_INIT;
    callback for_other = CALLBACK_INIT, for_own = CALLBACK_INIT;
    yoke_stream *other = NULL;
    yoke_event *event = NULL, *behind_other = NULL, *behind_own = NULL;
    bool added = false, own_added = false;

    NEED_OK(yoke_stream_create(t->device, &other));
    NEED(record_held(other, &other_stand, &behind_other));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    NEED(record_held(t->stream, &own_stand, &behind_own));
    for_other.wait_for = behind_other;
    for_own.wait_for = behind_own;
    for_own.wait_for_stream = t->stream;
    added = add(event, &for_other);
    own_added = add(event, &for_own);
    if (added)
        gate_wait(&for_other.inside, 1);
    if (own_added)
        gate_wait(&for_own.inside, 1);
    CHECK(atomic_load(&for_other.released) == 0 && atomic_load(&for_own.released) == 0);
    gate_open(&own_stand.leave);
    if (own_added)
        finish(&for_own);
    CHECK(atomic_load(&for_other.released) == 0);
out:
    gate_open(&own_stand.leave);
    gate_open(&other_stand.leave);
    if (added)
        finish(&for_other);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_wait(other));
    yoke_stream_release(other);
    yoke_event_release(event);
    yoke_event_release(behind_own);
    yoke_event_release(behind_other);
}

/* ---- Many, and with nobody left ----------------------------------------------------------------------------------------- */

static void hundreds_on_one_stream(suite *t)
{
    enum { CALLBACKS = 600 };
    callback *complete = calloc(CALLBACKS, sizeof *complete);
    guarded out = { 0 };
    stand s = STAND_INIT;
    int added = 0;

    NEED(complete != NULL);
    NEED(guarded_create(t, 2 * sizeof(uint32_t), &out));
    for (; added < CALLBACKS; added++) {
        yoke_event *event = NULL;

        if (added == CALLBACKS / 2) /* the first half is behind kernels, the second is held as well */
            NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
        if (added % 50 == 0)
            NEED(suite_spin(t, t->stream, out.buffer, 1, 1, NULL));
        complete[added] = (callback)CALLBACK_INIT;
        NEED_OK(yoke_event_record(t->stream, 0, &event));
        bool ok = add(event, &complete[added]);
        yoke_event_release(event);
        NEED(ok);
    }
    for (int i = 0; i < CALLBACKS / 2; i++)
        finish(&complete[i]);
    for (int i = CALLBACKS / 2; i < CALLBACKS; i++)
        CHECK(atomic_load(&complete[i].called) == 0);
out:
    gate_open(&s.leave);
    for (int i = 0; i < added; i++)
        finish(&complete[i]);
    CHECK_OK(yoke_stream_wait(t->stream));
    free(complete);
    guarded_release(&out);
}

/* Callbacks that do little, and the threads that call them. */
typedef struct quick {
    int round;
    atomic_uint threads;
    gate called;
} quick;

static void count_thread(yoke_status status, void *user)
{
    static _Thread_local int counted;
    quick *q = user;

    CHECK_OK(status);
    if (counted != q->round)
        atomic_fetch_add(&q->threads, 1);
    counted = q->round;
    gate_open(&q->called);
}

/* Returns the number of threads that have called so many callbacks of one event. */
static unsigned threads_of(suite *t, int callbacks, int round)
{
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    quick q = { .round = round, .called = GATE_INIT };
    unsigned added = 0;

    NEED(record_held(t->stream, &s, &event));
    while (added < (unsigned)callbacks && CHECK_OK(yoke_event_on_complete(event, count_thread, &q, NULL)))
        added++;
out:
    gate_open(&s.leave);
    gate_wait(&q.called, added);
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_event_release(event);
    return atomic_load(&q.threads);
}

/* Each has ended before another thread could start, but for those that a busy machine stops in the middle. */
static void quick_ones_share_threads(suite *t)
{
    unsigned least = UINT_MAX;

    for (int round = 1; round <= 10 && least > 4; round++) {
        unsigned threads = threads_of(t, 3000, round);
        least = threads < least ? threads : least;
    }
    CHECK(least <= 4);
}

/* The program gives everything back right after it has registered: the driver's work still runs, what is held is cancelled. */
static void nobody_left(suite *t)
{
    guarded out = { 0 };
    stand s = STAND_INIT;
    callback given = CALLBACK_INIT, held = CALLBACK_INIT;
    yoke_stream *stream = NULL;
    yoke_event *event = NULL;
    bool given_added = false, held_added = false;
    uint32_t rounds = 0, wanted[2] = { 8 };

    held.expected = YOKE_E_CANCELLED;
    NEED(guarded_create(t, sizeof wanted, &out));
    NEED_OK(yoke_stream_create(t->device, &stream));
    NEED(suite_spin(t, stream, out.buffer, 8, 10, &rounds));
    NEED_OK(yoke_event_record(stream, 0, &event));
    given_added = add(event, &given);
    yoke_event_release(event);
    yoke_stream_release(stream);
    stream = NULL;
    event = NULL;
    if (given_added)
        finish(&given);
    wanted[1] = spin_result(8, rounds);
    guarded_check(t, &out, wanted);

    NEED_OK(yoke_stream_create(t->device, &stream));
    NEED(record_held(stream, &s, &event));
    gate_wait(&s.inside, 1);
    held.text = "released";
    held_added = add(event, &held);
    yoke_event_release(event);
    yoke_stream_release(stream);
    stream = NULL;
    event = NULL;
    CHECK(atomic_load(&held.called) == 0);
out:
    gate_open(&s.leave);
    if (held_added)
        finish(&held);
    yoke_event_release(event);
    yoke_stream_release(stream);
    guarded_release(&out);
}

int main(void)
{
    static const suite_case cases[] = {
        { "called once, when the event is complete", called_when_complete, false },
        { "called when kernels are done", called_behind_kernels, false },
        { "told of a failure, with its record", told_of_a_failure, false },
        { "told that the stream was cancelled", cancelled_stream, false },
        { "arguments that cannot be", refused, false },
        { "on none of the callers' threads", on_none_of_the_callers_threads, false },
        { "does not hold the stream", does_not_hold_the_stream, false },
        { "24 that block delay nobody", blocked_ones_delay_nobody, false },
        { "may wait for another stream, and for its own", may_wait, false },
        { "600 on one stream", hundreds_on_one_stream, false },
        { "3,000 short ones share a few threads", quick_ones_share_threads, false },
        { "event and stream may be released at once", nobody_left, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "event callback test";
    source.cuda = SPIN_CUDA;
    source.opencl = SPIN_OPENCL;
    return SUITE_MAIN(cases, &source);
}
