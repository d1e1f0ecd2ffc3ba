/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Staged copies, which Yoke makes itself, through pinned memory: of pageable memory, where the driver copies it slowly or refuses
 * it. copy.c decides, by device->staged and the size; the stream's worker calls, or the caller of a copy that waits.
 */
#ifndef YK_STAGING_H
#define YK_STAGING_H

#include "stream/enqueue.h"

/* Read the environment's settings for the device: YOKE_STAGING, YOKE_COPY_THREADS. */
void yk_staging_init(yoke_device *device);

/* Enqueue a copy to or from the host, by the fastest path. */
yoke_status yk_transfer_enqueue(const char *function, yoke_stream *stream, yk_op *op);

/* The driver rejected the host memory of a transfer, which may be pinned in part: stage the transfer. */
YK_COLD yoke_status yk_transfer_restage(yoke_stream *stream, yk_op *op);

/* Submit directly to the driver, if the driver takes the memory. */
YK_HOT yoke_status yk_transfer_submit(yoke_stream *stream, yk_op_kind kind, yk_op *op)
{
    yoke_status status = yk_stream_enqueue(stream, kind, op);
    return YK_UNLIKELY(status == YOKE_E_INVALID_ARGUMENT) ? yk_transfer_restage(stream, op) : status;
}

/* The same for a copy that the caller waits for, where traits.records_with_operations: the driver records its end in the same call.
 * Returns when the copy is complete, unless it was deferred. */
yoke_status yk_transfer_submit_and_wait(yoke_stream *stream, yk_op *op);

/* Whether the host's side of a copy is pinned memory. */
bool yk_transfer_is_pinned(const yoke_device *device, const yk_op *op);

#endif
