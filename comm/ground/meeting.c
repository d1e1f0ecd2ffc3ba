/* SPDX-License-Identifier: Apache-2.0 */
/* Meetings: what all ranks have to come to, waiting for it, and who has not come. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "comm.h"
#include "process.h"

const char *ycomm_channel_missing(ycomm_channel *channel, uint64_t meeting, char *text, size_t size)
{
    const yoke_comm *comm = channel->comm;
    int32_t count = 0, named = 0;
    size_t used = 0;
    pthread_mutex_lock(&channel->comm->lock);
    for (int32_t i = 0; i < comm->ranks; i++)
        count += i != comm->rank && channel->present[i] < meeting;
    for (int32_t i = 0; i < comm->ranks && used + 32 < size && named < 8; i++)
        if (i != comm->rank && channel->present[i] < meeting)
            used += (size_t)snprintf(text + used, size - used, "%s%d", named++ ? ", " : count > 1 ? "ranks " : "rank ", (int)i);
    pthread_mutex_unlock(&channel->comm->lock);
    if (count == 0)
        snprintf(text, size, "all have");
    else if (count > named)
        snprintf(text + used, size - used, " and %d more have not", (int)(count - named));
    else
        snprintf(text + used, size - used, count > 1 ? " have not" : " has not");
    return text;
}

/* A farewell of a rank that cannot come ends the wait. Any other is of one that has come, so that this is about to end. */
yoke_status ycomm_meet(ycomm_channel *channel, MPI_Request *request, const char *call, ycomm_failure *failure)
{
    yoke_comm *comm = channel->comm;
    struct timespec pause = { 0, 20000 };
    uint64_t start = yk_now();
    int done = 0;
    bool noted = false;
    char missing[160];

    for (;;) {
        if (!ycomm_mpi_enter()) {
            ycomm_failure_set_finalized(failure);
            break;
        }
        int error = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (error == MPI_SUCCESS && !done)
            ycomm_listen(comm);
        ycomm_mpi_leave();
        if (error != MPI_SUCCESS) {
            ycomm_failure_set_mpi(failure, call, error);
            break;
        }
        if (done)
            return YOKE_OK;
        if (ycomm_channel_failure(channel, failure) && failure->early)
            break;
        uint64_t waited = yk_now() - start;
        if (!noted && (waited > comm->timeout / 2 || atomic_load(&channel->asked) >= YCOMM_ADDING)) {
            noted = true;
            ycomm_channel_present(channel, YCOMM_ADDING);
        }
        if (waited > comm->timeout) {
            ycomm_failure_set(failure, YOKE_E_HOST_FUNCTION,
                              "not all ranks have added their stream in %" PRIu64 " s: %s. One may have ended or stand still; "
                              "YOKE_COMM_TIMEOUT sets the limit",
                              comm->timeout / 1000000000, ycomm_channel_missing(channel, YCOMM_ADDING, missing, sizeof missing));
            break;
        }
        nanosleep(&pause, NULL);
    }
    channel->unmet = true;
    return failure->status;
}
