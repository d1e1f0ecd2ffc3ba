/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The validator of a device's streams: functions that are told what orders operations, and each operation when its turn has come
 * and it is submitted. What happens before something else is told first. A device without a validator pays nothing; the streams of
 * a device with one keep their gate closed, as those with an observer do.
 */
#ifndef YK_VALIDATOR_H
#define YK_VALIDATOR_H

#include "objects/exec.h"
#include "objects/stream.h"

typedef struct yk_validator {
    void (*stream_begin)(yoke_stream *stream);
    void (*stream_end)(yoke_stream *stream); /* its queue is about to be destroyed */
    /* An operation was appended to what is deferred, with stream->lock held; the stream's worker has taken the oldest; has run it.
     */
    void (*deferred)(yoke_stream *stream);
    void (*taken)(yoke_stream *stream);
    void (*ran)(yoke_stream *stream);
    /* The operation, or a driver's graph, has been submitted, or done by Yoke; a native section is about to be. */
    void (*submitted)(yoke_stream *stream, const yk_op *op);
    void (*replayed)(yoke_stream *stream, const yk_batch *batch);
    void (*records)(yoke_stream *stream, yoke_event *event);
    void (*follows)(yoke_stream *stream, yoke_event *event); /* what the stream does next is behind the event */
    /* The program is told that the event is complete; that all of the stream's work is. */
    void (*knows)(const yoke_event *event);
    void (*knows_all)(const yoke_stream *stream);
    /* A function of the program begins, behind everything in the stream (a native section: behind nothing); it has returned. */
    void (*function_begin)(yoke_stream *stream);
    void (*function_end)(yoke_stream *stream);
    /* The root has its memory; its last reference is gone; its address is given to other code. */
    void (*buffer_begin)(yoke_buffer *root);
    void (*buffer_end)(yoke_buffer *root);
    void (*buffer_exposed)(yoke_buffer *root);
} yk_validator;

/* Tell the device's validator, if there is one. */
#define YK_VALIDATE(device, function, ...)              \
    do {                                                \
        if (YK_UNLIKELY((device)->validator != NULL))   \
            (device)->validator->function(__VA_ARGS__); \
    } while (0)

/* A poll whose answer the program gets. */
static inline yoke_status yk_validate_told(const yoke_event *event, yoke_status status)
{
    if (status != YOKE_PENDING)
        YK_VALIDATE(event->stream->device, knows, event);
    return status;
}

#endif
