/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens when a rank fails: every other rank's stream ends with a status and a record that says who and why, and nobody waits
 * longer than YOKE_COMM_TIMEOUT. The first argument is a scene:
 *
 *   failures    what all ranks survive, one case after the other, each with a communicator of its own
 *   killed      the last rank is killed in the middle (SIGKILL), and has no end
 *   kernel      a kernel of the last rank writes where there is no memory, which CUDA notices and loses the device for
 *   exits       the last rank calls exit, with its communicators
 *   returns     the last rank returns from main, with its communicators
 *   stopped     the last rank is stopped (SIGSTOP) and continued when the others have ended
 */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../tap/tap.h"
#include "ranks.h"

enum { N = 1000, LARGE = 3 << 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The seconds in which nobody waits any more for a rank of which nothing is heard. */
static double limit(void)
{
    const char *timeout = getenv("YOKE_COMM_TIMEOUT");
    return (timeout ? atof(timeout) : 600) + 5;
}

/* Communicators have this limit from here on; returns the one before, to be given to restore_limit. */
static char *set_limit(const char *seconds)
{
    const char *given = getenv("YOKE_COMM_TIMEOUT");
    char *before = given ? strdup(given) : NULL;
    if (seconds)
        setenv("YOKE_COMM_TIMEOUT", seconds, 1);
    return before;
}

static void restore_limit(char *before)
{
    if (before)
        setenv("YOKE_COMM_TIMEOUT", before, 1);
    else
        unsetenv("YOKE_COMM_TIMEOUT");
    free(before);
}

/* Something of which each rank says how long it has taken there: in one of some tries less than the limit, since a busy machine may
 * stop any rank for a while. */
static void in_time(ranks *t, double (*once)(ranks *t, int kind), int kind, double most)
{
    enum { TRIES = 5 };
    double took = most;
    for (int i = 0; i < TRIES && took >= most; i++) {
        double mine = once(t, kind);
        MPI_Allreduce(&mine, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK(took < most);
}

/* A stream and a communicator for one case. */
typedef struct stage {
    yoke_stream *stream;
    yoke_comm *comm;
    yoke_buffer *buffer;
    yoke_array array, other; /* of N floats each */
} stage;

static void stage_open_on(ranks *t, stage *s, MPI_Comm mpi)
{
    memset(s, 0, sizeof *s);
    CHECK_OK(yoke_stream_create(t->device, NULL, &s->stream));
    CHECK_OK(yoke_comm_create(t->device, &mpi, &s->comm));
    CHECK_OK(yoke_comm_add(s->comm, s->stream));
    CHECK_OK(yoke_buffer_create(t->device, 2 * N * sizeof(float), &s->buffer));
    CHECK_OK(yoke_fill(s->stream, s->buffer, 0, 2 * N * sizeof(float), &(float){ 1 }, sizeof(float)));
    s->array = yoke_comm_array(s->buffer, YOKE_F32, 0, N);
    s->other = yoke_comm_array(s->buffer, YOKE_F32, N, N);
}

static void stage_open(ranks *t, stage *s)
{
    stage_open_on(t, s, MPI_COMM_WORLD);
}

static void stage_close(stage *s)
{
    yoke_comm_release(s->comm);
    yoke_buffer_release(s->buffer);
    yoke_stream_release(s->stream);
}

static yoke_status complain(yoke_status status, void *user)
{
    (void)user;
    return status < 0 ? status : yoke_fail(-77, "the disk is full");
}

/* A stream that fails before its operation: the others hear of it, whatever they wait for, and of its reason. */
static double stream_fails(ranks *t, int kind)
{
    stage s;
    bool bad = t->rank == t->count - 1;
    char words[100];
    stage_open(t, &s);
    if (bad)
        CHECK_OK(yoke_host_call(s.stream, complain, NULL, NULL));
    switch (kind) {
    case 0:
        (void)yoke_comm_allreduce(s.stream, s.comm, YOKE_REDUCE_SUM, &s.array, &s.array);
        break;
    case 1: /* rank 0 waits for the bad one, the others for rank 0 */
        if (bad)
            (void)yoke_comm_send(s.stream, s.comm, &s.array, 0, 1);
        else
            (void)yoke_comm_receive(s.stream, s.comm, &s.array, t->rank == 0 ? t->count - 1 : 0, 1);
        break;
    default: /* the call itself already fails */
        if (bad)
            CHECK_FAILS(-77, "the disk is full", yoke_stream_wait(s.stream));
        if (bad)
            CHECK_FAILS(-77, "the disk is full", yoke_comm_barrier(s.stream, s.comm));
        else
            CHECK_OK(yoke_comm_barrier(s.stream, s.comm));
        break;
    }
    double start = now();
    snprintf(words, sizeof words, "rank %d|yoke_comm_|the disk is full|failure.c:", t->count - 1);
    if (bad)
        CHECK_FAILS(-77, "the disk is full", yoke_stream_wait(s.stream));
    else
        CHECK_FAILS(YOKE_E_HOST_FUNCTION, words, yoke_stream_wait(s.stream));
    double took = now() - start;
    stage_close(&s);
    return took;
}

/* A stream that is cancelled. */
static void cancelled(ranks *t)
{
    stage s;
    char words[100];
    bool bad = t->rank == 0;
    stage_open(t, &s);
    if (bad)
        CHECK_OK(yoke_stream_cancel(s.stream));
    (void)yoke_comm_barrier(s.stream, s.comm);
    snprintf(words, sizeof words, "rank 0|YOKE_E_CANCELLED");
    if (bad)
        CHECK_FAILS(YOKE_E_CANCELLED, "cancel", yoke_stream_wait(s.stream));
    else
        CHECK_FAILS(YOKE_E_HOST_FUNCTION, words, yoke_stream_wait(s.stream));
    stage_close(&s);
}

/* A kernel that fails, at one rank. */
static void kernel_fails(ranks *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program;
    yoke_kernel *wild;
    stage s;
    source.name = "wild";
    source.cuda = "extern \"C\" __global__ void wild(int *p) { *(volatile int *)(p + (1LL << 44)) = 1; }";
    stage_open(t, &s);
    CHECK_OK(yoke_program_build(t->device, &source, &program));
    CHECK_OK(yoke_kernel_get(program, "wild", &wild));
    CHECK_OK(yoke_comm_barrier(s.stream, s.comm));
    if (t->rank == t->count - 1) {
        CHECK_OK(yoke_launch(s.stream, wild, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(s.buffer)));
        (void)yoke_comm_allreduce(s.stream, s.comm, YOKE_REDUCE_SUM, &s.array, &s.array);
        CHECK_FAILS(YOKE_E_DEVICE_LOST, "wild", yoke_stream_wait(s.stream));
    } else {
        char words[60];
        snprintf(words, sizeof words, "rank %d|YOKE_E_DEVICE_LOST|wild|failure.c:", t->count - 1);
        CHECK_OK(yoke_comm_allreduce(s.stream, s.comm, YOKE_REDUCE_SUM, &s.array, &s.array));
        CHECK_FAILS(YOKE_E_HOST_FUNCTION, words, yoke_stream_wait(s.stream));
    }
    yoke_program_release(program);
    stage_close(&s);
    ranks_case(t, "a kernel that fails");
}

/* NCCL's operations are compared beside them, a little later. */
static yoke_status wait_for_failure(ranks *t, stage *s)
{
    double start = now();
    yoke_status status = yoke_stream_wait(s->stream);
    while (ranks_way(t) == YOKE_COMM_TRANSPORT_NCCL && status == YOKE_OK && now() - start < limit()) {
        (void)yoke_comm_broadcast(s->stream, s->comm, &s->other, 0);
        status = yoke_stream_wait(s->stream);
    }
    return status;
}

/* Counts, dtypes, roots and operations that do not match. */
static void mismatched(ranks *t, int kind)
{
    static const char *const words[] = {
        "number of elements|10|1000",     "dtype|float|int32",           "root|0|1",
        "kind of reduction|1|4",          "operation|barrier|allreduce", "receives 1000 elements|sends 10 of",
        "elements of float|1000 of int32"
    };
    stage s;
    bool odd = t->rank == t->count - 1;
    stage_open(t, &s);
    yoke_array array = odd && (kind == 0 || kind == 5) ? yoke_comm_array(s.buffer, YOKE_F32, 0, 10) : s.array;
    if (odd && (kind == 1 || kind == 6))
        array.dtype = YOKE_I32;
    if (kind == 2)
        CHECK_OK(yoke_comm_broadcast(s.stream, s.comm, &array, odd));
    else if (kind == 4 && odd)
        CHECK_OK(yoke_comm_barrier(s.stream, s.comm));
    else if (kind < 5)
        CHECK_OK(yoke_comm_allreduce(s.stream, s.comm, kind == 3 && odd ? YOKE_REDUCE_MAX : YOKE_REDUCE_SUM, &array, &array));
    else if (odd)
        CHECK_OK(yoke_comm_send(s.stream, s.comm, &array, 0, 3));
    else if (t->rank == 0)
        CHECK_OK(yoke_comm_receive(s.stream, s.comm, &array, t->count - 1, 3));
    if (kind >= 5) /* whoever is not the receiver hears of it here */
        (void)yoke_comm_barrier(s.stream, s.comm);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, words[kind], wait_for_failure(t, &s));
    stage_close(&s);
}

/* Messages that are on their way, large and small, when one rank fails; and afterwards the same stream again. */
static void recovered(ranks *t)
{
    stage s;
    yoke_buffer *large;
    stage_open(t, &s);
    CHECK_OK(yoke_buffer_create(t->device, 2 * LARGE, &large));
    yoke_array in = yoke_comm_array(large, YOKE_U8, 0, LARGE), out = yoke_comm_array(large, YOKE_U8, LARGE, LARGE);
    int32_t next = (t->rank + 1) % t->count, before = (t->rank + t->count - 1) % t->count;
    CHECK_OK(yoke_comm_sendrecv(s.stream, s.comm, &out, before, &in, next, 0));
    if (t->rank == 1)
        CHECK_OK(yoke_host_call(s.stream, complain, NULL, NULL));
    for (int i = 0; i < 20; i++)
        (void)yoke_comm_sendrecv(s.stream, s.comm, &out, before, &in, next, 0);
    CHECK(yoke_stream_wait(s.stream) < 0);

    CHECK_OK(yoke_stream_recover(s.stream));
    CHECK_OK(yoke_comm_add(s.comm, s.stream));
    float sum = 0;
    CHECK_OK(yoke_fill(s.stream, s.buffer, 0, 2 * N * sizeof(float), &(float){ 1 }, sizeof(float)));
    CHECK_OK(yoke_comm_allreduce(s.stream, s.comm, YOKE_REDUCE_SUM, &s.array, &s.array));
    CHECK_OK(yoke_read(s.stream, &sum, s.buffer, (N - 1) * sizeof sum, sizeof sum));
    CHECK_OK(yoke_stream_wait(s.stream));
    CHECK(sum == (float)t->count);
    yoke_buffer_release(large);
    stage_close(&s);
}

static yoke_status complain_late(yoke_status status, void *user)
{
    const struct timespec late = { 0, 30000000 };
    nanosleep(&late, NULL);
    return complain(status, user);
}

/* The others release before they have heard of a failure, and make the next communicators, for which Open MPI has used the number
 * of the released one: what came late was taken for one of the first messages of `parent`. */
static void unheard(ranks *t)
{
    enum { TIMES = 12 };
    MPI_Comm parent;
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    for (int i = 0; i < TIMES; i++) {
        stage s;
        stage_open_on(t, &s, parent);
        if (i % 3 != 0) {
            CHECK_OK(yoke_comm_allreduce(s.stream, s.comm, YOKE_REDUCE_MAX, &s.array, &s.array));
            CHECK_OK(yoke_stream_wait(s.stream));
        } else if (t->rank == i % t->count) {
            CHECK_OK(yoke_host_call(s.stream, complain_late, NULL, NULL));
            (void)yoke_comm_barrier(s.stream, s.comm);
            CHECK_FAILS(-77, "the disk is full", yoke_stream_wait(s.stream));
        }
        stage_close(&s);
    }
    MPI_Comm_free(&parent);
}

/* The last rank does not come to a collective: the others name it, and nobody else. A busy machine may keep a rank from saying in
 * time that it is there, so in one of some tries. */
static void missing_is_named(ranks *t)
{
    char words[64], *before = set_limit(getenv("YOKE_TEST_SILENCE"));
    bool named = false;
    snprintf(words, sizeof words, "allreduce in %s s: rank %d has not", getenv("YOKE_COMM_TIMEOUT"), t->count - 1);
    for (int tries = 0; tries < 5 && !named; tries++) {
        stage s;
        stage_open(t, &s);
        int mine = 1, all = 0;
        if (t->rank != t->count - 1)
            CHECK_OK(yoke_comm_allreduce(s.stream, s.comm, YOKE_REDUCE_SUM, &s.other, &s.array));
        yoke_status status = yoke_stream_wait(s.stream);
        if (t->rank != t->count - 1) {
            CHECK(status == YOKE_E_HOST_FUNCTION);
            mine = ranks_way(t) == YOKE_COMM_TRANSPORT_NCCL || strstr(yoke_error()->text, words) != NULL;
            if (!mine)
                printf("# rank %d, try %d: %s\n", t->rank, tries, yoke_error()->text);
        }
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        named = all;
        stage_close(&s);
    }
    CHECK(named);
    restore_limit(before);
}

/* The others come when rank 0 has given up: they hear of it, and all go on with another communicator. */
static void late_to_add(ranks *t)
{
    MPI_Comm world = MPI_COMM_WORLD;
    stage s = { .comm = NULL };
    char *before = set_limit(t->rank == 0 ? "1" : NULL);
    CHECK_OK(yoke_stream_create(t->device, NULL, &s.stream));
    CHECK_OK(yoke_comm_create(t->device, &world, &s.comm));
    if (t->rank == 0)
        CHECK_FAILS(YOKE_E_HOST_FUNCTION, "yoke_comm_add|have added|YOKE_COMM_TIMEOUT", yoke_comm_add(s.comm, s.stream));
    MPI_Barrier(world);
    if (t->rank != 0)
        CHECK_FAILS(YOKE_E_HOST_FUNCTION, "yoke_comm_add|rank 0 has failed", yoke_comm_add(s.comm, s.stream));
    restore_limit(before);
    stage_close(&s);
    stage_open(t, &s);
    CHECK_OK(yoke_comm_barrier(s.stream, s.comm));
    CHECK_OK(yoke_stream_wait(s.stream));
    stage_close(&s);
}

/* Two ranks that send to each other without an exchange: large messages wait for their receivers, and each says so in time. NCCL
 * between GPUs keeps some MiB of what is sent, and these may arrive. */
static double crosswise(ranks *t, int unused)
{
    stage s;
    yoke_buffer *large;
    (void)unused;
    stage_open(t, &s);
    CHECK_OK(yoke_buffer_create(t->device, 2 * LARGE, &large));
    yoke_array in = yoke_comm_array(large, YOKE_U8, 0, LARGE), out = yoke_comm_array(large, YOKE_U8, LARGE, LARGE);
    if (t->rank < 2) {
        CHECK_OK(yoke_comm_send(s.stream, s.comm, &in, 1 - t->rank, 0));
        CHECK_OK(yoke_comm_receive(s.stream, s.comm, &out, 1 - t->rank, 0));
    } else {
        CHECK_OK(yoke_comm_receive(s.stream, s.comm, &out, 0, 9)); /* never sent */
    }
    double start = now();
    yoke_status status = yoke_stream_wait(s.stream);
    if (ranks_way(t) != YOKE_COMM_TRANSPORT_NCCL || t->rank > 1 || status != YOKE_OK) {
        CHECK(status == YOKE_E_HOST_FUNCTION);
        CHECK(strstr(yoke_error()->text, "does not answer") && strstr(yoke_error()->text, "YOKE_COMM_TIMEOUT"));
    }
    double took = now() - start;
    yoke_buffer_release(large);
    stage_close(&s);
    return took;
}

typedef enum leaving { KILLED, STOPPED, EXITS, RETURNS, LEAVINGS } leaving;
static const char *const leavings[LEAVINGS] = { "killed", "stopped", "exits", "returns" };

/* Whether the record tells of the last rank, that can still do so. */
static bool names_last(const ranks *t, leaving way)
{
    char words[40];
    snprintf(words, sizeof words, "rank %d has ended without", t->count - 1);
    return (way != EXITS && way != RETURNS) || strstr(yoke_error()->text, words) != NULL;
}

/* Adds a line to the file of all ranks in one write: launchers cut what several ranks print at a time into pieces, and mix them. */
static void say(const char *path, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    CHECK(length > 0 && (size_t)length < sizeof text);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    CHECK(file >= 0);
    CHECK(write(file, text, (size_t)length) == length);
    CHECK(close(file) == 0);
}

/* A rank of which nothing is heard any more: all others end in time, with a record that says so, which this writes to the file at
 * `path`. Returns at the last rank that is to return from main. */
static void silent(ranks *t, leaving way, const char *path)
{
    stage s;
    pid_t own = getpid(), last;
    MPI_Comm living;
    stage_open(t, &s);
    int pid = (int)own;
    MPI_Bcast(&pid, 1, MPI_INT, t->count - 1, MPI_COMM_WORLD);
    last = (pid_t)pid;
    for (int i = 0; i < 5; i++)
        CHECK_OK(yoke_comm_allreduce(s.stream, s.comm, YOKE_REDUCE_MAX, &s.array, &s.array));
    CHECK_OK(yoke_stream_wait(s.stream));
    MPI_Comm_split(MPI_COMM_WORLD, t->rank == t->count - 1, t->rank, &living);
    signal(SIGUSR1, SIG_IGN); /* by which MPICH's launcher tells of a rank that has ended */
    MPI_Barrier(MPI_COMM_WORLD);
    if (t->rank == t->count - 1 && way == RETURNS)
        return;
    if (t->rank == t->count - 1 && way == EXITS)
        exit(0);
    if (t->rank == t->count - 1)
        raise(way == KILLED ? SIGKILL : SIGSTOP); /* where it is continued, it goes on here */
    double start = now();
    if (t->rank != t->count - 1) {
        if (way == EXITS)
            CHECK_OK(yoke_comm_allreduce(s.stream, s.comm, YOKE_REDUCE_MAX, &s.array, &s.array));
        else if (t->rank == 0)
            CHECK_OK(yoke_comm_receive(s.stream, s.comm, &s.array, t->count - 1, 4));
        else
            CHECK_OK(yoke_comm_receive(s.stream, s.comm, &s.array, 0, 4));
        (void)yoke_comm_barrier(s.stream, s.comm);
        CHECK(yoke_stream_wait(s.stream) < 0);
        say(path, "%s rank %d ended after %.1f s: %s\n",
            now() - start >= (way == KILLED || way == STOPPED ? limit() : 5) ? "LATE"
            : names_last(t, way)                                             ? "ENDED"
                                                                             : "UNNAMED",
            t->rank, now() - start, yoke_error()->text);
    }
    if (way == STOPPED && t->rank != t->count - 1) {
        MPI_Barrier(living); /* all of them have ended */
        if (t->rank == 0)
            kill(last, SIGCONT);
    }
    if (way != STOPPED)
        _exit(0); /* MPI_Finalize waits for the dead */
    if (t->rank == t->count - 1) {
        (void)yoke_comm_send(s.stream, s.comm, &s.array, 0, 4);
        (void)yoke_comm_barrier(s.stream, s.comm);
        say(path, "%s rank %d ended: %s\n", yoke_stream_wait(s.stream) < 0 ? "ENDED" : "WENT ON", t->rank, yoke_error()->text);
    }
    MPI_Comm_free(&living);
    stage_close(&s);
    yoke_comm_release(t->comm);
    MPI_Finalize();
    _exit(0);
}

int main(int argc, char **argv)
{
    static const char *const mismatches[] = { "the number of elements", "the dtype",     "the root",
                                              "the reduction",          "the operation", "the number of elements of a message",
                                              "the dtype of a message" };
    ranks t;
    ranks_start(&t, &argc, &argv, 120);
    for (int way = 0; way < LEAVINGS && argc > 2; way++)
        if (strcmp(argv[1], leavings[way]) == 0) {
            silent(&t, (leaving)way, argv[2]);
            return 0;
        }
    if (argc > 1 && strcmp(argv[1], "kernel") == 0) {
        kernel_fails(&t);
        return ranks_end(&t);
    }
    unheard(&t);
    ranks_case(&t, "communicators that are released before a failure is heard of");
    in_time(&t, stream_fails, 0, 1);
    ranks_case(&t, "a stream that has failed before a collective");
    in_time(&t, stream_fails, 1, 1);
    ranks_case(&t, "a stream that has failed before a message");
    in_time(&t, stream_fails, 2, 1);
    ranks_case(&t, "a stream that has failed before the call");
    cancelled(&t);
    ranks_case(&t, "a stream that is cancelled");
    for (int i = 0; i < 7; i++) {
        mismatched(&t, i);
        ranks_case(&t, "ranks that do not agree on %s", mismatches[i]);
    }
    recovered(&t);
    ranks_case(&t, "a stream that has recovered and is added again");
    late_to_add(&t);
    ranks_case(&t, "a rank that gives up in yoke_comm_add");
    missing_is_named(&t);
    ranks_case(&t, "a rank that does not come to a collective is named");
    char *before = set_limit(getenv("YOKE_TEST_SILENCE"));
    in_time(&t, crosswise, 0, limit());
    restore_limit(before);
    ranks_case(&t, "ranks that send to each other");
    return ranks_end(&t);
}
