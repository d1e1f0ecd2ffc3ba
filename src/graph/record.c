/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording: operations become the nodes of a graph, each with the nodes that it follows: the previous node of its stream, and the
 * nodes before the events that its stream has waited for.
 */
#include <stdlib.h>

#include "graph/graph.h"
#include "stream/recording.h"
#include "stream/stream.h"

/* The call whose operations this thread is enqueuing: they belong to one node. Other threads' operations, which may come in
 * between, do not. */
typedef struct group_of_call {
    uint64_t graph; /* its serial; 0: there is no such call */
    unsigned branch;
    int kind;
    size_t node; /* SIZE_MAX: none yet */
} group_of_call;

static _Thread_local group_of_call current;

/* The graph that a stream is recorded into. */
static yoke_graph *graph_of(const yoke_stream *stream)
{
    return (yoke_graph *)(void *)((char *)atomic_load(&stream->recording) - offsetof(yoke_graph, recording));
}

/* ---- The order of nodes ---- */

/* Add the nodes, each once, to the nodes that the branch's next node follows. */
static yoke_status follow(yk_branch *branch, const size_t *nodes, size_t count)
{
    size_t *grown = realloc(branch->follows, (branch->follow_count + count + 1) * sizeof *grown);
    if (!grown)
        return yk_no_memory("a graph");
    branch->follows = grown;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < branch->follow_count && branch->follows[k] != nodes[i])
            k++;
        if (k == branch->follow_count)
            branch->follows[branch->follow_count++] = nodes[i];
    }
    return YOKE_OK;
}

/* ---- Nodes ---- */

static yoke_status make_room(yoke_graph *graph)
{
    if (graph->node_count < graph->node_capacity)
        return YOKE_OK;
    size_t capacity = graph->node_capacity ? 2 * graph->node_capacity : 16;
    yk_node *grown = realloc(graph->nodes, capacity * sizeof *grown);
    if (!grown)
        return yk_no_memory("a graph");
    graph->nodes = grown;
    graph->node_capacity = capacity;
    return YOKE_OK;
}

/* Add a node at the end of the branch; the node takes over the operations. */
static yoke_status add_node(yoke_graph *graph, unsigned number, yk_op_list *ops)
{
    yk_branch *branch = &graph->branches[number];
    size_t *next = malloc(sizeof *next);
    if (!next)
        return yk_no_memory("a graph");
    yoke_status status = make_room(graph);
    if (status < 0) {
        free(next);
        return status;
    }
    *next = graph->node_count;
    graph->nodes[graph->node_count++] =
        (yk_node){ .ops = ops, .branch = number, .after = branch->follows, .after_count = branch->follow_count };
    branch->follows = next;
    branch->follow_count = 1;
    return YOKE_OK;
}

static yoke_status add(yoke_graph *graph, unsigned number, const yk_op *op)
{
    bool grouping = current.graph == graph->serial && current.branch == number;
    if (grouping && current.node != SIZE_MAX)
        return yk_op_list_add(graph->nodes[current.node].ops, op);
    yk_op_list *ops = yk_op_list_new(grouping ? current.kind : YK_KIND_OPEN);
    if (!ops)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    yoke_status status = yk_op_list_add(ops, op);
    if (status == YOKE_OK)
        status = add_node(graph, number, ops);
    if (status < 0) {
        ops->release = NULL; /* the call fails, so `user` stays the caller's */
        yk_op_list_release(ops);
    } else if (grouping) {
        current.node = graph->node_count - 1;
    }
    return status;
}

static yoke_status record(yoke_stream *stream, const yk_op *op)
{
    yoke_graph *graph = graph_of(stream);
    if (op->kind == YK_OP_GRAPH || op->kind == YK_OP_RECORD || op->kind == YK_OP_WAIT)
        return yk_recording_refuse_locked("recording", stream); /* another thread has just begun the recording */
    pthread_mutex_lock(&graph->lock);
    yoke_status status = stream == graph->editor ? yk_op_list_add(graph->edited, op) : add(graph, stream->branch, op);
    pthread_mutex_unlock(&graph->lock);
    if (status == YOKE_OK && op->kind == YK_OP_CALL)
        yoke_event_release(op->u.call.after);
    return status;
}

