/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening NVIDIA's driver and filling the table of its functions, at the first use. It is never closed again: it leaves threads and
 * exit handlers behind that would run into unmapped code.
 */
#include "driver.h"

#include <dlfcn.h>

/* By its soname: the name without .1 may be the toolkit's stub, which has all functions and does nothing. */
#define LIBRARY "libcuda.so.1"

yk_cuda_table yk_cu;

static yoke_status fill_table(void *library)
{
    static const yk_symbol symbols[] = {
#define YK_CUDA_SYMBOL(need, name, parameters, ...) { #name, offsetof(yk_cuda_table, name), YK_CUDA_##need },
#include "symbols.def"
    };
    yk_text missing = { 0 };
    yoke_status status = YOKE_OK;

    yk_library_bind(library, &yk_cu, symbols, YK_COUNT_OF(symbols), &missing);
    if (missing.length)
        status = yk_fail(YOKE_E_UNAVAILABLE,
                         "cuda: NVIDIA's driver is too old, Yoke needs one for CUDA 11 or later; " LIBRARY " lacks %s",
                         yk_text_get(&missing));
    yk_text_free(&missing);
    return status;
}

/* Which GPUs are started, and in which order. A driver that other code has started answers a child with YOKE_E_FORKED, so that
 * there is no need to look for one. */
bool yk_cuda_driver_key(yk_text *key)
{
    yk_text_add_variable(key, "CUDA_VISIBLE_DEVICES");
    return true;
}

void yk_cuda_driver_names(yk_text *names)
{
    (void)names;
}

void yk_cuda_driver_alone(const char *name, yk_text *settings)
{
    (void)name, (void)settings;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects `loaded`, and yk_cu until that */

void yk_cuda_forked(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

    lock = fresh;
}

yoke_status yk_cuda_load(void)
{
    static bool loaded;
    yoke_status status = YOKE_OK;
    yk_CUresult result;
    void *library;

    pthread_mutex_lock(&lock);
    if (loaded)
        goto out;
    library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        status = yk_fail(YOKE_E_UNAVAILABLE,
                         "cuda: no NVIDIA driver: %s; install NVIDIA's driver (Debian: nvidia-driver), or start the container "
                         "with its GPUs",
                         reason ? reason : LIBRARY " cannot be opened");
        goto out;
    }
    status = fill_table(library);
    if (status < 0)
        goto out;
    yk_cuda_inject();
    result = yk_cu.cuInit(0);
    if (result == YK_CUDA_ERROR_NOT_INITIALIZED)
        status = yk_cuda_fail("cuInit", result, NULL); /* says what happened: a fork */
    else if (result != YK_CUDA_SUCCESS)
        status = yk_cuda_fail_as(YOKE_E_UNAVAILABLE, "cuInit", result, NULL);
    loaded = status == YOKE_OK;
out:
    pthread_mutex_unlock(&lock);
    return status;
}
