/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How launches of graphs stand in their streams: behind each other, beside each other, held behind host functions; and who keeps
 * what alive until they have run. Host functions inside of graphs, and their failures, are in graph_call.c.
 */
#include <sched.h>

#include "again.h"
#include "recorded.h"

/* ---- Launches in flight ------------------------------------------------------------------------------------------------- */

/* A graph of `nodes` counts of 1, which come out right in any order. */
static bool counting_graph(suite *t, yoke_buffer *x, unsigned nodes, yoke_graph **out_graph)
{
    yoke_stream *stream = NULL;
    bool ok = CHECK_OK(yoke_stream_create(t->device, &stream)) && graph_begin(t, stream, out_graph);

    for (unsigned i = 0; ok && i < nodes; i++)
        ok = CHECK_OK(yoke_launch(stream, suite_kernel(t, "count"), YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x, 1u)));
    ok = ok && CHECK_OK(yoke_graph_end(*out_graph));
    yoke_stream_release(stream);
    return ok;
}

static void many_in_flight(suite *t)
{
    enum { TIMES = 200 };
    yoke_graph *graph = NULL;
    words x = { 0 };

    NEED(words_create(t, 1, &x) && graph_begin(t, t->stream, &graph));
    NEED(advance(t, t->stream, x.device.buffer, 1) && advance(t, t->stream, x.device.buffer, 2));
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t launch = 0; launch < TIMES; launch++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED(advance(t, t->stream, x.device.buffer, launch)); /* between the launches what is enqueued in between */
        advance_host(x.host, 1);
        advance_host(x.host, 2);
        advance_host(x.host, launch);
    }
    NEED_OK(yoke_stream_wait(t->stream));
    words_check(t, &x);
out:
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

enum { THREADS = 4, STREAMS = 4, LAUNCHES = 25, NODES = 10 };

typedef struct launcher {
    yoke_stream *stream;
    yoke_graph *graph;
    pthread_t thread;
} launcher;

static void *launch_often(void *user)
{
    launcher *l = user;

    for (int i = 0; i < LAUNCHES; i++)
        if (!CHECK_OK(yoke_graph_launch(l->stream, l->graph)))
            break;
    return NULL;
}

/* One graph in several streams at once, from a thread each. */
static void several_streams_and_threads(suite *t)
{
    launcher l[THREADS] = { { 0 } };
    yoke_graph *graph = NULL;
    uint32_t total = 0;
    guarded x = { 0 };
    int started = 0;

    NEED(guarded_create(t, 4, &x) && guarded_write(t, &x, &total) && counting_graph(t, x.buffer, NODES, &graph));
    for (int i = 0; i < THREADS; i++) {
        l[i].graph = graph;
        NEED_OK(yoke_stream_create(t->device, &l[i].stream));
    }
    for (; started < THREADS; started++)
        NEED(pthread_create(&l[started].thread, NULL, launch_often, &l[started]) == 0);
out:
    for (int i = 0; i < started; i++)
        pthread_join(l[i].thread, NULL);
    for (int i = 0; i < started; i++)
        CHECK_OK(yoke_stream_wait(l[i].stream));
    total = THREADS * LAUNCHES * NODES;
    if (x.buffer)
        guarded_check(t, &x, &total);
    yoke_graph_release(graph);
    for (int i = 0; i < THREADS; i++)
        yoke_stream_release(l[i].stream);
    guarded_release(&x);
}

static yoke_status pass(yoke_status status, void *user)
{
    (void)user;
    return status;
}

typedef struct recorder {
    yoke_stream *stream;
    yoke_buffer *x;
    pthread_t thread;
    uint32_t word; /* which it writes; 0: fills */
} recorder;

/* Calls of several operations each, and of one. */
static void *record_often(void *user)
{
    static const yoke_pitch uneven = { 4, 8, 20 };
    static const yoke_rect rects = { 4, 2, 3 };
    recorder *r = user;

    for (int i = 0; i < 500; i++)
        if (!(r->word == 0 ? CHECK_OK(yoke_fill_rect(r->stream, r->x, uneven, rects, &r->word, sizeof r->word))
                           : CHECK_OK(yoke_write(r->stream, r->x, 4 * r->word, &r->word, sizeof r->word))))
            break;
    return NULL;
}

