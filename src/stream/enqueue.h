/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The straight way of an operation to the driver, inlined into the public functions: a gate that says whether it is open, one call
 * of the backend, a count. What happens when it is closed, and why, is in deferred.c.
 */
#ifndef YK_ENQUEUE_H
#define YK_ENQUEUE_H

#include "backend.h"
#include "graph/exec.h"
#include "stream/stream.h"

/* The gate, one word: a closed bit, how many enqueues are on their way to the driver (of 32767), and how many operations the driver
 * has been given. So a direct enqueue costs two atomic additions in all. */
#define YK_GATE_CLOSED 1u
#define YK_GATE_ONE 2u
#define YK_GATE_BUSY 0xfffeu
#define YK_GATE_SUBMITTED 0x10000u

YK_HOT bool yk_gate_enter(yoke_stream *stream)
{
    uint_fast64_t gate = atomic_fetch_add_explicit(&stream->gate, YK_GATE_ONE, memory_order_acquire);
    if (YK_UNLIKELY(gate & YK_GATE_CLOSED)) {
        atomic_fetch_sub_explicit(&stream->gate, YK_GATE_ONE, memory_order_release);
        return false;
    }
    return true;
}

YK_HOT void yk_gate_leave(yoke_stream *stream)
{
    atomic_fetch_sub_explicit(&stream->gate, YK_GATE_ONE, memory_order_release);
}

/* `kind` is op->kind: a constant where the caller has just made the operation, so that only one case is left of the switch. */
YK_HOT yoke_status yk_submit(yoke_stream *stream, yk_op_kind kind, const yk_op *op)
{
    const yk_backend *backend = stream->device->backend;
    switch (kind) {
    case YK_OP_WRITE:
        return backend->write(stream, op);
    case YK_OP_READ:
        return backend->read(stream, op);
    case YK_OP_COPY:
        return backend->copy(stream, op);
    case YK_OP_WRITE_RECT:
        return backend->write_rect(stream, op);
    case YK_OP_READ_RECT:
        return backend->read_rect(stream, op);
    case YK_OP_COPY_RECT:
        return backend->copy_rect(stream, op);
    case YK_OP_FILL:
        return backend->fill(stream, op);
    case YK_OP_LAUNCH:
        return backend->launch(stream, op);
    case YK_OP_LAUNCH_COOPERATIVE:
        return backend->launch_cooperative(stream, op);
    case YK_OP_WAIT:
        return yk_stream_submit_wait(stream, op->u.wait.event);
    case YK_OP_GRAPH:
        return yk_exec_submit(stream, op->u.graph.exec);
    case YK_OP_RECORD:
    case YK_OP_CALL:
    case YK_OP_NATIVE:
    case YK_OP_ALLOCATION:
        break; /* never given: the worker runs them, and the pool allocates */
    }
    return yk_fail(YOKE_E_INVALID_ARGUMENT, "a %s cannot be given to the driver", yk_op_name(kind));
}

/* Host memory, that is read into, or that the device shares; or whatever a wait stands for. */
YK_HOT bool yk_may_write_host(yk_op_kind kind, const yk_op *op)
{
    switch (kind) {
    case YK_OP_WRITE:
    case YK_OP_WRITE_RECT:
        return op->u.transfer.buffer->kind >= YOKE_MEMORY_MAPPED;
    case YK_OP_COPY:
    case YK_OP_COPY_RECT:
        return op->u.copy.target->kind >= YOKE_MEMORY_MAPPED;
    case YK_OP_FILL:
        return op->u.fill.buffer->kind >= YOKE_MEMORY_MAPPED;
    case YK_OP_LAUNCH:
    case YK_OP_LAUNCH_COOPERATIVE:
        return op->u.launch.touches_host;
    case YK_OP_ALLOCATION:
        return false;
    default:
        return true;
    }
}

/* The driver has been given an operation. `leaving`: the gate is left with it. */
YK_HOT void yk_note_submitted(yoke_stream *stream, yk_op_kind kind, const yk_op *op, bool leaving)
{
    uint_fast64_t number = atomic_load_explicit(&stream->gate, memory_order_relaxed) / YK_GATE_SUBMITTED;
    yk_submitted *given = &stream->recent[number % YK_SUBMITTED_KEPT]; /* two threads at once may share it: then one is told of */
    const char *name = yk_is_launch(kind) ? op->u.launch.kernel->lasting_name : NULL;
    if (kind == YK_OP_WAIT)
        name = op->u.wait.event->where;
    if (kind == YK_OP_GRAPH)
        name = op->u.graph.name;
    atomic_store_explicit(&given->kind, (int)kind, memory_order_relaxed);
    atomic_store_explicit(&given->where, op->where, memory_order_relaxed);
    atomic_store_explicit(&given->name, name, memory_order_relaxed);
    if (yk_may_write_host(kind, op))
        atomic_store_explicit(&stream->writes_host, number + 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&stream->gate, leaving ? YK_GATE_SUBMITTED - YK_GATE_ONE : YK_GATE_SUBMITTED, memory_order_release);
}

/* As yk_submit, shown to the device's observer. */
YK_COLD yoke_status yk_submit_observed(yoke_stream *stream, const yk_op *op);

/* The gate was closed. Holds the operation, or fails with the stream's failure; with YOKE_BLOCKING gives it to the driver and
 * waits. Sets *out_again when the gate has been opened meanwhile. */
YK_COLD yoke_status yk_stream_enqueue_closed(yoke_stream *stream, const yk_op *op, bool *out_again);

/* The driver did not take an operation. That the device is lost was the fault of one before it: then the streams fail, and the
 * record names those that may have done it. Returns `status`. */
YK_COLD yoke_status yk_stream_not_submitted(yoke_stream *stream, yoke_status status);

/* Give the operation to the driver, or hold a copy of it while the stream is held. For everything but YK_OP_RECORD, _CALL and
 * _NATIVE.
 */
YK_HOT yoke_status yk_stream_enqueue(yoke_stream *stream, yk_op_kind kind, const yk_op *op)
{
    while (YK_UNLIKELY(!yk_gate_enter(stream))) {
        bool again = false;
        yoke_status status = yk_stream_enqueue_closed(stream, op, &again);
        if (!again)
            return status;
    }
    yoke_status status = yk_submit(stream, kind, op);
    if (YK_UNLIKELY(status < 0)) {
        yk_gate_leave(stream);
        return yk_stream_not_submitted(stream, status);
    }
    yk_note_submitted(stream, kind, op, true);
    return YOKE_OK;
}

#endif
