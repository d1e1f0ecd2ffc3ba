/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches with arrays of the host as arguments: they arrive, come back, and leave nothing behind, in any kind of host memory, in
 * any state of the stream.
 */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>

#include "stand.h"

/* move: out[i] = in[i] * k. grow: x[i] += in[i]. */
static const char *const kernels_cuda = "extern \"C\" __global__ void move(const int *in, int *out, int k, unsigned n)\n"
                                        "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] * k; }\n"
                                        "extern \"C\" __global__ void grow(int *x, const int *in, unsigned n)\n"
                                        "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += in[i]; }\n";
static const char *const kernels_opencl = "__kernel void move(__global const int *in, __global int *out, int k, uint n)\n"
                                          "{ uint i = get_global_id(0); if (i < n) out[i] = in[i] * k; }\n"
                                          "__kernel void grow(__global int *x, __global const int *in, uint n)\n"
                                          "{ uint i = get_global_id(0); if (i < n) x[i] += in[i]; }\n";

static yoke_source test_source(void)
{
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "arrays test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return source;
}

/* Arrays of n numbers, and what they have to hold in the end. */
typedef struct work {
    uint32_t n;
    size_t size;
    int32_t *in, *out, *both, *wanted, *grown;
} work;

static void work_new(work *w, uint32_t n, uint32_t seed)
{
    *w = (work){ .n = n, .size = n * sizeof(int32_t) };
    int32_t **members[] = { &w->in, &w->out, &w->both, &w->wanted, &w->grown };
    for (size_t i = 0; i < 5; i++)
        *members[i] = memory_new(w->size);
    for (uint32_t i = 0; i < n; i++) {
        w->in[i] = (int32_t)(i * seed);
        w->both[i] = (int32_t)(i + seed);
        w->wanted[i] = w->in[i] * 3;
        w->grown[i] = w->both[i] + w->in[i];
    }
}

static void work_free(work *w)
{
    memory_free(w->in);
    memory_free(w->out);
    memory_free(w->both);
    memory_free(w->wanted);
    memory_free(w->grown);
}

static bool work_launch(suite *t, yoke_stream *stream, const work *w)
{
    return CHECK_OK(yoke_launch_n(stream, suite_kernel(t, "move"), w->n,
                                  YOKE_ARGS(yoke_in(w->in, w->size), yoke_out(w->out, w->size), (int32_t)3, w->n))) &&
           CHECK_OK(yoke_launch_n(stream, suite_kernel(t, "grow"), w->n,
                                  YOKE_ARGS(yoke_inout(w->both, w->size), yoke_in(w->in, w->size), w->n)));
}

static bool work_check(const work *w)
{
    return CHECK_BYTES(w->out, w->wanted, w->size) && CHECK_BYTES(w->both, w->grown, w->size);
}

/* From below to beyond where copies are carried by threads; the last launch of one is under way when the next begins. */
static void sizes(suite *t)
{
    static const uint32_t tried[] = { 1, 7, 1000, 16385, 300000, 1 << 20 };
    enum { COUNT = sizeof tried / sizeof tried[0] };
    work all[COUNT];

    for (uint32_t i = 0; i < COUNT; i++)
        work_new(&all[i], tried[i], i + 3);
    for (uint32_t i = 0; i < COUNT; i++)
        work_launch(t, t->stream, &all[i]);
    CHECK_OK(yoke_stream_wait(t->stream));
    for (uint32_t i = 0; i < COUNT; i++)
        work_check(&all[i]);
    for (uint32_t i = 0; i < COUNT; i++)
        work_free(&all[i]);
}

static void pinned_memory(suite *t)
{
    enum { N = 5000 };
    yoke_buffer *pinned = NULL;
    work w;

    work_new(&w, N, 11);
    NEED_OK(yoke_buffer_create_pinned(t->device, 2 * w.size, &pinned));
    int32_t *in = yoke_buffer_get_host(pinned), *out = in + N;
    memcpy(in, w.in, w.size);
    memset(out, 0, w.size);
    NEED_OK(yoke_launch_n(t->stream, suite_kernel(t, "move"), N,
                          YOKE_ARGS(yoke_in(in, w.size), yoke_out(out, w.size), (int32_t)3, w.n)));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(out, w.wanted, w.size);
    CHECK_BYTES(in, w.in, w.size);
out:
    yoke_buffer_release(pinned);
    work_free(&w);
}

