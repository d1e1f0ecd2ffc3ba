/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: creation, waiting, and the end of a stream. The order of operations is in deferred.c.
 *
 * Two counts: the user's references (object.refs), whose end tears the stream down, and uses, which also count the worker and every
 * event and keep the memory and the driver's queue.
 */
#include "stream/stream.h"

#include <stdlib.h>

#include "stream/depth.h"
#include "stream/enqueue.h"
#include "stream/event.h"
#include "stream/recording.h"
#include "stream/observer.h"
#include "stream/retire.h"
#include "stream/validator.h"
#include "stream/wait.h"

/* Free the stream's id; buffers that were used in the stream are no longer in use there. */
static void free_id(yoke_stream *stream)
{
    yoke_device *device = stream->device;
    pthread_mutex_lock(&device->lock);
    if (stream->id != YK_NO_STREAM)
        device->streams_by_id[stream->id - 1] = NULL;
    pthread_mutex_unlock(&device->lock);
}

static yoke_status take_id(yoke_stream *stream)
{
    yoke_device *device = stream->device;
    yoke_status status = YOKE_OK;
    unsigned i = 0;
    pthread_mutex_lock(&device->lock);
    while (i < device->stream_id_count && device->streams_by_id[i])
        i++;
    if (i == device->stream_id_count) {
        unsigned count = device->stream_id_count ? 2 * device->stream_id_count : 8;
        yoke_stream **grown = realloc(device->streams_by_id, count * sizeof *grown);
        if (grown) {
            memset(grown + i, 0, (count - i) * sizeof *grown);
            device->streams_by_id = grown;
            device->stream_id_count = count;
        } else {
            status = yk_no_memory("a stream");
        }
    }
    if (status == YOKE_OK) {
        device->streams_by_id[i] = stream;
        stream->id = i + 1;
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

static void free_stream(yoke_stream *stream)
{
    free_id(stream);
    yk_failure_release(stream->failure);
    pthread_mutex_destroy(&stream->lock);
    yk_object_free(stream, sizeof *stream);
}

/* The user's last reference is gone; the memory is freed with the last use. */
static void tear_down(void *object)
{
    yoke_stream *stream = object;
    yoke_device *device = stream->device;
    yk_object_retain(device);
    pthread_mutex_lock(&stream->lock);
    atomic_store(&stream->object.kind, YK_DEAD);
    yk_stream_happens(stream, YK_STREAM_END);
    atomic_fetch_add(&device->deferred_refs, 1);
    bool stop = yk_stream_stops_now(stream); /* else the worker does, when it gets there */
    bool works = stream->worker;
    yk_depth_end(stream);
    pthread_mutex_unlock(&stream->lock);
    if (stop)
        yk_stream_fail_torn_down(stream);
    if (!works)
        yk_stream_end_waits(stream);
    yk_reclaim_finished(device);
    yk_event_uncount_spares(stream);
    yk_stream_unuse(stream);
    /* Other streams may wait for this one: when only retired streams keep the device, this reclaims them. */
    yk_device_put(device);
}

static void set_label(yoke_stream *stream, const char *name)
{
    bool named = name && *name;
    yk_label(stream->label, name, named ? 0 : atomic_fetch_add(&stream->device->stream_number, 1) + 1);
}

/* The lock is held for a few instructions at a time, and a worker that slept for it would be late: use an adaptive mutex where
 * available. Returns an errno value. */
static int init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;
    int error = pthread_mutexattr_init(&attributes);
    if (error)
        return error;
#ifdef __GLIBC__
    error = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    if (!error)
        error = pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return error;
}

/* The stream frees no more. A driver's pool notices freed memory only when the driver synchronizes the stream that freed it, which
 * nobody can do later. */
static void notice_freed(yoke_stream *stream)
{
    if (stream->device->traits.driver_pool && atomic_load_explicit(&stream->allocations_end, memory_order_relaxed) > 0)
        stream->device->backend->stream_finish(stream);
    atomic_store_explicit(&stream->allocations_end, 0, memory_order_relaxed);
}

static void destroy_stream(void *object)
{
    YK_UNCANCELLED;
    yoke_stream *stream = object;
    const yoke_error_info *failure = &stream->failure->info;
    if (atomic_load(&stream->failed) && !atomic_load(&stream->failure->told) && failure->status != YOKE_E_CANCELLED)
        yk_log(YOKE_LOG_WARNING, "stream %s of %s was released, and no call had returned its failure: %s", stream->label,
               stream->device->info.selector, failure->text);
    if (stream->device->observer)
        stream->device->observer->stream_end(stream);
    YK_VALIDATE(stream->device, stream_end, stream);
    notice_freed(stream);
    yk_event_destroy_spares(stream);
    stream->device->backend->stream_destroy(stream);
    free_stream(stream);
}

/* The last use of the stream is gone. */
static void end_stream(yoke_stream *stream)
{
    yoke_device *device = stream->device;
    yk_stream_forget_waits(stream); /* or retired streams would keep other streams, and those the device */
    if (yk_stream_is_quiet(stream)) /* and it may be destroyed much later */
        notice_freed(stream);
    yk_retire_stream(device, stream, destroy_stream);
    atomic_fetch_sub(&device->deferred_refs, 1);
    yk_device_put(device);
}

/* Everything but the driver's queue; NULL and a record on failure. */
static yoke_stream *new_stream(yoke_device *device, const yoke_stream_desc *desc)
{
    yoke_stream *stream = yk_object_new(YK_STREAM, sizeof *stream, tear_down);
    if (!stream)
        return NULL;
    stream->device = device;
    stream->end = end_stream;
    stream->flags = desc->flags;
    stream->depth = desc->depth;
    stream->on_full = desc->on_full;
    stream->on_full_user = desc->user;
    stream->wait = desc->wait;
    stream->priority = desc->priority;
    set_label(stream, desc->name);
    atomic_store(&stream->uses, 1);
    if (init_lock(&stream->lock)) {
        yk_no_memory("a stream's lock");
        yk_object_free(stream, sizeof *stream);
        return NULL;
    }
    stream->failure = yk_failure_new();
    if (!stream->failure || take_id(stream) < 0) {
        free_stream(stream);
        return NULL;
    }
    if (device->blocking || device->observer || device->validator || stream->depth)
        yk_stream_close(stream); /* the gate never opens */
    if (device->observer && !(desc->flags & YOKE_STREAM_TIMED) && (device->info.capabilities & YK_CAP(TIMING)))
        stream->flags |= YOKE_STREAM_TIMED | YK_STREAM_STAMPED;
    return stream;
}

static void add_to_device(yoke_stream *stream)
{
    yoke_device *device = stream->device;
    pthread_mutex_lock(&device->lock);
    stream->next = device->streams;
    if (stream->next)
        stream->next->previous = stream;
    device->streams = stream;
    pthread_mutex_unlock(&device->lock);
}

static yoke_status check_desc(const char *function, const yoke_device *device, const yoke_stream_desc *desc)
{
    const uint32_t known = YOKE_STREAM_TIMED | YOKE_STREAM_PENDING_WHEN_FULL;
    if (desc->flags & ~known)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: flags is 0x%x; only YOKE_STREAM_TIMED (0x%x) and YOKE_STREAM_PENDING_WHEN_FULL (0x%x) are defined",
                       function, (unsigned)desc->flags, (unsigned)YOKE_STREAM_TIMED, (unsigned)YOKE_STREAM_PENDING_WHEN_FULL);
    if ((desc->flags & YOKE_STREAM_PENDING_WHEN_FULL) && !desc->depth)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: YOKE_STREAM_PENDING_WHEN_FULL needs a depth; with depth 0 a stream is never full", function);
    if (desc->wait < YOKE_WAIT_AUTO || desc->wait > YOKE_WAIT_BLOCK)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: wait is %d, which is not a YOKE_WAIT_ value", function, (int)desc->wait);
    if (desc->priority < -YOKE_MAX_PRIORITY || desc->priority > YOKE_MAX_PRIORITY)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: priority is %d; give a number from %d to %d: 0 is normal, and a larger number is more urgent", function,
                       (int)desc->priority, -YOKE_MAX_PRIORITY, YOKE_MAX_PRIORITY);
    if ((desc->flags & YOKE_STREAM_TIMED) && yoke_device_lacks(device, YOKE_CAP_TIMING))
        return yk_fail(YOKE_E_UNSUPPORTED, "%s: %s does not support timing: %s", function, device->info.selector,
                       yoke_device_lacks(device, YOKE_CAP_TIMING));
    return YOKE_OK;
}

