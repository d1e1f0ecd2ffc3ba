/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Staged copies, which Yoke stages out itself: from and to pageable memory, which drivers copy with one thread and often block
 * for, and between devices that no driver connects.
 *
 * The stream is deferred, and its worker runs the copy in stream order, in pieces of at most 2 MiB. A piece goes through a slot of
 * pinned memory: in from the source, out to the target. A few threads (the copiers, the worker among them) each take the next
 * piece. Each copier has two slots, so that one slot is on the bus while the copier fills or empties the other. Slots come from
 * the pool of pinned memory and return there. Pieces on a device's side are submitted to the stream's own queue, which is
 * otherwise idle then, so streams with staged copies never wait for each other.
 */
#include "copy/staging.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "stream/enqueue.h"
#include "stream/event.h"
#include "memory/pool.h"
#include "stream/wait.h"
#include "base/thread.h"

static const size_t largest_piece = 2 << 20, smallest_piece = 256 << 10;

enum { USUAL_COPIERS = 4, MOST_COPIERS = 64 };

/* ---- A copy that is being staged ---- */

/* One side of it. */
typedef struct side {
    yoke_stream *stream; /* of the device; NULL: host memory */
    yoke_buffer *buffer; /* a root, from `offset` */
    size_t offset;
    char *host;
    size_t row, slice;
} side;

/* Pieces are parts of one row, rows of one slice, or slices. */
typedef struct load {
    side source, target;
    size_t width, height, depth;      /* of all */
    size_t piece_x, piece_y, piece_z; /* the most of a piece, in each direction */
    size_t count_x, count_y, count;   /* pieces in a row, in a column, in all */
    size_t piece_size;
    atomic_size_t next;

    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t ended;
    unsigned running;    /* copiers beside the worker */
    yk_failure *failure; /* the first; NULL while all is well */
    atomic_bool failed;
} load;

/* A part of the copy, and how it lies on both sides. */
typedef struct piece {
    size_t width, height, depth;
    size_t source, target; /* from the start of each side */
} piece;

/* A piece on its way. */
typedef struct slot {
    yoke_buffer in, out;          /* pinned memory for the source's device, and for the target's: the same where that will do */
    yoke_event *in_end, *out_end; /* of what the two drivers were given; NULL on the host's side */
    piece piece;
    bool full;    /* started on its way in */
    bool leaving; /* given to the target's driver */
} slot;

static size_t at_most(size_t value, size_t most)
{
    return value < most ? value : most;
}

static size_t parts(size_t whole, size_t part)
{
    return (whole - 1) / part + 1;
}

/* How many of these make a piece: one at least. */
static size_t fitting(size_t size, size_t each, size_t most)
{
    return size < each ? 1 : at_most(size / each, most);
}

static void cut(load *all, unsigned copiers)
{
    size_t total = all->width * all->height * all->depth, size = total / ((size_t)4 * copiers);
    size = size < smallest_piece ? smallest_piece : at_most(size, largest_piece);
    size = (size + 4095) & ~(size_t)4095;
    all->piece_x = at_most(all->width, size);
    bool rows = all->piece_x == all->width;
    all->piece_y = rows ? fitting(size, all->width, all->height) : 1;
    all->piece_z = rows && all->piece_y == all->height ? fitting(size, all->width * all->height, all->depth) : 1;
    all->count_x = parts(all->width, all->piece_x);
    all->count_y = parts(all->height, all->piece_y);
    all->count = all->count_x * all->count_y * parts(all->depth, all->piece_z);
    all->piece_size = all->piece_x * all->piece_y * all->piece_z;
}

