/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of two and three dimensions. A rect is checked as the caller passed it, then made as flat as possible: contiguous rows
 * become one row. The flat rect is enqueued as one operation, or slice by slice where drivers would reject it.
 */
#include "copy/copy.h"
#include "stream/depth.h"
#include "stream/recording.h"
#include "base/sizes.h"

#include <limits.h>

/* ---- Checking ---- */

/* One side of a copy. */
typedef struct side {
    const char *name;
    size_t offset, row, slice;
    size_t end; /* past the last byte */
} side;

static yoke_status check_rect(const char *function, yoke_rect *rect)
{
    size_t rows = 0, total = 0;
    if (rect->width == 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the rect's width is 0; it must be at least one byte", function);
    rect->height = rect->height ? rect->height : 1;
    rect->depth = rect->depth ? rect->depth : 1;
    if (!yk_size_add_product(&rows, rect->width, rect->height) || !yk_size_add_product(&total, rows, rect->depth))
        return yk_fail(YOKE_E_RANGE, "%s: a rect of %zu bytes x %zu rows x %zu slices is larger than any memory", function,
                       rect->width, rect->height, rect->depth);
    return YOKE_OK;
}

/* Fill in the pitches that are 0, check all pitches, and compute the end. */
static yoke_status check_pitch(const char *function, const char *name, yoke_pitch pitch, const yoke_rect *rect, side *out)
{
    size_t slice = 0;
    *out = (side){ name, pitch.offset, pitch.row_pitch ? pitch.row_pitch : rect->width, pitch.slice_pitch, 0 };
    if (out->row < rect->width)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the row_pitch of %s is %zu; it must be at least the rect's width of %zu bytes",
                       function, name, out->row, rect->width);
    bool fits =
        yk_size_add_product(&slice, rect->height, out->row); /* with the padding of the last row, as the next slice needs it */
    size_t least = fits ? slice - out->row + rect->width : SIZE_MAX;
    if (!out->slice && fits)
        out->slice = slice;
    if (fits && rect->depth > 1 && out->slice < least)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the slice_pitch of %s is %zu; a slice of %zu rows takes %zu bytes", function,
                       name, out->slice, rect->height, least);
    out->end = out->offset;
    if (!fits || !yk_size_add_product(&out->end, rect->depth - 1, out->slice) ||
        !yk_size_add_product(&out->end, rect->height - 1, out->row) || !yk_size_add(&out->end, rect->width))
        return yk_fail(YOKE_E_RANGE, "%s: the sizes of the rect in %s overflow", function, name);
    return YOKE_OK;
}

static yoke_status check_end(const char *function, const yoke_buffer *buffer, const side *at)
{
    if (at->end <= buffer->size)
        return YOKE_OK;
    return yk_fail(YOKE_E_RANGE, "%s: the rect ends at byte %zu of %s, which has %zu bytes", function, at->end, at->name,
                   buffer->size);
}

/* The offset of a row; rows are in ascending order. */
static size_t row_start(const side *at, const yoke_rect *rect, size_t row)
{
    return at->offset + row / rect->height * at->slice + row % rect->height * at->row;
}

/* Whether a row of one side overlaps a row of the other; offsets count from the same start. */
static bool rows_touch(const side *a, const side *b, const yoke_rect *rect)
{
    size_t rows = rect->height * rect->depth, i = 0, j = 0;
    if (a->end <= b->offset || b->end <= a->offset)
        return false;
    while (i < rows && j < rows) {
        size_t x = row_start(a, rect, i), y = row_start(b, rect, j);
        if (x < y + rect->width && y < x + rect->width)
            return true;
        if (x < y)
            i++;
        else
            j++;
    }
    return false;
}

/* ---- Enqueueing ---- */

/* Merge rows and slices that are contiguous on both sides. */
static yk_rect flatten(const yoke_rect *rect, const side *target, const side *source)
{
    yk_rect flat = { rect->width, rect->height, rect->depth, target->row, target->slice, source->row, source->slice };
    if (flat.height > 1 && flat.target_row == flat.width && flat.source_row == flat.width) {
        flat.width *= flat.height;
        flat.height = 1;
    }
    if (flat.height == 1) { /* slices become rows */
        flat.height = flat.depth;
        flat.depth = 1;
        flat.target_row = flat.height > 1 ? flat.target_slice : flat.width;
        flat.source_row = flat.height > 1 ? flat.source_slice : flat.width;
    }
    if (flat.depth == 1 && flat.target_row == flat.width && flat.source_row == flat.width) {
        flat.width *= flat.height;
        flat.height = 1;
    }
    if (flat.height == 1)
        flat.target_row = flat.source_row = flat.width;
    if (flat.depth == 1) {
        flat.target_slice = flat.height * flat.target_row;
        flat.source_slice = flat.height * flat.source_row;
    }
    return flat;
}

