/* SPDX-License-Identifier: Apache-2.0 */
/* A program for `yoke trace` that has one of the troubles it tells of, or does the same without: as its argument orders. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <yoke/yoke.h>

#define CHECK(call)                                               \
    do {                                                          \
        if ((call) < 0) {                                         \
            fprintf(stderr, "trouble: %s\n", yoke_error()->text); \
            return 1;                                             \
        }                                                         \
    } while (0)

enum { SIZE = 8 << 20, WORK_MS = 20 };

/* Host work of a length that stands out beside everything else here. */
static yoke_status work(yoke_status status, void *user)
{
    struct timespec now, end;
    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += WORK_MS * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
    return status;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool pageable = strcmp(what, "pageable") == 0, waits = strcmp(what, "waits") == 0, calls = waits || strcmp(what, "call") == 0;
    void *ordinary = calloc(1, SIZE);
    yoke_device *device;
    yoke_stream *first, *second;
    yoke_buffer *target, *pinned;
    yoke_event *event;

    CHECK(yoke_device_open(NULL, &device));
    CHECK(yoke_stream_create(device, &first));
    CHECK(yoke_stream_create(device, &second));
    CHECK(yoke_buffer_create(device, SIZE, &target));
    CHECK(yoke_buffer_create_pinned(device, SIZE, &pinned));
    memset(yoke_buffer_get_host(pinned), 0, SIZE);
    CHECK(yoke_write(first, target, 0, pageable ? ordinary : yoke_buffer_get_host(pinned), SIZE));
    if (calls)
        CHECK(yoke_host_call(first, work, NULL, NULL));
    CHECK(yoke_event_record(first, 0, &event));
    if (!waits)
        CHECK(yoke_event_wait(event)); /* by the program, so that the streams need not */
    else
        CHECK(yoke_stream_wait_event(second, event));
    CHECK(yoke_fill(second, target, 0, SIZE, "", 1));
    CHECK(yoke_stream_wait(second));

    yoke_event_release(event);
    yoke_buffer_release(pinned);
    yoke_buffer_release(target);
    yoke_stream_release(second);
    yoke_stream_release(first);
    yoke_device_release(device);
    free(ordinary);
    return 0;
}
