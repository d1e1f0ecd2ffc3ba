/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Staged copies, which Yoke makes itself: to and from pageable memory, which drivers copy with one thread and often block for, and
 * between devices that no driver connects.
 *
 * The copy is deferred, and the stream's worker runs it in stream order; a copy that its caller waits for runs on the caller's
 * thread. It goes in chunks of at most 2 MiB. A chunk passes through a slot
 * of pinned memory: in from the source, out to the target. A few threads (the copiers, the worker among them) each take the next
 * chunk. Each copier has two slots, so that one slot is on the bus while the copier fills or drains the other. Slots come from the
 * pool of pinned memory and return there. Chunks to and from a device are submitted to the stream's own queue, which is otherwise
 * idle then, so streams with staged copies never wait for each other.
 */
#include "copy/staging.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "stream/enqueue.h"
#include "stream/event.h"
#include "memory/pool.h"
#include "stream/wait.h"
#include "base/process/thread.h"

static const size_t largest_chunk = 2 << 20, smallest_chunk = 512 << 10;

enum { MOST_COPIERS = 64 };

/* ---- A copy that is being staged ---- */

/* One side of a staged copy. */
typedef struct side {
    yoke_stream *stream; /* on the device; NULL: host memory */
    yoke_buffer *buffer; /* a root, from `offset` */
    size_t offset;
    char *host;
    size_t row, slice;
} side;

/* A chunk is part of one row, rows of one slice, or slices. */
typedef struct staged_copy {
    side source, target;
    size_t width, height, depth;      /* of the whole copy */
    size_t chunk_x, chunk_y, chunk_z; /* a full chunk, in each dimension */
    size_t count_x, count_y, count;   /* chunks in a row, in a column, in all */
    size_t chunk_size;
    atomic_size_t next;

    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t ended;
    unsigned running;    /* copiers beside the worker */
    yk_failure *failure; /* the first failure; NULL if none */
    atomic_bool failed;
} staged_copy;

/* A part of the copy, and where it starts on both sides. */
typedef struct chunk {
    size_t width, height, depth;
    size_t source, target; /* from the start of each side */
} chunk;

/* A slot, with the chunk that passes through it. */
typedef struct slot {
    yoke_buffer in, out;          /* pinned memory for the source's device, and for the target's; the same memory where possible */
    yoke_event *in_end, *out_end; /* of the submitted copies; NULL on the host's side */
    chunk chunk;
    bool filling;  /* the copy in has started */
    bool draining; /* the copy out is submitted */
} slot;

static size_t at_most(size_t value, size_t most)
{
    return value < most ? value : most;
}

static size_t parts(size_t whole, size_t part)
{
    return (whole - 1) / part + 1;
}

/* How many parts of `each` bytes fit into a chunk; at least 1. */
static size_t fitting(size_t size, size_t each, size_t most)
{
    return size < each ? 1 : at_most(size / each, most);
}

static void split(staged_copy *copy, unsigned copiers)
{
    size_t total = copy->width * copy->height * copy->depth, size = total / ((size_t)4 * copiers);
    size = size < smallest_chunk ? smallest_chunk : at_most(size, largest_chunk);
    size = (size + 4095) & ~(size_t)4095;
    copy->chunk_x = at_most(copy->width, size);
    bool rows = copy->chunk_x == copy->width;
    copy->chunk_y = rows ? fitting(size, copy->width, copy->height) : 1;
    copy->chunk_z = rows && copy->chunk_y == copy->height ? fitting(size, copy->width * copy->height, copy->depth) : 1;
    copy->count_x = parts(copy->width, copy->chunk_x);
    copy->count_y = parts(copy->height, copy->chunk_y);
    copy->count = copy->count_x * copy->count_y * parts(copy->depth, copy->chunk_z);
    copy->chunk_size = copy->chunk_x * copy->chunk_y * copy->chunk_z;
}

