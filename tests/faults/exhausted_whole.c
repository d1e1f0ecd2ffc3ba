/* SPDX-License-Identifier: Apache-2.0 */
/* What is done while one call fails: all of it from opening a device to closing it, with a pipeline of three streams in between. */
#include <string.h>

#include "exhausted.h"

enum { ROUNDS = 3, COUNT = 500 };

typedef struct pipeline {
    yoke_device *device;
    yoke_stream *up, *work, *down;
    yoke_program *program;
    yoke_kernel *both;
    yoke_buffer *x[ROUNDS];
    int32_t *source, *back;
    unsigned calls;
    gate called, released;
} pipeline;

static yoke_status called(yoke_status status, void *user)
{
    (void)was_told(status);
    gate_open(&((pipeline *)user)->called);
    return status;
}

static void released(void *user)
{
    gate_open(&((pipeline *)user)->released);
}

/* `later` goes on behind what `first` has until now. */
static yoke_status follow(yoke_stream *later, yoke_stream *first)
{
    yoke_event *event = NULL;
    yoke_status status;

    DO(yoke_event_record(first, 0, &event));
    DO(yoke_stream_wait_event(later, event));
out:
    yoke_event_release(event);
    return status;
}

static yoke_status one_round(pipeline *p, int round)
{
    const size_t size = COUNT * sizeof *p->source;
    const struct {
        int32_t factor, more;
    } k = { 2, round };
    yoke_status status;

    DO(yoke_buffer_create(p->device, size, &p->x[round]));
    DO(yoke_write(p->up, p->x[round], 0, p->source, size));
    DO(follow(p->work, p->up));
    DO(yoke_launch_n(p->work, p->both, COUNT, YOKE_ARGS(p->x[round], yoke_arg_struct(&k, sizeof k), (int32_t)COUNT)));
    DO(follow(p->down, p->work));
    DO(yoke_read(p->down, p->back + round * COUNT, p->x[round], 0, size));
    DO(yoke_host_call(p->down, called, p, released));
    p->calls++;
    yoke_buffer_release(p->x[round]);
    p->x[round] = NULL;
out:
    return status;
}

static void check_all(const pipeline *p)
{
    int32_t wanted[COUNT];

    for (int round = 0; round < ROUNDS; round++) {
        for (int32_t i = 0; i < COUNT; i++)
            wanted[i] = i * 2 + round;
        CHECK_BYTES(p->back + round * COUNT, wanted, sizeof wanted);
    }
}

yoke_status scenario_whole(suite *t, suite *other)
{
    pipeline p = { .called = GATE_INIT, .released = GATE_INIT };
    yoke_status status;

    (void)other;
    p.source = memory_new(COUNT * sizeof *p.source);
    p.back = memory_new(ROUNDS * COUNT * sizeof *p.back);
    DO(yoke_device_open(t->info.selector, &p.device));
    (void)devices_may_hide();
    DO(yoke_stream_create(p.device, NULL, &p.up));
    DO(yoke_stream_create(p.device, NULL, &p.work));
    DO(yoke_stream_create(p.device, NULL, &p.down));
    DO(yoke_program_build(p.device, &exhausted_source, &p.program));
    DO(yoke_kernel_get(p.program, "both", &p.both));
    for (int round = 0; round < ROUNDS; round++)
        DO(one_round(&p, round));
    DO(yoke_stream_wait(p.down));
    check_all(&p);
out:
    if (p.up)
        finish(p.up);
    if (p.work)
        finish(p.work);
    if (p.down)
        finish(p.down);
    gate_wait(&p.called, p.calls);
    gate_wait(&p.released, p.calls);
    for (int round = 0; round < ROUNDS; round++)
        yoke_buffer_release(p.x[round]);
    yoke_program_release(p.program);
    yoke_stream_release(p.down);
    yoke_stream_release(p.work);
    yoke_stream_release(p.up);
    yoke_device_release(p.device);
    memory_free(p.back);
    memory_free(p.source);
    return status;
}
