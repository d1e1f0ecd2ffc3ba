/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device memory that buffers use, and its limit. A buffer is counted before the driver allocates its memory, and only if the
 * limit allows it, so that concurrent threads never count memory that they do not get.
 */
#include "memory/account.h"

#include "stream/retire.h"

bool yk_account_more(yk_pool *pool, uint64_t bytes)
{
    uint64_t limit = atomic_load_explicit(&pool->in_use_limit, memory_order_relaxed);
    uint64_t used = atomic_load_explicit(&pool->in_use, memory_order_relaxed);
    if (used > limit || bytes > limit - used)
        return false;
    atomic_fetch_add_explicit(&pool->in_use, bytes, memory_order_relaxed);
    return true;
}

void yk_account_return(const yoke_buffer *buffer)
{
    yk_pool *pool = &buffer->device->pool;
    atomic_fetch_sub_explicit(yk_counts_as_pinned(buffer) ? &pool->pinned_in_use : &pool->in_use, buffer->capacity,
                              memory_order_relaxed);
}

void yk_account_note_peak(yk_pool *pool)
{
    uint64_t now = atomic_load_explicit(&pool->in_use, memory_order_relaxed);
    uint_fast64_t peak = atomic_load_explicit(&pool->peak, memory_order_relaxed);
    while (now > peak && !atomic_compare_exchange_weak(&pool->peak, &peak, now))
        continue;
}

uint64_t yk_account_of(const yoke_buffer *buffer)
{
    return yk_is_counted(buffer) && !yk_counts_as_pinned(buffer) ? buffer->capacity : 0;
}

/* Whether the limit allows a buffer's capacity, read under the pool's lock: in_use may shrink meanwhile but not grow, and bytes
 * subtracted from in_use remain in `leaving` a little longer. */
typedef struct account {
    bool granted;        /* the capacity is counted */
    bool fits_later;     /* once all bytes in `leaving` are freed */
    uint64_t unreleased; /* bytes in use that nobody has released */
    uint64_t limit;
} account;

YK_COLD static account query_account(const yoke_buffer *buffer)
{
    yk_pool *pool = &buffer->device->pool;
    yk_light_lock(&pool->lock);
    account a = { .granted = yk_account_more(pool, buffer->capacity), .limit = atomic_load(&pool->in_use_limit) };
    uint64_t used = atomic_load(&pool->in_use);
    a.unreleased = used > pool->leaving ? used - pool->leaving : 0;
    a.fits_later = a.unreleased <= a.limit && buffer->capacity <= a.limit - a.unreleased;
    yk_light_unlock(&pool->lock);
    return a;
}

YK_COLD static yoke_status beyond_limit(const yoke_buffer *buffer, const account *a)
{
    char asked[32], counted[32], used[32], limit[32];
    yk_bytes_text(asked, sizeof asked, buffer->size);
    yk_bytes_text(counted, sizeof counted, buffer->capacity);
    bool rounded = strcmp(asked, counted) != 0;
    return yk_fail(YOKE_E_OUT_OF_DEVICE_MEMORY,
                   "%s: %s requested%s%s, but buffers already use %s of the %s that yoke_device_set_memory_limits allows",
                   buffer->device->info.selector, asked, rounded ? ", which takes " : "", rounded ? counted : "",
                   yk_bytes_text(used, sizeof used, a->unreleased), yk_bytes_text(limit, sizeof limit, a->limit));
}

yoke_status yk_account_take(const yoke_buffer *buffer)
{
    if (yk_counts_as_pinned(buffer)) {
        atomic_fetch_add_explicit(&buffer->device->pool.pinned_in_use, buffer->capacity, memory_order_relaxed);
        return YOKE_OK;
    }
    yk_pool *pool = &buffer->device->pool;
    yk_light_lock(&pool->lock);
    bool granted = yk_account_more(pool, buffer->capacity);
    yk_light_unlock(&pool->lock);
    while (YK_UNLIKELY(!granted)) {
        account a = query_account(buffer);
        if (!a.granted && !a.fits_later)
            return beyond_limit(buffer, &a);
        if (!a.granted)
            yk_reclaim_wait(buffer->device);
        granted = a.granted;
    }
    return YOKE_OK;
}
