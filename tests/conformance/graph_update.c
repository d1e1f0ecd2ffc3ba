/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of nodes: launches enqueued from then on have them and those before do not, whether these are under way or still held
 * behind a host function; a change that fails changes nothing; and what only the old node needed is let go once nothing needs it.
 */
#include "again.h"
#include "recorded.h"

#include <stdlib.h>

/* A graph of one launch of advance. */
static bool one_advance(suite *t, yoke_buffer *x, uint32_t k, yoke_graph **out_graph)
{
    return graph_begin(t, t->stream, out_graph) && advance(t, t->stream, x, k) && CHECK_OK(yoke_graph_end(*out_graph));
}

static bool set_k(yoke_graph *graph, size_t node, yoke_buffer *x, uint32_t k)
{
    return CHECK_OK(yoke_graph_set_args(graph, node, YOKE_ARGS(x, (uint32_t)WORDS, k)));
}

/* Each case below is run twice: launches go straight on, or all of them wait behind a function until the last has been changed. */
static bool hold(suite *t, bool held, stand *s)
{
    return !held || CHECK_OK(yoke_host_call(t->stream, stand_at_gate, s, NULL));
}

/* ---- Launches ----------------------------------------------------------------------------------------------------------- */

static void change_arguments(suite *t, bool held)
{
    enum { TIMES = 200 };
    yoke_graph *graph = NULL;
    words x = { 0 }, y = { 0 };
    stand s = STAND_INIT;

    NEED(words_create(t, 1, &x) && words_create(t, 2, &y) && one_advance(t, x.device.buffer, 1, &graph) && hold(t, held, &s));
    for (uint32_t i = 0; i < TIMES; i++) {
        if (i % 5 != 4) /* and some go with what is there */
            NEED(set_k(graph, 0, i % 3 ? x.device.buffer : y.device.buffer, i));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        uint32_t last = i % 5 == 4 ? i - 1 : i;
        advance_host(last % 3 ? x.host : y.host, last);
    }
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(words_check(t, &x) && words_check(t, &y));
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    yoke_graph_release(graph);
    guarded_release(&x.device);
    guarded_release(&y.device);
}

static void arguments(suite *t)
{
    change_arguments(t, false);
    change_arguments(t, true);
}

/* A struct is read at the call, of the recording and of a change. */
static void structs(suite *t)
{
    struct two {
        uint32_t a, b;
    } two = { 5, 6 };
    uint32_t wanted[2] = { 1, 2 };
    yoke_graph *graph = NULL;
    guarded x = { 0 };

    NEED(guarded_create(t, sizeof wanted, &x) && guarded_write(t, &x, wanted) && graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "take"), YOKE_DIM(1), YOKE_DIM(1), 0,
                        YOKE_ARGS(x.buffer, yoke_arg_struct(&two, sizeof two))));
    two = (struct two){ 0, 0 };
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t i = 0; i < 10; i++) {
        NEED_OK(yoke_graph_launch(t->stream, graph));
        wanted[0] = 3 * wanted[0] + (i ? i - 1 : 5);
        wanted[1] = 3 * wanted[1] + (i ? 2 * (i - 1) : 6);
        two = (struct two){ i, 2 * i };
        NEED_OK(yoke_graph_set_args(graph, 0, YOKE_ARGS(x.buffer, yoke_arg_struct(&two, sizeof two))));
        two = (struct two){ 0, 0 };
    }
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, wanted);
out:
    yoke_graph_release(graph);
    guarded_release(&x);
}

enum { TURNED = 16, MOST = 64 };

static const struct {
    const char *kernel;
    uint32_t grid, block, shared;
} launches[] = {
    { "shape", 1, 1, 0 },  { "shape", 7, 4, 0 },  { "turn", 1, 16, 64 }, { "shape", MOST, 2, 0 },
    { "turn", 1, 8, 200 }, { "turn", 1, 16, 64 }, { "shape", 3, 1, 0 },
};
enum { LAUNCHES = sizeof launches / sizeof launches[0] };

