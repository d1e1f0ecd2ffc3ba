/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sleeping for events. A thread that sleeps for an event is woken by:
 *
 *   - the event's notice, which all its sleepers share: the driver is asked once to post the notice when the event completes, and
 *     Yoke posts it when it submits the event or learns its outcome;
 *   - the leader. A driver's notification may be late or lost, so events have to be polled as well. One thread polls for all: the
 *     leader is the first thread that sleeps, and hands over to the next when it leaves;
 *   - its own timeout, rarely, in case the leader is stuck in a driver.
 *
 * A thousand sleeping threads therefore cost about as much as one. A notice is recycled with its event but never freed, since a
 * driver may post it at any time: a late post costs at worst a needless poll.
 */
#include "stream/sleep.h"

#include <stdlib.h>

#include "backend.h"

/* The longest sleep between two polls: the delay of a wait if the notification never comes. A poll costs 4 to 10 us of a core. */
#define LONGEST_NANOSECONDS 1000000

/* The same at the beginning of a wait whose notification comes late or never: 45 us late on average, for a twentieth to a tenth of
 * a core. After 3 ms the wait is 3 % late at most, and after 30 ms a hundredth of a core is enough. */
#define UNNOTIFIED_NANOSECONDS 88000

/* The same for threads that are not the leader. */
#define FOLLOWER_NANOSECONDS 100000000

/* ---- Notices ---- */

struct yk_notice {
    pthread_mutex_t lock; /* protects sleepers; only the waiters' locks are taken under it */
    yk_sleeper *sleepers;
    atomic_bool asked;      /* the driver was asked to post it */
    atomic_bool unnotified; /* the driver cannot post it in time, or was not asked yet */
    yk_notice *next;        /* in the pool */
};

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER; /* protects pool */
static yk_notice *pool;

static yk_notice *take_notice(void)
{
    pthread_mutex_lock(&pool_lock);
    yk_notice *notice = pool;
    if (notice)
        pool = notice->next;
    pthread_mutex_unlock(&pool_lock);
    if (!notice && (notice = calloc(1, sizeof *notice)) && pthread_mutex_init(&notice->lock, NULL)) {
        free(notice);
        notice = NULL;
    }
    if (notice) {
        atomic_store(&notice->asked, false);
        atomic_store(&notice->unnotified, true);
    }
    return notice;
}

static void return_notice(yk_notice *notice)
{
    pthread_mutex_lock(&pool_lock);
    notice->next = pool;
    pool = notice;
    pthread_mutex_unlock(&pool_lock);
}

void yk_notice_post(yk_notice *notice)
{
    pthread_mutex_lock(&notice->lock);
    for (yk_sleeper *sleeper = notice->sleepers; sleeper; sleeper = sleeper->next) {
        atomic_store(&sleeper->posted, true);
        yk_waiter_post(sleeper->waiter);
    }
    pthread_mutex_unlock(&notice->lock);
}

/* The event's notice, made for its first sleeper; NULL without memory. */
static yk_notice *notice_of(yoke_event *event)
{
    yk_notice *there = atomic_load(&event->notice);
    if (there)
        return there;
    yk_notice *fresh = take_notice();
    if (!fresh || atomic_compare_exchange_strong(&event->notice, &there, fresh))
        return fresh;
    return_notice(fresh);
    return there;
}

/* A thread that changes the event's state looks for a notice afterwards, and a thread that sleeps makes the notice before it reads
 * the state. In a single total order, at least one of the two sees the other's change. */
void yk_event_wake(yoke_event *event)
{
    atomic_thread_fence(memory_order_seq_cst);
    yk_notice *notice = atomic_load(&event->notice);
    if (notice)
        yk_notice_post(notice);
}

void yk_event_drop_notice(yoke_event *event)
{
    yk_notice *notice = atomic_load_explicit(&event->notice, memory_order_relaxed);
    if (!notice)
        return;
    atomic_store_explicit(&event->notice, NULL, memory_order_relaxed);
    return_notice(notice);
}

/* ---- Sleepers ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows; a leaf */
static yk_sleeper *first, *last;
static yk_waiter *leader;     /* the leading thread's; NULL while no thread sleeps */
static uint64_t leader_wakes; /* when the leader polls again, unless it is posted before */
static uint64_t poll_number;  /* each stream keeps the number of the last poll that met it */

static int state_of(const yoke_event *event)
{
    return atomic_load_explicit(&event->state, memory_order_acquire);
}

