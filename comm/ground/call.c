/* SPDX-License-Identifier: Apache-2.0 */
/* How every call begins, and how it fails. */
#include <stdarg.h>
#include <stdio.h>

#include "call.h"
#include "process.h"

yoke_status ycomm_fail(const ycomm_call *call, yoke_status status, const char *format, ...)
{
    char text[sizeof((yoke_error_info *)0)->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return yoke_fail(status, "%s: %s", call->function, text);
}

yoke_status ycomm_begin(ycomm_call *out_call, const char *function, const char *where, yoke_stream *stream, yoke_comm *comm)
{
    *out_call = (ycomm_call){ function, where, stream, comm, NULL };
    if (ycomm_fork_check(function) < 0)
        return YOKE_E_FORKED;
    if (!stream)
        return ycomm_fail(out_call, YOKE_E_INVALID_ARGUMENT, "stream is NULL");
    if (!yoke_stream_get_device(stream))
        return ycomm_fail(out_call, YOKE_E_INVALID_ARGUMENT, "stream is not a stream, or has been released");
    if (!comm)
        return ycomm_fail(out_call, YOKE_E_INVALID_ARGUMENT, "comm is NULL");
    if (!ycomm_is_comm(comm))
        return ycomm_fail(out_call, YOKE_E_INVALID_ARGUMENT, "comm is not a communicator, or has been released");
    if (ycomm_mpi_is_closed()) {
        ycomm_failure failure;
        ycomm_failure_set_finalized(&failure);
        return ycomm_fail(out_call, failure.status, "%s", failure.text);
    }
    ycomm_channel *channel = comm->channels;
    while (channel && channel->stream != stream)
        channel = channel->next;
    if (!channel)
        return ycomm_fail(out_call, YOKE_E_INVALID_ARGUMENT,
                          "the stream has not been added to the communicator: all ranks call yoke_comm_add for it first");
    if (!atomic_load(&channel->ready) && !atomic_load(&channel->failed)) /* one that has failed uses no MPI */
        return ycomm_fail(out_call, YOKE_E_INVALID_ARGUMENT,
                          "the stream's yoke_comm_add is still under way, in another thread: wait until it has returned");
    out_call->channel = channel;
    return YOKE_OK;
}
