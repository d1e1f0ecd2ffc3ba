/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeping for events: which thread polls, and which threads are woken. */
#ifndef YK_SLEEP_H
#define YK_SLEEP_H

#include "objects/event.h"

/* How long a waiting thread polls before it blocks (YOKE_WAIT_AUTO): longer than a short kernel, shorter than a scheduler's
 * tick. */
#define YK_SPIN_NANOSECONDS 50000

/* Polls the event, and releases it. Returns whether it has completed or failed. */
typedef bool (*yk_poll_fn)(yoke_event *event);

/* One event that a thread sleeps for; zero-initialized. */
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

/* From now on the waiter is posted when the event is submitted, completes or fails; the sleeper starts as posted. The event has to
 * live until yk_sleeper_end. */
void yk_sleeper_begin(yk_sleeper *sleeper, yoke_event *event, yk_waiter *waiter, uint64_t since, yk_poll_fn poll);
void yk_sleeper_end(yk_sleeper *sleeper);

/* Ask the driver for a wake-up when the event completes: once for all its sleepers. */
void yk_sleeper_ask(const yk_sleeper *sleeper);

/* How long the thread of these sleepers may sleep. One thread is the leader: in this call it also polls the other threads' events,
 * so that they may sleep until they are posted. */
uint64_t yk_sleepers_poll(const yk_sleeper *sleepers, size_t count, uint64_t now);
/* How soon the event has to be polled, by the leader or by the thread itself: of several sleepers of one thread, the one with the
 * largest urgency stands for all in yk_sleepers_poll. */
int yk_sleeper_urgency(const yk_sleeper *sleeper);
/* The thread slept that long without being posted: unless it is the leader, it polls its events itself, as if posted. */
void yk_sleepers_overslept(yk_sleeper *sleepers, size_t count);

/* The event was submitted, completed or failed: post all its sleepers. */
void yk_event_wake(yoke_event *event);
/* The event is about to be recycled. */
void yk_event_drop_notice(yoke_event *event);

/* For retire.c and workers: wait until the driver reports that the event has completed or failed. Returns the outcome, with the
 * record. Only the driver is polled. */
yoke_status yk_wait_for_driver(yoke_event *event);

#endif
