/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording: operations become the nodes of a graph, each with the nodes that it follows: the one before it in its stream, and
 * those before the events that its stream has waited for.
 */
#include <stdlib.h>

#include "graph.h"
#include "stream.h"

yoke_status yk_graph_refuse(const char *function, const yoke_stream *stream)
{
    yoke_graph *graph = atomic_load(&stream->recording);
    if (!graph)
        return YOKE_OK;
    return yk_fail(YOKE_E_INVALID, "%s: stream %s is being recorded into graph %s, and nothing of that runs; end the graph first",
                   function, stream->label, graph->label);
}

/* ---- What follows what ---- */

/* Add the nodes to what the lane's next node follows, each once. */
static yoke_status follow(yk_lane *lane, const size_t *nodes, size_t count)
{
    size_t *grown = realloc(lane->follows, (lane->follow_count + count + 1) * sizeof *grown);
    if (!grown)
        return yk_no_memory("a graph");
    lane->follows = grown;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < lane->follow_count && lane->follows[k] != nodes[i])
            k++;
        if (k == lane->follow_count)
            lane->follows[lane->follow_count++] = nodes[i];
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

/* A node with this work, which it takes over, at the end of the lane. */
static yoke_status add_node(yoke_graph *graph, unsigned number, yk_work *work)
{
    yk_lane *lane = &graph->lanes[number];
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
        (yk_node){ .work = work, .lane = number, .after = lane->follows, .after_count = lane->follow_count };
    lane->follows = next;
    lane->follow_count = 1;
    return YOKE_OK;
}

static yoke_status add(yoke_graph *graph, unsigned number, const yk_op *op)
{
    yk_lane *lane = &graph->lanes[number];
    if (lane->grouping && lane->grouped != SIZE_MAX)
        return yk_work_add(graph->nodes[lane->grouped].work, op);
    yk_work *work = yk_work_new(lane->grouping ? lane->kind : YK_KIND_OPEN);
    if (!work)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    yoke_status status = yk_work_add(work, op);
    if (status == YOKE_OK)
        status = add_node(graph, number, work);
    if (status < 0) {
        work->release = NULL; /* the call fails, so it stays the caller's */
        yk_work_release(work);
    } else if (lane->grouping) {
        lane->grouped = graph->node_count - 1;
    }
    return status;
}

yoke_status yk_graph_record(yoke_stream *stream, const yk_op *op)
{
    yoke_graph *graph = atomic_load(&stream->recording);
    if (op->kind == YK_OP_GRAPH || op->kind == YK_OP_RECORD || op->kind == YK_OP_WAIT)
        return yk_graph_refuse("recording", stream); /* begun just now, by another thread */
    pthread_mutex_lock(&graph->lock);
    yoke_status status = stream == graph->editor ? yk_work_add(graph->edited, op) : add(graph, stream->lane, op);
    pthread_mutex_unlock(&graph->lock);
    if (status == YOKE_OK && op->kind == YK_OP_CALL)
        yoke_event_release(op->u.call.after);
    return status;
}

static yoke_status begin_group(yoke_graph *graph, yk_lane *lane, void *kind)
{
    (void)graph;
    lane->grouping = true;
    lane->kind = *(const int *)kind;
    lane->grouped = SIZE_MAX;
    return YOKE_OK;
}

/* With stream->lock and graph->lock held around it. */
static yoke_status in_graph(yoke_stream *stream, yoke_status (*act)(yoke_graph *graph, yk_lane *lane, void *argument),
                            void *argument)
{
    yoke_status status = YOKE_E_CANCELLED;
    pthread_mutex_lock(&stream->lock);
    yoke_graph *graph = atomic_load(&stream->recording);
    if (graph && stream == graph->editor) {
        status = YOKE_OK;
        if (act == begin_group) /* its operations are one work anyway */
            graph->edited->kind = *(const int *)argument;
    } else if (graph && (status = yk_stream_tell_locked(stream)) == YOKE_OK) {
        pthread_mutex_lock(&graph->lock);
        status = act(graph, &graph->lanes[stream->lane], argument);
        pthread_mutex_unlock(&graph->lock);
    } else if (!graph) {
        yk_fail(status, "the recording of stream %s has ended meanwhile", stream->label);
    }
    pthread_mutex_unlock(&stream->lock);
    return status;
}

/* Take the last node back. */
static void forget_node(yoke_graph *graph, yk_lane *lane)
{
    yk_node *node = &graph->nodes[--graph->node_count];
    free(lane->follows);
    lane->follows = node->after;
    lane->follow_count = node->after_count;
    yk_work_release(node->work);
}

static yoke_status end_group(yoke_graph *graph, yk_lane *lane, void *status)
{
    if (*(const yoke_status *)status < 0 && lane->grouped != SIZE_MAX && lane->grouped + 1 == graph->node_count)
        forget_node(graph, lane);
    lane->grouping = false;
    return YOKE_OK;
}

void yk_graph_group(yoke_stream *stream, yk_op_kind kind)
{
    int number = kind;
    (void)in_graph(stream, begin_group, &number);
}

void yk_graph_ungroup(yoke_stream *stream, yoke_status status)
{
    yoke_error_info before = *yoke_error();
    (void)in_graph(stream, end_group, &status);
    yk_error_restore(&before);
}

/* ---- Events ---- */

static yk_mark *new_mark(const yoke_graph *graph, const yk_lane *lane, const char *where)
{
    yk_mark *mark = yk_object_new(YK_MARK, sizeof *mark + lane->follow_count * sizeof mark->nodes[0]);
    if (!mark)
        return NULL;
    mark->graph = graph->serial;
    mark->where = where;
    mark->count = lane->follow_count;
    if (mark->count)
        memcpy(mark->nodes, lane->follows, mark->count * sizeof mark->nodes[0]);
    return mark;
}

void yk_mark_release(yk_mark *mark)
{
    if (yk_object_release(mark))
        yk_object_free(mark, sizeof *mark + mark->count * sizeof mark->nodes[0]);
}

typedef struct marking {
    const char *where;
    yk_mark *mark;
} marking;

static yoke_status make_mark(yoke_graph *graph, yk_lane *lane, void *argument)
{
    marking *made = argument;
    made->mark = new_mark(graph, lane, made->where);
    return made->mark ? YOKE_OK : YOKE_E_OUT_OF_HOST_MEMORY;
}

yoke_status yk_graph_mark(const char *function, const char *where, yoke_stream *stream, uint32_t flags, yoke_event **out_event)
{
    marking made = { where, NULL };
    if (flags & YOKE_EVENT_TIMED)
        return yk_fail(YOKE_E_INVALID, "%s: an event inside a graph cannot be timed; record timed events around its launch",
                       function);
    yoke_status status = in_graph(stream, make_mark, &made);
    *out_event = (yoke_event *)(void *)made.mark;
    return status;
}

static yoke_status follow_mark(yoke_graph *graph, yk_lane *lane, void *argument)
{
    const yk_mark *mark = argument;
    if (mark->graph != graph->serial)
        return yk_fail(YOKE_E_INVALID, "the event was recorded into another graph than %s", graph->label);
    return follow(lane, mark->nodes, mark->count);
}

yoke_status yk_graph_wait(const char *function, yoke_stream *stream, yk_mark *mark)
{
    if (!yk_is_recorded(stream))
        return yk_fail(
            YOKE_E_INVALID,
            "%s: the event was recorded into a graph, where only streams that are recorded into the same one can wait for it",
            function);
    return in_graph(stream, follow_mark, mark);
}
