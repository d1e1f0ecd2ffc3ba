/* SPDX-License-Identifier: Apache-2.0 */
/* Loading the OpenCL loader and filling the table of its functions on first use. */
#include "driver.h"

#include "base/system/names.h"

struct yk_cl_table yk_cl;

static const yk_symbol symbols[] = {
#define YK_CL_SYMBOL(need, result, name, ...) { #name, offsetof(struct yk_cl_table, name), YK_CL_##need },
#include "symbols.def"
};

static const yk_library library = {
    .soname = YK_NAME_OPENCL,
    .table = &yk_cl,
    .symbols = symbols,
    .count = YK_COUNT_OF(symbols),
    .absent = "opencl: no OpenCL loader",
    .advice = "install a loader and a driver for the device (Debian: ocl-icd-libopencl1, pocl-opencl-icd)",
    .incomplete = "opencl: " YK_NAME_OPENCL " is not an OpenCL 1.2 loader (Debian: ocl-icd-libopencl1); it lacks",
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects `loaded`, and yk_cl until `loaded` is set */

void yk_opencl_load_forked(void)
{
    yk_lock_renew(&lock);
}

yoke_status yk_opencl_load(void)
{
    static bool loaded;
    yoke_status status = YOKE_OK;

    pthread_mutex_lock(&lock);
    if (!loaded) {
        status = yk_library_open(&library);
        loaded = status == YOKE_OK;
        if (loaded)
            yk_opencl_inject();
    }
    pthread_mutex_unlock(&lock);
    return status;
}
