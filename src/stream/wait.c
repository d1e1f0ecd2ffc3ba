/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for work, one mechanism for every wait: poll the driver in a short spin, then sleep until the event is posted (sleep.c),
 * and poll again. A wake-up alone proves nothing: drivers lose notifications after errors, send them early, twice, or inside the
 * call that asks for them. Only the poll says whether and how the work ended.
 */
#include "stream/wait.h"

#include <stdlib.h>

#include "backend.h"
#include "stream/event.h"
#include "stream/stream.h"

/* YOKE_WAIT_AUTO spins for this long where the stream's last wait was over within it. A core that sleeps takes 20 to 230 us to run
 * again, which would make a kernel of 400 us seem half as long again. */
#define LONG_SPIN_NANOSECONDS 1000000

/* YOKE_WAIT_BLOCK spins for this long on a GPU: a launch and a wait for a small kernel take 8 to 13 us, and falling asleep alone
 * takes longer. */
#define SHORT_SPIN_NANOSECONDS 20000

uint64_t yk_spin_nanoseconds(const yoke_stream *stream)
{
    int policy = stream->wait ? stream->wait : atomic_load_explicit(&stream->device->wait, memory_order_relaxed);
    if (policy == YOKE_WAIT_BLOCK)
        return stream->device->info.kind == YOKE_DEVICE_GPU ? SHORT_SPIN_NANOSECONDS : 0;
    return policy == YOKE_WAIT_SPIN ? UINT64_MAX : YK_SPIN_NANOSECONDS;
}

static bool satisfies(const yk_wait *wait, size_t i)
{
    yoke_event *event = wait->events[i];
    if (wait->submitted_is_enough)
        return !yk_event_is_deferred(event);
    return yk_event_poll(event) != YOKE_PENDING;
}

/* The first event before `end` that satisfies the wait; `end` when there is none. When an event satisfies the wait, an earlier
 * event may have become complete meanwhile: the earlier ones are polled once more. */
static size_t first_of(const yk_wait *wait, size_t end)
{
    for (;;) {
        size_t i = 0;
        while (i < end && !satisfies(wait, i))
            i++;
        if (i == end)
            return end;
        end = i;
    }
}

size_t yk_poll_any(yoke_event *const *events, size_t count)
{
    return first_of(&(yk_wait){ .events = events, .count = count }, count);
}

static bool is_over(const yk_wait *wait, uint64_t now)
{
    return now >= wait->deadline ||
           (wait->unless_failed && atomic_load_explicit(&wait->unless_failed->failed, memory_order_acquire));
}

/* The first event that satisfies the wait, of those whose sleepers were posted; `count` when there is none. */
static size_t first_posted(const yk_wait *wait, yk_sleeper *sleepers)
{
    for (size_t i = 0; i < wait->count; i++) {
        if (!atomic_exchange(&sleepers[i].posted, false))
            continue;
        if (!wait->submitted_is_enough) /* Yoke itself posts what waits for the submission */
            yk_sleeper_ask(&sleepers[i]);
        if (satisfies(wait, i))
            return first_of(wait, i);
    }
    return wait->count;
}

static size_t sleep_until_satisfied(const yk_wait *wait, yk_sleeper *sleepers, yk_waiter *waiter)
{
    for (;;) {
        size_t found = first_posted(wait, sleepers);
        uint64_t now = yk_now(), left = wait->deadline - now;
        if (found < wait->count || is_over(wait, now))
            return found;
        uint64_t interval = yk_sleepers_poll(sleepers, wait->count, now);
        if (!yk_waiter_sleep(waiter, interval < left ? interval : left))
            yk_sleepers_overslept(sleepers, wait->count);
    }
}

/* Without memory for sleepers: poll only. */
static size_t poll_until_satisfied(const yk_wait *wait)
{
    for (;;) {
        size_t found = first_of(wait, wait->count);
        if (found < wait->count || is_over(wait, yk_now()))
            return found;
        yk_waiter_sleep(NULL, YK_SPIN_NANOSECONDS);
    }
}

