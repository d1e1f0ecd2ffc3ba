/* SPDX-License-Identifier: Apache-2.0 */
/*
 * N bodies that attract each other: two galaxies meet. The first step is compared with the host's, body by body; at the end
 * momentum and energy must be conserved. Writes a picture, nbody.png. nbody [BODIES STEPS]
 */
#include <math.h>
#include <string.h>

#include "example.h"
#include "picture.h"

enum { WIDTH = 480, HEIGHT = 320, TRAIL = 16 };
static const float step = 0.02f;

typedef struct body {
    float x, y, z, mass;
} body;

/* One thread per body: all other bodies change its velocity, which then changes its position. */
#define BODY                                                                                   \
    "    if (i < n) {\n"                                                                       \
    "        float4 here = from[i], v = velocity[i];\n"                                        \
    "        float ax = 0.0f, ay = 0.0f, az = 0.0f;\n"                                         \
    "        for (int j = 0; j < n; j++) {\n"                                                  \
    "            float4 other = from[j];\n"                                                    \
    "            float dx = other.x - here.x, dy = other.y - here.y, dz = other.z - here.z;\n" \
    "            float square = dx * dx + dy * dy + dz * dz + 0.01f;\n"                        \
    "            float pull = other.w / (square * sqrt(square));\n"                            \
    "            ax += dx * pull;\n"                                                           \
    "            ay += dy * pull;\n"                                                           \
    "            az += dz * pull;\n"                                                           \
    "        }\n"                                                                              \
    "        v.x += step * ax;\n"                                                              \
    "        v.y += step * ay;\n"                                                              \
    "        v.z += step * az;\n"                                                              \
    "        here.x += step * v.x;\n"                                                          \
    "        here.y += step * v.y;\n"                                                          \
    "        here.z += step * v.z;\n"                                                          \
    "        velocity[i] = v;\n"                                                               \
    "        to[i] = here;\n"                                                                  \
    "    }\n"                                                                                  \
    "}\n"

static const yoke_source source = {
    .name = "move",
    .cuda = "extern \"C\" __global__ void move(const float4 *from, float4 *to, float4 *velocity, int n, float step)\n"
            "{\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" BODY,
    .opencl = "__kernel void move(__global const float4 *from, __global float4 *to, __global float4 *velocity, int n, float step)\n"
              "{\n"
              "    int i = get_global_id(0);\n" BODY,
};

/* Two discs, each rotating around a heavy centre, that pass each other. */
static void start(body *place, body *velocity, int n)
{
    for (int i = 0; i < n; i++) {
        const int second = i >= n / 2, centre = i == 0 || i == n / 2;
        const float side = second ? 1.0f : -1.0f;
        const float r = centre ? 0 : 0.25f + 0.85f * sqrtf((float)rand() / (float)RAND_MAX);
        const float angle = 6.2831853f * (float)rand() / (float)RAND_MAX, tilt = second ? 0.9f : 0.3f;
        const float speed = centre ? 0 : sqrtf(r * r / powf(r * r + 0.01f, 1.5f));

        place[i] = (body){ 1.5f * side + r * cosf(angle), 0.7f * side + r * sinf(angle) * cosf(tilt), r * sinf(angle) * sinf(tilt),
                           centre ? 1 : 0.1f / (float)n };
        velocity[i] =
            (body){ -0.45f * side - speed * sinf(angle), speed * cosf(angle) * cosf(tilt), speed * cosf(angle) * sinf(tilt), 0 };
    }
}

/* The largest distance of a body from its position after one step on the host. */
static double worst(const body *from, const body *velocity, const body *to, int n)
{
    double most = 0;

    for (int i = 0; i < n; i++) {
        double a[3] = { 0, 0, 0 };
        for (int j = 0; j < n; j++) {
            const double dx = from[j].x - from[i].x, dy = from[j].y - from[i].y, dz = from[j].z - from[i].z;
            const double square = dx * dx + dy * dy + dz * dz + 0.01, pull = from[j].mass / (square * sqrt(square));
            a[0] += dx * pull;
            a[1] += dy * pull;
            a[2] += dz * pull;
        }
        const double x = from[i].x + step * (velocity[i].x + step * a[0]), y = from[i].y + step * (velocity[i].y + step * a[1]),
                     z = from[i].z + step * (velocity[i].z + step * a[2]);
        most = fmax(most, fabs(to[i].x - x) + fabs(to[i].y - y) + fabs(to[i].z - z));
    }
    return most;
}

