/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs: launches, host functions and native sections, of one stream and of several, leave in memory what they would leave when
 * they are enqueued. Copies and fills are in graph_copy.c, how launches of graphs stand to each other in graph_order.c, changes of
 * nodes in graph_change.c, mistakes in graph_misuse.c.
 */
#include "again.h"
#include "recorded.h"

#include <stdio.h>
#include <stdlib.h>

#include <yoke/native.h>

/* ---- Launches ----------------------------------------------------------------------------------------------------------- */

static void launches(suite *t)
{
    enum { NODES = 30, TIMES = 10 };
    yoke_graph *graph = NULL;
    words x = { 0 };

    NEED(words_create(t, 1, &x) && graph_begin(t, t->stream, &graph));
    for (uint32_t i = 0; i < NODES; i++) {
        CHECK(yoke_graph_get_size(graph) == i);
        NEED(advance(t, t->stream, x.device.buffer, i));
    }
    NEED_OK(yoke_graph_end(graph));
    CHECK(yoke_graph_get_size(graph) == NODES);
    CHECK(yoke_graph_get_device(graph) == t->device);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK(words_check(t, &x)); /* nothing has run */
    for (int launch = 0; launch < TIMES; launch++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        for (uint32_t i = 0; i < NODES; i++)
            advance_host(x.host, i);
    }
    NEED_OK(yoke_stream_wait(t->stream));
    words_check(t, &x);
out:
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

/* Grids, blocks and dynamic shared memory. */
static void shapes(suite *t)
{
    static const struct {
        uint32_t grid, block;
    } tried[] = { { 1, 1 }, { 7, 4 }, { 64, 1 }, { 3, 32 } };
    enum { SHAPES = sizeof tried / sizeof tried[0], MOST = 64, TURNED = 16 };
    guarded x[SHAPES] = { { 0 } }, y = { 0 };
    uint32_t wanted[MOST], turned[TURNED], swap[TURNED];
    yoke_graph *graph = NULL;

    fill_random(turned, sizeof turned, 3);
    NEED(guarded_create(t, sizeof turned, &y) && guarded_write(t, &y, turned));
    for (int i = 0; i < SHAPES; i++)
        NEED(guarded_create(t, 4 * tried[i].grid, &x[i]));
    NEED(graph_begin(t, t->stream, &graph));
    for (int i = 0; i < SHAPES; i++)
        NEED_OK(yoke_launch(t->stream, suite_kernel(t, "shape"), YOKE_DIM(tried[i].grid), YOKE_DIM(tried[i].block), 0,
                            YOKE_ARGS(x[i].buffer, 100u * (uint32_t)i)));
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "turn"), YOKE_DIM(1), YOKE_DIM(TURNED), sizeof turned, YOKE_ARGS(y.buffer, 9u)));
    NEED_OK(yoke_graph_end(graph));
    for (int launch = 0; launch < 3; launch++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        for (int i = 0; i < TURNED; i++)
            swap[i] = turned[TURNED - 1 - i] + 9u;
        memcpy(turned, swap, sizeof turned);
    }
    NEED_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < SHAPES; i++) {
        for (uint32_t j = 0; j < tried[i].grid; j++)
            wanted[j] = 100u * (uint32_t)i + 1000u * tried[i].grid + 1000000u * tried[i].block;
        guarded_check(t, &x[i], wanted);
    }
    guarded_check(t, &y, turned);
out:
    yoke_graph_release(graph);
    for (int i = 0; i < SHAPES; i++)
        guarded_release(&x[i]);
    guarded_release(&y);
}

/* ---- Host functions and native sections --------------------------------------------------------------------------------- */

static yoke_status change_words(yoke_status status, void *user)
{
    CHECK_STATUS(YOKE_OK, status);
    advance_host(user, 100);
    return YOKE_OK;
}

/* What a function sees and writes in host memory is what the nodes round it have read and will write. */
static void functions_between_copies(suite *t)
{
    enum { TIMES = 10 };
    uint32_t *host = memory_new(WORDS_SIZE);
    yoke_graph *graph = NULL;
    words x = { 0 };

    NEED(words_create(t, 1, &x) && graph_begin(t, t->stream, &graph));
    NEED(advance(t, t->stream, x.device.buffer, 1));
    NEED_OK(yoke_read(t->stream, host, x.device.buffer, 0, WORDS_SIZE));
    NEED_OK(yoke_host_call(t->stream, change_words, host, NULL));
    NEED_OK(yoke_write(t->stream, x.device.buffer, 0, host, WORDS_SIZE));
    NEED(advance(t, t->stream, x.device.buffer, 2));
    NEED_OK(yoke_graph_end(graph));
    CHECK(yoke_graph_get_size(graph) == 5);
    for (int launch = 0; launch < TIMES; launch++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        advance_host(x.host, 1);
        advance_host(x.host, 100);
        advance_host(x.host, 2);
    }
    NEED_OK(yoke_stream_wait(t->stream));
    words_check(t, &x);
out:
    yoke_stream_wait(t->stream);
    yoke_graph_release(graph);
    guarded_release(&x.device);
    memory_free(host);
}

