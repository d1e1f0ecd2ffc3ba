/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of every kind, and the driver's pool. A device buffer is its address, and a view is an address inside it. Host memory
 * that Yoke allocates has the same address on the device.
 */
#include "driver.h"

/* Report that memory ran out, with the free memory where the driver knows it. Call in the device's context. */
static yoke_status fail_memory(const char *call, yk_CUresult result, uint64_t size)
{
    char asked_text[32], free_text[32];
    size_t free_bytes, total;

    yk_bytes_text(asked_text, sizeof asked_text, size);
    if (result == YK_CUDA_ERROR_OUT_OF_MEMORY && yk_cu.cuMemGetInfo_v2(&free_bytes, &total) == YK_CUDA_SUCCESS)
        return yk_cuda_fail(call, result, "%s requested, %s free", asked_text,
                            yk_bytes_text(free_text, sizeof free_text, free_bytes));
    return yk_cuda_fail(call, result, "%s asked", asked_text);
}

static yoke_status fail_host_memory(const char *call, yk_CUresult result, uint64_t size)
{
    char asked[32];

    yk_bytes_text(asked, sizeof asked, size);
    if (result == YK_CUDA_ERROR_OUT_OF_MEMORY)
        return yk_cuda_fail_as(YOKE_E_OUT_OF_HOST_MEMORY, call, result, "%s of page-locked host memory requested", asked);
    if (result == YK_CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
        return yk_cuda_fail_as(YOKE_E_INVALID_ARGUMENT, call, result, "part of these %s is already pinned", asked);
    return yk_cuda_fail(call, result, "%s of page-locked host memory requested", asked);
}

static yoke_status allocate_device(yoke_buffer *buffer)
{
    yk_CUdeviceptr address = 0;
    yk_CUresult result = yk_cu.cuMemAlloc_v2(&address, buffer->capacity);

    if (result != YK_CUDA_SUCCESS)
        return fail_memory("cuMemAlloc_v2", result, buffer->capacity);
    buffer->native.address = address;
    return YOKE_OK;
}

static yoke_status allocate_shared(yoke_buffer *buffer)
{
    yk_CUdeviceptr address = 0;
    yk_CUresult result = yk_cu.cuMemAllocManaged(&address, buffer->capacity, YK_CU_MEM_ATTACH_GLOBAL);

    if (result != YK_CUDA_SUCCESS)
        return fail_memory("cuMemAllocManaged", result, buffer->capacity);
    buffer->native.address = address;
    buffer->host = (void *)(uintptr_t)address;
    return YOKE_OK;
}

/* Portable: a thread with another current context may use the memory too. */
static yoke_status allocate_host(yoke_buffer *buffer)
{
    bool mapped = buffer->kind == YOKE_MEMORY_MAPPED;
    unsigned flags = YK_CU_MEMHOSTALLOC_PORTABLE | (mapped ? YK_CU_MEMHOSTALLOC_DEVICEMAP : 0);
    yk_CUdeviceptr address = 0;
    void *pointer = NULL;
    yk_CUresult result = yk_cu.cuMemHostAlloc(&pointer, buffer->capacity, flags);

    if (result != YK_CUDA_SUCCESS)
        return fail_host_memory("cuMemHostAlloc", result, buffer->capacity);
    if (mapped) {
        result = yk_cu.cuMemHostGetDevicePointer_v2(&address, pointer, 0);
        if (result != YK_CUDA_SUCCESS) {
            yk_cuda_note("cuMemFreeHost", yk_cu.cuMemFreeHost(pointer));
            return yk_cuda_fail("cuMemHostGetDevicePointer_v2", result, NULL);
        }
    }
    buffer->native.address = address;
    buffer->host = pointer;
    return YOKE_OK;
}

yoke_status yk_cuda_buffer_create(yoke_buffer *buffer)
{
    yoke_status status = yk_cuda_enter(buffer->device);
    if (status < 0)
        return status;
    if (buffer->kind == YOKE_MEMORY_DEVICE)
        status = allocate_device(buffer);
    else if (buffer->kind == YOKE_MEMORY_MANAGED)
        status = allocate_shared(buffer);
    else
        status = allocate_host(buffer);
    yk_cuda_leave();
    return status;
}

yoke_status yk_cuda_buffer_register(yoke_buffer *buffer)
{
    yoke_status status = yk_cuda_enter(buffer->device);
    if (status < 0)
        return status;
    yk_CUresult result = yk_cu.cuMemHostRegister_v2(buffer->host, buffer->capacity, YK_CU_MEMHOSTREGISTER_PORTABLE);
    if (result != YK_CUDA_SUCCESS)
        status = fail_host_memory("cuMemHostRegister_v2", result, buffer->capacity);
    yk_cuda_leave();
    return status;
}

/* Call in the device's context. */
static yoke_status check_wrapped(const yoke_buffer *buffer, yk_CUdeviceptr address)
{
    unsigned type = 0;
    int ordinal = -1;
    size_t size = 0;
    yk_CUdeviceptr base = 0;
    yk_CUresult result = yk_cu.cuPointerGetAttribute(&type, YK_CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);

    if (result == YK_CUDA_SUCCESS)
        result = yk_cu.cuPointerGetAttribute(&ordinal, YK_CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address);
    if (result != YK_CUDA_SUCCESS && result != YK_CUDA_ERROR_INVALID_VALUE) /* the answer for unknown addresses */
        return yk_cuda_fail("cuPointerGetAttribute", result, NULL);
    if (result != YK_CUDA_SUCCESS || type != YK_CU_MEMORYTYPE_DEVICE || ordinal != yk_cuda_device_of(buffer->device)->ordinal)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "cuda: 0x%llx is not an address of memory on %s", address,
                       buffer->device->info.selector);
    result = yk_cu.cuMemGetAddressRange_v2(&base, &size, address);
    if (result != YK_CUDA_SUCCESS)
        return yk_cuda_fail("cuMemGetAddressRange_v2", result, NULL);
    if (buffer->size > size - (address - base))
        return yk_fail(YOKE_E_RANGE, "cuda: %zu bytes from 0x%llx end past that allocation, which has %llu bytes from there",
                       buffer->size, address, (unsigned long long)(size - (address - base)));
    return YOKE_OK;
}

