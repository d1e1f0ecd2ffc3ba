/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs about graphs share: kernels whose order shows in what they leave behind, their twins on the host, and host
 * functions that count. A program that uses it builds RECORDED_SOURCE.
 */
#ifndef RECORDED_H
#define RECORDED_H

#include <stdatomic.h>
#include <string.h>

#include <yoke/graph.h>

#include "stand.h"
#include "suite.h"

/* join: x = 5x + y. shape: one word a
 * block, of the launch's shape. turn: through dynamic shared memory. pair: counts in x[1], and in x[0] where a and b differ. take:
 * a struct by value. */
#define RECORDED_CUDA                                                                                                    \
    ADVANCE_CUDA                                                                                                         \
    "extern \"C\" __global__ void join(unsigned *x, const unsigned *y, unsigned n)\n"                                    \
    "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 5u * x[i] + y[i]; }\n"                      \
    "extern \"C\" __global__ void shape(unsigned *x, unsigned k)\n"                                                      \
    "{ if (threadIdx.x == 0) x[blockIdx.x] = k + 1000u * gridDim.x + 1000000u * blockDim.x; }\n"                         \
    "extern \"C\" __global__ void turn(unsigned *x, unsigned k)\n"                                                       \
    "{ extern __shared__ unsigned s[]; unsigned i = threadIdx.x, n = blockDim.x; s[i] = x[i] + k; __syncthreads();\n"    \
    "  x[i] = s[n - 1 - i]; }\n"                                                                                         \
    "extern \"C\" __global__ void pair(unsigned *x, unsigned a, unsigned b)\n"                                           \
    "{ if (a != b) atomicAdd(x, 1u); atomicAdd(x + 1, 1u); }\n"                                                          \
    "struct two { unsigned a, b; };\n"                                                                                   \
    "extern \"C\" __global__ void take(unsigned *x, struct two v) { x[0] = 3u * x[0] + v.a; x[1] = 3u * x[1] + v.b; }\n" \
    "extern \"C\" __global__ void count(unsigned *x, unsigned k) { atomicAdd(x, k); }\n"
#define RECORDED_OPENCL                                                                                                           \
    ADVANCE_OPENCL                                                                                                                \
    "__kernel void join(__global uint *x, __global const uint *y, uint n)\n"                                                      \
    "{ uint i = get_global_id(0); if (i < n) x[i] = 5u * x[i] + y[i]; }\n"                                                        \
    "__kernel void shape(__global uint *x, uint k)\n"                                                                             \
    "{ if (get_local_id(0) == 0) x[get_group_id(0)] = k + 1000u * (uint)get_num_groups(0) + 1000000u * (uint)get_local_size(0); " \
    "}\n"                                                                                                                         \
    "__kernel void turn(__global uint *x, uint k, __local uint *s)\n"                                                             \
    "{ uint i = get_local_id(0), n = get_local_size(0); s[i] = x[i] + k; barrier(CLK_LOCAL_MEM_FENCE); x[i] = s[n - 1 - i]; }\n"  \
    "__kernel void pair(__global uint *x, uint a, uint b) { if (a != b) atomic_add(x, 1u); atomic_add(x + 1, 1u); }\n"            \
    "struct two { uint a, b; };\n"                                                                                                \
    "__kernel void take(__global uint *x, struct two v) { x[0] = 3u * x[0] + v.a; x[1] = 3u * x[1] + v.b; }\n"                    \
    "__kernel void count(__global uint *x, uint k) { atomic_add(x, k); }\n"

#define RECORDED_SOURCE                                                                                     \
    {                                                                                                       \
        .size = sizeof(yoke_source), .name = "graph test", .cuda = RECORDED_CUDA, .opencl = RECORDED_OPENCL \
    }

enum { WORDS = 1000, WORDS_SIZE = 4 * WORDS };

static inline bool advance(suite *t, yoke_stream *stream, yoke_buffer *x, uint32_t k)
{
    return CHECK_OK(yoke_launch_n(stream, suite_kernel(t, "advance"), WORDS, YOKE_ARGS(x, (uint32_t)WORDS, k)));
}

static inline void advance_host(uint32_t *x, uint32_t k)
{
    for (size_t i = 0; i < WORDS; i++)
        x[i] = 3u * x[i] + k;
}

static inline bool join(suite *t, yoke_stream *stream, yoke_buffer *x, yoke_buffer *y)
{
    return CHECK_OK(yoke_launch_n(stream, suite_kernel(t, "join"), WORDS, YOKE_ARGS(x, y, (uint32_t)WORDS)));
}

static inline void join_host(uint32_t *x, const uint32_t *y)
{
    for (size_t i = 0; i < WORDS; i++)
        x[i] = 5u * x[i] + y[i];
}

/* A guarded buffer of WORDS, and what it has to hold. */
typedef struct words {
    guarded device;
    uint32_t host[WORDS];
} words;

static inline bool words_create(suite *t, uint32_t seed, words *w)
{
    fill_random(w->host, WORDS_SIZE, seed);
    return guarded_create(t, WORDS_SIZE, &w->device) && guarded_write(t, &w->device, w->host);
}

static inline bool words_check(suite *t, const words *w)
{
    return guarded_check(t, &w->device, w->host);
}

/* A graph whose recording has begun in this stream. */
static inline bool graph_begin(suite *t, yoke_stream *stream, yoke_graph **out_graph)
{
    return CHECK_OK(yoke_graph_create(t->device, NULL, out_graph)) && CHECK_OK(yoke_graph_begin(*out_graph, stream));
}

/* What `second` gets from now on comes behind what `first` has, in a graph or out of it. */
static inline bool follow(yoke_stream *first, yoke_stream *second)
{
    yoke_event *event = NULL;
    bool ok = CHECK_OK(yoke_event_record(first, 0, &event)) && CHECK_OK(yoke_stream_wait_event(second, event));

    yoke_event_release(event);
    return ok;
}

/* A host function that counts how often it is called, and what belongs to it how often it is released. */
typedef struct tally {
    yoke_status expected, result;
    atomic_uint calls, releases;
    gate changed; /* opened by every call and every release */
} tally;

#define TALLY_INIT           \
    {                        \
        .changed = GATE_INIT \
    }

static inline yoke_status tally_call(yoke_status status, void *user)
{
    tally *n = user;

    CHECK_STATUS(n->expected, status);
    if (status < 0)
        CHECK(yoke_error()->status == status);
    CHECK(atomic_load(&n->releases) == 0);
    atomic_fetch_add(&n->calls, 1);
    gate_open(&n->changed);
    return n->result < 0 ? yoke_fail(n->result, OWN_TEXT) : YOKE_OK;
}

static inline void tally_release(void *user)
{
    tally *n = user;

    CHECK(atomic_fetch_add(&n->releases, 1) == 0);
    gate_open(&n->changed);
}

/* So many calls, and no release yet. */
static inline bool tally_calls(const tally *n, unsigned calls)
{
    return CHECK(atomic_load(&n->calls) == calls) && CHECK(atomic_load(&n->releases) == 0);
}

/* Wait for the release, which has to be the one thing that is left to come. Without it the suite's alarm ends the program. */
static inline bool tally_gone(tally *n, unsigned calls)
{
    gate_wait(&n->changed, calls + 1);
    return CHECK(atomic_load(&n->calls) == calls) && CHECK(atomic_load(&n->releases) == 1);
}

#endif
