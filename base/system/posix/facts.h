/* SPDX-License-Identifier: Apache-2.0 */
/* What files and folders of POSIX share. */
#ifndef YK_SYSTEM_POSIX_FACTS_H
#define YK_SYSTEM_POSIX_FACTS_H

#include "base/system/file.h"

struct stat;

void yk_facts_take(const struct stat *about, yk_file_facts *out_facts);
int yk_file_open_at(int folder, const char *path, yk_file_use use);

#endif
