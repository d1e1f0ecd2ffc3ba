/* SPDX-License-Identifier: Apache-2.0 */
/* Which driver it is, and so which quirks it has. Nothing else in the backend looks at a name: tests/static/names.sh. */
#include "quirks.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { NVIDIA = 1, POCL = 2, POCL_ALONE = 4, POCL_THREADS = 8, RUSTICL = 16, OCLGRIND = 32, LLVMPIPE = 64 };

/* Lower and upper case are the same. */
static bool has(const char *text, const char *words)
{
    return yk_find_letters(text, words) != NULL;
}

static bool begins(const char *text, const char *words)
{
    return strncmp(text, words, strlen(words)) == 0;
}

static unsigned drivers_of(const char *platform, const char *maker, const char *device)
{
    bool pocl = has(platform, "portable computing language");
    bool alone = pocl && (begins(device, "basic") || begins(device, "cpu-minimal"));
    return (has(maker, "nvidia") ? NVIDIA : 0u) | (pocl ? POCL : 0u) |
           (alone  ? POCL_ALONE
            : pocl ? POCL_THREADS
                   : 0u) |
           (has(platform, "rusticl") ? RUSTICL : 0u) | (has(platform, "oclgrind") || has(device, "oclgrind") ? OCLGRIND : 0u) |
           (has(device, "llvmpipe") ? LLVMPIPE : 0u);
}

yk_opencl_quirks yk_opencl_find_quirks(const char *platform, const char *maker, const char *device)
{
    unsigned drivers = drivers_of(platform, maker, device);
    yk_opencl_quirks quirks = {
#define QUIRK(member, which, evidence) .member = (drivers & (which)) != 0,
#include "quirks.def"
    };
    const char *cache = getenv("POCL_KERNEL_CACHE"); /* 0: there is no cache of its own either */
    quirks.compiles_for_code = quirks.compiles_for_code && !(cache && strcmp(cache, "0") == 0);
    return quirks;
}
