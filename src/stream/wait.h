/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting: how a thread learns that work has completed. */
#ifndef YK_WAIT_H
#define YK_WAIT_H

#include "stream/sleep.h"

/* How long a thread that waits for the stream spins: by the stream's policy. */
uint64_t yk_spin_nanoseconds(const yoke_stream *stream);
/* Whether such a thread blocks in the driver instead (traits.waits_well). */
static inline bool yk_waits_in_driver(const yoke_stream *stream)
{
    return stream->device->traits.waits_well && yk_spin_nanoseconds(stream) != UINT64_MAX;
}

/* A wait for any of several events. `deadline` is a time of yk_now, UINT64_MAX for never. */
typedef struct yk_wait {
    yoke_event *const *events; /* the wait ends with the first */
    size_t count;
    bool submitted_is_enough; /* wait only until an event is no longer deferred */
    uint64_t deadline;
    yoke_stream *unless_failed; /* or until this stream has failed; may be NULL */
    uint64_t spin_more;         /* nanoseconds added to the stream's policy, where that spins at all */
} yk_wait;

/* The first event that has completed; `count` when the wait ended without one. */
size_t yk_wait_any(const yk_wait *wait);

/* As yoke_event_wait, for events known to be valid. */
yoke_status yk_event_wait(yoke_event *event);
/* For work that ends soon: spin for this many extra nanoseconds before sleeping. */
yoke_status yk_event_wait_soon(yoke_event *event, uint64_t spin_more);

/* Poll every event: the first that is complete or has failed; `count` when there is none. */
size_t yk_poll_any(yoke_event *const *events, size_t count);

#endif
