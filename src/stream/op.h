/* SPDX-License-Identifier: Apache-2.0 */
/* What can be done with an operation of any kind; and lists of operations, which graphs are made of. */
#ifndef YK_OP_H
#define YK_OP_H

#include "objects/objects.h"

/* A copy that keeps alive what the operation refers to; NULL and a record when out of memory. */
yk_op *yk_op_keep(const yk_op *op);
void yk_op_drop(yk_op *op);

/* "launch", "copy", … for messages. */
const char *yk_op_name(yk_op_kind kind);
/* "launch of 'saxpy'" into `text`, which is returned. */
const char *yk_op_text(char *text, size_t size, yk_op_kind kind, const char *name);

/* The bytes that a transfer, copy or fill writes; 0 of other kinds. */
size_t yk_op_bytes(const yk_op *op);

/* The name of what the operation is about, which lives for ever: a launch's kernel, a graph's name, where a wait's event was
 * recorded; else NULL. `kind` is op->kind. */
YK_HOT const char *yk_op_lasting_name(yk_op_kind kind, const yk_op *op)
{
    switch (yk_family_of(kind)) {
    case YK_FAMILY_LAUNCH:
        return op->u.launch.kernel->lasting_name;
    case YK_FAMILY_WAIT:
        return op->u.wait.event->where;
    case YK_FAMILY_GRAPH:
        return op->u.graph.name;
    case YK_FAMILY_TRANSFER:
    case YK_FAMILY_COPY:
    case YK_FAMILY_FILL:
    case YK_FAMILY_RECORD:
    case YK_FAMILY_CALL:
    case YK_FAMILY_NATIVE:
    case YK_FAMILY_NONE:
        break;
    }
    return NULL;
}

/* What one call enqueued: a fill or a rect may be several operations. Never changed once it is part of an exec, and shared by
 * execs.
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
yoke_status yk_op_list_add(yk_op_list *list, const yk_op *op);
void yk_op_list_retain(yk_op_list *list);
void yk_op_list_release(yk_op_list *list);

#endif
