/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: points in a stream, as programs use them. An event is recorded once and never moves. How it completes is in
 * event_completion.c, its memory in event_pool.c.
 */
#include "stream/event.h"

#include <stdio.h>

#include "stream/enqueue.h"
#include "stream/observer.h"
#include "stream/recording.h"
#include "stream/validator.h"
#include "stream/wait.h"

yoke_status yoke_event_record_at(const char *where, yoke_stream *stream, uint32_t flags, yoke_event **out_event)
{
    YK_FUNCTION(yoke_event_record);
    if (!out_event)
        return yk_attribute(function, where, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_event is NULL", function));
    *out_event = NULL;
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (flags & ~(uint32_t)(YOKE_EVENT_TIMED | YOKE_EVENT_IGNORE_DEPTH))
        return yk_attribute(
            function, where,
            yk_fail(YOKE_E_INVALID_ARGUMENT,
                    "%s: flags is 0x%x; only YOKE_EVENT_TIMED (0x%x) and YOKE_EVENT_IGNORE_DEPTH (0x%x) are defined", function,
                    (unsigned)flags, (unsigned)YOKE_EVENT_TIMED, (unsigned)YOKE_EVENT_IGNORE_DEPTH));
    if ((flags & YOKE_EVENT_TIMED) && (stream->flags & (YOKE_STREAM_TIMED | YK_STREAM_STAMPED)) != YOKE_STREAM_TIMED)
        return yk_attribute(
            function, where,
            yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: YOKE_EVENT_TIMED needs a stream created with YOKE_STREAM_TIMED", function));

    yk_record_how how = flags & YOKE_EVENT_IGNORE_DEPTH ? YK_RECORD_BEYOND_DEPTH : YK_RECORD_USUAL;
    flags &= ~(uint32_t)YOKE_EVENT_IGNORE_DEPTH;
    if (yk_is_recording(stream)) {
        yoke_status recorded = yk_recording_record_event(function, where, stream, flags, out_event);
        return recorded < 0 ? yk_attribute(function, where, recorded) : recorded;
    }
    yoke_event *event = yk_event_new(stream, flags, where);
    if (!event)
        return yk_attribute(function, where, yoke_error()->status);
    yoke_status status = yk_stream_record(stream, event, how);
    if (status != YOKE_OK) {
        yoke_event_release(event);
        return status < 0 ? yk_attribute(function, where, status) : status;
    }
    if (YK_UNLIKELY(stream->device->blocking) && !yk_stream_is_mine(stream) &&
        !(yk_stream_in_function() && yk_event_is_deferred(event))) {
        yoke_error_info before = *yoke_error(); /* a failure is the event's, and not this call's */
        (void)yk_stream_wait_for("YOKE_BLOCKING", stream, event);
        yk_error_restore(&before);
    }
    *out_event = event;
    return YOKE_OK;
}

yoke_device *yoke_event_get_device(const yoke_event *event)
{
    return yk_is(event, YK_EVENT) ? event->stream->device : NULL;
}

/* What the program learns of an event. */
static yoke_status answer_of(yoke_event *event)
{
    return yk_validate_told(event, yk_event_poll(event));
}

yoke_status yoke_event_query(yoke_event *event)
{
    YK_CHECK(event, YK_EVENT, "yoke_event_query", "event");
    yoke_status status = answer_of(event);
    return status < 0 ? yk_attribute("yoke_event_query", event->where, status) : status;
}

/* Wait until one of the events, all of which were pending, has completed, or the time has passed; `function` is the public
 * function. */
static yoke_status wait_for_pending(const char *function, yoke_event *const *events, size_t count, uint64_t nanoseconds,
                                    size_t *out_index)
{
    uint64_t now = yk_now();
    yk_wait wait = { .events = events,
                     .count = count,
                     .deadline = nanoseconds < UINT64_MAX - now ? now + nanoseconds : UINT64_MAX };
    uint64_t since = yk_observe_now(events[0]->stream);
    yoke_status status = yk_begin_wait(function, events, count, count > 1 || nanoseconds != YOKE_FOREVER);
    if (status < 0)
        return status;
    size_t completed = yk_wait_any(&wait);
    yk_end_wait();
    yk_observe_waited(events[completed < count ? completed : 0]->stream, events[completed < count ? completed : 0]->where, since);
    *out_index = completed;
    return completed < count ? answer_of(events[completed]) : YOKE_PENDING;
}

static yoke_status wait_for_any(const char *function, yoke_event *const *events, size_t count, uint64_t nanoseconds,
                                size_t *out_index)
{
    *out_index = yk_poll_any(events, count);
    if (*out_index < count)
        return answer_of(events[*out_index]);
    return nanoseconds > 0 ? wait_for_pending(function, events, count, nanoseconds, out_index) : YOKE_PENDING;
}

yoke_status yoke_event_wait_for(yoke_event *event, uint64_t nanoseconds)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_event_wait_for);
    size_t index;
    YK_CHECK(event, YK_EVENT, function, "event");
    yoke_status status = wait_for_any(function, &event, 1, nanoseconds, &index);
    return status < 0 ? yk_attribute(function, event->where, status) : status;
}

