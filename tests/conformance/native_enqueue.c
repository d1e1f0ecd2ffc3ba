/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native sections whose function may be called at once: by the enqueuing thread where nothing is deferred, else in the stream's
 * order; once, with nothing of other threads in between, and with the status of yoke_native_call.
 */
#include "native_section.h"

#include <sched.h>
#include <stdlib.h>

#include <yoke/graph.h>
#include <yoke/memory.h>

/* ---- At once ---- */

static void called_by_this_thread(suite *t)
{
    enum { TIMES = 20 };
    chain c;
    section n[2];

    NEED(chain_create(t, &c));
    for (uint32_t i = 0; i < TIMES; i++) {
        NEED(init_copy(&n[0], &c, &c.y, &c.x) && init_copy(&n[1], &c, &c.z, &c.y));
        NEED(advance(t, t->stream, c.x.device.buffer, i));
        advance_host(c.x.host, i);
        NEED(section_enqueue(t->stream, &n[0]));
        CHECK(section_is(&n[0], 1, 1) && pthread_equal(n[0].thread, pthread_self()));
        NEED(section_enqueue(t->stream, &n[1]));
        CHECK(section_is(&n[1], 1, 1) && pthread_equal(n[1].thread, pthread_self()));
        NEED(advance(t, t->stream, c.y.device.buffer, i));
        memcpy(c.z.host, c.x.host, WORDS_SIZE);
        memcpy(c.y.host, c.x.host, WORDS_SIZE);
        advance_host(c.y.host, i);
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    chain_check(t, &c);
    suite_works(t);
out:
    chain_release(t, &c);
}

static yoke_status fail_and_forgive(yoke_status status, void *handle, void *user)
{
    yoke_stream *stream = user;

    CHECK(status == YOKE_OK && handle != NULL && yoke_error()->status == YOKE_OK);
    CHECK_FAILS(YOKE_E_DEADLOCK, "wait for itself", yoke_stream_wait(stream));
    yoke_fail(-7009, "not worth a word");
    return YOKE_OK;
}

/* The thread's record is the one it had; and a function that waits for its stream is told. */
static void leaves_the_record_alone(suite *t)
{
    yoke_error_clear();
    CHECK_OK(yoke_native_enqueue(t->stream, fail_and_forgive, t->stream, NULL));
    CHECK(yoke_error()->status == YOKE_OK);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "stream", yoke_stream_wait(NULL));
    yoke_error_info before = *yoke_error();
    CHECK_OK(yoke_native_enqueue(t->stream, fail_and_forgive, t->stream, NULL));
    CHECK(memcmp(&before, yoke_error(), sizeof before) == 0);
    CHECK_OK(yoke_stream_wait(t->stream));
}

/* ---- Deferred ---- */

static void behind_a_host_function(suite *t)
{
    enum { TIMES = 10 };
    chain c;
    section n[2 * TIMES];
    stand s = STAND_INIT;

    NEED(chain_create(t, &c));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    for (uint32_t i = 0; i < TIMES; i++) {
        NEED(init_copy(&n[2 * i], &c, &c.y, &c.x) && init_copy(&n[2 * i + 1], &c, &c.z, &c.y));
        CHECK(advance(t, t->stream, c.x.device.buffer, i));
        CHECK(section_enqueue(t->stream, &n[2 * i]));
        CHECK(section_enqueue(t->stream, &n[2 * i + 1]));
        CHECK(advance(t, t->stream, c.y.device.buffer, i));
        advance_host(c.x.host, i);
        memcpy(c.z.host, c.x.host, WORDS_SIZE);
        memcpy(c.y.host, c.x.host, WORDS_SIZE);
        advance_host(c.y.host, i);
    }
    for (int i = 0; i < 2 * TIMES; i++)
        CHECK(section_is(&n[i], 0, 0));
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < 2 * TIMES; i++)
        CHECK(section_is(&n[i], 1, 1) && !pthread_equal(n[i].thread, pthread_self()));
    chain_check(t, &c);
