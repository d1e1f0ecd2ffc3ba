/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a backend's drivers may be started in this process without a query in a child: the drivers answered a child before, and
 * neither the drivers nor the settings that choose them have changed since. The notes are kept in the cache's folder; without that
 * folder nothing is remembered.
 */
#ifndef YK_TRUST_H
#define YK_TRUST_H

#include "base/process/process.h"

/* Whether the key's drivers have answered, and the files that they loaded are unchanged. */
bool yk_trust_find(const yk_text *key);
/* Note that the key's drivers have answered, and have loaded `files`: see yk_trust_list_files. */
void yk_trust_note(const yk_text *key, const yk_text *files);
void yk_trust_forget(const yk_text *key);

/* Append to the key the settings of the system's library search. */
void yk_trust_add_loader(yk_text *key);

/* In a child: the number of loaded libraries; and a line for each library loaded after the first `first`. */
size_t yk_trust_count_files(void);
void yk_trust_list_files(size_t first, yk_text *files);

#endif
