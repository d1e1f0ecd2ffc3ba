/* SPDX-License-Identifier: Apache-2.0 */
/*
 * k-means with the points divided among processes. In each round a rank finds the nearest centre of its points and adds them up by
 * centre; an allreduce adds the sums of all ranks, and each rank moves all centres. The coordinates are whole numbers, whose sums
 * do not depend on their order: any number of ranks finds the same centres, to the bit. Writes a picture, kmeans_ranks.png.
 *
 *     mpirun -n 4 kmeans_ranks [POINTS]
 */
#include <math.h>
#include <mpi.h>

#include <yoke/comm.h>
#include <yoke/ops.h>

#include "example.h"
#include "picture.h"

enum { CENTRES = 7, ROUNDS = 100, WIDTH = 480, HEIGHT = 320, UNITS = 64 }; /* in a pixel */

/* One rank's points, and what all ranks have together. */
typedef struct points {
    yoke_array x, y, side, before; /* side: the number of the nearest centre; before: in the round before */
    yoke_array centre_x, centre_y;
    yoke_array sums; /* for each centre x, y and the number of its points; and how many points have changed sides */
} points;

static yoke_array create(yoke_device *device, int32_t dtype, int64_t n)
{
    yoke_array array;

    YOKE_CHECK(yoke_array_create(device, dtype, 1, &n, &array));
    return array;
}

/* All points, the same at each rank, in clouds; and the first centres, which are points too. */
static void make(int32_t *x, int32_t *y, int32_t *cx, int32_t *cy, int n)
{
    static const int clouds[CENTRES][3] = { { 90, 80, 60 },   { 240, 60, 40 },  { 390, 90, 60 }, { 100, 240, 50 },
                                            { 250, 190, 45 }, { 330, 270, 40 }, { 430, 230, 40 } };
    uint32_t random = 1;

    for (int i = 0; i < n; i++) {
        int offsets[2] = { 0, 0 };
        for (int k = 0; k < 8; k++) { /* the mean of four numbers is near the middle, mostly */
            random = random * 1664525u + 1013904223u;
            offsets[k % 2] += (int)(random >> 16) % 1024 - 512;
        }
        const int *cloud = clouds[i % CENTRES];
        x[i] = cloud[0] * UNITS + offsets[0] * cloud[2] * UNITS / 1024;
        y[i] = cloud[1] * UNITS + offsets[1] * cloud[2] * UNITS / 1024;
    }
    for (int c = 0; c < CENTRES; c++) {
        cx[c] = x[(c * CENTRES + c % 2) % n]; /* all in two of the clouds, from where they have far to go */
        cy[c] = y[(c * CENTRES + c % 2) % n];
    }
}

/* One round, of which the host gets one number. */
static int64_t round_of(yoke_stream *stream, yoke_comm *comm, const points *p)
{
    const yoke_array side = p->side, before = p->before, cx = p->centre_x, cy = p->centre_y;
    const yoke_array x = yoke_array_expand(p->x, 1), y = yoke_array_expand(p->y, 1); /* each point meets each centre */
    const yoke_array sx = yoke_array_slice(p->sums, 0, 0, CENTRES, 1), sy = yoke_array_slice(p->sums, 0, CENTRES, 2 * CENTRES, 1);
    const yoke_array n = yoke_array_slice(p->sums, 0, 2 * CENTRES, 3 * CENTRES, 1);
    const yoke_array moved = yoke_array_slice(p->sums, 0, 3 * CENTRES, YOKE_SLICE_END, 1);
    int64_t changed;

    YOKE_CHECK(yoke_assign(stream, &before, &side));
    YOKE_CHECK(yoke_map_reduce(stream, YOKE_REDUCE_ARGMIN, &side, "(x - cx) * (x - cx) + (y - cy) * (y - cy)",
                               YOKE_VARS(x, y, cx, cy), YOKE_AXES(1)));
    YOKE_CHECK(yoke_map_reduce(stream, YOKE_REDUCE_SUM, &moved, "side != before", YOKE_VARS(side, before), YOKE_ALL_AXES));
    YOKE_CHECK(yoke_bincount(stream, &n, &side, NULL));
    YOKE_CHECK(yoke_bincount(stream, &sx, &side, &p->x));
    YOKE_CHECK(yoke_bincount(stream, &sy, &side, &p->y));
    YOKE_CHECK(yoke_comm_allreduce(stream, comm, YOKE_REDUCE_SUM, &p->sums, &p->sums)); /* in its turn, as everything else */
    YOKE_CHECK(yoke_map(stream, "cx = n > 0 ? sx / n : cx; cy = n > 0 ? sy / n : cy", YOKE_VARS(cx, cy, sx, sy, n)));
    YOKE_CHECK(yoke_read_sync(stream, &changed, p->sums.buffer, 3 * CENTRES * sizeof changed, sizeof changed));
    return changed;
}

