/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that never jumps, and spinning. */
#include "base/clock.h"

#include <time.h>

uint64_t yk_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
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
