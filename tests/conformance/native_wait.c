/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order between streams and queues of other code: what either is given later waits for what the other has, without the host,
 * and without a third stream noticing. The queue is one of the driver's own, on CUDA the default streams too.
 */
#include "native_section.h"

#include <stdlib.h>

/* What is called besides. On CUDA `queue` is made by the test, on OpenCL it is native_open's. */
typedef struct queues {
    chain c;
    void *queue[3];
    int count;

    int (*cuStreamCreate)(void **out_stream, unsigned flags);
    int (*cuStreamDestroy_v2)(void *stream);
    int (*cuLaunchHostFunc)(void *stream, void (*fn)(void *user), void *user);
    int (*cuStreamBeginCapture_v2)(void *stream, unsigned mode);
    int (*cuStreamEndCapture)(void *stream, void **out_graph);
    int (*cuGraphDestroy)(void *graph);
} queues;

static bool find_more(queues *q)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    queues *d = q;
    bool all = true;

    FIND(cuStreamCreate);
    FIND(cuStreamDestroy_v2);
    FIND(cuLaunchHostFunc);
    FIND(cuStreamBeginCapture_v2);
    FIND(cuStreamEndCapture);
    FIND(cuGraphDestroy);
    return all;
}

static bool queues_open(suite *t, queues *q)
{
    enum { NON_BLOCKING = 1 };

    memset(q, 0, sizeof *q);
    if (!chain_create(t, &q->c))
        return false;
    q->queue[0] = q->c.driver.queue;
    q->count = 1;
    if (!q->c.driver.cuda)
        return true;
    q->queue[1] = (void *)1; /* the legacy default stream */
    q->queue[2] = (void *)2; /* this thread's */
    q->count = 3;
    return find_more(q) && IN_CONTEXT(&q->c.driver, q->cuStreamCreate(&q->queue[0], NON_BLOCKING));
}

static void queues_close(suite *t, queues *q)
{
    (void)yoke_stream_wait(t->stream);
    (void)yoke_stream_wait(t->side);
    if (q->c.driver.cuda && q->queue[0])
        CHECK(IN_CONTEXT(&q->c.driver, q->cuStreamDestroy_v2(q->queue[0])));
    chain_release(t, &q->c);
}

/* Other code copies x to y. */
static bool copy_there(queues *q, void *queue)
{
    section s;

    if (!init_copy(&s, &q->c, &q->c.y, &q->c.x))
        return false;
    if (!q->c.driver.cuda)
        return CHECK_STATUS(YOKE_OK, section_copy(&s, queue));
    return IN_CONTEXT(&q->c.driver, section_copy(&s, queue) != YOKE_OK);
}

/* The queue waits for what the stream has now: it is not behind a host function. */
static bool lead(yoke_stream *stream, void *queue)
{
    yoke_event *event = NULL;
    bool ok = CHECK_OK(yoke_event_record(stream, 0, &event)) && CHECK_STATUS(YOKE_OK, yoke_native_wait_event(queue, event));

    yoke_event_release(event);
    return ok;
}

static bool copy_here(queues *q, yoke_stream *stream)
{
    return CHECK_OK(yoke_copy(stream, q->c.z.device.buffer, 0, q->c.y.device.buffer, 0, WORDS_SIZE));
}

/* x is advanced slowly in a stream, copied by other code to y, and in another stream to z: each step shows the order of the two
 * before it. */
static bool there_and_back(suite *t, queues *q, yoke_stream *stream, void *queue, uint32_t times)
{
    yoke_buffer *out = NULL;
    bool ok = CHECK_OK(yoke_buffer_create(t->device, 8, &out));

    for (uint32_t i = 0; i < times && ok; i++) {
        ok = suite_spin(t, stream, out, 1, 10, NULL) && advance(t, stream, q->c.x.device.buffer, i) && lead(stream, queue) &&
             copy_there(q, queue) && CHECK_OK(yoke_stream_wait_native(t->side, queue)) && copy_here(q, t->side) &&
             CHECK_OK(yoke_stream_wait_native(stream, queue)) && lead(t->side, queue);
        advance_host(q->c.x.host, i);
    }
    ok = CHECK_OK(yoke_stream_wait(t->side)) && CHECK_OK(yoke_stream_wait(stream)) && ok;
    memcpy(q->c.y.host, q->c.x.host, WORDS_SIZE);
    memcpy(q->c.z.host, q->c.x.host, WORDS_SIZE);
    yoke_buffer_release(out);
    return chain_check(t, &q->c) && ok;
}

