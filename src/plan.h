/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a graph is launched from: its operations in an order that is a schedule, cut where Yoke has to run something itself. A plan
 * that a launch still needs is never changed: a change of its graph then makes another.
 */
#ifndef YK_PLAN_H
#define YK_PLAN_H

#include "core.h"

/* What one call enqueued: a fill or a box may be several operations. Never changed once it is part of a plan, and shared by plans.
 */
typedef struct yk_work {
    atomic_uint refs;
    int kind;     /* YK_OP_ of the call: a fill may be a launch of Yoke's own kernel, a box may be flat */
    yk_op *first; /* linked, at least one */
    size_t count;
    yoke_release_fn release; /* of a host function's or native section's `user`; or NULL */
} yk_work;

enum { YK_KIND_OPEN = -1 }; /* the first operation says it */

/* Of a kind, or YK_KIND_OPEN. NULL and a record when out of memory. */
yk_work *yk_work_new(int kind);
yoke_status yk_work_add(yk_work *work, const yk_op *op);
void yk_work_release(yk_work *work);

/* A work's place in its graph. */
typedef struct yk_node {
    yk_work *work;
    unsigned lane;
    size_t *after; /* earlier nodes that it follows */
    size_t after_count;
} yk_node;

/* A run of steps: a segment that the driver replays, or steps that are given to it one by one. */
typedef struct yk_item {
    yk_segment segment;
    bool native;
} yk_item;

/* How a plan is launched. */
typedef enum yk_way {
    YK_WAY_ALONE, /* all of it is one driver's graph: an operation like any other */
    YK_WAY_HERE,  /* step by step, on the caller's thread */
    YK_WAY_HELD,  /* by the stream's worker, since a step has to wait for those before it */
    YK_WAY_LANES  /* in a stream for each that was recorded: lanes.c */
} yk_way;

struct yk_plan {
    atomic_uint refs;
    yoke_device *device;
    const char *name; /* lives for ever */
    yk_way way;
    size_t bytes;    /* that it copies */
    yk_work **works; /* one for each node, retained */
    size_t *first;   /* of each node, the place of its first step; one more, behind the last */
    size_t node_count;
    yk_step *steps;
    size_t step_count;
    size_t *links; /* what the steps' `after` point into */
    bool *awaited; /* of each step, whether one in another lane follows it */
    yk_item *items;
    size_t item_count;
    unsigned lane_count;
};

/* From the nodes of a graph, whose works it retains. NULL and a record on failure. */
yk_plan *yk_plan_new(yoke_device *device, const char *name, const yk_node *nodes, size_t count, unsigned lane_count);
void yk_plan_retain(yk_plan *plan);
void yk_plan_release(yk_plan *plan);
/* Put other work into a node of a plan that nobody else uses. False: it does not fit, and a new plan is needed; nothing has changed
 * then. The plan retains it and releases what was there. */
bool yk_plan_change(yk_plan *plan, size_t node, yk_work *work);
/* Have the driver's graph, where there is one, take this for a node of one operation: the same with other arguments. */
bool yk_plan_try(yk_plan *plan, size_t node, const yk_op *op);
/* Give the driver its graph of a segment; or one that is YK_WAY_ALONE. */
yoke_status yk_segment_give(yoke_stream *stream, const yk_segment *segment);
yoke_status yk_plan_give(yoke_stream *stream, const yk_plan *plan);

#endif
