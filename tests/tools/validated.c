/* SPDX-License-Identifier: Apache-2.0 */
/* What validate.sh has `yoke validate` run: "right", or a mistake of that name; "closed" is a race
 * in a program that has closed the reports' file. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <yoke/check.h>
#include <yoke/yoke.h>

/* As a daemon does, which then opens a file of its own; only the reports' file is open for appending. */
static int close_reports(void)
{
    for (int file = 3; file < 1024; file++)
        if (fcntl(file, F_GETFL) != -1 && fcntl(file, F_GETFL) & O_APPEND)
            close(file);
    return open("own", O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

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
    bool closed = strcmp(mistake, "closed") == 0;
    if (closed && close_reports() < 0)
        return perror("own"), 9;
    YOKE_CHECK(yoke_fill(a, x, 0, 64, "", 1));
    YOKE_CHECK(yoke_event_record(a, 0, &event));
    if (!closed && strcmp(mistake, "race") != 0)
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
