/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of one dimension: each checks its ranges, turns views into their roots, and becomes one operation of the stream. */
#include "copy/copy.h"
#include "stream/staged.h"
#include "stream/depth.h"

#include <string.h>

#include "stream/recording.h"
#include "stream/retire.h"

/* ---- Checks ---- */

yoke_status yk_device_range_fault(const yoke_stream *stream, const yoke_buffer *buffer, const char *function, const char *what,
                                  size_t offset, size_t size)
{
    yoke_status status = yk_buffer_check_device(buffer, stream, function, what);
    if (status < 0)
        return status;
    if (buffer->kind == YOKE_MEMORY_PINNED)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: %s is pinned host memory; use its host pointer, or yoke_copy to and from the device", function, what);
    return yk_buffer_check_range(buffer, function, what, offset, size);
}

yoke_status yk_check_pair(const yoke_stream *stream, const char *function, const yoke_buffer *target, const yoke_buffer *source)
{
    if (target->kind == YOKE_MEMORY_PINNED && source->kind == YOKE_MEMORY_PINNED)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: both buffers are pinned host memory; copy between their host pointers",
                       function);
    if (target->device == stream->device || source->device == stream->device)
        return YOKE_OK;
    return yk_fail(YOKE_E_INVALID_ARGUMENT,
                   "%s: neither target (of %s) nor source (of %s) belongs to the stream's device (%s); one of them must come from "
                   "the stream's yoke_device_open",
                   function, target->device->info.selector, source->device->info.selector, stream->device->info.selector);
}

yoke_status yk_check_wait(const char *function, yoke_stream *stream)
{
    yoke_status status = yk_stream_check_wait(function, stream);
    if (status == YOKE_OK)
        status = yk_stream_refuse_deadlock(function, stream);
    return status < 0 ? status : yk_depth_admit(stream, true);
}

yoke_status yk_finish_sync(const char *function, const char *where, yoke_stream *stream, yoke_status status)
{
    yk_depth_leave(stream);
    if (status == YOKE_OK)
        status = yk_stream_finish(stream);
    return status < 0 ? yk_attribute(function, where, status) : status;
}

/* ---- To and from the host ---- */

YK_HOT yoke_status transfer(const char *function, const char *where, yk_op_kind kind, yoke_stream *stream, yoke_buffer *buffer,
                            size_t offset, void *host, size_t size, bool sync)
{
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(buffer, YK_BUFFER, function, "buffer");
    if (!host)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s is NULL", function, kind == YK_OP_WRITE ? "source" : "target");
    if (YK_UNLIKELY(!yk_is_device_range(stream, buffer, offset, size)))
        return yk_device_range_fault(stream, buffer, function, "buffer", offset, size);
    yoke_status status = kind == YK_OP_WRITE ? yk_buffer_check_writable(buffer, function, "buffer") : YOKE_OK;
    if (YK_UNLIKELY(status < 0))
        return status;
    yk_op op;
    op.kind = kind;
    op.where = where;
    op.end = NULL;
    op.u.transfer.buffer = buffer->root;
    op.u.transfer.offset = buffer->offset + offset;
    op.u.transfer.size = size;
    op.u.transfer.host = host;
    op.u.transfer.host_buffer = NULL;
    op.u.transfer.sync = sync;
    return yk_enqueue_transfer(function, stream, kind, &op);
}

yoke_status yoke_write_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, const void *source,
                          size_t size)
{
    YK_FUNCTION(yoke_write);
    /* A write only reads from `host`, whose type serves both directions. */
    return yk_attribute_site(
        function, where, transfer(function, where, YK_OP_WRITE, stream, buffer, offset, (void *)(uintptr_t)source, size, false));
}

yoke_status yoke_write_sync_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, const void *source,
                               size_t size)
{
    YK_UNCANCELLED; /* the driver may wait in the copy itself */
    YK_FUNCTION(yoke_write_sync);
    yoke_status status = yk_check_wait(function, stream);
    if (status != YOKE_OK)
        return yk_attribute(function, where, status);
    status = transfer(function, where, YK_OP_WRITE, stream, buffer, offset, (void *)(uintptr_t)source, size, true);
    return yk_finish_sync(function, where, stream, status);
}

yoke_status yoke_read_at(const char *where, yoke_stream *stream, void *target, yoke_buffer *buffer, size_t offset, size_t size)
{
    YK_FUNCTION(yoke_read);
    return yk_attribute_site(function, where, transfer(function, where, YK_OP_READ, stream, buffer, offset, target, size, false));
}

yoke_status yoke_read_sync_at(const char *where, yoke_stream *stream, void *target, yoke_buffer *buffer, size_t offset, size_t size)
{
    YK_UNCANCELLED; /* the driver may wait in the copy itself */
    YK_FUNCTION(yoke_read_sync);
    yoke_status status = yk_check_wait(function, stream);
    if (status != YOKE_OK)
        return yk_attribute(function, where, status);
    status = transfer(function, where, YK_OP_READ, stream, buffer, offset, target, size, true);
    return yk_finish_sync(function, where, stream, status);
}

/* ---- Between buffers ---- */

yoke_status yk_enqueue_copy(yoke_stream *stream, yk_op *op)
{
    yoke_device *one = op->u.copy.target->device, *other = op->u.copy.source->device;
    if (YK_UNLIKELY(one != other) && yk_is_staged(op))
        return yk_stream_defer(stream, op);
    atomic_fetch_add_explicit(&stream->copying, op->u.copy.size, memory_order_relaxed);
    yk_buffer_used(one == stream->device ? op->u.copy.target : op->u.copy.source, stream);
    if (one == other)
        yk_buffer_used(op->u.copy.source, stream);
    yoke_status status = yk_stream_enqueue(stream, op->kind, op);
    if (YK_UNLIKELY(one != other) && status == YOKE_OK)
        yk_keep_for_copy(stream, op);
    return status;
}