static void shape_host(uint32_t *x, int i)
{
    uint32_t swap[TURNED] = { 0 }, n = launches[i].block;

    if (launches[i].shared == 0) {
        for (uint32_t j = 0; j < launches[i].grid; j++)
            x[j] = (uint32_t)i + 1000u * launches[i].grid + 1000000u * n;
        return;
    }
    for (uint32_t j = 0; j < n; j++)
        swap[j] = x[n - 1 - j] + (uint32_t)i;
    memcpy(x, swap, 4 * n);
}

/* Kernel, grid, block and shared memory. */
static void change_launches(suite *t, bool held)
{
    uint32_t wanted[2][MOST];
    guarded x[2] = { { 0 } };
    yoke_graph *graph = NULL;
    stand s = STAND_INIT;
    yoke_dim one = YOKE_DIM(1);

    for (int i = 0; i < 2; i++) {
        fill_random(wanted[i], sizeof wanted[i], (uint32_t)i);
        NEED(guarded_create(t, sizeof wanted[i], &x[i]) && guarded_write(t, &x[i], wanted[i]));
    }
    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "shape"), one, one, 0, YOKE_ARGS(x[0].buffer, 0u)));
    NEED_OK(yoke_graph_end(graph));
    NEED(hold(t, held, &s));
    for (int i = 0; i < LAUNCHES; i++) {
        NEED_OK(yoke_graph_set_launch(graph, 0, suite_kernel(t, launches[i].kernel), YOKE_DIM(launches[i].grid),
                                      YOKE_DIM(launches[i].block), launches[i].shared, YOKE_ARGS(x[i % 2].buffer, (uint32_t)i)));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        shape_host(wanted[i % 2], i);
    }
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < 2; i++)
        guarded_check(t, &x[i], wanted[i]);
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    yoke_graph_release(graph);
    for (int i = 0; i < 2; i++)
        guarded_release(&x[i]);
}

static void kernels_and_shapes(suite *t)
{
    change_launches(t, false);
    change_launches(t, true);
}

/* Nodes on both sides of a function: a launch that stands in it keeps its arguments for what comes behind, too. */
static void under_way(suite *t)
{
    yoke_graph *graph = NULL;
    words x = { 0 };
    stand s = STAND_INIT;

    NEED(words_create(t, 1, &x) && graph_begin(t, t->stream, &graph));
    NEED(advance(t, t->stream, x.device.buffer, 1));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    NEED(advance(t, t->stream, x.device.buffer, 2));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    gate_wait(&s.inside, 1);
    NEED(set_k(graph, 0, x.device.buffer, 11) && set_k(graph, 2, x.device.buffer, 12));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED(set_k(graph, 2, x.device.buffer, 22));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(t->stream));
    for (const uint32_t *k = (const uint32_t[]){ 1, 2, 11, 12, 11, 22, 0 }; *k; k++)
        advance_host(x.host, *k);
    words_check(t, &x);
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    yoke_graph_release(graph);
    guarded_release(&x.device);
}

