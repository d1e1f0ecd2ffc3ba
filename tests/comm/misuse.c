/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bad input: each call is refused with a text that says what is wrong, nothing is enqueued, and everything goes on working. The
 * first argument is a scene: "calls", or one of those about starting, which have programs of their own: "early", "single",
 * "orders".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../tap/tap.h"
#include "ranks.h"

enum { N = 100, INVALID = YOKE_E_INVALID_ARGUMENT };

static yoke_buffer *buffer;

static yoke_array part(int32_t dtype, int64_t first, int64_t count)
{
    return yoke_comm_array(buffer, dtype, first, count);
}

static void arrays(ranks *t)
{
    yoke_stream *s = t->stream;
    yoke_comm *c = t->comm;
    yoke_buffer *pinned, *view;
    yoke_array good = part(YOKE_F32, 0, N), bad = good;
    CHECK_OK(yoke_buffer_create_pinned(t->device, 400, &pinned));
    CHECK_OK(yoke_buffer_create_const_view(buffer, 0, 400, &view));

    CHECK_FAILS(INVALID, "yoke_comm_send|array is NULL", yoke_comm_send(s, c, NULL, 0, 0));
    CHECK_FAILS(INVALID, "in is NULL", yoke_comm_allreduce(s, c, YOKE_REDUCE_SUM, &good, NULL));
    CHECK_FAILS(INVALID, "out is NULL", yoke_comm_allgather(s, c, NULL, &good));
    CHECK_FAILS(INVALID, "yoke_comm_broadcast: array is NULL", yoke_comm_broadcast(s, c, NULL, 0));
    bad.dtype = 99;
    CHECK_FAILS(INVALID, "not an array|99", yoke_comm_send(s, c, &bad, 0, 0));
    bad = good;
    bad.dimensions = 9;
    CHECK_FAILS(INVALID, "9 dimensions", yoke_comm_send(s, c, &bad, 0, 0));
    bad = good;
    bad.shape[0] = -1;
    CHECK_FAILS(INVALID, "-1 elements", yoke_comm_send(s, c, &bad, 0, 0));
    bad = good;
    bad.strides[0] = 2;
    CHECK_FAILS(INVALID, "not contiguous|2 apart|yoke_assign", yoke_comm_send(s, c, &bad, 0, 0));
    bad.shape[0] = INT64_MAX;
    bad.strides[0] = 1;
    CHECK_FAILS(YOKE_E_RANGE, "more elements", yoke_comm_send(s, c, &bad, 0, 0));
    bad = part(YOKE_F32, -1, 4);
    CHECK_FAILS(INVALID, "not an array", yoke_comm_send(s, c, &bad, 0, 0));
    bad = part(YOKE_F64, INT64_C(1) << 61, 4); /* its offset would be 0 */
    CHECK_FAILS(INVALID, "not an array", yoke_comm_send(s, c, &bad, 0, 0));
    bad = good;
    bad.offset = 6;
    CHECK_FAILS(INVALID, "array begins 6 bytes|multiple of the 4 bytes of float", yoke_comm_send(s, c, &bad, 0, 0));
    CHECK_FAILS(INVALID, "array begins 6 bytes", yoke_comm_receive(s, c, &bad, 0, 0));
    bad = part(YOKE_F32, 8 * N, 8 * N + 1);
    CHECK_FAILS(YOKE_E_RANGE, "past the end|801 elements of float|byte 3200|6400", yoke_comm_send(s, c, &bad, 0, 0));
    bad = good;
    bad.flags = 1;
    CHECK_FAILS(INVALID, "the flags 0x1|reserved", yoke_comm_broadcast(s, c, &bad, 0));
    bad = good;
    bad.buffer = NULL;
    CHECK_FAILS(INVALID, "buffer of array is NULL", yoke_comm_send(s, c, &bad, 0, 0));
    bad.buffer = pinned;
    CHECK_FAILS(INVALID, "pinned", yoke_comm_send(s, c, &bad, 0, 0));
    bad.buffer = view;
    CHECK_FAILS(INVALID, "read-only", yoke_comm_receive(s, c, &bad, 0, 0));
    CHECK_FAILS(INVALID, "read-only", yoke_comm_allreduce(s, c, YOKE_REDUCE_SUM, &bad, &good));
    yoke_buffer_release(pinned);
    yoke_buffer_release(view);
    ranks_case(t, "arrays that are none, or lie elsewhere");
}

