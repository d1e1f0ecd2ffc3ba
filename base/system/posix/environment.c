/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a POSIX process. */
#include "base/system/environment.h"

#include <stddef.h>
#include <stdlib.h>

const char *yk_environment(const char *name)
{
    return secure_getenv(name);
}

bool yk_environment_is_foreign(void)
{
    static const char *const names[] = { "HOME", "XDG_CACHE_HOME", "YOKE_CACHE_DIR", "YOKE_CACHE", "PATH" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]))
            return !secure_getenv(names[i]);
    return false;
}

void yk_environment_set(const char *name, const char *value)
{
    (void)setenv(name, value, 1);
}

void yk_environment_unset(const char *name)
{
    (void)unsetenv(name);
}

const char *yk_user_cache_folder(const char **out_rest)
{
    const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    if (xdg && xdg[0] == '/') { /* by its specification, relative paths are ignored */
        *out_rest = "/yoke";
        return xdg;
    }
    bool is_home = home && home[0] == '/';
    *out_rest = is_home ? "/.cache/yoke" : "HOME";
    return is_home ? home : NULL;
}
