/* SPDX-License-Identifier: Apache-2.0 */
/* Submitting operations of any kind: those without a case in the inlined path of enqueue.h. */
#include "stream/enqueue.h"

#include "stream/observer.h"
#include "stream/validator.h"
#include "stream/staged.h"

static yoke_status submit_wait(yoke_stream *stream, const yk_op *op)
{
    if (op->u.wait.native) /* a failure of the event would be the driver's to tell, and the event is the stream's own */
        return stream->device->backend->stream_wait_event(stream, op->u.wait.event);
    return yk_stream_submit_wait(stream, op->u.wait.event);
}

/* For a graph that the driver replays as a whole; the worker runs all others. */
static yoke_status submit_graph(yoke_stream *stream, const yk_op *op)
{
    return yk_batch_submit(stream, &op->u.graph.exec->batches[0]);
}

yoke_status yk_submit(yoke_stream *stream, const yk_op *op)
{
    const yk_backend *backend = stream->device->backend;
    switch (op->kind) {
#define YK_SUBMIT_SLOT(slot) return backend->slot(stream, op)
#define YK_SUBMIT_CORE(function) return function(stream, op)
#define YK_SUBMIT_NEVER break
#define YK_OP(kind, name, family, traits, writes, submit, run) \
    case YK_OP_##kind:                                         \
        YK_SUBMIT_##submit;
#include "objects/op.def"
    }
    return yk_fail(YOKE_E_INVALID_ARGUMENT, "a %s cannot be submitted to the driver", yk_op_name(op->kind));
}

yoke_status yk_submit_observed(yoke_stream *stream, const yk_op *op)
{
    void *begun = yk_observe_submit_begin(stream, op);
    yoke_status status = yk_submit(stream, op);
    yk_observe_submit_end(stream, begun, status);
    if (status == YOKE_OK)
        YK_VALIDATE(stream->device, submitted, stream, op);
    return status;
}

void yk_note_deferred(yoke_stream *stream, const yk_op *op)
{
    yk_note_submitted(stream, op->kind, op, false);
    if (yk_is_copy(op->kind) || yk_is_transfer(op->kind))
        yk_keep_for_copy(stream, op);
    if (op->end)
        op->end->recorded = 1 + yk_stream_submitted(stream);
}

static yoke_status submit_batch(yoke_stream *stream, const yk_batch *batch)
{
    yoke_status status = stream->device->backend->graph_launch(stream, batch);
    if (status != YOKE_E_UNSUPPORTED)
        return status;
    status = YOKE_OK;
    for (size_t i = 0; i < batch->count && status == YOKE_OK; i++)
        status = yk_submit(stream, batch->steps[i].op);
    if (status < 0)
        stream->device->backend->stream_finish(stream); /* earlier steps may be running, and they are not counted */
    return status;
}

yoke_status yk_batch_submit(yoke_stream *stream, const yk_batch *batch)
{
    yoke_status status = submit_batch(stream, batch);
    if (status == YOKE_OK)
        YK_VALIDATE(stream->device, replayed, stream, batch);
    return status;
}
