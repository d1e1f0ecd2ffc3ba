/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host function that waits for what cannot run before it returns gets YOKE_E_DEADLOCK, also where other streams stand between
 * its wait and itself. What only looks like that is waited for.
 */
#include "suite.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include <yoke/native.h>

#include "recorded.h"
#include "stand.h"

enum { LONG = 150, TIMES = 30, MANY = 400 };

/* What the functions below wait for. */
typedef struct waiting {
    yoke_stream *other, *side;
    yoke_event *event, *done;
    yoke_buffer *buffer;
    const char *words;
    gate begin, entered;
    stand held;
    atomic_uint refused, there; /* at the meeting */
    unsigned pauses[2];
} waiting;

#define WAITING_INIT                                                  \
    {                                                                 \
        .begin = GATE_INIT, .entered = GATE_INIT, .held = STAND_INIT, \
    }

/* ---- Refused ---- */

static yoke_status is_refused(yoke_status status, void *user)
{
    waiting *w = user;
    uint32_t value = 7;
    size_t index = 0;

    CHECK_STATUS(YOKE_OK, status);
    gate_wait(&w->begin, 1);
    CHECK_FAILS(YOKE_E_DEADLOCK, w->words, yoke_event_wait(w->event));
    CHECK_FAILS(YOKE_E_DEADLOCK, w->words, yoke_event_wait_for(w->event, 1));
    CHECK_FAILS(YOKE_E_DEADLOCK, w->words, yoke_event_wait_any(&w->event, 1, YOKE_FOREVER, &index));
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(w->event, 0));
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(w->event));
    CHECK_FAILS(YOKE_E_DEADLOCK, "yoke_stream_wait|itself|whose function", yoke_stream_wait(w->other));
    CHECK_FAILS(YOKE_E_DEADLOCK, "yoke_read_sync", yoke_read_sync(w->other, &value, w->buffer, 0, 4));
    CHECK_FAILS(YOKE_E_DEADLOCK, "yoke_write_sync", yoke_write_sync(w->other, w->buffer, 0, &value, 4));
    CHECK_OK(yoke_stream_recover(w->other)); /* it has not failed */
    CHECK(value == 7);
    CHECK_OK(yoke_event_wait_any((yoke_event *[]){ w->event, w->done }, 2, YOKE_FOREVER, &index));
    CHECK(index == 1);
    return YOKE_OK;
}

/* The other stream waits for what is behind the function. */
static void by_another_stream(suite *t, yoke_device *device)
{
    waiting w = WAITING_INIT;
    yoke_event *behind = NULL;

    w.words = "yoke_event_wait|itself|wait for an event enqueued at by.c:1|whose function";
    NEED_OK(yoke_stream_create(device, NULL, &w.other));
    NEED_OK(yoke_buffer_create(device, 4, &w.buffer));
    NEED_OK(yoke_fill(w.other, w.buffer, 0, 4, "a", 1));
    NEED_OK(yoke_event_record(w.other, 0, &w.done));
    NEED_OK(yoke_host_call(t->stream, is_refused, &w, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &behind));
    NEED_OK(yoke_stream_wait_event_at("by.c:1", w.other, behind));
    NEED_OK(yoke_fill(w.other, w.buffer, 0, 4, "b", 1));
    NEED_OK(yoke_event_record(w.other, 0, &w.event));
    gate_open(&w.begin);
    CHECK_OK(yoke_stream_wait(t->stream)); /* the streams are none the worse */
    CHECK_OK(yoke_event_wait(w.event));
    CHECK_OK(yoke_stream_wait(w.other));
out:
    yoke_event_release(behind);
    yoke_event_release(w.event);
    yoke_event_release(w.done);
    yoke_buffer_release(w.buffer);
    yoke_stream_release(w.other);
}

static void by_a_stream_of_the_device(suite *t)
{
    by_another_stream(t, t->device);
}

static void by_a_stream_elsewhere(suite *t)
{
    yoke_device *other = NULL;

    if (suite_open_other(t, &other))
        by_another_stream(t, other);
    else
        suite_skip("there is only one device");
    yoke_device_release(other);
}

