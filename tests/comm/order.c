/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of operations: kernels before and behind them, streams that do not disturb each other, groups, graphs, many operations
 * enqueued at once; and that a rank that waits uses no core. Nothing here waits for a stream in between.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <yoke/graph.h>
#include <yoke/memory.h>

#include "../tap/sanitized.h"
#include "ranks.h"

enum { N = 5000, ROUNDS = 60, MANY = 5000, LARGE = 3 << 20 };

static yoke_kernel *saxpy;
static yoke_buffer *x, *y; /* of N floats */

static void fill(ranks *t, yoke_buffer *buffer, float value)
{
    CHECK_OK(yoke_fill(t->stream, buffer, 0, N * sizeof value, &value, sizeof value));
}

/* All N floats are `value`. */
static void holds(ranks *t, yoke_buffer *buffer, float value)
{
    float *got = malloc(N * sizeof *got);
    size_t wrong = 0;
    CHECK_OK(yoke_read(t->stream, got, buffer, 0, N * sizeof *got));
    CHECK_OK(yoke_stream_wait(t->stream));
    for (size_t i = 0; i < N; i++)
        wrong += got[i] != value;
    if (!CHECK(wrong == 0))
        printf("# rank %d: %zu of %d differ from %g; the last is %g\n", t->rank, wrong, N, (double)value, (double)got[N - 1]);
    free(got);
}

/* Each round: a kernel changes what is sent, and a kernel uses what has come. The host does the same with one element. */
static void kernels(ranks *t)
{
    yoke_array ax = yoke_comm_array(x, YOKE_F32, 0, N), ay = yoke_comm_array(y, YOKE_F32, 0, N);
    int next = (t->rank + 1) % t->count, before = (t->rank + t->count - 1) % t->count;
    float *hx = calloc((size_t)t->count, sizeof *hx), *hy = calloc((size_t)t->count, sizeof *hy);
    fill(t, x, (float)(t->rank + 1));
    fill(t, y, 1);
    for (int r = 0; r < t->count; r++) {
        hx[r] = (float)(r + 1);
        hy[r] = 1;
    }
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_OK(yoke_launch_n(t->stream, saxpy, N, YOKE_ARGS(x, y, 0.5f, (int32_t)N)));
        CHECK_OK(yoke_comm_sendrecv(t->stream, t->comm, &ax, before, &ay, next, i));
        if (i % 5 == 0)
            CHECK_OK(yoke_comm_allreduce(t->stream, t->comm, YOKE_REDUCE_MIN, &ay, &ay));
        float first = hy[0] + 0.5f * hx[0], least = first;
        for (int r = 0; r < t->count; r++) {
            hy[r] += 0.5f * hx[r];
            least = hy[r] < least ? hy[r] : least;
        }
        for (int r = 0; r < t->count; r++)
            hx[r] = hy[(r + t->count - 1) % t->count];
        for (int r = 0; r < t->count && i % 5 == 0; r++)
            hy[r] = least;
    }
    holds(t, x, hx[t->rank]);
    holds(t, y, hy[t->rank]);
    free(hx);
    free(hy);
}

/* Rank 0 enqueues what the other ranks do in the other order, in two streams: neither waits for the other. A rank's first stream is
 * held until the host has seen the second one end. */
static void streams(ranks *t)
{
    yoke_stream *second;
    float token = 5;
    CHECK_OK(yoke_stream_create(t->device, NULL, &second));
    CHECK_OK(yoke_comm_add(t->comm, second));
    yoke_array ax = yoke_comm_array(x, YOKE_F32, 0, N), ay = yoke_comm_array(y, YOKE_F32, 0, N);
    fill(t, x, (float)t->rank);
    CHECK_OK(yoke_fill(second, y, 0, N * sizeof token, &token, sizeof token));
    if (t->rank == 0) {
        CHECK_OK(yoke_comm_barrier(t->stream, t->comm)); /* held: the others come later */
        CHECK_OK(yoke_comm_allreduce(second, t->comm, YOKE_REDUCE_SUM, &ay, &ay));
        CHECK_OK(yoke_stream_wait(second));
    } else {
        CHECK_OK(yoke_comm_allreduce(second, t->comm, YOKE_REDUCE_SUM, &ay, &ay));
        CHECK_OK(yoke_stream_wait(second));
        CHECK_OK(yoke_comm_barrier(t->stream, t->comm));
    }
    CHECK_OK(yoke_comm_allreduce(t->stream, t->comm, YOKE_REDUCE_MAX, &ax, &ax));
    holds(t, x, (float)(t->count - 1));
    holds(t, y, 5 * (float)t->count);
    yoke_stream_release(second);
}

