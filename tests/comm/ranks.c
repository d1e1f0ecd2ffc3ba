/* SPDX-License-Identifier: Apache-2.0 */
/* Programs under mpirun: see ranks.h. */
#include "ranks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tap/tap.h"

static int failures, own_rank;

bool ranks_check(bool ok, const char *where, const char *what)
{
    if (!ok) {
        failures++;
        tap_diag("rank %d: %s: %s does not hold", own_rank, where, what);
    }
    return ok;
}

bool ranks_check_status(yoke_status expected, yoke_status got, const char *where, const char *what)
{
    if (got == expected)
        return true;
    failures++;
    tap_diag("rank %d: %s: %s returned %s, not %s: %s", own_rank, where, what, yoke_status_name(got), yoke_status_name(expected),
             yoke_error()->text);
    return false;
}

bool ranks_check_fails(yoke_status expected, const char *words, yoke_status got, const char *where, const char *what)
{
    char list[256];
    if (!ranks_check_status(expected, got, where, what))
        return false;
    snprintf(list, sizeof list, "%s", words);
    for (char *word = strtok(list, "|"); word; word = strtok(NULL, "|"))
        if (!strstr(yoke_error()->text, word)) {
            failures++;
            tap_diag("rank %d: %s: the text has no \"%s\": %s", own_rank, where, word, yoke_error()->text);
            return false;
        }
    return true;
}

void ranks_case(ranks *t, const char *format, ...)
{
    char text[200];
    int all = 0;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fflush(stdout);
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    failures = 0;
    if (t->rank == 0)
        tap_ok(all == 0, "%s", text);
    fflush(stdout);
}

void ranks_start(ranks *t, int *argc, char ***argv, unsigned seconds)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int level = 0, missing = 0, all = 0;

    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    *t = (ranks){ .count = 0 };
    MPI_Comm_rank(world, &t->rank);
    MPI_Comm_size(world, &t->count);
    own_rank = t->rank;
    if (t->rank == 0)
        tap_start(seconds);
    if (level < MPI_THREAD_MULTIPLE)
        tap_bail("MPI has no MPI_THREAD_MULTIPLE");
    missing = yoke_comm_open_device(&world, &t->device) < 0;
    MPI_Allreduce(&missing, &all, 1, MPI_INT, MPI_SUM, world);
    if (all > 0) {
        if (t->rank == 0)
            printf("1..0 # SKIP no device: %s\n", yoke_error()->text);
        MPI_Finalize();
        exit(0);
    }
    if (yoke_stream_create(t->device, NULL, &t->stream) < 0 || yoke_comm_create(t->device, &world, &t->comm) < 0 ||
        yoke_comm_add(t->comm, t->stream) < 0)
        tap_bail("rank %d: no communicator: %s", t->rank, yoke_error()->text);
}

int32_t ranks_way(const ranks *t)
{
    yoke_comm_info info = YOKE_COMM_INFO_INIT;
    (void)yoke_comm_get_info(t->comm, &info);
    return info.transport;
}

/* In place of the MPI's own: on the CUDA double, any MPI can use device memory. */
int MPIX_Query_cuda_support(void);
__attribute__((visibility("default"))) int MPIX_Query_cuda_support(void)
{
    const char *aware = getenv("YOKE_TEST_AWARE_MPI");
    return aware && *aware == '1';
}

int ranks_end(ranks *t)
{
    yoke_comm_release(t->comm);
    yoke_stream_release(t->stream);
    yoke_device_release(t->device);
    MPI_Finalize();
    return t->rank == 0 ? tap_done() : 0;
}
