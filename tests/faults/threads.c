/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No thread can be started any more: a call that needs one fails with YOKE_E_OUT_OF_HOST_MEMORY, has done nothing, and works once
 * there are threads again. Each case runs in a process of its own, in which no thread of the library's is idle yet.
 */
#include "inject.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include <yoke/graph.h>

#include "../conformance/again.h"

enum { COUNT = 512, SIZE = COUNT * 4, LANES = 3, MOST_TRIES = 50 };

typedef struct trial {
    suite *t;
    yoke_stream *second, *third;
    yoke_graph *graph;
    guarded x;
    uint32_t mirror[COUNT], back[COUNT];
    atomic_uint calls;
} trial;

static yoke_status called(yoke_status status, void *user)
{
    CHECK_STATUS(YOKE_OK, status);
    atomic_fetch_add(&((trial *)user)->calls, 1);
    return YOKE_OK;
}

static bool fill(trial *w, yoke_stream *stream, size_t part, uint32_t value)
{
    return CHECK_OK(yoke_fill(stream, w->x.buffer, part * SIZE / LANES / 4 * 4, 4, &value, 4));
}

/* Behind what `ahead` has, in the recording. */
static bool follows(yoke_stream *stream, yoke_stream *ahead)
{
    yoke_event *event = NULL;
    bool ok = CHECK_OK(yoke_event_record(ahead, 0, &event)) && CHECK_OK(yoke_stream_wait_event(stream, event));

    yoke_event_release(event);
    return ok;
}

/* A fill and a function in each of three streams, and a read behind all of them. */
static bool record_graph(trial *w)
{
    yoke_stream *lanes[LANES] = { w->t->stream, w->second, w->third };
    bool ok = CHECK_OK(yoke_graph_create(w->t->device, "wide", &w->graph));

    for (size_t i = 0; i < LANES; i++)
        ok = ok && CHECK_OK(yoke_graph_begin(w->graph, lanes[i]));
    for (size_t i = 0; i < LANES; i++)
        ok = ok && fill(w, lanes[i], i, 100 + (uint32_t)i) && CHECK_OK(yoke_host_call(lanes[i], called, w, NULL));
    ok = ok && follows(w->t->stream, w->second) && follows(w->t->stream, w->third) &&
         CHECK_OK(yoke_read(w->t->stream, w->back, w->x.buffer, 0, SIZE));
    return ok && CHECK_OK(yoke_graph_end(w->graph));
}

static bool trial_open(suite *t, trial *w)
{
    *w = (trial){ .t = t };
    return CHECK_OK(yoke_stream_create(t->device, NULL, &w->second)) && CHECK_OK(yoke_stream_create(t->device, NULL, &w->third)) &&
           guarded_create(t, SIZE, &w->x) && guarded_write(t, &w->x, w->mirror) && record_graph(w);
}

static void trial_close(trial *w)
{
    inject_threads_left(UINT_MAX);
    yoke_graph_release(w->graph);
    guarded_release(&w->x);
    yoke_stream_release(w->third);
    yoke_stream_release(w->second);
}

/* Nothing was called or written, and the stream works, with `value`. */
static bool nothing_was_done(trial *w, yoke_stream *stream, uint32_t value)
{
    uint32_t got[COUNT];

    if (!CHECK_OK(yoke_stream_wait(stream)) || !CHECK(atomic_load(&w->calls) == 0) ||
        !CHECK_OK(yoke_read_sync(stream, got, w->x.buffer, 0, SIZE)) || !CHECK_BYTES(got, w->mirror, SIZE))
        return false;
    w->mirror[COUNT - 1] = value;
    return CHECK_OK(yoke_fill(stream, w->x.buffer, SIZE - 4, 4, &value, 4)) && CHECK_OK(yoke_stream_wait(stream));
}

/* With no thread, then with one more each time, of which those that were not enough stay idle for a while. */
static void launch_until_it_works(trial *w, yoke_stream *stream)
{
    yoke_status status = YOKE_E_OUT_OF_HOST_MEMORY;
    unsigned tries = 0;

    for (; status == YOKE_E_OUT_OF_HOST_MEMORY && tries < MOST_TRIES; tries++) {
        inject_threads_left(tries < LANES ? tries > 0 : tries);
        status = yoke_graph_launch(stream, w->graph);
        if (tries == 0)
            CHECK_FAILS(YOKE_E_OUT_OF_HOST_MEMORY, "cannot start a thread", status);
        if (status < 0)
            NEED(nothing_was_done(w, stream, tries + 1));
    }
    CHECK_STATUS(YOKE_OK, status);
    inject_threads_left(UINT_MAX);
    NEED_OK(yoke_stream_wait(stream));
    CHECK(atomic_load(&w->calls) == LANES);
    for (size_t i = 0; i < LANES; i++)
        w->mirror[i * SIZE / LANES / 4] = 100 + (uint32_t)i;
    CHECK_BYTES(w->back, w->mirror, SIZE);
    tap_diag("launched at try %u", tries);
out:
    inject_threads_left(UINT_MAX);
}

static void wide_graph(suite *t)
{
    trial w;

    if (trial_open(t, &w))
        launch_until_it_works(&w, t->stream);
    trial_close(&w);
}

/* The same in a stream that was not recorded. */
static void wide_graph_elsewhere(suite *t)
{
    yoke_stream *stream = NULL;
    trial w;

    if (trial_open(t, &w) && CHECK_OK(yoke_stream_create(t->device, NULL, &stream)))
        launch_until_it_works(&w, stream);
    trial_close(&w);
    yoke_stream_release(stream);
}

/* A host function, which is refused; and again. */
static void host_function(suite *t)
{
    trial w;

    NEED(trial_open(t, &w));
    inject_threads_left(0);
    CHECK_FAILS(YOKE_E_OUT_OF_HOST_MEMORY, "cannot start a thread", yoke_host_call(t->stream, called, &w, NULL));
    NEED(nothing_was_done(&w, t->stream, 7));
    inject_threads_left(UINT_MAX);
    NEED_OK(yoke_host_call(t->stream, called, &w, NULL));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(atomic_load(&w.calls) == 1);
out:
    trial_close(&w);
}

/* Many launches in one stream at once: each has its threads, and those that are not needed are idle again. */
static void many_launches(suite *t)
{
    enum { LAUNCHES = 40 };
    trial w;

    NEED(trial_open(t, &w));
    for (unsigned i = 0; i < LAUNCHES; i++)
        NEED_OK(yoke_graph_launch(t->stream, w.graph));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(atomic_load(&w.calls) == LAUNCHES * LANES);
out:
    trial_close(&w);
}

#define CASES                                                                                \
    { "a graph of three streams is launched", wide_graph, false },                           \
        { "a graph of three streams is launched in a fourth", wide_graph_elsewhere, false }, \
        { "a host function is enqueued", host_function, false },                             \
    {                                                                                        \
        "many launches in a row", many_launches, false                                       \
    }

static const suite_case apart[] = { CASES };

static void each(suite *t)
{
    const char *impossible = inject_impossible();

    if (impossible)
        suite_skip("%s", impossible);
    else
        AGAIN(t, apart, ((const char *const[]){ "YOKE_LOG=off", NULL }));
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = { { "no thread to be had", each, false } };

    if (argc == 3)
        return inject_impossible() ? 2 : AGAIN_MAIN(apart, NULL, argv);
    return SUITE_MAIN(cases, NULL);
}
