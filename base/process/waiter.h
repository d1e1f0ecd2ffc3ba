/* SPDX-License-Identifier: Apache-2.0 */
/* Waiters, on which threads block. */
#ifndef YK_WAITER_H
#define YK_WAITER_H

#include "base/clock.h"

typedef struct yk_waiter yk_waiter;

/* NULL when out of host memory: the caller then polls at intervals. */
yk_waiter *yk_waiter_take(void);
void yk_waiter_put(yk_waiter *waiter);
/* Wake the waiting thread. From any thread, any number of times: waiters are recycled but never freed. */
void yk_waiter_post(yk_waiter *waiter);
/* Sleep until posted, at most this long. Returns whether the waiter was posted. Without a waiter: sleep for this long, at most a
 * second. */
bool yk_waiter_sleep(yk_waiter *waiter, uint64_t nanoseconds);

#endif
