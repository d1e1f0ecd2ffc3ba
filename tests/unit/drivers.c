/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers in the sandbox. */
#include "drivers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tap/tap.h"
#include "sandbox.h"

#define POCL "/etc/OpenCL/vendors/pocl.icd"
#define BROKEN_ICD "tests/tools/.libs/bad_icd.so"
#define BROKEN_CUDA "tests/tools/.libs/stub_cuda.so"

bool drivers_have_pocl(void)
{
    return access(POCL, R_OK) == 0;
}

void drivers_begin(void)
{
    static const char *const unwanted[] = { "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "OPENCL_LAYERS", "YOKE_BACKEND",
                                            "YOKE_DEVICE",       "YOKE_LOG",           "RUSTICL_ENABLE" };
    char folder[1024];

    sandbox_enter();
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++)
        unsetenv(unwanted[i]);
    snprintf(folder, sizeof folder, "%s/", sandbox_path("icds")); /* the loader of CUDA's toolkit wants the slash */
    setenv("OCL_ICD_VENDORS", folder, 1);
    setenv("POCL_DEVICES", "pthread", 1);
}

static void copy_file(const char *from, const char *to)
{
    size_t size = 0;
    char *bytes = sandbox_read(from, &size);

    if (!bytes || !sandbox_write(to, bytes, size))
        tap_bail("%s: cannot be copied to %s: %s", from, to, strerror(errno));
    free(bytes);
}

const char *drivers_file(const char *name)
{
    char relative[64];

    snprintf(relative, sizeof relative, "icds/%s.icd", name);
    return sandbox_path(relative);
}

static const char *library(const char *name)
{
    char relative[64];

    snprintf(relative, sizeof relative, "libbad-%s.so", name);
    return sandbox_path(relative);
}

static void add(const char *name)
{
    char line[1024];

    if (strcmp(name, "pocl") == 0) {
        if (drivers_have_pocl())
            copy_file(POCL, drivers_file(name));
        return;
    }
    if (access(library(name), F_OK) != 0)
        copy_file(BROKEN_ICD, library(name));
    snprintf(line, sizeof line, "%s\n", library(name));
    if (!sandbox_write(drivers_file(name), line, strlen(line)))
        tap_bail("%s: %s", drivers_file(name), strerror(errno));
}

void drivers_use(const char *first, const char *second)
{
    sandbox_remove(sandbox_path("icds"));
    mkdir(sandbox_path("icds"), 0700);
    if (first)
        add(first);
    if (second)
        add(second);
}

void drivers_link(const char *name)
{
    unlink(library("link"));
    if (access(library(name), F_OK) != 0)
        copy_file(BROKEN_ICD, library(name));
    if (symlink(library(name), library("link")) != 0)
        tap_bail("%s: %s", library("link"), strerror(errno));
}

bool drivers_run_with_cuda(const char *way)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    char relative[64], path[4096];

    snprintf(relative, sizeof relative, "cuda-%s", way);
    mkdir(sandbox_path(relative), 0700);
    snprintf(relative, sizeof relative, "cuda-%s/libcuda.so.1", way);
    copy_file(BROKEN_CUDA, sandbox_path(relative));
    snprintf(relative, sizeof relative, "cuda-%s", way);
    snprintf(path, sizeof path, "%s%s%s", sandbox_path(relative), before ? ":" : "", before ? before : "");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("LD_LIBRARY_PATH", path, 1);
        setenv("YOKE_CACHE_DIR", sandbox_path("cache"), 1);
        execl("/proc/self/exe", program_invocation_name, way, (char *)NULL);
        _exit(127);
    }
    return sandbox_reap(child);
}
