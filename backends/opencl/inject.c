/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrappers of OpenCL's functions that inject faults: each wrapper asks base/process/inject.c whether its call fails. Compiled only
 * with --enable-fault-injection.
 */
#include "driver.h"

#include "base/process/inject.h"

static struct yk_cl_table real;

static const yk_inject_effect effects[] = {
    { "clCreateContext", "contexts", 1 },
    { "clReleaseContext", "contexts", -1 },
    { "clCreateCommandQueue", "queues", 1 },
    { "clReleaseCommandQueue", "queues", -1 },
    { "clCreateBuffer", "memory objects", 1 },
    { "clCreateSubBuffer", "memory objects", 1 },
    { "clCreateImage", "memory objects", 1 },
    { "clCreateSampler", "samplers", 1 },
    { "clReleaseSampler", "samplers", -1 },
    { "clRetainMemObject", "memory objects", 1 },
    { "clReleaseMemObject", "memory objects", -1 },
    { "clCreateProgramWithSource", "programs", 1 },
    { "clCreateProgramWithBinary", "programs", 1 },
    { "clCreateProgramWithIL", "programs", 1 },
    { "clReleaseProgram", "programs", -1 },
    { "clCreateKernel", "kernels", 1 },
    { "clReleaseKernel", "kernels", -1 },
    { "clRetainEvent", "events", 1 },
    { "clReleaseEvent", "events", -1 },
    { "clSVMAlloc", "shared memory", 1 },
    { "clSVMFree", "shared memory", -1 },
    { NULL, NULL, 0 },
};

static cl_int code_of(yk_injected injected)
{
    switch (injected.what) {
    case YOKE_FAULT_MEMORY:
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    case YOKE_FAULT_LOST:
        return CL_INVALID_COMMAND_QUEUE;
    case YOKE_FAULT_CODE:
        return injected.code;
    case YOKE_FAULT_SAY_PENDING:
        return CL_SUBMITTED;
    case YOKE_FAULT_SAY_COMPLETE:
        return CL_COMPLETE;
    default:
        return CL_OUT_OF_RESOURCES;
    }
}

/* The call's output beside its result. In the wrapper of a function with a parameter of this name, the name means the parameter. */
static cl_int *const out_code = NULL;
static cl_event *const out_event = NULL;
static void *const out_progress = NULL;
#pragma GCC diagnostic ignored "-Wshadow"

#define FIRST(first, ...) first
#define FIRST_OF(...) ((uintptr_t)FIRST(__VA_ARGS__, 0))

/* `code`: the call's error code, returned or written to out_code. */
static void note(const char *name, bool good, cl_event *event)
{
    if (!good)
        return;
    yk_inject_succeeded(name, effects);
    if (event) {
        yk_inject_made("events", 1);
        yk_inject_recorded(*event);
    }
}

typedef void *yk_cl_pointer;

#define YK_CL_SYMBOL(need, type, name, parameters, names)                                  \
    static type CL_API_CALL inject_##name parameters                                       \
    {                                                                                      \
        const bool gives_code = _Generic((type)0, cl_int : true, default : false);         \
        yk_injected injected = yk_inject_ask(#name, FIRST_OF names, out_progress != NULL); \
        type answer = 0;                                                                   \
        if (injected.what == YOKE_FAULT_NONE || yk_inject_releases(#name, effects)) {      \
            answer = real.name names;                                                      \
            note(#name, gives_code == (answer == 0), out_event);                           \
        }                                                                                  \
        if (injected.what == YOKE_FAULT_NONE)                                              \
            return answer;                                                                 \
        cl_int code = code_of(injected);                                                   \
        yk_inject_failed(#name, code);                                                     \
        if (out_code)                                                                      \
            *out_code = code;                                                              \
        if (injected.what < YOKE_FAULT_SAY_PENDING)                                        \
            return (type)(intptr_t)(gives_code ? code : 0);                                \
        *(cl_int *)out_progress = code;                                                    \
        return 0;                                                                          \
    }
/* Functions that cannot fail. */
#define YK_CL_VOID_SYMBOL(need, name, parameters, names)   \
    static void CL_API_CALL inject_##name parameters       \
    {                                                      \
        (void)yk_inject_ask(#name, FIRST_OF names, false); \
        real.name names;                                   \
        note(#name, true, NULL);                           \
    }
#include "symbols.def"

void yk_opencl_inject(void)
{
    real = yk_cl;
#define YK_CL_SYMBOL(need, type, name, parameters, names) yk_cl.name = real.name ? inject_##name : NULL;
#include "symbols.def"
}
