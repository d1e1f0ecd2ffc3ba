/* SPDX-License-Identifier: Apache-2.0 */
/* Staged copies, which Yoke carries out itself, through pinned memory. */
#ifndef YK_STAGING_H
#define YK_STAGING_H

#include "stream/enqueue.h"

/* A write of no more than this never blocks on a driver, wherever it comes from, and needs no closer look. */
#define YK_QUICK_WRITE (64 << 10)

/* Read what the environment orders for the device: YOKE_STAGING, YOKE_COPY_THREADS. */
void yk_staging_init(yoke_device *device);

/* Whether a small write would take its bytes now, while something that may still change them is under way. */
YK_HOT bool yk_is_captured_early(const yoke_stream *stream)
{
    return stream->device->traits.captures_writes && atomic_load_explicit(&stream->writes_host, memory_order_relaxed) >
                                                         atomic_load_explicit(&stream->done, memory_order_acquire);
}

/* Enqueue a copy to or from the host, however it is carried best. */
yoke_status yk_transfer_enqueue(const char *function, yoke_stream *stream, yk_op *op);

/* The driver did not take the host memory of a transfer, which may be pinned in part: carry it. */
YK_COLD yoke_status yk_transfer_restage(yoke_stream *stream, yk_op *op);

/* Straight to the driver, where it takes the memory. */
YK_HOT yoke_status yk_transfer_submit(yoke_stream *stream, yk_op_kind kind, yk_op *op)
{
    yoke_status status = yk_stream_enqueue(stream, kind, op);
    return YK_UNLIKELY(status == YOKE_E_INVALID_ARGUMENT) ? yk_transfer_restage(stream, op) : status;
}

/* Whether the host's side of a copy is pinned memory. */
bool yk_transfer_is_pinned(const yoke_device *device, const yk_op *op);

/* Whether a held operation is for yk_staging_run instead of the driver. */
bool yk_is_staged(const yk_op *op);

/* Whether the driver may be given a held operation only when it has done all that came before. */
bool yk_needs_idle(const yoke_stream *stream, const yk_op *op);

/* Carry it, on the stream's worker, when the driver is done with all that came before. Everything has been copied on return. */
yoke_status yk_staging_run(yoke_stream *stream, const yk_op *op);

#endif
