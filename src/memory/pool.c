/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Released memory, kept for reuse: the driver takes tens of microseconds to allocate device memory, and thousands for pinned
 * memory. Memory is kept by size class, an eighth of a power of two wide at most, and freed oldest first above the limit.
 *
 * Memory arrives here either idle, or while a stream may still use it: until the stream has passed that point, only buffers in the
 * order of that stream get it. CUDA's driver does the same with a pool of its own (never the process's default pool), where large
 * ordered buffers on CUDA come from; but it takes half a microsecond to allocate and as much to free, so that the memory of these
 * is kept here too, apart from that of all others.
 */
#include "memory/pool.h"

#include <stdlib.h>

#include "memory/account.h"
#include "stream/enqueue.h"
#include "stream/retire.h"

struct yk_block {
    yk_block *next, *previous; /* in its list */
    yk_block *newer, *older;
    size_t class;
    unsigned user;
    yoke_buffer memory; /* the members that a backend sets, and capacity */
};

enum {
    MOST_EXAMINED = 16, /* blocks of a list that a search examines */
    MOST_TRIES = 200,   /* repeated requests to the driver for memory */
    MOST_POOL_TRIES = 3 /* of which only the driver's pool has given something back since the last */
};

static const size_t smallest = 256, large = (size_t)64 << 20, large_unit = (size_t)2 << 20, page = 4096;

/* ---- Size classes ---- */

/* The binary logarithm of a size, 0 for `smallest`. */
static unsigned octave_of(size_t size)
{
    return (unsigned)(8 * sizeof size - 1) - (unsigned)__builtin_clzl(size / smallest);
}

/* Eight classes to a power of two; the last class has no upper bound. */
static size_t class_of(size_t size)
{
    unsigned octave = octave_of(size);
    size_t class = (size_t)8 * octave + (size >> octave) / (smallest / 8) - 8;
    return class < YK_CLASSES ? class : YK_CLASSES - 1;
}

/* A little more than requested, so that buffers of other sizes can reuse the memory; at most the largest buffer. */
static size_t round_up(const yoke_buffer *buffer)
{
    size_t least = buffer->kind == YOKE_MEMORY_PINNED ? page : smallest;
    size_t size = buffer->size < least ? least : buffer->size;
    size_t unit = size < large ? smallest / 8 << octave_of(size) : large_unit;
    size_t rounded = (size - 1) / unit * unit + unit;
    uint64_t most = buffer->device->info.max_buffer;
    return rounded < size || (rounded > most && buffer->size <= most) ? buffer->size : rounded;
}

/* ---- The caches ---- */

static yk_memory_cache *cache_of(yoke_device *device, const yoke_buffer *buffer)
{
    return buffer->kind == YOKE_MEMORY_PINNED ? &device->pool.pinned : &device->pool.device;
}

/* The list of the blocks of a class that this stream may still use, or of those that none does. Blocks of other classes and streams
 * may be in it, too: there are fewer lists than both have. */
static yk_block **list_of(yk_memory_cache *cache, size_t class, unsigned user)
{
    enum { STRIDE = 389 };
    return &cache->lists[(class + (size_t)user * STRIDE) % YK_CACHE_LISTS];
}

/* With the pool's lock held. */
static void insert_into_list(yk_memory_cache *cache, yk_block *block)
{
    yk_block **list = list_of(cache, block->class, block->user);
    block->previous = NULL;
    block->next = *list;
    if (block->next)
        block->next->previous = block;
    *list = block;
}

/* With the pool's lock held. */
static void remove_from_list(yk_memory_cache *cache, yk_block *block)
{
    if (block->next)
        block->next->previous = block->previous;
    if (block->previous)
        block->previous->next = block->next;
    else
        *list_of(cache, block->class, block->user) = block->next;
}

/* With the pool's lock held. */
static void insert_block(yk_memory_cache *cache, yk_block *block)
{
    insert_into_list(cache, block);
    block->newer = NULL;
    block->older = cache->newest;
    if (block->older)
        block->older->newer = block;
    else
        cache->oldest = block;
    cache->newest = block;
    cache->bytes += block->memory.capacity;
}

/* With the pool's lock held. */
static void remove_block(yk_memory_cache *cache, yk_block *block)
{
    remove_from_list(cache, block);
    if (block->newer)
        block->newer->older = block->older;
    else
        cache->newest = block->older;
    if (block->older)
        block->older->newer = block->newer;
    else
        cache->oldest = block->newer;
    cache->bytes -= block->memory.capacity;
}

