/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs: the object, and its life. A graph is recorded (record.c), ended, which creates its executable graph (exec.c), launched,
 * and updated (update.c).
 */
#include "graph/graph.h"

#include <stdlib.h>

#include "stream/enqueue.h"

/* The stream runs its operations again. */
static void stop_recording(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    atomic_store(&stream->recording, NULL);
    yk_stream_happens(stream, YK_STREAM_RECORD_END);
    yk_stream_open(stream);
    pthread_mutex_unlock(&stream->lock);
}

/* Recording ends in all branches. */
static void stop_all_recording(yoke_graph *graph)
{
    for (unsigned i = 0; i < graph->branch_count; i++) {
        yk_branch *branch = &graph->branches[i];
        if (branch->stream) {
            stop_recording(branch->stream);
            yoke_stream_release(branch->stream);
        }
        branch->stream = NULL;
        free(branch->follows);
        branch->follows = NULL;
    }
}

static void destroy(void *object)
{
    YK_UNCANCELLED;
    yoke_graph *graph = object;
    yoke_device *device = graph->device;
    atomic_store(&graph->object.kind, YK_DEAD);
    stop_all_recording(graph);
    yk_object_release(graph->exec);
    yk_branches_destroy(graph);
    yk_editor_destroy(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        yk_op_list_release(graph->nodes[i].ops);
        free(graph->nodes[i].after);
    }
    free(graph->nodes);
    free(graph->branches);
    pthread_mutex_destroy(&graph->changing);
    pthread_mutex_destroy(&graph->lock);
    yk_object_free(graph, sizeof *graph);
    yk_device_put(device);
}

yoke_status yoke_graph_create(yoke_device *device, const char *name, yoke_graph **out_graph)
{
    YK_FUNCTION(yoke_graph_create);
    static atomic_uint_fast64_t last_serial;
    YK_OUT(out_graph);
    YK_CHECK(device, YK_DEVICE, function, "device");
    yoke_graph *graph = yk_object_new(YK_GRAPH, sizeof *graph, destroy);
    if (!graph)
        return yk_attribute(function, NULL, YOKE_E_OUT_OF_HOST_MEMORY);
    graph->device = device;
    graph->serial = atomic_fetch_add(&last_serial, 1) + 1;
    yk_label(graph->label, name, graph->serial);
    graph->recording = (yk_recording){ &yk_graph_recorder, graph->label };
    graph->name = name && *name ? yk_intern(graph->label) : "without a name";
    if (!graph->name)
        goto no_name;
    if (pthread_mutex_init(&graph->lock, NULL))
        goto no_lock;
    if (pthread_mutex_init(&graph->changing, NULL))
        goto no_changing;
    yk_object_retain(device);
    *out_graph = graph;
    return YOKE_OK;

no_changing:
    pthread_mutex_destroy(&graph->lock);
no_lock:
    yk_no_memory("a graph's lock");
no_name:
    yk_object_free(graph, sizeof *graph);
    return yk_attribute(function, NULL, yoke_error()->status);
}

yoke_graph *yoke_graph_retain(yoke_graph *graph)
{
    if (yk_is(graph, YK_GRAPH))
        yk_object_retain(graph);
    return graph;
}

void yoke_graph_release(yoke_graph *graph)
{
    if (yk_is(graph, YK_GRAPH))
        yk_object_release(graph);
}

/* ---- Recording ---- */

/* With the lock held. */
static const char *state_text(const yoke_graph *graph)
{
    static const char *const texts[] = { [YK_GRAPH_RECORDING] = "is still being recorded: end it first",
                                         [YK_GRAPH_ENDING] = "is being ended by another thread",
                                         [YK_GRAPH_READY] = "has already been ended",
                                         [YK_GRAPH_BROKEN] = "could not be ended, and stays empty" };
    _Static_assert(YK_COUNT_OF(texts) == YK_GRAPH_BROKEN + 1, "a text for each state");
    if (graph->state == YK_GRAPH_RECORDING && graph->branch_count == 0)
        return "has not been recorded: call yoke_graph_begin, enqueue work, and call yoke_graph_end";
    return texts[graph->state];
}

/* Add a branch for the stream. With both locks held. */
static yoke_status add_branch(yoke_graph *graph, yoke_stream *stream)
{
    if (graph->state != YK_GRAPH_RECORDING)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "graph %s %s; create another one to record more", graph->label, state_text(graph));
    yk_branch *grown = realloc(graph->branches, (graph->branch_count + 1) * sizeof *grown);
    if (!grown)
        return yk_no_memory("a graph");
    graph->branches = grown;
    yk_branch *branch = &grown[graph->branch_count];
    *branch = (yk_branch){ .stream = yoke_stream_retain(stream) };
    yk_string_copy(branch->label, sizeof branch->label, stream->label);
    stream->branch = graph->branch_count++;
    return YOKE_OK;
}

static yoke_status begin(yoke_graph *graph, yoke_stream *stream)
{
    yk_stream_lock(stream);
    const yk_recording *other = atomic_load(&stream->recording);
    yoke_status status = yk_stream_report_locked(stream);
    if (status == YOKE_OK && other)
        status = yk_fail(YOKE_E_INVALID_ARGUMENT, "stream %s is already being recorded into graph %s", stream->label, other->label);
    if (status == YOKE_OK) {
        pthread_mutex_lock(&graph->lock);
        status = add_branch(graph, stream);
        pthread_mutex_unlock(&graph->lock);
    }
    if (status == YOKE_OK) {
        yk_stream_close(stream);
        atomic_store(&stream->recording, &graph->recording);
        yk_stream_happens(stream, YK_STREAM_RECORD);
    }
    pthread_mutex_unlock(&stream->lock);
    return status;
}

