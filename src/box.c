/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of two and three dimensions. A box is checked as it is given, then made as flat as it can be: rows that follow each other
 * at once are one row. What is left goes to the driver as one operation, or slice by slice where drivers would not take it.
 */
#include "copy.h"
#include "graph.h"
#include "sizes.h"

#include <limits.h>

/* ---- Checking ---- */

/* One side of a copy. */
typedef struct side {
    const char *name;
    size_t offset, row, slice;
    size_t end; /* one beyond the last byte */
} side;

static yoke_status check_box(const char *function, yoke_box *box)
{
    size_t rows = 0, total = 0;
    if (box->width == 0)
        return yk_fail(YOKE_E_INVALID, "%s: the box's width is 0; it has at least one byte", function);
    box->height = box->height ? box->height : 1;
    box->depth = box->depth ? box->depth : 1;
    if (!yk_size_add_product(&rows, box->width, box->height) || !yk_size_add_product(&total, rows, box->depth))
        return yk_fail(YOKE_E_RANGE, "%s: a box of %zu bytes x %zu rows x %zu slices is larger than any memory", function,
                       box->width, box->height, box->depth);
    return YOKE_OK;
}

/* Fill in the pitches that are left open, check them, and find the end. */
static yoke_status check_layout(const char *function, const char *name, yoke_layout layout, const yoke_box *box, side *out)
{
    size_t slice = 0;
    *out = (side){ name, layout.offset, layout.row_pitch ? layout.row_pitch : box->width, layout.slice_pitch, 0 };
    if (out->row < box->width)
        return yk_fail(YOKE_E_INVALID, "%s: the row_pitch of %s is %zu; a row has %zu bytes", function, name, out->row, box->width);
    bool fits = yk_size_add_product(&slice, box->height, out->row); /* with what follows the last row, as the next slice needs it */
    size_t least = fits ? slice - out->row + box->width : SIZE_MAX;
    if (!out->slice && fits)
        out->slice = slice;
    if (fits && box->depth > 1 && out->slice < least)
        return yk_fail(YOKE_E_INVALID, "%s: the slice_pitch of %s is %zu; %zu rows take %zu bytes", function, name, out->slice,
                       box->height, least);
    out->end = out->offset;
    if (!fits || !yk_size_add_product(&out->end, box->depth - 1, out->slice) ||
        !yk_size_add_product(&out->end, box->height - 1, out->row) || !yk_size_add(&out->end, box->width))
        return yk_fail(YOKE_E_RANGE, "%s: the box reaches beyond any memory on the side of %s", function, name);
    return YOKE_OK;
}

static yoke_status check_end(const char *function, const yoke_buffer *buffer, const side *at)
{
    if (at->end <= buffer->size)
        return YOKE_OK;
    return yk_fail(YOKE_E_RANGE, "%s: the box ends at byte %zu of %s, which has %zu bytes", function, at->end, at->name,
                   buffer->size);
}

/* Rows in ascending order, on either side. */
static size_t row_start(const side *at, const yoke_box *box, size_t row)
{
    return at->offset + row / box->height * at->slice + row % box->height * at->row;
}

/* Whether a row of one side has a byte in common with a row of the other; offsets count from the same start. */
static bool rows_touch(const side *a, const side *b, const yoke_box *box)
{
    size_t rows = box->height * box->depth, i = 0, j = 0;
    if (a->end <= b->offset || b->end <= a->offset)
        return false;
    while (i < rows && j < rows) {
        size_t x = row_start(a, box, i), y = row_start(b, box, j);
        if (x < y + box->width && y < x + box->width)
            return true;
        if (x < y)
            i++;
        else
            j++;
    }
    return false;
}

/* ---- Enqueueing ---- */