static bool next_piece(load *all, piece *out)
{
    size_t number = atomic_load(&all->failed) ? all->count : atomic_fetch_add(&all->next, 1);
    if (number >= all->count)
        return false;
    size_t x = number % all->count_x * all->piece_x, y = number / all->count_x % all->count_y * all->piece_y;
    size_t z = number / all->count_x / all->count_y * all->piece_z;
    out->width = at_most(all->piece_x, all->width - x);
    out->height = at_most(all->piece_y, all->height - y);
    out->depth = at_most(all->piece_z, all->depth - z);
    out->source = x + y * all->source.row + z * all->source.slice;
    out->target = x + y * all->target.row + z * all->target.slice;
    return true;
}

/* With the thread's record. */
static void fail(load *all)
{
    pthread_mutex_lock(&all->lock);
    if (!all->failure)
        all->failure = yk_failure_from_record();
    atomic_store(&all->failed, true);
    pthread_mutex_unlock(&all->lock);
}

/* ---- In the host's memory ---- */

#ifdef __x86_64__
/* Past the cache, a line of 64 bytes at a time: with one store where the processor can, so that no line is written in parts. Eight
 * pages side by side, since the processor fetches each of them ahead and one alone does not keep it busy. `target` is aligned.
 * Returns how many bytes were copied: all but less than a line. */
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

/* What the cache would only be emptied for goes past it. */
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

/* Between a slot, where rows follow each other at once, and memory with pitches. */
static void pack(char *slot_memory, const side *from, const piece *p)
{
    for (size_t z = 0; z < p->depth; z++)
        for (size_t y = 0; y < p->height; y++, slot_memory += p->width)
            copy_bytes(slot_memory, from->host + p->source + z * from->slice + y * from->row, p->width);
}

static void unpack(const side *to, const char *slot_memory, const piece *p)
{
    for (size_t z = 0; z < p->depth; z++)
        for (size_t y = 0; y < p->height; y++, slot_memory += p->width)
            copy_bytes(to->host + p->target + z * to->slice + y * to->row, slot_memory, p->width);
}

/* ---- To and from the devices ---- */

/* Give the driver the way of a piece between a slot and the device, and mark its end. */
static yoke_status give(const side *at, bool write, size_t start, const piece *p, yoke_buffer *pinned, yoke_event *end)
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
    backend->event_reset(end);
    yk_event_drop_notice(end);
    yoke_status status = yk_submit(at->stream, &op);
    if (status == YOKE_OK && !op.end) {
        status = backend->event_record(end);
        if (status < 0)
            backend->stream_finish(at->stream); /* the piece is under way, and its slot will be given up */
    }
    if (status == YOKE_OK)
        status = backend->event_query(end); /* has the driver begin */
    return status < 0 ? status : YOKE_OK;
}

/* Wait for the driver, mostly in a spin: pieces take tens of microseconds. */
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

/* ---- The way of a piece ---- */

static yoke_status start(load *all, slot *s)
{
    yoke_status status = s->leaving ? await(s->out_end) : YOKE_OK;
    s->leaving = false;
    if (status == YOKE_OK && all->source.stream)
        status = give(&all->source, false, s->piece.source, &s->piece, &s->in, s->in_end);
    s->full = status == YOKE_OK;
    return status;
}

static yoke_status finish(load *all, slot *s)
{
    const piece *p = &s->piece;
    yoke_status status = all->source.stream ? await(s->in_end) : YOKE_OK;
    s->full = false;
    if (status < 0)
        return status;
    if (!all->source.stream)
        pack(s->in.host, &all->source, p);
    if (!all->target.stream) {
        unpack(&all->target, s->in.host, p);
        return YOKE_OK;
    }
    if (s->out.host != s->in.host)
        copy_bytes(s->out.host, s->in.host, p->width * p->height * p->depth);
    status = give(&all->target, true, p->target, p, &s->out, s->out_end);
    s->leaving = status == YOKE_OK;
    return status;
}

/* Nothing of a slot may be under way when it is given up, whatever has failed. */
static yoke_status settle(slot *s)
{
    yoke_status status = YOKE_OK;
    if (s->full && s->in_end)
        status = await(s->in_end);
    if (s->leaving)
        status = await(s->out_end);
    s->full = s->leaving = false;
    return status;
}

