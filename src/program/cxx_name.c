/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the compiled names of C++ kernels. The header describes what is read. */
#include "program/cxx_name.h"

#include <stdlib.h>
#include <string.h>

/* One part, "5scale": its length and the text behind it; NULL when there is none. */
static const char *read_part(const char *text, const char **out_part, size_t *out_length)
{
    char *after;
    if (*text < '1' || *text > '9')
        return NULL;
    unsigned long length = strtoul(text, &after, 10);
    if (length > strlen(after))
        return NULL;
    *out_part = after;
    *out_length = length;
    return after + length;
}

/* Behind "_Z", an 'N' of a nested name, and an 'L' of internal linkage; NULL for other names. */
static const char *skip_prefix(const char *compiled)
{
    if (strncmp(compiled, "_Z", 2) != 0)
        return NULL;
    compiled += 2;
    compiled += *compiled == 'N';
    return compiled + (*compiled == 'L');
}

const char *yk_cxx_last_part(const char *compiled, size_t *out_length)
{
    const char *part = compiled, *at = skip_prefix(compiled);
    *out_length = 0;
    while (at && (at = read_part(at + (*at == 'L'), &part, out_length)))
        ;
    return part;
}

bool yk_cxx_name_read(const char *compiled, char *target, size_t size, bool *out_is_template)
{
    static const char unnamed[] = "_GLOBAL__N_"; /* an unnamed namespace */
    const char *at = skip_prefix(compiled), *end = at, *part;
    size_t length, used = 0;
    *out_is_template = false;
    while (at && (at = read_part(at + (*at == 'L'), &part, &length))) {
        end = at;
        if (length >= strlen(unnamed) && strncmp(part, unnamed, strlen(unnamed)) == 0)
            continue;
        if (used + (used > 0 ? 2 : 0) + length + 1 > size)
            return false;
        if (used > 0) {
            memcpy(target + used, "::", 2);
            used += 2;
        }
        memcpy(target + used, part, length);
        used += length;
        target[used] = '\0';
    }
    *out_is_template = used > 0 && *end == 'I';
    return used > 0;
}

bool yk_cxx_is_plain_name(const char *compiled, const char *wanted)
{
    char name[512];
    bool is_template;
    if (!yk_cxx_name_read(compiled, name, sizeof name, &is_template) || is_template)
        return false;
    size_t length = strlen(name), wanted_length = strlen(wanted);
    if (wanted_length > length || strcmp(name + length - wanted_length, wanted) != 0)
        return false;
    return wanted_length == length || (length - wanted_length >= 2 && name[length - wanted_length - 1] == ':');
}