/* Enqueue an operation whose sides start further on, by the steps. */
typedef yoke_status (*enqueue_fn)(const char *function, yoke_stream *stream, yk_op op, size_t target_step, size_t source_step);

static yoke_status enqueue_transfer(const char *function, yoke_stream *stream, yk_op op, size_t target_step, size_t source_step)
{
    const yk_rect *rect = &op.u.transfer.rect;
    bool plain = rect->height == 1 && rect->depth == 1, write = yk_is_write(op.kind);
    if (plain)
        op.kind = write ? YK_OP_WRITE : YK_OP_READ;
    op.u.transfer.size = rect->width * rect->height * rect->depth;
    op.u.transfer.offset += write ? target_step : source_step;
    op.u.transfer.host = (char *)op.u.transfer.host + (write ? source_step : target_step);
    return yk_enqueue_transfer(function, stream, op.kind, &op);
}

static yoke_status enqueue_copy(const char *function, yoke_stream *stream, yk_op op, size_t target_step, size_t source_step)
{
    const yk_rect *rect = &op.u.copy.rect;
    (void)function;
    if (rect->height == 1 && rect->depth == 1)
        op.kind = YK_OP_COPY;
    op.u.copy.size = rect->width * rect->height * rect->depth;
    op.u.copy.target_offset += target_step;
    op.u.copy.source_offset += source_step;
    return yk_enqueue_copy(stream, &op);
}

/* Enqueue the rect whole, or in slices where the slice pitch is not a multiple of the row pitch, or row by row where a pitch
 * exceeds CUDA's limit. `rect` is the operation's. */
static yoke_status enqueue_rect(const char *function, yoke_stream *stream, const yk_op *op, yk_rect *rect, enqueue_fn enqueue)
{
    bool rows = rect->height > 1 && (rect->target_row > INT_MAX || rect->source_row > INT_MAX);
    bool slices = rect->depth > 1 && (rows || rect->target_slice % rect->target_row || rect->source_slice % rect->source_row);
    const yk_rect whole = *rect;
    rect->depth = slices ? 1 : rect->depth;
    rect->height = rows ? 1 : rect->height;
    if (slices) { /* drivers check the pitch of a single slice too */
        rect->target_slice = rect->height * rect->target_row;
        rect->source_slice = rect->height * rect->source_row;
    }
    yoke_status status = yk_depth_admit(stream, false);
    if (status != YOKE_OK)
        return status;
    bool recorded = yk_is_recording(stream);
    if (recorded)
        yk_recording_group(stream, op->kind);
    for (size_t z = 0; z < whole.depth && status == YOKE_OK; z += rect->depth)
        for (size_t y = 0; y < whole.height && status == YOKE_OK; y += rect->height)
            status = enqueue(function, stream, *op, z * whole.target_slice + y * whole.target_row,
                             z * whole.source_slice + y * whole.source_row);
    if (recorded)
        yk_recording_ungroup(stream, status);
    yk_depth_leave(stream);
    return status;
}

/* ---- To and from the host ---- */

/* The rect and the host's side are checked; the buffer's side is not yet known to lie within the buffer. */
static yoke_status enqueue_with_host(const char *function, const char *where, yk_op_kind kind, yoke_stream *stream,
                                     yoke_buffer *buffer, const side *device, void *host, const side *memory, yoke_buffer *pinned,
                                     const yoke_rect *rect, bool sync)
{
    bool write = yk_is_write(kind);
    if (!yk_is_device_range(stream, buffer, 0, 1))
        return yk_device_range_fault(stream, buffer, function, device->name, 0, 1);
    yoke_status status = write ? yk_buffer_check_writable(buffer, function, device->name) : YOKE_OK;
    if (status == YOKE_OK)
        status = check_end(function, buffer, device);
    if (status < 0)
        return status;
    yk_op op = { .kind = kind,
                 .where = where,
                 .u.transfer = { .buffer = buffer->root,
                                 .offset = buffer->offset + device->offset,
                                 .host = (char *)host + memory->offset,
                                 .host_buffer = pinned,
                                 .sync = sync,
                                 .rect = write ? flatten(rect, device, memory) : flatten(rect, memory, device) } };
    return enqueue_rect(function, stream, &op, &op.u.transfer.rect, enqueue_transfer);
}

