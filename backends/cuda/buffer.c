/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory and pinned host memory. A device buffer is its address; a view is an address in the middle. */
#include "driver.h"

/* What to say when there is not enough; what is free is told where the driver knows. In the device's context. */
static yoke_status fail_memory(yk_CUresult result, uint64_t size)
{
    char asked_text[32], free_text[32];
    size_t free_bytes, total;

    yk_bytes_text(asked_text, sizeof asked_text, size);
    if (result == YK_CUDA_ERROR_OUT_OF_MEMORY && yk_cu.cuMemGetInfo_v2(&free_bytes, &total) == YK_CUDA_SUCCESS)
        return yk_cuda_fail("cuMemAlloc_v2", result, "%s asked, %s free", asked_text,
                            yk_bytes_text(free_text, sizeof free_text, free_bytes));
    return yk_cuda_fail("cuMemAlloc_v2", result, "%s asked", asked_text);
}

static yoke_status allocate_device(yoke_buffer *buffer)
{
    yk_CUdeviceptr address = 0;
    yk_CUresult result = yk_cu.cuMemAlloc_v2(&address, buffer->size);
    if (result != YK_CUDA_SUCCESS)
        return fail_memory(result, buffer->size);
    buffer->native.address = address;
    return YOKE_OK;
}

/* Portable: a thread that has another context current may use it too. */
static yoke_status allocate_pinned(yoke_buffer *buffer)
{
    char asked[32];
    void *pointer = NULL;
    yk_CUresult result = yk_cu.cuMemHostAlloc(&pointer, buffer->size, YK_CU_MEMHOSTALLOC_PORTABLE);

    yk_bytes_text(asked, sizeof asked, buffer->size);
    if (result == YK_CUDA_ERROR_OUT_OF_MEMORY)
        return yk_cuda_fail_as(YOKE_E_OUT_OF_HOST_MEMORY, "cuMemHostAlloc", result, "%s of page-locked host memory asked", asked);
    if (result != YK_CUDA_SUCCESS)
        return yk_cuda_fail("cuMemHostAlloc", result, "%s of page-locked host memory asked", asked);
    buffer->host = pointer;
    return YOKE_OK;
}

yoke_status yk_cuda_buffer_create(yoke_buffer *buffer)
{
    yoke_status status = yk_cuda_enter(buffer->device);
    if (status < 0)
        return status;
    status = buffer->pinned ? allocate_pinned(buffer) : allocate_device(buffer);
    yk_cuda_leave();
    return status;
}

void yk_cuda_buffer_destroy(yoke_buffer *buffer)
{
    /* The calls find the context by the address; with ours current as well they work on drivers of any age. */
    bool entered = yk_cu.cuCtxPushCurrent_v2(yk_cuda_device_of(buffer->device)->context) == YK_CUDA_SUCCESS;
    if (buffer->pinned)
        (void)yk_cu.cuMemFreeHost(buffer->host);
    else
        (void)yk_cu.cuMemFree_v2(buffer->native.address);
    if (entered)
        yk_cuda_leave();
    buffer->host = NULL;
    buffer->native.address = 0;
}

yoke_status yk_cuda_view_create(yoke_buffer *view)
{
    view->native.address = view->root->native.address + view->offset;
    return YOKE_OK;
}

void yk_cuda_view_destroy(yoke_buffer *view)
{
    view->native.address = 0;
}
