/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs used in ways they are not for: each is an error that says so, leaves graph, nodes and streams as they were, and calls no
 * function of the caller's. And recordings that end before their time, because graph or stream are released or fail.
 */
#include "recorded.h"

static yoke_status never(yoke_status status, void *user)
{
    (void)user;
    CHECK(!"a function that was refused is called");
    return status;
}

static void never_released(void *user)
{
    (void)user;
    CHECK(!"what belongs to a function that was refused is released");
}

/* After every refusal: the graph runs as it was recorded, one advance by 1, and the stream is well. */
static bool unharmed(suite *t, yoke_graph *graph, words *x)
{
    bool ok = CHECK_OK(yoke_graph_launch(t->stream, graph)) && CHECK_OK(yoke_stream_wait(t->stream));

    advance_host(x->host, 1);
    return ok && CHECK(yoke_graph_get_size(graph) == 1) && words_check(t, x);
}

static void nothing_given(suite *t)
{
    yoke_graph *graph = (yoke_graph *)t;
    yoke_dim one = YOKE_DIM(1);
    uint32_t value = 0;

    CHECK_REFUSED("device", yoke_graph_create(NULL, "x", &graph));
    CHECK(graph == NULL);
    CHECK_REFUSED("out_graph", yoke_graph_create(t->device, "x", NULL));
    NEED_OK(yoke_graph_create(t->device, "a name that is much longer than the 31 characters which are kept", &graph));
    CHECK_REFUSED("graph", yoke_graph_begin(NULL, t->stream));
    CHECK_REFUSED("stream", yoke_graph_begin(graph, NULL));
    CHECK_REFUSED("graph", yoke_graph_end(NULL));
    CHECK_REFUSED("graph", yoke_graph_launch(t->stream, NULL));
    CHECK_REFUSED("stream", yoke_graph_launch(NULL, graph));
    CHECK_REFUSED("graph", yoke_graph_launch(t->stream, (yoke_graph *)t->stream)); /* some other object */
    CHECK_REFUSED("graph", yoke_graph_set_launch(NULL, 0, NULL, one, one, 0, YOKE_NO_ARGS));
    CHECK_REFUSED("graph", yoke_graph_set_args(NULL, 0, YOKE_NO_ARGS));
    CHECK_REFUSED("graph", yoke_graph_set_write(NULL, 0, NULL, 0, &value, 4));
    CHECK_REFUSED("graph", yoke_graph_set_read(NULL, 0, &value, NULL, 0, 4));
    CHECK_REFUSED("graph", yoke_graph_set_copy(NULL, 0, NULL, 0, NULL, 0, 4));
    CHECK_REFUSED("graph", yoke_graph_set_fill(NULL, 0, NULL, 0, 4, &value, 4));
    CHECK_REFUSED("graph", yoke_graph_set_call(NULL, 0, never, NULL, never_released));
    CHECK(yoke_graph_get_size(NULL) == 0);
    CHECK(yoke_graph_get_size(graph) == 0);
    CHECK(strcmp(yoke_graph_describe(NULL, YOKE_GRAPH_DOT), "") == 0);
    suite_works(t);
out:
    yoke_graph_release(graph);
}

/* ---- Out of turn -------------------------------------------------------------------------------------------------------- */

