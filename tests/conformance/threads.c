/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any function from any thread: threads that share a stream keep their own order, objects come and go beside them, and a stream
 * that fails under them has taken each operation or refused it, with nothing between. Threads start together, behind a gate.
 */
#include "suite.h"
#include "stand.h"

#include <stdatomic.h>
#include <string.h>

#define APPEND "{ n = log[0]; log[1 + n] = entry; log[0] = n + 1; }\n"
static const char *const kernels_cuda =
    "extern \"C\" __global__ void append(unsigned *log, unsigned entry) { unsigned n; " APPEND " }\n"
    "extern \"C\" __global__ void append_from(unsigned *log, const unsigned *from, unsigned index)\n"
    "{ unsigned n, entry = from[index]; " APPEND " }\n"
    "extern \"C\" __global__ void weigh(unsigned *out, unsigned a, unsigned b, unsigned index)\n"
    "{ out[index] = out[index] * 31u + a * 65537u + b; }\n";
static const char *const kernels_opencl = "__kernel void append(__global uint *log, uint entry) { uint n; " APPEND " }\n"
                                          "__kernel void append_from(__global uint *log, __global const uint *from, uint index)\n"
                                          "{ uint n, entry = from[index]; " APPEND " }\n"
                                          "__kernel void weigh(__global uint *out, uint a, uint b, uint index)\n"
                                          "{ out[index] = out[index] * 31u + a * 65537u + b; }\n";

enum { THREADS = 8, STEPS = 40, ENTRIES = THREADS * STEPS * 2, LOG_BYTES = (1 + ENTRIES) * 4 };

/* Run fn(first), fn(first + size) and so on, each in a thread of its own, all let go at once, and wait until they have returned. */
typedef struct team {
    gate go;
    void (*fn)(void *member);
    void *member[THREADS];
} team;

typedef struct runner {
    team *team;
    void *member;
} runner;

static void *run_member(void *argument)
{
    runner *r = argument;

    gate_wait(&r->team->go, 1);
    r->team->fn(r->member);
    return NULL;
}

static void run_team(void (*fn)(void *), void *first, size_t size)
{
    team all = { .go = GATE_INIT, .fn = fn };
    runner runners[THREADS];
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        runners[i] = (runner){ &all, (char *)first + (size_t)i * size };
        if (pthread_create(&threads[i], NULL, run_member, &runners[i]))
            tap_bail("no thread");
    }
    gate_open(&all.go);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* ---- Order ---- */

/* One thread's step: it appends `mark`, reads the log, a function looks for the mark in it and sets `word`, whose value is
 * appended. */
typedef struct step {
    struct enqueuer *of;
    uint32_t mark, word, *log;
    atomic_uint ran;
} step;

typedef struct enqueuer {
    suite *t;
    yoke_stream *stream;
    yoke_buffer *log, *words;
    unsigned index, functions_every;
    atomic_uint functions_ran;
    step steps[STEPS];
} enqueuer;

static yoke_status find_mark(yoke_status status, void *user)
{
    step *s = user;
    unsigned step_index = (unsigned)(s - s->of->steps);
    bool found = false;

    CHECK_STATUS(YOKE_OK, status);
    for (uint32_t i = 0; i < s->log[0] && i < ENTRIES; i++)
        found = found || s->log[1 + i] == s->mark;
    CHECK(found);
    CHECK(atomic_fetch_add(&s->ran, 1) == 0);
    CHECK(atomic_exchange(&s->of->functions_ran, step_index + 1) <= step_index); /* this thread's functions, one behind the other */
    s->word = s->mark + 1;
    return YOKE_OK;
}

