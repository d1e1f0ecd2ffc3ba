/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host functions in graphs keep the contract of yoke_host_call at each launch: once, in their turn, with the right status, free
 * to call anything; and what their failure, a cancelled stream or one that is torn down mean for the launches that are there.
 */
#include "again.h"
#include "recorded.h"

static void once_for_each_launch(suite *t)
{
    enum { TIMES = 30, CALLS = 3 };
    tally n[CALLS] = { TALLY_INIT, TALLY_INIT, TALLY_INIT };
    yoke_graph *graph = NULL;
    words x = { 0 };

    NEED(words_create(t, 1, &x) && graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_host_call(t->stream, tally_call, &n[0], tally_release)); /* first, last, and two side by side */
    NEED(advance(t, t->stream, x.device.buffer, 1));
    NEED_OK(yoke_host_call(t->stream, tally_call, &n[1], tally_release));
    NEED_OK(yoke_host_call(t->stream, tally_call, &n[2], tally_release));
    NEED_OK(yoke_graph_end(graph));
    for (int launch = 0; launch < TIMES; launch++) {
        NEED_OK(yoke_graph_launch(launch % 2 ? t->stream : t->side, graph));
        NEED(follow(launch % 2 ? t->stream : t->side, launch % 2 ? t->side : t->stream));
        advance_host(x.host, 1);
    }
    NEED_OK(yoke_stream_wait(t->side));
    NEED_OK(yoke_stream_wait(t->stream));
    words_check(t, &x);
    for (int i = 0; i < CALLS; i++)
        tally_calls(&n[i], TIMES);
    yoke_graph_release(graph);
    graph = NULL;
    for (int i = 0; i < CALLS; i++)
        tally_gone(&n[i], TIMES);
out:
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

/* What the functions below need. */
typedef struct inside {
    suite *t;
    yoke_stream *stream;
    yoke_graph *graph;
    yoke_event *behind;
    yoke_buffer *buffer;
    int left;
    gate entered, leave, done;
} inside;

#define INSIDE_INIT(suite)                                                                                   \
    {                                                                                                        \
        .t = (suite), .stream = (suite)->stream, .entered = GATE_INIT, .leave = GATE_INIT, .done = GATE_INIT \
    }

static yoke_status do_everything(yoke_status status, void *user)
{
    inside *in = user;
    suite mine = *in->t;

    CHECK_STATUS(YOKE_OK, status);
    mine.saxpy = NULL; /* so that suite_works builds */
    mine.side = NULL;
    if (CHECK_OK(yoke_stream_create(mine.device, NULL, &mine.side)))
        suite_works(&mine);
    yoke_program_release(mine.saxpy);
    yoke_stream_release(mine.side);
    return YOKE_OK;
}

static yoke_status wait_for_own(yoke_status status, void *user)
{
    inside *in = user;

    CHECK_STATUS(YOKE_OK, status);
    gate_open(&in->entered);
    gate_wait(&in->leave, 1);
    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_stream_wait(in->stream));
    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_event_wait(in->behind));
    return YOKE_OK;
}

/* Also from a function of another lane: that is work of the stream that the graph was launched in. */
static void any_call_is_allowed(suite *t)
{
    inside in = INSIDE_INIT(t);
    yoke_stream *lane = NULL;

    NEED_OK(yoke_stream_create(t->device, NULL, &lane));
    NEED(graph_begin(t, t->stream, &in.graph));
    NEED_OK(yoke_graph_begin(in.graph, lane));
    NEED_OK(yoke_host_call(t->stream, do_everything, &in, NULL));
    NEED_OK(yoke_host_call(t->stream, wait_for_own, &in, NULL));
    NEED_OK(yoke_host_call(lane, wait_for_own, &in, NULL));
    NEED_OK(yoke_graph_end(in.graph));
    NEED_OK(yoke_graph_launch(t->stream, in.graph));
    NEED_OK(yoke_event_record(t->stream, 0, &in.behind));
    gate_wait(&in.entered, 2);
    gate_open(&in.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_event_wait(in.behind));
out:
    yoke_event_release(in.behind);
    yoke_graph_release(in.graph);
    yoke_stream_release(lane);
}

