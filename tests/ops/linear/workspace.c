/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workspaces that cuBLAS is given, and what its handles are told: asked of the stand-in, on the CUDA double. Its products are
 * no numbers when two of them write to one workspace at the same time.
 */
#include <stdio.h>

#include <yoke/graph.h>
#include <yoke/ops.h>

#include "../library/vendor.h"

typedef struct report {
    unsigned told;
    void *workspace;
} report;

static report look(void)
{
    static void (*get)(unsigned *out_told, void **out_workspace);
    report now = { 0, NULL };
    if (!get) {
        void *symbol = dlsym(dlopen(VENDOR_FOLDER "libcublas.so.13", RTLD_NOW | RTLD_LOCAL), "cublas_double_report");
        memcpy(&get, &symbol, sizeof get);
    }
    if (CHECK(get != NULL))
        get(&now.told, &now.workspace);
    return now;
}

static bool is_there(suite *t)
{
    bool there = vendor_open_double(t) && vendor_is_there(t);
    if (!there)
        suite_skip("only the stand-in for cuBLAS reports its arguments");
    return there;
}

/* ---- A product of ones: each element of c becomes n ---- */

typedef struct product {
    int64_t n;
    yoke_array a, c;
} product;

static bool create(suite *t, int64_t n, product *p)
{
    int64_t shape[] = { n, n };
    memset(p, 0, sizeof *p);
    p->n = n;
    return CHECK_OK(yoke_array_create(t->device, YOKE_F32, 2, shape, &p->a)) &&
           CHECK_OK(yoke_array_create(t->device, YOKE_F32, 2, shape, &p->c)) &&
           CHECK_OK(yoke_assign_value(t->stream, &p->a, YOKE_NUMBER(1))) && CHECK_OK(yoke_stream_wait(t->stream));
}

static void release(product *p)
{
    yoke_buffer_release(p->a.buffer);
    yoke_buffer_release(p->c.buffer);
    memset(p, 0, sizeof *p);
}

static bool multiply(yoke_stream *stream, const product *p)
{
    return CHECK_OK(yoke_matmul(stream, &p->c, &p->a, &p->a, NULL));
}

static bool is_right(yoke_stream *stream, const product *p)
{
    bool right = true;
    float *back = malloc((size_t)(p->n * p->n) * sizeof *back);
    if (!CHECK(back != NULL) || !CHECK_OK(yoke_read_array(stream, back, &p->c)) || !CHECK_OK(yoke_stream_wait(stream)))
        right = false;
    for (int64_t i = 0; i < p->n * p->n && right; i++)
        right = CHECK(back[i] == (float)p->n);
    free(back);
    return right;
}

/* ---- Cases ---- */

/* While one stream's product runs, another stream's has other memory; larger products until the first one is slow enough. */
static void two_streams(suite *t)
{
    bool overlapped = false;
    product a = { 0 }, b = { 0 };
    if (!is_there(t))
        return;
    for (int64_t n = 96; n <= 768 && !overlapped; n *= 2) {
        yoke_event *end = NULL;
        NEED(create(t, n, &a) && create(t, n, &b));
        NEED(multiply(t->stream, &a) && CHECK_OK(yoke_event_record(t->stream, 0, &end)));
        void *first = look().workspace;
        NEED(multiply(t->side, &b));
        void *second = look().workspace;
        overlapped = yoke_event_query(end) == YOKE_PENDING;
        CHECK(!overlapped || (first && second && first != second));
        yoke_event_release(end);
        NEED(is_right(t->stream, &a) && is_right(t->side, &b));
        release(&a);
        release(&b);
    }
    CHECK(overlapped);
out:
    (void)yoke_stream_wait(t->stream);
    (void)yoke_stream_wait(t->side);
    release(&a);
    release(&b);
}

/* Products in a row share a workspace, hold no memory when they are enqueued, and tell the handle nothing that it knows. */
static void one_stream(suite *t)
{
    enum { TIMES = 20 };
    yoke_memory_info before = YOKE_MEMORY_INFO_INIT, after = YOKE_MEMORY_INFO_INIT;
    product p = { 0 };
    if (!is_there(t))
        return;
    NEED(create(t, 64, &p) && multiply(t->stream, &p) && CHECK_OK(yoke_stream_wait(t->stream)));
    report first = look();
    NEED_OK(yoke_device_get_memory(t->device, &before));
    for (int i = 0; i < TIMES; i++)
        NEED(multiply(t->stream, &p));
    NEED_OK(yoke_device_get_memory(t->device, &after));
    report last = look();
    CHECK(last.told == first.told && last.workspace == first.workspace);
    CHECK(after.in_use == before.in_use);
    is_right(t->stream, &p);
    CHECK_OK(yoke_device_trim_memory(t->device, 0)); /* which gives the workspace back: the next product has one again */
    NEED_OK(yoke_device_get_memory(t->device, &after));
    CHECK(after.cached == 0);
    CHECK(multiply(t->stream, &p) && is_right(t->stream, &p));
out:
    (void)yoke_stream_wait(t->stream);
    release(&p);
}

/* The graph has a workspace of its own, which no stream gets: it may be launched beside any. */
static void a_graph(suite *t)
{
    yoke_graph *graph = NULL;
    product p = { 0 }, q = { 0 };
    if (!is_there(t))
        return;
    NEED(create(t, 64, &p) && create(t, 64, &q));
    NEED_OK(yoke_graph_create(t->device, "product", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED(multiply(t->stream, &p));
    NEED_OK(yoke_graph_end(graph));
    void *own = look().workspace;
    for (int i = 0; i < 10; i++) {
        NEED_OK(yoke_graph_launch(t->side, graph));
        NEED(multiply(t->stream, &q));
        CHECK(look().workspace != own);
    }
    CHECK(is_right(t->side, &p) && is_right(t->stream, &q));
out:
    (void)yoke_stream_wait(t->stream);
    (void)yoke_stream_wait(t->side);
    yoke_graph_release(graph);
    release(&p);
    release(&q);
}

/* Streams end while their products run, and others come in their place, which may have the same handles of the driver. */
static void streams_that_end(suite *t)
{
    enum { STREAMS = 12 };
    product p[STREAMS] = { { 0 } };
    yoke_event *ends[STREAMS] = { NULL };
    if (!is_there(t))
        return;
    for (int i = 0; i < STREAMS; i++) {
        yoke_stream *stream = NULL;
        NEED(create(t, 64, &p[i]));
        NEED_OK(yoke_stream_create(t->device, NULL, &stream));
        bool enqueued = multiply(stream, &p[i]) && CHECK_OK(yoke_event_record(stream, 0, &ends[i]));
        yoke_stream_release(stream);
        NEED(enqueued);
    }
    for (int i = 0; i < STREAMS; i++)
        CHECK(CHECK_OK(yoke_event_wait(ends[i])) && is_right(t->stream, &p[i]));
out:
    for (int i = 0; i < STREAMS; i++) {
        (void)yoke_event_wait(ends[i]);
        yoke_event_release(ends[i]);
        release(&p[i]);
    }
}

int main(void)
{
    static const suite_case cases[] = {
        { "products of two streams at once share no workspace", two_streams, false },
        { "products in a row share one, and tell cuBLAS nothing new", one_stream, false },
        { "a graph has a workspace of its own", a_graph, false },
        { "streams that end while their products run", streams_that_end, false },
    };
    return SUITE_MAIN(cases, NULL);
}
