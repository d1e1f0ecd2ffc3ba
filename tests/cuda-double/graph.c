/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs. An executable graph has a copy of all nodes, and a launch a copy of that, so that changes are for later launches only.
 * Nodes run one after the other, of those that may run always the youngest: an order that is missing shows.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

struct CUgraphNode_st {
    yk_CUgraph graph;
    size_t index;
    double_work work;
    size_t *after; /* indices */
    size_t after_count;
    yk_CUgraphNode next;
};

struct CUgraph_st {
    uint64_t id;
    size_t count;
    yk_CUgraphNode first, *last;
};

struct CUgraphExec_st {
    uint64_t id; /* of the graph that it was made from */
    yk_CUcontext context;
    size_t count;
    double_work *works;    /* in the order in which they run */
    size_t *places;        /* of each node of the graph in that order */
    double_marker *launch; /* the last one: they do not overlap */
};

/* ---- Nodes ---- */

yk_CUresult cuGraphCreate(yk_CUgraph *out_graph, unsigned int flags)
{
    static atomic_uint_fast64_t ids;
    yk_CUgraph graph;

    ENTER(DOUBLE_USABLE);
    if (!out_graph || flags != 0)
        return YK_CUDA_ERROR_INVALID_VALUE;
    graph = calloc(1, sizeof *graph);
    if (!graph)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    graph->id = atomic_fetch_add(&ids, 1) + 1;
    graph->last = &graph->first;
    *out_graph = graph;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuGraphDestroy(yk_CUgraph graph)
{
    ENTER(DOUBLE_START);
    if (!graph)
        return YK_CUDA_ERROR_INVALID_VALUE;
    for (yk_CUgraphNode node = graph->first, next; node; node = next) {
        next = node->next;
        double_work_free(&node->work);
        free(node->after);
        free(node);
    }
    free(graph);
    return double_lost();
}

yk_CUresult double_graph_add(yk_CUgraphNode *out_node, yk_CUgraph graph, const yk_CUgraphNode *after, size_t count,
                             double_work *work)
{
    yk_CUresult result = YK_CUDA_SUCCESS;
    yk_CUgraphNode node = calloc(1, sizeof *node);
    size_t *indices = calloc(count + 1, sizeof *indices);

    if (!node || !indices)
        result = YK_CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && result == YK_CUDA_SUCCESS; i++) {
        if (!after || !after[i] || after[i]->graph != graph)
            result = YK_CUDA_ERROR_INVALID_VALUE;
        else
            indices[i] = after[i]->index;
    }
    if (result != YK_CUDA_SUCCESS) {
        double_work_free(work);
        free(indices);
        free(node);
        return result;
    }
    *node =
        (struct CUgraphNode_st){ .graph = graph, .index = graph->count++, .work = *work, .after = indices, .after_count = count };
    *graph->last = node;
    graph->last = &node->next;
    *out_node = node;
    return YK_CUDA_SUCCESS;
}

static yk_CUresult kernel_work(double_work *out, const struct CUDA_KERNEL_NODE_PARAMS_v2_st *kernel)
{
    const yk_CUDA_KERNEL_NODE_PARAMS *asked = (const void *)kernel;

    if (!asked || asked->extra)
        return YK_CUDA_ERROR_INVALID_VALUE;
    double_grid grid = { { asked->gridDimX, asked->gridDimY, asked->gridDimZ },
                         { asked->blockDimX, asked->blockDimY, asked->blockDimZ },
                         asked->sharedMemBytes,
                         0 };
    return double_work_kernel(out, (double_function *)(void *)asked->func, &grid, asked->kernelParams);
}

static yk_CUresult copy_work(double_work *out, const struct CUDA_MEMCPY3D_st *copy, yk_CUcontext context)
{
    if (!copy || !double_context_alive(context))
        return YK_CUDA_ERROR_INVALID_VALUE;
    return double_work_copy(out, (const void *)copy);
}

static yk_CUresult fill_work(double_work *out, const struct CUDA_MEMSET_NODE_PARAMS_st *fill, yk_CUcontext context)
{
    const yk_CUDA_MEMSET_NODE_PARAMS *asked = (const void *)fill;

    if (!asked || !double_context_alive(context))
        return YK_CUDA_ERROR_INVALID_VALUE;
    return double_work_fill(out, &(double_fill){ .target = (uintptr_t)asked->dst,
                                                 .pitch = asked->pitch,
                                                 .width = asked->width,
                                                 .height = asked->height,
                                                 .value = asked->value,
                                                 .unit = asked->elementSize });
}

yk_CUresult cuGraphAddKernelNode_v2(yk_CUgraphNode *out_node, yk_CUgraph graph, const yk_CUgraphNode *after, size_t count,
                                    const struct CUDA_KERNEL_NODE_PARAMS_v2_st *kernel)
{
    double_work work;
    yk_CUresult result;

    ENTER(DOUBLE_CONTEXT);
    if (!out_node || !graph)
        return YK_CUDA_ERROR_INVALID_VALUE;
    result = kernel_work(&work, kernel);
    return result == YK_CUDA_SUCCESS ? double_graph_add(out_node, graph, after, count, &work) : result;
}

