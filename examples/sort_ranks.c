/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs of a key and a value sorted by many processes: a sample sort. Each rank sorts its pairs; samples of all ranks say where the
 * sorted sequence is cut, one part for each rank; each rank sends every other one what belongs there, and sorts what has come.
 *
 * The key is the row of a picture, the value the colour of a pixel. All rows are shuffled together like packs of cards, which keeps
 * the order of the pixels of each row: only a stable sort gives the picture back. Any number of ranks gives the same bits. Writes
 * both, sort_ranks.png.
 *
 *     mpirun -n 4 sort_ranks [ROWS]
 *
 * A common mistake: to cut between keys alone. All pairs with the most frequent key then go to one rank. Here a cut is between two
 * pairs: a sample knows from which rank it comes, and its place there.
 */
#include <mpi.h>

#include <yoke/comm.h>
#include <yoke/ops.h>

#include "example.h"
#include "picture.h"

enum { WIDTH = 320, SAMPLES = 64 }; /* of each rank: no part is larger than 1 / ranks + 1 / SAMPLES of all */

/* One rank's pairs. */
typedef struct pairs {
    yoke_array keys, values;
} pairs;

static yoke_array create(yoke_device *device, int32_t dtype, int64_t n)
{
    yoke_array array;

    YOKE_CHECK(yoke_array_create(device, dtype, 1, &n, &array));
    return array;
}

/* ---- The sort ---- */

/* The first pair of each part among this rank's sorted ones, `ranks` + 1 of them, of which the last is their number. */
static yoke_array find_cuts(yoke_device *device, yoke_stream *stream, yoke_comm *comm, const pairs *own, int rank, int ranks)
{
    const int mine = (int)own->keys.shape[0], samples = SAMPLES;
    const yoke_array place = create(device, YOKE_I32, SAMPLES), sample = create(device, YOKE_I32, SAMPLES);
    const yoke_array all = create(device, YOKE_I32, SAMPLES * ranks), number = create(device, YOKE_I32, SAMPLES * ranks);
    const yoke_array left = create(device, YOKE_I32, ranks), right = create(device, YOKE_I32, ranks);
    const yoke_array cuts = create(device, YOKE_I32, ranks + 1);

    YOKE_CHECK(yoke_map(stream, "place = i * mine / samples", YOKE_VARS(place, mine, samples)));
    YOKE_CHECK(yoke_gather(stream, &sample, &own->keys, &place, 0));
    YOKE_CHECK(yoke_comm_allgather(stream, comm, &all, &sample));
    YOKE_CHECK(yoke_map(stream, "number = i", YOKE_VARS(number)));
    YOKE_CHECK(yoke_sort(stream, YOKE_SORT_ASCENDING, &all, &number));

    /* Every SAMPLES-th of all samples is a cut; the first part begins with the first pair. Of the pairs with the same key, those of
     * ranks before the sample's come before it. */
    const yoke_array key = yoke_array_slice(all, 0, 0, YOKE_SLICE_END, SAMPLES);
    const yoke_array chosen = yoke_array_slice(number, 0, 0, YOKE_SLICE_END, SAMPLES);
    const yoke_array cut = yoke_array_slice(cuts, 0, 0, ranks, 1);
    YOKE_CHECK(yoke_searchsorted(stream, YOKE_SEARCH_LEFT, &left, &own->keys, &key));
    YOKE_CHECK(yoke_searchsorted(stream, YOKE_SEARCH_RIGHT, &right, &own->keys, &key));
    YOKE_CHECK(yoke_map(stream,
                        "owner = chosen / samples;"
                        "cut = i == 0 ? 0 : owner < rank ? left : owner > rank ? right : chosen % samples * mine / samples",
                        YOKE_VARS(cut, chosen, left, right, rank, samples, mine)));
    const yoke_array last = yoke_array_slice(cuts, 0, ranks, YOKE_SLICE_END, 1);
    YOKE_CHECK(yoke_assign_value(stream, &last, YOKE_NUMBER(mine)));

    const yoke_array done[] = { place, sample, all, number, left, right };
    for (size_t i = 0; i < sizeof done / sizeof done[0]; i++)
        yoke_buffer_release(done[i].buffer);
    return cuts;
}

/* Send each rank its part, and receive the parts of all, one behind the other in the order of the ranks. `cuts` are this rank's;
 * `come` are the numbers of pairs that the others send. One round for each rank, in which everybody sends to another one: so nobody
 * is sent more than one part at a time, however many ranks there are. */
