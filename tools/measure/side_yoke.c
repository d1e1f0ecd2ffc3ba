/* SPDX-License-Identifier: Apache-2.0 */
/* The work through Yoke. The thread has no current CUDA context here, as in a program that uses Yoke alone. */
#include "measure.h"

#include <stdlib.h>
#include <time.h>

#include <yoke/graph.h>

typedef struct side {
    yoke_device *device;
    yoke_stream *streams[2], *sleepers[MEASURE_STREAMS];
    yoke_buffer *buffers[2], *spun; /* `spin` works on the latter */
    yoke_program *touch_program, *spin_program;
    yoke_kernel *touch, *spin;
    yoke_graph *graph;
} side;

static void *yoke_open(yoke_device *device)
{
    side *self = calloc(1, sizeof *self);
    if (!self)
        measure_fail("yoke", "out of memory");
    self->device = yoke_device_retain(device);
    measure_must(yoke_stream_create(device, NULL, &self->streams[0]));
    measure_must(yoke_stream_create(device, NULL, &self->streams[1]));
    measure_must(yoke_buffer_create(device, 4, &self->spun));
    measure_must(yoke_program_build(device, &measure_touch, &self->touch_program));
    measure_must(yoke_program_build(device, &measure_spin, &self->spin_program));
    measure_must(yoke_kernel_get(self->touch_program, "touch", &self->touch));
    measure_must(yoke_kernel_get(self->spin_program, "spin", &self->spin));
    return self;
}

static void yoke_reserve(void *object, size_t size0, size_t size1)
{
    side *self = object;
    const size_t sizes[2] = { size0, size1 };
    for (int i = 0; i < 2; i++) {
        yoke_buffer_release(self->buffers[i]);
        self->buffers[i] = NULL;
    }
    measure_must(yoke_device_trim_memory(self->device, 0)); /* it does not fit beside what the other side has */
    for (int i = 0; i < 2; i++)
        if (sizes[i])
            measure_must(yoke_buffer_create(self->device, sizes[i], &self->buffers[i]));
}

static void yoke_close(void *object)
{
    side *self = object;
    for (int i = 0; i < MEASURE_STREAMS; i++)
        yoke_stream_release(self->sleepers[i]);
    yoke_graph_release(self->graph);
    yoke_reserve(self, 0, 0);
    yoke_buffer_release(self->spun);
    yoke_stream_release(self->streams[0]);
    yoke_stream_release(self->streams[1]);
    yoke_program_release(self->touch_program);
    yoke_program_release(self->spin_program);
    yoke_device_release(self->device);
    free(self);
}

static void yoke_enter_or_leave(void *object)
{
    (void)object;
}

static void yoke_wait(void *object, int which)
{
    measure_must(yoke_stream_wait(((side *)object)->streams[which]));
}

/* ---- Launches, host functions, graphs ---- */

static void launch_one(side *self, yoke_stream *stream, yoke_buffer *buffer)
{
    measure_must(yoke_launch(stream, self->touch, YOKE_DIM(1), YOKE_DIM(MEASURE_BLOCK), 0, YOKE_ARGS(buffer, 1.0f, (int32_t)1)));
}

static void yoke_launches(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        launch_one(self, self->streams[0], self->buffers[0]);
}

static void yoke_launches_wait(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->streams[0], self->buffers[0]);
        measure_must(yoke_stream_wait(self->streams[0]));
    }
}

static void yoke_spin(void *object, uint64_t rounds)
{
    side *self = object;
    measure_must(yoke_launch(self->streams[0], self->spin, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(self->spun, rounds)));
}

static void yoke_records(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        yoke_event *event;
        measure_must(yoke_event_record(self->streams[0], 0, &event));
        yoke_event_release(event);
    }
}

static void yoke_queries(void *object, int count)
{
    side *self = object;
    yoke_event *event;
    measure_must(yoke_event_record(self->streams[0], 0, &event));
    measure_must(yoke_event_wait(event));
    for (int i = 0; i < count; i++)
        measure_must(yoke_event_query(event));
    yoke_event_release(event);
}

static void yoke_kernels(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->streams[0], self->buffers[0]);
        launch_one(self, self->streams[0], self->buffers[0]);
        measure_must(yoke_stream_wait(self->streams[0]));
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
        launch_one(self, self->streams[0], self->buffers[0]);
        measure_must(yoke_host_call(self->streams[0], nothing, NULL, NULL));
        launch_one(self, self->streams[0], self->buffers[0]);
        measure_must(yoke_stream_wait(self->streams[0]));
    }
}

static void yoke_call_pairs(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->streams[0], self->buffers[0]);
        measure_must(yoke_host_call(self->streams[0], nothing, NULL, NULL));
    }
    measure_must(yoke_stream_wait(self->streams[0]));
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
            measure_must(yoke_stream_create(self->device, NULL, &self->sleepers[i]));
        launch_one(self, self->sleepers[i], self->buffers[0]);
        measure_must(yoke_host_call(self->sleepers[i], sleep_a_while, &time, NULL));
    }
    for (int i = 0; i < streams; i++)
        measure_must(yoke_stream_wait(self->sleepers[i]));
}

