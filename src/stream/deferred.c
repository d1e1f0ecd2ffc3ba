/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a stream: which operations go straight to the driver, and which Yoke defers.
 */
/* clang-format off */
/*
 *              a host function, a staged copy, or a wait that the driver cannot do
 *     DIRECT --------------------------------------------------------> DEFERRED
 *       ^                                                                 |
 *       +-----------------------------------------------------------------+
 *              the worker has run the last deferred operation
 */
/* clang-format on */
/*
 *   DIRECT    an enqueue is one call of the driver. Nothing is kept, and there is no worker.
 *   DEFERRED  an enqueue appends a copy of the operation to the stream's list. The stream's worker takes operations from the front:
 *             it submits the driver's operations, runs host functions itself once the driver has completed everything before them,
 *             and waits in software for events that no driver can wait for yet.
 *
 * All states are in objects/stream_state.h.
 *
 * One rule keeps this free of deadlock, however few queues the hardware has: a driver waits only for work that has already been
 * submitted. The order of submission is therefore always a valid schedule.
 *
 * A stream that has FAILED (a host function returned a failure, work on the device failed, the stream was cancelled or torn down:
 * YOKE_E_CANCELLED) skips its deferred operations: host functions are called with the failure, events complete with it, nothing
 * else runs. New enqueues fail at once, until the stream recovers: recovery.c.
 *
 * A stream that is RECORDED keeps its gate closed: its operations go into a graph (graph/record.c) and run when that is launched.
 *
 * An enqueue learns from the gate, without a lock, whether the stream is direct: gate.c.
 */
#include "stream/depth.h"
#include "stream/enqueue.h"
#include "stream/event.h"
#include "stream/recording.h"
#include "stream/validator.h"
#include "base/process/thread.h"

static bool is_not_launching(yoke_stream *stream, void *context)
{
    (void)context;
    return !stream->state.launching;
}

void yk_stream_lock(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    while (YK_UNLIKELY(stream->state.launching) && !pthread_equal(stream->launcher, pthread_self())) {
        pthread_mutex_unlock(&stream->lock);
        yk_stream_wait_until(stream, is_not_launching, NULL, UINT64_MAX);
        pthread_mutex_lock(&stream->lock);
    }
}

yoke_status yk_stream_begin_launch(const char *function, yoke_stream *stream)
{
    yk_stream_lock(stream);
    yoke_status status = yk_stream_report_locked(stream);
    if (status == YOKE_OK)
        status = yk_recording_refuse_locked(function, stream); /* another thread may have just begun the recording */
    if (status == YOKE_OK) {
        yk_stream_close(stream);
        yk_stream_happens(stream, YK_STREAM_LAUNCH);
        stream->launcher = pthread_self();
    }
    pthread_mutex_unlock(&stream->lock);
    return status;
}

void yk_stream_end_launch(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    yk_stream_happens(stream, YK_STREAM_LAUNCH_END);
    yk_stream_open(stream);
    yk_stream_post_listeners(stream);
    pthread_mutex_unlock(&stream->lock);
}

/* With stream->lock held: start the worker, which runs the deferred operations. */
static yoke_status start_worker(yoke_stream *stream)
{
    yoke_status status = YOKE_OK;
    yk_stream_use(stream);
    if (stream->spare)
        yk_thread_run_kept(stream->spare, yk_stream_work, stream);
    else
        status = yk_thread_run(yk_stream_work, stream, "host functions");
    stream->spare = NULL;
    if (status < 0)
        atomic_fetch_sub(&stream->uses, 1); /* never the last: the caller has a reference */
    stream->worker = status == YOKE_OK;
    return status;
}

yoke_status yk_stream_reserve(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    if (!stream->worker && !stream->spare)
        stream->spare = yk_thread_keep("host functions");
    bool there = stream->worker || stream->spare;
    stream->reserved += there;
    pthread_mutex_unlock(&stream->lock);
    return there ? YOKE_OK : yoke_error()->status;
}

