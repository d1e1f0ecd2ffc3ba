/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA graphs: a node for each step, built by hand rather than captured, so that each node can be updated later in the executable
 * graph. The template is kept, because its nodes identify the nodes of the executable graph. Only what native sections enqueue is
 * captured, into a graph that becomes a child.
 */
#include "driver.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct yk_cuda_graph {
    yk_CUgraph nodes;
    yk_CUgraphExec executable;
    pthread_mutex_t lock; /* the executable graph is not thread-safe in the driver */
} yk_cuda_graph;

/* ---- Node parameters ---- */

YK_HOT yk_CUDA_KERNEL_NODE_PARAMS kernel_of(const yk_op *op, void **arguments)
{
    const yoke_dim *grid = &op->u.launch.grid, *block = &op->u.launch.block;
    yk_cuda_point_to_arguments(op, arguments);
    return (yk_CUDA_KERNEL_NODE_PARAMS){ .func = op->u.launch.kernel->native,
                                         .gridDimX = grid->x,
                                         .gridDimY = grid->y,
                                         .gridDimZ = grid->z,
                                         .blockDimX = block->x,
                                         .blockDimY = block->y,
                                         .blockDimZ = block->z,
                                         .sharedMemBytes = (unsigned)op->u.launch.shared,
                                         .kernelParams = arguments };
}

/* The driver's unit of a fill whose pattern repeats that unit; 0 when the unit is longer. */
static size_t unit_of(const yk_op *op)
{
    const unsigned char *pattern = op->u.fill.pattern;
    size_t unit = op->u.fill.pattern_size < 4 ? op->u.fill.pattern_size : 4;
    return memcmp(pattern, pattern + unit, op->u.fill.pattern_size - unit) == 0 ? unit : 0;
}

static yk_CUDA_MEMSET_NODE_PARAMS fill_of(const yk_op *op)
{
    size_t unit = unit_of(op);
    yk_CUDA_MEMSET_NODE_PARAMS fill = { .dst = op->u.fill.buffer->native.address + op->u.fill.offset,
                                        .pitch = op->u.fill.pitch,
                                        .elementSize = (unsigned)unit,
                                        .width = op->u.fill.width / unit,
                                        .height = op->u.fill.height };
    memcpy(&fill.value, op->u.fill.pattern, unit); /* little-endian, like every host of CUDA */
    return fill;
}

/* Copies with rows of this many bytes have a pitch that the driver accepts. */
bool yk_cuda_graph_takes(const yk_op *op)
{
    switch (yk_family_of(op->kind)) {
    case YK_FAMILY_TRANSFER:
        return yk_op_has(op->kind, YK_TRAIT_RECT) || op->u.transfer.size <= INT_MAX;
    case YK_FAMILY_COPY:
        return yk_op_has(op->kind, YK_TRAIT_RECT) || op->u.copy.size <= INT_MAX;
    case YK_FAMILY_FILL:
        return unit_of(op) != 0;
    case YK_FAMILY_LAUNCH:
    case YK_FAMILY_IMAGE:
        return true;
    case YK_FAMILY_RECORD: /* this and the kinds below never get here */
    case YK_FAMILY_WAIT:
    case YK_FAMILY_CALL:
    case YK_FAMILY_NATIVE:
    case YK_FAMILY_GRAPH:
    case YK_FAMILY_NONE:
        break;
    }
    return false;
}

/* ---- Creating ---- */