static yoke_status native_section(yoke_status status, void *native_stream, void *user)
{
    CHECK(native_stream != NULL);
    return tally_call(status, user);
}

static void native_sections(suite *t)
{
    enum { TIMES = 5 };
    tally n[2] = { TALLY_INIT, TALLY_INIT };
    yoke_graph *graph = NULL;
    words x = { 0 };

    NEED(words_create(t, 1, &x) && graph_begin(t, t->stream, &graph));
    for (int i = 0; i < 2; i++) {
        NEED(advance(t, t->stream, x.device.buffer, (uint32_t)i));
        NEED_OK(yoke_native_call(t->stream, native_section, &n[i], tally_release));
    }
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t launch = 0; launch < TIMES; launch++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        advance_host(x.host, 0);
        advance_host(x.host, 1);
    }
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(tally_calls(&n[0], TIMES) && tally_calls(&n[1], TIMES));
    words_check(t, &x);
    yoke_graph_release(graph);
    graph = NULL;
    tally_gone(&n[0], TIMES);
    tally_gone(&n[1], TIMES);
out:
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

/* ---- Several streams ---------------------------------------------------------------------------------------------------- */

/* x goes ahead, y and z follow it side by side, and x joins both. */
static void diamond(suite *t)
{
    enum { TIMES = 8 };
    yoke_stream *streams[3] = { t->stream, NULL, NULL };
    yoke_graph *graph = NULL;
    words x = { 0 }, y = { 0 }, z = { 0 };

    NEED(words_create(t, 1, &x) && words_create(t, 2, &y) && words_create(t, 3, &z));
    for (int i = 1; i < 3; i++)
        NEED_OK(yoke_stream_create(t->device, NULL, &streams[i]));
    NEED_OK(yoke_graph_create(t->device, "diamond", &graph));
    for (int i = 0; i < 3; i++)
        NEED_OK(yoke_graph_begin(graph, streams[i]));
    NEED(advance(t, streams[0], x.device.buffer, 1));
    NEED(follow(streams[0], streams[1]) && follow(streams[0], streams[2]));
    NEED(join(t, streams[1], y.device.buffer, x.device.buffer) && advance(t, streams[1], y.device.buffer, 2));
    NEED(join(t, streams[2], z.device.buffer, x.device.buffer));
    NEED(follow(streams[1], streams[0]) && follow(streams[2], streams[0]));
    NEED(join(t, streams[0], x.device.buffer, y.device.buffer) && join(t, streams[0], x.device.buffer, z.device.buffer));
    NEED_OK(yoke_graph_end(graph));
    CHECK(yoke_graph_get_size(graph) == 6); /* events and waits are none */
    for (int launch = 0; launch < TIMES; launch++) {
        NEED_OK(yoke_graph_launch(streams[launch % 3], graph)); /* in any stream, one behind the other */
        NEED(follow(streams[launch % 3], streams[(launch + 1) % 3]));
        advance_host(x.host, 1);
        join_host(y.host, x.host);
        advance_host(y.host, 2);
        join_host(z.host, x.host);
        join_host(x.host, y.host);
        join_host(x.host, z.host);
    }
    for (int i = 0; i < 3; i++)
        NEED_OK(yoke_stream_wait(streams[i]));
    CHECK(words_check(t, &x) && words_check(t, &y) && words_check(t, &z));
out:
    yoke_graph_release(graph);
    for (int i = 1; i < 3; i++)
        yoke_stream_release(streams[i]);
    guarded_release(&x.device);
    guarded_release(&y.device);
    guarded_release(&z.device);
}

