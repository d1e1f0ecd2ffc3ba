/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launching a graph of several streams that no driver replays as a whole. The graph's operations are enqueued as they were
 * recorded: those of the first stream in the stream of the launch, those of the other streams in streams of Yoke's own, which wait
 * for each other by events. Launches in different streams use different branches, so that launches do not wait for one another.
 */
#include "graph/graph.h"

#include <stdlib.h>

#include "copy/copy.h"
#include "stream/depth.h"
#include "stream/enqueue.h"
#include "stream/event.h"
#include "copy/staging.h"

struct yk_branches {
    yk_branches *next;
    const yoke_stream *launched_in; /* only to compare */
    unsigned epoch;                 /* that stream's at the launch */
    unsigned count;                 /* of streams, and of the ends of their last launches */
    yoke_stream **streams;
    yoke_event **ends;
};

/* ---- Streams for a launch ---- */

static void ignore_status(yoke_status status, void *stream)
{
    (void)status;
    (void)stream;
}

static void release_stream(void *stream)
{
    yoke_stream_release(stream);
}

/* A released stream calls no host functions any more, so a stream with a pending launch is released after the launch. */
static void release_after(yoke_stream *stream, yoke_event *end)
{
    bool pending = end && yk_event_poll(end) == YOKE_PENDING;
    if (!pending || yoke_event_on_complete(end, ignore_status, stream, release_stream) < 0)
        yoke_stream_release(stream);
    yoke_event_release(end);
}

static void free_branches(yk_branches *branches)
{
    yoke_error_info before = *yoke_error();
    for (unsigned i = 0; i < branches->count; i++)
        release_after(branches->streams[i], branches->ends[i]);
    yk_error_restore(&before);
    free(branches->streams);
    free(branches->ends);
    free(branches);
}

void yk_branches_destroy(yoke_graph *graph)
{
    while (graph->spare_branches) {
        yk_branches *branches = graph->spare_branches;
        graph->spare_branches = branches->next;
        free_branches(branches);
    }
}

/* The graph's name without quotes, since a stream's label adds quotes; or the graph's number. */
static void unquoted_name(const yoke_graph *graph, char name[YK_NAME_SIZE])
{
    size_t quote = graph->label[0] == '\'' ? 1 : 0;
    yk_string_copy(name, strlen(graph->label) - 2 * quote + 1, graph->label + quote);
}

static yk_branches *new_branches(const yoke_graph *graph, unsigned count)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    char name[YK_NAME_SIZE];
    unquoted_name(graph, name);
    yk_branches *branches = calloc(1, sizeof *branches);
    if (branches) {
        branches->streams = calloc(count, sizeof *branches->streams);
        branches->ends = calloc(count, sizeof *branches->ends);
    }
    if (!branches || !branches->streams || !branches->ends) {
        yk_no_memory("the streams of a graph");
        goto failed;
    }
    desc.name = name;
    for (; branches->count < count; branches->count++) {
        if (yoke_stream_create(graph->device, &desc, &branches->streams[branches->count]) < 0)
            goto failed;
        atomic_store(&branches->streams[branches->count]->blocking_suppressed, true);
    }
    return branches;

failed:
    if (branches)
        free_branches(branches);
    return NULL;
}

/* YOKE_OK: the last launch is complete; YOKE_PENDING; or a failure, and the branches can no longer be used. */
static yoke_status state_of(const yk_branches *branches)
{
    yoke_status status = YOKE_OK;
    for (unsigned i = 0; i < branches->count && status >= 0; i++) {
        yoke_status state = branches->ends[i] ? yk_event_poll(branches->ends[i]) : YOKE_OK;
        if (atomic_load_explicit(&branches->streams[i]->failed, memory_order_acquire))
            state = YOKE_E_CANCELLED;
        status = state == YOKE_OK ? status : state;
    }
    return status;
}

/* Idle branches, or branches whose last launch precedes this launch in its stream, which has not recovered since: the branches may
 * yet fail as it had. Else new branches. */