/* The same by one processor, for all points. */
static int rounds_on_host(const int32_t *x, const int32_t *y, int32_t *cx, int32_t *cy, int32_t *side, int n)
{
    int rounds = 0;

    for (int changed = 1; changed && rounds < ROUNDS; rounds++) {
        int64_t sums[CENTRES][3] = { { 0 } };
        changed = 0;
        for (int i = 0; i < n; i++) {
            int nearest = 0, least = INT32_MAX;
            for (int c = 0; c < CENTRES; c++) {
                const int square = (x[i] - cx[c]) * (x[i] - cx[c]) + (y[i] - cy[c]) * (y[i] - cy[c]);
                nearest = square < least ? c : nearest;
                least = square < least ? square : least;
            }
            changed += rounds == 0 || side[i] != nearest;
            side[i] = nearest;
            sums[nearest][0] += x[i];
            sums[nearest][1] += y[i];
            sums[nearest][2]++;
        }
        for (int c = 0; c < CENTRES; c++)
            if (sums[c][2] > 0) {
                cx[c] = (int32_t)(sums[c][0] / sums[c][2]);
                cy[c] = (int32_t)(sums[c][1] / sums[c][2]);
            }
    }
    return rounds;
}

/* Points in the colours of their centres, and black centres. */
static void draw(const int32_t *x, const int32_t *y, const int32_t *side, const int32_t *cx, const int32_t *cy, int n)
{
    static const unsigned char colours[CENTRES][3] = { { 228, 26, 28 }, { 55, 126, 184 }, { 77, 175, 74 },  { 152, 78, 163 },
                                                       { 255, 127, 0 }, { 166, 86, 40 },  { 247, 129, 191 } };
    static unsigned char pixels[HEIGHT][WIDTH][3];

    memset(pixels, 255, sizeof pixels);
    for (int i = 0; i < n; i++) {
        const int px = x[i] / UNITS, py = y[i] / UNITS;
        if (px >= 0 && px < WIDTH && py >= 0 && py < HEIGHT)
            memcpy(pixels[py][px], colours[side[i]], 3);
    }
    for (int c = 0; c < CENTRES; c++)
        for (int k = 0; k < 49; k++) {
            const int px = cx[c] / UNITS + k % 7 - 3, py = cy[c] / UNITS + k / 7 - 3;
            if (px >= 0 && px < WIDTH && py >= 0 && py < HEIGHT)
                memset(pixels[py][px], 0, 3);
        }
    picture_write("kmeans_ranks.png", &pixels[0][0][0], WIDTH, HEIGHT);
}

int main(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int provided, rank, ranks, rounds = 0, wrong = 0;
    int32_t cx[CENTRES], cy[CENTRES], found_x[CENTRES], found_y[CENTRES];
    yoke_device *device;
    yoke_stream *stream;
    yoke_comm *comm;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided); /* yoke_comm_create looks at what is provided */
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    const int n = number(argc, argv, 1, 20000, 1 << 24);
    const int first = (int)((int64_t)n * rank / ranks), mine = (int)((int64_t)n * (rank + 1) / ranks) - first;
    int32_t *x = allocate((size_t)n * sizeof *x), *y = allocate((size_t)n * sizeof *y), *side = allocate((size_t)n * sizeof *side);
    make(x, y, cx, cy, n);

    YOKE_CHECK(yoke_comm_open_device(&world, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_comm_create(device, &world, &comm));
    YOKE_CHECK(yoke_comm_add(comm, stream));
    const points p = { create(device, YOKE_I32, mine),           create(device, YOKE_I32, mine),
                       create(device, YOKE_I32, mine),           create(device, YOKE_I32, mine),
                       create(device, YOKE_I32, CENTRES),        create(device, YOKE_I32, CENTRES),
                       create(device, YOKE_I64, 3 * CENTRES + 1) };
    YOKE_CHECK(yoke_write_array(stream, &p.x, x + first));
    YOKE_CHECK(yoke_write_array(stream, &p.y, y + first));
    YOKE_CHECK(yoke_write_array(stream, &p.centre_x, cx));
    YOKE_CHECK(yoke_write_array(stream, &p.centre_y, cy));
    YOKE_CHECK(yoke_assign_value(stream, &p.side, YOKE_NUMBER(-1)));
    for (int64_t changed = 1; changed && rounds < ROUNDS; rounds++)
        changed = round_of(stream, comm, &p);
    YOKE_CHECK(yoke_read_array(stream, found_x, &p.centre_x));
    YOKE_CHECK(yoke_read_array(stream, found_y, &p.centre_y));
    YOKE_CHECK(yoke_stream_wait(stream));

    const int expected = rounds_on_host(x, y, cx, cy, side, n);
    for (int c = 0; c < CENTRES; c++)
        wrong += found_x[c] != cx[c] || found_y[c] != cy[c];
    wrong += rounds != expected;
    if (rank == 0) {
        draw(x, y, side, found_x, found_y, n);
        printf("kmeans_ranks: %d ranks, %d points, %d rounds, %d of %d centres differ from those of one processor: %s\n", ranks, n,
               rounds, wrong, CENTRES, wrong ? "wrong" : "right");
    }

    const yoke_array all[] = { p.x, p.y, p.side, p.before, p.centre_x, p.centre_y, p.sums };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        yoke_buffer_release(all[i].buffer);
    yoke_comm_release(comm);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(side);
    free(y);
    free(x);
    MPI_Finalize();
    return wrong != 0;
}
