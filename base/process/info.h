/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that callers pass to be filled; the first member is the size. */
#ifndef YK_INFO_H
#define YK_INFO_H

#include "base/macros.h"
#include "base/sized.h"

/* Check the struct, which has at least so many bytes, and zero everything behind its size member. `first`: what a size of 0 stands
 * for. `advice`: "start from YOKE_DEVICE_INFO_INIT". */
yoke_status yk_info_begin(const char *function, const char *argument, void *out_info, size_t least, size_t first,
                          const char *advice);

#define YK_INFO_BEGIN(function, argument, type, advice) \
    yk_info_begin(function, #argument, argument, 0, YK_FIRST_SIZE(type), advice)
/* Copy as many members as the struct holds; members that this library does not know stay 0, and the size is unchanged. */
#define YK_INFO_FILL(out_info, type, info) yk_sized_fill(out_info, info, sizeof(type), YK_FIRST_SIZE(type))

#endif
