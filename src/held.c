/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a stream: what goes straight to the driver, and what Yoke holds.
 *
 *              a host function, or a wait that the driver cannot be given
 *     DIRECT ------------------------------------------------------------> HELD
 *       ^                                                                   |
 *       +-------------------------------------------------------------------+
 *              the worker has run the last held operation
 *
 *   DIRECT  an enqueue is one call of the driver. Nothing is kept, no thread exists or it sleeps.
 *   HELD    an enqueue is copied to the end of the stream's list. The stream's worker takes operations from the front: gives to the
 *           driver what is the driver's, runs host functions itself once the driver is done with all that came before, and waits in
 *           software for events that no driver can wait for yet.
 *
 * The rule that keeps this free of deadlock however few queues the hardware has: a wait is given to a driver only for work that the
 * driver has already been given. So the order in which work was given is always a schedule that works.
 *
 * A stream that has FAILED (a host function returned a failure, work on the device failed, it was cancelled or torn down:
 * YOKE_E_CANCELLED) skips what it holds: host functions are called with the failure, events settle with it, nothing else runs. New
 * enqueues fail at once, until it recovers: failing.c.
 *
 * The gate lets any number of enqueues of a direct stream through at once, for two atomic additions each. It is closed while the
 * stream is held or has failed, and always where YOKE_BLOCKING is set; whoever closes it waits until those on their way are
 * through, so that none is both before and after.
 */
#include "enqueue.h"
#include "event.h"
#include "settle.h"
#include "staging.h"
#include "thread.h"

/* ---- The gate, and who listens ---- */

void yk_stream_close(yoke_stream *stream)
{
    if (atomic_fetch_or_explicit(&stream->gate, GATE_CLOSED, memory_order_acq_rel) & GATE_CLOSED)
        return;
    while (atomic_load_explicit(&stream->gate, memory_order_acquire) & GATE_BUSY)
        sched_yield();
}

void yk_stream_open(yoke_stream *stream)
{
    if (!atomic_load(&stream->failed) && !stream->device->blocking)
        atomic_fetch_and_explicit(&stream->gate, ~(uint_fast64_t)GATE_CLOSED, memory_order_release);
}

void yk_stream_listen(yoke_stream *stream, yk_listener *listener)
{
    pthread_mutex_lock(&stream->lock);
    listener->previous = NULL;
    listener->next = stream->listeners;
    if (listener->next)
        listener->next->previous = listener;
    stream->listeners = listener;
    pthread_mutex_unlock(&stream->lock);
}

void yk_stream_unlisten(yoke_stream *stream, yk_listener *listener)
{
    pthread_mutex_lock(&stream->lock);
    if (listener->next)
        listener->next->previous = listener->previous;
    if (listener->previous)
        listener->previous->next = listener->next;
    else
        stream->listeners = listener->next;
    pthread_mutex_unlock(&stream->lock);
}

/* With stream->lock held. */
static void tell_listeners(yoke_stream *stream)
{
    for (yk_listener *listener = stream->listeners; listener; listener = listener->next)
        yk_waiter_post(listener->waiter);
}

void yk_stream_progress(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    tell_listeners(stream);
    pthread_mutex_unlock(&stream->lock);
}

/* ---- Enqueueing ---- */

static void work(void *stream);

/* With stream->lock held. */
static yoke_status hold(yoke_stream *stream, const yk_op *op)
{
    yk_op *kept = yk_op_keep(op);
    if (!kept)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    if (!stream->worker) {
        yk_stream_use(stream);
        if (yk_thread_run(work, stream, "host functions") < 0) {
            atomic_fetch_sub(&stream->uses, 1); /* never the last: the caller has a reference */
            if (kept->kind == YK_OP_CALL)
                kept->u.call.after = NULL; /* stays the caller's */
            yk_op_drop(kept);
            return yoke_error()->status;
        }
        stream->worker = true;
    }
    if (!stream->held)
        yk_stream_close(stream);
    stream->held = true;
    if (stream->last)
        stream->last->next = kept;
    else
        stream->first = kept;
    stream->last = kept;
    return YOKE_OK;
}