yoke_status yoke_stream_create(yoke_device *device, const yoke_stream_desc *desc, yoke_stream **out_stream)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_stream_create);
    yoke_stream_desc own = YOKE_STREAM_DESC_INIT;
    YK_OUT(out_stream);
    YK_CHECK(device, YK_DEVICE, function, "device");
    if (desc)
        yk_sized_take(&own, desc, sizeof own, YK_FIRST_SIZE(yoke_stream_desc));
    yoke_status status = check_desc(function, device, &own);
    if (status == YOKE_OK)
        status = yk_device_check(device);
    if (status < 0)
        return yk_attribute(function, NULL, status);

    yoke_stream *stream = new_stream(device, &own);
    if (!stream)
        return yk_attribute(function, NULL, yoke_error()->status);
    status = device->backend->stream_create(stream);
    if (status < 0) {
        free_stream(stream);
        return yk_attribute(function, NULL, yk_device_failed(device, status));
    }
    if (device->observer)
        device->observer->stream_begin(stream);
    YK_VALIDATE(device, stream_begin, stream);
    yk_object_retain(device);
    add_to_device(stream);
    yk_log(YOKE_LOG_DEBUG, "stream %s of %s is created", stream->label, device->info.selector);
    *out_stream = stream;
    return YOKE_OK;
}

