/* SPDX-License-Identifier: Apache-2.0 */
/* What tests use of POSIX and Windows lacks. tests/release/windows.sh has the compiler include this before each of them. */
#ifndef TEST_WINDOWS_POSIX_H
#define TEST_WINDOWS_POSIX_H

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/missing.h"

#define O_CLOEXEC 0
#define O_NOFOLLOW 0
#define aligned_alloc(alignment, size) malloc((size) + 0 * (alignment)) /* freed by free */

static inline int setenv(const char *name, const char *value, int replaces)
{
    return replaces || !getenv(name) ? _putenv_s(name, value) : 0;
}

static inline int unsetenv(const char *name)
{
    return _putenv_s(name, "");
}

static inline char *strcasestr(const char *text, const char *part)
{
    for (size_t length = strlen(part); *text; text++)
        if (_strnicmp(text, part, length) == 0)
            return (char *)text;
    return *part ? NULL : (char *)text;
}

static inline char *strsep(char **rest, const char *ends)
{
    char *part = *rest, *end = part ? strpbrk(part, ends) : NULL;
    *rest = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return part;
}

/* mingw-w64's rounds the product. This one is exact but for sums halfway between two floats, which no test has. */
static inline float exact_fmaf(float a, float b, float c)
{
    return (float)((double)a * b + c);
}
#define fmaf exact_fmaf

#endif
