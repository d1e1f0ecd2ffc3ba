/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills. The driver takes the context from the stream, so no context is made current. */
#include "driver.h"

#include <string.h>

/* The core has checked the device's side, so an argument that the driver calls invalid is the host's. */
static inline yoke_status check_transfer(const char *call, yk_CUresult result)
{
    if (YK_UNLIKELY(result == YK_CUDA_ERROR_INVALID_VALUE))
        return yk_cuda_fail_as(YOKE_E_INVALID_ARGUMENT, call, result,
                               "the driver rejects this host memory; perhaps only part of it is pinned");
    return yk_cuda_check(call, result);
}

yoke_status yk_cuda_write(yoke_stream *stream, const yk_op *op)
{
    yk_CUdeviceptr target = op->u.transfer.buffer->native.address + op->u.transfer.offset;
    return check_transfer("cuMemcpyHtoDAsync_v2",
                          yk_cu.cuMemcpyHtoDAsync_v2(target, op->u.transfer.host, op->u.transfer.size, stream->native));
}

yoke_status yk_cuda_read(yoke_stream *stream, const yk_op *op)
{
    yk_CUdeviceptr source = op->u.transfer.buffer->native.address + op->u.transfer.offset;
    return check_transfer("cuMemcpyDtoHAsync_v2",
                          yk_cu.cuMemcpyDtoHAsync_v2(op->u.transfer.host, source, op->u.transfer.size, stream->native));
}

yoke_status yk_cuda_copy(yoke_stream *stream, const yk_op *op)
{
    yk_CUdeviceptr target = op->u.copy.target->native.address + op->u.copy.target_offset;
    yk_CUdeviceptr source = op->u.copy.source->native.address + op->u.copy.source_offset;
    if (YK_UNLIKELY(op->u.copy.target->device != op->u.copy.source->device))
        return yk_cuda_check("cuMemcpyPeerAsync",
                             yk_cu.cuMemcpyPeerAsync(target, yk_cuda_device_of(op->u.copy.target->device)->context, source,
                                                     yk_cuda_device_of(op->u.copy.source->device)->context, op->u.copy.size,
                                                     stream->native));
    return yk_cuda_check("cuMemcpyDtoDAsync_v2", yk_cu.cuMemcpyDtoDAsync_v2(target, source, op->u.copy.size, stream->native));
}

/* ---- Rects ---- */

static yk_CUcopySide device_side(const yoke_buffer *buffer, size_t offset, size_t row, size_t slice)
{
    return (yk_CUcopySide){
        .MemoryType = YK_CU_MEMORYTYPE_DEVICE, .Device = buffer->native.address + offset, .Pitch = row, .Height = slice / row
    };
}

static yk_CUcopySide host_side(void *host, size_t row, size_t slice)
{
    return (yk_CUcopySide){ .MemoryType = YK_CU_MEMORYTYPE_HOST, .Host = host, .Pitch = row, .Height = slice / row };
}

/* The rows of the buffer have no gaps. */
static yk_CUDA_MEMCPY3D image_copy_of(const yk_op *op)
{
    const yoke_image *texels = op->u.image.texels;
    const size_t *origin = op->u.image.origin, *region = op->u.image.region, texel = yk_texel_bytes(&texels->desc);
    yk_CUcopySide image = { .MemoryType = YK_CU_MEMORYTYPE_ARRAY, .Array = texels->base.extra };
    yk_CUcopySide buffer = device_side(op->u.image.buffer, op->u.image.offset, region[0] * texel, region[0] * texel * region[1]);
    bool to_image = op->kind == YK_OP_COPY_TO_IMAGE;
    image.XInBytes = origin[0] * texel;
    image.Y = origin[1];
    image.Z = origin[2];
    return (yk_CUDA_MEMCPY3D){ .src = to_image ? buffer : image,
                               .dst = to_image ? image : buffer,
                               .WidthInBytes = region[0] * texel,
                               .Height = region[1],
                               .Depth = region[2] };
}

yk_CUDA_MEMCPY3D yk_cuda_copy_of(const yk_op *op)
{
    if (yk_family_of(op->kind) == YK_FAMILY_IMAGE)
        return image_copy_of(op);
    bool copy = yk_is_copy(op->kind);
    size_t size = copy ? op->u.copy.size : op->u.transfer.size;
    const yk_rect line = { size, 1, 1, size, size, size, size };
    const yk_rect *rect = !yk_op_has(op->kind, YK_TRAIT_RECT) ? &line : copy ? &op->u.copy.rect : &op->u.transfer.rect;
    yk_CUDA_MEMCPY3D all = { .WidthInBytes = rect->width, .Height = rect->height, .Depth = rect->depth };
    if (copy) {
        all.dst = device_side(op->u.copy.target, op->u.copy.target_offset, rect->target_row, rect->target_slice);
        all.src = device_side(op->u.copy.source, op->u.copy.source_offset, rect->source_row, rect->source_slice);
    } else if (yk_is_write(op->kind)) {
        all.dst = device_side(op->u.transfer.buffer, op->u.transfer.offset, rect->target_row, rect->target_slice);
        all.src = host_side(op->u.transfer.host, rect->source_row, rect->source_slice);
    } else {
        all.dst = host_side(op->u.transfer.host, rect->target_row, rect->target_slice);
        all.src = device_side(op->u.transfer.buffer, op->u.transfer.offset, rect->source_row, rect->source_slice);
    }
    return all;
}

