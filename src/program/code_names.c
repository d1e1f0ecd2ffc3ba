/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the kernels in compiled code: `yoke cc` reads them, too. */
#include <string.h>

#include "program/code.h"

/* Whether the name is one of the names, which are separated by ';'. */
static bool is_listed(const yk_text *names, const char *name, size_t length)
{
    for (const char *at = yk_text_get(names); *at;) {
        size_t next = strcspn(at, ";");
        if (next == length && memcmp(at, name, length) == 0)
            return true;
        at += next + (at[next] == ';');
    }
    return false;
}

/* Append the names that follow each `prefix` and end before a byte that no name has; each name once. */
static void list_after(const char *prefix, const char *bytes, size_t size, yk_text *names)
{
    size_t skip = strlen(prefix);
    for (const char *at = bytes, *end = bytes + size; (at = memchr(at, prefix[0], (size_t)(end - at))); at++) {
        size_t left = (size_t)(end - at), length = 0;
        if (left <= skip || memcmp(at, prefix, skip) != 0)
            continue;
        while (skip + length < left && (yk_is_alpha(at[skip + length]) || yk_is_digit(at[skip + length]) ||
                                        strchr("_$", at[skip + length] ? at[skip + length] : ' ')))
            length++;
        if (length > 0 && !is_listed(names, at + skip, length))
            yk_text_add(names, "%s%.*s", names->length ? ";" : "", (int)length, at + skip);
    }
}

void yk_code_list_kernels(int kind, const void *bytes, size_t size, yk_text *names)
{
    if (kind == YK_CODE_PTX && bytes)
        list_after(".entry ", bytes, size, names);
    else if (kind == YK_CODE_CUBIN && bytes)
        list_after(".nv.constant0.", bytes, size, names); /* the section of a kernel's parameters */
}
