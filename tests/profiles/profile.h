/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL layer that makes the driver behind it look and behave like a named device. The loader puts it between a program and the
 * driver when OPENCL_LAYERS names it; YOKE_PROFILE is the path of a file of facts about the device. What the facts deny is refused
 * with the code of a real driver; README.md lists what is not imitated.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#define PROFILE_EXPORT __attribute__((visibility("default")))

/* ---- Facts (facts.c) ---- */

/* Facts that are no query of OpenCL's. */
enum {
    PROFILE_CALLBACKS = 0x10000, /* of clSetEventCallback: 0 refused, 1 called, 2 taken and never called */
    PROFILE_BINARIES,            /* of programs: 0 neither given nor taken */
    PROFILE_ALIGNMENT            /* of sub-buffers, in bits, where the driver takes others than it says */
};

/* Read the file; false when it cannot be read, or a line of it not be understood, which is told on stderr. */
bool profile_read(const char *path);

/* The number that the file has for this query, else `absent`. */
uint64_t profile_number(cl_uint query, uint64_t absent);
/* The text that the file has for this query, else "". */
const char *profile_text(cl_uint query);
/* Whether CL_DEVICE_EXTENSIONS has this word. */
bool profile_extends(const char *extension);
/* The number in "OpenCL 1.2 …" of this query: 120; `absent` without. */
unsigned profile_version(cl_uint query, unsigned absent);
/* Answer like clGetDeviceInfo; false when the file has no such fact. */
bool profile_answer(cl_uint query, size_t size, void *value, size_t *size_ret, cl_int *out_code);
/* Give an answer of the driver's: CL_INVALID_VALUE when it does not fit. */
cl_int profile_give(const void *answer, size_t needed, size_t size, void *value, size_t *size_ret);

/* ---- The functions that obey them ---- */

void profile_take_memory_calls(const cl_icd_dispatch *target, cl_icd_dispatch *table);
void profile_take_program_calls(const cl_icd_dispatch *target, cl_icd_dispatch *table);
void profile_take_kernel_calls(const cl_icd_dispatch *target, cl_icd_dispatch *table);

/* For functions that return an object: store the code, and return no object. */
static inline void *profile_refuse(cl_int code, cl_int *code_ret)
{
    if (code_ret)
        *code_ret = code;
    return NULL;
}

#endif