static yoke_status add_node(yk_cuda_graph *graph, const yk_CUgraphNode *after, size_t count, const yk_op *op, yk_CUcontext context,
                            yk_CUgraphNode *out_node)
{
    void *arguments[YOKE_MAX_ARGS];
    if (yk_family_of(op->kind) == YK_FAMILY_NATIVE)
        return yk_cuda_check("cuGraphAddChildGraphNode",
                             yk_cu.cuGraphAddChildGraphNode(out_node, graph->nodes, after, count, op->u.native.captured));
    if (yk_is_launch(op->kind)) {
        yk_CUDA_KERNEL_NODE_PARAMS kernel = kernel_of(op, arguments);
        return yk_cuda_check("cuGraphAddKernelNode_v2",
                             yk_cu.cuGraphAddKernelNode_v2(out_node, graph->nodes, after, count, (const void *)&kernel));
    }
    if (op->kind == YK_OP_FILL) {
        yk_CUDA_MEMSET_NODE_PARAMS fill = fill_of(op);
        return yk_cuda_check("cuGraphAddMemsetNode",
                             yk_cu.cuGraphAddMemsetNode(out_node, graph->nodes, after, count, (const void *)&fill, context));
    }
    yk_CUDA_MEMCPY3D copy = yk_cuda_copy_of(op);
    return yk_cuda_check("cuGraphAddMemcpyNode",
                         yk_cu.cuGraphAddMemcpyNode(out_node, graph->nodes, after, count, (const void *)&copy, context));
}

static yoke_status add_nodes(yk_cuda_graph *graph, yk_batch *batch)
{
    yk_CUcontext context = yk_cuda_device_of(batch->device)->context;
    yk_CUgraphNode *after = malloc(batch->count * sizeof *after);
    yoke_status status = YOKE_OK;
    if (!after)
        return yk_no_memory("a graph");
    for (size_t i = 0; i < batch->count && status == YOKE_OK; i++) {
        yk_step *step = &batch->steps[i];
        yk_CUgraphNode node = NULL;
        for (size_t k = 0; k < step->after_count; k++)
            after[k] = batch->steps[step->after[k]].native;
        status = add_node(graph, after, step->after_count, step->op, context, &node);
        step->native = node;
    }
    free(after);
    return status;
}

static void destroy(yk_cuda_graph *graph)
{
    if (graph->executable)
        yk_cuda_note("cuGraphExecDestroy", yk_cu.cuGraphExecDestroy(graph->executable)); /* a launch in flight still completes */
    if (graph->nodes)
        yk_cuda_note("cuGraphDestroy", yk_cu.cuGraphDestroy(graph->nodes));
    pthread_mutex_destroy(&graph->lock);
    free(graph);
}

yoke_status yk_cuda_graph_create(yk_batch *batch)
{
    yk_cuda_graph *graph = calloc(1, sizeof *graph);
    yoke_status status;

    if (!graph || pthread_mutex_init(&graph->lock, NULL)) {
        free(graph);
        return yk_no_memory("a graph");
    }
    status = yk_cuda_enter(batch->device);
    if (status < 0) {
        destroy(graph);
        return status;
    }
    status = yk_cuda_check("cuGraphCreate", yk_cu.cuGraphCreate(&graph->nodes, 0));
    if (status == YOKE_OK)
        status = add_nodes(graph, batch);
    if (status == YOKE_OK)
        status =
            yk_cuda_check("cuGraphInstantiateWithFlags", yk_cu.cuGraphInstantiateWithFlags(&graph->executable, graph->nodes, 0));
    if (status < 0)
        destroy(graph);
    else
        batch->native = graph;
    yk_cuda_leave();
    return status;
}

void yk_cuda_graph_destroy(yk_batch *batch)
{
    destroy(batch->native);
    batch->native = NULL;
}

/* ---- Updating and launching ---- */

/* The refusal of an update is an answer; any other error is a failure. */
static bool is_updated(const char *call, yk_CUresult result)
{
    return result == YK_CUDA_SUCCESS ||
           (result != YK_CUDA_ERROR_INVALID_VALUE && result != YK_CUDA_ERROR_NOT_SUPPORTED && yk_cuda_note(call, result));
}

