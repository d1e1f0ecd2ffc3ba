/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: creating, waiting, and what a stream's end means. Its order is in held.c.
 *
 * Two counts: the user's references (object.refs), whose end tears the stream down, and uses, which also counts the worker and
 * every event and keeps the memory and the driver's queue.
 */
#include "stream.h"

#include "enqueue.h"
#include "event.h"
#include "settle.h"
#include "trash.h"

/* The stream whose host function this thread is running, if any. */
static _Thread_local const yoke_stream *mine;

bool yk_stream_is_mine(const yoke_stream *stream)
{
    return mine == stream;
}

void yk_stream_set_mine(const yoke_stream *stream)
{
    mine = stream;
}

/* Locks and conditions, all or none. */
static yoke_status init_locks(yoke_stream *stream)
{
    if (pthread_mutex_init(&stream->lock, NULL))
        goto no_lock;
    if (yk_cond_init(&stream->work))
        goto no_work;
    if (yk_cond_init(&stream->progress))
        goto no_progress;
    return YOKE_OK;

no_progress:
    pthread_cond_destroy(&stream->work);
no_work:
    pthread_mutex_destroy(&stream->lock);
no_lock:
    return yk_no_memory("a stream's locks");
}

static void free_stream(yoke_stream *stream)
{
    pthread_cond_destroy(&stream->progress);
    pthread_cond_destroy(&stream->work);
    pthread_mutex_destroy(&stream->lock);
    yk_object_free(stream, sizeof *stream);
}

yoke_status yoke_stream_create_with(yoke_device *device, const yoke_stream_desc *desc, yoke_stream **out_stream)
{
    static const char function[] = "yoke_stream_create";
    if (!out_stream)
        return yk_blame(function, NULL, yk_fail(YOKE_E_INVALID, "%s: out_stream is NULL", function));
    *out_stream = NULL;
    YK_CHECK(device, YK_DEVICE, function, "device");
    uint32_t flags = desc ? desc->flags : 0;
    if (flags & ~(uint32_t)YOKE_STREAM_TIMED)
        return yk_blame(function, NULL,
                        yk_fail(YOKE_E_INVALID, "%s: flags are 0x%x, only YOKE_STREAM_TIMED (0x%x) is known", function,
                                (unsigned)flags, (unsigned)YOKE_STREAM_TIMED));
    if ((flags & YOKE_STREAM_TIMED) && yoke_device_lacks(device, YOKE_CAP_TIMING))
        return yk_blame(function, NULL,
                        yk_fail(YOKE_E_UNSUPPORTED, "%s: no timing on %s: %s", function, device->info.selector,
                                yoke_device_lacks(device, YOKE_CAP_TIMING)));

    yoke_stream *stream = yk_object_new(YK_STREAM, sizeof *stream);
    if (!stream)
        return yk_blame(function, NULL, YOKE_E_OUT_OF_HOST_MEMORY);
    stream->device = device;
    stream->flags = flags;
    atomic_store(&stream->uses, 1);
    yoke_status status = init_locks(stream);
    if (status < 0)
        goto no_locks;
    status = device->backend->stream_create(stream);
    if (status < 0)
        goto no_native;

    yk_object_retain(device);
    pthread_mutex_lock(&device->lock);
    stream->next = device->streams;
    if (stream->next)
        stream->next->previous = stream;
    device->streams = stream;
    pthread_mutex_unlock(&device->lock);
    *out_stream = stream;
    return YOKE_OK;

no_native:
    free_stream(stream);
    return yk_blame(function, NULL, status);
no_locks:
    yk_object_free(stream, sizeof *stream);
    return yk_blame(function, NULL, status);
}

yoke_status yoke_stream_create(yoke_device *device, yoke_stream **out_stream)
{
    return yoke_stream_create_with(device, NULL, out_stream);
}

yoke_stream *yoke_stream_retain(yoke_stream *stream)
{
    if (yk_is(stream, YK_STREAM))
        yk_object_retain(stream);
    return stream;
}

void yoke_stream_release(yoke_stream *stream)
{
    if (!yk_is(stream, YK_STREAM) || !yk_object_release(stream))
        return;
    pthread_mutex_lock(&stream->lock);
    atomic_store(&stream->object.kind, YK_DEAD);
    stream->torn_down = true;
    atomic_fetch_add(&stream->posted, 1);
    pthread_cond_signal(&stream->work);
    pthread_mutex_unlock(&stream->lock);
    yk_stream_unuse(stream);
}