/* Each stream waits for the one before it, and the first for the function. */
static void by_many_streams(suite *t)
{
    waiting w = WAITING_INIT;
    yoke_stream *streams[LONG] = { NULL };
    yoke_event *ends[LONG + 1] = { NULL };

    w.words = "enqueued at chain.c:1";
    NEED_OK(yoke_buffer_create(t->device, 4, &w.buffer));
    NEED_OK(yoke_event_record(t->side, 0, &w.done));
    NEED_OK(yoke_host_call(t->stream, is_refused, &w, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &ends[0]));
    for (int i = 0; i < LONG; i++) {
        NEED_OK(yoke_stream_create(t->device, NULL, &streams[i]));
        NEED_OK(yoke_stream_wait_event_at("chain.c:1", streams[i], ends[i]));
        NEED_OK(yoke_event_record(streams[i], 0, &ends[i + 1]));
    }
    w.other = streams[LONG - 1];
    w.event = ends[LONG];
    gate_open(&w.begin);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_event_wait(w.event));
out:
    for (int i = 0; i < LONG; i++) {
        yoke_event_release(ends[i]);
        yoke_stream_release(streams[i]);
    }
    yoke_event_release(ends[LONG]);
    yoke_event_release(w.done);
    yoke_buffer_release(w.buffer);
}

/* A graph's functions, in either lane, are before what is behind the launch. */
static void in_a_graph(suite *t)
{
    waiting w = WAITING_INIT;
    yoke_graph *graph = NULL;
    yoke_stream *lane = NULL;
    yoke_event *behind = NULL;

    w.words = "whose function";
    NEED_OK(yoke_stream_create(t->device, NULL, &w.other));
    NEED_OK(yoke_stream_create(t->device, NULL, &lane));
    NEED_OK(yoke_buffer_create(t->device, 4, &w.buffer));
    NEED_OK(yoke_event_record(t->side, 0, &w.done));
    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_graph_begin(graph, lane));
    NEED_OK(yoke_host_call(t->stream, is_refused, &w, NULL));
    NEED_OK(yoke_host_call(lane, is_refused, &w, NULL));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_event_record(t->stream, 0, &behind));
    NEED_OK(yoke_stream_wait_event_at("by.c:1", w.other, behind));
    NEED_OK(yoke_event_record(w.other, 0, &w.event));
    gate_open(&w.begin);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_event_wait(w.event));
out:
    yoke_event_release(behind);
    yoke_event_release(w.event);
    yoke_event_release(w.done);
    yoke_graph_release(graph);
    yoke_buffer_release(w.buffer);
    yoke_stream_release(lane);
    yoke_stream_release(w.other);
}

static yoke_status wait_for_event(yoke_status status, void *user)
{
    waiting *w = user;

    CHECK_STATUS(YOKE_OK, status);
    gate_open(&w->entered);
    gate_wait(&w->begin, 1);
    yoke_status waited = yoke_event_wait(w->event);
    CHECK(waited == YOKE_OK || (waited == YOKE_E_DEADLOCK && suite_has_words(yoke_error()->text, "itself")));
    atomic_fetch_add(&w->refused, waited == YOKE_E_DEADLOCK);
    return YOKE_OK;
}

static yoke_status wait_for_stream(yoke_status status, void *user)
{
    waiting *w = user;

    CHECK_STATUS(YOKE_OK, status);
    gate_wait(&w->begin, 1);
    yoke_status waited = yoke_stream_wait(w->other);
    CHECK(waited == YOKE_OK || (waited == YOKE_E_DEADLOCK && suite_has_words(yoke_error()->text, "itself")));
    atomic_fetch_add(&w->refused, waited == YOKE_E_DEADLOCK);
    return YOKE_OK;
}

/* Functions of two streams wait for each other, at the same time: one is refused. */
static void refuse_one_of_two(suite *t, yoke_host_fn first, yoke_host_fn second)
{
    waiting a = WAITING_INIT, b = WAITING_INIT;
    yoke_stream *other = NULL;

    NEED_OK(yoke_stream_create(t->device, NULL, &other));
    a.other = other;
    b.other = t->stream;
    NEED_OK(yoke_host_call(t->stream, first, &a, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &b.event));
    NEED_OK(yoke_host_call(other, second, &b, NULL));
    NEED_OK(yoke_event_record(other, 0, &a.event));
    gate_open(&a.begin);
    gate_open(&b.begin);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_wait(other));
    CHECK(atomic_load(&a.refused) + atomic_load(&b.refused) == 1);
out:
    yoke_event_release(a.event);
    yoke_event_release(b.event);
    yoke_stream_release(other);
}

static void two_functions(suite *t)
{
    for (int i = 0; i < TIMES && suite_failures() == 0; i++) {
        refuse_one_of_two(t, wait_for_event, wait_for_event);
        refuse_one_of_two(t, wait_for_stream, wait_for_event);
        refuse_one_of_two(t, wait_for_stream, wait_for_stream);
    }
}

