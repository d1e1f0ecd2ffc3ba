/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic on sizes from outside: from callers, files and drivers. A wrapped size would pass every later check, so overflow is
 * detected where it happens.
 */
#ifndef YK_SIZES_H
#define YK_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Add `more` to the sum. False: the sum would wrap round, and is unchanged. */
static inline bool yk_size_add(size_t *sum, uint64_t more)
{
    size_t result;
    bool fits = !__builtin_add_overflow(*sum, more, &result);
    if (fits)
        *sum = result;
    return fits;
}

/* The same for `count` objects of one size. */
static inline bool yk_size_add_product(size_t *sum, uint64_t count, uint64_t size)
{
    size_t product;
    return !__builtin_mul_overflow(count, size, &product) && yk_size_add(sum, product);
}

/* Whether the range can exist: no object is larger than PTRDIFF_MAX, and none wraps round the end of memory. */
static inline bool yk_is_range(const void *start, uint64_t size)
{
    return size <= PTRDIFF_MAX && size <= UINTPTR_MAX - (uintptr_t)start;
}

#endif
