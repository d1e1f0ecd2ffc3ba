/* SPDX-License-Identifier: Apache-2.0 */
/* Launches for YOKE_RECORD: what each kind of argument is, the same buffer twice, views that share memory, and large buffers; by a
 * program that goes to another folder meanwhile. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <yoke/check.h>
#include <yoke/yoke.h>

enum { N = 64, LARGE = 2 << 20 };

static const char text[] =
    "#include <yoke/kernel.h>\n"
    "struct many { float a[12]; };\n"
    "YOKE_KERNEL void blend(YOKE_GLOBAL const float *x, YOKE_GLOBAL float *y, struct many by, float a, int n\n"
    "                     YOKE_AND_DYNAMIC_SHARED)\n"
    "{\n"
    "    YOKE_SHARED_PTR float *own = yoke_dynamic_shared(float);\n"
    "    const unsigned int i = yoke_global_x(), thread = yoke_thread_x();\n"
    "\n"
    "    own[thread] = i < (unsigned int)n ? x[i] : 0.0f;\n"
    "    yoke_barrier();\n"
    "    if (i < (unsigned int)n)\n"
    "        y[i] += a * own[yoke_block_size_x() - 1 - thread] + by.a[i % 12];\n"
    "}\n"
    "YOKE_KERNEL void maybe(YOKE_GLOBAL const float *x, YOKE_GLOBAL float *y) { y[yoke_global_x()] = x ? x[0] : 5.0f; }\n"
    "YOKE_KERNEL void twice(YOKE_GLOBAL float *x, YOKE_GLOBAL float *y) { y[yoke_global_x()] = x[yoke_global_x()] + 1.0f; }\n";

static void launch_all(yoke_stream *stream, yoke_program *program, yoke_buffer *x, yoke_buffer *y)
{
    struct {
        float a[12];
    } by = { { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 } };
    yoke_kernel *blend, *maybe, *twice;
    yoke_buffer *left, *right, *large;

    YOKE_CHECK(yoke_kernel_get(program, "blend", &blend));
    YOKE_CHECK(yoke_kernel_get(program, "maybe", &maybe));
    YOKE_CHECK(yoke_kernel_get(program, "twice", &twice));
    for (int i = 0; i < 3; i++)
        YOKE_CHECK(yoke_launch(stream, blend, YOKE_DIM(N / 32), YOKE_DIM(32), 32 * sizeof(float),
                               YOKE_ARGS(x, y, yoke_arg_struct(&by, sizeof by), 0.5f, N)));
    YOKE_CHECK(yoke_launch(stream, maybe, YOKE_DIM(1), YOKE_DIM(32), 0, YOKE_ARGS(yoke_arg_null(), y)));
    YOKE_CHECK(yoke_launch(stream, twice, YOKE_DIM(1), YOKE_DIM(32), 0, YOKE_ARGS(x, x)));
    YOKE_CHECK(yoke_buffer_create_view(x, 0, 48 * sizeof(float), &left));
    YOKE_CHECK(yoke_buffer_create_view(x, 32 * sizeof(float), 32 * sizeof(float), &right));
    YOKE_CHECK(yoke_launch(stream, twice, YOKE_DIM(1), YOKE_DIM(16), 0, YOKE_ARGS(left, right)));
    YOKE_CHECK(yoke_buffer_create(yoke_stream_get_device(stream), LARGE, &large));
    YOKE_CHECK(yoke_launch(stream, twice, YOKE_DIM(1), YOKE_DIM(16), 0, YOKE_ARGS(large, x)));
    YOKE_CHECK(yoke_stream_wait(stream));
    yoke_buffer_release(large);
    yoke_buffer_release(right);
    yoke_buffer_release(left);
}

/* recorded FILE: also writes the kernels there. */
int main(int argc, char **argv)
{
    yoke_source source = YOKE_SOURCE_INIT;
    float values[N];
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_buffer *x, *y;
    FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;

    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        return fprintf(stderr, "usage: recorded FILE\n"), 2;
    source.name = "recorded";
    source.text = text;
    source.math = YOKE_MATH_EXACT;
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    YOKE_CHECK(yoke_device_open(NULL, &device));
    if (chdir("/") != 0)
        return perror("/"), 2;
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_buffer_create(device, sizeof values, &x));
    YOKE_CHECK(yoke_buffer_create(device, sizeof values, &y));
    YOKE_CHECK(yoke_write_sync(stream, x, 0, values, sizeof values));
    YOKE_CHECK(yoke_write_sync(stream, y, 0, values, sizeof values));
    launch_all(stream, program, x, y);
    yoke_buffer_release(y);
    yoke_buffer_release(x);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    return 0;
}
