/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that are being recorded: operations that go to the recorder, and calls that are refused. */
#include "stream/recording.h"

yoke_status yk_recording_refuse_locked(const char *function, const yoke_stream *stream)
{
    const yk_recording *recording = atomic_load(&stream->recording);
    if (!recording)
        return YOKE_OK;
    return yk_fail(YOKE_E_INVALID_ARGUMENT,
                   "%s: stream %s is being recorded into graph %s, and recorded work does not run; end the graph first", function,
                   stream->label, recording->label);
}

yoke_status yk_recording_refuse(const char *function, yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    yoke_status status = yk_recording_refuse_locked(function, stream);
    pthread_mutex_unlock(&stream->lock);
    return status;
}

/* NULL: the recording has ended meanwhile, and its graph may be no more. */
static const yk_recorder *recorder_of(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    const yk_recording *recording = atomic_load(&stream->recording);
    const yk_recorder *recorder = recording ? recording->recorder : NULL;
    pthread_mutex_unlock(&stream->lock);
    return recorder;
}

static yoke_status ended(const yoke_stream *stream)
{
    return yk_fail(YOKE_E_CANCELLED, "the recording of stream %s has ended meanwhile", stream->label);
}

void yk_recording_group(yoke_stream *stream, yk_op_kind kind)
{
    const yk_recorder *recorder = recorder_of(stream);
    if (recorder)
        recorder->group(stream, kind);
}

void yk_recording_ungroup(yoke_stream *stream, yoke_status status)
{
    const yk_recorder *recorder = recorder_of(stream);
    if (recorder)
        recorder->ungroup(stream, status);
}

yoke_status yk_recording_record_event(const char *function, const char *where, yoke_stream *stream, uint32_t flags,
                                      yoke_event **out_event)
{
    const yk_recorder *recorder = recorder_of(stream);
    return recorder ? recorder->record_event(function, where, stream, flags, out_event) : ended(stream);
}

yoke_status yk_recording_wait_event(const char *function, yoke_stream *stream, yoke_event *event)
{
    const yk_recorder *recorder = recorder_of(stream);
    if (!recorder)
        return yk_fail(
            YOKE_E_INVALID_ARGUMENT,
            "%s: the event was recorded into a graph; only streams that are recorded into the same graph can wait for it",
            function);
    return recorder->wait_event(function, stream, event);
}
