/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second device beside the suite's, as a suite of its own, so that the same helpers take either. Each case runs twice: with
 * another device, where there is one, and with the same device opened once more, which counts as another.
 */
#ifndef PEER_H
#define PEER_H

#include <string.h>

#include "suite.h"

typedef void (*peer_case)(suite *t, suite *p);

/* Everything of `p` but `device`, which is there. `source` may be NULL. */
static inline bool peer_ready(suite *p, const yoke_source *source)
{
    p->info = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    return CHECK_OK(yoke_device_get_info(p->device, &p->info)) && CHECK_OK(yoke_stream_create(p->device, NULL, &p->side)) &&
           CHECK_OK(yoke_stream_create(p->device, NULL, &p->stream)) &&
           (!source || CHECK_OK(yoke_program_build(p->device, source, &p->program)));
}

static inline void peer_close(suite *p)
{
    yoke_program_release(p->saxpy);
    yoke_program_release(p->program);
    yoke_stream_release(p->stream);
    yoke_stream_release(p->side);
    yoke_device_release(p->device);
    memset(p, 0, sizeof *p);
}

static inline void with_another(suite *t, const yoke_source *source, peer_case run)
{
    suite p = { 0 };

    if (!suite_open_other(t, &p.device)) {
        suite_skip("%s is the only device", t->info.selector);
        return;
    }
    if (peer_ready(&p, source))
        run(t, &p);
    peer_close(&p);
}

static inline void with_itself(suite *t, const yoke_source *source, peer_case run)
{
    suite p = { 0 };

    if (CHECK_OK(yoke_device_open(t->info.selector, &p.device)) && peer_ready(&p, source))
        run(t, &p);
    peer_close(&p);
}

/* From which device, to which, and on whose stream: one of PEER_WAYS. */
typedef struct route {
    suite *from, *to, *on;
} route;

enum { PEER_WAYS = 4 };

static inline route route_of(suite *t, suite *p, unsigned way)
{
    return (route){ .from = way & 1 ? t : p, .to = way & 1 ? p : t, .on = way & 2 ? p : t };
}

/* PEER_CASES(X) lists the cases of a program, each X(function, words); `source` is the kernels that both devices build. */
#define PEER_BOTH(function, words)              \
    static void function##_another(suite *t)    \
    {                                           \
        with_another(t, peer_source, function); \
    }                                           \
    static void function##_itself(suite *t)     \
    {                                           \
        with_itself(t, peer_source, function);  \
    }
#define PEER_ENTRIES(function, words) \
    { words, function##_another, false }, { words " (the same device again)", function##_itself, false },

#endif
