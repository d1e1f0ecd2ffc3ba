/* SPDX-License-Identifier: Apache-2.0 */
/*
 * k-means by operations of <yoke/ops.h>: points are divided among centres, and each centre moves to the mean of its points, until
 * no point changes sides. A round is five calls. Writes a picture, kmeans.png. kmeans [POINTS]
 *
 * A common mistake: to store the distance of each point to each centre. yoke_map_reduce takes the least of them while they are
 * made.
 */
#include <math.h>

#include <yoke/ops.h>

#include "example.h"
#include "picture.h"

enum { CENTRES = 7, ROUNDS = 100, WIDTH = 480, HEIGHT = 320 };

typedef struct points {
    int64_t n;
    yoke_array x, y;    /* n floats each */
    yoke_array side;    /* of n points: the number of their centre */
    yoke_array before;  /* the same in the round before */
    yoke_array cx, cy;  /* the centres */
    yoke_array sums[2]; /* of the coordinates of a centre's points */
    yoke_array count;   /* of a centre's points */
    yoke_array moved;   /* how many points have changed sides */
} points;

static yoke_array create(yoke_device *device, int32_t dtype, int64_t n)
{
    yoke_array array;

    YOKE_CHECK(yoke_array_create(device, dtype, 1, &n, &array));
    return array;
}

static void create_all(yoke_device *device, points *p, int64_t n)
{
    p->n = n;
    p->x = create(device, YOKE_F32, n);
    p->y = create(device, YOKE_F32, n);
    p->side = create(device, YOKE_I32, n);
    p->before = create(device, YOKE_I32, n);
    p->cx = create(device, YOKE_F32, CENTRES);
    p->cy = create(device, YOKE_F32, CENTRES);
    p->sums[0] = create(device, YOKE_F32, CENTRES);
    p->sums[1] = create(device, YOKE_F32, CENTRES);
    p->count = create(device, YOKE_I32, CENTRES);
    p->moved = create(device, YOKE_I32, 1);
}

static void release_all(const points *p)
{
    const yoke_array all[] = { p->x, p->y, p->side, p->before, p->cx, p->cy, p->sums[0], p->sums[1], p->count, p->moved };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        yoke_buffer_release(all[i].buffer);
}

/* Clouds of points, one after the other. The first centres are points too, far from each other in this order. */
static void start(float *x, float *y, float *cx, float *cy, int n)
{
    static const float clouds[][3] = { { 90, 80, 45 },   { 240, 60, 30 },  { 390, 90, 50 }, { 100, 240, 40 },
                                       { 250, 190, 35 }, { 330, 270, 30 }, { 430, 230, 30 } };

    for (int i = 0; i < n; i++) {
        const float *cloud = clouds[i * 7LL / n];
        const float r = cloud[2] * sqrtf(-0.5f * logf(((float)rand() + 1) / ((float)RAND_MAX + 1)));
        const float angle = 6.2831853f * (float)rand() / (float)RAND_MAX;
        x[i] = cloud[0] + r * cosf(angle);
        y[i] = cloud[1] + r * sinf(angle);
    }
    for (int i = 0; i < CENTRES; i++) {
        cx[i] = x[(2 * i + 1) * (n / 2) / CENTRES];
        cy[i] = y[(2 * i + 1) * (n / 2) / CENTRES];
    }
}

/* The number of the nearest centre, for points of any shape. The points get one axis more, along which the centres lie, so that
 * each point meets each centre; the position of the least square of a distance along this axis is the number. */
static void find_nearest(yoke_stream *stream, const yoke_array *side, yoke_array x, yoke_array y, yoke_array cx, yoke_array cy)
{
    x = yoke_array_expand(x, x.dimensions);
    y = yoke_array_expand(y, y.dimensions);
    YOKE_CHECK(yoke_map_reduce(stream, YOKE_REDUCE_ARGMIN, side, "(x - cx) * (x - cx) + (y - cy) * (y - cy)",
                               YOKE_VARS(x, y, cx, cy), YOKE_AXES(side->dimensions)));
}

