/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs that callers pass to be filled. The first member is the struct's size as the program was compiled, which is larger or
 * smaller than this library's when the versions differ.
 */
#include "base/process/process.h"

/* Larger than the struct of any version: such a size was never initialized. */
enum { LARGEST = 65536 };

yoke_status yk_info_begin(const char *function, const char *argument, void *out_info, size_t least, const char *advice)
{
    size_t size;
    if (!out_info)
        return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s is NULL", function, argument));
    memcpy(&size, out_info, sizeof size);
    if (size == 0 || size < least || size > LARGEST)
        return yk_attribute(function, NULL,
                            yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the size in %s is %zu; %s", function, argument, size, advice));
    if (size > sizeof size)
        memset((char *)out_info + sizeof size, 0, size - sizeof size);
    return YOKE_OK;
}

void yk_info_fill(void *out_info, const void *info, size_t known)
{
    size_t size;
    memcpy(&size, out_info, sizeof size);
    known = size < known ? size : known;
    if (known > sizeof size)
        memcpy((char *)out_info + sizeof size, (const char *)info + sizeof size, known - sizeof size);
}