/* A call is a node, whatever other threads record in the same stream between its operations. */
static void recorded_by_several_threads(suite *t)
{
    recorder r[THREADS] = { { .stream = NULL } };
    yoke_graph *graph = NULL;
    words x = { 0 };
    int started = 0;

    NEED(words_create(t, 1, &x) && graph_begin(t, t->stream, &graph));
    for (; started < THREADS; started++) {
        r[started].stream = t->stream;
        r[started].x = x.device.buffer;
        r[started].word = started % 2 ? 100 + (uint32_t)started : 0;
        NEED(pthread_create(&r[started].thread, NULL, record_often, &r[started]) == 0);
    }
out:
    for (int i = 0; i < started; i++)
        pthread_join(r[i].thread, NULL);
    CHECK(yoke_graph_get_size(graph) == 500u * THREADS);
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

static void *record_nothing(void *user)
{
    launcher *l = user;
    yoke_device *device = yoke_stream_get_device(l->stream);

    bool good = true;

    for (int i = 0; good && i < 2000; i++) {
        yoke_graph *graph = NULL;
        good = CHECK_OK(yoke_graph_create(device, NULL, &graph)) && CHECK_OK(yoke_graph_begin(graph, l->stream));
        sched_yield();
        good = good && CHECK_OK(yoke_graph_end(graph)) && CHECK(yoke_graph_get_size(graph) == 0);
        yoke_graph_release(graph);
    }
    return NULL;
}

/* A launch is refused, or runs: nothing of it gets into what another thread has just begun to record. */
static void launched_while_recording_begins(suite *t)
{
    launcher l = { .stream = t->stream };
    yoke_stream *other = NULL;
    guarded x = { 0 };
    bool started = false;
    uint32_t total = 0;

    NEED(guarded_create(t, 4, &x) && guarded_write(t, &x, &total));
    NEED_OK(yoke_stream_create(t->device, &other));
    NEED(graph_begin(t, t->stream, &l.graph) && CHECK_OK(yoke_graph_begin(l.graph, other)));
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "count"), YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x.buffer, 1u)));
    NEED_OK(yoke_host_call(other, pass, NULL, NULL)); /* so that no driver replays it as a whole */
    NEED_OK(yoke_graph_end(l.graph));
    started = CHECK(pthread_create(&l.thread, NULL, record_nothing, &l) == 0);
    for (int i = 0; i < 2000; i++) {
        yoke_status status = yoke_graph_launch(t->stream, l.graph);
        if (status < 0 && !CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, status))
            break;
        total += status == YOKE_OK;
    }
out:
    if (started)
        pthread_join(l.thread, NULL);
    CHECK_OK(yoke_stream_wait(t->stream));
    if (x.buffer)
        guarded_check(t, &x, &total);
    yoke_graph_release(l.graph);
    yoke_stream_release(other);
    guarded_release(&x);
}

/* A launch starts behind what its stream waits for, and who waits for an event behind it waits for all of it. */
static void behind_events(suite *t)
{
    yoke_stream *streams[3] = { NULL };
    yoke_graph *graph = NULL;
    stand s = STAND_INIT;
    words x = { 0 };

    NEED(words_create(t, 1, &x) && graph_begin(t, t->stream, &graph));
    NEED(advance(t, t->stream, x.device.buffer, 1));
    NEED_OK(yoke_graph_end(graph));
    for (int i = 0; i < 3; i++)
        NEED_OK(yoke_stream_create(t->device, &streams[i]));
    NEED_OK(yoke_host_call(streams[0], stand_at_gate, &s, NULL));
    NEED(advance(t, streams[0], x.device.buffer, 2) && follow(streams[0], streams[1]));
    NEED_OK(yoke_graph_launch(streams[1], graph)); /* held */
    NEED(follow(streams[1], streams[2]) && advance(t, streams[2], x.device.buffer, 3));
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(streams[2]));
    for (uint32_t k = 2; k != 0; k = k == 2 ? 1 : k == 1 ? 3 : 0)
        advance_host(x.host, k);
    words_check(t, &x);
out:
    gate_open(&s.leave);
    if (streams[0])
        yoke_stream_wait(streams[0]);
    yoke_graph_release(graph);
    for (int i = 0; i < 3; i++)
        yoke_stream_release(streams[i]);
    guarded_release(&x.device);
}

/* What an event behind a launch stands for is the end of every lane. */
static void complete_means_all_of_it(suite *t)
{
    yoke_stream *lane = NULL;
    yoke_graph *graph = NULL;
    yoke_event *event = NULL;
    guarded slow = { 0 };
    uint32_t rounds = 0, wanted[2] = { 5, 0 }, zero[2] = { 0, 0 };
    words x = { 0 };

    NEED(guarded_create(t, sizeof wanted, &slow) && words_create(t, 1, &x));
    NEED(suite_spin(t, t->side, slow.buffer, 1, 1, NULL)); /* measures */
    NEED_OK(yoke_stream_wait(t->side));
    NEED_OK(yoke_stream_create(t->device, &lane));
    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_graph_begin(graph, lane));
    NEED(advance(t, t->stream, x.device.buffer, 1) && suite_spin(t, lane, slow.buffer, 5, 20, &rounds)); /* nothing joins it */
    NEED_OK(yoke_graph_end(graph));
    for (int launch = 0; launch < 2; launch++) {
        NEED(guarded_write(t, &slow, zero));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_event_record(t->stream, 0, &event));
        NEED_OK(yoke_event_wait(event));
        wanted[1] = spin_result(5, rounds);
        guarded_check(t, &slow, wanted);
        yoke_event_release(event);
        event = NULL;
    }