/* What an event orders in the graph stays in order, whichever node is changed. */
static void in_a_diamond(suite *t)
{
    enum { TIMES = 12 };
    uint32_t k[3] = { 1, 2, 3 };
    yoke_stream *lane = NULL;
    yoke_graph *graph = NULL;
    words x = { 0 }, y = { 0 };

    NEED(words_create(t, 1, &x) && words_create(t, 2, &y));
    NEED_OK(yoke_stream_create(t->device, NULL, &lane));
    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_graph_begin(graph, lane));
    NEED(advance(t, t->stream, x.device.buffer, k[0]) && follow(t->stream, lane) &&
         join(t, lane, y.device.buffer, x.device.buffer));
    NEED(advance(t, lane, y.device.buffer, k[1]) && follow(lane, t->stream) && advance(t, t->stream, x.device.buffer, k[2]));
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t i = 0; i < TIMES; i++) {
        static const size_t nodes[3] = { 0, 2, 3 };
        k[i % 3] = 100 * i;
        NEED(set_k(graph, nodes[i % 3], i % 3 == 1 ? y.device.buffer : x.device.buffer, k[i % 3]));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        advance_host(x.host, k[0]);
        join_host(y.host, x.host);
        advance_host(y.host, k[1]);
        advance_host(x.host, k[2]);
    }
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(words_check(t, &x) && words_check(t, &y));
out:
    yoke_graph_release(graph);
    yoke_stream_release(lane);
    guarded_release(&x.device);
    guarded_release(&y.device);
}

/* Each of a thousand nodes. */
static void every_node(suite *t)
{
    enum { NODES = 1000 };
    yoke_kernel *count = suite_kernel(t, "count");
    yoke_graph *graph = NULL;
    uint32_t total = 0;
    guarded x = { 0 };

    NEED(guarded_create(t, 4, &x) && guarded_write(t, &x, &total) && graph_begin(t, t->stream, &graph));
    for (uint32_t i = 0; i < NODES; i++)
        NEED_OK(yoke_launch(t->stream, count, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x.buffer, 1u)));
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t i = 0; i < NODES; i++) {
        NEED_OK(yoke_graph_set_args(graph, i, YOKE_ARGS(x.buffer, i)));
        total += i;
    }
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, &total);
out:
    yoke_graph_release(graph);
    guarded_release(&x);
}

/* ---- Copies, fills and functions ---------------------------------------------------------------------------------------- */

enum { BYTES = 400000, NODE_WRITE = 0, NODE_COPY, NODE_FILL, NODE_READ };

/* What the four nodes do: from host memory into a, from a into b, a fill of b, and from b to host memory. Sizes go through what
 * is carried through pinned memory and what is not, and in some steps a copy's target is pinned. */
static const struct {
    size_t write_at, write_size, copy_to, copy_from, copy_size, fill_at, fill_size, pattern_size, read_at, read_size;
    bool to_pinned;
} steps[] = {
    { 0, 64, 0, 0, 64, 0, 16, 4, 0, 64, false },         { 100, 1000, 7, 90, 1013, 32, 64, 16, 3, 2001, false },
    { 0, BYTES, 0, 0, BYTES, 2, 6, 2, 0, BYTES, false }, { BYTES - 1, 1, BYTES - 1, BYTES - 1, 1, 8, 800, 8, BYTES - 9, 9, true },
    { 4, 4, 8, 4, 4, 1, BYTES - 1, 1, 0, BYTES, true },  { 0, 256 * 1024, 5, 0, 256 * 1024, 0, BYTES, 16, 1, BYTES - 1, false },
};
enum { STEPS = sizeof steps / sizeof steps[0] };

typedef struct stage {
    guarded a[2], b[2];
    yoke_buffer *pinned[2]; /* stand in for b */
    unsigned char *host_a[2], *host_b[2], *host_pinned[2], *from[STEPS], *to[STEPS], *wanted[STEPS];
} stage;

static bool make_stage(suite *t, stage *g)
{
    for (int i = 0; i < STEPS; i++) {
        g->from[i] = memory_new(BYTES);
        g->to[i] = memory_new(BYTES);
        g->wanted[i] = memory_new(BYTES);
        fill_random(g->from[i], BYTES, 10 + (uint32_t)i);
    }
    for (int i = 0; i < 2; i++) {
        g->host_a[i] = memory_new(BYTES);
        g->host_b[i] = memory_new(BYTES);
        g->host_pinned[i] = memory_new(BYTES);
        fill_random(g->host_a[i], BYTES, 1 + (uint32_t)i);
        fill_random(g->host_b[i], BYTES, 3 + (uint32_t)i);
        if (!guarded_create(t, BYTES, &g->a[i]) || !guarded_write(t, &g->a[i], g->host_a[i]) ||
            !guarded_create(t, BYTES, &g->b[i]) || !guarded_write(t, &g->b[i], g->host_b[i]) ||
            !CHECK_OK(yoke_buffer_create_pinned(t->device, BYTES, &g->pinned[i])))
            return false;
        memset(yoke_buffer_get_host(g->pinned[i]), 0, BYTES);
    }
    return true;
}

