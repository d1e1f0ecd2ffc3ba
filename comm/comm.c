/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators: created and ended by all ranks, and the streams that are added to them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <yoke/library.h>

#include "base/clock.h"
#include "base/sized.h"
#include "ground/block.h"
#include "ground/engine.h"
#include "ground/process.h"
#include "ground/transport.h"
#include "start.h"

/* ---- Channels ---- */

static void free_channel(ycomm_channel *channel)
{
    channel->comm->transport->destroy(channel);
    ycomm_blocks_free(channel);
    yoke_stream_release(channel->copies);
    yoke_stream_release(channel->stream);
    pthread_mutex_destroy(&channel->turn);
    free(channel->present);
    free(channel);
}

/* Add the channel before the others can speak of it. */
static ycomm_channel *create_channel(yoke_comm *comm, yoke_stream *stream)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    ycomm_channel *channel = calloc(1, sizeof *channel);
    uint64_t *present = calloc((size_t)comm->ranks, sizeof *present);
    if (!channel || !present) {
        free(channel);
        free(present);
        yoke_fail(YOKE_E_OUT_OF_HOST_MEMORY, "yoke_comm_add: no memory");
        return NULL;
    }
    channel->comm = comm;
    channel->present = present;
    channel->meetings = YCOMM_ADDING;
    channel->mpi = channel->beside = MPI_COMM_NULL;
    pthread_mutex_init(&channel->turn, NULL);
    desc.name = "pieces";
    desc.priority = YOKE_MAX_PRIORITY; /* others wait for them */
    if (yoke_stream_create(comm->device, &desc, &channel->copies) < 0) {
        free_channel(channel);
        return NULL;
    }
    channel->stream = yoke_stream_retain(stream);
    pthread_mutex_lock(&comm->lock);
    channel->index = comm->channel_count++;
    channel->next = comm->channels;
    comm->channels = channel;
    pthread_mutex_unlock(&comm->lock);
    ycomm_early_take(channel);
    return channel;
}

/* A channel that has failed needs no blocks any more. One whose turn is taken still ends a run. */
static void free_blocks(yoke_comm *comm)
{
    for (ycomm_channel *channel = comm->channels; channel; channel = channel->next)
        if (atomic_load(&channel->failed) && pthread_mutex_trylock(&channel->turn) == 0) {
            ycomm_blocks_free(channel);
            pthread_mutex_unlock(&channel->turn);
        }
}

yoke_status yoke_comm_add(yoke_comm *comm, yoke_stream *stream)
{
    MPI_Request request = MPI_REQUEST_NULL;

    if (ycomm_fork_check("yoke_comm_add") < 0)
        return YOKE_E_FORKED;
    if (!comm || !ycomm_is_comm(comm))
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "yoke_comm_add: comm is NULL, is not a communicator, or has been released");
    if (!stream || yoke_stream_get_device(stream) != comm->device)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT,
                         "yoke_comm_add: stream is NULL, is not a stream, or is of another device than the communicator");
    if (!ycomm_mpi_enter()) {
        ycomm_failure finalized;
        ycomm_failure_set_finalized(&finalized);
        return yoke_fail(finalized.status, "yoke_comm_add: %s", finalized.text);
    }
    ycomm_listen(comm);
    ycomm_mpi_leave();
    ycomm_channel *channel = create_channel(comm, stream);
    if (!channel)
        return yoke_error()->status;
    ycomm_failure failure = { .status = YOKE_OK };
    int error = MPI_Comm_idup(comm->control, &channel->mpi, &request);
    if (error != MPI_SUCCESS) {
        channel->mpi = MPI_COMM_NULL;
        ycomm_failure_set_mpi(&failure, "MPI_Comm_idup", error);
        return ycomm_add_failed(channel, &failure);
    }
    yoke_status status = ycomm_meet(channel, &request, "MPI_Comm_idup", &failure);
    (void)ycomm_sweep(comm); /* of a channel before, that has failed */
    free_blocks(comm);
    if (status < 0 || (ycomm_channel_failure(channel, &failure) && failure.early)) /* another rank may have given up since */
        return ycomm_add_failed(channel, &failure);
    MPI_Comm_set_errhandler(channel->mpi, MPI_ERRORS_RETURN);
    status = comm->transport->create(channel);
    atomic_store(&channel->ready, status == YOKE_OK);
    return status;
}

/* ---- Communicators ---- */

