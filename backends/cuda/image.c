/* SPDX-License-Identifier: Apache-2.0 */
/* Images: an array with a surface object, and texture objects over it. A kernel takes either object as 64 bits, as it takes an
 * address. Copies of texels are in copy.c. */
#include "driver.h"

/* The array is in `extra`. */
static yk_CUDA_RESOURCE_DESC resource_of(const yoke_buffer *texels)
{
    return (yk_CUDA_RESOURCE_DESC){ .resType = YK_CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = texels->extra };
}

static unsigned format_of(const yoke_image_desc *desc)
{
    static const unsigned formats[] = {
        [YOKE_FORMAT_UNORM8] = YK_CU_AD_FORMAT_UNSIGNED_INT8,
        [YOKE_FORMAT_UNORM16] = YK_CU_AD_FORMAT_UNSIGNED_INT16,
        [YOKE_FORMAT_SNORM8] = YK_CU_AD_FORMAT_SIGNED_INT8,
        [YOKE_FORMAT_SNORM16] = YK_CU_AD_FORMAT_SIGNED_INT16,
        [YOKE_FORMAT_UINT8] = YK_CU_AD_FORMAT_UNSIGNED_INT8,
        [YOKE_FORMAT_UINT16] = YK_CU_AD_FORMAT_UNSIGNED_INT16,
        [YOKE_FORMAT_UINT32] = YK_CU_AD_FORMAT_UNSIGNED_INT32,
        [YOKE_FORMAT_INT8] = YK_CU_AD_FORMAT_SIGNED_INT8,
        [YOKE_FORMAT_INT16] = YK_CU_AD_FORMAT_SIGNED_INT16,
        [YOKE_FORMAT_INT32] = YK_CU_AD_FORMAT_SIGNED_INT32,
        [YOKE_FORMAT_HALF] = YK_CU_AD_FORMAT_HALF,
        [YOKE_FORMAT_FLOAT] = YK_CU_AD_FORMAT_FLOAT,
    };
    _Static_assert(YK_COUNT_OF(formats) == YOKE_FORMAT_FLOAT + 1, "a format of CUDA for each format");
    return formats[desc->format];
}

/* With the context current. */
static void destroy(yoke_image *texels)
{
    if (texels->base.native.address)
        yk_cuda_note("cuSurfObjectDestroy", yk_cu.cuSurfObjectDestroy(texels->base.native.address));
    if (texels->base.extra)
        yk_cuda_note("cuArrayDestroy", yk_cu.cuArrayDestroy(texels->base.extra));
    texels->base.native.address = 0;
    texels->base.extra = NULL;
}

yoke_status yk_cuda_texels_create(yoke_image *texels)
{
    const yoke_image_desc *desc = &texels->desc;
    const yk_CUDA_ARRAY3D_DESCRIPTOR description = { .Width = desc->width,
                                                     .Height = desc->height,
                                                     .Depth = desc->depth,
                                                     .Format = format_of(desc),
                                                     .NumChannels = (unsigned)desc->channels,
                                                     .Flags = YK_CUDA_ARRAY3D_SURFACE_LDST };
    yk_CUarray array = NULL;
    yk_CUsurfObject surface = 0;
    yoke_status status = yk_cuda_enter(texels->base.device);

    if (status < 0)
        return status;
    yk_CUresult result = yk_cu.cuArray3DCreate_v2(&array, (const void *)&description);
    if (result == YK_CUDA_SUCCESS) {
        texels->base.extra = array;
        const yk_CUDA_RESOURCE_DESC resource = resource_of(&texels->base);
        status = yk_cuda_check("cuSurfObjectCreate", yk_cu.cuSurfObjectCreate(&surface, (const void *)&resource));
        texels->base.native.address = surface;
    } else {
        status = yk_cuda_fail("cuArray3DCreate_v2", result, "%zu x %zu x %zu texels, %zu bytes", desc->width, desc->height,
                              desc->depth ? desc->depth : 1, texels->base.capacity);
    }
    if (status < 0)
        destroy(texels);
    yk_cuda_leave();
    return status;
}

void yk_cuda_texels_destroy(yoke_image *texels)
{
    bool entered = yk_cuda_try_enter(texels->base.device);
    destroy(texels);
    if (entered)
        yk_cuda_leave();
}

yoke_status yk_cuda_sampler_create(yoke_image *image)
{
    static const unsigned addresses[] = { [YOKE_ADDRESS_CLAMP] = YK_CU_TR_ADDRESS_MODE_CLAMP,
                                          [YOKE_ADDRESS_BORDER] = YK_CU_TR_ADDRESS_MODE_BORDER,
                                          [YOKE_ADDRESS_REPEAT] = YK_CU_TR_ADDRESS_MODE_WRAP,
                                          [YOKE_ADDRESS_MIRROR] = YK_CU_TR_ADDRESS_MODE_MIRROR };
    _Static_assert(YK_COUNT_OF(addresses) == YOKE_ADDRESS_MIRROR + 1, "a mode of CUDA for each mode");
    const yoke_sampler *sampler = &image->desc.sampler;
    const yk_CUDA_RESOURCE_DESC resource = resource_of(image->base.root);
    unsigned address = addresses[sampler->address];
    bool integer = yk_formats[image->desc.format].kind == YK_FORMAT_INTEGER;
    const yk_CUDA_TEXTURE_DESC sampling = {
        .addressMode = { address, address, address },
        .filterMode = sampler->filter == YOKE_FILTER_LINEAR ? YK_CU_TR_FILTER_MODE_LINEAR : YK_CU_TR_FILTER_MODE_POINT,
        .flags = (integer ? YK_CU_TRSF_READ_AS_INTEGER : 0) | (sampler->normalized ? YK_CU_TRSF_NORMALIZED_COORDINATES : 0),
    };
    yk_CUtexObject texture = 0;
    yoke_status status = yk_cuda_enter(image->base.device);

    if (status < 0)
        return status;
    status = yk_cuda_check("cuTexObjectCreate",
                           yk_cu.cuTexObjectCreate(&texture, (const void *)&resource, (const void *)&sampling, NULL));
    yk_cuda_leave();
    image->base.native.address = texture;
    return status;
}

void yk_cuda_sampler_destroy(yoke_image *image)
{
    bool entered = yk_cuda_try_enter(image->base.device);
    yk_cuda_note("cuTexObjectDestroy", yk_cu.cuTexObjectDestroy(image->base.native.address));
    if (entered)
        yk_cuda_leave();
    image->base.native.address = 0;
}
