/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs of operations on arrays, judged by an oracle of their own: every operation of libyoke-ops, views of views, all
 * dtypes, several streams with events between them, graphs that are replayed and updated, host functions, failures, cancelled
 * streams, and calls that have to be refused.
 *
 *   operations [--seconds N] [--seed S] [--seeds N] [--steps K] [--only OPERATION] [--trace]
 *
 * A seed makes a program of K steps, of a few operations with a few dtypes each, since each such pair is compiled. What a seed does
 * depends on it, on K and on the device's capabilities alone; the seconds, or YOKE_STRESS_SECONDS for `make check`, only say how
 * many seeds there are. --seed S --seeds 1 runs one of them again; --trace prints its steps.
 */
#include "model.h"

#include <yoke/graph.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 24, GRAPH_STEPS = 4, MOST_LAUNCHES = 3, OPERATIONS_OF_SEED = 6, OWN_FAILURE = -7, SEED_LIMIT = 600 };

static double seconds = 3;
static uint32_t first_seed = 1;
static unsigned long most_seeds = 1000000;
static unsigned steps_of_seed = 400;
static const char *only;
static bool traced;

/* ---- Steps ---- */

static bool step_draw(model *m, step *s)
{
    for (int tries = 0; tries < 20; tries++) {
        memset(s, 0, sizeof *s);
        s->v = &m->variants[draw(m, m->variant_count)];
        s->m = m;
        s->number = m->steps;
        if (!s->v->op->draw(m, s))
            continue;
        m->steps++;
        for (int k = 0; k < MOST_ARRAYS; k++)
            if (s->a[k].is_out)
                s->a[k].found = remember(m, s->a[k].slab->size + 2 * GUARD);
        return true;
    }
    return false;
}

/* The stream goes on where the slab was used last. */
static void follow(model *m, int stream, slab *b)
{
    yoke_event *event = NULL;
    if (b->stream >= 0 && b->stream != stream) {
        if (CHECK_OK(yoke_event_record(m->streams[b->stream], 0, &event)))
            CHECK_OK(yoke_stream_wait_event(m->streams[stream], event));
        yoke_event_release(event);
    }
    b->stream = stream;
}

static void follow_all(model *m, int stream, const step *s)
{
    for (int k = 0; k < MOST_ARRAYS; k++)
        if (s->a[k].slab)
            follow(m, stream, s->a[k].slab);
}

static void read_found(yoke_stream *stream, const step *s)
{
    for (int k = 0; k < MOST_ARRAYS; k++)
        if (s->a[k].found)
            CHECK_OK(yoke_read(stream, s->a[k].found, s->a[k].slab->whole, 0, s->a[k].slab->size + 2 * GUARD));
}

static void write_fresh(yoke_stream *stream, const step *s)
{
    for (int k = 0; k < MOST_ARRAYS; k++)
        if (s->a[k].fresh)
            CHECK_OK(yoke_write(stream, s->a[k].slab->view, 0, s->a[k].fresh, s->a[k].slab->size));
}

/* The step's arrays get their new values, the operation is enqueued, and its outputs are read. */
static void step_enqueue(step *s, yoke_stream *stream)
{
    if (s->m->traced)
        step_print(s);
    write_fresh(stream, s);
    yoke_status status = s->broken ? mistake_call(stream, s) : s->v->op->call(stream, s);
    if (s->broken && !mistake_suits(s, status))
        disagreement(s, "the call has to be refused for mistake %d, and returned %d: %s", s->broken, status, yoke_error()->text);
    else if (!s->broken && status != YOKE_OK)
        disagreement(s, "the call failed with %d: %s", status, yoke_error()->text);
    read_found(stream, s);
}

/* ---- Judging ---- */

