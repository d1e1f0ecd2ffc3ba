/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for what is on its way: how much of it an operation takes at most, and what happens when there is none. This program has
 * a yoke_buffer_create_pinned of its own, which the linker finds first: it counts, and fails on order. The first argument is a
 * scene:
 *
 *   limit       large groups and collectives with the least YOKE_COMM_PINNED: right results, and no more memory than that
 *   failed      a stream that has failed and is added again gives back what it had
 *   exhausted   memory runs out at one rank, in each of the places where it can
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../faults/inject.h"
#include "../tap/tap.h"
#include "ranks.h"

enum { PIECE = 1 << 20, LEAST = 2, N = 1000, LARGE = 5 * PIECE / 2, MOST_FAULTS = 200 };

/* ---- Pinned memory ---- */

static atomic_int pinned, fails_at; /* how many were made; the one that fails */
static atomic_int living;           /* how many there are */

__attribute__((visibility("default"))) yoke_status yoke_buffer_create_pinned(yoke_device *device, size_t size, yoke_buffer **out)
{
    yoke_status (*real)(yoke_device *, size_t, yoke_buffer **);
    *(void **)&real = dlsym(RTLD_NEXT, "yoke_buffer_create_pinned");
    if (atomic_fetch_add(&pinned, 1) + 1 == atomic_load(&fails_at)) {
        *out = NULL;
        return yoke_fail(YOKE_E_OUT_OF_HOST_MEMORY, "the host has no %zu bytes left to lock", size);
    }
    yoke_status status = real(device, size, out);
    atomic_fetch_add(&living, status == YOKE_OK);
    return status;
}

__attribute__((visibility("default"))) void yoke_buffer_release(yoke_buffer *buffer)
{
    void (*real)(yoke_buffer *);
    *(void **)&real = dlsym(RTLD_NEXT, "yoke_buffer_release");
    if (buffer && yoke_buffer_get_kind(buffer) == YOKE_MEMORY_PINNED)
        atomic_fetch_sub(&living, 1);
    real(buffer);
}

/* ---- A stream and a communicator for one case ---- */

typedef struct stage {
    yoke_stream *stream;
    yoke_comm *comm;
    yoke_buffer *in, *out; /* of `size` bytes */
    size_t size;
} stage;

static unsigned char value(int rank, size_t i)
{
    return (unsigned char)(i * 7 + i / 251 + 13 * (size_t)rank);
}

static void stage_open(ranks *t, stage *s, size_t size)
{
    MPI_Comm world = MPI_COMM_WORLD;
    unsigned char *host = malloc(size);
    *s = (stage){ .size = size };
    CHECK_OK(yoke_stream_create(t->device, NULL, &s->stream));
    CHECK_OK(yoke_comm_create(t->device, &world, &s->comm));
    CHECK_OK(yoke_comm_add(s->comm, s->stream));
    CHECK_OK(yoke_buffer_create(t->device, size, &s->in));
    CHECK_OK(yoke_buffer_create(t->device, size, &s->out));
    for (size_t i = 0; i < size; i++)
        host[i] = value(t->rank, i);
    CHECK_OK(yoke_write_sync(s->stream, s->in, 0, host, size));
    CHECK_OK(yoke_fill(s->stream, s->out, 0, size, "", 1));
    CHECK_OK(yoke_stream_wait(s->stream));
    free(host);
    atomic_store(&pinned, 0);
}

static void stage_close(stage *s)
{
    yoke_comm_release(s->comm);
    yoke_buffer_release(s->in);
    yoke_buffer_release(s->out);
    yoke_stream_release(s->stream);
}

/* `size` bytes of `out` are those of a rank's `in` from byte `from` on. */
static bool has_come(stage *s, size_t at, int rank, size_t from, size_t size)
{
    unsigned char *got = malloc(size);
    bool right = CHECK_OK(yoke_read_sync(s->stream, got, s->out, at, size));
    for (size_t i = 0; i < size && right; i++)
        right = got[i] == value(rank, from + i);
    free(got);
    return right;
}

static yoke_comm_message message(int32_t direction, int peer, int tag, yoke_buffer *buffer, size_t at, size_t size)
{
    return (yoke_comm_message){ direction, peer, tag, yoke_comm_array(buffer, YOKE_U8, (int64_t)at, (int64_t)size) };
}

/* ---- The limit ---- */