yoke_status yk_cuda_buffer_wrap(yoke_buffer *buffer, uintptr_t native)
{
    yoke_status status = yk_cuda_enter(buffer->device);
    if (status < 0)
        return status;
    status = check_wrapped(buffer, native);
    yk_cuda_leave();
    buffer->native.address = native;
    buffer->misalignment = native % 16;
    return status;
}

static void free_memory(const yoke_buffer *buffer)
{
    switch (buffer->origin) {
    case YK_CREATED:
        if (buffer->kind == YOKE_MEMORY_PINNED || buffer->kind == YOKE_MEMORY_MAPPED)
            yk_cuda_note("cuMemFreeHost", yk_cu.cuMemFreeHost(buffer->host));
        else
            yk_cuda_note("cuMemFree_v2", yk_cu.cuMemFree_v2(buffer->native.address));
        break;
    case YK_ORDERED: /* without a stream it is a block of the cache, which nothing uses any more */
        if (buffer->owner_stream)
            yk_cuda_note("cuMemFreeAsync", yk_cu.cuMemFreeAsync(buffer->native.address, buffer->owner_stream->native));
        else
            yk_cuda_note("cuMemFree_v2", yk_cu.cuMemFree_v2(buffer->native.address));
        atomic_fetch_sub_explicit(&yk_cuda_device_of(buffer->device)->pool_in_use, buffer->capacity, memory_order_relaxed);
        break;
    case YK_REGISTERED:
        yk_cuda_note("cuMemHostUnregister", yk_cu.cuMemHostUnregister(buffer->host));
        break;
    case YK_WRAPPED:
    case YK_IMAGED: /* image.c */
        break;
    }
}

void yk_cuda_buffer_destroy(yoke_buffer *buffer)
{
    /* The calls find the context by the address; making Yoke's context current as well makes them work on drivers of any age. */
    bool in_order = buffer->origin == YK_ORDERED && buffer->owner_stream;
    bool entered = !in_order && yk_cuda_try_enter(buffer->device);
    free_memory(buffer);
    if (entered)
        yk_cuda_leave();
    buffer->host = NULL;
    buffer->native.address = 0;
}

yoke_status yk_cuda_buffer_native(const yoke_buffer *buffer, uintptr_t *out_native)
{
    if (buffer->kind == YOKE_MEMORY_PINNED)
        return yk_fail(YOKE_E_UNSUPPORTED, "cuda: pinned host memory has no handle; use its host pointer");
    *out_native = (uintptr_t)buffer->native.address;
    return YOKE_OK;
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

bool yk_cuda_host_is_pinned(const yoke_device *device, const void *host)
{
    unsigned type = 0;
    (void)device;
    return yk_cu.cuPointerGetAttribute(&type, YK_CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)host) == YK_CUDA_SUCCESS && type != 0;
}

yoke_status yk_cuda_device_memory(const yoke_device *device, uint64_t *out_free, uint32_t *out_flags)
{
    size_t free_bytes = 0, total;
    yoke_status status = yk_cuda_enter(device);

    if (status < 0)
        return status;
    status = yk_cuda_check("cuMemGetInfo_v2", yk_cu.cuMemGetInfo_v2(&free_bytes, &total));
    yk_cuda_leave();
    *out_free = free_bytes;
    *out_flags = 0;
    return status;
}

