/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices, what they say of themselves, contexts and each thread's stack of them. The device's name says what this is: no report
 * can take it for a GPU.
 */
#include "driver.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "Yoke CUDA double (CPU, for tests only)"

enum { INVALID_DEVICE_ATTRIBUTE = 1000, DEEPEST = 64 };

#define PRIMARY                                                                \
    {                                                                          \
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER \
    }
#define FOUR PRIMARY, PRIMARY, PRIMARY, PRIMARY

static struct CUctx_st primaries[DOUBLE_DEVICES] = { FOUR, FOUR, FOUR, FOUR };
static pthread_mutex_t retaining = PTHREAD_MUTEX_INITIALIZER; /* of primary contexts */

/* ---- Devices ---- */

static bool is_device(yk_CUdevice device)
{
    return device >= 0 && device < double_settings_get()->devices;
}

yk_CUresult cuDeviceGetCount(int *out_count)
{
    ENTER(DOUBLE_START);
    if (!out_count)
        return YK_CUDA_ERROR_INVALID_VALUE;
    *out_count = double_settings_get()->devices;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuDeviceGet(yk_CUdevice *out_device, int ordinal)
{
    ENTER(DOUBLE_START);
    if (!out_device)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!is_device(ordinal))
        return YK_CUDA_ERROR_INVALID_DEVICE;
    *out_device = ordinal;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuDeviceGetName(char *name, int size, yk_CUdevice device)
{
    ENTER(DOUBLE_START);
    if (!name || size <= 0)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!is_device(device))
        return YK_CUDA_ERROR_INVALID_DEVICE;
    snprintf(name, (size_t)size, "%s", NAME);
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuDeviceGetPCIBusId(char *text, int size, yk_CUdevice device)
{
    ENTER(DOUBLE_START);
    if (!text || size <= 0)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!is_device(device))
        return YK_CUDA_ERROR_INVALID_DEVICE;
    snprintf(text, (size_t)size, "FFFF:%02X:00.0", 0xD0u + (unsigned)device);
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuDeviceGetUuid_v2(yk_CUuuid *out_uuid, yk_CUdevice device)
{
    unsigned char bytes[16] = "Yoke's double";

    ENTER(DOUBLE_START);
    if (!out_uuid)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!is_device(device))
        return YK_CUDA_ERROR_INVALID_DEVICE;
    bytes[15] = (unsigned char)device;
    memcpy(out_uuid, bytes, sizeof bytes);
    return YK_CUDA_SUCCESS;
}

static const struct {
    yk_CUdevice_attribute attribute;
    int value;
} attributes[] = {
    { YK_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, DOUBLE_THREADS_PER_BLOCK },
    { YK_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024 },
    { YK_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024 },
    { YK_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64 },
    { YK_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, INT_MAX },
    { YK_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535 },
    { YK_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535 },
    { YK_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, DOUBLE_SHARED_PER_BLOCK },
    { YK_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, DOUBLE_SHARED_OPTIN },
    { YK_CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32 },
    { YK_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, DOUBLE_MULTIPROCESSORS },
    { YK_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, DOUBLE_CAPABILITY_MAJOR },
    { YK_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, DOUBLE_CAPABILITY_MINOR },
    { YK_CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1 },
    { YK_CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1 },
    { YK_CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1 },
    { YK_CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1 },
    { YK_CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1 },
    { YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, 131072 },
    { YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT, 65536 },
    { YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH, 16384 },
    { YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT, 16384 },
    { YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH, 16384 },
    { YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH, 131072 },
    { YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT, 65536 },
    { YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH, 32768 },
    { YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT, 32768 },
    { YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH, 16384 },
};

yk_CUresult cuDeviceGetAttribute(int *out_value, yk_CUdevice_attribute attribute, yk_CUdevice device)
{
    ENTER(DOUBLE_START);
    if (!out_value || attribute == 0 || attribute >= INVALID_DEVICE_ATTRIBUTE)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!is_device(device))
        return YK_CUDA_ERROR_INVALID_DEVICE;
    *out_value = 0;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].attribute == attribute)
            *out_value = attributes[i].value;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuDeviceCanAccessPeer(int *out_can, yk_CUdevice device, yk_CUdevice peer)
{
    ENTER(DOUBLE_START);
    if (!out_can)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!is_device(device) || !is_device(peer))
        return YK_CUDA_ERROR_INVALID_DEVICE;
    *out_can = device != peer && double_settings_get()->peers;
    return YK_CUDA_SUCCESS;
}

/* ---- Contexts ---- */

bool double_context_alive(yk_CUcontext context)
{
    return context && atomic_load(&context->retained) > 0;
}

yk_CUresult cuDevicePrimaryCtxRetain(yk_CUcontext *out_context, yk_CUdevice device)
{
    ENTER(DOUBLE_START); /* also after a fault */
    if (!out_context)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!is_device(device))
        return YK_CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&retaining);
    if (!atomic_load(&primaries[device].retained)) /* else others read it */
        primaries[device].ordinal = device;
    atomic_fetch_add(&primaries[device].retained, 1);
    pthread_mutex_unlock(&retaining);
    *out_context = &primaries[device];
    return YK_CUDA_SUCCESS;
}