/* All is quiet: memory holds what the steps left there, inputs and guards included. */
static void compare_slabs(model *m)
{
    for (unsigned i = 0; i < SLABS && !m->disagrees; i++) {
        slab *b = &m->slabs[i];
        size_t all = b->size + 2 * GUARD, at = 0;
        unsigned char *found = remember(m, all);
        CHECK_OK(yoke_read_sync(m->t->side, found, b->whole, 0, all));
        while (at < all && found[at] == b->shadow[at])
            at++;
        b->stream = -1;
        if (at == all)
            continue;
        m->disagrees = true;
        if (m->careless)
            return;
        tap_diag("seed %u, behind step %u: byte %zu of slab %u is 0x%02x, and should be 0x%02x", m->seed, m->steps, at, i,
                 found[at], b->shadow[at]);
    }
}

/* The last byte of an element, in which its sign is, as if the operation had got it wrong; or a byte of the guards. */
static void spoil_output(model *m, step *steps, unsigned count)
{
    for (unsigned tries = 0; tries < 20 && count > 0; tries++) {
        step *s = &steps[draw(m, count)];
        operand *o = &s->a[draw(m, MOST_ARRAYS)];
        size_t all = o->found ? o->slab->size + 2 * GUARD : 0;
        if (!o->found || o->count == 0)
            continue;
        if (chance(m, 50))
            o->found[chance(m, 50) ? draw(m, GUARD) : all - 1 - draw(m, GUARD)] ^= 0x10;
        else if (s->broken || s->skipped)
            o->found[GUARD] ^= 0x80;
        else
            o->found[bytes_of(o, o->found, 0) - o->found + (ptrdiff_t)yoke_dtype_get_size(o->array.dtype) - 1] ^= 0x80;
        return;
    }
}

static void settle(model *m, step *steps, unsigned count)
{
    for (int i = 0; i < STREAMS; i++)
        CHECK_OK(yoke_stream_wait(m->streams[i]));
    if (m->careless)
        spoil_output(m, steps, count);
    for (unsigned i = 0; i < count && !m->disagrees; i++) {
        compare(&steps[i]);
        m->judged++;
    }
    if (!m->disagrees)
        compare_slabs(m);
    forget(m);
}

/* ---- Host functions ---- */

typedef struct function {
    gate *gate; /* it waits for it, or NULL */
    yoke_status result;
    /* What it copies: behind a launch of a graph, what the graph has read. */
    unsigned char *to[GRAPH_STEPS * MOST_ARRAYS], *from[GRAPH_STEPS * MOST_ARRAYS];
    size_t size[GRAPH_STEPS * MOST_ARRAYS];
    unsigned copies;
} function;

static yoke_status run_function(yoke_status status, void *user)
{
    function *f = user;
    if (f->gate)
        gate_wait(f->gate, 1);
    for (unsigned i = 0; status == YOKE_OK && i < f->copies; i++)
        memcpy(f->to[i], f->from[i], f->size[i]);
    return f->result < 0 ? yoke_fail(f->result, "the program's own") : f->result;
}

/* ---- Batches: each begins and ends when all is quiet ---- */

/* Steps in any stream. `deferred`: behind a host function in one of them, which ends when all have been enqueued. */
static void run_plain(model *m, bool deferred)
{
    static step steps[BATCH];
    gate open = GATE_INIT;
    function waits = { .gate = &open };
    unsigned count = 0, wanted = 1 + draw(m, BATCH);
    if (deferred)
        CHECK_OK(yoke_host_call(m->streams[draw(m, STREAMS)], run_function, &waits, NULL));
    while (count < wanted && !m->disagrees && step_draw(m, &steps[count])) {
        step *s = &steps[count++];
        if (chance(m, 8))
            s->broken = mistake_draw(m, s) ? s->broken : 0;
        s->stream = (int)draw(m, STREAMS);
        follow_all(m, s->stream, s);
        step_enqueue(s, m->streams[s->stream]);
    }
    gate_open(&open);
    settle(m, steps, count);
}

