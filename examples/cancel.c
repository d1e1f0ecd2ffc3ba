/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cancel, and a time limit: a job of many kernels that is stopped when its time has passed, after which its stream does the next
 * job. What has been submitted to the driver runs on, so the stream has a depth: no more than that many operations are unfinished,
 * and no more of them still run after the cancel. cancel [MILLISECONDS]
 *
 * A common mistake: to cancel a stream that has submitted everything already; or to free memory before yoke_stream_recover.
 */
#define _POSIX_C_SOURCE 199309L
#include <time.h>

#include "example.h"

enum { N = 1 << 16, DEPTH = 4, ENDLESS = 1 << 30, ROUNDS = 20 };

static const yoke_source source = {
    .name = "count",
    .cuda = "extern \"C\" __global__ void count(int *x, int n)\n"
            "{\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < n)\n"
            "        x[i]++;\n"
            "}\n",
    .opencl = "__kernel void count(__global int *x, int n)\n"
              "{\n"
              "    int i = get_global_id(0);\n"
              "    if (i < n)\n"
              "        x[i]++;\n"
              "}\n",
};

static int64_t nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Count to `rounds` on the device, for at most `limit` nanoseconds. Returns how many rounds were enqueued; *out_complete: 1 when
 * the job came to its end. The stream is empty and usable afterwards in both cases. */
static int run(yoke_stream *stream, yoke_kernel *count, yoke_buffer *x, int rounds, int64_t limit, int *out_complete)
{
    const int64_t deadline = nanoseconds() + limit;
    const int zero = 0;
    yoke_event *end;
    int enqueued = 0;

    YOKE_CHECK(yoke_fill(stream, x, 0, N * sizeof zero, &zero, sizeof zero));
    while (enqueued < rounds && nanoseconds() < deadline) {
        YOKE_CHECK(yoke_launch_n(stream, count, N, YOKE_ARGS(x, N))); /* blocks while DEPTH operations are unfinished */
        enqueued++;
    }
    YOKE_CHECK(yoke_event_record(stream, 0, &end));

    /* Wait for the rest of the time; an event loop polls yoke_event_get_fd instead, as in event_loop.c. */
    const int64_t left = deadline - nanoseconds();
    *out_complete = enqueued == rounds && yoke_event_wait_for(end, left > 0 ? (uint64_t)left : 0) == YOKE_OK;
    yoke_event_release(end);
    if (*out_complete)
        return enqueued;
    YOKE_CHECK(yoke_stream_cancel(stream));  /* does not wait: nothing further starts */
    YOKE_CHECK(yoke_stream_recover(stream)); /* waits for what was already running; then the job's memory is free to be reused */
    return enqueued;
}

int main(int argc, char **argv)
{
    const int limit = number(argc, argv, 1, 50, 10000);
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    int *got = allocate(N * sizeof *got), complete, wrong = 0;
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *count;
    yoke_buffer *x;

    desc.depth = DEPTH;
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, &desc, &stream));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "count", &count));
    YOKE_CHECK(yoke_buffer_create(device, N * sizeof *got, &x));
    run(stream, count, x, 1, INT64_MAX / 2, &complete); /* many drivers compile at the first launch */

    const int64_t start = nanoseconds();
    const int enqueued = run(stream, count, x, ENDLESS, limit * INT64_C(1000000), &complete);
    const double took = 1e-6 * (double)(nanoseconds() - start);
    YOKE_CHECK(yoke_read_sync(stream, got, x, 0, N * sizeof *got));
    wrong += complete || got[0] > enqueued || got[0] < enqueued - DEPTH;
    printf("cancel: stopped after a limit of %d ms: %s\n", limit, wrong ? "wrong" : "right");
    printf("cancel: it took %.0f ms; %d rounds had been enqueued, %d had run\n", took, enqueued, got[0]);

    run(stream, count, x, ROUNDS, INT64_MAX / 2, &complete);
    YOKE_CHECK(yoke_read_sync(stream, got, x, 0, N * sizeof *got));
    for (int i = 0; i < N; i++)
        wrong += !complete || got[i] != ROUNDS;
    printf("cancel: the next job of %d rounds in the same stream, %d wrong\n", ROUNDS, wrong);

    yoke_buffer_release(x);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(got);
    return wrong != 0;
}
