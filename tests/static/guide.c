/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands round the fragments of a page of the guide: guide.sh says what they may use. This file is compiled once for each
 * page, with the folder of the page's blocks as an include folder; with NO_FRAGMENTS, which only asks for a device, without one.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <yoke/check.h>
#include <yoke/graph.h>
#include <yoke/library.h>
#include <yoke/native.h>
#include <yoke/ops.h>
#include <yoke/types.h>
#include <yoke/yoke.h>

enum { N = 1024, NO_DEVICE = 77 };

static yoke_device *device;
static yoke_device_info info = YOKE_DEVICE_INFO_INIT;
static yoke_stream *stream, *other;
static yoke_buffer *x, *y, *z, *pinned;
static yoke_array a, b, c;  /* x, y, z */
static yoke_image *picture; /* NULL where the device has no images */
static float hx[N], hy[N];
static yoke_source source = YOKE_SOURCE_INIT;
static yoke_program *program;
static yoke_kernel *saxpy;
static yoke_event *event;
static int value;

static yoke_status publish(yoke_status status, void *user)
{
    (void)user;
    return status;
}

#ifdef NO_FRAGMENTS
static const struct {
    int (*run)(void);
    const char *place;
} fragments[1];
#else
#include "fragments.c"
static const struct {
    int (*run)(void);
    const char *place;
} fragments[] = {
#include "calls.c"
    { NULL, NULL },
};
#endif

static void set_up(void)
{
    const float ones = 1, twos = 2, zeros = 0;

    for (int i = 0; i < N; i++)
        hx[i] = (float)i;
    YOKE_CHECK(yoke_device_get_info(device, &info));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_stream_create(device, NULL, &other));
    YOKE_CHECK(yoke_buffer_create(device, sizeof hx, &x));
    YOKE_CHECK(yoke_buffer_create(device, sizeof hx, &y));
    YOKE_CHECK(yoke_buffer_create(device, sizeof hx, &z));
    YOKE_CHECK(yoke_buffer_create_pinned(device, sizeof hx, &pinned));
    if (yoke_device_supports(device, YOKE_CAP_IMAGES))
        YOKE_CHECK(yoke_image_create(
            device, &(yoke_image_desc){ .format = YOKE_FORMAT_UNORM8, .channels = 4, .width = 64, .height = 32 }, &picture));
    YOKE_CHECK(yoke_fill(stream, x, 0, sizeof hx, &ones, sizeof ones));
    YOKE_CHECK(yoke_fill(stream, y, 0, sizeof hx, &twos, sizeof twos));
    YOKE_CHECK(yoke_fill(stream, z, 0, sizeof hx, &zeros, sizeof zeros));
    a = yoke_array_2d(x, YOKE_F32, N / 32, 32);
    b = yoke_array_2d(y, YOKE_F32, N / 32, 32);
    c = yoke_array_2d(z, YOKE_F32, N / 32, 32);
    YOKE_CHECK(yoke_source_builtin("saxpy", &source));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "saxpy", &saxpy));
    YOKE_CHECK(yoke_event_record(stream, 0, &event));
    YOKE_CHECK(yoke_stream_wait(stream));
}

static void tear_down(void)
{
    yoke_event_release(event);
    yoke_program_release(program);
    yoke_image_release(picture);
    yoke_buffer_release(pinned);
    yoke_buffer_release(z);
    yoke_buffer_release(y);
    yoke_buffer_release(x);
    yoke_stream_release(other);
    yoke_stream_release(stream);
    yoke_device_release(device);
}

int main(void)
{
    /* Not each page uses all of it. */
    const void *const used[] = { hy, &a, &b, &c, &value, &picture, (const void *)(uintptr_t)publish };

    if (yoke_device_open(NULL, &device) < 0)
        return fprintf(stderr, "%s\n", yoke_error()->text), NO_DEVICE;
    set_up();
    for (int i = 0; used[0] && fragments[i].run; i++) {
        int code = fragments[i].run();

        if (code != 0)
            return fprintf(stderr, "%s: ends with %d\n", fragments[i].place, code), EXIT_FAILURE;
        if (yoke_stream_wait(stream) < 0 || yoke_stream_wait(other) < 0)
            return fprintf(stderr, "%s: a stream has failed: %s\n", fragments[i].place, yoke_error()->text), EXIT_FAILURE;
    }
    tear_down();
    return 0;
}
