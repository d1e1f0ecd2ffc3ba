/* SPDX-License-Identifier: Apache-2.0 */
/* Making execs of graphs. An exec that a launch still needs is never changed: an update of its graph then makes another. */
#ifndef YK_EXEC_H
#define YK_EXEC_H

#include "objects/objects.h"
#include "stream/op.h"

/* The place of a call in its graph. */
typedef struct yk_node {
    yk_op_list *ops; /* what it enqueued */
    unsigned branch;
    size_t *after; /* earlier nodes that it follows */
    size_t after_count;
} yk_node;

/* From the nodes of a graph, whose operations it retains. NULL and a record on failure. */
yk_exec *yk_exec_new(yoke_device *device, const char *name, const yk_node *nodes, size_t count, unsigned branch_count);
/* Put other operations into a node of an exec that nobody else uses. False: they do not fit, and a new exec is needed; nothing has
 * changed then. The exec retains them and releases what was there. */
bool yk_exec_update(yk_exec *exec, size_t node, yk_op_list *ops);
/* Have the driver's graph, where there is one, take this for a node of one operation: the same with other arguments. */
bool yk_exec_try(yk_exec *exec, size_t node, const yk_op *op);

#endif
