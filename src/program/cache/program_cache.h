/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of compiled programs on disk. Any thread, in any number of processes, may use it; every failure is a line in the log
 * and a miss, and leaves the thread's failure record unchanged.
 */
#ifndef YK_PROGRAM_CACHE_H
#define YK_PROGRAM_CACHE_H

#include "base/process/process.h"

/* The key is everything that determines the compiler's result; it may be large and contain NUL bytes. */

/* Whether the cache is on: otherwise no key needs to be made. */
bool yk_cache_is_on(void);
/* Whether it keeps what it is given. */
bool yk_cache_is_kept(void);
/* Whether it takes the file of a program that was not found: otherwise none needs to be made. One that is costly to make is taken
 * when the program has been missed a few times, or when YOKE_CACHE=on orders it. */
bool yk_cache_takes(const yk_text *key, bool is_costly);
/* In a forked child. */
void yk_cache_forked(void);
/* Find the program file stored under this key. True: *out_file, empty before, has all of it. */
bool yk_cache_find(const yk_text *key, yk_text *out_file);
/* Store a program file, replacing any entry of the key. */
void yk_cache_store(const yk_text *key, const yk_text *program_file);
/* The driver refused the file that yk_cache_find just returned: the entry is removed, and the hit counts as a miss. */
void yk_cache_reject(const yk_text *key);

/* Small notes on other things in the same folder, found and stored in the same way: they count neither for yoke_cache_get_info
 * nor for the limit. */
bool yk_cache_recall(const yk_text *key, yk_text *out_note);
void yk_cache_note(const yk_text *key, const yk_text *note);
void yk_cache_forget(const yk_text *key);

#endif
