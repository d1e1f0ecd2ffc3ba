/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways: which one is chosen, and what happens where NCCL fails. The first argument is a scene, run by two ranks, the last one the
 * words of the expected text:
 *
 *   way NAME    this way is chosen, and the reason has these words; bytes are counted
 *   different   YOKE_COMM differs between the ranks
 *   add         yoke_comm_add fails
 *   stack       the same, and what comes later is not written to the stack
 *   memory      the same, and what goes on later does not touch memory that was freed with the communicator
 *   operation   an operation fails
 *   graph       a graph that one rank launches more often fails there
 *   late        NCCL reports a failure while an operation waits
 *   caller      NCCL is called by the thread that enqueues: what watches the stream does not hand it over to another one
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <yoke/graph.h>

#include "../tap/tap.h"
#include "ranks.h"

enum { N = 1000, SLOW = 10 };

typedef struct scene {
    int rank;
    yoke_device *device;
    yoke_stream *stream;
    yoke_comm *comm;
    yoke_buffer *buffer;
    yoke_array array;
    const char *words;
} scene;

/* Negative, and the text has all words. */
static bool fails(const scene *s, yoke_status status, const char *what)
{
    char list[256];
    if (!ranks_check(status < 0, YOKE_HERE, what))
        return false;
    snprintf(list, sizeof list, "%s", s->words);
    for (char *word = strtok(list, "|"); word; word = strtok(NULL, "|"))
        if (!ranks_check(strstr(yoke_error()->text, word), yoke_error()->text, word))
            return false;
    return true;
}

static bool chosen(scene *s, const char *name)
{
    static const char *const names[] = { "", "staged", "mpi", "nccl" };
    yoke_comm_info info = YOKE_COMM_INFO_INIT;
    char list[256];
    bool passed = CHECK_OK(yoke_comm_add(s->comm, s->stream)) &&
                  CHECK_OK(yoke_comm_allreduce(s->stream, s->comm, YOKE_REDUCE_MAX, &s->array, &s->array)) &&
                  CHECK_OK(yoke_stream_wait(s->stream)) && CHECK_OK(yoke_comm_get_info(s->comm, &info));
    passed = passed && CHECK(strcmp(names[info.transport], name) == 0);
    snprintf(list, sizeof list, "%s", s->words);
    for (char *word = strtok(list, "|"); word; word = strtok(NULL, "|"))
        passed = ranks_check(strstr(info.reason, word), info.reason, word) && passed;
    uint64_t bytes = 2 * N * sizeof(float), by_nccl = info.transport == YOKE_COMM_TRANSPORT_NCCL ? bytes : 0;
    return CHECK(info.nccl_bytes == by_nccl && info.staged_bytes == bytes - by_nccl && info.mpi_bytes == 0) && passed;
}

/* Where calls are slow, an event that is recorded at any time falls into one. Not all: the progress thread may see two calls end,
 * none in between, and record its event when the next one has begun. */
static bool called_by_caller(scene *s)
{
    void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
    unsigned (*launches)(void) = NULL;
    if (library)
        *(void **)&launches = dlsym(library, "nccl_double_launches");
    if (!CHECK(launches))
        return false;
    unsigned before = launches();
    for (int i = 0; i < SLOW; i++)
        if (!CHECK_OK(yoke_comm_allreduce(s->stream, s->comm, YOKE_REDUCE_MAX, &s->array, &s->array)))
            return false;
    unsigned here = launches() - before;
    if (here < SLOW)
        printf("# rank %d: %u of %d calls by the thread that enqueues\n", s->rank, here, (int)SLOW);
    return CHECK_OK(yoke_stream_wait(s->stream)) && CHECK(here > SLOW / 2);
}

/* Both launch it once, and rank 0 once more when nothing has been enqueued for a while. */
static bool fails_in_graph(scene *s)
{
    const struct timespec pause = { 0, 100000000 };
    yoke_graph *graph;
    bool passed = CHECK_OK(yoke_graph_create(s->device, "step", &graph)) && CHECK_OK(yoke_graph_begin(graph, s->stream)) &&
                  CHECK_OK(yoke_comm_allreduce(s->stream, s->comm, YOKE_REDUCE_MAX, &s->array, &s->array)) &&
                  CHECK_OK(yoke_graph_end(graph)) && CHECK_OK(yoke_graph_launch(s->stream, graph)) &&
                  CHECK_OK(yoke_stream_wait(s->stream));
    nanosleep(&pause, NULL);
    if (passed && s->rank == 0)
        passed = CHECK_OK(yoke_graph_launch(s->stream, graph)) && fails(s, yoke_stream_wait(s->stream), "yoke_stream_wait");
    MPI_Barrier(MPI_COMM_WORLD);
    yoke_graph_release(graph);
    return passed;
}