/* The most recently released block for the buffer, of those with this user; NULL when there is none. With the pool's lock held. */
static yk_block *find_with_user(yk_memory_cache *cache, const yoke_buffer *buffer, unsigned user)
{
    size_t class = class_of(buffer->capacity);
    unsigned examined = 0;
    for (yk_block *block = *list_of(cache, class, user); block && examined++ < MOST_EXAMINED; block = block->next)
        if (block->class == class && block->user == user && block->memory.capacity >= buffer->capacity &&
            block->memory.origin == buffer->origin)
            return block;
    return NULL;
}

/* With the pool's lock held. The buffer, which is counted already, takes all of a block that is larger than requested. */
static bool count_all_of(const yk_block *block, yoke_buffer *buffer)
{
    yk_pool *pool = &buffer->device->pool;
    uint64_t more = block->memory.capacity - buffer->capacity;
    if (yk_counts_as_pinned(buffer))
        atomic_fetch_add_explicit(&pool->pinned_in_use, more, memory_order_relaxed);
    else if (more > 0 && !yk_account_more(pool, more))
        return false;
    buffer->capacity = block->memory.capacity;
    return true;
}

/* A block for the buffer that only the buffer's own stream uses, or none; NULL when there is none. */
static yk_block *find(yoke_buffer *buffer, unsigned user)
{
    yk_pool *pool = &buffer->device->pool;
    yk_memory_cache *cache = cache_of(buffer->device, buffer);
    yk_light_lock(&pool->lock);
    yk_block *block = find_with_user(cache, buffer, user);
    if (!block && user != YK_NO_STREAM)
        block = find_with_user(cache, buffer, YK_NO_STREAM);
    if (block && !count_all_of(block, buffer))
        block = NULL;
    if (block)
        remove_block(cache, block);
    yk_light_unlock(&pool->lock);
    return block;
}

/* The stream has no work: neither do its blocks of the class. Returns whether there was any. With the pool's lock held. */
static bool set_idle(yk_memory_cache *cache, size_t class, unsigned user)
{
    bool any = false;
    for (yk_block *block = *list_of(cache, class, user), *next; block; block = next) {
        next = block->next;
        if (block->class != class || block->user != user)
            continue;
        remove_from_list(cache, block);
        block->user = YK_NO_STREAM;
        insert_into_list(cache, block);
        any = true;
    }
    return any;
}

/* Find blocks that became idle since their release. Returns whether there was any. */
static bool sweep(yoke_device *device, size_t class)
{
    bool any = false;
    pthread_mutex_lock(&device->lock);
    yk_light_lock(&device->pool.lock);
    for (unsigned user = 1; user <= device->stream_id_count; user++)
        if (*list_of(&device->pool.device, class, user) && yk_stream_id_is_done(device, user))
            any = set_idle(&device->pool.device, class, user) || any;
    yk_light_unlock(&device->pool.lock);
    pthread_mutex_unlock(&device->lock);
    return any;
}

static void destroy(void *memory)
{
    YK_UNCANCELLED;
    yk_block *block = memory;
    yoke_device *device = block->memory.device;
    device->backend->buffer_destroy(&block->memory);
    free(block);
}

/* Free the oldest blocks until `keep` bytes are left; a block that a stream still uses is retired. Returns whether there was any. A
 * thread that finds no memory meanwhile waits for the blocks that have left the cache. */
static bool trim(yoke_device *device, yk_memory_cache *cache, uint64_t keep)
{
    bool any = false;
    for (;;) {
        yk_light_lock(&device->pool.lock);
        yk_block *block = cache->bytes > keep ? cache->oldest : NULL;
        if (block) {
            remove_block(cache, block);
            yk_reclaim_begin(device);
        }
        yk_light_unlock(&device->pool.lock);
        if (!block)
            return any;
        any = true;
        if (device->traits.releases_wait)
            yk_retire_until_idle(device, block, destroy, true, 0);
        else
            yk_retire(device, block, destroy, device->traits.keeps_used_objects ? YK_NO_STREAM : block->user, 0);
        yk_reclaim_end(device, true);
    }
}

/* ---- Limits ---- */