yoke_status yoke_graph_begin(yoke_graph *graph, yoke_stream *stream)
{
    YK_FUNCTION(yoke_graph_begin);
    YK_CHECK(graph, YK_GRAPH, function, "graph");
    YK_CHECK(stream, YK_STREAM, function, "stream");
    yoke_status status = YOKE_OK;
    if (stream->device != graph->device)
        status = yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the stream belongs to another device (%s) than the graph (%s)", function,
                         stream->device->info.selector, graph->device->info.selector);
    if (status == YOKE_OK)
        status = begin(graph, stream);
    return yk_attribute_site(function, NULL, status);
}

static void set_state(yoke_graph *graph, yk_graph_state state)
{
    pthread_mutex_lock(&graph->lock);
    graph->state = state;
    pthread_mutex_unlock(&graph->lock);
}

static yoke_status start_ending(yoke_graph *graph)
{
    yoke_status status = YOKE_OK;
    pthread_mutex_lock(&graph->lock);
    if (graph->state != YK_GRAPH_RECORDING || graph->branch_count == 0)
        status = yk_fail(YOKE_E_INVALID_ARGUMENT, "yoke_graph_end: graph %s %s", graph->label, state_text(graph));
    else
        graph->state = YK_GRAPH_ENDING;
    pthread_mutex_unlock(&graph->lock);
    return status;
}

/* The recording has ended, and nobody else has the nodes yet. */
static yoke_status capture_native(const yoke_graph *graph)
{
    yoke_status status = YOKE_OK;
    for (size_t i = 0; i < graph->node_count && status == YOKE_OK; i++)
        status = yk_native_capture(graph->device, graph->nodes[i].ops);
    return status;
}

yoke_status yoke_graph_end(yoke_graph *graph)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_graph_end);
    YK_CHECK(graph, YK_GRAPH, function, "graph");
    yoke_status status = start_ending(graph);
    if (status < 0)
        return yk_attribute(function, NULL, status);
    stop_all_recording(graph);
    status = yk_device_check(graph->device);
    if (status == YOKE_OK)
        status = capture_native(graph);
    if (status == YOKE_OK) {
        graph->exec = yk_exec_new(graph->device, graph->name, graph->nodes, graph->node_count, graph->branch_count);
        status = graph->exec ? yk_editor_create(graph) : YOKE_E_OUT_OF_HOST_MEMORY;
    }
    set_state(graph, status == YOKE_OK ? YK_GRAPH_READY : YK_GRAPH_BROKEN);
    if (status < 0)
        return yk_attribute(function, NULL, status);
    yk_log(YOKE_LOG_DEBUG, "graph %s of %s has %zu nodes in %u streams", graph->label, graph->device->info.selector,
           graph->node_count, graph->branch_count);
    return YOKE_OK;
}

yoke_device *yoke_graph_get_device(const yoke_graph *graph)
{
    return yk_is(graph, YK_GRAPH) ? graph->device : NULL;
}

size_t yoke_graph_get_size(const yoke_graph *graph)
{
    if (!yk_is(graph, YK_GRAPH))
        return 0;
    yoke_graph *locked = (yoke_graph *)(uintptr_t)graph; /* const but for its lock */
    pthread_mutex_lock(&locked->lock);
    size_t count = graph->node_count;
    pthread_mutex_unlock(&locked->lock);
    return count;
}

/* ---- Launching ---- */

/* The current executable graph, retained; NULL and an error where there is none. */
static yk_exec *take_exec(yoke_graph *graph, const char *function)
{
    yk_exec *exec = NULL;
    pthread_mutex_lock(&graph->lock);
    if (graph->state == YK_GRAPH_READY) {
        exec = graph->exec;
        yk_object_retain(exec);
    } else {
        yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: graph %s %s", function, graph->label, state_text(graph));
    }
    pthread_mutex_unlock(&graph->lock);
    return exec;
}

static yoke_status launch(const char *where, yoke_stream *stream, yoke_graph *graph, yk_exec *exec)
{
    yk_op op;
    op.kind = YK_OP_GRAPH;
    op.where = where;
    op.end = NULL;
    op.u.graph.exec = exec;
    op.u.graph.name = exec->name;
    if (exec->bytes)
        atomic_fetch_add_explicit(&stream->copying, exec->bytes, memory_order_relaxed);
    switch (exec->mode) {
    case YK_LAUNCH_WHOLE:
        return yk_stream_enqueue(stream, YK_OP_GRAPH, &op);
    case YK_LAUNCH_HERE:
        return yk_stream_run_by_caller(stream, &op);
    case YK_LAUNCH_BRANCHES:
        return yk_branches_launch(where, stream, graph, exec);
    case YK_LAUNCH_DEFERRED:
        break;
    }
    return yk_stream_defer(stream, &op);
}

yoke_status yoke_graph_launch_at(const char *where, yoke_stream *stream, yoke_graph *graph)
{
    YK_FUNCTION(yoke_graph_launch);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(graph, YK_GRAPH, function, "graph");
    yoke_status status = YOKE_OK;
    if (YK_UNLIKELY(stream->device != graph->device))
        status = yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the stream belongs to another device (%s) than the graph (%s)", function,
                         stream->device->info.selector, graph->device->info.selector);
    else if (yk_is_recording(stream))
        status = yk_recording_refuse(function, stream);
    if (status < 0)
        return yk_attribute(function, where, status);
    yk_exec *exec = take_exec(graph, function);
    status = exec ? launch(where, stream, graph, exec) : yoke_error()->status;
    yk_object_release(exec);
    return YK_UNLIKELY(status < 0) ? yk_attribute(function, where, status) : status;
}