static yoke_status look_at_end(yoke_status status, void *user)
{
    CHECK_STATUS(YOKE_OK, status);
    CHECK(((inside *)user)->left == 0); /* the graph's last function has run */
    return YOKE_OK;
}

static yoke_status enqueue_behind(yoke_status status, void *user)
{
    inside *in = user;

    CHECK_STATUS(YOKE_OK, status);
    CHECK_OK(yoke_host_call(in->stream, look_at_end, in, NULL));
    return YOKE_OK;
}

static yoke_status be_the_last(yoke_status status, void *user)
{
    CHECK_STATUS(YOKE_OK, status);
    ((inside *)user)->left = 0;
    return YOKE_OK;
}

/* A function that runs early enqueues in the stream of the launch, while much of the graph may not have been enqueued yet. */
static void behind_all_of_it(suite *t)
{
    enum { TIMES = 50, FILLS = 300 };
    inside in = INSIDE_INIT(t);
    yoke_stream *lane = NULL;
    guarded x = { 0 };

    NEED(guarded_create(t, 64, &x));
    NEED_OK(yoke_stream_create(t->device, NULL, &lane));
    NEED(graph_begin(t, t->stream, &in.graph));
    NEED_OK(yoke_graph_begin(in.graph, lane));
    NEED_OK(yoke_host_call(lane, enqueue_behind, &in, NULL));
    for (int i = 0; i < FILLS; i++)
        NEED_OK(yoke_fill(t->stream, x.buffer, 0, 64, "1", 1));
    NEED_OK(yoke_host_call(t->stream, be_the_last, &in, NULL));
    NEED_OK(yoke_graph_end(in.graph));
    for (int i = 0; i < TIMES && suite_failures() == 0; i++) {
        in.left = 1;
        NEED_OK(yoke_graph_launch(t->stream, in.graph));
        NEED_OK(yoke_stream_wait(t->stream)); /* for the graph, and so for the enqueue; then for what that enqueued */
        NEED_OK(yoke_stream_wait(t->stream));
    }
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_graph_release(in.graph);
    guarded_release(&x);
    yoke_stream_release(lane);
}

static yoke_status launch_again(yoke_status status, void *user)
{
    inside *in = user;

    CHECK_STATUS(YOKE_OK, status);
    if (--in->left > 0)
        CHECK_OK(yoke_graph_launch(in->stream, in->graph));
    else
        gate_open(&in->done);
    return YOKE_OK;
}

/* What it enqueues goes to the stream's end: behind what the launch still has. */
static void a_graph_launches_itself(suite *t)
{
    enum { TIMES = 50 };
    inside in = INSIDE_INIT(t);
    words x = { 0 };

    in.left = TIMES;
    NEED(words_create(t, 1, &x) && graph_begin(t, t->stream, &in.graph));
    NEED(advance(t, t->stream, x.device.buffer, 1));
    NEED_OK(yoke_host_call(t->stream, launch_again, &in, NULL));
    NEED(advance(t, t->stream, x.device.buffer, 2));
    NEED_OK(yoke_graph_end(in.graph));
    NEED_OK(yoke_graph_launch(t->stream, in.graph));
    gate_wait(&in.done, 1);
    NEED_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < TIMES; i++) {
        advance_host(x.host, 1);
        advance_host(x.host, 2);
    }
    words_check(t, &x);
out:
    yoke_graph_release(in.graph);
    guarded_release(&x.device);
}

/* Functions of two lanes, each of which goes on only when the other is inside as well. */
static yoke_status meet(yoke_status status, void *user)
{
    inside *in = user;

    CHECK_STATUS(YOKE_OK, status);
    gate_open(&in->entered);
    gate_wait(&in->entered, 2);
    return YOKE_OK;
}

