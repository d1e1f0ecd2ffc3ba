/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every operation is an operation of its stream: it can be recorded in a graph, it waits for host functions, and it does not run
 * when its stream is cancelled or has failed before it, nor when there is no memory for it. The table of all of them is
 * calls_table.c, which is made of their list.
 */
#include "../conformance/stand.h"
#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>

enum { SEEDS = 3 };

static const calls_size size = { 5000, 21 }; /* more than a tile of a scan or a sort */

/* ---- Trials ---- */

/* Run a trial for each operation. `wanted`: what it gives for the seeds 0 to SEEDS - 1. */
static void for_each(suite *t, void (*run)(calls_state *x, unsigned char *const *wanted))
{
    for (size_t i = 0; i < calls_count; i++) {
        calls_state x;
        unsigned char *wanted[SEEDS] = { NULL };
        bool good;
        unsigned before = suite_failures();
        if (!calls_suit(t, &calls_table[i]))
            continue;
        good = calls_create(t, &calls_table[i], size, &x);
        for (uint32_t seed = 0; good && seed < SEEDS; seed++)
            good = (wanted[seed] = calls_direct(&x, seed)) != NULL;
        if (good)
            run(&x, wanted);
        if (suite_failures() != before)
            tap_diag("this was %s", calls_table[i].name);
        for (uint32_t seed = 0; seed < SEEDS; seed++)
            if (wanted[seed])
                memory_free(wanted[seed]);
        calls_release(&x);
    }
}

/* The host function in front of a call: it makes the input. */
typedef struct feeder {
    calls_state *x;
    stand stand;
    uint32_t seed;
    yoke_status answer;
} feeder;

#define FEEDER_INIT(calls)                \
    {                                     \
        .x = (calls), .stand = STAND_INIT \
    }

static yoke_status feed(yoke_status status, void *user)
{
    feeder *f = user;
    CHECK_STATUS(YOKE_OK, status);
    calls_fill(f->x, f->seed);
    return YOKE_OK;
}

static yoke_status feed_at_gate(yoke_status status, void *user)
{
    feeder *f = user;
    status = stand_at_gate(status, &f->stand);
    calls_fill(f->x, f->seed);
    return f->answer < 0 ? yoke_fail(f->answer, OWN_TEXT) : status;
}

static void record(calls_state *x, unsigned char *const *wanted)
{
    yoke_stream *stream = x->t->stream;
    feeder f = FEEDER_INIT(x);
    yoke_graph *graph = NULL;
    NEED_OK(yoke_graph_create(x->t->device, x->entry->name, &graph));
    NEED_OK(yoke_graph_begin(graph, stream));
    NEED_OK(yoke_host_call(stream, feed, &f, NULL));
    NEED_OK(calls_enqueue(stream, x));
    NEED_OK(yoke_graph_end(graph));
    for (f.seed = 0; f.seed < SEEDS; f.seed++) {
        NEED_OK(yoke_graph_launch(stream, graph));
        NEED_OK(yoke_stream_wait(stream));
        NEED(calls_compare(x, wanted[f.seed], "in a graph"));
    }
out:
    (void)yoke_stream_wait(stream);
    yoke_graph_release(graph);
}

static void in_graphs(suite *t)
{
    for_each(t, record);
}

/* What is enqueued while the host function stands at its gate is deferred. */
static void defer(calls_state *x, unsigned char *const *wanted)
{
    yoke_stream *stream = x->t->stream;
    feeder f = FEEDER_INIT(x);
    f.seed = 1;
    calls_fill(x, 0);
    NEED_OK(yoke_host_call(stream, feed_at_gate, &f, NULL));
    NEED_OK(calls_enqueue(stream, x));
    gate_wait(&f.stand.inside, 1);
    CHECK(memcmp(x->back, x->given, x->all) == 0);
    gate_open(&f.stand.leave);
    NEED_OK(yoke_stream_wait(stream));
    calls_compare(x, wanted[1], "behind a host function");
out:
    gate_open(&f.stand.leave);
    (void)yoke_stream_wait(stream);
}

static void behind_functions(suite *t)
{
    for_each(t, defer);
}

/* The call alone, which did not run: all arguments are unchanged, and work from then on. */
static void check_unchanged(calls_state *x, unsigned char *const *wanted, const char *what)
{
    unsigned char *given = memory_new(x->all);
    NEED_OK(yoke_stream_recover(x->t->stream)); /* the host function has ended then */
    memcpy(given, x->given, x->all);
    NEED_OK(yoke_read(x->t->stream, x->back, x->buffer, 0, x->bytes));
    NEED_OK(yoke_stream_wait(x->t->stream));
    NEED(calls_compare(x, given, what));
    calls_fill(x, 2);
    NEED_OK(calls_enqueue(x->t->stream, x));
    NEED_OK(yoke_stream_wait(x->t->stream));
    calls_compare(x, wanted[2], "afterwards");
out:
    memory_free(given);
}

