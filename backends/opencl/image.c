/* SPDX-License-Identifier: Apache-2.0 */
/* Images and samplers. A cl_sampler is as wide as a cl_mem, so a launch passes both as it passes a buffer. */
#include "driver.h"

#include <stdlib.h>

static cl_image_format format_of(const yoke_image_desc *desc)
{
    static const cl_channel_type types[] = {
        [YOKE_FORMAT_UNORM8] = CL_UNORM_INT8,     [YOKE_FORMAT_UNORM16] = CL_UNORM_INT16, [YOKE_FORMAT_SNORM8] = CL_SNORM_INT8,
        [YOKE_FORMAT_SNORM16] = CL_SNORM_INT16,   [YOKE_FORMAT_UINT8] = CL_UNSIGNED_INT8, [YOKE_FORMAT_UINT16] = CL_UNSIGNED_INT16,
        [YOKE_FORMAT_UINT32] = CL_UNSIGNED_INT32, [YOKE_FORMAT_INT8] = CL_SIGNED_INT8,    [YOKE_FORMAT_INT16] = CL_SIGNED_INT16,
        [YOKE_FORMAT_INT32] = CL_SIGNED_INT32,    [YOKE_FORMAT_HALF] = CL_HALF_FLOAT,     [YOKE_FORMAT_FLOAT] = CL_FLOAT,
    };
    _Static_assert(YK_COUNT_OF(types) == YOKE_FORMAT_FLOAT + 1, "a type of OpenCL for each format");
    cl_channel_order order = desc->channels == 1 ? CL_R : desc->channels == 2 ? CL_RG : CL_RGBA;

    return (cl_image_format){ order, types[desc->format] };
}

static cl_mem_object_type type_of(const yoke_image_desc *desc)
{
    return desc->depth > 0 ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D;
}

/* Drivers differ in what they answer to a format that they lack, so they are asked first. */
static yoke_status check_format(const yoke_image *texels, cl_image_format wanted)
{
    const yoke_image_desc *desc = &texels->desc;
    cl_context context = yk_opencl_device_of(texels->base.device)->context;
    cl_image_format *formats = NULL;
    cl_uint count = 0;
    bool found = false;
    cl_int code = yk_cl.clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, type_of(desc), 0, NULL, &count);

    if (code == CL_SUCCESS && count > 0) {
        formats = malloc(count * sizeof *formats);
        if (!formats)
            return yk_no_memory("the list of image formats");
        code = yk_cl.clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, type_of(desc), count, formats, NULL);
    }
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++)
        found = found || (formats[i].image_channel_order == wanted.image_channel_order &&
                          formats[i].image_channel_data_type == wanted.image_channel_data_type);
    free(formats);
    if (code != CL_SUCCESS)
        return yk_opencl_fail("clGetSupportedImageFormats", code, NULL);
    if (found && desc->format == YOKE_FORMAT_HALF && yk_opencl_device_of(texels->base.device)->slot->quirks.wrong_halves)
        return yk_fail(YOKE_E_UNSUPPORTED, "opencl: PoCL reads images of YOKE_FORMAT_HALF wrong; use YOKE_FORMAT_FLOAT");
    if (found)
        return YOKE_OK;
    return yk_fail(YOKE_E_UNSUPPORTED,
                   "opencl: '%s' has no %d-D images of %d channel%s of %s; every device has 4 channels of UNORM8",
                   texels->base.device->info.name, desc->depth > 0 ? 3 : 2, (int)desc->channels, desc->channels == 1 ? "" : "s",
                   yk_formats[desc->format].name);
}

yoke_status yk_opencl_texels_create(yoke_image *texels)
{
    const yoke_image_desc *desc = &texels->desc;
    yk_opencl_device *device = yk_opencl_device_of(texels->base.device);
    const cl_image_format format = format_of(desc);
    const cl_image_desc shape = {
        .image_type = type_of(desc), .image_width = desc->width, .image_height = desc->height, .image_depth = desc->depth
    };
    yoke_status status = check_format(texels, format);
    cl_int code;

    if (status == YOKE_OK)
        status = yk_opencl_reserve(device->slot, texels->base.capacity);
    if (status < 0)
        return status;
    texels->base.native.pointer = yk_cl.clCreateImage(device->context, CL_MEM_READ_WRITE, &format, &shape, NULL, &code);
    if (texels->base.native.pointer) {
        status = yk_opencl_take_now(&texels->base);
        if (status == YOKE_OK)
            return YOKE_OK;
    } else {
        status = yk_opencl_fail("clCreateImage", code, "%zu x %zu x %zu texels, %zu bytes", desc->width, desc->height,
                                desc->depth ? desc->depth : 1, texels->base.capacity);
    }
    yk_opencl_texels_destroy(texels);
    return status;
}

