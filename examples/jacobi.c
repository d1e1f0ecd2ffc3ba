/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The temperature of a plate with hot and cold bodies, by Jacobi's iteration: each point becomes the mean of its four neighbours.
 * The plate is cut into one rectangle for each rank. Each step exchanges the edges of the rectangles in one stream, while another
 * one computes the inside, which does not need them. Any number of ranks gives the same bits. Writes a picture, jacobi.png.
 *
 *     mpirun -n 4 jacobi [STEPS]
 */
#include <mpi.h>

#include <yoke/comm.h>

#include "example.h"
#include "picture.h"

enum { WIDTH = 320, HEIGHT = 200, CELLS = WIDTH * HEIGHT };

/* A rectangle has width x height points and a halo of one point round them. Points 0 to inner - 1 of `relax` are those that need no
 * halo, row by row, the points behind them are the edges: upper, lower, left, right. The columns left and right are not contiguous:
 * `pack` copies them to be sent, and `unpack` takes what has come. */
static const char text[] =
    "#include <yoke/kernel.h>\n"
    "YOKE_KERNEL void relax(YOKE_GLOBAL const float *from, YOKE_GLOBAL float *to, YOKE_GLOBAL const float *fixed,\n"
    "                       int width, int height, int first, int count)\n"
    "{\n"
    "    int i = (int)yoke_global_x(), inside = (width - 2) * (height - 2), x, y;\n"
    "    if (i >= count)\n"
    "        return;\n"
    "    i += first;\n"
    "    if (i < inside) {\n"
    "        x = 2 + i % (width - 2);\n"
    "        y = 2 + i / (width - 2);\n"
    "    } else if (i - inside < 2 * width) {\n"
    "        x = 1 + (i - inside) % width;\n"
    "        y = i - inside < width ? 1 : height;\n"
    "    } else {\n"
    "        i -= inside + 2 * width;\n"
    "        x = i < height - 2 ? 1 : width;\n"
    "        y = 2 + i % (height - 2);\n"
    "    }\n"
    "    i = y * (width + 2) + x;\n"
    "    to[i] = fixed[i] >= 0 ? fixed[i] : 0.25f * ((from[i - 1] + from[i + 1]) + (from[i - width - 2] + from[i + width + 2]));\n"
    "}\n"
    "YOKE_KERNEL void pack(YOKE_GLOBAL const float *plate, YOKE_GLOBAL float *columns, int width, int height)\n"
    "{\n"
    "    int i = (int)yoke_global_x();\n"
    "    if (i < height) {\n"
    "        columns[i] = plate[(i + 1) * (width + 2) + 1];\n"
    "        columns[height + i] = plate[(i + 1) * (width + 2) + width];\n"
    "    }\n"
    "}\n"
    "YOKE_KERNEL void unpack(YOKE_GLOBAL float *plate, YOKE_GLOBAL const float *columns, int width, int height)\n"
    "{\n"
    "    int i = (int)yoke_global_x();\n"
    "    if (i < height) {\n"
    "        plate[(i + 1) * (width + 2)] = columns[2 * height + i];\n"
    "        plate[(i + 1) * (width + 2) + width + 1] = columns[3 * height + i];\n"
    "    }\n"
    "}\n";

/* What a point is held at; -1: nothing. */
static float body(int x, int y)
{
    const int dx = x - 110, dy = y - 80, ex = x - 220, ey = y - 120;

    if (dx * dx + dy * dy < 30 * 30 && dx * dx + dy * dy > 22 * 22)
        return 1;
    if (ex * ex + ey * ey < 20 * 20)
        return 0.75f;
    return abs(x - y - 70) < 4 && y > 20 && y < 180 ? 0 : -1;
}

static float start(int x, int y)
{
    const float held = body(x, y);

    return held < 0 ? 0.25f : held;
}

/* ---- One rank's part ---- */

typedef struct part {
    int x, y, width, height;       /* in the plate */
    int left, right, above, below; /* ranks, or YOKE_COMM_NULL */
    yoke_buffer *plate[2], *fixed; /* width + 2 by height + 2 */
    yoke_buffer *columns;          /* to the left, to the right, from the left, from the right */
    yoke_kernel *relax, *pack, *unpack;
    yoke_stream *inner, *edges;
    yoke_comm *comm;
} part;

/* The ranks in rows and columns. */
static void cut(part *p, int rank, int ranks, int *columns, int *rows)
{
    int shape[2] = { 0, 0 };

    MPI_Dims_create(ranks, 2, shape);
    const int c = rank % shape[0], r = rank / shape[0];
    p->x = WIDTH * c / shape[0];
    p->y = HEIGHT * r / shape[1];
    p->width = WIDTH * (c + 1) / shape[0] - p->x;
    p->height = HEIGHT * (r + 1) / shape[1] - p->y;
    p->left = c > 0 ? rank - 1 : YOKE_COMM_NULL;
    p->right = c + 1 < shape[0] ? rank + 1 : YOKE_COMM_NULL;
    p->above = r > 0 ? rank - shape[0] : YOKE_COMM_NULL;
    p->below = r + 1 < shape[1] ? rank + shape[0] : YOKE_COMM_NULL;
    *columns = shape[0];
    *rows = shape[1];
}