static void release_stage(stage *g)
{
    for (int i = 0; i < STEPS; i++) {
        memory_free(g->from[i]);
        memory_free(g->to[i]);
        memory_free(g->wanted[i]);
    }
    for (int i = 0; i < 2; i++) {
        memory_free(g->host_a[i]);
        memory_free(g->host_b[i]);
        memory_free(g->host_pinned[i]);
        guarded_release(&g->a[i]);
        guarded_release(&g->b[i]);
        yoke_buffer_release(g->pinned[i]);
    }
}

static const unsigned char patterns[STEPS][16] = {
    "0123456789abcde", "fedcba987654321", "xy", "ABCDEFGH", "?", "the last pattern"
};

static void step_host(stage *g, int i)
{
    unsigned char *a = g->host_a[i % 2], *b = g->host_b[i % 2];

    memcpy(a + steps[i].write_at, g->from[i], steps[i].write_size);
    memcpy((steps[i].to_pinned ? g->host_pinned[i % 2] : b) + steps[i].copy_to, a + steps[i].copy_from, steps[i].copy_size);
    for (size_t at = 0; at < steps[i].fill_size; at += steps[i].pattern_size)
        memcpy(b + steps[i].fill_at + at, patterns[i], steps[i].pattern_size);
    memcpy(g->wanted[i], b + steps[i].read_at, steps[i].read_size);
}

static bool change_to_step(yoke_graph *graph, stage *g, int i)
{
    yoke_buffer *a = g->a[i % 2].buffer, *b = g->b[i % 2].buffer, *target = steps[i].to_pinned ? g->pinned[i % 2] : b;

    return CHECK_OK(yoke_graph_set_write(graph, NODE_WRITE, a, steps[i].write_at, g->from[i], steps[i].write_size)) &&
           CHECK_OK(yoke_graph_set_copy(graph, NODE_COPY, target, steps[i].copy_to, a, steps[i].copy_from, steps[i].copy_size)) &&
           CHECK_OK(yoke_graph_set_fill(graph, NODE_FILL, b, steps[i].fill_at, steps[i].fill_size, patterns[i],
                                        steps[i].pattern_size)) &&
           CHECK_OK(yoke_graph_set_read(graph, NODE_READ, g->to[i], b, steps[i].read_at, steps[i].read_size));
}

static void change_copies(suite *t, bool held)
{
    static stage zero;
    stage g = zero;
    yoke_graph *graph = NULL;
    stand s = STAND_INIT;

    NEED(make_stage(t, &g) && graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_write(t->stream, g.a[0].buffer, 0, g.from[0], 8)); /* replaced before the first launch */
    NEED_OK(yoke_copy(t->stream, g.b[0].buffer, 0, g.a[0].buffer, 0, 8));
    NEED_OK(yoke_fill(t->stream, g.b[0].buffer, 0, 8, "x", 1));
    NEED_OK(yoke_read(t->stream, g.to[0], g.b[0].buffer, 0, 8));
    NEED_OK(yoke_graph_end(graph));
    NEED(hold(t, held, &s));
    for (int i = 0; i < STEPS; i++) {
        NEED(change_to_step(graph, &g, i));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        step_host(&g, i);
    }
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < STEPS; i++)
        if (!CHECK_BYTES(g.to[i], g.wanted[i], BYTES))
            tap_diag("read in step %d%s", i, held ? ", held" : "");
    for (int i = 0; i < 2; i++) {
        guarded_check(t, &g.a[i], g.host_a[i]);
        guarded_check(t, &g.b[i], g.host_b[i]);
        CHECK_BYTES(yoke_buffer_get_host(g.pinned[i]), g.host_pinned[i], BYTES);
    }
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    yoke_graph_release(graph);
    release_stage(&g);
}

