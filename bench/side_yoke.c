/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmarks' work through Yoke. The thread has no current CUDA context here, as in a program that uses Yoke alone. */
#include "bench.h"

#include <stdlib.h>
#include <time.h>

#include <yoke/graph.h>

typedef struct side {
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *buffer;
    yoke_program *program;
    yoke_kernel *kernel;
    yoke_stream *sleepers[BENCH_STREAMS];
    yoke_graph *graph;
} side;

static void must(yoke_status status)
{
    if (status < 0)
        bench_fail("yoke", yoke_error()->text);
}

static void *yoke_open(yoke_device *device)
{
    side *self = calloc(1, sizeof *self);
    if (!self)
        bench_fail("yoke", "out of memory");
    self->device = yoke_device_retain(device);
    must(yoke_stream_create(device, &self->stream));
    must(yoke_buffer_create(device, BENCH_LARGE, &self->buffer));
    must(yoke_program_build(device, &bench_touch, &self->program));
    must(yoke_kernel_get(self->program, "touch", &self->kernel));
    return self;
}

static void yoke_close(void *object)
{
    side *self = object;
    for (int i = 0; i < BENCH_STREAMS; i++)
        yoke_stream_release(self->sleepers[i]);
    yoke_graph_release(self->graph);
    yoke_stream_release(self->stream);
    yoke_buffer_release(self->buffer);
    yoke_program_release(self->program);
    yoke_device_release(self->device);
    free(self);
}

static void yoke_wait(void *object)
{
    must(yoke_stream_wait(((side *)object)->stream));
}

static void launch_one(side *self, yoke_stream *stream)
{
    must(yoke_launch(stream, self->kernel, YOKE_DIM(1), YOKE_DIM(BENCH_BLOCK), 0, YOKE_ARGS(self->buffer, 1.0f, (int32_t)1)));
}

static void yoke_launches(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        launch_one(self, self->stream);
}

static void yoke_launches_wait(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->stream);
        must(yoke_stream_wait(self->stream));
    }
}

static void yoke_records(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        yoke_event *event;
        must(yoke_event_record(self->stream, 0, &event));
        yoke_event_release(event);
    }
}

static void yoke_queries(void *object, int count)
{
    side *self = object;
    yoke_event *event;
    must(yoke_event_record(self->stream, 0, &event));
    must(yoke_event_wait(event));
    for (int i = 0; i < count; i++)
        must(yoke_event_query(event));
    yoke_event_release(event);
}

static void yoke_writes(void *object, const void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(yoke_write(self->stream, self->buffer, 0, host, size));
}

static void yoke_writes_wait(void *object, const void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(yoke_write_sync(self->stream, self->buffer, 0, host, size));
}

static void yoke_reads_wait(void *object, void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(yoke_read_sync(self->stream, host, self->buffer, 0, size));
}

static void yoke_alloc_free(void *object, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        yoke_buffer *buffer;
        must(yoke_buffer_create(self->device, size, &buffer));
        yoke_buffer_release(buffer);
    }
}

static void yoke_kernels(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->stream);
        launch_one(self, self->stream);
        must(yoke_stream_wait(self->stream));
    }
}

static yoke_status nothing(yoke_status status, void *user)
{
    (void)user;
    return status;
}

static void yoke_call(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->stream);
        must(yoke_host_call(self->stream, nothing, NULL, NULL));
        launch_one(self, self->stream);
        must(yoke_stream_wait(self->stream));
    }
}

static void yoke_call_pairs(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->stream);
        must(yoke_host_call(self->stream, nothing, NULL, NULL));
    }
    must(yoke_stream_wait(self->stream));
}

static yoke_status sleep_a_while(yoke_status status, void *user)
{
    const struct timespec *time = user;
    nanosleep(time, NULL);
    return status;
}

static void yoke_call_sleepers(void *object, int streams, int milliseconds)
{
    side *self = object;
    struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
    for (int i = 0; i < streams; i++) {
        if (!self->sleepers[i])
            must(yoke_stream_create(self->device, &self->sleepers[i]));
        launch_one(self, self->sleepers[i]);
        must(yoke_host_call(self->sleepers[i], sleep_a_while, &time, NULL));
    }
    for (int i = 0; i < streams; i++)
        must(yoke_stream_wait(self->sleepers[i]));
}

static bool yoke_graph_make(void *object, int kernels)
{
    side *self = object;
    yoke_graph_release(self->graph);
    self->graph = NULL;
    if (kernels == 0)
        return true;
    must(yoke_graph_create(self->device, "chain", &self->graph));
    must(yoke_graph_begin(self->graph, self->stream));
    yoke_launches(self, kernels);
    must(yoke_graph_end(self->graph));
    return true;
}

static void yoke_graph_launches(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(yoke_graph_launch(self->stream, self->graph));
}

static void yoke_graph_changes(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(yoke_graph_set_args(self->graph, 0, YOKE_ARGS(self->buffer, (float)i, (int32_t)1)));
}

const bench_side bench_yoke = {
    .name = "yoke",
    .open = yoke_open,
    .close = yoke_close,
    .wait = yoke_wait,
    .launch = yoke_launches,
    .launch_wait = yoke_launches_wait,
    .event_record = yoke_records,
    .event_query = yoke_queries,
    .write = yoke_writes,
    .write_wait = yoke_writes_wait,
    .read_wait = yoke_reads_wait,
    .alloc_free = yoke_alloc_free,
    .kernels = yoke_kernels,
    .call = yoke_call,
    .call_pairs = yoke_call_pairs,
    .call_sleepers = yoke_call_sleepers,
    .graph_make = yoke_graph_make,
    .graph_launch = yoke_graph_launches,
    .graph_set_args = yoke_graph_changes,
};
