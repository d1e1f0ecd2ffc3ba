/* SPDX-License-Identifier: Apache-2.0 */
/* What the loader calls, and the functions about platforms, devices, queues and events. */
#include <stdlib.h>
#include <string.h>

#include "profile.h"

static const cl_icd_dispatch *next; /* the driver, or another layer */
static cl_icd_dispatch ours;

/* ---- What it looks like ---- */

static cl_int CL_API_CALL get_platform_info(cl_platform_id platform, cl_platform_info name, size_t size, void *value,
                                            size_t *size_ret)
{
    cl_int code;
    if (profile_answer(name, size, value, size_ret, &code))
        return code;
    if (name == CL_PLATFORM_EXTENSIONS)
        return profile_give("", 1, size, value, size_ret);
    return next->clGetPlatformInfo(platform, name, size, value, size_ret);
}

/* Whatever the device's type, the driver has only the one that it really is. */
static cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *devices,
                                         cl_uint *count)
{
    cl_device_type own = profile_number(CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU) | CL_DEVICE_TYPE_DEFAULT;
    return type & own ? next->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, room, devices, count) : CL_DEVICE_NOT_FOUND;
}

/* Memory that the machine has not cannot be had: the driver's limit, where that is less. */
static cl_int get_memory(cl_device_id device, cl_device_info name, size_t size, void *value, size_t *size_ret)
{
    cl_ulong driver = UINT64_MAX, own = profile_number(name, UINT64_MAX);
    (void)next->clGetDeviceInfo(device, name, sizeof driver, &driver, NULL);
    return profile_give(driver < own ? &driver : &own, sizeof driver, size, value, size_ret);
}

/* What the driver has and the file does not name, and what came after the device's version, is not there. */
static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info name, size_t size, void *value, size_t *size_ret)
{
    static const cl_uint no = 0;
    const cl_ulong nothing = 0;
    cl_int code;
    if (name == CL_DEVICE_GLOBAL_MEM_SIZE || name == CL_DEVICE_MAX_MEM_ALLOC_SIZE)
        return get_memory(device, name, size, value, size_ret);
    if (profile_answer(name, size, value, size_ret, &code))
        return code;
    switch (name) {
    case CL_DEVICE_DOUBLE_FP_CONFIG:
    case CL_DEVICE_HALF_FP_CONFIG:
        return profile_give(&nothing, sizeof nothing, size, value, size_ret);
    case CL_DEVICE_IMAGE_SUPPORT:
        return profile_give(&no, sizeof no, size, value, size_ret);
    case CL_DEVICE_EXTENSIONS:
        return profile_give("", 1, size, value, size_ret);
    case CL_DEVICE_IL_VERSION:
    case CL_DEVICE_SVM_CAPABILITIES:
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return CL_INVALID_VALUE;
    default:
        return next->clGetDeviceInfo(device, name, size, value, size_ret);
    }
}

static void *CL_API_CALL get_extension_function(cl_platform_id platform, const char *name)
{
    (void)platform, (void)name;
    return NULL;
}

static void *CL_API_CALL get_extension_function_anywhere(const char *name)
{
    (void)name;
    return NULL;
}

/* ---- Queues ---- */

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                                 cl_int *code)
{
    if (properties & ~profile_number(CL_DEVICE_QUEUE_PROPERTIES, properties))
        return profile_refuse(CL_INVALID_QUEUE_PROPERTIES, code);
    return next->clCreateCommandQueue(context, device, properties, code);
}

static cl_command_queue CL_API_CALL create_queue_with(cl_context context, cl_device_id device, const cl_queue_properties *given,
                                                      cl_int *code)
{
    if (profile_version(CL_DEVICE_VERSION, 120) < 200)
        return profile_refuse(CL_INVALID_OPERATION, code);
    for (const cl_queue_properties *at = given; at && *at; at += 2)
        if (at[0] == CL_QUEUE_PROPERTIES && at[1] & ~profile_number(CL_DEVICE_QUEUE_PROPERTIES, at[1]))
            return profile_refuse(CL_INVALID_QUEUE_PROPERTIES, code);
    return next->clCreateCommandQueueWithProperties(context, device, given, code);
}

/* ---- Events ---- */

static cl_int CL_API_CALL set_event_callback(cl_event event, cl_int type, void(CL_CALLBACK *fn)(cl_event, cl_int, void *),
                                             void *user)
{
    switch (profile_number(PROFILE_CALLBACKS, 1)) {
    case 0:
        return CL_INVALID_OPERATION;
    case 1:
        return next->clSetEventCallback(event, type, fn, user);
    default:
        return CL_SUCCESS;
    }
}

/* ---- What the loader calls ---- */

PROFILE_EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_ret)
{
    static const char words[] = "Yoke's profiles of devices";
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (name == CL_LAYER_NAME)
        return profile_give(words, sizeof words, size, value, size_ret);
    if (name == CL_LAYER_API_VERSION)
        return profile_give(&version, sizeof version, size, value, size_ret);
    return CL_INVALID_VALUE;
}

PROFILE_EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
                                                           cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret)
{
    const cl_uint known = sizeof ours / sizeof ours.clFlush;
    const char *path = getenv("YOKE_PROFILE");
    if (!target_dispatch || !num_entries_ret || !layer_dispatch_ret || !path || !profile_read(path))
        return CL_INVALID_VALUE;
    next = target_dispatch;
    *num_entries_ret = num_entries < known ? num_entries : known; /* loader and headers may differ in age; what is ours is old */
    memcpy(&ours, target_dispatch, *num_entries_ret * sizeof ours.clFlush);
    ours.clGetPlatformInfo = get_platform_info;
    ours.clGetDeviceIDs = get_device_ids;
    ours.clGetDeviceInfo = get_device_info;
    ours.clGetExtensionFunctionAddress = get_extension_function_anywhere;
    ours.clGetExtensionFunctionAddressForPlatform = get_extension_function;
    ours.clCreateCommandQueue = create_queue;
    ours.clCreateCommandQueueWithProperties = create_queue_with;
    ours.clSetEventCallback = set_event_callback;
    profile_take_memory_calls(target_dispatch, &ours);
    profile_take_program_calls(target_dispatch, &ours);
    profile_take_kernel_calls(target_dispatch, &ours);
    *layer_dispatch_ret = &ours;
    return CL_SUCCESS;
}
