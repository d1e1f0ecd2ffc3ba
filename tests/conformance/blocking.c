/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YOKE_BLOCKING=1: whatever is enqueued has finished, or failed, when its call returns, and inside host functions, where that
 * cannot be, nothing deadlocks. The variable is read when a device is opened, so each case opens t's device once more.
 */
#include "suite.h"
#include "stand.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const kernels_cuda = SPIN_CUDA SET_CUDA;
static const char *const kernels_opencl = SPIN_OPENCL SET_OPENCL;

enum { SPIN_MILLISECONDS = 30, BIG = 8 << 20 };

static yoke_source test_source(void)
{
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "blocking test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return source;
}

/* The same device, opened while YOKE_BLOCKING is set, with all that cases and the suite's helpers need. */
static bool open_blocking(suite *t, suite *b)
{
    yoke_source source = test_source();

    *b = (suite){ .info = t->info };
    bool ok = CHECK(setenv("YOKE_BLOCKING", "1", 1) == 0) && CHECK_OK(yoke_device_open(t->info.selector, &b->device));
    unsetenv("YOKE_BLOCKING");
    return ok && CHECK_OK(yoke_program_build(b->device, &source, &b->program)) &&
           CHECK_OK(yoke_stream_create(b->device, NULL, &b->side)) && CHECK_OK(yoke_stream_create(b->device, NULL, &b->stream));
}

static void close_blocking(suite *b)
{
    yoke_stream_release(b->stream);
    yoke_stream_release(b->side);
    yoke_program_release(b->program);
    yoke_program_release(b->saxpy);
    yoke_device_release(b->device);
}

/* Nothing of the stream is still to be done. */
static bool is_idle(yoke_stream *stream)
{
    yoke_event *event = NULL;
    bool idle = CHECK_OK(yoke_event_record(stream, 0, &event)) && yoke_event_query(event) == YOKE_OK;

    yoke_event_release(event);
    return idle;
}

/* The call succeeds, and what it enqueued has finished when it returns. */
#define FINISHES(stream, call) finishes((stream), (call), YOKE_HERE, #call)

static void finishes(yoke_stream *stream, yoke_status status, const char *where, const char *what)
{
    if (suite_check_status(YOKE_OK, status, where, what))
        suite_check(is_idle(stream), where, "what the call enqueued has finished");
}

static yoke_status set(suite *b, yoke_stream *stream, const guarded *x, uint32_t value)
{
    return yoke_launch(stream, suite_kernel(b, "set"), YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x->buffer, value));
}

static void count_release(void *user)
{
    atomic_fetch_add((atomic_uint *)user, 100);
}

static void calls_return_when_finished(suite *t)
{
    unsigned char *host = memory_new(BIG), *back = memory_new(BIG), seven = 7;
    yoke_buffer *x = NULL, *y = NULL;
    atomic_uint ran = 0;
    suite b;

    fill_random(host, BIG, 1);
    NEED(open_blocking(t, &b));
    NEED_OK(yoke_buffer_create(b.device, BIG, &x));
    NEED_OK(yoke_buffer_create(b.device, BIG, &y));
    CHECK(suite_spin(&b, b.stream, x, 1, SPIN_MILLISECONDS, NULL));
    CHECK(is_idle(b.stream));
    FINISHES(b.stream, yoke_write(b.stream, x, 0, host, BIG));
    FINISHES(b.stream, yoke_copy(b.stream, y, 0, x, 0, BIG));
    FINISHES(b.stream, yoke_fill(b.stream, y, BIG / 2, BIG / 2, &seven, 1));
    memset(host + BIG / 2, seven, BIG / 2);
    CHECK_OK(yoke_read(b.stream, back, y, 0, BIG));
    CHECK_BYTES(back, host, BIG);
    for (unsigned i = 1; i <= 10; i++) {
        FINISHES(b.stream, yoke_host_call(b.stream, count_up, &ran, count_release));
        CHECK(atomic_load(&ran) == 101 * i);
    }
out:
    yoke_buffer_release(x);
    yoke_buffer_release(y);
    close_blocking(&b);
    memory_free(host);
    memory_free(back);
}

