/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A communicator of NCCL for each stream, made by all ranks at once. NCCL blocks without a limit while it is made, so a thread of
 * its own does that; where a rank does not come in time, the thread and what it holds are left behind.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <yoke/native.h>

#include "base/clock.h"
#include "ground/process.h"
#include "nccl.h"

enum { MOST_CONNECTED = 64 }; /* ranks: more of them connect when they first send */

/* ---- The thread ---- */

typedef struct job {
    atomic_int owners;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool ended;
    atomic_bool given_up; /* nobody waits for it any more */
    int rank, ranks;
    void *context;
    yoke_stream *stream;
    yoke_buffer *token; /* retained */
    uintptr_t token_at;
    ycomm_ncclUniqueId id;
    ycomm_ncclComm_t handle;
    ycomm_ncclResult_t result;
    const char *call;
    yoke_status status;
    char text[YCOMM_TEXT];
} job;

static void leave(void *user)
{
    job *j = user;
    if (atomic_fetch_sub(&j->owners, 1) != 1)
        return;
    if (j->handle) /* nobody has taken it */
        ycomm_nccl_end_handle(j->handle, true, j->context, j->token);
    yoke_stream_release(j->stream);
    yoke_buffer_release(j->token);
    pthread_cond_destroy(&j->end);
    pthread_mutex_destroy(&j->lock);
    free(j);
}

/* NCCL connects ranks when they first send to each other, or add something up, and its calls wait for all that take part: it is
 * done here, and not in a stream's order. */
static yoke_status connect_all(yoke_status status, void *native_stream, void *user)
{
    job *j = user;
    if (status < 0)
        return status;
    j->call = "ncclGroupStart";
    j->result = ycomm_nccl.ncclGroupStart();
    for (int k = 0; k < j->ranks && j->result == YCOMM_ncclSuccess; k++) {
        if (k == j->rank)
            continue;
        j->call = "ncclSend";
        j->result = ycomm_nccl.ncclSend((const void *)j->token_at, 1, YCOMM_ncclUint8, k, j->handle, native_stream);
        if (j->result == YCOMM_ncclSuccess) {
            j->call = "ncclRecv";
            j->result = ycomm_nccl.ncclRecv((void *)(j->token_at + 64), 1, YCOMM_ncclUint8, k, j->handle, native_stream);
        }
    }
    ycomm_ncclResult_t end = ycomm_nccl.ncclGroupEnd();
    if (j->result == YCOMM_ncclSuccess && end != YCOMM_ncclSuccess) {
        j->call = "ncclGroupEnd";
        j->result = end;
    }
    if (j->result == YCOMM_ncclSuccess) {
        j->call = "ncclAllReduce";
        j->result = ycomm_nccl.ncclAllReduce((const void *)j->token_at, (void *)j->token_at, 1, YCOMM_ncclUint32, YCOMM_ncclMax,
                                             j->handle, native_stream);
    }
    return YOKE_OK;
}

static void *make(void *user)
{
    job *j = user;
    j->call = "cuCtxPushCurrent_v2";
    j->result = YCOMM_ncclUnhandledCudaError;
    if (ycomm_context_enter(j->context)) {
        j->call = "ncclCommInitRank";
        j->result = ycomm_nccl.ncclCommInitRank(&j->handle, j->ranks, j->id, j->rank);
        ycomm_context_leave();
    }
    if (j->result != YCOMM_ncclSuccess)
        j->handle = NULL; /* NCCL has freed it */
    else if (j->ranks > 1 && j->ranks <= MOST_CONNECTED && !atomic_load(&j->given_up)) {
        atomic_fetch_add(&j->owners, 1);
        j->status = yoke_native_call(j->stream, connect_all, j, leave);
        if (j->status < 0)
            leave(j);
        if (j->status == YOKE_OK)
            j->status = yoke_stream_wait(j->stream);
        if (j->status < 0)
            snprintf(j->text, sizeof j->text, "%.500s", yoke_error()->text);
    }
    pthread_mutex_lock(&j->lock);
    j->ended = true;
    pthread_cond_signal(&j->end);
    pthread_mutex_unlock(&j->lock);
    leave(j);
    return NULL;
}

