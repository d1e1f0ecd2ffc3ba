/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs that callers pass to be filled: base/sized.h has the rule of their sizes.
 */
#include "base/process/process.h"

/* Larger than the struct of any version: such a size was never initialized. */
enum { LARGEST = 65536 };

yoke_status yk_info_begin(const char *function, const char *argument, void *out_info, size_t least, size_t first,
                          const char *advice)
{
    size_t size;
    if (!out_info)
        return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s is NULL", function, argument));
    size = yk_sized_bytes(out_info, first);
    if (size < least || size > LARGEST)
        return yk_attribute(function, NULL,
                            yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the size in %s is %zu; %s", function, argument, size, advice));
    if (size > sizeof size)
        memset((char *)out_info + sizeof size, 0, size - sizeof size);
    return YOKE_OK;
}
