/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random graphs of several streams, launched and changed at random, in flight and held behind host functions, against a model on
 * the host: the operations in the order in which they were recorded, once for each launch. What two streams touch in turn is
 * ordered by events, so that is the only right outcome. A round is made by its seed alone; YOKE_GRAPH_SEED=n runs only that one.
 */
#include "again.h"
#include "recorded.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 8, LANES = 4, STREAMS = 3, BUFFERS = 4, HOSTS = 3, PLACES = BUFFERS + HOSTS, GRAPHS = 2, NODES = 30, STEPS = 60 };
enum { GATES = 8, CALLS = GRAPHS * NODES + STEPS };

typedef enum kind { ADVANCE, JOIN, COPY, FILL, WRITE, READ, CALL, KINDS } kind;

/* What a host function does: as the kernel of that name, in host memory. */
typedef struct call {
    uint32_t *host;
    uint32_t k;
} call;

/* A node. Places below BUFFERS are buffers, the others host memory; sizes are words. */
typedef struct node {
    kind kind;
    unsigned target, source;
    uint32_t k; /* of ADVANCE, CALL and FILL */
    size_t at, count;
} node;

typedef struct round {
    suite *t;
    uint32_t seed, random;
    yoke_stream *lanes[LANES], *streams[STREAMS];
    unsigned last; /* the stream of the launch before */
    guarded buffers[BUFFERS];
    uint32_t *hosts[HOSTS], *model[PLACES];
    unsigned owners[PLACES]; /* the lane that has touched it last, while a graph is recorded */
    yoke_graph *graphs[GRAPHS];
    node nodes[GRAPHS][NODES];
    call calls[CALLS];
    unsigned call_count;
    stand stands[GATES];
    unsigned stood, opened;
} round;

static uint32_t draw(round *r, uint32_t below)
{
    r->random ^= r->random << 13;
    r->random ^= r->random >> 17;
    r->random ^= r->random << 5;
    return (uint32_t)((uint64_t)r->random * below >> 32);
}

/* ---- The model ---------------------------------------------------------------------------------------------------------- */

static void run_node(round *r, const node *n)
{
    uint32_t *target = r->model[n->target];

    switch (n->kind) {
    case ADVANCE:
    case CALL:
        advance_host(target, n->k);
        break;
    case JOIN:
        join_host(target, r->model[n->source]);
        break;
    case FILL:
        for (size_t i = 0; i < n->count; i++)
            target[n->at + i] = n->k;
        break;
    default:
        memcpy(target + n->at, r->model[n->source] + n->at, 4 * n->count);
    }
}

/* ---- The library's part ------------------------------------------------------------------------------------------------- */

static yoke_status run_call(yoke_status status, void *user)
{
    const call *c = user;

    CHECK_STATUS(YOKE_OK, status);
    advance_host(c->host, c->k);
    return YOKE_OK;
}

static call *new_call(round *r, const node *n)
{
    call *c = &r->calls[r->call_count++];

    *c = (call){ r->hosts[n->target - BUFFERS], n->k };
    return c;
}

static bool record_node(round *r, yoke_stream *lane, const node *n)
{
    yoke_buffer *target = n->target < BUFFERS ? r->buffers[n->target].buffer : NULL;
    yoke_buffer *source = n->source < BUFFERS ? r->buffers[n->source].buffer : NULL;
    size_t at = 4 * n->at, size = 4 * n->count;

    switch (n->kind) {
    case ADVANCE:
        return advance(r->t, lane, target, n->k);
    case JOIN:
        return join(r->t, lane, target, source);
    case COPY:
        return CHECK_OK(yoke_copy(lane, target, at, source, at, size));
    case FILL:
        return CHECK_OK(yoke_fill(lane, target, at, size, &n->k, 4));
    case WRITE:
        return CHECK_OK(yoke_write(lane, target, at, r->hosts[n->source - BUFFERS] + n->at, size));
    case READ:
        return CHECK_OK(yoke_read(lane, r->hosts[n->target - BUFFERS] + n->at, source, at, size));
    default:
        return CHECK_OK(yoke_host_call(lane, run_call, new_call(r, n), NULL));
    }
}