static uint64_t cached_limit(const yoke_device *device, const yk_memory_cache *cache)
{
    uint64_t limit = atomic_load(&device->pool.cached_limit), pinned_most = (uint64_t)1 << 30;
    if (cache == &device->pool.device)
        return limit;
    return limit / 4 < pinned_most ? limit / 4 : pinned_most;
}

/* ---- Allocating and freeing ---- */

/* Free cached memory that exceeds the limit together with the memory in use. */
static void make_room_for(yoke_device *device)
{
    yk_pool *pool = &device->pool;
    uint64_t limit = atomic_load_explicit(&pool->in_use_limit, memory_order_relaxed);
    uint64_t used = atomic_load_explicit(&pool->in_use, memory_order_relaxed);
    if (YK_UNLIKELY(limit != YOKE_NO_LIMIT))
        trim(device, &pool->device, limit > used ? limit - used : 0);
}

/* Everything later in the stream is ordered after the allocation, so the allocation counts as an operation. */
static void note_allocation(yoke_stream *stream)
{
    uint64_t number = yk_stream_submitted(stream);
    if (atomic_load_explicit(&stream->allocations_end, memory_order_relaxed) != number)
        atomic_store_explicit(&stream->allocations, number, memory_order_relaxed);
    yk_note_submitted(stream, YK_OP_ALLOCATION, &(yk_op){ .kind = YK_OP_ALLOCATION }, false);
    atomic_store_explicit(&stream->allocations_end, number + 1, memory_order_relaxed);
}

static yoke_status request_memory(yoke_buffer *buffer, yoke_stream *stream)
{
    const yk_backend *backend = buffer->device->backend;
    if (buffer->origin == YK_IMAGED)
        return backend->texels_create((yoke_image *)buffer);
    if (buffer->origin != YK_ORDERED)
        return backend->buffer_create(buffer);
    yoke_status status = backend->buffer_create_ordered(buffer, stream);
    if (status == YOKE_OK)
        note_allocation(stream);
    return status;
}

/* The stream with this number, in use by the caller, if it is quiet; else NULL. False past the last stream. */
static bool keep_done(yoke_device *device, unsigned index, yoke_stream **out_stream)
{
    pthread_mutex_lock(&device->lock);
    bool more = index < device->stream_id_count;
    yoke_stream *stream = more ? device->streams_by_id[index] : NULL;
    bool wanted = stream && yk_stream_submitted(stream) > 0 && !stream->retired && yk_stream_is_quiet(stream);
    *out_stream = wanted && yk_stream_use_if_used(stream) ? stream : NULL;
    pthread_mutex_unlock(&device->lock);
    return more;
}

/* The driver's pool notices freed memory only when the driver synchronizes the stream that freed it. */
static bool trim_driver_pool(yoke_device *device, uint64_t keep)
{
    YK_UNCANCELLED;
    yoke_stream *stream;
    if (!device->traits.driver_pool)
        return false;
    for (unsigned i = 0; keep_done(device, i, &stream); i++) {
        if (!stream)
            continue;
        device->backend->stream_finish(stream);
        yk_stream_unuse(stream);
    }
    yk_reclaim_finished(device); /* blocks that have left the cache, and only waited for an allocation */
    yk_reclaim_begin(device);
    bool any = device->backend->pool_trim(device, keep);
    yk_reclaim_end(device, any);
    return any;
}

/* The driver is out of memory: free all memory that is not in use. Returns whether there was any, freed by this thread or by
 * another since yk_reclaim_gained was `before`. What the driver's pool gives back counts for the first tries only: it may be what
 * the failed request itself has reserved. */
static bool make_room(yoke_device *device, uint64_t before, int tries)
{
    bool any = yk_reclaim_wait(device);
    any = trim(device, &device->pool.device, 0) || any;
    any = trim(device, &device->pool.pinned, 0) || any;
    any = yk_reclaim_wait(device) || any;
    any = yk_reclaim_gained(device) != before || any; /* last, because another thread may end a reclaim until here */
    return (trim_driver_pool(device, 0) && tries < MOST_POOL_TRIES) || any;
}

YK_COLD static yoke_status exhausted(const yoke_buffer *buffer)
{
    char largest[32];
    yk_error_append("; the largest single buffer is %s", yk_bytes_text(largest, sizeof largest, buffer->device->info.max_buffer));
    return YOKE_E_OUT_OF_DEVICE_MEMORY;
}

