/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a failure does: the work behind it does not run, and everyone behind it learns of it with the function's own message, on
 * this stream and on those that wait for it. And what becomes of the functions of a stream that is released.
 */
#include "suite.h"
#include "stand.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/native.h>

static const char *const kernels_cuda = SET_CUDA;
static const char *const kernels_opencl = SET_OPENCL;

/* A function behind the failure: what it was told, and that it was called and released once. */
typedef struct behind {
    yoke_status expected;
    const char *text;
    atomic_int ran, released;
    gate done;
} behind;

#define BEHIND_INIT(status, words)                               \
    {                                                            \
        .expected = (status), .text = (words), .done = GATE_INIT \
    }

static yoke_status learn(yoke_status status, void *user)
{
    behind *b = user;

    CHECK_STATUS(b->expected, status);
    if (status < 0) {
        CHECK(yoke_error()->status == status);
        CHECK_TEXT(yoke_error()->text, b->text);
    }
    CHECK(atomic_fetch_add(&b->ran, 1) == 0);
    CHECK(atomic_load(&b->released) == 0);
    return YOKE_OK; /* does not heal the stream */
}

static void give_back(void *user)
{
    behind *b = user;

    CHECK(atomic_load(&b->ran) == 1);
    CHECK(atomic_fetch_add(&b->released, 1) == 0);
    gate_open(&b->done);
}

static yoke_status never(yoke_status status, void *user)
{
    (void)status;
    (void)user;
    CHECK(!"a function whose yoke_host_call failed was called");
    return YOKE_OK;
}

static void never_released(void *user)
{
    (void)user;
    CHECK(!"what belongs to a yoke_host_call that failed was released");
}

static void work_behind_does_not_run(suite *t)
{
    stand s = STAND_INIT;
    uint32_t value = 42, other = 43;
    guarded x[4] = { { 0 } };
    behind first = BEHIND_INIT(OWN_STATUS, OWN_TEXT), second = BEHIND_INIT(OWN_STATUS, OWN_TEXT);
    uint32_t *read_behind = memory_new(sizeof *read_behind);
    yoke_event *event = NULL;

    for (int i = 0; i < 4; i++)
        NEED(guarded_create(t, 4, &x[i]) && guarded_write(t, &x[i], i == 3 ? &other : &value));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    CHECK_OK(yoke_write(t->stream, x[0].buffer, 0, &other, 4));
    CHECK_OK(yoke_host_call(t->stream, learn, &first, give_back));
    CHECK_OK(yoke_launch(t->stream, suite_kernel(t, "set"), YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x[1].buffer, other)));
    CHECK_OK(yoke_copy(t->stream, x[2].buffer, 0, x[3].buffer, 0, 4));
    CHECK_OK(yoke_fill(t->stream, x[0].buffer, 0, 4, &other, 4));
    CHECK_OK(yoke_read(t->stream, read_behind, x[3].buffer, 0, 4));
    CHECK_OK(yoke_event_record(t->stream, 0, &event));
    CHECK_OK(yoke_host_call(t->stream, learn, &second, give_back));
    gate_open(&s.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_wait(event));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_query(event));
    gate_wait(&first.done, 1);
    gate_wait(&second.done, 1);
    for (int i = 0; i < 3; i++)
        guarded_check(t, &x[i], &value);
    CHECK(*read_behind == 0);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream)); /* and it stays so */
    suite_works(t);
out:
    yoke_event_release(event);
    for (int i = 0; i < 4; i++)
        guarded_release(&x[i]);
    memory_free(read_behind);
}

static bool fail_stream(yoke_stream *stream)
{
    return CHECK_OK(yoke_host_call(stream, fail_on_purpose, NULL, NULL)) &&
           CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(stream));
}

/* Each function that puts work into a stream. */
static void enqueueing_fails_at_once(suite *t)
{
    guarded x = { 0 }, y = { 0 };
    uint32_t value = 42, other = 43;
    yoke_event *event = (yoke_event *)&event, *fine = NULL;
    yoke_stream *s = t->stream;
    yoke_kernel *set = suite_kernel(t, "set");
    yoke_dim one = YOKE_DIM(1);

    NEED(guarded_create(t, 4, &x) && guarded_write(t, &x, &value) && guarded_create(t, 4, &y) && guarded_write(t, &y, &other));
    NEED_OK(yoke_event_record(t->side, 0, &fine));
    NEED(fail_stream(s));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_write(s, x.buffer, 0, &other, 4));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_write_sync(s, x.buffer, 0, &other, 4));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_read(s, &other, x.buffer, 0, 4));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_read_sync(s, &other, x.buffer, 0, 4));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_copy(s, x.buffer, 0, y.buffer, 0, 4));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_copy_sync(s, x.buffer, 0, y.buffer, 0, 4));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_fill(s, x.buffer, 0, 4, &other, 4));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_launch(s, set, one, one, 0, YOKE_ARGS(x.buffer, other)));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_launch_n(s, set, 1, YOKE_ARGS(x.buffer, other)));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_record(s, 0, &event));
    CHECK(event == NULL);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait_event(s, fine));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_host_call(s, never, NULL, never_released));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(s));
    CHECK(other == 43);
    guarded_check(t, &x, &value);
    CHECK_OK(yoke_event_wait(fine));
