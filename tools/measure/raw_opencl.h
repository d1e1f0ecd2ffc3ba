/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL library for benchmarks that call it by hand: a table of functions. Every failure ends the program. */
#ifndef MEASURE_RAW_OPENCL_H
#define MEASURE_RAW_OPENCL_H

#include "measure.h"

#include "../../backends/opencl/driver.h"

#define MEASURE_OPENCL_FUNCTIONS(X)             \
    X(clBuildProgram)                           \
    X(clCreateBuffer)                           \
    X(clCreateCommandQueue)                     \
    X(clCreateContext)                          \
    X(clCreateKernel)                           \
    X(clCreateProgramWithBinary)                \
    X(clCreateProgramWithSource)                \
    X(clCreateUserEvent)                        \
    X(clEnqueueCopyBuffer)                      \
    X(clEnqueueFillBuffer)                      \
    X(clEnqueueMapBuffer)                       \
    X(clEnqueueMarkerWithWaitList)              \
    X(clEnqueueMigrateMemObjects)               \
    X(clEnqueueNDRangeKernel)                   \
    X(clEnqueueReadBuffer)                      \
    X(clEnqueueReadBufferRect)                  \
    X(clEnqueueUnmapMemObject)                  \
    X(clEnqueueWriteBuffer)                     \
    X(clEnqueueWriteBufferRect)                 \
    X(clFinish)                                 \
    X(clFlush)                                  \
    X(clGetDeviceIDs)                           \
    X(clGetDeviceInfo)                          \
    X(clGetEventInfo)                           \
    X(clGetExtensionFunctionAddressForPlatform) \
    X(clGetPlatformIDs)                         \
    X(clGetProgramInfo)                         \
    X(clReleaseCommandQueue)                    \
    X(clReleaseEvent)                           \
    X(clReleaseKernel)                          \
    X(clReleaseMemObject)                       \
    X(clReleaseProgram)                         \
    X(clSetEventCallback)                       \
    X(clSetKernelArg)                           \
    X(clSetUserEventStatus)                     \
    X(clWaitForEvents)

typedef struct measure_opencl_table {
#define MEASURE_OPENCL_MEMBER(name) __typeof__(name) *name;
    MEASURE_OPENCL_FUNCTIONS(MEASURE_OPENCL_MEMBER)
#undef MEASURE_OPENCL_MEMBER
} measure_opencl_table;

extern measure_opencl_table cl;

/* Fill the table. */
void measure_opencl_load(void);

void measure_opencl_fail(cl_int code);

static inline void must(cl_int code)
{
    if (code != CL_SUCCESS)
        measure_opencl_fail(code);
}

#endif