static void numbers(ranks *t)
{
    yoke_stream *s = t->stream;
    yoke_comm *c = t->comm;
    yoke_array a = part(YOKE_F32, 0, N), b = part(YOKE_F32, N, N), odd = part(YOKE_F32, 0, N + 1), whole = part(YOKE_F32, 4 * N, N);
    yoke_array wide = part(YOKE_F64, 4 * N, N), complex_array = part(YOKE_C64, 0, N), truth = part(YOKE_BOOL, 0, N);

    CHECK_FAILS(INVALID, "the peer is rank 7", yoke_comm_send(s, c, &a, 7, 0));
    CHECK_FAILS(INVALID, "the peer is rank -2", yoke_comm_receive(s, c, &a, -2, 0));
    CHECK_FAILS(INVALID, "the root is rank -1", yoke_comm_broadcast(s, c, &a, -1));
    CHECK_FAILS(INVALID, "tag is -1|32765", yoke_comm_send(s, c, &a, 0, -1));
    CHECK_FAILS(INVALID, "tag is 32766", yoke_comm_sendrecv(s, c, &a, 0, &b, 0, 32766));
    CHECK_FAILS(INVALID, "no reduction 0", yoke_comm_allreduce(s, c, 0, &b, &a));
    CHECK_FAILS(INVALID, "no reduction 8", yoke_comm_reduce(s, c, 8, &b, &a, 0));
    CHECK_FAILS(INVALID, "float32 has no reduction 12", yoke_comm_allreduce(s, c, YOKE_REDUCE_AND, &a, &a));
    CHECK_FAILS(INVALID, "no reduction 5 between ranks|YOKE_REDUCE_SUM, _PRODUCT",
                yoke_comm_allreduce(s, c, YOKE_REDUCE_ANY, &a, &a));
    CHECK_FAILS(INVALID, "no reduction 11 between ranks", yoke_comm_reduce(s, c, YOKE_REDUCE_NORM, &a, &a, 0));
    CHECK_FAILS(INVALID, "no reduction 9 between ranks", yoke_comm_reduce_scatter(s, c, YOKE_REDUCE_MEAN, &a, &a));
    CHECK_FAILS(INVALID, "complex64 has no", yoke_comm_allreduce(s, c, YOKE_REDUCE_MAX, &complex_array, &complex_array));
    CHECK_FAILS(INVALID, "bool has no", yoke_comm_allreduce(s, c, YOKE_REDUCE_SUM, &truth, &truth));
    CHECK_FAILS(INVALID, "out is of float64|in is of float", yoke_comm_allreduce(s, c, YOKE_REDUCE_SUM, &wide, &a));
    CHECK_FAILS(INVALID, "do not fit|100|101", yoke_comm_allreduce(s, c, YOKE_REDUCE_SUM, &whole, &odd));
    CHECK_FAILS(INVALID, "overlap|in place",
                yoke_comm_allreduce(s, c, YOKE_REDUCE_SUM, &a, &(yoke_array){ buffer, 4, YOKE_F32, 1, { N }, { 1 }, 0 }));
    CHECK_FAILS(INVALID, "out and in overlap", yoke_comm_sendrecv(s, c, &a, 0, &a, 0, 0));
    if (t->count == 2)
        CHECK_FAILS(INVALID, "101 elements|2 ranks", yoke_comm_alltoall(s, c, &odd, &odd));
    yoke_comm_message messages[] = { { YOKE_COMM_RECEIVE, 0, 0, a }, { YOKE_COMM_SEND, 0, 0, a }, { 3, 0, 0, b } };
    CHECK_FAILS(INVALID, "message 0|message 1", yoke_comm_group(s, c, messages, 2));
    CHECK_FAILS(INVALID, "direction of message 2 is 3", yoke_comm_group(s, c, messages, 3));
    CHECK_FAILS(INVALID, "messages is NULL", yoke_comm_group(s, c, NULL, 1));
    ranks_case(t, "numbers out of range, and what does not fit together");
}