static void functions_of_two_lanes_meet(suite *t)
{
    inside in = INSIDE_INIT(t);
    yoke_stream *lane = NULL;
    words x = { 0 }, y = { 0 };

    NEED(words_create(t, 1, &x) && words_create(t, 2, &y));
    NEED_OK(yoke_stream_create(t->device, NULL, &lane));
    for (int round = 0; round < 3; round++) {
        in.entered.opened = 0;
        NEED(graph_begin(t, t->stream, &in.graph));
        NEED_OK(yoke_graph_begin(in.graph, lane));
        NEED(advance(t, t->stream, x.device.buffer, 1) && follow(t->stream, lane));
        NEED_OK(yoke_host_call(t->stream, meet, &in, NULL));
        NEED(join(t, lane, y.device.buffer, x.device.buffer));
        NEED_OK(yoke_host_call(lane, meet, &in, NULL));
        NEED(advance(t, lane, y.device.buffer, 4) && follow(lane, t->stream));
        NEED(join(t, t->stream, x.device.buffer, y.device.buffer));
        NEED_OK(yoke_graph_end(in.graph));
        NEED_OK(yoke_graph_launch(t->stream, in.graph));
        NEED_OK(yoke_stream_wait(t->stream));
        advance_host(x.host, 1);
        join_host(y.host, x.host);
        advance_host(y.host, 4);
        join_host(x.host, y.host);
        CHECK(words_check(t, &x) && words_check(t, &y));
        yoke_graph_release(in.graph);
        in.graph = NULL;
    }
out:
    yoke_graph_release(in.graph);
    yoke_stream_release(lane);
    guarded_release(&x.device);
    guarded_release(&y.device);
}

enum { MANY = 64 };

static yoke_status wait_for_all(yoke_status status, void *user)
{
    gate *all = user;

    CHECK_STATUS(YOKE_OK, status);
    gate_open(all);
    gate_wait(all, MANY);
    return YOKE_OK;
}

/* 64 graphs in as many streams, whose functions have to be inside at once. */
static void functions_of_64_graphs_meet(suite *t)
{
    yoke_stream *streams[MANY] = { NULL };
    yoke_graph *graphs[MANY] = { NULL };
    uint32_t total = 0;
    gate all = GATE_INIT;
    guarded x = { 0 };
    int launched = 0;

    NEED(guarded_create(t, 4, &x) && guarded_write(t, &x, &total));
    yoke_kernel *count = suite_kernel(t, "count");
    for (int i = 0; i < MANY; i++) {
        NEED_OK(yoke_stream_create(t->device, NULL, &streams[i]));
        NEED(graph_begin(t, streams[i], &graphs[i]));
        NEED_OK(yoke_launch(streams[i], count, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x.buffer, 1u)));
        NEED_OK(yoke_host_call(streams[i], wait_for_all, &all, NULL));
        NEED_OK(yoke_launch(streams[i], count, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x.buffer, 1u)));
        NEED_OK(yoke_graph_end(graphs[i]));
    }
    for (; launched < MANY; launched++)
        NEED_OK(yoke_graph_launch(streams[launched], graphs[launched]));
out:
    for (int i = launched; i < MANY; i++)
        gate_open(&all);
    for (int i = 0; i < launched; i++)
        CHECK_OK(yoke_stream_wait(streams[i]));
    total = 2 * MANY;
    if (x.buffer)
        guarded_check(t, &x, &total);
    for (int i = 0; i < MANY; i++) {
        yoke_graph_release(graphs[i]);
        yoke_stream_release(streams[i]);
    }
    guarded_release(&x);
}

/* ---- Failures ----------------------------------------------------------------------------------------------------------- */

/* advance; n[0]; advance; n[1]: what a launch of it does shows in x. With `lane` the second half is recorded in that stream. */
static bool two_functions(suite *t, words *x, tally n[2], yoke_stream *lane, yoke_graph **out_graph)
{
    bool ok = graph_begin(t, t->stream, out_graph) && (!lane || CHECK_OK(yoke_graph_begin(*out_graph, lane)));

    for (uint32_t i = 0; ok && i < 2; i++) {
        yoke_stream *stream = i && lane ? lane : t->stream;
        ok = (stream == t->stream || follow(t->stream, lane)) && advance(t, stream, x->device.buffer, i + 1) &&
             CHECK_OK(yoke_host_call(stream, tally_call, &n[i], tally_release));
    }
    return ok && CHECK_OK(yoke_graph_end(*out_graph));
}

