/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host function that a thread runs, and deadlocks: a wait in that function for work that cannot run before the function has
 * returned. The work is behind the function in the same stream, or behind it by way of other streams, each of which waits for the
 * next one: with yoke_stream_wait_event, or in a host function of its own.
 *
 * Streams alone cannot wait in a cycle, because an event marks only work that was enqueued before it: every cycle has a wait in a
 * host function. A function shows the event that it waits for before it looks for a cycle, and so the last function of a cycle that
 * begins to wait for an event finds the cycle. Two functions that begin to wait for whole streams at one moment may not: the
 * watchdog reports their cycle.
 */
#include <stdio.h>

#include "stream/event.h"
#include "stream/op.h"
#include "stream/stream.h"

/* ---- The host function of this thread ---- */

/* The stream whose host function this thread is running, if any; and the stream in which the graph was launched, when the function
 * runs in one of the graph's branches. */
static _Thread_local yoke_stream *mine;
static _Thread_local const yoke_stream *launched_in;

bool yk_stream_in_function(void)
{
    return mine;
}

bool yk_stream_is_mine(const yoke_stream *stream)
{
    return mine == stream || launched_in == stream;
}

const yoke_stream *yk_stream_set_launched_in(const yoke_stream *stream)
{
    const yoke_stream *before = launched_in;
    launched_in = stream;
    return before;
}

yoke_stream *yk_stream_set_mine(yoke_stream *stream)
{
    yoke_stream *before = mine;
    mine = stream;
    return before;
}

void yk_stream_awaits(yoke_event *event, bool may_give_up)
{
    if (!mine)
        return;
    pthread_mutex_lock(&mine->lock);
    yoke_event *before = mine->awaited;
    mine->awaited = yoke_event_retain(event);
    mine->may_give_up = may_give_up;
    pthread_mutex_unlock(&mine->lock);
    yoke_event_release(before);
}

/* ---- What a wait waits for ---- */

/* More pending events than this are not followed. */
enum { MOST_EVENTS = 256 };

/* What a wait waits for, directly and by way of other streams. */
typedef struct search {
    yoke_event *events[MOST_EVENTS]; /* deferred and retained, each once */
    size_t count;
    bool leads_back; /* to the host function of this thread */
    char by[300];    /* the wait that leads back */
} search;

static bool is_deferred(const yoke_event *event)
{
    return atomic_load_explicit(&event->state, memory_order_acquire) == YK_EVENT_DEFERRED;
}

/* The operation of that stream, a wait or a function that waits, leads back to this thread's function. */
static void lead_back(search *s, const yoke_stream *stream, const yk_op *op, const yoke_stream *own)
{
    s->leads_back = true;
    snprintf(s->by, sizeof s->by, "the %s%s%s in stream %s of %s waits for stream %s", yk_op_name(op->kind),
             op->where ? " enqueued at " : "", op->where ? op->where : "", stream->label, stream->device->info.selector,
             own->label);
}

static void add(search *s, const yoke_stream *stream, const yk_op *op, yoke_event *event)
{
    if (s->leads_back || !is_deferred(event))
        return;
    if (yk_stream_is_mine(event->stream)) {
        lead_back(s, stream, op, event->stream);
        return;
    }
    for (size_t i = 0; i < s->count; i++)
        if (s->events[i] == event)
            return;
    if (s->count < MOST_EVENTS)
        s->events[s->count++] = yoke_event_retain(event);
}

/* A stream that has failed, or has been given up, skips its waits. */
static void add_wait(search *s, const yoke_stream *stream, const yk_op *op)
{
    bool skipped = (atomic_load(&stream->failed) || stream->state.ended) && !op->u.wait.join;
    if (op->kind == YK_OP_WAIT && !skipped)
        add(s, stream, op, op->u.wait.event);
}

static bool is_record_of(const yk_op *op, const yoke_event *event)
{
    return op->kind == YK_OP_RECORD && op->u.record.event == event;
}

/* Add what the stream waits for before it gets to the event; NULL: to its end. A wait that gives up is no part of a cycle. */
static void add_waits_before(search *s, yoke_stream *stream, const yoke_event *end)
{
    pthread_mutex_lock(&stream->lock);
    const yk_op *running = stream->running;
    if (!end || (is_deferred(end) && !(running && is_record_of(running, end)))) {
        if (running)
            add_wait(s, stream, running);
        if (running && stream->awaited && !stream->may_give_up)
            add(s, stream, running, stream->awaited);
        for (const yk_op *op = stream->first; op && !(end && is_record_of(op, end)); op = op->next)
            add_wait(s, stream, op);
    }
    pthread_mutex_unlock(&stream->lock);
}

/* Whether the work before the event, or the whole stream, waits for this thread's function. */
static bool waits_for_caller(search *s, yoke_stream *stream, const yoke_event *end)
{
    s->count = 0;
    s->leads_back = false;
    add_waits_before(s, stream, end);
    for (size_t i = 0; i < s->count && !s->leads_back; i++)
        add_waits_before(s, s->events[i]->stream, s->events[i]);
    for (size_t i = 0; i < s->count; i++)
        yoke_event_release(s->events[i]);
    return s->leads_back;
}

/* ---- For functions that wait ---- */

yoke_status yk_events_refuse_deadlock(const char *function, yoke_event *const *events, size_t count)
{
    search s;
    bool own = false;
    if (!yk_stream_in_function())
        return YOKE_OK;
    for (size_t i = 0; i < count; i++) {
        own = is_deferred(events[i]) && yk_stream_is_mine(events[i]->stream); /* any other event of it precedes the function */
        if (!own && !(is_deferred(events[i]) && waits_for_caller(&s, events[i]->stream, events[i])))
            return YOKE_OK;
    }
    if (own)
        return yk_fail(
            YOKE_E_DEADLOCK,
            "%s: the event is behind the host function that waits for it, in the same stream; wait outside of the function",
            function);
    return yk_fail(YOKE_E_DEADLOCK,
                   "%s: the event is behind the host function that waits for it: %s, whose function this is; wait outside of the "
                   "function",
                   function, s.by);
}

yoke_status yk_stream_refuse_deadlock(const char *function, yoke_stream *stream)
{
    search s;
    if (!yk_stream_in_function())
        return YOKE_OK;
    if (yk_stream_is_mine(stream))
        return yk_fail(YOKE_E_DEADLOCK, "%s: called from a host function of this stream, which would wait for itself", function);
    if (!waits_for_caller(&s, stream, NULL))
        return YOKE_OK;
    return yk_fail(YOKE_E_DEADLOCK,
                   "%s: the host function that calls it would wait for itself: %s, whose function this is; wait outside of the "
                   "function",
                   function, s.by);
}
