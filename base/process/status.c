/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meaning of numbers: the name, meaning and group of each status, and the library's version. The source is the list in yoke.h.
 */
#include "base/process/process.h"

#include <stdio.h>
#include <string.h>

const char *yoke_version(void)
{
    return YOKE_TEXT(YOKE_VERSION_MAJOR) "." YOKE_TEXT(YOKE_VERSION_MINOR) "." YOKE_TEXT(YOKE_VERSION_PATCH);
}

const char *yoke_status_name(yoke_status status)
{
    switch (status) {
#define STATUS_NAME(name, value, meaning) \
    case value:                           \
        return #name;
        YOKE_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    default:
        return "unknown status";
    }
}

yk_status_text yk_status_word(yoke_status status)
{
    yk_status_text word = { { 0 } };
    const char *name = yoke_status_name(status);
    if (strcmp(name, "unknown status") == 0)
        snprintf(word.text, sizeof word.text, "%d", (int)status);
    else
        yk_string_copy(word.text, sizeof word.text, name);
    return word;
}

const char *yoke_status_meaning(yoke_status status)
{
    switch (status) {
#define STATUS_MEANING(name, value, meaning) \
    case value:                              \
        return meaning;
        YOKE_STATUS_LIST(STATUS_MEANING)
#undef STATUS_MEANING
    default:
        return status < 0 ? "the program's own status" : "not a failure";
    }
}

int yoke_status_group(yoke_status status)
{
    if (status >= 0)
        return YOKE_GROUP_NONE;
    switch (status) {
#define STATUS_GROUP(name, value, meaning) \
    case value:                            \
        return -(value) / 100;
        YOKE_STATUS_LIST(STATUS_GROUP)
#undef STATUS_GROUP
    default:
        return YOKE_GROUP_STREAM;
    }
}
