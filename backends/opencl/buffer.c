/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers. Drivers do not check how much memory a program takes (PoCL 3.1 lets the system kill it, NVIDIA's 580 kills the queue at
 * the first use), so what is in use on a device is counted here. Pinned memory is a mapped CL_MEM_ALLOC_HOST_PTR buffer.
 */
#include "driver.h"

YK_COLD static yoke_status exhausted(const yk_opencl_slot *slot, size_t size, uint64_t used)
{
    char asked[32], taken[32], all[32];

    return yk_fail(YOKE_E_OUT_OF_DEVICE_MEMORY,
                   "opencl: %s asked, but this program's buffers already take %s of the %s that '%s' has",
                   yk_bytes_text(asked, sizeof asked, size), yk_bytes_text(taken, sizeof taken, used),
                   yk_bytes_text(all, sizeof all, slot->info.memory), slot->info.name);
}

/* Count `size` bytes as in use, unless the device has not that much left. */
static yoke_status reserve(yk_opencl_slot *slot, size_t size)
{
    uint_fast64_t used = atomic_load_explicit(&slot->used, memory_order_relaxed);

    while (used <= slot->info.memory && size <= slot->info.memory - used)
        if (atomic_compare_exchange_weak(&slot->used, &used, used + size))
            return YOKE_OK;
    return exhausted(slot, size, used);
}

/* A CPU's pinned memory is its device memory. */
static bool takes_device_memory(const yoke_buffer *buffer)
{
    return !buffer->pinned || buffer->device->info.kind == YOKE_DEVICE_CPU || buffer->device->info.kind == YOKE_DEVICE_EMULATOR;
}

YK_COLD static yoke_status map(yoke_buffer *buffer, const yk_opencl_device *device)
{
    char asked[32];
    cl_int code;
    yoke_status status;

    buffer->host = yk_cl.clEnqueueMapBuffer(device->mapping, buffer->native.pointer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                            buffer->size, 0, NULL, NULL, &code);
    if (buffer->host)
        return YOKE_OK;
    yk_bytes_text(asked, sizeof asked, buffer->size);
    if (code == CL_MAP_FAILURE)
        status = yk_opencl_fail_as(YOKE_E_OUT_OF_HOST_MEMORY, "clEnqueueMapBuffer", code, "%s of pinned memory asked", asked);
    else
        status = yk_opencl_fail("clEnqueueMapBuffer", code, "%s of pinned memory asked", asked);
    return status;
}

yoke_status yk_opencl_buffer_create(yoke_buffer *buffer)
{
    const yk_opencl_device *device = yk_opencl_device_of(buffer->device);
    cl_mem_flags flags = CL_MEM_READ_WRITE | (buffer->pinned ? CL_MEM_ALLOC_HOST_PTR : 0);
    bool reserved = takes_device_memory(buffer);
    char asked[32];
    cl_int code;
    yoke_status status;

    if (buffer->size > device->slot->info.max_buffer) /* pinned memory is a buffer too, and not every driver refuses */
        return yk_fail(YOKE_E_RANGE, "opencl: %zu bytes asked; the largest single buffer of '%s' has %llu", buffer->size,
                       device->slot->info.name, (unsigned long long)device->slot->info.max_buffer);
    status = reserved ? reserve(device->slot, buffer->size) : YOKE_OK;
    if (status != YOKE_OK)
        return status;
    buffer->native.pointer = yk_cl.clCreateBuffer(device->context, flags, buffer->size, NULL, &code);
    if (!buffer->native.pointer)
        status = yk_opencl_fail("clCreateBuffer", code, "%s asked", yk_bytes_text(asked, sizeof asked, buffer->size));
    else if (buffer->pinned)
        status = map(buffer, device);
    if (status == YOKE_OK)
        return status;
    if (buffer->native.pointer)
        yk_cl.clReleaseMemObject(buffer->native.pointer);
    buffer->native.pointer = NULL;
    if (reserved)
        atomic_fetch_sub(&device->slot->used, buffer->size);
    return status;
}

void yk_opencl_buffer_destroy(yoke_buffer *buffer)
{
    const yk_opencl_device *device = yk_opencl_device_of(buffer->device);

    if (buffer->pinned) {
        yk_cl.clEnqueueUnmapMemObject(device->mapping, buffer->native.pointer, buffer->host, 0, NULL, NULL);
        yk_cl.clFlush(device->mapping);
        buffer->host = NULL;
    }
    yk_cl.clReleaseMemObject(buffer->native.pointer);
    buffer->native.pointer = NULL;
    if (takes_device_memory(buffer))
        atomic_fetch_sub(&device->slot->used, buffer->size);
}

yoke_status yk_opencl_view_create(yoke_buffer *view)
{
    const cl_buffer_region region = { view->offset, view->size };
    cl_int code;
    cl_mem memory =
        yk_cl.clCreateSubBuffer(view->root->native.pointer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);

    /* Asked rather than computed: NVIDIA's driver takes any offset. */
    view->misaligned = !memory && code == CL_MISALIGNED_SUB_BUFFER_OFFSET;
    if (!memory && !view->misaligned)
        return yk_opencl_fail("clCreateSubBuffer", code, "%zu bytes at offset %zu of a buffer of %zu", view->size, view->offset,
                              view->root->size);
    view->native.pointer = memory;
    return YOKE_OK;
}

void yk_opencl_view_destroy(yoke_buffer *view)
{
    if (view->native.pointer)
        yk_cl.clReleaseMemObject(view->native.pointer);
    view->native.pointer = NULL;
}
