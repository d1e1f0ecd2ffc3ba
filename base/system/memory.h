/* SPDX-License-Identifier: Apache-2.0 */
/* Memory as the system has it: what may be written, what is left, and what is shared. */
#ifndef YK_SYSTEM_MEMORY_H
#define YK_SYSTEM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* False where the system reports that the memory cannot be written, or cannot check memory of this kind. Only the first and the
 * last page are checked. */
bool yk_is_writable(const void *host, size_t size);

/* Whether this process has that many addresses left. */
bool yk_memory_has_addresses(size_t size);

/* Zeroed memory that forked children share with this process, for good; NULL: there is none. */
void *yk_memory_share(size_t size);

/* The beginning of an open file as memory: what is written there outlives the process. NULL: the file cannot be mapped. */
void *yk_memory_map(int file, size_t size);
void yk_memory_unmap(void *memory, size_t size);

#endif