/* Buffers come and go, and others take their places. */
static void changing_buffers(ranks *t)
{
    enum { TIMES = 200, SIZES = 5 };
    static const size_t sizes[SIZES] = { 3000, 200000, 3000, 5 << 20, 40000 };
    int next = (t->rank + 1) % t->count, before = (t->rank + t->count - 1) % t->count;
    yoke_buffer *kept = NULL;
    for (int i = 0; i < TIMES; i++) {
        size_t size = sizes[i % SIZES];
        unsigned char sent = (unsigned char)(i * 3 + t->rank), expected = (unsigned char)(i * 3 + before), got[2] = { 0, 0 };
        yoke_buffer *in, *out;
        CHECK_OK(yoke_buffer_create(t->device, size, &in));
        CHECK_OK(yoke_buffer_create(t->device, size, &out));
        yoke_array a = yoke_comm_array(in, YOKE_U8, 0, (int64_t)size), b = yoke_comm_array(out, YOKE_U8, 0, (int64_t)size);
        CHECK_OK(yoke_fill(t->stream, in, 0, size, &sent, 1));
        CHECK_OK(yoke_comm_sendrecv(t->stream, t->comm, &b, before, &a, next, 0));
        CHECK_OK(yoke_read(t->stream, &got[0], out, 0, 1));
        CHECK_OK(yoke_read(t->stream, &got[1], out, size - 1, 1));
        CHECK_OK(yoke_stream_wait(t->stream));
        if (!CHECK(got[0] == expected && got[1] == expected))
            printf("# rank %d: time %d: %d and %d, not %d\n", t->rank, i, got[0], got[1], expected);
        yoke_buffer_release(in);
        yoke_buffer_release(kept);
        kept = out;
        CHECK_OK(yoke_device_trim_memory(t->device, 0));
    }
    yoke_buffer_release(kept);
}

/* Everybody to everybody, twice with the same tag, large and small; and nobody. */
static void groups(ranks *t)
{
    size_t count = 0, part = LARGE / (size_t)t->count / 2;
    yoke_comm_message *messages = calloc(4 * (size_t)t->count + 1, sizeof *messages);
    unsigned char *host = malloc(LARGE);
    yoke_buffer *in, *out;
    CHECK_OK(yoke_buffer_create(t->device, LARGE, &in));
    CHECK_OK(yoke_buffer_create(t->device, LARGE, &out));
    for (size_t i = 0; i < LARGE; i++)
        host[i] = (unsigned char)(i * 7 + i / 251 + 13 * (size_t)t->rank);
    CHECK_OK(yoke_write(t->stream, in, 0, host, LARGE));
    for (int r = 0; r < t->count; r++)
        for (size_t k = 0; k < 2; k++) {
            int64_t first = (int64_t)((2 * (size_t)r + k) * part), length = k ? 17 : (int64_t)part;
            messages[count++] = (yoke_comm_message){ YOKE_COMM_RECEIVE, r, 8, yoke_comm_array(out, YOKE_U8, first, length) };
            messages[count++] = (yoke_comm_message){ YOKE_COMM_SEND, r, 8, yoke_comm_array(in, YOKE_U8, first, length) };
        }
    messages[count++] = (yoke_comm_message){ YOKE_COMM_SEND, YOKE_COMM_NULL, 8, yoke_comm_array(in, YOKE_U8, 0, 1) };
    CHECK_OK(yoke_comm_group(t->stream, t->comm, messages, count));
    CHECK_OK(yoke_comm_group(t->stream, t->comm, NULL, 0));
    CHECK_OK(yoke_read(t->stream, host, out, 0, LARGE));
    CHECK_OK(yoke_stream_wait(t->stream));
    size_t wrong = 0;
    for (int r = 0; r < t->count; r++)
        for (size_t k = 0; k < 2; k++)
            for (size_t i = 0; i < (k ? 17 : part); i++) {
                size_t at = (2 * (size_t)t->rank + k) * part + i;
                wrong += host[(2 * (size_t)r + k) * part + i] != (unsigned char)(at * 7 + at / 251 + 13 * (size_t)r);
            }
    CHECK(wrong == 0);
    yoke_buffer_release(in);
    yoke_buffer_release(out);
    free(messages);
    free(host);
}

