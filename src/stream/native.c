/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver's handles of a device, and native sections. Those of yoke_native_call are deferred like host functions but wait for
 * nothing. The functions of yoke_native_enqueue only enqueue, so the caller's thread calls them where nothing is deferred;
 * meanwhile the operations of other threads are deferred, so that nothing comes between what a function enqueues
 * (yk_stream_run_by_caller). And the order between streams and queues of other code: a driver's event is recorded on one side, and
 * waited for on the other.
 */
#include <stdio.h>

#include <yoke/native.h>

#include "stream/enqueue.h"
#include "stream/event.h"
#include "stream/recording.h"
#include "stream/validator.h"

yoke_status yoke_device_get_native(yoke_device *device, yoke_native_device *out_native)
{
    YK_FUNCTION(yoke_device_get_native);
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    if (YK_INFO_BEGIN(function, out_native, yoke_native_device, "start from YOKE_NATIVE_DEVICE_INIT") < 0)
        return YOKE_E_INVALID_ARGUMENT;
    YK_CHECK(device, YK_DEVICE, function, "device");
    device->backend->device_native(device, &native);
    YK_INFO_FILL(out_native, yoke_native_device, &native);
    return YOKE_OK;
}

yoke_status yoke_native_call_at(const char *where, yoke_stream *stream, yoke_native_fn fn, void *user, yoke_release_fn release)
{
    YK_FUNCTION(yoke_native_call);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (!fn)
        return yk_attribute(function, where, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: fn is NULL", function));
    yk_op op = { .kind = YK_OP_NATIVE, .where = where, .u.native = { .fn = fn, .user = user, .release = release } };
    yoke_status status = yk_stream_defer(stream, &op);
    return status < 0 ? yk_attribute(function, where, status) : status;
}

YK_COLD static yoke_status refuse_buffer(const char *function, const yoke_stream *stream, const yoke_buffer *buffer, size_t index)
{
    char what[40];
    snprintf(what, sizeof what, "buffers[%zu]", index);
    if (!yk_is(buffer, YK_BUFFER))
        return yk_object_fault(buffer, YK_BUFFER, function, what);
    return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s belongs to another device (%s) than the stream (%s)", function, what,
                   buffer->device->info.selector, stream->device->info.selector);
}

/* Get the handles of the section's buffers. Only when all are there does the stream count as using them. */
static yoke_status use_buffers(const char *function, const yoke_stream *stream, yoke_buffer *const *buffers, size_t count,
                               uintptr_t *out_natives)
{
    yoke_status status = YOKE_OK;
    if (count > 0 && (!buffers || !out_natives))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s is NULL, and count is %zu", function, buffers ? "out_natives" : "buffers",
                       count);
    for (size_t i = 0; i < count && status == YOKE_OK; i++)
        status = yk_is(buffers[i], YK_BUFFER) && buffers[i]->device == stream->device
                     ? stream->device->backend->buffer_native(buffers[i], &out_natives[i])
                     : refuse_buffer(function, stream, buffers[i], i);
    for (size_t i = 0; i < count && status == YOKE_OK; i++)
        yk_buffer_used(buffers[i]->root, stream);
    return status;
}

static yoke_status enqueue_section(const char *function, yoke_stream *stream, const yk_op *op, uintptr_t *out_natives)
{
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (!op->u.native.fn)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: fn is NULL", function);
    yoke_status status = use_buffers(function, stream, op->u.native.buffers, op->u.native.count, out_natives);
    return status < 0 ? status : yk_stream_run_by_caller(stream, op);
}

yoke_status yoke_native_enqueue_at(const char *where, yoke_stream *stream, yoke_native_fn fn, void *user, yoke_release_fn release)
{
    YK_UNCANCELLED; /* a thread that ended in fn would keep the stream for ever */
    YK_FUNCTION(yoke_native_enqueue);
    yk_op op = { .kind = YK_OP_NATIVE_ENQUEUE, .where = where, .u.native = { .fn = fn, .user = user, .release = release } };
    return yk_attribute_site(function, where, enqueue_section(function, stream, &op, NULL));
}

yoke_status yoke_native_enqueue_with_buffers_at(const char *where, yoke_stream *stream, yoke_native_fn fn, void *user,
                                                yoke_release_fn release, yoke_buffer *const *buffers, size_t count,
                                                uintptr_t *out_natives)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_native_enqueue_with_buffers);
    yk_op op = { .kind = YK_OP_NATIVE_ENQUEUE,
                 .where = where,
                 .u.native = { .fn = fn, .user = user, .release = release, .buffers = buffers, .count = count } };
    return yk_attribute_site(function, where, enqueue_section(function, stream, &op, out_natives));
}

/* ---- Queues of other code ---- */