/* A copy whose host side is a pinned buffer. */
static yoke_status copy_pinned(const char *function, const char *where, yk_op_kind kind, yoke_stream *stream, yoke_buffer *buffer,
                               size_t offset, yoke_buffer *pinned, size_t pinned_offset, size_t size)
{
    const char *buffer_name = kind == YK_OP_WRITE ? "target" : "source", *pinned_name = kind == YK_OP_WRITE ? "source" : "target";
    if (!yk_is_device_range(stream, buffer, offset, size))
        return yk_device_range_fault(stream, buffer, function, buffer_name, offset, size);
    yoke_status status = yk_buffer_check_range(pinned, function, pinned_name, pinned_offset, size);
    if (status < 0)
        return status;
    yk_op op = { .kind = kind,
                 .where = where,
                 .u.transfer = { .buffer = buffer->root,
                                 .offset = buffer->offset + offset,
                                 .size = size,
                                 .host = (char *)pinned->host + pinned_offset,
                                 .host_buffer = pinned } };
    return yk_enqueue_transfer(function, stream, kind, &op);
}

static yoke_status copy(const char *function, const char *where, yoke_stream *stream, yoke_buffer *target, size_t target_offset,
                        yoke_buffer *source, size_t source_offset, size_t size)
{
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(target, YK_BUFFER, function, "target");
    YK_CHECK(source, YK_BUFFER, function, "source");
    yoke_status status = yk_check_pair(stream, function, target, source);
    if (status == YOKE_OK)
        status = yk_buffer_check_writable(target, function, "target");
    if (status < 0)
        return status;
    if (source->kind == YOKE_MEMORY_PINNED)
        return copy_pinned(function, where, YK_OP_WRITE, stream, target, target_offset, source, source_offset, size);
    if (target->kind == YOKE_MEMORY_PINNED)
        return copy_pinned(function, where, YK_OP_READ, stream, source, source_offset, target, target_offset, size);

    status = yk_buffer_check_range(target, function, "target", target_offset, size);
    if (status == YOKE_OK)
        status = yk_buffer_check_range(source, function, "source", source_offset, size);
    if (status < 0)
        return status;
    size_t to = target->offset + target_offset, from = source->offset + source_offset;
    if (target->root == source->root && to < from + size && from < to + size)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: source (from byte %zu) and target (from byte %zu) of one buffer overlap within %zu bytes", function,
                       from, to, size);
    yk_op op = { .kind = YK_OP_COPY,
                 .where = where,
                 .u.copy = {
                     .target = target->root, .source = source->root, .target_offset = to, .source_offset = from, .size = size } };
    return yk_enqueue_copy(stream, &op);
}

yoke_status yoke_copy_at(const char *where, yoke_stream *stream, yoke_buffer *target, size_t target_offset, yoke_buffer *source,
                         size_t source_offset, size_t size)
{
    YK_FUNCTION(yoke_copy);
    return yk_attribute_site(function, where, copy(function, where, stream, target, target_offset, source, source_offset, size));
}

yoke_status yoke_copy_sync_at(const char *where, yoke_stream *stream, yoke_buffer *target, size_t target_offset,
                              yoke_buffer *source, size_t source_offset, size_t size)
{
    YK_UNCANCELLED; /* the driver may wait in the copy itself */
    YK_FUNCTION(yoke_copy_sync);
    yoke_status status = yk_check_wait(function, stream);
    if (status != YOKE_OK)
        return yk_attribute(function, where, status);
    status = copy(function, where, stream, target, target_offset, source, source_offset, size);
    return yk_finish_sync(function, where, stream, status);
}

/* ---- Buffers with their contents ---- */

/* Page-locked memory with a copy of the bytes, which the copy keeps until it has run. */
static yoke_status take_bytes(const char *function, yoke_stream *stream, const void *data, size_t size, yoke_buffer **out_taken)
{
    yoke_status status = yk_buffer_create_pinned(function, stream->device, size, out_taken);
    if (status == YOKE_OK)
        memcpy((*out_taken)->host, data, size);
    return status;
}

static yoke_status create_with_data(const char *function, const char *where, yoke_stream *stream, const void *data, size_t size,
                                    yoke_buffer **out_buffer)
{
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (!data)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: data is NULL", function);
    yoke_buffer *buffer = NULL, *taken = NULL;
    yoke_status status = yk_buffer_create_ordered(function, stream, size, &buffer);
    if (status == YOKE_OK)
        status = take_bytes(function, stream, data, size, &taken);
    if (status == YOKE_OK)
        status = copy_pinned(function, where, YK_OP_WRITE, stream, buffer, 0, taken, 0, size);
    yoke_buffer_release(taken);
    if (status == YOKE_OK)
        *out_buffer = buffer;
    else
        yoke_buffer_release(buffer);
    return status;
}

yoke_status yoke_buffer_create_with_data_at(const char *where, yoke_stream *stream, const void *data, size_t size,
                                            yoke_buffer **out_buffer)
{
    YK_FUNCTION(yoke_buffer_create_with_data);
    YK_OUT(out_buffer);
    return yk_attribute_site(function, where, create_with_data(function, where, stream, data, size, out_buffer));
}
