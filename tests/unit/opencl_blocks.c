/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks on NVIDIA's OpenCL, whose CL_KERNEL_WORK_GROUP_SIZE is a suggestion, and on drivers where it is a limit; and what a launch
 * says when the driver refuses its block all the same. The driver is made up (made_up.c), and so are its kernels.
 */
#include <stdlib.h>
#include <string.h>

#include "../tap/tap.h"
#include "made_up.h"
#include "program/program.h"
#include "yoke/yoke.h"

static struct {
    size_t threads, multiple, required; /* of every kernel, as the driver reports them */
    cl_int launch, marker;              /* what the calls answer */
    size_t launched;                    /* threads in the last block that the driver got */
} made;

static cl_kernel create_kernel(cl_program program, const char *name, cl_int *out_code)
{
    (void)program, (void)name;
    *out_code = CL_SUCCESS;
    return (cl_kernel)&made;
}

static cl_int release_kernel(cl_kernel kernel)
{
    (void)kernel;
    return CL_SUCCESS;
}

static cl_int get_kernel_info(cl_kernel kernel, cl_kernel_info what, size_t size, void *target, size_t *out_size)
{
    (void)kernel, (void)size, (void)out_size;
    if (what != CL_KERNEL_NUM_ARGS)
        return CL_INVALID_VALUE;
    *(cl_uint *)target = 0;
    return CL_SUCCESS;
}

static cl_int get_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size, void *target,
                             size_t *out_size)
{
    size_t *out = target;

    (void)kernel, (void)device, (void)out_size;
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        *out = made.threads;
        return CL_SUCCESS;
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        *out = made.multiple;
        return CL_SUCCESS;
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        out[0] = made.required;
        out[1] = out[2] = made.required > 0;
        return size == 3 * sizeof *out ? CL_SUCCESS : CL_INVALID_VALUE;
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                             const size_t *global, const size_t *local, cl_uint count, const cl_event *events, cl_event *out_event)
{
    (void)queue, (void)kernel, (void)offset, (void)global, (void)count, (void)events, (void)out_event;
    made.launched = local[0] * (dimensions > 1 ? local[1] * local[2] : 1);
    return made.launch;
}

static cl_int enqueue_marker(cl_command_queue queue, cl_uint count, const cl_event *events, cl_event *out_event)
{
    (void)queue, (void)count, (void)events;
    if (out_event) /* Yoke's own events are never recorded here */
        return CL_OUT_OF_RESOURCES;
    return made.marker;
}

static void make_up_kernels(void)
{
    make_up();
    yk_cl.clCreateKernel = create_kernel;
    yk_cl.clReleaseKernel = release_kernel;
    yk_cl.clGetKernelInfo = get_kernel_info;
    yk_cl.clGetKernelWorkGroupInfo = get_group_info;
    yk_cl.clEnqueueNDRangeKernel = enqueue_kernel;
    yk_cl.clEnqueueMarkerWithWaitList = enqueue_marker;
    driver.devices[0].threads = 1024;
}

/* Get the one kernel of a program that seems to be built. */
static yoke_kernel *get_kernel(yoke_device *device, yoke_program **out_program, yoke_kernel_info *out_info)
{
    yoke_kernel *kernel = NULL;

    *out_program = yk_program_new(device, "made up");
    (*out_program)->native = &driver;
    yk_object_retain(device);
    yk_program_complete(*out_program, NULL);
    out_info->size = sizeof *out_info;
    if (yoke_kernel_get(*out_program, "k", &kernel) < 0 || yoke_kernel_get_info(kernel, out_info) < 0)
        tap_diag("%s", yoke_error()->text);
    return kernel;
}

static struct {
    const char *words;
    size_t threads, multiple, required;
    uint32_t most, automatic, strict_most, strict_automatic; /* strict: on a driver where the figure is a limit */
} cases[] = {
    { "256 suggested", 256, 32, 0, 1024, 256, 256, 256 },
    { "64 suggested", 64, 32, 0, 1024, 64, 64, 64 },
    { "80 suggested, in warps of 32", 80, 32, 0, 1024, 64, 80, 64 },
    { "fewer suggested than a warp", 16, 32, 0, 1024, 16, 16, 16 },
    { "as many as the device allows", 1024, 32, 0, 1024, 256, 1024, 256 },
    { "nothing reported", 0, 32, 0, 1024, 256, 1024, 256 },
    { "512 required", 512, 32, 512, 512, 512, 512, 512 },
    { "128 required", 128, 32, 128, 128, 128, 128, 128 },
};

