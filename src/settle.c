/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Learning that work is done, one mechanism for everything that waits: ask the driver in a short spin, then sleep until its
 * notification, and ask again. The notification is a wake-up and never the truth: drivers lose it after errors, call it early,
 * twice, or inside the call that registers it. So a waiter is never freed, a late post is at worst a needless look, and no sleep is
 * unbounded.
 */
#include "settle.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "backend.h"

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
    uint64_t then = yk_now() + nanoseconds;
    struct timespec until = { .tv_sec = (time_t)(then / 1000000000u), .tv_nsec = (long)(then % 1000000000u) };
    pthread_cond_timedwait(cond, lock, &until);
}

/* NULL when the host has no memory for one: the caller then looks at intervals. */
static yk_waiter *waiter_take(void)
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

static void waiter_give_back(yk_waiter *waiter)
{
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

static void waiter_sleep(yk_waiter *waiter, uint64_t nanoseconds)
{
    pthread_mutex_lock(&waiter->lock);
    if (!waiter->posted)
        yk_cond_wait_for(&waiter->wake, &waiter->lock, nanoseconds);
    waiter->posted = false;
    pthread_mutex_unlock(&waiter->lock);
}

/* Until the next look: short beside what has been waited for already, so that a wake-up that never comes costs little either way.
 */
static uint64_t next_look(uint64_t waited)
{
    uint64_t interval = waited / 32;
    if (interval < YK_SPIN_NANOSECONDS)
        return YK_SPIN_NANOSECONDS;
    return interval < YK_LOOK_NANOSECONDS ? interval : YK_LOOK_NANOSECONDS;
}

static yoke_status sleep_until_settled(yoke_event *event, uint64_t start)
{
    const yk_backend *backend = event->stream->device->backend;
    yk_waiter *waiter = waiter_take();
    if (waiter)
        (void)backend->event_notify(event, waiter); /* without it the looks below are enough, only later */

    yoke_status status;
    while ((status = backend->event_query(event)) == YOKE_PENDING) {
        uint64_t interval = next_look(yk_now() - start);
        if (waiter)
            waiter_sleep(waiter, interval);
        else
            nanosleep(&(struct timespec){ .tv_nsec = (long)interval }, NULL);
    }
    if (waiter)
        waiter_give_back(waiter);
    return status;
}

yoke_status yk_wait_given(yoke_event *event)
{
    const yk_backend *backend = event->stream->device->backend;
    uint64_t start = yk_now();
    do {
        yoke_status status = backend->event_query(event);
        if (status != YOKE_PENDING)
            return status;
        yk_pause();
    } while (yk_now() - start < YK_SPIN_NANOSECONDS);
    return sleep_until_settled(event, start);
}
