/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pinned memory in both directions: the program fills page-locked memory, the device copies from it, computes, and copies back to
 * it. A short comparison shows the gain. pinned [MEGABYTES]
 *
 * A common mistake: pinned memory that is freed by hand, and leaks if anything fails before; here it is released like any buffer.
 */
#define _POSIX_C_SOURCE 199309L
#include <time.h>

#include "example.h"

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Gigabytes in a second, there and back, the best of five. */
static double speed(yoke_stream *stream, yoke_buffer *buffer, void *memory, size_t size)
{
    double best = 1e9;

    for (int i = 0; i < 5; i++) {
        const double start = seconds();
        YOKE_CHECK(yoke_write(stream, buffer, 0, memory, size));
        YOKE_CHECK(yoke_read(stream, memory, buffer, 0, size));
        YOKE_CHECK(yoke_stream_wait(stream));
        if (seconds() - start < best)
            best = seconds() - start;
    }
    return 2e-9 * (double)size / best;
}

int main(int argc, char **argv)
{
    const int n = number(argc, argv, 1, 4, 1024) << 18;
    const size_t size = (size_t)n * sizeof(float);
    float *pageable = allocate(size);
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *pinned_x, *pinned_y, *dx, *dy;
    yoke_program *program;
    yoke_kernel *saxpy;
    int wrong = 0;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_source_builtin("saxpy", &source));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "saxpy", &saxpy));
    YOKE_CHECK(yoke_buffer_create(device, size, &dx));
    YOKE_CHECK(yoke_buffer_create(device, size, &dy));
    YOKE_CHECK(yoke_buffer_create_pinned(device, size, &pinned_x));
    YOKE_CHECK(yoke_buffer_create_pinned(device, size, &pinned_y));

    float *x = yoke_buffer_get_host(pinned_x), *y = yoke_buffer_get_host(pinned_y);
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 1000);
        y[i] = 1;
        pageable[i] = 0; /* touched, so that it is there */
    }
    YOKE_CHECK(yoke_write(stream, dx, 0, x, size));
    YOKE_CHECK(yoke_write(stream, dy, 0, y, size));
    YOKE_CHECK(yoke_launch_n(stream, saxpy, (size_t)n, YOKE_ARGS(dx, dy, 2.0f, n)));
    YOKE_CHECK(yoke_read(stream, y, dy, 0, size));
    YOKE_CHECK(yoke_stream_wait(stream));
    for (int i = 0; i < n; i++)
        wrong += y[i] != (float)(2 * (i % 1000) + 1);
    printf("pinned: %d results of 2 x + y, %d wrong; the last is %.0f\n", n, wrong, y[n - 1]);

    const double slow = speed(stream, dx, pageable, size), fast = speed(stream, dx, x, size);
    printf("pinned: pageable memory is copied at %.2f GB/s, pinned memory at %.2f GB/s\n", slow, fast);

    yoke_buffer_release(pinned_y); /* as any buffer: it stays alive until the device is done with it */
    yoke_buffer_release(pinned_x);
    yoke_buffer_release(dy);
    yoke_buffer_release(dx);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(pageable);
    return wrong != 0;
}
