/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker: the thread that runs a stream's deferred operations, one after another. It submits the driver's operations, and runs
 * host functions itself, once the driver has completed everything before them. Why a stream defers operations is in deferred.c.
 */
#include "stream/depth.h"
#include "stream/enqueue.h"
#include "stream/event.h"
#include "stream/wait.h"
#include "stream/staged.h"
#include "base/process/thread.h"
#include "stream/observer.h"
#include "stream/validator.h"

static bool has_failed(yoke_stream *stream)
{
    return atomic_load_explicit(&stream->failed, memory_order_acquire);
}

/* Also after a failure, an event completes only when the driver has completed the work before it. Until then it stays
 * YK_EVENT_DEFERRED, so that no other stream takes the driver's success for the event's. */
static yoke_status finish_failed(yoke_stream *stream, yoke_event *event)
{
    if (!yk_stream_is_idle(stream)) {
        if (stream->device->backend->event_record(event) == YOKE_OK)
            yk_wait_for_driver(event);
        else
            stream->device->backend->stream_finish(stream);
    }
    pthread_mutex_lock(&stream->lock);
    yoke_status status = has_failed(stream) ? yk_error_restore(&stream->failure->info) : YOKE_OK; /* does not mark it as reported */
    pthread_mutex_unlock(&stream->lock);
    return status; /* YOKE_OK: a recovery has ended meanwhile, and the event is submitted as any other */
}

/* Whether the driver has recorded the event with the operation before it. Who waits for it learns that only now that this
 * operation's objects are released. */
static bool was_recorded(yoke_event *event)
{
    if (event->recorded)
        yk_event_submitted(event, event->recorded - 1);
    return event->recorded;
}

static void run_record(yoke_stream *stream, const yk_op *op)
{
    yoke_event *event = op->u.record.event;
    yoke_status status = YOKE_OK;
    YK_VALIDATE(stream->device, records, stream, event);
    bool recorded = was_recorded(event);
    if (!recorded && has_failed(stream))
        status = finish_failed(stream, event);
    if (!recorded && status == YOKE_OK && (status = yk_event_submit(event)) < 0)
        status = yk_stream_not_submitted(stream, status);
    if (status < 0)
        yk_event_complete(event, status);
    else
        yk_event_wake(event);
}

/* Whether the other device of a copy between two is the one that is lost. */
static bool is_lost_elsewhere(const yoke_stream *stream, const yk_op *op)
{
    if (!yk_is_copy(op->kind))
        return false;
    const yoke_device *source = op->u.copy.source->device, *target = op->u.copy.target->device;
    return !atomic_load(&stream->device->lost) && (atomic_load(&source->lost) || atomic_load(&target->lost));
}

/* A deferred operation's failure names the operation; a lost device is the fault of an earlier one. */
static void fail_deferred(yoke_stream *stream, const yk_op *op, yoke_status status)
{
    char text[160];
    if (status == YOKE_E_DEVICE_LOST) {
        if (is_lost_elsewhere(stream, op))
            yk_stream_inherit(stream, op->where, status);
        else
            yk_stream_not_submitted(stream, status);
        return;
    }
    yk_error_append("; the operation was the %s%s%s, deferred on stream %s until its turn",
                    yk_op_text(text, sizeof text, op->kind, yk_op_lasting_name(op->kind, op)), op->where ? " at " : "",
                    op->where ? op->where : "", stream->label);
    yk_stream_fail(stream, op->where, status);
}

/* Wait until the driver has completed everything submitted. A failure becomes the stream's. */
static void drain(yoke_stream *stream, yoke_event *after)
{
    yoke_status status = YOKE_OK;
    if (!was_recorded(after)) {
        if (yk_stream_is_idle(stream))
            return;
        status = yk_event_submit(after);
    }
    if (status == YOKE_OK) {
        yk_event_wait(after);
    } else {
        yk_stream_fail(stream, after->where, yk_stream_not_submitted(stream, status));
        stream->device->backend->stream_finish(stream);
    }
}

/* Wait until the stream is idle. False: the stream has failed, possibly in this wait. */
static bool drain_for(yoke_stream *stream, const yk_op *op)
{
    if (has_failed(stream))
        return false;
    yoke_event *before = yk_event_new(stream, 0, op->where);
    if (before)
        drain(stream, before);
    else
        fail_deferred(stream, op, yoke_error()->status);
    yoke_event_release(before);
    return !has_failed(stream);
}

