/* SPDX-License-Identifier: Apache-2.0 */
/* Strings that live as long as the process. */
#ifndef YK_LASTING_H
#define YK_LASTING_H

#include <stddef.h>

/* A copy of the text that lives as long as the process, for names that outlive their object. NULL and a record when out of
 * memory. */
const char *yk_intern(const char *text);
/* For tests: the longest chain of texts that yk_intern compares. */
size_t yk_intern_longest(void);
/* Around a fork: the lock of yk_intern. */
void yk_intern_lock(void);
void yk_intern_unlock(void);

#endif
