/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A CPU task in stream order: it runs between two kernels, reads the result of the first and writes the input of the second.
 * Meanwhile this program's thread and another stream continue.
 *
 * A common mistake: a task outside the stream, unordered, followed by a blocking copy; or an index without blockIdx.
 */
#include "example.h"

enum { N = 1024 };

static const yoke_source source = {
    .name = "twice",
    .cuda = "extern \"C\" __global__ void twice(float *x, int n)\n"
            "{\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < n)\n"
            "        x[i] = 2.0f * x[i];\n"
            "}\n",
    .opencl = "__kernel void twice(__global float *x, int n)\n"
              "{\n"
              "    int i = get_global_id(0);\n"
              "    if (i < n)\n"
              "        x[i] = 2.0f * x[i];\n"
              "}\n",
};

typedef struct job {
    float values[N], sum, other[N];
    int runs;
    yoke_stream *beside;
    yoke_kernel *twice;
    yoke_buffer *x, *y;
} job;

static yoke_status enqueue_twice(yoke_stream *stream, yoke_kernel *twice, yoke_buffer *x, float *values)
{
    yoke_status status = yoke_write(stream, x, 0, values, N * sizeof *values);

    if (status == YOKE_OK)
        status = yoke_launch_n(stream, twice, N, YOKE_ARGS(x, N));
    return status == YOKE_OK ? yoke_read(stream, values, x, 0, N * sizeof *values) : status;
}

/* Runs on a thread of Yoke. It may take its time, block, and call anything except a wait for its own stream. */
static yoke_status task(yoke_status status, void *user)
{
    job *j = user;

    if (status < 0)
        return status; /* earlier work has failed, and the stream with it */
    j->runs++;
    for (int i = 0; i < N; i++)
        j->sum += j->values[i]; /* valid: the copy before this function has completed */
    for (int i = 0; i < N; i++)
        j->values[i] = (float)i; /* free: the copy after this function has not started */

    /* The device is not blocked: another stream's work starts and completes while this function runs. */
    status = enqueue_twice(j->beside, j->twice, j->y, j->other);
    return status == YOKE_OK ? yoke_stream_wait(j->beside) : status;
}

int main(void)
{
    static job j;
    yoke_device *device;
    yoke_stream *stream;
    yoke_event *end;
    yoke_program *program;
    int wrong = 0;
    long looks = 0;

    for (int i = 0; i < N; i++) {
        j.values[i] = 1;
        j.other[i] = 3;
    }
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_stream_create(device, NULL, &j.beside));
    YOKE_CHECK(yoke_buffer_create(device, sizeof j.values, &j.x));
    YOKE_CHECK(yoke_buffer_create(device, sizeof j.other, &j.y));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "twice", &j.twice));

    YOKE_CHECK(enqueue_twice(stream, j.twice, j.x, j.values));
    YOKE_CHECK(yoke_host_call(stream, task, &j, NULL)); /* called exactly once, in stream order */
    YOKE_CHECK(enqueue_twice(stream, j.twice, j.x, j.values));
    YOKE_CHECK(yoke_event_record(stream, 0, &end));
    while (yoke_event_query(end) == YOKE_PENDING)
        looks++; /* this thread is free for other work as well */
    YOKE_CHECK(yoke_stream_wait(stream));

    for (int i = 0; i < N; i++)
        wrong += j.values[i] != (float)(2 * i) || j.other[i] != 6;
    wrong += j.runs != 1 || j.sum != 2 * N;
    printf("host_function: ran %d time(s), found the sum %.0f of the first kernel's values\n", j.runs, j.sum);
    printf("host_function: the second kernel doubled what it wrote, another stream ran beside it: %d wrong\n", wrong);
    printf("host_function: this thread looked %ld times meanwhile\n", looks);

    yoke_event_release(end);
    yoke_program_release(program);
    yoke_buffer_release(j.y);
    yoke_buffer_release(j.x);
    yoke_stream_release(j.beside);
    yoke_stream_release(stream);
    yoke_device_release(device);
    return wrong != 0;
}
