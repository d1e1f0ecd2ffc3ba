/* SPDX-License-Identifier: Apache-2.0 */
/* What is done while one allocation fails: programs, launches, events, streams. Memory and copies are in exhausted_memory.c. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <yoke/library.h>
#include <yoke/native.h>

#include "exhausted.h"

/* Without padding at its end, which some drivers do not count as part of a struct argument. */
typedef struct pair {
    int32_t factor, more;
} pair;

const yoke_source exhausted_source = {
    .size = sizeof exhausted_source,
    .name = "exhausted",
    .cuda = SPIN_CUDA "struct pair { int factor, more; };\n"
                      "extern \"C\" __global__ void both(int *x, pair k, int n)\n"
                      "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i * k.factor + k.more; }\n",
    .opencl = SPIN_OPENCL "struct pair { int factor, more; };\n"
                          "__kernel void both(__global int *x, struct pair k, int n)\n"
                          "{ int i = get_global_id(0); if (i < n) x[i] = i * k.factor + k.more; }\n",
};

enum { COUNT = 777 };

static void wanted_both(int32_t *x, pair k)
{
    for (int32_t i = 0; i < COUNT; i++)
        x[i] = i * k.factor + k.more;
}

/* ---- Host functions ---- */

/* One that counts how often it is called, and may wait or fail. */
typedef struct listener {
    gate *leave;
    yoke_status result;
    unsigned enqueued;
    gate ran, released;
} listener;

#define LISTENER_INIT                           \
    {                                           \
        .ran = GATE_INIT, .released = GATE_INIT \
    }

static yoke_status hear(yoke_status status, void *user)
{
    listener *l = user;

    if (l->leave && status == YOKE_OK)
        gate_wait(l->leave, 1);
    (void)was_told(status);
    gate_open(&l->ran);
    return l->result;
}

static void heard(void *user)
{
    listener *l = user;

    gate_open(&l->released);
}

static void complete(yoke_status status, void *user)
{
    (void)was_told(status);
    gate_open(&((listener *)user)->ran);
}

/* Each was called as often as it was taken, and no more. */
static void heard_all(listener *l)
{
    gate_wait(&l->ran, l->enqueued);
    gate_wait(&l->released, l->enqueued);
    CHECK(!gate_is_open(&l->ran, l->enqueued + 1));
    CHECK(!gate_is_open(&l->released, l->enqueued + 1));
}

#define CALL(stream, l)                                 \
    do {                                                \
        DO(yoke_host_call((stream), hear, (l), heard)); \
        (l)->enqueued++;                                \
    } while (0)

/* ---- Programs ---- */

/* One that has failed stays so, thus both at once. */
static yoke_status build_async(suite *t, const yoke_source *source, yoke_program **out_program)
{
    yoke_event *event = NULL;
    yoke_status status = yoke_program_build_async(t->device, source, out_program, &event);

    if (status == YOKE_OK)
        status = yoke_event_wait(event);
    if (status < 0) {
        yoke_program_release(*out_program);
        *out_program = NULL;
    }
    yoke_event_release(event);
    return status;
}

yoke_status scenario_programs(suite *t, suite *p)
{
    static const char *const defines[] = { "NAME=value", "OTHER", NULL };
    yoke_source source = exhausted_source, wrong = exhausted_source, own = YOKE_SOURCE_INIT;
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    yoke_program *program = NULL, *none = NULL, *second = NULL, *loaded = NULL, *kept = NULL;
    yoke_kernel *spin = NULL, *both = NULL, *missing = NULL;
    static char image[1 << 20];
    size_t size = 0;
    yoke_status status;

    (void)p;
    source.defines = defines;
    wrong.cuda = wrong.opencl = "this does not compile\n";
    DO(yoke_program_build(t->device, &source, &program));
    DO(yoke_kernel_get(program, "spin", &spin));
    DO(yoke_kernel_get(program, "both", &both));
    DO(yoke_kernel_get_info(both, &info));
    if (suite_can(t, YOKE_CAP_SIGNATURE))
        CHECK(info.parameters == 3);
    FAILS_WITH(YOKE_E_NOT_FOUND, yoke_kernel_get(program, "bot", &missing));
    DO(yoke_source_builtin("saxpy", &own));
    FAILS_WITH(YOKE_E_BUILD, yoke_program_build(t->device, &wrong, &none));
    CHECK(none == NULL);
    yoke_program_get_build_log();
    DO(yoke_device_get_program(t->device, "exhausted", &source, &kept));
    DO(yoke_kernel_get(kept, "both", &both));
    DO(build_async(t, &source, &second));
    DO(yoke_kernel_get(second, "both", &both));
    if (suite_can(t, YOKE_CAP_PROGRAM_BINARIES)) {
        DO(yoke_program_save(program, image, sizeof image, &size));
        DO(yoke_program_load(t->device, "loaded", image, size, &loaded));
        DO(yoke_kernel_get(loaded, "both", &both));
    }
out:
    yoke_program_release(loaded);
    yoke_program_release(second);
    yoke_program_release(program);
    return status;
}