/* Two threads leave at the same moment, each after some pauses. */
static void meet(waiting *w, unsigned who)
{
    atomic_fetch_add(&w->there, 1);
    while (atomic_load(&w->there) < 2)
        sched_yield();
    for (unsigned i = 0; i < w->pauses[who]; i++)
        (void)atomic_load(&w->there);
}

static yoke_status recover_other(yoke_status status, void *user)
{
    waiting *w = user;

    CHECK_STATUS(YOKE_OK, status);
    gate_wait(&w->begin, 1);
    meet(w, 0);
    yoke_status recovered = yoke_stream_recover(w->other);
    CHECK(recovered == YOKE_OK || (recovered == YOKE_E_DEADLOCK && suite_has_words(yoke_error()->text, "yoke_stream_recover")));
    atomic_fetch_add(&w->refused, recovered == YOKE_E_DEADLOCK);
    return YOKE_OK;
}

/* A recovery waits for the failed stream's function, which waits for the function that recovers. */
static void recovery(suite *t)
{
    for (int i = 0; i < TIMES && suite_failures() == 0; i++) {
        waiting a = WAITING_INIT, b = WAITING_INIT;

        NEED_OK(yoke_stream_create(t->device, NULL, &a.other));
        NEED_OK(yoke_host_call(t->stream, recover_other, &a, NULL));
        NEED_OK(yoke_event_record(t->stream, 0, &b.event));
        NEED_OK(yoke_host_call(a.other, wait_for_event, &b, NULL));
        gate_open(&b.begin);
        gate_wait(&b.entered, 1);
        NEED_OK(yoke_stream_cancel(a.other));
        gate_open(&a.begin);
        meet(&a, 1);
        CHECK_OK(yoke_stream_wait(t->stream));
        CHECK_OK(yoke_stream_recover(a.other));
        CHECK(atomic_load(&a.refused) + atomic_load(&b.refused) == 1);
    out:
        yoke_event_release(b.event);
        yoke_stream_release(a.other);
    }
}

static void *cancel_other(void *user)
{
    waiting *w = user;

    gate_wait(&w->begin, 1);
    meet(w, 1);
    CHECK_OK(yoke_stream_cancel(w->other));
    return NULL;
}

/* The same, where a thread makes the stream fail at the moment when it is being recovered. */
static void recovery_at_the_failure(suite *t)
{
    for (int i = 0; i < MANY && suite_failures() == 0; i++) {
        waiting a = WAITING_INIT, b = WAITING_INIT;
        pthread_t thread;

        a.pauses[0] = (unsigned)i * 37 % 1500;
        a.pauses[1] = (unsigned)i * 61 % 600;
        NEED_OK(yoke_stream_create(t->device, NULL, &a.other));
        NEED(CHECK(pthread_create(&thread, NULL, cancel_other, &a) == 0));
        CHECK_OK(yoke_host_call(t->stream, recover_other, &a, NULL));
        CHECK_OK(yoke_event_record(t->stream, 0, &b.event));
        CHECK_OK(yoke_host_call(a.other, wait_for_event, &b, NULL));
        gate_open(&b.begin);
        gate_wait(&b.entered, 1);
        gate_open(&a.begin);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK_OK(yoke_stream_wait(t->stream));
        CHECK_OK(yoke_stream_recover(a.other));
        CHECK(atomic_load(&a.refused) + atomic_load(&b.refused) <= 1); /* none: it had not failed yet */
    out:
        yoke_event_release(b.event);
        yoke_stream_release(a.other);
    }
}

static yoke_status do_nothing_native(yoke_status status, void *native, void *user)
{
    (void)native, (void)user;
    return status;
}

static yoke_status enqueue_where_it_came_from(yoke_status status, void *native, void *user)
{
    waiting *w = user;

    (void)native;
    CHECK_STATUS(YOKE_OK, status);
    for (int i = 0; i < 4; i++)
        CHECK_OK(yoke_host_call(w->other, count_up, &w->refused, NULL));
    return YOKE_OK;
}

static void is_refused_when_released(void *user)
{
    waiting *w = user;

    CHECK_FAILS(YOKE_E_DEADLOCK, "yoke_event_wait", yoke_event_wait(w->event));
    CHECK_FAILS(YOKE_E_DEADLOCK, "yoke_stream_wait", yoke_stream_wait(w->other));
}

