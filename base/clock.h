/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that never jumps, conditions that wait by it, and spinning. */
#ifndef YK_CLOCK_H
#define YK_CLOCK_H

#include "base/macros.h"

uint64_t yk_now(void); /* nanoseconds, monotonic */

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
