/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of compiled programs on disk. Any thread, in any number of processes, may use it; every failure is a line in the log
 * and a miss, and leaves the thread's failure record unchanged.
 */
#ifndef YK_PROGRAM_CACHE_H
#define YK_PROGRAM_CACHE_H

#include "base/base.h"

/* The key is all that decides what the compiler makes; it may be large and hold NUL bytes. */

/* Whether there may be an entry at all: when not, a key need not be made. */
bool yk_cache_is_on(void);
/* The image that was stored under this key. True: *out_file, empty before, has all of it. */
bool yk_cache_find(const yk_text *key, yk_text *out_file);
/* Keep an image, in place of one that is there. */
void yk_cache_store(const yk_text *key, const yk_text *image);
/* What yk_cache_find has just given is of no use (the driver refused it): it is dropped, and the hit was none. */
void yk_cache_reject(const yk_text *key);

/* Small notes of other things in the same folder, found and kept in the same way: they count neither for yoke_cache_get_info nor
 * for the limit. */
bool yk_cache_recall(const yk_text *key, yk_text *out_note);
void yk_cache_note(const yk_text *key, const yk_text *note);
void yk_cache_forget(const yk_text *key);

#endif
