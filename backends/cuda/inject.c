/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrappers of the driver's and NVRTC's functions that inject faults: each wrapper asks base/process/inject.c whether its call
 * fails. Compiled only with --enable-fault-injection.
 */
#include "driver.h"

#include "base/process/inject.h"

static yk_cuda_table real;
static yk_nvrtc_table real_nvrtc;

static const yk_inject_effect effects[] = {
    { "cuDevicePrimaryCtxRetain", "primary contexts", 1 },
    { "cuDevicePrimaryCtxRelease_v2", "primary contexts", -1 },
    { "cuCtxPushCurrent_v2", "current contexts", 1 },
    { "cuCtxPopCurrent_v2", "current contexts", -1 },
    { "cuStreamCreate", "streams", 1 },
    { "cuStreamCreateWithPriority", "streams", 1 },
    { "cuStreamDestroy_v2", "streams", -1 },
    { "cuEventCreate", "events", 1 },
    { "cuEventDestroy_v2", "events", -1 },
    { "cuMemAlloc_v2", "memory", 1 },
    { "cuMemAllocManaged", "memory", 1 },
    { "cuMemFree_v2", "memory", -1 },
    { "cuMemHostAlloc", "pinned memory", 1 },
    { "cuMemFreeHost", "pinned memory", -1 },
    { "cuMemHostRegister_v2", "registered memory", 1 },
    { "cuMemHostUnregister", "registered memory", -1 },
    { "cuMemPoolCreate", "pools", 1 },
    { "cuMemPoolDestroy", "pools", -1 },
    { "cuMemAllocFromPoolAsync", "memory", 1 },
    { "cuMemFreeAsync", "memory", -1 },
    { "cuArray3DCreate_v2", "arrays", 1 },
    { "cuArrayDestroy", "arrays", -1 },
    { "cuTexObjectCreate", "textures", 1 },
    { "cuTexObjectDestroy", "textures", -1 },
    { "cuSurfObjectCreate", "surfaces", 1 },
    { "cuSurfObjectDestroy", "surfaces", -1 },
    { "cuModuleLoadDataEx", "modules", 1 },
    { "cuModuleUnload", "modules", -1 },
    { "cuGraphCreate", "graphs", 1 },
    { "cuStreamEndCapture", "graphs", 1 },
    { "cuGraphDestroy", "graphs", -1 },
    { "cuGraphInstantiateWithFlags", "executable graphs", 1 },
    { "cuGraphExecDestroy", "executable graphs", -1 },
    { "nvrtcCreateProgram", "programs of NVRTC", 1 },
    { "nvrtcDestroyProgram", "programs of NVRTC", -1 },
    { NULL, NULL, 0 },
};

static yk_CUresult result_of(yk_injected injected)
{
    switch (injected.what) {
    case YOKE_FAULT_MEMORY:
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    case YOKE_FAULT_LOST:
        return YK_CUDA_ERROR_LAUNCH_FAILED;
    case YOKE_FAULT_CODE:
        return (yk_CUresult)injected.code;
    case YOKE_FAULT_SAY_PENDING:
        return YK_CUDA_ERROR_NOT_READY;
    case YOKE_FAULT_SAY_COMPLETE:
        return YK_CUDA_SUCCESS;
    default:
        return YK_CUDA_ERROR_UNKNOWN;
    }
}

static yk_nvrtcResult nvrtc_result_of(yk_injected injected)
{
    switch (injected.what) {
    case YOKE_FAULT_MEMORY:
        return YK_NVRTC_ERROR_OUT_OF_MEMORY;
    case YOKE_FAULT_CODE:
        return (yk_nvrtcResult)injected.code;
    default:
        return YK_NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
}

static bool is(const char *name, const char *other)
{
    return strcmp(name, other) == 0;
}

#define FIRST(first, ...) first
#define FIRST_OF(...) ((uintptr_t)FIRST(__VA_ARGS__, 0))

#define YK_CUDA_SYMBOL(need, name, parameters, names)                                           \
    static yk_CUresult inject_##name parameters                                                 \
    {                                                                                           \
        yk_injected injected = yk_inject_ask(#name, FIRST_OF names, is(#name, "cuEventQuery")); \
        yk_CUresult answer = YK_CUDA_SUCCESS;                                                   \
        if (injected.what == YOKE_FAULT_NONE || yk_inject_releases(#name, effects)) {           \
            answer = real.name names;                                                           \
            if (answer == YK_CUDA_SUCCESS) {                                                    \
                yk_inject_succeeded(#name, effects);                                            \
                if (is(#name, "cuEventRecord"))                                                 \
                    yk_inject_recorded((const void *)FIRST_OF names);                           \
            }                                                                                   \
        }                                                                                       \
        if (injected.what != YOKE_FAULT_NONE) {                                                 \
            answer = result_of(injected);                                                       \
            yk_inject_failed(#name, (int)answer);                                               \
        }                                                                                       \
        return answer;                                                                          \
    }

/* nvrtcGetErrorString returns text, and cannot fail. */
#define YK_NVRTC_SYMBOL(need, type, name, parameters, names)                                                              \
    static type inject_##name parameters                                                                                  \
    {                                                                                                                     \
        const bool fails = _Generic((type)0, yk_nvrtcResult : true, default : false);                                     \
        yk_injected injected = fails ? yk_inject_ask(#name, FIRST_OF names, false) : (yk_injected){ YOKE_FAULT_NONE, 0 }; \
        type answer = 0;                                                                                                  \
        if (injected.what == YOKE_FAULT_NONE || yk_inject_releases(#name, effects)) {                                     \
            answer = real_nvrtc.name names;                                                                               \
            if (fails && answer == (type)YK_NVRTC_SUCCESS)                                                                \
                yk_inject_succeeded(#name, effects);                                                                      \
        }                                                                                                                 \
        if (injected.what != YOKE_FAULT_NONE) {                                                                           \
            answer = (type)(uintptr_t)nvrtc_result_of(injected);                                                          \
            yk_inject_failed(#name, (int)nvrtc_result_of(injected));                                                      \
        }                                                                                                                 \
        return answer;                                                                                                    \
    }
#include "symbols.def"

void yk_cuda_inject(void)
{
    real = yk_cu;
#define YK_CUDA_SYMBOL(need, name, parameters, names) yk_cu.name = real.name ? inject_##name : NULL;
#include "symbols.def"
}

void yk_nvrtc_inject(void)
{
    real_nvrtc = yk_nvrtc;
#define YK_NVRTC_SYMBOL(need, type, name, parameters, names) yk_nvrtc.name = inject_##name;
#include "symbols.def"
}
