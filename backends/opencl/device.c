/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices. Platforms are queried once in a process, so that the index of a device stays the same and opening a device queries
 * nothing again; unusable devices are kept with the reason. An open device has a context of its own.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects slots, slot_count and slot_capacity until `listed` is set */
static yk_opencl_slot **slots;
static size_t slot_count, slot_capacity;
static bool listed;
static bool unanswered; /* guarded by the lock: a platform or a device has failed to answer */

/* ---- Listing ---- */

static yk_opencl_slot *add_slot(void)
{
    if (slot_count == slot_capacity) {
        size_t capacity = slot_capacity ? 2 * slot_capacity : 8;
        yk_opencl_slot **grown = realloc(slots, capacity * sizeof *slots);
        if (!grown)
            return NULL;
        slots = grown;
        slot_capacity = capacity;
    }
    yk_opencl_slot *slot = calloc(1, sizeof *slot);
    if (slot)
        slots[slot_count++] = slot;
    return slot;
}

static void free_slots(void)
{
    while (slot_count > 0)
        free(slots[--slot_count]);
    free(slots);
    slots = NULL;
    slot_capacity = 0;
}

static yoke_status list_device(const yk_opencl_slot *platform, cl_device_id id)
{
    yk_opencl_slot *slot = add_slot();
    bool answered = true;
    yoke_status status;

    if (!slot)
        return yk_no_memory("the list of OpenCL devices");
    *slot = *platform;
    slot->id = id;
    slot->info.size = sizeof slot->info;
    status = yk_opencl_describe(slot, &answered);
    unanswered = unanswered || !answered;
    return status;
}

static yoke_status reject_platform(const yk_opencl_slot *platform, const char *call, cl_int code)
{
    yk_opencl_slot *slot = add_slot();

    if (!slot)
        return yk_no_memory("the list of OpenCL platforms");
    *slot = *platform;
    unanswered = unanswered || code != CL_DEVICE_NOT_FOUND;
    if (code == CL_DEVICE_NOT_FOUND)
        snprintf(slot->rejected, sizeof slot->rejected, "it has no devices");
    else
        snprintf(slot->rejected, sizeof slot->rejected, "%s failed: %s (%d)", call, yk_opencl_code_name(code), (int)code);
    return YOKE_OK;
}

static yoke_status list_platform(cl_platform_id id)
{
    yk_opencl_slot platform = { .platform = id };
    char name[256] = "(a platform without a name)", vendor[256] = "";
    cl_device_id *devices = NULL;
    cl_uint count = 0;
    cl_int code = yk_cl.clGetPlatformInfo(id, CL_PLATFORM_NAME, sizeof name, name, NULL);
    yoke_status status = YOKE_OK;

    yk_opencl_copy_trimmed(platform.info.platform, sizeof platform.info.platform, name);
    if (code == CL_SUCCESS)
        code = yk_cl.clGetPlatformInfo(id, CL_PLATFORM_VENDOR, sizeof vendor, vendor, NULL);
    if (code != CL_SUCCESS)
        return reject_platform(&platform, "clGetPlatformInfo", code);
    yk_opencl_copy_trimmed(platform.maker, sizeof platform.maker, vendor);
    code = yk_cl.clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (code != CL_SUCCESS || count == 0)
        return reject_platform(&platform, "clGetDeviceIDs", count == 0 && code == CL_SUCCESS ? CL_DEVICE_NOT_FOUND : code);
    devices = calloc(count, sizeof *devices);
    if (!devices)
        return yk_no_memory("the list of OpenCL devices");
    code = yk_cl.clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, count, devices, NULL);
    if (code != CL_SUCCESS)
        status = reject_platform(&platform, "clGetDeviceIDs", code);
    for (cl_uint i = 0; code == CL_SUCCESS && status == YOKE_OK && i < count; i++)
        status = list_device(&platform, devices[i]);
    free(devices);
    return status;
}

static yoke_status list_platforms(void)
{
    cl_platform_id *platforms = NULL;
    cl_uint count = 0;
    cl_int code = yk_cl.clGetPlatformIDs(0, NULL, &count);
    yoke_status status = YOKE_OK;

    if (code == CL_SUCCESS && count == 0)
        code = CL_PLATFORM_NOT_FOUND_KHR;
    if (code != CL_SUCCESS)
        return yk_opencl_fail_as(YOKE_E_UNAVAILABLE, "clGetPlatformIDs", code, NULL);
    platforms = calloc(count, sizeof *platforms);
    if (!platforms)
        return yk_no_memory("the list of OpenCL platforms");
    code = yk_cl.clGetPlatformIDs(count, platforms, NULL);
    if (code != CL_SUCCESS)
        status = yk_opencl_fail_as(YOKE_E_UNAVAILABLE, "clGetPlatformIDs", code, NULL);
    for (cl_uint i = 0; status == YOKE_OK && i < count; i++)
        status = list_platform(platforms[i]);
    free(platforms);
    return status;
}