yoke_stream *yoke_stream_retain(yoke_stream *stream)
{
    if (yk_is(stream, YK_STREAM))
        yk_object_retain(stream);
    return stream;
}

void yoke_stream_release(yoke_stream *stream)
{
    if (yk_is(stream, YK_STREAM))
        yk_object_release(stream);
}

yoke_device *yoke_stream_get_device(const yoke_stream *stream)
{
    return yk_is(stream, YK_STREAM) ? stream->device : NULL;
}

yoke_status yoke_stream_get_priority(const yoke_stream *stream, int32_t *out_priority)
{
    YK_FUNCTION(yoke_stream_get_priority);
    YK_OUT(out_priority);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    *out_priority = stream->priority;
    return YOKE_OK;
}

YK_HOT yoke_status check_wait(const char *function, yoke_stream *stream)
{
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (yk_stream_is_mine(stream))
        return yk_fail(YOKE_E_DEADLOCK, "%s: called from a host function of this stream, which would wait for itself", function);
    return yk_is_recording(stream) ? yk_recording_refuse(function, stream) : YOKE_OK;
}

yoke_status yk_stream_check_wait(const char *function, yoke_stream *stream)
{
    return check_wait(function, stream);
}

/* The duration of copies can be estimated, and a wait that sleeps during a copy would end late: 20 bytes a nanosecond is less than
 * the bandwidth of a bus. Waits for very long copies sleep as usual. */
static uint64_t time_to_copy(yoke_stream *stream)
{
    const uint64_t longest = 20000000;
    uint64_t bytes = atomic_load_explicit(&stream->copying, memory_order_relaxed);
    if (bytes > 0)
        atomic_store_explicit(&stream->copying, 0, memory_order_relaxed);
    return bytes / 20 < longest ? bytes / 20 : longest;
}