/* One round, of which the host gets one number. */
static int round_of(yoke_stream *stream, const points *p)
{
    const yoke_array side = p->side, before = p->before, cx = p->cx, cy = p->cy, sx = p->sums[0], sy = p->sums[1], n = p->count;
    int moved;

    YOKE_CHECK(yoke_assign(stream, &before, &side));
    find_nearest(stream, &side, p->x, p->y, cx, cy);
    YOKE_CHECK(yoke_map_reduce(stream, YOKE_REDUCE_SUM, &p->moved, "side != before", YOKE_VARS(side, before), YOKE_ALL_AXES));

    /* How many points each centre has, and the sums of their coordinates: counts with weights. */
    YOKE_CHECK(yoke_bincount(stream, &n, &side, NULL));
    YOKE_CHECK(yoke_bincount(stream, &sx, &side, &p->x));
    YOKE_CHECK(yoke_bincount(stream, &sy, &side, &p->y));
    YOKE_CHECK(yoke_map(stream, "cx = n > 0 ? sx / n : cx; cy = n > 0 ? sy / n : cy", YOKE_VARS(cx, cy, sx, sy, n)));
    YOKE_CHECK(yoke_read_sync(stream, &moved, p->moved.buffer, 0, sizeof moved));
    return moved;
}

/* Whether a place has another centre than its nearest; where two are equally near, either is right. */
static int is_wrong(double x, double y, int32_t side, const float *cx, const float *cy)
{
    double least = INFINITY;

    for (int c = 0; c < CENTRES; c++)
        least = fmin(least, hypot(x - cx[c], y - cy[c]));
    return side < 0 || side >= CENTRES || !(hypot(x - cx[side], y - cy[side]) < least + 1e-3);
}

/* At the end each point is at its nearest centre, and each centre is the mean of its points. */
static int check(const float *x, const float *y, const int32_t *side, const float *cx, const float *cy, int n)
{
    double sums[CENTRES][3] = { { 0 } };
    int wrong = 0;

    for (int i = 0; i < n; i++) {
        if (is_wrong(x[i], y[i], side[i], cx, cy)) {
            wrong++;
            continue;
        }
        sums[side[i]][0] += x[i];
        sums[side[i]][1] += y[i];
        sums[side[i]][2]++;
    }
    for (int c = 0; c < CENTRES; c++)
        wrong += sums[c][2] > 0 && !(hypot(sums[c][0] / sums[c][2] - cx[c], sums[c][1] / sums[c][2] - cy[c]) < 1e-2);
    return wrong;
}

/* Each pixel gets the colour of its nearest centre, and each point is a darker pixel. All of it is made on the device. Returns how
 * many pixels have another centre than the host finds. */