void yk_stream_unreserve(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    if (--stream->reserved == 0 && stream->spare) {
        yk_thread_let_go(stream->spare);
        stream->spare = NULL;
    }
    pthread_mutex_unlock(&stream->lock);
}

/* With stream->lock held. */
static yoke_status defer(yoke_stream *stream, const yk_op *op)
{
    yk_op *kept = yk_op_keep(op);
    if (!kept)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    if (!stream->worker && start_worker(stream) < 0) {
        if (kept->kind == YK_OP_CALL)
            kept->u.call.after = NULL; /* the caller keeps it */
        yk_op_drop(kept);
        return yoke_error()->status;
    }
    if (!yk_is_deferring(stream))
        yk_stream_close(stream);
    yk_stream_happens(stream, YK_STREAM_DEFER);
    if (stream->last)
        stream->last->next = kept;
    else
        stream->first = kept;
    stream->last = kept;
    stream->deferred++;
    YK_VALIDATE(stream->device, deferred, stream);
    if (kept->kind == YK_OP_RECORD)
        kept->u.record.event->number = ++stream->records;
    return YOKE_OK;
}

/* Unlock after an operation was deferred, and only then wake the worker, which would otherwise block on the lock. */
static void unlock_and_post(yoke_stream *stream)
{
    pthread_mutex_unlock(&stream->lock);
    atomic_fetch_add_explicit(&stream->posted, 1, memory_order_release);
}

/* With YOKE_BLOCKING: the operation has to finish before the call that enqueued it returns. */
static yoke_status finish_if_blocking(yoke_stream *stream, yoke_status status)
{
    return stream->device->blocking && status == YOKE_OK && !atomic_load(&stream->blocking_suppressed)
               ? yk_stream_finish_blocking(stream)
               : status;
}

/* With stream->lock held; released while this waits. YOKE_PENDING: the stream is full, and the caller does not wait. */
static yoke_status make_room(yoke_stream *stream)
{
    return stream->depth ? yk_depth_make_room(stream) : YOKE_OK;
}

/* With stream->lock held. */
static yoke_status take_route(yoke_stream *stream, const yk_op *op, yk_stream_route route)
{
    yoke_status status = YOKE_OK;
    switch (route) {
    case YK_ROUTE_REFUSE:
        return yk_stream_report_locked(stream);
    case YK_ROUTE_RECORD:
        return atomic_load(&stream->recording)->recorder->record(stream, op);
    case YK_ROUTE_DEFER:
        return defer(stream, op);
    case YK_ROUTE_SUBMIT:
        status = yk_submit_observed(stream, op);
        if (status == YOKE_OK)
            yk_note_submitted(stream, op->kind, op, false);
        yk_depth_note_submitted(stream);
        return status;
    case YK_ROUTE_AGAIN:
        break;
    }
    return status;
}

/* The operation found the gate closed. Sets *out_opened when the gate has been opened since; then nothing has been done. */
static yoke_status enqueue_locked(yoke_stream *stream, const yk_op *op, bool *out_opened)
{
    yoke_status status;
    yk_stream_lock(stream);
    status = make_room(stream);
    if (status != YOKE_OK) { /* on_full's answer may be any status, and is none of the driver's */
        pthread_mutex_unlock(&stream->lock);
        return status;
    }
    yk_stream_route route = yk_stream_route_of(stream->state, yk_stream_submits_locked(stream));
    status = take_route(stream, op, route);
    unlock_and_post(stream);
    if (route == YK_ROUTE_RECORD)
        return status;
    if (YK_UNLIKELY(status < 0))
        return yk_stream_not_submitted(stream, status);
    *out_opened = status == YOKE_OK && route == YK_ROUTE_AGAIN;
    return *out_opened ? status : finish_if_blocking(stream, status);
}

