/* SPDX-License-Identifier: Apache-2.0 */
/* A moment from now; and a forked child, which is no rank: MPI's threads are not there, and its connections are the parent's. */
#include <pthread.h>
#include <time.h>

#include "process.h"

struct timespec ycomm_from_now(long nanoseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += nanoseconds;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}

/* ---- Forked children ---- */

static struct {
    pthread_once_t once;
    int error;
    bool child; /* written while there is one thread */
} fork_state = { .once = PTHREAD_ONCE_INIT };

static void in_child(void)
{
    fork_state.child = true;
}

static void watch(void)
{
    fork_state.error = pthread_atfork(NULL, NULL, in_child);
}

bool ycomm_fork_watch(void)
{
    pthread_once(&fork_state.once, watch);
    return fork_state.error == 0;
}

bool ycomm_is_forked(void)
{
    return fork_state.child;
}

yoke_status ycomm_fork_check(const char *function)
{
    if (!fork_state.child)
        return YOKE_OK;
    return yoke_fail(YOKE_E_FORKED,
                     "%s: this process was forked from a process that had used libyoke-comm, and MPI does not survive a fork: fork "
                     "before MPI is initialised, or call exec",
                     function);
}
