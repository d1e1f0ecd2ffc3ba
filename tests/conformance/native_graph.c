/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native sections in graphs: captured when the recording ends, where the driver captures what other code enqueues, and then never
 * called again; else called once at each launch. Either way the work is done at each launch, in the recorded order, on the data
 * of that launch, and `user` is released once, with the graph.
 */
#include "native_section.h"

enum { LAUNCHES = 6 };

/* How often the function has been called: by the end of the recording, and after so many launches. */
static bool calls_are(const chain *c, const section *n, unsigned launches)
{
    return section_is(n, c->captures ? 1 : launches, 0);
}

/* The graph's last reference: the sections go with it. */
static void release_and_check(const chain *c, yoke_graph **graph, section *n, size_t count, unsigned launches)
{
    yoke_graph_release(*graph);
    *graph = NULL;
    for (size_t i = 0; i < count; i++) {
        gate_wait(&n[i].changed, (c->captures ? 1 : launches) + 1);
        section_is(&n[i], c->captures ? 1 : launches, 1);
    }
}

/* x is advanced, y becomes a copy, is advanced, and z becomes a copy of that. */
static bool record_chain(suite *t, chain *c, section *n, yoke_stream *stream)
{
    return init_copy(&n[0], c, &c->y, &c->x) && init_copy(&n[1], c, &c->z, &c->y) && advance(t, stream, c->x.device.buffer, 7) &&
           section_enqueue(stream, &n[0]) && advance(t, stream, c->y.device.buffer, 11) && section_enqueue(stream, &n[1]);
}

static void chain_host(chain *c)
{
    advance_host(c->x.host, 7);
    memcpy(c->y.host, c->x.host, WORDS_SIZE);
    advance_host(c->y.host, 11);
    memcpy(c->z.host, c->y.host, WORDS_SIZE);
}

static void replayed_with_other_data(suite *t)
{
    chain c;
    section n[2];
    yoke_graph *graph = NULL;

    NEED(chain_create(t, &c) && graph_begin(t, t->stream, &graph) && record_chain(t, &c, n, t->stream));
    CHECK(section_is(&n[0], 0, 0) && section_is(&n[1], 0, 0)); /* a recording runs nothing */
    NEED_OK(yoke_graph_end(graph));
    CHECK(yoke_graph_get_size(graph) == 4 && strstr(yoke_graph_describe(graph, YOKE_GRAPH_TEXT), "native section"));
    CHECK(calls_are(&c, &n[0], 0) && calls_are(&c, &n[1], 0));
    for (unsigned i = 0; i < LAUNCHES; i++) {
        fill_random(c.x.host, WORDS_SIZE, 20 + i);
        NEED_OK(yoke_write_sync(t->stream, c.x.device.buffer, 0, c.x.host, WORDS_SIZE));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        chain_host(&c);
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(chain_check(t, &c));
        CHECK(calls_are(&c, &n[0], i + 1) && calls_are(&c, &n[1], i + 1));
    }
    release_and_check(&c, &graph, n, 2, LAUNCHES);
    suite_works(t);
out:
    yoke_graph_release(graph);
    chain_release(t, &c);
}

/* Launched in two streams by turns, and once behind a host function, so that the launch is deferred. */
static void launched_anywhere(suite *t)
{
    chain c;
    section n[2];
    stand s = STAND_INIT;
    yoke_graph *graph = NULL;

    NEED(chain_create(t, &c) && graph_begin(t, t->stream, &graph) && record_chain(t, &c, n, t->stream));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    for (unsigned i = 0; i < LAUNCHES; i++) {
        yoke_stream *here = i % 2 ? t->side : t->stream, *next = i % 2 ? t->stream : t->side;
        NEED_OK(yoke_graph_launch(here, graph));
        NEED(follow(here, next));
        chain_host(&c);
    }
    CHECK(calls_are(&c, &n[0], 0));
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_wait(t->side));
    chain_check(t, &c);
    release_and_check(&c, &graph, n, 2, LAUNCHES);
out:
    gate_open(&s.leave);
    yoke_graph_release(graph);
    chain_release(t, &c);
}