/* The first function fails: the node behind it does not run, nor does the launch behind, and the other functions are told. */
static void a_function_fails(suite *t)
{
    tally n[2] = { TALLY_INIT, TALLY_INIT };
    yoke_graph *graph = NULL;
    yoke_event *event = NULL;
    stand s = STAND_INIT;
    words x = { 0 };

    NEED(words_create(t, 1, &x) && two_functions(t, &x, n, NULL, &graph));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    NEED(advance(t, t->stream, x.device.buffer, 9));
    n[0].result = n[1].expected = OWN_STATUS;
    gate_open(&s.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_event_wait(event));
    gate_wait(&n[1].changed, 1);
    CHECK(tally_calls(&n[0], 1) && tally_calls(&n[1], 1));
    advance_host(x.host, 1);
    words_check(t, &x);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_stream_recover(t->stream));
    n[0].result = n[1].expected = YOKE_OK;
    NEED_OK(yoke_graph_launch(t->stream, graph)); /* the graph is none the worse */
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(tally_calls(&n[0], 2) && tally_calls(&n[1], 2));
    advance_host(x.host, 1);
    advance_host(x.host, 2);
    words_check(t, &x);
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    yoke_event_release(event);
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

/* In a diamond, what joins a lane whose function has failed does not run. */
static void a_lane_fails(suite *t)
{
    tally n[2] = { TALLY_INIT, TALLY_INIT };
    yoke_stream *lane = NULL;
    yoke_graph *graph = NULL;
    words x = { 0 };

    n[0].result = n[1].expected = OWN_STATUS;
    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_stream_create(t->device, NULL, &lane));
    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_graph_begin(graph, lane));
    NEED_OK(yoke_host_call(lane, tally_call, &n[0], NULL));
    NEED(follow(lane, t->stream) && advance(t, t->stream, x.device.buffer, 1));
    NEED_OK(yoke_host_call(t->stream, tally_call, &n[1], NULL));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
    gate_wait(&n[1].changed, 1);
    CHECK(tally_calls(&n[0], 1) && tally_calls(&n[1], 1));
    words_check(t, &x);
    NEED_OK(yoke_stream_recover(t->stream));
    n[0].result = n[1].expected = YOKE_OK;
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(tally_calls(&n[0], 2) && tally_calls(&n[1], 2));
    advance_host(x.host, 1);
    words_check(t, &x);
out:
    yoke_graph_release(graph);
    yoke_stream_release(lane);
    guarded_release(&x.device);
}

/* A function of another lane is part of the launch: whoever waits for the stream of the launch waits for it, though that stream has
 * been given up meanwhile. Else its `user` might be gone by then. */
static void wait_means_called(suite *t)
{
    yoke_stream *stream = NULL, *lane = NULL;
    yoke_graph *graph = NULL;
    yoke_event *event = NULL;
    stand s = STAND_INIT;
    words x = { 0 };

    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_stream_create(t->device, NULL, &stream));
    NEED_OK(yoke_stream_create(t->device, NULL, &lane));
    NEED(graph_begin(t, stream, &graph));
    NEED_OK(yoke_graph_begin(graph, lane));
    NEED(advance(t, stream, x.device.buffer, 1));
    NEED_OK(yoke_host_call(lane, stand_at_gate, &s, NULL));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(stream, graph));
    NEED_OK(yoke_event_record(stream, 0, &event));
    gate_wait(&s.inside, 1);
    CHECK_OK(yoke_stream_cancel(stream));
    CHECK(yoke_event_wait_for(event, 50000000) == YOKE_PENDING); /* as long as the function stands there */
    gate_open(&s.leave);
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_stream_wait(stream));
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_event_query(event));
out:
    gate_open(&s.leave);
    if (stream)
        yoke_stream_wait(stream);
    yoke_event_release(event);
    yoke_graph_release(graph);
    yoke_stream_release(stream);
    yoke_stream_release(lane);
    guarded_release(&x.device);
}