out:
    gate_open(&s.leave);
    chain_release(t, &c);
}

/* A host function says why it fails, and enqueues a section on another stream before it returns: the reason stays its own. */
static yoke_status say_and_enqueue(yoke_status status, void *user)
{
    yoke_stream *other = user;

    CHECK_STATUS(YOKE_OK, status);
    (void)yoke_fail(OWN_STATUS, OWN_TEXT);
    CHECK_OK(yoke_native_enqueue(other, fail_and_forgive, other, NULL));
    CHECK_OK(yoke_stream_wait(other));
    return OWN_STATUS;
}

static void inside_a_host_function(suite *t)
{
    yoke_stream *other = NULL;

    NEED_OK(yoke_stream_create(t->device, NULL, &other));
    CHECK_OK(yoke_host_call(t->stream, say_and_enqueue, other, NULL));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_recover(t->stream));
    suite_works(t);
out:
    yoke_stream_release(other);
}

/* ---- Failures ---- */

static void fails_the_stream(suite *t)
{
    chain c;
    section bad, refused;

    NEED(chain_create(t, &c));
    NEED(init_copy(&bad, &c, &c.y, &c.x) && init_copy(&refused, &c, &c.y, &c.x));
    yoke_error_clear();
    bad.result = OWN_STATUS;
    NEED(section_enqueue(t->stream, &bad)); /* the call does not fail: the function was called */
    CHECK(section_is(&bad, 1, 1) && yoke_error()->status == YOKE_OK);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_native_enqueue(t->stream, section_call, &refused, section_release));
    CHECK(section_is(&refused, 0, 0));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
    CHECK(strstr(yoke_error()->where, "native_section.h") != NULL);
    CHECK_OK(yoke_stream_recover(t->stream));
    CHECK(section_enqueue(t->stream, &refused) && section_is(&refused, 1, 1));
    memcpy(c.y.host, c.x.host, WORDS_SIZE);
    CHECK_OK(yoke_stream_wait(t->stream));
    chain_check(t, &c);
out:
    chain_release(t, &c);
}

/* The first fails in its turn, those behind it are told, and nothing is copied. */
static void fails_deferred(suite *t)
{
    enum { COUNT = 4 };
    chain c;
    section n[COUNT];
    stand s = STAND_INIT;

    NEED(chain_create(t, &c));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    for (int i = 0; i < COUNT; i++) {
        NEED(init_copy(&n[i], &c, &c.y, &c.x));
        n[i].expected = i ? OWN_STATUS : YOKE_OK;
        n[i].result = i ? YOKE_OK : OWN_STATUS;
        CHECK(section_enqueue(t->stream, &n[i]));
    }
    gate_open(&s.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
    for (int i = 0; i < COUNT; i++) {
        gate_wait(&n[i].changed, 2);
        CHECK(section_is(&n[i], 1, 1));
    }
    CHECK_OK(yoke_stream_recover(t->stream));
    chain_check(t, &c);
out:
    gate_open(&s.leave);
    chain_release(t, &c);
}

static void torn_down(suite *t)
{
    chain c;
    section n;
    stand s = STAND_INIT;
    yoke_stream *stream = NULL;

    s.may_fail = true;
    NEED(chain_create(t, &c) && init_copy(&n, &c, &c.y, &c.x));
    n.expected = YOKE_E_CANCELLED;
    NEED_OK(yoke_stream_create(t->device, NULL, &stream));
    NEED_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
    gate_wait(&s.inside, 1);
    NEED(section_enqueue(stream, &n));
    yoke_stream_release(stream);
    stream = NULL;
    gate_open(&s.leave);
    gate_wait(&n.changed, 2);
    CHECK(section_is(&n, 1, 1));
    chain_check(t, &c);
out:
    gate_open(&s.leave);
    yoke_stream_release(stream);
    chain_release(t, &c);
}

static void what_is_refused(suite *t)
{
    section n = { .changed = GATE_INIT };

    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_native_enqueue|fn", yoke_native_enqueue(t->stream, NULL, &n, section_release));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_native_enqueue|stream",
                yoke_native_enqueue(NULL, section_call, &n, section_release));
    CHECK(section_is(&n, 0, 0));
    CHECK_OK(yoke_stream_wait(t->stream));
}

