/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operation is one struct. A direct operation lives on the caller's stack for the length of the driver's call; a deferred
 * operation is a copy that owns its arguments and retains every object they name.
 */
#include "stream/op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"

/* ---- Properties ---- */

const char *yk_op_name(yk_op_kind kind)
{
    static const char *const names[] = {
#define YK_OP(kind, name, ...) [YK_OP_##kind] = name,
#include "objects/op.def"
    };
    return names[kind];
}

const char *yk_op_text(char *text, size_t size, yk_op_kind kind, const char *name)
{
    if (name && yk_is_launch(kind))
        snprintf(text, size, "launch of '%s'", name);
    else if (name && kind == YK_OP_WAIT)
        snprintf(text, size, "wait for the event of %s", name);
    else if (name && kind == YK_OP_GRAPH)
        snprintf(text, size, "graph %s", name);
    else
        snprintf(text, size, "%s", yk_op_name(kind));
    return text;
}

size_t yk_op_bytes(const yk_op *op)
{
    switch (yk_family_of(op->kind)) {
    case YK_FAMILY_TRANSFER:
        return op->u.transfer.size;
    case YK_FAMILY_COPY:
        return op->u.copy.size;
    case YK_FAMILY_FILL:
        return op->u.fill.width * op->u.fill.height;
    case YK_FAMILY_IMAGE:
        return op->u.image.size;
    case YK_FAMILY_LAUNCH:
    case YK_FAMILY_RECORD:
    case YK_FAMILY_WAIT:
    case YK_FAMILY_CALL:
    case YK_FAMILY_NATIVE:
    case YK_FAMILY_GRAPH:
    case YK_FAMILY_NONE:
        break;
    }
    return 0;
}

static void visit(void *object, yk_object_visitor visitor, void *context)
{
    if (object)
        visitor(object, context);
}

void yk_op_visit(const yk_op *op, yk_object_visitor visitor, void *context)
{
    switch (yk_family_of(op->kind)) {
    case YK_FAMILY_TRANSFER:
        visit(op->u.transfer.buffer, visitor, context);
        visit(op->u.transfer.host_buffer, visitor, context);
        break;
    case YK_FAMILY_COPY:
        visit(op->u.copy.target, visitor, context);
        visit(op->u.copy.source, visitor, context);
        break;
    case YK_FAMILY_FILL:
        visit(op->u.fill.buffer, visitor, context);
        break;
    case YK_FAMILY_IMAGE:
        visit(op->u.image.texels, visitor, context);
        visit(op->u.image.buffer, visitor, context);
        break;
    case YK_FAMILY_LAUNCH:
        for (size_t i = 0; i < op->u.launch.count; i++)
            if (op->u.launch.args[i].kind == YOKE_ARG_BUFFER)
                visit(op->u.launch.args[i].value.buffer, visitor, context);
        visit(op->u.launch.kernel->program, visitor, context);
        break;
    case YK_FAMILY_RECORD:
        visit(op->u.record.event, visitor, context);
        break;
    case YK_FAMILY_WAIT:
        visit(op->u.wait.event, visitor, context);
        break;
    case YK_FAMILY_CALL:
        visit(op->u.call.after, visitor, context);
        break;
    case YK_FAMILY_GRAPH:
        visit(op->u.graph.exec, visitor, context);
        break;
    case YK_FAMILY_NATIVE:
        for (size_t i = 0; i < op->u.native.count; i++)
            visit(op->u.native.buffers[i], visitor, context);
        break;
    case YK_FAMILY_NONE:
        break;
    }
}

/* ---- Deferred copies ---- */

/* Bytes of a struct among a launch's arguments, padded so that the next struct is aligned. */
static size_t padded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

static yk_op *keep_launch(const yk_op *op)
{
    size_t args_size = padded(op->u.launch.count * sizeof(yoke_arg));
    size_t bytes_size = 0;
    for (size_t i = 0; i < op->u.launch.count; i++)
        if (op->u.launch.args[i].kind == YOKE_ARG_STRUCT)
            bytes_size += padded(op->u.launch.args[i].size);

    char *memory = malloc(padded(sizeof *op) + args_size + bytes_size);
    if (!memory)
        return NULL;
    yk_op *kept = (yk_op *)(void *)memory;
    yoke_arg *args = (yoke_arg *)(void *)(memory + padded(sizeof *op));
    char *bytes = memory + padded(sizeof *op) + args_size;
    *kept = *op;
    kept->u.launch.args = args;
    for (size_t i = 0; i < op->u.launch.count; i++) {
        args[i] = op->u.launch.args[i];
        if (args[i].kind == YOKE_ARG_STRUCT) {
            memcpy(bytes, args[i].value.bytes, args[i].size);
            args[i].value.bytes = bytes;
            bytes += padded(args[i].size);
        }
    }
    return kept;
}

