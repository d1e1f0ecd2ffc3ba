/* SPDX-License-Identifier: Apache-2.0 */
/* Yoke's own threads: for deferred work, completion callbacks, the watcher of events and the watchdog. */
#ifndef YK_THREAD_H
#define YK_THREAD_H

#include "base/process/process.h"

typedef struct yk_thread yk_thread;

/* Run fn(argument) on an idle thread, else on a new one. Jobs never wait for one another. YOKE_E_OUT_OF_HOST_MEMORY: no thread can
 * be started; the record says `what` it was for. */
yoke_status yk_thread_run(void (*fn)(void *argument), void *argument, const char *what);

/* A thread kept for one job, so that starting the job later cannot fail. NULL and a record: no thread can be started. */
yk_thread *yk_thread_keep(const char *what);
/* On a thread of Yoke's: keep the calling thread, for a job after its current one. */
yk_thread *yk_thread_keep_own(void);
/* Run the job on the kept thread; or release the thread, which becomes idle. The caller may not use the thread afterwards. */
void yk_thread_run_kept(yk_thread *kept, void (*fn)(void *argument), void *argument);
void yk_thread_let_go(yk_thread *kept);

#endif