static void out_of_turn(suite *t)
{
    yoke_graph *graph = NULL, *other = NULL, *never_begun = NULL;
    yoke_stream *stream = NULL;
    words x = { 0 };

    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_stream_create(t->device, &stream));
    NEED_OK(yoke_graph_create(t->device, "mine", &graph));
    NEED_OK(yoke_graph_create(t->device, NULL, &other));
    NEED_OK(yoke_graph_create(t->device, NULL, &never_begun));
    CHECK_REFUSED("mine|begin", yoke_graph_end(graph));
    CHECK_REFUSED("mine|not been recorded|yoke_graph_begin", yoke_graph_launch(stream, graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    CHECK_REFUSED("record", yoke_graph_begin(graph, t->stream));
    CHECK_REFUSED("record", yoke_graph_begin(other, t->stream));
    CHECK_REFUSED("mine|end", yoke_graph_launch(stream, graph)); /* before it has ended */
    CHECK_REFUSED("", yoke_graph_launch(t->stream, graph));      /* into itself */
    CHECK_REFUSED("end", yoke_graph_set_args(graph, 0, YOKE_ARGS(x.device.buffer, (uint32_t)WORDS, 1u)));
    NEED(advance(t, t->stream, x.device.buffer, 1));
    CHECK_REFUSED("end", yoke_graph_set_args(graph, 0, YOKE_ARGS(x.device.buffer, (uint32_t)WORDS, 5u)));
    NEED_OK(yoke_graph_end(graph));
    CHECK_REFUSED("mine|end", yoke_graph_end(graph));
    CHECK_REFUSED("mine|end", yoke_graph_begin(graph, t->stream));
    CHECK_REFUSED("mine|end", yoke_graph_begin(graph, stream));
    CHECK_REFUSED("begin", yoke_graph_end(never_begun));
    NEED_OK(yoke_graph_begin(other, stream));
    CHECK_REFUSED("record", yoke_graph_launch(stream, graph)); /* into one that is recorded */
    CHECK(yoke_graph_get_size(other) == 0);
    NEED_OK(yoke_graph_end(other));
    NEED_OK(yoke_graph_launch(stream, other));
    NEED_OK(yoke_stream_wait(stream));
    unharmed(t, graph, &x);
    suite_works(t);
out:
    yoke_graph_release(never_begun);
    yoke_graph_release(other);
    yoke_graph_release(graph);
    yoke_stream_release(stream);
    guarded_release(&x.device);
}

static void other_devices(suite *t)
{
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_graph *graph = NULL;
    words x = { 0 };
    uint32_t n = WORDS;

    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_device_open(t->info.selector, &device)); /* opened twice counts as two */
    NEED_OK(yoke_stream_create(device, &stream));
    NEED_OK(yoke_buffer_create(device, WORDS_SIZE, &buffer));
    NEED_OK(yoke_graph_create(t->device, NULL, &graph));
    CHECK_REFUSED("device", yoke_graph_begin(graph, stream));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    CHECK_REFUSED("device", yoke_launch_n(t->stream, suite_kernel(t, "advance"), WORDS, YOKE_ARGS(buffer, n, 1u)));
    CHECK_REFUSED("device", yoke_fill(t->stream, buffer, 0, 4, "x", 1));
    CHECK(yoke_graph_get_size(graph) == 0);
    NEED(advance(t, t->stream, x.device.buffer, 1));
    NEED_OK(yoke_graph_end(graph));
    CHECK_REFUSED("device", yoke_graph_launch(stream, graph));
    CHECK_REFUSED("yoke_graph_set_args: node 0: kernel|device", yoke_graph_set_args(graph, 0, YOKE_ARGS(buffer, n, 1u)));
    CHECK_OK(yoke_stream_wait(stream));
    unharmed(t, graph, &x);
out:
    yoke_graph_release(graph);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
    yoke_device_release(device);
    guarded_release(&x.device);
}

/* ---- Waits and events --------------------------------------------------------------------------------------------------- */

static void complete(yoke_status status, void *user)
{
    never(status, user);
}

/* All that such an event is good for is to be waited for in another stream of the same graph. */
static void refuses_event(suite *t, yoke_event *event)
{
    int fd = 0;
    size_t index = 0;
    int64_t elapsed = 1;

    CHECK_REFUSED("graph", yoke_event_query(event));
    CHECK_REFUSED("graph", yoke_event_wait(event));
    CHECK_REFUSED("graph", yoke_event_wait_for(event, 0));
    CHECK_REFUSED("graph", yoke_event_wait_any(&event, 1, YOKE_FOREVER, &index));
    CHECK_REFUSED("graph", yoke_event_on_complete(event, complete, NULL, never_released));
    CHECK_REFUSED("graph", yoke_event_get_fd(event, &fd));
    CHECK(fd == -1);
    CHECK_REFUSED("", yoke_event_get_elapsed(event, event, &elapsed));
    CHECK(elapsed == 0);
    CHECK_REFUSED("graph", yoke_stream_wait_event(t->side, event));
    CHECK_OK(yoke_stream_wait(t->side));
}