/* The node as it is in the model now. */
static bool change_node(round *r, yoke_graph *graph, size_t number, const node *n)
{
    yoke_buffer *target = n->target < BUFFERS ? r->buffers[n->target].buffer : NULL;
    yoke_buffer *source = n->source < BUFFERS ? r->buffers[n->source].buffer : NULL;
    size_t at = 4 * n->at, size = 4 * n->count;

    switch (n->kind) {
    case ADVANCE:
        return CHECK_OK(yoke_graph_set_args(graph, number, YOKE_ARGS(target, (uint32_t)WORDS, n->k)));
    case JOIN:
        return CHECK_OK(yoke_graph_set_launch(graph, number, suite_kernel(r->t, "join"), YOKE_DIM((WORDS + 7) / 8), YOKE_DIM(8), 0,
                                              YOKE_ARGS(target, source, (uint32_t)WORDS)));
    case COPY:
        return CHECK_OK(yoke_graph_set_copy(graph, number, target, at, source, at, size));
    case FILL:
        return CHECK_OK(yoke_graph_set_fill(graph, number, target, at, size, &n->k, 4));
    case WRITE:
        return CHECK_OK(yoke_graph_set_write(graph, number, target, at, r->hosts[n->source - BUFFERS] + n->at, size));
    case READ:
        return CHECK_OK(yoke_graph_set_read(graph, number, r->hosts[n->target - BUFFERS] + n->at, source, at, size));
    default:
        return CHECK_OK(yoke_graph_set_call(graph, number, run_call, new_call(r, n), NULL));
    }
}

/* ---- A round ------------------------------------------------------------------------------------------------------------ */

/* Where and how much, and with what. */
static void draw_values(round *r, node *n)
{
    n->k = draw(r, 1000);
    n->at = draw(r, WORDS);
    n->count = 1 + draw(r, (uint32_t)(WORDS - n->at));
}

static node draw_node(round *r)
{
    node n = { .kind = (kind)draw(r, KINDS) };

    n.target = n.kind == READ || n.kind == CALL ? BUFFERS + draw(r, HOSTS) : draw(r, BUFFERS);
    n.source = n.kind == WRITE ? BUFFERS + draw(r, HOSTS) : (n.target + 1 + draw(r, BUFFERS - 1)) % BUFFERS;
    if (n.kind == READ)
        n.source = draw(r, BUFFERS);
    draw_values(r, &n);
    return n;
}

/* What the lane touches of this place comes behind what others have. */
static bool own(round *r, unsigned place, unsigned lane)
{
    unsigned owner = r->owners[place];

    r->owners[place] = lane;
    return owner == lane || follow(r->lanes[owner], r->lanes[lane]);
}

static bool record_graph(round *r, int g)
{
    bool ok = CHECK_OK(yoke_graph_create(r->t->device, NULL, &r->graphs[g]));

    for (unsigned lane = 0; ok && lane < LANES; lane++)
        ok = CHECK_OK(yoke_graph_begin(r->graphs[g], r->lanes[lane]));
    memset(r->owners, 0, sizeof r->owners);
    unsigned lanes = 1 + draw(r, LANES); /* that are used */
    for (int i = 0; ok && i < NODES; i++) {
        unsigned lane = draw(r, lanes);
        node n = draw_node(r);
        bool two = n.kind != ADVANCE && n.kind != FILL && n.kind != CALL;
        ok = own(r, n.target, lane) && (!two || own(r, n.source, lane)) && record_node(r, r->lanes[lane], &n) &&
             CHECK(yoke_graph_get_size(r->graphs[g]) == (size_t)i + 1);
        r->nodes[g][i] = n;
    }
    return ok && CHECK_OK(yoke_graph_end(r->graphs[g]));
}

static bool prepare(round *r)
{
    bool ok = true;

    for (int i = 0; ok && i < LANES; i++)
        ok = CHECK_OK(yoke_stream_create(r->t->device, &r->lanes[i]));
    for (int i = 0; ok && i < STREAMS; i++)
        ok = CHECK_OK(yoke_stream_create(r->t->device, &r->streams[i]));
    for (unsigned i = 0; ok && i < PLACES; i++) {
        r->model[i] = memory_new(WORDS_SIZE);
        fill_random(r->model[i], WORDS_SIZE, r->seed * 100 + i);
        if (i < BUFFERS) {
            ok = guarded_create(r->t, WORDS_SIZE, &r->buffers[i]) && guarded_write(r->t, &r->buffers[i], r->model[i]);
        } else {
            r->hosts[i - BUFFERS] = memory_new(WORDS_SIZE);
            memcpy(r->hosts[i - BUFFERS], r->model[i], WORDS_SIZE);
        }
    }
    for (int i = 0; i < GATES; i++)
        r->stands[i] = (stand)STAND_INIT;
    for (int g = 0; ok && g < GRAPHS; g++)
        ok = record_graph(r, g);
    return ok;
}

