/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execs: a graph's operations in the order in which they were recorded, which is always a schedule that works, and what a driver
 * makes of them. A driver that has graphs of its own is given whole runs of operations; what it cannot have in one, and what Yoke
 * runs itself, comes between.
 */
#include "graph/exec.h"

#include <stdlib.h>

#include "stream/enqueue.h"
#include "copy/staging.h"

/* ---- Work ---- */

yk_op_list *yk_op_list_new(int kind)
{
    yk_op_list *work = calloc(1, sizeof *work);
    if (!work) {
        yk_no_memory("a graph");
        return NULL;
    }
    atomic_init(&work->refs, 1);
    work->kind = kind;
    return work;
}

/* A copy from or to a pinned buffer is a transfer to the driver, whichever device's the buffer is. */
static int kind_of(const yk_op *op)
{
    bool copied = (op->kind == YK_OP_WRITE || op->kind == YK_OP_READ) && op->u.transfer.host_buffer;
    return copied ? YK_OP_COPY : (int)op->kind;
}

static void use_everywhere(const yoke_buffer *buffer)
{
    if (buffer)
        atomic_store_explicit(&buffer->root->used_by, YK_MANY_STREAMS, memory_order_relaxed);
}

/* Whatever stream the graph will be launched in uses what the operation names. */
static void note_users(const yk_op *op)
{
    switch (op->kind) {
    case YK_OP_WRITE:
    case YK_OP_READ:
    case YK_OP_WRITE_RECT:
    case YK_OP_READ_RECT:
        use_everywhere(op->u.transfer.buffer);
        break;
    case YK_OP_COPY:
    case YK_OP_COPY_RECT:
        use_everywhere(op->u.copy.target);
        use_everywhere(op->u.copy.source);
        break;
    case YK_OP_FILL:
        use_everywhere(op->u.fill.buffer);
        break;
    case YK_OP_LAUNCH:
    case YK_OP_LAUNCH_COOPERATIVE:
        for (size_t i = 0; i < op->u.launch.count; i++)
            if (op->u.launch.args[i].kind == YOKE_ARG_BUFFER)
                use_everywhere(op->u.launch.args[i].value.buffer);
        break;
    default:
        break;
    }
}

/* The functions' `release` is for the work as a whole, which may be launched many times. */
static void take_release(yk_op_list *work, yk_op *op)
{
    if (op->kind == YK_OP_CALL) {
        work->release = op->u.call.release;
        op->u.call.release = NULL;
        op->u.call.after = NULL;
    } else if (op->kind == YK_OP_NATIVE) {
        work->release = op->u.native.release;
        op->u.native.release = NULL;
    }
}

yoke_status yk_op_list_add(yk_op_list *work, const yk_op *op)
{
    yk_op *kept = yk_op_keep(op), **end = &work->first;
    if (!kept)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    kept->end = NULL;
    note_users(kept);
    take_release(work, kept);
    while (*end)
        end = &(*end)->next;
    *end = kept;
    if (work->kind == YK_KIND_OPEN)
        work->kind = kind_of(op);
    work->count++;
    return YOKE_OK;
}

void yk_op_list_release(yk_op_list *work)
{
    if (!work || atomic_fetch_sub_explicit(&work->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (work->release)
        work->release(work->first->kind == YK_OP_CALL ? work->first->u.call.user : work->first->u.native.user);
    while (work->first) {
        yk_op *op = work->first;
        work->first = op->next;
        yk_op_drop(op);
    }
    free(work);
}

/* ---- What becomes of an operation ---- */

static bool is_transfer(const yk_op *op)
{
    return op->kind == YK_OP_WRITE || op->kind == YK_OP_READ || op->kind == YK_OP_WRITE_RECT || op->kind == YK_OP_READ_RECT;
}

/* Each launch keeps the other device's buffer alive, which a driver's graph does not. */
static bool is_between_devices(const yk_op *op)
{
    if (is_transfer(op))
        return op->u.transfer.host_buffer && op->u.transfer.host_buffer->device != op->u.transfer.buffer->device;
    return (op->kind == YK_OP_COPY || op->kind == YK_OP_COPY_RECT) && op->u.copy.target->device != op->u.copy.source->device;
}

/* Whether the driver's own graph can have it. Pageable memory is left out: drivers are slow with it, or take it too early. */
static bool is_native(const yoke_device *device, const yk_op *op)
{
    return (device->info.capabilities & 1u << YOKE_CAP_GRAPHS) && op->kind <= YK_OP_LAUNCH && !is_between_devices(op) &&
           !(is_transfer(op) && !yk_transfer_is_pinned(device, op)) && device->backend->graph_takes(op);
}

/* Whether it may have to wait for what comes before it, which is the worker's to do. */
static bool needs_worker(const yoke_device *device, const yk_op *op)
{
    bool write = op->kind == YK_OP_WRITE || op->kind == YK_OP_WRITE_RECT;
    if (!is_transfer(op))
        return op->kind > YK_OP_LAUNCH || yk_is_staged(op);
    return yk_is_staged(op) || (write ? device->traits.captures_writes && op->u.transfer.size <= YK_QUICK_WRITE
                                      : device->traits.reads_block && !yk_transfer_is_pinned(device, op));
}

/* ---- Building ---- */

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
        exec->step_count += nodes[i].work->count;
        links += nodes[i].after_count + nodes[i].work->count;
    }
    exec->works = array(exec->node_count, sizeof *exec->works);
    exec->first = array(exec->node_count + 1, sizeof *exec->first);
    exec->steps = array(exec->step_count, sizeof *exec->steps);
    exec->links = array(links, sizeof *exec->links);
    exec->awaited = array(exec->step_count, sizeof *exec->awaited);
    exec->items = array(exec->step_count, sizeof *exec->items);
    bool all = exec->works && exec->first && exec->steps && exec->links && exec->awaited && exec->items;
    return all ? YOKE_OK : YOKE_E_OUT_OF_HOST_MEMORY;
}

