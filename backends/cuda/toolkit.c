/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the headers of the CUDA Toolkit, which NVRTC reads: of the Toolkit or the Python packages that NVRTC itself is part of,
 * else of CUDA_HOME, CUDA_PATH or /usr/local/cuda. Python has its packages in folders of their own, so each part is looked for.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#include "base/system/environment.h"
#include "base/system/file.h"
#include "base/system/loader.h"
#include "base/system/names.h"

/* The folders found so far, and a root that is searched. */
typedef struct search {
    yk_text *folders;
    const char *part; /* a header of the part that is looked for */
} search;

static bool has(const yk_text *folders, const char *folder)
{
    const char *end = yk_text_get(folders) + folders->length;
    for (const char *at = yk_text_get(folders); at < end; at += strlen(at) + 1)
        if (strcmp(at, folder) == 0)
            return true;
    return false;
}

/* Whether the part is in root/below, or in CCCL's folder there, which is then one of the folders. */
static bool try_folder(const search *s, const char *root, const char *below)
{
    static const char *const folders[] = { "", "/cccl" };
    bool found = false;
    for (size_t i = 0; i < YK_COUNT_OF(folders) && !found; i++) {
        yk_text path = { 0 };
        yk_text_add(&path, "%s%s%s/%s", root, below, folders[i], s->part);
        found = path.length > 0 && yk_path_is_there(path.data);
        if (found)
            path.data[path.length - strlen(s->part) - 1] = '\0';
        char *real = found ? yk_path_real(path.data) : NULL;
        if (real && !has(s->folders, real))
            yk_text_add_bytes(s->folders, real, strlen(real) + 1);
        free(real);
        yk_text_free(&path);
    }
    return found;
}

/* Beside NVRTC: the Toolkit, Debian's packages, and those of Python, of CUDA 13 and 12. */
static bool try_library(const search *s)
{
    static const char *const below[] = { "/../include",
                                         "/../../include",
                                         "/../../../include",
                                         "/../../cuda_runtime/include",
                                         "/../../cuda_cccl/include",
                                         "/../../curand/include",
                                         "/../../cuda_nvcc/include",
                                         "/../../cuda_crt/include" };
    void *function;
    bool found = false;
    memcpy(&function, &yk_nvrtc.nvrtcVersion, sizeof function);
    char *path = yk_loader_path_of(function);
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < YK_COUNT_OF(below) && !found; i++)
        found = try_folder(s, path, below[i]);
    free(path);
    return found;
}

static bool try_variable(const search *s, const char *name)
{
    const char *home = yk_environment(name);
    return home && yk_path_is_absolute(home) && try_folder(s, home, "/include");
}

void yk_cuda_program_include_folders(const yoke_device *device, yk_text *folders)
{
    static const char *const parts[] = { "cuda_fp16.h",    "cooperative_groups.h", "crt/mma.h",      "nv/target",
                                         "cuda/std/array", "cub/version.cuh",      "curand_kernel.h" };
    yoke_error_info before = *yoke_error();
    yk_text log = { 0 };
    bool loaded = yk_nvrtc_load(&log) == YOKE_OK; /* compiling reports it better */
    (void)device;
    yk_text_free(&log);
    yk_error_restore(&before);
    for (size_t i = 0; loaded && i < YK_COUNT_OF(parts); i++) {
        const search s = { folders, parts[i] };
        if (!try_library(&s) && !try_variable(&s, "CUDA_HOME") && !try_variable(&s, "CUDA_PATH"))
            (void)try_folder(&s, YK_TOOLKIT, "/include");
    }
}