/* Velocities are half a step behind positions: positions are moved back to the time of the velocities. */
static double energy(const body *place, const body *velocity, int n, double *momentum)
{
    double sum = 0;

    *momentum = 0;
    for (int i = 0; i < n; i++) {
        const body *p = &place[i], *v = &velocity[i];
        *momentum += p->mass * v->x;
        sum += 0.5 * p->mass * (v->x * v->x + v->y * v->y + v->z * v->z);
        for (int j = 0; j < i; j++) {
            const body *q = &place[j], *w = &velocity[j];
            const double dx = q->x - p->x - 0.5 * step * (w->x - v->x), dy = q->y - p->y - 0.5 * step * (w->y - v->y),
                         dz = q->z - p->z - 0.5 * step * (w->z - v->z);
            sum -= p->mass * q->mass / sqrt(dx * dx + dy * dy + dz * dz + 0.01);
        }
    }
    return sum;
}

/* Add the bodies' light to a picture of floats: the first galaxy is gold, the second is blue. */
static void shine(float *light, const body *place, int n, float brightness)
{
    for (int i = 0; i < n; i++) {
        const int x0 = (int)floorf(WIDTH / 2 + 90 * place[i].x), y0 = (int)floorf(HEIGHT / 2 + 90 * place[i].y);
        const float *colour = i < n / 2 ? (const float[]){ 1.0f, 0.7f, 0.35f } : (const float[]){ 0.4f, 0.65f, 1.0f };
        const int reach = place[i].mass > 0.5f ? 9 : 2;

        for (int y = y0 - reach; y <= y0 + reach; y++)
            for (int x = x0 - reach; x <= x0 + reach; x++) {
                const float far = (float)((x - x0) * (x - x0) + (y - y0) * (y - y0));
                for (int c = 0; c < 3 && x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT; c++)
                    light[3 * (y * WIDTH + x) + c] += brightness * colour[c] * expf(-far * 4 / (float)(reach * reach));
            }
    }
}

static void draw(const float *light)
{
    static unsigned char pixels[WIDTH * HEIGHT * 3];

    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
        pixels[i] = picture_byte(1 - expf(-light[i]));
    picture_write("nbody.png", pixels, WIDTH, HEIGHT);
}

int main(int argc, char **argv)
{
    const int n = number(argc, argv, 1, 1024, 1 << 20), steps = number(argc, argv, 2, 160, 1000000);
    const size_t size = (size_t)n * sizeof(body);
    static float light[WIDTH * HEIGHT * 3];
    body *place = allocate(4 * size), *velocity = place + n, *later = velocity + n, *later_velocity = later + n;
    double momentum, momentum_later, error = 0;
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *places[2], *velocities;
    yoke_program *program;
    yoke_kernel *move;

    start(place, velocity, n);
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "move", &move));
    YOKE_CHECK(yoke_buffer_create(device, size, &places[0]));
    YOKE_CHECK(yoke_buffer_create(device, size, &places[1]));
    YOKE_CHECK(yoke_buffer_create(device, size, &velocities));
    YOKE_CHECK(yoke_write(stream, places[0], 0, place, size));
    YOKE_CHECK(yoke_write(stream, velocities, 0, velocity, size));
    for (int i = 0; i < steps; i++) {
        YOKE_CHECK(yoke_launch_n(stream, move, (size_t)n, YOKE_ARGS(places[i % 2], places[(i + 1) % 2], velocities, n, step)));
        if (i == 0 || i >= steps - TRAIL) {
            YOKE_CHECK(yoke_read_sync(stream, later, places[(i + 1) % 2], 0, size));
            if (i == 0)
                error = worst(place, velocity, later, n);
            if (i >= steps - TRAIL)
                shine(light, later, n, i == steps - 1 ? 1.2f : 0.12f);
        }
    }
    YOKE_CHECK(yoke_read_sync(stream, later_velocity, velocities, 0, size));

    const double before = energy(place, velocity, n, &momentum), after = energy(later, later_velocity, n, &momentum_later);
    const int right = error < 1e-5 && fabs(momentum_later - momentum) < 1e-3 && fabs(after / before - 1) < 0.01;
    draw(light);
    printf("nbody: %d bodies, %d steps: the first off by %.1e at most, %.1f%% of the energy at the end: %s\n", n, steps, error,
           100 * after / before, right ? "right" : "wrong");

    yoke_buffer_release(velocities);
    yoke_buffer_release(places[1]);
    yoke_buffer_release(places[0]);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(place);
    return !right;
}
