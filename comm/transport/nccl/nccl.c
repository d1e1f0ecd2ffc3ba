/* SPDX-License-Identifier: Apache-2.0 */
/* What a channel has for NCCL, from its start to its end. */
#include <stdlib.h>

#include <yoke/native.h>

#include "nccl.h"

yoke_status ycomm_nccl_create(ycomm_channel *channel)
{
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    MPI_Request request = MPI_REQUEST_NULL;
    ycomm_failure failure = { .status = YOKE_OK };
    struct ycomm_nccl *nccl = calloc(1, sizeof *nccl);
    if (nccl) {
        nccl->channel = channel;
        nccl->last = &nccl->first;
        nccl->mpi = MPI_COMM_NULL;
        pthread_mutex_init(&nccl->calls, NULL);
        ycomm_nccl_watch_init(nccl);
        channel->nccl = nccl;
    }
    if (!nccl || yoke_device_get_native(channel->comm->device, &native) < 0 ||
        yoke_buffer_create(channel->comm->device, 128, &nccl->token) < 0 ||
        yoke_buffer_get_native(nccl->token, &nccl->token_at) < 0)
        ycomm_failure_set(&failure, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for NCCL's communicator: %.300s", yoke_error()->text);
    int error = failure.status < 0 ? MPI_SUCCESS : MPI_Comm_idup(channel->mpi, &nccl->mpi, &request);
    if (error != MPI_SUCCESS)
        ycomm_failure_set_mpi(&failure, "MPI_Comm_idup", error);
    if (failure.status == YOKE_OK && ycomm_meet(channel, &request, "MPI_Comm_idup", &failure) == YOKE_OK) {
        MPI_Comm_set_errhandler(nccl->mpi, MPI_ERRORS_RETURN);
        nccl->context = native.context;
        if (ycomm_nccl_connect(nccl, &failure))
            return YOKE_OK;
    }
    return ycomm_add_failed(channel, &failure);
}

void ycomm_nccl_end(struct ycomm_nccl *nccl)
{
    if (nccl)
        ycomm_nccl_finish(nccl);
}

void ycomm_nccl_destroy(struct ycomm_nccl *nccl)
{
    if (!nccl)
        return;
    if (atomic_load(&nccl->channel->failed))
        ycomm_nccl_abort(nccl);
    else if (nccl->handle && !atomic_load(&nccl->aborted) && ycomm_context_enter(nccl->context)) {
        (void)ycomm_nccl.ncclCommDestroy(nccl->handle);
        ycomm_context_leave();
    }
    yoke_buffer_release(nccl->token);
    pthread_mutex_destroy(&nccl->calls);
    free(nccl);
}
