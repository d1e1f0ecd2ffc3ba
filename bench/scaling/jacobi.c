/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The communication of examples/jacobi.c, simulated: the halo exchange of a 2-D grid beside the kernel of the inside, and an
 * allreduce of the residual each so many steps. Each rank has SIDE x SIDE points, however many ranks there are.
 *     smpirun ... jacobi SIDE STEPS EVERY             prints the time of a step
 */
#include "pattern.h"

enum { LEFT, RIGHT, ABOVE, BELOW, NEIGHBOURS };

static void find_neighbours(int rank, int ranks, int neighbours[NEIGHBOURS])
{
    int shape[2] = { 0, 0 };

    MPI_Dims_create(ranks, 2, shape);
    const int c = rank % shape[0], r = rank / shape[0];
    neighbours[LEFT] = c > 0 ? rank - 1 : MPI_PROC_NULL;
    neighbours[RIGHT] = c + 1 < shape[0] ? rank + 1 : MPI_PROC_NULL;
    neighbours[ABOVE] = r > 0 ? rank - shape[0] : MPI_PROC_NULL;
    neighbours[BELOW] = r + 1 < shape[1] ? rank + shape[0] : MPI_PROC_NULL;
}

/* What the stream of the edges does before and after its messages, and meanwhile the inside is computed in the other. */
static void step(const int neighbours[NEIGHBOURS], messages *m, char *out, char *in, double side)
{
    const long long edge = (long long)side * 4;
    const double inside = 12 * (side - 2) * (side - 2), before = MPI_Wtime(); /* a point: one read, one written, what is held */

    kernel(8 * 2 * side); /* pack */
    host_copy((double)edge * NEIGHBOURS);
    for (int k = 0; k < NEIGHBOURS; k++) {
        send_part(m, out, edge, neighbours[k], k);
        receive_part(m, in, edge, neighbours[k], k ^ 1); /* the opposite direction's */
    }
    finish(m);
    host_copy((double)edge * NEIGHBOURS);
    kernel(8 * 2 * side); /* unpack */
    const double left = at_least(LAUNCH, inside / DEVICE_MEMORY) - (MPI_Wtime() - before);
    if (left > 0)
        smpi_execute(left);
    kernel(12 * 4 * side);
}

int main(int argc, char **argv)
{
    int rank, ranks, neighbours[NEIGHBOURS];
    messages m = { .comm = MPI_COMM_WORLD };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const double side = (double)argument(argc, argv, 1);
    const long long steps = argument(argc, argv, 2), every = argument(argc, argv, 3);
    find_neighbours(rank, ranks, neighbours);
    char *out = memory_of((size_t)side * 4), *in = memory_of((size_t)side * 4);

    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (long long i = 1; i <= steps; i++) {
        step(neighbours, &m, out, in, side);
        if (i % every == 0) {
            double residual = 1, sum;
            kernel(8 * side * side);
            host_copy(sizeof residual);
            open_collective(MPI_COMM_WORLD);
            MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            host_copy(sizeof residual);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("jacobi_%.0f.%d %.2f us\n", side, ranks, (MPI_Wtime() - start) / (double)steps * 1e6);
    SMPI_SHARED_FREE(in);
    SMPI_SHARED_FREE(out);
    free(m.requests);
    MPI_Finalize();
    return 0;
}
