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
 * A stream that has FAILED (a host function returned a failure, work on the device failed, or it was torn down: YOKE_E_CANCELLED)
 * skips what it holds: host functions are called with the failure, events settle with it, nothing else runs. New enqueues fail at
 * once.
 *
 * The gate lets any number of enqueues of a direct stream through at once, for two atomic additions each. It is closed while the
 * stream is held or has failed; whoever closes it waits until those on their way are through, so that none is both before and
 * after.
 */
#include <sched.h>
#include <signal.h>

#include "enqueue.h"
#include "event.h"
#include "settle.h"

/* How long an idle worker stays before its thread ends. */
#define WORKER_IDLE_NANOSECONDS 1000000000u

void yk_stream_close(yoke_stream *stream)
{
    if (atomic_fetch_or_explicit(&stream->gate, GATE_CLOSED, memory_order_acq_rel) & GATE_CLOSED)
        return;
    while (atomic_load_explicit(&stream->gate, memory_order_acquire) >= GATE_ONE)
        sched_yield();
}

/* ---- Enqueueing ---- */

/* Threads of ours take no signals: they are the program's. */
static yoke_status start_worker(yoke_stream *stream)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    int error = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (error)
        return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "no thread for host functions: signals cannot be blocked (error %d)", error);
    yk_stream_use(stream);
    error = pthread_create(&thread, NULL, yk_stream_worker, stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        yk_stream_unuse(stream);
        return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY,
                       "no thread for host functions (error %d): raise the limit on processes and threads", error);
    }
    pthread_detach(thread);
    stream->worker = true;
    return YOKE_OK;
}

/* With stream->lock held. */
static yoke_status hold(yoke_stream *stream, const yk_op *op)
{
    yk_op *kept = yk_op_keep(op);
    if (!kept)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    if (!stream->worker && start_worker(stream) < 0) {
        if (kept->kind == YK_OP_CALL)
            kept->u.call.after = NULL; /* stays the caller's */
        yk_op_drop(kept);
        return yoke_error()->status;
    }
    if (!stream->held)
        yk_stream_close(stream);
    stream->held = true;
    if (stream->last)
        stream->last->next = kept;
    else
        stream->first = kept;
    stream->last = kept;
    atomic_fetch_add_explicit(&stream->posted, 1, memory_order_release);
    pthread_cond_signal(&stream->work);
    return YOKE_OK;
}

yoke_status yk_stream_enqueue_closed(yoke_stream *stream, const yk_op *op, bool *out_again)
{
    yoke_status status = YOKE_OK;
    pthread_mutex_lock(&stream->lock);
    if (atomic_load(&stream->failed))
        status = yk_error_restore(&stream->failure);
    else if (stream->held)
        status = hold(stream, op);
    else
        *out_again = true;
    pthread_mutex_unlock(&stream->lock);
    return status;
}

yoke_status yk_stream_hold(yoke_stream *stream, const yk_op *op)
{
    pthread_mutex_lock(&stream->lock);
    yoke_status status = atomic_load(&stream->failed) ? yk_error_restore(&stream->failure) : hold(stream, op);
    pthread_mutex_unlock(&stream->lock);
    return status;
}

yoke_status yk_stream_record(yoke_stream *stream, yoke_event *event, bool always)
{
    if (yk_gate_enter(stream)) {
        yoke_status status = yk_event_give(event);
        yk_gate_leave(stream);
        return status;
    }
    yoke_status status;
    yk_op op = { .kind = YK_OP_RECORD, .where = event->where, .u.record.event = event };
    pthread_mutex_lock(&stream->lock);
    if (atomic_load(&stream->failed) && !always)
        status = yk_error_restore(&stream->failure);
    else if (stream->held)
        status = hold(stream, &op);
    else
        status = yk_event_give(event);
    pthread_mutex_unlock(&stream->lock);
    return status;
}

void yk_stream_progress(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    pthread_cond_broadcast(&stream->progress);
    pthread_mutex_unlock(&stream->lock);
}