/* What an array was when its turn came counts, not what it is at the call. */
static void behind_a_host_function(suite *t)
{
    stand s = STAND_INIT;
    work w;

    work_new(&w, 3000, 5);
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    int32_t first = w.in[1];
    w.in[1] = -1;
    work_launch(t, t->stream, &w);
    CHECK(w.out[2] == 0);
    w.in[1] = first;
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(t->stream));
    work_check(&w);
out:
    gate_open(&s.leave);
    work_free(&w);
}

static void blocking_devices(suite *t)
{
    yoke_source source = test_source();
    suite b = { .info = t->info };
    work w;

    work_new(&w, 3000, 7);
    CHECK(setenv("YOKE_BLOCKING", "1", 1) == 0);
    yoke_status status = yoke_device_open(t->info.selector, &b.device);
    unsetenv("YOKE_BLOCKING");
    NEED_OK(status);
    NEED_OK(yoke_program_build(b.device, &source, &b.program));
    NEED_OK(yoke_stream_create(b.device, NULL, &b.stream));
    work_launch(&b, b.stream, &w);
    work_check(&w); /* without waiting */
out:
    yoke_stream_release(b.stream);
    yoke_program_release(b.program);
    yoke_device_release(b.device);
    work_free(&w);
}

/* Each argument is memory of its own: what is read is as it was before the kernel, and what is written later stays. */
static void the_same_array_twice(suite *t)
{
    enum { N = 500 };
    work w;

    work_new(&w, N, 9);
    NEED_OK(yoke_launch_n(t->stream, suite_kernel(t, "move"), N,
                          YOKE_ARGS(yoke_in(w.in, w.size), yoke_out(w.in, w.size), (int32_t)3, w.n)));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(w.in, w.wanted, w.size);
    for (uint32_t i = 0; i < N; i++) {
        w.in[i] = (int32_t)i;
        w.wanted[i] = (int32_t)(2 * i);
    }
    NEED_OK(yoke_launch_n(t->stream, suite_kernel(t, "grow"), N, YOKE_ARGS(yoke_inout(w.in, w.size), yoke_in(w.in, w.size), w.n)));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(w.in, w.wanted, w.size);
    /* the last of several that come back to one place: here `in` comes back too, unchanged */
    NEED_OK(
        yoke_launch_n(t->stream, suite_kernel(t, "grow"), N, YOKE_ARGS(yoke_inout(w.in, w.size), yoke_inout(w.in, w.size), w.n)));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(w.in, w.wanted, w.size);
out:
    work_free(&w);
}

static void beside_buffers(suite *t)
{
    enum { N = 500 };
    guarded x = { 0 };
    work w;

    work_new(&w, N, 13);
    NEED(guarded_create(t, w.size, &x));
    NEED_OK(yoke_launch_n(t->stream, suite_kernel(t, "move"), N, YOKE_ARGS(yoke_in(w.in, w.size), x.buffer, (int32_t)3, w.n)));
    NEED_OK(yoke_launch_n(t->stream, suite_kernel(t, "move"), N, YOKE_ARGS(x.buffer, yoke_out(w.out, w.size), (int32_t)1, w.n)));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(w.out, w.wanted, w.size);
    guarded_check(t, &x, w.wanted);
    /* only part of an array */
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, "move"), YOKE_DIM(1), YOKE_DIM(1), 0,
                        YOKE_ARGS(yoke_in(w.in + 3, 4), yoke_out(w.out + 7, 4), (int32_t)5, 1u)));
    NEED_OK(yoke_stream_wait(t->stream));
    w.wanted[7] = w.in[3] * 5;
    CHECK_BYTES(w.out, w.wanted, w.size);
out:
    guarded_release(&x);
    work_free(&w);
}