/* Make it as flat as it can be. */
static yk_box flatten(const yoke_box *box, const side *target, const side *source)
{
    yk_box flat = { box->width, box->height, box->depth, target->row, target->slice, source->row, source->slice };
    if (flat.height > 1 && flat.target_row == flat.width && flat.source_row == flat.width) {
        flat.width *= flat.height;
        flat.height = 1;
    }
    if (flat.height == 1) { /* slices are rows, then */
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

/* Enqueue an operation whose sides start so much further on. */
typedef yoke_status (*enqueue_fn)(const char *function, yoke_stream *stream, yk_op op, size_t target_step, size_t source_step);

static yoke_status enqueue_transfer(const char *function, yoke_stream *stream, yk_op op, size_t target_step, size_t source_step)
{
    const yk_box *box = &op.u.transfer.box;
    bool plain = box->height == 1 && box->depth == 1, write = op.kind == YK_OP_WRITE_BOX;
    if (plain)
        op.kind = write ? YK_OP_WRITE : YK_OP_READ;
    op.u.transfer.size = box->width * box->height * box->depth;
    op.u.transfer.offset += write ? target_step : source_step;
    op.u.transfer.host = (char *)op.u.transfer.host + (write ? source_step : target_step);
    return yk_enqueue_transfer(function, stream, op.kind, &op);
}

static yoke_status enqueue_copy(const char *function, yoke_stream *stream, yk_op op, size_t target_step, size_t source_step)
{
    const yk_box *box = &op.u.copy.box;
    (void)function;
    if (box->height == 1 && box->depth == 1)
        op.kind = YK_OP_COPY;
    op.u.copy.size = box->width * box->height * box->depth;
    op.u.copy.target_offset += target_step;
    op.u.copy.source_offset += source_step;
    return yk_enqueue_copy(stream, op.kind, &op);
}

/* Whole, or in slices where a slice's pitch is no multiple of a row's, or row by row where a pitch is beyond what CUDA takes.
 * `box` is that of the operation. */
static yoke_status enqueue_box(const char *function, yoke_stream *stream, const yk_op *op, yk_box *box, enqueue_fn enqueue)
{
    bool rows = box->height > 1 && (box->target_row > INT_MAX || box->source_row > INT_MAX);
    bool slices = box->depth > 1 && (rows || box->target_slice % box->target_row || box->source_slice % box->source_row);
    const yk_box whole = *box;
    yoke_status status = YOKE_OK;
    box->depth = slices ? 1 : box->depth;
    box->height = rows ? 1 : box->height;
    if (slices) { /* drivers look at the pitch of the only slice too */
        box->target_slice = box->height * box->target_row;
        box->source_slice = box->height * box->source_row;
    }
    bool recorded = yk_is_recorded(stream);
    if (recorded)
        yk_graph_group(stream, op->kind);
    for (size_t z = 0; z < whole.depth && status == YOKE_OK; z += box->depth)
        for (size_t y = 0; y < whole.height && status == YOKE_OK; y += box->height)
            status = enqueue(function, stream, *op, z * whole.target_slice + y * whole.target_row,
                             z * whole.source_slice + y * whole.source_row);
    if (recorded)
        yk_graph_ungroup(stream, status);
    return status;
}

/* ---- To and from the host ---- */

/* The box is checked, and so is the host's side; that of the buffer is not yet known to lie within it. */
static yoke_status enqueue_with_host(const char *function, const char *where, yk_op_kind kind, yoke_stream *stream,
                                     yoke_buffer *buffer, const side *device, void *host, const side *memory, yoke_buffer *pinned,
                                     const yoke_box *box, bool sync)
{
    bool write = kind == YK_OP_WRITE_BOX;
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
                                 .box = write ? flatten(box, device, memory) : flatten(box, memory, device) } };
    return enqueue_box(function, stream, &op, &op.u.transfer.box, enqueue_transfer);
}