YK_HOT bool update(yk_CUgraphExec executable, const yk_step *step, const yk_op *op, yk_CUcontext context)
{
    void *arguments[YOKE_MAX_ARGS];
    if (yk_is_launch(op->kind)) {
        yk_CUDA_KERNEL_NODE_PARAMS kernel = kernel_of(op, arguments);
        return is_updated("cuGraphExecKernelNodeSetParams_v2",
                          yk_cu.cuGraphExecKernelNodeSetParams_v2(executable, step->native, (const void *)&kernel));
    }
    if (op->kind == YK_OP_FILL) {
        yk_CUDA_MEMSET_NODE_PARAMS fill = fill_of(op);
        return is_updated("cuGraphExecMemsetNodeSetParams",
                          yk_cu.cuGraphExecMemsetNodeSetParams(executable, step->native, (const void *)&fill, context));
    }
    yk_CUDA_MEMCPY3D copy = yk_cuda_copy_of(op);
    return is_updated("cuGraphExecMemcpyNodeSetParams",
                      yk_cu.cuGraphExecMemcpyNodeSetParams(executable, step->native, (const void *)&copy, context));
}

/* Without a current context the driver (580) crashes here. A graph whose update is refused is built again. */
yoke_status yk_cuda_graph_update(yk_batch *batch, yk_step *step, const yk_op *op)
{
    if (!yk_cuda_try_enter(batch->device))
        return YOKE_E_UNSUPPORTED;
    bool updated = update(((yk_cuda_graph *)batch->native)->executable, step, op, yk_cuda_device_of(batch->device)->context);
    yk_cuda_leave();
    return updated ? YOKE_OK : YOKE_E_UNSUPPORTED;
}

yoke_status yk_cuda_graph_launch(yoke_stream *stream, const yk_batch *batch)
{
    yk_cuda_graph *graph = batch->native;
    pthread_mutex_lock(&graph->lock);
    yk_CUresult result = yk_cu.cuGraphLaunch(graph->executable, stream->native);
    pthread_mutex_unlock(&graph->lock);
    return yk_cuda_check("cuGraphLaunch", result);
}

/* ---- Capturing ---- */

/* A stream of its own: the stream that was recorded is open again, and other threads enqueue on it. */
yoke_status yk_cuda_capture_begin(const yoke_device *device, void **out_handle)
{
    yk_CUstream stream = NULL;
    if (!yk_cu.cuStreamBeginCapture_v2 || !yk_cu.cuStreamEndCapture || !yk_cu.cuGraphAddChildGraphNode)
        return YOKE_E_UNSUPPORTED;
    yoke_status status = yk_cuda_enter(device);
    if (status < 0)
        return status;
    status = yk_cuda_check("cuStreamCreate", yk_cu.cuStreamCreate(&stream, YK_CU_STREAM_NON_BLOCKING));
    if (status == YOKE_OK) {
        status =
            yk_cuda_check("cuStreamBeginCapture_v2", yk_cu.cuStreamBeginCapture_v2(stream, YK_CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
        if (status < 0)
            yk_cuda_note("cuStreamDestroy_v2", yk_cu.cuStreamDestroy_v2(stream));
    }
    if (status < 0)
        yk_cuda_leave();
    *out_handle = stream;
    return status;
}

/* Either result says that something was asked of the stream that cannot be captured. */
static yoke_status check_end(yk_CUresult result)
{
    if (result == YK_CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED || result == YK_CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
        return yk_cuda_fail_as(YOKE_E_UNSUPPORTED, "cuStreamEndCapture", result, NULL);
    return yk_cuda_check("cuStreamEndCapture", result);
}

yoke_status yk_cuda_capture_end(const yoke_device *device, void *handle, void **out_captured)
{
    yk_CUgraph graph = NULL;
    (void)device;
    yoke_status status = check_end(yk_cu.cuStreamEndCapture(handle, &graph));
    /* A call that failed before it ended anything would leave the thread capturing, which may then neither allocate nor wait. */
    if (status < 0 && yk_cu.cuStreamEndCapture(handle, &graph) == YK_CUDA_SUCCESS && graph)
        yk_cuda_note("cuGraphDestroy", yk_cu.cuGraphDestroy(graph));
    yk_cuda_note("cuStreamDestroy_v2", yk_cu.cuStreamDestroy_v2(handle));
    yk_cuda_leave();
    if (status == YOKE_OK)
        *out_captured = graph;
    return status;
}

void yk_cuda_capture_destroy(const yoke_device *device, void *captured)
{
    (void)device;
    yk_cuda_note("cuGraphDestroy", yk_cu.cuGraphDestroy(captured));
}
