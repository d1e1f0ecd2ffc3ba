/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updating a graph. The public function that enqueues such an operation is called with the graph's editor, a stream that is only
 * ever recorded: so all checks apply, and the recorded operations replace the node's.
 */
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "launch/arguments.h"
#include "stream/stream.h"

/* ---- The editor ---- */

static void destroy_editor(void *object)
{
    yoke_stream *editor = object;
    pthread_mutex_destroy(&editor->lock);
    yk_object_free(editor, sizeof *editor);
}

/* The editor is always recorded and has no driver's queue: nothing can be submitted to it, and nobody else has it. */
yoke_status yk_editor_create(yoke_graph *graph)
{
    yoke_stream *editor = yk_object_new(YK_STREAM, sizeof *editor, destroy_editor);
    if (!editor)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    if (pthread_mutex_init(&editor->lock, NULL)) {
        yk_object_free(editor, sizeof *editor);
        return yk_no_memory("a graph's lock");
    }
    editor->device = graph->device;
    editor->id = YK_MANY_STREAMS;
    atomic_store(&editor->uses, 1);
    yk_string_copy(editor->label, sizeof editor->label, graph->label);
    yk_stream_close(editor);
    atomic_store(&editor->recording, &graph->recording);
    yk_stream_happens(editor, YK_STREAM_RECORD);
    graph->editor = editor;
    return YOKE_OK;
}

void yk_editor_destroy(yoke_graph *graph)
{
    yk_object_release(graph->editor);
}

/* ---- One update ---- */

/* Begin an update of a node; *out_op is its current first operation. On success graph->changing is held; else *out_op is NULL. */
static yoke_status begin(yoke_graph *graph, const char *function, size_t node, const yk_op **out_op)
{
    yoke_status status = YOKE_OK;
    pthread_mutex_lock(&graph->changing);
    pthread_mutex_lock(&graph->lock);
    if (graph->state != YK_GRAPH_READY)
        status = yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: graph %s has not been ended", function, graph->label);
    else if (node >= graph->node_count)
        status = yk_fail(YOKE_E_RANGE, "%s: node %zu is out of range: graph %s has %zu nodes", function, node, graph->label,
                         graph->node_count);
    else
        *out_op = graph->nodes[node].ops->first;
    pthread_mutex_unlock(&graph->lock);
    if (status == YOKE_OK) {
        graph->edited = yk_op_list_new(YK_KIND_OPEN);
        status = graph->edited ? YOKE_OK : YOKE_E_OUT_OF_HOST_MEMORY;
    }
    if (status < 0) {
        *out_op = NULL;
        pthread_mutex_unlock(&graph->changing);
    }
    return status;
}

static yoke_status check_kind(const yoke_graph *graph, const char *function, size_t node, int wanted)
{
    int kind = graph->nodes[node].ops->kind;
    if (kind == wanted)
        return YOKE_OK;
    return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: it is a %s of graph %s, and cannot become a %s", function,
                   yk_op_name((yk_op_kind)kind), graph->label, yk_op_name((yk_op_kind)wanted));
}

/* Store the operations in the node and in the executable graph, or create another executable graph where a launch still needs the
 * current one. Objects that are no longer needed are returned, to be released when no lock is held. */