/* Two streams are recorded. Each copies what the other has made: x, y = advanced y, advanced x. */
static void in_two_streams(suite *t)
{
    chain c;
    section n[3];
    yoke_graph *graph = NULL;
    yoke_stream *lane = NULL;

    NEED(chain_create(t, &c));
    NEED_OK(yoke_stream_create(t->device, NULL, &lane));
    NEED(init_copy(&n[0], &c, &c.z, &c.x) && init_copy(&n[1], &c, &c.x, &c.y) && init_copy(&n[2], &c, &c.y, &c.z));
    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_graph_begin(graph, lane));
    NEED(advance(t, t->stream, c.x.device.buffer, 3) && section_enqueue(t->stream, &n[0]) &&
         advance(t, lane, c.y.device.buffer, 5));
    NEED(follow(t->stream, lane) && section_enqueue(lane, &n[1]) && follow(lane, t->stream) && section_enqueue(t->stream, &n[2]));
    NEED(advance(t, lane, c.x.device.buffer, 9));
    NEED_OK(yoke_graph_end(graph));
    for (unsigned i = 0; i < LAUNCHES; i++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        advance_host(c.x.host, 3);
        memcpy(c.z.host, c.x.host, WORDS_SIZE);
        advance_host(c.y.host, 5);
        memcpy(c.x.host, c.y.host, WORDS_SIZE);
        memcpy(c.y.host, c.z.host, WORDS_SIZE);
        advance_host(c.x.host, 9);
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    chain_check(t, &c);
    for (int i = 0; i < 3; i++)
        CHECK(calls_are(&c, &n[i], LAUNCHES));
    release_and_check(&c, &graph, n, 3, LAUNCHES);
out:
    yoke_graph_release(graph);
    chain_release(t, &c);
    yoke_stream_release(lane);
}

static void between_host_functions(suite *t)
{
    chain c;
    section n[2];
    tally calls = TALLY_INIT;
    yoke_graph *graph = NULL;

    NEED(chain_create(t, &c) && graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_host_call(t->stream, tally_call, &calls, NULL));
    NEED(record_chain(t, &c, n, t->stream));
    NEED_OK(yoke_host_call(t->stream, tally_call, &calls, NULL));
    NEED_OK(yoke_graph_end(graph));
    for (unsigned i = 0; i < LAUNCHES; i++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        chain_host(&c);
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    chain_check(t, &c);
    CHECK(tally_calls(&calls, 2 * LAUNCHES));
    release_and_check(&c, &graph, n, 2, LAUNCHES);
out:
    yoke_graph_release(graph);
    chain_release(t, &c);
}

/* Another node is updated while a launch still needs the executable graph: the sections keep what was captured. */
static void another_node_is_updated(suite *t)
{
    chain c;
    section n[2];
    stand s = STAND_INIT;
    yoke_graph *graph = NULL;

    NEED(chain_create(t, &c) && graph_begin(t, t->stream, &graph) && record_chain(t, &c, n, t->stream));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_graph_set_args(graph, 2, YOKE_ARGS(c.y.device.buffer, (uint32_t)WORDS, 99u)));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    chain_host(&c);
    advance_host(c.x.host, 7);
    memcpy(c.y.host, c.x.host, WORDS_SIZE);
    advance_host(c.y.host, 99);
    memcpy(c.z.host, c.y.host, WORDS_SIZE);
    chain_check(t, &c);
    release_and_check(&c, &graph, n, 2, 2);
out:
    gate_open(&s.leave);
    yoke_graph_release(graph);
    chain_release(t, &c);
}

/* ---- What cannot be captured, and failures ---- */

static int synchronize(void *stream)
{
    int (*function)(void *stream) = NULL;
    void *library = dlopen("libcuda.so.1", RTLD_NOW);

    return find(library, "cuStreamSynchronize", &function, sizeof function) ? function(stream) : -1;
}

/* The first section waits for its stream, which no capture allows: its function is called at each launch, the other's is not. */
static void what_cannot_be_captured(suite *t)
{
    chain c;
    section n[2];
    yoke_graph *graph = NULL;

    NEED(chain_create(t, &c));
    if (!c.captures) {
        suite_skip("the driver captures nothing");
        goto out;
    }
    NEED(graph_begin(t, t->stream, &graph) && record_chain(t, &c, n, t->stream));
    n[0].refused = synchronize;
    NEED_OK(yoke_graph_end(graph));
    CHECK(section_is(&n[0], 1, 0) && section_is(&n[1], 1, 0));
    for (unsigned i = 0; i < LAUNCHES; i++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        chain_host(&c);
        CHECK(section_is(&n[0], 2 + i, 0) && section_is(&n[1], 1, 0));
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    chain_check(t, &c);
    yoke_graph_release(graph);
    graph = NULL;
    gate_wait(&n[0].changed, LAUNCHES + 2);
    CHECK(section_is(&n[0], LAUNCHES + 1, 1) && section_is(&n[1], 1, 1));
out:
    yoke_graph_release(graph);
    chain_release(t, &c);
}

static void a_function_fails(suite *t)
{
    chain c;
    section n[2];
    yoke_graph *graph = NULL;

    NEED(chain_create(t, &c) && graph_begin(t, t->stream, &graph) && record_chain(t, &c, n, t->stream));
    n[1].result = OWN_STATUS;
    if (c.captures) {
        CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_graph_end(graph));
        CHECK(strstr(yoke_error()->where, "native_section.h") && strcmp(yoke_error()->function, "yoke_graph_end") == 0);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "could not be ended", yoke_graph_launch(t->stream, graph));
        CHECK_OK(yoke_stream_wait(t->stream));
    } else {
        NEED_OK(yoke_graph_end(graph));
        CHECK_OK(yoke_graph_launch(t->stream, graph));
        CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_graph_launch(t->stream, graph));
        CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
        CHECK_OK(yoke_stream_recover(t->stream));
    }
    release_and_check(&c, &graph, n, 2, 1);
    suite_works(t);
