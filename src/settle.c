/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Learning that work is done, one mechanism for everything that waits: ask the driver in a short spin, then sleep until its
 * notification, and ask again. The notification is a wake-up and never the truth: drivers lose it after errors, call it early,
 * twice, or inside the call that registers it. So a waiter is never freed, a late post is at worst a needless look, and no sleep
 * for a driver is unbounded. An event that is still held is not the driver's: its stream tells its listeners.
 */
#include "settle.h"

#include <stdlib.h>
#include <time.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "backend.h"
#include "event.h"
#include "stream.h"

struct yk_waiter {
    pthread_mutex_t lock; /* protects posted */
    pthread_cond_t wake;
    bool posted;
    yk_waiter *next; /* in the pool */
};

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static yk_waiter *pool;

uint64_t yk_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void yk_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#else
    sched_yield();
#endif
}

int yk_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error)
        return error;
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!error)
        error = pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
    return error;
}

void yk_cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t nanoseconds)
{
    uint64_t now = yk_now(), then = nanoseconds < UINT64_MAX / 2 - now ? now + nanoseconds : UINT64_MAX / 2;
    struct timespec until = { .tv_sec = (time_t)(then / 1000000000u), .tv_nsec = (long)(then % 1000000000u) };
    pthread_cond_timedwait(cond, lock, &until);
}

yk_waiter *yk_waiter_take(void)
{
    pthread_mutex_lock(&pool_lock);
    yk_waiter *waiter = pool;
    if (waiter)
        pool = waiter->next;
    pthread_mutex_unlock(&pool_lock);
    if (waiter)
        return waiter;

    waiter = calloc(1, sizeof *waiter);
    if (!waiter)
        return NULL;
    if (pthread_mutex_init(&waiter->lock, NULL))
        goto no_lock;
    if (yk_cond_init(&waiter->wake))
        goto no_cond;
    return waiter;

no_cond:
    pthread_mutex_destroy(&waiter->lock);
no_lock:
    free(waiter);
    return NULL;
}

void yk_waiter_give_back(yk_waiter *waiter)
{
    if (!waiter)
        return;
    pthread_mutex_lock(&pool_lock);
    waiter->next = pool;
    pool = waiter;
    pthread_mutex_unlock(&pool_lock);
}

void yk_waiter_post(yk_waiter *waiter)
{
    pthread_mutex_lock(&waiter->lock);
    waiter->posted = true;
    pthread_cond_signal(&waiter->wake);
    pthread_mutex_unlock(&waiter->lock);
}

void yk_waiter_sleep(yk_waiter *waiter, uint64_t nanoseconds)
{
    pthread_mutex_lock(&waiter->lock);
    if (!waiter->posted)
        yk_cond_wait_for(&waiter->wake, &waiter->lock, nanoseconds);
    waiter->posted = false;
    pthread_mutex_unlock(&waiter->lock);
}

/* ---- Lookouts ---- */

static int state_of(const yoke_event *event)
{
    return atomic_load_explicit(&event->state, memory_order_acquire);
}

void yk_lookout_set(yk_lookout *lookout, yoke_event *event, yk_waiter *waiter)
{
    int state = state_of(event);
    if (state == YK_EVENT_HELD && !lookout->listening) {
        lookout->listener.waiter = waiter;
        lookout->listening = event->stream;
        yk_stream_listen(event->stream, &lookout->listener);
    } else if (state == YK_EVENT_GIVEN && !lookout->notified) {
        lookout->notified = true;
        lookout->blind = event->stream->device->backend->event_notify(event, waiter) != YOKE_OK;
    }
}

void yk_lookout_clear(yk_lookout *lookout)
{
    if (lookout->listening)
        yk_stream_unlisten(lookout->listening, &lookout->listener);
    lookout->listening = NULL;
}

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
    return value < least ? least : value < most ? value : most;
}

/* How many threads sleep between looks of their own. */
static atomic_uint crowd;

/* Short beside what has been waited for already, so that what ends soon is found soon, and a wake-up that never comes costs little.
 */
static uint64_t next_look(bool blind, uint64_t waited)
{
    unsigned others = atomic_load_explicit(&crowd, memory_order_relaxed);
    if (!blind)
        return between(YK_SPIN_NANOSECONDS, waited / 32, YK_LOOK_NANOSECONDS);
    return between(10000, waited, YK_BLIND_NANOSECONDS) * (1 + others / YK_BLIND_CROWD);
}

uint64_t yk_lookout_interval(const yk_lookout *lookout, const yoke_event *event, uint64_t waited)
{
    if (state_of(event) == YK_EVENT_HELD && lookout->listening)
        return UINT64_MAX;
    return next_look(lookout->blind, waited);
}

