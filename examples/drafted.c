/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel that was drafted in Python, in a C program that needs no Python: drafted.py has the kernel, and python -m yoke cc made
 * drafted.yk of it, one text for both languages. The build makes drafted_kernels.c of that. drafted [BODIES]
 *
 *     python -m yoke cc drafted.py -o drafted.yk
 *     yoke cc --name drafted -o drafted_kernels.c drafted.yk
 *     cc drafted.c drafted_kernels.c -o drafted $(pkg-config --cflags --libs yoke)
 *
 * A common mistake: passing an array alone: a kernel from Python takes its extents behind the pointer, each as int64_t.
 */
#include <math.h>

#include "drafted_kernels.h"
#include "example.h"

/* The speed that a body gets in half a second, as drafted.py computes it. */
static void attracted(float *speed, const float *place, const float *mass, int bodies, int i)
{
    float ax = 0, ay = 0;

    for (int j = 0; j < bodies; j++) {
        const float dx = place[2 * j] - place[2 * i], dy = place[2 * j + 1] - place[2 * i + 1];
        const float square = dx * dx + dy * dy + 0.01f, strength = mass[j] / (square * sqrtf(square));
        ax += dx * strength;
        ay += dy * strength;
    }
    speed[0] = ax * 0.5f;
    speed[1] = ay * 0.5f;
}

int main(int argc, char **argv)
{
    const int bodies = number(argc, argv, 1, 500, 100000);
    const size_t bytes = (size_t)bodies * sizeof(float);
    const int64_t n = bodies, two = 2;
    float *place = allocate(2 * bytes), *speed = allocate(2 * bytes), *mass = allocate(bytes), expected[2];
    const yoke_source source = drafted_source();
    int wrong = 0;
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *attract;

    for (int i = 0; i < bodies; i++) {
        place[2 * i] = (float)(i % 25);
        place[2 * i + 1] = (float)i / 25;
        mass[i] = (float)(1 + i % 3);
        speed[2 * i] = speed[2 * i + 1] = 0;
    }
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "attract", &attract));
    YOKE_CHECK(yoke_launch_n(stream, attract, (size_t)bodies,
                             YOKE_ARGS(yoke_inout(speed, 2 * bytes), n, two, yoke_in(place, 2 * bytes), n, two,
                                       yoke_in(mass, bytes), n, 0.5f)));
    YOKE_CHECK(yoke_stream_wait(stream));

    for (int i = 0; i < bodies; i++) {
        attracted(expected, place, mass, bodies, i);
        wrong += fabsf(speed[2 * i] - expected[0]) > 1e-3f || fabsf(speed[2 * i + 1] - expected[1]) > 1e-3f;
    }
    printf("drafted: %d bodies, %d wrong\n", bodies, wrong);

    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(place);
    free(speed);
    free(mass);
    return wrong != 0;
}
