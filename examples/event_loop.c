/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event loop that awaits work on the device: the event after each job has a file descriptor, which poll(2) watches like a
 * socket, so the loop stays free for everything else. examples/uv.c does the same with libuv.
 *
 * A common mistake: coroutines without an await: the first runs to its end, blocked in a copy, before the next starts.
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "example.h"

enum { JOBS = 4, N = 4096 };

/* Advances numbers of a congruential generator by some steps. */
#define BODY                                             \
    "    if (i < n) {\n"                                 \
    "        unsigned int v = x[i];\n"                   \
    "        for (int step = 0; step < steps; step++)\n" \
    "            v = 1664525u * v + 1013904223u;\n"      \
    "        x[i] = v;\n"                                \
    "    }\n"                                            \
    "}\n"

static const yoke_source source = {
    .name = "advance",
    .cuda = "extern \"C\" __global__ void advance(unsigned int *x, int n, int steps)\n"
            "{\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" BODY,
    .opencl = "__kernel void advance(__global unsigned int *x, int n, int steps)\n"
              "{\n"
              "    int i = get_global_id(0);\n" BODY,
};

typedef struct job {
    yoke_stream *stream;
    yoke_buffer *x;
    yoke_event *event;
    unsigned int values[N];
    int steps;
} job;

/* Enqueue the job and return the descriptor to watch. */
static int start(job *j, yoke_device *device, yoke_kernel *advance)
{
    int fd;

    for (int i = 0; i < N; i++)
        j->values[i] = (unsigned int)i;
    YOKE_CHECK(yoke_stream_create(device, NULL, &j->stream));
    YOKE_CHECK(yoke_buffer_create(device, sizeof j->values, &j->x));
    YOKE_CHECK(yoke_write(j->stream, j->x, 0, j->values, sizeof j->values));
    YOKE_CHECK(yoke_launch_n(j->stream, advance, N, YOKE_ARGS(j->x, N, j->steps)));
    YOKE_CHECK(yoke_read(j->stream, j->values, j->x, 0, sizeof j->values));
    YOKE_CHECK(yoke_event_record(j->stream, 0, &j->event));
    YOKE_CHECK(yoke_event_get_fd(j->event, &fd));
    return fd;
}

/* The job is complete, or has failed; returns how many of its values are wrong. */
static int finish(job *j)
{
    int wrong = 0;

    YOKE_CHECK(yoke_event_query(j->event)); /* readable means complete; the status says whether it failed */
    for (int i = 0; i < N; i++) {
        unsigned int v = (unsigned int)i;
        for (int step = 0; step < j->steps; step++)
            v = 1664525u * v + 1013904223u;
        wrong += j->values[i] != v;
    }
    printf("event_loop: %d values of %d steps, %d wrong\n", N, j->steps, wrong);
    yoke_event_release(j->event);
    yoke_buffer_release(j->x);
    yoke_stream_release(j->stream);
    return wrong;
}

int main(void)
{
    static job jobs[JOBS];
    struct pollfd watched[JOBS];
    yoke_device *device;
    yoke_program *program;
    yoke_kernel *advance;
    int pending = JOBS, wrong = 0, ticks = 0;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "advance", &advance));
    for (int i = 0; i < JOBS; i++) {
        jobs[i].steps = 2000 >> i;
        watched[i] = (struct pollfd){ .fd = start(&jobs[i], device, advance), .events = POLLIN };
    }
    while (pending > 0) {
        const int ready = poll(watched, JOBS, 1); /* poll ignores a descriptor of -1 */
        if (ready < 0 && errno != EINTR)
            return perror("poll"), EXIT_FAILURE;
        ticks += ready == 0; /* a millisecond in which the loop was free */
        for (int i = 0; i < JOBS && ready > 0; i++)
            if (watched[i].fd >= 0 && watched[i].revents) {
                close(watched[i].fd);
                watched[i].fd = -1;
                pending--;
                wrong += finish(&jobs[i]);
            }
    }
    printf("event_loop: %d jobs awaited, %d free ticks meanwhile, %d values wrong\n", JOBS, ticks, wrong);
    yoke_program_release(program);
    yoke_device_release(device);
    return wrong != 0;
}
