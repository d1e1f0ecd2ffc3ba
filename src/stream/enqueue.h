/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The direct path of an operation to the driver, inlined into the public functions: a check of the gate, one call of the backend, a
 * count. An enqueue that finds the gate closed is deferred, recorded, refused or submitted under the stream's lock: deferred.c.
 */
#ifndef YK_ENQUEUE_H
#define YK_ENQUEUE_H

#include "backend.h"
#include "stream/event.h"
#include "stream/op.h"
#include "stream/stream.h"

/* The gate is one word: a closed bit, the number of enqueues on their way to the driver (at most 32767), and the number of
 * operations submitted to the driver. A direct enqueue therefore costs two atomic additions in all. */
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

/* An open gate says that nothing is deferred, without the stream's lock. */
YK_HOT bool yk_gate_is_open(const yoke_stream *stream)
{
    return !(atomic_load_explicit(&stream->gate, memory_order_acquire) & YK_GATE_CLOSED);
}

/* Whether operations of the stream go to the driver under its lock, so that its gate stays closed. */
static inline bool yk_stream_submits_locked(const yoke_stream *stream)
{
    return stream->device->blocking || stream->device->observer || stream->device->validator || stream->depth;
}

/* submit.c: submit an operation of any kind to the driver. */
yoke_status yk_submit(yoke_stream *stream, const yk_op *op);
/* The same, reported to the device's observer. */
YK_COLD yoke_status yk_submit_observed(yoke_stream *stream, const yk_op *op);
/* submit.c: the driver has got an operation that was deferred: count it, and keep what it uses; its event is recorded with it. */
void yk_note_deferred(yoke_stream *stream, const yk_op *op);

/* The same, inlined, for an operation that the caller has just built: only its kind's case remains of the switch. `made` is
 * op->kind as a compile-time constant; the compiler cannot assume that op->kind is unchanged once a driver has seen the
 * operation. */
YK_HOT yoke_status yk_submit_made(yoke_stream *stream, yk_op_kind made, const yk_op *op)
{
    const yk_backend *backend = stream->device->backend;
    switch (made) {
#define YK_SUBMIT_SLOT(slot) return backend->slot(stream, op)
#define YK_SUBMIT_CORE(function) break
#define YK_SUBMIT_NEVER break
#define YK_OP(kind, name, family, traits, writes, submit, run) \
    case YK_OP_##kind:                                         \
        YK_SUBMIT_##submit;
#include "objects/op.def"
#undef YK_SUBMIT_SLOT
#undef YK_SUBMIT_CORE
#undef YK_SUBMIT_NEVER
    }
    return yk_submit(stream, op);
}

/* Whether the operation may write host memory: by a read, through memory that the device shares, or behind a wait. */
YK_HOT bool yk_may_write_host(yk_op_kind made, const yk_op *op)
{
    switch (made) {
#define YK_WRITES_HOST true
#define YK_WRITES_NOTHING false
#define YK_WRITES_TRANSFERRED yk_buffer_is_shared(op->u.transfer.buffer)
#define YK_WRITES_COPIED yk_buffer_is_shared(op->u.copy.target)
#define YK_WRITES_FILLED yk_buffer_is_shared(op->u.fill.buffer)
#define YK_WRITES_IMAGED yk_buffer_is_shared(op->u.image.buffer)
#define YK_WRITES_LAUNCHED op->u.launch.touches_host
#define YK_OP(kind, name, family, traits, writes, submit, run) \
    case YK_OP_##kind:                                         \
        return YK_WRITES_##writes;
#include "objects/op.def"
#undef YK_WRITES_HOST
#undef YK_WRITES_NOTHING
#undef YK_WRITES_TRANSFERRED
#undef YK_WRITES_COPIED
#undef YK_WRITES_FILLED
#undef YK_WRITES_IMAGED
#undef YK_WRITES_LAUNCHED
    }
    return true;
}

/* An operation of this kind has been submitted. `leaving`: the gate is left with the same addition. Returns the operation's
 * number. */
