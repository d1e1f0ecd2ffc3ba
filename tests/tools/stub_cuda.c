/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libcuda.so.1 that has all functions and no GPU, as the toolkit's stub. In a folder whose name says so (misbehave.h) it is
 * broken: when it is started, or, where the name has "load", as soon as it is loaded.
 */
#include <dlfcn.h>

#include "misbehave.h"

enum { STUB_LIBRARY = 34 };

static const char *path(void)
{
    static int here;
    Dl_info own;
    return dladdr(&here, &own) && own.dli_fname ? own.dli_fname : "";
}

__attribute__((constructor)) static void load(void)
{
    if (strstr(path(), "load"))
        misbehave_as(path());
}

static int misbehave(void)
{
    misbehave_as(path());
    return STUB_LIBRARY;
}

/* Nothing else is called of a driver that does not start, but for the names of its failures. */
#define YK_CUDA_SYMBOL(need, name, parameters, arguments)            \
    __attribute__((visibility("default"))) int name(void);           \
    int name(void)                                                   \
    {                                                                \
        return strcmp(#name, "cuInit") ? STUB_LIBRARY : misbehave(); \
    }
#define YK_NVRTC_SYMBOL(need, result, name, parameters, arguments)
#include "../../backends/cuda/symbols.def"