static void copies_and_fills(suite *t)
{
    change_copies(t, false);
    change_copies(t, true);
}

static yoke_status other_call(yoke_status status, void *user)
{
    tally_call(status, user);
    return YOKE_OK;
}

/* The old function belongs to the deferred launches; after them, and not earlier, its objects are released. */
static void functions(suite *t)
{
    tally n[3] = { TALLY_INIT, TALLY_INIT, TALLY_INIT };
    yoke_graph *graph = NULL;
    stand s = STAND_INIT;

    NEED(graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_host_call(t->stream, tally_call, &n[0], tally_release));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    for (int i = 0; i < 4; i++)
        NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_graph_set_host_call(graph, 0, other_call, &n[1], tally_release));
    for (int i = 0; i < 3; i++)
        NEED_OK(yoke_graph_launch(t->stream, graph));
    CHECK(tally_calls(&n[0], 0) && tally_calls(&n[1], 0));
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(tally_gone(&n[0], 4) && tally_calls(&n[1], 3));
    NEED_OK(yoke_graph_set_host_call(graph, 0, tally_call, &n[2], tally_release));
    CHECK(tally_gone(&n[1], 3)); /* nothing needs it: not the graph any more, and no launch */
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(tally_calls(&n[2], 1));
    yoke_graph_release(graph);
    graph = NULL;
    CHECK(tally_gone(&n[2], 1));
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    yoke_graph_release(graph);
}

/* ---- Who keeps what alive ----------------------------------------------------------------------------------------------- */

/* A buffer that only launches before the change use is released at once: they still have it. */
static void old_buffers_are_released(suite *t)
{
    enum { TIMES = 10 };
    yoke_buffer *sources[TIMES + 1] = { NULL };
    yoke_graph *graph = NULL;
    uint32_t *host = memory_new(WORDS_SIZE);
    stand s = STAND_INIT;
    words x = { 0 };

    NEED(words_create(t, 1, &x));
    NEED_OK(yoke_buffer_create(t->device, WORDS_SIZE, &sources[0]));
    NEED(graph_begin(t, t->stream, &graph) && join(t, t->stream, x.device.buffer, sources[0]));
    NEED_OK(yoke_graph_end(graph));
    NEED(hold(t, true, &s));
    for (uint32_t i = 0; i < TIMES; i++) {
        fill_random(host, WORDS_SIZE, i);
        NEED_OK(yoke_write_sync(t->side, sources[i], 0, host, WORDS_SIZE));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_buffer_create(t->device, WORDS_SIZE, &sources[i + 1]));
        NEED_OK(yoke_graph_set_args(graph, 0, YOKE_ARGS(x.device.buffer, sources[i + 1], (uint32_t)WORDS)));
        yoke_buffer_release(sources[i]);
        sources[i] = NULL;
        join_host(x.host, host);
    }
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(t->stream));
    words_check(t, &x);
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    yoke_graph_release(graph);
    for (int i = 0; i <= TIMES; i++)
        yoke_buffer_release(sources[i]);
    guarded_release(&x.device);
    memory_free(host);
}

/* ---- Several threads ---------------------------------------------------------------------------------------------------- */

enum { CHANGES = 500, THREADS = 2 };

typedef struct changer {
    suite *t;
    yoke_stream *stream; /* to launch in; NULL: it changes */
    yoke_graph *graph;
    yoke_buffer *x;
    pthread_t thread;
} changer;