YK_HOT uint64_t yk_note_submitted(yoke_stream *stream, yk_op_kind kind, const yk_op *op, bool leaving)
{
    uint_fast64_t number = atomic_load_explicit(&stream->gate, memory_order_relaxed) / YK_GATE_SUBMITTED;
    /* Two threads may race for the slot: then only one of the operations is reported. */
    yk_submitted *slot = &stream->recent[number % YK_SUBMITTED_KEPT];
    atomic_store_explicit(&slot->kind, (int)kind, memory_order_relaxed);
    atomic_store_explicit(&slot->where, op->where, memory_order_relaxed);
    atomic_store_explicit(&slot->name, yk_op_lasting_name(kind, op), memory_order_relaxed);
    if (yk_may_write_host(kind, op))
        atomic_store_explicit(&stream->writes_host, number + 1, memory_order_relaxed);
    return atomic_fetch_add_explicit(&stream->gate, leaving ? YK_GATE_SUBMITTED - YK_GATE_ONE : YK_GATE_SUBMITTED,
                                     memory_order_release) /
           YK_GATE_SUBMITTED;
}

/* The gate was closed. Defers the operation, or fails with the stream's failure; with YOKE_BLOCKING submits it and waits. */
YK_COLD yoke_status yk_stream_enqueue_closed(yoke_stream *stream, const yk_op *op);

/* Submit the operation, or defer a copy of it while the stream is deferring. For kinds that can be submitted (objects/op.def).
 * `kind` is op->kind. */
YK_HOT yoke_status yk_stream_enqueue(yoke_stream *stream, yk_op_kind kind, const yk_op *op)
{
    if (YK_UNLIKELY(!yk_gate_enter(stream)))
        return yk_stream_enqueue_closed(stream, op);
    yoke_status status = yk_submit_made(stream, kind, op);
    if (YK_UNLIKELY(status < 0)) {
        yk_gate_leave(stream);
        return yk_stream_not_submitted(stream, status);
    }
    yk_note_submitted(stream, kind, op, true);
    return YOKE_OK;
}

typedef enum yk_record_how {
    YK_RECORD_USUAL,        /* waits for room in a full stream, fails on a failed one */
    YK_RECORD_BEYOND_DEPTH, /* needs no room */
    YK_RECORD_ALWAYS        /* nor a stream that has not failed: to wait for its remaining work */
} yk_record_how;

/* What yk_stream_record does where the gate is closed. */
YK_COLD yoke_status yk_stream_record_closed(yoke_stream *stream, yoke_event *event, yk_record_how how);
/* Record a new event at the stream's end. */
YK_HOT yoke_status yk_stream_record(yoke_stream *stream, yoke_event *event, yk_record_how how)
{
    if (YK_UNLIKELY(!yk_gate_enter(stream)))
        return yk_stream_record_closed(stream, event, how);
    yoke_status status = yk_event_submit(event);
    yk_gate_leave(stream);
    return YK_UNLIKELY(status < 0) ? yk_stream_not_submitted(stream, status) : status;
}

/* As yk_stream_enqueue, for an operation with op->end, where traits.records_with_operations. The event is submitted too, unless the
 * gate was closed, or another thread was submitting: what is before the event would then be more than a number says. */
static inline yoke_status yk_stream_enqueue_with_end(yoke_stream *stream, const yk_op *op)
{
    if (YK_UNLIKELY(!yk_gate_enter(stream)))
        return yk_stream_enqueue_closed(stream, op);
    uint64_t before = yk_stream_submitted(stream);
    yoke_status status = yk_submit(stream, op);
    if (status == YOKE_OK) {
        uint64_t number = yk_note_submitted(stream, op->kind, op, false);
        if (number == before)
            yk_event_submitted(op->end, number + 1);
    }
    yk_gate_leave(stream);
    return YK_UNLIKELY(status < 0) ? yk_stream_not_submitted(stream, status) : status;
}

#endif
