/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers that answer late, never, or what is not true: orders about single calls, and what becomes of the streams. It takes a
 * library with --enable-fault-injection.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "../conformance/suite.h"

#include "base/process/inject.h"

enum { N = 1000, ALWAYS = 1000000 };

static const yoke_source spin_source = { .size = sizeof spin_source, .name = "answers", .cuda = SPIN_CUDA, .opencl = SPIN_OPENCL };

static yoke_fault_report report_now(void)
{
    yoke_fault_report report;

    yoke_fault_get_report(&report);
    return report;
}

/* The truth again, and all is well. */
static void be_honest(suite *t)
{
    yoke_fault_order(NULL);
    suite_works(t);
}

static yoke_status note(yoke_status status, void *user)
{
    *(yoke_status *)user = status;
    return YOKE_OK;
}

/* ---- Failures ---- */

/* Stream `b` waits for an event of t->stream that fails, and has two events behind that wait and one before. In whatever order they
 * are asked, those behind have failed. */
static void asked_in_order(suite *t, const int order[3])
{
    yoke_stream *a = NULL, *b = NULL;
    yoke_event *event = NULL, *of_b[3] = { NULL };
    yoke_buffer *x = NULL;
    yoke_fault fault = { .what = YOKE_FAULT_SAY_FAILED, .times = ALWAYS };

    NEED_OK(yoke_stream_create(t->device, NULL, &a));
    NEED_OK(yoke_stream_create(t->device, NULL, &b));
    NEED_OK(yoke_buffer_create(t->device, 3 * N, &x));
    NEED_OK(yoke_fill(a, x, 0, N, "a", 1));
    NEED_OK(yoke_event_record(a, 0, &event));
    fault.about = report_now().newest;
    NEED_OK(yoke_fill(b, x, N, N, "b", 1));
    NEED_OK(yoke_event_record(b, 0, &of_b[0]));
    NEED_OK(yoke_stream_wait_event(b, event));
    yoke_fault_order(&fault);
    for (int i = 1; i < 3; i++) {
        NEED_OK(yoke_fill(b, x, 2 * N, N, "b", 1));
        NEED_OK(yoke_event_record(b, 0, &of_b[i]));
    }
    for (int i = 0; i < 3; i++) {
        yoke_status status;
        while ((status = yoke_event_query(of_b[order[i]])) == YOKE_PENDING)
            sched_yield();
        if (!CHECK((status < 0) == (order[i] > 0)))
            tap_diag("event %d, asked as number %d, says %s", order[i], i, yoke_status_name(status));
    }
    CHECK(yoke_stream_wait(b) < 0);
    CHECK(yoke_event_wait(event) < 0);
    CHECK(report_now().happened > 0);
    yoke_fault_order(NULL);
    CHECK_OK(yoke_stream_recover(a));
    CHECK_OK(yoke_stream_recover(b));
out:
    yoke_fault_order(NULL);
    for (int i = 0; i < 3; i++)
        yoke_event_release(of_b[i]);
    yoke_event_release(event);
    yoke_buffer_release(x);
    yoke_stream_release(b);
    yoke_stream_release(a);
}

static void waits_that_failed(suite *t)
{
    static const int orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 2, 0 }, { 2, 1, 0 } };

    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        asked_in_order(t, orders[i]);
    be_honest(t);
}

static void event_says_failed(suite *t)
{
    yoke_status told = YOKE_OK;
    yoke_buffer *x = NULL;

    NEED_OK(yoke_buffer_create(t->device, N, &x));
    NEED_OK(yoke_fill(t->stream, x, 0, N, "a", 1));
    yoke_fault_order(&(yoke_fault){ .what = YOKE_FAULT_SAY_FAILED, .times = ALWAYS });
    NEED_OK(yoke_host_call(t->stream, note, &told, NULL));
    yoke_status status = yoke_stream_wait(t->stream);
    CHECK(status < 0);
    CHECK_TEXT(yoke_error()->text, "fill");
    CHECK_STATUS(status, told);
    CHECK_STATUS(status, yoke_fill(t->stream, x, 0, N, "b", 1));
    yoke_fault_order(NULL);
    CHECK_OK(yoke_stream_recover(t->stream));
    CHECK_OK(yoke_fill(t->stream, x, 0, N, "c", 1));
    CHECK_OK(yoke_stream_wait(t->stream));
out:
    yoke_buffer_release(x);
    be_honest(t);
}

static bool is_cuda(const suite *t)
{
    return strncmp(t->info.selector, "cuda", 4) == 0;
}

/* Memory that a kernel still writes to is released, and the driver does not answer when the kernel is done: until then the memory
 * stays. A driver that frees it at once loses the device otherwise. */
static void release_unanswered(suite *t)
{
    uint32_t rounds;
    yoke_buffer *x = NULL;

    NEED_OK(yoke_buffer_create(t->device, 2 * sizeof(uint32_t), &x));
    NEED(suite_spin(t, t->stream, x, 7, 50, &rounds));
    yoke_buffer_release(x);
    x = NULL;
    yoke_fault_order(&(yoke_fault){ .what = YOKE_FAULT_FAILURE, .call = is_cuda(t) ? "cuEventQuery" : "clGetEventInfo" });
    suite_expect_log();
    CHECK_OK(yoke_device_trim_memory(t->device, 0));
    CHECK(report_now().happened == 1);
    yoke_fault_order(NULL);
    CHECK_OK(yoke_stream_wait(t->stream));
out:
    yoke_buffer_release(x);
    be_honest(t);
}

