/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills: one non-blocking command each, without an event unless the caller asks for one. The core has checked every
 * range.
 */
#include "driver.h"

/* A slot of the table: submit_NAME, plus the mapping and unmapping of handed-over memory. */
#define SLOT(name, root, other)                                                             \
    yoke_status yk_opencl_##name(yoke_stream *stream, const yk_op *op)                      \
    {                                                                                       \
        if (YK_UNLIKELY(yk_opencl_is_handed_over(root) || yk_opencl_is_handed_over(other))) \
            return yk_opencl_hand_over(stream, op, submit_##name);                          \
        return submit_##name(stream, op);                                                   \
    }

static yoke_status fault(const char *call, cl_int code, size_t size, size_t offset)
{
    return yk_opencl_fail(call, code, "%zu bytes at offset %zu of the buffer", size, offset);
}

/* NVIDIA's driver (580) completes a read on a thread of its own, unless the caller waits: 8 us sooner. With nothing else in
 * flight the caller waits for the copy alone. */
static inline bool waits_here(const yoke_stream *stream, const yk_op *op)
{
    return op->u.transfer.sync && stream->device->traits.waits_in_copies &&
           yk_stream_submitted(stream) == atomic_load_explicit(&stream->done, memory_order_acquire);
}

/* The driver has waited for a copy. */
YK_COLD static yoke_status waited(const yk_op *op, yoke_status status)
{
    if (op->end)
        atomic_store_explicit(&((yk_opencl_event *)op->end->native)->called, YK_WAITED, memory_order_relaxed);
    return status;
}

static inline yoke_status write_to(yoke_stream *stream, const yk_op *op, cl_bool wait)
{
    size_t offset = op->u.transfer.offset, size = op->u.transfer.size;
    cl_command_queue queue = yk_opencl_enter(stream);
    cl_int code = yk_cl.clEnqueueWriteBuffer(queue, op->u.transfer.buffer->native.pointer, wait, offset, size, op->u.transfer.host,
                                             0, NULL, yk_opencl_end_of(stream, op));

    yk_opencl_leave(stream);
    return code == CL_SUCCESS ? YOKE_OK : fault("clEnqueueWriteBuffer", code, size, offset);
}

static inline yoke_status submit_write(yoke_stream *stream, const yk_op *op)
{
    return YK_UNLIKELY(waits_here(stream, op)) ? waited(op, write_to(stream, op, CL_TRUE)) : write_to(stream, op, CL_FALSE);
}
SLOT(write, op->u.transfer.buffer, op->u.transfer.buffer)

static inline yoke_status read_from(yoke_stream *stream, const yk_op *op, cl_bool wait)
{
    size_t offset = op->u.transfer.offset, size = op->u.transfer.size;
    cl_command_queue queue = yk_opencl_enter(stream);
    cl_int code = yk_cl.clEnqueueReadBuffer(queue, op->u.transfer.buffer->native.pointer, wait, offset, size, op->u.transfer.host,
                                            0, NULL, yk_opencl_end_of(stream, op));

    yk_opencl_leave(stream);
    return code == CL_SUCCESS ? YOKE_OK : fault("clEnqueueReadBuffer", code, size, offset);
}

static inline yoke_status submit_read(yoke_stream *stream, const yk_op *op)
{
    return YK_UNLIKELY(waits_here(stream, op)) ? waited(op, read_from(stream, op, CL_TRUE)) : read_from(stream, op, CL_FALSE);
}
SLOT(read, op->u.transfer.buffer, op->u.transfer.buffer)

static inline yoke_status submit_copy(yoke_stream *stream, const yk_op *op)
{
    size_t from = op->u.copy.source_offset, to = op->u.copy.target_offset, size = op->u.copy.size;
    cl_command_queue queue = yk_opencl_enter(stream);
    cl_int code = yk_cl.clEnqueueCopyBuffer(queue, op->u.copy.source->native.pointer, op->u.copy.target->native.pointer, from, to,
                                            size, 0, NULL, yk_opencl_end_of(stream, op));

    yk_opencl_leave(stream);
    if (code != CL_SUCCESS)
        return yk_opencl_fail("clEnqueueCopyBuffer", code, "%zu bytes from offset %zu to offset %zu", size, from, to);
    return YOKE_OK;
}
SLOT(copy, op->u.copy.target, op->u.copy.source)

/* ---- Rects ---- */

/* Drivers add an origin and its pitches up to an offset, which is already known here. */
static void region_of(const yk_rect *rect, size_t region[3])
{
    region[0] = rect->width;
    region[1] = rect->height;
    region[2] = rect->depth;
}

static yoke_status rect_fault(const char *call, cl_int code, const yk_rect *rect)
{
    return yk_opencl_fail(call, code, "a rect of %zu bytes x %zu rows x %zu slices", rect->width, rect->height, rect->depth);
}

/* After a row failed: rows before it may be in flight, which the caller does not know. */
static yoke_status end_rows(yoke_stream *stream, yoke_status status)
{
    if (status < 0)
        yk_opencl_stream_finish(stream);
    return status;
}

/* Row by row, in the order of the queue; the last row records op->end. */
static yoke_status transfer_rows(yoke_stream *stream, const yk_op *op)
{
    const yk_rect *rect = &op->u.transfer.rect;
    bool write = yk_is_write(op->kind);
    yoke_status status = YOKE_OK;
    yk_op row = { .u.transfer = { .buffer = op->u.transfer.buffer, .size = rect->width } };

    for (size_t z = 0; z < rect->depth; z++)
        for (size_t y = 0; y < rect->height && status == YOKE_OK; y++) {
            size_t target = z * rect->target_slice + y * rect->target_row, source = z * rect->source_slice + y * rect->source_row;
            row.u.transfer.offset = op->u.transfer.offset + (write ? target : source);
            row.u.transfer.host = (char *)op->u.transfer.host + (write ? source : target);
            row.end = z + 1 == rect->depth && y + 1 == rect->height ? op->end : NULL;
            status = write ? submit_write(stream, &row) : submit_read(stream, &row);
        }
    return end_rows(stream, status);
}

/* NVIDIA's driver (580) calls some correct rects invalid. */
static yoke_status rect_outcome(yoke_stream *stream, const yk_op *op, const char *call, cl_int code)
{
    if (code == CL_INVALID_VALUE)
        return transfer_rows(stream, op);
    return code == CL_SUCCESS ? YOKE_OK : rect_fault(call, code, &op->u.transfer.rect);
}

static yoke_status submit_write_rect(yoke_stream *stream, const yk_op *op)
{
    const yk_rect *rect = &op->u.transfer.rect;
    const size_t origin[3] = { op->u.transfer.offset, 0, 0 }, zero[3] = { 0, 0, 0 };
    size_t region[3];
    cl_command_queue queue = yk_opencl_enter(stream);
    cl_int code;

    region_of(rect, region);
    code = yk_cl.clEnqueueWriteBufferRect(queue, op->u.transfer.buffer->native.pointer, CL_FALSE, origin, zero, region,
                                          rect->target_row, rect->target_slice, rect->source_row, rect->source_slice,
                                          op->u.transfer.host, 0, NULL, yk_opencl_end_of(stream, op));
    yk_opencl_leave(stream);
    return rect_outcome(stream, op, "clEnqueueWriteBufferRect", code);
}
SLOT(write_rect, op->u.transfer.buffer, op->u.transfer.buffer)

static yoke_status submit_read_rect(yoke_stream *stream, const yk_op *op)
{
    const yk_rect *rect = &op->u.transfer.rect;
    const size_t origin[3] = { op->u.transfer.offset, 0, 0 }, zero[3] = { 0, 0, 0 };
    size_t region[3];
    cl_command_queue queue = yk_opencl_enter(stream);
    cl_int code;

    region_of(rect, region);
    code = yk_cl.clEnqueueReadBufferRect(queue, op->u.transfer.buffer->native.pointer, CL_FALSE, origin, zero, region,
                                         rect->source_row, rect->source_slice, rect->target_row, rect->target_slice,
                                         op->u.transfer.host, 0, NULL, yk_opencl_end_of(stream, op));
    yk_opencl_leave(stream);
    return rect_outcome(stream, op, "clEnqueueReadBufferRect", code);
}
SLOT(read_rect, op->u.transfer.buffer, op->u.transfer.buffer)

/* Row by row, in the order of the queue; the last row records op->end. */
static yoke_status copy_rows(yoke_stream *stream, const yk_op *op)
{
    const yk_rect *rect = &op->u.copy.rect;
    yoke_status status = YOKE_OK;
    yk_op row = { .kind = YK_OP_COPY, .u.copy = { .target = op->u.copy.target, .source = op->u.copy.source, .size = rect->width } };

    for (size_t z = 0; z < rect->depth; z++)
        for (size_t y = 0; y < rect->height && status == YOKE_OK; y++) {
            row.u.copy.target_offset = op->u.copy.target_offset + z * rect->target_slice + y * rect->target_row;
            row.u.copy.source_offset = op->u.copy.source_offset + z * rect->source_slice + y * rect->source_row;
            row.end = z + 1 == rect->depth && y + 1 == rect->height ? op->end : NULL;
            status = submit_copy(stream, &row);
        }
    return end_rows(stream, status);
}

/* Within one buffer drivers require equal pitches on both sides, and some mistake interleaved rects for overlapping rects. */
static yoke_status submit_copy_rect(yoke_stream *stream, const yk_op *op)
{
    const yk_rect *rect = &op->u.copy.rect;
    const size_t from[3] = { op->u.copy.source_offset, 0, 0 }, to[3] = { op->u.copy.target_offset, 0, 0 };
    size_t region[3];
    cl_command_queue queue;
    cl_int code;

    if (op->u.copy.target == op->u.copy.source)
        return copy_rows(stream, op);
    region_of(rect, region);
    queue = yk_opencl_enter(stream);
    code = yk_cl.clEnqueueCopyBufferRect(queue, op->u.copy.source->native.pointer, op->u.copy.target->native.pointer, from, to,
                                         region, rect->source_row, rect->source_slice, rect->target_row, rect->target_slice, 0,
                                         NULL, yk_opencl_end_of(stream, op));
    yk_opencl_leave(stream);
    if (code == CL_INVALID_VALUE) /* as above */
        return copy_rows(stream, op);
    return code == CL_SUCCESS ? YOKE_OK : rect_fault("clEnqueueCopyBufferRect", code, rect);
}
SLOT(copy_rect, op->u.copy.target, op->u.copy.source)

/* ---- Fills ---- */

static yoke_status submit_fill(yoke_stream *stream, const yk_op *op)
{
    size_t offset = op->u.fill.offset, size = op->u.fill.width, row = 0;
    cl_int code = CL_SUCCESS;

    for (; row < op->u.fill.height && code == CL_SUCCESS; row++, offset += op->u.fill.pitch) {
        cl_command_queue queue = yk_opencl_enter(stream);
        code = yk_cl.clEnqueueFillBuffer(queue, op->u.fill.buffer->native.pointer, op->u.fill.pattern, op->u.fill.pattern_size,
                                         offset, size, 0, NULL, row + 1 == op->u.fill.height ? yk_opencl_end_of(stream, op) : NULL);
        yk_opencl_leave(stream);
    }
    if (code == CL_SUCCESS)
        return YOKE_OK;
    yoke_status status = fault("clEnqueueFillBuffer", code, size, offset);
    return row > 1 ? end_rows(stream, status) : status; /* when the first row is refused, nothing is in flight */
}
SLOT(fill, op->u.fill.buffer, op->u.fill.buffer)