/* A large frame where those of yoke_comm_add were, while MPI receives what was late. */
static __attribute__((noinline)) bool keeps_stack(void)
{
    volatile unsigned char frame[65536];
    struct timespec pause = { 0, 1000000 };
    MPI_Request request;
    int done = 0;
    for (size_t i = 0; i < sizeof frame; i++)
        frame[i] = 0xa5;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        nanosleep(&pause, NULL);
    }
    size_t changed = 0;
    for (size_t i = 0; i < sizeof frame; i++)
        changed += frame[i] != 0xa5;
    return CHECK(changed == 0);
}

/* Buffers that take the places of those that were freed. */
static bool keeps_memory(scene *s)
{
    enum { BUFFERS = 512, SIZE = 128, LATE = 3 };
    yoke_buffer *buffers[BUFFERS];
    unsigned char bytes[SIZE];
    size_t changed = 0;
    yoke_comm_release(s->comm);
    s->comm = NULL;
    memset(bytes, 0xa5, SIZE);
    for (int i = 0; i < BUFFERS; i++)
        if (!CHECK_OK(yoke_buffer_create(s->device, SIZE, &buffers[i])) ||
            !CHECK_OK(yoke_write_sync(s->stream, buffers[i], 0, bytes, SIZE)))
            return false;
    sleep(LATE);
    for (int i = 0; i < BUFFERS; i++) {
        if (!CHECK_OK(yoke_read_sync(s->stream, bytes, buffers[i], 0, SIZE)))
            return false;
        for (size_t k = 0; k < SIZE; k++)
            changed += bytes[k] != 0xa5;
        yoke_buffer_release(buffers[i]);
    }
    return CHECK(changed == 0);
}

static bool play(scene *s, const char *name, const char *argument)
{
    MPI_Comm world = MPI_COMM_WORLD;
    if (strcmp(name, "different") == 0) {
        setenv("YOKE_COMM", s->rank ? "staged" : "", 1);
        s->words = "YOKE_COMM is not the same at all ranks";
        return fails(s, yoke_comm_create(s->device, &world, &s->comm), "yoke_comm_create");
    }
    if (!CHECK_OK(yoke_comm_create(s->device, &world, &s->comm)))
        return false;
    if (strcmp(name, "way") == 0)
        return chosen(s, argument);
    yoke_status status = yoke_comm_add(s->comm, s->stream);
    if (strcmp(name, "add") == 0)
        return fails(s, status, "yoke_comm_add");
    if (strcmp(name, "stack") == 0)
        return (s->rank == 0 || fails(s, status, "yoke_comm_add")) & keeps_stack();
    if (strcmp(name, "memory") == 0)
        return fails(s, status, "yoke_comm_add") & keeps_memory(s);
    if (!CHECK_OK(status))
        return false;
    if (strcmp(name, "caller") == 0)
        return called_by_caller(s);
    if (strcmp(name, "graph") == 0)
        return fails_in_graph(s);
    if (strcmp(name, "operation") == 0) {
        (void)yoke_comm_broadcast(s->stream, s->comm, &s->array, 0);
    } else if (s->rank == 1) { /* never sent */
        CHECK_OK(yoke_comm_receive(s->stream, s->comm, &s->array, 0, 0));
        bool failed = fails(s, yoke_stream_wait(s->stream), "yoke_stream_wait");
        MPI_Barrier(world);
        return failed;
    } else {
        MPI_Barrier(world);
        (void)yoke_comm_barrier(s->stream, s->comm);
    }
    return fails(s, yoke_stream_wait(s->stream), "yoke_stream_wait");
}

int main(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD;
    scene s = { .words = argc > 2 ? argv[argc - 1] : "" };
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(world, &s.rank);
    if (s.rank == 0)
        tap_start(60);
    bool passed = CHECK_OK(yoke_comm_open_device(&world, &s.device)) && CHECK_OK(yoke_stream_create(s.device, NULL, &s.stream)) &&
                  CHECK_OK(yoke_buffer_create(s.device, N * sizeof(float), &s.buffer)) &&
                  CHECK_OK(yoke_fill(s.stream, s.buffer, 0, N * sizeof(float), &(float){ 1 }, sizeof(float)));
    s.array = yoke_comm_array(s.buffer, YOKE_F32, 0, N);
    passed = passed && argc > 1 && play(&s, argv[1], argc > 2 ? argv[2] : "");
    int mine = !passed, failed = 0;
    MPI_Allreduce(&mine, &failed, 1, MPI_INT, MPI_MAX, world);
    yoke_comm_release(s.comm);
    yoke_buffer_release(s.buffer);
    yoke_stream_release(s.stream);
    yoke_device_release(s.device);
    fflush(stdout);
    MPI_Finalize();
    if (s.rank != 0)
        return !passed;
    tap_ok(!failed, "%s", argc > 1 ? argv[1] : "");
    return tap_done();
}
