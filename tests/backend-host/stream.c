/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams, events and operations of the host backend. A stream is a lock that serializes the operations of several threads. So
 * every submitted operation has finished once the lock is free, and a recorded event is complete.
 */
#include "host.h"

#include <stdlib.h>
#include <time.h>

/* ---- Streams ---- */

yoke_status yk_host_stream_create(yoke_stream *stream)
{
    pthread_mutex_t *lock = malloc(sizeof *lock);
    if (!lock || pthread_mutex_init(lock, NULL) != 0) {
        free(lock);
        return yk_no_memory("a stream");
    }
    stream->native = lock;
    return YOKE_OK;
}

void yk_host_stream_destroy(yoke_stream *stream)
{
    pthread_mutex_destroy(stream->native);
    free(stream->native);
    stream->native = NULL;
}

yoke_status yk_host_stream_renew(yoke_stream *stream)
{
    (void)stream;
    return YOKE_OK;
}

void yk_host_stream_finish(yoke_stream *stream)
{
    pthread_mutex_lock(stream->native);
    pthread_mutex_unlock(stream->native);
}

bool yk_host_stream_has_finished(yoke_stream *stream)
{
    (void)stream;
    return true;
}

yoke_status yk_host_stream_native_enter(yoke_stream *stream, void **out_handle)
{
    pthread_mutex_lock(stream->native);
    *out_handle = stream->native;
    return YOKE_OK;
}

void yk_host_stream_native_leave(yoke_stream *stream)
{
    pthread_mutex_unlock(stream->native);
}

yoke_status yk_host_stream_wait_event(yoke_stream *stream, yoke_event *event)
{
    (void)stream, (void)event;
    return YOKE_OK;
}

yoke_status yk_host_native_record(yoke_event *event, void *queue)
{
    (void)event;
    pthread_mutex_lock(queue);
    pthread_mutex_unlock(queue);
    return YOKE_OK;
}

yoke_status yk_host_native_wait_event(void *queue, yoke_event *event)
{
    (void)queue, (void)event;
    return YOKE_OK;
}

/* ---- Events: when they were recorded ---- */

yoke_status yk_host_event_create(yoke_event *event)
{
    event->native = malloc(sizeof(struct timespec));
    return event->native ? YOKE_OK : yk_no_memory("an event");
}

void yk_host_event_destroy(yoke_event *event)
{
    free(event->native);
    event->native = NULL;
}

yoke_status yk_host_event_record(yoke_event *event)
{
    pthread_mutex_lock(event->stream->native);
    clock_gettime(CLOCK_MONOTONIC, event->native);
    pthread_mutex_unlock(event->stream->native);
    return YOKE_OK;
}

yoke_status yk_host_event_query(yoke_event *event)
{
    (void)event;
    return YOKE_OK;
}

yoke_status yk_host_event_notify(yoke_event *event, yk_notice *notice)
{
    (void)event;
    yk_notice_post(notice);
    return YOKE_OK;
}

void yk_host_event_wait(yoke_event *event)
{
    (void)event;
}

yoke_status yk_host_event_elapsed(yoke_event *start, yoke_event *end, int64_t *out_nanoseconds)
{
    const struct timespec *first = start->native, *last = end->native;
    *out_nanoseconds = (int64_t)(last->tv_sec - first->tv_sec) * 1000000000 + (last->tv_nsec - first->tv_nsec);
    return YOKE_OK;
}

/* ---- Operations ---- */

static char *at(const yoke_buffer *root, size_t offset)
{
    return (char *)root->native.pointer + offset;
}

static yoke_status move(yoke_stream *stream, char *target, const char *source, size_t size)
{
    pthread_mutex_lock(stream->native);
    memmove(target, source, size);
    pthread_mutex_unlock(stream->native);
    return YOKE_OK;
}

static yoke_status move_rect(yoke_stream *stream, char *target, const char *source, const yk_rect *rect)
{
    pthread_mutex_lock(stream->native);
    for (size_t z = 0; z < rect->depth; z++)
        for (size_t y = 0; y < rect->height; y++)
            memcpy(target + z * rect->target_slice + y * rect->target_row, source + z * rect->source_slice + y * rect->source_row,
                   rect->width);
    pthread_mutex_unlock(stream->native);
    return YOKE_OK;
}

yoke_status yk_host_write(yoke_stream *stream, const yk_op *op)
{
    return move(stream, at(op->u.transfer.buffer, op->u.transfer.offset), op->u.transfer.host, op->u.transfer.size);
}

yoke_status yk_host_read(yoke_stream *stream, const yk_op *op)
{
    return move(stream, op->u.transfer.host, at(op->u.transfer.buffer, op->u.transfer.offset), op->u.transfer.size);
}

yoke_status yk_host_copy(yoke_stream *stream, const yk_op *op)
{
    return move(stream, at(op->u.copy.target, op->u.copy.target_offset), at(op->u.copy.source, op->u.copy.source_offset),
                op->u.copy.size);
}

yoke_status yk_host_write_rect(yoke_stream *stream, const yk_op *op)
{
    return move_rect(stream, at(op->u.transfer.buffer, op->u.transfer.offset), op->u.transfer.host, &op->u.transfer.rect);
}

yoke_status yk_host_read_rect(yoke_stream *stream, const yk_op *op)
{
    return move_rect(stream, op->u.transfer.host, at(op->u.transfer.buffer, op->u.transfer.offset), &op->u.transfer.rect);
}

yoke_status yk_host_copy_rect(yoke_stream *stream, const yk_op *op)
{
    return move_rect(stream, at(op->u.copy.target, op->u.copy.target_offset), at(op->u.copy.source, op->u.copy.source_offset),
                     &op->u.copy.rect);
}

yoke_status yk_host_fill(yoke_stream *stream, const yk_op *op)
{
    size_t size = op->u.fill.pattern_size;
    pthread_mutex_lock(stream->native);
    for (size_t y = 0; y < op->u.fill.height; y++) {
        char *row = at(op->u.fill.buffer, op->u.fill.offset + y * op->u.fill.pitch);
        for (size_t x = 0; x < op->u.fill.width; x += size)
            memcpy(row + x, op->u.fill.pattern, size);
    }
    pthread_mutex_unlock(stream->native);
    return YOKE_OK;
}