static void waits(suite *t)
{
    yoke_event *event = NULL, *outside = NULL, *timed = (yoke_event *)t;
    yoke_graph *graph = NULL;
    yoke_pitch flat = { 0, 0, 0 };
    yoke_rect rect = { 4, 1, 1 };
    uint32_t value = 7;
    words x = { 0 };
    yoke_stream *s = t->stream;

    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_event_record(t->side, 0, &outside));
    NEED(graph_begin(t, s, &graph));
    CHECK_REFUSED("record", yoke_stream_wait(s));
    CHECK_REFUSED("record", yoke_write_sync(s, x.device.buffer, 0, &value, 4));
    CHECK_REFUSED("record", yoke_read_sync(s, &value, x.device.buffer, 0, 4));
    CHECK_REFUSED("record", yoke_copy_sync(s, x.device.buffer, 0, x.device.buffer, 8, 4));
    CHECK_REFUSED("record", yoke_write_rect_sync(s, x.device.buffer, flat, &value, flat, rect));
    CHECK_REFUSED("record", yoke_read_rect_sync(s, &value, flat, x.device.buffer, flat, rect));
    CHECK_REFUSED("record", yoke_copy_rect_sync(s, x.device.buffer, flat, x.device.buffer, (yoke_pitch){ 8, 0, 0 }, rect));
    CHECK_REFUSED("", yoke_stream_wait_event(s, outside));
    CHECK(yoke_graph_get_size(graph) == 0);
    NEED(advance(t, s, x.device.buffer, 1));
    NEED_OK(yoke_event_record(s, 0, &event));
    refuses_event(t, event);
    CHECK_REFUSED("", yoke_event_record(s, YOKE_EVENT_TIMED, &timed));
    CHECK(timed == NULL);
    NEED_OK(yoke_stream_wait_event(s, event)); /* its own past: nothing to wait for */
    NEED_OK(yoke_graph_end(graph));
    refuses_event(t, event); /* nor afterwards */
    CHECK_REFUSED("", yoke_stream_wait_event(s, event));
    CHECK(value == 7);
    unharmed(t, graph, &x);
    yoke_graph_release(graph);
    graph = NULL;
    refuses_event(t, event); /* nor without its graph */
    suite_works(t);
out:
    yoke_graph_release(graph);
    yoke_event_release(event);
    yoke_event_release(outside);
    guarded_release(&x.device);
}

/* Not even where the stream is timed: a graph's events carry no stamps. And events of one graph are outside for another. */
static void events_of_others(suite *t)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_graph *graphs[2] = { NULL };
    yoke_stream *stream = NULL;
    yoke_event *event = NULL, *timed = NULL;

    desc.flags = suite_can(t, YOKE_CAP_TIMING) ? YOKE_STREAM_TIMED : 0;
    NEED_OK(yoke_stream_create_with(t->device, &desc, &stream));
    NEED(graph_begin(t, t->stream, &graphs[0]) && graph_begin(t, stream, &graphs[1]));
    CHECK_REFUSED("", yoke_event_record(stream, YOKE_EVENT_TIMED, &timed));
    CHECK(timed == NULL);
    NEED_OK(yoke_event_record(stream, 0, &event));
    CHECK_REFUSED("graph", yoke_stream_wait_event(t->stream, event));
    NEED_OK(yoke_graph_end(graphs[1]));
    CHECK_REFUSED("graph", yoke_stream_wait_event(t->stream, event));
    NEED_OK(yoke_graph_end(graphs[0]));
    for (int i = 0; i < 2; i++) {
        CHECK(yoke_graph_get_size(graphs[i]) == 0);
        CHECK_OK(yoke_graph_launch(t->stream, graphs[i]));
    }
    CHECK_OK(yoke_stream_wait(t->stream));
out:
    yoke_event_release(event);
    yoke_graph_release(graphs[0]);
    yoke_graph_release(graphs[1]);
    yoke_stream_release(stream);
}

/* ---- Operations and nodes ----------------------------------------------------------------------------------------------- */