/* Whether the thread ends in time. A farewell ends the wait, too. */
static bool wait_for(ycomm_channel *channel, job *j, ycomm_failure *failure)
{
    uint64_t start = yk_now();
    bool ended = false;
    while (!ended && !(ycomm_channel_failure(channel, failure) && failure->early)) {
        struct timespec until = ycomm_from_now(2000000);
        pthread_mutex_lock(&j->lock);
        if (!j->ended)
            pthread_cond_timedwait(&j->end, &j->lock, &until);
        ended = j->ended;
        pthread_mutex_unlock(&j->lock);
        if (ycomm_mpi_enter()) {
            ycomm_listen(channel->comm);
            ycomm_mpi_leave();
        }
        if (!ended && yk_now() - start > channel->comm->timeout) {
            ycomm_failure_set(failure, YOKE_E_HOST_FUNCTION,
                              "NCCL has not connected all ranks in %" PRIu64
                              " s. One may have ended or stand still; NCCL_DEBUG=INFO "
                              "says what NCCL does, YOKE_COMM_TIMEOUT sets the limit",
                              channel->comm->timeout / 1000000000);
            return false;
        }
    }
    return ended;
}

static job *start(const struct ycomm_nccl *nccl)
{
    const ycomm_channel *channel = nccl->channel;
    pthread_attr_t attributes;
    pthread_t thread;
    job *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    atomic_init(&j->owners, 2);
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->end, NULL);
    j->rank = (int)channel->comm->rank;
    j->ranks = (int)channel->comm->ranks;
    j->context = nccl->context;
    j->stream = yoke_stream_retain(channel->copies);
    j->token = yoke_buffer_retain(nccl->token);
    j->token_at = nccl->token_at;
    j->id = nccl->told.id;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool started = pthread_create(&thread, &attributes, make, j) == 0;
    pthread_attr_destroy(&attributes);
    if (started)
        return j;
    leave(j);
    leave(j);
    return NULL;
}

/* ---- The communicator of a channel ---- */

/* Rank 0's identity of the communicator, or its reason why there is none. */
static bool get_id(struct ycomm_nccl *nccl, ycomm_failure *failure)
{
    ycomm_channel *channel = nccl->channel;
    ycomm_identity *told = &nccl->told;
    MPI_Request request = MPI_REQUEST_NULL;
    if (channel->comm->rank == 0)
        told->result = ycomm_nccl.ncclGetUniqueId(&told->id);
    int error = MPI_Ibcast(told, (int)sizeof *told, MPI_BYTE, 0, channel->mpi, &request);
    if (error == MPI_SUCCESS && ycomm_meet(channel, &request, "MPI_Ibcast", failure) < 0)
        return false;
    if (error != MPI_SUCCESS)
        ycomm_failure_set_mpi(failure, "MPI_Ibcast", error);
    else if (told->result != YCOMM_ncclSuccess)
        ycomm_failure_set(failure, YOKE_E_DRIVER, "ncclGetUniqueId at rank 0: %s (%u)", ycomm_nccl_result(told->result),
                          told->result);
    return error == MPI_SUCCESS && told->result == YCOMM_ncclSuccess;
}

bool ycomm_nccl_connect(struct ycomm_nccl *nccl, ycomm_failure *failure)
{
    ycomm_channel *channel = nccl->channel;
    if (!get_id(nccl, failure))
        return false;
    job *j = start(nccl);
    if (!j) {
        ycomm_failure_set(failure, YOKE_E_OUT_OF_HOST_MEMORY, "no memory or thread for NCCL's communicator");
        return false;
    }
    bool made = wait_for(channel, j, failure);
    atomic_store(&j->given_up, !made);
    if (made && j->result != YCOMM_ncclSuccess)
        ycomm_failure_set(failure, YOKE_E_DRIVER, "%s: %s (%u); NCCL_DEBUG=INFO says more, and YOKE_COMM=staged goes without NCCL",
                          j->call, ycomm_nccl_result(j->result), j->result);
    else if (made && j->status < 0)
        ycomm_failure_set(failure, j->status, "%s", j->text);
    made = made && j->result == YCOMM_ncclSuccess && j->status >= 0;
    if (made) {
        nccl->handle = j->handle;
        j->handle = NULL;
    }
    leave(j);
    return made;
}
