/* SPDX-License-Identifier: Apache-2.0 */
/* What a graph is launched from: its operations in an order that is a schedule, cut where Yoke has to run something itself. */
#ifndef YK_OBJECTS_EXEC_H
#define YK_OBJECTS_EXEC_H

#include "objects/device.h"
#include "objects/op.h"

/* One operation of a graph, and the earlier ones that it follows. */
typedef struct yk_step {
    const yk_op *op;
    unsigned branch;     /* of the stream it was recorded in */
    const size_t *after; /* places among the steps of the batch, or of the exec */
    size_t after_count;
    void *native; /* [backends] */
} yk_step;

/* A run of steps: the driver replays them by itself, or they are given to it one by one. */
typedef struct yk_batch {
    yoke_device *device;
    yk_step *steps;
    size_t count;
    bool replayed;
    void *native; /* [backends] of a batch that is replayed */
} yk_batch;

/* How an exec is launched. */
typedef enum yk_launch_mode {
    YK_LAUNCH_WHOLE,    /* all of it is one driver's graph: an operation like any other */
    YK_LAUNCH_HERE,     /* step by step, on the caller's thread */
    YK_LAUNCH_DEFERRED, /* by the stream's worker, since a step has to wait for those before it */
    YK_LAUNCH_BRANCHES  /* in a stream for each that was recorded: branches.c */
} yk_launch_mode;

struct yk_exec {
    yk_object object;
    yoke_device *device;
    const char *name; /* lives for ever */
    yk_launch_mode mode;
    size_t bytes;            /* that it copies */
    struct yk_op_list **ops; /* of each node, retained */
    size_t *first;           /* of each node, the place of its first step; one more, behind the last */
    size_t node_count;
    yk_step *steps;
    size_t step_count;
    size_t *links; /* what the steps' `after` point into */
    bool *awaited; /* of each step, whether one in another branch follows it */
    yk_batch *batches;
    size_t batch_count;
    unsigned branch_count;
};

#endif