yoke_status yoke_event_wait(yoke_event *event)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_event_wait);
    size_t index;
    YK_CHECK(event, YK_EVENT, function, "event");
    yoke_status status = answer_of(event);
    if (status == YOKE_PENDING)
        status = wait_for_pending(function, &event, 1, YOKE_FOREVER, &index);
    return status < 0 ? yk_attribute(function, event->where, status) : status;
}

yoke_status yoke_event_wait_any(yoke_event *const *events, size_t count, uint64_t nanoseconds, size_t *out_index)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_event_wait_any);
    char name[40];
    if (!out_index)
        return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_index is NULL", function));
    *out_index = count;
    if (!events || count == 0)
        return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: there are no events to wait for", function));
    if (count > PTRDIFF_MAX / sizeof *events)
        return yk_attribute(function, NULL,
                            yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: count is %zu; no array is that long", function, count));
    for (size_t i = 0; i < count; i++) {
        if (yk_is(events[i], YK_EVENT))
            continue;
        snprintf(name, sizeof name, "events[%zu]", i);
        return yk_object_fault(events[i], YK_EVENT, function, name);
    }
    yoke_status status = wait_for_any(function, events, count, nanoseconds, out_index);
    return status < 0 ? yk_attribute(function, *out_index < count ? events[*out_index]->where : NULL, status) : status;
}

/* Returns as yoke_event_get_elapsed does. */
static yoke_status elapsed_between(yoke_event *start, yoke_event *end, int64_t *out_nanoseconds)
{
    yoke_status status = answer_of(start);
    if (status == YOKE_OK)
        status = answer_of(end);
    if (status == YOKE_OK)
        status = start->stream->device->backend->event_elapsed(start, end, out_nanoseconds);
    return status;
}

yoke_status yoke_event_get_elapsed(yoke_event *start, yoke_event *end, int64_t *out_nanoseconds)
{
    YK_FUNCTION(yoke_event_get_elapsed);
    YK_OUT(out_nanoseconds);
    YK_CHECK(start, YK_EVENT, function, "start");
    YK_CHECK(end, YK_EVENT, function, "end");
    if (!(start->flags & end->flags & YOKE_EVENT_TIMED))
        return yk_attribute(function, NULL,
                            yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s was recorded without YOKE_EVENT_TIMED", function,
                                    start->flags & YOKE_EVENT_TIMED ? "end" : "start"));
    if (start->stream->device != end->stream->device)
        return yk_attribute(
            function, NULL,
            yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the events belong to different devices, whose clocks differ", function));

    return yk_attribute_site(function, NULL, elapsed_between(start, end, out_nanoseconds));
}

/* Whether the time from the event to the stream's end can be told. */
static yoke_status check_since(const char *function, const yoke_stream *stream, const yoke_event *start)
{
    YK_CHECK(start, YK_EVENT, function, "start");
    if (!(start->flags & YOKE_EVENT_TIMED))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: start was recorded without YOKE_EVENT_TIMED", function);
    if ((stream->flags & (YOKE_STREAM_TIMED | YK_STREAM_STAMPED)) != YOKE_STREAM_TIMED)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the stream was created without YOKE_STREAM_TIMED", function);
    if (start->stream->device != stream->device)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: start belongs to another device, whose clock differs", function);
    return YOKE_OK;
}

yoke_status yoke_stream_wait_elapsed(yoke_stream *stream, yoke_event *start, int64_t *out_nanoseconds)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_stream_wait_elapsed);
    YK_OUT(out_nanoseconds);
    yoke_status status = yk_stream_check_wait(function, stream);
    if (status == YOKE_OK)
        status = check_since(function, stream, start);
    if (status < 0)
        return yk_attribute_site(function, NULL, status);
    yoke_event *end = yk_event_new(stream, YOKE_EVENT_TIMED, NULL);
    if (!end)
        return yk_attribute(function, NULL, yoke_error()->status);
    status = yk_stream_record(stream, end, YK_RECORD_ALWAYS);
    if (status == YOKE_OK)
        status = yk_stream_wait_for(function, stream, end);
    if (status == YOKE_OK)
        status = elapsed_between(start, end, out_nanoseconds);
    yoke_event_release(end);
    return yk_attribute_site(function, NULL, status);
}