/* Enqueue the call behind a host function that is inside; its input is on the device. */
static bool hold(calls_state *x, feeder *f, yoke_event **out_event)
{
    yoke_stream *stream = x->t->stream;
    f->seed = 1;
    calls_fill(x, f->seed); /* which the function does again */
    if (!CHECK_OK(yoke_write(stream, x->buffer, 0, x->given, x->bytes)) || !CHECK_OK(yoke_stream_wait(stream)) ||
        !CHECK_OK(yoke_host_call(stream, feed_at_gate, f, NULL)))
        return false;
    gate_wait(&f->stand.inside, 1);
    return CHECK_OK(x->entry->enqueue(stream, x)) && CHECK_OK(yoke_event_record(stream, 0, out_event));
}

static void cancel(calls_state *x, unsigned char *const *wanted)
{
    yoke_stream *stream = x->t->stream;
    feeder f = FEEDER_INIT(x);
    yoke_event *event = NULL;
    bool held = hold(x, &f, &event);
    CHECK_OK(yoke_stream_cancel(stream));
    CHECK_FAILS(YOKE_E_CANCELLED, "yoke_stream_cancel", x->entry->enqueue(stream, x));
    gate_open(&f.stand.leave);
    CHECK_FAILS(YOKE_E_CANCELLED, "yoke_stream_cancel", yoke_stream_wait(stream));
    if (held) {
        CHECK_FAILS(YOKE_E_CANCELLED, "yoke_stream_cancel", yoke_event_wait(event));
        check_unchanged(x, wanted, "cancelled");
    }
    yoke_event_release(event);
    CHECK_OK(yoke_stream_recover(stream));
}

static void cancelled(suite *t)
{
    suite_expect_log();
    for_each(t, cancel);
}

static void fail(calls_state *x, unsigned char *const *wanted)
{
    yoke_stream *stream = x->t->stream;
    feeder f = FEEDER_INIT(x);
    yoke_event *event = NULL;
    f.answer = OWN_STATUS;
    bool held = hold(x, &f, &event);
    gate_open(&f.stand.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(stream));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, x->entry->enqueue(stream, x));
    if (held) {
        CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_wait(event));
        check_unchanged(x, wanted, "behind a failed function");
    }
    yoke_event_release(event);
    CHECK_OK(yoke_stream_recover(stream));
}

static void failed(suite *t)
{
    suite_expect_log();
    for_each(t, fail);
}

/* ---- Memory ---- */

/* Let the device have so many bytes more than `in_use`, and call: true, and all is as it was given, when that is too little. */
static bool lacks_memory(calls_state *x, const yoke_memory_info *before, uint64_t more)
{
    yoke_stream *stream = x->t->stream;
    CHECK_OK(yoke_device_trim_memory(x->t->device, 0));
    CHECK_OK(yoke_device_set_memory_limits(x->t->device, before->in_use + more, 0));
    yoke_status status = x->entry->enqueue(stream, x);
    bool lacks = status == YOKE_E_OUT_OF_DEVICE_MEMORY;
    if (lacks)
        CHECK_TEXT(yoke_error()->text, "yoke_device_set_memory_limits");
    else
        CHECK_OK(status);
    CHECK_OK(yoke_device_set_memory_limits(x->t->device, YOKE_NO_LIMIT, before->cached_limit));
    CHECK_OK(yoke_read(stream, x->back, x->buffer, 0, x->bytes));
    CHECK_OK(yoke_stream_wait(stream));
    return lacks && calls_compare(x, x->given, "without memory");
}

/* With more and more memory, so that each of several temporary arrays is the one that cannot be had. */
static void starve(calls_state *x, unsigned char *const *wanted)
{
    yoke_memory_info info = YOKE_MEMORY_INFO_INIT;
    uint64_t more = 0;
    unsigned refused = 0;
    calls_fill(x, 1);
    NEED_OK(yoke_write(x->t->stream, x->buffer, 0, x->given, x->bytes));
    NEED_OK(yoke_stream_wait(x->t->stream));
    NEED_OK(yoke_device_trim_memory(x->t->device, 0));
    NEED_OK(yoke_device_get_memory(x->t->device, &info));
    for (; lacks_memory(x, &info, more); refused++) {
        more = more ? 2 * more : 256;
        NEED(more < 1 << 30);
    }
    CHECK(refused > 0 || !x->entry->takes_memory);
    calls_compare(x, wanted[1], "with enough memory");
out:;
}

static void without_memory(suite *t)
{
    suite_expect_log();
    for_each(t, starve);
}

static const suite_case cases[] = {
    { "recorded behind a host function, and replayed with other input", in_graphs, false },
    { "behind a host function", behind_functions, false },
    { "cancelled behind a host function", cancelled, false },
    { "behind a host function that fails", failed, false },
    { "without memory for what is temporary, the first of it or the last", without_memory, false },
};

int main(void)
{
    setenv("YOKE_OPS_EXACT", "1", 1); /* the bits are compared, and a library may have others in a graph */
    return SUITE_MAIN(cases, NULL);
}