static bool is_out_of_memory(yoke_status status)
{
    return status == YOKE_E_OUT_OF_DEVICE_MEMORY || status == YOKE_E_OUT_OF_HOST_MEMORY;
}

/* The buffer is counted already. Other threads may take the memory that was freed, so one retry is not enough; but retries are
 * bounded, so that threads that keep allocating and freeing cannot block this thread for ever. */
static yoke_status allocate(yoke_buffer *buffer, yoke_stream *stream)
{
    YK_UNCANCELLED;
    yoke_device *device = buffer->device;
    yoke_error_info record = *yoke_error();
    if (!yk_counts_as_pinned(buffer))
        make_room_for(device);
    uint64_t before = yk_reclaim_gained(device);
    yoke_status status = request_memory(buffer, stream);
    for (int i = 0; i < MOST_TRIES && is_out_of_memory(status) && make_room(device, before, i); i++) {
        before = yk_reclaim_gained(device);
        status = request_memory(buffer, stream);
        if (status == YOKE_OK)
            yk_error_restore(&record); /* a failure before a retry is not the call's */
    }
    if (status == YOKE_E_OUT_OF_DEVICE_MEMORY)
        status = exhausted(buffer);
    return status < 0 ? yk_device_failed(device, status) : status;
}

static bool is_cacheable(const yoke_buffer *buffer)
{
    return buffer->origin == YK_ORDERED ||
           (buffer->origin == YK_CREATED && (buffer->kind == YOKE_MEMORY_DEVICE || buffer->kind == YOKE_MEMORY_PINNED));
}

/* The buffer takes over the block's memory. */
static void adopt(yoke_buffer *buffer, yk_block *block)
{
    buffer->native = block->memory.native;
    buffer->host = block->memory.host;
    buffer->extra = block->memory.extra;
    buffer->block = block;
}

/* Released memory for the buffer; NULL when there is none. */
static yk_block *take_released(yoke_buffer *buffer, unsigned user)
{
    yk_block *block = is_cacheable(buffer) ? find(buffer, user) : NULL;
    if (!block && is_cacheable(buffer) && sweep(buffer->device, class_of(buffer->capacity)))
        block = find(buffer, user);
    return block;
}

yoke_status yk_pool_take(yoke_buffer *buffer, yoke_stream *stream)
{
    yoke_device *device = buffer->device;
    yk_reclaim_finished(device);
    yoke_status status = yk_device_check(device);
    if (status < 0)
        return status;
    if (buffer->origin != YK_IMAGED)
        buffer->capacity = round_up(buffer);
    status = yk_account_take(buffer);
    if (status < 0)
        return status;
    yk_block *block = take_released(buffer, stream ? stream->id : YK_NO_STREAM);
    if (block)
        adopt(buffer, block);
    else
        status = allocate(buffer, stream);
    if (status < 0)
        yk_account_return(buffer);
    else
        yk_account_note_peak(&device->pool);
    return status;
}

/* Only memory that fits into the cache is worth keeping. */
bool yk_pool_keeps(const yoke_buffer *buffer)
{
    yoke_device *device = buffer->device;
    return is_cacheable(buffer) && buffer->capacity <= cached_limit(device, cache_of(device, buffer)) &&
           !atomic_load(&device->lost);
}

/* The cache's block for the buffer's memory; NULL when out of memory, and the buffer's memory is not cached. */
static yk_block *block_for(yoke_buffer *buffer)
{
    yk_block *block = buffer->block ? buffer->block : malloc(sizeof *block);
    if (!block)
        return NULL;
    block->memory = (yoke_buffer){ .device = buffer->device,
                                   .kind = buffer->kind,
                                   .origin = buffer->origin,
                                   .native = buffer->native,
                                   .host = buffer->host,
                                   .extra = buffer->extra,
                                   .capacity = buffer->capacity };
    block->class = class_of(buffer->capacity);
    return block;
}

/* Free the memory in the driver. */
static void free_memory(yoke_buffer *buffer, unsigned user)
{
    YK_UNCANCELLED;
    if (user != YK_NO_STREAM && buffer->origin != YK_ORDERED)
        buffer->device->backend->stream_finish(buffer->owner_stream); /* without a block, nothing defers the release */
    if (buffer->origin == YK_IMAGED)
        buffer->device->backend->texels_destroy((yoke_image *)buffer);
    else
        buffer->device->backend->buffer_destroy(buffer);
    free(buffer->block);
}