/* What MPI still uses stays in memory, in this list: a rank may never take what was sent to it. */
static void keep(yoke_comm *comm)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static yoke_comm *kept;
    for (ycomm_channel *channel = comm->channels; channel; channel = channel->next) {
        yoke_stream_release(channel->stream); /* the caller's, of which nothing is needed any more */
        channel->stream = NULL;
        ycomm_blocks_free(channel);
    }
    pthread_mutex_lock(&lock);
    comm->next_kept = kept;
    kept = comm;
    pthread_mutex_unlock(&lock);
}

/*
 * MPI's communicators are freed by all ranks or by none: a farewell that comes to one that has been freed would get into the next
 * communicator with its number. So all ranks tell each other whether they are well. None waits long for the others, which may be
 * busy or release in another order: what is not answered is looked at when the next communicator is made or ends.
 */
typedef struct closing {
    struct closing *next;
    MPI_Request request;
    int failed, any_failed;
    size_t count;
    MPI_Comm comms[];
} closing;

enum { PATIENCE = 100000000 }; /* nanoseconds */

static struct {
    pthread_mutex_t lock;
    closing *first;
} closings = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void push_closing(closing *c)
{
    pthread_mutex_lock(&closings.lock);
    c->next = closings.first;
    closings.first = c;
    pthread_mutex_unlock(&closings.lock);
}

/* Free it once all ranks have answered. */
static bool is_closed(closing *c)
{
    int done = 0, error = MPI_Test(&c->request, &done, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS && !done)
        return false;
    for (size_t i = 0; i < c->count && error == MPI_SUCCESS && !c->any_failed; i++)
        MPI_Comm_free(&c->comms[i]);
    free(c);
    return true;
}

static void sweep_closings(void)
{
    pthread_mutex_lock(&closings.lock);
    closing *first = closings.first;
    closings.first = NULL;
    pthread_mutex_unlock(&closings.lock);
    for (closing *c = first, *next; c; c = next) {
        next = c->next;
        if (!is_closed(c))
            push_closing(c);
    }
}

static closing *create_closing(const yoke_comm *comm, bool failed)
{
    closing *c = calloc(1, sizeof *c + (2 * (size_t)comm->channel_count + 1) * sizeof c->comms[0]);
    if (!c)
        return NULL;
    c->failed = failed;
    for (const ycomm_channel *channel = comm->channels; channel && !failed; channel = channel->next) {
        if (channel->beside != MPI_COMM_NULL)
            c->comms[c->count++] = channel->beside;
        c->comms[c->count++] = channel->mpi;
    }
    c->comms[c->count++] = comm->control;
    return c;
}

/* Without memory or MPI's help, nothing is freed here, nor at the others. */
static void close_mpi(const yoke_comm *comm, bool failed)
{
    const struct timespec pause = { 0, 20000 };
    uint64_t start = yk_now();
    sweep_closings();
    closing *c = create_closing(comm, failed);
    if (!c || MPI_Iallreduce(&c->failed, &c->any_failed, 1, MPI_INT, MPI_MAX, comm->control, &c->request) != MPI_SUCCESS) {
        free(c);
        return;
    }
    while (!is_closed(c)) {
        if (failed || yk_now() - start > PATIENCE) {
            push_closing(c);
            return;
        }
        nanosleep(&pause, NULL);
    }
}

static void log_bytes(const yoke_comm *comm)
{
    yoke_log_write(YOKE_LOG_INFO, "comm: rank %d of %d: %" PRIu64 " bytes staged, %" PRIu64 " by mpi, %" PRIu64 " by nccl",
                   (int)comm->rank, (int)comm->ranks, (uint64_t)atomic_load(&comm->bytes[YOKE_COMM_TRANSPORT_STAGED]),
                   (uint64_t)atomic_load(&comm->bytes[YOKE_COMM_TRANSPORT_MPI]),
                   (uint64_t)atomic_load(&comm->bytes[YOKE_COMM_TRANSPORT_NCCL]));
}

