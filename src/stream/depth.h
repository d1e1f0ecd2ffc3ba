/* SPDX-License-Identifier: Apache-2.0 */
/* The limit on a stream's unfinished operations: yoke_stream_desc.depth. */
#ifndef YK_DEPTH_H
#define YK_DEPTH_H

#include "stream/stream.h"

/* With stream->lock held; released while this waits until the stream has room for another operation, has failed or is being
 * recorded. YOKE_PENDING: the stream is full, and was created with YOKE_STREAM_PENDING_WHEN_FULL. */
yoke_status yk_depth_make_room(yoke_stream *stream);

/* For a call that enqueues several operations: wait for room once, for all that this thread enqueues in the stream until
 * yk_depth_leave. `wait`: whatever the stream's flags are. Only YOKE_OK admits. */
yoke_status yk_depth_admit(yoke_stream *stream, bool wait);
void yk_depth_leave(const yoke_stream *stream);

/* A function of the program runs inside such a call, and may call Yoke: set the call's admission aside meanwhile. */
typedef struct yk_admission {
    const yoke_stream *stream;
    unsigned count;
} yk_admission;
yk_admission yk_depth_set_aside(void);
void yk_depth_take_up(yk_admission before);

/* With stream->lock held: an operation may have been submitted. */
void yk_depth_note_submitted(yoke_stream *stream);
/* With stream->lock held: nothing more will be enqueued. */
void yk_depth_end(yoke_stream *stream);

#endif