out:
    yoke_graph_release(graph);
    chain_release(t, &c);
}

/* A graph that is never ended calls nothing, and still gives back what its sections own. */
static void never_ended(suite *t)
{
    chain c;
    section n[2];
    yoke_graph *graph = NULL;

    NEED(chain_create(t, &c) && graph_begin(t, t->stream, &graph) && record_chain(t, &c, n, t->stream));
    yoke_graph_release(graph);
    graph = NULL;
    CHECK(section_is(&n[0], 0, 1) && section_is(&n[1], 0, 1));
    CHECK_OK(yoke_stream_wait(t->stream));
    chain_check(t, &c);
out:
    yoke_graph_release(graph);
    chain_release(t, &c);
}

/* The graph goes while its launch still runs, and with it the last references to a buffer that the launch uses. */
static void released_while_it_runs(suite *t)
{
    enum { SPARE = 8 };
    chain c;
    section n;
    yoke_graph *graph = NULL;
    yoke_buffer *own = NULL, *spare[SPARE] = { NULL };

    NEED(chain_create(t, &c));
    NEED_OK(yoke_buffer_create(t->device, WORDS_SIZE, &own));
    NEED_OK(yoke_write(t->stream, own, 0, c.x.host, WORDS_SIZE));
    NEED(section_init(&n, &c.driver, c.y.device.buffer, own, WORDS_SIZE));
    NEED(graph_begin(t, t->stream, &graph));
    NEED(suite_spin(t, t->stream, c.z.device.buffer, 1, 5, NULL));
    n.kept[0] = own;
    own = NULL;
    NEED(section_enqueue(t->stream, &n));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    release_and_check(&c, &graph, &n, 1, 1);
    for (int i = 0; i < SPARE; i++) {
        NEED_OK(yoke_buffer_create(t->device, WORDS_SIZE, &spare[i]));
        NEED_OK(yoke_fill(t->side, spare[i], 0, WORDS_SIZE, &(uint32_t){ 0xcdcdcdcd }, 4));
    }
    NEED_OK(yoke_stream_wait(t->side));
    NEED_OK(yoke_stream_wait(t->stream));
    memcpy(c.y.host, c.x.host, WORDS_SIZE);
    CHECK(words_check(t, &c.x) && words_check(t, &c.y));
out:
    yoke_graph_release(graph);
    (void)yoke_stream_wait(t->stream);
    for (int i = 0; i < SPARE; i++)
        yoke_buffer_release(spare[i]);
    yoke_buffer_release(own);
    chain_release(t, &c);
}

/* ---- Threads ---- */

enum { THREADS = 4 };

typedef struct recorder {
    suite *t;
    pthread_t thread;
} recorder;

/* Each thread records a graph of its own, and its capture concerns no other. */
static void *record_and_launch(void *user)
{
    suite mine = *((recorder *)user)->t;
    chain c;
    section n[2];
    yoke_graph *graph = NULL;

    mine.stream = mine.side = NULL;
    if (!CHECK_OK(yoke_stream_create(mine.device, NULL, &mine.stream)) ||
        !CHECK_OK(yoke_stream_create(mine.device, NULL, &mine.side)))
        return NULL;
    NEED(chain_create(&mine, &c) && graph_begin(&mine, mine.stream, &graph) && record_chain(&mine, &c, n, mine.stream));
    NEED_OK(yoke_graph_end(graph));
    for (unsigned i = 0; i < LAUNCHES; i++) {
        NEED_OK(yoke_graph_launch(mine.stream, graph));
        chain_host(&c);
    }
    NEED_OK(yoke_stream_wait(mine.stream));
    chain_check(&mine, &c);
    release_and_check(&c, &graph, n, 2, LAUNCHES);
out:
    yoke_graph_release(graph);
    chain_release(&mine, &c);
    yoke_stream_release(mine.stream);
    yoke_stream_release(mine.side);
    return NULL;
}

