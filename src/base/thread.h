/* SPDX-License-Identifier: Apache-2.0 */
/* Yoke's own threads: for deferred work, completion callbacks, the watcher of events and the watchdog. */
#ifndef YK_THREAD_H
#define YK_THREAD_H

#include "base/base.h"

typedef struct yk_thread yk_thread;

/* Run fn(argument) on a thread of its own: an idle one, else a new one. What runs never waits for what runs elsewhere.
 * YOKE_E_OUT_OF_HOST_MEMORY: no thread can be started; `what` it was for goes into the record. */
yoke_status yk_thread_run(void (*fn)(void *argument), void *argument, const char *what);

/* A thread that is kept for one job, so that starting that later cannot fail. NULL and a record: none can be started. */
yk_thread *yk_thread_keep(const char *what);
/* On a thread of Yoke's: that one, for a job after the one that it is doing. */
yk_thread *yk_thread_keep_own(void);
/* Give it its job; or let it go, to be idle as any other. Nothing else may be done with it from then on. */
void yk_thread_run_kept(yk_thread *kept, void (*fn)(void *argument), void *argument);
void yk_thread_let_go(yk_thread *kept);

#endif
