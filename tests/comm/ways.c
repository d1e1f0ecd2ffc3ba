/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways: which one is chosen, and what happens where NCCL fails. The first argument is a scene, run by two ranks, the last one the
 * words of the expected text:
 *
 *   way NAME    this way is chosen, and the reason has these words; bytes are counted
 *   different   YOKE_COMM differs between the ranks
 *   add         yoke_comm_add fails
 *   operation   an operation fails
 *   late        NCCL reports a failure while an operation waits
 *   caller      NCCL is called by the thread that enqueues: what watches the stream does not hand it over to another one
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
                  CHECK_OK(yoke_comm_allreduce(s->stream, s->comm, YOKE_COMM_MAX, &s->array, &s->array)) &&
                  CHECK_OK(yoke_stream_wait(s->stream)) && CHECK_OK(yoke_comm_get_info(s->comm, &info));
    passed = passed && CHECK(strcmp(names[info.way], name) == 0);
    snprintf(list, sizeof list, "%s", s->words);
    for (char *word = strtok(list, "|"); word; word = strtok(NULL, "|"))
        passed = ranks_check(strstr(info.reason, word), info.reason, word) && passed;
    uint64_t bytes = 2 * N * sizeof(float), by_nccl = info.way == YOKE_COMM_NCCL ? bytes : 0;
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
        if (!CHECK_OK(yoke_comm_allreduce(s->stream, s->comm, YOKE_COMM_MAX, &s->array, &s->array)))
            return false;
    unsigned here = launches() - before;
    if (here < SLOW)
        printf("# rank %d: %u of %d calls by the thread that enqueues\n", s->rank, here, (int)SLOW);
    return CHECK_OK(yoke_stream_wait(s->stream)) && CHECK(here > SLOW / 2);
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
    if (!CHECK_OK(status))
        return false;
    if (strcmp(name, "caller") == 0)
        return called_by_caller(s);
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
    bool passed = CHECK_OK(yoke_comm_open_device(&world, &s.device)) && CHECK_OK(yoke_stream_create(s.device, &s.stream)) &&
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