static pairs exchange(yoke_device *device, yoke_stream *stream, yoke_comm *comm, const pairs *own, const int32_t *cuts,
                      const int32_t *come, int rank, int ranks)
{
    int64_t *first = allocate(((size_t)ranks + 1) * sizeof *first);

    first[0] = 0;
    for (int r = 0; r < ranks; r++)
        first[r + 1] = first[r] + come[r];
    const pairs parts = { create(device, YOKE_I32, first[ranks]), create(device, YOKE_U32, first[ranks]) };
    for (int round = 0; round < ranks; round++) {
        const int to = (rank + round) % ranks, from = (rank - round + ranks) % ranks;
        const int64_t count = cuts[to + 1] - cuts[to];
        const yoke_comm_message messages[] = {
            { YOKE_COMM_SEND, to, 1, yoke_comm_array(own->keys.buffer, YOKE_I32, cuts[to], count) },
            { YOKE_COMM_SEND, to, 2, yoke_comm_array(own->values.buffer, YOKE_U32, cuts[to], count) },
            { YOKE_COMM_RECEIVE, from, 1, yoke_comm_array(parts.keys.buffer, YOKE_I32, first[from], come[from]) },
            { YOKE_COMM_RECEIVE, from, 2, yoke_comm_array(parts.values.buffer, YOKE_U32, first[from], come[from]) },
        };
        YOKE_CHECK(yoke_comm_group(stream, comm, messages, sizeof messages / sizeof messages[0]));
    }
    free(first);
    return parts;
}

/* The pairs of this rank's part of all, sorted. */
static pairs sort(yoke_device *device, yoke_stream *stream, yoke_comm *comm, const pairs *own, int rank, int ranks)
{
    int32_t *cuts = allocate((2 * (size_t)ranks + 1) * sizeof *cuts), *come = cuts + ranks + 1;

    YOKE_CHECK(yoke_sort(stream, YOKE_SORT_ASCENDING, &own->keys, &own->values));
    const yoke_array bounds = find_cuts(device, stream, comm, own, rank, ranks);
    const yoke_array begin = yoke_array_slice(bounds, 0, 0, ranks, 1), end = yoke_array_slice(bounds, 0, 1, YOKE_SLICE_END, 1);
    const yoke_array go = create(device, YOKE_I32, ranks), counts = create(device, YOKE_I32, ranks);
    YOKE_CHECK(yoke_subtract(stream, &go, &end, &begin));
    YOKE_CHECK(yoke_comm_alltoall(stream, comm, &counts, &go));
    YOKE_CHECK(yoke_read(stream, cuts, bounds.buffer, 0, ((size_t)ranks + 1) * sizeof *cuts));
    YOKE_CHECK(yoke_read_sync(stream, come, counts.buffer, 0, (size_t)ranks * sizeof *come));

    const pairs parts = exchange(device, stream, comm, own, cuts, come, rank, ranks);
    YOKE_CHECK(yoke_sort(stream, YOKE_SORT_ASCENDING, &parts.keys, &parts.values)); /* stable: equal keys keep the order of ranks */
    yoke_buffer_release(counts.buffer);
    yoke_buffer_release(go.buffer);
    yoke_buffer_release(bounds.buffer);
    free(cuts);
    return parts;
}

/* ---- The picture ---- */

/* Up and down again, from 0 to 255. */
static uint32_t wave(int i)
{
    return (uint32_t)(i & 256 ? 255 - (i & 255) : i & 255);
}

static uint32_t colour(int x, int y)
{
    const int a = (x - 90) * (x - 90) + (y - 70) * (y - 70), b = (x - 230) * (x - 230) + (y - 130) * (y - 130);

    return wave(a / 24) | wave(b / 40) << 8 | wave((a + b) / 96) << 16;
}

/* All pairs, the same at each rank: a random row again and again, and of each row one pixel after the other. */
static void make(int32_t *rows, uint32_t *colours, int height)
{
    int32_t *next = allocate((size_t)height * sizeof *next);
    uint32_t random = 1;

    memset(next, 0, (size_t)height * sizeof *next);
    for (int i = 0; i < height * WIDTH; i++)
        rows[i] = i / WIDTH;
    for (int i = height * WIDTH - 1; i > 0; i--) {
        random = random * 1664525u + 1013904223u;
        const int other = (int)(((uint64_t)random * (uint64_t)(i + 1)) >> 32);
        const int32_t row = rows[i];
        rows[i] = rows[other];
        rows[other] = row;
    }
    for (int i = 0; i < height * WIDTH; i++)
        colours[i] = colour(next[rows[i]]++, rows[i]);
    free(next);
}