/* Unlock after something was held, and only then tell the worker, which would run into the lock. */
static void unlock_and_post(yoke_stream *stream)
{
    pthread_mutex_unlock(&stream->lock);
    atomic_fetch_add_explicit(&stream->posted, 1, memory_order_release);
}

/* With YOKE_BLOCKING: what was enqueued has to finish before its call returns. */
static yoke_status finish_if_blocking(yoke_stream *stream, yoke_status status)
{
    return stream->device->blocking && status == YOKE_OK ? yk_stream_finish(stream) : status;
}

yoke_status yk_stream_enqueue_closed(yoke_stream *stream, const yk_op *op, bool *out_again)
{
    yoke_status status;
    pthread_mutex_lock(&stream->lock);
    status = yk_stream_tell_locked(stream);
    if (status == YOKE_OK && stream->held) {
        status = hold(stream, op);
    } else if (status == YOKE_OK && stream->device->blocking) {
        status = yk_give(stream, op->kind, op);
        if (status == YOKE_OK)
            yk_note_given(stream, op->kind, op, false);
    } else if (status == YOKE_OK) {
        *out_again = true;
    }
    unlock_and_post(stream);
    return *out_again ? status : finish_if_blocking(stream, status);
}

yoke_status yk_stream_hold(yoke_stream *stream, const yk_op *op)
{
    pthread_mutex_lock(&stream->lock);
    yoke_status status = yk_stream_tell_locked(stream);
    if (status == YOKE_OK)
        status = hold(stream, op);
    unlock_and_post(stream);
    if (op->kind != YK_OP_CALL && op->kind != YK_OP_NATIVE)
        return finish_if_blocking(stream, status);
    if (status == YOKE_OK) /* the function will be called: how that ends is no failure of the enqueue */
        (void)finish_if_blocking(stream, status);
    return status;
}

static yoke_status record_closed(yoke_stream *stream, yoke_event *event, bool always)
{
    yk_op op = { .kind = YK_OP_RECORD, .where = event->where, .u.record.event = event };
    pthread_mutex_lock(&stream->lock);
    yoke_status status = always ? YOKE_OK : yk_stream_tell_locked(stream);
    if (status == YOKE_OK)
        status = stream->held ? hold(stream, &op) : yk_event_give(event);
    unlock_and_post(stream);
    return status;
}

yoke_status yk_stream_record(yoke_stream *stream, yoke_event *event, bool always)
{
    yoke_status status;
    if (YK_UNLIKELY(!yk_gate_enter(stream))) {
        status = record_closed(stream, event, always);
    } else {
        status = yk_event_give(event);
        yk_gate_leave(stream);
    }
    return YK_UNLIKELY(status < 0) ? yk_stream_not_given(stream, status) : status;
}

/* ---- The worker ---- */

static bool has_failed(yoke_stream *stream)
{
    return atomic_load_explicit(&stream->failed, memory_order_acquire);
}

/* Also behind a failure an event says that what the driver was given before it is over. Until then it stays YK_EVENT_HELD, so that
 * no other stream takes the driver's success for its own. */
static yoke_status finish_failed(yoke_stream *stream, yoke_event *event)
{
    if (!yk_stream_is_idle(stream)) {
        if (stream->device->backend->event_record(event) == YOKE_OK)
            yk_wait_for_mark(event);
        else
            stream->device->backend->stream_finish(stream);
    }
    pthread_mutex_lock(&stream->lock);
    yoke_status status = has_failed(stream) ? yk_error_restore(&stream->failure->info) : YOKE_OK; /* which tells nobody */
    pthread_mutex_unlock(&stream->lock);
    return status;
}