static bool next_chunk(staged_copy *copy, chunk *out)
{
    size_t number = atomic_load(&copy->failed) ? copy->count : atomic_fetch_add(&copy->next, 1);
    if (number >= copy->count)
        return false;
    size_t x = number % copy->count_x * copy->chunk_x, y = number / copy->count_x % copy->count_y * copy->chunk_y;
    size_t z = number / copy->count_x / copy->count_y * copy->chunk_z;
    out->width = at_most(copy->chunk_x, copy->width - x);
    out->height = at_most(copy->chunk_y, copy->height - y);
    out->depth = at_most(copy->chunk_z, copy->depth - z);
    out->source = x + y * copy->source.row + z * copy->source.slice;
    out->target = x + y * copy->target.row + z * copy->target.slice;
    return true;
}

/* Keep the thread's error, if it is the first. */
static void fail(staged_copy *copy)
{
    pthread_mutex_lock(&copy->lock);
    if (!copy->failure)
        copy->failure = yk_failure_from_record();
    atomic_store(&copy->failed, true);
    pthread_mutex_unlock(&copy->lock);
}

/* ---- In the host's memory ---- */

#ifdef __x86_64__
/* Copy past the cache, a line of 64 bytes at a time: with one store where the processor can, so that no line is written in parts.
 * Eight pages side by side, since the processor prefetches each page and a single page does not keep it busy. `target` is aligned.
 * Returns the bytes copied: all but less than a line. */
#define COPY_LINES(target, source, size, copy_line)                      \
    const size_t page = 4096, round = 8 * page;                          \
    size_t done = 0;                                                     \
    for (; size - done >= round; done += round)                          \
        for (size_t line = 0; line < page; line += 64)                   \
            for (size_t at = done + line; at < done + round; at += page) \
                copy_line(target + at, source + at);                     \
    for (; size - done >= 64; done += 64)                                \
        copy_line(target + done, source + done);                         \
    _mm_sfence();                                                        \
    return done;

static inline void copy_line(char *target, const char *source)
{
    for (int i = 0; i < 64; i += 16)
        _mm_stream_si128((__m128i *)(void *)(target + i), _mm_loadu_si128((const __m128i *)(const void *)(source + i)));
}

static size_t copy_lines(char *target, const char *source, size_t size)
{
    COPY_LINES(target, source, size, copy_line)
}

__attribute__((target("avx512f"))) static inline void copy_line_at_once(char *target, const char *source)
{
    _mm512_stream_si512((__m512i *)(void *)target, _mm512_loadu_si512(source));
}

__attribute__((target("avx512f"))) static size_t copy_lines_at_once(char *target, const char *source, size_t size)
{
    COPY_LINES(target, source, size, copy_line_at_once)
}
#endif

/* Long copies bypass the cache, which they would only evict. */
static void copy_bytes(char *target, const char *source, size_t size)
{
    size_t done = 0;
#ifdef __x86_64__
    if (size >= 1024) {
        done = (0 - (uintptr_t)target) % 64;
        memcpy(target, source, done);
        if (__builtin_cpu_supports("avx512f"))
            done += copy_lines_at_once(target + done, source + done, size - done);
        else
            done += copy_lines(target + done, source + done, size - done);
    }
#endif
    memcpy(target + done, source + done, size - done);
}

/* Between a slot, where rows are contiguous, and memory with pitches. */
static void pack(char *slot_memory, const side *from, const chunk *p)
{
    for (size_t z = 0; z < p->depth; z++)
        for (size_t y = 0; y < p->height; y++, slot_memory += p->width)
            copy_bytes(slot_memory, from->host + p->source + z * from->slice + y * from->row, p->width);
}

static void unpack(const side *to, const char *slot_memory, const chunk *p)
{
    for (size_t z = 0; z < p->depth; z++)
        for (size_t y = 0; y < p->height; y++, slot_memory += p->width)
            copy_bytes(to->host + p->target + z * to->slice + y * to->row, slot_memory, p->width);
}

/* ---- To and from the devices ---- */