static size_t bytes_of(const yk_op *op)
{
    if (is_transfer(op))
        return op->u.transfer.size;
    return op->kind == YK_OP_COPY || op->kind == YK_OP_COPY_RECT ? op->u.copy.size : 0;
}

static void note_awaited(yk_exec *exec, const yk_step *step)
{
    for (size_t k = 0; k < step->after_count; k++)
        exec->awaited[step->after[k]] |= exec->steps[step->after[k]].branch != step->branch;
}

/* The steps in the order of the nodes, each with what it follows. */
static void lay_out(yk_exec *exec, const yk_node *nodes)
{
    size_t step = 0, *link = exec->links;
    for (size_t i = 0; i < exec->node_count; i++) {
        exec->works[i] = nodes[i].work;
        atomic_fetch_add_explicit(&nodes[i].work->refs, 1, memory_order_relaxed);
        exec->first[i] = step;
        for (const yk_op *op = nodes[i].work->first; op; op = op->next, step++) {
            exec->steps[step] = (yk_step){ .op = op, .branch = nodes[i].branch, .after = link };
            if (step > exec->first[i])
                *link++ = step - 1;
            else
                for (size_t k = 0; k < nodes[i].after_count; k++)
                    *link++ = exec->first[nodes[i].after[k] + 1] - 1; /* the last step of that node */
            exec->steps[step].after_count = (size_t)(link - exec->steps[step].after);
            note_awaited(exec, &exec->steps[step]);
            exec->bytes += bytes_of(op);
        }
        exec->first[i + 1] = step;
    }
}

/* Have the driver make its graph of a run of steps; else they are given to it one by one. */
static void make_native(yk_exec *exec, yk_item *item)
{
    yoke_error_info before = *yoke_error();
    yoke_status status = exec->device->backend->graph_create(&item->batch);
    item->native = status == YOKE_OK;
    if (!item->native)
        yk_log(status == YOKE_E_UNSUPPORTED ? YOKE_LOG_INFO : YOKE_LOG_WARNING,
               "graph %s: the driver makes no graph of %zu operations, so Yoke gives them one by one: %s", exec->name,
               item->batch.count, yoke_error()->text);
    yk_error_restore(&before);
}

/* Within one branch each step follows the one before: the run from `begin` to `end` becomes an item. */
static void add_run(yk_exec *exec, size_t begin, size_t end, bool native)
{
    yk_item *item = &exec->items[exec->item_count++];
    item->batch = (yk_batch){ .device = exec->device, .steps = exec->steps + begin, .count = end - begin };
    for (size_t i = begin; i < end && native; i++) {
        size_t *after = (size_t *)exec->steps[i].after;
        exec->steps[i].after_count = i > begin;
        if (i > begin)
            *after = i - begin - 1;
    }
    if (native)
        make_native(exec, item);
}

/* Also a single operation is worth a graph of the driver's: CUDA launches that in half the time of a kernel. */
static void cut(yk_exec *exec)
{
    for (size_t begin = 0, end; begin < exec->step_count; begin = end) {
        bool native = is_native(exec->device, exec->steps[begin].op);
        for (end = begin + 1; end < exec->step_count && is_native(exec->device, exec->steps[end].op) == native;)
            end++;
        add_run(exec, begin, end, native);
    }
}

