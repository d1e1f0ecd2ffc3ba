/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host functions that many programs use: one that stands at a gate, so that what is behind it in its stream is held for as long as
 * a case likes, on any driver; one that fails; one that counts. And a thread that opens a gate after a while, for when the case
 * itself is asleep by then.
 */
#ifndef STAND_H
#define STAND_H

#include <stdatomic.h>
#include <time.h>

#include "suite.h"

typedef struct stand {
    gate inside, leave; /* opened by the function when it begins, and by the case to let it go */
    atomic_bool ended;
    bool may_fail; /* the function may be told that its stream has failed */
} stand;

#define STAND_INIT                              \
    {                                           \
        .inside = GATE_INIT, .leave = GATE_INIT \
    }

static inline yoke_status stand_at_gate(yoke_status status, void *user)
{
    stand *s = user;

    CHECK(status == YOKE_OK || s->may_fail);
    gate_open(&s->inside);
    gate_wait(&s->leave, 1);
    atomic_store(&s->ended, true);
    return YOKE_OK;
}

/* An event behind a host function that stands at the gate. */
static inline bool record_held(yoke_stream *stream, stand *s, yoke_event **out_event)
{
    return CHECK_OK(yoke_host_call(stream, stand_at_gate, s, NULL)) && CHECK_OK(yoke_event_record(stream, 0, out_event));
}

/* A host function that fails, and what its failure is known by: `user` is an own_failure, or NULL for the usual one. */
enum { OWN_STATUS = -7001 };
#define OWN_TEXT "the seventh seal is broken"

typedef struct own_failure {
    yoke_status status;
    const char *text;
} own_failure;

static inline yoke_status fail_on_purpose(yoke_status status, void *user)
{
    const own_failure *own = user;

    CHECK_STATUS(YOKE_OK, status);
    return yoke_fail(own ? own->status : OWN_STATUS, "%s", own ? own->text : OWN_TEXT);
}

/* A host function that counts its calls in the atomic_uint that is its `user`. */
static inline yoke_status count_up(yoke_status status, void *user)
{
    CHECK_STATUS(YOKE_OK, status);
    atomic_fetch_add((atomic_uint *)user, 1);
    return YOKE_OK;
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