static void join_notice(yk_sleeper *sleeper)
{
    sleeper->notice = sleeper->waiter ? notice_of(sleeper->event) : NULL;
    if (!sleeper->notice)
        return;
    pthread_mutex_lock(&sleeper->notice->lock);
    sleeper->previous = NULL;
    sleeper->next = sleeper->notice->sleepers;
    if (sleeper->next)
        sleeper->next->previous = sleeper;
    sleeper->notice->sleepers = sleeper;
    pthread_mutex_unlock(&sleeper->notice->lock);
    atomic_thread_fence(memory_order_seq_cst); /* as yk_event_wake says */
}

static void leave_notice(yk_sleeper *sleeper)
{
    if (!sleeper->notice)
        return;
    pthread_mutex_lock(&sleeper->notice->lock);
    if (sleeper->next)
        sleeper->next->previous = sleeper->previous;
    if (sleeper->previous)
        sleeper->previous->next = sleeper->next;
    else
        sleeper->notice->sleepers = sleeper->next;
    pthread_mutex_unlock(&sleeper->notice->lock);
}

void yk_sleeper_begin(yk_sleeper *sleeper, yoke_event *event, yk_waiter *waiter, uint64_t since, yk_poll_fn poll)
{
    sleeper->event = event;
    sleeper->poll = poll;
    sleeper->waiter = waiter;
    sleeper->since = since;
    atomic_store(&sleeper->posted, true);
    join_notice(sleeper);
    pthread_mutex_lock(&lock);
    sleeper->later = NULL;
    sleeper->earlier = last;
    if (last)
        last->later = sleeper;
    else
        first = sleeper;
    last = sleeper;
    if (!leader && sleeper->notice) {
        leader = waiter;
        leader_wakes = 0;
    }
    pthread_mutex_unlock(&lock);
}

/* With the lock held, after the leader's last sleeper has ended: choose another leader. */
static void elect(void)
{
    const yk_sleeper *next = first;
    while (next && !next->notice)
        next = next->later; /* these threads poll for themselves */
    leader = next ? next->waiter : NULL;
    leader_wakes = 0;
    if (next)
        yk_waiter_post(next->waiter);
}

void yk_sleeper_end(yk_sleeper *sleeper)
{
    leave_notice(sleeper);
    pthread_mutex_lock(&lock);
    if (sleeper->later)
        sleeper->later->earlier = sleeper->earlier;
    else
        last = sleeper->earlier;
    if (sleeper->earlier)
        sleeper->earlier->later = sleeper->later;
    else
        first = sleeper->later;
    if (leader && leader == sleeper->waiter)
        elect();
    pthread_mutex_unlock(&lock);
}

static void ask(const yk_sleeper *sleeper)
{
    yk_notice *notice = sleeper->notice;
    if (!notice || atomic_load_explicit(&notice->asked, memory_order_relaxed) || atomic_exchange(&notice->asked, true))
        return;
    yoke_status status = sleeper->event->stream->device->backend->event_notify(sleeper->event, notice);
    atomic_store(&notice->unnotified, status != YOKE_OK);
    if (status == YOKE_PENDING)
        atomic_store(&sleeper->event->stream->notified_late, sleeper->event->position + 1);
}

/* Late notifications would only pile up in the stream: one at a time is enough, beside the leader's polls. */
static bool is_notified_before(const yoke_event *event)
{
    uint64_t late = atomic_load_explicit(&event->stream->notified_late, memory_order_relaxed);
    return late > 0 && late - 1 <= event->position && late - 1 > atomic_load_explicit(&event->stream->done, memory_order_relaxed);
}

void yk_sleeper_ask(const yk_sleeper *sleeper)
{
    if (state_of(sleeper->event) == YK_EVENT_SUBMITTED && !is_notified_before(sleeper->event))
        ask(sleeper);
}

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
    return value < least ? least : value < most ? value : most;
}

static bool is_unnotified(const yk_sleeper *sleeper)
{
    return !sleeper->notice || atomic_load_explicit(&sleeper->notice->unnotified, memory_order_relaxed);
}

/* Short relative to the time already waited, so that short work is noticed soon, and a lost notification costs little. */
static uint64_t interval_of(const yk_sleeper *sleeper, uint64_t now)
{
    uint64_t waited = now > sleeper->since ? now - sleeper->since : 0;
    if (is_unnotified(sleeper) && waited < 32 * (uint64_t)UNNOTIFIED_NANOSECONDS)
        return between(10000, waited / 2, UNNOTIFIED_NANOSECONDS);
    return between(YK_SPIN_NANOSECONDS, waited / 32, LONGEST_NANOSECONDS);
}

/* ---- The leader ---- */

enum { POLLED_AT_ONCE = 32 };

/* Whether to poll the event: it is known to have completed, or no earlier event of its stream was found pending in this poll. */
static bool may_have_completed(const yoke_event *event)
{
    const yoke_stream *stream = event->stream;
    return event->position <= atomic_load_explicit(&stream->done, memory_order_relaxed) || stream->polled != poll_number ||
           event->position < stream->polled_position;
}

