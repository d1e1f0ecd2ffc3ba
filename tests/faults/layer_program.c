/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the layer that are about programs, and what it says of itself. */
#include "layer_program.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* A device reports what it takes when it is listed, which is before any order. */
static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info name, size_t size, void *value, size_t *size_ret)
{
    static const char languages[] = "SPIR-V_1.0";
    if (name != CL_DEVICE_IL_VERSION)
        return next->clGetDeviceInfo(device, name, size, value, size_ret);
    if (value && size < sizeof languages)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, languages, sizeof languages);
    if (size_ret)
        *size_ret = sizeof languages;
    return CL_SUCCESS;
}

/* Of the program no more is looked at than that it comes whole and in this machine's byte order. */
static cl_program CL_API_CALL create_with_il(cl_context context, const void *il, size_t size, cl_int *code_ret)
{
    static const uint32_t first = 0x07230203, last = 0x00010038;
    const char *text = "__kernel void add(__global int *out, int value) { out[0] += value; }\n";
    cl_int code = CL_INVALID_VALUE;
    if (!layer_refuses(LIAR_TAKE_SPIRV, NULL, &code) && size > 4 && memcmp(il, &first, 4) == 0 &&
        memcmp((const char *)il + size - 4, &last, 4) == 0)
        return next->clCreateProgramWithSource(context, 1, &text, NULL, code_ret);
    if (code_ret)
        *code_ret = code;
    return NULL;
}

static cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                                        void(CL_CALLBACK *fn)(cl_program, void *), void *user)
{
    cl_int code;
    if (*options && layer_refuses(LIAR_BUILD_OPTIONS, NULL, &code))
        return code;
    return next->clBuildProgram(program, count, devices, options, fn, user);
}

void layer_take_program_calls(const cl_icd_dispatch *target, cl_icd_dispatch *table)
{
    next = target;
    table->clGetKernelArgInfo = get_argument_info;
    table->clCreateProgramWithBinary = create_with_binary;
    table->clGetProgramInfo = get_program_info;
    table->clBuildProgram = build_program;
    if (getenv("YOKE_LAYER_SPIRV")) {
        table->clGetDeviceInfo = get_device_info;
        table->clCreateProgramWithIL = create_with_il;
    }
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