out:
    yoke_event_release(event);
    yoke_graph_release(graph);
    yoke_stream_release(lane);
    guarded_release(&slow);
    guarded_release(&x.device);
}

/* The same by a function that stands in such a lane: until it has returned, neither the event completes nor what follows runs. */
static void functions_in_loose_lanes(suite *t)
{
    yoke_stream *lane = NULL;
    yoke_graph *graph = NULL;
    yoke_event *event = NULL;
    stand s = STAND_INIT;
    words x = { 0 };

    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_stream_create(t->device, &lane));
    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_graph_begin(graph, lane));
    NEED(advance(t, t->stream, x.device.buffer, 1));
    NEED_OK(yoke_host_call(lane, stand_at_gate, &s, NULL));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED(advance(t, t->stream, x.device.buffer, 2));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    gate_wait(&s.inside, 1);
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(event, 20 * 1000 * 1000));
    gate_open(&s.leave);
    NEED_OK(yoke_event_wait(event));
    advance_host(x.host, 1);
    advance_host(x.host, 2);
    words_check(t, &x);
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    yoke_event_release(event);
    yoke_graph_release(graph);
    yoke_stream_release(lane);
    guarded_release(&x.device);
}

/* ---- Who keeps what alive ----------------------------------------------------------------------------------------------- */

/* Buffers, kernels' program and stream are released as soon as they are recorded, the graph as soon as it is launched. */
static void everything_is_released_early(suite *t)
{
    yoke_source source = RECORDED_SOURCE;
    tally n = TALLY_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    yoke_graph *graph = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *middle = NULL;
    stand s = STAND_INIT;
    words x = { 0 };

    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "advance", &kernel));
    NEED_OK(yoke_stream_create(t->device, &stream));
    NEED_OK(yoke_buffer_create(t->device, WORDS_SIZE, &middle));
    NEED(graph_begin(t, stream, &graph));
    NEED_OK(yoke_copy(stream, middle, 0, x.device.buffer, 0, WORDS_SIZE));
    NEED_OK(yoke_launch_n(stream, kernel, WORDS, YOKE_ARGS(middle, (uint32_t)WORDS, 4u)));
    NEED_OK(yoke_host_call(stream, tally_call, &n, tally_release));
    NEED_OK(yoke_copy(stream, x.device.buffer, 0, middle, 0, WORDS_SIZE));
    yoke_buffer_release(middle);
    yoke_program_release(program);
    middle = NULL;
    program = NULL;
    NEED_OK(yoke_graph_end(graph));
    yoke_stream_release(stream);
    stream = NULL;
    NEED_OK(yoke_buffer_create(t->device, WORDS_SIZE, &middle)); /* would have the same memory, had the graph not kept it */
    NEED_OK(yoke_fill(t->stream, middle, 0, WORDS_SIZE, "z", 1));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    NEED_OK(yoke_graph_launch(t->stream, graph)); /* held */
    yoke_graph_release(graph);
    graph = NULL;
    gate_wait(&s.inside, 1);
    CHECK(tally_calls(&n, 1));
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(t->stream));
    tally_gone(&n, 2);
    advance_host(x.host, 4);
    advance_host(x.host, 4);
    words_check(t, &x);
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    yoke_graph_release(graph);
    yoke_stream_release(stream);
    yoke_buffer_release(middle);
    yoke_program_release(program);
    guarded_release(&x.device);
}

typedef struct own {
    yoke_graph *graph;
    yoke_buffer *buffer;
    gate done;
} own;

static yoke_status release_the_graph(yoke_status status, void *user)
{
    own *in = user;

    CHECK_STATUS(YOKE_OK, status);
    yoke_graph_release(in->graph);
    yoke_buffer_release(in->buffer);
    in->graph = NULL;
    in->buffer = NULL;
    return YOKE_OK;
}

static void graph_released(void *user)
{
    own *in = user;

    gate_open(&in->done);
}

