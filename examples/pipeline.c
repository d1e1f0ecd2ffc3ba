/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipeline over several streams: each stream takes every third chunk. A host function creates the input, the device copies and
 * computes, and another host function takes the result. The copies of one chunk overlap with the kernel of another and the host
 * functions of a third, and the program only enqueues. pipeline [CHUNKS]
 *
 * A common mistake: a separate thread for work that must run in stream order, and pageable copies, which overlap with nothing.
 */
#include "example.h"

enum { STREAMS = 3, N = 1 << 16 };

static const yoke_source source = {
    .name = "scramble",
    .cuda = "extern \"C\" __global__ void scramble(unsigned int *x, int n)\n"
            "{\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < n)\n"
            "        x[i] = x[i] * 2654435761u >> 16;\n"
            "}\n",
    .opencl = "__kernel void scramble(__global unsigned int *x, int n)\n"
              "{\n"
              "    int i = get_global_id(0);\n"
              "    if (i < n)\n"
              "        x[i] = x[i] * 2654435761u >> 16;\n"
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
    CHECK(yoke_stream_create(device, &w->stream));
    CHECK(yoke_buffer_create_pinned(device, N * sizeof *w->values, &w->pinned)); /* copies of pageable memory do not overlap */
    CHECK(yoke_buffer_create(device, N * sizeof *w->values, &w->device));
    w->values = yoke_buffer_get_host(w->pinned);
    w->next = first;
}

int main(int argc, char **argv)
{
    const unsigned int chunks = (unsigned int)number(argc, argv, 1, 24, 1 << 16);
    static worker workers[STREAMS];
    unsigned long long sum = 0, expected = 0;
    unsigned int made = 0;
    yoke_device *device;
    yoke_program *program;
    yoke_kernel *scramble;

    CHECK(yoke_device_open(NULL, &device));
    CHECK(yoke_program_build(device, &source, &program));
    CHECK(yoke_kernel_get(program, "scramble", &scramble));
    for (unsigned int i = 0; i < STREAMS; i++)
        open_worker(&workers[i], device, i);

    for (unsigned int i = 0; i < chunks; i++) {
        worker *w = &workers[i % STREAMS];
        CHECK(yoke_host_call(w->stream, produce, w, NULL));
        CHECK(yoke_copy(w->stream, w->device, 0, w->pinned, 0, N * sizeof *w->values));
        CHECK(yoke_launch_n(w->stream, scramble, N, YOKE_ARGS(w->device, N)));
        CHECK(yoke_copy(w->stream, w->pinned, 0, w->device, 0, N * sizeof *w->values));
        CHECK(yoke_host_call(w->stream, consume, w, NULL));
    }
    for (unsigned int i = 0; i < chunks * N; i++)
        expected += i * 2654435761u >> 16; /* meanwhile */
    for (int i = 0; i < STREAMS; i++) {
        CHECK(yoke_stream_wait(workers[i].stream));
        sum += workers[i].sum;
        made += workers[i].made;
    }
    printf("pipeline: %u chunks through %d streams, their sum is %llu: %s\n", made, STREAMS, sum,
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