static yoke_status copy_3d(yoke_stream *stream, const yk_CUDA_MEMCPY3D *copy)
{
    return check_transfer("cuMemcpy3DAsync_v2", yk_cu.cuMemcpy3DAsync_v2((const void *)copy, stream->native));
}

yoke_status yk_cuda_write_rect(yoke_stream *stream, const yk_op *op)
{
    yk_CUDA_MEMCPY3D copy = yk_cuda_copy_of(op);
    return copy_3d(stream, &copy);
}

yoke_status yk_cuda_read_rect(yoke_stream *stream, const yk_op *op)
{
    yk_CUDA_MEMCPY3D copy = yk_cuda_copy_of(op);
    return copy_3d(stream, &copy);
}

yoke_status yk_cuda_copy_rect(yoke_stream *stream, const yk_op *op)
{
    yk_CUDA_MEMCPY3D copy = yk_cuda_copy_of(op);
    if (op->u.copy.target->device == op->u.copy.source->device)
        return copy_3d(stream, &copy);
    copy.dst.Context = yk_cuda_device_of(op->u.copy.target->device)->context;
    copy.src.Context = yk_cuda_device_of(op->u.copy.source->device)->context;
    return yk_cuda_check("cuMemcpy3DPeerAsync", yk_cu.cuMemcpy3DPeerAsync((const void *)&copy, stream->native));
}

static yoke_status copy_image(yoke_stream *stream, const yk_op *op)
{
    yk_CUDA_MEMCPY3D copy = image_copy_of(op);
    return yk_cuda_check("cuMemcpy3DAsync_v2", yk_cu.cuMemcpy3DAsync_v2((const void *)&copy, stream->native));
}

yoke_status yk_cuda_copy_to_image(yoke_stream *stream, const yk_op *op)
{
    return copy_image(stream, op);
}

yoke_status yk_cuda_copy_from_image(yoke_stream *stream, const yk_op *op)
{
    return copy_image(stream, op);
}

/* ---- Fills ---- */

/* Repeat the first `unit` bytes of the pattern over `fill->height` rows. */
static yoke_status set_units(yoke_stream *stream, const yk_op *op, yk_CUdeviceptr target, size_t unit)
{
    const unsigned char *pattern = op->u.fill.pattern;
    size_t count = op->u.fill.width / unit, rows = op->u.fill.height, pitch = op->u.fill.pitch;
    yk_CUstream native = stream->native;
    uint16_t two;
    uint32_t four;
    switch (unit) {
    case 1:
        if (rows > 1)
            return yk_cuda_check("cuMemsetD2D8Async", yk_cu.cuMemsetD2D8Async(target, pitch, pattern[0], count, rows, native));
        return yk_cuda_check("cuMemsetD8Async", yk_cu.cuMemsetD8Async(target, pattern[0], count, native));
    case 2:
        memcpy(&two, pattern, sizeof two);
        if (rows > 1)
            return yk_cuda_check("cuMemsetD2D16Async", yk_cu.cuMemsetD2D16Async(target, pitch, two, count, rows, native));
        return yk_cuda_check("cuMemsetD16Async", yk_cu.cuMemsetD16Async(target, two, count, native));
    default:
        memcpy(&four, pattern, sizeof four);
        if (rows > 1)
            return yk_cuda_check("cuMemsetD2D32Async", yk_cu.cuMemsetD2D32Async(target, pitch, four, count, rows, native));
        return yk_cuda_check("cuMemsetD32Async", yk_cu.cuMemsetD32Async(target, four, count, native));
    }
}

/* A row whose pattern is longer than the driver's units: a table with one row per repetition, set column by column. */
static yoke_status set_row(yoke_stream *stream, const yk_op *op, yk_CUdeviceptr target)
{
    size_t pattern_size = op->u.fill.pattern_size;
    yoke_status status = YOKE_OK;
    for (size_t at = 0; at < pattern_size && status == YOKE_OK; at += sizeof(uint32_t)) {
        uint32_t value;
        memcpy(&value, op->u.fill.pattern + at, sizeof value);
        status = yk_cuda_check("cuMemsetD2D32Async", yk_cu.cuMemsetD2D32Async(target + at, pattern_size, value, 1,
                                                                              op->u.fill.width / pattern_size, stream->native));
    }
    return status;
}

/* The driver sets units of 1, 2 or 4 bytes. Addresses are aligned: allocations to at least 256 bytes, and the offset and the
 * pitch are multiples of the pattern's size. */
yoke_status yk_cuda_fill(yoke_stream *stream, const yk_op *op)
{
    const unsigned char *pattern = op->u.fill.pattern;
    size_t unit = op->u.fill.pattern_size < 4 ? op->u.fill.pattern_size : 4;
    yk_CUdeviceptr target = op->u.fill.buffer->native.address + op->u.fill.offset;
    yoke_status status = YOKE_OK;

    if (memcmp(pattern, pattern + unit, op->u.fill.pattern_size - unit) == 0) /* the pattern repeats one unit */
        return set_units(stream, op, target, unit);
    for (size_t row = 0; row < op->u.fill.height && status == YOKE_OK; row++)
        status = set_row(stream, op, target + row * op->u.fill.pitch);
    if (status < 0)
        yk_cuda_stream_finish(stream); /* part of the fill may be running, and is not counted as a use of the memory */
    return status;
}
