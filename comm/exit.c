/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that ends without releasing its communicators, by exit or a return from main: the other ranks hear of it, and need not
 * wait for their time limit. This is a last chance and no promise: where a lock is taken, or MPI has ended, nothing is said.
 */
#include <time.h>

#include "base/clock.h"
#include "ground/process.h"
#include "start.h"

enum { PATIENCE = 500000000 }; /* nanoseconds, for the farewells to leave */

static struct {
    pthread_mutex_t lock;
    yoke_comm *first;
} living = { .lock = PTHREAD_MUTEX_INITIALIZER };

void ycomm_living_add(yoke_comm *comm)
{
    pthread_mutex_lock(&living.lock);
    comm->next_living = living.first;
    living.first = comm;
    pthread_mutex_unlock(&living.lock);
}

void ycomm_living_remove(yoke_comm *comm)
{
    pthread_mutex_lock(&living.lock);
    yoke_comm **at = &living.first;
    while (*at && *at != comm)
        at = &(*at)->next_living;
    if (*at)
        *at = comm->next_living;
    pthread_mutex_unlock(&living.lock);
}

void ycomm_living_each(void (*visit)(yoke_comm *comm))
{
    pthread_mutex_lock(&living.lock);
    for (yoke_comm *comm = living.first; comm; comm = comm->next_living)
        visit(comm);
    pthread_mutex_unlock(&living.lock);
}

bool ycomm_living_are_leaving(void)
{
    bool any = false;
    pthread_mutex_lock(&living.lock);
    for (yoke_comm *comm = living.first; comm; comm = comm->next_living)
        any |= ycomm_are_leaving(comm);
    pthread_mutex_unlock(&living.lock);
    return any;
}

/* ---- The end ---- */

/* Tell it on all channels that have not failed. */
static void tell(yoke_comm *comm)
{
    ycomm_channel *first = NULL;
    ycomm_failure own, others;
    if (pthread_mutex_trylock(&comm->lock) != 0)
        return; /* perhaps by the thread that ends the process */
    first = comm->channels;
    pthread_mutex_unlock(&comm->lock);
    ycomm_failure_set(&own, YOKE_E_CANCELLED, "rank %d of %d: the process is ending", (int)comm->rank, (int)comm->ranks);
    ycomm_failure_set(&others, YOKE_E_HOST_FUNCTION,
                      "rank %d has ended without yoke_comm_release: its process has called exit, or returned from main",
                      (int)comm->rank);
    for (ycomm_channel *channel = first; channel; channel = channel->next) /* new ones come first */
        ycomm_channel_fail(channel, &own, &others);
}

__attribute__((destructor)) static void say_farewell(void)
{
    struct timespec pause = { 0, 100000 };
    uint64_t start = yk_now();
    int initialized = 0, finalized = 0;
    if (pthread_mutex_trylock(&living.lock) != 0)
        return;
    bool mine = living.first && !ycomm_is_forked() && !ycomm_mpi_is_closed();
    if (mine) {
        MPI_Initialized(&initialized);
        MPI_Finalized(&finalized);
    }
    if (mine && initialized && !finalized) {
        for (yoke_comm *comm = living.first; comm; comm = comm->next_living)
            tell(comm);
        for (yoke_comm *comm = living.first; comm; comm = comm->next_living)
            while (ycomm_are_leaving(comm) && yk_now() - start < PATIENCE)
                nanosleep(&pause, NULL);
    }
    pthread_mutex_unlock(&living.lock);
}