/* After a fault kernels of other streams may still run, so memory and streams stay. */
static void end_context(yk_CUcontext context)
{
    if (double_lost() != YK_CUDA_SUCCESS)
        return;
    double_context_end_streams(context);
    double_print_bring_out((unsigned)context->ordinal);
    double_context_end_memory(context);
}

yk_CUresult cuDevicePrimaryCtxRelease_v2(yk_CUdevice device)
{
    yk_CUresult result = YK_CUDA_SUCCESS;

    ENTER(DOUBLE_START);
    if (!is_device(device))
        return YK_CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&retaining);
    if (!double_context_alive(&primaries[device])) {
        result = YK_CUDA_ERROR_INVALID_CONTEXT;
    } else if (atomic_fetch_sub(&primaries[device].retained, 1) == 1) {
        end_context(&primaries[device]);
        double_pools_end(device);
    }
    pthread_mutex_unlock(&retaining);
    return result;
}

yk_CUresult cuCtxEnablePeerAccess(yk_CUcontext peer, unsigned int flags)
{
    static atomic_uint enabled[DOUBLE_DEVICES]; /* bit n: has access to device n */
    int can = 0;

    ENTER(DOUBLE_CONTEXT);
    if (flags != 0)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!double_context_alive(peer))
        return YK_CUDA_ERROR_INVALID_CONTEXT;
    if (cuDeviceCanAccessPeer(&can, double_current()->ordinal, peer->ordinal) != YK_CUDA_SUCCESS || !can ||
        peer->ordinal == double_current()->ordinal)
        return 217; /* PEER_ACCESS_UNSUPPORTED */
    unsigned bit = 1u << peer->ordinal, before = atomic_fetch_or(&enabled[double_current()->ordinal], bit);
    return before & bit ? YK_CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : YK_CUDA_SUCCESS;
}

/* ---- What is current ---- */

static _Thread_local yk_CUcontext stack[DEEPEST];
static _Thread_local int depth;

yk_CUcontext double_current(void)
{
    return depth > 0 ? stack[depth - 1] : NULL;
}

yk_CUresult cuCtxPushCurrent_v2(yk_CUcontext context)
{
    ENTER(DOUBLE_START);
    if (!context)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!double_context_alive(context))
        return YK_CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (depth == DEEPEST)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    stack[depth++] = context;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuCtxPopCurrent_v2(yk_CUcontext *out_context)
{
    ENTER(DOUBLE_START);
    if (depth == 0)
        return YK_CUDA_ERROR_INVALID_CONTEXT;
    depth--;
    if (out_context)
        *out_context = stack[depth];
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuCtxGetCurrent(yk_CUcontext *out_context)
{
    ENTER(DOUBLE_START);
    if (!out_context)
        return YK_CUDA_ERROR_INVALID_VALUE;
    *out_context = double_current();
    return YK_CUDA_SUCCESS;
}

/* Takes the place of the one that is current; NULL takes that away. */
yk_CUresult cuCtxSetCurrent(yk_CUcontext context)
{
    ENTER(DOUBLE_START);
    if (context && !double_context_alive(context))
        return YK_CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (depth > 0)
        depth--;
    return context ? cuCtxPushCurrent_v2(context) : YK_CUDA_SUCCESS;
}

yk_CUresult cuCtxSynchronize(void)
{
    ENTER(DOUBLE_CONTEXT);
    double_context_wait(double_current());
    double_pools_settle(double_current()->ordinal, 0);
    double_print_bring_out((unsigned)double_current()->ordinal);
    return double_lost();
}

yk_CUresult cuCtxCreate_v2(yk_CUcontext *out_context, unsigned int flags, yk_CUdevice ordinal)
{
    yk_CUcontext context;

    ENTER(DOUBLE_USABLE);
    if (!out_context || flags > 0xff)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!is_device(ordinal))
        return YK_CUDA_ERROR_INVALID_DEVICE;
    context = calloc(1, sizeof *context);
    if (!context || pthread_mutex_init(&context->lock, NULL) || pthread_cond_init(&context->changed, NULL)) {
        free(context);
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    }
    context->ordinal = ordinal;
    atomic_store(&context->retained, 1);
    *out_context = context;
    return cuCtxPushCurrent_v2(context);
}

yk_CUresult cuCtxDestroy_v2(yk_CUcontext context)
{
    ENTER(DOUBLE_START);
    if (!double_context_alive(context))
        return YK_CUDA_ERROR_INVALID_CONTEXT;
    if (double_current() == context)
        depth--;
    atomic_store(&context->retained, 0);
    end_context(context);
    if (double_lost() == YK_CUDA_SUCCESS) {
        pthread_mutex_destroy(&context->lock);
        pthread_cond_destroy(&context->changed);
        free(context);
    }
    return double_lost();
}