/* Launches that wait behind a function when their stream is cancelled, or released: nothing of them runs, and each of their
 * functions is called once a launch with YOKE_E_CANCELLED. */
static void given_up(suite *t, bool cancel, bool two_lanes)
{
    enum { TIMES = 3 };
    tally n[2] = { TALLY_INIT, TALLY_INIT };
    yoke_graph *graph = NULL;
    yoke_stream *stream = NULL, *lane = NULL;
    yoke_event *event = NULL;
    stand s = STAND_INIT;
    words x = { 0 };

    n[0].expected = n[1].expected = YOKE_E_CANCELLED;
    if (two_lanes)
        NEED_OK(yoke_stream_create(t->device, NULL, &lane));
    NEED(words_create(t, 1, &x) && two_functions(t, &x, n, lane, &graph));
    NEED_OK(yoke_stream_create(t->device, NULL, &stream));
    NEED_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
    for (int launch = 0; launch < TIMES; launch++)
        NEED_OK(yoke_graph_launch(stream, graph));
    NEED_OK(yoke_event_record(stream, 0, &event));
    gate_wait(&s.inside, 1); /* else the function that stands there might be cancelled too */
    if (cancel) {
        CHECK_OK(yoke_stream_cancel(stream));
    } else {
        yoke_stream_release(stream);
        stream = NULL;
    }
    yoke_graph_release(graph); /* what is left to be called keeps it */
    graph = NULL;
    gate_open(&s.leave);
    CHECK_STATUS(YOKE_E_CANCELLED, yoke_event_wait(event));
    tally_gone(&n[0], TIMES);
    tally_gone(&n[1], TIMES);
    words_check(t, &x);
out:
    gate_open(&s.leave);
    if (stream)
        yoke_stream_wait(stream);
    yoke_event_release(event);
    yoke_graph_release(graph);
    yoke_stream_release(stream);
    yoke_stream_release(lane);
    guarded_release(&x.device);
}

static void cancelled(suite *t)
{
    given_up(t, true, false);
    given_up(t, true, true);
}

static void torn_down(suite *t)
{
    given_up(t, false, false);
    given_up(t, false, true);
}

/* ---- The same with other settings --------------------------------------------------------------------------------------- */

static const suite_case other_settings[] = {
    { "once for each launch", once_for_each_launch, false },
    { "functions of two lanes meet", functions_of_two_lanes_meet, false },
    { "a graph launches itself", a_graph_launches_itself, false },
};

static void other_waits(suite *t)
{
    static const int32_t ways[] = { YOKE_WAIT_SPIN, YOKE_WAIT_BLOCK };

    for (int i = 0; i < 2; i++) {
        CHECK_OK(yoke_device_set_wait(t->device, ways[i]));
        once_for_each_launch(t);
        functions_of_two_lanes_meet(t);
        a_graph_launches_itself(t);
    }
    CHECK_OK(yoke_device_set_wait(t->device, YOKE_WAIT_AUTO));
}

static void blocking(suite *t)
{
    AGAIN(t, other_settings, ((const char *const[]){ "YOKE_BLOCKING=1", NULL }));
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "host functions run once for each launch", once_for_each_launch, false },
        { "a function may call anything but waits for its own stream", any_call_is_allowed, false },
        { "what a function enqueues in the launch's stream is behind all of the graph", behind_all_of_it, false },
        { "a graph launches itself, 50 times", a_graph_launches_itself, false },
        { "functions of two lanes wait for each other", functions_of_two_lanes_meet, false },
        { "functions of 64 graphs are inside at once", functions_of_64_graphs_meet, false },
        { "a function fails", a_function_fails, false },
        { "a function of one lane fails", a_lane_fails, false },
        { "a wait for the stream is one for the functions of other lanes", wait_means_called, false },
        { "cancelled while launches are deferred", cancelled, false },
        { "torn down while launches are deferred", torn_down, false },
        { "the other ways to wait", other_waits, false },
        { "every call blocking", blocking, false },
    };
    yoke_source source = RECORDED_SOURCE;

    return argc == 3 ? AGAIN_MAIN(other_settings, &source, argv) : SUITE_MAIN(cases, &source);
}