yk_CUresult cuGraphAddMemcpyNode(yk_CUgraphNode *out_node, yk_CUgraph graph, const yk_CUgraphNode *after, size_t count,
                                 const struct CUDA_MEMCPY3D_st *copy, yk_CUcontext context)
{
    double_work work;
    yk_CUresult result;

    ENTER(DOUBLE_USABLE);
    if (!out_node || !graph)
        return YK_CUDA_ERROR_INVALID_VALUE;
    result = copy_work(&work, copy, context);
    return result == YK_CUDA_SUCCESS ? double_graph_add(out_node, graph, after, count, &work) : result;
}

yk_CUresult cuGraphAddMemsetNode(yk_CUgraphNode *out_node, yk_CUgraph graph, const yk_CUgraphNode *after, size_t count,
                                 const struct CUDA_MEMSET_NODE_PARAMS_st *fill, yk_CUcontext context)
{
    double_work work;
    yk_CUresult result;

    ENTER(DOUBLE_USABLE);
    if (!out_node || !graph)
        return YK_CUDA_ERROR_INVALID_VALUE;
    result = fill_work(&work, fill, context);
    return result == YK_CUDA_SUCCESS ? double_graph_add(out_node, graph, after, count, &work) : result;
}

/* A copy of each node of the child, the first ones behind what the child is to be behind; and then a node behind all of them. */
static yk_CUresult add_child(yk_CUgraphNode *out_node, yk_CUgraph graph, const yk_CUgraphNode *after, size_t count,
                             yk_CUgraph child, yk_CUgraphNode *copies)
{
    double_work nothing = { .kind = DOUBLE_NOTHING };
    yk_CUresult result = YK_CUDA_SUCCESS;

    for (size_t i = 0; i < count; i++)
        copies[child->count + i] = after[i];
    for (yk_CUgraphNode node = child->first; node && result == YK_CUDA_SUCCESS; node = node->next) {
        yk_CUgraphNode *before = calloc(node->after_count + 1, sizeof(yk_CUgraphNode));
        double_work work;
        if (!before || !double_work_clone(&work, &node->work)) {
            free(before);
            return YK_CUDA_ERROR_OUT_OF_MEMORY;
        }
        for (size_t i = 0; i < node->after_count; i++)
            before[i] = copies[node->after[i]];
        result = double_graph_add(&copies[node->index], graph, node->after_count ? before : after,
                                  node->after_count ? node->after_count : count, &work);
        free(before);
    }
    return result == YK_CUDA_SUCCESS ? double_graph_add(out_node, graph, copies, child->count + count, &nothing) : result;
}

yk_CUresult cuGraphAddChildGraphNode(yk_CUgraphNode *out_node, yk_CUgraph graph, const yk_CUgraphNode *after, size_t count,
                                     yk_CUgraph child)
{
    yk_CUgraphNode *copies;
    yk_CUresult result;

    ENTER(DOUBLE_USABLE);
    if (!out_node || !graph || !child || graph == child || (count > 0 && !after))
        return YK_CUDA_ERROR_INVALID_VALUE;
    copies = calloc(child->count + count + 1, sizeof(yk_CUgraphNode));
    if (!copies)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    result = add_child(out_node, graph, after, count, child, copies);
    free(copies);
    return result;
}

/* ---- Executable graphs ---- */

static void free_works(double_work *works, size_t count)
{
    for (size_t i = 0; works && i < count; i++)
        double_work_free(&works[i]);
    free(works);
}

static double_work *clone_works(const double_work *works, size_t count)
{
    double_work *clone = calloc(count + 1, sizeof *clone);

    for (size_t i = 0; clone && i < count; i++) {
        if (!double_work_clone(&clone[i], &works[i])) {
            free_works(clone, i);
            clone = NULL;
        }
    }
    return clone;
}

/* Whether all that the node is behind have their places before `place`. */
static bool may_run(const struct CUgraphNode_st *node, const size_t *places, size_t place)
{
    for (size_t i = 0; i < node->after_count; i++)
        if (places[node->after[i]] >= place)
            return false;
    return true;
}

/* The youngest first. A node is behind older ones only, so there always is one. */
static bool put_in_order(yk_CUgraphExec executable, yk_CUgraph graph)
{
    for (size_t i = 0; i < graph->count; i++)
        executable->places[i] = SIZE_MAX;
    for (size_t place = 0; place < graph->count; place++) {
        yk_CUgraphNode youngest = NULL;
        for (yk_CUgraphNode node = graph->first; node; node = node->next)
            if (executable->places[node->index] == SIZE_MAX && may_run(node, executable->places, place))
                youngest = node;
        executable->places[youngest->index] = place;
        if (!double_work_clone(&executable->works[place], &youngest->work))
            return false;
        executable->count++;
    }
    return true;
}

static void free_executable(yk_CUgraphExec executable)
{
    free_works(executable->works, executable->count);
    double_marker_release(executable->launch);
    free(executable->places);
    free(executable);
}