out:
    yoke_event_release(fine);
    guarded_release(&x);
    guarded_release(&y);
}

static void a_call_that_fails_calls_nothing(suite *t)
{
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "fn", yoke_host_call(t->stream, NULL, t, never_released));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "stream", yoke_host_call(NULL, never, t, never_released));
    CHECK_OK(yoke_stream_wait(t->stream));
    NEED(fail_stream(t->stream));
    for (int i = 0; i < 100; i++)
        CHECK_STATUS(OWN_STATUS, yoke_host_call(t->stream, never, t, never_released));
    CHECK_STATUS(OWN_STATUS, yoke_stream_wait(t->stream));
out:
    return;
}

static yoke_status fail_silently(yoke_status status, void *user)
{
    (void)user;
    CHECK_STATUS(YOKE_OK, status);
    return -31;
}

static yoke_status fail_unlike_its_record(yoke_status status, void *user)
{
    (void)user;
    CHECK_STATUS(YOKE_OK, status);
    yoke_fail(-1, "said on the way");
    return -32;
}

static yoke_status recover_inside(yoke_status status, void *user)
{
    yoke_buffer *buffer = NULL;

    (void)user;
    CHECK_STATUS(YOKE_OK, status);
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_buffer_create(NULL, 1, &buffer));
    yoke_fail(-99, "never mind");
    return YOKE_OK;
}

static yoke_status fail_later(yoke_status status, void *user)
{
    (void)user;
    CHECK_STATUS(OWN_STATUS, status);
    return yoke_fail(-55, "too late");
}

static yoke_status pass_on(yoke_status status, void *user)
{
    (void)user;
    return status;
}

static void which_status_counts(suite *t)
{
    static const struct {
        yoke_host_fn fn;
        yoke_status status;
        const char *text;
    } kinds[] = { { fail_silently, -31, "" }, { fail_unlike_its_record, -32, "" } };
    yoke_stream *stream = NULL;

    for (size_t i = 0; i < 2; i++) {
        NEED_OK(yoke_stream_create(t->device, &stream));
        CHECK_OK(yoke_host_call(stream, kinds[i].fn, NULL, NULL));
        CHECK_FAILS(kinds[i].status, kinds[i].text, yoke_stream_wait(stream));
        CHECK(strstr(yoke_error()->text, OWN_TEXT) == NULL); /* nothing left over from another failure */
        CHECK(yoke_error()->text[0] != '\0');
        yoke_stream_release(stream);
        stream = NULL;
    }
    CHECK_OK(yoke_host_call(t->stream, recover_inside, NULL, NULL));
    CHECK_OK(yoke_stream_wait(t->stream));
    stand s = STAND_INIT;
    CHECK_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    CHECK_OK(yoke_host_call(t->stream, fail_later, NULL, NULL));
    CHECK_OK(yoke_host_call(t->stream, pass_on, NULL, NULL));
    gate_open(&s.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream)); /* the first one wins */
out:
    yoke_stream_release(stream);
}

/* B waits for A's event, C for B's, on another device where there is one: all get A's record. */
static void spreads_to_waiting_streams(suite *t)
{
    yoke_device *other = NULL;
    yoke_stream *streams[3] = { NULL };
    yoke_event *events[3] = { NULL };
    behind b[3] = { BEHIND_INIT(OWN_STATUS, OWN_TEXT), BEHIND_INIT(OWN_STATUS, OWN_TEXT), BEHIND_INIT(OWN_STATUS, OWN_TEXT) };
    stand s = STAND_INIT;
    guarded x = { 0 };
    uint32_t value = 42, changed = 1;

    NEED(guarded_create(t, 4, &x) && guarded_write(t, &x, &value));
    suite_open_other(t, &other);
    for (int i = 0; i < 3; i++)
        NEED_OK(yoke_stream_create(i == 2 && other ? other : t->device, &streams[i]));
    CHECK_OK(yoke_host_call(streams[0], stand_at_gate, &s, NULL));
    CHECK_OK(yoke_host_call(streams[0], fail_on_purpose, NULL, NULL));
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            CHECK_OK(yoke_stream_wait_event(streams[i], events[i - 1]));
        if (i < 2)
            CHECK_OK(yoke_write(streams[i], x.buffer, 0, &changed, 4));
        CHECK_OK(yoke_host_call(streams[i], learn, &b[i], give_back));
        CHECK_OK(yoke_event_record(streams[i], 0, &events[i]));
    }
    gate_open(&s.leave);
    for (int i = 2; i >= 0; i--) {
        CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_wait(events[i]));
        CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(streams[i]));
        gate_wait(&b[i].done, 1);
    }
    guarded_check(t, &x, &value);

    yoke_stream_wait_event(t->stream, events[2]); /* complete by now: at once or by the next wait, the stream fails all the same */
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
out:
    gate_open(&s.leave);
    for (int i = 0; i < 3; i++) {
        yoke_event_release(events[i]);
        yoke_stream_release(streams[i]);
    }
    yoke_device_release(other);
    guarded_release(&x);
}

