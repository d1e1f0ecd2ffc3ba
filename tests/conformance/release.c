/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Releasing never waits, whatever is the last to go: while a stream stands in its driver everything of a device is released, and
 * the device closes by itself once the stream has gone on. Nor does anything else wait for a stream that stands.
 */
#include "parked.h"

#include <stdlib.h>

#include <yoke/library.h>

static const yoke_source kernels = {
    .size = sizeof kernels,
    .name = "release test",
    .cuda = STAND_CUDA SET_CUDA,
    .opencl = STAND_OPENCL SET_OPENCL,
};

/* A device of its own, all of whose objects the stream uses behind the place where it stands. */
typedef struct estate {
    yoke_device *device;
    yoke_stream *stream, *other;
    yoke_buffer *buffer, *pinned;
    yoke_buffer *large[2]; /* for fills, of other cases' devices NULL */
    yoke_program *program;
    parked p;
    rescue r;
    bool stands;     /* and is to be let go */
    unsigned others; /* devices that the case has open */
} estate;

enum { SIZE = 1 << 16, OBJECTS = 6 };

/* `kept`: the device keeps the program, and the estate has none. */
static bool build(estate *e, bool kept, yoke_kernel **out_set, yoke_kernel **out_standing)
{
    yoke_program *program = NULL;
    yoke_status status = kept ? yoke_device_get_program(e->device, "release", &kernels, &program)
                              : yoke_program_build(e->device, &kernels, &program);

    e->program = kept ? NULL : program;
    return CHECK_OK(status) && CHECK_OK(yoke_kernel_get(program, "set", out_set)) &&
           CHECK_OK(yoke_kernel_get(program, "stand", out_standing));
}

static bool estate_open(suite *t, estate *e, bool by_kernel, bool kept, size_t large)
{
    yoke_kernel *set = NULL, *standing = NULL;

    *e = (estate){ .p = PARKED_INIT };
    if (!CHECK_OK(yoke_device_open(t->info.selector, &e->device)) || !CHECK_OK(yoke_stream_create(e->device, NULL, &e->stream)) ||
        !CHECK_OK(yoke_stream_create(e->device, NULL, &e->other)) || !CHECK_OK(yoke_buffer_create(e->device, SIZE, &e->buffer)) ||
        !CHECK_OK(yoke_buffer_create_pinned(e->device, SIZE, &e->pinned)) || !build(e, kept, &set, &standing))
        return false;
    for (size_t i = 0; i < 2 && large > 0; i++)
        if (!CHECK_OK(yoke_buffer_create(e->device, large, &e->large[i])))
            return false;
    e->stands = rescue_begin(&e->r, &e->p) && park(t, e->device, e->stream, by_kernel ? standing : NULL, &e->p);
    return e->stands && CHECK_OK(yoke_fill(e->stream, e->buffer, 0, SIZE, "x", 1)) &&
           CHECK_OK(yoke_copy(e->stream, e->pinned, 0, e->buffer, 0, SIZE)) &&
           CHECK_OK(yoke_launch_n(e->stream, set, 1, YOKE_ARGS(e->buffer, 1u)));
}

static void release_one(estate *e, unsigned which)
{
    switch (which % OBJECTS) {
    case 0:
        yoke_device_release(e->device);
        e->device = NULL;
        break;
    case 1:
        yoke_buffer_release(e->buffer);
        e->buffer = NULL;
        break;
    case 2:
        yoke_stream_release(e->stream);
        e->stream = NULL;
        break;
    case 3:
        yoke_program_release(e->program);
        e->program = NULL;
        break;
    case 4:
        yoke_buffer_release(e->pinned);
        e->pinned = NULL;
        break;
    default:
        yoke_stream_release(e->other);
        e->other = NULL;
    }
}

/* Only now it stands no longer. False: the case has failed. */
static bool estate_go_on(estate *e)
{
    bool stood = !e->stands || rescue_end(&e->r);

    if (e->stands && stood)
        parked_let_go(&e->p);
    e->stands = false;
    return stood;
}