static yk_op *keep_native(const yk_op *op)
{
    size_t size = op->u.native.count * sizeof *op->u.native.buffers;
    char *memory = malloc(padded(sizeof *op) + size);
    if (!memory)
        return NULL;
    yk_op *kept = (yk_op *)(void *)memory;
    *kept = *op;
    kept->u.native.buffers = (yoke_buffer *const *)(void *)(memory + padded(sizeof *op));
    if (size > 0)
        memcpy(memory + padded(sizeof *op), op->u.native.buffers, size);
    return kept;
}

static yk_op *keep_flat(const yk_op *op)
{
    yk_op *kept = malloc(sizeof *kept);
    if (kept)
        *kept = *op;
    return kept;
}

static void retain(void *object, void *context)
{
    (void)context;
    yk_object_retain(object);
}

static void release(void *object, void *context)
{
    (void)context;
    yk_object_release(object);
}

yk_op *yk_op_keep(const yk_op *op)
{
    yk_op_family family = yk_family_of(op->kind);
    yk_op *kept = family == YK_FAMILY_LAUNCH ? keep_launch(op) : family == YK_FAMILY_NATIVE ? keep_native(op) : keep_flat(op);
    if (!kept) {
        yk_no_memory("a deferred operation");
        return NULL;
    }
    kept->next = NULL;
    if (op->kind != YK_OP_CALL) /* a call owns u.call.after from the start */
        yk_op_visit(kept, retain, NULL);
    return kept;
}

void yk_op_drop(yk_op *op)
{
    yk_op_visit(op, release, NULL);
    free(op);
}

/* ---- Lists ---- */

yk_op_list *yk_op_list_new(int kind)
{
    yk_op_list *list = calloc(1, sizeof *list);
    if (!list) {
        yk_no_memory("a graph");
        return NULL;
    }
    atomic_init(&list->refs, 1);
    list->kind = kind;
    return list;
}

/* For the driver, a copy from or to a pinned buffer of any device is a transfer. */
static int kind_of(const yk_op *op)
{
    bool copied = (op->kind == YK_OP_WRITE || op->kind == YK_OP_READ) && op->u.transfer.host_buffer;
    return copied ? YK_OP_COPY : (int)op->kind;
}

/* The graph may be launched in any stream, so every stream uses the operation's objects. */
static void use_everywhere(void *object, void *context)
{
    (void)context;
    if (yk_is(object, YK_BUFFER))
        atomic_store_explicit(&((yoke_buffer *)object)->root->used_by, YK_MANY_STREAMS, memory_order_relaxed);
    else if (yk_is(object, YK_IMAGE) || yk_is(object, YK_TEXELS))
        atomic_store_explicit(&((yoke_image *)object)->base.used_by, YK_MANY_STREAMS, memory_order_relaxed);
}

/* The list as a whole owns `release`, because it may be launched many times. */
static void take_release(yk_op_list *list, yk_op *op)
{
    if (op->kind == YK_OP_CALL) {
        list->release = op->u.call.release;
        list->user = op->u.call.user;
        op->u.call.release = NULL;
        op->u.call.after = NULL;
    } else if (yk_family_of(op->kind) == YK_FAMILY_NATIVE) {
        list->release = op->u.native.release;
        list->user = op->u.native.user;
        op->u.native.release = NULL;
    }
}

yoke_status yk_op_list_add(yk_op_list *list, const yk_op *op)
{
    yk_op *kept = yk_op_keep(op), **end = &list->first;
    if (!kept)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    kept->end = NULL;
    yk_op_visit(kept, use_everywhere, NULL);
    take_release(list, kept);
    while (*end)
        end = &(*end)->next;
    *end = kept;
    if (list->kind == YK_KIND_OPEN)
        list->kind = kind_of(op);
    list->count++;
    return YOKE_OK;
}

void yk_op_list_retain(yk_op_list *list)
{
    atomic_fetch_add_explicit(&list->refs, 1, memory_order_relaxed);
}

void yk_op_list_release(yk_op_list *list)
{
    if (!list || atomic_fetch_sub_explicit(&list->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (list->device && list->first->u.native.captured)
        list->device->backend->capture_destroy(list->device, list->first->u.native.captured);
    if (list->release)
        list->release(list->user);
    while (list->first) {
        yk_op *op = list->first;
        list->first = op->next;
        yk_op_drop(op);
    }
    free(list);
}
