/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver is given to replay: part of a graph. */
#ifndef YK_OBJECTS_BATCH_H
#define YK_OBJECTS_BATCH_H

#include "objects/op.h"

/* One operation of a graph, and the earlier ones that it follows. */
typedef struct yk_step {
    const yk_op *op;
    unsigned branch;     /* of the stream it was recorded in */
    const size_t *after; /* places among the steps of the batch, or of the exec */
    size_t after_count;
    void *native; /* [backends] */
} yk_step;

/* Steps that a driver can replay by itself. */
typedef struct yk_batch {
    yoke_device *device;
    yk_step *steps;
    size_t count;
    void *native; /* [backends] */
} yk_batch;

#endif
