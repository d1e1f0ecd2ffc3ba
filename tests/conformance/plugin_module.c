/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin that uses Yoke: see plugin.h.
 */
#include "plugin.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/syscall.h>

#include <yoke/yoke.h>

enum { COUNT = 256 };

static yoke_device *device;
static yoke_buffer *buffer;
static float values[COUNT];
static pid_t threads[PLUGIN_MOST_THREADS];
static atomic_uint thread_count, released;

static int begin(const char *selector, char *out_why, unsigned size)
{
    yoke_stream *stream = NULL;
    yoke_status status = yoke_device_open(selector, &device);

    if (status == YOKE_E_UNAVAILABLE || status == YOKE_E_NOT_FOUND) {
        snprintf(out_why, size, "%s", yoke_error()->text);
        return PLUGIN_NO_DEVICE;
    }
    bool well = status == YOKE_OK && yoke_stream_create(device, &stream) == YOKE_OK &&
                yoke_buffer_create(device, sizeof values, &buffer) == YOKE_OK &&
                yoke_fill(stream, buffer, 0, sizeof values, &(float){ 3 }, sizeof(float)) == YOKE_OK &&
                yoke_read(stream, values, buffer, 0, sizeof values) == YOKE_OK && yoke_stream_wait(stream) == YOKE_OK &&
                values[COUNT - 1] == 3;
    if (!well)
        snprintf(out_why, size, "%s", yoke_error()->text);
    yoke_stream_release(stream);
    return !well;
}

static void note_thread(void)
{
    unsigned place = atomic_fetch_add(&thread_count, 1);

    if (place < PLUGIN_MOST_THREADS)
        threads[place] = (pid_t)syscall(SYS_gettid);
}

static yoke_status called(yoke_status status, void *user)
{
    (void)user;
    note_thread();
    return status;
}

static void complete(yoke_status status, void *user)
{
    (void)status;
    (void)user;
    note_thread();
}

static void release(void *user)
{
    (void)user;
    atomic_fetch_add(&released, 1);
}

static int work(pid_t out_threads[PLUGIN_MOST_THREADS])
{
    yoke_stream *streams[2] = { NULL, NULL };
    yoke_event *event = NULL;
    bool well = true;

    memset(threads, 0, sizeof threads);
    atomic_store(&thread_count, 0);
    atomic_store(&released, 0);
    for (unsigned i = 0; i < 2 && well; i++)
        well = yoke_stream_create(device, &streams[i]) == YOKE_OK &&
               yoke_read(streams[i], values, buffer, 0, sizeof values) == YOKE_OK &&
               yoke_host_call(streams[i], called, NULL, NULL) == YOKE_OK && yoke_event_record(streams[i], 0, &event) == YOKE_OK &&
               yoke_event_on_complete(event, complete, NULL, release) == YOKE_OK &&
               (yoke_event_release(event), event = NULL, yoke_stream_wait(streams[i]) == YOKE_OK);
    for (unsigned waited = 0; well && atomic_load(&released) < 2 && waited < 30000; waited++)
        usleep(1000); /* which no event tells of: what comes behind a completion callback */
    well = well && atomic_load(&released) == 2;
    for (unsigned i = 0; i < 2; i++)
        yoke_stream_release(streams[i]);
    memcpy(out_threads, threads, sizeof threads);
    return !well;
}

static void texts(void)
{
    size_t count = 0;

    (void)yoke_device_count(&count);
    (void)yoke_device_get_report();
}

static int pending(int (*fn)(int status, void *user), void *user)
{
    yoke_stream *stream = NULL;
    bool well = yoke_stream_create(device, &stream) == YOKE_OK && yoke_host_call(stream, fn, user, NULL) == YOKE_OK &&
                yoke_write(stream, buffer, 0, values, sizeof values) == YOKE_OK;

    yoke_stream_release(stream);
    return !well;
}

static void end(void)
{
    yoke_buffer_release(buffer);
    yoke_device_release(device);
    buffer = NULL;
    device = NULL;
}

__attribute__((visibility("default"))) extern const plugin plugin_offers;
const plugin plugin_offers = { begin, work, texts, pending, end };
