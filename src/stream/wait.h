/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting: how a thread learns that work has settled. */
#ifndef YK_WAIT_H
#define YK_WAIT_H

#include "stream/sleep.h"

/* How long a thread that waits for the stream spins: by its policy. */
uint64_t yk_spin_nanoseconds(const yoke_stream *stream);

/* A wait. `deadline` is as yk_now tells the time, UINT64_MAX for never. */
typedef struct yk_wait {
    yoke_event *const *events; /* of which one will do */
    size_t count;
    bool submitted_is_enough; /* wait only until it is no longer held */
    uint64_t deadline;
    yoke_stream *unless_failed; /* or until this stream has failed; may be NULL */
    uint64_t spin_more;         /* nanoseconds beside what the stream's policy says, where that spins at all */
} yk_wait;

/* The first of the events that has settled; `count` when none has, but the wait is over. */
size_t yk_wait_any(const yk_wait *wait);

/* Poll each: the first of the events that is complete, or has failed; `count` when there is none. */
size_t yk_poll_any(yoke_event *const *events, size_t count);

#endif