static yoke_status begin_group(yoke_graph *graph, yk_branch *branch, void *kind)
{
    current = (group_of_call){ graph->serial, (unsigned)(branch - graph->branches), *(const int *)kind, SIZE_MAX };
    return YOKE_OK;
}

/* Call `act` with stream->lock and graph->lock held. */
static yoke_status in_graph(yoke_stream *stream, yoke_status (*act)(yoke_graph *graph, yk_branch *branch, void *argument),
                            void *argument)
{
    yoke_status status = YOKE_E_CANCELLED;
    pthread_mutex_lock(&stream->lock);
    yoke_graph *graph = stream->state.recording ? graph_of(stream) : NULL;
    if (graph && stream == graph->editor) {
        status = YOKE_OK;
        if (act == begin_group) /* the editor's operations are always one list */
            graph->edited->kind = *(const int *)argument;
    } else if (graph && (status = yk_stream_report_locked(stream)) == YOKE_OK) {
        pthread_mutex_lock(&graph->lock);
        status = act(graph, &graph->branches[stream->branch], argument);
        pthread_mutex_unlock(&graph->lock);
    } else if (!graph) {
        yk_fail(status, "the recording of stream %s has ended during the call", stream->label);
    }
    pthread_mutex_unlock(&stream->lock);
    return status;
}

/* Remove the last node. */
static void remove_last_node(yoke_graph *graph, yk_branch *branch)
{
    yk_node *node = &graph->nodes[--graph->node_count];
    free(branch->follows);
    branch->follows = node->after;
    branch->follow_count = node->after_count;
    yk_op_list_release(node->ops);
}

static yoke_status end_group(yoke_graph *graph, yk_branch *branch, void *status)
{
    if (*(const yoke_status *)status < 0 && current.graph == graph->serial && current.node != SIZE_MAX &&
        current.node + 1 == graph->node_count)
        remove_last_node(graph, branch);
    return YOKE_OK;
}

static void group(yoke_stream *stream, yk_op_kind kind)
{
    int number = kind;
    (void)in_graph(stream, begin_group, &number);
}

static void ungroup(yoke_stream *stream, yoke_status status)
{
    yoke_error_info before = *yoke_error();
    (void)in_graph(stream, end_group, &status);
    current.graph = 0;
    yk_error_restore(&before);
}

/* ---- Events ---- */

static void destroy_event(void *object)
{
    yk_graph_event *event = object;
    yk_object_free(event, sizeof *event + event->count * sizeof event->nodes[0]);
}

static yk_graph_event *new_graph_event(const yoke_graph *graph, const yk_branch *branch, const char *where)
{
    size_t nodes_size = branch->follow_count * sizeof(size_t);
    yk_graph_event *event = yk_object_new(YK_GRAPH_EVENT, sizeof *event + nodes_size, destroy_event);
    if (!event)
        return NULL;
    event->graph = graph->serial;
    event->where = where;
    event->count = branch->follow_count;
    if (event->count)
        memcpy(event->nodes, branch->follows, nodes_size);
    return event;
}

typedef struct event_request {
    const char *where;
    yk_graph_event *event;
} event_request;

static yoke_status make_event(yoke_graph *graph, yk_branch *branch, void *argument)
{
    event_request *request = argument;
    request->event = new_graph_event(graph, branch, request->where);
    return request->event ? YOKE_OK : YOKE_E_OUT_OF_HOST_MEMORY;
}

static yoke_status record_event(const char *function, const char *where, yoke_stream *stream, uint32_t flags,
                                yoke_event **out_event)
{
    event_request request = { where, NULL };
    if (flags & YOKE_EVENT_TIMED)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: an event inside a graph cannot be timed; record timed events before and after the graph's launch",
                       function);
    yoke_status status = in_graph(stream, make_event, &request);
    *out_event = (yoke_event *)(void *)request.event;
    return status;
}

static yoke_status follow_event(yoke_graph *graph, yk_branch *branch, void *argument)
{
    const yk_graph_event *event = argument;
    if (event->graph != graph->serial)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "the event was recorded into a graph other than %s", graph->label);
    return follow(branch, event->nodes, event->count);
}

static yoke_status wait_event(const char *function, yoke_stream *stream, yoke_event *event)
{
    (void)function;
    return in_graph(stream, follow_event, event);
}

const yk_recorder yk_graph_recorder = {
    .record = record, .group = group, .ungroup = ungroup, .record_event = record_event, .wait_event = wait_event
};