/* ---- The pool ---- */

yoke_status yk_cuda_pool_create(yoke_device *device, yk_cuda_device *native)
{
    yk_CUmemPoolProps properties = { .allocType = YK_CU_MEM_ALLOCATION_TYPE_PINNED,
                                     .handleTypes = YK_CU_MEM_HANDLE_TYPE_NONE,
                                     .location = { YK_CU_MEM_LOCATION_TYPE_DEVICE, native->ordinal } };
    int supported = 0;
    bool complete = yk_cu.cuMemPoolCreate && yk_cu.cuMemPoolDestroy && yk_cu.cuMemPoolSetAttribute && yk_cu.cuMemPoolGetAttribute &&
                    yk_cu.cuMemPoolTrimTo && yk_cu.cuMemPoolSetAccess && yk_cu.cuMemAllocFromPoolAsync && yk_cu.cuMemFreeAsync;

    if (!complete ||
        !yk_cuda_note("cuDeviceGetAttribute",
                      yk_cu.cuDeviceGetAttribute(&supported, YK_CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, native->ordinal)) ||
        !supported)
        return YOKE_OK;
    yoke_status status = yk_cuda_check("cuMemPoolCreate",
                                       yk_cu.cuMemPoolCreate(&native->pool, (const struct CUmemPoolProps_st *)(void *)&properties));
    unsigned long long threshold = atomic_load(&device->pool.cached_limit);
    if (status == YOKE_OK)
        yk_cuda_note("cuMemPoolSetAttribute",
                     yk_cu.cuMemPoolSetAttribute(native->pool, YK_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    return status;
}

yoke_status yk_cuda_buffer_create_ordered(yoke_buffer *buffer, yoke_stream *stream)
{
    yk_cuda_device *native = yk_cuda_device_of(buffer->device);
    yk_CUdeviceptr address = 0;
    yk_CUresult result = yk_cu.cuMemAllocFromPoolAsync(&address, buffer->capacity, native->pool, stream->native);

    if (YK_UNLIKELY(result != YK_CUDA_SUCCESS)) {
        yoke_status status = yk_cuda_enter(buffer->device);
        if (status < 0)
            return status;
        status = fail_memory("cuMemAllocFromPoolAsync", result, buffer->capacity);
        yk_cuda_leave();
        return status;
    }
    buffer->native.address = address;
    atomic_fetch_add_explicit(&native->pool_in_use, buffer->capacity, memory_order_relaxed);
    return YOKE_OK;
}

static yk_CUresult ask_pool(yk_cuda_device *native, uint64_t *out_used, uint64_t *out_cached)
{
    unsigned long long reserved = 0;
    yk_CUresult result = yk_cu.cuMemPoolGetAttribute(native->pool, YK_CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved);

    *out_used = atomic_load_explicit(&native->pool_in_use, memory_order_relaxed);
    *out_cached = reserved > *out_used ? reserved - *out_used : 0;
    return result;
}

void yk_cuda_pool_limit(const yoke_device *device, uint64_t limit)
{
    unsigned long long threshold = limit;
    uint64_t used, cached;
    yk_cuda_device *native = yk_cuda_device_of(device);

    if (!native->pool)
        return;
    yk_cuda_note("cuMemPoolSetAttribute",
                 yk_cu.cuMemPoolSetAttribute(native->pool, YK_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    if (yk_cuda_note("cuMemPoolGetAttribute", ask_pool(native, &used, &cached)) && cached > limit)
        yk_cuda_note("cuMemPoolTrimTo", yk_cu.cuMemPoolTrimTo(native->pool, limit > SIZE_MAX ? SIZE_MAX : (size_t)limit));
}

yoke_status yk_cuda_pool_cached(const yoke_device *device, uint64_t *out_bytes)
{
    uint64_t used;
    yk_cuda_device *native = yk_cuda_device_of(device);

    *out_bytes = 0;
    return native->pool ? yk_cuda_check("cuMemPoolGetAttribute", ask_pool(native, &used, out_bytes)) : YOKE_OK;
}

/* The driver keeps up to `keep` bytes of its reserved memory, used or not. */
bool yk_cuda_pool_trim(const yoke_device *device, uint64_t keep)
{
    yk_cuda_device *native = yk_cuda_device_of(device);
    uint64_t used, before, after;

    return native->pool && yk_cuda_note("cuMemPoolGetAttribute", ask_pool(native, &used, &before)) && before > keep &&
           yk_cuda_note("cuMemPoolTrimTo", yk_cu.cuMemPoolTrimTo(native->pool, (size_t)(used + keep))) &&
           yk_cuda_note("cuMemPoolGetAttribute", ask_pool(native, &used, &after)) && after < before;
}