/* For an event of the device that does not block. */
static void waits_return_when_finished(suite *t)
{
    yoke_buffer *x = NULL;
    yoke_event *event = NULL;
    suite b;

    NEED(open_blocking(t, &b));
    NEED_OK(yoke_buffer_create(t->device, 8, &x));
    CHECK(suite_spin(t, t->stream, x, 1, SPIN_MILLISECONDS, NULL));
    CHECK_OK(yoke_event_record(t->stream, 0, &event));
    FINISHES(b.stream, yoke_stream_wait_event(b.stream, event));
    CHECK_STATUS(YOKE_OK, yoke_event_query(event));
out:
    yoke_event_release(event);
    yoke_buffer_release(x);
    close_blocking(&b);
}

static void failures_return_at_once(suite *t)
{
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    guarded x = { 0 };
    uint32_t value = 42;
    suite b;

    NEED(open_blocking(t, &b));
    NEED(guarded_create(&b, 4, &x) && guarded_write(&b, &x, &value));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    CHECK_OK(yoke_event_record(t->stream, 0, &event));
    gate_open(&s.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait_event(b.stream, event));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, set(&b, b.stream, &x, 1));
    CHECK_OK(yoke_stream_recover(b.stream));
    CHECK_OK(yoke_host_call(b.stream, fail_on_purpose, NULL, NULL)); /* OK only says that the function was called */
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, set(&b, b.stream, &x, 2));
    guarded_check(&b, &x, &value);
    CHECK_OK(yoke_stream_recover(b.stream));
    FINISHES(b.stream, set(&b, b.stream, &x, 3));
    guarded_check(&b, &x, &(uint32_t){ 3 });
    suite_works(&b);
out:
    yoke_event_release(event);
    guarded_release(&x);
    close_blocking(&b);
}

/* What fails is a function, a stream or a build; the call that has enqueued it does not, and leaves the thread's record alone. */
static void calls_that_succeed_keep_the_record(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_event *built = NULL;
    suite b;

    source.name = "broken";
    source.cuda = source.opencl = "#error broken on purpose\n";
    NEED(open_blocking(t, &b));
    yoke_error_clear();
    CHECK_OK(yoke_host_call(b.stream, fail_on_purpose, NULL, NULL));
    CHECK(yoke_error()->status == YOKE_OK);
    CHECK_OK(yoke_program_build_async(b.device, &source, &program, &built));
    CHECK(yoke_error()->status == YOKE_OK);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(b.stream));
    CHECK_FAILS(YOKE_E_BUILD, "broken", yoke_event_wait(built));
    CHECK_OK(yoke_stream_recover(b.stream));
    suite_works(&b);
out:
    yoke_event_release(built);
    yoke_program_release(program);
    close_blocking(&b);
}

typedef struct inside {
    suite *b;
    guarded x, y, z;
    yoke_stream *behind;
    atomic_uint ran;
} inside;

static yoke_status enqueue_inside(yoke_status status, void *user)
{
    inside *in = user;
    yoke_event *event = NULL, *last = NULL;

    CHECK_STATUS(YOKE_OK, status);
    CHECK_OK(set(in->b, in->b->stream, &in->x, 9)); /* behind this function, so it cannot have finished */
    CHECK_OK(yoke_host_call(in->b->stream, count_up, &in->ran, NULL));
    CHECK_OK(yoke_event_record(in->b->stream, 0, &event));
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(event));
    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_event_wait(event));
    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_stream_wait(in->b->stream));
    CHECK(atomic_load(&in->ran) == 0);
    FINISHES(in->b->side, set(in->b, in->b->side, &in->y, 10)); /* another stream's has */
    CHECK_OK(yoke_stream_wait_event(in->behind, event));        /* and a stream that waits for what is behind cannot have, either */
    CHECK_OK(set(in->b, in->behind, &in->z, 11));
    CHECK_OK(yoke_event_record(in->behind, 0, &last));
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(last));
    yoke_event_release(event);
    yoke_event_release(last);
    return YOKE_OK;
}