/* ---- Memory ---- */

/* A section that names its buffers. */
typedef struct named {
    section section;
    uintptr_t natives[2]; /* target, source */
} named;

static yoke_status call_named(yoke_status status, void *handle, void *user)
{
    named *n = user;

    n->section.target = n->natives[0];
    n->section.source = n->natives[1];
    return section_call(status, handle, &n->section);
}

static void release_named(void *user)
{
    section_release(&((named *)user)->section);
}

static void named_init(named *n, const native *d, size_t size)
{
    *n = (named){ .section = { .driver = d, .size = size, .changed = GATE_INIT } };
}

static bool named_enqueue(yoke_stream *stream, named *n, yoke_buffer *target, yoke_buffer *source)
{
    yoke_buffer *const buffers[] = { target, source };

    return CHECK_OK(yoke_native_enqueue_with_buffers(stream, call_named, n, release_named, buffers, 2, n->natives));
}

/* The buffers are given back right behind the function, or behind the call that names them, while the device still works: whoever
 * gets their memory writes later. */
static bool releases_at_once(suite *t, chain *c, bool deferred, bool by_name)
{
    enum { BIG = 1 << 20, SPARE = 8 };
    yoke_buffer *from = NULL, *to = NULL, *spare[SPARE] = { NULL };
    uint32_t *expected = memory_new(BIG), *got = memory_new(BIG);
    stand s = STAND_INIT;
    section in;
    named n;
    bool ok = false;

    named_init(&n, &c->driver, BIG);
    fill_random(expected, BIG, 9);
    NEED_OK(yoke_buffer_create_ordered(t->stream, BIG, &from));
    NEED_OK(yoke_buffer_create(t->device, BIG, &to));
    NEED_OK(yoke_write(t->stream, from, 0, expected, BIG));
    if (deferred)
        NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    NEED(suite_spin(t, t->stream, c->z.device.buffer, 1, 5, NULL));
    if (by_name) {
        NEED(named_enqueue(t->stream, &n, to, from));
        yoke_buffer_release(from);
        from = NULL;
    } else {
        NEED(section_init(&in, &c->driver, to, from, BIG));
        in.kept[0] = yoke_buffer_retain(to);
        in.kept[1] = from; /* its last reference */
        from = NULL;
        NEED(section_enqueue(t->stream, &in));
    }
    for (int i = 0; i < SPARE; i++) { /* some of these get the same memory */
        NEED_OK(i & 1 ? yoke_buffer_create_ordered(t->side, BIG, &spare[i]) : yoke_buffer_create(t->device, BIG, &spare[i]));
        NEED_OK(yoke_fill(t->side, spare[i], 0, BIG, &(uint32_t){ 0xabababab }, 4));
    }
    NEED_OK(yoke_stream_wait(t->side));
    gate_open(&s.leave);
    NEED_OK(yoke_read(t->stream, got, to, 0, BIG));
    NEED_OK(yoke_stream_wait(t->stream));
    ok = section_is(by_name ? &n.section : &in, 1, 1) && CHECK_BYTES(got, expected, BIG);
out:
    gate_open(&s.leave);
    (void)yoke_stream_wait(t->stream);
    for (int i = 0; i < SPARE; i++)
        yoke_buffer_release(spare[i]);
    yoke_buffer_release(from);
    yoke_buffer_release(to);
    memory_free(expected);
    memory_free(got);
    return ok;
}

static void buffers_released_behind_it(suite *t)
{
    chain c;

    if (chain_create(t, &c))
        for (int i = 0; i < 4; i++)
            CHECK(releases_at_once(t, &c, i & 1, i & 2));
    chain_release(t, &c);
}