static yoke_status launch_both(suite *t, yoke_program *program, int32_t *back, pair k)
{
    yoke_buffer *x = NULL;
    yoke_kernel *both = NULL;
    yoke_status status;

    DO(yoke_kernel_get(program, "both", &both));
    DO(yoke_buffer_create(t->device, COUNT * sizeof *back, &x));
    DO(yoke_launch_n(t->stream, both, COUNT, YOKE_ARGS(x, yoke_arg_struct(&k, sizeof k), (int32_t)COUNT)));
    DO(yoke_read(t->stream, back, x, 0, COUNT * sizeof *back));
out:
    yoke_buffer_release(x);
    return status;
}

/* Program and buffers are released before the deferred launches run. */
yoke_status scenario_launches(suite *t, suite *p)
{
    int32_t *back = memory_new(2 * COUNT * sizeof *back), *wanted = memory_new(2 * COUNT * sizeof *wanted);
    listener l = LISTENER_INIT;
    gate leave = GATE_INIT;
    yoke_program *program = NULL;
    yoke_status status;

    (void)p;
    l.leave = &leave;
    DO(yoke_program_build(t->device, &exhausted_source, &program));
    DO(launch_both(t, program, back, (pair){ 3, -7 }));
    CALL(t->stream, &l);
    DO(launch_both(t, program, back + COUNT, (pair){ -5, 9 }));
    yoke_program_release(program);
    program = NULL;
    gate_open(&leave);
    DO(yoke_stream_wait(t->stream));
    wanted_both(wanted, (pair){ 3, -7 });
    wanted_both(wanted + COUNT, (pair){ -5, 9 });
    CHECK_BYTES(back, wanted, 2 * COUNT * sizeof *wanted);
out:
    gate_open(&leave);
    finish(t->stream);
    heard_all(&l);
    yoke_program_release(program);
    memory_free(wanted);
    memory_free(back);
    return status;
}

/* ---- Events ---- */

enum { EVENTS = 6 }; /* more than a wait has room for on its stack */

static yoke_status wait_in_every_way(yoke_event **held, yoke_stream *other, gate *leave, listener *l, int *out_fd)
{
    struct pollfd ready = { .events = POLLIN };
    size_t index = 0;
    yoke_status status;

    for (int i = 0; i < EVENTS; i++) {
        DO(yoke_event_on_complete(held[i], complete, l, heard));
        l->enqueued++;
    }
    DO(yoke_event_get_fd(held[0], out_fd));
    DO(yoke_stream_wait_event(other, held[1]));
    DO(yoke_event_wait_any(held, EVENTS, 1000000, &index));
    CHECK(status == YOKE_PENDING && index == EVENTS);
    DO(yoke_event_wait_for(held[EVENTS - 1], 1000000));
    CHECK(status == YOKE_PENDING);
    gate_open(leave);
    DO(yoke_event_wait_any(held, EVENTS, YOKE_FOREVER, &index));
    CHECK(index < EVENTS);
    DO(yoke_event_wait(held[EVENTS - 1]));
    ready.fd = *out_fd;
    CHECK(poll(&ready, 1, 60000) == 1);
    DO(yoke_event_on_complete(held[2], complete, l, heard)); /* is complete already */
    l->enqueued++;
out:
    return status;
}

yoke_status scenario_events(suite *t, suite *p)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_event *held[EVENTS] = { NULL }, *first = NULL, *second = NULL;
    listener l = LISTENER_INIT, stands = LISTENER_INIT;
    gate leave = GATE_INIT;
    yoke_stream *timed = NULL;
    int64_t nanoseconds = -1;
    bool timing = suite_can(t, YOKE_CAP_TIMING);
    yoke_status status;
    int fd = -1;

    (void)p;
    stands.leave = &leave;
    desc.flags = timing ? YOKE_STREAM_TIMED : 0;
    DO(yoke_stream_create(t->device, &desc, &timed));
    DO(yoke_event_record(timed, timing ? YOKE_EVENT_TIMED : 0, &first));
    DO(yoke_event_record(timed, timing ? YOKE_EVENT_TIMED : 0, &second));
    DO(yoke_stream_wait_event(t->side, second));
    CALL(t->stream, &stands);
    for (int i = 0; i < EVENTS; i++)
        DO(yoke_event_record(t->stream, 0, &held[i]));
    DO(wait_in_every_way(held, timed, &leave, &l, &fd));
    DO(yoke_stream_wait(timed));
    if (timing)
        DO(yoke_event_get_elapsed(first, second, &nanoseconds));
    CHECK(!timing || nanoseconds >= 0);