static void enqueue_steps(void *member)
{
    enqueuer *e = member;
    yoke_kernel *append = suite_kernel(e->t, "append"), *append_from = suite_kernel(e->t, "append_from");

    for (unsigned i = 0; append && append_from && i < STEPS; i++) {
        step *s = &e->steps[i];
        uint32_t place = e->index * STEPS + i;
        s->of = e;
        s->mark = (e->index + 1) << 16 | i * 2;
        CHECK_OK(yoke_launch(e->stream, append, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(e->log, s->mark)));
        if (e->functions_every && i % e->functions_every == 0) {
            s->log = memory_new(LOG_BYTES);
            CHECK_OK(yoke_read(e->stream, s->log, e->log, 0, LOG_BYTES));
            CHECK_OK(yoke_host_call(e->stream, find_mark, s, NULL));
        } else {
            s->word = s->mark + 1;
        }
        CHECK_OK(yoke_write(e->stream, e->words, place * (size_t)4, &s->word, 4));
        CHECK_OK(yoke_launch(e->stream, append_from, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(e->log, e->words, place)));
    }
}

/* Each thread's entries are all there, in its order. */
static void check_log(const uint32_t *log, const enqueuer *enqueuers)
{
    unsigned next[THREADS] = { 0 };
    bool ok = CHECK(log[0] == ENTRIES);

    for (uint32_t i = 0; ok && i < ENTRIES; i++) {
        unsigned thread = (log[1 + i] >> 16) - 1;
        ok = CHECK(thread < THREADS) && CHECK((log[1 + i] & 0xffff) == next[thread]++);
    }
    for (int i = 0; i < THREADS; i++)
        for (int j = 0; j < STEPS; j++)
            CHECK(atomic_load(&enqueuers[i].steps[j].ran) == (enqueuers[i].steps[j].log ? 1u : 0u));
}

/* functions_every: 0 for no functions at all. held: all of it is enqueued behind a function that waits. */
static void share_a_stream(suite *t, unsigned functions_every, bool held)
{
    enqueuer *enqueuers = memory_new(THREADS * sizeof *enqueuers);
    uint32_t *log = memory_new(LOG_BYTES);
    guarded buffer = { 0 }, words = { 0 };
    stand s = STAND_INIT;

    NEED(guarded_create(t, LOG_BYTES, &buffer) && guarded_create(t, THREADS * STEPS * 4, &words));
    NEED(guarded_write(t, &buffer, log));
    if (held)
        NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    for (unsigned i = 0; i < THREADS; i++) {
        enqueuers[i].t = t;
        enqueuers[i].stream = t->stream;
        enqueuers[i].log = buffer.buffer;
        enqueuers[i].words = words.buffer;
        enqueuers[i].index = i;
        enqueuers[i].functions_every = functions_every;
    }
    run_team(enqueue_steps, enqueuers, sizeof *enqueuers);
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    if (guarded_read(t, &buffer, log))
        check_log(log, enqueuers);
out:
    for (int i = 0; i < THREADS; i++)
        for (int j = 0; j < STEPS; j++)
            memory_free(enqueuers[i].steps[j].log);
    guarded_release(&words);
    guarded_release(&buffer);
    memory_free(log);
    memory_free(enqueuers);
}

static void order_direct(suite *t)
{
    share_a_stream(t, 0, false);
}

static void order_with_functions(suite *t)
{
    share_a_stream(t, 4, false); /* the stream is held at times, and open at times */
}

static void order_held(suite *t)
{
    share_a_stream(t, 1, true);
}

/* ---- One kernel, many arguments ---- */

enum { LAUNCHES = 200, WEIGHTS = 16 };

typedef struct launcher {
    suite *t;
    yoke_stream *stream;
    guarded out;
    uint32_t index, expected[WEIGHTS];
} launcher;

static void launch_many(void *member)
{
    launcher *l = member;
    yoke_kernel *weigh = suite_kernel(l->t, "weigh");

    for (uint32_t i = 0; weigh && i < LAUNCHES; i++) {
        uint32_t a = l->index * 1000 + i, b = i * 7 + l->index, at = (i + l->index) % WEIGHTS;
        CHECK_OK(yoke_launch(l->stream, weigh, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(l->out.buffer, a, b, at)));
        l->expected[at] = l->expected[at] * 31u + a * 65537u + b;
    }
}

