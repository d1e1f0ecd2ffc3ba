/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executable graphs: a graph's operations in the order in which they were recorded, which is always a valid schedule, and the
 * driver's graphs of them. A driver that has graphs gets whole runs of operations; operations that the driver cannot replay, and
 * operations that Yoke itself runs, come between the runs.
 */
#include "graph/exec.h"

#include <stdlib.h>

#include "stream/enqueue.h"
#include "copy/staging.h"
#include "stream/staged.h"

/* ---- Classifying operations ---- */

/* Each launch keeps the other device's buffer alive, which a driver's graph does not. */
static bool is_between_devices(const yk_op *op)
{
    if (yk_is_transfer(op->kind))
        return op->u.transfer.host_buffer && op->u.transfer.host_buffer->device != op->u.transfer.buffer->device;
    return yk_is_copy(op->kind) && op->u.copy.target->device != op->u.copy.source->device;
}

/* Whether a driver's graph can replay the operation. Pageable memory is left out: drivers copy it slowly, or capture it too early.
 */
static bool can_replay(const yoke_device *device, const yk_op *op)
{
    if (yk_family_of(op->kind) == YK_FAMILY_NATIVE)
        return op->u.native.captured != NULL;
    return (device->info.capabilities & YK_CAP(GRAPHS)) && yk_op_has(op->kind, YK_TRAIT_BY_DRIVER) &&
           !yk_op_has(op->kind, YK_TRAIT_NOT_REPLAYED) && !is_between_devices(op) &&
           !(yk_is_transfer(op->kind) && !yk_transfer_is_pinned(device, op)) && device->backend->graph_takes(op);
}

/* Whether the operation may have to wait for earlier operations, which only the worker may do. */
static bool needs_worker(const yoke_device *device, const yk_op *op)
{
    if (!yk_is_transfer(op->kind))
        return !(yk_op_has(op->kind, YK_TRAIT_BY_DRIVER) || yk_op_has(op->kind, YK_TRAIT_BY_CALLER)) || yk_is_staged(op);
    return yk_is_staged(op) || (yk_is_write(op->kind) ? device->traits.captures_writes && op->u.transfer.size <= YK_QUICK_WRITE
                                                      : device->traits.reads_block && !yk_transfer_is_pinned(device, op));
}

/* ---- Building ---- */

static void destroy(void *object)
{
    yk_exec *exec = object;
    for (size_t i = 0; i < exec->batch_count; i++)
        if (exec->batches[i].replayed)
            exec->device->backend->graph_destroy(&exec->batches[i]);
    for (size_t i = 0; i < exec->node_count; i++)
        yk_op_list_release(exec->ops[i]);
    free(exec->batches);
    free(exec->awaited);
    free(exec->links);
    free(exec->steps);
    free(exec->first);
    free(exec->ops);
    yk_object_free(exec, sizeof *exec);
}

static void *array(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        yk_no_memory("a graph");
    return memory;
}

static yoke_status allocate(yk_exec *exec, const yk_node *nodes)
{
    size_t links = 0;
    for (size_t i = 0; i < exec->node_count; i++) {
        exec->step_count += nodes[i].ops->count;
        links += nodes[i].after_count + nodes[i].ops->count;
    }
    exec->ops = array(exec->node_count, sizeof *exec->ops);
    exec->first = array(exec->node_count + 1, sizeof *exec->first);
    exec->steps = array(exec->step_count, sizeof *exec->steps);
    exec->links = array(links, sizeof *exec->links);
    exec->awaited = array(exec->step_count, sizeof *exec->awaited);
    exec->batches = array(exec->step_count, sizeof *exec->batches);
    bool all = exec->ops && exec->first && exec->steps && exec->links && exec->awaited && exec->batches;
    return all ? YOKE_OK : YOKE_E_OUT_OF_HOST_MEMORY;
}

/* The bytes that the driver copies; fills are not copies. */
static size_t copied_bytes(const yk_op *op)
{
    return yk_is_transfer(op->kind) || yk_is_copy(op->kind) ? yk_op_bytes(op) : 0;
}

static void note_awaited(yk_exec *exec, const yk_step *step)
{
    for (size_t k = 0; k < step->after_count; k++)
        exec->awaited[step->after[k]] |= exec->steps[step->after[k]].branch != step->branch;
}

/* Store the steps in the order of the nodes, each with the steps that it follows. */
static void store_steps(yk_exec *exec, const yk_node *nodes)
{
    size_t step = 0, *link = exec->links;
    for (size_t i = 0; i < exec->node_count; i++) {
        exec->ops[i] = nodes[i].ops;
        yk_op_list_retain(nodes[i].ops);
        exec->first[i] = step;
        for (const yk_op *op = nodes[i].ops->first; op; op = op->next, step++) {
            exec->steps[step] = (yk_step){ .op = op, .branch = nodes[i].branch, .after = link };
            if (step > exec->first[i])
                *link++ = step - 1;
            else
                for (size_t k = 0; k < nodes[i].after_count; k++)
                    *link++ = exec->first[nodes[i].after[k] + 1] - 1; /* the last step of that node */
            exec->steps[step].after_count = (size_t)(link - exec->steps[step].after);
            note_awaited(exec, &exec->steps[step]);
            exec->bytes += copied_bytes(op);
        }
        exec->first[i + 1] = step;
    }
}