/* By PCI address, shorter domains before longer ones; devices without an address last, in the driver's order. */
static bool comes_before(const yk_opencl_slot *one, const yk_opencl_slot *other)
{
    const char *first = one->info.pci, *second = other->info.pci;

    if (!*first || !*second)
        return *first && !*second;
    if (strlen(first) != strlen(second))
        return strlen(first) < strlen(second);
    return strcmp(first, second) < 0;
}

static void sort_slots(void)
{
    for (size_t i = 1; i < slot_count; i++) {
        yk_opencl_slot *moving = slots[i];
        size_t at = i;
        for (; at > 0 && comes_before(moving, slots[at - 1]); at--)
            slots[at] = slots[at - 1];
        slots[at] = moving;
    }
}

/* The slot that device_list added with this index. */
static yk_opencl_slot *find_slot(int32_t index)
{
    for (size_t i = 0; i < slot_count; i++)
        if (!slots[i]->rejected[0] && index-- == 0)
            return slots[i];
    return NULL;
}

/* Query every platform once; query again when no device is usable and a platform or device did not answer. After success, slots
 * may be read without the lock. */
static yoke_status list_once(void)
{
    yoke_status status = yk_opencl_load();

    if (status != YOKE_OK)
        return status;
    pthread_mutex_lock(&lock);
    if (!listed) {
        unanswered = false;
        free_slots();
        status = list_platforms();
        if (status == YOKE_OK)
            sort_slots();
        else
            free_slots();
        listed = status == YOKE_OK && (find_slot(0) || !unanswered);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

yoke_status yk_opencl_device_list(yk_device_list *list)
{
    yoke_status status = list_once();

    for (size_t i = 0; status == YOKE_OK && i < slot_count; i++) {
        const yk_opencl_slot *slot = slots[i];
        if (!slot->rejected[0])
            status = yk_device_list_add(list, &slot->info);
        else if (slot->id)
            yk_device_list_reject(list, "opencl: device '%s' of platform '%s': %s", slot->info.name, slot->info.platform,
                                  slot->rejected);
        else
            yk_device_list_reject(list, "opencl: platform '%s': %s", slot->info.platform, slot->rejected);
    }
    return status;
}

void yk_opencl_forked(void)
{
    yk_lock_renew(&lock);
    yk_opencl_load_forked();
}

/* ---- Opening ---- */

/* OpenCL drivers keep buffers, programs and kernels alive while commands use them, and queues while they have commands. */
static yk_traits traits_of(const yk_opencl_slot *slot)
{
    yk_traits traits = {
        .language = YK_LANGUAGE_OPENCL,
        .keeps_used_objects = true,
        .records_with_operations = true,
        .waits_well = slot->quirks.slow_markers,
        .pins_for_all_devices = false, /* memory is mapped for one context */
        .compiles_for_code = slot->quirks.compiles_for_code,
        .local_parameters = true,
        .sampler_parameters = true,
        .in_host_memory = slot->unified,
        .copies_pageable_slowly = !slot->unified,
        .waits_in_copies = slot->quirks.waits_in_copies,
        .releases_wait = slot->quirks.releases_wait, /* not of a sub-buffer */
        .captures_writes = slot->quirks.captures_writes,
        .fill_reach = slot->quirks.fills_badly ? INT32_MAX : UINT64_MAX,
    };
    for (size_t i = 1; i < YK_COUNT_OF(traits.fills_well); i++)
        traits.fills_well[i] = !slot->quirks.fills_badly;
    memcpy(traits.max_image, slot->max_image, sizeof traits.max_image);
    return traits;
}

yoke_status yk_opencl_device_open(yoke_device *device)
{
    yk_opencl_device *native;
    yoke_status status = list_once();
    cl_int code;

    if (status != YOKE_OK)
        return status;
    native = calloc(1, sizeof *native);
    if (!native)
        return yk_no_memory("an OpenCL device");
    native->slot = find_slot(device->info.index);
    if (!native->slot || strcmp(native->slot->info.name, device->info.name) != 0) {
        status = yk_fail(YOKE_E_NOT_FOUND, "opencl: device %d, '%s', no longer exists", (int)device->info.index, device->info.name);
        goto out_native;
    }
    const cl_context_properties properties[] = { CL_CONTEXT_PLATFORM, (cl_context_properties)native->slot->platform, 0 };
    native->context = yk_cl.clCreateContext(properties, 1, &native->slot->id, NULL, NULL, &code);
    if (!native->context) {
        status = yk_opencl_fail_as(YOKE_E_UNAVAILABLE, "clCreateContext", code, "'%s' refuses to start", device->info.name);
        goto out_native;
    }
    native->mapping = yk_cl.clCreateCommandQueue(native->context, native->slot->id, 0, &code);
    if (!native->mapping) {
        status = yk_opencl_fail("clCreateCommandQueue", code, "'%s'", device->info.name);
        goto out_context;
    }
    if (pthread_mutex_init(&native->memory_lock, NULL) != 0) {
        status = yk_no_memory("a device's lock");
        goto out_queue;
    }
    if (pthread_mutex_init(&native->mapping_lock, NULL) != 0) {
        status = yk_no_memory("a device's lock");
        goto out_memory_lock;
    }
    device->traits = traits_of(native->slot);
    device->native = native;
    return YOKE_OK;
out_memory_lock:
    pthread_mutex_destroy(&native->memory_lock);
out_queue:
    yk_opencl_note("clReleaseCommandQueue", yk_cl.clReleaseCommandQueue(native->mapping));
out_context:
    yk_opencl_note("clReleaseContext", yk_cl.clReleaseContext(native->context));
out_native:
    free(native);
    return status;
}

void yk_opencl_device_close(yoke_device *device)
{
    yk_opencl_device *native = device->native;

    pthread_mutex_destroy(&native->mapping_lock);
    pthread_mutex_destroy(&native->memory_lock);
    /* Buffers are unmapped without a wait, and the process may end right after this. Intel's CPU runtime (2026.2) crashes when
     * the process ends during an unmap, though everything is released: a plain C program crashed in 13 of 1040 runs, and in none
     * with clFinish. */
    yk_opencl_note("clFinish", yk_cl.clFinish(native->mapping));
    yk_opencl_note("clReleaseCommandQueue", yk_cl.clReleaseCommandQueue(native->mapping));
    yk_opencl_note("clReleaseContext", yk_cl.clReleaseContext(native->context));
    free(native);
    device->native = NULL;
}

void yk_opencl_device_native(const yoke_device *device, yoke_native_device *out_native)
{
    const yk_opencl_device *native = yk_opencl_device_of(device);

    out_native->context = native->context;
    out_native->device = (uintptr_t)native->slot->id;
    out_native->platform = native->slot->platform;
}

yoke_status yk_opencl_device_memory(const yoke_device *device, uint64_t *out_free, uint32_t *out_flags)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(device)->slot;
    uint64_t used = atomic_load(&slot->used);

    *out_free = used < slot->info.memory ? slot->info.memory - used : 0;
    *out_flags = YOKE_MEMORY_INFO_ESTIMATED;
    return YOKE_OK;
}

/* Each device has its own context, and a buffer belongs to one context. */
bool yk_opencl_copies_between(const yoke_device *device, const yoke_device *other)
{
    return device == other;
}

const char *yk_opencl_device_lacks(const yoke_device *device, int capability)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(device)->slot;

    switch (capability) {
    case YOKE_CAP_FP64:
        return "the OpenCL device has no double precision (no cl_khr_fp64)";
    case YOKE_CAP_INT64_ATOMICS:
        return "the OpenCL device has no 64-bit atomics (no cl_khr_int64_base_atomics)";
    case YOKE_CAP_SIGNATURE:
        return "the OpenCL driver does not report a kernel's parameters";
    case YOKE_CAP_TIMING:
        return "the OpenCL driver does not support timing (no CL_QUEUE_PROFILING_ENABLE, or a timer without resolution)";
    case YOKE_CAP_MAPPED:
        if (slot->quirks.loses_maps)
            return "Mesa's driver miscounts when a buffer is mapped and unmapped repeatedly";
        return "the OpenCL device has its own memory: the driver would copy mapped memory there and back at each use";
    case YOKE_CAP_MANAGED:
        return "the OpenCL device has no shared virtual memory (no CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)";
    case YOKE_CAP_EXACT_FP32:
        return "the OpenCL device does not round float division and square root correctly, or flushes subnormals to zero";
    case YOKE_CAP_PROGRAM_BINARIES:
        return "the OpenCL driver has no program binaries that it can load again";
    case YOKE_CAP_SPIRV:
        return "the OpenCL driver does not accept SPIR-V (no CL_DEVICE_IL_VERSION, or older than OpenCL 2.1)";
    case YOKE_CAP_GLOBALS:
        return "OpenCL cannot query the address of a program's variable: pass a buffer to the kernel";
    case YOKE_CAP_COOPERATIVE:
        return "OpenCL does not guarantee that all work-groups of a kernel run at once";
    case YOKE_CAP_IMAGES:
        return "the OpenCL device has no images (no CL_DEVICE_IMAGE_SUPPORT)";
    case YOKE_CAP_GRAPHS:
        return slot->replays;
    default:
        return "no such capability";
    }
}