static void launch_from_all(suite *t, bool one_stream)
{
    launcher launchers[THREADS];

    memset(launchers, 0, sizeof launchers);
    for (uint32_t i = 0; i < THREADS; i++) {
        launchers[i].t = t;
        launchers[i].index = i;
        NEED(guarded_create(t, sizeof launchers[i].expected, &launchers[i].out));
        NEED(guarded_write(t, &launchers[i].out, launchers[i].expected));
        if (one_stream)
            launchers[i].stream = yoke_stream_retain(t->stream);
        else
            NEED_OK(yoke_stream_create(t->device, &launchers[i].stream));
    }
    run_team(launch_many, launchers, sizeof *launchers);
    for (int i = 0; i < THREADS; i++) {
        CHECK_OK(yoke_stream_wait(launchers[i].stream));
        guarded_check(t, &launchers[i].out, launchers[i].expected);
    }
out:
    for (int i = 0; i < THREADS; i++) {
        guarded_release(&launchers[i].out);
        yoke_stream_release(launchers[i].stream);
    }
}

static void same_kernel_many_streams(suite *t)
{
    launch_from_all(t, false);
}

static void same_kernel_one_stream(suite *t)
{
    launch_from_all(t, true);
}

/* ---- Objects that come and go ---- */

typedef struct visitor {
    suite *t;
    yoke_stream *shared;
    yoke_buffer *log;
    unsigned index;
    atomic_uint *called;
} visitor;

static void count_complete(yoke_status status, void *user)
{
    (void)count_up(status, user);
}

/* A stream, a buffer and events of its own, for a moment; what it does with them waits for the stream that all share. */
static void come_and_go(visitor *v, uint32_t value)
{
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_event *theirs = NULL, *mine = NULL;
    uint32_t got = 0;

    NEED_OK(yoke_stream_create(v->t->device, &stream));
    NEED_OK(yoke_buffer_create(v->t->device, 64, &buffer));
    NEED_OK(yoke_event_record(v->shared, 0, &theirs));
    NEED_OK(yoke_stream_wait_event(stream, theirs));
    yoke_event_release(theirs);
    NEED_OK(yoke_fill(stream, buffer, 0, 64, &value, 4));
    if (value % 2)
        NEED_OK(yoke_host_call(stream, count_up, v->called, NULL));
    NEED_OK(yoke_event_record(stream, 0, &mine));
    if (value % 2 == 0)
        NEED_OK(yoke_event_on_complete(mine, count_complete, v->called, NULL));
    NEED_OK(yoke_stream_wait_event(v->shared, mine));
    NEED_OK(yoke_read(stream, &got, buffer, 60, 4));
    CHECK_OK(yoke_stream_wait(stream));
    CHECK(got == value);
out:
    yoke_event_release(mine);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
}

static void visit(void *member)
{
    visitor *v = member;
    yoke_kernel *append = suite_kernel(v->t, "append");

    for (uint32_t i = 0; append && i < STEPS; i++) {
        uint32_t mark = (v->index + 1) << 16 | i;
        if (v->index % 2)
            come_and_go(v, i);
        else
            CHECK_OK(yoke_launch(v->shared, append, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(v->log, mark)));
    }
}

static void objects_come_and_go(suite *t)
{
    enum { APPENDED = THREADS / 2 * STEPS };
    visitor visitors[THREADS];
    uint32_t log[1 + APPENDED] = { 0 }, next[THREADS] = { 0 };
    atomic_uint called = 0;
    guarded buffer = { 0 };
    bool ok = false;

    NEED(guarded_create(t, sizeof log, &buffer) && guarded_write(t, &buffer, log));
    for (unsigned i = 0; i < THREADS; i++)
        visitors[i] = (visitor){ t, t->stream, buffer.buffer, i, &called };
    run_team(visit, visitors, sizeof *visitors);
    CHECK_OK(yoke_stream_wait(t->stream));
    NEED(guarded_read(t, &buffer, log));
    ok = CHECK(log[0] == APPENDED);
    for (int i = 0; ok && i < APPENDED; i++) {
        unsigned thread = (log[1 + i] >> 16) - 1;
        ok = CHECK(thread < THREADS && (log[1 + i] & 0xffff) == next[thread]++);
    }
    /* Callbacks do not hold a stream back: wait for them here. */
    for (double start = suite_now(); atomic_load(&called) < APPENDED && suite_now() - start < 30;)
        sched_yield();
    CHECK(atomic_load(&called) == APPENDED);
out:
    guarded_release(&buffer);
}

