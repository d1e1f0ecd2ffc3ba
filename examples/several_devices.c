/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every available device works on its part of one array, all at the same time; the results are gathered in one host array.
 * several_devices [N]
 *
 * A common mistake: contexts that are made current, forgotten, and popped in the wrong order; here no context is ever current.
 */
#include "example.h"

enum { MOST = 16 };

static const yoke_source source = {
    .name = "cube",
    .cuda = "extern \"C\" __global__ void cube(unsigned int *x, unsigned int first, unsigned int n)\n"
            "{\n"
            "    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < n)\n"
            "        x[i] = (first + i) * (first + i) * (first + i);\n"
            "}\n",
    .opencl = "__kernel void cube(__global unsigned int *x, unsigned int first, unsigned int n)\n"
              "{\n"
              "    unsigned int i = get_global_id(0);\n"
              "    if (i < n)\n"
              "        x[i] = (first + i) * (first + i) * (first + i);\n"
              "}\n",
};

typedef struct part {
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_buffer *x;
    unsigned int first, count;
} part;

/* Enqueue all the work of a part. Nothing here waits for the device. */
static void start(part *p, unsigned int *gathered)
{
    const size_t size = p->count * sizeof *gathered;
    yoke_kernel *cube;

    YOKE_CHECK(yoke_stream_create(p->device, NULL, &p->stream));
    YOKE_CHECK(yoke_program_build(p->device, &source, &p->program));
    YOKE_CHECK(yoke_kernel_get(p->program, "cube", &cube));
    YOKE_CHECK(yoke_buffer_create(p->device, size, &p->x));
    YOKE_CHECK(yoke_launch_n(p->stream, cube, p->count, YOKE_ARGS(p->x, p->first, p->count)));
    YOKE_CHECK(yoke_read(p->stream, gathered + p->first, p->x, 0, size));
}

int main(int argc, char **argv)
{
    const unsigned int n = (unsigned int)number(argc, argv, 1, 1000003, 1 << 28);
    unsigned int *gathered = allocate(n * sizeof *gathered), wrong = 0;
    yoke_device_info infos[MOST];
    part parts[MOST];
    size_t devices;

    for (int i = 0; i < MOST; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    YOKE_CHECK(yoke_device_list(infos, MOST, &devices)); /* of all backends, or of the backend that YOKE_BACKEND names */
    if (devices == 0)
        return fprintf(stderr, "%s", yoke_device_get_report()), 3;
    if (devices > MOST)
        devices = MOST;
    for (size_t i = 0; i < devices; i++) {
        parts[i].first = (unsigned int)((unsigned long long)n * i / devices);
        parts[i].count = (unsigned int)((unsigned long long)n * (i + 1) / devices) - parts[i].first;
        YOKE_CHECK(yoke_device_open(infos[i].selector, &parts[i].device));
        if (parts[i].count > 0)
            start(&parts[i], gathered);
    }
    for (size_t i = 0; i < devices; i++) {
        if (parts[i].count > 0)
            YOKE_CHECK(yoke_stream_wait(parts[i].stream));
        printf("several_devices: %u results from %s (%s)\n", parts[i].count, infos[i].selector, infos[i].name);
    }
    for (unsigned int i = 0; i < n; i++)
        wrong += gathered[i] != i * i * i;
    printf("several_devices: %u results from %zu device(s), %u wrong\n", n, devices, wrong);

    for (size_t i = 0; i < devices; i++) {
        if (parts[i].count > 0) {
            yoke_buffer_release(parts[i].x);
            yoke_program_release(parts[i].program);
            yoke_stream_release(parts[i].stream);
        }
        yoke_device_release(parts[i].device);
    }
    free(gathered);
    return wrong != 0;
}
