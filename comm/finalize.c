/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI_Finalize closes the gate to MPI (ground/gate.c): it deletes the attributes of MPI_COMM_SELF first of all, and ours fails what
 * is under way, tells the other ranks, and waits until nobody is inside.
 */
#include <time.h>

#include "base/clock.h"
#include "ground/process.h"
#include "start.h"

enum { PATIENCE = 500000000 }; /* nanoseconds, for the farewells to leave */

/* An operation that is under way fails here, and at the ranks that take part in it. A rank with nothing under way may leave before
 * the others: they hear nothing. */
static void end_channels(yoke_comm *comm)
{
    ycomm_failure own, others;
    ycomm_failure_set_finalized(&own);
    ycomm_failure_set(&others, YOKE_E_HOST_FUNCTION, "rank %d has called MPI_Finalize while an operation was under way",
                      (int)comm->rank);
    for (ycomm_channel *channel = comm->channels; channel; channel = channel->next) /* new ones come first */
        if (pthread_mutex_trylock(&channel->turn) == 0)
            pthread_mutex_unlock(&channel->turn);
        else
            ycomm_channel_fail(channel, &own, &others);
}

static int finalize(MPI_Comm self, int key, void *value, void *extra)
{
    const struct timespec pause = { 0, 100000 };
    uint64_t start = yk_now();
    (void)self, (void)key, (void)value, (void)extra;
    ycomm_living_each(end_channels);
    while (ycomm_living_are_leaving() && yk_now() - start < PATIENCE)
        nanosleep(&pause, NULL);
    ycomm_living_each(ycomm_listen_end);
    ycomm_mpi_close();
    return MPI_SUCCESS;
}

static struct {
    pthread_once_t once;
    int error;
} attribute = { .once = PTHREAD_ONCE_INIT };

static void set_attribute(void)
{
    int key = MPI_KEYVAL_INVALID;
    attribute.error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize, &key, NULL);
    if (attribute.error == MPI_SUCCESS)
        attribute.error = MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    if (key != MPI_KEYVAL_INVALID)
        MPI_Comm_free_keyval(&key); /* once no communicator has it */
}

int ycomm_finalize_watch(void)
{
    pthread_once(&attribute.once, set_attribute);
    return attribute.error;
}
