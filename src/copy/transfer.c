/* SPDX-License-Identifier: Apache-2.0 */
/* The path of a copy between host and device: to the driver, staged (staging.c), or deferred until nothing else runs. */
#include "copy/copy.h"
#include "memory/pinned.h"
#include "copy/staging.h"
#include "stream/depth.h"
#include "stream/staged.h"

/* The sizes from which staging is faster than the driver: below, waking threads takes longer than they save. */
static const size_t staging_pays = 1 << 20, staging_pays_when_forced = 64 << 10;

/* The bytes of host memory from the first to the last that a copy touches. */
static size_t host_extent(const yk_op *op)
{
    const yk_rect *rect = &op->u.transfer.rect;
    if (!yk_op_has(op->kind, YK_TRAIT_RECT))
        return op->u.transfer.size;
    size_t row = yk_is_write(op->kind) ? rect->source_row : rect->target_row;
    size_t slice = yk_is_write(op->kind) ? rect->source_slice : rect->target_slice;
    return (rect->depth - 1) * slice + (rect->height - 1) * row + rect->width;
}

static yoke_status check_target(const char *function, const yoke_device *device, const yk_op *op, size_t extent)
{
    void *target = op->u.transfer.host;
    if (op->u.transfer.host_buffer || yk_is_target(device, target, extent))
        return YOKE_OK;
    return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the %zu bytes of host memory at %p cannot be written", function, extent, target);
}

yoke_status yk_transfer_restage(yoke_stream *stream, yk_op *op)
{
    yk_error_take_back(); /* the rejection is not the call's failure */
    op->u.transfer.staged = true;
    return yk_stream_defer(stream, op);
}

yoke_status yk_transfer_submit_and_wait(yoke_stream *stream, yk_op *op)
{
    yoke_event *end = yk_event_new(stream, 0, NULL);
    if (!end)
        return yoke_error()->status;
    op->end = end;
    yoke_status status = yk_stream_enqueue_with_end(stream, op);
    op->end = NULL;
    if (status == YOKE_E_INVALID_ARGUMENT)
        status = yk_transfer_restage(stream, op);
    else if (status == YOKE_OK && atomic_load_explicit(&end->state, memory_order_relaxed) != YK_EVENT_DEFERRED)
        status = yk_stream_wait_for(NULL, stream, end);
    yoke_event_release(end);
    return status;
}

/* Submit directly to the driver, which does not keep the host's memory alive. `sync`: the caller waits. */
static yoke_status submit_to_driver(yoke_stream *stream, yk_op *op, bool sync)
{
    if (sync && stream->device->traits.records_with_operations)
        return yk_transfer_submit_and_wait(stream, op); /* the memory is the caller's */
    yoke_status status = yk_transfer_submit(stream, op->kind, op);
    if (status == YOKE_OK)
        yk_keep_for_copy(stream, op);
    return status;
}

static yoke_status enqueue(yoke_stream *stream, yk_op *op, size_t extent)
{
    yoke_device *device = stream->device;
    bool read = !yk_is_write(op->kind), sync = op->u.transfer.sync;
    atomic_fetch_add_explicit(&stream->copying, op->u.transfer.size, memory_order_relaxed);
    bool large = device->staged && op->u.transfer.size >= (device->stages_small ? staging_pays_when_forced : staging_pays);
    bool blocks = read && device->traits.reads_block && !sync && !yk_stream_is_idle(stream);
    bool ends_late = read && sync && device->traits.waits_in_copies, direct = !(large || blocks) || device->blocking;
    bool pinned = (ends_late || !direct) && yk_is_pinned(device, op->u.transfer.host, extent);
    if ((ends_late && pinned) || (!read && op->u.transfer.size > YK_QUICK_WRITE))
        op->u.transfer.sync = false;
    if (yk_needs_idle(stream, op) && !device->blocking)
        return yk_stream_defer(stream, op);
    if (direct || pinned)
        return submit_to_driver(stream, op, sync);
    op->u.transfer.staged = large;
    yoke_error_info before = *yoke_error();
    yoke_status status = large && sync ? yk_stream_run_by_caller(stream, op) : yk_stream_defer(stream, op);
    if (status != YOKE_E_OUT_OF_HOST_MEMORY)
        return status;
    yk_error_restore(&before); /* no thread is available, so the driver copies */
    op->u.transfer.staged = false;
    return submit_to_driver(stream, op, sync);
}

/* Who waits for room does so first: what on_full answers is not to be taken for a rejection by the driver. */
yoke_status yk_transfer_enqueue(const char *function, yoke_stream *stream, yk_op *op)
{
    YK_UNCANCELLED; /* drivers block in copies of pageable memory */
    size_t extent = host_extent(op);
    yoke_status status = yk_is_write(op->kind) ? YOKE_OK : check_target(function, stream->device, op, extent);
    if (status == YOKE_OK)
        status = yk_depth_admit(stream, false);
    if (status != YOKE_OK)
        return status;
    status = enqueue(stream, op, extent);
    yk_depth_leave(stream);
    return status;
}

bool yk_transfer_is_pinned(const yoke_device *device, const yk_op *op)
{
    return yk_is_pinned(device, op->u.transfer.host, host_extent(op));
}