static bool yoke_graph_make(void *object, int kernels)
{
    side *self = object;
    yoke_graph_release(self->graph);
    self->graph = NULL;
    if (kernels == 0)
        return true;
    measure_must(yoke_graph_create(self->device, "chain", &self->graph));
    measure_must(yoke_graph_begin(self->graph, self->streams[0]));
    yoke_launches(self, kernels);
    measure_must(yoke_graph_end(self->graph));
    return true;
}

static void yoke_graph_launches(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        measure_must(yoke_graph_launch(self->streams[0], self->graph));
}

static void yoke_graph_changes(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        measure_must(yoke_graph_set_args(self->graph, 0, YOKE_ARGS(self->buffers[0], (float)i, (int32_t)1)));
}

/* ---- Memory ---- */

static void yoke_writes(void *object, int which, const void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        measure_must(yoke_write(self->streams[which], self->buffers[which], 0, host, size));
}

static void yoke_reads(void *object, int which, void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        measure_must(yoke_read(self->streams[which], host, self->buffers[which], 0, size));
}

static void yoke_writes_wait(void *object, const void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        measure_must(yoke_write_sync(self->streams[0], self->buffers[0], 0, host, size));
}

static void yoke_reads_wait(void *object, void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        measure_must(yoke_read_sync(self->streams[0], host, self->buffers[0], 0, size));
}

static void yoke_writes_rect(void *object, const void *host, const measure_rect *rect)
{
    side *self = object;
    measure_must(yoke_write_rect(self->streams[0], self->buffers[0], (yoke_pitch){ .row_pitch = rect->buffer_pitch }, host,
                                 (yoke_pitch){ .row_pitch = rect->host_pitch }, (yoke_rect){ rect->width, rect->height, 1 }));
}

static void yoke_reads_rect(void *object, void *host, const measure_rect *rect)
{
    side *self = object;
    measure_must(yoke_read_rect(self->streams[0], host, (yoke_pitch){ .row_pitch = rect->host_pitch }, self->buffers[0],
                                (yoke_pitch){ .row_pitch = rect->buffer_pitch }, (yoke_rect){ rect->width, rect->height, 1 }));
}

static void yoke_copies(void *object, size_t size)
{
    side *self = object;
    measure_must(yoke_copy(self->streams[0], self->buffers[1], 0, self->buffers[0], 0, size));
}

static void yoke_fills(void *object, size_t size, const void *pattern, size_t pattern_size)
{
    side *self = object;
    measure_must(yoke_fill(self->streams[0], self->buffers[0], 0, size, pattern, pattern_size));
}

static bool yoke_connect(void *object, void *other)
{
    return object && other;
}

static void yoke_peer(void *object, void *other, size_t size)
{
    side *self = object;
    measure_must(yoke_copy_sync(self->streams[0], ((side *)other)->buffers[0], 0, self->buffers[0], 0, size));
}

static yoke_buffer *alloc(side *self, int way, size_t size)
{
    yoke_buffer *buffer;
    if (way == MEASURE_PINNED)
        measure_must(yoke_buffer_create_pinned(self->device, size, &buffer));
    else if (way == MEASURE_ORDERED)
        measure_must(yoke_buffer_create_ordered(self->streams[0], size, &buffer));
    else
        measure_must(yoke_buffer_create(self->device, size, &buffer));
    return buffer;
}

static void yoke_alloc_free(void *object, int way, size_t size, int count)
{
    for (int i = 0; i < count; i++)
        yoke_buffer_release(alloc(object, way, size));
}

static void yoke_alloc_launch_free(void *object, int way, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        yoke_buffer *buffer = alloc(self, way, size);
        launch_one(self, self->streams[0], buffer);
        yoke_buffer_release(buffer);
    }
}

const measure_side measure_yoke = {
    .name = "yoke",
    .open = yoke_open,
    .close = yoke_close,
    .enter = yoke_enter_or_leave,
    .leave = yoke_enter_or_leave,
    .reserve = yoke_reserve,
    .wait = yoke_wait,
    .launch = yoke_launches,
    .launch_wait = yoke_launches_wait,
    .spin = yoke_spin,
    .event_record = yoke_records,
    .event_query = yoke_queries,
    .kernels = yoke_kernels,
    .call = yoke_call,
    .call_pairs = yoke_call_pairs,
    .call_sleepers = yoke_call_sleepers,
    .graph_make = yoke_graph_make,
    .graph_launch = yoke_graph_launches,
    .graph_set_args = yoke_graph_changes,
    .write = yoke_writes,
    .read = yoke_reads,
    .write_wait = yoke_writes_wait,
    .read_wait = yoke_reads_wait,
    .write_rect = yoke_writes_rect,
    .read_rect = yoke_reads_rect,
    .copy = yoke_copies,
    .fill = yoke_fills,
    .connect = yoke_connect,
    .peer = yoke_peer,
    .alloc_free = yoke_alloc_free,
    .alloc_launch_free = yoke_alloc_launch_free,
};