/* Then all of it is gone. */
static bool estate_close(estate *e)
{
    bool stood = estate_go_on(e);

    for (unsigned i = 0; i < OBJECTS; i++)
        release_one(e, i);
    stood = CHECK(suite_log_open(1 + e->others)) && stood;
    parked_end(&e->p);
    return stood;
}

/* In every order round, so that each is the last once. */
static void behind_a_stream_that_stands(suite *t)
{
    for (unsigned last = 0; last < 3 * OBJECTS; last++) {
        bool kept = last >= 2 * OBJECTS, by_kernel = kept || last < OBJECTS;
        estate e;

        if (estate_open(t, &e, by_kernel, kept, 0))
            for (unsigned i = 1; i <= OBJECTS; i++)
                release_one(&e, last + i);
        if (!estate_close(&e)) {
            tap_diag("behind a %s%s, with object %u as the last", kept ? "kept " : "", by_kernel ? "kernel" : "host function",
                     last % OBJECTS);
            return;
        }
    }
}

/* It is a device like any other, while the one before is still being closed. */
static void opened_again_meanwhile(suite *t)
{
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    unsigned char back[4096] = { 0 }, wanted[4096];
    estate e;

    memset(wanted, 'z', sizeof wanted);
    if (!estate_open(t, &e, false, false, 0))
        goto out;
    for (unsigned i = 1; i <= OBJECTS; i++)
        release_one(&e, i);
    CHECK(suite_log_open(2));
    NEED_OK(yoke_device_open(t->info.selector, &device));
    NEED(spinning_stream(device, &stream));
    NEED_OK(yoke_buffer_create(device, sizeof back, &buffer));
    NEED_OK(yoke_fill(stream, buffer, 0, sizeof back, "z", 1));
    NEED_OK(yoke_read(stream, back, buffer, 0, sizeof back));
    NEED_OK(yoke_stream_wait(stream));
    CHECK_BYTES(back, wanted, sizeof back);
out:
    e.others = device != NULL;
    estate_close(&e);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
    yoke_device_release(device);
    CHECK(suite_log_open(1)); /* that one had nothing under way: it closes here and now */
}

/* Patterns that drivers are slow with are filled by a kernel of Yoke's, whose loading waits for what runs. */
static bool fills_beside(suite *t, bool by_kernel)
{
    enum { LARGE = 3 << 20 };
    static const size_t widths[] = { 16, 8 };
    unsigned char pattern[16], *wanted = memory_new(LARGE), *got = memory_new(LARGE);
    estate e;

    fill_random(pattern, sizeof pattern, 5);
    if (!estate_open(t, &e, by_kernel, false, LARGE))
        goto out;
    for (size_t w = 0; w < 2; w++)
        for (int round = 0; round < 3; round++)
            CHECK_OK(yoke_fill(e.other, e.large[w], 0, LARGE, pattern, widths[w]));
    if (!estate_go_on(&e))
        goto out;
    for (int again = 0; again < 2; again++) {
        for (size_t w = 0; w < 2; w++) {
            for (size_t i = 0; i < LARGE; i++)
                wanted[i] = pattern[i % widths[w]];
            CHECK_OK(yoke_read_sync(e.other, got, e.large[w], 0, LARGE));
            CHECK_BYTES(got, wanted, LARGE);
            CHECK_OK(yoke_fill(e.other, e.large[w], 0, LARGE, "q", 1)); /* and now nothing stands */
            CHECK_OK(yoke_fill(e.other, e.large[w], 0, LARGE, pattern, widths[w]));
        }
    }
out:
    yoke_buffer_release(e.large[0]);
    yoke_buffer_release(e.large[1]);
    bool stood = estate_close(&e);
    memory_free(got);
    memory_free(wanted);
    return stood;
}

static void fills_beside_a_stream_that_stands(suite *t)
{
    if (fills_beside(t, true))
        fills_beside(t, false);
}

int main(void)
{
    static const suite_case cases[] = {
        { "everything of a device, behind a stream that stands", behind_a_stream_that_stands, false },
        { "the same device is opened again meanwhile", opened_again_meanwhile, false },
        { "fills beside a stream that stands", fills_beside_a_stream_that_stands, false },
    };
    return SUITE_MAIN(cases, &kernels);
}