/* A refused operation leaves no node. */
static void while_it_is_recorded(suite *t)
{
    yoke_kernel *kernel = suite_kernel(t, "advance");
    yoke_dim one = YOKE_DIM(1), none = { 0, 1, 1 };
    yoke_arg many[YOKE_MAX_ARGS + 1];
    yoke_graph *graph = NULL;
    uint32_t value = 0, n = WORDS;
    words x = { 0 };
    yoke_stream *s = t->stream;

    for (int i = 0; i <= YOKE_MAX_ARGS; i++)
        many[i] = YOKE_ARG(1u);
    NEED(words_create(t, 1, &x) && graph_begin(t, s, &graph));
    CHECK_REFUSED("grid", yoke_launch(s, kernel, none, one, 0, YOKE_ARGS(x.device.buffer, n, 1u)));
    CHECK_REFUSED("129|128", yoke_launch(s, kernel, one, one, 0, many, YOKE_MAX_ARGS + 1));
    CHECK_REFUSED("kernel", yoke_launch(s, NULL, one, one, 0, YOKE_ARGS(x.device.buffer, n, 1u)));
    CHECK_REFUSED("NULL", yoke_launch(s, kernel, one, one, 0, YOKE_ARGS((yoke_buffer *)NULL, n, 1u)));
    if (suite_can(t, YOKE_CAP_SIGNATURE))
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "advance|parameter 3",
                    yoke_launch(s, kernel, one, one, 0, YOKE_ARGS(x.device.buffer, n, 1.0)));
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "", yoke_launch(s, kernel, one, one, 0, YOKE_ARGS(yoke_inout(&value, 4), 1u, 1u)));
    CHECK_REFUSED("source", yoke_write(s, x.device.buffer, 0, NULL, 4));
    CHECK_REFUSED("size|0", yoke_write(s, x.device.buffer, 0, &value, 0));
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_write(s, x.device.buffer, WORDS_SIZE, &value, 1));
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_read(s, &value, x.device.buffer, WORDS_SIZE - 3, 4));
    CHECK_REFUSED("overlap", yoke_copy(s, x.device.buffer, 0, x.device.buffer, 3, 4));
    CHECK_REFUSED("pattern", yoke_fill(s, x.device.buffer, 0, 9, "abc", 3));
    CHECK_REFUSED("fn", yoke_host_call(s, NULL, NULL, never_released));
    CHECK(yoke_graph_get_size(graph) == 0);
    NEED(advance(t, s, x.device.buffer, 1));
    NEED_OK(yoke_graph_end(graph));
    unharmed(t, graph, &x);
out:
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

enum { NODE_LAUNCH, NODE_WRITE, NODE_READ, NODE_COPY, NODE_FILL, NODE_CALL, NODE_BOX, NODES };

/* A graph with a node of each kind; node 0 is an advance by 1, and the others leave x as it is. */
static bool one_of_each(suite *t, words *x, yoke_buffer *y, uint32_t *host, tally *n, yoke_graph **out_graph)
{
    yoke_pitch rows = { 0, 16, 0 }; /* so that it is no plain write */
    yoke_rect rect = { 8, 2, 1 };
    yoke_stream *s = t->stream;

    return graph_begin(t, s, out_graph) && advance(t, s, x->device.buffer, 1) && CHECK_OK(yoke_write(s, y, 0, host, 8)) &&
           CHECK_OK(yoke_read(s, host + 2, y, 0, 8)) && CHECK_OK(yoke_copy(s, y, 8, y, 0, 8)) &&
           CHECK_OK(yoke_fill(s, y, 16, 8, host, 4)) && CHECK_OK(yoke_host_call(s, tally_call, n, tally_release)) &&
           CHECK_OK(yoke_write_rect(s, y, rows, host, rows, rect)) && CHECK_OK(yoke_graph_end(*out_graph));
}

