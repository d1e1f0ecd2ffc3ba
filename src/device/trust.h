/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a backend's drivers may be started in this process without a query in a child: they answered a child before, and neither
 * the drivers nor the settings that choose them have changed since. The notes are kept in the cache's folder; without that folder
 * nothing is remembered.
 */
#ifndef YK_TRUST_H
#define YK_TRUST_H

#include "base/base.h"

/* The drivers that the key stands for have answered, and the files that were loaded for that are what they were. */
bool yk_trust_find(const yk_text *key);
/* They have answered, and have loaded `files`: see yk_trust_list_files. */
void yk_trust_note(const yk_text *key, const yk_text *files);
void yk_trust_forget(const yk_text *key);

/* Append to the key what decides where the system's loader finds a library. */
void yk_trust_add_loader(yk_text *key);

/* In a child that asks: how many libraries are loaded; and a line for each that was loaded after so many. */
size_t yk_trust_count_files(void);
void yk_trust_list_files(size_t first, yk_text *files);

#endif