static yk_branches *take_branches(yoke_graph *graph, const yoke_stream *stream, unsigned count)
{
    yk_branches *found = NULL, *broken = NULL;
    yoke_error_info before = *yoke_error();
    pthread_mutex_lock(&graph->lock);
    for (yk_branches **place = &graph->spare_branches; *place && !found;) {
        yk_branches *branches = *place;
        yoke_status state = state_of(branches);
        if (state == YOKE_PENDING && (branches->launched_in != stream || branches->epoch != atomic_load(&stream->epoch))) {
            place = &branches->next;
            continue;
        }
        *place = branches->next;
        if (state < 0) {
            branches->next = broken;
            broken = branches;
        } else {
            found = branches;
        }
    }
    pthread_mutex_unlock(&graph->lock);
    while (broken) {
        yk_branches *branches = broken;
        broken = branches->next;
        free_branches(branches);
    }
    yk_error_restore(&before);
    return found ? found : new_branches(graph, count);
}

static void put_branches(yoke_graph *graph, yk_branches *branches)
{
    pthread_mutex_lock(&graph->lock);
    branches->next = graph->spare_branches;
    graph->spare_branches = branches;
    pthread_mutex_unlock(&graph->lock);
}

/* ---- Host functions ---- */

/* A host function or native section of one launch, which keeps the executable graph alive. */
typedef struct host_call {
    yk_exec *exec;
    const yk_op *op;
    const yoke_stream *launched_in; /* only to compare */
} host_call;

static yoke_status call(yoke_status status, void *user)
{
    const host_call *mine = user;
    const yoke_stream *before = yk_stream_set_launched_in(mine->launched_in);
    yoke_status result = mine->op->u.call.fn(status, mine->op->u.call.user);
    yk_stream_set_launched_in(before);
    return result;
}

static yoke_status call_native(yoke_status status, void *native_stream, void *user)
{
    const host_call *mine = user;
    const yoke_stream *before = yk_stream_set_launched_in(mine->launched_in);
    yoke_status result = mine->op->u.native.fn(status, native_stream, mine->op->u.native.user);
    yk_stream_set_launched_in(before);
    return result;
}

static void end_host_call(void *user)
{
    yk_object_release(((host_call *)user)->exec);
    free(user);
}

/* Called by the launching thread if it may be, and if the stream is not deferring. */
static yoke_status defer_call(yoke_stream *stream, const yk_op *op)
{
    bool by_caller = yk_op_has(op->kind, YK_TRAIT_BY_CALLER) && !atomic_load_explicit(&stream->failed, memory_order_acquire);
    if (by_caller && yk_stream_run_by_caller(stream, op) == YOKE_OK)
        return YOKE_OK;
    return yk_stream_defer_always(stream, op); /* also called where the stream has failed meanwhile */
}

static yoke_status enqueue_call(const yoke_stream *launched_in, yoke_stream *stream, yk_exec *exec, const yk_op *op)
{
    yk_op deferred = { .kind = op->kind, .where = op->where };
    host_call *mine = malloc(sizeof *mine);
    if (!mine)
        return yk_no_memory("the launch of a graph");
    *mine = (host_call){ exec, op, launched_in };
    yk_object_retain(exec);
    if (op->kind == YK_OP_CALL) {
        deferred.u.call.fn = call;
        deferred.u.call.user = mine;
        deferred.u.call.release = end_host_call;
    } else {
        deferred.u.native.fn = call_native;
        deferred.u.native.user = mine;
        deferred.u.native.release = end_host_call;
    }
    yoke_status status = defer_call(stream, &deferred);
    if (status < 0)
        end_host_call(mine);
    return status;
}

/* ---- Enqueueing ---- */

/* The stream may fail while a launch is being enqueued: then operations that the stream would skip are skipped here. */
static yoke_status unless_failed(const yoke_stream *stream, yoke_status status)
{
    return status < 0 && atomic_load_explicit(&stream->failed, memory_order_acquire) ? YOKE_OK : status;
}

static yoke_status wait_for(yoke_stream *stream, const char *where, yoke_event *event)
{
    return unless_failed(stream, yoke_stream_wait_event_at(where, stream, event));
}