/* Memory that the stream alone has used is free in its order, as behind a launch: nothing is in use any more when the calls have
 * returned, although the device still works. */
static void named_buffers_in_order(suite *t)
{
    enum { BIG = 1 << 20, TIMES = 10 };
    yoke_memory_info before = YOKE_MEMORY_INFO_INIT, after = YOKE_MEMORY_INFO_INIT;
    yoke_buffer *from = NULL, *to = NULL;
    uintptr_t handle;
    named n[TIMES];
    chain c;

    NEED(chain_create(t, &c));
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_device_trim_memory(t->device, 0));
    CHECK_OK(yoke_device_get_memory(t->device, &before));
    NEED(suite_spin(t, t->stream, c.z.device.buffer, 1, 20, NULL));
    for (int i = 0; i < TIMES; i++) {
        named_init(&n[i], &c.driver, BIG);
        NEED_OK(yoke_buffer_create_ordered(t->stream, BIG, &from));
        NEED_OK(yoke_buffer_create_ordered(t->stream, BIG, &to));
        NEED_OK(yoke_fill(t->stream, from, 0, BIG, &i, 4));
        NEED(named_enqueue(t->stream, &n[i], to, from) && section_is(&n[i].section, 1, 1));
        if (i == TIMES - 1)
            CHECK(CHECK_OK(yoke_buffer_get_native(from, &handle)) && handle == n[i].natives[1]);
        if (i < TIMES - 1)
            yoke_buffer_release(from);
        yoke_buffer_release(to);
        from = i < TIMES - 1 ? NULL : from;
        to = NULL;
    }
    CHECK_OK(yoke_device_get_memory(t->device, &after));
    CHECK(after.in_use >= before.in_use + BIG && after.in_use < before.in_use + 2 * BIG); /* the last `from` */
out:
    yoke_buffer_release(from);
    yoke_buffer_release(to);
    chain_release(t, &c);
}

/* A graph keeps the buffers that its sections name, and may be launched in any stream. */
static void named_buffers_in_a_graph(suite *t)
{
    enum { BIG = 1 << 20, LAUNCHES = 3 };
    yoke_buffer *from = NULL, *to = NULL, *spare = NULL;
    uint32_t *expected = memory_new(BIG), *got = memory_new(BIG);
    yoke_graph *graph = NULL;
    named n;
    chain c;

    fill_random(expected, BIG, 3);
    NEED(chain_create(t, &c));
    named_init(&n, &c.driver, BIG);
    NEED_OK(yoke_buffer_create_ordered(t->stream, BIG, &from));
    NEED_OK(yoke_buffer_create(t->device, BIG, &to));
    NEED_OK(yoke_write(t->stream, from, 0, expected, BIG));
    NEED_OK(yoke_graph_create(t->device, "named", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED(named_enqueue(t->stream, &n, to, from));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(from);
    from = NULL;
    NEED_OK(yoke_buffer_create_ordered(t->stream, BIG, &spare));
    NEED_OK(yoke_fill(t->stream, spare, 0, BIG, &(uint32_t){ 0xabababab }, 4));
    NEED_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < LAUNCHES; i++) {
        NEED_OK(yoke_fill(t->side, to, 0, BIG, &i, 4));
        NEED_OK(yoke_graph_launch(t->side, graph));
        NEED_OK(yoke_read(t->side, got, to, 0, BIG));
        NEED_OK(yoke_stream_wait(t->side));
        CHECK_BYTES(got, expected, BIG);
    }
out:
    yoke_graph_release(graph);
    (void)yoke_stream_wait(t->side);
    yoke_buffer_release(spare);
    yoke_buffer_release(from);
    yoke_buffer_release(to);
    memory_free(expected);
    memory_free(got);
    chain_release(t, &c);
}

static void names_that_are_refused(suite *t)
{
    section n = { .changed = GATE_INIT };
    yoke_device *other = NULL;
    yoke_buffer *own = NULL, *foreign = NULL;
    uintptr_t natives[2] = { 0, 0 };

    NEED_OK(yoke_buffer_create(t->device, 64, &own));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_native_enqueue_with_buffers|buffers is NULL",
                yoke_native_enqueue_with_buffers(t->stream, section_call, &n, section_release, NULL, 2, natives));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_native_enqueue_with_buffers|out_natives",
                yoke_native_enqueue_with_buffers(t->stream, section_call, &n, section_release, &own, 1, NULL));
    CHECK_FAILS(
        YOKE_E_INVALID_ARGUMENT, "yoke_native_enqueue_with_buffers|buffers[1]",
        yoke_native_enqueue_with_buffers(t->stream, section_call, &n, section_release, (yoke_buffer *[]){ own, NULL }, 2, natives));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_native_enqueue_with_buffers|buffers[0]",
                yoke_native_enqueue_with_buffers(t->stream, section_call, &n, section_release,
                                                 (yoke_buffer *[]){ (void *)t->stream }, 1, natives));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_native_enqueue_with_buffers|fn",
                yoke_native_enqueue_with_buffers(t->stream, NULL, &n, section_release, &own, 1, natives));
    if (suite_open_other(t, &other)) {
        NEED_OK(yoke_buffer_create(other, 64, &foreign));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_native_enqueue_with_buffers|buffers[1]|another device",
                    yoke_native_enqueue_with_buffers(t->stream, section_call, &n, section_release,
                                                     (yoke_buffer *[]){ own, foreign }, 2, natives));
    }
    CHECK(section_is(&n, 0, 0));
    CHECK_OK(yoke_native_enqueue_with_buffers(t->stream, fail_and_forgive, t->stream, NULL, NULL, 0, NULL));
    CHECK_OK(yoke_stream_wait(t->stream));
