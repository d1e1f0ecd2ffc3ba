/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host function that stands at a gate: what is behind it in its stream is held for as long as a case likes, on any driver. And a
 * thread that opens a gate after a while, for when the case itself is asleep by then.
 */
#ifndef STAND_H
#define STAND_H

#include <time.h>

#include "suite.h"

typedef struct stand {
    gate inside, leave;
} stand;

#define STAND_INIT           \
    {                        \
        GATE_INIT, GATE_INIT \
    }

static inline yoke_status stand_at_gate(yoke_status status, void *user)
{
    stand *s = user;

    CHECK_STATUS(YOKE_OK, status);
    gate_open(&s->inside);
    gate_wait(&s->leave, 1);
    return YOKE_OK;
}

/* An event behind a host function that stands at the gate. */
static inline bool record_held(yoke_stream *stream, stand *s, yoke_event **out_event)
{
    return CHECK_OK(yoke_host_call(stream, stand_at_gate, s, NULL)) && CHECK_OK(yoke_event_record(stream, 0, out_event));
}

/* A host function that fails, and what its failure is known by. */
enum { OWN_STATUS = -7001 };
#define OWN_TEXT "the seventh seal is broken"

static inline yoke_status fail_on_purpose(yoke_status status, void *user)
{
    (void)user;
    CHECK_STATUS(YOKE_OK, status);
    return yoke_fail(OWN_STATUS, OWN_TEXT);
}

typedef struct opener {
    gate *gate;
    double seconds;
    pthread_t thread;
} opener;

static inline void *open_later(void *user)
{
    opener *o = user;
    time_t whole = (time_t)o->seconds;
    struct timespec rest = { whole, (long)((o->seconds - (double)whole) * 1e9) };

    while (nanosleep(&rest, &rest) != 0)
        continue;
    gate_open(o->gate);
    return NULL;
}

/* To be joined. */
static inline bool opener_start(opener *o, gate *g, double seconds)
{
    o->gate = g;
    o->seconds = seconds;
    return CHECK(pthread_create(&o->thread, NULL, open_later, o) == 0);
}

#endif
