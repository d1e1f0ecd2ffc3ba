/* SPDX-License-Identifier: Apache-2.0 */
/* The list of the vendors' libraries: their names, their functions, which versions can be used, and what has come of each. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#include "base/sized.h"
#include "base/system/names.h"
#include "library.h"

yops_cuda_table yops_cuda;
yops_cublas_table yops_cublas;
yops_cufft_table yops_cufft;
yops_clblast_table yops_clblast;

/* ---- Functions ---- */

#define YOPS_CUDA_SYMBOL(result, name, parameters) { #name, offsetof(yops_cuda_table, name) },
static const yvendor_symbol cuda_symbols[] = {
#include "symbols.def"
};
#define YOPS_CUBLAS_SYMBOL(result, name, parameters) { #name, offsetof(yops_cublas_table, name) },
static const yvendor_symbol cublas_symbols[] = {
#include "symbols.def"
};
#define YOPS_CUFFT_SYMBOL(result, name, parameters) { #name, offsetof(yops_cufft_table, name) },
static const yvendor_symbol cufft_symbols[] = {
#include "symbols.def"
};
#define YOPS_CLBLAST_SYMBOL(result, name, parameters) { #name, offsetof(yops_clblast_table, name) },
static const yvendor_symbol clblast_symbols[] = {
#include "symbols.def"
};

/* ---- Versions ---- */

/* `oldest`, `newest`: major versions whose functions are as symbols.def declares them. */
static bool nvidia_version(unsigned (*get)(yops_libraryPropertyType, int *), const char *name, int oldest, int newest,
                           char *version, char *reason, size_t size)
{
    int major = 0, minor = 0, patch = 0;
    if (get(YOPS_MAJOR_VERSION, &major) != 0 || get(YOPS_MINOR_VERSION, &minor) != 0 || get(YOPS_PATCH_LEVEL, &patch) != 0) {
        snprintf(reason, size, "%s does not tell its version", name);
        return false;
    }
    snprintf(version, YVENDOR_VERSION_SIZE, "%d.%d.%d", major, minor, patch);
    if (major >= oldest && major <= newest)
        return true;
    snprintf(reason, size, "it is %s %s; Yoke can use versions %d to %d", name, version, oldest, newest);
    return false;
}

static bool cublas_version(const char *path, char *version, char *reason, size_t size)
{
    (void)path;
    return nvidia_version(yops_cublas.cublasGetProperty, "cuBLAS", 11, 13, version, reason, size);
}

static bool cufft_version(const char *path, char *version, char *reason, size_t size)
{
    (void)path;
    return nvidia_version(yops_cufft.cufftGetProperty, "cuFFT", 10, 12, version, reason, size);
}

/* CLBlast tells no version, but its file is named by one: libclblast.so.1.5.3. */
/* NOLINTNEXTLINE(readability-non-const-parameter): the type of get_version */
static bool clblast_version(const char *path, char *version, char *reason, size_t size)
{
    const char *at = strstr(path, ".so.");
    (void)reason, (void)size;
    snprintf(version, YVENDOR_VERSION_SIZE, "%s", at ? at + strlen(".so.") : "");
    return true;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type of get_version */
static bool no_version(const char *path, char *version, char *reason, size_t size)
{
    (void)path, (void)version, (void)reason, (void)size;
    return true;
}

/* ---- The list ---- */

#define SONAMES(...)      \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }
#define TABLE(name) &yops_##name, sizeof yops_##name, name##_symbols, YOPS_COUNT_OF(name##_symbols)

static const yvendor_library libraries[] = {
    [YOPS_CUBLAS] = { "cuBLAS", SONAMES(YK_NAMES_CUBLAS), true,
                      "install it (NVIDIA's packages: libcublas; pip: nvidia-cublas), or set CUDA_HOME", NULL, TABLE(cublas),
                      cublas_version },
    [YOPS_CUFFT] = { "cuFFT", SONAMES(YK_NAMES_CUFFT), true,
                     "install it (NVIDIA's packages: libcufft; pip: nvidia-cufft), or set CUDA_HOME", NULL, TABLE(cufft),
                     cufft_version },
    [YOPS_CLBLAST] = { "CLBlast", SONAMES(YK_NAMES_CLBLAST), false, "install it (Debian: libclblast1)", NULL, TABLE(clblast),
                       clblast_version },
    [YOPS_CUDA_DRIVER] = { "CUDA's driver", SONAMES(YK_NAME_CUDA), false, "install NVIDIA's driver", NULL, TABLE(cuda),
                           no_version },
};
_Static_assert(YOPS_COUNT_OF(libraries) == YOPS_LIBRARY_END, "a row for each library");

const char *yops_library_name(yops_library_id id)
{
    return libraries[id].name;
}

const yvendor_found *yops_library_open(yops_library_id id)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects `searched`, and what is found until it is set */
    static bool searched[YOPS_LIBRARY_END];
    static yvendor_found found[YOPS_LIBRARY_END];
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

/* A switch: unset, 0 or 1, as libyoke reads its own. */
static bool is_on(const char *name, const char *order, atomic_flag *told)
{
    if (!order || !*order || strcmp(order, "0") == 0)
        return false;
    if (strcmp(order, "1") != 0 && !atomic_flag_test_and_set(told))
        yoke_log_write(YOKE_LOG_WARNING, "%s is '%.40s'; it must be 0 or 1, and counts as 1", name, order);
    return true;
}

bool yops_vendor_is_exact(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    return is_on("YOKE_OPS_EXACT", getenv("YOKE_OPS_EXACT"), &told);
}

yoke_status yoke_ops_get_library(size_t index, yoke_ops_library *out_library)
{
    const yops_call call = { .function = "yoke_ops_get_library" };
    if (!out_library)
        return yops_fail(&call, YOKE_E_INVALID_ARGUMENT, "out_library is NULL");
    if (index >= YOPS_PUBLIC_LIBRARIES)
        return yops_fail(&call, YOKE_E_RANGE, "index is %zu; there are %d libraries", index, (int)YOPS_PUBLIC_LIBRARIES);
    const yvendor_found *found = yops_library_open((yops_library_id)index);
    yoke_ops_library library = { sizeof library, libraries[index].name, found->version, found->path, found->reason };
    yk_sized_fill(out_library, &library, sizeof library, YK_FIRST_SIZE(yoke_ops_library));
    return YOKE_OK;
}

/* ---- Results ---- */

#define CASE(name, value) \
    case value:           \
        return #name;

const char *yops_cublas_result(yops_cublasStatus_t result)
{
    switch (result) {
        YOPS_CUBLAS_RESULTS(CASE)
    }
    return "unknown code";
}

const char *yops_cufft_result(yops_cufftResult result)
{
    switch (result) {
        YOPS_CUFFT_RESULTS(CASE)
    }
    return "unknown code";
}

const char *yops_clblast_result(yops_CLBlastStatusCode result)
{
    switch (result) {
        YOPS_CLBLAST_RESULTS(CASE)
    }
    return "unknown code";
}
