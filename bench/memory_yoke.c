/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and transfers through Yoke, and what the sides share: see memory.h. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct side {
    yoke_device *device;
    yoke_stream *streams[2];
    yoke_buffer *buffers[2];
    yoke_program *touch_program, *spin_program;
    yoke_kernel *touch, *spin;
    yoke_buffer *spun; /* what `spin` works on */
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
    must(yoke_stream_create(device, &self->streams[0]));
    must(yoke_stream_create(device, &self->streams[1]));
    must(yoke_buffer_create(device, 4, &self->spun));
    must(yoke_program_build(device, &bench_touch, &self->touch_program));
    must(yoke_program_build(device, &bench_spin, &self->spin_program));
    must(yoke_kernel_get(self->touch_program, "touch", &self->touch));
    must(yoke_kernel_get(self->spin_program, "spin", &self->spin));
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
    must(yoke_device_trim(self->device, 0)); /* it does not fit beside what the other side has */
    for (int i = 0; i < 2; i++)
        if (sizes[i])
            must(yoke_buffer_create(self->device, sizes[i], &self->buffers[i]));
}

static void yoke_close(void *object)
{
    side *self = object;
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
    must(yoke_stream_wait(((side *)object)->streams[which]));
}

static void launch(side *self, yoke_buffer *buffer)
{
    must(yoke_launch(self->streams[0], self->touch, YOKE_DIM(1), YOKE_DIM(BENCH_BLOCK), 0, YOKE_ARGS(buffer, 1.0f, (int32_t)1)));
}

static void yoke_launch_small(void *object)
{
    side *self = object;
    launch(self, self->buffers[0]);
}

static void yoke_spin(void *object, uint64_t rounds)
{
    side *self = object;
    must(yoke_launch(self->streams[0], self->spin, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(self->spun, rounds)));
}

static void yoke_writes(void *object, int which, const void *host, size_t size)
{
    side *self = object;
    must(yoke_write(self->streams[which], self->buffers[which], 0, host, size));
}

static void yoke_reads(void *object, int which, void *host, size_t size)
{
    side *self = object;
    must(yoke_read(self->streams[which], host, self->buffers[which], 0, size));
}

static void yoke_writes_wait(void *object, const void *host, size_t size)
{
    side *self = object;
    must(yoke_write_sync(self->streams[0], self->buffers[0], 0, host, size));
}

static void yoke_reads_wait(void *object, void *host, size_t size)
{
    side *self = object;
    must(yoke_read_sync(self->streams[0], host, self->buffers[0], 0, size));
}

static void yoke_writes_box(void *object, const void *host, const bench_box *box)
{
    side *self = object;
    must(yoke_write_rect(self->streams[0], self->buffers[0], (yoke_pitch){ .row_pitch = box->buffer_pitch }, host,
                         (yoke_pitch){ .row_pitch = box->host_pitch }, (yoke_rect){ box->width, box->height, 1 }));
}

static void yoke_reads_box(void *object, void *host, const bench_box *box)
{
    side *self = object;
    must(yoke_read_rect(self->streams[0], host, (yoke_pitch){ .row_pitch = box->host_pitch }, self->buffers[0],
                        (yoke_pitch){ .row_pitch = box->buffer_pitch }, (yoke_rect){ box->width, box->height, 1 }));
}

static void yoke_copies(void *object, size_t size)
{
    side *self = object;
    must(yoke_copy(self->streams[0], self->buffers[1], 0, self->buffers[0], 0, size));
}

static void yoke_fills(void *object, size_t size, const void *pattern, size_t pattern_size)
{
    side *self = object;
    must(yoke_fill(self->streams[0], self->buffers[0], 0, size, pattern, pattern_size));
}

static bool yoke_connect(void *object, void *other)
{
    return object && other;
}

static void yoke_peer(void *object, void *other, size_t size)
{
    side *self = object;
    must(yoke_copy_sync(self->streams[0], ((side *)other)->buffers[0], 0, self->buffers[0], 0, size));
}

static yoke_buffer *alloc(side *self, int way, size_t size)
{
    yoke_buffer *buffer;
    if (way == BENCH_PINNED)
        must(yoke_buffer_create_pinned(self->device, size, &buffer));
    else if (way == BENCH_ORDERED)
        must(yoke_buffer_create_ordered(self->streams[0], size, &buffer));
    else
        must(yoke_buffer_create(self->device, size, &buffer));
    return buffer;
}

static void yoke_alloc_free(void *object, int way, size_t size)
{
    yoke_buffer_release(alloc(object, way, size));
}

static void yoke_alloc_launch_free(void *object, int way, size_t size)
{
    yoke_buffer *buffer = alloc(object, way, size);
    launch(object, buffer);
    yoke_buffer_release(buffer);
}

const bench_memory bench_memory_yoke = {
    .open = yoke_open,
    .close = yoke_close,
    .reserve = yoke_reserve,
    .enter = yoke_enter_or_leave,
    .leave = yoke_enter_or_leave,
    .wait = yoke_wait,
    .launch = yoke_launch_small,
    .spin = yoke_spin,
    .write = yoke_writes,
    .read = yoke_reads,
    .write_wait = yoke_writes_wait,
    .read_wait = yoke_reads_wait,
    .write_box = yoke_writes_box,
    .read_box = yoke_reads_box,
    .copy = yoke_copies,
    .fill = yoke_fills,
    .connect = yoke_connect,
    .peer = yoke_peer,
    .alloc_free = yoke_alloc_free,
    .alloc_launch_free = yoke_alloc_launch_free,
};

/* ---- What the sides share ---- */

const bench_memory *bench_memory_raw(yoke_device *device)
{
    return bench_raw(device) == &bench_cuda ? &bench_memory_cuda : &bench_memory_opencl;
}

uint64_t bench_memory_rounds(const bench_memory *memory, void *self, double nanoseconds)
{
    uint64_t rounds = 1000;
    double time = 0;
    memory->enter(self);
    for (; time < nanoseconds; rounds *= 2) {
        double start = bench_now();
        memory->spin(self, rounds);
        memory->wait(self, 0);
        time = bench_now() - start;
    }
    memory->leave(self);
    return (uint64_t)((double)rounds / 2 * nanoseconds / time);
}