static yoke_status store(yoke_graph *graph, size_t node, yk_op_list *ops, yk_op_list **out_before, yk_exec **out_exec)
{
    yk_node *place = &graph->nodes[node];
    yoke_status status = YOKE_OK;
    *out_before = place->ops;
    pthread_mutex_lock(&graph->lock);
    bool fits =
        atomic_load_explicit(&graph->exec->object.refs, memory_order_acquire) == 1 && yk_exec_update(graph->exec, node, ops);
    if (fits)
        place->ops = ops;
    pthread_mutex_unlock(&graph->lock);
    if (fits)
        return YOKE_OK;

    pthread_mutex_lock(&graph->lock);
    place->ops = ops;
    graph->making_exec = true;
    pthread_mutex_unlock(&graph->lock);
    yk_exec *exec = yk_exec_new(graph->device, graph->name, graph->nodes, graph->node_count, graph->branch_count);
    pthread_mutex_lock(&graph->lock);
    graph->making_exec = false;
    if (exec) {
        *out_exec = graph->exec;
        graph->exec = exec;
    } else {
        place->ops = *out_before;
        *out_before = ops;
        status = YOKE_E_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_unlock(&graph->lock);
    return status;
}

/* End the update: the operations in graph->edited replace the node's, unless recording them has failed with `status`. */
static yoke_status end(yoke_graph *graph, const char *function, size_t node, yoke_status status)
{
    yk_op_list *ops = graph->edited, *unused = ops;
    yk_exec *exec = NULL;
    graph->edited = NULL;
    if (status == YOKE_OK)
        status = check_kind(graph, function, node, ops->kind);
    if (status < 0)
        yk_error_rename("%s: node %zu", function, node);
    if (status == YOKE_OK)
        status = store(graph, node, ops, &unused, &exec);
    pthread_mutex_unlock(&graph->changing);
    if (status < 0)
        unused->release = NULL; /* the call fails, so `user` stays the caller's */
    yk_object_release(exec);
    yk_op_list_release(unused);
    return status;
}

/* ---- Public functions ---- */

/* begin() and end() around an enqueue into the editor. */
#define UPDATE(name, enqueue)                                    \
    static const char function[] = #name;                        \
    const yk_op *current = NULL;                                 \
    YK_CHECK(graph, YK_GRAPH, function, "graph");                \
    yoke_status status = begin(graph, function, node, &current); \
    if (current)                                                 \
        status = end(graph, function, node, enqueue);            \
    return status < 0 ? yk_attribute(function, where, status) : status

yoke_status yoke_graph_set_launch_at(const char *where, yoke_graph *graph, size_t node, yoke_kernel *kernel, yoke_dim grid,
                                     yoke_dim block, size_t shared, const yoke_arg *args, size_t count)
{
    UPDATE(yoke_graph_set_launch, yoke_launch_at(where, graph->editor, kernel, grid, block, shared, args, count));
}

/* The same launch with other arguments. */
static yoke_status launch_with(const char *where, yoke_graph *graph, const char *function, size_t node, const yk_op *current,
                               const yoke_arg *args, size_t count)
{
    bool cooperative = current->kind == YK_OP_LAUNCH_COOPERATIVE;
    yoke_status status = cooperative ? YOKE_OK : check_kind(graph, function, node, YK_OP_LAUNCH);
    if (status < 0)
        return status;
    return (cooperative ? yoke_launch_cooperative_at : yoke_launch_at)(
        where, graph->editor, current->u.launch.kernel, current->u.launch.grid, current->u.launch.block,
        current->u.launch.shared - current->u.launch.shared_arg_bytes, args, count);
}

/* The node's launch, if nobody else refers to it, else NULL. With graph->lock held. */
static yk_op *own_launch(const yoke_graph *graph, size_t node)
{
    if (graph->state != YK_GRAPH_READY || graph->making_exec || node >= graph->node_count ||
        atomic_load(&graph->exec->object.refs) != 1)
        return NULL;
    yk_op_list *ops = graph->nodes[node].ops;
    return ops->kind == YK_OP_LAUNCH && ops->count == 1 && atomic_load(&ops->refs) == 2 ? ops->first : NULL;
}

/* Whether the launch's memory has room for each struct. */
static bool has_room(const yoke_arg *kept, const yoke_arg *args, size_t count)
{
    bool fits = true;
    for (size_t i = 0; i < count && fits; i++)
        fits = args[i].kind != YOKE_ARG_STRUCT || (kept[i].kind == YOKE_ARG_STRUCT && kept[i].size == args[i].size);
    return fits;
}

static void replace(yoke_arg *kept, const yoke_arg *arg)
{
    if (arg->kind == YOKE_ARG_STRUCT)
        memcpy((void *)(uintptr_t)kept->value.bytes, arg->value.bytes, arg->size);
    else
        *kept = *arg;
}

/* Update in place the commonest change, other buffers and values of a launch, if the fast check passes. False: update in full. */
YK_HOT bool set_args_in_place(const char *where, yoke_graph *graph, size_t node, const yoke_arg *args, size_t count)
{
    yoke_buffer *unused[YOKE_MAX_ARGS];
    size_t unused_count = 0;
    yoke_arg *kept = NULL;
    pthread_mutex_lock(&graph->lock);
    yk_op *op = own_launch(graph, node);
    bool fits = op && yk_arguments_fit(op->u.launch.kernel, graph->editor, args, count, op->u.launch.kernel->fast_count) &&
                has_room(op->u.launch.args, args, count);
    if (fits) { /* nobody else refers to the launch, so the driver can read the new arguments from it */
        kept = (yoke_arg *)(uintptr_t)op->u.launch.args;
        op->u.launch.args = args;
        fits = yk_exec_try(graph->exec, node, op);
        op->u.launch.args = kept;
    }
    if (fits)
        op->where = where;
    for (size_t i = 0; i < count && fits; i++) {
        yoke_buffer *before = kept[i].kind == YOKE_ARG_BUFFER ? kept[i].value.buffer : NULL;
        yoke_buffer *replacement = args[i].kind == YOKE_ARG_BUFFER ? args[i].value.buffer : NULL;
        if (replacement != before) {
            yoke_buffer_retain(replacement);
            unused[unused_count++] = before;
        }
        replace(&kept[i], &args[i]);
    }
    pthread_mutex_unlock(&graph->lock);
    while (unused_count > 0)
        yk_object_release(unused[--unused_count]); /* a buffer, or an image that was passed for one */
    return fits;
}

yoke_status yoke_graph_set_args_at(const char *where, yoke_graph *graph, size_t node, const yoke_arg *args, size_t count)
{
    if (yk_is(graph, YK_GRAPH) && set_args_in_place(where, graph, node, args, count))
        return YOKE_OK;
    UPDATE(yoke_graph_set_args, launch_with(where, graph, function, node, current, args, count));
}

yoke_status yoke_graph_set_write_at(const char *where, yoke_graph *graph, size_t node, yoke_buffer *target, size_t offset,
                                    const void *source, size_t size)
{
    UPDATE(yoke_graph_set_write, yoke_write_at(where, graph->editor, target, offset, source, size));
}

yoke_status yoke_graph_set_read_at(const char *where, yoke_graph *graph, size_t node, void *target, yoke_buffer *source,
                                   size_t offset, size_t size)
{
    UPDATE(yoke_graph_set_read, yoke_read_at(where, graph->editor, target, source, offset, size));
}

yoke_status yoke_graph_set_copy_at(const char *where, yoke_graph *graph, size_t node, yoke_buffer *target, size_t target_offset,
                                   yoke_buffer *source, size_t source_offset, size_t size)
{
    UPDATE(yoke_graph_set_copy, yoke_copy_at(where, graph->editor, target, target_offset, source, source_offset, size));
}

yoke_status yoke_graph_set_fill_at(const char *where, yoke_graph *graph, size_t node, yoke_buffer *buffer, size_t offset,
                                   size_t size, const void *pattern, size_t pattern_size)
{
    UPDATE(yoke_graph_set_fill, yoke_fill_at(where, graph->editor, buffer, offset, size, pattern, pattern_size));
}

yoke_status yoke_graph_set_host_call_at(const char *where, yoke_graph *graph, size_t node, yoke_host_fn fn, void *user,
                                        yoke_release_fn release)
{
    UPDATE(yoke_graph_set_host_call, yoke_host_call_at(where, graph->editor, fn, user, release));
}
