/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures of channels, and how the other ranks hear of them. A rank whose stream has failed sends a farewell to every other rank,
 * on a communicator of its own, and takes part in nothing more of this channel; whoever hears it fails the channel too. So nothing
 * has to be said in the messages themselves, and it does not matter what a rank is waiting for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "process.h"
#include "transport.h"

typedef struct ycomm_parting {
    struct ycomm_parting *next;
    ycomm_farewell farewell;
    int count;
    MPI_Request requests[];
} ycomm_parting;

/* ---- Channels ---- */

/* Send it to all others. Without memory for that, they find out when nobody answers. */
static void tell(yoke_comm *comm, int32_t index, uint64_t meeting, const ycomm_failure *failure)
{
    ycomm_parting *parting = NULL;
    if (!ycomm_mpi_enter())
        return;
    parting = calloc(1, sizeof *parting + (size_t)comm->ranks * sizeof parting->requests[0]);
    if (!parting) {
        ycomm_mpi_leave();
        return;
    }
    parting->farewell.channel = index;
    parting->farewell.rank = comm->rank;
    parting->farewell.meeting = meeting;
    parting->farewell.failure = *failure;
    for (int32_t k = 1; k < comm->ranks; k++) { /* each rank begins with another one */
        int peer = (int)((comm->rank + k) % comm->ranks);
        if (MPI_Isend(&parting->farewell, (int)sizeof parting->farewell, MPI_BYTE, peer, 0, comm->control,
                      &parting->requests[parting->count]) == MPI_SUCCESS)
            parting->count++;
    }
    pthread_mutex_lock(&comm->lock);
    parting->next = comm->partings;
    comm->partings = parting;
    pthread_mutex_unlock(&comm->lock);
    ycomm_mpi_leave();
}

void ycomm_channel_fail(ycomm_channel *channel, const ycomm_failure *failure, const ycomm_failure *others)
{
    yoke_comm *comm = channel->comm;
    pthread_mutex_lock(&comm->lock);
    bool first = !atomic_load(&channel->failed);
    if (first) {
        channel->failure = *failure;
        atomic_store(&channel->failed, true);
    }
    pthread_mutex_unlock(&comm->lock);
    if (first && others)
        tell(comm, channel->index, 0, others);
}

void ycomm_channel_present(ycomm_channel *channel, uint64_t meeting)
{
    const ycomm_failure nothing = { .status = YOKE_OK };
    tell(channel->comm, channel->index, meeting, &nothing);
}

bool ycomm_channel_failure(ycomm_channel *channel, ycomm_failure *out_failure)
{
    if (!atomic_load(&channel->failed))
        return false;
    pthread_mutex_lock(&channel->comm->lock);
    *out_failure = channel->failure;
    pthread_mutex_unlock(&channel->comm->lock);
    return true;
}

void ycomm_channel_stream_failed(ycomm_channel *channel, yoke_status status, const char *function)
{
    const yoke_error_info *error = yoke_error();
    bool known = error->status < 0;
    ycomm_failure own, others;
    channel->comm->transport->fail(channel, status);
    if (atomic_load(&channel->failed))
        return;
    ycomm_failure_set(&own, status, "%s: the stream had failed before: %.900s", function,
                      known ? error->text : yoke_status_meaning(status));
    ycomm_failure_set(&others, YOKE_E_HOST_FUNCTION, "the stream of rank %d has failed before its %s: %s: %.900s%s%.100s",
                      (int)channel->comm->rank, function, yoke_status_name(status),
                      known ? error->text : yoke_status_meaning(status), known && *error->where ? ", enqueued at " : "",
                      known ? error->where : "");
    ycomm_channel_fail(channel, &own, &others);
}

yoke_status ycomm_add_failed(ycomm_channel *channel, const ycomm_failure *failure)
{
    const yoke_comm *comm = channel->comm;
    ycomm_failure own = *failure, others;
    ycomm_failure_set(&others, YOKE_E_HOST_FUNCTION, "rank %d has failed: yoke_comm_add: %.500s", (int)comm->rank, failure->text);
    own.early = others.early = true;
    ycomm_channel_fail(channel, &own, &others);
    return yoke_fail(failure->status, "yoke_comm_add: rank %d of %d: %s", (int)comm->rank, (int)comm->ranks, failure->text);
}

void ycomm_channel_op_failed(ycomm_channel *channel, const char *function, const char *where, const ycomm_failure *failure,
                             ycomm_failure *out_own)
{
    const yoke_comm *comm = channel->comm;
    bool agreed = failure->status == YOKE_E_INVALID_ARGUMENT; /* the mistake of all who take part */
    ycomm_failure others;
    ycomm_failure_set(out_own, failure->status, "%s: rank %d of %d: %.1000s", function, (int)comm->rank, (int)comm->ranks,
                      failure->text);
    ycomm_failure_set(&others, agreed ? YOKE_E_INVALID_ARGUMENT : YOKE_E_HOST_FUNCTION, "rank %d has failed: %s: %.900s%s%.100s",
                      (int)comm->rank, function, failure->text, where ? ", enqueued at " : "", where ? where : "");
    ycomm_channel_fail(channel, out_own, &others);
}

/* ---- Farewells that arrive ---- */