static yoke_status enqueue(const yoke_stream *launched_in, yoke_stream *stream, yk_exec *exec, const yk_op *op)
{
    yk_op copy = *op;
    switch (yk_family_of(op->kind)) {
    case YK_FAMILY_TRANSFER:
        copy.u.transfer.staged = false;
        return yk_transfer_enqueue("yoke_graph_launch", stream, &copy);
    case YK_FAMILY_COPY:
        return yk_enqueue_copy(stream, &copy);
    case YK_FAMILY_CALL:
    case YK_FAMILY_NATIVE:
        return enqueue_call(launched_in, stream, exec, op);
    case YK_FAMILY_FILL:
    case YK_FAMILY_IMAGE:
    case YK_FAMILY_LAUNCH:
    case YK_FAMILY_RECORD: /* this family and those below are never recorded */
    case YK_FAMILY_WAIT:
    case YK_FAMILY_GRAPH:
    case YK_FAMILY_NONE:
        break;
    }
    return yk_stream_enqueue(stream, op->kind, op);
}

/* A launch that is being enqueued. */
typedef struct launching {
    const char *where;
    yoke_stream *stream;
    yk_exec *exec;
    yk_branches *branches;
    unsigned reserved;   /* streams whose worker threads are reserved */
    yoke_event **events; /* after each step that another branch waits for; then at the start, and at the end of each other branch */
    size_t event_count;
} launching;

static yoke_stream *stream_of_branch(const launching *l, unsigned branch)
{
    return branch == 0 ? l->stream : l->branches->streams[branch - 1];
}

static yoke_stream *stream_of(const launching *l, size_t step)
{
    return stream_of_branch(l, l->exec->steps[step].branch);
}

/* Wait for the steps of other branches that the step follows. Their events were recorded when the steps were enqueued. */
static yoke_status wait_for_others(const launching *l, size_t i)
{
    const yk_step *step = &l->exec->steps[i];
    yoke_status status = YOKE_OK;
    for (size_t k = 0; k < step->after_count && status == YOKE_OK; k++)
        if (l->exec->steps[step->after[k]].branch != step->branch)
            status = wait_for(stream_of(l, i), step->op->where, l->events[step->after[k]]);
    return status;
}

static yoke_event *start_of(const launching *l)
{
    return l->events[l->exec->step_count];
}

static yoke_event *end_of(const launching *l, unsigned branch)
{
    return l->events[l->exec->step_count + 1 + branch];
}

static yoke_status fork_branches(const launching *l)
{
    yoke_status status = yk_stream_record(l->stream, start_of(l), YK_RECORD_ALWAYS);
    for (unsigned i = 0; i < l->branches->count && status == YOKE_OK; i++)
        status = wait_for(l->branches->streams[i], l->where, start_of(l));
    return status;
}

/* A branch's deferred host functions are called whatever happens: a thread that waits for the launch's stream waits for them, even
 * if the stream has failed. */
static yoke_status join(yoke_stream *stream, const char *where, yoke_event *event)
{
    yk_op op = { .kind = YK_OP_WAIT, .where = where, .u.wait = { .event = event, .join = true } };
    if (yk_event_is_deferred(event))
        return yk_stream_defer_always(stream, &op);
    return wait_for(stream, where, event);
}

static yoke_status join_branches(const launching *l)
{
    yoke_status status = YOKE_OK;
    for (unsigned i = 0; i < l->branches->count && status == YOKE_OK; i++) {
        status = yk_stream_record(l->branches->streams[i], end_of(l, i), YK_RECORD_ALWAYS);
        if (status < 0)
            break;
        yoke_event_release(l->branches->ends[i]);
        l->branches->ends[i] = yoke_event_retain(end_of(l, i));
        status = join(l->stream, l->where, end_of(l, i));
    }
    return status;
}

static yoke_status enqueue_all(const launching *l)
{
    yoke_status status = fork_branches(l);
    for (size_t i = 0; i < l->exec->step_count && status == YOKE_OK; i++) {
        status = wait_for_others(l, i);
        if (status == YOKE_OK)
            status = unless_failed(stream_of(l, i), enqueue(l->stream, stream_of(l, i), l->exec, l->exec->steps[i].op));
        if (status == YOKE_OK && l->exec->awaited[i])
            status = yk_stream_record(stream_of(l, i), l->events[i], YK_RECORD_ALWAYS);
    }
    return status == YOKE_OK ? join_branches(l) : status;
}

