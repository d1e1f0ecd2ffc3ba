/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and processes, beyond <pthread.h>: that header is there on every system, on Windows by winpthreads, which comes with
 * mingw-w64. So mutexes, conditions and "once" are called as they are, and here is what differs.
 */
#ifndef YK_SYSTEM_THREAD_H
#define YK_SYSTEM_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* pthread_cond_init on a clock that never jumps; returns an errno value. */
int yk_cond_init(pthread_cond_t *cond);
/* Wait on the condition, at most this long. */
void yk_cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t nanoseconds);

/* Start a detached thread, which gets none of the program's signals; returns an errno value. */
int yk_thread_begin(void *(*fn)(void *argument), void *argument);
/* Whether the calling thread is the process's first. */
bool yk_thread_is_main(void);

/* Set the slack of this thread's sleeps, by default 50 us; returns the previous value, to be restored by the same function. */
int yk_timer_slack(int nanoseconds);
/* The cores on which the calling thread may run. */
int yk_core_count(void);

long yk_process_id(void);
/* pthread_atfork; where no process forks, nothing. Returns an errno value. */
int yk_fork_handlers(void (*prepare)(void), void (*parent)(void), void (*child)(void));

#endif
