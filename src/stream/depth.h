/* SPDX-License-Identifier: Apache-2.0 */
/* How much a stream may have unfinished: yoke_stream_desc.depth. */
#ifndef YK_DEPTH_H
#define YK_DEPTH_H

#include "stream/stream.h"

/* With stream->lock held, which is let go while this waits: until the stream has room for another operation, has failed or is being
 * recorded. YOKE_PENDING: it has none, and was created with YOKE_STREAM_PENDING_WHEN_FULL. */
yoke_status yk_depth_make_room(yoke_stream *stream);

/* For a call that is several operations: the same, once for all that this thread enqueues in the stream until it leaves. `wait`:
 * whatever the stream's flags are. Only YOKE_OK admits. */
yoke_status yk_depth_admit(yoke_stream *stream, bool wait);
void yk_depth_leave(const yoke_stream *stream);

/* With stream->lock held: the driver may have been given an operation. */
void yk_depth_note_submitted(yoke_stream *stream);
/* With stream->lock held: nothing is enqueued any more. */
void yk_depth_end(yoke_stream *stream);

#endif