void yk_stream_wait_until_given(yoke_stream *stream, const yoke_event *event)
{
    pthread_mutex_lock(&stream->lock);
    while (atomic_load_explicit(&event->state, memory_order_acquire) == YK_EVENT_HELD)
        pthread_cond_wait(&stream->progress, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
}

/* ---- The worker ---- */

static bool has_failed(yoke_stream *stream)
{
    return atomic_load_explicit(&stream->failed, memory_order_acquire);
}

static void run_record(yoke_stream *stream, yoke_event *event)
{
    if (has_failed(stream)) {
        yk_event_settled(event, yk_error_restore(&stream->failure));
        return;
    }
    yoke_status status = yk_event_give(event);
    if (status < 0)
        yk_event_settled(event, status);
    else
        yk_stream_progress(stream);
}

static yoke_status give_held(yoke_stream *stream, const yk_op *op)
{
    yoke_status status = yk_give(stream, op->kind, op);
    if (status == YOKE_OK)
        yk_note_given(stream, op);
    return status;
}

/* An event of the same device is the driver's to wait for once it has been given to it; any other is waited for here. */
static void run_wait(yoke_stream *stream, const yk_op *op)
{
    yoke_event *event = op->u.wait.event;
    yoke_status status;
    if (has_failed(stream))
        return;
    yk_event_wait_until_given(event);
    if (event->stream->device == stream->device && atomic_load_explicit(&event->state, memory_order_acquire) == YK_EVENT_GIVEN)
        status = give_held(stream, op);
    else
        status = yk_event_settle(event);
    if (status < 0)
        yk_stream_fail(stream, op->where, status);
}

/* Wait until the driver is done with everything it was given. A failure becomes the stream's. */
static void drain(yoke_stream *stream, yoke_event *after)
{
    if (yk_stream_is_idle(stream))
        return;
    yoke_status status = yk_event_give(after);
    if (status < 0)
        yk_stream_fail(stream, after->where, status);
    else
        yk_event_settle(after);
}

static void run_call(yoke_stream *stream, const yk_op *op)
{
    drain(stream, op->u.call.after);

    yoke_status status = YOKE_OK;
    if (has_failed(stream))
        status = yk_error_restore(&stream->failure);
    else
        yoke_error_clear();
    yoke_status result = op->u.call.fn(status, op->u.call.user);
    if (result < 0) {
        if (yoke_error()->status != result || status < 0)
            yk_fail(result, "the host function returned %d (%s)", (int)result, yoke_status_name(result));
        yk_stream_fail(stream, op->where, result);
    }
    if (op->u.call.release)
        op->u.call.release(op->u.call.user);
}

static void run(yoke_stream *stream, const yk_op *op)
{
    yoke_status status;
    switch (op->kind) {
    case YK_OP_CALL:
        run_call(stream, op);
        return;
    case YK_OP_WAIT:
        run_wait(stream, op);
        return;
    case YK_OP_RECORD:
        run_record(stream, op->u.record.event);
        return;
    default:
        if (has_failed(stream))
            return;
        status = give_held(stream, op);
        if (status < 0)
            yk_stream_fail(stream, op->where, status);
    }
}

/* With stream->lock held. Whether there is something to do; false when the worker should end. */
static bool wait_for_work(yoke_stream *stream)
{
    uint64_t start = yk_now();
    unsigned posted = atomic_load(&stream->posted);
    pthread_mutex_unlock(&stream->lock);
    while (atomic_load_explicit(&stream->posted, memory_order_acquire) == posted && yk_now() - start < YK_SPIN_NANOSECONDS)
        yk_pause();
    pthread_mutex_lock(&stream->lock);

    while (!stream->first && !stream->torn_down && yk_now() - start < WORKER_IDLE_NANOSECONDS)
        yk_cond_wait_for(&stream->work, &stream->lock, WORKER_IDLE_NANOSECONDS);
    return stream->first;
}

/* With stream->lock held: the front operation, once the list has one. */
static yk_op *take(yoke_stream *stream)
{
    yk_op *op = stream->first;
    stream->first = op->next;
    if (!stream->first)
        stream->last = NULL;
    return op;
}

void *yk_stream_worker(void *argument)
{
    yoke_stream *stream = argument;
    yk_stream_set_mine(stream);
    pthread_mutex_lock(&stream->lock);
    while (stream->first || wait_for_work(stream)) {
        yk_op *op = take(stream);
        bool cancelled = stream->torn_down;
        pthread_mutex_unlock(&stream->lock);

        if (cancelled && !has_failed(stream)) {
            yk_fail(YOKE_E_CANCELLED, "the stream was released before this %s could run: wait for the stream first",
                    yk_op_name(op->kind));
            yk_stream_fail(stream, op->where, YOKE_E_CANCELLED);
        }
        run(stream, op);
        yk_op_drop(op);

        pthread_mutex_lock(&stream->lock);
        if (!stream->first) {
            stream->held = false;
            if (!has_failed(stream))
                atomic_fetch_and_explicit(&stream->gate, ~GATE_CLOSED, memory_order_release);
        }
    }
    stream->worker = false;
    pthread_mutex_unlock(&stream->lock);
    yk_stream_set_mine(NULL);
    yk_stream_unuse(stream);
    return NULL;
}
