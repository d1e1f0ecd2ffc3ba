/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes on beside NCCL, in the progress thread: tickets are exchanged and compared; an event behind the operations shows
 * whether the stream goes on, and a stream that does not for the time limit has failed; farewells are heard. Then the stream is
 * made to fail and NCCL's communicator is aborted, which ends what waits on the device.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include <yoke/native.h>

#include "nccl.h"

enum { MOST_POSTED = 64 }; /* tickets on their way at once */

/* ---- Tickets ---- */

ycomm_ticket *ycomm_ticket_create(const ycomm_op *op)
{
    ycomm_ticket *ticket = calloc(1, sizeof *ticket + op->part_count * sizeof ticket->items[0]);
    if (!ticket)
        return NULL;
    ticket->function = op->function;
    ticket->where = op->where;
    ticket->count = op->part_count;
    for (size_t i = 0; i < op->part_count; i++) {
        ticket->items[i].part = op->parts[i];
        ticket->items[i].opening.request = MPI_REQUEST_NULL;
    }
    return ticket;
}

static bool post(struct ycomm_nccl *nccl, ycomm_ticket *ticket, ycomm_failure *failure)
{
    for (size_t i = 0; i < ticket->count; i++) {
        int error = ycomm_post_opening(nccl->mpi, 0, &ticket->items[i].part, false, &ticket->items[i].opening);
        if (error != MPI_SUCCESS) {
            ycomm_failure_set_mpi(failure, "the ticket of an operation", error);
            return false;
        }
    }
    ticket->posted = true;
    nccl->posted++;
    return true;
}

/* Whether all has been answered. */
static bool is_answered(const struct ycomm_nccl *nccl, ycomm_ticket *ticket, ycomm_failure *failure)
{
    for (size_t i = 0; i < ticket->count && failure->status == YOKE_OK; i++) {
        ycomm_opening *opening = &ticket->items[i].opening;
        int done = 0;
        if (opening->request == MPI_REQUEST_NULL)
            continue;
        int error = MPI_Test(&opening->request, &done, MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS)
            ycomm_failure_set_mpi(failure, "the ticket of an operation", error);
        else if (!done)
            return false;
        else
            (void)ycomm_check_opening(nccl->channel->comm, &ticket->items[i].part, opening, failure);
    }
    return failure->status == YOKE_OK;
}

/* The list as far as it is known now: others append. */
static ycomm_ticket *next_of(struct ycomm_nccl *nccl, const ycomm_ticket *ticket)
{
    pthread_mutex_lock(&nccl->lock);
    ycomm_ticket *next = ticket ? ticket->next : nccl->first;
    pthread_mutex_unlock(&nccl->lock);
    return next;
}

static bool step_tickets(struct ycomm_nccl *nccl, ycomm_failure *failure, const ycomm_ticket **out_ticket)
{
    bool moved = false;
    ycomm_ticket *ticket;
    while ((ticket = next_of(nccl, NULL)) && ticket->posted) {
        *out_ticket = ticket;
        if (!is_answered(nccl, ticket, failure))
            break;
        pthread_mutex_lock(&nccl->lock);
        nccl->first = ticket->next;
        if (!nccl->first)
            nccl->last = &nccl->first;
        pthread_mutex_unlock(&nccl->lock);
        free(ticket);
        nccl->posted--;
        moved = true;
    }
    for (ticket = next_of(nccl, NULL); ticket && nccl->posted < MOST_POSTED && failure->status == YOKE_OK;
         ticket = next_of(nccl, ticket))
        if (!ticket->posted) {
            *out_ticket = ticket;
            moved |= post(nccl, ticket, failure);
        }
    return moved;
}

/* ---- The stream ---- */

/* What an event says of the stream. One that was recorded into a graph is nobody's: the next one is behind it. */
static void tell(struct ycomm_nccl *nccl, yoke_status status)
{
    if (status >= 0 || status == YOKE_E_INVALID_ARGUMENT || status == YOKE_E_OUT_OF_HOST_MEMORY)
        return;
    ycomm_channel_stream_failed(nccl->channel, status, "work");
    atomic_store(&nccl->stream_failed, true);
}

/* Since when there is no progress: too long ago. */
static void check_time(const yoke_comm *comm, uint64_t since, ycomm_failure *failure)
{
    if (ycomm_now() - since > comm->timeout)
        ycomm_failure_set(failure, YOKE_E_HOST_FUNCTION,
                          "what was enqueued here is not complete after %" PRIu64 " s: another rank does not answer. It may have "
                          "ended, stand still, or wait for something else; YOKE_COMM_TIMEOUT sets the limit",
                          comm->timeout / 1000000000);
}