/* A staged copy. Earlier operations may have written its source. */
static void run_staged(yoke_stream *stream, const yk_op *op)
{
    yoke_status status = YOKE_OK;
    if (drain_for(stream, op)) {
        uint64_t since = yk_observe_now(stream);
        status = stream->device->stage(stream, op);
        yk_observe_ran(stream, op, since);
        if (status == YOKE_OK)
            YK_VALIDATE(stream->device, submitted, stream, op);
    }
    if (status < 0)
        fail_deferred(stream, op, status);
}

static void run_submitted(yoke_stream *stream, const yk_op *op)
{
    if (has_failed(stream))
        return;
    yoke_status status = yk_submit_observed(stream, op);
    if (status == YOKE_E_INVALID_ARGUMENT && yk_is_transfer(op->kind)) { /* as yk_transfer_restage */
        run_staged(stream, op);
        return;
    }
    if (status < 0) {
        fail_deferred(stream, op, status);
        return;
    }
    yk_note_deferred(stream, op);
}

static void run_driver(yoke_stream *stream, const yk_op *op)
{
    if (yk_is_staged(op))
        run_staged(stream, op);
    else if (!yk_needs_idle(stream, op) || drain_for(stream, op))
        run_submitted(stream, op);
}

/* The driver waits for a submitted event of the same device; any other event is waited for here. */
static void run_wait(yoke_stream *stream, const yk_op *op)
{
    yoke_event *event = op->u.wait.event;
    bool same_device = event->stream->device == stream->device;
    yk_wait wait = { .events = &event,
                     .count = 1,
                     .submitted_is_enough = same_device,
                     .deadline = UINT64_MAX,
                     .unless_failed = op->u.wait.join ? NULL : stream };
    if (op->u.wait.native) {
        run_submitted(stream, op);
        return;
    }
    uint64_t since = yk_observe_now(stream);
    if ((has_failed(stream) && !op->u.wait.join) || yk_wait_any(&wait) == wait.count)
        return;
    yk_observe_ran(stream, op, since);
    if (same_device && atomic_load_explicit(&event->state, memory_order_acquire) == YK_EVENT_SUBMITTED) {
        yk_stream_thin_out_waits(stream);
        run_submitted(stream, op);
        return;
    }
    YK_VALIDATE(stream->device, follows, stream, event);
    yoke_status status = yk_event_poll(event);
    if (status < 0)
        yk_stream_inherit(stream, op->where, status);
}

static bool is_not_run_by_caller(yoke_stream *stream, void *context)
{
    (void)context;
    return stream->state.work != YK_STREAM_CARRIED;
}

/* The status for a function, with its record; the record is empty when the status is YOKE_OK. */
static yoke_status status_for_function(yoke_stream *stream)
{
    yoke_status status = has_failed(stream) ? yk_stream_report(stream) : YOKE_OK;
    if (status == YOKE_OK && yoke_error()->status != YOKE_OK)
        yoke_error_clear();
    yk_said_clear();
    return status;
}

/* The reason is its yoke_fail, also when it returns another status, or another call has failed since. */
void yk_function_failed(yk_op_kind kind, yoke_status status, yoke_status result)
{
    if (!yk_fail_as_said(result) && (yoke_error()->status != result || status < 0))
        yk_fail(result, "the %s returned %s", yk_op_name(kind), yk_status_word(result).text);
}

/* A function of the program that was called with `status` has returned `result`. */
static void function_returned(yoke_stream *stream, const yk_op *op, yoke_status status, yoke_status result)
{
    if (result >= 0)
        return;
    yk_function_failed(op->kind, status, result);
    yk_stream_inherit(stream, op->where, result);
}

static void run_call(yoke_stream *stream, const yk_op *op)
{
    if (op->u.call.after)
        drain(stream, op->u.call.after);
    else
        (void)drain_for(stream, op);
    yoke_status status = status_for_function(stream);
    YK_VALIDATE(stream->device, function_begin, stream);
    uint64_t since = yk_observe_now(stream);
    yoke_status result = op->u.call.fn(status, op->u.call.user);
    yk_observe_ran(stream, op, since);
    YK_VALIDATE(stream->device, function_end, stream);
    function_returned(stream, op, status, result);
    if (op->u.call.release)
        op->u.call.release(op->u.call.user);
}