/* A value from stream to stream and back, each step ordered by an event alone; and a lane that nothing joins in the end. */
static void hand_over(suite *t)
{
    enum { STREAMS = 5, STEPS = 40, TIMES = 4 };
    yoke_stream *streams[STREAMS] = { NULL };
    yoke_graph *graph = NULL;
    words x = { 0 }, y = { 0 };

    NEED(words_create(t, 1, &x) && words_create(t, 2, &y));
    NEED_OK(yoke_graph_create(t->device, NULL, &graph));
    for (int i = 0; i < STREAMS; i++) {
        NEED_OK(yoke_stream_create(t->device, NULL, &streams[i]));
        NEED_OK(yoke_graph_begin(graph, streams[i]));
    }
    for (uint32_t step = 0; step < STEPS; step++)
        NEED(advance(t, streams[step % STREAMS], x.device.buffer, step) &&
             follow(streams[step % STREAMS], streams[(step + 1) % STREAMS]));
    NEED(advance(t, streams[2], y.device.buffer, 9)); /* the launch has ended only when this has, too */
    NEED_OK(yoke_graph_end(graph));
    for (int i = 0; i < STREAMS; i++)
        yoke_stream_release(streams[i]);
    memset(streams, 0, sizeof streams);
    for (int launch = 0; launch < TIMES; launch++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED(advance(t, t->stream, y.device.buffer, 3));
        for (uint32_t step = 0; step < STEPS; step++)
            advance_host(x.host, step);
        advance_host(y.host, 9);
        advance_host(y.host, 3);
    }
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(words_check(t, &x) && words_check(t, &y));
out:
    yoke_graph_release(graph);
    for (int i = 0; i < STREAMS; i++)
        yoke_stream_release(streams[i]);
    guarded_release(&x.device);
    guarded_release(&y.device);
}

/* ---- Size and text ------------------------------------------------------------------------------------------------------ */

static void empty(suite *t)
{
    yoke_graph *graph = NULL;
    words x = { 0 };

    NEED(words_create(t, 1, &x) && graph_begin(t, t->stream, &graph));
    CHECK(yoke_graph_get_size(graph) == 0);
    NEED_OK(yoke_graph_end(graph));
    for (int i = 0; i < 3; i++) {
        NEED(advance(t, t->stream, x.device.buffer, 1));
        advance_host(x.host, 1);
        NEED_OK(yoke_graph_launch(t->stream, graph));
    }
    NEED_OK(yoke_stream_wait(t->stream));
    words_check(t, &x);
    CHECK(yoke_graph_get_size(graph) == 0);
out:
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

static void ten_thousand(suite *t)
{
    enum { NODES = 10000 };
    yoke_graph *graph = NULL;
    yoke_kernel *count = suite_kernel(t, "count");
    uint32_t total = 0;
    guarded x = { 0 };

    NEED(guarded_create(t, 4, &x) && guarded_write(t, &x, &total) && graph_begin(t, t->stream, &graph));
    for (uint32_t i = 0; i < NODES; i++) {
        NEED_OK(yoke_launch(t->stream, count, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x.buffer, i)));
        total += i;
    }
    NEED_OK(yoke_graph_end(graph));
    CHECK(yoke_graph_get_size(graph) == NODES);
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, &total);
    CHECK(strlen(yoke_graph_describe(graph, YOKE_GRAPH_TEXT)) > 10 * NODES);
out:
    yoke_graph_release(graph);
    guarded_release(&x);
}

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;

    for (; *text; text++)
        lines += *text == '\n' || text[1] == '\0';
    return lines;
}

/* Graphviz takes it, where that is installed. */
static void draw(const char *dot)
{
    if (system("dot -V >/dev/null 2>&1") != 0) /* NOLINT: the test's own command */
        return;
    FILE *pipe = popen("dot -Tplain >/dev/null 2>&1", "w");
    if (!CHECK(pipe != NULL))
        return;
    fputs(dot, pipe);
    CHECK(pclose(pipe) == 0);
}

static void described(suite *t)
{
    tally n = TALLY_INIT;
    yoke_graph *graph = NULL;
    words x = { 0 };
    uint32_t host[2];

    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_graph_create(t->device, "a \"quoted\" \\ name", &graph));
    CHECK(yoke_graph_describe(graph, YOKE_GRAPH_TEXT) != NULL);
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED(advance(t, t->stream, x.device.buffer, 1));
    CHECK(lines_of(yoke_graph_describe(graph, YOKE_GRAPH_TEXT)) == 2); /* also while it is recorded */
    NEED_OK(yoke_read(t->stream, host, x.device.buffer, 0, sizeof host));
    NEED_OK(yoke_write(t->stream, x.device.buffer, 8, host, sizeof host));
    NEED_OK(yoke_copy(t->stream, x.device.buffer, 16, x.device.buffer, 0, 8));
    NEED_OK(yoke_fill(t->stream, x.device.buffer, 0, 8, "ab", 2));
    NEED_OK(yoke_host_call(t->stream, tally_call, &n, NULL));
    NEED_OK(yoke_graph_end(graph));
    const char *text = yoke_graph_describe(graph, YOKE_GRAPH_TEXT);
    CHECK(lines_of(text) == 1 + yoke_graph_get_size(graph)); /* the first is of the graph */
    CHECK(suite_has_words(text, "advance|read|write|copy|fill|graph.c:"));
    const char *dot = yoke_graph_describe(graph, YOKE_GRAPH_DOT);
    CHECK(strncmp(dot, "digraph", 7) == 0);
    CHECK(suite_has_words(dot, "advance|read|write|copy|fill|->|}"));
    draw(dot);
    CHECK(strcmp(yoke_graph_describe(graph, 2), "") == 0);
    CHECK(strcmp(yoke_graph_describe(graph, -1), "") == 0);
    CHECK(strcmp(yoke_graph_describe(NULL, YOKE_GRAPH_TEXT), "") == 0);