static void handles(ranks *t)
{
    MPI_Comm null = MPI_COMM_NULL, world = MPI_COMM_WORLD;
    yoke_stream *foreign;
    yoke_comm *other = NULL;
    yoke_comm_info info = YOKE_COMM_INFO_INIT;
    yoke_array a = part(YOKE_F32, 0, N);

    CHECK_OK(yoke_stream_create(t->device, NULL, &foreign));
    CHECK_FAILS(INVALID, "stream is NULL", yoke_comm_barrier(NULL, t->comm));
    CHECK_FAILS(INVALID, "comm is NULL", yoke_comm_barrier(t->stream, NULL));
    CHECK_FAILS(INVALID, "not been added|yoke_comm_add", yoke_comm_send(foreign, t->comm, &a, 0, 0));
    CHECK_FAILS(INVALID, "yoke_comm_add", yoke_comm_add(t->comm, NULL));
    CHECK_FAILS(INVALID, "yoke_comm_add", yoke_comm_add(NULL, t->stream));
    CHECK_FAILS(INVALID, "mpi_comm is NULL", yoke_comm_create(t->device, NULL, &other));
    CHECK_FAILS(INVALID, "MPI_COMM_NULL", yoke_comm_create(t->device, &null, &other));
    CHECK_FAILS(INVALID, "out_comm is NULL", yoke_comm_create(t->device, &world, NULL));
    CHECK_FAILS(INVALID, "out_device is NULL", yoke_comm_open_device(&world, NULL));
    if (t->rank == 0) /* one rank without a device: all of them fail */
        CHECK_FAILS(INVALID, "yoke_comm_create: device is NULL", yoke_comm_create(NULL, &world, &other));
    else
        CHECK_FAILS(YOKE_E_UNAVAILABLE, "rank 0|its own record", yoke_comm_create(t->device, &world, &other));
    CHECK(!other);
    CHECK_FAILS(INVALID, "yoke_comm_get_info", yoke_comm_get_info(t->comm, NULL));
    CHECK_OK(yoke_comm_get_info(t->comm, &info));
    CHECK(yoke_comm_get_device(t->comm) == t->device && !yoke_comm_get_device(NULL));
    yoke_comm_info zero = { .size = 0 }, older = { .size = offsetof(yoke_comm_info, ranks), .ranks = 77 };
    CHECK_OK(yoke_comm_get_info(t->comm, &zero));
    CHECK(zero.size == 0 && zero.ranks == t->count && zero.nccl_bytes == info.nccl_bytes && strcmp(zero.mpi, info.mpi) == 0);
    CHECK_OK(yoke_comm_get_info(t->comm, &older));
    CHECK(older.rank == t->rank && older.ranks == 77 && older.size == offsetof(yoke_comm_info, ranks));
    CHECK(info.rank == t->rank && info.ranks == t->count && info.local_rank == t->rank && info.local_ranks == t->count);
    CHECK(info.sharing >= 1 && info.sharing <= t->count && info.reason[0] && info.mpi[0]);
    CHECK(info.transport == YOKE_COMM_TRANSPORT_STAGED || (info.transport == YOKE_COMM_TRANSPORT_NCCL && info.sharing == 1));
    CHECK(yoke_comm_retain(NULL) == NULL);
    yoke_comm_release(NULL);
    yoke_stream_release(foreign);
    ranks_case(t, "handles that are none, and the description");
}

typedef struct adding {
    yoke_comm *comm;
    yoke_stream *stream;
    yoke_status status;
} adding;

static void *add(void *user)
{
    adding *a = user;
    a->status = yoke_comm_add(a->comm, a->stream);
    return NULL;
}

/* An operation in a stream that another thread is adding: the other ranks have not come yet. */
static void early_operation(ranks *t)
{
    const struct timespec pause = { 0, 1000000 };
    adding a = { .comm = t->comm, .status = YOKE_OK };
    pthread_t thread;
    CHECK_OK(yoke_stream_create(t->device, NULL, &a.stream));
    if (t->rank == 0 && t->count > 1) {
        CHECK(pthread_create(&thread, NULL, add, &a) == 0);
        while (yoke_comm_barrier(a.stream, t->comm) == INVALID && strstr(yoke_error()->text, "not been added"))
            nanosleep(&pause, NULL);
        CHECK_FAILS(INVALID, "yoke_comm_barrier|still under way|yoke_comm_add", yoke_comm_barrier(a.stream, t->comm));
        MPI_Barrier(MPI_COMM_WORLD);
        pthread_join(thread, NULL);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        add(&a);
    }
    CHECK(a.status == YOKE_OK);
    CHECK_OK(yoke_comm_barrier(a.stream, t->comm));
    CHECK_OK(yoke_stream_wait(a.stream));
    yoke_stream_release(a.stream);
    ranks_case(t, "an operation in a stream that is being added");
}

static bool is_refused(yoke_status status)
{
    return status == YOKE_E_FORKED && strstr(yoke_error()->text, "forked");
}

