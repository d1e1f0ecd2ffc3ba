/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL driver that is broken: copies of it do what their file's name says (misbehave.h): as soon as they are loaded, or, where
 * the name has "platforms" or "devices", when they are asked for these. Under any other name it loads and has no platform, and
 * crashes only while there is a file of its own name with ".crash" behind. A file of its own name with ".asked" behind gets a byte
 * each time that it is loaded. Where the file is a link, it is the name of what the
 * link leads to.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

#include "misbehave.h"

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, INVALID_VALUE = -30, NO_PLATFORM = -1001, PLATFORM_EXTENSIONS = 0x0904, ENTRIES = 200 };

static char path[PATH_MAX];

static const char *name(void)
{
    static int here;
    Dl_info own;
    if (!*path && (!dladdr(&here, &own) || !own.dli_fname || !realpath(own.dli_fname, path)))
        return "";
    return strrchr(path, '/');
}

__attribute__((constructor)) static void misbehave(void)
{
    char order[PATH_MAX + 8];
    fprintf(stderr, "this is the driver%s\n", name());
    snprintf(order, sizeof order, "%s.asked", path);
    int asked = open(order, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (asked >= 0 && write(asked, "x", 1) == 1)
        close(asked);
    snprintf(order, sizeof order, "%s.crash", path);
    if (access(order, F_OK) == 0)
        misbehave_as("crash");
    if (!strstr(name(), "platforms") && !strstr(name(), "devices"))
        misbehave_as(name());
}

/* ---- A platform ---- */

static int get_info(void *platform, unsigned what, size_t size, void *target, size_t *out_size)
{
    const char *text = what == PLATFORM_EXTENSIONS ? "cl_khr_icd" : "OpenCL 1.2 bad";
    (void)platform;
    if (target && size < strlen(text) + 1)
        return INVALID_VALUE;
    if (target)
        strcpy(target, text);
    if (out_size)
        *out_size = strlen(text) + 1;
    return SUCCESS;
}

static int get_devices(void *platform, unsigned long long type, unsigned room, void **devices, unsigned *out_count)
{
    (void)platform, (void)type, (void)room, (void)devices;
    misbehave_as(name());
    if (out_count)
        *out_count = 0;
    return SUCCESS;
}

static void no_function(void)
{
}

typedef void (*function)(void);
static function table[ENTRIES]; /* in the order of the loaders: platforms, their infos, devices */
static struct {
    function *table;
} platform = { table };

EXPORT int clIcdGetPlatformIDsKHR(unsigned room, void **platforms, unsigned *out_count);
int clIcdGetPlatformIDsKHR(unsigned room, void **platforms, unsigned *out_count)
{
    if (strstr(name(), "platforms"))
        misbehave_as(name());
    if (!strstr(name(), "devices"))
        return NO_PLATFORM;
    for (size_t i = 0; i < ENTRIES; i++)
        table[i] = no_function;
    table[1] = (function)get_info;
    table[2] = (function)get_devices;
    if (platforms && room > 0)
        platforms[0] = &platform;
    if (out_count)
        *out_count = 1;
    return SUCCESS;
}

EXPORT int clGetPlatformInfo(void *asked, unsigned what, size_t size, void *target, size_t *out_size);
int clGetPlatformInfo(void *asked, unsigned what, size_t size, void *target, size_t *out_size)
{
    return get_info(asked, what, size, target, out_size);
}

EXPORT void *clGetExtensionFunctionAddress(const char *wanted);
void *clGetExtensionFunctionAddress(const char *wanted)
{
    if (strcmp(wanted, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)clIcdGetPlatformIDsKHR;
    return strcmp(wanted, "clGetPlatformInfo") == 0 ? (void *)clGetPlatformInfo : NULL;
}