/* How many pairs are not in their places. */
static int count_differences(const int32_t *rows, const uint32_t *colours, int height)
{
    int wrong = 0;

    for (int i = 0; i < height * WIDTH; i++)
        wrong += rows[i] != i / WIDTH || colours[i] != colour(i % WIDTH, i / WIDTH);
    return wrong;
}

/* What there was on the left, what came of it on the right. */
static void draw(const uint32_t *before, const uint32_t *after, int height)
{
    unsigned char *pixels = allocate((size_t)height * 2 * WIDTH * 3), *pixel = pixels;

    for (int y = 0; y < height; y++)
        for (int x = 0; x < 2 * WIDTH; x++) {
            const uint32_t rgb = x < WIDTH ? before[y * WIDTH + x] : after[y * WIDTH + x - WIDTH];
            *pixel++ = (unsigned char)rgb;
            *pixel++ = (unsigned char)(rgb >> 8);
            *pixel++ = (unsigned char)(rgb >> 16);
        }
    picture_write("sort_ranks.png", pixels, 2 * WIDTH, height);
    free(pixels);
}

/* The parts of all ranks, one behind the other, at rank 0. The size of the largest. */
static int collect(yoke_stream *stream, const pairs *parts, int32_t *rows, uint32_t *colours, int ranks)
{
    const int mine = (int)parts->keys.shape[0];
    int32_t *own_rows = allocate(((size_t)mine + 1) * sizeof *own_rows);
    uint32_t *own_colours = allocate(((size_t)mine + 1) * sizeof *own_colours);
    int *counts = allocate(2 * (size_t)ranks * sizeof *counts), *places = counts + ranks, most = 0;

    YOKE_CHECK(yoke_read_array(stream, own_rows, &parts->keys));
    YOKE_CHECK(yoke_read_array(stream, own_colours, &parts->values));
    YOKE_CHECK(yoke_stream_wait(stream));
    MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0, first = 0; r < ranks; first += counts[r++]) {
        places[r] = first;
        most = counts[r] > most ? counts[r] : most;
    }
    MPI_Gatherv(own_rows, mine, MPI_INT32_T, rows, counts, places, MPI_INT32_T, 0, MPI_COMM_WORLD);
    MPI_Gatherv(own_colours, mine, MPI_UINT32_T, colours, counts, places, MPI_UINT32_T, 0, MPI_COMM_WORLD);
    free(counts);
    free(own_colours);
    free(own_rows);
    return most;
}

int main(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int provided, rank, ranks, wrong = 0;
    yoke_device *device;
    yoke_stream *stream;
    yoke_comm *comm;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided); /* yoke_comm_create looks at what is provided */
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    const int height = number(argc, argv, 1, 200, 10000), n = height * WIDTH;
    const int first = (int)((int64_t)n * rank / ranks), mine = (int)((int64_t)n * (rank + 1) / ranks) - first;
    int32_t *rows = allocate(2 * (size_t)n * sizeof *rows), *sorted_rows = rows + n;
    uint32_t *colours = allocate(2 * (size_t)n * sizeof *colours), *sorted_colours = colours + n;
    if (n / ranks < SAMPLES) {
        fprintf(stderr, "sort_ranks: %d ranks are too many for %d pairs\n", ranks, n);
        MPI_Abort(world, 2);
    }
    make(rows, colours, height);

    YOKE_CHECK(yoke_comm_open_device(&world, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_comm_create(device, &world, &comm));
    YOKE_CHECK(yoke_comm_add(comm, stream));
    const pairs own = { create(device, YOKE_I32, mine), create(device, YOKE_U32, mine) };
    YOKE_CHECK(yoke_write_array(stream, &own.keys, rows + first));
    YOKE_CHECK(yoke_write_array(stream, &own.values, colours + first));
    const pairs parts = sort(device, stream, comm, &own, rank, ranks);
    const int most = collect(stream, &parts, sorted_rows, sorted_colours, ranks);

    if (rank == 0) {
        wrong = count_differences(sorted_rows, sorted_colours, height);
        draw(colours, sorted_colours, height);
        printf("sort_ranks: %d ranks, %d pairs, at most %d of them at one rank, %d in a wrong place: %s\n", ranks, n, most, wrong,
               wrong ? "wrong" : "right");
    }

    const yoke_array all[] = { parts.values, parts.keys, own.values, own.keys };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        yoke_buffer_release(all[i].buffer);
    yoke_comm_release(comm);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(colours);
    free(rows);
    MPI_Finalize();
    return wrong != 0;
}