int yk_timer_slack(int nanoseconds)
{
#ifdef __linux__
    int before = prctl(PR_GET_TIMERSLACK);
    if (before > 0 && before != nanoseconds)
        (void)prctl(PR_SET_TIMERSLACK, (unsigned long)nanoseconds);
    return before > 0 ? before : 0;
#else
    return nanoseconds;
#endif
}

/* ---- Waiting ---- */

uint64_t yk_spin_nanoseconds(const yoke_stream *stream)
{
    int policy = stream->wait ? stream->wait : atomic_load_explicit(&stream->device->wait, memory_order_relaxed);
    return policy == YOKE_WAIT_SPIN ? UINT64_MAX : policy == YOKE_WAIT_BLOCK ? 0 : YK_SPIN_NANOSECONDS;
}

/* The first event that will do, or `count`. */
static size_t look(const yk_wait *wait)
{
    for (size_t i = 0; i < wait->count; i++)
        if (wait->given_is_enough ? state_of(wait->events[i]) != YK_EVENT_HELD : yk_event_poll(wait->events[i]) != YOKE_PENDING)
            return i;
    return wait->count;
}

static bool is_over(const yk_wait *wait, uint64_t now)
{
    return now >= wait->deadline ||
           (wait->unless_failed && atomic_load_explicit(&wait->unless_failed->failed, memory_order_acquire));
}

/* Without memory for lookouts there are only looks. */
static uint64_t set_lookouts(const yk_wait *wait, yk_lookout *lookouts, yk_waiter *waiter, uint64_t now, uint64_t waited)
{
    uint64_t interval = lookouts && waiter ? wait->deadline - now : YK_SPIN_NANOSECONDS;
    for (size_t i = 0; lookouts && waiter && i < wait->count; i++) {
        yk_lookout_set(&lookouts[i], wait->events[i], waiter);
        uint64_t its = yk_lookout_interval(&lookouts[i], wait->events[i], waited);
        interval = its < interval ? its : interval;
    }
    return interval;
}

static void sleep_for(yk_waiter *waiter, uint64_t nanoseconds)
{
    if (waiter)
        yk_waiter_sleep(waiter, nanoseconds);
    else
        nanosleep(&(struct timespec){ .tv_nsec = (long)nanoseconds }, NULL);
}

static size_t sleep_until_settled(const yk_wait *wait, uint64_t start)
{
    yk_lookout few[4] = { 0 }, failing = { 0 };
    yk_lookout *lookouts = wait->count <= YK_COUNT_OF(few) ? few : calloc(wait->count, sizeof *lookouts);
    yk_waiter *waiter = yk_waiter_take();
    int slack = yk_timer_slack(1);
    size_t found;
    atomic_fetch_add_explicit(&crowd, 1, memory_order_relaxed);

    if (waiter && wait->unless_failed) {
        failing.listener.waiter = waiter;
        failing.listening = wait->unless_failed;
        yk_stream_listen(wait->unless_failed, &failing.listener);
    }
    for (;;) {
        uint64_t now = yk_now();
        uint64_t interval = set_lookouts(wait, lookouts, waiter, now, now - start);
        if ((found = look(wait)) < wait->count || is_over(wait, now))
            break;
        sleep_for(waiter, interval);
    }

    atomic_fetch_sub_explicit(&crowd, 1, memory_order_relaxed);
    yk_timer_slack(slack);
    for (size_t i = 0; lookouts && i < wait->count; i++)
        yk_lookout_clear(&lookouts[i]);
    yk_lookout_clear(&failing);
    if (lookouts != few)
        free(lookouts);
    yk_waiter_give_back(waiter);
    return found;
}

size_t yk_wait_any(const yk_wait *wait)
{
    uint64_t start = yk_now(), now = start, spin = yk_spin_nanoseconds(wait->events[0]->stream);
    if (spin > 0 && spin < UINT64_MAX - wait->spin_more)
        spin += wait->spin_more;
    do {
        size_t found = look(wait);
        if (found < wait->count || is_over(wait, now))
            return found;
        yk_pause();
        now = yk_now();
    } while (now - start < spin);
    return sleep_until_settled(wait, start);
}

yoke_status yk_wait_for_mark(yoke_event *mark)
{
    const yk_backend *backend = mark->stream->device->backend;
    uint64_t start = yk_now();
    yoke_status status;
    while (yk_now() - start < YK_SPIN_NANOSECONDS) {
        if ((status = backend->event_query(mark)) != YOKE_PENDING)
            return status;
        yk_pause();
    }
    yk_waiter *waiter = yk_waiter_take();
    bool blind = !waiter || backend->event_notify(mark, waiter) != YOKE_OK;
    while ((status = backend->event_query(mark)) == YOKE_PENDING)
        sleep_for(waiter, next_look(blind, yk_now() - start));
    yk_waiter_give_back(waiter);
    return status;
}
