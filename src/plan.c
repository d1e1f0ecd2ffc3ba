/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans: a graph's operations in the order in which they were recorded, which is always a schedule that works, and what a driver
 * makes of them. A driver that has graphs of its own is given whole runs of operations; what it cannot have in one, and what Yoke
 * runs itself, comes between.
 */
#include "plan.h"

#include <stdlib.h>

#include "enqueue.h"
#include "staging.h"

/* ---- Work ---- */

yk_work *yk_work_new(int kind)
{
    yk_work *work = calloc(1, sizeof *work);
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
        atomic_store_explicit(&buffer->root->user, YK_MANY, memory_order_relaxed);
}

/* Whatever stream the graph will be launched in uses what the operation names. */
static void note_users(const yk_op *op)
{
    switch (op->kind) {
    case YK_OP_WRITE:
    case YK_OP_READ:
    case YK_OP_WRITE_BOX:
    case YK_OP_READ_BOX:
        use_everywhere(op->u.transfer.buffer);
        break;
    case YK_OP_COPY:
    case YK_OP_COPY_BOX:
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
static void take_release(yk_work *work, yk_op *op)
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

yoke_status yk_work_add(yk_work *work, const yk_op *op)
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

void yk_work_release(yk_work *work)
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
    return op->kind == YK_OP_WRITE || op->kind == YK_OP_READ || op->kind == YK_OP_WRITE_BOX || op->kind == YK_OP_READ_BOX;
}

/* Each launch keeps the other device's buffer alive, which a driver's graph does not. */
static bool is_between_devices(const yk_op *op)
{
    if (is_transfer(op))
        return op->u.transfer.host_buffer && op->u.transfer.host_buffer->device != op->u.transfer.buffer->device;
    return (op->kind == YK_OP_COPY || op->kind == YK_OP_COPY_BOX) && op->u.copy.target->device != op->u.copy.source->device;
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
    bool write = op->kind == YK_OP_WRITE || op->kind == YK_OP_WRITE_BOX;
    if (!is_transfer(op))
        return op->kind > YK_OP_LAUNCH || yk_is_staged(op);
    return yk_is_staged(op) || (write ? device->captures_writes && op->u.transfer.size <= YK_QUICK_WRITE
                                      : device->reads_block && !yk_transfer_is_pinned(device, op));
}

/* ---- Building ---- */

static void *array(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        yk_no_memory("a graph");
    return memory;
}

static yoke_status allocate(yk_plan *plan, const yk_node *nodes)
{
    size_t links = 0;
    for (size_t i = 0; i < plan->node_count; i++) {
        plan->step_count += nodes[i].work->count;
        links += nodes[i].after_count + nodes[i].work->count;
    }
    plan->works = array(plan->node_count, sizeof *plan->works);
    plan->first = array(plan->node_count + 1, sizeof *plan->first);
    plan->steps = array(plan->step_count, sizeof *plan->steps);
    plan->links = array(links, sizeof *plan->links);
    plan->awaited = array(plan->step_count, sizeof *plan->awaited);
    plan->items = array(plan->step_count, sizeof *plan->items);
    bool all = plan->works && plan->first && plan->steps && plan->links && plan->awaited && plan->items;
    return all ? YOKE_OK : YOKE_E_OUT_OF_HOST_MEMORY;
}

static size_t bytes_of(const yk_op *op)
{
    if (is_transfer(op))
        return op->u.transfer.size;
    return op->kind == YK_OP_COPY || op->kind == YK_OP_COPY_BOX ? op->u.copy.size : 0;
}

static void note_awaited(yk_plan *plan, const yk_step *step)
{
    for (size_t k = 0; k < step->after_count; k++)
        plan->awaited[step->after[k]] |= plan->steps[step->after[k]].lane != step->lane;
}

/* The steps in the order of the nodes, each with what it follows. */
static void lay_out(yk_plan *plan, const yk_node *nodes)
{
    size_t step = 0, *link = plan->links;
    for (size_t i = 0; i < plan->node_count; i++) {
        plan->works[i] = nodes[i].work;
        atomic_fetch_add_explicit(&nodes[i].work->refs, 1, memory_order_relaxed);
        plan->first[i] = step;
        for (const yk_op *op = nodes[i].work->first; op; op = op->next, step++) {
            plan->steps[step] = (yk_step){ .op = op, .lane = nodes[i].lane, .after = link };
            if (step > plan->first[i])
                *link++ = step - 1;
            else
                for (size_t k = 0; k < nodes[i].after_count; k++)
                    *link++ = plan->first[nodes[i].after[k] + 1] - 1; /* the last step of that node */
            plan->steps[step].after_count = (size_t)(link - plan->steps[step].after);
            note_awaited(plan, &plan->steps[step]);
            plan->bytes += bytes_of(op);
        }
        plan->first[i + 1] = step;
    }
}

/* Have the driver make its graph of a run of steps; else they are given to it one by one. */
static void make_native(yk_plan *plan, yk_item *item)
{
    yoke_error_info before = *yoke_error();
    yoke_status status = plan->device->backend->graph_create(&item->segment);
    item->native = status == YOKE_OK;
    if (!item->native)
        yk_log(status == YOKE_E_UNSUPPORTED ? YOKE_LOG_INFO : YOKE_LOG_WARNING,
               "graph %s: the driver makes no graph of %zu operations, so Yoke gives them one by one: %s", plan->name,
               item->segment.count, yoke_error()->text);
    yk_error_restore(&before);
}

/* Within one lane each step follows the one before: the run from `begin` to `end` becomes an item. */
static void add_run(yk_plan *plan, size_t begin, size_t end, bool native)
{
    yk_item *item = &plan->items[plan->item_count++];
    item->segment = (yk_segment){ .device = plan->device, .steps = plan->steps + begin, .count = end - begin };
    for (size_t i = begin; i < end && native; i++) {
        size_t *after = (size_t *)plan->steps[i].after;
        plan->steps[i].after_count = i > begin;
        if (i > begin)
            *after = i - begin - 1;
    }
    if (native)
        make_native(plan, item);
}

/* Also a single operation is worth a graph of the driver's: CUDA launches that in half the time of a kernel. */
static void cut(yk_plan *plan)
{
    for (size_t begin = 0, end; begin < plan->step_count; begin = end) {
        bool native = is_native(plan->device, plan->steps[begin].op);
        for (end = begin + 1; end < plan->step_count && is_native(plan->device, plan->steps[end].op) == native;)
            end++;
        add_run(plan, begin, end, native);
    }
}

/* All of it as one graph of the driver's, with the order that was recorded between its lanes and no other. */
static bool make_whole(yk_plan *plan)
{
    for (size_t i = 0; i < plan->step_count; i++)
        if (!is_native(plan->device, plan->steps[i].op))
            return false;
    yk_item *item = &plan->items[0];
    item->segment = (yk_segment){ .device = plan->device, .steps = plan->steps, .count = plan->step_count };
    make_native(plan, item);
    plan->item_count = item->native;
    return item->native;
}

static bool has_several_lanes(const yk_plan *plan)
{
    for (size_t i = 1; i < plan->step_count; i++)
        if (plan->steps[i].lane != plan->steps[0].lane)
            return true;
    return false;
}

static yk_way choose_way(const yk_plan *plan)
{
    if (plan->item_count == 1 && plan->items[0].native)
        return YK_WAY_ALONE;
    for (size_t i = 0; i < plan->step_count; i++)
        if (needs_worker(plan->device, plan->steps[i].op))
            return YK_WAY_HELD;
    return YK_WAY_HERE;
}

yk_plan *yk_plan_new(yoke_device *device, const char *name, const yk_node *nodes, size_t count, unsigned lane_count)
{
    yk_plan *plan = array(1, sizeof *plan);
    if (!plan)
        return NULL;
    atomic_init(&plan->refs, 1);
    plan->device = device;
    plan->name = name;
    plan->node_count = count;
    plan->lane_count = lane_count;
    if (allocate(plan, nodes) < 0) {
        plan->node_count = plan->item_count = 0;
        yk_plan_release(plan);
        return NULL;
    }
    lay_out(plan, nodes);
    bool several = has_several_lanes(plan);
    if (several && !make_whole(plan)) {
        plan->way = YK_WAY_LANES;
        return plan;
    }
    if (!several)
        cut(plan);
    plan->way = choose_way(plan);
    return plan;
}

void yk_plan_retain(yk_plan *plan)
{
    atomic_fetch_add_explicit(&plan->refs, 1, memory_order_relaxed);
}

void yk_plan_release(yk_plan *plan)
{
    if (!plan || atomic_fetch_sub_explicit(&plan->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < plan->item_count; i++)
        if (plan->items[i].native)
            plan->device->backend->graph_destroy(&plan->items[i].segment);
    for (size_t i = 0; i < plan->node_count; i++)
        yk_work_release(plan->works[i]);
    free(plan->items);
    free(plan->awaited);
    free(plan->links);
    free(plan->steps);
    free(plan->first);
    free(plan->works);
    free(plan);
}

yoke_status yk_segment_give(yoke_stream *stream, const yk_segment *segment)
{
    yoke_status status = stream->device->backend->graph_launch(stream, segment);
    if (status != YOKE_E_UNSUPPORTED)
        return status;
    status = YOKE_OK;
    for (size_t i = 0; i < segment->count && status == YOKE_OK; i++)
        status = yk_give(stream, segment->steps[i].op->kind, segment->steps[i].op);
    if (status < 0)
        stream->device->backend->stream_finish(stream); /* the steps before may be under way, which nobody counts */
    return status;
}

yoke_status yk_plan_give(yoke_stream *stream, const yk_plan *plan)
{
    return yk_segment_give(stream, &plan->items[0].segment);
}

/* ---- Changing ---- */

/* Whether the one can stand where the other stood, without a new plan. */
static bool is_alike(const yoke_device *device, const yk_op *one, const yk_op *other)
{
    return one->kind == other->kind && is_native(device, one) == is_native(device, other) &&
           needs_worker(device, one) == needs_worker(device, other);
}

/* The driver's graph that the step is part of, or NULL. */
static yk_segment *segment_of(const yk_plan *plan, const yk_step *step)
{
    for (size_t i = 0; i < plan->item_count; i++) {
        yk_item *item = &plan->items[i];
        if (item->native && step >= item->segment.steps && step < item->segment.steps + item->segment.count)
            return &item->segment;
    }
    return NULL;
}

bool yk_plan_try(yk_plan *plan, size_t node, const yk_op *op)
{
    yk_step *step = &plan->steps[plan->first[node]];
    yk_segment *segment = segment_of(plan, step);
    return !segment || plan->device->backend->graph_change(segment, step, op) == YOKE_OK;
}

bool yk_plan_change(yk_plan *plan, size_t node, yk_work *work)
{
    yk_step *step = &plan->steps[plan->first[node]];
    yk_segment *segment = segment_of(plan, step);
    const yk_op *op = work->first;
    if (work->count != plan->works[node]->count || (segment && work->count != 1))
        return false;
    for (size_t i = 0; i < work->count; i++, op = op->next)
        if (!is_alike(plan->device, op, step[i].op))
            return false;
    if (segment && plan->device->backend->graph_change(segment, step, work->first) < 0)
        return false;
    for (op = work->first; op; op = op->next, step++) {
        plan->bytes += bytes_of(op) - bytes_of(step->op);
        step->op = op;
    }
    atomic_fetch_add_explicit(&work->refs, 1, memory_order_relaxed);
    yk_work *before = plan->works[node];
    plan->works[node] = work;
    yk_work_release(before);
    return true;
}
