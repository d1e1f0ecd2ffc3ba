/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and processes of POSIX. */
#include "base/system/thread.h"

#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

int yk_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error)
        return error;
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!error)
        error = pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
    return error;
}

void yk_cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t nanoseconds)
{
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    uint64_t now = (uint64_t)start.tv_sec * 1000000000u + (uint64_t)start.tv_nsec;
    uint64_t then = nanoseconds < UINT64_MAX / 2 - now ? now + nanoseconds : UINT64_MAX / 2;
    struct timespec until = { .tv_sec = (time_t)(then / 1000000000u), .tv_nsec = (long)(then % 1000000000u) };
    pthread_cond_timedwait(cond, lock, &until);
}

/* Signals are the program's: the thread blocks all of them. */
int yk_thread_begin(void *(*fn)(void *argument), void *argument)
{
    sigset_t all, before;
    pthread_t id;
    sigfillset(&all);
    int error = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (error)
        return error;
    error = pthread_create(&id, NULL, fn, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error)
        pthread_detach(id);
    return error;
}

bool yk_thread_is_main(void)
{
    return gettid() == getpid();
}

int yk_timer_slack(int nanoseconds)
{
#ifdef __linux__
    int before = prctl(PR_GET_TIMERSLACK);
    if (before > 0 && before != nanoseconds)
        (void)prctl(PR_SET_TIMERSLACK, (unsigned long)nanoseconds);
    return before > 0 ? before : 0;
#else
    return nanoseconds;
#endif
}

int yk_core_count(void)
{
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return CPU_COUNT(&allowed);
#endif
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : (int)cores;
}

long yk_process_id(void)
{
    return (long)getpid();
}

int yk_fork_handlers(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    return pthread_atfork(prepare, parent, child);
}
