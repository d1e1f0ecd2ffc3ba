/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heat equation on a plate with insulated edges. Two steps, back and forth between two buffers, are recorded as a graph,
 * which is then launched repeatedly. Writes a picture, heat.png. heat [STEPS]
 */
#include <math.h>

#include <yoke/graph.h>

#include "example.h"
#include "picture.h"

enum { WIDTH = 320, HEIGHT = 200 };

/* A fifth of the difference to each neighbour flows; at the edge the point is its own neighbour. */
#define BODY                                                                                        \
    "    if (x < width && y < height) {\n"                                                          \
    "        float left = from[y * width + (x > 0 ? x - 1 : x)];\n"                                 \
    "        float right = from[y * width + (x < width - 1 ? x + 1 : x)];\n"                        \
    "        float above = from[(y > 0 ? y - 1 : y) * width + x];\n"                                \
    "        float below = from[(y < height - 1 ? y + 1 : y) * width + x];\n"                       \
    "        float here = from[y * width + x];\n"                                                   \
    "        to[y * width + x] = here + 0.2f * ((left + right) + (above + below) - 4.0f * here);\n" \
    "    }\n"                                                                                       \
    "}\n"

static const yoke_source source = {
    .name = "diffuse",
    .cuda = "extern \"C\" __global__ void diffuse(const float *from, float *to, int width, int height)\n"
            "{\n"
            "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n" BODY,
    .opencl = "__kernel void diffuse(__global const float *from, __global float *to, int width, int height)\n"
              "{\n"
              "    int x = get_global_id(0), y = get_global_id(1);\n" BODY,
};

/* Hot rings and a cold bar. */
static float start(int x, int y)
{
    const double a = hypot(x - 110, y - 100), b = hypot(x - 210, y - 100);

    if (abs(y - 100) < 6 && x > 30 && x < 290)
        return 0;
    return fabs(a - 60) < 7 || fabs(b - 60) < 7 ? 1.0f : 0.25f;
}

static void step_on_host(const float *from, float *to)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const float here = from[y * WIDTH + x];
            const float left = from[y * WIDTH + (x > 0 ? x - 1 : x)], right = from[y * WIDTH + (x < WIDTH - 1 ? x + 1 : x)];
            const float above = from[(y > 0 ? y - 1 : y) * WIDTH + x];
            const float below = from[(y < HEIGHT - 1 ? y + 1 : y) * WIDTH + x];
            to[y * WIDTH + x] = here + 0.2f * ((left + right) + (above + below) - 4.0f * here);
        }
}

/* Black, red, yellow, white. */
static void draw(const float *heat)
{
    static unsigned char pixels[WIDTH * HEIGHT * 3];

    for (int i = 0; i < WIDTH * HEIGHT; i++)
        for (int colour = 0; colour < 3; colour++)
            pixels[3 * i + colour] = picture_byte(3 * heat[i] - (float)colour);
    picture_write("heat.png", pixels, WIDTH, HEIGHT);
}

int main(int argc, char **argv)
{
    const int steps = number(argc, argv, 1, 200, 1000000) / 2 * 2;
    static float heat[WIDTH * HEIGHT], host[2][WIDTH * HEIGHT];
    const yoke_dim grid = YOKE_DIM((WIDTH + 15) / 16, (HEIGHT + 7) / 8), block = YOKE_DIM(16, 8);
    double before = 0, after = 0, worst = 0;
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *a, *b;
    yoke_program *program;
    yoke_kernel *diffuse;
    yoke_graph *graph;

    for (int i = 0; i < WIDTH * HEIGHT; i++)
        heat[i] = host[0][i] = start(i % WIDTH, i / WIDTH);
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "diffuse", &diffuse));
    YOKE_CHECK(yoke_buffer_create(device, sizeof heat, &a));
    YOKE_CHECK(yoke_buffer_create(device, sizeof heat, &b));
    YOKE_CHECK(yoke_graph_create(device, "two steps", &graph));

    YOKE_CHECK(yoke_graph_begin(graph, stream)); /* from here on operations are recorded and do not run */
    YOKE_CHECK(yoke_launch(stream, diffuse, grid, block, 0, YOKE_ARGS(a, b, WIDTH, HEIGHT)));
    YOKE_CHECK(yoke_launch(stream, diffuse, grid, block, 0, YOKE_ARGS(b, a, WIDTH, HEIGHT)));
    YOKE_CHECK(yoke_graph_end(graph));

    YOKE_CHECK(yoke_write(stream, a, 0, heat, sizeof heat));
    for (int i = 0; i < steps; i += 2)
        YOKE_CHECK(yoke_graph_launch(stream, graph));
    YOKE_CHECK(yoke_read(stream, heat, a, 0, sizeof heat));
    for (int i = 0; i < steps; i++) /* the same on the host, meanwhile */
        step_on_host(host[i % 2], host[(i + 1) % 2]);
    YOKE_CHECK(yoke_stream_wait(stream));

    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        before += start(i % WIDTH, i / WIDTH);
        after += heat[i];
        worst = fmax(worst, fabs(heat[i] - host[0][i]));
    }
    const int right = worst < 1e-5 && fabs(after / before - 1) < 1e-4;
    draw(heat);
    printf("heat: %d steps, off by %.1e at most, %.2f%% of the heat is still there: %s\n", steps, worst, 100 * after / before,
           right ? "right" : "wrong");

    yoke_graph_release(graph);
    yoke_buffer_release(b);
    yoke_buffer_release(a);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    return !right;
}
