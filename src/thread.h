/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of Yoke's own: for what a stream holds, for settled callbacks, for the watcher and the watchdog. */
#ifndef YK_THREAD_H
#define YK_THREAD_H

#include "core.h"

/* Run fn(argument) on a thread of its own: an idle one, else a new one. What runs never waits for what runs elsewhere.
 * YOKE_E_OUT_OF_HOST_MEMORY: no thread can be started; `what` it was for goes into the record. */
yoke_status yk_thread_run(void (*fn)(void *argument), void *argument, const char *what);

#endif
