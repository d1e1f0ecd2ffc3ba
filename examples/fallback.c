/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error handling with a fallback: the program tries each named device from opening to result, reports whatever fails, and moves
 * to the next device; the CPU itself comes last. fallback [DEVICE...], as in: fallback cuda:0 opencl:gpu opencl
 *
 * A common mistake: to call for error handling and a fallback, and to write neither.
 */
#include <math.h>

#include "example.h"

enum { N = 100000 };

static const yoke_source source = {
    .name = "root",
    .cuda = "extern \"C\" __global__ void root(float *x, int n)\n"
            "{\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < n)\n"
            "        x[i] = sqrtf(x[i]);\n"
            "}\n",
    .opencl = "__kernel void root(__global float *x, int n)\n"
              "{\n"
              "    int i = get_global_id(0);\n"
              "    if (i < n)\n"
              "        x[i] = sqrt(x[i]);\n"
              "}\n",
};

/* All of the work on one device. Returns the first failure; releasing NULL does nothing. */
static yoke_status on_device(const char *selector, const float *in, float *out)
{
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *x = NULL;
    yoke_program *program = NULL;
    yoke_kernel *root;
    yoke_status status = yoke_device_open(selector, &device);

    if (status == YOKE_OK)
        status = yoke_stream_create(device, NULL, &stream);
    if (status == YOKE_OK)
        status = yoke_buffer_create(device, N * sizeof *in, &x);
    if (status == YOKE_OK)
        status = yoke_program_build(device, &source, &program);
    if (status == YOKE_OK)
        status = yoke_kernel_get(program, "root", &root);
    if (status == YOKE_OK)
        status = yoke_write(stream, x, 0, in, N * sizeof *in);
    if (status == YOKE_OK)
        status = yoke_launch_n(stream, root, N, YOKE_ARGS(x, N));
    if (status == YOKE_OK)
        status = yoke_read(stream, out, x, 0, N * sizeof *out);
    if (stream) { /* also after a failure: the stream may still use our arrays */
        yoke_status waited = yoke_stream_wait(stream);
        status = status < 0 ? status : waited; /* failures on the device are reported here */
    }
    if (status < 0) /* reported here, while the record is this failure's: yoke_status_group(status) says what is lost */
        printf("fallback: %s: %s: %s\n", selector, yoke_status_name(status), yoke_error()->text);
    yoke_program_release(program);
    yoke_buffer_release(x);
    yoke_stream_release(stream);
    yoke_device_release(device);
    return status;
}

int main(int argc, char **argv)
{
    static const char *const usual[] = { "cuda", "opencl" };
    const char *const *selectors = argc > 1 ? (const char *const *)argv + 1 : usual;
    const int count = argc > 1 ? argc - 1 : 2;
    static float in[N], out[N];
    const char *by = NULL;
    int wrong = 0;

    for (int i = 0; i < N; i++)
        in[i] = (float)i;
    for (int i = 0; i < count && !by; i++)
        if (on_device(selectors[i], in, out) == YOKE_OK)
            by = selectors[i];
    if (!by) {
        by = "the processor";
        for (int i = 0; i < N; i++)
            out[i] = sqrtf(in[i]);
    }
    for (int i = 0; i < N; i++)
        wrong += !(fabs(out[i] - sqrt(i)) <= 1e-5 * sqrt(i));
    printf("fallback: %d square roots by %s, %d wrong\n", N, by, wrong);
    return wrong != 0;
}
