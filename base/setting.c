/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables that are a switch or a number. */
#include "base/setting.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

int yk_read_switch(const char *name, int otherwise)
{
    const char *ordered = getenv(name);
    if (!ordered || !*ordered)
        return otherwise;
    if (strcmp(ordered, "0") == 0)
        return 0;
    if (strcmp(ordered, "1") != 0)
        yoke_log_write(YOKE_LOG_WARNING, "%s is '%.40s'; it must be 0 or 1, and counts as 1", name, ordered);
    return 1;
}

int yk_read_count(const char *name, int otherwise)
{
    const char *ordered = getenv(name);
    if (!ordered || !*ordered)
        return otherwise;
    char *end;
    errno = 0;
    long count = strtol(ordered, &end, 10);
    if (*end == '\0' && errno == 0 && count >= 1 && count <= INT_MAX && ordered[0] >= '0' && ordered[0] <= '9')
        return (int)count;
    yoke_log_write(YOKE_LOG_WARNING, "%s is '%.40s'; it must be a number from 1, and is ignored", name, ordered);
    return otherwise;
}