static void both_ways(suite *t)
{
    queues q;

    if (queues_open(t, &q))
        for (int i = 0; i < q.count; i++)
            CHECK(there_and_back(t, &q, t->stream, q.queue[i], 5));
    queues_close(t, &q);
}

static void in_a_stream_with_a_depth(suite *t)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL;
    queues q;

    desc.depth = 3;
    if (queues_open(t, &q) && CHECK_OK(yoke_stream_create(t->device, &desc, &stream)))
        CHECK(there_and_back(t, &q, stream, q.queue[0], 5));
    yoke_stream_release(stream);
    queues_close(t, &q);
}

/* With the stream at a host function neither call waits for it: the queue is told that it cannot, and the stream does later. */
static void behind_a_host_function(suite *t)
{
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    yoke_buffer *out = NULL;
    queues q;

    NEED(queues_open(t, &q));
    NEED_OK(yoke_buffer_create(t->device, 8, &out));
    NEED(record_held(t->stream, &s, &event));
    CHECK_STATUS(YOKE_PENDING, yoke_native_wait_event(q.queue[0], event));
    NEED(suite_spin(t, t->side, out, 1, 20, NULL) && advance(t, t->side, q.c.x.device.buffer, 7));
    NEED(lead(t->side, q.queue[0]) && copy_there(&q, q.queue[0]));
    CHECK_OK(yoke_stream_wait_native(t->stream, q.queue[0]));
    CHECK(copy_here(&q, t->stream));
    CHECK(!atomic_load(&s.ended));
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(event));
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_wait(t->side));
    CHECK_STATUS(YOKE_OK, yoke_native_wait_event(q.queue[0], event));
    advance_host(q.c.x.host, 7);
    memcpy(q.c.y.host, q.c.x.host, WORDS_SIZE);
    memcpy(q.c.z.host, q.c.x.host, WORDS_SIZE);
    chain_check(t, &q.c);
out:
    gate_open(&s.leave);
    yoke_event_release(event);
    queues_close(t, &q);
    yoke_buffer_release(out);
}

static void stand_there(void *user)
{
    stand *s = user;

    gate_open(&s->inside);
    gate_wait(&s->leave, 1);
}

/* The queue stands still: the stream that waits for it does so too, but neither the host nor another stream. */
static void disturbs_nobody(suite *t)
{
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    queues q;

    NEED(queues_open(t, &q));
    if (!q.c.driver.cuda) {
        suite_skip("OpenCL's queues can only be held by user events, which several drivers do badly");
        goto out;
    }
    NEED(IN_CONTEXT(&q.c.driver, q.cuLaunchHostFunc(q.queue[0], stand_there, &s)));
    gate_wait(&s.inside, 1);
    CHECK_OK(yoke_stream_wait_native(t->stream, q.queue[0]));
    CHECK(advance(t, t->stream, q.c.x.device.buffer, 3));
    CHECK_OK(yoke_event_record(t->stream, 0, &event));
    CHECK(advance(t, t->side, q.c.z.device.buffer, 4));
    CHECK_OK(yoke_stream_wait(t->side));
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(event));
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    advance_host(q.c.x.host, 3);
    advance_host(q.c.z.host, 4);
    chain_check(t, &q.c);
out:
    gate_open(&s.leave);
    yoke_event_release(event);
    queues_close(t, &q);
}

/* ---- Failures ---- */

static void of_a_failed_stream(suite *t)
{
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    queues q;

    NEED(queues_open(t, &q));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    NEED_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    gate_open(&s.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait_native(t->stream, q.queue[0]));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_native_wait_event(q.queue[0], event));
    CHECK(strstr(yoke_error()->where, "native_wait.c") != NULL);
    CHECK_OK(yoke_stream_recover(t->stream));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_native_wait_event(q.queue[0], event));
    CHECK(there_and_back(t, &q, t->stream, q.queue[0], 2));
out:
    gate_open(&s.leave);
    yoke_event_release(event);
    queues_close(t, &q);
}

/* A deferred wait is left out with all that is behind it. */
static void of_a_cancelled_stream(suite *t)
{
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    queues q;

    s.may_fail = true;
    NEED(queues_open(t, &q));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_stream_wait_native(t->stream, q.queue[0]));
    CHECK(copy_here(&q, t->stream));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    CHECK_OK(yoke_stream_cancel(t->stream));
    gate_open(&s.leave);
    CHECK_FAILS(YOKE_E_CANCELLED, "", yoke_event_wait(event));
    CHECK_FAILS(YOKE_E_CANCELLED, "", yoke_native_wait_event(q.queue[0], event));
    (void)yoke_stream_wait(t->stream);
    CHECK_OK(yoke_stream_recover(t->stream));
    chain_check(t, &q.c);
    CHECK(there_and_back(t, &q, t->stream, q.queue[0], 2));
