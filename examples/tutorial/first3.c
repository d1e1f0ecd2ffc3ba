/* SPDX-License-Identifier: Apache-2.0 */
/* first.c of doc/tutorial.md, after section 3. It reads saxpy.cu and saxpy.cl. */
#include <stdio.h>
#include <stdlib.h>

#include <yoke/check.h>
#include <yoke/yoke.h>

enum { N = 1 << 20, SIZE = N * sizeof(float) };

static float x[N], y[N];

/* The contents of a file, terminated by NUL. */
static char *read_text(const char *path)
{
    enum { MOST = 1 << 16 };
    char *text = calloc(1, MOST);
    FILE *file = fopen(path, "r");

    if (!text || !file || fread(text, 1, MOST - 1, file) == 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fclose(file);
    return text;
}

int main(void)
{
    char *cuda = read_text("saxpy.cu"), *opencl = read_text("saxpy.cl");
    yoke_source source = { .name = "saxpy", .cuda = cuda, .opencl = opencl };
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *saxpy;
    yoke_buffer *dx, *dy;

    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_device_get_info(device, &info));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "saxpy", &saxpy));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_buffer_create(device, SIZE, &dx));
    YOKE_CHECK(yoke_buffer_create(device, SIZE, &dy));

    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    YOKE_CHECK(yoke_write(stream, dx, 0, x, SIZE));
    YOKE_CHECK(yoke_write(stream, dy, 0, y, SIZE));
    YOKE_CHECK(yoke_launch_n(stream, saxpy, N, YOKE_ARGS(dx, dy, 2.0f, N)));
    YOKE_CHECK(yoke_read(stream, y, dy, 0, SIZE));
    YOKE_CHECK(yoke_stream_wait(stream));
    printf("%s: y[10] is %g\n", info.name, y[10]);

    yoke_buffer_release(dy);
    yoke_buffer_release(dx);
    yoke_stream_release(stream);
    yoke_program_release(program);
    yoke_device_release(device);
    free(opencl);
    free(cuda);
    return 0;
}
