/* SPDX-License-Identifier: Apache-2.0 */
/* What validate.sh has `yoke validate` run: "right", or a mistake of that name. */
#include <stdio.h>
#include <string.h>

#include <yoke/check.h>
#include <yoke/yoke.h>

int main(int argc, char **argv)
{
    const char *mistake = argc > 1 ? argv[1] : "right";
    yoke_device *device = NULL;
    yoke_stream *a = NULL, *b = NULL;
    yoke_buffer *x = NULL;
    yoke_event *event = NULL;
    if (yoke_device_open(NULL, &device) < 0 || yoke_stream_create(device, NULL, &a) < 0 ||
        yoke_stream_create(device, NULL, &b) < 0 || yoke_buffer_create(device, 64, &x) < 0)
        return fprintf(stderr, "%s\n", yoke_error()->text), 9;
    YOKE_CHECK(yoke_fill(a, x, 0, 64, "", 1));
    YOKE_CHECK(yoke_event_record(a, 0, &event));
    if (strcmp(mistake, "race") != 0)
        YOKE_CHECK(yoke_stream_wait_event(b, event));
    YOKE_CHECK(yoke_fill(b, x, 0, 64, "x", 1));
    YOKE_CHECK(yoke_stream_wait(b));
    YOKE_CHECK(yoke_stream_wait(a));
    yoke_event_release(event);
    if (strcmp(mistake, "buffer") != 0)
        yoke_buffer_release(x);
    if (strcmp(mistake, "stream") != 0)
        yoke_stream_release(a);
    yoke_stream_release(b);
    yoke_device_release(device);
    return 0;
}