static void recorded_by_several_threads(suite *t)
{
    recorder r[THREADS];
    int started = 0;

    if (!CHECK(suite_kernel(t, "advance") != NULL))
        return;
    for (; started < THREADS; started++) {
        r[started].t = t;
        if (!CHECK(pthread_create(&r[started].thread, NULL, record_and_launch, &r[started]) == 0))
            break;
    }
    while (started > 0)
        pthread_join(r[--started].thread, NULL);
}

/* What a section calls in the middle of a launch. */
typedef struct outsider {
    yoke_stream *launched_in, *other;
    yoke_buffer *buffer, *word;
    atomic_uint calls;
} outsider;

static yoke_status use_other_streams(yoke_status status, void *handle, void *user)
{
    outsider *o = user;
    uint32_t value = 3;

    (void)handle;
    CHECK_STATUS(YOKE_OK, status);
    atomic_fetch_add(&o->calls, 1);
    CHECK_OK(yoke_fill_rect(o->other, o->buffer, (yoke_pitch){ 0, 64, 0 }, (yoke_rect){ 16, 4, 1 }, &value, sizeof value));
    CHECK_FAILS(YOKE_E_DEADLOCK, "", yoke_read_sync(o->launched_in, &value, o->word, 0, sizeof value));
    return YOKE_OK;
}

/* A launch in a stream with a depth has been let in as a whole, whatever its sections call in other streams. */
static void sections_use_other_streams(suite *t)
{
    outsider o = { .launched_in = NULL };
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *lane = NULL;
    yoke_graph *graph = NULL;
    yoke_buffer *out = NULL;
    uint32_t value = 7, got[2] = { 0, 0 };

    if (strcmp(t->info.backend, "cuda") == 0 && (t->info.capabilities & UINT64_C(1) << YOKE_CAP_GRAPHS)) {
        suite_skip("the driver captures the section and launches the graph as a whole");
        return;
    }
    desc.depth = 1;
    desc.flags = YOKE_STREAM_PENDING_WHEN_FULL;
    NEED_OK(yoke_stream_create(t->device, &desc, &o.launched_in));
    desc.depth = 100;
    NEED_OK(yoke_stream_create(t->device, &desc, &o.other));
    NEED_OK(yoke_stream_create(t->device, NULL, &lane));
    NEED_OK(yoke_buffer_create(t->device, 4096, &o.buffer));
    NEED_OK(yoke_buffer_create(t->device, 8, &o.word));
    NEED_OK(yoke_buffer_create(t->device, 8, &out));
    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_graph_begin(graph, lane));
    NEED_OK(yoke_native_enqueue(t->stream, use_other_streams, &o, NULL));
    NEED(follow(t->stream, lane));
    NEED_OK(yoke_fill(lane, o.word, 0, 4, &value, sizeof value));
    NEED(suite_spin(t, t->stream, out, 1, 30, NULL));
    NEED_OK(yoke_fill(t->stream, o.word, 4, 4, &value, sizeof value)); /* finds the stream full, but for the launch's own leave */
    NEED_OK(yoke_graph_end(graph));
    CHECK_STATUS(YOKE_OK, yoke_graph_launch(o.launched_in, graph));
    CHECK_OK(yoke_stream_wait(o.launched_in));
    CHECK_OK(yoke_read_sync(o.launched_in, got, o.word, 0, sizeof got));
    CHECK(got[0] == 7 && got[1] == 7 && atomic_load(&o.calls) == 1);
    CHECK_OK(yoke_stream_wait(o.other));
out:
    yoke_graph_release(graph);
    yoke_stream_release(o.launched_in);
    yoke_stream_release(o.other);
    yoke_stream_release(lane);
    yoke_buffer_release(o.buffer);
    yoke_buffer_release(o.word);
    yoke_buffer_release(out);
}

int main(void)
{
    static const suite_case cases[] = {
        { "replayed with other data", replayed_with_other_data, false },
        { "launched in any stream, also deferred", launched_anywhere, false },
        { "recorded in two streams", in_two_streams, false },
        { "between host functions", between_host_functions, false },
        { "another node is updated during a launch", another_node_is_updated, false },
        { "what cannot be captured is called at each launch", what_cannot_be_captured, false },
        { "sections use other streams in the middle of a launch", sections_use_other_streams, false },
        { "a function fails", a_function_fails, false },
        { "a graph that is never ended", never_ended, false },
        { "released while its launch runs", released_while_it_runs, false },
        { "recorded by several threads at once", recorded_by_several_threads, false },
    };
    yoke_source source = RECORDED_SOURCE;

    source.cuda = RECORDED_CUDA SPIN_CUDA;
    source.opencl = RECORDED_OPENCL SPIN_OPENCL;
    return SUITE_MAIN(cases, &source);
}
