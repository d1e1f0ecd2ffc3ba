/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading NVIDIA's driver and filling the table of its functions on first use.
 */
#include "driver.h"

#include "base/system/names.h"

yk_cuda_table yk_cu;

static const yk_symbol symbols[] = {
#define YK_CUDA_SYMBOL(need, name, parameters, ...) { #name, offsetof(yk_cuda_table, name), YK_CUDA_##need },
#include "symbols.def"
};

/* By its soname: the name without .1 may be the toolkit's stub, which exports all functions and does nothing. */
static const yk_library library = {
    .soname = YK_NAME_CUDA,
    .table = &yk_cu,
    .symbols = symbols,
    .count = YK_COUNT_OF(symbols),
    .absent = "cuda: no NVIDIA driver",
    .advice = "install NVIDIA's driver (Debian: nvidia-driver), or start the container with its GPUs",
    .incomplete = "cuda: NVIDIA's driver is too old; Yoke needs a driver for CUDA 11 or later; " YK_NAME_CUDA " lacks",
};

/* The settings that choose which GPUs the driver starts, and their order. A child that finds the driver started by other code
 * answers YOKE_E_FORKED, so this process need not look for such a driver. */
bool yk_cuda_driver_key(yk_text *key)
{
    yk_text_add_variable(key, "CUDA_VISIBLE_DEVICES");
    return true;
}

/* NVIDIA has a single driver. */
void yk_cuda_driver_each(yk_driver_visit *visit, void *user)
{
    (void)visit, (void)user;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects `loaded`, and yk_cu until `loaded` is set */

void yk_cuda_forked(void)
{
    yk_lock_renew(&lock);
}

yoke_status yk_cuda_load(void)
{
    static bool loaded;
    yoke_status status = YOKE_OK;
    yk_CUresult result;

    pthread_mutex_lock(&lock);
    if (loaded)
        goto out;
    status = yk_library_open(&library);
    if (status < 0)
        goto out;
    yk_cuda_inject();
    result = yk_cu.cuInit(0);
    if (result == YK_CUDA_ERROR_NOT_INITIALIZED)
        status = yk_cuda_fail("cuInit", result, NULL); /* the text explains the failure: a fork */
    else if (result != YK_CUDA_SUCCESS)
        status = yk_cuda_fail_as(YOKE_E_UNAVAILABLE, "cuInit", result, NULL);
    loaded = status == YOKE_OK;
out:
    pthread_mutex_unlock(&lock);
    return status;
}
