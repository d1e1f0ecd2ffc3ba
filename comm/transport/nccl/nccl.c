/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transport of NCCL, for CUDA's devices: operations are native sections in the caller's stream, and no host function. Each
 * stream has a communicator of NCCL, and one of MPI for what is told beside the stream (ticket.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/native.h>

#include "nccl.h"

/* ---- Whether all can use it ---- */

enum { NCCL_VERSION_SIZE = 32 };

/* In words, or "" when the rank could use NCCL. */
static void look_for_library(const yoke_comm *comm, char reason[YCOMM_TEXT])
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device_get_info(comm->device, &info);
    reason[0] = '\0';
    if (strcmp(info.backend, "cuda") != 0)
        snprintf(reason, YCOMM_TEXT, "NCCL is for devices of CUDA, and this one is of %s", info.backend);
    else if (comm->info.sharing > 1)
        snprintf(reason, YCOMM_TEXT, "%d ranks use the device %s, and NCCL wants one each", (int)comm->info.sharing, info.selector);
    else if (!ycomm_library_open(YCOMM_NCCL)->usable)
        snprintf(reason, YCOMM_TEXT, "%s", ycomm_library_open(YCOMM_NCCL)->reason);
    else if (!ycomm_library_open(YCOMM_CUDA_DRIVER)->usable)
        snprintf(reason, YCOMM_TEXT, "%s", ycomm_library_open(YCOMM_CUDA_DRIVER)->reason);
}

/* NCCL of one version at all ranks. */
static int compare_versions(yoke_comm *comm, char reason[YCOMM_TEXT])
{
    char first[NCCL_VERSION_SIZE], own[NCCL_VERSION_SIZE];
    snprintf(own, sizeof own, "%s", ycomm_library_open(YCOMM_NCCL)->version);
    memcpy(first, own, sizeof first);
    int error = MPI_Bcast(first, NCCL_VERSION_SIZE, MPI_CHAR, 0, comm->control);
    if (strncmp(first, own, sizeof first) != 0)
        snprintf(reason, YCOMM_TEXT, "it has NCCL %s, and rank 0 has %.31s", own, first);
    return error == MPI_SUCCESS ? ycomm_share_reason(comm, reason) : error;
}

int ycomm_nccl_offer(yoke_comm *comm, char reason[YCOMM_TEXT])
{
    look_for_library(comm, reason);
    int error = ycomm_share_reason(comm, reason);
    if (error == MPI_SUCCESS && !reason[0])
        error = compare_versions(comm, reason);
    return error;
}

void ycomm_nccl_describe(const yoke_comm *comm, char *text, size_t size)
{
    (void)comm;
    snprintf(text, size, "NCCL %s is at all ranks", ycomm_library_open(YCOMM_NCCL)->version);
}

void ycomm_nccl_begin(yoke_comm *comm)
{
    (void)comm;
}

/* ---- Channels ---- */

yoke_status ycomm_nccl_create(ycomm_channel *channel)
{
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    MPI_Request request = MPI_REQUEST_NULL;
    ycomm_failure failure = { .status = YOKE_OK };
    struct ycomm_nccl *nccl = calloc(1, sizeof *nccl);
    if (nccl) {
        nccl->channel = channel;
        nccl->last = &nccl->first;
        pthread_mutex_init(&nccl->calls, NULL);
        ycomm_nccl_watch_init(nccl);
        channel->state = nccl;
    }
    if (!nccl || yoke_device_get_native(channel->comm->device, &native) < 0 ||
        yoke_buffer_create(channel->comm->device, 128, &nccl->token) < 0 ||
        yoke_buffer_get_native(nccl->token, &nccl->token_at) < 0)
        ycomm_failure_set(&failure, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for NCCL's communicator: %.300s", yoke_error()->text);
    int error = failure.status < 0 ? MPI_SUCCESS : MPI_Comm_idup(channel->mpi, &channel->beside, &request);
    if (error != MPI_SUCCESS)
        ycomm_failure_set_mpi(&failure, "MPI_Comm_idup", error);
    if (failure.status == YOKE_OK && ycomm_meet(channel, &request, "MPI_Comm_idup", &failure) == YOKE_OK) {
        MPI_Comm_set_errhandler(channel->beside, MPI_ERRORS_RETURN);
        nccl->context = native.context;
        if (ycomm_nccl_connect(nccl, &failure))
            return YOKE_OK;
    }
    return ycomm_add_failed(channel, &failure);
}

void ycomm_nccl_fail(ycomm_channel *channel, yoke_status status)
{
    if (channel->state)
        ycomm_nccl_fail_stream(channel->state, NULL, status, NULL);
}

void ycomm_nccl_end(ycomm_channel *channel)
{
    if (channel->state)
        ycomm_nccl_finish(channel->state);
}

void ycomm_nccl_destroy(ycomm_channel *channel)
{
    struct ycomm_nccl *nccl = channel->state;
    if (!nccl)
        return;
    yoke_buffer_release(nccl->token);
    pthread_mutex_destroy(&nccl->calls);
    free(nccl);
}

/* ---- The transport ---- */

const ycomm_transport ycomm_nccl_transport = {
    .id = YCOMM_ID_nccl,
    .name = "nccl",
    .text = "NCCL",
#define YCOMM_SLOT(result, name, parameters) .name = ycomm_nccl_##name,
#include "ground/transport.def"
};
