/* SPDX-License-Identifier: Apache-2.0 */
/* The struct of an event. */
#ifndef YK_OBJECTS_EVENT_H
#define YK_OBJECTS_EVENT_H

#include "objects/stream.h"

typedef struct yk_notice yk_notice;

enum yk_event_state {
    YK_EVENT_DEFERRED,  /* recorded on a held stream: the driver does not know it yet */
    YK_EVENT_SUBMITTED, /* recorded by the driver */
    YK_EVENT_COMPLETE   /* finished, or failed: then event->failure says why */
};

struct yoke_event {
    yk_object object;
    yoke_stream *stream; /* for good: events are recycled by their stream */
    void *native;
    uint32_t flags;                /* YOKE_EVENT_TIMED */
    unsigned epoch;                /* stream->epoch at the recording */
    atomic_int state;              /* enum yk_event_state */
    uint64_t position;             /* how many operations the driver had surely been given before */
    _Atomic(yk_failure *) failure; /* once settled, or NULL */
    _Atomic(yk_notice *) notice;   /* of those that sleep for it, or NULL */
    const char *where;
    yoke_event *next; /* in stream->spares */
};

#endif