/* What NCCL has noticed itself. While another thread calls it, that thread is told. */
static void check_handle(struct ycomm_nccl *nccl, ycomm_failure *failure)
{
    ycomm_ncclResult_t told = YCOMM_ncclSuccess;
    if (pthread_mutex_trylock(&nccl->calls) != 0)
        return;
    if (!atomic_load(&nccl->aborted) && ycomm_context_enter(nccl->context)) {
        if (ycomm_nccl.ncclCommGetAsyncError(nccl->handle, &told) != YCOMM_ncclSuccess)
            told = YCOMM_ncclInternalError;
        ycomm_context_leave();
    }
    pthread_mutex_unlock(&nccl->calls);
    if (told != YCOMM_ncclSuccess && told != YCOMM_ncclInProgress)
        ycomm_failure_set(failure, YOKE_E_DRIVER, "NCCL reports %s (%u); NCCL_DEBUG=INFO says more", ycomm_nccl_result(told), told);
}

/* A status of 0 in `failure`: nothing is wrong. Returns whether the stream has gone on. */
static bool step_watch(struct ycomm_nccl *nccl, ycomm_failure *failure)
{
    const yoke_comm *comm = nccl->channel->comm;
    uint64_t issued = atomic_load(&nccl->issued), calling = atomic_load(&nccl->calling);
    if (calling != 0)
        check_time(comm, calling, failure);
    if (!nccl->watched && issued != nccl->seen) {
        nccl->seen = issued;
        nccl->since = ycomm_now();
        tell(nccl, yoke_event_record_at(NULL, nccl->channel->stream, 0, &nccl->watched));
        return true;
    }
    if (!nccl->watched)
        return false;
    yoke_status status = yoke_event_query(nccl->watched);
    if (status != YOKE_PENDING) {
        yoke_event_release(nccl->watched);
        nccl->watched = NULL;
        tell(nccl, status);
        return true;
    }
    check_handle(nccl, failure);
    if (failure->status == YOKE_OK)
        check_time(comm, nccl->since, failure);
    return false;
}

/* ---- The end ---- */

static yoke_status fail_stream(yoke_status status, void *native_stream, void *user)
{
    ycomm_channel *channel = user;
    ycomm_failure failure;
    (void)native_stream;
    if (status < 0 || !ycomm_channel_failure(channel, &failure) || atomic_exchange(&channel->nccl->stream_failed, true))
        return status;
    return yoke_fail(failure.status, "%s", failure.text);
}

static void release_comm(void *user)
{
    yoke_comm_release(((ycomm_channel *)user)->comm);
}

static void give_up(struct ycomm_nccl *nccl)
{
    ycomm_channel *channel = nccl->channel;
    nccl->given_up = true;
    if (!nccl->ending && !atomic_load(&nccl->stream_failed)) {
        yoke_comm_retain(channel->comm);
        if (yoke_native_enqueue(channel->stream, fail_stream, channel, release_comm) < 0)
            yoke_comm_release(channel->comm); /* the stream has failed already */
    }
    ycomm_nccl_abort(nccl);
}

bool ycomm_nccl_step(struct ycomm_nccl *nccl)
{
    ycomm_channel *channel = nccl->channel;
    const ycomm_ticket *ticket = NULL;
    ycomm_failure failure = { .status = YOKE_OK }, own;
    bool moved = false;
    if (nccl->given_up)
        return false;
    ycomm_listen(channel->comm);
    if (!atomic_load(&channel->failed)) {
        moved = step_tickets(nccl, &failure, &ticket);
        if (failure.status == YOKE_OK) {
            ticket = NULL;
            moved |= step_watch(nccl, &failure);
        }
        if (failure.status < 0)
            ycomm_channel_op_failed(channel, ticket ? ticket->function : "NCCL", ticket ? ticket->where : NULL, &failure, &own);
    }
    if (atomic_load(&channel->failed)) {
        give_up(nccl);
        return true;
    }
    return moved;
}

bool ycomm_nccl_is_idle(const struct ycomm_nccl *nccl)
{
    return nccl->given_up ||
           (atomic_load(&nccl->calling) == 0 && !nccl->watched && !nccl->first && atomic_load(&nccl->issued) == nccl->seen);
}

void ycomm_nccl_finish(struct ycomm_nccl *nccl)
{
    struct timespec pause = { 0, 20000 };
    nccl->ending = true;
    while (!atomic_load(&nccl->channel->failed) && !ycomm_nccl_is_idle(nccl)) /* no longer than the time limit */
        if (!ycomm_nccl_step(nccl))
            nanosleep(&pause, NULL);
    yoke_event_release(nccl->watched);
    nccl->watched = NULL;
    for (ycomm_ticket *ticket = nccl->first, *next; ticket; ticket = next) {
        next = ticket->next;
        if (!ticket->posted) /* the others are MPI's, for good */
            free(ticket);
    }
    nccl->first = NULL;
    nccl->last = &nccl->first;
}
