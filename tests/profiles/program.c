/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions about programs. The driver's compiler has more than the device's: a text before the source takes that away, as far
 * as macros can. A number like 1.0 is single precision on a device without double, as clang has it there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

#define EACH_WIDTH(type, is)                                                                                  \
    "#define " type " " is "\n#define " type "2 " is "\n#define " type "3 " is "\n#define " type "4 " is "\n" \
    "#define " type "8 " is "\n#define " type "16 " is "\n"

static const cl_icd_dispatch *next; /* the driver, or another layer */
static char preamble[2048];

static bool has_double(void)
{
    return profile_extends("cl_khr_fp64") || profile_number(CL_DEVICE_DOUBLE_FP_CONFIG, 0);
}

/* Once, when the layer starts. */
static void write_preamble(void)
{
    static const char *const features[] = { "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics", "cl_khr_fp16",
                                            "cl_khr_subgroups", "cl_khr_3d_image_writes" };
    unsigned version = profile_version(CL_DEVICE_VERSION, 120);
    size_t at = (size_t)snprintf(preamble, sizeof preamble, "#undef __OPENCL_VERSION__\n#define __OPENCL_VERSION__ %u\n", version);

    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (!profile_extends(features[i]))
            at += (size_t)snprintf(preamble + at, sizeof preamble - at, "#undef %s\n", features[i]);
    if (!has_double())
        at += (size_t)snprintf(preamble + at, sizeof preamble - at, "#undef cl_khr_fp64\n#undef __opencl_c_fp64\n%s",
                               EACH_WIDTH("double", "this_device_has_no_double"));
    if (!profile_number(CL_DEVICE_IMAGE_SUPPORT, 0))
        at += (size_t)snprintf(preamble + at, sizeof preamble - at,
                               "#undef __IMAGE_SUPPORT__\n#undef __opencl_c_images\n#define image2d_t this_device_has_no_images\n"
                               "#define image3d_t this_device_has_no_images\n#define sampler_t this_device_has_no_images\n");
    snprintf(preamble + at, sizeof preamble - at, "#line 1\n");
}

static cl_program CL_API_CALL create_with_source(cl_context context, cl_uint count, const char **strings, const size_t *lengths,
                                                 cl_int *code_ret)
{
    if (!count || !strings)
        return profile_refuse(CL_INVALID_VALUE, code_ret);
    const char **texts = calloc(count + 1, sizeof *texts);
    size_t *sizes = calloc(count + 1, sizeof *sizes); /* 0: up to the NUL */
    cl_program program = NULL;
    if (texts && sizes) {
        texts[0] = preamble;
        memcpy(texts + 1, strings, count * sizeof *texts);
        if (lengths)
            memcpy(sizes + 1, lengths, count * sizeof *sizes);
        program = next->clCreateProgramWithSource(context, count + 1, texts, sizes, code_ret);
    } else if (code_ret) {
        *code_ret = CL_OUT_OF_HOST_MEMORY;
    }
    free(sizes);
    free(texts);
    return program;
}

/* Whether the options ask for a version of OpenCL C, or for a precision, that the device has not. */
static bool is_beyond(const char *options)
{
    static const char standard[] = "-cl-std=CL";
    const char *asked = strstr(options, standard);
    unsigned major, minor;

    if (asked && sscanf(asked + strlen(standard), "%u.%u", &major, &minor) == 2 &&
        100 * major + 10 * minor > profile_version(CL_DEVICE_OPENCL_C_VERSION, 120))
        return true;
    return strstr(options, "-cl-fp32-correctly-rounded-divide-sqrt") &&
           !(profile_number(CL_DEVICE_SINGLE_FP_CONFIG, 0) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
}

/* Blank out the words that only NVIDIA's compiler knows. */
static void forget_nvidia(char *options)
{
    static const char own[] = "-cl-nv-";
    for (char *at = options; profile_extends("cl_nv_compiler_options") && (at = strstr(at, own));)
        memset(at, ' ', strcspn(at, " "));
}

static cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                                        void(CL_CALLBACK *fn)(cl_program, void *), void *user)
{
    static const char single[] = " -cl-single-precision-constant";
    const char *given = options ? options : "";
    char *all;
    cl_int code;

    if (is_beyond(given))
        return CL_INVALID_BUILD_OPTIONS;
    all = calloc(1, strlen(given) + sizeof single);
    if (!all)
        return CL_OUT_OF_HOST_MEMORY;
    strcpy(all, given);
    forget_nvidia(all);
    if (!has_double())
        strcat(all, single);
    code = next->clBuildProgram(program, count, devices, all, fn, user);
    free(all);
    return code;
}

/* ---- Code that is no source ---- */

static bool has_binaries(void)
{
    return profile_number(PROFILE_BINARIES, 1) != 0;
}

static cl_program CL_API_CALL create_with_binary(cl_context context, cl_uint count, const cl_device_id *devices,
                                                 const size_t *sizes, const unsigned char **binaries, cl_int *statuses,
                                                 cl_int *code_ret)
{
    if (!has_binaries())
        return profile_refuse(CL_INVALID_BINARY, code_ret);
    return next->clCreateProgramWithBinary(context, count, devices, sizes, binaries, statuses, code_ret);
}

static cl_program CL_API_CALL create_with_il(cl_context context, const void *il, size_t size, cl_int *code_ret)
{
    if (!*profile_text(CL_DEVICE_IL_VERSION))
        return profile_refuse(CL_INVALID_OPERATION, code_ret);
    return next->clCreateProgramWithIL(context, il, size, code_ret);
}

/* The size of a binary that there is not is 0. */
static cl_int CL_API_CALL get_program_info(cl_program program, cl_program_info name, size_t size, void *value, size_t *size_ret)
{
    static const size_t none = 0;
    if (!has_binaries() && name == CL_PROGRAM_BINARY_SIZES)
        return profile_give(&none, sizeof none, size, value, size_ret);
    return next->clGetProgramInfo(program, name, size, value, size_ret);
}

void profile_take_program_calls(const cl_icd_dispatch *target, cl_icd_dispatch *table)
{
    next = target;
    write_preamble();
    table->clCreateProgramWithSource = create_with_source;
    table->clBuildProgram = build_program;
    table->clCreateProgramWithBinary = create_with_binary;
    table->clCreateProgramWithIL = create_with_il;
    table->clGetProgramInfo = get_program_info;
}
