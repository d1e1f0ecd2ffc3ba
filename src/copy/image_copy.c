/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of texels. Between an image and a buffer a copy is one operation; from and to the host it goes through a buffer in the
 * stream's order, so that pageable memory is treated as in any other copy.
 */
#include "copy/copy.h"
#include "base/sizes.h"
#include "memory/image.h"
#include "stream/depth.h"
#include "stream/recording.h"

/* ---- Checks ---- */

static yoke_status check_axis(const char *function, const char *axis, size_t from, size_t count, size_t extent)
{
    if (from <= extent && count <= extent - from)
        return YOKE_OK;
    return yk_fail(YOKE_E_RANGE, "%s: region covers %zu texels from %s = %zu, but the image has %zu", function, count, axis, from,
                   extent);
}

/* Write the region into op, and its bytes. */
static yoke_status check_region(const char *function, const yoke_image *image, const yoke_region *region, yk_op *op)
{
    const yoke_image_desc *desc = &image->desc;
    size_t depth = desc->depth ? desc->depth : 1;
    yoke_region part = { 0, 0, 0, desc->width, desc->height, depth };
    if (region) {
        part = *region;
        part.height = part.height ? part.height : 1;
        part.depth = part.depth ? part.depth : 1;
    }
    if (part.width == 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: region.width is 0; it must be at least one texel", function);
    yoke_status status = check_axis(function, "x", part.x, part.width, desc->width);
    if (status == YOKE_OK)
        status = check_axis(function, "y", part.y, part.height, desc->height);
    if (status == YOKE_OK)
        status = check_axis(function, "z", part.z, part.depth, depth);
    memcpy(op->u.image.origin, (size_t[]){ part.x, part.y, part.z }, sizeof op->u.image.origin);
    memcpy(op->u.image.region, (size_t[]){ part.width, part.height, part.depth }, sizeof op->u.image.region);
    op->u.image.size = part.width * part.height * part.depth * yk_texel_bytes(desc); /* no more than the image's */
    return status;
}

static yoke_status check_image(const char *function, yk_op_kind kind, const char *where, yoke_stream *stream, yoke_image *image,
                               const yoke_region *region, yk_op *op)
{
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(image, YK_IMAGE, function, "image");
    yoke_status status = yk_image_check_device(image, stream, function, "image");
    *op = (yk_op){ .kind = kind, .where = where };
    op->u.image.texels = yk_texels_of(image);
    return status < 0 ? status : check_region(function, image, region, op);
}

/* ---- Between images and buffers ---- */

static yoke_status enqueue(yoke_stream *stream, yk_op_kind kind, yoke_buffer *buffer, size_t offset, yk_op *op)
{
    op->u.image.buffer = buffer->root;
    op->u.image.offset = buffer->offset + offset;
    yk_buffer_used(buffer->root, stream);
    yk_buffer_used(&op->u.image.texels->base, stream);
    return yk_stream_enqueue(stream, kind, op);
}

static yoke_status copy(const char *function, yk_op_kind kind, const char *where, yoke_stream *stream, yoke_image *image,
                        const yoke_region *region, yoke_buffer *buffer, size_t offset)
{
    yk_op op;
    yoke_status status = check_image(function, kind, where, stream, image, region, &op);
    if (status < 0)
        return status;
    YK_CHECK(buffer, YK_BUFFER, function, "buffer");
    size_t unit = yk_formats[image->desc.format].bytes;
    if (!yk_is_device_range(stream, buffer, offset, op.u.image.size))
        return yk_device_range_fault(stream, buffer, function, "buffer", offset, op.u.image.size);
    if (kind == YK_OP_COPY_FROM_IMAGE)
        status = yk_buffer_check_writable(buffer, function, "buffer");
    if (status == YOKE_OK && (buffer->offset + offset) % unit)
        status =
            yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the texels would begin at byte %zu, which is not a multiple of a channel's %zu",
                    function, buffer->offset + offset, unit);
    return status < 0 ? status : enqueue(stream, kind, buffer, offset, &op);
}

