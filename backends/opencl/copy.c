/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills: one non-blocking command each, without an event. The core has checked every range.
 */
#include "driver.h"

static yoke_status fault(const char *call, cl_int code, size_t size, size_t offset)
{
    return yk_opencl_fail(call, code, "%zu bytes at offset %zu of the buffer", size, offset);
}

yoke_status yk_opencl_write(yoke_stream *stream, const yk_op *op)
{
    size_t offset = op->u.transfer.offset, size = op->u.transfer.size;
    cl_int code = yk_cl.clEnqueueWriteBuffer(stream->native, op->u.transfer.buffer->native.pointer, CL_FALSE, offset, size,
                                             op->u.transfer.host, 0, NULL, NULL);

    return code == CL_SUCCESS ? YOKE_OK : fault("clEnqueueWriteBuffer", code, size, offset);
}

yoke_status yk_opencl_read(yoke_stream *stream, const yk_op *op)
{
    size_t offset = op->u.transfer.offset, size = op->u.transfer.size;
    cl_int code = yk_cl.clEnqueueReadBuffer(stream->native, op->u.transfer.buffer->native.pointer, CL_FALSE, offset, size,
                                            op->u.transfer.host, 0, NULL, NULL);

    return code == CL_SUCCESS ? YOKE_OK : fault("clEnqueueReadBuffer", code, size, offset);
}

yoke_status yk_opencl_copy(yoke_stream *stream, const yk_op *op)
{
    size_t from = op->u.copy.source_offset, to = op->u.copy.target_offset, size = op->u.copy.size;
    cl_int code = yk_cl.clEnqueueCopyBuffer(stream->native, op->u.copy.source->native.pointer, op->u.copy.target->native.pointer,
                                            from, to, size, 0, NULL, NULL);

    if (code != CL_SUCCESS)
        return yk_opencl_fail("clEnqueueCopyBuffer", code, "%zu bytes from offset %zu to offset %zu", size, from, to);
    return YOKE_OK;
}

static yoke_status fill(yoke_stream *stream, const yk_op *op, const unsigned char *pattern, size_t pattern_size, size_t offset,
                        size_t size)
{
    if (size == 0)
        return YOKE_OK;
    cl_int code = yk_cl.clEnqueueFillBuffer(stream->native, op->u.fill.buffer->native.pointer, pattern, pattern_size, offset, size,
                                            0, NULL, NULL);
    return code == CL_SUCCESS ? YOKE_OK : fault("clEnqueueFillBuffer", code, size, offset);
}

/* The driver fills from multiples of the pattern's size only, and a view may begin anywhere. Between the first and the last such
 * multiple the same bytes are the pattern turned round; what is left at both ends is less than one pattern, and is filled byte by
 * byte. */
yoke_status yk_opencl_fill(yoke_stream *stream, const yk_op *op)
{
    const unsigned char *pattern = op->u.fill.pattern;
    size_t unit = op->u.fill.pattern_size, offset = op->u.fill.offset, size = op->u.fill.size;
    size_t head = (unit - offset % unit) % unit, turned = (size - head) / unit * unit;
    unsigned char turned_pattern[16];
    yoke_status status = YOKE_OK;

    if (head == 0)
        return fill(stream, op, pattern, unit, offset, size);
    for (size_t i = 0; i < unit; i++)
        turned_pattern[i] = pattern[(head + i) % unit];
    for (size_t i = 0; i < head && status == YOKE_OK; i++)
        status = fill(stream, op, &pattern[i], 1, offset + i, 1);
    if (status == YOKE_OK)
        status = fill(stream, op, turned_pattern, unit, offset + head, turned);
    for (size_t i = head + turned; i < size && status == YOKE_OK; i++)
        status = fill(stream, op, &pattern[i % unit], 1, offset + i, 1);
    return status;
}
