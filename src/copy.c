/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills: each checks its ranges, turns views into their roots, and becomes one operation of the stream. */
#include <string.h>

#include "buffer.h"
#include "enqueue.h"

/* A public name without its _at, for messages. */
#define FUNCTION(name) static const char function[] = #name

/* What every operation on a device buffer asks of it. */
YK_HOT bool is_device_range(const yoke_stream *stream, const yoke_buffer *buffer, size_t offset, size_t size)
{
    return buffer->device == stream->device && !buffer->pinned && size && offset <= buffer->size && size <= buffer->size - offset;
}

/* Which of it does not hold. */
YK_COLD static yoke_status device_range_fault(const yoke_stream *stream, const yoke_buffer *buffer, const char *function,
                                              const char *what, size_t offset, size_t size)
{
    yoke_status status = yk_buffer_check_device(buffer, stream, function, what);
    if (status < 0)
        return status;
    if (buffer->pinned)
        return yk_fail(YOKE_E_INVALID, "%s: %s is pinned host memory; use its host pointer, or yoke_copy to and from the device",
                       function, what);
    return yk_buffer_check_range(buffer, function, what, offset, size);
}

YK_HOT yoke_status transfer(const char *function, const char *where, yk_op_kind kind, yoke_stream *stream, yoke_buffer *buffer,
                            size_t offset, void *host, size_t size)
{
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(buffer, YK_BUFFER, function, "buffer");
    if (!host)
        return yk_fail(YOKE_E_INVALID, "%s: %s is NULL", function, kind == YK_OP_WRITE ? "source" : "target");
    if (YK_UNLIKELY(!is_device_range(stream, buffer, offset, size)))
        return device_range_fault(stream, buffer, function, "buffer", offset, size);
    yk_op op;
    op.kind = kind;
    op.where = where;
    op.end = NULL;
    op.u.transfer.buffer = buffer->root;
    op.u.transfer.offset = buffer->offset + offset;
    op.u.transfer.size = size;
    op.u.transfer.host = host;
    op.u.transfer.pinned = NULL;
    return yk_stream_enqueue(stream, kind, &op);
}

/* The operation, then a wait. The wait is checked first: inside the stream's own host function nothing may be enqueued. */
static yoke_status check_wait(const char *function, yoke_stream *stream)
{
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (yk_stream_is_mine(stream))
        return yk_fail(YOKE_E_DEADLOCK, "%s: called from a host function of this stream, which it would wait for", function);
    return YOKE_OK;
}

static yoke_status finish(const char *function, const char *where, yoke_stream *stream, yoke_status status)
{
    if (status == YOKE_OK)
        status = yoke_stream_wait(stream);
    return status < 0 ? yk_blame(function, where, status) : status;
}

static yoke_status blame(const char *function, const char *where, yoke_status status)
{
    return YK_UNLIKELY(status < 0) ? yk_blame(function, where, status) : status;
}

yoke_status yoke_write_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, const void *source,
                          size_t size)
{
    FUNCTION(yoke_write);
    return blame(function, where, transfer(function, where, YK_OP_WRITE, stream, buffer, offset, (void *)(uintptr_t)source, size));
}

yoke_status yoke_read_at(const char *where, yoke_stream *stream, void *target, yoke_buffer *buffer, size_t offset, size_t size)
{
    FUNCTION(yoke_read);
    return blame(function, where, transfer(function, where, YK_OP_READ, stream, buffer, offset, target, size));
}

yoke_status yoke_write_sync_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, const void *source,
                               size_t size)
{
    FUNCTION(yoke_write_sync);
    yoke_status status = check_wait(function, stream);
    if (status == YOKE_OK)
        status = transfer(function, where, YK_OP_WRITE, stream, buffer, offset, (void *)(uintptr_t)source, size);
    return finish(function, where, stream, status);
}

yoke_status yoke_read_sync_at(const char *where, yoke_stream *stream, void *target, yoke_buffer *buffer, size_t offset, size_t size)
{
    FUNCTION(yoke_read_sync);
    yoke_status status = check_wait(function, stream);
    if (status == YOKE_OK)
        status = transfer(function, where, YK_OP_READ, stream, buffer, offset, target, size);
    return finish(function, where, stream, status);
}

/* Between pinned memory and a device buffer: a transfer whose host side is known, and kept alive. */
static yoke_status copy_pinned(const char *function, const char *where, yk_op_kind kind, yoke_stream *stream, yoke_buffer *buffer,
                               size_t offset, yoke_buffer *pinned, size_t pinned_offset, size_t size)
{
    const char *buffer_name = kind == YK_OP_WRITE ? "target" : "source", *pinned_name = kind == YK_OP_WRITE ? "source" : "target";
    if (!is_device_range(stream, buffer, offset, size))
        return device_range_fault(stream, buffer, function, buffer_name, offset, size);
    yoke_status status = yk_buffer_check_device(pinned, stream, function, pinned_name);
    if (status == YOKE_OK)
        status = yk_buffer_check_range(pinned, function, pinned_name, pinned_offset, size);
    if (status < 0)
        return status;
    yk_op op = { .kind = kind,
                 .where = where,
                 .u.transfer = { buffer->root, buffer->offset + offset, size, (char *)pinned->host + pinned_offset, pinned } };
    return yk_stream_enqueue(stream, kind, &op);
}

