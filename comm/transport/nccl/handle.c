/* SPDX-License-Identifier: Apache-2.0 */
/* What ends operations of NCCL before their time: the stream fails, and NCCL's communicator is aborted. */
#include <yoke/native.h>
#include <yoke/library.h>

#include "ground/process.h"
#include "nccl.h"

void ycomm_nccl_abort(struct ycomm_nccl *nccl)
{
    struct timespec until = ycomm_from_now(50000000); /* a call may stand still inside NCCL: the abort is what ends it */
    bool locked = pthread_mutex_timedlock(&nccl->calls, &until) == 0;
    ycomm_ncclComm_t handle = atomic_exchange(&nccl->aborted, true) ? NULL : nccl->handle;
    if (locked)
        pthread_mutex_unlock(&nccl->calls);
    if (handle && ycomm_context_enter(nccl->context)) {
        (void)ycomm_nccl.ncclCommAbort(handle);
        ycomm_context_leave();
    }
}

yoke_status ycomm_nccl_fail_stream(struct ycomm_nccl *nccl, const char *where, yoke_status status, const char *text)
{
    if (text)
        yoke_fail(status, "%s", text);
    if (!atomic_exchange(&nccl->stream_failed, true))
        (void)yoke_native_fail_at(where, nccl->channel->stream, status);
    return status;
}
