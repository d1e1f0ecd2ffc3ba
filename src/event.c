/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: points in a stream. An event is recorded once and never changes its place; its memory and the driver's object are
 * recycled by the device, oldest first, so that recording costs little and a released event stays recognisable for a while.
 */
#include "event.h"

#include "backend.h"
#include "settle.h"
#include "stream.h"

/* How many spare events of a kind are kept before they are used again. */
#define SPARE_EVENTS 16

yoke_event *yk_event_take(yoke_device *device, yoke_stream *stream, uint32_t flags)
{
    yoke_event **tail = &device->spare_events[flags & YOKE_EVENT_TIMED]; /* a ring: tail->next is the oldest */
    unsigned *count = &device->spare_count[flags & YOKE_EVENT_TIMED];
    yoke_event *event;
    if (*count > SPARE_EVENTS) {
        event = (*tail)->next;
        (*tail)->next = event->next;
        --*count;
        atomic_store_explicit(&event->object.kind, YK_EVENT, memory_order_relaxed);
        atomic_store_explicit(&event->object.refs, 1, memory_order_relaxed);
        event->stream = stream;
    } else {
        event = yk_object_new(YK_EVENT, sizeof *event);
        if (!event)
            return NULL;
        event->stream = stream;
        event->flags = flags;
        if (device->backend->event_create(event) < 0) {
            yk_object_free(event, sizeof *event);
            return NULL;
        }
    }
    atomic_store_explicit(&event->status, YOKE_OK, memory_order_relaxed);
    atomic_store_explicit(&event->state, YK_EVENT_HELD, memory_order_relaxed);
    return event;
}

void yk_event_give_back(yoke_device *device, yoke_event *event)
{
    yoke_event **tail = &device->spare_events[event->flags & YOKE_EVENT_TIMED];
    device->backend->event_reset(event);
    atomic_store_explicit(&event->object.kind, YK_DEAD, memory_order_relaxed);
    event->next = *tail ? (*tail)->next : event;
    if (*tail)
        (*tail)->next = event;
    *tail = event;
    ++device->spare_count[event->flags & YOKE_EVENT_TIMED];
}

void yk_event_destroy_spares(yoke_device *device)
{
    for (size_t kind = 0; kind < YK_COUNT_OF(device->spare_events); kind++) {
        for (; device->spare_count[kind]; --device->spare_count[kind]) {
            yoke_event *event = device->spare_events[kind]->next;
            device->spare_events[kind]->next = event->next;
            device->backend->event_destroy(event);
            yk_object_free(event, sizeof *event);
        }
        device->spare_events[kind] = NULL;
    }
}

yoke_event *yk_event_new(yoke_stream *stream, uint32_t flags, const char *where)
{
    pthread_mutex_lock(&stream->device->lock);
    yoke_event *event = yk_event_take(stream->device, stream, flags);
    pthread_mutex_unlock(&stream->device->lock);
    if (event) {
        event->where = where;
        yk_stream_use(stream);
    }
    return event;
}

yoke_event *yoke_event_retain(yoke_event *event)
{
    if (yk_is(event, YK_EVENT))
        yk_object_retain(event);
    return event;
}

void yoke_event_release(yoke_event *event)
{
    if (!yk_is(event, YK_EVENT) || !yk_object_release(event))
        return;
    yoke_stream *stream = event->stream;
    pthread_mutex_lock(&stream->device->lock);
    yk_event_give_back(stream->device, event);
    pthread_mutex_unlock(&stream->device->lock);
    yk_stream_unuse(stream);
}

yoke_status yk_event_give(yoke_event *event)
{
    yoke_stream *stream = event->stream;
    event->mark = atomic_load_explicit(&stream->given, memory_order_relaxed);
    if (!(event->flags & YOKE_EVENT_TIMED) && yk_stream_is_idle(stream)) { /* nothing to wait for, and no need to ask the driver */
        atomic_store_explicit(&event->state, YK_EVENT_SETTLED, memory_order_release);
        return YOKE_OK;
    }
    yoke_status status = stream->device->backend->event_record(event);
    if (status == YOKE_OK)
        atomic_store_explicit(&event->state, YK_EVENT_GIVEN, memory_order_release);
    return status;
}

/* The driver says that something before this event failed, not what: add what is known. */
static void add_last_operation(yoke_stream *stream)
{
    yk_op_kind kind = (yk_op_kind)atomic_load_explicit(&stream->last_kind, memory_order_relaxed);
    const char *where = atomic_load_explicit(&stream->last_where, memory_order_relaxed);
    yk_error_append("; the last operation given to this stream was a %s%s%s", yk_op_name(kind), where ? " at " : "",
                    where ? where : "");
}

yoke_status yk_event_settled(yoke_event *event, yoke_status status)
{
    yoke_stream *stream = event->stream;
    if (status < 0) {
        if (!atomic_load(&stream->failed))
            add_last_operation(stream);
        yk_stream_fail(stream, event->where, status);
        status = yk_error_restore(&stream->failure);
    } else {
        uint_fast64_t done = atomic_load_explicit(&stream->done, memory_order_relaxed);
        while (done < event->mark && !atomic_compare_exchange_weak_explicit(&stream->done, &done, event->mark, memory_order_release,
                                                                            memory_order_relaxed))
            continue;
    }
    atomic_store_explicit(&event->status, status, memory_order_relaxed);
    if (atomic_exchange_explicit(&event->state, YK_EVENT_SETTLED, memory_order_acq_rel) == YK_EVENT_HELD)
        yk_stream_progress(stream);
    return status;
}

