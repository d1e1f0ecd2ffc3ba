/* SPDX-License-Identifier: Apache-2.0 */
/* The device of the host backend: 1 GiB of the host's memory, which is counted so that it can run out. */
#include "host.h"

#include <stdlib.h>

static const uint64_t memory = (uint64_t)1 << 30;
static atomic_uint_fast64_t used; /* bytes of `memory` */

/* ---- Devices ---- */

yoke_status yk_host_device_list(yk_device_list *list)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yk_string_copy(info.name, sizeof info.name, "Host memory");
    yk_string_copy(info.vendor, sizeof info.vendor, "Yoke");
    yk_string_copy(info.platform, sizeof info.platform, "Yoke's tests");
    yk_string_copy(info.driver, sizeof info.driver, "1");
    info.kind = YOKE_DEVICE_EMULATOR;
    info.capabilities = UINT64_C(1) << YOKE_CAP_TIMING | UINT64_C(1) << YOKE_CAP_MAPPED | UINT64_C(1) << YOKE_CAP_MANAGED;
    info.compute_units = 1;
    info.memory = info.max_buffer = memory;
    info.max_shared_bytes = 1 << 15;
    info.max_grid[0] = info.max_grid[1] = info.max_grid[2] = INT32_MAX;
    info.max_block[0] = info.max_block_threads = 1024;
    info.max_block[1] = info.max_block[2] = 1;
    info.view_alignment = 1;
    return yk_device_list_add(list, &info);
}

bool yk_host_driver_key(yk_text *key)
{
    (void)key; /* no driver that could change */
    return true;
}

void yk_host_driver_each(yk_driver_visit *visit, void *user)
{
    (void)visit, (void)user;
}

void yk_host_forked(void)
{
}

yoke_status yk_host_device_open(yoke_device *device)
{
    device->traits = (yk_traits){ .language = YK_LANGUAGE_OPENCL,
                                  .keeps_used_objects = true, /* no operation is in flight when a call returns */
                                  .pins_for_all_devices = true,
                                  .fill_reach = UINT64_MAX };
    for (size_t i = 0; i < YK_COUNT_OF(device->traits.fills_well); i++)
        device->traits.fills_well[i] = true;
    return YOKE_OK;
}

void yk_host_device_close(yoke_device *device)
{
    (void)device;
}

void yk_host_device_native(const yoke_device *device, yoke_native_device *out_native)
{
    (void)device, (void)out_native; /* no native handles */
}

const char *yk_host_device_lacks(const yoke_device *device, int capability)
{
    (void)device, (void)capability;
    return "the backend of the tests has only its table of kernels";
}

yoke_status yk_host_device_memory(const yoke_device *device, uint64_t *out_free, uint32_t *out_flags)
{
    (void)device;
    *out_free = memory - atomic_load(&used);
    *out_flags = 0;
    return YOKE_OK;
}

bool yk_host_copies_between(const yoke_device *device, const yoke_device *other)
{
    (void)device, (void)other;
    return true;
}

/* ---- Memory ---- */

static bool is_counted(const yoke_buffer *buffer)
{
    return buffer->kind == YOKE_MEMORY_DEVICE;
}

yoke_status yk_host_buffer_create(yoke_buffer *buffer)
{
    size_t size = buffer->capacity;
    void *bytes = NULL;
    if (is_counted(buffer) && atomic_fetch_add(&used, size) + size > memory) {
        atomic_fetch_sub(&used, size);
        return yk_driver_fail(YOKE_E_OUT_OF_DEVICE_MEMORY, "host", "buffer_create", 1, "OUT_OF_MEMORY", "%zu bytes asked", size);
    }
    if (posix_memalign(&bytes, 4096, size) != 0) {
        if (is_counted(buffer))
            atomic_fetch_sub(&used, size);
        return yk_no_memory("a buffer");
    }
    buffer->native.pointer = bytes;
    buffer->host = is_counted(buffer) ? NULL : bytes;
    return YOKE_OK;
}

yoke_status yk_host_buffer_register(yoke_buffer *buffer)
{
    buffer->native.pointer = buffer->host;
    return YOKE_OK;
}

yoke_status yk_host_buffer_wrap(yoke_buffer *buffer, uintptr_t native)
{
    (void)buffer, (void)native;
    return yk_fail(YOKE_E_UNSUPPORTED, "host: nothing tells which memory is the device's");
}

void yk_host_buffer_destroy(yoke_buffer *buffer)
{
    if (buffer->origin != YK_CREATED)
        return;
    free(buffer->native.pointer);
    if (is_counted(buffer))
        atomic_fetch_sub(&used, buffer->capacity);
}

yoke_status yk_host_buffer_native(const yoke_buffer *buffer, uintptr_t *out_native)
{
    *out_native = (uintptr_t)buffer->root->native.pointer + buffer->offset;
    return YOKE_OK;
}

yoke_status yk_host_view_create(yoke_buffer *view)
{
    view->native.pointer = (char *)view->root->native.pointer + view->offset;
    return YOKE_OK;
}

void yk_host_view_destroy(yoke_buffer *view)
{
    (void)view;
}

bool yk_host_host_is_pinned(const yoke_device *device, const void *host)
{
    (void)device, (void)host;
    return false;
}