static void run_record(yoke_stream *stream, yoke_event *event)
{
    yoke_status status = YOKE_OK;
    if (atomic_load_explicit(&event->state, memory_order_relaxed) != YK_EVENT_HELD)
        ; /* the driver did it together with what came before */
    else if (has_failed(stream))
        status = finish_failed(stream, event);
    else if ((status = yk_event_give(event)) < 0)
        status = yk_stream_not_given(stream, status);
    if (status < 0)
        yk_event_settled(event, status);
    else
        yk_stream_progress(stream);
}

/* What a held operation fails with names it; a device that is lost was the fault of one before. */
static void fail_held(yoke_stream *stream, const yk_op *op, yoke_status status)
{
    char text[160];
    if (status == YOKE_E_DEVICE_LOST) {
        yk_stream_not_given(stream, status);
        return;
    }
    yk_error_append("; it was the %s%s%s, held on stream %s until its turn",
                    yk_op_text(text, sizeof text, op->kind, yk_op_lasting_name(op)), op->where ? " at " : "",
                    op->where ? op->where : "", stream->label);
    yk_stream_fail(stream, op->where, status);
}

/* Wait until the driver is done with everything it was given. A failure becomes the stream's. */
static void drain(yoke_stream *stream, yoke_event *after)
{
    yoke_status status = YOKE_OK;
    if (atomic_load_explicit(&after->state, memory_order_relaxed) == YK_EVENT_HELD) {
        if (yk_stream_is_idle(stream))
            return;
        status = yk_event_give(after);
    }
    if (status == YOKE_OK) {
        yk_event_settle(after);
    } else {
        yk_stream_fail(stream, after->where, yk_stream_not_given(stream, status));
        stream->device->backend->stream_finish(stream);
    }
}

/* Wait until nothing of the stream is under way. False: it has failed, or fails with that. */
static bool drain_for(yoke_stream *stream, const yk_op *op)
{
    if (has_failed(stream))
        return false;
    yoke_event *before = yk_event_new(stream, 0, op->where);
    if (before)
        drain(stream, before);
    else
        fail_held(stream, op, yoke_error()->status);
    yoke_event_release(before);
    return !has_failed(stream);
}

/* A copy that Yoke carries. What came before it may have written its source. */
static void run_staged(yoke_stream *stream, const yk_op *op)
{
    yoke_status status = drain_for(stream, op) ? yk_staging_run(stream, op) : YOKE_OK;
    if (status < 0)
        fail_held(stream, op, status);
}

static bool is_transfer(const yk_op *op)
{
    return op->kind == YK_OP_WRITE || op->kind == YK_OP_READ || op->kind == YK_OP_WRITE_BOX || op->kind == YK_OP_READ_BOX;
}

static void run_given(yoke_stream *stream, const yk_op *op)
{
    if (has_failed(stream))
        return;
    yoke_status status = yk_give(stream, op->kind, op);
    if (status == YOKE_E_INVALID && is_transfer(op)) { /* as yk_transfer_again */
        run_staged(stream, op);
        return;
    }
    if (status < 0) {
        fail_held(stream, op, status);
        return;
    }
    yk_note_given(stream, op->kind, op, false);
    if (op->kind == YK_OP_COPY || op->kind == YK_OP_COPY_BOX)
        yk_keep_for_copy(stream, op);
    if (op->end)
        yk_event_given(op->end, yk_stream_given(stream));
}

/* An event of the same device is the driver's to wait for once it has been given to it; any other is waited for here. */
static void run_wait(yoke_stream *stream, const yk_op *op)
{
    yoke_event *event = op->u.wait.event;
    bool same_device = event->stream->device == stream->device;
    yk_wait wait = {
        .events = &event, .count = 1, .given_is_enough = same_device, .deadline = UINT64_MAX, .unless_failed = stream
    };
    if (has_failed(stream) || yk_wait_any(&wait) == wait.count)
        return;
    if (same_device && atomic_load_explicit(&event->state, memory_order_acquire) == YK_EVENT_GIVEN) {
        run_given(stream, op);
        return;
    }
    yoke_status status = yk_event_poll(event);
    if (status < 0)
        yk_stream_fail(stream, op->where, status);
}