/* A fill is several commands to drivers, of which the second is refused: the first is over when the caller hears of it. Rows that
 * begin at multiples of 8 and not of 16 are no kernel's of Yoke's. */
static void part_is_refused(suite *t)
{
    enum { WIDTH = 32 << 20, PITCH = WIDTH + 8 };
    yoke_fault fault = { .what = YOKE_FAULT_FAILURE, .call = is_cuda(t) ? "cuMemsetD2D32Async" : "clEnqueueFillBuffer", .at = 2 };
    yoke_buffer *x = NULL;

    NEED_OK(yoke_buffer_create(t->device, 2 * PITCH, &x));
    yoke_fault_order(&fault);
    CHECK(yoke_fill_rect(t->stream, x, (yoke_pitch){ 0, PITCH, 0 }, (yoke_rect){ WIDTH, 2, 1 }, "eight ..", 8) < 0);
    CHECK(report_now().happened == 1);
    yoke_fault_order(NULL);
    yoke_buffer_release(x);
    x = NULL;
    CHECK_OK(yoke_device_trim_memory(t->device, 0));
    CHECK_OK(yoke_stream_wait(t->stream));
out:
    yoke_buffer_release(x);
    be_honest(t);
}

/* ---- Late answers ---- */

/* Bytes go in, wait for a kernel, come back, and are replaced: a read that CUDA's driver ends within the call leaves no event to
 * query. */
static bool there_and_back(suite *t, yoke_stream *stream)
{
    uint32_t marks[2] = { 3, 5 }, back[2] = { 0, 0 }, rounds = 0;
    yoke_buffer *x = NULL;
    bool good = CHECK_OK(yoke_buffer_create(t->device, sizeof marks, &x)) &&
                CHECK_OK(yoke_write(stream, x, 0, marks, sizeof marks)) && suite_spin(t, stream, x, 7, 5, &rounds) &&
                CHECK_OK(yoke_read(stream, back, x, 0, sizeof back)) && CHECK_OK(yoke_fill(stream, x, 0, sizeof marks, "z", 1)) &&
                CHECK_OK(yoke_stream_wait(stream)) && CHECK(back[0] == 7 && back[1] == spin_result(7, rounds));

    yoke_buffer_release(x);
    return good;
}

static void says_pending(suite *t)
{
    for (unsigned times = 1; times <= 300; times += 299) {
        yoke_fault_order(&(yoke_fault){ .what = YOKE_FAULT_SAY_PENDING, .times = times });
        there_and_back(t, t->stream);
        CHECK(report_now().happened == times);
    }
    be_honest(t);
}

/* OpenCL's answer is followed by a wait, as its specification asks; what CUDA says of an event is all there is. */
static void says_complete(suite *t)
{
    yoke_fault_order(&(yoke_fault){ .what = YOKE_FAULT_SAY_COMPLETE, .times = ALWAYS });
    if (strncmp(t->info.selector, "opencl", 6) == 0)
        there_and_back(t, t->stream);
    else
        CHECK_OK(yoke_stream_wait(t->stream));
    be_honest(t);
}

static void calls_are_late(suite *t)
{
    yoke_fault_order(&(yoke_fault){ .what = YOKE_FAULT_LATE, .milliseconds = 2, .times = ALWAYS });
    there_and_back(t, t->stream);
    CHECK(report_now().happened > 4);
    be_honest(t);
}

/* ---- Calls that hang ---- */

typedef struct waiting {
    suite *t;
    gate ended;
    yoke_status status;
} waiting;

static void *wait_for_it(void *user)
{
    waiting *w = user;

    w->status = yoke_stream_wait(w->t->stream);
    gate_open(&w->ended);
    return NULL;
}

/* A thread hangs in the driver, asking for an event of t->stream: whoever has nothing to do with that goes on. */
static void question_hangs(suite *t)
{
    waiting w = { .t = t, .ended = GATE_INIT };
    yoke_stream *other = NULL;
    yoke_status told = YOKE_PENDING;
    yoke_buffer *x = NULL;
    pthread_t thread;

    NEED_OK(yoke_stream_create(t->device, NULL, &other));
    NEED_OK(yoke_buffer_create(t->device, N, &x));
    NEED_OK(yoke_fill(t->stream, x, 0, N, "a", 1));
    yoke_fault_order(&(yoke_fault){ .what = YOKE_FAULT_HANG, .call = is_cuda(t) ? "cuEventQuery" : "clGetEventInfo" });
    NEED(pthread_create(&thread, NULL, wait_for_it, &w) == 0);
    while (report_now().hanging == 0)
        sched_yield();
    there_and_back(t, other);
    CHECK_OK(yoke_host_call(other, note, &told, NULL));
    CHECK_OK(yoke_stream_wait(other));
    CHECK_STATUS(YOKE_OK, told);
    CHECK(!gate_is_open(&w.ended, 1));
    yoke_fault_let_go();
    pthread_join(thread, NULL);
    CHECK_OK(w.status);
out:
    yoke_buffer_release(x);
    yoke_stream_release(other);
    be_honest(t);
}

int main(void)
{
    static const suite_case cases[] = {
        { "events behind a wait that has failed, asked in any order", waits_that_failed, false },
        { "an event that says it has failed", event_says_failed, false },
        { "memory whose last use is not answered for", release_unanswered, false },
        { "a fill of which a part is refused", part_is_refused, false },
        { "events that say for long that they are pending", says_pending, false },
        { "events that say too early that they are complete", says_complete, false },
        { "calls that take long", calls_are_late, false },
        { "a question that hangs", question_hangs, false },
    };

    return SUITE_MAIN(cases, &spin_source);
}
