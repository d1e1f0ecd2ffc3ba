/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels in files of their own, inside the program: the build makes mandelbrot_kernels.c of mandelbrot.cu and mandelbrot.cl, so
 * that the program needs no files and, on the GPUs that it was compiled for, no NVRTC. mandelbrot [ROWS]
 *
 *     yoke cc --arch sm_80,sm_90 --name mandelbrot -o mandelbrot_kernels.c mandelbrot.cu mandelbrot.cl
 *     cc mandelbrot.c mandelbrot_kernels.c -o mandelbrot $(pkg-config --cflags --libs yoke)
 *
 * A common mistake: reading kernels from files at run time, and looking for them in the folder where the program is started.
 */
#include "example.h"
#include "mandelbrot.h"
#include "mandelbrot_kernels.h"

int main(int argc, char **argv)
{
    int rows = number(argc, argv, 1, 24, 1000), columns = 2 * rows, count = rows * columns, inside = 0, wrong = 0;
    int *steps = allocate((size_t)count * sizeof *steps);
    yoke_source source = mandelbrot_source();
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *kernel;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_program_build(device, &source, &program)); /* loads the code that fits the device, else compiles the text */
    YOKE_CHECK(yoke_kernel_get(program, "mandelbrot", &kernel));
    YOKE_CHECK(yoke_launch_n(stream, kernel, count, YOKE_ARGS(yoke_out(steps, count * sizeof *steps), columns, rows)));
    YOKE_CHECK(yoke_stream_wait(stream));

    for (int i = 0; i < count; i++) {
        wrong += steps[i] != steps_of(re_of(i % columns, columns), im_of(i / columns, rows));
        inside += steps[i] == LIMIT;
        if (rows <= 50)
            putchar(steps[i] == LIMIT ? '#' : " .:-=+*"[steps[i] < 6 ? steps[i] : 6]);
        if (rows <= 50 && i % columns == columns - 1)
            putchar('\n');
    }
    printf("mandelbrot: %d of %d points are inside, %d wrong\n", inside, count, wrong);

    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(steps);
    return wrong != 0;
}