out:
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

/* A stream that is timed may be another kind of stream to the driver. */
static void timed(suite *t)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_event *start = NULL, *end = NULL;
    yoke_stream *stream = NULL;
    yoke_graph *graph = NULL;
    words x = { 0 };
    int64_t nanoseconds = -1;

    if (!suite_can(t, YOKE_CAP_TIMING)) {
        suite_skip("no timed streams: %s", yoke_device_lacks(t->device, YOKE_CAP_TIMING));
        return;
    }
    desc.flags = YOKE_STREAM_TIMED;
    NEED_OK(yoke_stream_create(t->device, &desc, &stream));
    NEED(words_create(t, 1, &x) && graph_begin(t, t->stream, &graph));
    for (uint32_t i = 0; i < 3; i++)
        NEED(advance(t, t->stream, x.device.buffer, i));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_event_record(stream, YOKE_EVENT_TIMED, &start));
    for (int launch = 0; launch < 2; launch++) {
        NEED_OK(yoke_graph_launch(stream, graph));
        for (uint32_t i = 0; i < 3; i++)
            advance_host(x.host, i);
    }
    NEED_OK(yoke_event_record(stream, YOKE_EVENT_TIMED, &end));
    NEED_OK(yoke_stream_wait(stream));
    NEED_OK(yoke_event_get_elapsed(start, end, &nanoseconds));
    CHECK(nanoseconds > 0);
    words_check(t, &x);
out:
    yoke_event_release(start);
    yoke_event_release(end);
    yoke_graph_release(graph);
    yoke_stream_release(stream);
    guarded_release(&x.device);
}

/* ---- The same with other settings --------------------------------------------------------------------------------------- */

static const suite_case at_once[] = {
    { "functions between copies", functions_between_copies, false },
    { "native sections", native_sections, false },
    { "diamond", diamond, false },
};
static const suite_case in_pieces[] = { { "functions between copies", functions_between_copies, false } };

static void blocking(suite *t)
{
    AGAIN(t, at_once, ((const char *const[]){ "YOKE_BLOCKING=1", NULL }));
}

static void staged(suite *t)
{
    AGAIN(t, in_pieces, ((const char *const[]){ "YOKE_STAGING=1", NULL }));
}

static void other_waits(suite *t)
{
    static const int32_t ways[] = { YOKE_WAIT_SPIN, YOKE_WAIT_BLOCK };

    for (int i = 0; i < 2; i++) {
        CHECK_OK(yoke_device_set_wait(t->device, ways[i]));
        launches(t);
        functions_between_copies(t);
        diamond(t);
    }
    CHECK_OK(yoke_device_set_wait(t->device, YOKE_WAIT_AUTO));
}

static void several(suite *t)
{
    launches(t);
    shapes(t);
    diamond(t);
    hand_over(t);
    timed(t);
}

static const suite_case in_command_buffers[] = { { IN_COMMAND_BUFFERS, several, false } };

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "a chain of launches, launched ten times", launches, false },
        { "grids, blocks and shared memory", shapes, false },
        { "host functions see and change what copies move", functions_between_copies, false },
        { "native sections", native_sections, false },
        { "a diamond of three streams", diamond, false },
        { "a value handed over between five streams", hand_over, false },
        { "an empty graph", empty, false },
        { "10,000 nodes", ten_thousand, false },
        { "in a stream that is timed", timed, false },
        { "described in words and for Graphviz", described, false },
        { "the other ways to wait", other_waits, false },
        { "every call blocking", blocking, false },
        { "pageable memory carried", staged, false },
        { "as command buffers", again_in_command_buffers, false },
    };
    yoke_source source = RECORDED_SOURCE;

    if (argc == 3 && strcmp(argv[1], IN_COMMAND_BUFFERS) == 0)
        return AGAIN_MAIN(in_command_buffers, &source, argv);
    return argc == 3 ? AGAIN_MAIN(at_once, &source, argv) : SUITE_MAIN(cases, &source);
}
