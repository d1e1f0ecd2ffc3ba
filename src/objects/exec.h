/* SPDX-License-Identifier: Apache-2.0 */
/* An executable graph: a graph's operations in an order that is a schedule, split where Yoke has to run an operation itself. */
#ifndef YK_OBJECTS_EXEC_H
#define YK_OBJECTS_EXEC_H

#include "objects/device.h"
#include "objects/op.h"

/* One operation of a graph, and the earlier operations that it follows. */
typedef struct yk_step {
    const yk_op *op;
    unsigned branch;     /* the branch of the stream it was recorded in */
    const size_t *after; /* indices of steps of the batch, or of the executable graph */
    size_t after_count;
    void *native; /* [backends] */
} yk_step;

/* Consecutive steps: the driver replays them as a whole, or they are submitted one by one. */
typedef struct yk_batch {
    yoke_device *device;
    yk_step *steps;
    size_t count;
    bool replayed;
    void *native; /* [backends] of a batch that is replayed */
} yk_batch;

/* How an executable graph is launched. */
typedef enum yk_launch_mode {
    YK_LAUNCH_WHOLE,    /* the whole graph is one driver's graph: an operation like any other */
    YK_LAUNCH_HERE,     /* step by step, on the caller's thread */
    YK_LAUNCH_DEFERRED, /* by the stream's worker, since a step has to wait for those before it */
    YK_LAUNCH_BRANCHES  /* in one stream for each recorded stream: graph/branches.c */
} yk_launch_mode;

struct yk_exec {
    yk_object object;
    yoke_device *device;
    const char *name; /* valid for the life of the process */
    yk_launch_mode mode;
    size_t bytes;            /* the bytes that it copies */
    struct yk_op_list **ops; /* for each node, retained */
    size_t *first;           /* for each node, the index of its first step; and one more entry, behind the last step */
    size_t node_count;
    yk_step *steps;
    size_t step_count;
    size_t *links; /* the arrays that the steps' `after` point into */
    bool *awaited; /* for each step, whether a step of another branch follows it */
    yk_batch *batches;
    size_t batch_count;
    unsigned branch_count;
};

#endif
