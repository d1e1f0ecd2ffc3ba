/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of every kind. Drivers do not check how much memory a program allocates (with PoCL 3.1 the system kills the program,
 * NVIDIA's 580 fails at the first use), so this file counts the memory in use on a device. Pinned memory is a mapped
 * CL_MEM_ALLOC_HOST_PTR buffer; managed memory is an SVM allocation with a cl_mem over it, so that every command takes a cl_mem.
 */
#include "driver.h"

#include <stdlib.h>

atomic_uint_fast64_t yk_opencl_released;

YK_COLD static yoke_status exhausted(const yk_opencl_slot *slot, size_t size, uint64_t used)
{
    char asked[32], unused[32], taken[32];
    uint64_t all = slot->info.memory;

    return yk_fail(YOKE_E_OUT_OF_DEVICE_MEMORY, "opencl: %s requested, %s of '%s' free: this program's buffers already take %s",
                   yk_bytes_text(asked, sizeof asked, size), yk_bytes_text(unused, sizeof unused, used < all ? all - used : 0),
                   slot->info.name, yk_bytes_text(taken, sizeof taken, used));
}

yoke_status yk_opencl_reserve(yk_opencl_slot *slot, size_t size)
{
    uint_fast64_t used = atomic_load_explicit(&slot->used, memory_order_relaxed);

    while (used <= slot->info.memory && size <= slot->info.memory - used)
        if (atomic_compare_exchange_weak(&slot->used, &used, used + size))
            return YOKE_OK;
    return exhausted(slot, size, used);
}

/* The device's memory may be the host's. */
static bool takes_device_memory(const yoke_buffer *buffer)
{
    bool host = buffer->kind == YOKE_MEMORY_PINNED || buffer->kind == YOKE_MEMORY_MAPPED;
    return buffer->origin == YK_CREATED && (!host || yk_opencl_device_of(buffer->device)->slot->unified);
}

/* ---- Allocating ---- */

YK_COLD static yoke_status fail_memory(const char *call, cl_int code, const yoke_buffer *buffer)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(buffer->device)->slot;
    char asked[32], unused[32];
    uint64_t used = atomic_load(&slot->used) - buffer->capacity;

    yk_bytes_text(asked, sizeof asked, buffer->capacity);
    yk_bytes_text(unused, sizeof unused, used < slot->info.memory ? slot->info.memory - used : 0);
    return yk_opencl_fail(call, code, "%s requested, an estimated %s free", asked, unused);
}

static yoke_status create_handle(yoke_buffer *buffer, cl_mem_flags flags, void *host)
{
    cl_int code;
    cl_mem handle = yk_cl.clCreateBuffer(yk_opencl_device_of(buffer->device)->context, CL_MEM_READ_WRITE | flags, buffer->capacity,
                                         host, &code);

    if (!handle)
        return fail_memory("clCreateBuffer", code, buffer);
    buffer->native.pointer = handle;
    return YOKE_OK;
}

static void release_handle(yoke_buffer *buffer)
{
    if (buffer->native.pointer)
        yk_opencl_release_memory(buffer->native.pointer);
    buffer->native.pointer = NULL;
}

/* Migrating the buffer to the device, which copies nothing, reports now that memory is short. One migration at a time, waited for:
 * NVIDIA's driver (580) crashes when threads migrate concurrently. */
