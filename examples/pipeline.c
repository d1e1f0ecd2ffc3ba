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
typedef struct lane {
    yoke_stream *stream;
    yoke_buffer *pinned, *device;
    unsigned int *values; /* of `pinned` */
    unsigned int made, next;
    unsigned long long sum;
} lane;

static yoke_status produce(yoke_status status, void *user)
{
    lane *l = user;

    for (unsigned int i = 0; i < N && status == YOKE_OK; i++)
        l->values[i] = l->next * N + i;
    l->next += STREAMS;
    return status;
}

static yoke_status consume(yoke_status status, void *user)
{
    lane *l = user;

    for (int i = 0; i < N && status == YOKE_OK; i++)
        l->sum += l->values[i];
    l->made++;
    return status;
}

static void open_lane(lane *l, yoke_device *device, unsigned int first)
{
    CHECK(yoke_stream_create(device, &l->stream));
    CHECK(yoke_buffer_create_pinned(device, N * sizeof *l->values, &l->pinned)); /* copies of pageable memory do not overlap */
    CHECK(yoke_buffer_create(device, N * sizeof *l->values, &l->device));
    l->values = yoke_buffer_get_host(l->pinned);
    l->next = first;
}

int main(int argc, char **argv)
{
    const unsigned int chunks = (unsigned int)number(argc, argv, 1, 24, 1 << 16);
    static lane lanes[STREAMS];
    unsigned long long sum = 0, expected = 0;
    unsigned int made = 0;
    yoke_device *device;
    yoke_program *program;
    yoke_kernel *scramble;

    CHECK(yoke_device_open(NULL, &device));
    CHECK(yoke_program_build(device, &source, &program));
    CHECK(yoke_kernel_get(program, "scramble", &scramble));
    for (unsigned int i = 0; i < STREAMS; i++)
        open_lane(&lanes[i], device, i);

    for (unsigned int i = 0; i < chunks; i++) {
        lane *l = &lanes[i % STREAMS];
        CHECK(yoke_host_call(l->stream, produce, l, NULL));
        CHECK(yoke_copy(l->stream, l->device, 0, l->pinned, 0, N * sizeof *l->values));
        CHECK(yoke_launch_n(l->stream, scramble, N, YOKE_ARGS(l->device, N)));
        CHECK(yoke_copy(l->stream, l->pinned, 0, l->device, 0, N * sizeof *l->values));
        CHECK(yoke_host_call(l->stream, consume, l, NULL));
    }
    for (unsigned int i = 0; i < chunks * N; i++)
        expected += i * 2654435761u >> 16; /* meanwhile */
    for (int i = 0; i < STREAMS; i++) {
        CHECK(yoke_stream_wait(lanes[i].stream));
        sum += lanes[i].sum;
        made += lanes[i].made;
    }
    printf("pipeline: %u chunks through %d streams, their sum is %llu: %s\n", made, STREAMS, sum,
           sum == expected ? "right" : "wrong");

    for (int i = 0; i < STREAMS; i++) {
        yoke_buffer_release(lanes[i].device);
        yoke_buffer_release(lanes[i].pinned);
        yoke_stream_release(lanes[i].stream);
    }
    yoke_program_release(program);
    yoke_device_release(device);
    return sum != expected;
}
