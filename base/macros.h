/* SPDX-License-Identifier: Apache-2.0 */
/* Macros of every file: hints for the compiler, blocks without cancellation, a light lock. */
#ifndef YK_MACROS_H
#define YK_MACROS_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <yoke/yoke.h>

#include "base/system/missing.h"

#define YK_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* How many capabilities there are: no public number, since it changes with the library and would be compiled into programs. */
enum { YK_CAP_COUNT = YOKE_CAP_IMAGES + 1 };

/* The bit of yoke_device_info.capabilities: YK_CAP(FP64). */
#define YK_CAP(name) (UINT64_C(1) << YOKE_CAP_##name)

#define YK_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* For declarations: without the definition, the library does not link. Otherwise, programs would fail to link. Data that is
 * declared so is reached without a look-up; -fvisibility holds for definitions alone. */
#if defined(__ELF__) || defined(__MACH__)
#define YK_DEFINED_HERE __attribute__((visibility("hidden")))
#else
#define YK_DEFINED_HERE
#endif
/* For error paths: kept away from the code of correct calls. */
#define YK_COLD __attribute__((cold, noinline))
/* The few steps that every operation takes; counted once, not in each function that contains them. */
#ifdef YK_COUNTS_RUNS
#define YK_HOT static inline
#else
#define YK_HOT static inline __attribute__((always_inline))
#endif

/* Assertions: in builds for tests, the process ends where the condition is false. */
#ifdef YK_FAULT_INJECTION
#include <assert.h>
#define YK_ASSERT(condition) assert(condition)
#else
#define YK_ASSERT(condition) ((void)0)
#endif

/* At the start of a block that may sleep or take a driver's locks: the thread is not cancelled before the end of the block, which
 * would leave its work half done. A request made meanwhile takes effect at the next cancellation point. Enqueueing does without: it
 * never sleeps, and cancellation inside a driver is up to the driver. */
#define YK_UNCANCELLED __attribute__((cleanup(yk_cancel_restore), unused)) int yk_cancel_state = yk_cancel_hold()

static inline int yk_cancel_hold(void)
{
    int before = PTHREAD_CANCEL_ENABLE;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void yk_cancel_restore(const int *before)
{
    (void)pthread_setcancelstate(*before, &(int){ 0 });
}

/* A lock for a dozen instructions without a call: one exchange, where a mutex would cost more than the code that it protects. */
YK_HOT void yk_light_lock(atomic_bool *lock)
{
    while (YK_UNLIKELY(atomic_exchange_explicit(lock, true, memory_order_acquire)))
        sched_yield();
}

YK_HOT void yk_light_unlock(atomic_bool *lock)
{
    atomic_store_explicit(lock, false, memory_order_release);
}

#endif