static void inside_host_functions(suite *t)
{
    inside in = { .ran = 0 };
    uint32_t value = 42;
    suite b;

    in.b = &b;
    NEED(open_blocking(t, &b));
    NEED(guarded_create(&b, 4, &in.x) && guarded_write(&b, &in.x, &value));
    NEED(guarded_create(&b, 4, &in.y) && guarded_write(&b, &in.y, &value));
    NEED(guarded_create(&b, 4, &in.z) && guarded_write(&b, &in.z, &value));
    NEED_OK(yoke_stream_create(b.device, NULL, &in.behind));
    for (unsigned i = 1; i <= 10; i++) {
        atomic_store(&in.ran, 0);
        CHECK_OK(yoke_host_call(b.stream, enqueue_inside, &in, NULL));
        CHECK_OK(yoke_stream_wait(b.stream));
        CHECK(atomic_load(&in.ran) == 1);
        guarded_check(&b, &in.x, &(uint32_t){ 9 });
        guarded_check(&b, &in.y, &(uint32_t){ 10 });
        CHECK_OK(yoke_stream_wait(in.behind));
        guarded_check(&b, &in.z, &(uint32_t){ 11 });
    }
out:
    yoke_stream_release(in.behind);
    guarded_release(&in.x);
    guarded_release(&in.y);
    guarded_release(&in.z);
    close_blocking(&b);
}

typedef struct other {
    yoke_stream *mine, *behind;
} other;

static yoke_status wait_for_mine(yoke_status status, void *user)
{
    other *o = user;

    CHECK_STATUS(YOKE_OK, status);
    CHECK_OK(yoke_stream_wait(o->mine));
    return YOKE_OK;
}

static yoke_status call_behind(yoke_status status, void *user)
{
    other *o = user;
    yoke_event *event = NULL;

    CHECK_STATUS(YOKE_OK, status);
    CHECK_OK(yoke_host_call(o->behind, wait_for_mine, o, NULL));
    CHECK_OK(yoke_event_record(o->behind, 0, &event));
    yoke_event_release(event);
    return YOKE_OK;
}

/* A function enqueues another in a second stream, which waits for the first: nothing that the variable may turn into a deadlock. */
static void a_function_that_waits_for_the_function(suite *t)
{
    other o = { NULL, NULL };
    suite b;

    NEED(open_blocking(t, &b));
    NEED_OK(yoke_stream_create(b.device, NULL, &o.behind));
    o.mine = b.stream;
    for (int i = 0; i < 10; i++) {
        CHECK_OK(yoke_host_call(b.stream, call_behind, &o, NULL));
        CHECK_OK(yoke_stream_wait(b.stream));
        CHECK_OK(yoke_stream_wait(o.behind));
    }
out:
    yoke_stream_release(o.behind);
    close_blocking(&b);
}

typedef struct enqueuer {
    suite *b;
    guarded *x;
    atomic_uint *ran;
} enqueuer;

static void *enqueue_in_thread(void *user)
{
    enqueuer *e = user;

    for (uint32_t i = 0; i < 50; i++) {
        CHECK_OK(set(e->b, e->b->stream, e->x, i));
        CHECK_OK(yoke_host_call(e->b->stream, count_up, e->ran, NULL));
    }
    return NULL;
}

static void one_stream_from_several_threads(suite *t)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    atomic_uint ran = 0;
    guarded x = { 0 };
    int started = 0;
    suite b;

    NEED(open_blocking(t, &b));
    NEED(guarded_create(&b, 4, &x));
    enqueuer e = { &b, &x, &ran };
    while (started < THREADS && CHECK(pthread_create(&threads[started], NULL, enqueue_in_thread, &e) == 0))
        started++;
    while (started > 0)
        pthread_join(threads[--started], NULL);
    CHECK(atomic_load(&ran) == THREADS * 50);
    CHECK(is_idle(b.stream));
    guarded_check(&b, &x, &(uint32_t){ 49 });
out:
    guarded_release(&x);
    close_blocking(&b);
}

int main(void)
{
    static const suite_case cases[] = {
        { "launches, copies, fills and host functions have finished when their call returns", calls_return_when_finished, false },
        { "so has a wait for an event", waits_return_when_finished, false },
        { "a failure is returned by the call that fails", failures_return_at_once, false },
        { "a call that succeeds leaves the thread's record alone", calls_that_succeed_keep_the_record, false },
        { "inside host functions nothing deadlocks", inside_host_functions, false },
        { "nor where one waits for another that has enqueued it", a_function_that_waits_for_the_function, false },
        { "one stream from several threads", one_stream_from_several_threads, false },
    };
    yoke_source source = test_source();

    return SUITE_MAIN(cases, &source);
}
