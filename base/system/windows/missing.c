/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of strings that Windows' C library lacks. */
#include "base/system/missing.h"

#include <stdlib.h>

void *memmem(const void *text, size_t size, const void *part, size_t part_size)
{
    const char *at = text, *end = at + size;
    if (part_size == 0)
        return (void *)at;
    while ((size_t)(end - at) >= part_size && (at = memchr(at, *(const char *)part, (size_t)(end - at) - part_size + 1))) {
        if (memcmp(at, part, part_size) == 0)
            return (void *)at;
        at++;
    }
    return NULL;
}

char *stpcpy(char *target, const char *source)
{
    size_t length = strlen(source);
    memcpy(target, source, length + 1);
    return target + length;
}

char *strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}
