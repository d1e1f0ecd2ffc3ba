/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of events. An event and the driver's object are recycled by their stream, oldest first, so that recording costs little
 * and a released event stays recognizable for a while.
 */
#include <stdlib.h>

#include "backend.h"
#include "stream/event.h"
#include "stream/sleep.h"
#include "stream/stream.h"

/* How many spare events of each kind are kept before the oldest is reused. */
#define SPARE_EVENTS 16

/* The oldest spare event, once there are SPARE_EVENTS. With `counted` it stays among the stream's uses, if it is; without, it is
 * none of them. */
YK_HOT yoke_event *take_spare(yoke_stream *stream, unsigned kind, bool counted)
{
    yoke_event *event = NULL;
    yk_light_lock(&stream->spare_lock);
    if (stream->spare_count[kind] > SPARE_EVENTS) {
        yoke_event *last = stream->spares[kind]; /* a ring: last->next is the oldest */
        event = last->next;
        last->next = event->next;
        stream->spare_count[kind]--;
        if (!counted && event->counted) { /* not the last use: the user's is given up after those of the spares */
            event->counted = false;
            atomic_fetch_sub_explicit(&stream->uses, 1, memory_order_relaxed);
        }
    }
    yk_light_unlock(&stream->spare_lock);
    return event;
}

/* Destroys an event made by yk_event_new, which the user or an operation has released. */
static void destroy(void *object)
{
    yk_event_recycle(object);
}

static yoke_event *create(yoke_stream *stream, uint32_t flags)
{
    yoke_event *event = yk_object_new(YK_EVENT, sizeof *event, destroy);
    if (!event)
        return NULL;
    event->stream = stream;
    event->flags = flags;
    if (stream->device->backend->event_create(event) < 0) {
        yk_object_free(event, sizeof *event);
        return NULL;
    }
    return event;
}

YK_HOT yoke_event *take(yoke_stream *stream, uint32_t flags, bool counted)
{
    yoke_event *event = take_spare(stream, flags & YOKE_EVENT_TIMED, counted);
    if (event) {
        atomic_store_explicit(&event->object.kind, YK_EVENT, memory_order_relaxed);
        atomic_store_explicit(&event->object.refs, 1, memory_order_relaxed);
    } else if (!(event = create(stream, flags))) {
        return NULL;
    }
    event->position = 0; /* until it is submitted: no wait of the stream's is before it */
    atomic_store_explicit(&event->state, YK_EVENT_DEFERRED, memory_order_relaxed);
    event->recorded = 0;
    return event;
}

yoke_event *yk_event_take(yoke_stream *stream, uint32_t flags)
{
    return take(stream, flags, false);
}

/* A spare keeps its use of the stream, so that recording and releasing change no count. */
yoke_event *yk_event_take_counted(yoke_stream *stream, uint32_t flags)
{
    yoke_event *event = take(stream, flags, true);
    if (event && !event->counted) {
        event->counted = true;
        yk_stream_use(stream);
    }
    return event;
}

yoke_event *yk_event_new(yoke_stream *stream, uint32_t flags, const char *where)
{
    yoke_event *event = yk_event_take_counted(stream, flags);
    if (!event) {
        (void)yk_stream_not_submitted(stream, yoke_error()->status);
        return NULL;
    }
    event->where = where;
    return event;
}

void yk_event_uncount_spares(yoke_stream *stream)
{
    unsigned count = 0;
    yk_light_lock(&stream->spare_lock);
    stream->spares_uncounted = true;
    for (size_t kind = 0; kind < YK_COUNT_OF(stream->spares); kind++) {
        yoke_event *event = stream->spares[kind];
        for (unsigned i = 0; i < stream->spare_count[kind]; i++, event = event->next) {
            count += event->counted;
            event->counted = false;
        }
    }
    yk_light_unlock(&stream->spare_lock);
    atomic_fetch_sub(&stream->uses, count);
}

void yk_event_recycle(yoke_event *event)
{
    yoke_stream *stream = event->stream;
    unsigned kind = event->flags & YOKE_EVENT_TIMED;
    yk_failure *failure = atomic_load_explicit(&event->failure, memory_order_relaxed);
    if (YK_UNLIKELY(failure != NULL)) {
        yk_failure_release(failure);
        atomic_store_explicit(&event->failure, NULL, memory_order_relaxed);
    }
    if (YK_UNLIKELY(atomic_load_explicit(&event->notice, memory_order_relaxed) != NULL))
        yk_event_drop_notice(event);
    atomic_store_explicit(&event->object.kind, YK_DEAD, memory_order_relaxed);
    yk_light_lock(&stream->spare_lock);
    yoke_event *last = stream->spares[kind];
    event->next = last ? last->next : event;
    if (last)
        last->next = event;
    stream->spares[kind] = event;
    stream->spare_count[kind]++;
    bool unuse = event->counted && stream->spares_uncounted;
    if (YK_UNLIKELY(unuse))
        event->counted = false;
    yk_light_unlock(&stream->spare_lock);
    if (YK_UNLIKELY(unuse)) /* may be the last use */
        yk_stream_unuse(stream);
}

void yk_event_destroy_spares(yoke_stream *stream)
{
    for (size_t kind = 0; kind < YK_COUNT_OF(stream->spares); kind++) {
        for (; stream->spare_count[kind]; --stream->spare_count[kind]) {
            yoke_event *event = stream->spares[kind]->next;
            stream->spares[kind]->next = event->next;
            stream->device->backend->event_destroy(event);
            free(event->moment);
            yk_object_free(event, sizeof *event);
        }
        stream->spares[kind] = NULL;
    }
}

yoke_event *yoke_event_retain(yoke_event *event)
{
    if (!yk_is(event, YK_EVENT) && !yk_is(event, YK_GRAPH_EVENT))
        return NULL;
    yk_object_retain(event);
    return event;
}

void yoke_event_release(yoke_event *event)
{
    bool recorded = yk_is(event, YK_EVENT);
    if (recorded && atomic_load_explicit(&event->object.refs, memory_order_acquire) == 1)
        yk_event_recycle(event); /* nobody else can take a reference: that saves an atomic subtraction */
    else if (recorded || yk_is(event, YK_GRAPH_EVENT))
        yk_object_release(event);
}
