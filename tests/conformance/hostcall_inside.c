/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a host function may call: everything, its own stream included. Only waiting for its own stream is refused, because that
 * would never end.
 */
#include "suite.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const kernels_cuda = ADVANCE_ONE_CUDA;
static const char *const kernels_opencl = ADVANCE_ONE_OPENCL;

/* What the functions below work on. */
typedef struct inside {
    suite *t;
    yoke_stream *stream;
    yoke_event *before, *behind;
    guarded x;
    int left;
    gate entered, leave, done;
} inside;

#define INSIDE_INIT(suite)                                                        \
    {                                                                             \
        .t = (suite), .entered = GATE_INIT, .leave = GATE_INIT, .done = GATE_INIT \
    }

static bool advance(suite *t, yoke_stream *stream, yoke_buffer *x, uint32_t k)
{
    return CHECK_OK(yoke_launch(stream, suite_kernel(t, "advance"), YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(x, k)));
}

/* Devices, streams, buffers, a program, launches, waits: all of it, from inside. */
static yoke_status do_everything(yoke_status status, void *user)
{
    inside *in = user;
    suite mine = *in->t;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device *device = NULL;
    yoke_buffer *pinned = NULL, *none = NULL;
    size_t count = 0;

    CHECK_STATUS(YOKE_OK, status);
    mine.saxpy = NULL; /* so that suite_works builds */
    mine.side = NULL;
    if (CHECK_OK(yoke_stream_create(mine.device, NULL, &mine.side)))
        suite_works(&mine);
    CHECK_OK(yoke_device_list(&info, 1, &count));
    CHECK(count > 0);
    CHECK_OK(yoke_device_open(mine.info.selector, &device));
    CHECK_OK(yoke_buffer_create_pinned(device, 4096, &pinned));
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_buffer_create(device, 0, &none));
    yoke_buffer_release(pinned);
    yoke_device_release(device);
    yoke_program_release(mine.saxpy);
    yoke_stream_release(mine.side);
    return YOKE_OK;
}

static void any_call_is_allowed(suite *t)
{
    inside in = INSIDE_INIT(t);

    for (int i = 0; i < 2; i++) {
        CHECK_OK(yoke_host_call(t->stream, do_everything, &in, NULL));
        CHECK_OK(yoke_stream_wait(t->stream));
    }
    CHECK_OK(yoke_stream_wait(t->stream));
}

static yoke_status release_what_is_used(yoke_status status, void *user)
{
    inside *in = user;

    CHECK_STATUS(YOKE_OK, status);
    yoke_event_release(in->before);
    yoke_buffer_release(in->x.buffer);
    in->before = NULL;
    in->x.buffer = NULL;
    return YOKE_OK;
}

/* The work before used it, the work behind will: released in between. */
static void releases_objects_in_use(suite *t)
{
    inside in = INSIDE_INIT(t);
    uint32_t value = 9;

    NEED(guarded_create(t, 4, &in.x) && guarded_write(t, &in.x, &value));
    NEED(advance(t, t->stream, in.x.buffer, 1));
    NEED_OK(yoke_event_record(t->stream, 0, &in.before));
    NEED_OK(yoke_host_call(t->stream, release_what_is_used, &in, NULL));
    advance(t, t->stream, in.x.whole, 0); /* so that something is there when the view is gone */
    NEED_OK(yoke_stream_wait(t->stream));
out:
    guarded_release(&in.x);
}

static yoke_status enqueue_on_own(yoke_status status, void *user)
{
    inside *in = user;

    CHECK_STATUS(YOKE_OK, status);
    gate_open(&in->entered);
    gate_wait(&in->leave, 1);
    advance(in->t, in->stream, in->x.buffer, 100);
    gate_open(&in->done);
    return YOKE_OK;
}

/* What is behind already stays in front of what the function enqueues. */
static void enqueues_at_the_end(suite *t)
{
    inside in = INSIDE_INIT(t);
    uint32_t value = 1;

    in.stream = t->stream;
    NEED(guarded_create(t, 4, &in.x) && guarded_write(t, &in.x, &value));
    NEED_OK(yoke_host_call(t->stream, enqueue_on_own, &in, NULL));
    gate_wait(&in.entered, 1);
    advance(t, t->stream, in.x.buffer, 1);
    advance(t, t->stream, in.x.buffer, 2);
    gate_open(&in.leave);
    gate_wait(&in.done, 1);
    CHECK_OK(yoke_stream_wait(t->stream));
    value = ((value * 3 + 1) * 3 + 2) * 3 + 100;
    guarded_check(t, &in.x, &value);
out:
    guarded_release(&in.x);
}

