/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes on beside NCCL, in the progress thread: tickets are exchanged and compared; an event behind the operations shows
 * whether the stream goes on, and a stream that does not for the time limit has failed; farewells are heard. Then the stream is
 * made to fail and NCCL's communicator is aborted, which ends what waits on the device.
 */
#include <inttypes.h>
#include <time.h>

#include <yoke/library.h>
#include <yoke/native.h>

#include "base/clock.h"
#include "ground/process.h"
#include "nccl.h"

/* Nanoseconds. An event that is recorded while another thread makes a call in the stream is deferred by Yoke, and then so are the
 * operations behind it, which costs many times what they cost. So it waits until the stream is quiet, and not for ever. */
enum { LOOK = 1000000, BUSY = 10000000, LINGER = 10000000, MOMENT = 1000000000 };

/* ---- The stream ---- */

/* What an event says of the stream, which has failed for itself and may have been recovered since. An event that was recorded into
 * a graph is nobody's: the next one is behind it. */
static void tell(struct ycomm_nccl *nccl, yoke_status status)
{
    if (status >= 0 || status == YOKE_E_INVALID_ARGUMENT || status == YOKE_E_OUT_OF_HOST_MEMORY)
        return;
    atomic_store(&nccl->stream_failed, true);
    ycomm_channel_stream_failed(nccl->channel, status, "work");
}

/* Since when there is no progress: too long ago. */
static void check_time(const yoke_comm *comm, uint64_t since, ycomm_failure *failure)
{
    if (yk_now() - since > comm->timeout)
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
    if (!atomic_load(&nccl->handle_ended) && ycomm_context_enter(nccl->context)) {
        if (ycomm_nccl.ncclCommGetAsyncError(nccl->handle, &told) != YCOMM_ncclSuccess)
            told = YCOMM_ncclInternalError;
        ycomm_context_leave();
    }
    pthread_mutex_unlock(&nccl->calls);
    if (told != YCOMM_ncclSuccess && told != YCOMM_ncclInProgress)
        ycomm_failure_set(failure, YOKE_E_DRIVER, "NCCL reports %s (%u); NCCL_DEBUG=INFO says more", ycomm_nccl_result(told), told);
}

/* What the event says. A status of 0 in `failure`: nothing is wrong. */
static void ask_watched(struct ycomm_nccl *nccl, ycomm_failure *failure)
{
    yoke_status status = yoke_event_query(nccl->watched);
    if (status == YOKE_PENDING) {
        check_handle(nccl, failure);
        if (failure->status == YOKE_OK)
            check_time(nccl->channel->comm, nccl->since, failure);
        return;
    }
    yoke_event_release(nccl->watched);
    nccl->watched = NULL;
    tell(nccl, status);
}

/* Record an event behind operations that no other was behind: not during a call, and soon only once there are no new ones. Where
 * operations have been recorded, a graph may have been launched at any time; an event that gets into a recording is no node. */
static void watch(struct ycomm_nccl *nccl, uint64_t now)
{
    uint64_t ended = atomic_load(&nccl->ended);
    bool quiet = ended == nccl->noticed || nccl->ending;
    bool launches = atomic_load(&nccl->recorded) && now - nccl->since >= BUSY;
    if ((ended == nccl->seen && !launches) || atomic_load(&nccl->begun) != ended)
        return;
    if (nccl->noticed == nccl->seen)
        nccl->since = now;
    nccl->noticed = ended;
    if (!quiet && now - nccl->since < BUSY)
        return;
    nccl->seen = ended;
    nccl->since = now;
    tell(nccl, yoke_event_record_at(NULL, nccl->channel->stream, 0, &nccl->watched));
}

static void step_stream(struct ycomm_nccl *nccl, ycomm_failure *failure)
{
    uint64_t now = yk_now(), begun = atomic_load(&nccl->begun);
    if (begun != nccl->called) {
        nccl->called = begun;
        nccl->called_at = now;
    } else if (begun != atomic_load(&nccl->ended)) {
        check_time(nccl->channel->comm, nccl->called_at, failure);
    }
    if (now - nccl->looked < LOOK && !nccl->ending)
        return;
    nccl->looked = now;
    if (nccl->watched)
        ask_watched(nccl, failure);
    else
        watch(nccl, now);
}

/* ---- The end ---- */

