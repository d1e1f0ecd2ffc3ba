/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept for each device: handles and plans of the vendors' libraries, which end with the device. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>
#include <yoke/native.h>

#include "vendor.h"

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
    bool entered = device->is_cuda && (device->cublas || device->cufft) && yops_context_enter(device);
    yops_cublas_pool_destroy(device->cublas);
    yops_cufft_pool_destroy(device->cufft);
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
    device->likes_clblast = !device->is_cuda && info.kind == YOKE_DEVICE_GPU && !strstr(info.vendor, "NVIDIA");
    device->context = native.context;
    device->workspace = (size_t)(info.max_shared_bytes >= LARGE_BLOCKS ? 32 : 4) * MEBIBYTE;
    return status;
}

static yoke_status create(const yops_call *call, yops_vendor_device **out_device)
{
    yops_vendor_device *device = calloc(1, sizeof *device);
    void *kept = NULL;
    if (!device)
        return yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for a device's handles of vendors' libraries");
    yoke_status status = describe(call, device);
    if (status == YOKE_OK && device->is_cuda) {
        device->cublas = yops_cublas_pool_create();
        device->cufft = yops_cufft_pool_create();
        if (!device->cublas || !device->cufft)
            status = yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for a device's handles of vendors' libraries");
    }
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
    return status == YOKE_OK && !kept ? create(call, out_device) : status;
}
