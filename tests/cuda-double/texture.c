/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays, textures and surfaces. An array is memory of the device whose rows have no gaps, and a texture or surface object is the
 * address of what prelude_texture.h reads.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#include "table.h"

enum { MARK_ARRAY = 0x41525259, MOST_2D = 65536, MOST_3D = 16384, MOST_WIDTH_2D = 131072 };

struct CUarray_st {
    unsigned mark;
    yk_CUDA_ARRAY3D_DESCRIPTOR desc;
    yk_CUdeviceptr memory;
    size_t texel;
};

/* 0: no such format. */
static size_t channel_bytes(unsigned format)
{
    switch (format) {
    case YK_CU_AD_FORMAT_UNSIGNED_INT8:
    case YK_CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case YK_CU_AD_FORMAT_UNSIGNED_INT16:
    case YK_CU_AD_FORMAT_SIGNED_INT16:
    case YK_CU_AD_FORMAT_HALF:
        return 2;
    case YK_CU_AD_FORMAT_UNSIGNED_INT32:
    case YK_CU_AD_FORMAT_SIGNED_INT32:
    case YK_CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

static bool is_possible(const yk_CUDA_ARRAY3D_DESCRIPTOR *d)
{
    bool volume = d->Depth > 0;
    size_t width = volume ? MOST_3D : MOST_WIDTH_2D, height = volume ? MOST_3D : MOST_2D;
    return d->Width > 0 && d->Height > 0 && d->Width <= width && d->Height <= height && d->Depth <= MOST_3D &&
           channel_bytes(d->Format) && (d->NumChannels == 1 || d->NumChannels == 2 || d->NumChannels == 4) &&
           !(d->Flags & ~(unsigned)YK_CUDA_ARRAY3D_SURFACE_LDST);
}

yk_CUresult cuArray3DCreate_v2(yk_CUarray *out_array, const struct CUDA_ARRAY3D_DESCRIPTOR_st *description)
{
    const yk_CUDA_ARRAY3D_DESCRIPTOR *desc = (const void *)description;
    yk_CUarray array;

    ENTER(DOUBLE_CONTEXT);
    if (!out_array || !desc || !is_possible(desc))
        return YK_CUDA_ERROR_INVALID_VALUE;
    array = calloc(1, sizeof *array);
    if (!array)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    *array = (struct CUarray_st){ .mark = MARK_ARRAY, .desc = *desc, .texel = channel_bytes(desc->Format) * desc->NumChannels };
    yk_CUresult result = cuMemAlloc_v2(&array->memory, desc->Width * desc->Height * (desc->Depth ? desc->Depth : 1) * array->texel);
    if (result != YK_CUDA_SUCCESS) {
        free(array);
        return result;
    }
    *out_array = array;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuArrayDestroy(yk_CUarray array)
{
    ENTER(DOUBLE_START);
    if (!array || array->mark != MARK_ARRAY)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    yk_CUresult result = cuMemFree_v2(array->memory);
    if (result != YK_CUDA_SUCCESS)
        return result;
    array->mark = 0;
    free(array);
    return YK_CUDA_SUCCESS;
}

yk_CUresult double_array_side(const yk_CUDA_MEMCPY3D *copy, yk_CUcopySide *side)
{
    const struct CUarray_st *array = side->Array;

    if (!array || array->mark != MARK_ARRAY || side->LOD != 0)
        return YK_CUDA_ERROR_INVALID_VALUE;
    size_t row = array->desc.Width * array->texel, depth = array->desc.Depth ? array->desc.Depth : 1;
    if (side->XInBytes % array->texel || copy->WidthInBytes % array->texel || side->XInBytes > row ||
        copy->WidthInBytes > row - side->XInBytes || side->Y > array->desc.Height || copy->Height > array->desc.Height - side->Y ||
        side->Z > depth || copy->Depth > depth - side->Z)
        return YK_CUDA_ERROR_INVALID_VALUE;
    side->MemoryType = YK_CU_MEMORYTYPE_DEVICE;
    side->Device = array->memory;
    side->Pitch = row;
    side->Height = array->desc.Height;
    return YK_CUDA_SUCCESS;
}

/* ---- Objects ---- */

static yk_CUresult make_object(const yk_CUDA_RESOURCE_DESC *resource, unsigned mark, double_texture **out_object)
{
    const struct CUarray_st *array;

    if (!resource || resource->resType != YK_CU_RESOURCE_TYPE_ARRAY || resource->flags != 0)
        return YK_CUDA_ERROR_INVALID_VALUE;
    array = resource->res.array.hArray;
    if (!array || array->mark != MARK_ARRAY)
        return YK_CUDA_ERROR_INVALID_VALUE;
    double_texture *object = calloc(1, sizeof *object);
    if (!object)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    *object = (double_texture){ .mark = mark,
                                .format = array->desc.Format,
                                .channels = array->desc.NumChannels,
                                .channel_bytes = (unsigned)channel_bytes(array->desc.Format),
                                .extent = { (int)array->desc.Width, (int)array->desc.Height, (int)array->desc.Depth },
                                .texels = (void *)(uintptr_t)array->memory };
    *out_object = object;
    return YK_CUDA_SUCCESS;
}

/* What the documentation calls undefined is refused here. */
static bool is_sampling(const double_texture *texture, const yk_CUDA_TEXTURE_DESC *sampling)
{
    bool normalized = sampling->flags & YK_CU_TRSF_NORMALIZED_COORDINATES;
    bool real =
        texture->format >= YK_CU_AD_FORMAT_HALF || (texture->channel_bytes < 4 && !(sampling->flags & YK_CU_TRSF_READ_AS_INTEGER));
    for (int i = 0; i < 3; i++)
        if (sampling->addressMode[i] > YK_CU_TR_ADDRESS_MODE_BORDER ||
            (!normalized &&
             (sampling->addressMode[i] == YK_CU_TR_ADDRESS_MODE_WRAP || sampling->addressMode[i] == YK_CU_TR_ADDRESS_MODE_MIRROR)))
            return false;
    return sampling->filterMode <= YK_CU_TR_FILTER_MODE_LINEAR && !(sampling->flags & ~3u) &&
           (real || sampling->filterMode == YK_CU_TR_FILTER_MODE_POINT);
}

yk_CUresult cuTexObjectCreate(yk_CUtexObject *out_texture, const struct CUDA_RESOURCE_DESC_st *resource,
                              const struct CUDA_TEXTURE_DESC_st *sampling, const struct CUDA_RESOURCE_VIEW_DESC_st *view)
{
    const yk_CUDA_TEXTURE_DESC *desc = (const void *)sampling;
    double_texture *texture = NULL;

    ENTER(DOUBLE_CONTEXT);
    if (!out_texture || !desc || view)
        return YK_CUDA_ERROR_INVALID_VALUE;
    yk_CUresult result = make_object((const void *)resource, DOUBLE_TEXTURE_MARK, &texture);
    if (result != YK_CUDA_SUCCESS)
        return result;
    if (!is_sampling(texture, desc)) {
        free(texture);
        return YK_CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(texture->address, desc->addressMode, sizeof texture->address);
    texture->linear = desc->filterMode == YK_CU_TR_FILTER_MODE_LINEAR;
    texture->flags = desc->flags;
    *out_texture = (uintptr_t)texture;
    return YK_CUDA_SUCCESS;
}

static yk_CUresult destroy_object(unsigned long long object, unsigned mark)
{
    double_texture *texture = (void *)(uintptr_t)object;

    if (!texture || texture->mark != mark)
        return YK_CUDA_ERROR_INVALID_VALUE;
    texture->mark = 0;
    free(texture);
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuTexObjectDestroy(yk_CUtexObject texture)
{
    ENTER(DOUBLE_START);
    return destroy_object(texture, DOUBLE_TEXTURE_MARK);
}

yk_CUresult cuSurfObjectCreate(yk_CUsurfObject *out_surface, const struct CUDA_RESOURCE_DESC_st *resource)
{
    double_texture *surface = NULL;

    ENTER(DOUBLE_CONTEXT);
    if (!out_surface)
        return YK_CUDA_ERROR_INVALID_VALUE;
    yk_CUresult result = make_object((const void *)resource, DOUBLE_SURFACE_MARK, &surface);
    if (result != YK_CUDA_SUCCESS)
        return result;
    const struct CUarray_st *array = ((const yk_CUDA_RESOURCE_DESC *)(const void *)resource)->res.array.hArray;
    if (!(array->desc.Flags & YK_CUDA_ARRAY3D_SURFACE_LDST)) {
        free(surface);
        return YK_CUDA_ERROR_INVALID_VALUE;
    }
    *out_surface = (uintptr_t)surface;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuSurfObjectDestroy(yk_CUsurfObject surface)
{
    ENTER(DOUBLE_START);
    return destroy_object(surface, DOUBLE_SURFACE_MARK);
}