static yoke_status transfer(const char *function, const char *where, yk_op_kind kind, yoke_stream *stream, yoke_buffer *buffer,
                            yoke_layout buffer_layout, void *host, yoke_layout host_layout, yoke_box box, bool sync)
{
    const char *host_name = kind == YK_OP_WRITE_BOX ? "source" : "target";
    side device, memory;
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(buffer, YK_BUFFER, function, "buffer");
    if (!host)
        return yk_fail(YOKE_E_INVALID, "%s: %s is NULL", function, host_name);
    yoke_status status = check_box(function, &box);
    if (status == YOKE_OK)
        status = check_layout(function, "buffer", buffer_layout, &box, &device);
    if (status == YOKE_OK)
        status = check_layout(function, host_name, host_layout, &box, &memory);
    if (status == YOKE_OK && !yk_is_range(host, memory.end))
        status = yk_fail(YOKE_E_RANGE, "%s: the box reaches beyond any memory on the side of %s", function, host_name);
    if (status < 0)
        return status;
    return enqueue_with_host(function, where, kind, stream, buffer, &device, host, &memory, NULL, &box, sync);
}

yoke_status yoke_write_box_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_layout buffer_layout,
                              const void *source, yoke_layout source_layout, yoke_box box)
{
    FUNCTION(yoke_write_box);
    return yk_blame_site(function, where,
                         transfer(function, where, YK_OP_WRITE_BOX, stream, buffer, buffer_layout, (void *)(uintptr_t)source,
                                  source_layout, box, false));
}

yoke_status yoke_write_box_sync_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_layout buffer_layout,
                                   const void *source, yoke_layout source_layout, yoke_box box)
{
    YK_UNCANCELLED; /* the driver may wait in the copy itself */
    FUNCTION(yoke_write_box_sync);
    yoke_status status = yk_check_wait(function, stream);
    if (status == YOKE_OK)
        status = transfer(function, where, YK_OP_WRITE_BOX, stream, buffer, buffer_layout, (void *)(uintptr_t)source, source_layout,
                          box, true);
    return yk_finish_sync(function, where, stream, status);
}

yoke_status yoke_read_box_at(const char *where, yoke_stream *stream, void *target, yoke_layout target_layout, yoke_buffer *buffer,
                             yoke_layout buffer_layout, yoke_box box)
{
    FUNCTION(yoke_read_box);
    return yk_blame_site(
        function, where,
        transfer(function, where, YK_OP_READ_BOX, stream, buffer, buffer_layout, target, target_layout, box, false));
}

yoke_status yoke_read_box_sync_at(const char *where, yoke_stream *stream, void *target, yoke_layout target_layout,
                                  yoke_buffer *buffer, yoke_layout buffer_layout, yoke_box box)
{
    YK_UNCANCELLED; /* the driver may wait in the copy itself */
    FUNCTION(yoke_read_box_sync);
    yoke_status status = yk_check_wait(function, stream);
    if (status == YOKE_OK)
        status = transfer(function, where, YK_OP_READ_BOX, stream, buffer, buffer_layout, target, target_layout, box, true);
    return yk_finish_sync(function, where, stream, status);
}

/* ---- Between buffers ---- */

static yoke_status copy_checked(const char *function, const char *where, yoke_stream *stream, yoke_buffer *target, const side *to,
                                yoke_buffer *source, const side *from, const yoke_box *box)
{
    yoke_status status = check_end(function, target, to);
    if (status == YOKE_OK)
        status = check_end(function, source, from);
    if (status < 0)
        return status;
    if (source->kind == YOKE_MEMORY_PINNED)
        return enqueue_with_host(function, where, YK_OP_WRITE_BOX, stream, target, to, source->host, from, source, box, false);
    if (target->kind == YOKE_MEMORY_PINNED)
        return enqueue_with_host(function, where, YK_OP_READ_BOX, stream, source, from, target->host, to, target, box, false);

    side a = *to, b = *from; /* from the root's start */
    a.offset += target->offset;
    a.end += target->offset;
    b.offset += source->offset;
    b.end += source->offset;
    if (target->root == source->root && rows_touch(&a, &b, box))
        return yk_fail(YOKE_E_INVALID, "%s: source (from byte %zu) and target (from byte %zu) of one buffer overlap", function,
                       b.offset, a.offset);
    yk_op op = { .kind = YK_OP_COPY_BOX,
                 .where = where,
                 .u.copy = { .target = target->root,
                             .source = source->root,
                             .target_offset = a.offset,
                             .source_offset = b.offset,
                             .box = flatten(box, &a, &b) } };
    return enqueue_box(function, stream, &op, &op.u.copy.box, enqueue_copy);
}