/* All of it as one graph of the driver's, with the order that was recorded between its branches and no other. */
static bool make_whole(yk_exec *exec)
{
    for (size_t i = 0; i < exec->step_count; i++)
        if (!is_native(exec->device, exec->steps[i].op))
            return false;
    yk_item *item = &exec->items[0];
    item->batch = (yk_batch){ .device = exec->device, .steps = exec->steps, .count = exec->step_count };
    make_native(exec, item);
    exec->item_count = item->native;
    return item->native;
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
    if (exec->item_count == 1 && exec->items[0].native)
        return YK_LAUNCH_WHOLE;
    for (size_t i = 0; i < exec->step_count; i++)
        if (needs_worker(exec->device, exec->steps[i].op))
            return YK_LAUNCH_DEFERRED;
    return YK_LAUNCH_HERE;
}

yk_exec *yk_exec_new(yoke_device *device, const char *name, const yk_node *nodes, size_t count, unsigned branch_count)
{
    yk_exec *exec = array(1, sizeof *exec);
    if (!exec)
        return NULL;
    atomic_init(&exec->refs, 1);
    exec->device = device;
    exec->name = name;
    exec->node_count = count;
    exec->branch_count = branch_count;
    if (allocate(exec, nodes) < 0) {
        exec->node_count = exec->item_count = 0;
        yk_exec_release(exec);
        return NULL;
    }
    lay_out(exec, nodes);
    bool several = has_several_branches(exec);
    if (several && !make_whole(exec)) {
        exec->way = YK_LAUNCH_BRANCHES;
        return exec;
    }
    if (!several)
        cut(exec);
    exec->way = choose_mode(exec);
    return exec;
}

void yk_exec_retain(yk_exec *exec)
{
    atomic_fetch_add_explicit(&exec->refs, 1, memory_order_relaxed);
}

void yk_exec_release(yk_exec *exec)
{
    if (!exec || atomic_fetch_sub_explicit(&exec->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < exec->item_count; i++)
        if (exec->items[i].native)
            exec->device->backend->graph_destroy(&exec->items[i].batch);
    for (size_t i = 0; i < exec->node_count; i++)
        yk_op_list_release(exec->works[i]);
    free(exec->items);
    free(exec->awaited);
    free(exec->links);
    free(exec->steps);
    free(exec->first);
    free(exec->works);
    free(exec);
}

yoke_status yk_batch_submit(yoke_stream *stream, const yk_batch *batch)
{
    yoke_status status = stream->device->backend->graph_launch(stream, batch);
    if (status != YOKE_E_UNSUPPORTED)
        return status;
    status = YOKE_OK;
    for (size_t i = 0; i < batch->count && status == YOKE_OK; i++)
        status = yk_submit(stream, batch->steps[i].op->kind, batch->steps[i].op);
    if (status < 0)
        stream->device->backend->stream_finish(stream); /* the steps before may be under way, which nobody counts */
    return status;
}

yoke_status yk_exec_submit(yoke_stream *stream, const yk_exec *exec)
{
    return yk_batch_submit(stream, &exec->items[0].batch);
}

/* ---- Changing ---- */

/* Whether the one can stand where the other stood, without a new exec. */
static bool is_alike(const yoke_device *device, const yk_op *one, const yk_op *other)
{
    return one->kind == other->kind && is_native(device, one) == is_native(device, other) &&
           needs_worker(device, one) == needs_worker(device, other);
}

/* The driver's graph that the step is part of, or NULL. */
static yk_batch *batch_of(const yk_exec *exec, const yk_step *step)
{
    for (size_t i = 0; i < exec->item_count; i++) {
        yk_item *item = &exec->items[i];
        if (item->native && step >= item->batch.steps && step < item->batch.steps + item->batch.count)
            return &item->batch;
    }
    return NULL;
}

bool yk_exec_try(yk_exec *exec, size_t node, const yk_op *op)
{
    yk_step *step = &exec->steps[exec->first[node]];
    yk_batch *batch = batch_of(exec, step);
    return !batch || exec->device->backend->graph_update(batch, step, op) == YOKE_OK;
}

bool yk_exec_update(yk_exec *exec, size_t node, yk_op_list *work)
{
    yk_step *step = &exec->steps[exec->first[node]];
    yk_batch *batch = batch_of(exec, step);
    const yk_op *op = work->first;
    if (work->count != exec->works[node]->count || (batch && work->count != 1))
        return false;
    for (size_t i = 0; i < work->count; i++, op = op->next)
        if (!is_alike(exec->device, op, step[i].op))
            return false;
    if (batch && exec->device->backend->graph_update(batch, step, work->first) < 0)
        return false;
    for (op = work->first; op; op = op->next, step++) {
        exec->bytes += bytes_of(op) - bytes_of(step->op);
        step->op = op;
    }
    atomic_fetch_add_explicit(&work->refs, 1, memory_order_relaxed);
    yk_op_list *before = exec->works[node];
    exec->works[node] = work;
    yk_op_list_release(before);
    return true;
}
