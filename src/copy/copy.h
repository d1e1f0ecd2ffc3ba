/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by copies, rects and fills: the checks, and how an operation is enqueued. */
#ifndef YK_COPY_H
#define YK_COPY_H

#include "memory/buffer.h"
#include "stream/enqueue.h"
#include "copy/staging.h"
#include "stream/staged.h"

/* ---- Checks ---- */

/* What every operation on a device buffer requires of the buffer. */
YK_HOT bool yk_is_device_range(const yoke_stream *stream, const yoke_buffer *buffer, size_t offset, size_t size)
{
    return buffer->device == stream->device && buffer->kind != YOKE_MEMORY_PINNED && size && offset <= buffer->size &&
           size <= buffer->size - offset;
}

/* Report which requirement is violated. */
YK_COLD yoke_status yk_device_range_fault(const yoke_stream *stream, const yoke_buffer *buffer, const char *function,
                                          const char *what, size_t offset, size_t size);

/* Check that at least one of two buffers belongs to the stream's device, and that not both are pinned. */
yoke_status yk_check_pair(const yoke_stream *stream, const char *function, const yoke_buffer *target, const yoke_buffer *source);

/* Begin a function that waits for its copy: inside the stream's own host function the wait would never end. */
yoke_status yk_check_wait(const char *function, yoke_stream *stream);
/* End such a function, after the operation was enqueued. */
yoke_status yk_finish_sync(const char *function, const char *where, yoke_stream *stream, yoke_status status);

/* ---- Enqueueing ---- */

/* A copy between a buffer and the host, op->u.transfer. `kind` is op->kind. */
YK_HOT yoke_status yk_enqueue_transfer(const char *function, yoke_stream *stream, yk_op_kind kind, yk_op *op)
{
    yk_buffer_used(op->u.transfer.buffer, stream);
    op->u.transfer.staged = false;
    if (kind != YK_OP_WRITE || op->u.transfer.host_buffer ||
        YK_UNLIKELY(op->u.transfer.size > YK_QUICK_WRITE || stream->depth || yk_is_captured_early(stream)))
        return yk_transfer_enqueue(function, stream, op);
    if (op->u.transfer.sync && stream->device->traits.records_with_operations)
        return yk_transfer_submit_and_wait(stream, op);
    return yk_transfer_submit(stream, kind, op);
}

/* A copy between two buffers, op->u.copy, of the same device or of two. */
yoke_status yk_enqueue_copy(yoke_stream *stream, yk_op *op);

/* fill.c */

/* `pitches`: the pitches in use, ored together. */
yoke_status yk_check_pattern(const char *function, size_t offset, size_t size, size_t pitches, const void *pattern,
                             size_t pattern_size);
/* Rows of `width` bytes from `offset` of a root, `pitch` bytes apart. The arguments are checked. */
yoke_status yk_enqueue_fill(const char *where, yoke_stream *stream, yoke_buffer *root, size_t offset, size_t width, size_t height,
                            size_t pitch, const unsigned char *pattern, size_t unit);

#endif