/* Submit the copy of a chunk between a slot and the device, and record its end. */
static yoke_status submit_chunk(const side *at, bool write, size_t start, const chunk *p, yoke_buffer *pinned, yoke_event *end)
{
    const yk_backend *backend = at->stream->device->backend;
    bool plain = p->height == 1 && p->depth == 1;
    size_t row = p->width, slice = p->width * p->height;
    yk_op op = { .kind = write ? (plain ? YK_OP_WRITE : YK_OP_WRITE_RECT) : (plain ? YK_OP_READ : YK_OP_READ_RECT),
                 .end = at->stream->device->traits.records_with_operations ? end : NULL,
                 .u.transfer = {
                     .buffer = at->buffer, .offset = at->offset + start, .size = slice * p->depth, .host = pinned->host } };
    if (write)
        op.u.transfer.rect = (yk_rect){ p->width, p->height, p->depth, at->row, at->slice, row, slice };
    else
        op.u.transfer.rect = (yk_rect){ p->width, p->height, p->depth, row, slice, at->row, at->slice };
    yk_event_drop_notice(end);
    yoke_status status = yk_submit(at->stream, &op);
    if (status == YOKE_OK && !op.end) {
        status = backend->event_record(end);
        if (status < 0)
            backend->stream_finish(at->stream); /* the chunk is in flight, and its slot will be released */
    }
    if (status == YOKE_OK)
        status = backend->event_query(end); /* makes the driver begin */
    return status < 0 ? status : YOKE_OK;
}

/* Wait for the driver, mostly by spinning: a chunk takes tens of microseconds. */
static yoke_status await(yoke_event *end)
{
    const yk_backend *backend = end->stream->device->backend;
    uint64_t start = yk_now();
    yoke_status status;
    while ((status = backend->event_query(end)) == YOKE_PENDING) {
        if (yk_now() - start > 20 * (uint64_t)YK_SPIN_NANOSECONDS)
            return yk_wait_for_driver(end);
        for (int i = 0; i < 16; i++)
            yk_pause();
    }
    return status;
}

/* ---- The path of a chunk ---- */

static yoke_status start_chunk(staged_copy *copy, slot *s)
{
    yoke_status status = s->draining ? await(s->out_end) : YOKE_OK;
    s->draining = false;
    if (status == YOKE_OK && copy->source.stream)
        status = submit_chunk(&copy->source, false, s->chunk.source, &s->chunk, &s->in, s->in_end);
    s->filling = status == YOKE_OK;
    return status;
}

static yoke_status finish_chunk(staged_copy *copy, slot *s)
{
    const chunk *p = &s->chunk;
    yoke_status status = copy->source.stream ? await(s->in_end) : YOKE_OK;
    s->filling = false;
    if (status < 0)
        return status;
    if (!copy->source.stream)
        pack(s->in.host, &copy->source, p);
    if (!copy->target.stream) {
        unpack(&copy->target, s->in.host, p);
        return YOKE_OK;
    }
    if (s->out.host != s->in.host)
        copy_bytes(s->out.host, s->in.host, p->width * p->height * p->depth);
    status = submit_chunk(&copy->target, true, p->target, p, &s->out, s->out_end);
    s->draining = status == YOKE_OK;
    return status;
}

/* No copy may be in flight in a slot that is released, whatever has failed. */
static yoke_status drain_slot(slot *s)
{
    yoke_status status = YOKE_OK;
    if (s->filling && s->in_end)
        status = await(s->in_end);
    if (s->draining)
        status = await(s->out_end);
    s->filling = s->draining = false;
    return status;
}

static void stage_chunks(staged_copy *copy, slot slots[2])
{
    yoke_status status = YOKE_OK;
    for (int k = 0; status == YOKE_OK; k = !k) {
        bool more = next_chunk(copy, &slots[k].chunk);
        if (more)
            status = start_chunk(copy, &slots[k]);
        if (status == YOKE_OK && slots[!k].filling)
            status = finish_chunk(copy, &slots[!k]);
        else if (!more)
            break;
    }
    if (status < 0)
        fail(copy);
    for (int k = 0; k < 2; k++)
        if (drain_slot(&slots[k]) < 0)
            fail(copy);
}

/* ---- Slots ---- */

static yoke_device *pinning_device(const side *one, const side *other)
{
    return one->stream ? one->stream->device : other->stream->device;
}

