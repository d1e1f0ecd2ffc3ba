/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observers of devices and their streams: the functions that are told what runs, and when. A device without an observer pays
 * nothing; the streams of a device with an observer keep their gate closed, so that every operation passes the worker or
 * yk_submit_observed. The trace is an observer.
 */
#ifndef YK_OBSERVER_H
#define YK_OBSERVER_H

#include "base/process/waiter.h"
#include "objects/stream.h"

/* What a thread of the host has done for a device. */
typedef enum yk_host_work { YK_HOST_OPEN, YK_HOST_BUILD, YK_HOST_ALLOCATE } yk_host_work;

typedef struct yk_observer {
    /* The stream has its driver's queue; the queue is about to be destroyed, with all of its work done. */
    void (*stream_begin)(yoke_stream *stream);
    void (*stream_end)(yoke_stream *stream);
    /* Around the submission of an operation; the result of begin, which may be NULL, is passed to end. */
    void *(*submit_begin)(yoke_stream *stream, const yk_op *op);
    void (*submit_end)(yoke_stream *stream, void *begun, yoke_status status);
    /* The stream's worker has run an operation itself, from `since` on. */
    void (*ran)(const yoke_stream *stream, const yk_op *op, uint64_t since);
    /* The calling thread has waited for the stream, from `since` on; `where` is where the event was recorded, or NULL. */
    void (*waited)(const yoke_stream *stream, const char *where, uint64_t since);
    /* The calling thread has worked for the device, from `since` on. `name` is the program's, `detail` says how a program was made;
     * either may be NULL. `bytes` were allocated. */
    void (*worked)(const yoke_device *device, yk_host_work work, const char *name, const char *detail, size_t bytes,
                   uint64_t since);
} yk_observer;

/* The time, for observed streams; 0 for others. */
static inline uint64_t yk_observe_now(const yoke_stream *stream)
{
    return YK_UNLIKELY(stream->device->observer != NULL) ? yk_now() : 0;
}

static inline uint64_t yk_observe_device_now(const yoke_device *device)
{
    return YK_UNLIKELY(device->observer != NULL) ? yk_now() : 0;
}

static inline void yk_observe_worked(const yoke_device *device, yk_host_work work, const char *name, const char *detail,
                                     size_t bytes, uint64_t since)
{
    if (YK_UNLIKELY(since != 0))
        device->observer->worked(device, work, name, detail, bytes, since);
}

static inline void yk_observe_ran(const yoke_stream *stream, const yk_op *op, uint64_t since)
{
    if (YK_UNLIKELY(since != 0))
        stream->device->observer->ran(stream, op, since);
}

static inline void yk_observe_waited(const yoke_stream *stream, const char *where, uint64_t since)
{
    if (YK_UNLIKELY(since != 0))
        stream->device->observer->waited(stream, where, since);
}

static inline void *yk_observe_submit_begin(yoke_stream *stream, const yk_op *op)
{
    return YK_UNLIKELY(stream->device->observer != NULL) ? stream->device->observer->submit_begin(stream, op) : NULL;
}

static inline void yk_observe_submit_end(yoke_stream *stream, void *begun, yoke_status status)
{
    if (YK_UNLIKELY(begun != NULL))
        stream->device->observer->submit_end(stream, begun, status);
}

#endif
