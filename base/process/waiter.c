/* SPDX-License-Identifier: Apache-2.0 */
/* Waiters, on which a thread sleeps until another thread posts. */
#include "base/process/waiter.h"

#include <stdlib.h>
#include <time.h>

struct yk_waiter {
    pthread_mutex_t lock; /* protects posted */
    pthread_cond_t wake;
    bool posted;
    yk_waiter *next; /* in the pool */
};

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER; /* protects pool */
static yk_waiter *pool;

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

void yk_waiter_put(yk_waiter *waiter)
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

bool yk_waiter_sleep(yk_waiter *waiter, uint64_t nanoseconds)
{
    if (!waiter) {
        uint64_t most = nanoseconds < 1000000000u ? nanoseconds : 999999999u;
        nanosleep(&(struct timespec){ .tv_nsec = (long)most }, NULL);
        return false;
    }
    pthread_mutex_lock(&waiter->lock);
    if (!waiter->posted)
        yk_cond_wait_for(&waiter->wake, &waiter->lock, nanoseconds);
    bool posted = waiter->posted;
    waiter->posted = false;
    pthread_mutex_unlock(&waiter->lock);
    return posted;
}