/* No node of this number, or one of another kind. */
static void wrong_nodes(suite *t, yoke_graph *graph, yoke_buffer *x, uint32_t *host)
{
    static const size_t beyond[] = { NODES, NODES + 1, SIZE_MAX };
    yoke_kernel *kernel = suite_kernel(t, "advance");
    yoke_dim one = YOKE_DIM(1);

    for (int i = 0; i < 3; i++) {
        size_t node = beyond[i];
        CHECK_FAILS(YOKE_E_RANGE, "node|7", yoke_graph_set_args(graph, node, YOKE_ARGS(x, 1u, 1u)));
        CHECK_FAILS(YOKE_E_RANGE, "node", yoke_graph_set_launch(graph, node, kernel, one, one, 0, YOKE_ARGS(x, 1u, 1u)));
        CHECK_FAILS(YOKE_E_RANGE, "node", yoke_graph_set_write(graph, node, x, 0, host, 4));
        CHECK_FAILS(YOKE_E_RANGE, "node", yoke_graph_set_read(graph, node, host, x, 0, 4));
        CHECK_FAILS(YOKE_E_RANGE, "node", yoke_graph_set_copy(graph, node, x, 0, x, 8, 4));
        CHECK_FAILS(YOKE_E_RANGE, "node", yoke_graph_set_fill(graph, node, x, 0, 4, "x", 1));
        CHECK_FAILS(YOKE_E_RANGE, "node", yoke_graph_set_call(graph, node, never, NULL, never_released));
    }
    for (size_t node = 0; node < NODES; node++) {
        if (node != NODE_LAUNCH) {
            CHECK_REFUSED("node", yoke_graph_set_args(graph, node, YOKE_ARGS(x, 1u, 1u)));
            CHECK_REFUSED("node", yoke_graph_set_launch(graph, node, kernel, one, one, 0, YOKE_ARGS(x, 1u, 1u)));
        }
        if (node != NODE_WRITE)
            CHECK_REFUSED("node", yoke_graph_set_write(graph, node, x, 0, host, 4));
        if (node != NODE_READ)
            CHECK_REFUSED("node", yoke_graph_set_read(graph, node, host, x, 0, 4));
        if (node != NODE_COPY)
            CHECK_REFUSED("node", yoke_graph_set_copy(graph, node, x, 0, x, 8, 4));
        if (node != NODE_FILL)
            CHECK_REFUSED("node", yoke_graph_set_fill(graph, node, x, 0, 4, "x", 1));
        if (node != NODE_CALL)
            CHECK_REFUSED("node", yoke_graph_set_call(graph, node, never, NULL, never_released));
    }
}

/* The right node, and what no enqueueing would take either. */
static void wrong_operations(suite *t, yoke_graph *graph, yoke_buffer *x, uint32_t *host)
{
    yoke_kernel *kernel = suite_kernel(t, "advance");
    yoke_dim one = YOKE_DIM(1), none = { 1, 0, 1 };
    yoke_arg many[YOKE_MAX_ARGS + 1];

    for (int i = 0; i <= YOKE_MAX_ARGS; i++)
        many[i] = YOKE_ARG(1u);
    CHECK_REFUSED("128", yoke_graph_set_args(graph, NODE_LAUNCH, many, YOKE_MAX_ARGS + 1));
    CHECK_REFUSED("128", yoke_graph_set_launch(graph, NODE_LAUNCH, kernel, one, one, 0, many, SIZE_MAX));
    CHECK_REFUSED("", yoke_graph_set_args(graph, NODE_LAUNCH, NULL, 3));
    CHECK_REFUSED("NULL", yoke_graph_set_args(graph, NODE_LAUNCH, YOKE_ARGS((yoke_buffer *)NULL, 1u, 1u)));
    CHECK_REFUSED("kernel", yoke_graph_set_launch(graph, NODE_LAUNCH, NULL, one, one, 0, YOKE_ARGS(x, 1u, 1u)));
    CHECK_REFUSED("grid", yoke_graph_set_launch(graph, NODE_LAUNCH, kernel, none, one, 0, YOKE_ARGS(x, 1u, 1u)));
    CHECK_FAILS(YOKE_E_RANGE, "shared",
                yoke_graph_set_launch(graph, NODE_LAUNCH, kernel, one, one, SIZE_MAX, YOKE_ARGS(x, 1u, 1u)));
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "", yoke_graph_set_args(graph, NODE_LAUNCH, YOKE_ARGS(yoke_inout(host, 4), 1u, 1u)));
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "",
                yoke_graph_set_launch(graph, NODE_LAUNCH, kernel, one, one, 0, YOKE_ARGS(yoke_in(host, 4), 1u, 1u)));
    if (suite_can(t, YOKE_CAP_SIGNATURE)) {
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "advance", yoke_graph_set_args(graph, NODE_LAUNCH, YOKE_ARGS(x, 1u)));
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "advance", yoke_graph_set_args(graph, NODE_LAUNCH, YOKE_ARGS(x, 1u, 1.0)));
    }
    CHECK_REFUSED("source", yoke_graph_set_write(graph, NODE_WRITE, x, 0, NULL, 4));
    CHECK_REFUSED("", yoke_graph_set_write(graph, NODE_WRITE, NULL, 0, host, 4));
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_graph_set_write(graph, NODE_WRITE, x, WORDS_SIZE - 1, host, 4));
    CHECK_REFUSED("target", yoke_graph_set_read(graph, NODE_READ, NULL, x, 0, 4));
    CHECK_REFUSED("size|0", yoke_graph_set_read(graph, NODE_READ, host, x, 0, 0));
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_graph_set_read(graph, NODE_READ, host, x, SIZE_MAX, 4));
    CHECK_REFUSED("overlap", yoke_graph_set_copy(graph, NODE_COPY, x, 0, x, 1, 4));
    CHECK_REFUSED("", yoke_graph_set_copy(graph, NODE_COPY, x, 0, NULL, 0, 4));
    CHECK_REFUSED("pattern", yoke_graph_set_fill(graph, NODE_FILL, x, 0, 9, "abc", 3));
    CHECK_REFUSED("pattern", yoke_graph_set_fill(graph, NODE_FILL, x, 0, 4, NULL, 4));
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_graph_set_fill(graph, NODE_FILL, x, WORDS_SIZE, 4, "abcd", 4));
    CHECK_REFUSED("fn", yoke_graph_set_call(graph, NODE_CALL, NULL, NULL, never_released));
}

