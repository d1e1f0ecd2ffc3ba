/* SPDX-License-Identifier: Apache-2.0 */
/* Events, as the other rooms of src/ use them. */
#ifndef YK_EVENT_H
#define YK_EVENT_H

#include "objects/objects.h"

/* An unrecorded event (YK_EVENT_DEFERRED) of the stream, which it keeps in memory; one reference. NULL and a record on failure. */
yoke_event *yk_event_new(yoke_stream *stream, uint32_t flags, const char *where);

/* Have the driver record it, or settle it at once at the end of an idle stream. On failure the event stays as it was. */
yoke_status yk_event_submit(yoke_event *event);

/* The driver has recorded it, behind at least its first `mark` operations. */
void yk_event_submitted(yoke_event *event, uint64_t mark);

/* The event's outcome is known. A failure becomes the stream's, unless the stream has failed before: then the event settles with
 * that failure. Wakes whoever waits for the event to be given or settled. Returns the outcome; the thread's record holds a failure.
 */
yoke_status yk_event_complete(yoke_event *event, yoke_status status);

/* As yoke_event_query and yoke_event_wait, for events known to be valid. */
yoke_status yk_event_poll(yoke_event *event);
/* For those who sleep for it (sleep.h). */
bool yk_event_poll_and_release(yoke_event *event);
yoke_status yk_event_wait(yoke_event *event);
/* For what will not take long: spin for so many nanoseconds more before sleeping. */
yoke_status yk_event_wait_soon(yoke_event *event, uint64_t spin_more);

/* For retire.c: an event that does not keep its stream in memory; NULL on failure. */
yoke_event *yk_event_take(yoke_stream *stream, uint32_t flags);
void yk_event_recycle(yoke_event *event);
/* The stream is being destroyed: and its spare events. */
void yk_event_destroy_spares(yoke_stream *stream);

#endif