/* Steps behind a function that fails, or is at work when its stream is cancelled: none of them runs. */
static void run_failing(model *m, bool cancels)
{
    static step steps[GRAPH_STEPS];
    gate open = GATE_INIT;
    function fails = { .gate = &open, .result = cancels ? YOKE_OK : OWN_FAILURE };
    int at = (int)draw(m, STREAMS);
    yoke_stream *stream = m->streams[at];
    unsigned count = 0, wanted = 1 + draw(m, GRAPH_STEPS);
    CHECK_OK(yoke_host_call(stream, run_function, &fails, NULL));
    while (count < wanted && !m->disagrees && step_draw(m, &steps[count])) {
        steps[count].skipped = true;
        steps[count].stream = at;
        step_enqueue(&steps[count++], stream);
    }
    if (cancels)
        CHECK_OK(yoke_stream_cancel(stream));
    gate_open(&open);
    CHECK_STATUS(cancels ? YOKE_E_CANCELLED : OWN_FAILURE, yoke_stream_wait(stream));
    CHECK_OK(yoke_stream_recover(stream));
    for (unsigned i = 0; i < count; i++)
        read_found(stream, &steps[i]);
    settle(m, steps, count);
}

/* What a launch of the graph has left is copied away by a host function behind it. */
static void launch_graph(model *m, yoke_graph *graph, int stream, const step *recorded, step *launched, unsigned count)
{
    function *f = remember(m, sizeof *f);
    for (unsigned i = 0; i < count; i++) {
        launched[i].stream = stream;
        follow_all(m, stream, &launched[i]);
        for (int k = 0; k < MOST_ARRAYS; k++) {
            if (!recorded[i].a[k].found)
                continue;
            f->size[f->copies] = recorded[i].a[k].slab->size + 2 * GUARD;
            f->from[f->copies] = recorded[i].a[k].found;
            f->to[f->copies] = launched[i].a[k].found = remember(m, f->size[f->copies]);
            f->copies++;
        }
    }
    CHECK_OK(yoke_graph_launch(m->streams[stream], graph));
    CHECK_OK(yoke_host_call(m->streams[stream], run_function, f, NULL));
}

/* Other values from the next launch on. */
static void update_graph(model *m, yoke_graph *graph, size_t (*nodes)[MOST_ARRAYS], step *steps, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (int k = 0; k < MOST_ARRAYS; k++) {
            operand *o = &steps[i].a[k];
            if (!o->fresh || !o->is_free || !chance(m, 60))
                continue;
            o->fresh = other_values(m, o);
            CHECK_OK(yoke_graph_set_write(graph, nodes[i][k], o->slab->view, 0, o->fresh, o->slab->size));
        }
}

static void record_step(const step *s, yoke_graph *graph, yoke_stream *stream, size_t *nodes)
{
    size_t node = yoke_graph_get_size(graph);
    for (int k = 0; k < MOST_ARRAYS; k++)
        if (s->a[k].fresh)
            nodes[k] = node++;
    write_fresh(stream, s);
    if (s->m->traced)
        step_print(s);
    yoke_status status = s->v->op->call(stream, s);
    if (status != YOKE_OK)
        disagreement(s, "the recorded call failed with %d: %s", status, yoke_error()->text);
    read_found(stream, s);
}

