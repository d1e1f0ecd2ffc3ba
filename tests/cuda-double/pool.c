/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory pools. The address of an allocation is known at once; the memory can be accessed from where the stream gets to it until
 * where the stream frees it, and nowhere else: whoever uses it out of order faults.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { UNIT = 64 << 10, LOOSE = 2 }; /* a block serves requests of half its size and more */

typedef struct double_block {
    double_range range;
    yk_CUmemoryPool pool;
    struct double_block *next;
    enum { USED, LEAVING, FREE } state; /* LEAVING: the free is in a stream */
    uint64_t stream, turn;              /* the one that frees it; how often it was given */
    bool unnoticed;                     /* freed, and the host has not synchronized with that stream since */
} double_block;

struct CUmemPoolHandle_st {
    int ordinal;
    bool destroyed;
    unsigned long long threshold, reserved, used, most_reserved, most_used;
    double_block *blocks;
    yk_CUmemoryPool next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all pools */
static yk_CUmemoryPool pools;

/* ---- Blocks: below the lock ---- */

/* Open or shut the memory itself, so that kernels notice, and copies, which look at `open`. */
static void set_open(double_block *block, bool open)
{
    double_ranges_write();
    block->range.open = open;
    (void)mprotect((void *)block->range.base, block->range.mapped - 2 * (block->range.base - (uintptr_t)block->range.mapping),
                   open ? PROT_READ | PROT_WRITE : PROT_NONE);
    if (open)
        double_range_poison(&block->range);
    double_ranges_unlock();
}

static void release(double_block *block)
{
    yk_CUmemoryPool pool = block->pool;
    double_block **at = &pool->blocks;

    while (*at != block)
        at = &(*at)->next;
    *at = block->next;
    pool->reserved -= block->range.capacity;
    double_unaccount(pool->ordinal, block->range.capacity);
    double_ranges_write();
    double_range_remove(&block->range);
    double_range_unmap(&block->range);
    double_ranges_unlock();
    free(block);
}

/* NVIDIA's driver (580) keeps at least that much, and not less as it is documented. */
static void trim(yk_CUmemoryPool pool, unsigned long long keep)
{
    for (double_block *block = pool->blocks, *next; block; block = next) {
        next = block->next;
        if (block->state == FREE && !block->unnoticed && pool->reserved - block->range.capacity >= keep)
            release(block);
    }
}

/* The host has synchronized with this stream, or with all (0). */
static void notice(yk_CUmemoryPool pool, uint64_t stream)
{
    for (double_block *block = pool->blocks; block; block = block->next)
        block->unnoticed = block->unnoticed && stream != 0 && block->stream != stream;
}

/* A pool that is destroyed goes with its last block. */
static void end_if_empty(yk_CUmemoryPool pool)
{
    yk_CUmemoryPool *at = &pools;

    if (!pool->destroyed)
        return;
    notice(pool, 0);
    trim(pool, 0);
    if (pool->blocks)
        return;
    while (*at != pool)
        at = &(*at)->next;
    *at = pool->next;
    free(pool);
}

static double_block *new_block(yk_CUmemoryPool pool, size_t size, yk_CUcontext context)
{
    size_t capacity = size > SIZE_MAX - UNIT ? SIZE_MAX : (size + UNIT - 1) / UNIT * UNIT;
    double_block *block = calloc(1, sizeof *block);

    if (!block || !double_account(pool->ordinal, capacity)) {
        free(block);
        return NULL;
    }
    block->pool = pool;
    block->range.kind = DOUBLE_POOLED;
    block->range.context = context;
    block->range.block = block;
    if (!double_range_map(&block->range, capacity, false)) {
        double_unaccount(pool->ordinal, capacity);
        free(block);
        return NULL;
    }
    double_ranges_write();
    bool added = double_range_add(&block->range);
    double_ranges_unlock();
    if (!added) {
        double_range_unmap(&block->range);
        double_unaccount(pool->ordinal, capacity);
        free(block);
        return NULL;
    }
    set_open(block, false);
    block->next = pool->blocks;
    pool->blocks = block;
    pool->reserved += capacity;
    return block;
}

/* The smallest that fits: one that is free, or that this stream frees before it comes to this allocation. */
static double_block *find_block(yk_CUmemoryPool pool, size_t size, yk_CUstream stream)
{
    double_block *best = NULL;

    for (double_block *block = pool->blocks; block; block = block->next) {
        size_t capacity = block->range.capacity;
        bool there = block->state == FREE || (block->state == LEAVING && block->stream == stream->id);
        if (there && capacity >= size && capacity / LOOSE <= size + UNIT && (!best || capacity < best->range.capacity))
            best = block;
    }
    return best;
}

/* ---- In the stream ---- */

typedef struct block_op {
    double_op op;
    double_block *block;
    uint64_t turn;
} block_op;

static yk_CUresult run_open(double_op *op)
{
    double_block *block = ((block_op *)op)->block;

    pthread_mutex_lock(&lock);
    if (block)
        set_open(block, true);
    pthread_mutex_unlock(&lock);
    return YK_CUDA_SUCCESS;
}

static void end_open(double_op *op)
{
    free(op);
}

/* Another allocation of the same stream may have it already: then it is still used. */
static yk_CUresult run_shut(double_op *op)
{
    block_op *shut = (block_op *)op;
    double_block *block = shut->block;

    pthread_mutex_lock(&lock);
    set_open(block, false);
    if (block->turn == shut->turn && block->state == LEAVING) {
        block->state = FREE;
        block->unnoticed = true;
        block->pool->used -= block->range.size;
        end_if_empty(block->pool);
    }
    pthread_mutex_unlock(&lock);
    return YK_CUDA_SUCCESS;
}

/* ---- The calls ---- */

yk_CUresult cuMemAllocFromPoolAsync(yk_CUdeviceptr *out_address, size_t size, yk_CUmemoryPool pool, yk_CUstream stream)
{
    yk_CUresult result;
    block_op *open;

    ENTER(DOUBLE_USABLE);
    result = double_stream_check(stream);
    if (result != YK_CUDA_SUCCESS)
        return result;
    if (!out_address || !pool || size == 0)
        return YK_CUDA_ERROR_INVALID_VALUE;
    open = double_op_new(sizeof *open, run_open, end_open);
    if (!open)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    double_block *block = find_block(pool, size, stream);
    if (!block)
        block = new_block(pool, size, stream->context);
    if (!block) {
        notice(pool, 0);
        trim(pool, 0);
        block = new_block(pool, size, stream->context);
    }
    if (block) {
        bool leaving = block->state == LEAVING;
        if (!leaving) /* nobody has it any more, so that it is there at once */
            set_open(block, true);
        pool->used += size - (leaving ? block->range.size : 0);
        block->state = USED;
        block->unnoticed = false;
        block->turn++;
        double_ranges_write();
        block->range.size = size;
        block->range.given = true;
        double_ranges_unlock();
        pool->most_reserved = pool->reserved > pool->most_reserved ? pool->reserved : pool->most_reserved;
        pool->most_used = pool->used > pool->most_used ? pool->used : pool->most_used;
        open->block = leaving ? block : NULL;
        *out_address = block->range.base;
        double_stream_give(stream, &open->op); /* below the lock: nobody frees it first */
    }
    pthread_mutex_unlock(&lock);
    if (!block)
        free(open);
    return block ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_OUT_OF_MEMORY;
}

yk_CUresult cuMemFreeAsync(yk_CUdeviceptr address, yk_CUstream stream)
{
    yk_CUresult result;
    block_op *shut;

    ENTER(DOUBLE_USABLE);
    result = double_stream_check(stream);
    if (result != YK_CUDA_SUCCESS)
        return result;
    shut = double_op_new(sizeof *shut, run_shut, end_open);
    if (!shut)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    double_ranges_write();
    double_range *range = double_range_find((uintptr_t)address);
    bool ok = range && range->block && range->given && range->base == address;
    if (ok)
        range->given = false;
    double_ranges_unlock();
    if (ok) {
        shut->block = range->block;
        shut->turn = range->block->turn;
        range->block->state = LEAVING;
        range->block->stream = stream->id;
        double_stream_give(stream, &shut->op);
    }
    pthread_mutex_unlock(&lock);
    if (!ok)
        free(shut);
    return ok ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_INVALID_VALUE;
}

/* At once, and noticed at once: whoever still uses the memory faults. NVIDIA's driver (580) counts it as used for ever. */
bool double_pool_take_back(uintptr_t address)
{
    pthread_mutex_lock(&lock);
    double_ranges_write();
    double_range *range = double_range_find(address);
    double_block *block = range && range->given && range->base == address ? range->block : NULL;
    if (block)
        range->given = false;
    double_ranges_unlock();
    if (block) {
        set_open(block, false);
        block->state = FREE;
        end_if_empty(block->pool);
    }
    pthread_mutex_unlock(&lock);
    return block != NULL;
}

void double_pools_settle(int ordinal, uint64_t stream)
{
    pthread_mutex_lock(&lock);
    for (yk_CUmemoryPool pool = pools; pool; pool = pool->next)
        if (pool->ordinal == ordinal) {
            notice(pool, stream);
            trim(pool, pool->threshold);
        }
    pthread_mutex_unlock(&lock);
}

void double_pools_end(int ordinal)
{
    pthread_mutex_lock(&lock);
    for (yk_CUmemoryPool pool = pools, next; pool && double_lost() == YK_CUDA_SUCCESS; pool = next) {
        next = pool->next;
        if (pool->ordinal != ordinal)
            continue;
        for (double_block *block = pool->blocks; block; block = block->next)
            block->state = FREE;
        pool->destroyed = true;
        end_if_empty(pool);
    }
    pthread_mutex_unlock(&lock);
}

static bool is_device_location(const yk_CUmemLocation *location)
{
    return location->type == YK_CU_MEM_LOCATION_TYPE_DEVICE && location->id >= 0 && location->id < double_settings_get()->devices;
}

yk_CUresult cuMemPoolCreate(yk_CUmemoryPool *out_pool, const struct CUmemPoolProps_st *properties)
{
    const yk_CUmemPoolProps *asked = (const void *)properties;
    yk_CUmemoryPool pool;

    ENTER(DOUBLE_USABLE);
    if (!out_pool || !asked || asked->allocType != YK_CU_MEM_ALLOCATION_TYPE_PINNED || !is_device_location(&asked->location))
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (asked->handleTypes != YK_CU_MEM_HANDLE_TYPE_NONE)
        return YK_CUDA_ERROR_NOT_SUPPORTED;
    pool = calloc(1, sizeof *pool);
    if (!pool)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    pool->ordinal = asked->location.id;
    pthread_mutex_lock(&lock);
    pool->next = pools;
    pools = pool;
    pthread_mutex_unlock(&lock);
    *out_pool = pool;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuMemPoolDestroy(yk_CUmemoryPool pool)
{
    ENTER(DOUBLE_START);
    if (!pool)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (double_lost() != YK_CUDA_SUCCESS)
        return double_lost();
    pthread_mutex_lock(&lock);
    pool->destroyed = true;
    end_if_empty(pool);
    pthread_mutex_unlock(&lock);
    return YK_CUDA_SUCCESS;
}

enum { RESERVED_MOST = 6, USED_NOW = 7, USED_MOST = 8 };

static unsigned long long *attribute_of(yk_CUmemoryPool pool, yk_CUmemPool_attribute attribute)
{
    switch (attribute) {
    case YK_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        return &pool->threshold;
    case YK_CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        return &pool->reserved;
    case RESERVED_MOST:
        return &pool->most_reserved;
    case USED_NOW:
        return &pool->used;
    case USED_MOST:
        return &pool->most_used;
    default:
        return NULL;
    }
}

yk_CUresult cuMemPoolSetAttribute(yk_CUmemoryPool pool, yk_CUmemPool_attribute attribute, void *value)
{
    ENTER(DOUBLE_USABLE);
    if (!pool || !value || attribute != YK_CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
        return YK_CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    memcpy(&pool->threshold, value, sizeof pool->threshold);
    pthread_mutex_unlock(&lock);
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuMemPoolGetAttribute(yk_CUmemoryPool pool, yk_CUmemPool_attribute attribute, void *out_value)
{
    ENTER(DOUBLE_USABLE);
    if (!pool || !out_value || !attribute_of(pool, attribute))
        return YK_CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    memcpy(out_value, attribute_of(pool, attribute), sizeof(unsigned long long));
    pthread_mutex_unlock(&lock);
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuMemPoolTrimTo(yk_CUmemoryPool pool, size_t keep)
{
    ENTER(DOUBLE_USABLE);
    if (!pool)
        return YK_CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    trim(pool, keep);
    pthread_mutex_unlock(&lock);
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuMemPoolSetAccess(yk_CUmemoryPool pool, const struct CUmemAccessDesc_st *accesses, size_t count)
{
    const yk_CUmemAccessDesc *asked = (const void *)accesses;

    ENTER(DOUBLE_USABLE);
    if (!pool || !asked)
        return YK_CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!is_device_location(&asked[i].location))
            return YK_CUDA_ERROR_INVALID_DEVICE;
    return YK_CUDA_SUCCESS;
}