void yk_stream_wait_until(yoke_stream *stream, bool (*reached)(yoke_stream *stream, void *context), void *context)
{
    yk_waiter *waiter = yk_waiter_take();
    yk_listener listener = { .waiter = waiter };
    bool yet = false;
    if (waiter)
        yk_stream_listen(stream, &listener);
    for (;;) {
        pthread_mutex_lock(&stream->lock);
        yet = reached(stream, context);
        pthread_mutex_unlock(&stream->lock);
        if (yet)
            break;
        if (waiter)
            yk_waiter_sleep(waiter, UINT64_MAX);
        else
            sched_yield();
    }
    if (waiter)
        yk_stream_unlisten(stream, &listener);
    yk_waiter_give_back(waiter);
}

static bool is_not_carrying(yoke_stream *stream, void *context)
{
    (void)context;
    return !stream->carrying;
}

/* The caller carries the copy himself, since he waits for it: that spares waking a thread. What others enqueue meanwhile is held.
 * What the copy fails with becomes the stream's. */
yoke_status yk_stream_carry(yoke_stream *stream, const yk_op *op)
{
    pthread_mutex_lock(&stream->lock);
    yoke_status status = yk_stream_tell_locked(stream);
    bool here = status == YOKE_OK && !stream->held;
    if (here) {
        yk_stream_close(stream);
        stream->held = stream->carrying = true;
        stream->running = op;
    }
    pthread_mutex_unlock(&stream->lock);
    if (!here)
        return status < 0 ? status : yk_stream_hold(stream, op);
    run_staged(stream, op);
    pthread_mutex_lock(&stream->lock);
    stream->carrying = false;
    stream->running = NULL;
    stream->ran++;
    if (!stream->first) {
        stream->held = false;
        yk_stream_open(stream);
    }
    tell_listeners(stream);
    pthread_mutex_unlock(&stream->lock);
    return YOKE_OK;
}

/* The status for a function, with its record; none is left over when all is well. */
static yoke_status status_for_function(yoke_stream *stream)
{
    yoke_status status = has_failed(stream) ? yk_stream_tell(stream) : YOKE_OK;
    if (status == YOKE_OK)
        yoke_error_clear();
    return status;
}

/* A function of the program has returned `result`, having been told `status`. */
static void function_returned(yoke_stream *stream, const yk_op *op, yoke_status status, yoke_status result)
{
    if (result >= 0)
        return;
    if (yoke_error()->status != result || status < 0)
        yk_fail(result, "the %s returned %d (%s)", yk_op_name(op->kind), (int)result, yoke_status_name(result));
    yk_stream_fail(stream, op->where, result);
}

static void run_call(yoke_stream *stream, const yk_op *op)
{
    drain(stream, op->u.call.after);
    yoke_status status = status_for_function(stream);
    function_returned(stream, op, status, op->u.call.fn(status, op->u.call.user));
    if (op->u.call.release)
        op->u.call.release(op->u.call.user);
}

static void run_native(yoke_stream *stream, const yk_op *op)
{
    const yk_backend *backend = stream->device->backend;
    void *handle = NULL;
    yoke_status status = status_for_function(stream);
    bool entered = status == YOKE_OK && (status = backend->stream_native_enter(stream, &handle)) == YOKE_OK;
    if (status < 0)
        yk_stream_fail(stream, op->where, status);
    yoke_status result = op->u.native.fn(status, entered ? handle : NULL, op->u.native.user);
    if (entered) {
        backend->stream_native_leave(stream);
        yk_note_given(stream, op->kind, op, false);
    }
    function_returned(stream, op, status, result);
    if (op->u.native.release)
        op->u.native.release(op->u.native.user);
}

