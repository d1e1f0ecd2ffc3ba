/* SPDX-License-Identifier: Apache-2.0 */
/* The C side of peers.py, which compiles it as a shared object and calls it beside the others: the launch and the sum of two arrays
 * that the benchmark times in Python, written in C with the same library. A call that fails ends the process with the message. */
#include <stdio.h>
#include <stdlib.h>
#include <yoke/ops.h>
#include <yoke/yoke.h>

enum { N = 1000, BLOCK = 64 };

typedef struct side {
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *kernel;
    yoke_buffer *x, *y;
} side;

static void must(yoke_status status)
{
    if (status < 0) {
        fprintf(stderr, "side: %s\n", yoke_error()->text);
        exit(1);
    }
}

side *side_open(const char *selector, const char *cuda, const char *opencl)
{
    const float zero = 0;
    side *self = calloc(1, sizeof *self);
    if (!self)
        abort();
    must(yoke_device_open(selector, &self->device));
    must(yoke_stream_create(self->device, NULL, &self->stream));
    yoke_source source = YOKE_SOURCE_INIT;
    source.cuda = cuda;
    source.opencl = opencl;
    must(yoke_program_build(self->device, &source, &self->program));
    must(yoke_kernel_get(self->program, "f", &self->kernel));
    must(yoke_buffer_create(self->device, N * sizeof(float), &self->x));
    must(yoke_buffer_create(self->device, N * sizeof(float), &self->y));
    must(yoke_fill(self->stream, self->x, 0, N * sizeof(float), &zero, sizeof zero));
    must(yoke_fill(self->stream, self->y, 0, N * sizeof(float), &zero, sizeof zero));
    return self;
}

void side_launch(side *self, int count)
{
    for (int i = 0; i < count; i++)
        must(yoke_launch(self->stream, self->kernel, YOKE_DIM(1), YOKE_DIM(BLOCK), 0, YOKE_ARGS(self->x, self->y, 2.0f)));
}

void side_add(side *self, int count)
{
    const int64_t shape[] = { N };
    yoke_array a = yoke_array_nd(self->x, YOKE_F32, 1, shape), b = yoke_array_nd(self->y, YOKE_F32, 1, shape);
    for (int i = 0; i < count; i++) {
        yoke_buffer *result;
        must(yoke_buffer_create_ordered(self->stream, N * sizeof(float), &result));
        yoke_array c = yoke_array_nd(result, YOKE_F32, 1, shape);
        must(yoke_map(self->stream, "c = a + b", YOKE_VARS(c, a, b)));
        yoke_buffer_release(result);
    }
}

void side_wait(side *self)
{
    must(yoke_stream_wait(self->stream));
}
