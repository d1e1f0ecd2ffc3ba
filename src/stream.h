/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, as the other rooms of src/ use them: stream.c is the object, held.c the order of its operations. */
#ifndef YK_STREAM_H
#define YK_STREAM_H

#include "core.h"

/* stream.c */

/* Needing the stream's memory, and its driver queue, but not keeping it from being torn down. */
void yk_stream_use(yoke_stream *stream);
void yk_stream_unuse(yoke_stream *stream);

/* Whether all that the driver was given is known to have finished, with its effects visible to this thread. */
static inline bool yk_stream_is_idle(const yoke_stream *stream)
{
    return atomic_load_explicit(&stream->given, memory_order_relaxed) == atomic_load_explicit(&stream->done, memory_order_acquire);
}

/* The stream fails with the thread's record, unless it has failed before. `where` is the enqueue site, used where the record has
 * none. */
YK_COLD void yk_stream_fail(yoke_stream *stream, const char *where, yoke_status status);

/* For a public function that waits: YOKE_E_DEADLOCK inside a host function of this very stream. */
bool yk_stream_is_mine(const yoke_stream *stream);
void yk_stream_set_mine(const yoke_stream *stream);

/* held.c */

/* From now on no enqueue goes straight to the driver; those on their way are through on return. */
void yk_stream_close(yoke_stream *stream);
/* Record a new event at the stream's end. `always`: also on a stream that has failed, to wait for what it still does. */
yoke_status yk_stream_record(yoke_stream *stream, yoke_event *event, bool always);
/* Hold a YK_OP_CALL or YK_OP_WAIT, and with it all that comes behind. */
yoke_status yk_stream_hold(yoke_stream *stream, const yk_op *op);
/* The thread that runs what the stream holds. */
void *yk_stream_worker(void *stream);

/* Tell those who wait for an event of this stream to be given to the driver that one was, or has settled. */
void yk_stream_progress(yoke_stream *stream);
void yk_stream_wait_until_given(yoke_stream *stream, const yoke_event *event);

/* op.c */

/* A copy that keeps alive what the operation refers to; NULL and a record when out of memory. */
yk_op *yk_op_keep(const yk_op *op);
void yk_op_drop(yk_op *op);
/* "launch", "copy", … for messages. */
const char *yk_op_name(yk_op_kind kind);

#endif
