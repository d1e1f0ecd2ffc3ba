/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conway's life on a torus, starting with Gosper's gun, which fires a glider every 30 generations. In a terminal it is an
 * animation; when piped, every 30th generation is printed. life [GENERATIONS]
 */
#define _POSIX_C_SOURCE 199309L
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "example.h"

enum { WIDTH = 76, HEIGHT = 44, CELLS = WIDTH * HEIGHT };

#define BODY                                                                                     \
    "    if (x < width && y < height) {\n"                                                       \
    "        int neighbours = -from[y * width + x];\n"                                           \
    "        for (int dy = height - 1; dy <= height + 1; dy++)\n"                                \
    "            for (int dx = width - 1; dx <= width + 1; dx++)\n"                              \
    "                neighbours += from[(y + dy) % height * width + (x + dx) % width];\n"        \
    "        to[y * width + x] = neighbours == 3 || (neighbours == 2 && from[y * width + x]);\n" \
    "    }\n"                                                                                    \
    "}\n"

static const yoke_source source = {
    .name = "life",
    .cuda = "extern \"C\" __global__ void life(const signed char *from, signed char *to, int width, int height)\n"
            "{\n"
            "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n" BODY,
    .opencl = "__kernel void life(__global const char *from, __global char *to, int width, int height)\n"
              "{\n"
              "    int x = get_global_id(0), y = get_global_id(1);\n" BODY,
};

static const char *const gun[] = {
    "........................O...........", "......................O.O...........", "............OO......OO............OO",
    "...........O...O....OO............OO", "OO........O.....O...OO..............", "OO........O...O.OO....O.O...........",
    "..........O.....O.......O...........", "...........O...O....................", "............OO......................",
};

static void next_on_host(const signed char *from, signed char *to)
{
    for (int i = 0; i < CELLS; i++) {
        int neighbours = -from[i];
        for (int j = 0; j < 9; j++)
            neighbours += from[(i / WIDTH + j / 3 + HEIGHT - 1) % HEIGHT * WIDTH + (i + j % 3 + WIDTH - 1) % WIDTH];
        to[i] = neighbours == 3 || (neighbours == 2 && from[i]);
    }
}

/* Two rows in one line of text, so that cells are about square. */
static void show(const signed char *cells, int generation, int film)
{
    static const char *const half[] = { " ", "\xe2\x96\x80", "\xe2\x96\x84", "\xe2\x96\x88" };
    int population = 0;

    for (int i = 0; i < CELLS; i++)
        population += cells[i];
    if (film)
        fputs(generation == 0 ? "\033[2J\033[H" : "\033[H", stdout);
    for (int y = 0; y < HEIGHT; y += 2) {
        for (int x = 0; x < WIDTH; x++)
            fputs(half[cells[y * WIDTH + x] + 2 * cells[(y + 1) * WIDTH + x]], stdout);
        fputc('\n', stdout);
    }
    printf("generation %d: %d cells are alive\n", generation, population);
    fflush(stdout);
    if (film)
        nanosleep(&(struct timespec){ 0, 40000000 }, NULL);
}

int main(int argc, char **argv)
{
    const int film = isatty(STDOUT_FILENO), generations = number(argc, argv, 1, film ? 600 : 90, 1000000);
    static signed char cells[CELLS], host[2][CELLS];
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *buffers[2];
    yoke_program *program;
    yoke_kernel *life;
    int wrong = 0;

    for (int y = 0; y < 9; y++)
        for (int x = 0; gun[y][x]; x++)
            host[0][(y + 2) * WIDTH + x + 2] = gun[y][x] == 'O';
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "life", &life));
    YOKE_CHECK(yoke_buffer_create(device, CELLS, &buffers[0]));
    YOKE_CHECK(yoke_buffer_create(device, CELLS, &buffers[1]));
    YOKE_CHECK(yoke_write(stream, buffers[0], 0, host[0], CELLS));

    for (int i = 0; i <= generations && !wrong; i++) {
        yoke_buffer *now = buffers[i % 2], *next = buffers[(i + 1) % 2];
        if (film || i % 30 == 0) {
            YOKE_CHECK(yoke_read_sync(stream, cells, now, 0, CELLS));
            wrong = memcmp(cells, host[i % 2], CELLS) != 0;
            show(cells, i, film);
        }
        YOKE_CHECK(yoke_launch(stream, life, YOKE_DIM((WIDTH + 15) / 16, (HEIGHT + 7) / 8), YOKE_DIM(16, 8), 0,
                               YOKE_ARGS(now, next, WIDTH, HEIGHT)));
        next_on_host(host[i % 2], host[(i + 1) % 2]);
    }
    YOKE_CHECK(yoke_stream_wait(stream));
    printf("life: %d generations: %s\n", generations, wrong ? "wrong" : "right");

    yoke_buffer_release(buffers[1]);
    yoke_buffer_release(buffers[0]);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    return wrong;
}