yk_CUresult cuGraphInstantiateWithFlags(yk_CUgraphExec *out_executable, yk_CUgraph graph, unsigned long long flags)
{
    yk_CUgraphExec executable;

    ENTER(DOUBLE_CONTEXT);
    if (!out_executable || !graph || flags != 0)
        return YK_CUDA_ERROR_INVALID_VALUE;
    executable = calloc(1, sizeof *executable);
    if (!executable)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    executable->id = graph->id;
    executable->context = double_current();
    executable->works = calloc(graph->count + 1, sizeof *executable->works);
    executable->places = calloc(graph->count + 1, sizeof *executable->places);
    if (!executable->works || !executable->places || !put_in_order(executable, graph)) {
        free_executable(executable);
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    }
    *out_executable = executable;
    return YK_CUDA_SUCCESS;
}

/* A launch under way has its own copy. */
yk_CUresult cuGraphExecDestroy(yk_CUgraphExec executable)
{
    ENTER(DOUBLE_START);
    if (!executable)
        return YK_CUDA_ERROR_INVALID_VALUE;
    free_executable(executable);
    return double_lost();
}

static yk_CUresult find(yk_CUgraphExec executable, yk_CUgraphNode node, unsigned kind, double_work **out_work)
{
    if (!executable || !node || node->graph->id != executable->id || node->work.kind != kind)
        return YK_CUDA_ERROR_INVALID_VALUE;
    *out_work = &executable->works[executable->places[node->index]];
    return YK_CUDA_SUCCESS;
}

static yk_CUresult change(double_work *old, double_work *work, yk_CUresult result)
{
    if (result != YK_CUDA_SUCCESS)
        return result;
    double_work_free(old);
    *old = *work;
    return YK_CUDA_SUCCESS;
}

/* Without a current context the driver crashes here; this says so. */
yk_CUresult cuGraphExecKernelNodeSetParams_v2(yk_CUgraphExec executable, yk_CUgraphNode node,
                                              const struct CUDA_KERNEL_NODE_PARAMS_v2_st *kernel)
{
    double_work work, *old = NULL;
    yk_CUresult result;

    ENTER(DOUBLE_CONTEXT);
    result = find(executable, node, DOUBLE_KERNEL, &old);
    return result == YK_CUDA_SUCCESS ? change(old, &work, kernel_work(&work, kernel)) : result;
}

yk_CUresult cuGraphExecMemcpyNodeSetParams(yk_CUgraphExec executable, yk_CUgraphNode node, const struct CUDA_MEMCPY3D_st *copy,
                                           yk_CUcontext context)
{
    double_work work, *old = NULL;
    yk_CUresult result;

    ENTER(DOUBLE_CONTEXT);
    result = find(executable, node, DOUBLE_COPY, &old);
    return result == YK_CUDA_SUCCESS ? change(old, &work, copy_work(&work, copy, context)) : result;
}

yk_CUresult cuGraphExecMemsetNodeSetParams(yk_CUgraphExec executable, yk_CUgraphNode node,
                                           const struct CUDA_MEMSET_NODE_PARAMS_st *fill, yk_CUcontext context)
{
    double_work work, *old = NULL;
    yk_CUresult result;

    ENTER(DOUBLE_CONTEXT);
    result = find(executable, node, DOUBLE_FILL, &old);
    return result == YK_CUDA_SUCCESS ? change(old, &work, fill_work(&work, fill, context)) : result;
}

/* ---- Launching ---- */

typedef struct graph_op {
    double_op op;
    double_work *works;
    size_t count;
    double_marker *before; /* the launch before this one, in whatever stream */
} graph_op;

static yk_CUresult run(double_op *op)
{
    const graph_op *launch = (graph_op *)op;
    yk_CUresult result = YK_CUDA_SUCCESS;

    if (launch->before)
        double_marker_wait(launch->before, op);
    for (size_t i = 0; i < launch->count && result == YK_CUDA_SUCCESS; i++)
        result = double_work_run(&launch->works[i]);
    return result;
}

static void end(double_op *op)
{
    graph_op *launch = (graph_op *)op;

    free_works(launch->works, launch->count);
    double_marker_release(launch->before);
    free(launch);
}

yk_CUresult cuGraphLaunch(yk_CUgraphExec executable, yk_CUstream stream)
{
    yk_CUresult result;
    graph_op *launch;

    ENTER(DOUBLE_USABLE);
    if (!executable)
        return YK_CUDA_ERROR_INVALID_VALUE;
    result = double_stream_check(stream);
    if (result != YK_CUDA_SUCCESS)
        return result;
    launch = double_op_new(sizeof *launch, run, end);
    if (!launch)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    launch->works = clone_works(executable->works, executable->count);
    launch->count = executable->count;
    if (!launch->works) {
        free(launch);
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    }
    launch->before = executable->launch;
    double_stream_give(stream, &launch->op);
    executable->launch = double_stream_mark(stream);
    return executable->launch ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_OUT_OF_MEMORY;
}