static yoke_status copy(const char *function, const char *where, yoke_stream *stream, yoke_buffer *target,
                        yoke_layout target_layout, yoke_buffer *source, yoke_layout source_layout, yoke_box box)
{
    side to, from;
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(target, YK_BUFFER, function, "target");
    YK_CHECK(source, YK_BUFFER, function, "source");
    yoke_status status = yk_check_pair(stream, function, target, source);
    if (status == YOKE_OK)
        status = yk_buffer_check_writable(target, function, "target");
    if (status == YOKE_OK)
        status = check_box(function, &box);
    if (status == YOKE_OK)
        status = check_layout(function, "target", target_layout, &box, &to);
    if (status == YOKE_OK)
        status = check_layout(function, "source", source_layout, &box, &from);
    return status < 0 ? status : copy_checked(function, where, stream, target, &to, source, &from, &box);
}

yoke_status yoke_copy_box_at(const char *where, yoke_stream *stream, yoke_buffer *target, yoke_layout target_layout,
                             yoke_buffer *source, yoke_layout source_layout, yoke_box box)
{
    FUNCTION(yoke_copy_box);
    return yk_blame_site(function, where, copy(function, where, stream, target, target_layout, source, source_layout, box));
}

yoke_status yoke_copy_box_sync_at(const char *where, yoke_stream *stream, yoke_buffer *target, yoke_layout target_layout,
                                  yoke_buffer *source, yoke_layout source_layout, yoke_box box)
{
    YK_UNCANCELLED; /* the driver may wait in the copy itself */
    FUNCTION(yoke_copy_box_sync);
    yoke_status status = yk_check_wait(function, stream);
    if (status == YOKE_OK)
        status = copy(function, where, stream, target, target_layout, source, source_layout, box);
    return yk_finish_sync(function, where, stream, status);
}

/* ---- Fills ---- */

static yoke_status fill(const char *function, const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_layout layout,
                        yoke_box box, const void *pattern, size_t pattern_size)
{
    side at;
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(buffer, YK_BUFFER, function, "buffer");
    yoke_status status = check_box(function, &box);
    if (status == YOKE_OK)
        status = check_layout(function, "buffer", layout, &box, &at);
    if (status == YOKE_OK && !yk_is_device_range(stream, buffer, 0, 1))
        status = yk_device_range_fault(stream, buffer, function, "buffer", 0, 1);
    if (status == YOKE_OK)
        status = yk_buffer_check_writable(buffer, function, "buffer");
    if (status == YOKE_OK)
        status = check_end(function, buffer, &at);
    if (status == YOKE_OK)
        status = yk_check_pattern(function, at.offset, box.width, (box.height > 1 ? at.row : 0) | (box.depth > 1 ? at.slice : 0),
                                  pattern, pattern_size);
    if (status < 0)
        return status;
    yk_box flat = flatten(&box, &at, &at);
    bool recorded = yk_is_recorded(stream);
    if (recorded)
        yk_graph_group(stream, YK_OP_FILL);
    for (size_t z = 0; z < flat.depth && status == YOKE_OK; z++)
        status = yk_enqueue_fill(where, stream, buffer->root, buffer->offset + at.offset + z * flat.target_slice, flat.width,
                                 flat.height, flat.target_row, pattern, pattern_size);
    if (recorded)
        yk_graph_ungroup(stream, status);
    return status;
}

yoke_status yoke_fill_box_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, yoke_layout layout, yoke_box box,
                             const void *pattern, size_t pattern_size)
{
    FUNCTION(yoke_fill_box);
    return yk_blame_site(function, where, fill(function, where, stream, buffer, layout, box, pattern, pattern_size));
}
