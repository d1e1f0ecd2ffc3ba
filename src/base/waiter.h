/* SPDX-License-Identifier: Apache-2.0 */
/* Waiters, on which threads sleep. */
#ifndef YK_WAITER_H
#define YK_WAITER_H

#include "base/macros.h"

typedef struct yk_waiter yk_waiter;

uint64_t yk_now(void); /* nanoseconds, monotonic */

/* NULL when the host has no memory for one: the caller then polls at intervals. */
yk_waiter *yk_waiter_take(void);
void yk_waiter_put(yk_waiter *waiter);
/* Wake the thread that sleeps. From any thread, any number of times: waiters are recycled but never freed. */
void yk_waiter_post(yk_waiter *waiter);
/* Until posted, but no longer than this. Returns whether it was posted. Without a waiter: for so long, at most a second. */
bool yk_waiter_sleep(yk_waiter *waiter, uint64_t nanoseconds);

/* Let this thread's sleeps end when they should, instead of up to 50 us later; returns what to put back, by the same function. */
int yk_timer_slack(int nanoseconds);

/* Between two polls of a spin. */
void yk_pause(void);

/* pthread_cond_init on the monotonic clock; returns an errno value. */
int yk_cond_init(pthread_cond_t *cond);
/* Wait at most this long from now. */
void yk_cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t nanoseconds);

#endif