static void changes(suite *t)
{
    tally n = TALLY_INIT;
    uint32_t *host = memory_new(WORDS_SIZE), got[4] = { 0 };
    yoke_graph *graph = NULL;
    yoke_buffer *y = NULL;
    words x = { 0 };

    host[0] = 0x1234567;
    host[1] = 0x89abcde;
    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_buffer_create(t->device, WORDS_SIZE, &y));
    NEED(one_of_each(t, &x, y, host, &n, &graph));
    CHECK(yoke_graph_get_size(graph) == NODES);
    wrong_nodes(t, graph, x.device.buffer, got);
    wrong_operations(t, graph, x.device.buffer, got);
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_stream_wait(t->stream));
    advance_host(x.host, 1);
    words_check(t, &x);
    CHECK(host[2] == host[0] && host[3] == host[1]);
    CHECK(got[0] == 0);
    CHECK(tally_calls(&n, 1));
    yoke_graph_release(graph);
    graph = NULL;
    tally_gone(&n, 1);
    suite_works(t);
out:
    yoke_graph_release(graph);
    yoke_buffer_release(y);
    guarded_release(&x.device);
    memory_free(host);
}

/* ---- Recordings that end before their time ------------------------------------------------------------------------------ */

/* Its streams go back to running what they are given; what was recorded never runs, and what belongs to it is released. */
static void released_while_it_is_recorded(suite *t)
{
    tally n = TALLY_INIT;
    yoke_graph *graph = NULL;
    yoke_stream *lane = NULL;
    words x = { 0 };

    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_stream_create(t->device, &lane));
    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_graph_begin(graph, lane));
    NEED(advance(t, t->stream, x.device.buffer, 1) && follow(t->stream, lane));
    NEED_OK(yoke_host_call(lane, never, &n, tally_release));
    yoke_graph_release(graph);
    graph = NULL;
    CHECK(tally_gone(&n, 0));
    NEED(advance(t, t->stream, x.device.buffer, 2) && follow(t->stream, lane) && advance(t, lane, x.device.buffer, 3));
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_wait(lane));
    advance_host(x.host, 2);
    advance_host(x.host, 3);
    words_check(t, &x);
    NEED_OK(yoke_graph_create(t->device, NULL, &graph)); /* never begun */
    yoke_graph_release(graph);
    NEED(graph_begin(t, t->stream, &graph)); /* begun, and empty */
    yoke_graph_release(graph);
    NEED(graph_begin(t, t->stream, &graph)); /* and the stream can be recorded again */
    NEED(advance(t, t->stream, x.device.buffer, 1));
    NEED_OK(yoke_graph_end(graph));
    unharmed(t, graph, &x);
