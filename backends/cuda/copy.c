/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers, copies and fills. The driver takes the context from the stream, so none is made current. */
#include "driver.h"

#include <string.h>

yoke_status yk_cuda_write(yoke_stream *stream, const yk_op *op)
{
    yk_CUdeviceptr target = op->u.transfer.buffer->native.address + op->u.transfer.offset;
    return yk_cuda_check("cuMemcpyHtoDAsync_v2",
                         yk_cu.cuMemcpyHtoDAsync_v2(target, op->u.transfer.host, op->u.transfer.size, stream->native));
}

yoke_status yk_cuda_read(yoke_stream *stream, const yk_op *op)
{
    yk_CUdeviceptr source = op->u.transfer.buffer->native.address + op->u.transfer.offset;
    return yk_cuda_check("cuMemcpyDtoHAsync_v2",
                         yk_cu.cuMemcpyDtoHAsync_v2(op->u.transfer.host, source, op->u.transfer.size, stream->native));
}

yoke_status yk_cuda_copy(yoke_stream *stream, const yk_op *op)
{
    yk_CUdeviceptr target = op->u.copy.target->native.address + op->u.copy.target_offset;
    yk_CUdeviceptr source = op->u.copy.source->native.address + op->u.copy.source_offset;
    return yk_cuda_check("cuMemcpyDtoDAsync_v2", yk_cu.cuMemcpyDtoDAsync_v2(target, source, op->u.copy.size, stream->native));
}

/* ---- Fills ---- */

/* `count` times the first `unit` bytes of the pattern. */
static yoke_status set_units(yoke_stream *stream, yk_CUdeviceptr target, const unsigned char *pattern, size_t unit, size_t count)
{
    uint16_t two;
    uint32_t four;
    switch (unit) {
    case 1:
        return yk_cuda_check("cuMemsetD8Async", yk_cu.cuMemsetD8Async(target, pattern[0], count, stream->native));
    case 2:
        memcpy(&two, pattern, sizeof two);
        return yk_cuda_check("cuMemsetD16Async", yk_cu.cuMemsetD16Async(target, two, count, stream->native));
    default:
        memcpy(&four, pattern, sizeof four);
        return yk_cuda_check("cuMemsetD32Async", yk_cu.cuMemsetD32Async(target, four, count, stream->native));
    }
}

/* The driver sets units of 1, 2 or 4 bytes. A longer pattern is a table with a row for each copy, set column by column. Addresses
 * are aligned: allocations are to 256 bytes at least, and the offset is a multiple of the pattern. */
yoke_status yk_cuda_fill(yoke_stream *stream, const yk_op *op)
{
    const unsigned char *pattern = op->u.fill.pattern;
    size_t pattern_size = op->u.fill.pattern_size;
    size_t unit = pattern_size < 4 ? pattern_size : 4;
    yk_CUdeviceptr target = op->u.fill.buffer->native.address + op->u.fill.offset;
    yoke_status status = YOKE_OK;

    if (memcmp(pattern, pattern + unit, pattern_size - unit) == 0) /* one unit again and again */
        return set_units(stream, target, pattern, unit, op->u.fill.size / unit);
    for (size_t at = 0; at < pattern_size && status == YOKE_OK; at += unit) {
        uint32_t value;
        memcpy(&value, pattern + at, sizeof value);
        status = yk_cuda_check("cuMemsetD2D32Async", yk_cu.cuMemsetD2D32Async(target + at, pattern_size, value, 1,
                                                                              op->u.fill.size / pattern_size, stream->native));
    }
    return status;
}
