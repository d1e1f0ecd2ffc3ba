/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting: how a thread learns that work has settled. */
#ifndef YK_SETTLE_H
#define YK_SETTLE_H

#include "core.h"

/* How long a waiting thread looks again and again before it sleeps: longer than a short kernel, shorter than a scheduler's tick. */
#define YK_SPIN_NANOSECONDS 50000

/* The longest sleep between two looks, since a driver's wake-up may never come. */
#define YK_LOOK_NANOSECONDS 1000000

/* Between two looks of a spin. */
void yk_pause(void);

/* Wait until an event that the driver has been given settles. Returns what backend->event_query says: never YOKE_PENDING. */
yoke_status yk_wait_given(yoke_event *event);

/* pthread_cond_init on the monotonic clock; returns an errno value. */
int yk_cond_init(pthread_cond_t *cond);
/* Wait at most this long from now. */
void yk_cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t nanoseconds);

#endif
