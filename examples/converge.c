/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Until the device says stop: a kernel runs round after round, and only its result tells whether another round is needed. A host
 * function behind each round decides, and enqueues the next round and itself. This program's thread is free meanwhile.
 *
 * A common mistake: to wait with yoke_stream_wait for work that is not enqueued yet: it waits for what is in the stream when it is
 * called. The last host function has to say that it is the last, here by a byte in a pipe, which an event loop could poll.
 */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "example.h"

enum { N = 1000, STEPS = 16 };

/* The sequence of Collatz: n / 2 of an even n, 3 n + 1 of an odd n, until 1. Each round takes some steps. */
#define BODY                                                        \
    "    for (int step = 0; step < steps && x[i] != 1; step++) {\n" \
    "        x[i] = x[i] % 2 ? 3 * x[i] + 1 : x[i] / 2;\n"          \
    "        length[i]++;\n"                                        \
    "    }\n"                                                       \
    "    if (x[i] != 1)\n"                                          \
    "        *more = 1;\n"                                          \
    "}\n"

static const yoke_source source = {
    .name = "collatz",
    .cuda = "extern \"C\" __global__ void collatz(unsigned int *x, int *length, int *more, int n, int steps)\n"
            "{\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i >= n)\n"
            "        return;\n" BODY,
    .opencl = "__kernel void collatz(__global unsigned int *x, __global int *length, __global int *more, int n, int steps)\n"
              "{\n"
              "    int i = get_global_id(0);\n"
              "    if (i >= n)\n"
              "        return;\n" BODY,
};

typedef struct search {
    yoke_stream *stream;
    yoke_kernel *collatz;
    yoke_buffer *x, *length, *more;
    int again, rounds; /* what the device said after a round, and how many rounds there were */
    int end[2];        /* a pipe: a byte when the last round is over */
} search;

static yoke_status decide(yoke_status status, void *user);

static yoke_status enqueue_round(search *s)
{
    const int zero = 0;
    yoke_status status = yoke_fill(s->stream, s->more, 0, sizeof zero, &zero, sizeof zero);

    if (status == YOKE_OK)
        status = yoke_launch_n(s->stream, s->collatz, N, YOKE_ARGS(s->x, s->length, s->more, N, STEPS));
    if (status == YOKE_OK)
        status = yoke_read(s->stream, &s->again, s->more, 0, sizeof s->again);
    return status == YOKE_OK ? yoke_host_call(s->stream, decide, s, NULL) : status;
}

/* After each round. What it enqueues goes to the end of the stream, and starts when it has returned. */
static yoke_status decide(yoke_status status, void *user)
{
    search *s = user;

    s->rounds += status == YOKE_OK;
    if (status == YOKE_OK && s->again) {
        status = enqueue_round(s);
        if (status == YOKE_OK)
            return YOKE_OK; /* the next one decides */
    }
    if (write(s->end[1], "", 1) != 1) /* the last one: also when a round has failed, or cannot be enqueued */
        return yoke_fail(YOKE_E_HOST_FUNCTION, "cannot write to a pipe");
    return status;
}

int main(void)
{
    static search s;
    static unsigned int x[N];
    static int length[N];
    yoke_device *device;
    yoke_program *program;
    char byte;
    int longest = 0, wrong = 0;

    for (int i = 0; i < N; i++)
        x[i] = (unsigned int)i + 1;
    if (pipe(s.end) != 0)
        return perror("pipe"), EXIT_FAILURE;
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &s.stream));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "collatz", &s.collatz));
    YOKE_CHECK(yoke_buffer_create(device, sizeof x, &s.x));
    YOKE_CHECK(yoke_buffer_create(device, sizeof length, &s.length));
    YOKE_CHECK(yoke_buffer_create(device, sizeof s.again, &s.more));
    YOKE_CHECK(yoke_write(s.stream, s.x, 0, x, sizeof x));
    YOKE_CHECK(yoke_write(s.stream, s.length, 0, length, sizeof length));
    YOKE_CHECK(enqueue_round(&s));

    if (read(s.end[0], &byte, 1) != 1) /* this thread could do anything else until then */
        return perror("read"), EXIT_FAILURE;
    YOKE_CHECK(yoke_stream_wait(s.stream)); /* the last host function has returned; a failure of any round is reported here */
    YOKE_CHECK(yoke_read_sync(s.stream, length, s.length, 0, sizeof length));

    for (int i = 0; i < N; i++) {
        int expected = 0;
        for (unsigned int v = (unsigned int)i + 1; v != 1; v = v % 2 ? 3 * v + 1 : v / 2)
            expected++;
        wrong += length[i] != expected;
        longest = length[i] > length[longest] ? i : longest;
    }
    printf("converge: after %d rounds of %d steps, the longest sequence up to %d begins with %d and has %d steps, %d wrong\n",
           s.rounds, STEPS, N, longest + 1, length[longest], wrong);

    close(s.end[0]);
    close(s.end[1]);
    yoke_buffer_release(s.more);
    yoke_buffer_release(s.length);
    yoke_buffer_release(s.x);
    yoke_program_release(program);
    yoke_stream_release(s.stream);
    yoke_device_release(device);
    return wrong != 0;
}
