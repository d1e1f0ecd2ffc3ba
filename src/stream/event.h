/* SPDX-License-Identifier: Apache-2.0 */
/* Events, as the other rooms of src/ use them. */
#ifndef YK_EVENT_H
#define YK_EVENT_H

#include "objects/objects.h"

/* event_completion.c */

/* Whether the driver does not have the event yet. */
static inline bool yk_event_is_deferred(const yoke_event *event)
{
    return atomic_load_explicit(&event->state, memory_order_acquire) == YK_EVENT_DEFERRED;
}

/* Have the driver record the event, or complete it at once on an idle stream. On failure the event is unchanged. */
yoke_status yk_event_submit(yoke_event *event);

/* The driver has recorded the event, behind at least the stream's first `position` operations. */
void yk_event_submitted(yoke_event *event, uint64_t position);

/* The event's outcome is known. A failure becomes the stream's, unless the stream has failed before: then the event completes with
 * that failure. Wakes all threads that wait for the event to be submitted or to complete. Returns the outcome; a failure is in the
 * thread's record. */
yoke_status yk_event_complete(yoke_event *event, yoke_status status);

/* As yoke_event_query, for events known to be valid. */
yoke_status yk_event_poll(yoke_event *event);
/* A poll function for sleepers (sleep.h). */
bool yk_event_poll_and_release(yoke_event *event);

/* event_pool.c */

/* An unrecorded event (YK_EVENT_DEFERRED) of the stream, with one reference; it keeps the stream in memory. NULL and a record on
 * failure. */
yoke_event *yk_event_new(yoke_stream *stream, uint32_t flags, const char *where);

/* For retire.c: an event that does not keep its stream in memory. NULL on failure. */
yoke_event *yk_event_take(yoke_stream *stream, uint32_t flags);
void yk_event_recycle(yoke_event *event);
/* An event that does, as yk_event_new's, for those who report a failure themselves. Its spare event does too, until the stream is
 * torn down. */
yoke_event *yk_event_take_counted(yoke_stream *stream, uint32_t flags);
/* The stream is torn down: its spare events no longer keep it in memory. */
void yk_event_uncount_spares(yoke_stream *stream);
/* The stream is being destroyed: destroy its spare events. */
void yk_event_destroy_spares(yoke_stream *stream);

#endif