/* ---- Threads that wait for one event ---- */

typedef struct waiting {
    yoke_stream *stream;
    yoke_event *event;
    unsigned index;
    stand *stand;
    atomic_uint *before, *set;
} waiting;

static yoke_status stand_and_set(yoke_status status, void *user)
{
    waiting *w = user;

    stand_at_gate(status, w->stand);
    atomic_store(w->set, 1);
    return YOKE_OK;
}

/* The last to come lets the function in front of the event go. */
static void wait_in_some_way(void *member)
{
    waiting *w = member;
    size_t index = 9;

    CHECK_STATUS(YOKE_PENDING, yoke_event_query(w->event));
    if (atomic_fetch_add(w->before, 1) + 1 == THREADS)
        gate_open(&w->stand->leave);
    if (w->index % 4 == 0)
        CHECK_OK(yoke_event_wait(w->event));
    else if (w->index % 4 == 1)
        CHECK_OK(yoke_event_wait_for(w->event, YOKE_FOREVER));
    else if (w->index % 4 == 2)
        CHECK(yoke_event_wait_any(&w->event, 1, YOKE_FOREVER, &index) == YOKE_OK && index == 0);
    else
        CHECK_OK(yoke_stream_wait(w->stream));
    CHECK(atomic_load(w->set) == 1);
    CHECK_OK(yoke_event_query(w->event));
}

static void many_wait_for_one_event(suite *t)
{
    for (int round = 0; round < 20; round++) {
        atomic_uint before = 0, set = 0;
        stand s = STAND_INIT;
        waiting all[THREADS] = { { .stand = &s, .set = &set } };
        yoke_event *event = NULL;

        NEED_OK(yoke_host_call(t->stream, stand_and_set, &all[0], NULL));
        NEED_OK(yoke_event_record(t->stream, 0, &event));
        for (unsigned i = 1; i < THREADS; i++)
            all[i] = (waiting){ t->stream, event, i, &s, &before, &set };
        all[0].stream = t->stream;
        all[0].event = event;
        all[0].before = &before;
        run_team(wait_in_some_way, all, sizeof *all);
    out:
        gate_open(&s.leave);
        CHECK_OK(yoke_stream_wait(t->stream));
        yoke_event_release(event);
    }
}

/* ---- A stream that fails under its threads ---- */

enum { CODE = -777, TRIES = 60 };

typedef struct
try {
    unsigned kind;
    yoke_status accepted, status;
    atomic_uint called, released;
}
try;

typedef struct trier {
    suite *t;
    yoke_stream *stream;
    unsigned index;
    bool cancels;
    yoke_buffer *log;
    try tries[TRIES];
} trier;

static yoke_status note_try(yoke_status status, void *user)
{
    try *one = user;

    one->status = status;
    atomic_fetch_add(&one->called, 1);
    return YOKE_OK;
}

static void note_release(void *user)
{
    try *one = user;

    CHECK(atomic_load(&one->called) == 1);
    atomic_fetch_add(&one->released, 1);
}

static yoke_status fail(yoke_status status, void *user)
{
    (void)user;
    CHECK_STATUS(YOKE_OK, status);
    return yoke_fail(CODE, "one of the threads has had enough");
}