/* With the lock held: some of the events that threads sleep for, the earliest of each stream. */
static size_t collect(uint64_t now, yoke_event **events, yk_poll_fn *polls, uint64_t *out_interval)
{
    size_t count = 0;
    for (const yk_sleeper *one = first; one && count < POLLED_AT_ONCE; one = one->later) {
        yoke_stream *stream = one->event->stream;
        if (state_of(one->event) != YK_EVENT_SUBMITTED || !may_have_completed(one->event))
            continue;
        stream->polled = poll_number;
        stream->polled_position = one->event->position;
        uint64_t interval = interval_of(one, now);
        *out_interval = interval < *out_interval ? interval : *out_interval;
        yk_object_retain(one->event);
        polls[count] = one->poll;
        events[count++] = one->event;
    }
    return count;
}

/* Returns whether any of the events has completed or failed; that posts all its sleepers. A failure found here is not reported. */
static bool poll_each(yoke_event *const *events, const yk_poll_fn *polls, size_t count)
{
    bool any = false;
    yoke_error_info before = *yoke_error();
    for (size_t i = 0; i < count; i++)
        any = polls[i](events[i]) || any;
    yk_error_restore(&before);
    return any;
}

static uint64_t poll_all(uint64_t now)
{
    yoke_event *events[POLLED_AT_ONCE];
    yk_poll_fn polls[POLLED_AT_ONCE];
    uint64_t interval = UINT64_MAX;
    size_t count = 0;
    bool any = false;
    do {
        pthread_mutex_lock(&lock);
        if (any || count < POLLED_AT_ONCE) {
            poll_number++;
            interval = UINT64_MAX;
        }
        count = collect(now, events, polls, &interval);
        pthread_mutex_unlock(&lock);
        any = poll_each(events, polls, count);
    } while (any || count == POLLED_AT_ONCE);
    return interval;
}

static uint64_t lead(uint64_t now)
{
    uint64_t interval = poll_all(now);
    pthread_mutex_lock(&lock);
    leader_wakes = interval < UINT64_MAX - now ? now + interval : UINT64_MAX;
    pthread_mutex_unlock(&lock);
    return interval;
}

uint64_t yk_sleepers_poll(const yk_sleeper *sleepers, size_t count, uint64_t now)
{
    uint64_t latest = UINT64_MAX; /* when the leader has to poll these again */
    for (size_t i = 0; i < count; i++) {
        uint64_t its = now + (is_unnotified(&sleepers[i]) ? UNNOTIFIED_NANOSECONDS : LONGEST_NANOSECONDS);
        if (!sleepers[i].notice)
            return interval_of(&sleepers[i], now); /* no thread posts this sleeper */
        if (state_of(sleepers[i].event) == YK_EVENT_SUBMITTED && its < latest)
            latest = its;
    }
    pthread_mutex_lock(&lock);
    bool ours = leader == sleepers->waiter;
    if (!ours && leader && leader_wakes > latest)
        yk_waiter_post(leader);
    pthread_mutex_unlock(&lock);
    return ours ? lead(now) : FOLLOWER_NANOSECONDS;
}

int yk_sleeper_urgency(const yk_sleeper *sleeper)
{
    if (!sleeper->notice)
        return 3;
    if (state_of(sleeper->event) != YK_EVENT_SUBMITTED)
        return 0;
    return is_unnotified(sleeper) ? 2 : 1;
}

void yk_sleepers_overslept(yk_sleeper *sleepers, size_t count)
{
    pthread_mutex_lock(&lock);
    bool ours = leader == sleepers->waiter;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < count; i++)
        if (!ours || !sleepers[i].notice)
            atomic_store(&sleepers[i].posted, true);
}

/* ---- Waiting for the driver alone ---- */

yoke_status yk_wait_for_driver(yoke_event *event)
{
    YK_UNCANCELLED;
    const yk_backend *backend = event->stream->device->backend;
    uint64_t start = yk_now();
    yoke_status status;
    while (yk_now() - start < YK_SPIN_NANOSECONDS) {
        if ((status = backend->event_query(event)) != YOKE_PENDING)
            return status;
        yk_pause();
    }
    yk_sleeper sleeper = { .event = event, .waiter = yk_waiter_take(), .since = start };
    join_notice(&sleeper);
    ask(&sleeper);
    while ((status = backend->event_query(event)) == YOKE_PENDING)
        yk_waiter_sleep(sleeper.waiter, interval_of(&sleeper, yk_now()));
    leave_notice(&sleeper);
    yk_waiter_put(sleeper.waiter);
    return status;
}