static void limits(yoke_device *device, bool strict)
{
    for (size_t i = 0; i < YK_COUNT_OF(cases); i++) {
        yoke_program *program;
        yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;

        made.threads = cases[i].threads;
        made.multiple = cases[i].multiple;
        made.required = cases[i].required;
        bool ok = get_kernel(device, &program, &info) &&
                  info.max_block_threads == (strict ? cases[i].strict_most : cases[i].most) &&
                  info.automatic_block == (strict ? cases[i].strict_automatic : cases[i].automatic);
        if (!ok)
            tap_diag("at most %u threads, %u by itself", (unsigned)info.max_block_threads, (unsigned)info.automatic_block);
        tap_ok(ok, "%s%s", cases[i].words, strict ? ", where it is a limit" : "");
        yoke_program_release(program);
    }
    made.threads = 256;
    made.multiple = 32;
    made.required = 0;
}

static void launch_case(yoke_stream *stream, yoke_kernel *kernel, yoke_dim block, cl_int code, yoke_status wanted,
                        const char *words)
{
    made.launch = code;
    made.launched = 0;
    yoke_status status = yoke_launch(stream, kernel, YOKE_DIM(3), block, 0, NULL, 0);
    bool ok = status == wanted && (wanted == YOKE_OK || !strstr(words, "block is") || strstr(yoke_error()->text, words));
    if (!ok)
        tap_diag("%s: %s", yoke_status_name(status), yoke_error()->text);
    tap_ok(ok, "a block of %u x %u, %s", block.x, block.y, words);
}

static void launches(yoke_device *device, bool strict)
{
    static const char refused[] = "block is 512 x 1 x 1; kernel 'k' allows fewer threads in a block on this device: 256 always run";
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    yoke_program *program;
    yoke_stream *stream = NULL;
    yoke_kernel *kernel = get_kernel(device, &program, &info);
    bool streams = yoke_stream_create(device, NULL, &stream) == YOKE_OK;

    if (strict) {
        launch_case(stream, kernel, YOKE_DIM(512), CL_SUCCESS, YOKE_E_RANGE, "block is 512 x 1 x 1");
        tap_ok(streams && made.launched == 0, "never reaches a driver that would refuse it");
    } else {
        launch_case(stream, kernel, YOKE_DIM(512), CL_SUCCESS, YOKE_OK, "runs");
        tap_ok(streams && made.launched == 512, "reaches the driver");
        launch_case(stream, kernel, YOKE_DIM(512), CL_OUT_OF_RESOURCES, YOKE_E_RANGE, refused);
        launch_case(stream, kernel, YOKE_DIM(512), CL_INVALID_WORK_GROUP_SIZE, YOKE_E_RANGE, refused);
        launch_case(stream, kernel, YOKE_DIM(32, 16), CL_OUT_OF_RESOURCES, YOKE_E_RANGE, "block is 32 x 16 x 1; kernel 'k'");
        launch_case(stream, kernel, YOKE_DIM(1025), CL_SUCCESS, YOKE_E_RANGE, "block is 1025 x 1 x 1");
        made.marker = CL_OUT_OF_RESOURCES;
        launch_case(stream, kernel, YOKE_DIM(512), CL_OUT_OF_RESOURCES, YOKE_E_DRIVER, "on a lost device");
        made.marker = CL_SUCCESS;
    }
    launch_case(stream, kernel, YOKE_DIM(256), CL_OUT_OF_RESOURCES, YOKE_E_DRIVER, "refused for another reason");
    made.launch = CL_SUCCESS;
    yoke_stream_release(stream);
    yoke_program_release(program);
}

int main(void)
{
    yoke_device *device = NULL;

    setenv("YOKE_BACKEND", "opencl", 1);
    unsetenv("YOKE_DEVICE");
    if (yk_opencl_load() < 0)
        tap_skip_all("%s", yoke_error()->text);
    make_up_kernels();
    tap_start(60);
    for (int strict = 0; strict < 2; strict++) {
        tap_ok(yoke_device_open("opencl:0", &device) == YOKE_OK, "a device");
        ((yk_opencl_device *)device->native)->slot->quirks.advises_blocks = !strict;
        limits(device, strict);
        launches(device, strict);
        yoke_device_release(device);
    }
    return tap_done();
}
