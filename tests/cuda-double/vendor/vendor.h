/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-ins for cuBLAS, cuFFT and NCCL, for tests on the CUDA double: slow kernels in the stream that they are given; and for
 * CLBlast, for tests on OpenCL: failures alone. They are in a folder of their own, so that a test opens them only where it wants
 * them. YOKE_VENDOR_DOUBLE says what goes wrong, as words
 * NAME=NUMBER: "version=9" is the major version that a library tells; "tf32=13" lets products in TF32 fail; "connects=2" lets
 * NCCL's second reduction of a communicator wait in its call for all ranks, as the one that connects them does; "slow=500" lets all
 * of them take so many microseconds in their calls; "late_id=2" lets ncclGetUniqueId take so many seconds, and "late_init=2"
 * ncclCommInitRank of rank 1; any other name is a call that fails with this code: "cublasGemmEx=13
 * cufftCreate=7".
 */
#ifndef VENDOR_DOUBLE_H
#define VENDOR_DOUBLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../../backends/cuda/api.h"
#include "../../../ops/library/api.h"

#define VENDOR_API __attribute__((visibility("default")))

#define YK_CUDA_SYMBOL(need, name, parameters, ...) yk_CUresult name parameters;
#define YK_NVRTC_SYMBOL(need, result, name, parameters, ...) result name parameters;
#include "../../../backends/cuda/symbols.def"

/* What YOKE_VENDOR_DOUBLE says of the name; `otherwise` if nothing. */
static inline int vendor_order(const char *name, int otherwise)
{
    const char *orders = getenv("YOKE_VENDOR_DOUBLE");
    size_t length = strlen(name);
    for (const char *at = orders ? strstr(orders, name) : NULL; at; at = strstr(at + 1, name))
        if (at[length] == '=' && (at == orders || at[-1] == ' '))
            return atoi(at + length + 1);
    return otherwise;
}

/* A call begins: it returns the code that is ordered. */
#define VENDOR_BEGIN(name)                           \
    do {                                             \
        if (vendor_order(#name, 0) != 0)             \
            return (unsigned)vendor_order(#name, 0); \
    } while (0)

static inline int vendor_version(int type, int major)
{
    return type == YOPS_MAJOR_VERSION ? vendor_order("version", major) : type == YOPS_MINOR_VERSION ? 1 : 2;
}

/* The function `name` of the text, compiled once in the process, and loaded for the current context. */
static inline bool vendor_load(const char *text, const char *name, yk_CUmodule *out_module, yk_CUfunction *out_function)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *image;
    yk_nvrtcProgram program = NULL;
    size_t size = 0;
    pthread_mutex_lock(&lock);
    if (!image && nvrtcCreateProgram(&program, text, "vendor.cu", 0, NULL, NULL) == YK_NVRTC_SUCCESS) {
        const char *const options[] = { "--gpu-architecture=sm_90" };
        if (nvrtcCompileProgram(program, 1, options) == YK_NVRTC_SUCCESS && nvrtcGetCUBINSize(program, &size) == YK_NVRTC_SUCCESS &&
            (image = malloc(size)))
            nvrtcGetCUBIN(program, image);
        nvrtcDestroyProgram(&program);
    }
    bool loaded = image && cuModuleLoadDataEx(out_module, image, 0, NULL, NULL) == YK_CUDA_SUCCESS;
    pthread_mutex_unlock(&lock);
    return loaded && cuModuleGetFunction(out_function, *out_module, name) == YK_CUDA_SUCCESS;
}

/* One thread for each of `count` elements. */
static inline bool vendor_launch(yk_CUfunction function, void *stream, uint64_t count, void **parameters)
{
    return cuLaunchKernel(function, (unsigned)((count + 63) / 64), 1, 1, 64, 1, 1, 0, stream, parameters, NULL) == YK_CUDA_SUCCESS;
}

#endif
