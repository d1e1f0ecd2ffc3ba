/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The straight way of an operation to the driver, inlined into the public functions: a gate that says whether it is open, one call
 * of the backend, a count. What happens when it is closed, and why, is in held.c.
 */
#ifndef YK_ENQUEUE_H
#define YK_ENQUEUE_H

#include "backend.h"
#include "stream.h"

/* The gate: a closed bit, and the number of enqueues on their way to the driver. */
#define GATE_CLOSED 1u
#define GATE_ONE 2u

YK_HOT bool yk_gate_enter(yoke_stream *stream)
{
    unsigned gate = atomic_fetch_add_explicit(&stream->gate, GATE_ONE, memory_order_acquire);
    if (YK_UNLIKELY(gate & GATE_CLOSED)) {
        atomic_fetch_sub_explicit(&stream->gate, GATE_ONE, memory_order_release);
        return false;
    }
    return true;
}

YK_HOT void yk_gate_leave(yoke_stream *stream)
{
    atomic_fetch_sub_explicit(&stream->gate, GATE_ONE, memory_order_release);
}

/* `kind` is op->kind: a constant where the caller has just made the operation, so that only one case is left of the switch. */
YK_HOT yoke_status yk_give(yoke_stream *stream, yk_op_kind kind, const yk_op *op)
{
    const yk_backend *backend = stream->device->backend;
    switch (kind) {
    case YK_OP_WRITE:
        return backend->write(stream, op);
    case YK_OP_READ:
        return backend->read(stream, op);
    case YK_OP_COPY:
        return backend->copy(stream, op);
    case YK_OP_FILL:
        return backend->fill(stream, op);
    case YK_OP_LAUNCH:
        return backend->launch(stream, op);
    case YK_OP_WAIT:
        return backend->stream_wait_event(stream, op->u.wait.event);
    case YK_OP_RECORD:
    case YK_OP_CALL:
        break; /* never given: the worker runs them */
    }
    return yk_fail(YOKE_E_INVALID, "a %s cannot be given to the driver", yk_op_name(kind));
}

YK_HOT void yk_note_given(yoke_stream *stream, const yk_op *op)
{
    atomic_fetch_add_explicit(&stream->given, 1, memory_order_relaxed);
    atomic_store_explicit(&stream->last_kind, (int)op->kind, memory_order_relaxed);
    atomic_store_explicit(&stream->last_where, op->where, memory_order_relaxed);
}

/* The gate was closed. Holds the operation, or fails with the stream's failure; sets *out_again when the gate has been opened
 * meanwhile. */
YK_COLD yoke_status yk_stream_enqueue_closed(yoke_stream *stream, const yk_op *op, bool *out_again);

/* Give the operation to the driver, or hold a copy of it while the stream is held. For everything but YK_OP_RECORD and YK_OP_CALL.
 */
YK_HOT yoke_status yk_stream_enqueue(yoke_stream *stream, yk_op_kind kind, const yk_op *op)
{
    while (YK_UNLIKELY(!yk_gate_enter(stream))) {
        bool again = false;
        yoke_status status = yk_stream_enqueue_closed(stream, op, &again);
        if (!again)
            return status;
    }
    yoke_status status = yk_give(stream, kind, op);
    if (status == YOKE_OK)
        yk_note_given(stream, op);
    yk_gate_leave(stream);
    if (YK_UNLIKELY(status == YOKE_E_DEVICE_LOST))
        yk_stream_fail(stream, op->where, status);
    return status;
}

#endif