/* ---- Preparing a launch ---- */

static yoke_status take_events(launching *l)
{
    const yk_exec *exec = l->exec;
    l->event_count = exec->step_count + exec->branch_count;
    l->events = calloc(l->event_count, sizeof(yoke_event *));
    if (!l->events)
        return yk_no_memory("the launch of a graph");
    for (size_t i = 0; i < l->event_count; i++) {
        bool step = i < exec->step_count;
        if (step && !exec->awaited[i])
            continue;
        yoke_stream *stream = stream_of_branch(l, step ? exec->steps[i].branch : (unsigned)(i - exec->step_count));
        l->events[i] = yk_event_new(stream, 0, step ? exec->steps[i].op->where : l->where);
        if (!l->events[i])
            return yoke_error()->status;
    }
    return YOKE_OK;
}

/* Acquire everything that a launch needs before anything is enqueued, so that a launch that fails here has done nothing. */
static yoke_status prepare(launching *l, yoke_graph *graph)
{
    l->branches = take_branches(graph, l->stream, l->exec->branch_count - 1);
    yoke_status status = l->branches ? take_events(l) : yoke_error()->status;
    for (; status == YOKE_OK && l->reserved < l->exec->branch_count; l->reserved += status == YOKE_OK)
        status = yk_stream_reserve(stream_of_branch(l, l->reserved));
    return status;
}

/* Release what was acquired, except for the branches, which may still be running. */
static void release_launch(launching *l)
{
    yoke_error_info before = *yoke_error();
    while (l->reserved > 0)
        yk_stream_unreserve(stream_of_branch(l, --l->reserved));
    for (size_t i = 0; l->events && i < l->event_count; i++)
        yoke_event_release(l->events[i]);
    free(l->events);
    yk_error_restore(&before);
}

/* The launch has failed after some of it was enqueued: its host functions are called before the failure is returned. */
static yoke_status end_branches(const launching *l)
{
    yoke_error_info failure = *yoke_error();
    for (unsigned i = 0; i < l->branches->count; i++) {
        (void)yoke_stream_cancel(l->branches->streams[i]);
        (void)yk_stream_finish(l->branches->streams[i]);
    }
    yoke_status status = yk_stream_report(l->stream);
    return status < 0 ? status : yk_error_restore(&failure); /* the stream may have recovered meanwhile */
}

static yoke_status launch(const char *where, yoke_stream *stream, yoke_graph *graph, yk_exec *exec)
{
    launching l = { .where = where, .stream = stream, .exec = exec };
    yoke_status status = yk_stream_begin_launch("yoke_graph_launch", stream);
    if (status < 0)
        return status;
    status = prepare(&l, graph);
    bool ready = status == YOKE_OK;
    if (ready) {
        atomic_store(&stream->blocking_suppressed, true);
        status = enqueue_all(&l);
        atomic_store(&stream->blocking_suppressed, false);
        l.branches->launched_in = stream;
        l.branches->epoch = atomic_load(&stream->epoch);
        if (status < 0)
            yk_stream_fail(stream, where, status); /* later operations must not run as if the launch were complete */
    }
    yk_stream_end_launch(stream);
    if (ready && status < 0)
        status = end_branches(&l);
    release_launch(&l);
    if (ready && status < 0) {
        free_branches(l.branches);
        return status;
    }
    if (l.branches)
        put_branches(graph, l.branches);
    return ready && stream->device->blocking ? yk_stream_finish_blocking(stream) : status;
}

yoke_status yk_branches_launch(const char *where, yoke_stream *stream, yoke_graph *graph, yk_exec *exec)
{
    yoke_status status = yk_depth_admit(stream, false);
    if (status != YOKE_OK)
        return status;
    status = launch(where, stream, graph, exec);
    yk_depth_leave(stream);
    return status;
}
