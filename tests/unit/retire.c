/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the release of an object costs beside other streams, counted in events that the driver records: an object that one stream
 * alone has used needs none of the others, and an object that any stream may have used one of each, once for what each has
 * submitted.
 */
#include <stdlib.h>

#include "../tap/tap.h"
#include "backend.h"

enum { MOST = 200, ROUNDS = 20 };

static yk_backend counting; /* the device's own, but for event_record */
static yoke_status (*record)(yoke_event *event);
static atomic_uint recorded;

static yoke_status count(yoke_event *event)
{
    atomic_fetch_add(&recorded, 1);
    return record(event);
}

static yoke_device *device;
static yoke_stream *streams[MOST];
static unsigned failures;

static void need(yoke_status status)
{
    if (status < 0 && failures++ == 0)
        tap_diag("%s", yoke_error()->text);
}

/* A buffer that this stream alone uses, released while its work is under way or known to have ended. */
static void use_buffer(yoke_stream *stream, bool ordered, bool wait)
{
    yoke_buffer *buffer = NULL;
    float zero = 0;
    need(ordered ? yoke_buffer_create_ordered(stream, 4096, &buffer) : yoke_buffer_create(device, 4096, &buffer));
    need(yoke_fill(stream, buffer, 0, 4096, &zero, sizeof zero));
    if (wait)
        need(yoke_stream_wait(stream));
    yoke_buffer_release(buffer);
}

static void use_stream(bool wait)
{
    yoke_stream *stream = NULL;
    need(yoke_stream_create(device, NULL, &stream));
    use_buffer(stream, true, wait);
    yoke_stream_release(stream);
}

typedef struct costs {
    unsigned buffers, unwaited, streams, unwaited_streams, pinned, all;
} costs;

static unsigned since(unsigned *before)
{
    unsigned now = atomic_load(&recorded), more = now - *before;
    *before = now;
    return more;
}

/* Beside so many streams whose work was never waited for. */
static costs beside(size_t n)
{
    costs c = { 0 };
    yoke_buffer *pinned = NULL;
    for (size_t i = 0; i < n; i++) {
        need(yoke_stream_create(device, NULL, &streams[i]));
        use_buffer(streams[i], true, false);
    }
    unsigned before = atomic_load(&recorded);
    for (int i = 0; i < ROUNDS; i++)
        use_buffer(streams[0], i % 2 == 0, true);
    c.buffers = since(&before);
    for (int i = 0; i < ROUNDS; i++)
        use_buffer(streams[0], i % 2 == 0, false);
    c.unwaited = since(&before);
    for (int i = 0; i < ROUNDS; i++)
        use_stream(true);
    c.streams = since(&before);
    for (int i = 0; i < ROUNDS; i++)
        use_stream(false);
    c.unwaited_streams = since(&before);
    for (int i = 0; i < ROUNDS; i++) {
        need(yoke_buffer_create_pinned(device, 4096, &pinned));
        yoke_buffer_release(pinned);
    }
    c.pinned = since(&before);
    for (size_t i = 0; i < n; i++)
        yoke_stream_release(streams[i]);
    c.all = since(&before);
    tap_diag("beside %zu streams: %u for buffers, %u of them not waited for; %u for streams, %u; %u for pinned memory; %u for all",
             n, c.buffers, c.unwaited, c.streams, c.unwaited_streams, c.pinned, c.all);
    return c;
}

int main(void)
{
    tap_start(120);
    if (yoke_device_open("opencl:0", &device) < 0)
        tap_skip_all("there is no OpenCL device");
    record = device->backend->event_record;
    counting = *device->backend;
    counting.event_record = count;
    device->backend = &counting;

    costs few = beside(5), many = beside(MOST);
    tap_ok(failures == 0, "every call works");
    tap_ok(many.buffers <= few.buffers + 2 && many.buffers <= 2 * ROUNDS, "buffers of a stream that was waited for");
    tap_ok(many.unwaited <= 4 * ROUNDS, "buffers of a stream that was not");
    tap_ok(many.streams <= 4 * ROUNDS, "streams that were waited for");
    tap_ok(many.unwaited_streams <= 4 * ROUNDS, "streams that were not");
    tap_ok(many.pinned <= MOST + 2 * ROUNDS, "what any stream may have used: one event of each stream, for all of them together");
    tap_ok(many.all <= 2 * MOST, "all the streams");
    yoke_device_release(device);
    return tap_done();
}