yoke_status yk_event_poll(yoke_event *event)
{
    int state = atomic_load_explicit(&event->state, memory_order_acquire);
    if (state == YK_EVENT_HELD)
        return YOKE_PENDING;
    if (state == YK_EVENT_SETTLED) {
        yoke_status status = atomic_load_explicit(&event->status, memory_order_relaxed);
        return status < 0 ? yk_error_restore(&event->stream->failure) : status;
    }
    yoke_status status = event->stream->device->backend->event_query(event);
    return status == YOKE_PENDING ? status : yk_event_settled(event, status);
}

void yk_event_wait_until_given(yoke_event *event)
{
    uint64_t start = yk_now();
    while (atomic_load_explicit(&event->state, memory_order_acquire) == YK_EVENT_HELD) {
        if (yk_now() - start > YK_SPIN_NANOSECONDS) {
            yk_stream_wait_until_given(event->stream, event);
            return;
        }
        yk_pause();
    }
}

yoke_status yk_event_settle(yoke_event *event)
{
    yk_event_wait_until_given(event);
    if (atomic_load_explicit(&event->state, memory_order_acquire) == YK_EVENT_GIVEN)
        return yk_event_settled(event, yk_wait_given(event));
    return yk_event_poll(event);
}

yoke_status yoke_event_record_at(const char *where, yoke_stream *stream, uint32_t flags, yoke_event **out_event)
{
    static const char function[] = "yoke_event_record";
    if (!out_event)
        return yk_blame(function, where, yk_fail(YOKE_E_INVALID, "%s: out_event is NULL", function));
    *out_event = NULL;
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (flags & ~(uint32_t)YOKE_EVENT_TIMED)
        return yk_blame(function, where,
                        yk_fail(YOKE_E_INVALID, "%s: flags are 0x%x, only YOKE_EVENT_TIMED (0x%x) is known", function,
                                (unsigned)flags, (unsigned)YOKE_EVENT_TIMED));
    if ((flags & YOKE_EVENT_TIMED) && !(stream->flags & YOKE_STREAM_TIMED))
        return yk_blame(function, where,
                        yk_fail(YOKE_E_INVALID, "%s: YOKE_EVENT_TIMED needs a stream created with YOKE_STREAM_TIMED", function));

    yoke_event *event = yk_event_new(stream, flags, where);
    if (!event)
        return yk_blame(function, where, yoke_error()->status);
    yoke_status status = yk_stream_record(stream, event, false);
    if (status < 0) {
        yoke_event_release(event);
        return yk_blame(function, where, status);
    }
    *out_event = event;
    return YOKE_OK;
}

yoke_status yoke_event_query(yoke_event *event)
{
    YK_CHECK(event, YK_EVENT, "yoke_event_query", "event");
    yoke_status status = yk_event_poll(event);
    return status < 0 ? yk_blame("yoke_event_query", event->where, status) : status;
}

yoke_status yoke_event_wait(yoke_event *event)
{
    YK_CHECK(event, YK_EVENT, "yoke_event_wait", "event");
    yoke_status status = yk_event_poll(event);
    if (status == YOKE_PENDING) {
        if (yk_stream_is_mine(event->stream))
            status = yk_fail(YOKE_E_DEADLOCK,
                             "yoke_event_wait: the event stands behind the host function that waits for it, in the same "
                             "stream; wait outside of the function");
        else
            status = yk_event_settle(event);
    }
    return status < 0 ? yk_blame("yoke_event_wait", event->where, status) : status;
}

yoke_status yoke_event_elapsed(yoke_event *start, yoke_event *end, int64_t *out_nanoseconds)
{
    static const char function[] = "yoke_event_elapsed";
    if (!out_nanoseconds)
        return yk_blame(function, NULL, yk_fail(YOKE_E_INVALID, "%s: out_nanoseconds is NULL", function));
    *out_nanoseconds = 0;
    YK_CHECK(start, YK_EVENT, function, "start");
    YK_CHECK(end, YK_EVENT, function, "end");
    if (!(start->flags & end->flags & YOKE_EVENT_TIMED))
        return yk_blame(function, NULL,
                        yk_fail(YOKE_E_INVALID, "%s: %s was recorded without YOKE_EVENT_TIMED", function,
                                start->flags & YOKE_EVENT_TIMED ? "end" : "start"));
    if (start->stream->device != end->stream->device)
        return yk_blame(function, NULL,
                        yk_fail(YOKE_E_INVALID, "%s: the events belong to different devices, whose clocks differ", function));

    yoke_status status = yk_event_poll(start);
    if (status == YOKE_OK)
        status = yk_event_poll(end);
    if (status == YOKE_OK)
        status = start->stream->device->backend->event_elapsed(start, end, out_nanoseconds);
    return status < 0 ? yk_blame(function, NULL, status) : status;
}
