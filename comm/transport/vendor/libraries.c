/* SPDX-License-Identifier: Apache-2.0 */
/* The list of the vendors' libraries: their names, their functions, which versions can be used, and what has come of each. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "vendor.h"

ycomm_cuda_table ycomm_cuda;
ycomm_opencl_table ycomm_opencl;
ycomm_nccl_table ycomm_nccl;

#define YCOMM_CUDA_SYMBOL(result, name, parameters) { #name, offsetof(ycomm_cuda_table, name) },
static const yvendor_symbol cuda_symbols[] = {
#include "symbols.def"
};
#define YCOMM_OPENCL_SYMBOL(result, name, parameters) { #name, offsetof(ycomm_opencl_table, name) },
static const yvendor_symbol opencl_symbols[] = {
#include "symbols.def"
};
#define YCOMM_NCCL_SYMBOL(result, name, parameters) { #name, offsetof(ycomm_nccl_table, name) },
static const yvendor_symbol nccl_symbols[] = {
#include "symbols.def"
};

/* NCCL 2.10.3 is 21003, and 2.8.4 was 2804. */
static bool nccl_version(const char *path, char *version, char *reason, size_t size)
{
    int number = 0;
    (void)path;
    if (ycomm_nccl.ncclGetVersion(&number) != YCOMM_ncclSuccess) {
        snprintf(reason, size, "NCCL does not tell its version");
        return false;
    }
    bool old = number < 10000;
    int major = number / (old ? 1000 : 10000), minor = number / 100 % (old ? 10 : 100);
    snprintf(version, YVENDOR_VERSION_SIZE, "%d.%d.%d", major, minor, number % 100);
    if (major == 2 && minor >= 10)
        return true;
    snprintf(reason, size, "it is NCCL %s; Yoke can use versions 2.10 to 2.99", version);
    return false;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type of get_version */
static bool no_version(const char *path, char *version, char *reason, size_t size)
{
    (void)path, (void)version, (void)reason, (void)size;
    return true;
}

#define SONAMES(...)      \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }
#define TABLE(name) &ycomm_##name, sizeof ycomm_##name, name##_symbols, sizeof name##_symbols / sizeof name##_symbols[0]

static const yvendor_library libraries[] = {
    [YCOMM_NCCL] = { "NCCL", SONAMES("libnccl.so.2"), true,
                     "install it (NVIDIA's packages: libnccl2; pip: nvidia-nccl-cu12, nvidia-nccl-cu13)", "YOKE_NCCL", TABLE(nccl),
                     nccl_version },
    [YCOMM_CUDA_DRIVER] = { "CUDA's driver", SONAMES("libcuda.so.1"), false, "install NVIDIA's driver", NULL, TABLE(cuda),
                            no_version },
    [YCOMM_OPENCL] = { "OpenCL's loader", SONAMES("libOpenCL.so.1"), false, "install it (Debian: ocl-icd-libopencl1)", NULL,
                       TABLE(opencl), no_version },
};
_Static_assert(sizeof libraries / sizeof libraries[0] == YCOMM_LIBRARY_END, "a row for each library");

const yvendor_found *ycomm_library_open(ycomm_library_id id)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects `searched`, and what is found until it is set */
    static bool searched[YCOMM_LIBRARY_END];
    static yvendor_found found[YCOMM_LIBRARY_END];
    static const yvendor_found no_room = {
        .reason = "it cannot be searched for: this process has hardly a file descriptor or address left (ulimit -n, ulimit -v)"
    };
    pthread_mutex_lock(&lock);
    if (!searched[id]) {
        yvendor_found new_found;
        searched[id] = yvendor_search(&libraries[id], &new_found);
        if (searched[id])
            found[id] = new_found;
    }
    bool is_known = searched[id];
    pthread_mutex_unlock(&lock);
    return is_known ? &found[id] : &no_room;
}

#define CASE(name, value) \
    case value:           \
        return #name;

const char *ycomm_nccl_result(ycomm_ncclResult_t result)
{
    switch (result) {
        YCOMM_NCCL_RESULTS(CASE)
    }
    return "unknown code";
}