static void open_gates(round *r)
{
    while (r->opened < r->stood)
        gate_open(&r->stands[r->opened++].leave);
}

static bool settle(round *r)
{
    bool ok = true;

    open_gates(r);
    for (int i = 0; i < STREAMS; i++)
        ok = CHECK_OK(yoke_stream_wait(r->streams[i])) && ok;
    for (unsigned i = 0; ok && i < PLACES; i++)
        ok = i < BUFFERS ? guarded_check(r->t, &r->buffers[i], r->model[i])
                         : CHECK_BYTES(r->hosts[i - BUFFERS], r->model[i], WORDS_SIZE);
    return ok;
}

static bool launch(round *r, int g)
{
    unsigned stream = draw(r, STREAMS);
    bool ok = stream == r->last || follow(r->streams[r->last], r->streams[stream]);

    r->last = stream;
    for (int i = 0; i < NODES; i++)
        run_node(r, &r->nodes[g][i]);
    return ok && CHECK_OK(yoke_graph_launch(r->streams[stream], r->graphs[g]));
}

static bool step(round *r)
{
    int g = (int)draw(r, GRAPHS);
    size_t number = draw(r, NODES);

    switch (draw(r, 10)) {
    case 0:
        return settle(r);
    case 1:
        if (r->stood == GATES)
            return true;
        return CHECK_OK(yoke_host_call(r->streams[r->last], stand_at_gate, &r->stands[r->stood++], NULL));
    case 2:
    case 3:
    case 4:
        draw_values(r, &r->nodes[g][number]);
        return change_node(r, r->graphs[g], number, &r->nodes[g][number]);
    default:
        return launch(r, g);
    }
}

static bool run_round(suite *t, uint32_t seed)
{
    round *r = calloc(1, sizeof *r);
    bool ok = CHECK(r != NULL);

    if (!ok)
        return false;
    *r = (round){ .t = t, .seed = seed, .random = seed * 2654435761u | 1 };
    ok = prepare(r);
    for (int i = 0; ok && i < STEPS; i++)
        ok = step(r);
    ok = ok && settle(r);
    open_gates(r);
    for (int i = 0; i < STREAMS && r->streams[i]; i++)
        yoke_stream_wait(r->streams[i]);
    if (!ok)
        tap_diag("round of seed %u: run it alone with YOKE_GRAPH_SEED=%u", (unsigned)seed, (unsigned)seed);
    for (int g = 0; g < GRAPHS; g++)
        yoke_graph_release(r->graphs[g]);
    for (int i = 0; i < LANES; i++)
        yoke_stream_release(r->lanes[i]);
    for (int i = 0; i < STREAMS; i++)
        yoke_stream_release(r->streams[i]);
    for (int i = 0; i < PLACES; i++) {
        memory_free(r->model[i]);
        if (i < BUFFERS)
            guarded_release(&r->buffers[i]);
        else
            memory_free(r->hosts[i - BUFFERS]);
    }
    free(r);
    return ok;
}

static void rounds(suite *t)
{
    const char *only = getenv("YOKE_GRAPH_SEED");
    uint32_t first = only ? (uint32_t)strtoul(only, NULL, 10) : 1;

    for (uint32_t seed = first; seed < first + (only ? 1 : ROUNDS); seed++)
        if (!run_round(t, seed))
            break;
}

static const suite_case other_settings[] = { { "random graphs", rounds, false } };

static void staged(suite *t)
{
    AGAIN(t, other_settings, ((const char *const[]){ "YOKE_STAGING=1", "YOKE_FILL_KERNEL=1", NULL }));
}

static void several(suite *t)
{
    rounds(t);
}

static const suite_case in_command_buffers[] = { { IN_COMMAND_BUFFERS, several, false } };

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "random graphs against a model", rounds, false },
        { "pageable memory carried, fills by a kernel", staged, false },
        { "as command buffers", again_in_command_buffers, false },
    };
    yoke_source source = RECORDED_SOURCE;

    if (argc == 3 && strcmp(argv[1], IN_COMMAND_BUFFERS) == 0)
        return AGAIN_MAIN(in_command_buffers, &source, argv);
    return argc == 3 ? AGAIN_MAIN(other_settings, &source, argv) : SUITE_MAIN(cases, &source);
}