static void stage_pieces(load *all, slot slots[2])
{
    yoke_status status = YOKE_OK;
    for (int k = 0; status == YOKE_OK; k = !k) {
        bool more = next_piece(all, &slots[k].piece);
        if (more)
            status = start(all, &slots[k]);
        if (status == YOKE_OK && slots[!k].full)
            status = finish(all, &slots[!k]);
        else if (!more)
            break;
    }
    if (status < 0)
        fail(all);
    for (int k = 0; k < 2; k++)
        if (settle(&slots[k]) < 0)
            fail(all);
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

static yoke_status take_slot(load *all, slot *s)
{
    yoke_device *in = pinning_device(&all->source, &all->target), *out = pinning_device(&all->target, &all->source);
    yoke_status status = take_memory(&s->in, in, all->piece_size);
    if (status == YOKE_OK && in->backend != out->backend)
        status = take_memory(&s->out, out, all->piece_size);
    else if (status == YOKE_OK)
        s->out = s->in;
    if (status == YOKE_OK && all->source.stream && !(s->in_end = yk_event_take(all->source.stream, 0)))
        status = yoke_error()->status;
    if (status == YOKE_OK && all->target.stream && !(s->out_end = yk_event_take(all->target.stream, 0)))
        status = yoke_error()->status;
    return status;
}

/* One that gets no slots leaves the work to the others. */
static void leave_to_others(const load *all)
{
    yk_log(YOKE_LOG_WARNING, "%s: a copy is staged by one thread less: %s",
           (all->source.stream ? all->source.stream : all->target.stream)->device->info.selector, yoke_error()->text);
}

/* What a copier does. */
static yoke_status stage(load *all)
{
    slot slots[2] = { { .full = false } };
    yoke_status status = take_slot(all, &slots[0]);
    if (status == YOKE_OK)
        status = take_slot(all, &slots[1]);
    if (status == YOKE_OK)
        stage_pieces(all, slots);
    release_slot(&slots[0]);
    release_slot(&slots[1]);
    return status;
}

/* ---- Copiers ---- */

static void help(void *argument)
{
    load *all = argument;
    if (stage(all) < 0)
        leave_to_others(all);
    pthread_mutex_lock(&all->lock);
    if (--all->running == 0)
        pthread_cond_signal(&all->ended);
    pthread_mutex_unlock(&all->lock);
}

/* Of the device's copiers, those that nobody has; no more than `wanted`. */
static unsigned acquire_helpers(yoke_device *device, unsigned wanted)
{
    int idle = atomic_load(&device->idle_copiers), taken;
    do
        taken = idle < (int)wanted ? idle : (int)wanted;
    while (taken > 0 && !atomic_compare_exchange_weak(&device->idle_copiers, &idle, idle - taken));
    return taken > 0 ? (unsigned)taken : 0;
}

static void start_helpers(load *all, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        pthread_mutex_lock(&all->lock);
        all->running++;
        pthread_mutex_unlock(&all->lock);
        if (yk_thread_run(help, all, "copies") == YOKE_OK)
            continue;
        pthread_mutex_lock(&all->lock);
        all->running--;
        pthread_mutex_unlock(&all->lock);
        return;
    }
}

/* All of it, with `device`'s copiers. Falls short of that only where not even the worker gets pinned memory. */
static yoke_status stage_all(load *all, yoke_device *device)
{
    YK_UNCANCELLED;
    cut(all, (unsigned)device->copiers);
    unsigned acquired = acquire_helpers(device, (unsigned)at_most(all->count / 2, (size_t)device->copiers - 1));
    yoke_error_info before = *yoke_error();
    start_helpers(all, acquired);
    yoke_status status = stage(all);
    pthread_mutex_lock(&all->lock);
    while (all->running > 0)
        pthread_cond_wait(&all->ended, &all->lock);
    pthread_mutex_unlock(&all->lock);
    atomic_fetch_add(&device->idle_copiers, (int)acquired);
    if (all->failure) {
        status = yk_error_restore(&all->failure->info);
    } else if (status < 0 && atomic_load(&all->next) >= all->count) {
        leave_to_others(all);
        status = YOKE_OK; /* the helpers did it */
    }
    if (status == YOKE_OK)
        yk_error_restore(&before); /* with fewer threads than wanted, perhaps */
    yk_failure_release(all->failure);
    return status;
}