static yoke_status take_memory(yoke_buffer *memory, yoke_device *device, size_t size)
{
    *memory = (yoke_buffer){ .device = device, .size = size, .kind = YOKE_MEMORY_PINNED };
    yoke_status status = yk_pool_take(memory, NULL);
    if (status < 0)
        memory->host = NULL;
    return status;
}

static void release_slot(slot *s)
{
    if (s->in_end)
        yk_event_recycle(s->in_end);
    if (s->out_end)
        yk_event_recycle(s->out_end);
    if (s->out.host && s->out.host != s->in.host)
        yk_pool_give_back(&s->out, YK_NO_STREAM);
    if (s->in.host)
        yk_pool_give_back(&s->in, YK_NO_STREAM);
}

static yoke_status take_slot(staged_copy *copy, slot *s)
{
    yoke_device *in = pinning_device(&copy->source, &copy->target), *out = pinning_device(&copy->target, &copy->source);
    yoke_status status = take_memory(&s->in, in, copy->chunk_size);
    if (status == YOKE_OK && in->backend != out->backend)
        status = take_memory(&s->out, out, copy->chunk_size);
    else if (status == YOKE_OK)
        s->out = s->in;
    if (status == YOKE_OK && copy->source.stream && !(s->in_end = yk_event_take(copy->source.stream, 0)))
        status = yoke_error()->status;
    if (status == YOKE_OK && copy->target.stream && !(s->out_end = yk_event_take(copy->target.stream, 0)))
        status = yoke_error()->status;
    return status;
}

/* A copier that gets no slots leaves the copy to the others. */
static void warn_of_fewer_copiers(const staged_copy *copy)
{
    yk_log(YOKE_LOG_WARNING, "%s: a copy is staged by one thread less: %s",
           (copy->source.stream ? copy->source.stream : copy->target.stream)->device->info.selector, yoke_error()->text);
}

/* The work of one copier. */
static yoke_status stage(staged_copy *copy)
{
    slot slots[2] = { { .filling = false } };
    yoke_status status = take_slot(copy, &slots[0]);
    if (status == YOKE_OK)
        status = take_slot(copy, &slots[1]);
    if (status == YOKE_OK)
        stage_chunks(copy, slots);
    release_slot(&slots[0]);
    release_slot(&slots[1]);
    return status;
}

/* ---- Copiers ---- */

static void run_helper(void *argument)
{
    staged_copy *copy = argument;
    if (stage(copy) < 0)
        warn_of_fewer_copiers(copy);
    pthread_mutex_lock(&copy->lock);
    if (--copy->running == 0)
        pthread_cond_signal(&copy->ended);
    pthread_mutex_unlock(&copy->lock);
}

/* Take idle copiers of the device, at most `wanted`. */
static unsigned acquire_helpers(yoke_device *device, unsigned wanted)
{
    int idle = atomic_load(&device->idle_copiers), taken;
    do
        taken = idle < (int)wanted ? idle : (int)wanted;
    while (taken > 0 && !atomic_compare_exchange_weak(&device->idle_copiers, &idle, idle - taken));
    return taken > 0 ? (unsigned)taken : 0;
}

static void start_helpers(staged_copy *copy, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        pthread_mutex_lock(&copy->lock);
        copy->running++;
        pthread_mutex_unlock(&copy->lock);
        if (yk_thread_run(run_helper, copy, "copies") == YOKE_OK)
            continue;
        pthread_mutex_lock(&copy->lock);
        copy->running--;
        pthread_mutex_unlock(&copy->lock);
        return;
    }
}

/* Run the whole copy with `device`'s copiers. Incomplete only where not even the worker gets pinned memory. */
static yoke_status stage_all(staged_copy *copy, yoke_device *device)
{
    YK_UNCANCELLED;
    split(copy, (unsigned)device->copiers);
    unsigned acquired = acquire_helpers(device, (unsigned)at_most(copy->count / 2, (size_t)device->copiers - 1));
    yoke_error_info before = *yoke_error();
    start_helpers(copy, acquired);
    yoke_status status = stage(copy);
    pthread_mutex_lock(&copy->lock);
    while (copy->running > 0)
        pthread_cond_wait(&copy->ended, &copy->lock);
    pthread_mutex_unlock(&copy->lock);
    atomic_fetch_add(&device->idle_copiers, (int)acquired);
    if (copy->failure) {
        status = yk_error_restore(&copy->failure->info);
    } else if (status < 0 && atomic_load(&copy->next) >= copy->count) {
        warn_of_fewer_copiers(copy);
        status = YOKE_OK; /* the helpers completed the copy */
    }
    if (status == YOKE_OK)
        yk_error_restore(&before); /* perhaps with fewer copiers than wanted */
    yk_failure_release(copy->failure);
    return status;
}

