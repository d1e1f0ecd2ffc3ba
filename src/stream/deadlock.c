/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host function that a thread runs, and deadlocks: a wait in that function for work that cannot run before the function has
 * returned. The work is behind the function in the same stream, or behind it by way of other streams, each of which waits for the
 * next one: with yoke_stream_wait_event, or in a host function of its own.
 *
 * Streams alone cannot wait in a cycle, because an event marks only work that was enqueued before it: every cycle has a wait in a
 * host function. One function at a time shows what it waits for and looks for a cycle, so that the last function of a cycle finds
 * it, and is the only one that is refused. Not found is a cycle with a wait for room in a full stream, or with one of the copies
 * that wait themselves and were enqueued at the moment when another function began to wait: the watchdog reports those.
 */
#include <stdio.h>
#include <stdlib.h>

#include "stream/event.h"
#include "stream/op.h"
#include "stream/stream.h"

/* ---- The host function of this thread ---- */

/* The function that this thread is running, if any; and the stream in which the graph was launched, when the function runs in one
 * of the graph's branches. */
static _Thread_local yk_function *innermost;
static _Thread_local const yoke_stream *launched_in;

bool yk_stream_in_function(void)
{
    return innermost;
}

/* Whether the stream's order does not go on before this thread's functions have returned. */
static bool is_held(const yoke_stream *stream)
{
    const yk_function *function = innermost;
    while (function && function->stream != stream)
        function = function->outer;
    return function;
}

bool yk_stream_is_mine(const yoke_stream *stream)
{
    return launched_in == stream || is_held(stream);
}

const yoke_stream *yk_stream_set_launched_in(const yoke_stream *stream)
{
    const yoke_stream *before = launched_in;
    launched_in = stream;
    return before;
}

void yk_enter_function(yk_function *function, yoke_stream *stream)
{
    *function = (yk_function){ .stream = stream, .outer = innermost };
    innermost = function;
}

void yk_leave_function(const yk_function *function)
{
    innermost = function->outer;
}

/* ---- What a wait waits for ---- */

#define TO_THE_END UINT64_MAX

/* A stream that something waits for, up to its record with this number. */
typedef struct awaited {
    yoke_stream *stream; /* with a use */
    uint64_t number, searched;
} awaited;

/* What a wait waits for, directly and by way of other streams. */
typedef struct search {
    awaited *streams;
    size_t count, capacity;
    bool leads_back; /* to the host function of this thread */
    char by[300];    /* the wait that leads back */
} search;

/* False: there is no memory; then the cycle may not be found. */
static bool grow(search *s)
{
    size_t capacity = s->capacity ? 2 * s->capacity : 16;
    awaited *streams = realloc(s->streams, capacity * sizeof *streams);
    if (!streams)
        return false;
    s->streams = streams;
    s->capacity = capacity;
    return true;
}

static void add_stream(search *s, yoke_stream *stream, uint64_t number)
{
    size_t i = 0;
    while (i < s->count && s->streams[i].stream != stream)
        i++;
    if (i == s->capacity && !grow(s))
        return;
    if (i == s->count) {
        s->streams[s->count++] = (awaited){ .stream = stream };
        yk_stream_use(stream);
    }
    if (s->streams[i].number < number)
        s->streams[i].number = number;
}

/* An operation of that stream, a wait or a function that waits, waits for the event. NULL: a release function does. */
static void add_event(search *s, const yoke_stream *stream, const yk_op *op, const yoke_event *event)
{
    if (s->leads_back || !yk_event_is_deferred(event))
        return;
    if (!is_held(event->stream)) {
        add_stream(s, event->stream, event->number);
        return;
    }
    s->leads_back = true;
    const char *where = op ? op->where : NULL;
    snprintf(s->by, sizeof s->by, "the %s%s%s in stream %s of %s waits for stream %s",
             op ? yk_op_name(op->kind) : "release function", where ? " enqueued at " : "", where ? where : "", stream->label,
             stream->device->info.selector, event->stream->label);
}

/* A stream that has failed, or has been given up, skips its waits; and the driver has the event of a native wait. */
static void add_wait(search *s, const yoke_stream *stream, const yk_op *op)
{
    bool skips = atomic_load(&stream->failed) || stream->state.ended;
    if (op->kind == YK_OP_WAIT && !op->u.wait.native && (op->u.wait.join || !skips))
        add_event(s, stream, op, op->u.wait.event);
}

static bool is_record(const yk_op *op, uint64_t number)
{
    return op && op->kind == YK_OP_RECORD && op->u.record.event->number == number;
}

