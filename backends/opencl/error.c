/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCL's codes: their names, their statuses, and advice. A code has different meanings in different calls; a caller that knows
 * the meaning uses yk_opencl_fail_as.
 */
#include "driver.h"

/* NVIDIA's driver returns this code after a kernel's illegal memory access; it is in no header. */
#define NVIDIA_ILLEGAL_ACCESS (-9999)

#define RESTART \
    "a kernel crashed, and the device is lost to this process: restart the process, and look for an access out of bounds"

const char *yk_opencl_code_name(cl_int code)
{
#define NAME(name) \
    case name:     \
        return #name;
    switch (code) {
        NAME(CL_SUCCESS)
        NAME(CL_DEVICE_NOT_FOUND)
        NAME(CL_DEVICE_NOT_AVAILABLE)
        NAME(CL_COMPILER_NOT_AVAILABLE)
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        NAME(CL_OUT_OF_RESOURCES)
        NAME(CL_OUT_OF_HOST_MEMORY)
        NAME(CL_PROFILING_INFO_NOT_AVAILABLE)
        NAME(CL_MEM_COPY_OVERLAP)
        NAME(CL_BUILD_PROGRAM_FAILURE)
        NAME(CL_MAP_FAILURE)
        NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET)
        NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        NAME(CL_COMPILE_PROGRAM_FAILURE)
        NAME(CL_LINKER_NOT_AVAILABLE)
        NAME(CL_LINK_PROGRAM_FAILURE)
        NAME(CL_DEVICE_PARTITION_FAILED)
        NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
        NAME(CL_INVALID_VALUE)
        NAME(CL_INVALID_DEVICE_TYPE)
        NAME(CL_INVALID_PLATFORM)
        NAME(CL_INVALID_DEVICE)
        NAME(CL_INVALID_CONTEXT)
        NAME(CL_INVALID_QUEUE_PROPERTIES)
        NAME(CL_INVALID_COMMAND_QUEUE)
        NAME(CL_INVALID_HOST_PTR)
        NAME(CL_INVALID_MEM_OBJECT)
        NAME(CL_INVALID_BINARY)
        NAME(CL_INVALID_BUILD_OPTIONS)
        NAME(CL_INVALID_PROGRAM)
        NAME(CL_INVALID_PROGRAM_EXECUTABLE)
        NAME(CL_INVALID_KERNEL_NAME)
        NAME(CL_INVALID_KERNEL_DEFINITION)
        NAME(CL_INVALID_KERNEL)
        NAME(CL_INVALID_ARG_INDEX)
        NAME(CL_INVALID_ARG_VALUE)
        NAME(CL_INVALID_ARG_SIZE)
        NAME(CL_INVALID_KERNEL_ARGS)
        NAME(CL_INVALID_WORK_DIMENSION)
        NAME(CL_INVALID_WORK_GROUP_SIZE)
        NAME(CL_INVALID_WORK_ITEM_SIZE)
        NAME(CL_INVALID_GLOBAL_OFFSET)
        NAME(CL_INVALID_EVENT_WAIT_LIST)
        NAME(CL_INVALID_EVENT)
        NAME(CL_INVALID_OPERATION)
        NAME(CL_INVALID_BUFFER_SIZE)
        NAME(CL_INVALID_GLOBAL_WORK_SIZE)
        NAME(CL_INVALID_PROPERTY)
        NAME(CL_INVALID_COMPILER_OPTIONS)
        NAME(CL_INVALID_LINKER_OPTIONS)
        NAME(CL_PLATFORM_NOT_FOUND_KHR)
    case YK_CL_INVALID_COMMAND_BUFFER:
        return "CL_INVALID_COMMAND_BUFFER_KHR";
    case YK_CL_INVALID_SYNC_POINT_WAIT_LIST:
        return "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR";
    case YK_CL_INCOMPATIBLE_COMMAND_QUEUE:
        return "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR";
    case NVIDIA_ILLEGAL_ACCESS:
        return "illegal memory access, NVIDIA's own code";
    default:
        return "unknown OpenCL code";
    }
#undef NAME
}

static yoke_status status_of(cl_int code)
{
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        return YOKE_E_OUT_OF_DEVICE_MEMORY;
    case CL_OUT_OF_HOST_MEMORY:
        return YOKE_E_OUT_OF_HOST_MEMORY;
    case CL_PLATFORM_NOT_FOUND_KHR:
        return YOKE_E_UNAVAILABLE;
    case CL_INVALID_COMMAND_QUEUE: /* Yoke's queues are valid: NVIDIA's driver returns this for every queue after a kernel fault */
    case NVIDIA_ILLEGAL_ACCESS:
        return YOKE_E_DEVICE_LOST;
    default:
        return YOKE_E_DRIVER;
    }
}

static const char *advice_of(yoke_status status, cl_int code)
{
    if (code == CL_PLATFORM_NOT_FOUND_KHR)
        return "no OpenCL driver (ICD) is installed, or OCL_ICD_VENDORS names none: install the driver of your device, or "
               "pocl-opencl-icd to run on the CPU";
    return status == YOKE_E_DEVICE_LOST ? RESTART : "";
}

static yoke_status fail(yoke_status status, const char *call, cl_int code, const char *format, va_list values)
{
    return yk_driver_vfail(status, "opencl", call, code, yk_opencl_code_name(code), advice_of(status, code), format, values);
}

yoke_status yk_opencl_fail(const char *call, cl_int code, const char *format, ...)
{
    yoke_status status;
    va_list values;

    va_start(values, format);
    status = fail(status_of(code), call, code, format, values);
    va_end(values);
    return status;
}

yoke_status yk_opencl_fail_as(yoke_status status, const char *call, cl_int code, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    status = fail(status, call, code, format, values);
    va_end(values);
    return status;
}

/* A lost device repeats its error at every call, and is already reported. */
void yk_opencl_note_failure(const char *call, cl_int code)
{
    yk_log(status_of(code) == YOKE_E_DEVICE_LOST ? YOKE_LOG_DEBUG : YOKE_LOG_WARNING, "opencl: %s failed: %s (%d)", call,
           yk_opencl_code_name(code), code);
}

yoke_status yk_opencl_fail_execution(const yoke_device *device, const char *call, cl_int code)
{
    yoke_status status = status_of(code);

    if (yk_opencl_device_of(device)->slot->quirks.hides_faults)
        status = YOKE_E_DEVICE_LOST;
    else if (status == YOKE_E_DRIVER)
        status = YOKE_E_EXECUTION;
    return yk_opencl_fail_as(status, call, code, "work submitted to the device failed");
}