/* ---- Staging an operation ---- */

static void set_shape(staged_copy *copy, const yk_op *op, const yk_rect *rect, size_t size)
{
    bool plain = !yk_op_has(op->kind, YK_TRAIT_RECT);
    copy->width = plain ? size : rect->width;
    copy->height = plain ? 1 : rect->height;
    copy->depth = plain ? 1 : rect->depth;
    copy->source.row = plain ? size : rect->source_row;
    copy->source.slice = plain ? size : rect->source_slice;
    copy->target.row = plain ? size : rect->target_row;
    copy->target.slice = plain ? size : rect->target_slice;
}

static yoke_status stage_transfer(yoke_stream *stream, const yk_op *op)
{
    bool write = yk_is_write(op->kind);
    side device = { .stream = stream, .buffer = op->u.transfer.buffer, .offset = op->u.transfer.offset };
    side host = { .host = op->u.transfer.host };
    staged_copy copy = { .source = write ? host : device,
                         .target = write ? device : host,
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .ended = PTHREAD_COND_INITIALIZER };
    set_shape(&copy, op, &op->u.transfer.rect, op->u.transfer.size);
    yoke_error_info before = *yoke_error();
    yoke_status status = stage_all(&copy, stream->device);
    if (status == YOKE_E_OUT_OF_HOST_MEMORY && atomic_load(&copy.next) == 0) {
        status = yk_submit(stream, op); /* the driver may still have the memory */
        if (status == YOKE_OK) {
            yk_note_deferred(stream, op); /* it is not complete: the stream is not idle */
            yk_error_restore(&before);
        }
    }
    return status;
}

/* Between two devices, each with its own queue: the other device's stream is created for the copy. */
static yoke_status stage_between(yoke_stream *stream, const yk_op *op)
{
    yoke_buffer *target = op->u.copy.target, *source = op->u.copy.source;
    yoke_stream *other = NULL;
    yoke_status status = yoke_stream_create(target->device == stream->device ? source->device : target->device, NULL, &other);
    if (status < 0)
        return status;
    staged_copy copy = { .source = { .stream = source->device == stream->device ? stream : other,
                                     .buffer = source,
                                     .offset = op->u.copy.source_offset },
                         .target = { .stream = target->device == stream->device ? stream : other,
                                     .buffer = target,
                                     .offset = op->u.copy.target_offset },
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .ended = PTHREAD_COND_INITIALIZER };
    set_shape(&copy, op, &op->u.copy.rect, op->u.copy.size);
    status = stage_all(&copy, stream->device);
    yoke_stream_release(other);
    return status;
}

static yoke_status stage_copy(yoke_stream *stream, const yk_op *op)
{
    return yk_is_copy(op->kind) ? stage_between(stream, op) : stage_transfer(stream, op);
}

/* Half of the cores, but at least 4 where there are so many, and at most 8: more are no faster. */
static int usual_copiers(int cores)
{
    return cores < 4 ? cores : cores < 8 ? 4 : cores < 16 ? cores / 2 : 8;
}

void yk_staging_init(yoke_device *device)
{
    int staging = yk_read_switch("YOKE_STAGING", -1);
    int copiers = yk_read_count("YOKE_COPY_THREADS", usual_copiers(yk_core_count()));
    device->stage = stage_copy;
    device->staged = staging < 0 ? device->traits.copies_pageable_slowly : staging;
    device->stages_small = staging == 1;
    device->copiers = copiers < MOST_COPIERS ? copiers : MOST_COPIERS;
    atomic_store(&device->idle_copiers, device->copiers - 1);
}
