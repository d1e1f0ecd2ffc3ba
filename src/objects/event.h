/* SPDX-License-Identifier: Apache-2.0 */
/* The struct of an event. */
#ifndef YK_OBJECTS_EVENT_H
#define YK_OBJECTS_EVENT_H

#include "objects/stream.h"

typedef struct yk_notice yk_notice;

enum yk_event_state {
    YK_EVENT_DEFERRED,  /* recorded on a deferring stream: not submitted yet */
    YK_EVENT_SUBMITTED, /* submitted: the driver has recorded it */
    YK_EVENT_COMPLETE   /* finished, or failed: then event->failure says why */
};

struct yoke_event {
    yk_object object;
    yoke_stream *stream; /* never changes: events are recycled by their stream */
    void *native;
    uint32_t flags;                /* YOKE_EVENT_TIMED */
    unsigned epoch;                /* stream->epoch at the recording */
    atomic_int state;              /* enum yk_event_state */
    uint64_t position;             /* a lower bound on the operations submitted before it */
    uint64_t number;               /* of its record among the stream's deferred ones, from 1 */
    uint64_t recorded;             /* 1 + position, once recorded with the deferred operation before it; only for the worker */
    _Atomic(yk_failure *) failure; /* once complete; NULL: no failure */
    _Atomic(yk_notice *) notice;   /* shared by the threads that sleep for it, or NULL */
    const char *where;
    struct yk_clock *moment; /* validate/order.c's: what is before the event; or NULL */
    bool counted;            /* among stream->uses; also while it is a spare, until the stream is torn down */
    yoke_event *next;        /* in stream->spares */
};

#endif