/* Everybody to everybody, several messages each: of more than two pieces, of one byte, and behind each other with one tag. */
static void everybody(ranks *t)
{
    enum { KINDS = 3 };
    static const size_t sizes[KINDS] = { LARGE, 1, 2 * PIECE };
    size_t count = 0, each = LARGE + 1 + 2 * PIECE, all = (size_t)t->count;
    yoke_comm_message *messages = calloc(2 * KINDS * all, sizeof *messages);
    stage s;
    stage_open(t, &s, each * all);
    for (int r = 0; r < t->count; r++) {
        size_t at = each * (size_t)r;
        for (int k = 0; k < KINDS; at += sizes[k++]) {
            messages[count++] = message(YOKE_COMM_SEND, r, k / 2, s.in, at, sizes[k]);
            messages[count++] = message(YOKE_COMM_RECEIVE, r, k / 2, s.out, at, sizes[k]);
        }
    }
    for (int i = 0; i < 2; i++)
        CHECK_OK(yoke_comm_group(s.stream, s.comm, messages, count));
    CHECK_OK(yoke_stream_wait(s.stream));
    for (int r = 0; r < t->count; r++)
        CHECK(has_come(&s, each * (size_t)r, r, each * (size_t)t->rank, each));
    if (!CHECK(atomic_load(&pinned) <= LEAST))
        tap_diag("rank %d: %d blocks for %zu messages", t->rank, atomic_load(&pinned), count);
    free(messages);
    stage_close(&s);
    ranks_case(t, "a group of %zu messages takes %d MiB at most", count, LEAST);
}

/* Rank 0 sends in a group what rank 1 receives after it has heard of rank 2, and that one after it has received from the same
 * group: whoever is late keeps nobody from his turn. And the other way round. */
static void late(ranks *t, int32_t direction)
{
    enum { TO_ONE = 3 };
    yoke_comm_message messages[TO_ONE + 1];
    stage s;
    stage_open(t, &s, (TO_ONE + 1) * LARGE);
    yoke_buffer *mine = direction == YOKE_COMM_SEND ? s.in : s.out, *theirs = direction == YOKE_COMM_SEND ? s.out : s.in;
    int32_t back = direction == YOKE_COMM_SEND ? YOKE_COMM_RECEIVE : YOKE_COMM_SEND;
    yoke_array token = yoke_comm_array(theirs, YOKE_U8, 0, 1);
    for (int i = 0; i <= TO_ONE; i++)
        messages[i] = t->rank == 0 ? message(direction, i < TO_ONE ? 1 : 2, i, mine, (size_t)i * LARGE, LARGE)
                                   : message(back, 0, i, theirs, (size_t)i * LARGE, LARGE);
    if (t->rank == 0)
        CHECK_OK(yoke_comm_group(s.stream, s.comm, messages, TO_ONE + 1));
    if (t->rank == 2)
        CHECK_OK(yoke_comm_group(s.stream, s.comm, messages + TO_ONE, 1));
    if (t->rank == 2)
        CHECK_OK(yoke_comm_send(s.stream, s.comm, &token, 1, 9));
    if (t->rank == 1)
        CHECK_OK(yoke_comm_receive(s.stream, s.comm, &token, 2, 9));
    if (t->rank == 1)
        CHECK_OK(yoke_comm_group(s.stream, s.comm, messages, TO_ONE));
    CHECK_OK(yoke_stream_wait(s.stream));
    CHECK(atomic_load(&pinned) <= LEAST);
    for (int i = 0; i <= TO_ONE; i++)
        if (back == YOKE_COMM_SEND && t->rank == 0)
            CHECK(has_come(&s, (size_t)i * LARGE + 1, i < TO_ONE ? 1 : 2, (size_t)i * LARGE + 1, LARGE - 1));
        else if (back == YOKE_COMM_RECEIVE && t->rank == (i < TO_ONE ? 1 : 2))
            CHECK(has_come(&s, (size_t)i * LARGE + 1, 0, (size_t)i * LARGE + 1, LARGE - 1));
    stage_close(&s);
    ranks_case(t, "a rank that is late keeps no other from its turn to %s", direction == YOKE_COMM_SEND ? "receive" : "send");
}

static void collectives(ranks *t)
{
    stage s;
    size_t all = (size_t)t->count;
    stage_open(t, &s, LARGE * all);
    yoke_array in = yoke_comm_array(s.in, YOKE_U8, 0, (int64_t)s.size), out = yoke_comm_array(s.out, YOKE_U8, 0, (int64_t)s.size);
    CHECK_OK(yoke_comm_alltoall(s.stream, s.comm, &out, &in));
    CHECK_OK(
        yoke_comm_allreduce(s.stream, s.comm, YOKE_REDUCE_MAX, &out, &out)); /* in place: of all kinds of memory copies are made */
    CHECK_OK(yoke_comm_alltoall(s.stream, s.comm, &out, &in));
    CHECK_OK(yoke_stream_wait(s.stream));
    for (int r = 0; r < t->count; r++)
        CHECK(has_come(&s, LARGE * (size_t)r, r, LARGE * (size_t)t->rank, LARGE));
    CHECK(atomic_load(&pinned) <= LEAST && atomic_load(&pinned) > 0);
    stage_close(&s);
    ranks_case(t, "an all-to-all takes %d MiB at most", LEAST);
}