static bool is_complete(struct ycomm_nccl *nccl)
{
    ycomm_cudaStream_t stream = atomic_load(&nccl->stream);
    if (!stream || atomic_load(&nccl->begun) != atomic_load(&nccl->ended) || !ycomm_context_enter(nccl->context))
        return false;
    bool complete = ycomm_stream_is_complete(stream);
    ycomm_context_leave();
    return complete;
}

/* MPI has been finalised, so that nobody answers the tickets that are left. They are needed only while operations are under way,
 * which an event that has just been recorded behind complete ones makes look so for a moment. */
static void leave_tickets(struct ycomm_nccl *nccl, ycomm_failure *failure)
{
    uint64_t now = yk_now();
    nccl->left_since = nccl->left_since ? nccl->left_since : now;
    if (is_complete(nccl))
        ycomm_tickets_drop(nccl);
    else if (now - nccl->left_since > MOMENT)
        ycomm_failure_set_finalized(failure);
}

/* The stream fails first: once the abort has ended what waits on the device, events behind that are complete. */
static void give_up(struct ycomm_nccl *nccl)
{
    ycomm_failure failure;
    nccl->given_up = true;
    if (!nccl->ending && ycomm_channel_failure(nccl->channel, &failure))
        ycomm_nccl_fail_stream(nccl, atomic_load(&nccl->newest), failure.status, failure.text);
    ycomm_nccl_end_channel(nccl, true);
}

static bool step(struct ycomm_nccl *nccl)
{
    ycomm_channel *channel = nccl->channel;
    const ycomm_ticket *ticket = NULL;
    ycomm_failure failure, own;
    bool moved = false;
    if (nccl->given_up)
        return false;
    failure.status = YOKE_OK;
    bool can_compare = ycomm_mpi_enter();
    if (can_compare)
        ycomm_listen(channel->comm);
    if (!atomic_load(&channel->failed)) {
        if (can_compare)
            moved = ycomm_tickets_step(nccl, &failure, &ticket);
        else if (nccl->first || atomic_load(&nccl->fresh))
            leave_tickets(nccl, &failure);
        if (failure.status == YOKE_OK) {
            ticket = NULL;
            step_stream(nccl, &failure);
        }
        if (failure.status < 0)
            ycomm_channel_op_failed(channel, ticket ? ticket->function : "NCCL", ticket ? ticket->where : NULL, &failure, &own);
    }
    if (can_compare)
        ycomm_mpi_leave();
    if (atomic_load(&channel->failed)) {
        give_up(nccl);
        return true;
    }
    return moved;
}

static bool has_nothing(const struct ycomm_nccl *nccl)
{
    uint64_t ended = atomic_load(&nccl->ended);
    return nccl->given_up || (!nccl->watched && !nccl->first && !atomic_load(&nccl->fresh) && ended == nccl->seen &&
                              atomic_load(&nccl->begun) == ended);
}

/* ---- The engine's ---- */

static bool step_watch(ycomm_watch *watch)
{
    return step(YCOMM_OWNER(struct ycomm_nccl, watch, watch));
}

/* It lingers, since to wake the thread takes longer than to enqueue an operation. */
static bool is_idle(const ycomm_watch *watch)
{
    const struct ycomm_nccl *nccl = YCOMM_OWNER(const struct ycomm_nccl, watch, watch);
    return has_nothing(nccl) && (nccl->given_up || (!atomic_load(&nccl->recorded) && yk_now() - nccl->called_at > LINGER));
}

void ycomm_nccl_watch_init(struct ycomm_nccl *nccl)
{
    nccl->watch.step = step_watch;
    nccl->watch.is_idle = is_idle;
}

void ycomm_nccl_finish(struct ycomm_nccl *nccl)
{
    struct timespec pause = { 0, 20000 };
    ycomm_engine_forget(&nccl->watch);
    nccl->ending = true;
    while (!atomic_load(&nccl->channel->failed) && !has_nothing(nccl)) /* no longer than the time limit */
        if (!step(nccl))
            nanosleep(&pause, NULL);
    yoke_event_release(nccl->watched);
    nccl->watched = NULL;
    ycomm_tickets_free(nccl);
    ycomm_nccl_end_channel(nccl, false); /* also where MPI's part is kept: the others of this host wait for it */
}