/* No handle is an address of the first page, but for those that name default streams. */
static yoke_status check_queue(const char *function, const yoke_stream *stream, const void *native_stream)
{
    uintptr_t handle = (uintptr_t)native_stream, names = stream->device->traits.default_streams;
    if (handle >= 4096 || (handle > 0 && handle <= names))
        return YOKE_OK;
    if (handle > 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: native_stream is %u, which is not a queue%s", function, (unsigned)handle,
                       names ? "" : "; 1 and 2 are default streams on CUDA alone");
    return yk_fail(YOKE_E_INVALID_ARGUMENT,
                   "%s: native_stream is NULL; name the queue, on CUDA 1 for the legacy default stream and 2 for the calling "
                   "thread's",
                   function);
}

/* The mark is an event of the stream that waits, so that events are recycled as usual. It stays YK_EVENT_DEFERRED: no completion of
 * the stream's says anything about it. */
static yoke_status wait_native(yoke_stream *stream, const char *where, void *native_stream)
{
    yoke_event *mark = yk_event_new(stream, 0, where);
    if (!mark)
        return yoke_error()->status;
    yk_op op = { .kind = YK_OP_WAIT, .where = where, .u.wait = { .event = mark, .native = true } };
    yoke_status status = stream->device->backend->native_record(mark, native_stream);
    if (status == YOKE_OK)
        status = yk_stream_enqueue(stream, YK_OP_WAIT, &op);
    else
        (void)yk_stream_not_submitted(stream, status);
    yoke_event_release(mark);
    return status;
}

yoke_status yoke_stream_wait_native_at(const char *where, yoke_stream *stream, void *native_stream)
{
    YK_FUNCTION(yoke_stream_wait_native);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    yoke_status status = check_queue(function, stream, native_stream);
    if (status == YOKE_OK && yk_is_recording(stream))
        status = yk_fail(YOKE_E_INVALID_ARGUMENT,
                         "%s: stream %s is being recorded into a graph, and what the queue has now is not repeated with it; let "
                         "the stream that launches the graph wait for the queue",
                         function, stream->label);
    else if (status == YOKE_OK && atomic_load_explicit(&stream->failed, memory_order_acquire))
        status = yk_stream_report(stream);
    if (status == YOKE_OK)
        status = wait_native(stream, where, native_stream);
    return status < 0 ? yk_attribute(function, where, status) : status;
}

yoke_status yoke_native_wait_event(void *native_stream, yoke_event *event)
{
    YK_FUNCTION(yoke_native_wait_event);
    YK_CHECK(event, YK_EVENT, function, "event");
    yoke_status status = check_queue(function, event->stream, native_stream);
    if (status < 0)
        return yk_attribute(function, event->where, status);
    YK_VALIDATE(event->stream->device, knows, event); /* what the other queue does then is not seen */
    switch (atomic_load_explicit(&event->state, memory_order_acquire)) {
    case YK_EVENT_DEFERRED:
        return YOKE_PENDING;
    case YK_EVENT_SUBMITTED:
        status = event->stream->device->backend->native_wait_event(native_stream, event);
        if (status < 0)
            (void)yk_device_failed(event->stream->device, status);
        break;
    default:
        status = yk_event_poll(event);
    }
    return yk_attribute_site(function, event->where, status);
}

/* ---- Capturing ---- */

/* `status` is why: a driver that cannot capture the work is no fault of anything, all else is a failure that no call returns. */
static void log_not_captured(const yk_op *op, yoke_status status)
{
    yk_log(status == YOKE_E_UNSUPPORTED ? YOKE_LOG_INFO : YOKE_LOG_WARNING,
           "the driver %s the native section%s%s; each launch of its graph calls its function: %s",
           status == YOKE_E_UNSUPPORTED ? "cannot capture" : "failed to capture", op->where ? " at " : "",
           op->where ? op->where : "", yoke_error()->text);
}

/* The function has returned `result`. It may have failed because the driver cannot capture what it called: then the launches will
 * tell. */
static yoke_status end_capture(yoke_device *device, yk_op *op, void *handle, yoke_status result)
{
    yk_error_state reason;
    if (result < 0)
        yk_function_failed(op->kind, YOKE_OK, result);
    yk_error_save(&reason);
    yoke_status status = device->backend->capture_end(device, handle, &op->u.native.captured);
    if (status < 0) {
        log_not_captured(op, status);
        return YOKE_OK;
    }
    yk_error_return(&reason);
    return result < 0 ? result : YOKE_OK;
}

static yoke_status capture(yoke_device *device, yk_op *op)
{
    void *handle = NULL;
    yoke_status status = device->backend->capture_begin(device, &handle);
    if (status < 0) {
        if (status != YOKE_E_UNSUPPORTED)
            log_not_captured(op, status);
        return YOKE_OK;
    }
    yoke_error_clear();
    return end_capture(device, op, handle, op->u.native.fn(YOKE_OK, handle, op->u.native.user));
}

yoke_status yk_native_capture(yoke_device *device, yk_op_list *list)
{
    yk_error_state before;
    yoke_status status;
    if (list->kind != YK_OP_NATIVE_ENQUEUE || !(device->info.capabilities & YK_CAP(GRAPHS)))
        return YOKE_OK;
    list->device = device;
    yk_error_save(&before);
    status = capture(device, list->first);
    if (status == YOKE_OK)
        yk_error_return(&before);
    return yk_attribute_site(NULL, list->first->where, status);
}