/* Have the driver create a graph of a run of steps; if it cannot, the steps are submitted one by one. */
static void make_replayed(yk_exec *exec, yk_batch *batch)
{
    yoke_error_info before = *yoke_error();
    yoke_status status = exec->device->backend->graph_create(batch);
    batch->replayed = status == YOKE_OK;
    if (!batch->replayed)
        yk_log(status == YOKE_E_UNSUPPORTED ? YOKE_LOG_INFO : YOKE_LOG_WARNING,
               "graph %s: the driver cannot create a graph of %zu operations; Yoke submits them one by one: %s", exec->name,
               batch->count, yoke_error()->text);
    yk_error_restore(&before);
}

/* Within one branch each step follows the previous step: the run from `begin` to `end` becomes a batch. */
static void add_run(yk_exec *exec, size_t begin, size_t end, bool replayed)
{
    yk_batch *batch = &exec->batches[exec->batch_count++];
    *batch = (yk_batch){ .device = exec->device, .steps = exec->steps + begin, .count = end - begin };
    for (size_t i = begin; i < end && replayed; i++) {
        size_t *after = (size_t *)exec->steps[i].after;
        exec->steps[i].after_count = i > begin;
        if (i > begin)
            *after = i - begin - 1;
    }
    if (replayed)
        make_replayed(exec, batch);
}

/* Even a single operation is worth a driver's graph: CUDA launches such a graph in half the time of a kernel. */
static void split(yk_exec *exec)
{
    for (size_t begin = 0, end; begin < exec->step_count; begin = end) {
        bool replayed = can_replay(exec->device, exec->steps[begin].op);
        for (end = begin + 1; end < exec->step_count && can_replay(exec->device, exec->steps[end].op) == replayed;)
            end++;
        add_run(exec, begin, end, replayed);
    }
}

/* Make one driver's graph of all steps, with only the recorded order between the branches. */
static bool make_whole(yk_exec *exec)
{
    for (size_t i = 0; i < exec->step_count; i++)
        if (!can_replay(exec->device, exec->steps[i].op))
            return false;
    yk_batch *batch = &exec->batches[0];
    *batch = (yk_batch){ .device = exec->device, .steps = exec->steps, .count = exec->step_count };
    make_replayed(exec, batch);
    exec->batch_count = batch->replayed;
    return batch->replayed;
}

static bool has_several_branches(const yk_exec *exec)
{
    for (size_t i = 1; i < exec->step_count; i++)
        if (exec->steps[i].branch != exec->steps[0].branch)
            return true;
    return false;
}

static yk_launch_mode choose_mode(const yk_exec *exec)
{
    if (exec->batch_count == 1 && exec->batches[0].replayed)
        return YK_LAUNCH_WHOLE;
    for (size_t i = 0; i < exec->step_count; i++)
        if (needs_worker(exec->device, exec->steps[i].op))
            return YK_LAUNCH_DEFERRED;
    return YK_LAUNCH_HERE;
}

yk_exec *yk_exec_new(yoke_device *device, const char *name, const yk_node *nodes, size_t count, unsigned branch_count)
{
    yk_exec *exec = yk_object_new(YK_EXEC, sizeof *exec, destroy);
    if (!exec)
        return NULL;
    exec->device = device;
    exec->name = name;
    exec->node_count = count;
    exec->branch_count = branch_count;
    if (allocate(exec, nodes) < 0) {
        exec->node_count = exec->batch_count = 0;
        yk_object_release(exec);
        return NULL;
    }
    store_steps(exec, nodes);
    bool several = has_several_branches(exec);
    if (several && !make_whole(exec)) {
        exec->mode = YK_LAUNCH_BRANCHES;
        return exec;
    }
    if (!several)
        split(exec);
    exec->mode = choose_mode(exec);
    return exec;
}

/* ---- Updating ---- */

/* Whether an operation can replace another without a new executable graph. */
static bool can_replace(const yoke_device *device, const yk_op *one, const yk_op *other)
{
    return one->kind == other->kind && can_replay(device, one) == can_replay(device, other) &&
           needs_worker(device, one) == needs_worker(device, other);
}

/* The driver's graph that the step is part of, or NULL. */
static yk_batch *batch_of(const yk_exec *exec, const yk_step *step)
{
    for (size_t i = 0; i < exec->batch_count; i++) {
        yk_batch *batch = &exec->batches[i];
        if (batch->replayed && step >= batch->steps && step < batch->steps + batch->count)
            return batch;
    }
    return NULL;
}

bool yk_exec_try(yk_exec *exec, size_t node, const yk_op *op)
{
    yk_step *step = &exec->steps[exec->first[node]];
    yk_batch *batch = batch_of(exec, step);
    return !batch || exec->device->backend->graph_update(batch, step, op) == YOKE_OK;
}

bool yk_exec_update(yk_exec *exec, size_t node, yk_op_list *ops)
{
    yk_step *step = &exec->steps[exec->first[node]];
    yk_batch *batch = batch_of(exec, step);
    const yk_op *op = ops->first;
    if (ops->count != exec->ops[node]->count || (batch && ops->count != 1))
        return false;
    for (size_t i = 0; i < ops->count; i++, op = op->next)
        if (!can_replace(exec->device, op, step[i].op))
            return false;
    if (batch && exec->device->backend->graph_update(batch, step, ops->first) < 0)
        return false;
    for (op = ops->first; op; op = op->next, step++) {
        exec->bytes += copied_bytes(op) - copied_bytes(step->op);
        step->op = op;
    }
    yk_op_list_retain(ops);
    yk_op_list *before = exec->ops[node];
    exec->ops[node] = ops;
    yk_op_list_release(before);
    return true;
}