/* Messages with the same tag, of more pieces than are on their way at once, and of one: none gets into another. */
static void tags(ranks *t)
{
    enum { LONG = 9 * (1 << 20) + 5, SHORT = 17, ALL = 2 * (LONG + SHORT) };
    int next = (t->rank + 1) % t->count, before = (t->rank + t->count - 1) % t->count;
    yoke_buffer *in, *out;
    yoke_comm_message messages[8];
    unsigned char *host = malloc(ALL);
    size_t wrong = 0;
    CHECK_OK(yoke_buffer_create(t->device, ALL, &in));
    CHECK_OK(yoke_buffer_create(t->device, ALL, &out));
    for (size_t i = 0; i < ALL; i++)
        host[i] = (unsigned char)(i * 5 + i / 253 + 11 * (size_t)t->rank);
    CHECK_OK(yoke_write(t->stream, in, 0, host, ALL));
    for (int64_t k = 0; k < 4; k++) { /* long, short, long, short */
        int64_t first = k / 2 * (LONG + SHORT) + k % 2 * LONG, length = k % 2 ? SHORT : LONG;
        messages[k] = (yoke_comm_message){ YOKE_COMM_SEND, next, 3, yoke_comm_array(in, YOKE_U8, first, length) };
        messages[4 + k] = (yoke_comm_message){ YOKE_COMM_RECEIVE, before, 3, yoke_comm_array(out, YOKE_U8, first, length) };
    }
    CHECK_OK(yoke_comm_group(t->stream, t->comm, messages, 8));
    CHECK_OK(yoke_read(t->stream, host, out, 0, ALL));
    CHECK_OK(yoke_stream_wait(t->stream));
    for (size_t i = 0; i < ALL; i++)
        wrong += host[i] != (unsigned char)(i * 5 + i / 253 + 11 * (size_t)before);
    CHECK(wrong == 0);
    yoke_buffer_release(in);
    yoke_buffer_release(out);
    free(host);
}

/* Messages that MPI takes at once, as it does small ones, are on their way during large collectives, which are messages, too. By
 * NCCL these sends would wait for their receives. */
static void taken_at_once(ranks *t)
{
    enum { ROW = 4096, SMALL = 16, SENDS = 3 };
    static const int32_t sent[SENDS] = { 0, 1, YOKE_COMM_MAX_TAG };
    int64_t all = (int64_t)ROW * t->count, wrong = 0;
    int next = (t->rank + 1) % t->count, before = (t->rank + t->count - 1) % t->count;
    float *host = malloc((size_t)all * sizeof *host), one = 1, two = 2;
    yoke_buffer *in, *out;
    if (t->count == 1 || ranks_way(t) == YOKE_COMM_TRANSPORT_NCCL) {
        free(host);
        return;
    }
    CHECK_OK(yoke_buffer_create(t->device, (size_t)all * sizeof one, &in));
    CHECK_OK(yoke_buffer_create(t->device, (size_t)all * sizeof one, &out));
    yoke_array a = yoke_comm_array(in, YOKE_F32, 0, all), b = yoke_comm_array(out, YOKE_F32, 0, all);
    yoke_array small = yoke_comm_array(x, YOKE_F32, 0, SMALL);
    fill(t, x, 77);
    for (int kind = 0; kind < 2; kind++) {
        CHECK_OK(yoke_fill(t->stream, in, 0, (size_t)all * sizeof one, kind ? &two : &one, sizeof one));
        for (int i = 0; i < SENDS; i++)
            CHECK_OK(yoke_comm_send(t->stream, t->comm, &small, next, sent[i]));
        if (kind == 0)
            CHECK_OK(yoke_comm_allreduce(t->stream, t->comm, YOKE_REDUCE_SUM, &b, &a));
        else
            CHECK_OK(yoke_comm_alltoall(t->stream, t->comm, &b, &a));
        for (int i = 0; i < SENDS; i++)
            CHECK_OK(yoke_comm_receive(t->stream, t->comm, &small, before, sent[i]));
        CHECK_OK(yoke_read(t->stream, host, out, 0, (size_t)all * sizeof one));
        holds(t, x, 77);
        for (int64_t i = 0; i < all; i++)
            wrong += host[i] != (kind ? two : (float)t->count);
    }
    CHECK(wrong == 0);
    yoke_buffer_release(in);
    yoke_buffer_release(out);
    free(host);
}