static void call_native(yoke_stream *stream, const yk_op *op)
{
    const yk_backend *backend = stream->device->backend;
    void *handle = NULL;
    yoke_status status = status_for_function(stream);
    bool entered = status == YOKE_OK && (status = backend->stream_native_enter(stream, &handle)) == YOKE_OK;
    if (status < 0)
        yk_stream_fail(stream, op->where, status);
    YK_VALIDATE(stream->device, submitted, stream, op);
    uint64_t since = yk_observe_now(stream);
    yoke_status result = op->u.native.fn(status, entered ? handle : NULL, op->u.native.user);
    yk_observe_ran(stream, op, since);
    YK_VALIDATE(stream->device, function_end, stream);
    if (entered) {
        backend->stream_native_leave(stream);
        yk_note_submitted(stream, op->kind, op, false);
    }
    function_returned(stream, op, status, result);
    if (op->u.native.release)
        op->u.native.release(op->u.native.user);
}

/* A thread that is not the worker has a record of its own, and may itself be in a function of another stream. */
static void run_native(yoke_stream *stream, const yk_op *op)
{
    yk_function native;
    yk_admission admission = yk_depth_set_aside();
    yk_error_state before;
    yk_enter_function(&native, stream);
    bool same_stream = native.outer && native.outer->stream == stream;
    if (!same_stream)
        yk_error_save(&before);
    call_native(stream, op);
    yk_depth_take_up(admission);
    if (!same_stream)
        yk_error_return(&before);
    yk_leave_function(&native);
}

static void run_nothing(yoke_stream *stream, const yk_op *op)
{
    (void)stream, (void)op; /* never deferred */
}

static void run_graph(yoke_stream *stream, const yk_op *graph);

void yk_stream_run(yoke_stream *stream, const yk_op *op)
{
    switch (op->kind) {
#define YK_OP(kind, name, family, traits, writes, submit, run) \
    case YK_OP_##kind:                                         \
        run_##run(stream, op);                                 \
        break;
#include "objects/op.def"
    }
}

bool yk_stream_stops_now(const yoke_stream *stream)
{
    const yk_op *op = stream->running ? stream->running : stream->first;
    return op && yk_op_has(op->kind, YK_TRAIT_AWAITS_PROGRAM);
}

/* After the user's last reference is gone, operations before the program's next function or wait still run, and nothing from there
 * on. */
static void stop_if_torn_down(yoke_stream *stream, const yk_op *op, bool torn_down)
{
    if (torn_down && yk_op_has(op->kind, YK_TRAIT_AWAITS_PROGRAM))
        yk_stream_fail_torn_down(stream);
}

/* A step of a graph: in a graph with host functions, as if the steps had been deferred one by one. */
static void run_step(yoke_stream *stream, const yk_op *op)
{
    if (yk_op_has(op->kind, YK_TRAIT_AWAITS_PROGRAM)) {
        pthread_mutex_lock(&stream->lock);
        stream->running = op;
        bool torn_down = stream->state.ended;
        pthread_mutex_unlock(&stream->lock);
        stop_if_torn_down(stream, op, torn_down);
    }
    yk_stream_run(stream, op);
}

static void run_graph(yoke_stream *stream, const yk_op *graph)
{
    const yk_exec *exec = graph->u.graph.exec;
    for (size_t i = 0; i < exec->batch_count; i++) {
        const yk_batch *batch = &exec->batches[i];
        for (size_t k = 0; k < batch->count && !batch->replayed; k++)
            run_step(stream, batch->steps[k].op);
        if (!batch->replayed || has_failed(stream))
            continue;
        void *begun = yk_observe_submit_begin(stream, graph);
        yoke_status status = yk_batch_submit(stream, batch);
        yk_observe_submit_end(stream, begun, status);
        if (status < 0)
            fail_deferred(stream, graph, status);
        else
            yk_note_submitted(stream, YK_OP_GRAPH, graph, false);
    }
}

