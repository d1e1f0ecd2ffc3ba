/* SPDX-License-Identifier: Apache-2.0 */
/* Waiters, on which threads block. */
#ifndef YK_WAITER_H
#define YK_WAITER_H

#include "base/macros.h"

typedef struct yk_waiter yk_waiter;

uint64_t yk_now(void); /* nanoseconds, monotonic */

/* NULL when out of host memory: the caller then polls at intervals. */
yk_waiter *yk_waiter_take(void);
void yk_waiter_put(yk_waiter *waiter);
/* Wake the waiting thread. From any thread, any number of times: waiters are recycled but never freed. */
void yk_waiter_post(yk_waiter *waiter);
/* Sleep until posted, at most this long. Returns whether the waiter was posted. Without a waiter: sleep for this long, at most a
 * second. */
bool yk_waiter_sleep(yk_waiter *waiter, uint64_t nanoseconds);

/* Set the slack of this thread's sleeps, by default 50 us; returns the previous value, to be restored by the same function. */
int yk_timer_slack(int nanoseconds);

/* The cores on which the calling thread may run. */
int yk_core_count(void);
/* Between two polls of a spin. */
void yk_pause(void);

/* pthread_cond_init on the monotonic clock; returns an errno value. */
int yk_cond_init(pthread_cond_t *cond);
/* Wait on the condition, at most this long. */
void yk_cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t nanoseconds);

#endif