yoke_status yk_stream_enqueue_closed(yoke_stream *stream, const yk_op *op)
{
    bool opened = false;
    do {
        yoke_status status = enqueue_locked(stream, op, &opened);
        if (!opened)
            return status;
        opened = false;
    } while (!yk_gate_enter(stream));
    yoke_status status = yk_submit(stream, op);
    if (status < 0) {
        yk_gate_leave(stream);
        return yk_stream_not_submitted(stream, status);
    }
    yk_note_submitted(stream, op->kind, op, true);
    return YOKE_OK;
}

yoke_status yk_stream_defer_always(yoke_stream *stream, const yk_op *op)
{
    yk_stream_lock(stream);
    yoke_status status = defer(stream, op);
    unlock_and_post(stream);
    return status;
}

yoke_status yk_stream_defer(yoke_stream *stream, const yk_op *op)
{
    yk_stream_lock(stream);
    yoke_status status = make_room(stream);
    yk_stream_route route = yk_stream_route_of(stream->state, true);
    if (status == YOKE_OK)
        status = take_route(stream, op, route == YK_ROUTE_SUBMIT ? YK_ROUTE_DEFER : route);
    unlock_and_post(stream);
    if (route == YK_ROUTE_RECORD)
        return status;
    if (!yk_op_has(op->kind, YK_TRAIT_FUNCTION))
        return finish_if_blocking(stream, status);
    if (status == YOKE_OK) { /* the function will be called: its failure is not a failure of the enqueue */
        yoke_error_info before = *yoke_error();
        (void)finish_if_blocking(stream, status);
        yk_error_restore(&before);
    }
    return status;
}

yoke_status yk_stream_record_closed(yoke_stream *stream, yoke_event *event, yk_record_how how)
{
    yk_op op = { .kind = YK_OP_RECORD, .where = event->where, .u.record.event = event };
    yk_stream_lock(stream);
    yoke_status status = how == YK_RECORD_USUAL && yk_is_deferring(stream) ? make_room(stream) : YOKE_OK;
    if (status != YOKE_OK) { /* as above */
        pthread_mutex_unlock(&stream->lock);
        return status;
    }
    if (how != YK_RECORD_ALWAYS)
        status = yk_stream_report_locked(stream);
    bool deferred = status == YOKE_OK && yk_stream_route_of_end(stream->state) == YK_ROUTE_DEFER;
    if (status == YOKE_OK && !deferred)
        YK_VALIDATE(stream->device, records, stream, event);
    if (status == YOKE_OK)
        status = deferred ? defer(stream, &op) : yk_event_submit(event);
    unlock_and_post(stream);
    return status < 0 ? yk_stream_not_submitted(stream, status) : status;
}

/* The caller runs the operation itself: a staged copy that it waits for, which saves waking a thread, or a graph. Operations that
 * other threads enqueue meanwhile are deferred. A failure of the operation becomes the stream's. */
yoke_status yk_stream_run_by_caller(yoke_stream *stream, const yk_op *op)
{
    yk_stream_lock(stream);
    yoke_status status = make_room(stream);
    if (status == YOKE_OK)
        status = yk_stream_report_locked(stream);
    bool here = status == YOKE_OK && yk_stream_can(stream->state, YK_STREAM_CARRY) && !stream->device->blocking;
    if (here) {
        yk_stream_close(stream);
        yk_stream_happens(stream, YK_STREAM_CARRY);
        stream->running = op;
    }
    pthread_mutex_unlock(&stream->lock);
    if (!here)
        return status != YOKE_OK ? status : yk_stream_defer(stream, op);
    yoke_error_info before = *yoke_error(); /* a failure is the stream's, and not this call's */
    yk_stream_run(stream, op);
    yk_error_restore(&before);
    pthread_mutex_lock(&stream->lock);
    yk_stream_happens(stream, YK_STREAM_CARRY_END);
    stream->running = NULL;
    stream->ran++;
    yk_depth_note_submitted(stream);
    if (!stream->first) {
        yk_stream_happens(stream, YK_STREAM_EMPTY);
        yk_stream_open(stream);
    }
    yk_stream_post_listeners(stream);
    pthread_mutex_unlock(&stream->lock);
    return YOKE_OK;
}
