/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA devices. Listing devices creates no context. An open device retains its primary context, which it shares with all other
 * CUDA code of the process (the runtime API, PyTorch): memory and streams can be exchanged, and Yoke must not change the context's
 * flags.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

yoke_status yk_cuda_enter(const yoke_device *device)
{
    return yk_cuda_check("cuCtxPushCurrent_v2", yk_cu.cuCtxPushCurrent_v2(yk_cuda_device_of(device)->context));
}

void yk_cuda_leave(void)
{
    yk_CUcontext ours;
    yk_cuda_note("cuCtxPopCurrent_v2",
                 yk_cu.cuCtxPopCurrent_v2(&ours)); /* fails only on an empty stack, and the push has succeeded */
}

bool yk_cuda_try_enter(const yoke_device *device)
{
    return yk_cuda_note("cuCtxPushCurrent_v2", yk_cu.cuCtxPushCurrent_v2(yk_cuda_device_of(device)->context));
}

/* ---- Listing ---- */

/* A query of a device's integer attributes, which stops at the first failure. */
typedef struct attribute_query {
    yk_CUdevice ordinal;
    yk_CUresult result;
} attribute_query;

static uint32_t ask(attribute_query *query, yk_CUdevice_attribute attribute)
{
    int value = 0;
    if (query->result == YK_CUDA_SUCCESS)
        query->result = yk_cu.cuDeviceGetAttribute(&value, attribute, query->ordinal);
    return query->result == YK_CUDA_SUCCESS && value > 0 ? (uint32_t)value : 0;
}

static yoke_status get_pci(yk_CUdevice ordinal, char *pci, size_t size)
{
    yk_CUresult result = yk_cu.cuDeviceGetPCIBusId(pci, (int)size, ordinal);

    if (result != YK_CUDA_SUCCESS)
        pci[0] = '\0';
    for (char *c = pci; *c; c++)
        *c = yk_lower(*c);
    return result == YK_CUDA_ERROR_NOT_SUPPORTED ? YOKE_OK : yk_cuda_check("cuDeviceGetPCIBusId", result);
}

