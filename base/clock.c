/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that never jumps, conditions that wait by it, and spinning. */
#include "base/clock.h"

#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

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