out:
    yoke_buffer_release(own);
    yoke_buffer_release(foreign);
    yoke_device_release(other);
}

/* ---- Threads and streams ---- */

enum { THREADS = 4, ROUNDS = 60 };

typedef struct worker {
    suite *t;
    yoke_stream *stream;
    native *driver;
    guarded *scratch;
    yoke_buffer *in, *out;
    uint32_t number;
    pthread_t thread;
} worker;

typedef struct two_copies {
    section into, from;
} two_copies;

/* Both halves use the one scratch buffer, and give way between them: nothing may come in between. */
static yoke_status copy_by_scratch(yoke_status status, void *handle, void *user)
{
    two_copies *n = user;

    CHECK_STATUS(YOKE_OK, status);
    if (!handle || section_copy(&n->into, handle) < 0)
        return OWN_STATUS;
    sched_yield();
    return section_copy(&n->from, handle);
}

static bool copy_a_slot(worker *w)
{
    two_copies *n = malloc(sizeof *n);

    if (!CHECK(n != NULL) || !section_init(&n->into, w->driver, w->scratch->buffer, w->in, 4) ||
        !section_init(&n->from, w->driver, w->out, w->scratch->buffer, 4) ||
        !CHECK_OK(yoke_native_enqueue(w->stream, copy_by_scratch, n, free))) {
        free(n);
        return false;
    }
    return true;
}

static void *work(void *user)
{
    worker *w = user;
    const uint32_t n = 1;

    for (uint32_t i = 0; i < ROUNDS; i++) {
        if (!CHECK_OK(yoke_launch_n(w->stream, suite_kernel(w->t, "advance"), 1, YOKE_ARGS(w->in, n, w->number))) ||
            !copy_a_slot(w) || !CHECK_OK(yoke_fill(w->stream, w->scratch->buffer, 0, 4, &(uint32_t){ 7 }, 4)))
            break;
    }
    return NULL;
}