/* The plate's first state, and what is held. Outside of the plate it is 0. */
static void fill(const part *p)
{
    const size_t pitch = (size_t)p->width + 2, size = pitch * ((size_t)p->height + 2) * sizeof(float);
    float *plate = allocate(size), *fixed = allocate(size);

    memset(plate, 0, size);
    for (size_t i = 0; i < size / sizeof(float); i++)
        fixed[i] = -1;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            plate[(size_t)(y + 1) * pitch + (size_t)x + 1] = start(p->x + x, p->y + y);
            fixed[(size_t)(y + 1) * pitch + (size_t)x + 1] = body(p->x + x, p->y + y);
        }
    YOKE_CHECK(yoke_write_sync(p->inner, p->plate[0], 0, plate, size));
    YOKE_CHECK(yoke_write_sync(p->inner, p->plate[1], 0, plate, size)); /* for its halo */
    YOKE_CHECK(yoke_write_sync(p->inner, p->fixed, 0, fixed, size));
    memset(plate, 0, size);
    YOKE_CHECK(yoke_write_sync(p->inner, p->columns, 0, plate, (size_t)p->height * 4 * sizeof(float))); /* what never comes */
    free(plate);
    free(fixed);
}

/* What is sent and received in a step: rows from and to the plate itself, columns from and to their buffer. */
static void exchange(const part *p, yoke_buffer *plate)
{
    const int64_t w = p->width, h = p->height, pitch = w + 2;
    yoke_buffer *columns = p->columns;
    const yoke_comm_message messages[] = {
        { YOKE_COMM_SEND, p->above, 1, yoke_comm_array(plate, YOKE_F32, pitch + 1, w) },
        { YOKE_COMM_SEND, p->below, 2, yoke_comm_array(plate, YOKE_F32, h * pitch + 1, w) },
        { YOKE_COMM_SEND, p->left, 3, yoke_comm_array(columns, YOKE_F32, 0, h) },
        { YOKE_COMM_SEND, p->right, 4, yoke_comm_array(columns, YOKE_F32, h, h) },
        { YOKE_COMM_RECEIVE, p->below, 1, yoke_comm_array(plate, YOKE_F32, (h + 1) * pitch + 1, w) },
        { YOKE_COMM_RECEIVE, p->above, 2, yoke_comm_array(plate, YOKE_F32, 1, w) },
        { YOKE_COMM_RECEIVE, p->right, 3, yoke_comm_array(columns, YOKE_F32, 3 * h, h) },
        { YOKE_COMM_RECEIVE, p->left, 4, yoke_comm_array(columns, YOKE_F32, 2 * h, h) },
    };

    YOKE_CHECK(yoke_comm_group(p->edges, p->comm, messages, sizeof messages / sizeof messages[0]));
}

static void step(const part *p, yoke_buffer *from, yoke_buffer *to)
{
    const int w = p->width, h = p->height, inside = (w - 2) * (h - 2), around = 2 * w + 2 * (h - 2);
    yoke_event *before, *exchanged;

    YOKE_CHECK(yoke_event_record(p->inner, 0, &before)); /* the step before is complete */
    YOKE_CHECK(yoke_stream_wait_event(p->edges, before));
    YOKE_CHECK(yoke_launch_n(p->edges, p->pack, (size_t)h, YOKE_ARGS(from, p->columns, w, h)));
    exchange(p, from);
    YOKE_CHECK(yoke_launch_n(p->edges, p->unpack, (size_t)h, YOKE_ARGS(from, p->columns, w, h)));
    YOKE_CHECK(yoke_event_record(p->edges, 0, &exchanged));
    YOKE_CHECK(yoke_launch_n(p->inner, p->relax, (size_t)inside, YOKE_ARGS(from, to, p->fixed, w, h, 0, inside)));
    YOKE_CHECK(yoke_stream_wait_event(p->inner, exchanged)); /* meanwhile the edges have come, or almost */
    YOKE_CHECK(yoke_launch_n(p->inner, p->relax, (size_t)around, YOKE_ARGS(from, to, p->fixed, w, h, inside, around)));
    yoke_event_release(before);
    yoke_event_release(exchanged);
}

/* ---- The whole ---- */

