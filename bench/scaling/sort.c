/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The communication of examples/sort_ranks.c, simulated: samples, counts, and the exchange of the parts, for so many pairs of each
 * rank. The example has one level. With more of them the ranks form groups: a level sorts between the groups, and the next one
 * within each of them, so that a rank sends to few others.
 *     smpirun ... sort PAIRS LEVELS             prints the time of the sort
 */
#include <math.h>

#include "pattern.h"

enum { SAMPLES = 64, PAIR = 8, MOST_LEVELS = 4 };

static void sort_here(double pairs)
{
    smpi_execute(at_least(10 * LAUNCH, pairs / SORT_RATE)); /* so many passes */
}

/* Where the sorted sequence is cut: samples of all ranks of `comm`, sorted by each of them, and a search. */
static void find_cuts(MPI_Comm comm, int ranks, char *out, char *in)
{
    kernel(4 * SAMPLES);
    host_copy(4 * SAMPLES);
    open_collective(comm);
    MPI_Allgather(out, 4 * SAMPLES, MPI_BYTE, in, 4 * SAMPLES, MPI_BYTE, comm);
    host_copy(4.0 * SAMPLES * ranks);
    sort_here((double)SAMPLES * ranks);
    kernel(4 * ranks);
}

/* The same in levels: not all samples go to all ranks. In each round two ranks merge what they have, and keep every second. */
static void find_cuts_by_rounds(MPI_Comm comm, int ranks, int parts, messages *m, char *out, char *in)
{
    const long long bytes = 4LL * SAMPLES * parts;
    int rank;

    MPI_Comm_rank(comm, &rank);
    m->comm = comm;
    kernel(4.0 * SAMPLES * parts);
    for (int step = 1; step < ranks; step *= 2) {
        host_copy((double)bytes);
        send_part(m, out, bytes, (rank + step) % ranks, 0);
        receive_part(m, in, bytes, (rank - step + ranks) % ranks, 0);
        finish(m);
        host_copy((double)bytes);
        kernel(2.0 * (double)bytes);
    }
    kernel(4 * parts);
}

/* How many pairs each part has. */
static void exchange_counts(MPI_Comm comm, int parts, char *out, char *in)
{
    host_copy(4.0 * parts);
    open_collective(comm);
    MPI_Alltoall(out, 4, MPI_BYTE, in, 4, MPI_BYTE, comm);
    host_copy(4.0 * parts);
}

/* What the groups have is sent round by round, from each group to another one. */
static void exchange(MPI_Comm comm, int rank, int parts, double pairs, messages *m, char *out, char *in)
{
    const long long bytes = (long long)(pairs / parts) * PAIR / 2; /* keys; and as much of values */

    m->comm = comm;
    for (int round = 0; round < parts; round++) {
        const int to = (rank + round) % parts, from = (rank - round + parts) % parts;
        host_copy(2.0 * (double)bytes);
        for (int tag = 1; tag <= 2; tag++) {
            send_part(m, out, bytes, to, tag);
            receive_part(m, in, bytes, from, tag);
        }
        finish(m);
        host_copy(2.0 * (double)bytes);
    }
}

/* One level: the ranks of `all` are `parts` groups of as many ranks each, one behind the other. The `column` of a rank has one rank
 * of each group. */
typedef struct level {
    MPI_Comm all, column;
    int ranks, parts;
} level;

/* The number of groups of the first of `levels`: as equal for all as the divisors of the number of ranks allow. */
static int count_parts(int ranks, int levels)
{
    int parts = (int)ceil(pow(ranks, 1.0 / levels) - 1e-9);

    while (ranks % parts)
        parts++;
    return parts;
}

static void split(level *levels, int count)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    for (int k = 0; k < count; k++) {
        level *l = &levels[k];
        int rank;
        l->all = comm;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &l->ranks);
        l->parts = count_parts(l->ranks, count - k);
        const int size = l->ranks / l->parts;
        MPI_Comm_split(comm, rank % size, rank, &l->column);
        if (k + 1 < count)
            MPI_Comm_split(l->all, rank / size, rank, &comm);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    level levels[MOST_LEVELS];
    messages m = { 0 };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const double pairs = (double)argument(argc, argv, 1);
    const int count = (int)argument(argc, argv, 2);
    if (count > MOST_LEVELS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    char *out = memory_of(PIECE + 4 * (size_t)ranks), *in = memory_of(PIECE + 4 * SAMPLES * (size_t)ranks);
    split(levels, count);

    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    sort_here(pairs);
    for (int k = 0; k < count; k++) {
        const level *l = &levels[k];
        int own;
        MPI_Comm_rank(l->column, &own);
        if (count == 1)
            find_cuts(l->all, l->ranks, out, in);
        else
            find_cuts_by_rounds(l->all, l->ranks, l->parts, &m, out, in);
        exchange_counts(l->column, l->parts, out, in);
        exchange(l->column, own, l->parts, pairs, &m, out, in);
        sort_here(pairs);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("sort_%d_%.0f.%d %.1f us\n", count, pairs, ranks, (MPI_Wtime() - start) * 1e6);
    SMPI_SHARED_FREE(in);
    SMPI_SHARED_FREE(out);
    free(m.requests);
    MPI_Finalize();
    return 0;
}
