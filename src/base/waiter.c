/* SPDX-License-Identifier: Apache-2.0 */
/* Blocking: a clock that never jumps, and waiters, on which a thread sleeps until another thread posts. */
#include "base/waiter.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

struct yk_waiter {
    pthread_mutex_t lock; /* protects posted */
    pthread_cond_t wake;
    bool posted;
    yk_waiter *next; /* in the pool */
};

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER; /* protects pool */
static yk_waiter *pool;

uint64_t yk_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
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

int yk_core_count(void)
{
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return CPU_COUNT(&allowed);
#endif
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : (int)cores;
}

/* On a single core, whatever the spin is for has to be let run. */
static bool has_one_core(void)
{
    static atomic_int cores; /* 0: not counted yet */
    int count = atomic_load_explicit(&cores, memory_order_relaxed);
    if (count == 0) {
        count = yk_core_count();
        atomic_store_explicit(&cores, count, memory_order_relaxed);
    }
    return count == 1;
}

void yk_pause(void)
{
    if (has_one_core()) {
        sched_yield();
        return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#else
    sched_yield();
#endif
}
