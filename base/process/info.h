/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that callers pass to be filled; the first member is the size. */
#ifndef YK_INFO_H
#define YK_INFO_H

#include "base/macros.h"

/* Check the struct, and zero everything behind its size member. `advice`: "start from YOKE_DEVICE_INFO_INIT". */
yoke_status yk_info_begin(const char *function, const char *argument, void *out_info, size_t least, const char *advice);
/* Copy as many members as the struct holds; members that this library does not know stay 0, and the size is unchanged. */
void yk_info_fill(void *out_info, const void *info, size_t known);

#endif
