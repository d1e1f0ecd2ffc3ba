/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a graph is launched from: its operations in an order that is a schedule, cut where Yoke has to run something itself. A exec
 * that a launch still needs is never changed: a change of its graph then makes another.
 */
#ifndef YK_EXEC_H
#define YK_EXEC_H

#include "objects/objects.h"

/* What one call enqueued: a fill or a rect may be several operations. Never changed once it is part of a exec, and shared by execs.
 */
typedef struct yk_op_list {
    atomic_uint refs;
    int kind;     /* YK_OP_ of the call: a fill may be a launch of Yoke's own kernel, a rect may be flat */
    yk_op *first; /* linked, at least one */
    size_t count;
    yoke_release_fn release; /* of a host function's or native section's `user`; or NULL */
} yk_op_list;

enum { YK_KIND_OPEN = -1 }; /* the first operation says it */

/* Of a kind, or YK_KIND_OPEN. NULL and a record when out of memory. */
yk_op_list *yk_op_list_new(int kind);
yoke_status yk_op_list_add(yk_op_list *work, const yk_op *op);
void yk_op_list_release(yk_op_list *work);

/* A work's place in its graph. */
typedef struct yk_node {
    yk_op_list *work;
    unsigned branch;
    size_t *after; /* earlier nodes that it follows */
    size_t after_count;
} yk_node;

/* A run of steps: a batch that the driver replays, or steps that are given to it one by one. */
typedef struct yk_item {
    yk_batch batch;
    bool native;
} yk_item;

/* How a exec is launched. */
typedef enum yk_launch_mode {
    YK_LAUNCH_WHOLE,    /* all of it is one driver's graph: an operation like any other */
    YK_LAUNCH_HERE,     /* step by step, on the caller's thread */
    YK_LAUNCH_DEFERRED, /* by the stream's worker, since a step has to wait for those before it */
    YK_LAUNCH_BRANCHES  /* in a stream for each that was recorded: branches.c */
} yk_launch_mode;

struct yk_exec {
    atomic_uint refs;
    yoke_device *device;
    const char *name; /* lives for ever */
    yk_launch_mode way;
    size_t bytes;       /* that it copies */
    yk_op_list **works; /* one for each node, retained */
    size_t *first;      /* of each node, the place of its first step; one more, behind the last */
    size_t node_count;
    yk_step *steps;
    size_t step_count;
    size_t *links; /* what the steps' `after` point into */
    bool *awaited; /* of each step, whether one in another branch follows it */
    yk_item *items;
    size_t item_count;
    unsigned branch_count;
};

/* From the nodes of a graph, whose works it retains. NULL and a record on failure. */
yk_exec *yk_exec_new(yoke_device *device, const char *name, const yk_node *nodes, size_t count, unsigned branch_count);
void yk_exec_retain(yk_exec *exec);
void yk_exec_release(yk_exec *exec);
/* Put other work into a node of a exec that nobody else uses. False: it does not fit, and a new exec is needed; nothing has changed
 * then. The exec retains it and releases what was there. */
bool yk_exec_update(yk_exec *exec, size_t node, yk_op_list *work);
/* Have the driver's graph, where there is one, take this for a node of one operation: the same with other arguments. */
bool yk_exec_try(yk_exec *exec, size_t node, const yk_op *op);
/* Give the driver its graph of a batch; or one that is YK_LAUNCH_WHOLE. */
yoke_status yk_batch_submit(yoke_stream *stream, const yk_batch *batch);
yoke_status yk_exec_submit(yoke_stream *stream, const yk_exec *exec);

#endif