/* With the lock. */
static void note_present(ycomm_channel *channel, const ycomm_farewell *heard)
{
    if (heard->rank < 0 || heard->rank >= channel->comm->ranks)
        return;
    if (channel->present[heard->rank] < heard->meeting)
        channel->present[heard->rank] = heard->meeting;
    if (atomic_load(&channel->asked) < heard->meeting)
        atomic_store(&channel->asked, heard->meeting);
}

int ycomm_listen_begin(yoke_comm *comm)
{
    return MPI_Irecv(&comm->heard, (int)sizeof comm->heard, MPI_BYTE, MPI_ANY_SOURCE, 0, comm->control, &comm->incoming);
}

/* With the lock: for ycomm_early_take. Without memory, this rank meets nobody when it adds the stream, in the time limit. */
static void keep_early(yoke_comm *comm, const ycomm_farewell *heard)
{
    ycomm_early *early = malloc(sizeof *early);
    if (!early)
        return;
    *early = (ycomm_early){ comm->early, *heard };
    comm->early = early;
}

void ycomm_early_take(ycomm_channel *channel)
{
    yoke_comm *comm = channel->comm;
    ycomm_failure failure = { .status = YOKE_OK };
    pthread_mutex_lock(&comm->lock);
    for (ycomm_early **at = &comm->early; *at;) {
        ycomm_early *early = *at;
        if (early->farewell.channel != channel->index) {
            at = &early->next;
            continue;
        }
        *at = early->next;
        if (early->farewell.failure.status < 0)
            failure = early->farewell.failure;
        else
            note_present(channel, &early->farewell);
        free(early);
    }
    pthread_mutex_unlock(&comm->lock);
    if (failure.status < 0)
        ycomm_channel_fail(channel, &failure, NULL);
}

static void hear(yoke_comm *comm)
{
    ycomm_farewell *heard = &comm->heard;
    ycomm_channel *channel;
    heard->failure.text[YCOMM_TEXT - 1] = '\0';
    pthread_mutex_lock(&comm->lock);
    for (channel = comm->channels; channel && channel->index != heard->channel; channel = channel->next)
        continue;
    if (!channel)
        keep_early(comm, heard);
    else if (heard->failure.status >= 0)
        note_present(channel, heard);
    pthread_mutex_unlock(&comm->lock);
    if (channel && heard->failure.status < 0)
        ycomm_channel_fail(channel, &heard->failure, NULL);
}

void ycomm_listen(yoke_comm *comm)
{
    int come = 0;
    if (comm->ranks == 1 || pthread_mutex_trylock(&comm->listening) != 0)
        return;
    while (comm->incoming != MPI_REQUEST_NULL && MPI_Test(&comm->incoming, &come, MPI_STATUS_IGNORE) == MPI_SUCCESS && come) {
        hear(comm);
        if (ycomm_listen_begin(comm) != MPI_SUCCESS)
            comm->incoming = MPI_REQUEST_NULL;
    }
    pthread_mutex_unlock(&comm->listening);
}

void ycomm_listen_end(yoke_comm *comm)
{
    pthread_mutex_lock(&comm->listening);
    if (comm->incoming != MPI_REQUEST_NULL) {
        MPI_Cancel(&comm->incoming);
        MPI_Wait(&comm->incoming, MPI_STATUS_IGNORE);
    }
    pthread_mutex_unlock(&comm->listening);
}

/* ---- What is left behind ---- */

bool ycomm_is_over(MPI_Request *request)
{
    int done = 0;
    if (*request == MPI_REQUEST_NULL || !ycomm_mpi_enter())
        return *request == MPI_REQUEST_NULL;
    bool over = MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done;
    ycomm_mpi_leave();
    return over;
}

void ycomm_abandon(yoke_comm *comm, ycomm_abandoned *abandoned)
{
    pthread_mutex_lock(&comm->lock);
    abandoned->next = comm->abandoned;
    comm->abandoned = abandoned;
    pthread_mutex_unlock(&comm->lock);
}

/* With the lock: free the farewells that have left. */
static void sweep_partings(yoke_comm *comm)
{
    for (ycomm_parting **at = &comm->partings; *at;) {
        ycomm_parting *parting = *at;
        while (parting->count > 0 && ycomm_is_over(&parting->requests[parting->count - 1]))
            parting->count--;
        if (parting->count > 0) {
            at = &parting->next;
            continue;
        }
        *at = parting->next;
        free(parting);
    }
}

bool ycomm_are_leaving(yoke_comm *comm)
{
    if (pthread_mutex_trylock(&comm->lock) != 0)
        return true;
    sweep_partings(comm);
    bool left = comm->partings != NULL;
    pthread_mutex_unlock(&comm->lock);
    return left;
}

bool ycomm_sweep(yoke_comm *comm)
{
    pthread_mutex_lock(&comm->lock);
    sweep_partings(comm);
    for (ycomm_abandoned **at = &comm->abandoned; *at;) {
        ycomm_abandoned *abandoned = *at, *next = abandoned->next;
        if (abandoned->sweep(abandoned))
            *at = next;
        else
            at = &abandoned->next;
    }
    bool left = comm->partings || comm->abandoned;
    pthread_mutex_unlock(&comm->lock);
    return left;
}