static void run(yoke_stream *stream, const yk_op *op)
{
    switch (op->kind) {
    case YK_OP_CALL:
        run_call(stream, op);
        return;
    case YK_OP_NATIVE:
        run_native(stream, op);
        return;
    case YK_OP_WAIT:
        run_wait(stream, op);
        return;
    case YK_OP_RECORD:
        run_record(stream, op->u.record.event);
        return;
    default:
        if (yk_is_staged(op))
            run_staged(stream, op);
        else if (!yk_runs_alone(stream, op) || drain_for(stream, op))
            run_given(stream, op);
    }
}

/* Whether it is the program that an operation waits for. */
static bool waits_for_program(const yk_op *op)
{
    return op->kind == YK_OP_CALL || op->kind == YK_OP_NATIVE || op->kind == YK_OP_WAIT;
}

bool yk_stream_stops_now(const yoke_stream *stream)
{
    const yk_op *op = stream->running ? stream->running : stream->first;
    return op && waits_for_program(op);
}

/* With the user's last reference gone, what stands before the program's next turn still runs, and nothing from there on. */
static void stop_if_torn_down(yoke_stream *stream, const yk_op *op, bool torn_down)
{
    if (torn_down && waits_for_program(op))
        yk_stream_fail_torn_down(stream);
}

/* With stream->lock held: spin for more, which is quicker than being woken. */
static void linger(yoke_stream *stream)
{
    uint64_t start = yk_now(), spin = yk_spin_nanoseconds(stream);
    unsigned posted = atomic_load(&stream->posted);
    spin = spin < YK_SPIN_NANOSECONDS ? spin : YK_SPIN_NANOSECONDS;
    pthread_mutex_unlock(&stream->lock);
    while (atomic_load_explicit(&stream->posted, memory_order_acquire) == posted && yk_now() - start < spin)
        yk_pause();
    pthread_mutex_lock(&stream->lock);
}

/* The event behind an operation, when the driver can record it together with that. */
static yoke_event *event_behind(const yoke_stream *stream, const yk_op *op)
{
    const yk_op *next = op->next;
    if (!stream->device->backend->records_with_operations || op->kind > YK_OP_LAUNCH || !next)
        return NULL;
    if (next->kind == YK_OP_CALL)
        return next->u.call.after;
    return next->kind == YK_OP_RECORD && !(next->u.record.event->flags & YOKE_EVENT_TIMED) ? next->u.record.event : NULL;
}

/* With stream->lock held: the front operation, once the list has one. */
static yk_op *take(yoke_stream *stream)
{
    yk_op *op = stream->first;
    op->end = event_behind(stream, op);
    stream->first = op->next;
    if (!stream->first)
        stream->last = NULL;
    stream->running = op;
    return op;
}

/* With stream->lock held: the operation has run. */
static void done_with_one(yoke_stream *stream)
{
    stream->running = NULL;
    stream->ran++;
    if (stream->first)
        return;
    stream->held = false;
    yk_stream_open(stream);
    tell_listeners(stream);
}

/* What a stream's thread does until nothing is held any more. */
static void work(void *argument)
{
    yoke_stream *stream = argument;
    yk_stream_set_mine(stream);
    pthread_mutex_lock(&stream->lock);
    while (stream->first || (linger(stream), stream->first)) {
        if (YK_UNLIKELY(stream->carrying)) {
            pthread_mutex_unlock(&stream->lock);
            yk_stream_wait_until(stream, is_not_carrying, NULL);
            pthread_mutex_lock(&stream->lock);
            continue;
        }
        yk_op *op = take(stream);
        bool torn_down = stream->torn_down;
        pthread_mutex_unlock(&stream->lock);
        stop_if_torn_down(stream, op, torn_down);
        run(stream, op);
        pthread_mutex_lock(&stream->lock);
        done_with_one(stream);
        pthread_mutex_unlock(&stream->lock);
        yk_op_drop(op);
        pthread_mutex_lock(&stream->lock);
    }
    stream->worker = false;
    pthread_mutex_unlock(&stream->lock);
    yk_stream_set_mine(NULL);
    yk_stream_unuse(stream);
}
