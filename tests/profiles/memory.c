/* SPDX-License-Identifier: Apache-2.0 */
/* The functions about memory: largest buffers and images, all memory, the alignment of sub-buffers, shared virtual memory. */
#include <stdatomic.h>

#include "profile.h"

static const cl_icd_dispatch *next; /* the driver, or another layer */
static atomic_uint_fast64_t used;   /* bytes of buffers and images */

static void CL_CALLBACK give_back(cl_mem memory, void *size)
{
    (void)memory;
    atomic_fetch_sub(&used, (uint64_t)(uintptr_t)size);
}

/* The driver has made an object: count its memory until the object is gone, or take the object away when that is too much. */
static cl_mem count(cl_mem memory, cl_int *code)
{
    size_t size = 0;
    if (!memory || next->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL) != CL_SUCCESS)
        return memory;
    uint64_t before = atomic_fetch_add(&used, size);
    if (next->clSetMemObjectDestructorCallback(memory, give_back, (void *)(uintptr_t)size) != CL_SUCCESS)
        give_back(memory, (void *)(uintptr_t)size);
    if (before + size <= profile_number(CL_DEVICE_GLOBAL_MEM_SIZE, UINT64_MAX))
        return memory;
    (void)next->clReleaseMemObject(memory);
    return profile_refuse(CL_MEM_OBJECT_ALLOCATION_FAILURE, code);
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    if (size > profile_number(CL_DEVICE_MAX_MEM_ALLOC_SIZE, SIZE_MAX))
        return profile_refuse(CL_INVALID_BUFFER_SIZE, code);
    return count(next->clCreateBuffer(context, flags, size, host, code), code);
}

static cl_mem CL_API_CALL create_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *region,
                                            cl_int *code)
{
    const cl_buffer_region *range = region;
    uint64_t alignment = profile_number(PROFILE_ALIGNMENT, profile_number(CL_DEVICE_MEM_BASE_ADDR_ALIGN, 8)) / 8;
    if (type == CL_BUFFER_CREATE_TYPE_REGION && range && range->origin % (alignment ? alignment : 1))
        return profile_refuse(CL_MISALIGNED_SUB_BUFFER_OFFSET, code);
    return next->clCreateSubBuffer(buffer, flags, type, region, code);
}

/* ---- Images ---- */

static bool has_images(void)
{
    return profile_number(CL_DEVICE_IMAGE_SUPPORT, 0) != 0;
}

static bool is_too_large(const cl_image_desc *desc)
{
    if (desc->image_type == CL_MEM_OBJECT_IMAGE3D)
        return desc->image_width > profile_number(CL_DEVICE_IMAGE3D_MAX_WIDTH, SIZE_MAX) ||
               desc->image_height > profile_number(CL_DEVICE_IMAGE3D_MAX_HEIGHT, SIZE_MAX) ||
               desc->image_depth > profile_number(CL_DEVICE_IMAGE3D_MAX_DEPTH, SIZE_MAX);
    return desc->image_type == CL_MEM_OBJECT_IMAGE2D &&
           (desc->image_width > profile_number(CL_DEVICE_IMAGE2D_MAX_WIDTH, SIZE_MAX) ||
            desc->image_height > profile_number(CL_DEVICE_IMAGE2D_MAX_HEIGHT, SIZE_MAX));
}

static cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                       const cl_image_desc *desc, void *host, cl_int *code)
{
    if (!has_images())
        return profile_refuse(CL_INVALID_OPERATION, code);
    if (desc && is_too_large(desc))
        return profile_refuse(CL_INVALID_IMAGE_SIZE, code);
    return count(next->clCreateImage(context, flags, format, desc, host, code), code);
}

static cl_sampler CL_API_CALL create_sampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                                             cl_filter_mode filter, cl_int *code)
{
    if (!has_images())
        return profile_refuse(CL_INVALID_OPERATION, code);
    return next->clCreateSampler(context, normalized, addressing, filter, code);
}

/* All formats but halves, which PoCL 3.1 reads as other numbers. */
static cl_int CL_API_CALL get_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint room,
                                      cl_image_format *formats, cl_uint *count_ret)
{
    cl_image_format all[256];
    cl_uint count = 0, kept = 0;
    cl_int code = CL_SUCCESS;
    if (has_images())
        code = next->clGetSupportedImageFormats(context, flags, type, 256, all, &count);
    for (cl_uint i = 0; code == CL_SUCCESS && i < count && i < 256; i++) {
        if (all[i].image_channel_data_type == CL_HALF_FLOAT)
            continue;
        if (formats && kept < room)
            formats[kept] = all[i];
        kept++;
    }
    if (count_ret)
        *count_ret = kept;
    return code;
}

/* ---- Shared virtual memory ---- */

static void *CL_API_CALL svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    uint64_t svm = profile_number(CL_DEVICE_SVM_CAPABILITIES, 0);
    if (!svm || (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER && !(svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) ||
        (flags & CL_MEM_SVM_ATOMICS && !(svm & CL_DEVICE_SVM_ATOMICS)) ||
        size > profile_number(CL_DEVICE_MAX_MEM_ALLOC_SIZE, SIZE_MAX))
        return NULL;
    return next->clSVMAlloc(context, flags, size, alignment);
}

void profile_take_memory_calls(const cl_icd_dispatch *target, cl_icd_dispatch *table)
{
    next = target;
    table->clCreateBuffer = create_buffer;
    table->clCreateSubBuffer = create_sub_buffer;
    table->clCreateImage = create_image;
    table->clCreateSampler = create_sampler;
    table->clGetSupportedImageFormats = get_formats;
    table->clSVMAlloc = svm_alloc;
}