/* Operations that are recorded, launched several times. */
static void graphs(ranks *t)
{
    yoke_graph *graph;
    yoke_array ax = yoke_comm_array(x, YOKE_F32, 0, N);
    float expected = 1;
    fill(t, x, 1);
    fill(t, y, 1);
    CHECK_OK(yoke_graph_create(t->device, "step", &graph));
    CHECK_OK(yoke_graph_begin(graph, t->stream));
    CHECK_OK(yoke_launch_n(t->stream, saxpy, N, YOKE_ARGS(y, x, 1.0f, (int32_t)N)));
    CHECK_OK(yoke_comm_allreduce(t->stream, t->comm, YOKE_REDUCE_SUM, &ax, &ax));
    CHECK_OK(yoke_graph_end(graph));
    for (int i = 0; i < 4; i++) {
        CHECK_OK(yoke_graph_launch(t->stream, graph));
        expected = (expected + 1) * (float)t->count;
    }
    holds(t, x, expected);
    yoke_graph_release(graph);
}

static double milliseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* As many as a program may enqueue before it waits: twice, and the second time takes no more memory. */
static void many(ranks *t)
{
    yoke_array one = yoke_comm_array(x, YOKE_F32, 0, 1);
    long grown[2];
    for (int k = 0; k < 2; k++) {
        struct rusage usage;
        fill(t, x, 1);
        for (int i = 0; i < MANY; i++)
            CHECK_OK(yoke_comm_allreduce(t->stream, t->comm, YOKE_REDUCE_MAX, &one, &one));
        CHECK_OK(yoke_stream_wait(t->stream));
        getrusage(RUSAGE_SELF, &usage);
        grown[k] = usage.ru_maxrss;
    }
    CHECK(SANITIZED || grown[1] - grown[0] < 2048); /* KiB; a sanitizer keeps what has been freed */
    holds(t, x, 1);
}

/* Until the process uses no core. NVIDIA's OpenCL (580) has a thread that is busy for up to 10 s after thousands of commands. */
static void become_quiet(void)
{
    struct timespec moment = { 0, 100000000 };
    double used = 100, before = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < 150 && used > 10; i++) {
        nanosleep(&moment, NULL);
        used = milliseconds(CLOCK_PROCESS_CPUTIME_ID) - before;
        before += used;
    }
}

/* Rank 0 comes late; the others wait for it in their streams, and their process uses a small part of a core. On a busy machine they
 * may be late as well, and wait for nothing: then once more. */
static void idle(ranks *t)
{
    enum { TRIES = 10, LATE = 1000 }; /* milliseconds */
    struct timespec late = { LATE / 1000, 0 };
    double used = 0, waited = 0, least = 0;
    CHECK_OK(yoke_stream_wait(t->stream));
    become_quiet();
    for (int i = 0; i < TRIES && least < LATE / 2; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double before = milliseconds(CLOCK_PROCESS_CPUTIME_ID), start = milliseconds(CLOCK_MONOTONIC);
        if (t->rank == 0)
            nanosleep(&late, NULL);
        CHECK_OK(yoke_comm_barrier(t->stream, t->comm));
        CHECK_OK(yoke_stream_wait(t->stream));
        used = milliseconds(CLOCK_PROCESS_CPUTIME_ID) - before;
        waited = milliseconds(CLOCK_MONOTONIC) - start;
        MPI_Allreduce(&waited, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    if (!CHECK(used < waited / 5))
        printf("# rank %d: %.0f ms of a core in %.0f ms\n", t->rank, used, waited);
}

int main(int argc, char **argv)
{
    ranks t;
    yoke_source source;
    yoke_program *program;
    ranks_start(&t, &argc, &argv, 120);
    CHECK_OK(yoke_source_builtin("saxpy", &source));
    CHECK_OK(yoke_program_build(t.device, &source, &program));
    CHECK_OK(yoke_kernel_get(program, "saxpy", &saxpy));
    CHECK_OK(yoke_buffer_create(t.device, N * sizeof(float), &x));
    CHECK_OK(yoke_buffer_create(t.device, N * sizeof(float), &y));
    kernels(&t);
    ranks_case(&t, "kernels before and behind messages and reductions");
    streams(&t);
    ranks_case(&t, "two streams at once");
    changing_buffers(&t);
    ranks_case(&t, "buffers that come and go");
    groups(&t);
    ranks_case(&t, "groups");
    tags(&t);
    ranks_case(&t, "messages with the same tag");
    taken_at_once(&t);
    ranks_case(&t, "messages that are taken at once, and collectives behind them");
    graphs(&t);
    ranks_case(&t, "operations in a graph");
    many(&t);
    ranks_case(&t, "%d operations at once", MANY);
    idle(&t);
    ranks_case(&t, "a rank that waits uses no core");
    yoke_buffer_release(x);
    yoke_buffer_release(y);
    yoke_program_release(program);
    return ranks_end(&t);
}