/* With stream->lock held: spin for another operation, which is quicker than being woken. */
static void spin_for_job(yoke_stream *stream)
{
    uint64_t start = yk_now(), spin = yk_spin_nanoseconds(stream);
    unsigned posted = atomic_load(&stream->posted);
    spin = yk_waits_in_driver(stream) ? 0 : spin < YK_SPIN_NANOSECONDS ? spin : YK_SPIN_NANOSECONDS;
    pthread_mutex_unlock(&stream->lock);
    while (atomic_load_explicit(&stream->posted, memory_order_acquire) == posted && yk_now() - start < spin)
        yk_pause();
    pthread_mutex_lock(&stream->lock);
}

/* The event right behind an operation, when the driver can record both in one call. */
static yoke_event *event_behind(const yoke_stream *stream, const yk_op *op)
{
    const yk_op *next = op->next;
    if (!stream->device->traits.records_with_operations || !yk_op_has(op->kind, YK_TRAIT_BY_DRIVER) || !next)
        return NULL;
    if (next->kind == YK_OP_CALL)
        return next->u.call.after;
    return next->kind == YK_OP_RECORD && !(next->u.record.event->flags & YOKE_EVENT_TIMED) ? next->u.record.event : NULL;
}

/* With stream->lock held: take the front operation, once the list has one. */
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

/* With stream->lock held: count an operation that has run. */
static void finish_operation(yoke_stream *stream)
{
    stream->running = NULL;
    stream->ran++;
    stream->deferred--;
    yk_depth_note_submitted(stream);
    if (stream->depth)
        yk_stream_post_listeners(stream); /* the stream has room for another operation */
    if (stream->first)
        return;
    yk_stream_happens(stream, YK_STREAM_EMPTY);
    yk_stream_open(stream);
    yk_stream_post_listeners(stream);
}

/* Whether dropping the operation may call the program: the release functions of its graph. They may wait, and are run while no
 * other operation does, so that deadlock.c finds the wait before all that is behind them. */
static bool drop_calls_program(const yk_op *op)
{
    return op->kind == YK_OP_GRAPH;
}

/* With stream->lock held; released while this drops the operation, which has run. */
static void drop(yoke_stream *stream, yk_op *op)
{
    stream->releasing = drop_calls_program(op);
    pthread_mutex_unlock(&stream->lock);
    yk_op_drop(op);
    pthread_mutex_lock(&stream->lock);
    stream->releasing = false;
}

void yk_stream_work(void *argument)
{
    yoke_stream *stream = argument;
    yk_function functions;
    yk_enter_function(&functions, stream);
    yk_op *last = NULL; /* the operation that has run; dropped without the lock, which is taken once for each operation */
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        bool may_take = stream->first && stream->state.work != YK_STREAM_CARRIED;
        if (last && (!may_take || drop_calls_program(last))) {
            drop(stream, last);
            last = NULL;
        } else if (may_take) {
            yk_op *op = take(stream);
            bool ended = stream->state.ended;
            pthread_mutex_unlock(&stream->lock);
            if (last)
                yk_op_drop(last);
            YK_VALIDATE(stream->device, taken, stream);
            stop_if_torn_down(stream, op, ended);
            yk_stream_run(stream, op);
            YK_VALIDATE(stream->device, ran, stream);
            last = op;
            pthread_mutex_lock(&stream->lock);
            if (!stream->first && op->kind != YK_OP_CALL) { /* whoever has waited for the stream may want its memory back */
                stream->running = NULL;
                drop(stream, op);
                last = NULL;
            }
            finish_operation(stream);
        } else if (stream->first) {
            pthread_mutex_unlock(&stream->lock);
            yk_stream_wait_until(stream, is_not_run_by_caller, NULL, UINT64_MAX);
            pthread_mutex_lock(&stream->lock);
        } else {
            spin_for_job(stream);
            if (!stream->first)
                break;
        }
    }
    stream->worker = false;
    if (stream->reserved)
        stream->spare = yk_thread_keep_own();
    bool torn_down = stream->state.ended;
    pthread_mutex_unlock(&stream->lock);
    yk_leave_function(&functions);
    if (torn_down)
        yk_stream_end_waits(stream);
    yk_stream_unuse(stream);
}
