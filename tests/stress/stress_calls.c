/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host functions and callbacks of random programs: they note when and how they were called, and then do as planned. What they wait
 * for was recorded before they were enqueued, so that no program waits in a circle.
 */
#include "stress.h"

#include <string.h>
#include <time.h>

/* ---- Points ---- */

point *point_take(source *s, yoke_event **out_event, yoke_buffer **out_copy)
{
    round *r = s->round;
    point *found = NULL;
    unsigned count = atomic_load(&r->point_count);

    count = count < MAX_POINTS ? count : MAX_POINTS;
    unsigned recent = count > 8 && chance(s, 60) ? count - 8 : 0;
    pthread_mutex_lock(&r->lock);
    for (int tries = 0; !found && tries < 4 && count > 0; tries++) {
        point *p = &r->points[recent + draw(s, count - recent)];
        if (p->event)
            found = p;
    }
    if (found) {
        *out_event = yoke_event_retain(found->event);
        if (out_copy)
            *out_copy = yoke_buffer_retain(found->copy);
    }
    pthread_mutex_unlock(&r->lock);
    return found;
}

void point_seen(round *r, point *p, yoke_status status)
{
    int before = YOKE_PENDING;
    uint_fast64_t never = 0;

    if (status == YOKE_PENDING)
        return;
    atomic_compare_exchange_strong(&p->seen, &never, tick(r));
    if (!atomic_compare_exchange_strong(&p->status, &before, status) && before != status)
        unexpected(r, "the event of operation %u was %d, and is %d now", p->record->id, before, status);
}

/* ---- What functions do ---- */

void plan_function(source *s, op *o)
{
    o->depth = s->depth + 1;
    o->seed = draw(s, UINT32_MAX);
    o->sleep_us = chance(s, 20) ? draw(s, 120) : 0;
    if (s->round->watched && chance(s, 2))
        o->sleep_us = 50000 + draw(s, 100000);
    if (o->depth < 3 && chance(s, 30))
        o->actions = 1 + draw(s, 3);
    if (!s->round->calm && chance(s, 6))
        o->fails = -100000 - (yoke_status)o->id;
    if (chance(s, 15))
        o->awaits = point_take(s, &o->awaited, NULL);
}

static void carry_out(op *o)
{
    round *r = o->queue->round;
    source s = { .round = r, .random = o->seed, .lane = MAX_THREADS + 1 + o->id, .depth = o->depth, .parent = o };

    if (o->word && o->status == YOKE_OK)
        *o->word = o->value;
    if (o->sleep_us)
        nanosleep(&(struct timespec){ .tv_nsec = (long)o->sleep_us * 1000 }, NULL);
    if (o->awaits)
        point_seen(r, o->awaits, yoke_event_wait(o->awaited));
    for (unsigned i = 0; i < o->actions; i++)
        act(&s);
    if (o->releases_stream)
        yoke_stream_release(o->queue->stream);
}

/* True: this is the first call, which is the one to carry out. */
static bool note_call(op *o, yoke_status status)
{
    uint64_t now = tick(o->queue->round);

    if (atomic_fetch_add(&o->calls, 1) > 0)
        return false;
    o->start = now;
    o->status = status;
    if (status < 0 && yoke_error()->status != status)
        unexpected(o->queue->round, "function %u gets status %d, but the record says %d", o->id, status, yoke_error()->status);
    if (o->slot && status == YOKE_OK)
        memcpy(o->seen, o->slot, LOG_BYTES);
    return true;
}

static yoke_status host_function(yoke_status status, void *user)
{
    op *o = user;

    if (!note_call(o, status))
        return YOKE_OK;
    carry_out(o);
    o->end = tick(o->queue->round);
    o->result = o->fails;
    return o->fails && o->id % 2 ? yoke_fail(o->fails, "function %u fails", o->id) : o->fails;
}

static void complete_function(yoke_status status, void *user)
{
    op *o = user;

    if (!note_call(o, status))
        return;
    point_seen(o->queue->round, o->point, status);
    carry_out(o);
    o->end = tick(o->queue->round);
}

static void no_longer_pending(op *o)
{
    round *r = o->queue->round;

    pthread_mutex_lock(&r->lock);
    r->pending--;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

static void released(void *user)
{
    op *o = user;

    if (o->end == 0 && (!o->in_graph || atomic_load(&o->calls) > 0))
        unexpected(o->queue->round, "function %u is released before it has returned", o->id);
    yoke_event_release(o->awaited);
    if (atomic_fetch_add(&o->releases, 1) == 0)
        no_longer_pending(o);
}

/* ---- Enqueueing them ---- */

static void about_to_pend(round *r)
{
    pthread_mutex_lock(&r->lock);
    r->pending++;
    pthread_mutex_unlock(&r->lock);
}

static bool pends(op *o, yoke_status status)
{
    bool taken = op_taken(o, status);

    if (!taken) {
        yoke_event_release(o->awaited);
        no_longer_pending(o);
    }
    return taken;
}

bool enqueue_call(op *o)
{
    about_to_pend(o->queue->round);
    return pends(o, yoke_host_call(o->queue->stream, host_function, o, released));
}

yoke_status record_call(op *o, yoke_stream *stream)
{
    about_to_pend(o->queue->round);
    o->in_graph = true;
    yoke_status status = yoke_host_call(stream, host_function, o, released);
    if (!CHECK_OK(status))
        pends(o, status);
    return status;
}

bool enqueue_callback(op *o, yoke_event *event)
{
    about_to_pend(o->queue->round);
    return pends(o, yoke_event_on_complete(event, complete_function, o, released));
}

bool wait_for_functions(round *r)
{
    enum { PATIENCE = 60 };
    struct timespec until;
    int error = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    pthread_mutex_lock(&r->lock);
    while (r->pending > 0 && error == 0)
        error = pthread_cond_timedwait(&r->changed, &r->lock, &until);
    unsigned pending = r->pending;
    pthread_mutex_unlock(&r->lock);
    if (pending == 0)
        return true;
    for (uint32_t i = 1; i < atomic_load(&r->op_count); i++) {
        op *o = &r->ops[i];
        bool is_function = o->kind == OP_CALL || o->kind == OP_CALLBACK;
        if (is_function && o->accepted == YOKE_OK && atomic_load(&o->releases) == 0)
            unexpected(r, "%s %u of queue %u has been %s for %d seconds", o->kind == OP_CALL ? "function" : "callback", o->id,
                       o->queue->index, atomic_load(&o->calls) ? "running" : "waiting for its call", PATIENCE);
    }
    return false;
}