static yoke_status transfer(const char *function, const char *where, yk_op_kind kind, yoke_stream *stream, yoke_buffer *buffer,
                            yoke_pitch buffer_pitch, void *host, yoke_pitch host_pitch, yoke_rect rect, bool sync)
{
    const char *host_name = yk_is_write(kind) ? "source" : "target";
    side device, memory;
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(buffer, YK_BUFFER, function, "buffer");
    if (!host)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s is NULL", function, host_name);
    yoke_status status = check_rect(function, &rect);
    if (status == YOKE_OK)
        status = check_pitch(function, "buffer", buffer_pitch, &rect, &device);
    if (status == YOKE_OK)
        status = check_pitch(function, host_name, host_pitch, &rect, &memory);
    if (status == YOKE_OK && !yk_is_range(host, memory.end))
        status = yk_fail(YOKE_E_RANGE, "%s: the sizes of the rect in %s overflow", function, host_name);
    if (status < 0)
        return status;
    return enqueue_with_host(function, where, kind, stream, buffer, &device, host, &memory, NULL, &rect, sync);
}

yoke_status yoke_write_rect_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_pitch buffer_pitch,
                               const void *source, yoke_pitch source_pitch, yoke_rect rect)
{
    YK_FUNCTION(yoke_write_rect);
    return yk_attribute_site(function, where,
                             transfer(function, where, YK_OP_WRITE_RECT, stream, buffer, buffer_pitch, (void *)(uintptr_t)source,
                                      source_pitch, rect, false));
}

yoke_status yoke_write_rect_sync_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_pitch buffer_pitch,
                                    const void *source, yoke_pitch source_pitch, yoke_rect rect)
{
    YK_UNCANCELLED; /* the driver may wait in the copy itself */
    YK_FUNCTION(yoke_write_rect_sync);
    yoke_status status = yk_check_wait(function, stream);
    if (status != YOKE_OK)
        return yk_attribute(function, where, status);
    status = transfer(function, where, YK_OP_WRITE_RECT, stream, buffer, buffer_pitch, (void *)(uintptr_t)source, source_pitch,
                      rect, true);
    return yk_finish_sync(function, where, stream, status);
}

yoke_status yoke_read_rect_at(const char *where, yoke_stream *stream, void *target, yoke_pitch target_pitch, yoke_buffer *buffer,
                              yoke_pitch buffer_pitch, yoke_rect rect)
{
    YK_FUNCTION(yoke_read_rect);
    return yk_attribute_site(
        function, where,
        transfer(function, where, YK_OP_READ_RECT, stream, buffer, buffer_pitch, target, target_pitch, rect, false));
}

yoke_status yoke_read_rect_sync_at(const char *where, yoke_stream *stream, void *target, yoke_pitch target_pitch,
                                   yoke_buffer *buffer, yoke_pitch buffer_pitch, yoke_rect rect)
{
    YK_UNCANCELLED; /* the driver may wait in the copy itself */
    YK_FUNCTION(yoke_read_rect_sync);
    yoke_status status = yk_check_wait(function, stream);
    if (status != YOKE_OK)
        return yk_attribute(function, where, status);
    status = transfer(function, where, YK_OP_READ_RECT, stream, buffer, buffer_pitch, target, target_pitch, rect, true);
    return yk_finish_sync(function, where, stream, status);
}

/* ---- Between buffers ---- */

static yoke_status copy_checked(const char *function, const char *where, yoke_stream *stream, yoke_buffer *target, const side *to,
                                yoke_buffer *source, const side *from, const yoke_rect *rect)
{
    yoke_status status = check_end(function, target, to);
    if (status == YOKE_OK)
        status = check_end(function, source, from);
    if (status < 0)
        return status;
    if (source->kind == YOKE_MEMORY_PINNED)
        return enqueue_with_host(function, where, YK_OP_WRITE_RECT, stream, target, to, source->host, from, source, rect, false);
    if (target->kind == YOKE_MEMORY_PINNED)
        return enqueue_with_host(function, where, YK_OP_READ_RECT, stream, source, from, target->host, to, target, rect, false);

    side a = *to, b = *from; /* offsets from the root's start */
    a.offset += target->offset;
    a.end += target->offset;
    b.offset += source->offset;
    b.end += source->offset;
    if (target->root == source->root && rows_touch(&a, &b, rect))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: source (from byte %zu) and target (from byte %zu) of one buffer overlap",
                       function, b.offset, a.offset);
    yk_op op = { .kind = YK_OP_COPY_RECT,
                 .where = where,
                 .u.copy = { .target = target->root,
                             .source = source->root,
                             .target_offset = a.offset,
                             .source_offset = b.offset,
                             .rect = flatten(rect, &a, &b) } };
    return enqueue_rect(function, stream, &op, &op.u.copy.rect, enqueue_copy);
}