yoke_status yk_opencl_take_now(yoke_buffer *buffer)
{
    yk_opencl_device *device = yk_opencl_device_of(buffer->device);
    cl_mem handle = buffer->native.pointer;
    cl_int code;

    if (!device->slot->quirks.allocates_late)
        return YOKE_OK;
    pthread_mutex_lock(&device->mapping_lock);
    code = yk_cl.clEnqueueMigrateMemObjects(device->mapping, 1, &handle, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = yk_cl.clFinish(device->mapping);
    pthread_mutex_unlock(&device->mapping_lock);
    return code == CL_SUCCESS ? YOKE_OK : fail_memory("clEnqueueMigrateMemObjects", code, buffer);
}

static yoke_status create_device(yoke_buffer *buffer)
{
    yoke_status status = create_handle(buffer, 0, NULL);

    return status == YOKE_OK ? yk_opencl_take_now(buffer) : status;
}

static yk_opencl_memory *add_extra(yoke_buffer *buffer)
{
    buffer->extra = calloc(1, sizeof(yk_opencl_memory));
    if (!buffer->extra)
        yk_no_memory("a buffer");
    return buffer->extra;
}

static yoke_status create_host(yoke_buffer *buffer)
{
    yoke_status status = create_handle(buffer, CL_MEM_ALLOC_HOST_PTR, NULL);

    if (status == YOKE_OK && buffer->kind == YOKE_MEMORY_MAPPED) {
        yk_opencl_memory *memory = add_extra(buffer);
        status = memory ? YOKE_OK : YOKE_E_OUT_OF_HOST_MEMORY;
        if (memory)
            memory->handed_over = true;
    }
    if (status == YOKE_OK)
        status = yk_opencl_map(buffer);
    return status;
}

static yoke_status create_shared(yoke_buffer *buffer)
{
    const yk_opencl_device *device = yk_opencl_device_of(buffer->device);
    bool fine = device->slot->svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    yk_opencl_memory *memory = add_extra(buffer);
    char asked[32];
    yoke_status status;

    if (!memory)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    memory->handed_over = !fine;
    memory->svm =
        yk_cl.clSVMAlloc(device->context, CL_MEM_READ_WRITE | (fine ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0), buffer->capacity, 0);
    if (!memory->svm)
        return yk_fail(YOKE_E_OUT_OF_DEVICE_MEMORY, "opencl: clSVMAlloc failed: %s of managed memory requested",
                       yk_bytes_text(asked, sizeof asked, buffer->capacity));
    status = create_handle(buffer, CL_MEM_USE_HOST_PTR, memory->svm);
    if (status == YOKE_OK && !fine)
        status = yk_opencl_map(buffer);
    buffer->host = memory->svm;
    return status;
}

/* Release the sub-buffers without a view, except the last `keep`, newest first. Of two sub-buffers that overlap and were passed
 * to kernels, releasing the older first crashes NVIDIA's driver (580). */
static void release_subs(yk_opencl_memory *memory, unsigned keep)
{
    while (memory->unused > keep && memory->newest->views == 0) {
        yk_opencl_sub *sub = memory->newest;
        memory->newest = sub->older;
        memory->unused--;
        yk_opencl_release_memory(sub->handle);
        free(sub);
    }
}

/* Release everything that the buffer has; it may be incomplete. */
static void destroy(yoke_buffer *buffer)
{
    yk_opencl_memory *memory = buffer->extra;

    if (buffer->origin == YK_CREATED && buffer->host && !(memory && memory->svm && !memory->handed_over))
        yk_opencl_unmap(buffer);
    if (memory)
        release_subs(memory, 0);
    release_handle(buffer);
    if (memory)
        yk_opencl_release_event(memory->last);
    if (memory && memory->svm)
        yk_cl.clSVMFree(yk_opencl_device_of(buffer->device)->context, memory->svm);
    free(memory);
    buffer->extra = NULL;
    buffer->host = NULL;
}

yoke_status yk_opencl_buffer_create(yoke_buffer *buffer)
{
    yk_opencl_slot *slot = yk_opencl_device_of(buffer->device)->slot;
    bool reserved = takes_device_memory(buffer);
    yoke_status status;

    if (buffer->capacity > slot->info.max_buffer) /* pinned memory is a buffer too, and some drivers do not refuse it */
        return yk_fail(YOKE_E_RANGE, "opencl: %zu bytes requested; the largest single buffer of '%s' is %llu bytes",
                       buffer->capacity, slot->info.name, (unsigned long long)slot->info.max_buffer);
    status = reserved ? yk_opencl_reserve(slot, buffer->capacity) : YOKE_OK;
    if (status != YOKE_OK)
        return status;
    if (buffer->kind == YOKE_MEMORY_DEVICE)
        status = create_device(buffer);
    else if (buffer->kind == YOKE_MEMORY_MANAGED)
        status = create_shared(buffer);
    else
        status = create_host(buffer);
    if (status == YOKE_OK)
        return status;
    destroy(buffer);
    if (reserved)
        atomic_fetch_sub(&slot->used, buffer->capacity);
    return status;
}

/* OpenCL has no pools, so traits.driver_pool is never set. */
yoke_status yk_opencl_buffer_create_ordered(yoke_buffer *buffer, yoke_stream *stream)
{
    (void)stream;
    return yk_opencl_buffer_create(buffer);
}

/* NVIDIA's driver page-locks the host memory of a CL_MEM_USE_HOST_PTR buffer. The buffer itself is not used. */
yoke_status yk_opencl_buffer_register(yoke_buffer *buffer)
{
    return create_handle(buffer, CL_MEM_USE_HOST_PTR, buffer->host);
}

/* OpenCL has no sub-buffers of sub-buffers, so views are made of the whole buffer. */
static yoke_status note_whole(yoke_buffer *buffer, cl_mem handle)
{
    cl_mem whole = NULL;
    size_t start = 0;
    cl_int code = yk_cl.clGetMemObjectInfo(handle, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL);

    if (code == CL_SUCCESS)
        code = yk_cl.clGetMemObjectInfo(handle, CL_MEM_OFFSET, sizeof start, &start, NULL);
    if (code != CL_SUCCESS)
        return yk_opencl_fail("clGetMemObjectInfo", code, NULL);
    if (!whole)
        return YOKE_OK;
    yk_opencl_memory *memory = add_extra(buffer);
    if (!memory)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    memory->whole = whole;
    memory->start = start;
    return YOKE_OK;
}

yoke_status yk_opencl_buffer_wrap(yoke_buffer *buffer, uintptr_t native)
{
    cl_mem handle = (cl_mem)native;
    cl_mem_object_type type = 0;
    cl_context context = NULL;
    size_t size = 0;
    cl_int code = yk_cl.clGetMemObjectInfo(handle, CL_MEM_TYPE, sizeof type, &type, NULL);

    if (code == CL_SUCCESS)
        code = yk_cl.clGetMemObjectInfo(handle, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = yk_cl.clGetMemObjectInfo(handle, CL_MEM_SIZE, sizeof size, &size, NULL);
    if (code != CL_SUCCESS)
        return yk_opencl_fail_as(YOKE_E_INVALID_ARGUMENT, "clGetMemObjectInfo", code, "this is not a cl_mem");
    if (type != CL_MEM_OBJECT_BUFFER || context != yk_opencl_device_of(buffer->device)->context)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "opencl: the cl_mem is not a buffer of this device's context, which yoke_device_get_native returns");
    if (size < buffer->size)
        return yk_fail(YOKE_E_RANGE, "opencl: %zu bytes requested of a cl_mem of %zu bytes", buffer->size, size);
    yoke_status status = note_whole(buffer, handle);
    if (status < 0)
        return status;
    code = yk_cl.clRetainMemObject(handle);
    if (code == CL_SUCCESS) {
        buffer->native.pointer = handle;
        return YOKE_OK;
    }
    destroy(buffer);
    return yk_opencl_fail("clRetainMemObject", code, NULL);
}

void yk_opencl_buffer_destroy(yoke_buffer *buffer)
{
    destroy(buffer);
    if (takes_device_memory(buffer))
        atomic_fetch_sub(&yk_opencl_device_of(buffer->device)->slot->used, buffer->capacity);
}

yoke_status yk_opencl_buffer_native(const yoke_buffer *buffer, uintptr_t *out_native)
{
    const yk_opencl_memory *memory = buffer->root->extra;

    if (memory && memory->svm)
        return yk_fail(YOKE_E_UNSUPPORTED, "opencl: managed memory has no handle; pass its host pointer to SVM functions");
    if (!buffer->native.pointer)
        return yk_fail(YOKE_E_UNSUPPORTED,
                       "opencl: the view starts at byte %zu of its buffer; a cl_mem must start at a multiple of %llu",
                       buffer->offset, (unsigned long long)buffer->device->info.view_alignment);
    *out_native = (uintptr_t)buffer->native.pointer;
    return YOKE_OK;
}

/* ---- Views ---- */

/* The alignment is left to the driver to check, since NVIDIA's driver accepts any offset. */
static cl_mem create_sub(yoke_buffer *view)
{
    const yk_opencl_memory *memory = view->root->extra;
    const cl_buffer_region region = { memory->start + view->offset, view->size };
    cl_mem whole = memory->whole ? memory->whole : view->root->native.pointer;
    cl_int code;
    cl_mem handle = yk_cl.clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);

    view->misaligned = !handle && code == CL_MISALIGNED_SUB_BUFFER_OFFSET;
    if (!handle && !view->misaligned)
        yk_opencl_fail("clCreateSubBuffer", code, "%zu bytes at offset %zu of a buffer of %zu", view->size, view->offset,
                       view->root->size);
    return handle;
}

