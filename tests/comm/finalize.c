/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI_Finalize while a communicator lives: no process ends for that. What was complete stays so; what is enqueued later is refused,
 * and what is under way or waits for its turn fails. The argument says what is left at MPI_Finalize: nothing, or an operation that
 * has begun, or one that is behind a host function.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include <yoke/comm.h>

static int rank;

static void check(bool ok, int line, const char *what)
{
    if (!ok) {
        printf("not ok - rank %d, line %d: %s (%s)\n", rank, line, what, yoke_error()->text);
        fflush(stdout);
    }
}
#define CHECK(condition) check(condition, __LINE__, #condition)

static bool says_finalised(yoke_status status)
{
    return status == YOKE_E_UNAVAILABLE && strstr(yoke_error()->text, "MPI has been finalised");
}

/* A gate in a stream. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool reached, open;

static yoke_status wait_at_gate(yoke_status status, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    reached = true;
    pthread_cond_broadcast(&changed);
    while (!open)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return status;
}

static void open_gate(void)
{
    pthread_mutex_lock(&lock);
    open = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_for_gate(void)
{
    pthread_mutex_lock(&lock);
    while (!reached)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD;
    const char *left = argc > 1 ? argv[1] : "nothing";
    yoke_device *device = NULL;
    yoke_stream *stream = NULL, *other = NULL;
    yoke_comm *comm = NULL, *second = NULL;
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(world, &rank);
    CHECK(yoke_comm_open_device(&world, &device) == YOKE_OK);
    CHECK(yoke_stream_create(device, NULL, &stream) == YOKE_OK && yoke_stream_create(device, NULL, &other) == YOKE_OK);
    CHECK(yoke_comm_create(device, &world, &comm) == YOKE_OK && yoke_comm_add(comm, stream) == YOKE_OK);
    CHECK(yoke_comm_barrier(stream, comm) == YOKE_OK && yoke_stream_wait(stream) == YOKE_OK);
    MPI_Barrier(world); /* whoever is still in the first barrier would hear of what ends the next */
    bool waits = strcmp(left, "nothing") != 0;
    if (strcmp(left, "gate") == 0) {
        CHECK(yoke_host_call(stream, wait_at_gate, NULL, NULL) == YOKE_OK);
        CHECK(yoke_comm_barrier(stream, comm) == YOKE_OK);
        wait_for_gate();
    } else if (waits && rank == 0) { /* the others never come */
        CHECK(yoke_comm_barrier(stream, comm) == YOKE_OK);
    }
    MPI_Finalize();
    open_gate();
    yoke_status status = yoke_stream_wait(stream);
    if (strcmp(left, "gate") == 0 || (waits && rank == 0))
        CHECK(says_finalised(status));
    else
        CHECK(status == YOKE_OK);
    (void)yoke_stream_recover(stream);
    CHECK(says_finalised(yoke_comm_barrier(stream, comm)));
    CHECK(yoke_stream_wait(stream) == YOKE_OK);
    CHECK(says_finalised(yoke_comm_add(comm, other)));
    CHECK(yoke_comm_create(device, &world, &second) == YOKE_E_UNAVAILABLE && !second);
    CHECK(yoke_comm_open_device(&world, &device) == YOKE_E_UNAVAILABLE);
    yoke_comm_release(comm);
    yoke_stream_release(other);
    yoke_stream_release(stream);
    if (rank == 0)
        printf("1..1\nok 1 - MPI_Finalize\n");
    return 0;
}