static yoke_status get_uuid(yk_CUdevice ordinal, char *uuid, size_t size)
{
    unsigned char bytes[16];
    size_t length = 0;

    uuid[0] = '\0';
    if (!yk_cu.cuDeviceGetUuid_v2)
        return YOKE_OK;
    yk_CUresult result = yk_cu.cuDeviceGetUuid_v2((yk_CUuuid *)(void *)bytes, ordinal);
    if (result != YK_CUDA_SUCCESS)
        return result == YK_CUDA_ERROR_NOT_SUPPORTED ? YOKE_OK : yk_cuda_fail("cuDeviceGetUuid_v2", result, NULL);
    for (size_t i = 0; i < sizeof bytes && length + 4 <= size; i++)
        length +=
            (size_t)snprintf(uuid + length, size - length, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
    return YOKE_OK;
}

/* The PCI address and the UUID identify a device across starts of the driver; "" where the driver has none. A partial identity
 * would not find the device again, so any failure is an error. */
static yoke_status identify(yk_CUdevice ordinal, char *pci, size_t pci_size, char *uuid, size_t uuid_size)
{
    yoke_status status = get_pci(ordinal, pci, pci_size);
    return status == YOKE_OK ? get_uuid(ordinal, uuid, uuid_size) : status;
}

static yoke_status describe_limits(yk_CUdevice ordinal, yoke_device_info *info)
{
    attribute_query query = { ordinal, YK_CUDA_SUCCESS };

    info->compute_units = ask(&query, YK_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    info->max_shared_bytes = ask(&query, YK_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    info->max_block_threads = ask(&query, YK_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    for (unsigned i = 0; i < 3; i++) {
        info->max_grid[i] = ask(&query, YK_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i);
        info->max_block[i] = ask(&query, YK_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i);
    }
    uint32_t optin = ask(&query, YK_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (optin > info->max_shared_bytes) /* kernel.c opts in to it */
        info->max_shared_bytes = optin;
    if (ask(&query, YK_CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) == YK_CU_COMPUTEMODE_PROHIBITED)
        return yk_fail(YOKE_E_UNAVAILABLE,
                       "its compute mode is 'prohibited'; an administrator can change the mode: nvidia-smi -c DEFAULT");
    return yk_cuda_check("cuDeviceGetAttribute", query.result);
}

/* An image is a texture and a surface. */
static void ask_image_limits(attribute_query *query, uint64_t max_image[2][3])
{
    static const yk_CUdevice_attribute first[2][2] = {
        { YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH },
        { YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH, YK_CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH },
    };
    for (unsigned volume = 0; volume < 2; volume++)
        for (unsigned i = 0; i < 2 + volume; i++) { /* width, height and depth are consecutive */
            uint32_t texture = ask(query, first[volume][0] + i), surface = ask(query, first[volume][1] + i);
            max_image[volume][i] = texture < surface ? texture : surface;
        }
}

static bool has_graphs(void)
{
    return yk_cu.cuGraphAddKernelNode_v2 && yk_cu.cuGraphExecKernelNodeSetParams_v2 && yk_cu.cuGraphCreate &&
           yk_cu.cuGraphDestroy && yk_cu.cuGraphAddMemcpyNode && yk_cu.cuGraphAddMemsetNode && yk_cu.cuGraphInstantiateWithFlags &&
           yk_cu.cuGraphExecDestroy && yk_cu.cuGraphExecMemcpyNodeSetParams && yk_cu.cuGraphExecMemsetNodeSetParams &&
           yk_cu.cuGraphLaunch;
}

static yoke_status describe(yk_CUdevice ordinal, yoke_device_info *info)
{
    int version = 0;
    size_t memory = 0;
    yoke_status status;

    *info = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    info->kind = YOKE_DEVICE_GPU;
    info->view_alignment = 1;
    attribute_query query = { ordinal, YK_CUDA_SUCCESS };
    info->compute_capability = 10 * ask(&query, YK_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                               ask(&query, YK_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    info->capabilities = YK_CAP(FP64) | YK_CAP(INT64_ATOMICS) | YK_CAP(TIMING) | YK_CAP(EXACT_FP32) | YK_CAP(PROGRAM_BINARIES) |
                         YK_CAP(GLOBALS) | YK_CAP(IMAGES);
    if (yk_cu.cuFuncGetParamInfo)
        info->capabilities |= YK_CAP(SIGNATURE);
    if (has_graphs())
        info->capabilities |= YK_CAP(GRAPHS);
    if (ask(&query, YK_CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY))
        info->capabilities |= YK_CAP(MAPPED);
    if (ask(&query, YK_CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) && ask(&query, YK_CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS))
        info->capabilities |= YK_CAP(MANAGED);
    if (ask(&query, YK_CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH))
        info->capabilities |= YK_CAP(COOPERATIVE);
    yk_string_copy(info->vendor, sizeof info->vendor, "NVIDIA");
    yk_string_copy(info->platform, sizeof info->platform, "NVIDIA CUDA");
    status = yk_cuda_check("cuDeviceGetName", yk_cu.cuDeviceGetName(info->name, sizeof info->name, ordinal));
    if (status == YOKE_OK)
        status = yk_cuda_check("cuDeviceGetAttribute", query.result);
    if (status == YOKE_OK)
        status = identify(ordinal, info->pci, sizeof info->pci, info->uuid, sizeof info->uuid);
    if (status == YOKE_OK)
        status = yk_cuda_check("cuDriverGetVersion", yk_cu.cuDriverGetVersion(&version));
    if (status == YOKE_OK)
        status = yk_cuda_check("cuDeviceTotalMem_v2", yk_cu.cuDeviceTotalMem_v2(&memory, ordinal));
    if (status == YOKE_OK)
        status = describe_limits(ordinal, info);
    snprintf(info->driver, sizeof info->driver, "%d.%d", version / 1000, version % 1000 / 10);
    info->memory = info->max_buffer = memory;
    return status;
}

static int by_pci(const void *a, const void *b)
{
    const yoke_device_info *left = a, *right = b;
    int order = strcmp(left->pci, right->pci);
    return order ? order : strcmp(left->uuid, right->uuid); /* MIG instances of one GPU share its address */
}

/* The number of devices; no device is a failure. */
static yoke_status count_devices(int *out_count)
{
    yk_CUresult result = yk_cu.cuDeviceGetCount(out_count);
    if (result == YK_CUDA_SUCCESS && *out_count <= 0)
        result = YK_CUDA_ERROR_NO_DEVICE;
    return result == YK_CUDA_SUCCESS ? YOKE_OK : yk_cuda_fail_as(YOKE_E_UNAVAILABLE, "cuDeviceGetCount", result, NULL);
}

yoke_status yk_cuda_device_list(yk_device_list *list)
{
    yoke_device_info *infos = NULL;
    int count = 0;
    size_t usable = 0;
    yoke_status status = yk_cuda_load();

    if (status == YOKE_OK)
        status = count_devices(&count);
    if (status < 0)
        return status;
    infos = calloc((size_t)count + 1, sizeof *infos);
    if (!infos)
        return yk_no_memory("the list of CUDA devices");

    for (int i = 0; i < count; i++) {
        yk_CUdevice ordinal;
        status = yk_cuda_check("cuDeviceGet", yk_cu.cuDeviceGet(&ordinal, i));
        if (status == YOKE_OK)
            status = describe(ordinal, &infos[usable]);
        if (status == YOKE_OK)
            usable++;
        else
            yk_device_list_reject(list, "cuda: GPU %d%s%s: %s", i, infos[usable].name[0] ? ", " : "", infos[usable].name,
                                  yoke_error()->text);
    }
    qsort(infos, usable, sizeof *infos, by_pci);
    status = YOKE_OK;
    for (size_t i = 0; i < usable && status == YOKE_OK; i++)
        status = yk_device_list_add(list, &infos[i]);
    free(infos);
    return status;
}

/* ---- Opening ---- */

/* The driver's ordinal of a device: another process may have listed the devices in another order, or under another
 * CUDA_VISIBLE_DEVICES. */
static yoke_status find(const yoke_device_info *info, yk_CUdevice *out_ordinal)
{
    int count = 0;
    yoke_status status = count_devices(&count);

    for (int i = 0; i < count && status == YOKE_OK; i++) {
        char pci[sizeof info->pci], uuid[sizeof info->uuid];
        status = yk_cuda_check("cuDeviceGet", yk_cu.cuDeviceGet(out_ordinal, i));
        if (status == YOKE_OK)
            status = identify(*out_ordinal, pci, sizeof pci, uuid, sizeof uuid);
        if (status == YOKE_OK && strcmp(pci, info->pci) == 0 && strcmp(uuid, info->uuid) == 0)
            return YOKE_OK;
    }
    if (status < 0)
        return status;
    return yk_fail(YOKE_E_NOT_FOUND, "cuda: %s (%s, PCI %s) is no longer among the %d GPUs that the driver shows to this process",
                   info->selector, info->name, info->pci, count);
}

yoke_status yk_cuda_device_open(yoke_device *device)
{
    yk_cuda_device *native;
    yk_CUresult result;
    yoke_status status = yk_cuda_load();

    if (status < 0)
        return status;
    native = calloc(1, sizeof *native);
    if (!native)
        return yk_no_memory("a CUDA device");
    status = find(&device->info, &native->ordinal);
    if (status < 0)
        goto out;

    attribute_query query = { native->ordinal, YK_CUDA_SUCCESS };
    native->architecture = (int)(10 * ask(&query, YK_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
    native->architecture += (int)ask(&query, YK_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    native->warp_size = (int)ask(&query, YK_CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    native->max_shared_bytes = (int)device->info.max_shared_bytes;
    uint64_t max_image[2][3] = { { 0 } };
    ask_image_limits(&query, max_image);
    status = yk_cuda_check("cuDeviceGetAttribute", query.result);
    if (status < 0)
        goto out;

    result = yk_cu.cuDevicePrimaryCtxRetain(&native->context, native->ordinal);
    if (result != YK_CUDA_SUCCESS) {
        status = yk_cuda_fail("cuDevicePrimaryCtxRetain", result, "%s cannot be opened", device->info.name);
        goto out;
    }
    status = yk_cuda_pool_create(device, native);
    if (status < 0) {
        yk_cuda_note("cuDevicePrimaryCtxRelease_v2", yk_cu.cuDevicePrimaryCtxRelease_v2(native->ordinal));
        goto out;
    }
    device->traits = (yk_traits){
        .default_streams = 2, /* CU_STREAM_LEGACY, CU_STREAM_PER_THREAD */
        .language = YK_LANGUAGE_CUDA,
        .reads_headers = true,
        .keeps_used_objects = false,  /* neither cuMemFree nor unloading a module promises to wait for work in flight */
        .pins_for_all_devices = true, /* allocated as portable */
        .driver_pool = native->pool != NULL,
        .copies_pageable_slowly = true,
        .reads_block = true,
        .fills_well = { [1] = true, [2] = true, [4] = true },
        .fill_reach = UINT64_MAX,
    };
    memcpy(device->traits.max_image, max_image, sizeof max_image);
    device->native = native;
    native = NULL;
out:
    free(native);
    return status;
}

void yk_cuda_device_close(yoke_device *device)
{
    yk_cuda_device *native = yk_cuda_device_of(device);
    for (size_t i = 0; i < YK_COUNT_OF(native->notifiers); i++) {
        if (!native->notifiers[i].stream)
            continue;
        yk_cuda_note("cuStreamSynchronize",
                     yk_cu.cuStreamSynchronize(native->notifiers[i].stream)); /* a wake-up in flight still reads its notifier */
        yk_cuda_note("cuStreamDestroy_v2", yk_cu.cuStreamDestroy_v2(native->notifiers[i].stream));
    }
    if (native->pool)
        yk_cuda_note("cuMemPoolDestroy", yk_cu.cuMemPoolDestroy(native->pool));
    yk_cuda_note("cuDevicePrimaryCtxRelease_v2", yk_cu.cuDevicePrimaryCtxRelease_v2(native->ordinal));
    free(native);
    device->native = NULL;
}

void yk_cuda_device_native(const yoke_device *device, yoke_native_device *out_native)
{
    out_native->context = yk_cuda_device_of(device)->context;
    out_native->device = (uintptr_t)yk_cuda_device_of(device)->ordinal;
    out_native->platform = NULL;
}

/* Enable peer access in each direction once, until the process ends: the primary context is shared with other code. */
static bool reach(const yoke_device *device, const yoke_device *other)
{
    const yk_cuda_device *from = yk_cuda_device_of(device), *to = yk_cuda_device_of(other);
    const yk_CUmemAccessDesc access = { { YK_CU_MEM_LOCATION_TYPE_DEVICE, from->ordinal }, YK_CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    int can = 0;
    if (!yk_cuda_note("cuDeviceCanAccessPeer", yk_cu.cuDeviceCanAccessPeer(&can, from->ordinal, to->ordinal)) || !can ||
        !yk_cuda_try_enter(device))
        return false;
    yk_CUresult result = yk_cu.cuCtxEnablePeerAccess(to->context, 0);
    yk_cuda_leave();
    if (result != YK_CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED && !yk_cuda_note("cuCtxEnablePeerAccess", result))
        return false;
    return !to->pool ||
           yk_cuda_note("cuMemPoolSetAccess",
                        yk_cu.cuMemPoolSetAccess(to->pool, (const struct CUmemAccessDesc_st *)(const void *)&access, 1));
}

/* The driver copies between any two of its devices, through the host where they are not peers. */
bool yk_cuda_copies_between(const yoke_device *device, const yoke_device *other)
{
    yk_cuda_device *one = yk_cuda_device_of(device), *two = yk_cuda_device_of(other);
    uint64_t bit = two->ordinal < 64 ? (uint64_t)1 << two->ordinal : 0;

    if (bit && atomic_load_explicit(&one->peers, memory_order_relaxed) & bit)
        return true;
    if (one->ordinal != two->ordinal && !(reach(device, other) && reach(other, device)))
        yk_log(YOKE_LOG_INFO, "%s and %s cannot access each other's memory: copies between them go through the host",
               device->info.selector, other->info.selector);
    atomic_fetch_or_explicit(&one->peers, bit, memory_order_relaxed);
    return true;
}

const char *yk_cuda_device_lacks(const yoke_device *device, int capability)
{
    (void)device;
    if (capability == YOKE_CAP_MAPPED)
        return "the GPU cannot access host memory in place";
    if (capability == YOKE_CAP_MANAGED)
        return "the GPU or its system does not support concurrent access of host and device to managed memory";
    if (capability == YOKE_CAP_SPIRV)
        return "the CUDA driver accepts PTX and machine code, but not SPIR-V";
    if (capability == YOKE_CAP_COOPERATIVE)
        return "the GPU does not support cooperative launches (no COOPERATIVE_LAUNCH)";
    if (capability == YOKE_CAP_GRAPHS)
        return "the CUDA driver is older than 12.0; Yoke needs the graphs of 12.0";
    if (capability == YOKE_CAP_SIGNATURE)
        return "the CUDA driver is older than 12.4, and does not report the parameters of kernels";
    return "this version of Yoke does not know this capability of CUDA devices";
}