out:
    yoke_graph_release(graph);
    yoke_stream_release(lane);
    guarded_release(&x.device);
}

/* The user's last reference goes: what was recorded is the graph's, which ends and runs as ever. */
static void stream_released_while_it_is_recorded(suite *t)
{
    yoke_graph *graph = NULL;
    yoke_stream *stream = NULL;
    words x = { 0 };

    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_stream_create(t->device, &stream));
    NEED(graph_begin(t, stream, &graph) && advance(t, stream, x.device.buffer, 1));
    yoke_stream_release(stream);
    stream = NULL;
    CHECK(yoke_graph_get_size(graph) == 1);
    NEED_OK(yoke_graph_end(graph));
    unharmed(t, graph, &x);
    yoke_graph_release(graph);
    graph = NULL;
    NEED_OK(yoke_stream_create(t->device, &stream));
    NEED(graph_begin(t, stream, &graph)); /* and both, in this order */
out:
    yoke_stream_release(stream);
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

/* What the stream already held still runs, while it is recorded. */
static void held_before_it_was_begun(suite *t)
{
    yoke_graph *graph = NULL;
    yoke_event *event = NULL;
    stand s = STAND_INIT;
    words x = { 0 };

    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    NEED(advance(t, t->stream, x.device.buffer, 5));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    NEED(graph_begin(t, t->stream, &graph) && advance(t, t->stream, x.device.buffer, 1));
    gate_open(&s.leave);
    CHECK_OK(yoke_event_wait(event)); /* of the time before: one as any other */
    advance_host(x.host, 5);
    words_check(t, &x);
    NEED_OK(yoke_graph_end(graph));
    CHECK_OK(yoke_stream_wait(t->stream));
    unharmed(t, graph, &x);
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    yoke_event_release(event);
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

/* The stream fails by what it held: then nothing can be recorded in it either, and nothing begun. */
static void stream_fails_while_it_is_recorded(suite *t)
{
    yoke_graph *graph = NULL, *other = NULL;
    yoke_event *event = NULL, *none = NULL;
    stand s = STAND_INIT;
    words x = { 0 };

    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    NEED_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    NEED(graph_begin(t, t->stream, &graph) && advance(t, t->stream, x.device.buffer, 1));
    gate_open(&s.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_wait(event));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_fill(t->stream, x.device.buffer, 0, 4, "x", 1));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_record(t->stream, 0, &none));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_host_call(t->stream, never, NULL, never_released));
    CHECK(yoke_graph_get_size(graph) == 1);
    CHECK_OK(yoke_graph_end(graph));
    CHECK_OK(yoke_graph_create(t->device, NULL, &other));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_graph_begin(other, t->stream));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_graph_launch(t->stream, graph));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
    words_check(t, &x);
    CHECK_OK(yoke_stream_recover(t->stream));
    unharmed(t, graph, &x);
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    yoke_event_release(none);
    yoke_event_release(event);
    yoke_graph_release(other);
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

int main(void)
{
    static const suite_case cases[] = {
        { "NULL in every place", nothing_given, false },
        { "begun, ended and launched out of turn", out_of_turn, false },
        { "streams and buffers of another device", other_devices, false },
        { "waits for recorded streams and events", waits, false },
        { "events of other graphs, and timed ones", events_of_others, false },
        { "mistakes while it is recorded leave no node", while_it_is_recorded, false },
        { "changes that fail change nothing", changes, false },
        { "the graph is released while it is recorded", released_while_it_is_recorded, false },
        { "the stream is released while it is recorded", stream_released_while_it_is_recorded, false },
        { "what was there before a recording still runs", held_before_it_was_begun, false },
        { "the stream fails while it is recorded", stream_fails_while_it_is_recorded, false },
    };
    yoke_source source = RECORDED_SOURCE;

    return SUITE_MAIN(cases, &source);
}
