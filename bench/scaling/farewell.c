/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How all ranks hear that one has failed, simulated: "one" rank sends a farewell to each other one, as libyoke-comm does; "all" of
 * them do, as after an operation on which the ranks do not agree; or the farewell goes from rank to rank in a "tree".
 *     smpirun ... farewell one|all|tree             prints the time until the last rank knows
 */
#include <string.h>

#include "pattern.h"

enum { FAREWELL = 612 }; /* bytes */

static void tell_all(int rank, int ranks, const char *farewell, messages *m)
{
    MPI_Request request;

    for (int k = 1; k < ranks; k++) {
        MPI_Isend(farewell, FAREWELL, MPI_BYTE, (rank + k) % ranks, 0, MPI_COMM_WORLD, &request);
        add(m, request);
    }
}

int main(int argc, char **argv)
{
    char farewell[FAREWELL] = "", heard[FAREWELL];
    int rank, ranks;
    messages m = { 0 };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *way = argc > 1 ? argv[1] : "";
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (strcmp(way, "tree") == 0)
        MPI_Bcast(farewell, FAREWELL, MPI_BYTE, 0, MPI_COMM_WORLD);
    else {
        const int all = strcmp(way, "all") == 0;
        if (all || rank == 0)
            tell_all(rank, ranks, farewell, &m);
        for (int k = 0; k < (all ? ranks - 1 : rank != 0); k++)
            MPI_Recv(heard, FAREWELL, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        finish(&m);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("farewell_%s.%d %.1f us\n", way, ranks, (MPI_Wtime() - start) * 1e6);
    free(m.requests);
    MPI_Finalize();
    return 0;
}