/* ---- Released with functions pending ---- */

static void release_cancels(suite *t)
{
    enum { PENDING = 20 };
    yoke_stream *stream = NULL;
    yoke_event *given = NULL, *cancelled = NULL;
    stand s = STAND_INIT;
    behind *b = calloc(PENDING, sizeof *b);
    guarded x = { 0 }, y = { 0 };
    uint32_t value = 42, changed = 43;

    NEED(b != NULL);
    NEED(guarded_create(t, 4, &x) && guarded_write(t, &x, &value) && guarded_create(t, 4, &y) && guarded_write(t, &y, &value));
    NEED_OK(yoke_stream_create(t->device, &stream));
    CHECK_OK(yoke_write(stream, y.buffer, 0, &changed, 4)); /* the driver has this one: it runs */
    CHECK_OK(yoke_event_record(stream, 0, &given));
    CHECK_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
    for (int i = 0; i < PENDING; i++) {
        b[i] = (behind)BEHIND_INIT(YOKE_E_CANCELLED, "");
        CHECK_OK(yoke_host_call(stream, learn, &b[i], give_back));
        CHECK_OK(yoke_write(stream, x.buffer, 0, &changed, 4));
    }
    CHECK_OK(yoke_event_record(stream, 0, &cancelled));
    CHECK_OK(yoke_stream_wait_event(t->stream, cancelled));
    CHECK_OK(yoke_write(t->stream, x.buffer, 0, &changed, 4));
    gate_wait(&s.inside, 1);
    yoke_stream_release(stream); /* does not wait: the function is still at the gate */
    gate_open(&s.leave);
    for (int i = 0; i < PENDING; i++)
        gate_wait(&b[i].done, 1);
    CHECK_OK(yoke_event_wait(given));
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_event_wait(cancelled));
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_event_query(cancelled));
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_stream_wait(t->stream));
    for (int i = 0; i < PENDING; i++)
        CHECK(atomic_load(&b[i].ran) == 1 && atomic_load(&b[i].released) == 1);
    guarded_check(t, &x, &value);
    guarded_check(t, &y, &changed);
    suite_works(t);
out:
    yoke_event_release(given);
    yoke_event_release(cancelled);
    guarded_release(&x);
    guarded_release(&y);
    free(b);
}

/* What is left of a failed stream keeps the failure that came first. */
static void release_of_a_failed_stream(suite *t)
{
    yoke_stream *stream = NULL;
    yoke_event *event = NULL;
    stand s = STAND_INIT;
    behind b = BEHIND_INIT(OWN_STATUS, OWN_TEXT);

    NEED_OK(yoke_stream_create(t->device, &stream));
    CHECK_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_host_call(stream, fail_on_purpose, NULL, NULL));
    CHECK_OK(yoke_host_call(stream, learn, &b, give_back));
    CHECK_OK(yoke_event_record(stream, 0, &event));
    gate_open(&s.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_wait(event));
    yoke_stream_release(stream);
    gate_wait(&b.done, 1);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_query(event));
out:
    yoke_event_release(event);
}

static void count_release(void *user)
{
    gate_open(user);
}

static yoke_status any_status(yoke_status status, void *user)
{
    (void)user;
    CHECK(status == YOKE_OK || status == YOKE_E_CANCELLED);
    return YOKE_OK;
}

/* Released at once, some functions started and some not: each is called once all the same. */
static void release_in_a_race(suite *t)
{
    enum { STREAMS = 100, CALLS = 10 };
    gate released = GATE_INIT;
    unsigned expected = 0;

    for (int i = 0; i < STREAMS; i++) {
        yoke_stream *stream = NULL;

        NEED_OK(yoke_stream_create(t->device, &stream));
        for (int c = 0; c < CALLS; c++)
            if (CHECK_OK(yoke_host_call(stream, any_status, &released, count_release)))
                expected++;
        yoke_stream_release(stream);
    }
    gate_wait(&released, expected);
    CHECK(released.opened == expected);
    suite_works(t);
out:
    gate_wait(&released, expected);
}