static void run_threads(suite *t, yoke_stream *stream)
{
    worker w[THREADS] = { { 0 } };
    guarded scratch = { 0 };
    native d;
    int started = 0;

    NEED(native_open(t, &d) && guarded_create(t, 4, &scratch));
    for (uint32_t i = 0; i < THREADS; i++) {
        w[i] = (worker){ .t = t, .stream = stream, .driver = &d, .scratch = &scratch, .number = i + 1 };
        NEED_OK(yoke_buffer_create(t->device, 4, &w[i].in));
        NEED_OK(yoke_buffer_create(t->device, 4, &w[i].out));
        NEED_OK(yoke_fill(stream, w[i].in, 0, 4, &w[i].number, 4));
    }
    for (; started < THREADS; started++)
        NEED(pthread_create(&w[started].thread, NULL, work, &w[started]) == 0);
    for (; started > 0; started--)
        pthread_join(w[started - 1].thread, NULL);
    for (int i = 0; i < THREADS; i++) {
        uint32_t expected = w[i].number, got = 0;
        for (int k = 0; k < ROUNDS; k++)
            expected = 3 * expected + w[i].number;
        NEED_OK(yoke_read_sync(stream, &got, w[i].out, 0, 4));
        CHECK(got == expected);
    }
out:
    for (; started > 0; started--)
        pthread_join(w[started - 1].thread, NULL);
    (void)yoke_stream_wait(stream);
    for (int i = 0; i < THREADS; i++) {
        yoke_buffer_release(w[i].in);
        yoke_buffer_release(w[i].out);
    }
    guarded_release(&scratch);
    native_close(&d);
}

static void nothing_comes_between(suite *t)
{
    run_threads(t, t->stream);
}

/* The same in a stream with a depth, which submits everything under its lock. */
static void in_a_stream_with_a_depth(suite *t)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL;

    desc.depth = 3;
    if (CHECK_OK(yoke_stream_create(t->device, &desc, &stream)))
        run_threads(t, stream);
    yoke_stream_release(stream);
}

static void between_two_streams(suite *t)
{
    chain c;
    section n[2];

    NEED(chain_create(t, &c));
    for (uint32_t i = 0; i < 20; i++) {
        NEED(init_copy(&n[0], &c, &c.y, &c.x) && init_copy(&n[1], &c, &c.z, &c.y));
        NEED(advance(t, t->stream, c.x.device.buffer, i) && section_enqueue(t->stream, &n[0]) && follow(t->stream, t->side));
        NEED(section_enqueue(t->side, &n[1]) && follow(t->side, t->stream));
        advance_host(c.x.host, i);
    }
    memcpy(c.y.host, c.x.host, WORDS_SIZE);
    memcpy(c.z.host, c.x.host, WORDS_SIZE);
    CHECK_OK(yoke_stream_wait(t->stream));
    chain_check(t, &c);
out:
    (void)yoke_stream_wait(t->side);
    chain_release(t, &c);
}

int main(void)
{
    static const suite_case cases[] = {
        { "called by this thread, before the call returns", called_by_this_thread, false },
        { "the thread's record is left alone", leaves_the_record_alone, false },
        { "behind a host function, in its turn", behind_a_host_function, false },
        { "inside a host function of another stream", inside_a_host_function, false },
        { "a function fails the stream", fails_the_stream, false },
        { "a deferred function fails the stream, and those behind are told", fails_deferred, false },
        { "torn down before its turn", torn_down, false },
        { "what is refused", what_is_refused, false },
        { "buffers released right behind the function", buffers_released_behind_it, false },
        { "memory of named buffers is free in the stream's order", named_buffers_in_order, false },
        { "a graph keeps named buffers", named_buffers_in_a_graph, false },
        { "names that are refused", names_that_are_refused, false },
        { "nothing comes between what a function enqueues", nothing_comes_between, false },
        { "in a stream with a depth", in_a_stream_with_a_depth, false },
        { "sections of two streams", between_two_streams, false },
    };
    yoke_source source = RECORDED_SOURCE;

    source.cuda = RECORDED_CUDA SPIN_CUDA;
    source.opencl = RECORDED_OPENCL SPIN_OPENCL;
    return SUITE_MAIN(cases, &source);
}