void yk_stream_use(yoke_stream *stream)
{
    atomic_fetch_add_explicit(&stream->uses, 1, memory_order_relaxed);
}

static void destroy_stream(void *object)
{
    yoke_stream *stream = object;
    yoke_device *device = stream->device;
    pthread_mutex_lock(&device->lock);
    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        device->streams = stream->next;
    pthread_mutex_unlock(&device->lock);
    device->backend->stream_destroy(stream);
    free_stream(stream);
}

void yk_stream_unuse(yoke_stream *stream)
{
    if (atomic_fetch_sub_explicit(&stream->uses, 1, memory_order_acq_rel) != 1)
        return;
    yoke_device *device = stream->device;
    yk_trash_throw(device, stream, destroy_stream);
    yoke_device_release(device);
}

yoke_device *yoke_stream_get_device(const yoke_stream *stream)
{
    return yk_is(stream, YK_STREAM) ? stream->device : NULL;
}

void yk_stream_fail(yoke_stream *stream, const char *where, yoke_status status)
{
    pthread_mutex_lock(&stream->lock);
    if (!atomic_load(&stream->failed)) {
        yk_blame(NULL, where, status);
        stream->failure = *yoke_error();
        atomic_store_explicit(&stream->failed, true, memory_order_release);
        yk_stream_close(stream);
    }
    pthread_mutex_unlock(&stream->lock);
}

yoke_status yoke_stream_wait(yoke_stream *stream)
{
    static const char function[] = "yoke_stream_wait";
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (yk_stream_is_mine(stream))
        return yk_blame(
            function, NULL,
            yk_fail(YOKE_E_DEADLOCK, "%s: called from a host function of this stream, which it would wait for", function));

    yoke_status status = YOKE_OK;
    pthread_mutex_lock(&stream->lock);
    bool busy = stream->held || !yk_stream_is_idle(stream);
    pthread_mutex_unlock(&stream->lock);
    if (busy) {
        yoke_event *end = yk_event_new(stream, 0, NULL);
        if (!end)
            return yk_blame(function, NULL, yoke_error()->status);
        status = yk_stream_record(stream, end, true);
        if (status == YOKE_OK)
            status = yk_event_settle(end);
        yoke_event_release(end);
        yk_trash_empty(stream->device);
    }
    if (atomic_load_explicit(&stream->failed, memory_order_acquire))
        status = yk_error_restore(&stream->failure);
    return status < 0 ? yk_blame(function, NULL, status) : status;
}

yoke_status yoke_stream_call_at(const char *where, yoke_stream *stream, yoke_host_fn fn, void *user, yoke_release_fn release)
{
    static const char function[] = "yoke_stream_call";
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (!fn)
        return yk_blame(function, where, yk_fail(YOKE_E_INVALID, "%s: fn is NULL", function));

    yk_op op = { .kind = YK_OP_CALL, .where = where, .u.call = { fn, user, release, yk_event_new(stream, 0, where) } };
    if (!op.u.call.after)
        return yk_blame(function, where, yoke_error()->status);
    yoke_status status = yk_stream_hold(stream, &op);
    if (status < 0) {
        yoke_event_release(op.u.call.after);
        return yk_blame(function, where, status);
    }
    return YOKE_OK;
}

yoke_status yoke_stream_wait_event_at(const char *where, yoke_stream *stream, yoke_event *event)
{
    static const char function[] = "yoke_stream_wait_event";
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(event, YK_EVENT, function, "event");
    yk_op op = { .kind = YK_OP_WAIT, .where = where, .u.wait.event = event };
    bool given = atomic_load_explicit(&event->state, memory_order_acquire) == YK_EVENT_GIVEN;
    yoke_status status;
    if (atomic_load_explicit(&stream->failed, memory_order_acquire))
        status = yk_error_restore(&stream->failure);
    else if (event->stream == stream)
        status = YOKE_OK; /* the stream's own order has it already */
    else if (given && event->stream->device == stream->device)
        status = yk_stream_enqueue(stream, YK_OP_WAIT, &op);
    else if (yk_event_poll(event) == YOKE_OK)
        status = YOKE_OK;
    else
        status = yk_stream_hold(stream, &op);
    return status < 0 ? yk_blame(function, where, status) : status;
}