out:
    gate_open(&s.leave);
    yoke_event_release(event);
    queues_close(t, &q);
}

/* ---- What is refused ---- */

static void while_recorded(suite *t)
{
    yoke_graph *graph = NULL;
    yoke_event *event = NULL;
    queues q;

    NEED(queues_open(t, &q));
    NEED(graph_begin(t, t->stream, &graph));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_stream_wait_native|recorded", yoke_stream_wait_native(t->stream, q.queue[0]));
    NEED(advance(t, t->stream, q.c.x.device.buffer, 5));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_native_wait_event", yoke_native_wait_event(q.queue[0], event));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(t->stream, graph));
    NEED(lead(t->stream, q.queue[0]) && copy_there(&q, q.queue[0]));
    NEED_OK(yoke_stream_wait_native(t->stream, q.queue[0]));
    NEED_OK(yoke_stream_wait(t->stream));
    advance_host(q.c.x.host, 5);
    memcpy(q.c.y.host, q.c.x.host, WORDS_SIZE);
    chain_check(t, &q.c);
out:
    yoke_event_release(event);
    yoke_graph_release(graph);
    queues_close(t, &q);
}

/* The capture is not spoilt. */
static void while_captured(suite *t)
{
    enum { THREAD_LOCAL = 1 };
    yoke_event *event = NULL;
    yoke_buffer *out = NULL;
    void *graph = NULL;
    queues q;

    NEED(queues_open(t, &q));
    if (!q.c.captures) {
        suite_skip("the driver does not capture");
        goto out;
    }
    NEED_OK(yoke_buffer_create(t->device, 8, &out));
    NEED(IN_CONTEXT(&q.c.driver, q.cuStreamBeginCapture_v2(q.queue[0], THREAD_LOCAL)));
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "captured", yoke_stream_wait_native(t->stream, q.queue[0]));
    NEED(suite_spin(t, t->stream, out, 1, 10, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "captured", yoke_native_wait_event(q.queue[0], event));
    NEED(IN_CONTEXT(&q.c.driver, q.cuStreamEndCapture(q.queue[0], &graph)));
    CHECK(graph != NULL && q.cuGraphDestroy(graph) == 0);
    CHECK(there_and_back(t, &q, t->stream, q.queue[0], 2));
out:
    yoke_event_release(event);
    queues_close(t, &q);
    yoke_buffer_release(out);
}

static void of_another_context(suite *t, queues *q)
{
    native *d = &q->c.driver;
    int code = 0;
    void *device = (void *)d->own.device, *context = d->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    void *queue = context ? d->clCreateCommandQueue(context, device, 0, &code) : NULL;

    if (CHECK(queue != NULL && code == 0))
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "another context", yoke_stream_wait_native(t->stream, queue));
    if (queue)
        CHECK(d->clReleaseCommandQueue(queue) == 0);
    if (context)
        CHECK(d->clReleaseContext(context) == 0);
}

static void what_is_refused(suite *t)
{
    yoke_event *event = NULL;
    queues q;

    NEED(queues_open(t, &q));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_stream_wait_native|native_stream", yoke_stream_wait_native(t->stream, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_native_wait_event|native_stream", yoke_native_wait_event(NULL, event));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_stream_wait_native|not a queue", yoke_stream_wait_native(t->stream, (void *)3));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_native_wait_event|not a queue", yoke_native_wait_event((void *)3, event));
    if (!q.c.driver.cuda) {
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "on CUDA alone", yoke_stream_wait_native(t->stream, (void *)1));
        of_another_context(t, &q);
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    suite_works(t);
out:
    yoke_event_release(event);
    queues_close(t, &q);
}

int main(void)
{
    static const suite_case cases[] = {
        { "a stream and a queue wait for each other", both_ways, false },
        { "in a stream with a depth", in_a_stream_with_a_depth, false },
        { "behind a host function", behind_a_host_function, false },
        { "a queue that stands still disturbs nobody else", disturbs_nobody, false },
        { "a failed stream", of_a_failed_stream, false },
        { "a cancelled stream", of_a_cancelled_stream, false },
        { "a stream that is recorded", while_recorded, false },
        { "a queue that is captured", while_captured, false },
        { "what is refused", what_is_refused, false },
    };
    yoke_source source = RECORDED_SOURCE;

    source.cuda = RECORDED_CUDA SPIN_CUDA;
    source.opencl = RECORDED_OPENCL SPIN_OPENCL;
    return SUITE_MAIN(cases, &source);
}