static yoke_status enqueue_sections(yoke_status status, void *user)
{
    waiting *w = user;

    gate_wait(&w->begin, 1);
    CHECK_OK(yoke_native_enqueue(w->side, do_nothing_native, w, is_refused_when_released));
    CHECK_OK(yoke_native_enqueue(w->side, enqueue_where_it_came_from, w, NULL));
    return status;
}

/* What a native section calls is called in the host function that has enqueued it, whose stream may be full. */
static void in_a_native_section(suite *t)
{
    waiting w = WAITING_INIT;
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;

    desc.depth = 2;
    w.side = t->stream;
    NEED_OK(yoke_stream_create(t->device, &desc, &w.other));
    NEED_OK(yoke_host_call(w.other, enqueue_sections, &w, NULL));
    NEED_OK(yoke_event_record(w.other, 0, &w.event));
    gate_open(&w.begin);
    CHECK_OK(yoke_event_wait(w.event)); /* then the function has enqueued */
    CHECK_OK(yoke_stream_wait(w.other));
    CHECK(atomic_load(&w.refused) == 4);
out:
    gate_open(&w.begin);
    yoke_event_release(w.event);
    yoke_stream_release(w.other);
}

static yoke_status do_nothing(yoke_status status, void *user)
{
    (void)user;
    return status;
}

static void wait_when_released(void *user)
{
    waiting *w = user;

    gate_open(&w->entered);
    yoke_status waited = yoke_stream_wait(w->other);
    CHECK(waited == YOKE_OK || (waited == YOKE_E_DEADLOCK && suite_has_words(yoke_error()->text, "itself")));
    atomic_fetch_add(&w->refused, waited == YOKE_E_DEADLOCK);
}

/* The release function of a graph that is released once it has run, and a function of another stream, wait for each other's. */
static void refuse_release_or_function(suite *t, yoke_host_fn function)
{
    waiting a = WAITING_INIT, b = WAITING_INIT;
    yoke_graph *graph = NULL;

    NEED_OK(yoke_stream_create(t->device, NULL, &a.other));
    b.other = t->stream;
    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_host_call(t->stream, do_nothing, &a, wait_when_released));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &b.held, NULL));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_event_record(t->stream, 0, &b.event));
    yoke_graph_release(graph);
    NEED_OK(yoke_host_call(a.other, function, &b, NULL));
    gate_open(&b.held.leave);
    gate_wait(&a.entered, 1);
    gate_open(&b.begin);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_wait(a.other));
    CHECK(atomic_load(&a.refused) + atomic_load(&b.refused) == 1);
out:
    yoke_event_release(b.event);
    yoke_stream_release(a.other);
}

static void release_function(suite *t)
{
    for (int i = 0; i < TIMES && suite_failures() == 0; i++) {
        refuse_release_or_function(t, wait_for_event);
        refuse_release_or_function(t, wait_for_stream);
    }
}

/* Many events of one slow stream come before the one that leads back. */
static void behind_many_events(suite *t)
{
    waiting w = WAITING_INIT;
    yoke_stream *slow = NULL;
    yoke_event *behind = NULL;

    w.words = "enqueued at by.c:1";
    NEED_OK(yoke_stream_create(t->device, NULL, &slow));
    NEED_OK(yoke_stream_create(t->device, NULL, &w.other));
    NEED_OK(yoke_buffer_create(t->device, 4, &w.buffer));
    NEED_OK(yoke_event_record(t->side, 0, &w.done));
    NEED_OK(yoke_host_call(t->stream, is_refused, &w, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &behind));
    NEED_OK(yoke_host_call(slow, stand_at_gate, &w.held, NULL));
    for (int i = 0; i < MANY; i++) {
        yoke_event *event = NULL;

        NEED_OK(yoke_event_record(slow, 0, &event));
        CHECK_OK(yoke_stream_wait_event(w.other, event));
        yoke_event_release(event);
    }
    NEED_OK(yoke_stream_wait_event_at("by.c:1", w.other, behind));
    NEED_OK(yoke_event_record(w.other, 0, &w.event));
    gate_open(&w.begin);
    CHECK_OK(yoke_stream_wait(t->stream));
    gate_open(&w.held.leave);
    CHECK_OK(yoke_stream_wait(w.other));
out:
    gate_open(&w.held.leave);
    yoke_event_release(behind);
    yoke_event_release(w.event);
    yoke_event_release(w.done);
    yoke_buffer_release(w.buffer);
    yoke_stream_release(slow);
    yoke_stream_release(w.other);
}

