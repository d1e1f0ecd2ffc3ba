/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the layer that are about programs, and what it says of itself. */
#include <string.h>

#include "layer_program.h"

#define EXPORT __attribute__((visibility("default")))

static const cl_icd_dispatch *next; /* the driver, or another layer */

static cl_int CL_API_CALL get_argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t size, void *value,
                                            size_t *size_ret)
{
    cl_int code;
    if (layer_refuses(LIAR_ARGUMENT_INFO, NULL, &code))
        return code;
    return next->clGetKernelArgInfo(kernel, index, name, size, value, size_ret);
}

static cl_program CL_API_CALL create_with_binary(cl_context context, cl_uint count, const cl_device_id *devices,
                                                 const size_t *sizes, const unsigned char **binaries, cl_int *statuses,
                                                 cl_int *code_ret)
{
    cl_int code;
    if (!layer_refuses(LIAR_TAKE_BINARY, NULL, &code))
        return next->clCreateProgramWithBinary(context, count, devices, sizes, binaries, statuses, code_ret);
    if (code_ret)
        *code_ret = code;
    return NULL;
}

static cl_int CL_API_CALL get_program_info(cl_program program, cl_program_info name, size_t size, void *value, size_t *size_ret)
{
    cl_int code;
    if (name == CL_PROGRAM_BINARIES && layer_refuses(LIAR_GIVE_BINARY, NULL, &code))
        return code;
    return next->clGetProgramInfo(program, name, size, value, size_ret);
}

void layer_take_program_calls(const cl_icd_dispatch *target, cl_icd_dispatch *table)
{
    next = target;
    table->clGetKernelArgInfo = get_argument_info;
    table->clCreateProgramWithBinary = create_with_binary;
    table->clGetProgramInfo = get_program_info;
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_ret)
{
    static const char words[] = "Yoke's liar";
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *answer = name == CL_LAYER_NAME ? (const void *)words : &version;
    size_t needed = name == CL_LAYER_NAME ? sizeof words : sizeof version;
    if ((name != CL_LAYER_NAME && name != CL_LAYER_API_VERSION) || (value && size < needed))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, answer, needed);
    if (size_ret)
        *size_ret = needed;
    return CL_SUCCESS;
}