static yoke_status copy(const char *function, const char *where, yoke_stream *stream, yoke_buffer *target, yoke_pitch target_pitch,
                        yoke_buffer *source, yoke_pitch source_pitch, yoke_rect rect)
{
    side to, from;
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(target, YK_BUFFER, function, "target");
    YK_CHECK(source, YK_BUFFER, function, "source");
    yoke_status status = yk_check_pair(stream, function, target, source);
    if (status == YOKE_OK)
        status = yk_buffer_check_writable(target, function, "target");
    if (status == YOKE_OK)
        status = check_rect(function, &rect);
    if (status == YOKE_OK)
        status = check_pitch(function, "target", target_pitch, &rect, &to);
    if (status == YOKE_OK)
        status = check_pitch(function, "source", source_pitch, &rect, &from);
    return status < 0 ? status : copy_checked(function, where, stream, target, &to, source, &from, &rect);
}

yoke_status yoke_copy_rect_at(const char *where, yoke_stream *stream, yoke_buffer *target, yoke_pitch target_pitch,
                              yoke_buffer *source, yoke_pitch source_pitch, yoke_rect rect)
{
    YK_FUNCTION(yoke_copy_rect);
    return yk_attribute_site(function, where, copy(function, where, stream, target, target_pitch, source, source_pitch, rect));
}

yoke_status yoke_copy_rect_sync_at(const char *where, yoke_stream *stream, yoke_buffer *target, yoke_pitch target_pitch,
                                   yoke_buffer *source, yoke_pitch source_pitch, yoke_rect rect)
{
    YK_UNCANCELLED; /* the driver may wait in the copy itself */
    YK_FUNCTION(yoke_copy_rect_sync);
    yoke_status status = yk_check_wait(function, stream);
    if (status != YOKE_OK)
        return yk_attribute(function, where, status);
    status = copy(function, where, stream, target, target_pitch, source, source_pitch, rect);
    return yk_finish_sync(function, where, stream, status);
}

/* ---- Fills ---- */

static yoke_status fill(const char *function, const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_pitch pitch,
                        yoke_rect rect, const void *pattern, size_t pattern_size)
{
    side at;
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(buffer, YK_BUFFER, function, "buffer");
    yoke_status status = check_rect(function, &rect);
    if (status == YOKE_OK)
        status = check_pitch(function, "buffer", pitch, &rect, &at);
    if (status == YOKE_OK && !yk_is_device_range(stream, buffer, 0, 1))
        status = yk_device_range_fault(stream, buffer, function, "buffer", 0, 1);
    if (status == YOKE_OK)
        status = yk_buffer_check_writable(buffer, function, "buffer");
    if (status == YOKE_OK)
        status = check_end(function, buffer, &at);
    if (status == YOKE_OK)
        status = yk_check_pattern(function, at.offset, rect.width, (rect.height > 1 ? at.row : 0) | (rect.depth > 1 ? at.slice : 0),
                                  pattern, pattern_size);
    if (status == YOKE_OK)
        status = yk_depth_admit(stream, false);
    if (status != YOKE_OK)
        return status;
    yk_rect flat = flatten(&rect, &at, &at);
    bool recorded = yk_is_recording(stream);
    if (recorded)
        yk_recording_group(stream, YK_OP_FILL);
    for (size_t z = 0; z < flat.depth && status == YOKE_OK; z++)
        status = yk_enqueue_fill(where, stream, buffer->root, buffer->offset + at.offset + z * flat.target_slice, flat.width,
                                 flat.height, flat.target_row, pattern, pattern_size);
    if (recorded)
        yk_recording_ungroup(stream, status);
    yk_depth_leave(stream);
    return status;
}

yoke_status yoke_fill_rect_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_pitch pitch, yoke_rect rect,
                              const void *pattern, size_t pattern_size)
{
    YK_FUNCTION(yoke_fill_rect);
    return yk_attribute_site(function, where, fill(function, where, stream, buffer, pitch, rect, pattern, pattern_size));
}
