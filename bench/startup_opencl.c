/* SPDX-License-Identifier: Apache-2.0 */
/* The first kernel of a process, by hand on OpenCL: see startup.h. Nothing is given back, since the process ends. */
#include "startup.h"

#include <stdlib.h>
#include <string.h>

#include "../tools/measure/raw_opencl.h"

enum { MOST = 32 };

static cl_device_id find_device(const char *wanted)
{
    cl_platform_id platforms[MOST];
    cl_device_id devices[MOST];
    cl_uint platform_count = 0, device_count = 0;
    char name[256] = "";
    must(cl.clGetPlatformIDs(MOST, platforms, &platform_count));
    for (cl_uint i = 0; i < platform_count && i < MOST; i++) {
        if (cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MOST, devices, &device_count) != CL_SUCCESS)
            continue; /* a platform without devices says so by a failure */
        for (cl_uint k = 0; k < device_count && k < MOST; k++) {
            must(cl.clGetDeviceInfo(devices[k], CL_DEVICE_NAME, sizeof name, name, NULL));
            if (strncmp(name, wanted, strlen(wanted)) == 0)
                return devices[k];
        }
    }
    measure_fail("opencl by hand: no device", wanted);
}

static cl_program make_program(bench_start how, cl_context context, cl_device_id device, const char *path)
{
    const char *source = measure_touch.opencl;
    size_t size = 0;
    cl_program program;
    cl_int code, loaded = CL_SUCCESS;
    if (how == BENCH_LOAD) {
        unsigned char *image = bench_file_read(path, &size);
        program = cl.clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&image, &loaded, &code);
        must(loaded);
        free(image);
    } else {
        program = cl.clCreateProgramWithSource(context, 1, &source, NULL, &code);
    }
    must(code);
    must(cl.clBuildProgram(program, 1, &device, "", NULL, NULL));
    if (how == BENCH_SAVE) {
        must(cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
        unsigned char *image = malloc(size + 1);
        if (!image)
            measure_fail("opencl by hand", "out of memory");
        must(cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof image, &image, NULL));
        bench_file_write(path, image, size);
        free(image);
    }
    return program;
}

void bench_start_opencl(bench_start how, const char *device, const char *path)
{
    const size_t threads = MEASURE_BLOCK;
    cl_float a = 1.0f;
    cl_int n = 1, code;
    measure_opencl_load();
    cl_device_id found = find_device(device);
    cl_context context = cl.clCreateContext(NULL, 1, &found, NULL, NULL, &code);
    must(code);
    cl_command_queue queue = cl.clCreateCommandQueue(context, found, 0, &code);
    must(code);
    cl_program program = make_program(how, context, found, path);
    cl_kernel kernel = cl.clCreateKernel(program, "touch", &code);
    must(code);
    cl_mem buffer = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &code);
    must(code);
    must(cl.clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    must(cl.clSetKernelArg(kernel, 1, sizeof a, &a));
    must(cl.clSetKernelArg(kernel, 2, sizeof n, &n));
    must(cl.clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &threads, &threads, 0, NULL, NULL));
    must(cl.clFinish(queue));
}