static void try_and_try(void *member)
{
    trier *all = member;
    yoke_kernel *append = suite_kernel(all->t, "append");

    for (unsigned i = 0; append && i < TRIES; i++) {
        try *one = &all->tries[i];
        if (all->index == 0) { /* the one that fails it, somewhere in the middle */
            if (i != TRIES / 4)
                sched_yield();
            else if (all->cancels)
                CHECK_OK(yoke_stream_cancel(all->stream));
            else
                CHECK_OK(yoke_host_call(all->stream, fail, NULL, NULL));
            continue;
        }
        if (i % 3 == 0)
            one->accepted = yoke_host_call(all->stream, note_try, one, note_release);
        else
            one->accepted =
                yoke_launch(all->stream, append, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(all->log, all->index << 16 | i));
        if (one->accepted < 0 && !all->cancels)
            CHECK_TEXT(yoke_error()->text, "had enough");
        CHECK(one->accepted == YOKE_OK || yoke_error()->status == one->accepted);
    }
}

/* In each thread: accepted and well, accepted and told of the failure, refused. And of its kernels, the first ones ran. */
static void check_tries(const trier *one, const uint32_t *log, yoke_status failure)
{
    bool failed = false, refused = false, skipped = false;

    for (uint32_t i = 0; i < TRIES; i++) {
        const try *now = &one->tries[i];
        bool ran = false, function = i % 3 == 0;
        CHECK(now->accepted == YOKE_OK || now->accepted == failure);
        CHECK(!refused || now->accepted < 0);
        refused = refused || now->accepted < 0;
        unsigned times = function && now->accepted == YOKE_OK;
        CHECK(atomic_load(&now->called) == times && atomic_load(&now->released) == times);
        CHECK(!times || now->status == YOKE_OK || now->status == failure);
        CHECK(!times || !failed || now->status < 0);
        failed = failed || now->status < 0;
        for (uint32_t k = 0; !function && k < log[0]; k++)
            ran = ran || log[1 + k] == (one->index << 16 | i);
        CHECK(!ran || (now->accepted == YOKE_OK && !failed && !skipped));
        CHECK(!(function && times && now->status == YOKE_OK && skipped));
        skipped = skipped || (!function && !ran);
    }
}

static void fail_under_threads(suite *t, bool cancels)
{
    trier *triers = memory_new(THREADS * sizeof *triers);
    uint32_t *log = memory_new(LOG_BYTES);
    yoke_status failure = cancels ? YOKE_E_CANCELLED : CODE;
    guarded buffer = { 0 };

    NEED(guarded_create(t, LOG_BYTES, &buffer));
    for (int round = 0; round < 15 && suite_failures() == 0; round++) {
        memset(triers, 0, THREADS * sizeof *triers);
        memset(log, 0, LOG_BYTES);
        NEED(guarded_write(t, &buffer, log));
        for (unsigned i = 0; i < THREADS; i++) {
            triers[i].t = t;
            triers[i].stream = t->stream;
            triers[i].index = i;
            triers[i].cancels = cancels;
            triers[i].log = buffer.buffer;
        }
        run_team(try_and_try, triers, sizeof *triers);
        CHECK_STATUS(failure, yoke_stream_wait(t->stream));
        CHECK_OK(yoke_stream_recover(t->stream));
        CHECK_OK(yoke_stream_wait(t->stream));
        NEED(guarded_read(t, &buffer, log));
        for (int i = 1; i < THREADS; i++)
            check_tries(&triers[i], log, failure);
    }
    suite_works(t);
out:
    guarded_release(&buffer);
    memory_free(log);
    memory_free(triers);
}

static void function_fails_under_threads(suite *t)
{
    fail_under_threads(t, false);
}

static void cancelled_under_threads(suite *t)
{
    fail_under_threads(t, true);
}

static const suite_case cases[] = {
    { "eight threads on one stream keep their order", order_direct, false },
    { "and with functions between, which hold the stream at times", order_with_functions, false },
    { "and on a stream that is held", order_held, false },
    { "one kernel launched from eight threads, on streams of their own", same_kernel_many_streams, false },
    { "one kernel launched from eight threads, on one stream", same_kernel_one_stream, false },
    { "streams, events and buffers come and go while others enqueue", objects_come_and_go, false },
    { "eight threads wait for one event", many_wait_for_one_event, false },
    { "a function fails a stream under seven threads", function_fails_under_threads, false },
    { "a stream is cancelled under seven threads", cancelled_under_threads, false },
};

int main(void)
{
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "threads";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
