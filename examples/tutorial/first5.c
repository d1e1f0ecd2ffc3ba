/* SPDX-License-Identifier: Apache-2.0 */
/* first.c of doc/tutorial.md, after section 5. It reads saxpy.cu and saxpy.cl. */
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

typedef struct report {
    const float *values;
    float largest, limit;
} report;

static yoke_status find_largest(yoke_status status, void *user)
{
    report *r = user;

    if (status < 0)
        return status; /* earlier work has failed: there is nothing to read */
    for (int i = 0; i < N; i++)
        if (r->values[i] > r->largest)
            r->largest = r->values[i];
    if (r->largest > r->limit)
        return yoke_fail(YOKE_E_HOST_FUNCTION, "the largest value is %g, which is too much", r->largest);
    return YOKE_OK;
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

    report r = { .values = y, .limit = 1e7f };
    YOKE_CHECK(yoke_host_call(stream, find_largest, &r, NULL));              /* runs when y is complete */
    YOKE_CHECK(yoke_launch_n(stream, saxpy, N, YOKE_ARGS(dx, dy, 2.0f, N))); /* starts after find_largest has returned */

    printf("this thread is free meanwhile\n");
    YOKE_CHECK(yoke_stream_wait(stream));
    printf("%s: y[10] is %g, the largest value is %g\n", info.name, y[10], r.largest);

    yoke_buffer_release(dy);
    yoke_buffer_release(dx);
    yoke_stream_release(stream);
    yoke_program_release(program);
    yoke_device_release(device);
    free(opencl);
    free(cuda);
    return 0;
}
