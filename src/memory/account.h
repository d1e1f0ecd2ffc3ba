/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a device's memory buffers use. */
#ifndef YK_ACCOUNT_H
#define YK_ACCOUNT_H

#include "objects/objects.h"

/* Page-locked host memory: no limit is set for that. */
static inline bool yk_counts_as_pinned(const yoke_buffer *buffer)
{
    return buffer->kind == YOKE_MEMORY_PINNED || buffer->kind == YOKE_MEMORY_MAPPED;
}

/* Count the buffer's capacity as in use. What is released but still in use is waited for, whoever gets it then;
 * YOKE_E_OUT_OF_DEVICE_MEMORY when even all of that would not be enough. */
yoke_status yk_account_take(const yoke_buffer *buffer);
/* With the pool's lock held: so many bytes more, if the limit allows that. */
bool yk_account_more(yk_pool *pool, uint64_t bytes);
/* The buffer is in use no longer. */
void yk_account_return(const yoke_buffer *buffer);
/* What is counted now has been granted: it may be the most until now. */
void yk_account_note_peak(yk_pool *pool);

/* The bytes that this root counts as in use, of the device's memory; 0 for other memory. */
uint64_t yk_account_of(const yoke_buffer *buffer);

#endif
