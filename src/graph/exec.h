/* SPDX-License-Identifier: Apache-2.0 */
/* Creating executable graphs. An executable graph that a launch still needs is never updated: an update of its graph then creates
 * another. */
#ifndef YK_EXEC_H
#define YK_EXEC_H

#include "objects/objects.h"
#include "stream/op.h"

/* A call, as a node of its graph. */
typedef struct yk_node {
    yk_op_list *ops; /* the operations that the call enqueued */
    unsigned branch;
    size_t *after; /* earlier nodes that it follows */
    size_t after_count;
} yk_node;

/* Create an executable graph from nodes, whose operations it retains. NULL and an error on failure. */
yk_exec *yk_exec_new(yoke_device *device, const char *name, const yk_node *nodes, size_t count, unsigned branch_count);
/* Replace the operations of a node of an executable graph that nobody else uses. The new operations are retained, the old
 * operations released. False: the operations do not fit, nothing was updated, and a new executable graph is needed. */
bool yk_exec_update(yk_exec *exec, size_t node, yk_op_list *ops);
/* Update a node of one operation in the driver's graph, if any, with the same operation with other arguments. */
bool yk_exec_try(yk_exec *exec, size_t node, const yk_op *op);

#endif
