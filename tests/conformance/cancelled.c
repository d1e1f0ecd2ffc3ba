/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are cancelled (pthread_cancel) while they are in a call: none of Yoke's functions is a cancellation point, so the
 * call ends as ever, and what it had begun is finished. A thread that was cancelled while it slept would leave its stack in the
 * lists of those that wake it.
 */
#include "suite.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include <yoke/graph.h>

#include "../tap/sanitized.h"
#include "stand.h"

typedef struct victim victim;
struct victim {
    suite *t;
    void (*call)(victim *v);
    yoke_stream *stream;
    yoke_event *event;
    yoke_buffer *buffer;
    gate inside;
    atomic_bool asked; /* the thread was asked to end */
    bool returned;
    int fd;
};

static void *be_cancelled(void *user)
{
    victim *v = user;

    gate_open(&v->inside);
    v->call(v);
    v->returned = true;
    while (!atomic_load(&v->asked))
        sched_yield();
    pthread_testcancel();
    return NULL;
}

/* The thread may not be asleep yet when it is cancelled: then that counts as soon as it would be. */
static void cancel_one(victim *v, void (*let_go)(void *user), void *user)
{
    pthread_t thread;
    void *result = NULL;

    if (!CHECK(pthread_create(&thread, NULL, be_cancelled, v) == 0))
        return;
    gate_wait(&v->inside, 1);
    CHECK(pthread_cancel(thread) == 0);
    atomic_store(&v->asked, true);
    if (let_go)
        let_go(user);
    pthread_join(thread, &result);
    CHECK(v->returned);
    CHECK(result == PTHREAD_CANCELED);
}

static void open_gate(void *g)
{
    gate_open(g);
}

/* ---- Behind a host function ---- */

static void wait_stream(victim *v)
{
    CHECK_OK(yoke_stream_wait(v->stream));
}

static void wait_event(victim *v)
{
    CHECK_OK(yoke_event_wait(v->event));
}

static void wait_with_limit(victim *v)
{
    CHECK_OK(yoke_event_wait_for(v->event, YOKE_FOREVER - 1));
}

static void wait_any(victim *v)
{
    yoke_event *events[] = { v->event, v->event };
    size_t index;

    CHECK_OK(yoke_event_wait_any(events, 2, YOKE_FOREVER, &index));
}

static void read_sync(victim *v)
{
    uint32_t value;

    CHECK_OK(yoke_read_sync(v->stream, &value, v->buffer, 0, sizeof value));
    CHECK(value == 77);
}

static void write_sync(victim *v)
{
    const uint32_t value = 77;

    CHECK_OK(yoke_write_sync(v->stream, v->buffer, 0, &value, sizeof value));
}

static void behind_a_function(suite *t)
{
    static void (*const calls[])(victim *) = { wait_stream, wait_event, wait_with_limit, wait_any, read_sync, write_sync };
    const uint32_t value = 77;

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        stand s = STAND_INIT;
        victim v = { .t = t, .call = calls[i], .stream = t->stream, .inside = GATE_INIT };
        if (CHECK_OK(yoke_buffer_create(t->device, sizeof value, &v.buffer)) &&
            CHECK_OK(yoke_fill(t->stream, v.buffer, 0, sizeof value, &value, sizeof value)) &&
            record_held(t->stream, &s, &v.event)) {
            gate_wait(&s.inside, 1);
            cancel_one(&v, open_gate, &s.leave);
        }
        gate_open(&s.leave);
        CHECK_OK(yoke_stream_wait(t->stream));
        yoke_event_release(v.event);
        yoke_buffer_release(v.buffer);
    }
    suite_works(t);
}

static void recover(victim *v)
{
    CHECK_OK(yoke_stream_recover(v->stream));
}

