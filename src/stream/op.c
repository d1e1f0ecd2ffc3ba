/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operation is one struct. While nothing is held it lives on the caller's stack for the length of the driver's call; a held one
 * is a copy that owns its arguments and keeps alive every object they name.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/exec.h"
#include "stream/stream.h"

const char *yk_op_name(yk_op_kind kind)
{
    static const char *const names[] = { "write",
                                         "read",
                                         "copy",
                                         "write of a rect",
                                         "read of a rect",
                                         "copy of a rect",
                                         "fill",
                                         "cooperative launch",
                                         "launch",
                                         "event",
                                         "wait for an event",
                                         "host function",
                                         "native section",
                                         "graph",
                                         "allocation" };
    return names[kind];
}

const char *yk_op_lasting_name(const yk_op *op)
{
    if (yk_is_launch(op->kind))
        return op->u.launch.kernel->lasting_name;
    if (op->kind == YK_OP_GRAPH)
        return op->u.graph.name;
    return op->kind == YK_OP_WAIT ? op->u.wait.event->where : NULL;
}

/* Bytes of the structs among a launch's arguments, each padded so that the next one is aligned. */
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
    yoke_program_retain(op->u.launch.kernel->program);
    for (size_t i = 0; i < op->u.launch.count; i++) {
        args[i] = op->u.launch.args[i];
        if (args[i].kind == YOKE_ARG_BUFFER) {
            yoke_buffer_retain(args[i].value.buffer);
        } else if (args[i].kind == YOKE_ARG_STRUCT) {
            memcpy(bytes, args[i].value.bytes, args[i].size);
            args[i].value.bytes = bytes;
            bytes += padded(args[i].size);
        }
    }
    return kept;
}

static yk_op *keep(const yk_op *op)
{
    if (yk_is_launch(op->kind))
        return keep_launch(op);

    yk_op *kept = malloc(sizeof *kept);
    if (!kept)
        return NULL;
    *kept = *op;
    switch (op->kind) {
    case YK_OP_WRITE:
    case YK_OP_READ:
    case YK_OP_WRITE_RECT:
    case YK_OP_READ_RECT:
        yoke_buffer_retain(op->u.transfer.buffer);
        yoke_buffer_retain(op->u.transfer.host_buffer);
        break;
    case YK_OP_COPY:
    case YK_OP_COPY_RECT:
        yoke_buffer_retain(op->u.copy.target);
        yoke_buffer_retain(op->u.copy.source);
        break;
    case YK_OP_FILL:
        yoke_buffer_retain(op->u.fill.buffer);
        break;
    case YK_OP_RECORD:
        yoke_event_retain(op->u.record.event);
        break;
    case YK_OP_WAIT:
        yoke_event_retain(op->u.wait.event);
        break;
    case YK_OP_GRAPH:
        yk_exec_retain(op->u.graph.exec);
        break;
    case YK_OP_CALL: /* owns u.call.after from the start */
    case YK_OP_NATIVE:
    case YK_OP_LAUNCH:
    case YK_OP_LAUNCH_COOPERATIVE:
    case YK_OP_ALLOCATION:
        break;
    }
    return kept;
}

yk_op *yk_op_keep(const yk_op *op)
{
    yk_op *kept = keep(op);
    if (kept)
        kept->next = NULL;
    else
        yk_no_memory("an operation of a held stream");
    return kept;
}

void yk_op_drop(yk_op *op)
{
    switch (op->kind) {
    case YK_OP_WRITE:
    case YK_OP_READ:
    case YK_OP_WRITE_RECT:
    case YK_OP_READ_RECT:
        yoke_buffer_release(op->u.transfer.buffer);
        yoke_buffer_release(op->u.transfer.host_buffer);
        break;
    case YK_OP_COPY:
    case YK_OP_COPY_RECT:
        yoke_buffer_release(op->u.copy.target);
        yoke_buffer_release(op->u.copy.source);
        break;
    case YK_OP_FILL:
        yoke_buffer_release(op->u.fill.buffer);
        break;
    case YK_OP_LAUNCH:
    case YK_OP_LAUNCH_COOPERATIVE:
        for (size_t i = 0; i < op->u.launch.count; i++)
            if (op->u.launch.args[i].kind == YOKE_ARG_BUFFER)
                yoke_buffer_release(op->u.launch.args[i].value.buffer);
        yoke_program_release(op->u.launch.kernel->program);
        break;
    case YK_OP_RECORD:
        yoke_event_release(op->u.record.event);
        break;
    case YK_OP_WAIT:
        yoke_event_release(op->u.wait.event);
        break;
    case YK_OP_CALL:
        yoke_event_release(op->u.call.after);
        break;
    case YK_OP_GRAPH:
        yk_exec_release(op->u.graph.exec);
        break;
    case YK_OP_NATIVE:
    case YK_OP_ALLOCATION:
        break;
    }
    free(op);
}