enum { SUBS_KEPT = 8, SUBS_CHECKED = 16 };

/* The sub-buffer of a view at the same place, or a new sub-buffer; NULL for a misaligned offset (view->misaligned), or on
 * failure. */
static yk_opencl_sub *find_sub(yoke_buffer *view, yk_opencl_memory *memory)
{
    yk_opencl_sub *sub = memory->newest;

    for (unsigned checked = 1; sub && (sub->offset != view->offset || sub->size != view->size); checked++)
        sub = checked < SUBS_CHECKED ? sub->older : NULL;
    if (sub)
        return sub;
    sub = malloc(sizeof *sub);
    if (!sub) {
        yk_no_memory("a view");
        return NULL;
    }
    *sub = (yk_opencl_sub){ .older = memory->newest, .offset = view->offset, .size = view->size, .handle = create_sub(view) };
    if (!sub->handle) {
        free(sub);
        return NULL;
    }
    memory->newest = sub;
    memory->unused++;
    return sub;
}

yoke_status yk_opencl_view_create(yoke_buffer *view)
{
    yk_opencl_device *device = yk_opencl_device_of(view->device);
    yoke_buffer *root = view->root;
    yk_opencl_memory *memory;
    yk_opencl_sub *sub = NULL;

    pthread_mutex_lock(&device->memory_lock);
    memory = root->extra ? root->extra : add_extra(root);
    if (memory)
        sub = find_sub(view, memory);
    if (sub) {
        memory->unused -= sub->views++ == 0;
        view->native.pointer = sub->handle;
        view->extra = sub;
    }
    pthread_mutex_unlock(&device->memory_lock);
    return sub || view->misaligned ? YOKE_OK : yoke_error()->status;
}

void yk_opencl_view_destroy(yoke_buffer *view)
{
    yk_opencl_device *device = yk_opencl_device_of(view->device);
    yk_opencl_sub *sub = view->extra;

    if (!sub)
        return;
    pthread_mutex_lock(&device->memory_lock);
    yk_opencl_memory *memory = view->root->extra;
    memory->unused += --sub->views == 0;
    release_subs(memory, SUBS_KEPT);
    pthread_mutex_unlock(&device->memory_lock);
    view->native.pointer = view->extra = NULL;
}

/* ---- Not in OpenCL ---- */

bool yk_opencl_host_is_pinned(const yoke_device *device, const void *host)
{
    (void)device;
    (void)host;
    return false;
}

void yk_opencl_pool_limit(const yoke_device *device, uint64_t limit)
{
    (void)device;
    (void)limit;
}

yoke_status yk_opencl_pool_cached(const yoke_device *device, uint64_t *out_bytes)
{
    (void)device;
    *out_bytes = 0;
    return YOKE_OK;
}

bool yk_opencl_pool_trim(const yoke_device *device, uint64_t keep)
{
    (void)device;
    (void)keep;
    return false;
}
