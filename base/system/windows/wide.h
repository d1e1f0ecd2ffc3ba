/* SPDX-License-Identifier: Apache-2.0 */
/* What the files for Windows share: texts in UTF-16, as the system's functions take them, and its errors as errno values. */
#ifndef YK_SYSTEM_WINDOWS_WIDE_H
#define YK_SYSTEM_WINDOWS_WIDE_H

#include <wchar.h>

/* A text in the other form, to be freed; NULL: out of memory, or not UTF-8. yk_narrow makes '/' of each '\' where `is_path`. */
wchar_t *yk_wide(const char *text);
char *yk_narrow(const wchar_t *text, int is_path);

/* errno for an error of the system, and -1. */
int yk_windows_errno(unsigned long error);
int yk_windows_fail(void);

#endif
