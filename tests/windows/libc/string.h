/* SPDX-License-Identifier: Apache-2.0 */
/* As much of <string.h> as the public headers use, for a compiler without a C library (tests/static/system.sh). */
#ifndef TEST_WINDOWS_STRING_H
#define TEST_WINDOWS_STRING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
void *memcpy(void *target, const void *source, size_t size);
void *memset(void *target, int byte, size_t size);
#ifdef __cplusplus
}
#endif

#endif