static void end_comm(yoke_comm *comm)
{
    bool left = false, failed = false;
    comm->magic = 0;
    ycomm_living_remove(comm);
    for (ycomm_channel *channel = comm->channels; channel; channel = channel->next)
        comm->transport->end(channel);
    for (ycomm_channel *channel = comm->channels; channel; channel = channel->next) {
        failed |= atomic_load(&channel->failed);
        left |= channel->unmet;
    }
    if (comm->control != MPI_COMM_NULL && ycomm_mpi_enter()) {
        ycomm_listen_end(comm);
        left |= ycomm_sweep(comm);
        close_mpi(comm, left || failed);
        ycomm_mpi_leave();
    } else {
        left |= comm->partings || comm->abandoned; /* whether MPI still uses them cannot be known */
    }
    log_bytes(comm);
    if (left) {
        keep(comm);
        return;
    }
    while (comm->channels) {
        ycomm_channel *channel = comm->channels;
        comm->channels = channel->next;
        free_channel(channel);
    }
    while (comm->early) {
        ycomm_early *early = comm->early;
        comm->early = early->next;
        free(early);
    }
    yoke_device_release(comm->device);
    pthread_mutex_destroy(&comm->listening);
    pthread_mutex_destroy(&comm->lock);
    free(comm);
}

/* Everything that can fail without the others. */
static yoke_status prepare(yoke_device *device, yoke_comm **out_comm, int32_t *out_order)
{
    uint64_t timeout, blocks;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    *out_comm = NULL;
    if (yoke_device_get_info(device, &info) != YOKE_OK)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "yoke_comm_create: device is NULL, is not a device, or has been released");
    yoke_status status = ycomm_read_settings(&timeout, &blocks, out_order);
    if (status == YOKE_OK)
        status = ycomm_engine_start();
    if (status != YOKE_OK)
        return status;
    yoke_comm *comm = ycomm_comm_create(end_comm);
    if (!comm)
        return yoke_fail(YOKE_E_OUT_OF_HOST_MEMORY, "yoke_comm_create: no memory");
    comm->device = yoke_device_retain(device);
    comm->timeout = timeout;
    comm->blocks = blocks;
    *out_comm = comm;
    return YOKE_OK;
}

yoke_status yoke_comm_create(yoke_device *device, const void *mpi_comm, yoke_comm **out_comm)
{
    ycomm_failure failure;
    MPI_Comm control;
    yoke_comm *comm = NULL;
    int32_t order = 0;

    if (!out_comm)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "yoke_comm_create: out_comm is NULL");
    *out_comm = NULL;
    yoke_status status = ycomm_check_mpi("yoke_comm_create", mpi_comm);
    if (status != YOKE_OK)
        return status;
    sweep_closings();
    yoke_status mine = prepare(device, &comm, &order);
    status = ycomm_agree("yoke_comm_create", mine, mpi_comm, &control);
    if (status != YOKE_OK) {
        yoke_comm_release(comm);
        return status;
    }
    comm->control = control;
    MPI_Comm_rank(control, &comm->rank);
    MPI_Comm_size(control, &comm->ranks);
    int error = ycomm_find_neighbours(comm);
    status = error == MPI_SUCCESS ? ycomm_choose_transport(comm, order) : YOKE_OK;
    if (error == MPI_SUCCESS && status == YOKE_OK)
        error = ycomm_listen_begin(comm);
    if (error != MPI_SUCCESS) {
        ycomm_failure_set_mpi(&failure, "yoke_comm_create", error);
        status = yoke_fail(failure.status, "yoke_comm_create: %s", failure.text);
    }
    if (status != YOKE_OK) {
        yoke_comm_release(comm);
        return status;
    }
    ycomm_living_add(comm);
    *out_comm = comm;
    return YOKE_OK;
}

yoke_device *yoke_comm_get_device(const yoke_comm *comm)
{
    return comm && ycomm_is_comm(comm) ? comm->device : NULL;
}

yoke_status yoke_comm_get_info(const yoke_comm *comm, yoke_comm_info *out_info)
{
    if (ycomm_fork_check("yoke_comm_get_info") < 0)
        return YOKE_E_FORKED;
    if (!comm || !ycomm_is_comm(comm))
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "yoke_comm_get_info: comm is NULL, is not a communicator, or has been released");
    if (!out_info)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "yoke_comm_get_info: out_info is NULL");
    yoke_comm_info info = comm->info;
    info.staged_bytes = atomic_load(&comm->bytes[YOKE_COMM_TRANSPORT_STAGED]);
    info.mpi_bytes = atomic_load(&comm->bytes[YOKE_COMM_TRANSPORT_MPI]);
    info.nccl_bytes = atomic_load(&comm->bytes[YOKE_COMM_TRANSPORT_NCCL]);
    yk_sized_fill(out_info, &info, sizeof info, YK_FIRST_SIZE(yoke_comm_info));
    return YOKE_OK;
}
