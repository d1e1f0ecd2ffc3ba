/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipeline over several streams: each stream takes every third chunk. A host function creates the input, the device copies and
 * computes, and another host function takes the result. The copies of one chunk overlap with the kernel of another and the host
 * functions of a third, and the program only enqueues: the device is busy without a pause. pipeline [CHUNKS]
 *
 * A common mistake: a separate thread for work that must run in stream order, and pageable copies, which overlap with nothing.
 */
#include "example.h"

#include <math.h>
#include <time.h>

enum { STREAMS = 3, N = 1 << 20, MOST_ROUNDS = 1 << 20 };

/* x becomes x * FACTOR + ADDEND, so many times. */
static const unsigned int factor = 1664525, addend = 1013904223;

static const yoke_source source = {
    .name = "scramble",
    .cuda = "extern \"C\" __global__ void scramble(unsigned int *x, int n, int rounds)\n"
            "{\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i >= n)\n"
            "        return;\n"
            "    unsigned int value = x[i];\n"
            "    for (int r = 0; r < rounds; r++)\n"
            "        value = value * 1664525u + 1013904223u;\n"
            "    x[i] = value;\n"
            "}\n",
    .opencl = "__kernel void scramble(__global unsigned int *x, int n, int rounds)\n"
              "{\n"
              "    int i = get_global_id(0);\n"
              "    if (i >= n)\n"
              "        return;\n"
              "    unsigned int value = x[i];\n"
              "    for (int r = 0; r < rounds; r++)\n"
              "        value = value * 1664525u + 1013904223u;\n"
              "    x[i] = value;\n"
              "}\n",
};

/* A stream, and the memory that it uses for one chunk after the other. */
typedef struct worker {
    yoke_stream *stream;
    yoke_buffer *pinned, *device;
    unsigned int *values; /* of `pinned` */
    unsigned int made, next;
    unsigned long long sum;
} worker;

static yoke_status produce(yoke_status status, void *user)
{
    worker *w = user;

    for (unsigned int i = 0; i < N && status == YOKE_OK; i++)
        w->values[i] = w->next * N + i;
    w->next += STREAMS;
    return status;
}

static yoke_status consume(yoke_status status, void *user)
{
    worker *w = user;

    for (int i = 0; i < N && status == YOKE_OK; i++)
        w->sum += w->values[i];
    w->made++;
    return status;
}

static void open_worker(worker *w, yoke_device *device, unsigned int first)
{
    YOKE_CHECK(yoke_stream_create(device, NULL, &w->stream));
    YOKE_CHECK(yoke_buffer_create_pinned(device, N * sizeof *w->values, &w->pinned)); /* copies of pageable memory do not overlap */
    YOKE_CHECK(yoke_buffer_create(device, N * sizeof *w->values, &w->device));
    w->values = yoke_buffer_get_host(w->pinned);
    w->next = first;
}

static double milliseconds(void)
{
    struct timespec now;

    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void enqueue_launch(worker *w, yoke_kernel *scramble, int rounds)
{
    YOKE_CHECK(yoke_launch_n(w->stream, scramble, N, YOKE_ARGS(w->device, N, rounds)));
}

/* Enqueue all that a chunk takes; without rounds, all but its kernel. */
static void enqueue_chunk(worker *w, yoke_kernel *scramble, int rounds)
{
    YOKE_CHECK(yoke_host_call(w->stream, produce, w, NULL));
    YOKE_CHECK(yoke_copy(w->stream, w->device, 0, w->pinned, 0, N * sizeof *w->values));
    if (rounds > 0)
        enqueue_launch(w, scramble, rounds);
    YOKE_CHECK(yoke_copy(w->stream, w->pinned, 0, w->device, 0, N * sizeof *w->values));
    YOKE_CHECK(yoke_host_call(w->stream, consume, w, NULL));
}

/* How long that takes alone: the shorter of two times, since other programs may slow down one. */
static double time_alone(worker *w, void (*enqueue)(worker *w, yoke_kernel *scramble, int rounds), yoke_kernel *scramble,
                         int rounds)
{
    double shortest = HUGE_VAL;

    for (int i = 0; i < 2; i++) {
        double begin = milliseconds();
        enqueue(w, scramble, rounds);
        YOKE_CHECK(yoke_stream_wait(w->stream));
        shortest = fmin(shortest, milliseconds() - begin);
    }
    return shortest;
}

/* So many rounds that the kernel takes as long as all else of a chunk: then two streams can keep this device busy, and a third
 * makes up for what is uneven. */
static int choose_rounds(worker *w, yoke_kernel *scramble)
{
    double rest = time_alone(w, enqueue_chunk, scramble, 0);
    int rounds = 1;

    while (time_alone(w, enqueue_launch, scramble, rounds) < rest && rounds < MOST_ROUNDS)
        rounds *= 2;
    w->next = w->made = 0;
    w->sum = 0;
    return rounds;
}

/* The sum of all results: after so many rounds x is x * power + sum. */
static unsigned long long expect(unsigned int count, int rounds)
{
    unsigned int power = 1, sum = 0;
    unsigned long long expected = 0;

    for (int r = 0; r < rounds; r++) {
        power *= factor;
        sum = sum * factor + addend;
    }
    for (unsigned int i = 0; i < count; i++)
        expected += i * power + sum;
    return expected;
}

int main(int argc, char **argv)
{
    const unsigned int chunks = (unsigned int)number(argc, argv, 1, 24, 4000);
    static worker workers[STREAMS];
    unsigned long long sum = 0, expected;
    unsigned int made = 0;
    yoke_device *device;
    yoke_program *program;
    yoke_kernel *scramble;
    int rounds;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "scramble", &scramble));
    for (unsigned int i = 0; i < STREAMS; i++)
        open_worker(&workers[i], device, i);
    rounds = choose_rounds(&workers[0], scramble);

    for (unsigned int i = 0; i < chunks; i++)
        enqueue_chunk(&workers[i % STREAMS], scramble, rounds);
    expected = expect(chunks * N, rounds); /* meanwhile */
    for (int i = 0; i < STREAMS; i++) {
        YOKE_CHECK(yoke_stream_wait(workers[i].stream));
        sum += workers[i].sum;
        made += workers[i].made;
    }
    printf("pipeline: %u chunks through %d streams, %d rounds of each value: %s\n", made, STREAMS, rounds,
           sum == expected ? "right" : "wrong");

    for (int i = 0; i < STREAMS; i++) {
        yoke_buffer_release(workers[i].device);
        yoke_buffer_release(workers[i].pinned);
        yoke_stream_release(workers[i].stream);
    }
    yoke_program_release(program);
    yoke_device_release(device);
    return sum != expected;
}