/* The last reference goes inside a function of the graph's own: the rest of the launch still runs. */
static void released_in_its_own_function(suite *t)
{
    own in = { .done = GATE_INIT };
    words x = { 0 };

    NEED(words_create(t, 1, &x));
    for (int round = 0; round < 5; round++) {
        NEED_OK(yoke_buffer_create(t->device, WORDS_SIZE, &in.buffer));
        NEED(graph_begin(t, t->stream, &in.graph));
        NEED_OK(yoke_copy(t->stream, in.buffer, 0, x.device.buffer, 0, WORDS_SIZE));
        NEED_OK(yoke_host_call(t->stream, release_the_graph, &in, graph_released));
        NEED(advance(t, t->stream, in.buffer, 6));
        NEED_OK(yoke_copy(t->stream, x.device.buffer, 0, in.buffer, 0, WORDS_SIZE));
        NEED_OK(yoke_graph_end(in.graph));
        NEED_OK(yoke_graph_launch(t->stream, in.graph));
        NEED_OK(yoke_stream_wait(t->stream));
        gate_wait(&in.done, 1 + (unsigned)round);
        advance_host(x.host, 6);
        NEED(words_check(t, &x));
    }
out:
    yoke_graph_release(in.graph);
    yoke_buffer_release(in.buffer);
    guarded_release(&x.device);
}

/* Nor does it matter to functions in the other streams, which have not started yet: they are called as ever. */
static void released_before_its_lanes_ran(suite *t)
{
    stand s = STAND_INIT;
    tally n = TALLY_INIT;
    yoke_graph *graph = NULL;
    yoke_event *first = NULL, *second = NULL;

    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_graph_begin(graph, t->side));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &first));
    NEED_OK(yoke_stream_wait_event(t->side, first));
    NEED_OK(yoke_host_call(t->side, tally_call, &n, tally_release));
    NEED_OK(yoke_event_record(t->side, 0, &second));
    NEED_OK(yoke_stream_wait_event(t->stream, second));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    yoke_graph_release(graph);
    graph = NULL;
    CHECK(tally_calls(&n, 0));
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    tally_gone(&n, 1);
out:
    gate_open(&s.leave);
    yoke_event_release(first);
    yoke_event_release(second);
    yoke_graph_release(graph);
}

static void references_are_counted(suite *t)
{
    tally n = TALLY_INIT;
    yoke_graph *graph = NULL;

    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_host_call(t->stream, tally_call, &n, tally_release));
    NEED_OK(yoke_graph_end(graph));
    CHECK(yoke_graph_retain(graph) == graph);
    yoke_graph_release(graph);
    CHECK(tally_calls(&n, 0));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(tally_calls(&n, 1));
    yoke_graph_release(graph);
    graph = NULL;
    tally_gone(&n, 1);
    CHECK(yoke_graph_retain(NULL) == NULL);
    yoke_graph_release(NULL);
out:
    yoke_graph_release(graph);
}

/* ---- The same with other settings --------------------------------------------------------------------------------------- */

static const suite_case other_settings[] = {
    { "many in flight", many_in_flight, false },
    { "several streams and threads", several_streams_and_threads, false },
    { "released in its own function", released_in_its_own_function, false },
};

static void other_waits(suite *t)
{
    static const int32_t ways[] = { YOKE_WAIT_SPIN, YOKE_WAIT_BLOCK };

    for (int i = 0; i < 2; i++) {
        CHECK_OK(yoke_device_set_wait(t->device, ways[i]));
        many_in_flight(t);
        behind_events(t);
        complete_means_all_of_it(t);
    }
    CHECK_OK(yoke_device_set_wait(t->device, YOKE_WAIT_AUTO));
}

static void blocking(suite *t)
{
    AGAIN(t, other_settings, ((const char *const[]){ "YOKE_BLOCKING=1", NULL }));
}

static void several(suite *t)
{
    many_in_flight(t);
    several_streams_and_threads(t);
    everything_is_released_early(t);
}

static const suite_case in_command_buffers[] = { { IN_COMMAND_BUFFERS, several, false } };

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "200 launches in flight, with others in between", many_in_flight, false },
        { "one graph in several streams, from as many threads", several_streams_and_threads, false },
        { "one stream recorded by several threads", recorded_by_several_threads, false },
        { "launched while another thread begins a recording", launched_while_recording_begins, false },
        { "a launch between events, held", behind_events, false },
        { "an event behind a launch stands for all of its lanes", complete_means_all_of_it, false },
        { "and for functions in them", functions_in_loose_lanes, false },
        { "buffers, programs, streams and graphs released early", everything_is_released_early, false },
        { "a graph released in its own function", released_in_its_own_function, false },
        { "a graph released before functions in its other streams", released_before_its_lanes_ran, false },
        { "references are counted", references_are_counted, false },
        { "the other ways to wait", other_waits, false },
        { "every call blocking", blocking, false },
        { "as command buffers", again_in_command_buffers, false },
    };
    yoke_source source = RECORDED_SOURCE;

    source.cuda = SPIN_CUDA RECORDED_CUDA;
    source.opencl = SPIN_OPENCL RECORDED_OPENCL;
    if (argc == 3 && strcmp(argv[1], IN_COMMAND_BUFFERS) == 0)
        return AGAIN_MAIN(in_command_buffers, &source, argv);
    return argc == 3 ? AGAIN_MAIN(other_settings, &source, argv) : SUITE_MAIN(cases, &source);
}
