/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream that is being recorded: its operations go to a recorder instead of the driver. The stream knows only this table of the
 * recorder; graphs are the only recorder (graph/record.c).
 */
#ifndef YK_RECORDING_H
#define YK_RECORDING_H

#include "objects/event.h"

typedef struct yk_recorder {
    /* With stream->lock held: keep the operation. */
    yoke_status (*record)(yoke_stream *stream, const yk_op *op);
    /* The operations until ungroup belong to one call of this kind; none is kept when the call fails with `status`. */
    void (*group)(yoke_stream *stream, yk_op_kind kind);
    void (*ungroup)(yoke_stream *stream, yoke_status status);
    /* yoke_event_record and yoke_stream_wait_event: *out_event is an object of kind YK_GRAPH_EVENT. */
    yoke_status (*record_event)(const char *function, const char *where, yoke_stream *stream, uint32_t flags,
                                yoke_event **out_event);
    yoke_status (*wait_event)(const char *function, yoke_stream *stream, yoke_event *event);
} yk_recorder;

struct yk_recording {
    const yk_recorder *recorder;
    const char *label; /* the graph's */
};

static inline bool yk_is_recording(const yoke_stream *stream)
{
    return YK_UNLIKELY(atomic_load_explicit(&stream->recording, memory_order_relaxed) != NULL);
}

/* For functions that need running work: YOKE_OK, or YOKE_E_INVALID_ARGUMENT while the stream is being recorded. `_locked`: with
 * stream->lock held, without which another thread may end the recording and release the graph. */
YK_COLD yoke_status yk_recording_refuse(const char *function, yoke_stream *stream);
YK_COLD yoke_status yk_recording_refuse_locked(const char *function, const yoke_stream *stream);

/* The recorder's functions, for a stream whose recording may have ended meanwhile: then they do nothing, or fail. */
YK_COLD void yk_recording_group(yoke_stream *stream, yk_op_kind kind);
YK_COLD void yk_recording_ungroup(yoke_stream *stream, yoke_status status);
YK_COLD yoke_status yk_recording_record_event(const char *function, const char *where, yoke_stream *stream, uint32_t flags,
                                              yoke_event **out_event);
/* YOKE_E_INVALID_ARGUMENT also when the stream is not being recorded. */
YK_COLD yoke_status yk_recording_wait_event(const char *function, yoke_stream *stream, yoke_event *event);

#endif
