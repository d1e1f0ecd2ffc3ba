/* SPDX-License-Identifier: Apache-2.0 */
/* Which copies Yoke stages itself, which wait until the stream is idle, and which objects they keep alive. */
#include "stream/staged.h"

#include "backend.h"
#include "stream/retire.h"

bool yk_needs_idle(const yoke_stream *stream, const yk_op *op)
{
    return yk_is_write(op->kind) && op->u.transfer.size <= YK_QUICK_WRITE && yk_is_captured_early(stream);
}

bool yk_is_staged(const yk_op *op)
{
    if (yk_is_transfer(op->kind))
        return op->u.transfer.staged;
    if (!yk_is_copy(op->kind))
        return false;
    yoke_device *one = op->u.copy.target->device, *other = op->u.copy.source->device;
    return one != other && (one->backend != other->backend || !one->backend->copies_between(one, other));
}

static void take_back(void *object)
{
    yoke_buffer *buffer = object;
    atomic_fetch_sub(&buffer->device->deferred_refs, 1);
    yk_object_release(buffer);
}

/* The buffer is retired on the stream's device, and keeps its own device alive: see yoke_device_release. */
void yk_keep_for_copy(yoke_stream *stream, const yk_op *op)
{
    yoke_buffer *foreign = !yk_is_copy(op->kind)                         ? op->u.transfer.host_buffer
                           : op->u.copy.target->device == stream->device ? op->u.copy.source
                                                                         : op->u.copy.target;
    if (!foreign || foreign->device == stream->device)
        return;
    atomic_fetch_add(&foreign->device->deferred_refs, 1);
    yk_object_retain(foreign);
    yk_retire(stream->device, foreign, take_back, stream->id, 0);
}
