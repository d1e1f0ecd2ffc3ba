/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of an event: the driver records it, and a poll finds that it is complete, and with which outcome. An event knows the
 * failures of its stream, and nothing of the order of operations.
 */
#include "stream/enqueue.h"
#include "stream/event.h"
#include "stream/sleep.h"

void yk_event_submitted(yoke_event *event, uint64_t position)
{
    event->position = position;
    event->epoch = atomic_load_explicit(&event->stream->epoch, memory_order_relaxed);
    atomic_store_explicit(&event->state, YK_EVENT_SUBMITTED, memory_order_release);
}

yoke_status yk_event_submit(yoke_event *event)
{
    yoke_stream *stream = event->stream;
    if (!(event->flags & YOKE_EVENT_TIMED) && yk_stream_is_idle(stream)) { /* nothing to wait for, and no need to ask the driver */
        event->position = yk_stream_submitted(stream);
        atomic_store_explicit(&event->state, YK_EVENT_COMPLETE, memory_order_release);
        return YOKE_OK;
    }
    uint64_t position = yk_stream_submitted(stream); /* read first: others may submit before the event */
    yoke_status status = stream->device->backend->event_record(event);
    if (status == YOKE_OK)
        yk_event_submitted(event, position);
    if (status == YOKE_OK &&
        (event->flags & YOKE_EVENT_TIMED)) /* counts as work: the stream is not idle before the time is known */
        yk_note_submitted(stream, YK_OP_RECORD, &(yk_op){ .kind = YK_OP_RECORD, .where = event->where }, false);
    return status;
}

/* The failure that the event completes with: its stream's, which has failed with this status now or with another one before.
 * `inherited`: the failure came from another stream, and names its suspects already. */
static yk_failure *failure_of(yoke_event *event, yoke_status status, bool inherited)
{
    yoke_stream *stream = event->stream;
    int state = atomic_load_explicit(&event->state, memory_order_acquire);
    if (inherited || status == YOKE_E_DEVICE_LOST)
        ; /* these failures name their suspects already */
    else if (state == YK_EVENT_SUBMITTED)
        yk_stream_name_suspects(stream, atomic_load_explicit(&stream->done, memory_order_relaxed), event->position);
    else if (state == YK_EVENT_DEFERRED) /* else another thread has completed it, and the stream may have recovered since */
        event->epoch = atomic_load_explicit(&stream->epoch, memory_order_relaxed);
    return (inherited ? yk_stream_inherit_in : yk_stream_fail_in)(stream, event->epoch, event->where, status);
}

yoke_status yk_event_complete(yoke_event *event, yoke_status status)
{
    yoke_stream *stream = event->stream;
    bool inherited = false;
    if (YK_UNLIKELY(atomic_load_explicit(&stream->waits, memory_order_acquire) != NULL)) {
        yoke_error_info record = *yoke_error();
        yoke_status before = yk_stream_check_waits(stream, event->position, event->epoch);
        inherited = before < 0;
        if (inherited)
            status = before;
        else
            yk_error_restore(&record);
    }
    if (status < 0) {
        yk_failure *none = NULL, *failure = failure_of(event, status, inherited);
        if (!atomic_compare_exchange_strong(&event->failure, &none, failure)) {
            yk_failure_release(failure); /* another thread has completed the event meanwhile */
            failure = none;
        }
        status = yk_error_restore(&failure->info); /* not reported yet */
    } else {
        yk_stream_note_done(stream, event->position);
    }
    if (atomic_exchange(&event->state, YK_EVENT_COMPLETE) != YK_EVENT_COMPLETE && atomic_load(&event->notice))
        yk_event_wake(event);
    return status;
}

/* Whether a later event of the stream has completed: then this event's work is done too, whatever the driver answers for it. */
static bool is_known_done(const yoke_event *event)
{
    const yoke_stream *stream = event->stream;
    return !(event->flags & YOKE_EVENT_TIMED) && event->position <= atomic_load(&stream->done) &&
           event->epoch == atomic_load(&stream->epoch);
}

yoke_status yk_event_poll(yoke_event *event)
{
    int state = atomic_load_explicit(&event->state, memory_order_acquire);
    if (state == YK_EVENT_DEFERRED)
        return YOKE_PENDING;
    if (state == YK_EVENT_COMPLETE) {
        yk_failure *failure = atomic_load_explicit(&event->failure, memory_order_relaxed);
        return failure ? yk_failure_report(failure) : YOKE_OK;
    }
    yoke_status status = is_known_done(event) ? YOKE_OK : event->stream->device->backend->event_query(event);
    if (status != YOKE_PENDING)
        status = yk_event_complete(event, status);
    return status < 0 ? yk_failure_report(atomic_load(&event->failure)) : status;
}

bool yk_event_poll_and_release(yoke_event *event)
{
    bool complete = yk_event_poll(event) != YOKE_PENDING;
    yoke_event_release(event);
    return complete;
}