static yoke_status enqueue_next(yoke_status status, void *user)
{
    inside *in = user;

    CHECK_STATUS(YOKE_OK, status);
    if (--in->left > 0) {
        advance(in->t, in->stream, in->x.buffer, (uint32_t)in->left);
        CHECK_OK(yoke_host_call(in->stream, enqueue_next, in, NULL));
    } else {
        gate_open(&in->done);
    }
    return YOKE_OK;
}

static void enqueues_itself(suite *t)
{
    enum { TIMES = 200 };
    inside in = INSIDE_INIT(t);
    uint32_t value = 1;

    in.stream = t->stream;
    in.left = TIMES;
    NEED(guarded_create(t, 4, &in.x) && guarded_write(t, &in.x, &value));
    NEED_OK(yoke_host_call(t->stream, enqueue_next, &in, NULL));
    gate_wait(&in.done, 1);
    CHECK_OK(yoke_stream_wait(t->stream));
    for (int i = TIMES - 1; i > 0; i--)
        value = value * 3u + (uint32_t)i;
    guarded_check(t, &in.x, &value);
out:
    guarded_release(&in.x);
}

static yoke_status wait_for_own(yoke_status status, void *user)
{
    inside *in = user;
    yoke_event *event = NULL;
    uint32_t value = 1;

    CHECK_STATUS(YOKE_OK, status);
    gate_open(&in->entered);
    gate_wait(&in->leave, 1);
    CHECK_FAILS(YOKE_E_DEADLOCK, "of this stream", yoke_stream_wait(in->stream));
    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_event_wait(in->behind));
    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_write_sync(in->stream, in->x.buffer, 0, &value, 4));
    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_read_sync(in->stream, &value, in->x.buffer, 0, 4));
    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_copy_sync(in->stream, in->x.whole, 0, in->x.buffer, 0, 4));
    CHECK_OK(yoke_event_record(in->stream, 0, &event));
    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_event_wait(event));
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(event));
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(in->behind));
    CHECK_OK(yoke_stream_wait_event(in->stream, event)); /* for the stream, not for this thread */
    CHECK_OK(yoke_event_query(in->before));
    CHECK_OK(yoke_event_wait(in->before)); /* stands before: no deadlock */
    yoke_event_release(event);
    return YOKE_OK;
}

static void wait_for_own_when_released(void *user)
{
    inside *in = user;

    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_stream_wait(in->stream));
    gate_open(&in->done);
}

static void waiting_for_its_own_stream(suite *t)
{
    inside in = INSIDE_INIT(t);
    uint32_t value = 77;

    in.stream = t->stream;
    NEED(guarded_create(t, 4, &in.x) && guarded_write(t, &in.x, &value));
    NEED(advance(t, t->stream, in.x.buffer, 5));
    value = value * 3 + 5;
    NEED_OK(yoke_event_record(t->stream, 0, &in.before));
    NEED_OK(yoke_host_call(t->stream, wait_for_own, &in, wait_for_own_when_released));
    gate_wait(&in.entered, 1);
    CHECK_OK(yoke_event_record(t->stream, 0, &in.behind));
    gate_open(&in.leave);
    gate_wait(&in.done, 1);
    CHECK_OK(yoke_stream_wait(t->stream)); /* the stream is none the worse */
    CHECK_OK(yoke_event_wait(in.behind));
    guarded_check(t, &in.x, &value);
    advance(t, t->stream, in.x.buffer, 6);
    CHECK_OK(yoke_stream_wait(t->stream));
    value = value * 3 + 6;
    guarded_check(t, &in.x, &value);
out:
    yoke_event_release(in.before);
    yoke_event_release(in.behind);
    guarded_release(&in.x);
}

static yoke_status wait_for_others(yoke_status status, void *user)
{
    inside *in = user;
    uint32_t value = 0;

    CHECK_STATUS(YOKE_OK, status);
    for (int i = 0; i < 20; i++) {
        advance(in->t, in->stream, in->x.buffer, (uint32_t)i);
        CHECK_OK(yoke_stream_wait(in->stream));
    }
    CHECK_OK(yoke_read_sync(in->stream, &value, in->x.buffer, 0, 4));
    CHECK_OK(yoke_write_sync(in->stream, in->x.buffer, 0, &value, 4));
    CHECK_OK(yoke_event_wait(in->before));
    return YOKE_OK;
}