static int draw(yoke_device *device, yoke_stream *stream, const points *p, const float *centre_x, const float *centre_y)
{
    static const unsigned char colours[CENTRES][3] = { { 238, 140, 130 }, { 250, 205, 120 }, { 175, 215, 130 }, { 125, 205, 200 },
                                                       { 135, 170, 235 }, { 190, 150, 225 }, { 225, 160, 190 } };
    static unsigned char pixels[HEIGHT * WIDTH * 3];
    static int32_t sides[HEIGHT * WIDTH];
    int wrong = 0;
    yoke_array px = create(device, YOKE_F32, WIDTH), py = create(device, YOKE_F32, HEIGHT);
    yoke_array nearest = create(device, YOKE_I32, WIDTH * HEIGHT), ink = create(device, YOKE_U32, WIDTH * HEIGHT);
    yoke_array pixel = create(device, YOKE_I32, p->n), bytes = create(device, YOKE_U8, sizeof pixels);
    yoke_array palette = create(device, YOKE_U8, sizeof colours), x = p->x, y = p->y;
    const int width = WIDTH, height = HEIGHT;

    YOKE_CHECK(yoke_write(stream, palette.buffer, 0, colours, sizeof colours));
    YOKE_CHECK(yoke_map(stream, "px = i + 0.5f", YOKE_VARS(px)));
    YOKE_CHECK(yoke_map(stream, "py = i + 0.5f", YOKE_VARS(py)));
    const yoke_array grid = yoke_array_reshape(nearest, 2, (int64_t[]){ HEIGHT, WIDTH });
    find_nearest(stream, &grid, px, yoke_array_expand(py, 1), p->cx, p->cy); /* a row, and a column: a plane */

    const yoke_array rgb = yoke_array_reshape(bytes, 2, (int64_t[]){ WIDTH * HEIGHT, 3 });
    palette = yoke_array_reshape(palette, 2, (int64_t[]){ CENTRES, 3 });
    YOKE_CHECK(yoke_gather(stream, &rgb, &palette, &nearest, 0));
    YOKE_CHECK(yoke_map(stream, "pixel = x >= 0 && x < width && y >= 0 && y < height ? (int32)y * width + (int32)x : -1",
                        YOKE_VARS(pixel, x, y, width, height)));
    YOKE_CHECK(yoke_bincount(stream, &ink, &pixel, NULL)); /* -1 is none of the bins */
    const yoke_array paper = yoke_array_expand(ink, 1);
    YOKE_CHECK(yoke_map(stream, "rgb = (float)rgb / (1 + 0.6f * min(paper, 3u))", YOKE_VARS(rgb, paper)));
    YOKE_CHECK(yoke_read(stream, sides, nearest.buffer, 0, sizeof sides));
    YOKE_CHECK(yoke_read_sync(stream, pixels, bytes.buffer, 0, sizeof pixels));
    picture_write("kmeans.png", pixels, WIDTH, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        wrong += is_wrong(i % WIDTH + 0.5, i / WIDTH + 0.5, sides[i], centre_x, centre_y);

    const yoke_array all[] = { px, py, nearest, ink, pixel, bytes, palette };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        yoke_buffer_release(all[i].buffer);
    return wrong;
}

int main(int argc, char **argv)
{
    const int n = number(argc, argv, 1, 20000, 1 << 24);
    const size_t size = (size_t)n * sizeof(float);
    float *x = allocate(2 * size), *y = x + n, cx[CENTRES], cy[CENTRES];
    int32_t *side = allocate(size);
    yoke_device *device;
    yoke_stream *stream;
    points p;
    int rounds = 0, moved = n;

    start(x, y, cx, cy, n);
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    create_all(device, &p, n);
    YOKE_CHECK(yoke_write(stream, p.x.buffer, 0, x, size));
    YOKE_CHECK(yoke_write(stream, p.y.buffer, 0, y, size));
    YOKE_CHECK(yoke_write(stream, p.cx.buffer, 0, cx, sizeof cx));
    YOKE_CHECK(yoke_write(stream, p.cy.buffer, 0, cy, sizeof cy));
    YOKE_CHECK(yoke_assign_value(stream, &p.side, YOKE_NUMBER(-1)));
    for (; moved && rounds < ROUNDS; rounds++)
        moved = round_of(stream, &p);

    YOKE_CHECK(yoke_read(stream, side, p.side.buffer, 0, size));
    YOKE_CHECK(yoke_read(stream, cx, p.cx.buffer, 0, sizeof cx));
    YOKE_CHECK(yoke_read(stream, cy, p.cy.buffer, 0, sizeof cy));
    YOKE_CHECK(yoke_stream_wait(stream));
    const int wrong = draw(device, stream, &p, cx, cy) + check(x, y, side, cx, cy, n) + (moved != 0);
    printf("kmeans: %d points, %d centres, %d rounds, %d wrong\n", n, CENTRES, rounds, wrong);

    release_all(&p);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(side);
    free(x);
    return wrong != 0;
}