/* What a function does between yoke_fail and its end, and what it returns. */
typedef struct saying {
    bool says, fails, clears;
    yoke_status returns; /* 1: what the call that failed returned */
    yoke_device *device;
    const char *expected;
} saying;

static yoke_status say(yoke_status status, void *user)
{
    const saying *s = user;
    yoke_buffer *buffer = NULL;

    CHECK_STATUS(YOKE_OK, status);
    if (s->says)
        yoke_fail(OWN_STATUS, "%s", OWN_TEXT);
    if (s->fails)
        CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, status = yoke_buffer_create(s->device, 0, &buffer));
    if (s->clears)
        yoke_error_clear();
    return s->returns == 1 ? status : s->returns;
}

static yoke_status say_natively(yoke_status status, void *native_stream, void *user)
{
    CHECK(native_stream != NULL);
    return say(status, user);
}

static void what_was_said(suite *t)
{
    saying all[] = {
        { .says = true, .returns = OWN_STATUS, .expected = OWN_TEXT },
        { .says = true, .returns = -5, .expected = OWN_TEXT },
        { .says = true, .returns = YOKE_E_EXECUTION, .expected = OWN_TEXT },
        { .says = true, .fails = true, .returns = OWN_STATUS, .expected = OWN_TEXT },
        { .says = true, .fails = true, .returns = 1, .expected = OWN_TEXT },
        { .fails = true, .returns = 1, .expected = "yoke_buffer_create" },
        { .says = true, .returns = YOKE_OK },
        { .returns = -5, .expected = "returned -5" }, /* not what the one before has said */
        { .says = true, .clears = true, .returns = -6, .expected = "returned -6" },
        { .fails = true, .returns = OWN_STATUS, .expected = "returned -7001" },
    };

    for (int natively = 0; natively < 2; natively++) {
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            all[i].device = t->device;
            if (natively)
                NEED_OK(yoke_native_call(t->stream, say_natively, &all[i], NULL));
            else
                NEED_OK(yoke_host_call(t->stream, say, &all[i], NULL));
            yoke_status status = all[i].returns == 1 ? YOKE_E_INVALID_ARGUMENT : all[i].returns;
            if (status == YOKE_OK)
                CHECK_OK(yoke_stream_wait(t->stream));
            else
                CHECK_FAILS(status, all[i].expected, yoke_stream_wait(t->stream));
            NEED_OK(yoke_stream_recover(t->stream));
        }
    }
    CHECK(suite_logged(YOKE_LOG_ERROR, "has failed with -7001: ") > 0 &&
          suite_logged(YOKE_LOG_ERROR, "yoke_stream_wait: -7001: ") > 0);
out:
    return;
}

static yoke_status tell_of_a_loss(yoke_status status, void *user)
{
    (void)status, (void)user;
    return YOKE_E_DEVICE_LOST;
}

static yoke_status tell_of_a_loss_natively(yoke_status status, void *native_stream, void *user)
{
    (void)native_stream;
    return tell_of_a_loss(status, user);
}

/* A function may pass on the status of another device: it fails its stream and those that wait for it, and no device is lost. */
static void a_loss_that_is_told(suite *t)
{
    for (int natively = 0; natively < 2; natively++) {
        yoke_event *event = NULL;

        NEED_OK(natively ? yoke_native_call(t->stream, tell_of_a_loss_natively, NULL, NULL)
                         : yoke_host_call(t->stream, tell_of_a_loss, NULL, NULL));
        if (yoke_event_record(t->stream, 0, &event) == YOKE_OK) /* where it has not failed yet */
            (void)yoke_stream_wait_event(t->side, event);
        CHECK_STATUS(YOKE_E_DEVICE_LOST, yoke_stream_wait(t->stream));
        (void)yoke_stream_wait(t->side);
        yoke_event_release(event);
        NEED_OK(yoke_stream_recover(t->stream));
        NEED_OK(yoke_stream_recover(t->side));
        CHECK(suite_works(t));
    }
out:
    return;
}

int main(void)
{
    static const suite_case cases[] = {
        { "the work behind a failure does not run", work_behind_does_not_run, false },
        { "enqueueing on a failed stream fails at once", enqueueing_fails_at_once, false },
        { "a call that fails calls neither function nor release", a_call_that_fails_calls_nothing, false },
        { "the status that the function returns counts, and the first one wins", which_status_counts, false },
        { "streams that wait for a failed one fail with the same record", spreads_to_waiting_streams, false },
        { "release cancels what is pending, once each", release_cancels, false },
        { "release of a failed stream", release_of_a_failed_stream, false },
        { "a loss that a function tells of loses no device", a_loss_that_is_told, false },
        { "what a function has said counts until it returns", what_was_said, false },
        { "100 streams released as they run", release_in_a_race, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "hostcall test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