void yk_opencl_texels_destroy(yoke_image *texels)
{
    if (texels->base.native.pointer)
        yk_opencl_release_memory(texels->base.native.pointer);
    texels->base.native.pointer = NULL;
    atomic_fetch_sub(&yk_opencl_device_of(texels->base.device)->slot->used, texels->base.capacity);
}

yoke_status yk_opencl_sampler_create(yoke_image *image)
{
    static const cl_addressing_mode addressing[] = { [YOKE_ADDRESS_CLAMP] = CL_ADDRESS_CLAMP_TO_EDGE,
                                                     [YOKE_ADDRESS_BORDER] = CL_ADDRESS_CLAMP,
                                                     [YOKE_ADDRESS_REPEAT] = CL_ADDRESS_REPEAT,
                                                     [YOKE_ADDRESS_MIRROR] = CL_ADDRESS_MIRRORED_REPEAT };
    _Static_assert(YK_COUNT_OF(addressing) == YOKE_ADDRESS_MIRROR + 1, "a mode of OpenCL for each mode");
    const yoke_sampler *sampler = &image->desc.sampler;
    cl_filter_mode filter = sampler->filter == YOKE_FILTER_LINEAR ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
    cl_int code;

    image->base.native.pointer =
        yk_cl.clCreateSampler(yk_opencl_device_of(image->base.device)->context, sampler->normalized ? CL_TRUE : CL_FALSE,
                              addressing[sampler->address], filter, &code);
    return image->base.native.pointer ? YOKE_OK : yk_opencl_fail("clCreateSampler", code, NULL);
}

void yk_opencl_sampler_destroy(yoke_image *image)
{
    yk_opencl_note("clReleaseSampler", yk_cl.clReleaseSampler(image->base.native.pointer));
    image->base.native.pointer = NULL;
}

/* ---- Copies ---- */

static yoke_status fault(const char *call, cl_int code, const yk_op *op)
{
    const size_t *region = op->u.image.region;

    return yk_opencl_fail(call, code, "%zu x %zu x %zu texels, offset %zu of the buffer", region[0], region[1], region[2],
                          op->u.image.offset);
}

static yoke_status submit_to_image(yoke_stream *stream, const yk_op *op)
{
    cl_command_queue queue = yk_opencl_enter(stream);
    cl_int code = yk_cl.clEnqueueCopyBufferToImage(queue, op->u.image.buffer->native.pointer,
                                                   op->u.image.texels->base.native.pointer, op->u.image.offset, op->u.image.origin,
                                                   op->u.image.region, 0, NULL, yk_opencl_end_of(stream, op));

    yk_opencl_leave(stream);
    return code == CL_SUCCESS ? YOKE_OK : fault("clEnqueueCopyBufferToImage", code, op);
}

static yoke_status submit_from_image(yoke_stream *stream, const yk_op *op)
{
    cl_command_queue queue = yk_opencl_enter(stream);
    cl_int code = yk_cl.clEnqueueCopyImageToBuffer(queue, op->u.image.texels->base.native.pointer,
                                                   op->u.image.buffer->native.pointer, op->u.image.origin, op->u.image.region,
                                                   op->u.image.offset, 0, NULL, yk_opencl_end_of(stream, op));

    yk_opencl_leave(stream);
    return code == CL_SUCCESS ? YOKE_OK : fault("clEnqueueCopyImageToBuffer", code, op);
}

yoke_status yk_opencl_copy_to_image(yoke_stream *stream, const yk_op *op)
{
    if (yk_opencl_is_handed_over(op->u.image.buffer))
        return yk_opencl_hand_over(stream, op, submit_to_image);
    return submit_to_image(stream, op);
}

yoke_status yk_opencl_copy_from_image(yoke_stream *stream, const yk_op *op)
{
    if (yk_opencl_is_handed_over(op->u.image.buffer))
        return yk_opencl_hand_over(stream, op, submit_from_image);
    return submit_from_image(stream, op);
}
