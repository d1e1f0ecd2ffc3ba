/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting: how a thread learns that work has settled. */
#ifndef YK_SETTLE_H
#define YK_SETTLE_H

#include "core.h"

/* How long a waiting thread looks again and again before it sleeps (YOKE_WAIT_AUTO): longer than a short kernel, shorter than a
 * scheduler's tick. */
#define YK_SPIN_NANOSECONDS 50000

/* The longest sleep between two looks where the driver's wake-up comes at once: should it never come, this is how late a wait ends.
 */
#define YK_LOOK_NANOSECONDS 1000000

/* The same where it comes late or not at all. A look costs some 4 us of a core, so this is less than a twentieth of one, and 45 us
 * late on average. When more than YK_BLIND_CROWD threads wait so, all of them look less often. */
#define YK_BLIND_NANOSECONDS 88000
#define YK_BLIND_CROWD 8

/* Between two looks of a spin. */
void yk_pause(void);

/* How long a thread that waits for the stream spins: by its policy. */
uint64_t yk_spin_nanoseconds(const yoke_stream *stream);

/* A wait. `deadline` is as yk_now tells the time, UINT64_MAX for never. */
typedef struct yk_wait {
    yoke_event *const *events; /* of which one will do */
    size_t count;
    bool given_is_enough; /* wait only until it is no longer held */
    uint64_t deadline;
    yoke_stream *unless_failed; /* or until this stream has failed; may be NULL */
    uint64_t spin_more;         /* nanoseconds beside what the stream's policy says, where that spins at all */
} yk_wait;

/* The first of the events that has settled; `count` when none has, but the wait is over. */
size_t yk_wait_any(const yk_wait *wait);

/* Wait until a mark of trash.c is reached, or has failed: returns which, with the record. */
yoke_status yk_wait_for_mark(yoke_event *mark);

/* ---- For those that wait for much at once (watch.c) ---- */

/* NULL when the host has no memory for one: the caller then looks at intervals. */
yk_waiter *yk_waiter_take(void);
void yk_waiter_give_back(yk_waiter *waiter);
/* Until posted, but no longer than this. */
void yk_waiter_sleep(yk_waiter *waiter, uint64_t nanoseconds);

/* What is done so that a waiter is posted when an event gets on. Zeroed at first. */
typedef struct yk_lookout {
    yk_listener listener;
    yoke_stream *listening; /* has the listener */
    bool notified;          /* the driver was asked */
    bool blind;             /* and cannot tell in time */
} yk_lookout;

void yk_lookout_set(yk_lookout *lookout, yoke_event *event, yk_waiter *waiter);
void yk_lookout_clear(yk_lookout *lookout);
/* How long to sleep before the next look at an event that has been waited for so long. */
uint64_t yk_lookout_interval(const yk_lookout *lookout, const yoke_event *event, uint64_t waited);

/* Let this thread's sleeps end when they should, instead of up to 50 us later; returns what to put back, by the same function. */
int yk_timer_slack(int nanoseconds);

/* ---- Conditions ---- */

/* pthread_cond_init on the monotonic clock; returns an errno value. */
int yk_cond_init(pthread_cond_t *cond);
/* Wait at most this long from now. */
void yk_cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t nanoseconds);

#endif
