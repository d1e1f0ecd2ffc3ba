/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of strings that every C library has but that of Windows; there they are Yoke's own, in windows/missing.c. */
#ifndef YK_SYSTEM_MISSING_H
#define YK_SYSTEM_MISSING_H

#include <string.h>

#ifdef _WIN32
#define memmem yk_memmem
#define stpcpy yk_stpcpy
#define strndup yk_strndup

void *memmem(const void *text, size_t size, const void *part, size_t part_size);
char *stpcpy(char *target, const char *source);
char *strndup(const char *text, size_t most);
#endif

#endif