void yk_pool_give_back(yoke_buffer *buffer, unsigned user)
{
    yoke_device *device = buffer->device;
    yk_memory_cache *cache = cache_of(device, buffer);
    if (yk_is_counted(buffer))
        yk_account_return(buffer);
    yk_block *block = yk_pool_keeps(buffer) ? block_for(buffer) : NULL;
    if (!block) {
        free_memory(buffer, user);
        return;
    }
    block->user = user;
    yk_light_lock(&device->pool.lock);
    insert_block(cache, block);
    bool full = cache->bytes > cached_limit(device, cache);
    yk_light_unlock(&device->pool.lock);
    if (YK_UNLIKELY(full))
        trim(device, cache, cached_limit(device, cache));
}

void yk_pool_init(yoke_device *device)
{
    atomic_store(&device->pool.in_use_limit, YOKE_NO_LIMIT);
    atomic_store(&device->pool.cached_limit, device->info.memory / 16);
}

void yk_pool_end(yoke_device *device)
{
    trim(device, &device->pool.device, 0);
    trim(device, &device->pool.pinned, 0);
    yk_reclaim_wait(device);
    uint64_t left = atomic_load(&device->pool.in_use), pinned = atomic_load(&device->pool.pinned_in_use);
    if (left || pinned)
        yk_log(YOKE_LOG_WARNING, "%s closes with %llu bytes of device memory and %llu bytes of pinned memory in use",
               device->info.selector, (unsigned long long)left, (unsigned long long)pinned);
}

/* ---- Public functions ---- */

yoke_status yoke_device_set_memory_limits(yoke_device *device, uint64_t in_use, uint64_t cached)
{
    YK_CHECK(device, YK_DEVICE, "yoke_device_set_memory_limits", "device");
    atomic_store(&device->pool.in_use_limit, in_use);
    atomic_store(&device->pool.cached_limit, cached);
    trim(device, &device->pool.device, cached);
    trim(device, &device->pool.pinned, cached_limit(device, &device->pool.pinned));
    device->backend->pool_limit(device, cached);
    return YOKE_OK;
}

yoke_status yoke_device_trim_memory(yoke_device *device, uint64_t keep)
{
    YK_CHECK(device, YK_DEVICE, "yoke_device_trim_memory", "device");
    yk_reclaim_finished(device);
    trim(device, &device->pool.device, keep);
    trim(device, &device->pool.pinned, keep);
    yk_light_lock(&device->pool.lock);
    uint64_t kept = device->pool.device.bytes;
    yk_light_unlock(&device->pool.lock);
    trim_driver_pool(device, keep > kept ? keep - kept : 0);
    return YOKE_OK;
}

static yoke_status describe(yoke_device *device, yoke_memory_info *info)
{
    YK_UNCANCELLED;
    yk_pool *pool = &device->pool;
    uint64_t cached = 0;
    yk_light_lock(&pool->lock);
    info->cached = pool->device.bytes;
    info->pinned_cached = pool->pinned.bytes;
    yk_light_unlock(&pool->lock);
    info->buffers = atomic_load(&pool->buffers);
    info->in_use = atomic_load(&pool->in_use);
    info->peak = atomic_load(&pool->peak);
    info->pinned = atomic_load(&pool->pinned_in_use);
    info->in_use_limit = atomic_load(&pool->in_use_limit);
    info->cached_limit = atomic_load(&pool->cached_limit);
    yoke_status status = device->backend->pool_cached(device, &cached);
    info->cached += cached;
    return status;
}

yoke_status yoke_device_get_memory(yoke_device *device, yoke_memory_info *out_info)
{
    YK_FUNCTION(yoke_device_get_memory);
    if (YK_INFO_BEGIN(function, out_info, yoke_memory_info, "start from YOKE_MEMORY_INFO_INIT") < 0)
        return YOKE_E_INVALID_ARGUMENT;
    YK_CHECK(device, YK_DEVICE, function, "device");
    yoke_memory_info info = YOKE_MEMORY_INFO_INIT;
    yk_reclaim_finished(device);
    info.total = device->info.memory;
    yoke_status status = device->backend->device_memory(device, &info.free, &info.flags);
    if (status == YOKE_OK)
        status = describe(device, &info);
    if (status < 0)
        return yk_attribute(function, NULL, yk_device_failed(device, status));
    YK_INFO_FILL(out_info, yoke_memory_info, &info);
    return YOKE_OK;
}