static void waiting_for_other_streams(suite *t)
{
    inside in = INSIDE_INIT(t);
    uint32_t value = 77;

    NEED_OK(yoke_stream_create(t->device, NULL, &in.stream));
    NEED(guarded_create(t, 4, &in.x) && guarded_write(t, &in.x, &value));
    NEED(advance(t, in.stream, in.x.buffer, 5));
    value = value * 3 + 5;
    NEED_OK(yoke_event_record(in.stream, 0, &in.before));
    NEED_OK(yoke_host_call(t->stream, wait_for_others, &in, NULL));
    NEED_OK(yoke_stream_wait(t->stream));
    for (uint32_t i = 0; i < 20; i++)
        value = value * 3u + i;
    guarded_check(t, &in.x, &value);
out:
    yoke_stream_wait(t->stream);
    yoke_event_release(in.before);
    yoke_stream_release(in.stream);
    guarded_release(&in.x);
}

static yoke_status release_own_stream(yoke_status status, void *user)
{
    inside *in = user;

    CHECK_STATUS(YOKE_OK, status);
    gate_wait(&in->leave, 1);
    yoke_stream_release(in->stream);
    return YOKE_OK;
}

static void note_release(void *user)
{
    inside *in = user;

    gate_open(&in->done);
}

static yoke_status is_cancelled(yoke_status status, void *user)
{
    (void)user;
    CHECK_STATUS(YOKE_E_CANCELLED, status);
    return YOKE_OK;
}

/* The last reference goes inside its own function: the function ends well, what is behind it is cancelled. */
static void releases_its_own_stream(suite *t)
{
    uint32_t value = 42, changed = 43;

    for (int i = 0; i < 20; i++) {
        inside in = INSIDE_INIT(t);
        yoke_event *behind = NULL;

        NEED(guarded_create(t, 4, &in.x) && guarded_write(t, &in.x, &value));
        if (!CHECK_OK(yoke_stream_create(t->device, NULL, &in.stream))) {
            guarded_release(&in.x);
            return;
        }
        CHECK_OK(yoke_host_call(in.stream, release_own_stream, &in, note_release));
        CHECK_OK(yoke_write(in.stream, in.x.buffer, 0, &changed, 4));
        CHECK_OK(yoke_host_call(in.stream, is_cancelled, &in, note_release));
        CHECK_OK(yoke_event_record(in.stream, 0, &behind));
        gate_open(&in.leave);
        gate_wait(&in.done, 2);
        CHECK_STATUS(YOKE_E_CANCELLED, yoke_event_wait(behind));
        yoke_event_release(behind);
        guarded_check(t, &in.x, &value);
        guarded_release(&in.x);
    }
    suite_works(t);
out:
    return;
}

static yoke_status release_everything(yoke_status status, void *user)
{
    inside *in = user;

    CHECK_STATUS(YOKE_OK, status);
    yoke_stream_release(in->stream);
    guarded_release(&in->x);
    return YOKE_OK;
}

/* Stream, buffers and the device handle they came from, all given up from inside. */
static void releases_its_own_device(suite *t)
{
    for (int i = 0; i < 10; i++) {
        inside in = INSIDE_INIT(t);
        yoke_device *device = NULL;

        NEED_OK(yoke_device_open(t->info.selector, &device));
        if (CHECK_OK(yoke_stream_create(device, NULL, &in.stream))) {
            if (CHECK(guarded_create_on(device, in.stream, 1000, &in.x)) &&
                !CHECK_OK(yoke_host_call(in.stream, release_everything, &in, note_release)))
                gate_open(&in.done);
            yoke_device_release(device); /* the stream keeps it until the function gives that up */
            gate_wait(&in.done, 1);
        } else {
            yoke_device_release(device);
        }
    }
    suite_works(t);
out:
    return;
}

int main(void)
{
    static const suite_case cases[] = {
        { "any call is allowed", any_call_is_allowed, false },
        { "releases objects that are in use", releases_objects_in_use, false },
        { "what it enqueues goes to its stream's end", enqueues_at_the_end, false },
        { "enqueues itself again, 200 times", enqueues_itself, false },
        { "waiting for its own stream is refused", waiting_for_its_own_stream, false },
        { "waits for other streams", waiting_for_other_streams, false },
        { "releases its own stream", releases_its_own_stream, false },
        { "releases its own device", releases_its_own_device, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "hostcall test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