static void nothing_is_left(suite *t)
{
    yoke_memory_info before = YOKE_MEMORY_INFO_INIT, after = YOKE_MEMORY_INFO_INIT;
    work w;

    work_new(&w, 1000, 15);
    CHECK_OK(yoke_device_get_memory(t->device, &before));
    for (int i = 0; i < 200; i++) {
        if (!CHECK_OK(yoke_launch_n(t->stream, suite_kernel(t, "move"), w.n,
                                    YOKE_ARGS(yoke_in(w.in, w.size), yoke_out(w.out, w.size), (int32_t)3, w.n))))
            break;
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_device_get_memory(t->device, &after));
    CHECK(after.buffers == before.buffers);
    CHECK_BYTES(w.out, w.wanted, w.size);
    work_free(&w);
}

enum { LAUNCHERS = 8 };

typedef struct launcher {
    suite *t;
    work w[20];
} launcher;

static void *launch_in_thread(void *user)
{
    launcher *l = user;
    yoke_stream *stream = NULL;

    NEED_OK(yoke_stream_create(l->t->device, NULL, &stream));
    for (int i = 0; i < 20; i++)
        NEED(work_launch(l->t, stream, &l->w[i]));
    CHECK_OK(yoke_stream_wait(stream));
out:
    yoke_stream_release(stream);
    return NULL;
}

static void several_threads(suite *t)
{
    static launcher all[LAUNCHERS];
    pthread_t threads[LAUNCHERS];

    for (uint32_t i = 0; i < LAUNCHERS; i++) {
        all[i].t = t;
        for (uint32_t j = 0; j < 20; j++)
            work_new(&all[i].w[j], 100 + 13 * j, 20 * i + j);
    }
    for (int i = 0; i < LAUNCHERS; i++)
        CHECK(pthread_create(&threads[i], NULL, launch_in_thread, &all[i]) == 0);
    for (int i = 0; i < LAUNCHERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < LAUNCHERS; i++)
        for (int j = 0; j < 20; j++) {
            work_check(&all[i].w[j]);
            work_free(&all[i].w[j]);
        }
}

/* A stream that has failed takes none, and a launch that is refused touches none. */
static void streams_that_failed(suite *t)
{
    work w;

    work_new(&w, 100, 3);
    NEED_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT,
                yoke_launch_n(t->stream, suite_kernel(t, "move"), w.n,
                              YOKE_ARGS(yoke_in(w.in, w.size), yoke_out(w.out, w.size), (int32_t)3, w.n)));
    CHECK(w.out[2] == 0);
    CHECK_OK(yoke_stream_recover(t->stream));
    work_launch(t, t->stream, &w);
    CHECK_OK(yoke_stream_wait(t->stream));
    work_check(&w);
out:
    work_free(&w);
}

static void not_in_a_graph(suite *t)
{
    yoke_graph *graph = NULL;
    work w;

    work_new(&w, 100, 3);
    NEED_OK(yoke_graph_create(t->device, "arrays", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    CHECK_FAILS(YOKE_E_UNSUPPORTED, "move|parameter 1|graph",
                yoke_launch_n(t->stream, suite_kernel(t, "move"), w.n,
                              YOKE_ARGS(yoke_in(w.in, w.size), yoke_out(w.out, w.size), (int32_t)3, w.n)));
    CHECK(yoke_graph_get_size(graph) == 0);
    CHECK_OK(yoke_graph_end(graph));
    work_launch(t, t->stream, &w);
    CHECK_OK(yoke_stream_wait(t->stream));
    work_check(&w);
out:
    yoke_graph_release(graph);
    work_free(&w);
}

int main(void)
{
    static const suite_case cases[] = {
        { "arrays of many sizes", sizes, false },
        { "in pinned memory", pinned_memory, false },
        { "behind a host function", behind_a_host_function, false },
        { "with YOKE_BLOCKING", blocking_devices, false },
        { "the same array twice", the_same_array_twice, false },
        { "beside buffers", beside_buffers, false },
        { "nothing is left of them", nothing_is_left, false },
        { "from several threads", several_threads, false },
        { "in a stream that has failed", streams_that_failed, false },
        { "not in a graph", not_in_a_graph, false },
    };
    yoke_source source = test_source();

    return SUITE_MAIN(cases, &source);
}
