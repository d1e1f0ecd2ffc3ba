/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for operations of any kind, and lists of operations, which graphs are made of. */
#ifndef YK_OP_H
#define YK_OP_H

#include "objects/objects.h"

/* A copy that retains the objects that the operation refers to; NULL and a record when out of memory. */
yk_op *yk_op_keep(const yk_op *op);
void yk_op_drop(yk_op *op);

/* "launch", "copy", … for messages. */
const char *yk_op_name(yk_op_kind kind);
/* Writes "launch of 'saxpy'" to `text` and returns `text`. */
const char *yk_op_text(char *text, size_t size, yk_op_kind kind, const char *name);

/* The bytes that a transfer, copy or fill writes; 0 for other kinds. */
size_t yk_op_bytes(const yk_op *op);

/* The name of the operation's subject, valid for the life of the process: a launch's kernel, a graph's name, where a wait's event
 * was recorded; else NULL. `kind` is op->kind. */
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
    case YK_FAMILY_IMAGE:
    case YK_FAMILY_RECORD:
    case YK_FAMILY_CALL:
    case YK_FAMILY_NATIVE:
    case YK_FAMILY_NONE:
        break;
    }
    return NULL;
}

/* The operations of one call: a fill or a rect may be several. Immutable once part of an executable graph, and shared by executable
 * graphs. */
typedef struct yk_op_list {
    atomic_uint refs;
    int kind;     /* YK_OP_ of the call: a fill may become a launch of Yoke's own kernel, a rect may become flat */
    yk_op *first; /* a linked list, never empty */
    size_t count;
    yoke_release_fn release; /* for `user` of a host function or native section; or NULL */
    void *user;
    yoke_device *device;     /* of a captured native section; or NULL */
} yk_op_list;

enum { YK_KIND_OPEN = -1 }; /* taken from the first operation */

/* A list of this kind, or YK_KIND_OPEN. NULL and a record when out of memory. */
yk_op_list *yk_op_list_new(int kind);
yoke_status yk_op_list_add(yk_op_list *list, const yk_op *op);
void yk_op_list_retain(yk_op_list *list);
void yk_op_list_release(yk_op_list *list);

#endif