/* A forked child is no rank; MPI would stand still there, or take the parent's messages. */
static void forked(ranks *t)
{
    MPI_Comm world = MPI_COMM_WORLD;
    yoke_device *device;
    yoke_comm *other;
    yoke_comm_info info = YOKE_COMM_INFO_INIT;
    yoke_array a = part(YOKE_F32, 0, N);
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(300);
        bool refused = is_refused(yoke_comm_open_device(&world, &device)) &&
                       is_refused(yoke_comm_create(t->device, &world, &other)) && is_refused(yoke_comm_add(t->comm, t->stream)) &&
                       is_refused(yoke_comm_send(t->stream, t->comm, &a, 0, 0)) &&
                       is_refused(yoke_comm_allreduce(t->stream, t->comm, YOKE_REDUCE_SUM, &a, &a)) &&
                       is_refused(yoke_comm_barrier(t->stream, t->comm)) && is_refused(yoke_comm_get_info(t->comm, &info));
        yoke_comm_release(t->comm); /* the last reference */
        _exit(refused ? 0 : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    ranks_case(t, "a forked child");
}

/* After all that. */
static void works(ranks *t)
{
    float one = 1, sum = 0;
    yoke_array a = part(YOKE_F32, 0, N);
    CHECK_OK(yoke_fill(t->stream, buffer, 0, 400, &one, 4));
    CHECK_OK(yoke_comm_allreduce(t->stream, t->comm, YOKE_REDUCE_SUM, &a, &a));
    CHECK_OK(yoke_read(t->stream, &sum, buffer, 396, 4));
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK(sum == (float)t->count);
    ranks_case(t, "everything still works");
}

/* The communicator is released while its stream is held, and the stream while it communicates. */
static void released(ranks *t)
{
    MPI_Comm world = MPI_COMM_WORLD;
    yoke_comm *comm;
    yoke_stream *stream;
    yoke_event *event;
    yoke_array a = part(YOKE_F32, 0, N);
    CHECK_OK(yoke_stream_create(t->device, NULL, &stream));
    CHECK_OK(yoke_comm_create(t->device, &world, &comm));
    CHECK_OK(yoke_comm_add(comm, stream));
    for (int i = 0; i < 50; i++)
        CHECK_OK(yoke_comm_allreduce(stream, comm, YOKE_REDUCE_MAX, &a, &a));
    CHECK_OK(yoke_event_record(stream, 0, &event));
    yoke_comm_release(comm);
    CHECK_OK(yoke_event_wait(event));
    yoke_event_release(event);
    yoke_stream_release(stream);
    CHECK_OK(yoke_comm_barrier(t->stream, t->comm));
    CHECK_OK(yoke_stream_wait(t->stream));
    ranks_case(t, "a communicator that is released early");
}

/* Without MPI, or with an MPI for one thread. */
static int start_badly(int argc, char **argv, bool early)
{
    MPI_Comm world = MPI_COMM_WORLD;
    yoke_device *device = NULL;
    yoke_comm *comm;
    int level, rank = 0;
    if (!early) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
        MPI_Comm_rank(world, &rank);
    }
    const char *words = early ? "not initialised|MPI_Init_thread" : "MPI_THREAD_MULTIPLE|MPI_Init_thread|provided";
    bool passed = ranks_check_fails(YOKE_E_UNAVAILABLE, words, yoke_comm_open_device(&world, &device), YOKE_HERE, "open_device") &&
                  ranks_check_fails(YOKE_E_UNAVAILABLE, words, yoke_comm_create(device, &world, &comm), YOKE_HERE, "create");
    if (!early)
        MPI_Finalize();
    if (rank != 0)
        return !passed;
    tap_ok(passed, "refused");
    return tap_done();
}

/* The environment has an order that cannot be obeyed: the argument has the status's name and words. */
static int orders(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD;
    yoke_device *device;
    yoke_comm *comm;
    int level, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(world, &rank);
    yoke_status expected = argc > 3 && strcmp(argv[2], "unavailable") == 0 ? YOKE_E_UNAVAILABLE : INVALID;
    bool passed =
        CHECK_OK(yoke_comm_open_device(&world, &device)) &&
        ranks_check_fails(expected, argc > 3 ? argv[3] : "", yoke_comm_create(device, &world, &comm), YOKE_HERE, "create");
    yoke_device_release(device);
    MPI_Finalize();
    if (rank != 0)
        return !passed;
    tap_ok(passed, "refused");
    return tap_done();
}

int main(int argc, char **argv)
{
    ranks t;
    if (argc > 1 && (strcmp(argv[1], "early") == 0 || strcmp(argv[1], "single") == 0))
        return start_badly(argc, argv, argv[1][0] == 'e');
    if (argc > 1 && strcmp(argv[1], "orders") == 0)
        return orders(argc, argv);
    ranks_start(&t, &argc, &argv, 60);
    CHECK_OK(yoke_buffer_create(t.device, 16 * N * sizeof(float), &buffer));
    arrays(&t);
    numbers(&t);
    handles(&t);
    early_operation(&t);
    forked(&t);
    works(&t);
    released(&t);
    yoke_buffer_release(buffer);
    return ranks_end(&t);
}