static size_t sleep_for_any(const yk_wait *wait, uint64_t start)
{
    YK_UNCANCELLED;
    yk_sleeper few[4] = { { .event = NULL } };
    yk_sleeper *sleepers = wait->count <= YK_COUNT_OF(few) ? few : calloc(wait->count, sizeof *sleepers);
    yk_waiter *waiter = yk_waiter_take();
    yk_listener failing = { .waiter = waiter };
    int slack = yk_timer_slack(1);
    size_t found;
    if (!sleepers || !waiter) {
        found = poll_until_satisfied(wait);
        goto out;
    }
    if (wait->unless_failed)
        yk_stream_listen(wait->unless_failed, &failing);
    for (size_t i = 0; i < wait->count; i++)
        yk_sleeper_begin(&sleepers[i], wait->events[i], waiter, start, yk_event_poll_and_release);
    found = sleep_until_satisfied(wait, sleepers, waiter);
    for (size_t i = 0; i < wait->count; i++)
        yk_sleeper_end(&sleepers[i]);
    if (wait->unless_failed)
        yk_stream_unlisten(wait->unless_failed, &failing);
out:
    yk_timer_slack(slack);
    if (sleepers != few)
        free(sleepers);
    yk_waiter_put(waiter);
    return found;
}

/* Threads in a long spin, and how many there may be: a quarter of the cores. */
static atomic_int long_spins, most_long_spins;

static bool may_spin_long(const yoke_stream *stream)
{
    int most = atomic_load_explicit(&most_long_spins, memory_order_relaxed);
    if (yk_spin_nanoseconds(stream) != YK_SPIN_NANOSECONDS || stream->device->info.kind == YOKE_DEVICE_CPU ||
        atomic_load_explicit(&stream->waits_long, memory_order_relaxed))
        return false;
    if (most == 0) {
        int cores = yk_core_count();
        most = cores < 8 ? 1 : cores / 4;
        atomic_store_explicit(&most_long_spins, most, memory_order_relaxed);
    }
    return atomic_load_explicit(&long_spins, memory_order_relaxed) < most;
}

/* Poll until the wait is over, or the spin. */
static size_t spin_for_any(const yk_wait *wait, uint64_t start, uint64_t spin, bool *out_over)
{
    uint64_t now = start;
    do {
        size_t found = first_of(wait, wait->count);
        if (found < wait->count || is_over(wait, now)) {
            *out_over = true;
            return found;
        }
        yk_pause();
        now = yk_now();
    } while (now - start < spin);
    return wait->count;
}

/* Whether nothing but this one event can end the wait, and the driver may block for it. */
static bool may_block_in_driver(const yk_wait *wait)
{
    const yoke_stream *stream = wait->events[0]->stream;
    return wait->count == 1 && !wait->submitted_is_enough && wait->deadline == UINT64_MAX && !wait->unless_failed &&
           yk_waits_in_driver(stream);
}

/* Block in the driver, once the event is submitted. False: the driver returned early. */
static bool block_in_driver(const yk_wait *wait)
{
    YK_UNCANCELLED;
    yoke_event *event = wait->events[0];
    const yk_wait until_submitted = { .events = wait->events, .count = 1, .submitted_is_enough = true, .deadline = UINT64_MAX };
    if (!satisfies(&until_submitted, 0))
        (void)sleep_for_any(&until_submitted, yk_now());
    if (atomic_load_explicit(&event->state, memory_order_acquire) == YK_EVENT_SUBMITTED) /* not polled first: polls hinder */
        event->stream->device->backend->event_wait(event);
    return satisfies(wait, 0);
}

size_t yk_wait_any(const yk_wait *wait)
{
    yoke_stream *stream = wait->events[0]->stream;
    if (may_block_in_driver(wait) && block_in_driver(wait))
        return 0;
    uint64_t start = yk_now(), spin = yk_spin_nanoseconds(stream);
    bool over = false;
    if (spin > 0 && spin < UINT64_MAX - wait->spin_more)
        spin += wait->spin_more;
    size_t found = spin_for_any(wait, start, spin, &over);
    if (over)
        return found;
    if (may_spin_long(stream)) {
        YK_UNCANCELLED;
        atomic_fetch_add_explicit(&long_spins, 1, memory_order_relaxed);
        found = spin_for_any(wait, start, LONG_SPIN_NANOSECONDS, &over);
        atomic_fetch_sub_explicit(&long_spins, 1, memory_order_relaxed);
    }
    if (!over)
        found = sleep_for_any(wait, start);
    bool longer = found == wait->count || yk_now() - start >= LONG_SPIN_NANOSECONDS;
    atomic_store_explicit(&stream->waits_long, longer, memory_order_relaxed);
    return found;
}

yoke_status yk_event_wait_soon(yoke_event *event, uint64_t spin_more)
{
    (void)yk_wait_any(&(yk_wait){ .events = &event, .count = 1, .deadline = UINT64_MAX, .spin_more = spin_more });
    return yk_event_poll(event);
}

yoke_status yk_event_wait(yoke_event *event)
{
    return yk_event_wait_soon(event, 0);
}