yoke_status yk_stream_wait_for(const char *function, yoke_stream *stream, yoke_event *end)
{
    bool submitted = atomic_load_explicit(&end->state, memory_order_acquire) == YK_EVENT_SUBMITTED;
    /* A poll would hinder a driver that is about to block. */
    yoke_status status = submitted && yk_waits_in_driver(stream) ? YOKE_PENDING : yk_event_poll(end);
    if (status != YOKE_PENDING)
        return yk_validate_told(end, status);
    uint64_t since = yk_observe_now(stream);
    status = yk_begin_wait(function, &end, 1, false);
    if (status < 0)
        return status;
    status = yk_event_wait_soon(end, time_to_copy(stream));
    yk_end_wait();
    yk_observe_waited(stream, NULL, since);
    return yk_validate_told(end, status);
}

/* Behind a read for which the driver has waited in the call, one question about the stream is enough. Any other answer is no
 * outcome yet, nor is this one where a wait for another stream's event may have inherited a failure: then an event tells. */
static bool has_ended_in_call(yoke_stream *stream)
{
    uint64_t submitted = atomic_load_explicit(&stream->gate, memory_order_acquire) / YK_GATE_SUBMITTED;
    const yk_submitted *last = &stream->recent[(submitted - 1) % YK_SUBMITTED_KEPT];
    yk_op_kind kind = (yk_op_kind)atomic_load_explicit(&last->kind, memory_order_relaxed);
    if (!yk_is_transfer(kind) || yk_is_write(kind) || !stream->device->traits.reads_block ||
        !stream->device->backend->stream_has_finished(stream) || atomic_load(&stream->waits))
        return false;
    yk_stream_note_done(stream, submitted);
    return true;
}

static bool is_deferring(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    bool deferring = yk_is_deferring(stream);
    pthread_mutex_unlock(&stream->lock);
    return deferring;
}

static bool is_busy(yoke_stream *stream)
{
    if (yk_gate_is_open(stream))
        return !yk_stream_is_idle(stream) && !has_ended_in_call(stream);
    return is_deferring(stream) || !yk_stream_is_idle(stream);
}

yoke_status yk_stream_finish_or_refuse(const char *function, yoke_stream *stream, bool *out_refused)
{
    YK_UNCANCELLED;
    yoke_status status = YOKE_OK;
    *out_refused = false;
    if (yk_stream_is_mine(stream))
        return YOKE_OK;
    if (is_busy(stream)) {
        yoke_event *end = yk_event_new(stream, 0, NULL);
        if (!end)
            return yoke_error()->status;
        status = yk_stream_record(stream, end, YK_RECORD_ALWAYS);
        if (status == YOKE_OK)
            status = yk_stream_wait_for(function, stream, end);
        *out_refused = status == YOKE_E_DEADLOCK && yk_event_is_deferred(end);
        yoke_event_release(end);
    } else {
        YK_VALIDATE(stream->device, knows_all, stream);
    }
    if (*out_refused)
        return status;
    yk_reclaim_finished(stream->device);
    if (atomic_load_explicit(&stream->failed, memory_order_acquire)) {
        yoke_status failure = yk_stream_report(stream);
        status = failure < 0 ? failure : status;
    }
    return status;
}

yoke_status yk_stream_finish(yoke_stream *stream)
{
    bool refused;
    return yk_stream_finish_or_refuse(NULL, stream, &refused);
}

yoke_status yk_stream_finish_blocking(yoke_stream *stream)
{
    yoke_error_info before = *yoke_error();
    bool refused;
    if (yk_stream_in_function() && is_deferring(stream)) /* perhaps functions that wait for the one that is running */
        return YOKE_OK;
    yoke_status status = yk_stream_finish_or_refuse("YOKE_BLOCKING", stream, &refused);
    if (refused)
        yk_error_restore(&before);
    return refused ? YOKE_OK : status;
}