static void *launch_or_change(void *user)
{
    changer *c = user;

    for (uint32_t i = 0; i < CHANGES; i++) {
        if (c->stream ? !CHECK_OK(yoke_graph_launch(c->stream, c->graph))
                      : !CHECK_OK(yoke_graph_set_args(c->graph, 0, YOKE_ARGS(c->x, i, i))))
            break;
    }
    return NULL;
}

/* Threads change and launch at once: a launch has either all of a change or nothing. */
static void from_several_threads(suite *t)
{
    changer c[2 * THREADS] = { { 0 } };
    uint32_t counted[2] = { 0, 0 };
    yoke_graph *graph = NULL;
    guarded x = { 0 };
    int started = 0;

    NEED(guarded_create(t, sizeof counted, &x) && guarded_write(t, &x, counted) && graph_begin(t, t->stream, &graph));
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "pair"), YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x.buffer, 1u, 1u)));
    NEED_OK(yoke_graph_end(graph));
    for (int i = 0; i < 2 * THREADS; i++) {
        c[i] = (changer){ .t = t, .graph = graph, .x = x.buffer };
        if (i < THREADS)
            NEED_OK(yoke_stream_create(t->device, NULL, &c[i].stream));
    }
    for (; started < 2 * THREADS; started++)
        NEED(pthread_create(&c[started].thread, NULL, launch_or_change, &c[started]) == 0);
out:
    for (int i = 0; i < started; i++)
        pthread_join(c[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        if (c[i].stream)
            CHECK_OK(yoke_stream_wait(c[i].stream));
    counted[1] = THREADS * CHANGES;
    if (x.buffer)
        guarded_check(t, &x, counted);
    yoke_graph_release(graph);
    for (int i = 0; i < THREADS; i++)
        yoke_stream_release(c[i].stream);
    guarded_release(&x);
}

/* ---- The same with other settings --------------------------------------------------------------------------------------- */

static const suite_case in_pieces[] = { { "copies and fills", copies_and_fills, false } };

/* Nothing can be held there: the call that enqueues a function that stands at a gate would not return. */
static const suite_case straight[] = {
    { "every node", every_node, false },
    { "from several threads", from_several_threads, false },
};

static void blocking(suite *t)
{
    AGAIN(t, straight, ((const char *const[]){ "YOKE_BLOCKING=1", NULL }));
}

static void staged(suite *t)
{
    AGAIN(t, in_pieces, ((const char *const[]){ "YOKE_STAGING=1", NULL }));
}

static void several(suite *t)
{
    arguments(t);
    kernels_and_shapes(t);
    under_way(t);
    in_a_diamond(t);
}

static const suite_case in_command_buffers[] = { { IN_COMMAND_BUFFERS, several, false } };

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "arguments, in flight and deferred", arguments, false },
        { "structs are read at the call", structs, false },
        { "kernels, grids, blocks and shared memory", kernels_and_shapes, false },
        { "launches under way keep what they had", under_way, false },
        { "nodes of a diamond", in_a_diamond, false },
        { "each of 1000 nodes", every_node, false },
        { "copies and fills, in flight and deferred", copies_and_fills, false },
        { "functions, and who is released when", functions, false },
        { "buffers that only older launches use are released", old_buffers_are_released, false },
        { "changed and launched by several threads at once", from_several_threads, false },
        { "every call blocking", blocking, false },
        { "pageable memory carried", staged, false },
        { "as command buffers", again_in_command_buffers, false },
    };
    yoke_source source = RECORDED_SOURCE;

    if (argc != 3)
        return SUITE_MAIN(cases, &source);
    if (strcmp(argv[1], IN_COMMAND_BUFFERS) == 0)
        return AGAIN_MAIN(in_command_buffers, &source, argv);
    return getenv("YOKE_BLOCKING") ? AGAIN_MAIN(straight, &source, argv) : AGAIN_MAIN(in_pieces, &source, argv);
}