/* ---- Waited for ---- */

static yoke_status wait_until_it_is_there(yoke_status status, void *user)
{
    waiting *w = user;

    CHECK_STATUS(YOKE_OK, status);
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(w->event, 1));
    gate_open(&w->held.leave);
    CHECK_OK(yoke_event_wait(w->event));
    return YOKE_OK;
}

/* The function waits for an event of another stream, which waits for what is behind the function: before that event, or after it.
 */
static void ask_beside_a_wait(suite *t, yoke_host_fn fn, bool event_first)
{
    waiting w = WAITING_INIT;
    stand holds = STAND_INIT;
    yoke_event *behind = NULL;

    NEED_OK(yoke_stream_create(t->device, NULL, &w.other));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &holds, NULL));
    NEED(!event_first || record_held(w.other, &w.held, &w.event));
    NEED_OK(yoke_host_call(t->stream, fn, &w, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &behind));
    NEED_OK(yoke_stream_wait_event(w.other, behind));
    NEED(event_first || CHECK_OK(yoke_event_record(w.other, 0, &w.event)));
    gate_open(&holds.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_wait(w.other));
out:
    yoke_event_release(behind);
    yoke_event_release(w.event);
    yoke_stream_release(w.other);
}

static void what_is_before_the_wait(suite *t)
{
    ask_beside_a_wait(t, wait_until_it_is_there, true);
}

static yoke_status wait_for_cancelled(yoke_status status, void *user)
{
    waiting *w = user;

    CHECK_STATUS(YOKE_OK, status);
    CHECK_FAILS(YOKE_E_DEADLOCK, "whose function", yoke_event_wait(w->event));
    CHECK_OK(yoke_stream_cancel(w->other));
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_event_wait(w->event));
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_stream_wait(w->other));
    CHECK_OK(yoke_stream_recover(w->other));
    return YOKE_OK;
}

/* A stream that has failed waits for nothing more. */
static void what_has_failed(suite *t)
{
    ask_beside_a_wait(t, wait_for_cancelled, false);
}

static yoke_status give_up(yoke_status status, void *user)
{
    waiting *w = user;

    CHECK_STATUS(YOKE_OK, status);
    gate_open(&w->begin);
    yoke_status waited = yoke_event_wait_for(w->event, 200000000);
    CHECK(waited == YOKE_PENDING || waited == YOKE_E_DEADLOCK); /* the other one may wait for this one already */
    return YOKE_OK;
}

static yoke_status wait_for_who_gives_up(yoke_status status, void *user)
{
    waiting *w = user;

    CHECK_STATUS(YOKE_OK, status);
    gate_wait(&w->begin, 1);
    CHECK_OK(yoke_event_wait(w->event));
    return YOKE_OK;
}

/* A function whose wait has a limit returns in the end. */
static void what_gives_up(suite *t)
{
    waiting a = WAITING_INIT, b = WAITING_INIT;
    yoke_stream *other = NULL;

    NEED_OK(yoke_stream_create(t->device, NULL, &other));
    NEED_OK(yoke_host_call(t->stream, wait_for_who_gives_up, &a, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &b.event));
    NEED_OK(yoke_host_call(other, give_up, &b, NULL));
    NEED_OK(yoke_event_record(other, 0, &a.event));
    gate_wait(&b.begin, 1);
    gate_open(&a.begin);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_wait(other));
out:
    yoke_event_release(a.event);
    yoke_event_release(b.event);
    yoke_stream_release(other);
}

int main(void)
{
    static const suite_case cases[] = {
        { "what waits, in another stream, for what is behind the function is not waited for", by_a_stream_of_the_device, false },
        { "nor in a stream of another device", by_a_stream_elsewhere, false },
        { "nor by way of many streams", by_many_streams, false },
        { "nor in a graph's functions", in_a_graph, false },
        { "nor in a native section inside the function", in_a_native_section, false },
        { "nor behind many other events", behind_many_events, false },
        { "of two functions that wait for each other, one is refused", two_functions, false },
        { "so is one of a recovery and a function that wait for each other", recovery, false },
        { "also of a stream that fails at that moment", recovery_at_the_failure, false },
        { "so is one of a graph's release function and a function that wait for each other", release_function, false },
        { "an event before such a wait is waited for", what_is_before_the_wait, false },
        { "so is one of a stream that has failed", what_has_failed, false },
        { "and one behind a function whose own wait has a limit", what_gives_up, false },
    };
    return SUITE_MAIN(cases, NULL);
}