yoke_status yoke_stream_wait(yoke_stream *stream)
{
    YK_FUNCTION(yoke_stream_wait);
    bool refused;
    yoke_status status = check_wait(function, stream);
    if (status == YOKE_OK)
        status = yk_stream_finish_or_refuse(function, stream, &refused);
    return yk_attribute_site(function, NULL, status);
}

yoke_status yoke_host_call_at(const char *where, yoke_stream *stream, yoke_host_fn fn, void *user, yoke_release_fn release)
{
    YK_FUNCTION(yoke_host_call);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (!fn)
        return yk_attribute(function, where, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: fn is NULL", function));

    yk_op op = { .kind = YK_OP_CALL, .where = where, .u.call = { fn, user, release, NULL } };
    if (!yk_is_recording(stream)) {
        op.u.call.after = yk_event_new(stream, 0, where);
        if (!op.u.call.after)
            return yk_attribute(function, where, yoke_error()->status);
    }
    yoke_status status = yk_stream_defer(stream, &op);
    if (status != YOKE_OK)
        yoke_event_release(op.u.call.after);
    return status < 0 ? yk_attribute(function, where, status) : status;
}

/* A driver may only wait for events that were submitted; a wait for a complete event does nothing. */
static yoke_status enqueue_wait(yoke_stream *stream, const yk_op *op)
{
    yoke_event *event = op->u.wait.event;
    bool submitted = atomic_load_explicit(&event->state, memory_order_acquire) == YK_EVENT_SUBMITTED;
    if (event->stream == stream && yk_event_poll(event) >= 0)
        return YOKE_OK; /* the stream's own order covers it; but an event from before a recovery may have failed */
    if (submitted && event->stream != stream && event->stream->device == stream->device) {
        yk_stream_thin_out_waits(stream); /* before the gate is entered: it may fail streams, this one too */
        return yk_stream_enqueue(stream, YK_OP_WAIT, op);
    }
    if (yk_event_poll(event) == YOKE_OK) {
        YK_VALIDATE(stream->device, follows, stream, event);
        return YOKE_OK;
    }
    return yk_stream_defer(stream, op);
}

yoke_status yoke_stream_wait_event_at(const char *where, yoke_stream *stream, yoke_event *event)
{
    YK_FUNCTION(yoke_stream_wait_event);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (yk_is(event, YK_GRAPH_EVENT)) {
        yoke_status waited = yk_recording_wait_event(function, stream, event);
        return waited < 0 ? yk_attribute(function, where, waited) : waited;
    }
    YK_CHECK(event, YK_EVENT, function, "event");
    yk_op op = { .kind = YK_OP_WAIT, .where = where, .u.wait.event = event };
    yoke_status status = YOKE_OK;
    if (yk_is_recording(stream))
        status = yk_fail(YOKE_E_INVALID_ARGUMENT,
                         "%s: stream %s is being recorded into a graph, and the event belongs to another graph or to none; wait "
                         "for it in the stream that launches the graph",
                         function, stream->label);
    else if (atomic_load_explicit(&stream->failed, memory_order_acquire))
        status = yk_stream_report(stream);
    if (status == YOKE_OK)
        status = enqueue_wait(stream, &op);
    return status < 0 ? yk_attribute(function, where, status) : status;
}

yoke_status yoke_device_set_wait(yoke_device *device, int32_t wait)
{
    YK_FUNCTION(yoke_device_set_wait);
    YK_CHECK(device, YK_DEVICE, function, "device");
    if (wait < YOKE_WAIT_AUTO || wait > YOKE_WAIT_BLOCK)
        return yk_attribute(function, NULL,
                            yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %d is not a YOKE_WAIT_ value", function, (int)wait));
    atomic_store(&device->wait, wait);
    return YOKE_OK;
}