/* ---- What is to be staged ---- */

static void set_shape(load *all, const yk_op *op, const yk_rect *rect, size_t size)
{
    bool plain = !yk_op_has(op->kind, YK_TRAIT_RECT);
    all->width = plain ? size : rect->width;
    all->height = plain ? 1 : rect->height;
    all->depth = plain ? 1 : rect->depth;
    all->source.row = plain ? size : rect->source_row;
    all->source.slice = plain ? size : rect->source_slice;
    all->target.row = plain ? size : rect->target_row;
    all->target.slice = plain ? size : rect->target_slice;
}

static yoke_status stage_transfer(yoke_stream *stream, const yk_op *op)
{
    bool write = yk_is_write(op->kind);
    side device = { .stream = stream, .buffer = op->u.transfer.buffer, .offset = op->u.transfer.offset };
    side host = { .host = op->u.transfer.host };
    load all = { .source = write ? host : device,
                 .target = write ? device : host,
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .ended = PTHREAD_COND_INITIALIZER };
    set_shape(&all, op, &op->u.transfer.rect, op->u.transfer.size);
    yoke_error_info before = *yoke_error();
    yoke_status status = stage_all(&all, stream->device);
    if (status == YOKE_E_OUT_OF_HOST_MEMORY && atomic_load(&all.next) == 0) {
        status = yk_submit(stream, op); /* the driver may still have what it takes */
        if (status == YOKE_OK)
            yk_error_restore(&before);
    }
    return status;
}

/* Between two devices, each by its own queue: the other one's is made for it. */
static yoke_status stage_between(yoke_stream *stream, const yk_op *op)
{
    yoke_buffer *target = op->u.copy.target, *source = op->u.copy.source;
    yoke_stream *other = NULL;
    yoke_status status = yoke_stream_create(target->device == stream->device ? source->device : target->device, &other);
    if (status < 0)
        return status;
    load all = { .source = { .stream = source->device == stream->device ? stream : other,
                             .buffer = source,
                             .offset = op->u.copy.source_offset },
                 .target = { .stream = target->device == stream->device ? stream : other,
                             .buffer = target,
                             .offset = op->u.copy.target_offset },
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .ended = PTHREAD_COND_INITIALIZER };
    set_shape(&all, op, &op->u.copy.rect, op->u.copy.size);
    status = stage_all(&all, stream->device);
    yoke_stream_release(other);
    return status;
}

static yoke_status stage_copy(yoke_stream *stream, const yk_op *op)
{
    return yk_is_copy(op->kind) ? stage_between(stream, op) : stage_transfer(stream, op);
}

void yk_staging_init(yoke_device *device)
{
    const char *order = getenv("YOKE_STAGING"), *threads = getenv("YOKE_COPY_THREADS");
    long cores = sysconf(_SC_NPROCESSORS_ONLN), copiers = threads ? strtol(threads, NULL, 10) : 0;
    device->stage = stage_copy;
    device->staged = device->traits.copies_pageable_slowly;
    if (order && (*order == '0' || *order == '1')) {
        device->staged = *order == '1';
        device->stages_small = device->staged;
    }
    if (copiers < 1)
        copiers = cores < USUAL_COPIERS ? cores : USUAL_COPIERS;
    device->copiers = (int)(copiers < 1 ? 1 : copiers < MOST_COPIERS ? copiers : MOST_COPIERS);
    atomic_store(&device->idle_copiers, device->copiers - 1);
}