out:
    gate_open(&leave);
    finish(t->stream);
    finish(t->side);
    heard_all(&stands);
    heard_all(&l);
    if (fd >= 0)
        close(fd);
    for (int i = 0; i < EVENTS; i++)
        yoke_event_release(held[i]);
    yoke_event_release(first);
    yoke_event_release(second);
    if (timed)
        finish(timed);
    yoke_stream_release(timed);
    return status;
}

/* ---- Streams ---- */

yoke_status scenario_streams(suite *t, suite *p)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    listener fails = LISTENER_INIT, stands = LISTENER_INIT, behind = LISTENER_INIT;
    yoke_stream *stream = NULL, *short_lived = NULL;
    gate leave = GATE_INIT, leave_first = GATE_INIT;
    yoke_status status;

    (void)p;
    desc.name = "a name";
    fails.result = -7777;
    fails.leave = &leave_first; /* or what comes behind it would be refused */
    stands.leave = &leave;
    DO(yoke_stream_create(t->device, &desc, &stream));
    CALL(stream, &fails);
    CALL(stream, &behind);
    gate_open(&leave_first);
    FAILS_WITH(-7777, yoke_stream_wait(stream));
    DO(yoke_stream_recover(stream));
    CALL(stream, &stands);
    CALL(stream, &behind);
    DO(yoke_stream_cancel(stream));
    gate_open(&leave);
    DO(yoke_stream_recover(stream));
    CALL(stream, &behind);
    DO(yoke_stream_wait(stream));
    DO(yoke_stream_create(t->device, NULL, &short_lived));
    CALL(short_lived, &behind);
out:
    gate_open(&leave_first);
    gate_open(&leave);
    if (stream)
        finish(stream);
    yoke_stream_release(short_lived); /* its function is called all the same */
    yoke_stream_release(stream);
    heard_all(&fails);
    heard_all(&stands);
    heard_all(&behind);
    return status;
}

/* ---- Native ---- */

static yoke_status hear_native(yoke_status status, void *native, void *user)
{
    listener *l = user;

    CHECK((status == YOKE_OK) == (native != NULL));
    (void)was_told(status);
    gate_open(&l->ran);
    return YOKE_OK;
}

/* The handle stays the queue's for as long as the stream has not failed. */
static yoke_status keep_handle(yoke_status status, void *native, void *user)
{
    if (status >= 0)
        *(void **)user = native;
    return YOKE_OK;
}

/* The side's queue as if it were other code's. */
static yoke_status wait_for_each_other(suite *t)
{
    yoke_event *event = NULL;
    yoke_status status;
    void *queue = NULL;

    DO(yoke_native_enqueue(t->side, keep_handle, &queue, NULL));
    DO(yoke_stream_wait(t->side));
    DO(yoke_event_record(t->stream, 0, &event));
    DO(yoke_native_wait_event(queue, event));
    DO(yoke_stream_wait_native(t->stream, queue));
out:
    yoke_event_release(event);
    return status;
}

yoke_status scenario_natives(suite *t, suite *p)
{
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    listener l = LISTENER_INIT;
    yoke_buffer *buffer = NULL, *wrapped = NULL;
    uintptr_t handle = 0;
    uint32_t back[2] = { 0, 0 };
    yoke_status status;

    (void)p;
    DO(yoke_device_get_native(t->device, &native));
    DO(yoke_buffer_create(t->device, 1000, &buffer));
    DO(yoke_buffer_get_native(buffer, &handle));
    DO(yoke_buffer_wrap(t->device, handle, 500, &wrapped));
    DO(yoke_fill(t->stream, wrapped, 0, 500, "word", 4));
    DO(yoke_native_call(t->stream, hear_native, &l, heard));
    l.enqueued++;
    DO(yoke_native_enqueue(t->stream, hear_native, &l, heard));
    l.enqueued++;
    DO(yoke_native_enqueue_with_buffers(t->stream, hear_native, &l, heard, &buffer, 1, &handle));
    l.enqueued++;
    DO(wait_for_each_other(t));
    DO(yoke_read(t->stream, back, buffer, 496, 4));
    DO(yoke_stream_wait(t->stream));
    CHECK_BYTES(back, "word", 4);
out:
    finish(t->stream);
    finish(t->side);
    heard_all(&l);
    yoke_buffer_release(wrapped);
    yoke_buffer_release(buffer);
    return status;
}
