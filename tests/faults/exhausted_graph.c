/* SPDX-License-Identifier: Apache-2.0 */
/* What is done while one allocation fails: graphs of one stream and of two, recorded, launched, changed and described. */
#include <string.h>

#include <yoke/graph.h>
#include <yoke/native.h>

#include "exhausted.h"

enum { COUNT = 200 };

typedef struct pair {
    int32_t factor, more;
} pair;

/* What the graphs work on. */
typedef struct work {
    yoke_kernel *both;
    yoke_buffer *x;
    int32_t *back;
    gate called, released;
} work;

static yoke_status called(yoke_status status, void *user)
{
    (void)was_told(status);
    gate_open(&((work *)user)->called);
    return status;
}

/* Called once where it is captured, else at each launch. */
static yoke_status called_natively(yoke_status status, void *native, void *user)
{
    (void)user;
    (void)was_told(status);
    CHECK((status == YOKE_OK) == (native != NULL));
    return status;
}

static void released(void *user)
{
    gate_open(&((work *)user)->released);
}

static yoke_status enqueue(suite *t, work *w, pair k, bool two)
{
    yoke_event *event = NULL;
    yoke_stream *second = two ? t->side : t->stream;
    yoke_status status = yoke_fill(t->stream, w->x, 0, COUNT * sizeof *w->back, "12345678", 8);

    if (status == YOKE_OK && two)
        status = yoke_event_record(t->stream, 0, &event);
    if (status == YOKE_OK && two)
        status = yoke_stream_wait_event(second, event);
    yoke_event_release(event);
    if (status == YOKE_OK)
        status = yoke_launch_n(second, w->both, COUNT, YOKE_ARGS(w->x, yoke_arg_struct(&k, sizeof k), (int32_t)COUNT));
    if (status == YOKE_OK)
        status = yoke_read(second, w->back, w->x, 0, COUNT * sizeof *w->back);
    if (status == YOKE_OK)
        status = yoke_host_call(second, called, w, released);
    if (status == YOKE_OK)
        status = yoke_native_enqueue(second, called_natively, w, NULL);
    return status;
}

/* All of it or nothing: nodes 0 to 4 are the fill, the launch, the read, and the functions. */
static yoke_status record(suite *t, work *w, pair k, bool two, yoke_graph **out_graph)
{
    yoke_status status = yoke_graph_create(t->device, "exhausted", out_graph);

    if (status == YOKE_OK)
        status = yoke_graph_begin(*out_graph, t->stream);
    if (status == YOKE_OK && two)
        status = yoke_graph_begin(*out_graph, t->side);
    if (status == YOKE_OK)
        status = enqueue(t, w, k, two);
    if (status == YOKE_OK)
        status = yoke_graph_end(*out_graph);
    if (status < 0) {
        yoke_graph_release(*out_graph);
        *out_graph = NULL;
    }
    return status;
}

static void check_back(const work *w, pair k)
{
    int32_t wanted[COUNT];

    for (int32_t i = 0; i < COUNT; i++)
        wanted[i] = i * k.factor + k.more;
    CHECK_BYTES(w->back, wanted, sizeof wanted);
}

static yoke_status with_graph(suite *t, bool two)
{
    const pair first = { 3, -7 }, second = { -5, 9 };
    work w = { .called = GATE_INIT, .released = GATE_INIT };
    yoke_graph *graph = NULL;
    yoke_status status;

    w.back = memory_new(COUNT * sizeof *w.back);
    DO(yoke_kernel_get(t->program, "both", &w.both));
    DO(yoke_buffer_create(t->device, COUNT * sizeof *w.back, &w.x));
    DO(record(t, &w, first, two, &graph));
    CHECK(yoke_graph_describe(graph, YOKE_GRAPH_DOT) != NULL);
    DO(yoke_graph_launch(t->stream, graph));
    DO(yoke_stream_wait(t->stream));
    check_back(&w, first);
    DO(yoke_graph_set_args(graph, 1, YOKE_ARGS(w.x, yoke_arg_struct(&second, sizeof second), (int32_t)COUNT)));
    DO(yoke_graph_set_read(graph, 2, w.back, w.x, 0, COUNT * sizeof *w.back));
    DO(yoke_graph_set_fill(graph, 0, w.x, 0, 16, "x", 1));
    for (int i = 0; i < 2; i++)
        DO(yoke_graph_launch(t->stream, graph));
    DO(yoke_stream_wait(t->stream));
    check_back(&w, second);
    gate_wait(&w.called, 3);
out:
    finish(t->stream);
    finish(t->side);
    yoke_graph_release(graph);
    yoke_buffer_release(w.x);
    memory_free(w.back);
    return status;
}

yoke_status scenario_graphs(suite *t, suite *p)
{
    (void)p;
    return with_graph(t, false);
}

yoke_status scenario_wide_graphs(suite *t, suite *p)
{
    (void)p;
    return with_graph(t, true);
}