static yoke_status copy(const char *function, const char *where, yoke_stream *stream, yoke_buffer *target, size_t target_offset,
                        yoke_buffer *source, size_t source_offset, size_t size)
{
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(target, YK_BUFFER, function, "target");
    YK_CHECK(source, YK_BUFFER, function, "source");
    if (target->pinned && source->pinned)
        return yk_fail(YOKE_E_INVALID, "%s: both buffers are pinned host memory; copy between their host pointers", function);
    if (source->pinned)
        return copy_pinned(function, where, YK_OP_WRITE, stream, target, target_offset, source, source_offset, size);
    if (target->pinned)
        return copy_pinned(function, where, YK_OP_READ, stream, source, source_offset, target, target_offset, size);

    if (!is_device_range(stream, target, target_offset, size))
        return device_range_fault(stream, target, function, "target", target_offset, size);
    if (!is_device_range(stream, source, source_offset, size))
        return device_range_fault(stream, source, function, "source", source_offset, size);
    size_t to = target->offset + target_offset, from = source->offset + source_offset;
    if (target->root == source->root && to < from + size && from < to + size)
        return yk_fail(YOKE_E_INVALID,
                       "%s: source (from byte %zu) and target (from byte %zu) of one buffer overlap within %zu bytes", function,
                       from, to, size);
    yk_op op = { .kind = YK_OP_COPY, .where = where, .u.copy = { target->root, source->root, to, from, size } };
    return yk_stream_enqueue(stream, YK_OP_COPY, &op);
}

yoke_status yoke_copy_at(const char *where, yoke_stream *stream, yoke_buffer *target, size_t target_offset, yoke_buffer *source,
                         size_t source_offset, size_t size)
{
    FUNCTION(yoke_copy);
    return blame(function, where, copy(function, where, stream, target, target_offset, source, source_offset, size));
}

yoke_status yoke_copy_sync_at(const char *where, yoke_stream *stream, yoke_buffer *target, size_t target_offset,
                              yoke_buffer *source, size_t source_offset, size_t size)
{
    FUNCTION(yoke_copy_sync);
    yoke_status status = check_wait(function, stream);
    if (status == YOKE_OK)
        status = copy(function, where, stream, target, target_offset, source, source_offset, size);
    return finish(function, where, stream, status);
}

static yoke_status check_pattern(const char *function, size_t offset, size_t size, const void *pattern, size_t pattern_size)
{
    if (!pattern)
        return yk_fail(YOKE_E_INVALID, "%s: pattern is NULL", function);
    if (pattern_size == 0 || pattern_size > 16 || (pattern_size & (pattern_size - 1)))
        return yk_fail(YOKE_E_INVALID, "%s: pattern_size is %zu; it may be 1, 2, 4, 8 or 16", function, pattern_size);
    if (offset % pattern_size || size % pattern_size)
        return yk_fail(YOKE_E_INVALID, "%s: offset %zu and size %zu have to be multiples of pattern_size, which is %zu", function,
                       offset, size, pattern_size);
    return YOKE_OK;
}

static yoke_status fill_part(const char *where, yoke_stream *stream, yoke_buffer *root, size_t offset, size_t size,
                             const unsigned char *pattern, size_t pattern_size)
{
    if (size == 0)
        return YOKE_OK;
    yk_op op = { .kind = YK_OP_FILL, .where = where, .u.fill = { root, offset, size, pattern_size, { 0 } } };
    memcpy(op.u.fill.pattern, pattern, pattern_size);
    return yk_stream_enqueue(stream, YK_OP_FILL, &op);
}

/* Drivers fill from multiples of the pattern's size only, and a view may begin anywhere in its root. Between the first and the last
 * such multiple the same bytes are the pattern turned round; what is left at both ends is less than one pattern, and is filled byte
 * by byte. */
static yoke_status fill(const char *where, yoke_stream *stream, yoke_buffer *root, size_t offset, size_t size,
                        const unsigned char *pattern, size_t unit)
{
    size_t head = (unit - offset % unit) % unit;
    if (head == 0)
        return fill_part(where, stream, root, offset, size, pattern, unit);

    size_t middle = (size - head) / unit * unit;
    unsigned char turned[16];
    yoke_status status = YOKE_OK;
    for (size_t i = 0; i < unit; i++)
        turned[i] = pattern[(head + i) % unit];
    for (size_t i = 0; i < head && status == YOKE_OK; i++)
        status = fill_part(where, stream, root, offset + i, 1, &pattern[i], 1);
    if (status == YOKE_OK)
        status = fill_part(where, stream, root, offset + head, middle, turned, unit);
    for (size_t i = head + middle; i < size && status == YOKE_OK; i++)
        status = fill_part(where, stream, root, offset + i, 1, &pattern[i % unit], 1);
    return status;
}

yoke_status yoke_fill_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, size_t size,
                         const void *pattern, size_t pattern_size)
{
    FUNCTION(yoke_fill);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(buffer, YK_BUFFER, function, "buffer");
    yoke_status status = YOKE_OK;
    if (!is_device_range(stream, buffer, offset, size))
        status = device_range_fault(stream, buffer, function, "buffer", offset, size);
    if (status == YOKE_OK)
        status = check_pattern(function, offset, size, pattern, pattern_size);
    if (status == YOKE_OK)
        status = fill(where, stream, buffer->root, buffer->offset + offset, size, pattern, pattern_size);
    return blame(function, where, status);
}
