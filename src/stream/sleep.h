/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeping for events: who polls them, and who is woken. */
#ifndef YK_SLEEP_H
#define YK_SLEEP_H

#include "objects/event.h"

/* How long a waiting thread looks again and again before it sleeps (YOKE_WAIT_AUTO): longer than a short kernel, shorter than a
 * scheduler's tick. */
#define YK_SPIN_NANOSECONDS 50000

/* Polls the event, and releases it. Returns whether it has completed or failed. */
typedef bool (*yk_poll_fn)(yoke_event *event);

/* One event that a thread sleeps for; zeroed at first. */
typedef struct yk_sleeper {
    yoke_event *event;
    yk_poll_fn poll;
    yk_waiter *waiter;                  /* the thread's, or NULL */
    yk_notice *notice;                  /* the event's; NULL without a waiter or without memory for one */
    uint64_t since;                     /* when the thread began to wait */
    atomic_bool posted;                 /* something may have happened to the event */
    struct yk_sleeper *next, *previous; /* of the same event */
    struct yk_sleeper *later, *earlier; /* of all events */
} yk_sleeper;

/* From now on the waiter is posted when the event is submitted, completes or fails; it counts as posted at first. The event has to
 * live until yk_sleeper_end. */
void yk_sleeper_begin(yk_sleeper *sleeper, yoke_event *event, yk_waiter *waiter, uint64_t since, yk_poll_fn poll);
void yk_sleeper_end(yk_sleeper *sleeper);

/* Ask the driver for a wake-up when the event completes: once for all that sleep for it. */
void yk_sleeper_ask(const yk_sleeper *sleeper);

/* How long the thread of these sleepers may sleep. One thread of all is the leader: it polls the events of the others too, here and
 * now, so that they sleep until they are posted. */
uint64_t yk_sleepers_poll(const yk_sleeper *sleepers, size_t count, uint64_t now);
/* The thread has slept for so long, and nobody has posted it: unless it is the leader, it polls its events itself, as if posted. */
void yk_sleepers_overslept(yk_sleeper *sleepers, size_t count);

/* The event has been submitted, or has completed or failed: post all that sleep for it. */
void yk_event_wake(yoke_event *event);
/* The event is about to be recycled. */
void yk_event_drop_notice(yoke_event *event);

/* Wait until a mark of retire.c is reached, or has failed: returns which, with the record. The driver alone is asked. */
yoke_status yk_wait_for_driver(yoke_event *mark);

#endif