/* How many points of the plate are not what one processor computes, bit for bit. */
static int count_differences(const float *plate, int steps)
{
    static float host[2][HEIGHT + 2][WIDTH + 2];
    int wrong = 0;

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            host[0][y + 1][x + 1] = start(x, y);
    for (int i = 0; i < steps; i++)
        for (int y = 1; y <= HEIGHT; y++)
            for (int x = 1; x <= WIDTH; x++) {
                float(*from)[WIDTH + 2] = host[i % 2];
                const float held = body(x - 1, y - 1);
                host[(i + 1) % 2][y][x] =
                    held >= 0 ? held : 0.25f * ((from[y][x - 1] + from[y][x + 1]) + (from[y - 1][x] + from[y + 1][x]));
            }
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            wrong += memcmp(&plate[y * WIDTH + x], &host[steps % 2][y + 1][x + 1], sizeof(float)) != 0;
    return wrong;
}

static void draw(const float *plate)
{
    static unsigned char pixels[CELLS * 3];

    for (int i = 0; i < CELLS; i++)
        for (int colour = 0; colour < 3; colour++)
            pixels[3 * i + colour] = picture_byte(3 * plate[i] - (float)colour);
    picture_write("jacobi.png", pixels, WIDTH, HEIGHT);
}

static void open_part(part *p, yoke_device *device, yoke_program *program)
{
    MPI_Comm world = MPI_COMM_WORLD;
    yoke_stream_desc urgent = YOKE_STREAM_DESC_INIT;
    const size_t size = ((size_t)p->width + 2) * ((size_t)p->height + 2) * sizeof(float);

    YOKE_CHECK(yoke_kernel_get(program, "relax", &p->relax));
    YOKE_CHECK(yoke_kernel_get(program, "pack", &p->pack));
    YOKE_CHECK(yoke_kernel_get(program, "unpack", &p->unpack));
    YOKE_CHECK(yoke_buffer_create(device, size, &p->plate[0]));
    YOKE_CHECK(yoke_buffer_create(device, size, &p->plate[1]));
    YOKE_CHECK(yoke_buffer_create(device, size, &p->fixed));
    YOKE_CHECK(yoke_buffer_create(device, (size_t)p->height * 4 * sizeof(float), &p->columns));
    YOKE_CHECK(yoke_stream_create(device, NULL, &p->inner));
    urgent.priority = YOKE_MAX_PRIORITY; /* else the edges wait until all of the inside has begun */
    YOKE_CHECK(yoke_stream_create(device, &urgent, &p->edges));
    YOKE_CHECK(yoke_comm_create(device, &world, &p->comm));
    YOKE_CHECK(yoke_comm_add(p->comm, p->edges));
}

static void close_part(part *p)
{
    yoke_comm_release(p->comm);
    yoke_stream_release(p->edges);
    yoke_stream_release(p->inner);
    yoke_buffer_release(p->columns);
    yoke_buffer_release(p->fixed);
    yoke_buffer_release(p->plate[1]);
    yoke_buffer_release(p->plate[0]);
}

int main(int argc, char **argv)
{
    static float mine[CELLS], all[CELLS];
    const yoke_source source = { .name = "jacobi", .text = text, .math = YOKE_MATH_EXACT }; /* as the host computes it */
    MPI_Comm world = MPI_COMM_WORLD;
    int provided, rank, ranks, columns, rows, wrong = 0;
    yoke_device *device;
    yoke_program *program;
    part p;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided); /* yoke_comm_create looks at what is provided */
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    const int steps = number(argc, argv, 1, 300, 1000000);
    cut(&p, rank, ranks, &columns, &rows);
    if (columns > WIDTH / 3 || rows > HEIGHT / 3) {
        fprintf(stderr, "jacobi: %d ranks are too many for %d x %d points\n", ranks, WIDTH, HEIGHT);
        MPI_Abort(world, 2);
    }
    YOKE_CHECK(yoke_comm_open_device(&world, &device));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    open_part(&p, device, program);
    fill(&p);

    for (int i = 0; i < steps; i++)
        step(&p, p.plate[i % 2], p.plate[(i + 1) % 2]);
    /* Each rank's rectangle, in its place of the plate; the rest is 0, so that the sum is the plate. */
    YOKE_CHECK(yoke_read_rect_sync(
        p.inner, mine, (yoke_pitch){ (size_t)(p.y * WIDTH + p.x) * sizeof(float), WIDTH * sizeof(float), 0 }, p.plate[steps % 2],
        (yoke_pitch){ ((size_t)p.width + 3) * sizeof(float), ((size_t)p.width + 2) * sizeof(float), 0 },
        (yoke_rect){ (size_t)p.width * sizeof(float), (size_t)p.height, 1 }));
    YOKE_CHECK(yoke_stream_wait(p.edges));
    MPI_Reduce(mine, all, CELLS, MPI_FLOAT, MPI_SUM, 0, world);

    if (rank == 0) {
        wrong = count_differences(all, steps);
        draw(all);
        printf("jacobi: %d x %d ranks, %d steps, %d of %d points differ from those of one processor: %s\n", columns, rows, steps,
               wrong, CELLS, wrong ? "wrong" : "right");
    }
    close_part(&p);
    yoke_program_release(program);
    yoke_device_release(device);
    MPI_Finalize();
    return wrong != 0;
}