/* Mapped memory is given to MPI as it is. */
static void mapped(ranks *t)
{
    int next = (t->rank + 1) % t->count, before = (t->rank + t->count - 1) % t->count;
    size_t size = LARGE * (size_t)t->count;
    stage s;
    const char *why = yoke_device_lacks(t->device, YOKE_CAP_MAPPED);
    if (why) {
        if (t->rank == 0)
            tap_skip("no mapped memory: %s", why);
        return;
    }
    stage_open(t, &s, 1);
    yoke_buffer_release(s.in);
    yoke_buffer_release(s.out);
    s.in = s.out = NULL;
    CHECK_OK(yoke_buffer_create_in(t->device, YOKE_MEMORY_MAPPED, size, &s.in));
    CHECK_OK(yoke_buffer_create_in(t->device, YOKE_MEMORY_MAPPED, size, &s.out));
    unsigned char *host = yoke_buffer_get_host(s.in);
    for (size_t i = 0; i < size; i++)
        host[i] = value(t->rank, i);
    memset(yoke_buffer_get_host(s.out), 0, size);
    atomic_store(&pinned, 0);
    s.size = size;
    yoke_array in = yoke_comm_array(s.in, YOKE_U8, 0, (int64_t)size), out = yoke_comm_array(s.out, YOKE_U8, 0, (int64_t)size);
    CHECK_OK(yoke_comm_alltoall(s.stream, s.comm, &out, &in));
    CHECK_OK(yoke_stream_wait(s.stream));
    for (int r = 0; r < t->count; r++)
        CHECK(has_come(&s, LARGE * (size_t)r, r, LARGE * (size_t)t->rank, LARGE));
    CHECK_OK(yoke_fill(s.stream, s.out, 0, size, "", 1));
    CHECK_OK(yoke_comm_sendrecv(s.stream, s.comm, &out, before, &in, next, 0));
    CHECK_OK(yoke_stream_wait(s.stream));
    CHECK(has_come(&s, 0, before, 0, size));
    CHECK(atomic_load(&pinned) == 0);
    stage_close(&s);
    ranks_case(t, "mapped memory is given to MPI without copies");
}

/* ---- After a failure ---- */

static yoke_status complain(yoke_status status, void *user)
{
    (void)user;
    return status < 0 ? status : yoke_fail(-77, "the disk is full");
}

/* Of all kinds of memory, an allreduce in place makes copies. Those that wait for the bad rank are given up. */
static void failed(ranks *t)
{
    enum { TIMES = 3 };
    stage s;
    stage_open(t, &s, LARGE);
    yoke_array array = yoke_comm_array(s.in, YOKE_U8, 0, LARGE);
    int before = atomic_load(&living);
    for (int i = 0; i < TIMES; i++) {
        CHECK_OK(yoke_comm_allreduce(s.stream, s.comm, YOKE_REDUCE_MAX, &array, &array));
        CHECK_OK(yoke_stream_wait(s.stream));
        CHECK(atomic_load(&living) > before);
        MPI_Barrier(MPI_COMM_WORLD); /* a failure would overtake the operation at ranks that wait still */
        if (t->rank == i % t->count)
            CHECK_OK(yoke_host_call(s.stream, complain, NULL, NULL));
        (void)yoke_comm_allreduce(s.stream, s.comm, YOKE_REDUCE_MAX, &array, &array);
        CHECK(yoke_stream_wait(s.stream) < 0);
        CHECK_OK(yoke_stream_recover(s.stream));
        CHECK_OK(yoke_comm_add(s.comm, s.stream));
        if (!CHECK(atomic_load(&living) == before))
            tap_diag("rank %d: %d blocks are left after failure %d", t->rank, atomic_load(&living) - before, i);
    }
    stage_close(&s);
    CHECK(atomic_load(&living) == before);
    ranks_case(t, "a stream that has failed keeps no memory for pieces");
}

/* ---- No memory ---- */

enum { EXCHANGE, GROUP, IN_PLACE, ALLTOALL, OPERATIONS };
static const char *const names[] = { "an exchange", "a group", "an allreduce in place", "an all-to-all" };

static yoke_status enqueue(ranks *t, stage *s, int operation)
{
    int next = (t->rank + 1) % t->count, before = (t->rank + t->count - 1) % t->count;
    int64_t size = (int64_t)s->size;
    yoke_array in = yoke_comm_array(s->in, YOKE_U8, 0, size), out = yoke_comm_array(s->out, YOKE_U8, 0, size);
    yoke_comm_message messages[] = { { YOKE_COMM_SEND, next, 0, in }, { YOKE_COMM_RECEIVE, before, 0, out } };
    switch (operation) {
    case EXCHANGE:
        return yoke_comm_sendrecv(s->stream, s->comm, &out, before, &in, next, 0);
    case GROUP:
        return yoke_comm_group(s->stream, s->comm, messages, 2);
    case IN_PLACE:
        return yoke_comm_allreduce(s->stream, s->comm, YOKE_REDUCE_MAX, &in, &in);
    default:
        return yoke_comm_alltoall(s->stream, s->comm, &out, &in);
    }
}

