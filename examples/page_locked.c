/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results in page-locked memory, to which a copy from the device runs at full speed and concurrently with other work: memory that
 * Yoke allocates, and memory of the program that is locked in place. page_locked [N]
 *
 * A common mistake: a plain number where the driver wants a buffer; and compiling the kernel again on each call.
 */
#include "example.h"

int main(int argc, char **argv)
{
    const int n = number(argc, argv, 1, 500009, 1 << 28);
    const size_t size = (size_t)n * sizeof(float);
    float *a = allocate(size), *b = allocate(size), *own = allocate(size);
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *pinned, *locked, *da, *db, *dc;
    yoke_program *program;
    yoke_kernel *add;
    int wrong = 0;

    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = (float)(i % 7);
    }
    YOKE_CHECK(yoke_device_open(NULL, &device));
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_source_builtin("vector_add", &source)); /* one of Yoke's own kernels, both twins */
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "vector_add", &add));
    YOKE_CHECK(yoke_buffer_create(device, size, &da));
    YOKE_CHECK(yoke_buffer_create(device, size, &db));
    YOKE_CHECK(yoke_buffer_create(device, size, &dc));

    YOKE_CHECK(yoke_buffer_create_pinned(device, size, &pinned)); /* its memory is at yoke_buffer_get_host */
    YOKE_CHECK(
        yoke_buffer_create_from_host(device, own, size, &locked)); /* `own` stays ours, and is locked until this is released */
    const float *c = yoke_buffer_get_host(pinned);

    YOKE_CHECK(yoke_write(stream, da, 0, a, size));
    YOKE_CHECK(yoke_write(stream, db, 0, b, size));
    YOKE_CHECK(yoke_launch_n(stream, add, (size_t)n, YOKE_ARGS(da, db, dc, n)));
    YOKE_CHECK(yoke_copy(stream, pinned, 0, dc, 0, size)); /* either to the buffer itself, */
    YOKE_CHECK(yoke_read(stream, own, dc, 0, size));       /* or a pointer into locked memory: both are fast */
    YOKE_CHECK(yoke_stream_wait(stream));                  /* the results are valid after this */

    for (int i = 0; i < n; i++)
        wrong += c[i] != a[i] + b[i] || own[i] != c[i];
    printf("page_locked: %d sums in pinned memory and again in locked memory, %d wrong; the last is %.0f\n", n, wrong, c[n - 1]);

    yoke_buffer_release(locked); /* before `own` is freed */
    yoke_buffer_release(pinned);
    yoke_buffer_release(dc);
    yoke_buffer_release(db);
    yoke_buffer_release(da);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(own);
    free(b);
    free(a);
    return wrong != 0;
}