static void recovering(suite *t)
{
    stand s = STAND_INIT;
    victim v = { .t = t, .call = recover, .stream = t->stream, .inside = GATE_INIT };

    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    gate_wait(&s.inside, 1);
    CHECK_OK(yoke_stream_cancel(t->stream));
    cancel_one(&v, open_gate, &s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
out:
    gate_open(&s.leave);
}

/* ---- Behind the driver ---- */

static void behind_a_kernel(suite *t)
{
    static void (*const calls[])(victim *) = { wait_stream, wait_event, wait_any };
    yoke_buffer *out = NULL;

    NEED_OK(yoke_buffer_create(t->device, 8, &out));
    for (uint32_t i = 0; i < 3; i++) {
        victim v = { .t = t, .call = calls[i], .stream = t->stream, .inside = GATE_INIT };
        if (suite_spin(t, t->stream, out, i, 50, NULL) && CHECK_OK(yoke_event_record(t->stream, 0, &v.event)))
            cancel_one(&v, NULL, NULL);
        yoke_event_release(v.event);
        CHECK_OK(yoke_stream_wait(t->stream));
    }
    suite_works(t);
out:
    yoke_buffer_release(out);
}

/* ---- Whatever else takes its time ---- */

static void build(victim *v)
{
    static const yoke_source source = {
        .size = sizeof(yoke_source),
        .name = "cancelled",
        .cuda = SPIN_CUDA "extern \"C\" __global__ void other(int *x) { *x = 3; }\n",
        .opencl = SPIN_OPENCL "__kernel void other(__global int *x) { *x = 3; }\n",
    };
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;

    CHECK_OK(yoke_program_build(v->t->device, &source, &program));
    CHECK_OK(yoke_kernel_get(program, "other", &kernel));
    yoke_program_release(program);
}

static void build_async(victim *v)
{
    static const yoke_source source = {
        .size = sizeof(yoke_source),
        .name = "cancelled later",
        .cuda = SPIN_CUDA "extern \"C\" __global__ void third(int *x) { *x = 4; }\n",
        .opencl = SPIN_OPENCL "__kernel void third(__global int *x) { *x = 4; }\n",
    };
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;

    CHECK_OK(yoke_program_build_async(v->t->device, &source, &program, NULL));
    CHECK(yoke_program_get_log(program) != NULL);
    CHECK_OK(yoke_kernel_get(program, "third", &kernel));
    yoke_program_release(program);
}

static void objects(victim *v)
{
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;
    yoke_graph *graph = NULL;

    CHECK_OK(yoke_stream_create(v->t->device, NULL, &stream));
    CHECK_OK(yoke_buffer_create_pinned(v->t->device, 1 << 20, &buffer));
    CHECK_OK(yoke_event_record(stream, 0, &event));
    CHECK_OK(yoke_event_get_fd(event, &v->fd));
    CHECK_OK(yoke_graph_create(v->t->device, NULL, &graph));
    yoke_graph_release(graph);
    yoke_event_release(event);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
}

static void anything_else(suite *t)
{
    static void (*const calls[])(victim *) = { build, build_async, objects };

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        victim v = { .t = t, .call = calls[i], .stream = t->stream, .inside = GATE_INIT, .fd = -1 };
        cancel_one(&v, NULL, NULL);
        CHECK(calls[i] != objects || (v.fd >= 0 && close(v.fd) == 0));
    }
    suite_works(t);
}

/* ---- Messages ---- */

static void tell(int level, const char *text, void *told)
{
    (void)level, (void)text;
    atomic_store((atomic_bool *)told, true);
    pthread_testcancel();
}

static void fail(victim *v)
{
    CHECK_STATUS(YOKE_E_RANGE, yoke_fill(v->stream, v->buffer, 1 << 20, 4, "abc", 4));
}

/* Also the program's own function, which runs under the log's lock. */
static void messages(suite *t)
{
    static atomic_bool told;
    victim v = { .t = t, .call = fail, .stream = t->stream, .inside = GATE_INIT };

    NEED_OK(yoke_buffer_create(t->device, 4, &v.buffer));
    yoke_log_set(YOKE_LOG_ERROR, tell, &told);
    cancel_one(&v, NULL, NULL);
    suite_log_here();
    CHECK(atomic_load(&told));
out:
    yoke_buffer_release(v.buffer);
}

static const yoke_source source = { .size = sizeof(yoke_source), .name = "spin", .cuda = SPIN_CUDA, .opencl = SPIN_OPENCL };

static const suite_case cases[] = {
    { "in a wait behind a host function", behind_a_function, false },
    { "in a recovery", recovering, false },
    { "in a wait for the driver", behind_a_kernel, false },
    { "while a program is built, or objects made", anything_else, false },
    { "in a message", messages, false },
};

int main(void)
{
    if (SANITIZED)
        tap_skip_all("the sanitizer does not survive a thread that is cancelled");
    return SUITE_MAIN(cases, &source);
}
