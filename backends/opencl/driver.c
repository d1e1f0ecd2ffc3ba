/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening the OpenCL loader and filling the table of its functions, at the first use. It is never closed again: drivers leave
 * threads and exit handlers behind that would run into unmapped code.
 */
#include "driver.h"

#include <dlfcn.h>

#define LIBRARY "libOpenCL.so.1"

struct yk_cl_table yk_cl;

static yoke_status fill_table(void *library)
{
    static const yk_symbol symbols[] = {
#define YK_CL_SYMBOL(need, result, name, ...) { #name, offsetof(struct yk_cl_table, name), YK_CL_##need },
#include "symbols.def"
    };
    yk_text missing = { 0 };
    yoke_status status = YOKE_OK;

    yk_library_bind(library, &yk_cl, symbols, YK_COUNT_OF(symbols), &missing);
    if (missing.length)
        status = yk_fail(YOKE_E_UNAVAILABLE,
                         "opencl: " LIBRARY " is no OpenCL 1.2 loader (Debian has one in ocl-icd-libopencl1), it lacks: %s",
                         yk_text_get(&missing));
    yk_text_free(&missing);
    return status;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects `loaded`, and yk_cl until that */

void yk_opencl_load_forked(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

    lock = fresh;
}

yoke_status yk_opencl_load(void)
{
    static bool loaded;
    yoke_status status = YOKE_OK;
    void *library;

    pthread_mutex_lock(&lock);
    if (loaded)
        goto out;
    library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        status = yk_fail(YOKE_E_UNAVAILABLE,
                         "opencl: no OpenCL loader: %s; install one, and a driver for the device (Debian: "
                         "ocl-icd-libopencl1, pocl-opencl-icd)",
                         reason ? reason : LIBRARY " cannot be opened");
        goto out;
    }
    status = fill_table(library);
    loaded = status == YOKE_OK;
    if (loaded)
        yk_opencl_inject();
out:
    pthread_mutex_unlock(&lock);
    return status;
}
