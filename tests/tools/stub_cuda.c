/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libcuda.so.1 that has all functions and no GPU, as the toolkit's stub. In a folder whose name says so it crashes or hangs when
 * it is started.
 */
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { STUB_LIBRARY = 34 };

static int misbehave(void)
{
    static int here;
    Dl_info own;
    if (!dladdr(&here, &own) || !own.dli_fname)
        return STUB_LIBRARY;
    if (strstr(own.dli_fname, "crash"))
        raise(SIGSEGV);
    while (strstr(own.dli_fname, "hang"))
        pause();
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