/* A few steps are recorded, and launched several times, with other values in between. */
static void run_graph(model *m)
{
    static step recorded[GRAPH_STEPS], launched[GRAPH_STEPS * MOST_LAUNCHES];
    size_t nodes[GRAPH_STEPS][MOST_ARRAYS];
    unsigned count = 0, wanted = 1 + draw(m, GRAPH_STEPS), launches = 1 + draw(m, MOST_LAUNCHES);
    int at = (int)draw(m, STREAMS);
    yoke_graph *graph = NULL;
    NEED_OK(yoke_graph_create(m->t->device, NULL, &graph));
    NEED_OK(yoke_graph_begin(graph, m->streams[at]));
    while (count < wanted && !m->disagrees && step_draw(m, &recorded[count])) {
        if (recorded[count].host) /* it would be overwritten by the next launch */
            break;
        record_step(&recorded[count], graph, m->streams[at], nodes[count]);
        count++;
    }
    NEED_OK(yoke_graph_end(graph));
    for (unsigned i = 0; count > 0 && i < launches && !m->disagrees; i++) {
        if (i > 0)
            update_graph(m, graph, nodes, recorded, count);
        memcpy(&launched[i * count], recorded, count * sizeof *recorded);
        launch_graph(m, graph, (int)draw(m, STREAMS), recorded, &launched[i * count], count);
    }
out:
    yoke_graph_release(graph);
    settle(m, launched, m->disagrees ? 0 : count * launches);
}

/* ---- Seeds ---- */

/* Six operations, the next six of the next seed, in an order that mixes the families. */
static void draw_variants(model *m)
{
    size_t count = 0, stride = 29;
    while (operation_at(count))
        count++;
    while (count % stride == 0)
        stride++;
    for (size_t i = 0; i < count && m->variant_count < 2 * OPERATIONS_OF_SEED; i++) {
        const operation *op = operation_at(only ? i : ((size_t)m->seed * OPERATIONS_OF_SEED + i) * stride % count);
        if (only && strcmp(only, op->name) != 0 && strcmp(only, op->name + strlen("yoke_")) != 0)
            continue;
        if (!only && i == OPERATIONS_OF_SEED)
            break;
        for (unsigned more = only ? 4 : 1 + chance(m, 35); more > 0; more--) {
            variant *v = &m->variants[m->variant_count++];
            v->op = op;
            op->vary(m, v);
        }
    }
}

static bool model_begin(model *m, suite *t, uint32_t seed, uint32_t careless)
{
    memset(m, 0, sizeof *m);
    m->t = t;
    m->seed = seed;
    m->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    m->only = only;
    m->traced = traced && !careless;
    m->careless = careless;
    m->exact = yoke_device_supports(t->device, YOKE_CAP_EXACT_FP32);
    m->has_double = yoke_device_supports(t->device, YOKE_CAP_FP64);
    m->largest = chance(m, 75) ? 2000 : 12000;
    draw_variants(m);
    m->random += careless; /* other steps of the same operations */
    if (m->variant_count == 0)
        tap_bail("there is no operation of the name %s", only);
    for (int i = 0; i < STREAMS; i++)
        if (!CHECK_OK(yoke_stream_create(t->device, NULL, &m->streams[i])))
            return false;
    return memory_begin(m, (size_t)m->largest * 20);
}

static void model_end(model *m)
{
    for (int i = 0; i < STREAMS; i++)
        yoke_stream_release(m->streams[i]);
    memory_end(m);
}

typedef struct totals {
    unsigned long steps, elements[NEAR_ROUNDED + 1];
} totals;

/* A careless one ends as soon as the oracle has noticed. */
static bool run_seed(suite *t, uint32_t seed, uint32_t careless, totals *sum)
{
    model m;
    unsigned failures = suite_failures();
    bool blocking = getenv("YOKE_BLOCKING"); /* who enqueues a function would wait for it, and never open its gate */
    bool good = model_begin(&m, t, seed, careless);
    while (good && m.steps < steps_of_seed && !m.disagrees && suite_failures() == failures) {
        uint32_t dice = draw(&m, 100);
        unsigned before = m.steps;
        if (dice < 20)
            run_graph(&m);
        else if (dice < 30 && !blocking)
            run_failing(&m, dice < 25);
        else
            run_plain(&m, dice < 45 && !blocking);
        if (m.steps == before && dice >= 45)
            break; /* nothing fits */
    }
    if (suite_failures() != failures && !m.disagrees)
        tap_diag("seed %u: a call failed near step %u", seed, m.steps);
    sum->steps += m.judged;
    for (int i = 0; i <= NEAR_ROUNDED; i++)
        sum->elements[i] += m.elements[i];
    good &= !m.disagrees && suite_failures() == failures;
    model_end(&m);
    return good;
}

