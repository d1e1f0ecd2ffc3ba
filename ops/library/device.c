/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept for each device: the pools of the vendors' libraries, which end with the device. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>
#include <yoke/native.h>

#include "library.h"

enum { MEBIBYTE = 1 << 20, LARGE_BLOCKS = 200 << 10 };

static const char key; /* its address */

bool yops_context_enter(const yops_vendor_device *device)
{
    return yops_library_open(YOPS_CUDA_DRIVER)->usable && yops_cuda.cuCtxPushCurrent_v2(device->context) == 0;
}

void yops_context_leave(void)
{
    yops_CUcontext context;
    (void)yops_cuda.cuCtxPopCurrent_v2(&context);
}

static void end(void *value)
{
    yops_vendor_device *device = value;
    bool entered = false;
    for (int id = 0; id < YOPS_LIBRARY_END; id++) {
        yops_pool *pool = atomic_load(&device->pools[id]);
        entered = entered || (pool && yops_context_enter(device));
        if (pool)
            pool->destroy(pool);
    }
    if (entered)
        yops_context_leave();
    free(device);
}

/* NVIDIA recommends 32 MiB for Hopper and its successors in data centres, which are those with large shared memory. */
static yoke_status describe(const yops_call *call, yops_vendor_device *device)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    yoke_status status = yoke_device_get_info(call->device, &info);
    if (status == YOKE_OK)
        status = yoke_device_get_native(call->device, &native);
    device->is_cuda = strcmp(info.backend, "cuda") == 0;
    device->likes_clblast = !device->is_cuda && info.kind == YOKE_DEVICE_GPU && info.compute_capability == 0;
    device->context = native.context;
    device->workspace = (size_t)(info.max_shared_bytes >= LARGE_BLOCKS ? 32 : 4) * MEBIBYTE;
    return status;
}

static yoke_status create_device(const yops_call *call, yops_vendor_device **out_device)
{
    yops_vendor_device *device = calloc(1, sizeof *device);
    void *kept = NULL;
    if (!device)
        return yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for a device's handles of vendors' libraries");
    yoke_status status = describe(call, device);
    if (status == YOKE_OK)
        status = yoke_device_attach(call->device, &key, device, end, &kept);
    if (kept != device)
        end(device);
    *out_device = kept;
    return status;
}

yoke_status yops_vendor_device_get(const yops_call *call, yops_vendor_device **out_device)
{
    void *kept;
    yoke_status status = yoke_device_attach(call->device, &key, NULL, NULL, &kept);
    *out_device = kept;
    return status == YOKE_OK && !kept ? create_device(call, out_device) : status;
}

yops_pool *yops_vendor_device_get_pool(const yops_call *call, yops_vendor_device *device, yops_library_id id,
                                       yops_pool *(*create)(void))
{
    yops_pool *pool = atomic_load_explicit(&device->pools[id], memory_order_acquire), *other = NULL;
    if (pool)
        return pool;
    pool = create();
    if (!pool) {
        (void)yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for a device's handles of %s", yops_library_name(id));
        return NULL;
    }
    if (atomic_compare_exchange_strong(&device->pools[id], &other, pool))
        return pool;
    pool->destroy(pool); /* another thread was first, and this one is empty: no context is needed */
    return other;
}