yoke_status yoke_copy_to_image_at(const char *where, yoke_stream *stream, yoke_image *image, const yoke_region *region,
                                  yoke_buffer *buffer, size_t offset)
{
    YK_FUNCTION(yoke_copy_to_image);
    return yk_attribute_site(function, where, copy(function, YK_OP_COPY_TO_IMAGE, where, stream, image, region, buffer, offset));
}

yoke_status yoke_copy_from_image_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset, yoke_image *image,
                                    const yoke_region *region)
{
    YK_FUNCTION(yoke_copy_from_image);
    return yk_attribute_site(function, where, copy(function, YK_OP_COPY_FROM_IMAGE, where, stream, image, region, buffer, offset));
}

/* ---- From and to the host ---- */

static yoke_status transfer(const char *function, yk_op_kind kind, const char *where, yoke_stream *stream, yoke_buffer *buffer,
                            void *host, size_t size)
{
    yk_op op = { .kind = kind, .where = where, .u.transfer = { .buffer = buffer, .size = size, .host = host } };
    return yk_enqueue_transfer(function, stream, kind, &op);
}

/* The two operations, through `buffer`. */
static yoke_status pass(const char *function, bool write, yoke_stream *stream, yoke_buffer *buffer, void *host, yk_op *op)
{
    size_t size = op->u.image.size;
    if (!write) {
        yoke_status status = enqueue(stream, YK_OP_COPY_FROM_IMAGE, buffer, 0, op);
        return status < 0 ? status : transfer(function, YK_OP_READ, op->where, stream, buffer, host, size);
    }
    yoke_status status = transfer(function, YK_OP_WRITE, op->where, stream, buffer, host, size);
    return status < 0 ? status : enqueue(stream, YK_OP_COPY_TO_IMAGE, buffer, 0, op);
}

/* A graph keeps its buffer, and its operations are one node. */
static yoke_status transfer_image(const char *function, bool write, const char *where, yoke_stream *stream, yoke_image *image,
                                  const yoke_region *region, void *host, size_t size)
{
    yk_op_kind kind = write ? YK_OP_COPY_TO_IMAGE : YK_OP_COPY_FROM_IMAGE;
    yoke_buffer *buffer = NULL;
    yk_op op;
    yoke_status status = check_image(function, kind, where, stream, image, region, &op);
    if (status == YOKE_OK && !host)
        status = yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s is NULL", function, write ? "source" : "target");
    if (status == YOKE_OK && size != op.u.image.size)
        status = yk_fail(YOKE_E_RANGE, "%s: size is %zu, but %zu x %zu x %zu texels of %zu bytes are %zu bytes", function, size,
                         op.u.image.region[0], op.u.image.region[1], op.u.image.region[2], yk_texel_bytes(&image->desc),
                         op.u.image.size);
    if (status < 0)
        return status;
    bool recorded = yk_is_recording(stream);
    status = yk_depth_admit(stream, false);
    if (status != YOKE_OK)
        return status;
    status =
        recorded ? yoke_buffer_create(stream->device, size, &buffer) : yk_buffer_create_ordered(function, stream, size, &buffer);
    if (status == YOKE_OK && recorded)
        yk_recording_group(stream, kind);
    if (status == YOKE_OK)
        status = pass(function, write, stream, buffer, host, &op);
    if (buffer && recorded)
        yk_recording_ungroup(stream, status);
    yoke_buffer_release(buffer); /* the stream or the graph keeps it until its last use is complete */
    yk_depth_leave(stream);
    return status;
}

yoke_status yoke_write_image_at(const char *where, yoke_stream *stream, yoke_image *image, const yoke_region *region,
                                const void *source, size_t size)
{
    YK_FUNCTION(yoke_write_image);
    return yk_attribute_site(function, where,
                             transfer_image(function, true, where, stream, image, region, (void *)(uintptr_t)source, size));
}

yoke_status yoke_read_image_at(const char *where, yoke_stream *stream, void *target, yoke_image *image, const yoke_region *region,
                               size_t size)
{
    YK_FUNCTION(yoke_read_image);
    return yk_attribute_site(function, where, transfer_image(function, false, where, stream, image, region, target, size));
}
