/* SPDX-License-Identifier: Apache-2.0 */
/* The device memory that buffers use. */
#ifndef YK_ACCOUNT_H
#define YK_ACCOUNT_H

#include "objects/objects.h"

/* Page-locked host memory, which has no limit. */
static inline bool yk_counts_as_pinned(const yoke_buffer *buffer)
{
    return buffer->kind == YOKE_MEMORY_PINNED || buffer->kind == YOKE_MEMORY_MAPPED;
}

/* Whether the root's memory is Yoke's own. */
static inline bool yk_is_counted(const yoke_buffer *buffer)
{
    return buffer->origin == YK_CREATED || buffer->origin == YK_ORDERED || buffer->origin == YK_IMAGED;
}

/* Count the buffer's capacity as in use. Waits for memory that is released but still used, which another thread may then take;
 * YOKE_E_OUT_OF_DEVICE_MEMORY when all such memory would not be enough. */
yoke_status yk_account_take(const yoke_buffer *buffer);
/* Count `bytes` more if the limit allows them. With the pool's lock held. */
bool yk_account_more(yk_pool *pool, uint64_t bytes);
/* The buffer is no longer in use. */
void yk_account_return(const yoke_buffer *buffer);
/* Raise the peak to the bytes in use now, if they exceed it. */
void yk_account_note_peak(yk_pool *pool);

/* The bytes of device memory that the root counts as in use; 0 for other memory. */
uint64_t yk_account_of(const yoke_buffer *buffer);

#endif