/* Where one fails, all fail: the bad rank with what it lacks and where, the others with its name and the same. Who was through
 * already, since MPI had taken its short message for the bad rank, fails at its next operation. */
static void judge(ranks *t, stage *s, int operation, int bad, yoke_status status, const char *lack)
{
    char words[100];
    int mine = status == YOKE_OK, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all == t->count)
        return;
    if (mine && CHECK(t->rank != bad)) {
        CHECK_OK(enqueue(t, s, operation));
        status = yoke_stream_wait(s->stream);
    }
    snprintf(words, sizeof words, "yoke_comm_|rank %d|%s", bad, lack);
    if (t->rank == bad)
        CHECK_FAILS(YOKE_E_OUT_OF_HOST_MEMORY, lack, status);
    else
        CHECK_FAILS(YOKE_E_HOST_FUNCTION, words, status);
    CHECK(strstr(yoke_error()->where, "memory.c:") || strstr(yoke_error()->text, "memory.c:"));
}

/* Pinned memory: each block fails in turn, until there are enough. */
static void no_blocks(ranks *t, int operation)
{
    int bad = t->count - 1, failed = 1, times = 0;
    for (int nth = 1; failed && nth < MOST_FAULTS; nth++) {
        stage s;
        stage_open(t, &s, (size_t)t->count * LARGE);
        atomic_store(&fails_at, t->rank == bad ? nth : 0);
        CHECK_OK(enqueue(t, &s, operation));
        yoke_status status = yoke_stream_wait(s.stream);
        atomic_store(&fails_at, 0);
        judge(t, &s, operation, bad, status, "no 1048640 bytes left to lock");
        failed = atomic_load(&pinned) >= nth;
        MPI_Bcast(&failed, 1, MPI_INT, bad, MPI_COMM_WORLD);
        CHECK(!failed || status < 0 || t->rank != bad);
        times += failed;
        stage_close(&s);
    }
    CHECK(times > 0 || operation != IN_PLACE);
    ranks_case(t, "no pinned memory for a piece of %s", names[operation]);
}

/* malloc and its kin, as the library calls them: each fails in turn. A call that is refused works when it is made again. */
static void no_host_memory(ranks *t, int operation, const char *library)
{
    int bad = t->count - 1, failed = 1, times = 0;
    for (unsigned nth = 1; failed && nth < MOST_FAULTS; nth++) {
        stage s;
        stage_open(t, &s, (size_t)t->count * N);
        if (t->rank == bad)
            inject_arm(nth);
        yoke_status status = enqueue(t, &s, operation);
        if (status == YOKE_E_OUT_OF_HOST_MEMORY && yoke_error()->text[0])
            status = enqueue(t, &s, operation);
        CHECK_OK(status);
        status = yoke_stream_wait(s.stream);
        if (status == YOKE_E_OUT_OF_HOST_MEMORY && t->rank == bad)
            status = yoke_stream_wait(s.stream); /* the wait itself may have been refused */
        inject_disarm();
        judge(t, &s, operation, bad, status, "memory");
        failed = inject_happened();
        MPI_Bcast(&failed, 1, MPI_INT, bad, MPI_COMM_WORLD);
        times += failed;
        stage_close(&s);
    }
    CHECK(times > 0);
    ranks_case(t, "no memory in %s during %s: %d times", library, names[operation], times);
}

int main(int argc, char **argv)
{
    static const char *const libraries[] = { "libyoke-comm", "libyoke" };
    ranks t;
    ranks_start(&t, &argc, &argv, 150);
    if (argc > 1 && strcmp(argv[1], "limit") == 0) {
        everybody(&t);
        collectives(&t);
        mapped(&t);
        if (t.count > 2)
            late(&t, YOKE_COMM_SEND);
        if (t.count > 2)
            late(&t, YOKE_COMM_RECEIVE);
        return ranks_end(&t);
    }
    if (argc > 1 && strcmp(argv[1], "failed") == 0) {
        failed(&t);
        return ranks_end(&t);
    }
    for (int operation = 0; operation < OPERATIONS; operation++)
        no_blocks(&t, operation);
    for (size_t i = 0; i < 2; i++) {
        const char *why = inject_into(libraries[i]);
        for (int operation = 0; operation < OPERATIONS && !why; operation++)
            no_host_memory(&t, operation, libraries[i]);
        if (why && t.rank == 0)
            tap_skip("no memory in %s: %s", libraries[i], why);
    }
    return ranks_end(&t);
}