static void random_operations(suite *t)
{
    unsigned long seeds = 0;
    totals sum = { 0, { 0 } };
    bool good = true;
    double start = suite_now(), said = start;
    for (; good && seeds < most_seeds && (seeds == 0 || suite_now() - start < seconds); seeds++) {
        good = run_seed(t, first_seed + (uint32_t)seeds, 0, &sum);
        if (!traced && suite_now() - said < 20)
            continue;
        said = suite_now();
        tap_diag("%lu seeds, %lu operations, %.0f s", seeds + 1, sum.steps, said - start);
    }
    tap_diag("%lu operations of %lu seeds from %u on, in %.1f s", sum.steps, seeds, first_seed, suite_now() - start);
    tap_diag("%lu elements were compared exactly, %lu within bounds; of %lu nothing could be said", sum.elements[EXACT],
             sum.elements[NEAR] + sum.elements[NEAR_ROUNDED], sum.elements[ANYTHING]);
    CHECK(good);
}

/* An oracle that does not notice what is wrong is no use. A program ends with the first output that it takes for wrong; what is not
 * noticed is as often as not the sign of a result that may be 0, or of one of which nothing is said. */
static void careless_operations(suite *t)
{
    enum { PROGRAMS = 8 };
    unsigned noticed = 0;
    totals sum = { 0, { 0 } };
    for (uint32_t i = 1; i <= PROGRAMS; i++)
        noticed += !run_seed(t, first_seed, i, &sum);
    tap_diag("%u of %u programs with wrong results were noticed, after %lu operations", noticed, PROGRAMS, sum.steps);
    CHECK(noticed == PROGRAMS && sum.steps < PROGRAMS * BATCH * 4);
}

/* ---- The program ---- */

/* The tests' environment names the sources; by hand a build folder in them will do. */
static void covers_all(suite *t)
{
    const char *top = getenv("srcdir");
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/static/ops_symbols.txt", top ? top : "..");
    CHECK(table_is_complete(path));
    (void)t;
}

static const suite_case cases[] = {
    { "all operations of the library are among the random ones", covers_all, true },
    { "random operations agree with the oracle", random_operations, false },
    { "the oracle notices results that are wrong", careless_operations, false },
};

static void usage(void)
{
    fprintf(stderr, "usage: operations [--seconds N] [--seed S] [--seeds N] [--steps K] [--only OPERATION] [--trace]\n");
    exit(2);
}

int main(int argc, char **argv)
{
    const char *asked = getenv("YOKE_STRESS_SECONDS"), *limit = getenv("YOKE_TEST_SECONDS");
    char all[24];

    if (asked && *asked)
        seconds = atof(asked);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--trace") == 0) {
            traced = true;
            continue;
        }
        if (i + 1 == argc)
            usage();
        const char *option = argv[i], *value = argv[++i];
        if (strcmp(option, "--seconds") == 0)
            seconds = atof(value);
        else if (strcmp(option, "--seed") == 0)
            first_seed = (uint32_t)strtoul(value, NULL, 0);
        else if (strcmp(option, "--seeds") == 0)
            most_seeds = strtoul(value, NULL, 0);
        else if (strcmp(option, "--steps") == 0)
            steps_of_seed = (unsigned)strtoul(value, NULL, 0);
        else if (strcmp(option, "--only") == 0)
            only = value;
        else
            usage();
    }
    snprintf(all, sizeof all, "%.0f", 10 * (seconds + SEED_LIMIT));
    if (!limit || atof(limit) < atof(all))
        setenv("YOKE_TEST_SECONDS", all, 1);
    return SUITE_MAIN(cases, NULL);
}