/* With stream->lock held: whether the record is still in the list. TO_THE_END: whatever is. */
static bool has_record(const yoke_stream *stream, uint64_t number)
{
    const yk_op *op = stream->first;
    while (op && !is_record(op, number))
        op = op->next;
    return op || number == TO_THE_END;
}

/* Add what the stream waits for before that record. A wait that gives up is no part of a cycle. */
static void add_waits_before(search *s, yoke_stream *stream, uint64_t number)
{
    pthread_mutex_lock(&stream->lock);
    const yk_op *running = stream->running;
    if (has_record(stream, number)) {
        if (running)
            add_wait(s, stream, running);
        if (stream->awaited && !stream->may_give_up)
            add_event(s, stream, running, stream->awaited);
        for (const yk_op *op = stream->first; op && !is_record(op, number); op = op->next)
            add_wait(s, stream, op);
    }
    pthread_mutex_unlock(&stream->lock);
}

/* Whether the stream waits for this thread's function before that record. The streams keep their uses until end_search. */
static bool waits_for_caller(search *s, yoke_stream *stream, uint64_t number)
{
    bool found = true;
    s->leads_back = false;
    for (size_t i = 0; i < s->count; i++)
        s->streams[i].number = s->streams[i].searched = 0;
    add_stream(s, stream, number);
    while (found && !s->leads_back) {
        found = false;
        for (size_t i = 0; i < s->count && !s->leads_back; i++) {
            awaited *a = &s->streams[i];
            if (a->searched == a->number)
                continue;
            found = true;
            a->searched = a->number;
            add_waits_before(s, a->stream, a->number);
        }
    }
    return s->leads_back;
}

static void end_search(search *s)
{
    while (s->count > 0)
        yk_stream_unuse(s->streams[--s->count].stream);
    free(s->streams);
}

/* Whether all of the events are behind this thread's function; then *out_own says whether the last one is in its own stream. */
static bool are_behind(search *s, yoke_event *const *events, size_t count, bool *out_own)
{
    for (size_t i = 0; i < count; i++) {
        if (!yk_event_is_deferred(events[i])) /* any other event of the own stream precedes the function */
            return false;
        *out_own = is_held(events[i]->stream);
        if (!*out_own && !waits_for_caller(s, events[i]->stream, events[i]->number))
            return false;
    }
    return true;
}

/* ---- For functions that wait ---- */

static pthread_mutex_t showing = PTHREAD_MUTEX_INITIALIZER; /* one function at a time shows its wait; before any stream's lock */

/* All streams that this thread holds show the event. */
static void show(yoke_event *event, bool may_give_up)
{
    for (yk_function *function = innermost; function; function = function->outer) {
        yoke_stream *stream = function->stream;
        pthread_mutex_lock(&stream->lock);
        function->replaced[event ? 0 : 1] = stream->awaited;
        stream->awaited = yoke_event_retain(event);
        stream->may_give_up = may_give_up;
        pthread_mutex_unlock(&stream->lock);
    }
}

/* With no lock held: the last reference to a stream may go. */
static void release_replaced(void)
{
    for (yk_function *function = innermost; function; function = function->outer)
        for (int i = 0; i < 2; i++) {
            yoke_event_release(function->replaced[i]);
            function->replaced[i] = NULL;
        }
}

static yoke_status refuse(const char *function, const search *s, bool own)
{
    if (own)
        return yk_fail(
            YOKE_E_DEADLOCK,
            "%s: the event is behind the host function that waits for it, in the same stream; wait outside of the function",
            function);
    return yk_fail(YOKE_E_DEADLOCK,
                   "%s: the host function that calls it would wait for itself: %s, whose function this is; wait outside of the "
                   "function",
                   function, s->by);
}

yoke_status yk_begin_wait(const char *function, yoke_event *const *events, size_t count, bool may_give_up)
{
    bool refused = false, own = false;
    if (!innermost)
        return YOKE_OK;
    search s = { .count = 0 };
    pthread_mutex_lock(&showing);
    show(events[0], may_give_up);
    refused = function && are_behind(&s, events, count, &own);
    if (refused)
        show(NULL, false);
    pthread_mutex_unlock(&showing);
    release_replaced();
    yoke_status status = refused ? refuse(function, &s, own) : YOKE_OK;
    end_search(&s);
    return status;
}

void yk_end_wait(void)
{
    show(NULL, false);
    release_replaced();
}

yoke_status yk_stream_refuse_deadlock(const char *function, yoke_stream *stream)
{
    if (!innermost)
        return YOKE_OK;
    search s = { .count = 0 };
    bool refused = waits_for_caller(&s, stream, TO_THE_END);
    yoke_status status = refused ? refuse(function, &s, false) : YOKE_OK;
    end_search(&s);
    return status;
}
