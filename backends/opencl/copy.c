/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills: one non-blocking command each, without an event unless one is asked for. The core has checked every range.
 */
#include "driver.h"

static yoke_status fault(const char *call, cl_int code, size_t size, size_t offset)
{
    return yk_opencl_fail(call, code, "%zu bytes at offset %zu of the buffer", size, offset);
}

yoke_status yk_opencl_write(yoke_stream *stream, const yk_op *op)
{
    size_t offset = op->u.transfer.offset, size = op->u.transfer.size;
    cl_command_queue queue = yk_opencl_enter(stream);
    cl_int code = yk_cl.clEnqueueWriteBuffer(queue, op->u.transfer.buffer->native.pointer, CL_FALSE, offset, size,
                                             op->u.transfer.host, 0, NULL, yk_opencl_end_of(op));

    yk_opencl_leave(stream);
    return code == CL_SUCCESS ? YOKE_OK : fault("clEnqueueWriteBuffer", code, size, offset);
}

yoke_status yk_opencl_read(yoke_stream *stream, const yk_op *op)
{
    size_t offset = op->u.transfer.offset, size = op->u.transfer.size;
    cl_command_queue queue = yk_opencl_enter(stream);
    cl_int code = yk_cl.clEnqueueReadBuffer(queue, op->u.transfer.buffer->native.pointer, CL_FALSE, offset, size,
                                            op->u.transfer.host, 0, NULL, yk_opencl_end_of(op));

    yk_opencl_leave(stream);
    return code == CL_SUCCESS ? YOKE_OK : fault("clEnqueueReadBuffer", code, size, offset);
}

yoke_status yk_opencl_copy(yoke_stream *stream, const yk_op *op)
{
    size_t from = op->u.copy.source_offset, to = op->u.copy.target_offset, size = op->u.copy.size;
    cl_command_queue queue = yk_opencl_enter(stream);
    cl_int code = yk_cl.clEnqueueCopyBuffer(queue, op->u.copy.source->native.pointer, op->u.copy.target->native.pointer, from, to,
                                            size, 0, NULL, yk_opencl_end_of(op));

    yk_opencl_leave(stream);
    if (code != CL_SUCCESS)
        return yk_opencl_fail("clEnqueueCopyBuffer", code, "%zu bytes from offset %zu to offset %zu", size, from, to);
    return YOKE_OK;
}

yoke_status yk_opencl_fill(yoke_stream *stream, const yk_op *op)
{
    size_t offset = op->u.fill.offset, size = op->u.fill.size;
    cl_command_queue queue = yk_opencl_enter(stream);
    cl_int code = yk_cl.clEnqueueFillBuffer(queue, op->u.fill.buffer->native.pointer, op->u.fill.pattern, op->u.fill.pattern_size,
                                            offset, size, 0, NULL, yk_opencl_end_of(op));

    yk_opencl_leave(stream);
    return code == CL_SUCCESS ? YOKE_OK : fault("clEnqueueFillBuffer", code, size, offset);
}
