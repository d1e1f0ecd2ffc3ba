/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that callers pass to be filled; the first member is the size. */
#ifndef YK_INFO_H
#define YK_INFO_H

#include "base/macros.h"

/* Check what is given, and zero all behind its size. `advice`: "start from YOKE_DEVICE_INFO_INIT". */
yoke_status yk_info_begin(const char *function, const char *argument, void *out_info, size_t least, const char *advice);
/* Fill in as much as it takes; what this library does not know stays 0, and its size as it was. */
void yk_info_fill(void *out_info, const void *info, size_t known);

#endif
