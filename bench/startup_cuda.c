/* SPDX-License-Identifier: Apache-2.0 */
/* The first kernel of a process, by hand on the CUDA driver: see startup.h. Nothing is given back, since the process ends. */
#include "startup.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../tools/measure/raw_cuda.h"

static yk_CUdevice find_device(const char *wanted)
{
    yk_CUdevice device;
    int count = 0;
    char pci[32] = "";
    must(cu.cuDeviceGetCount(&count));
    for (int i = 0; i < count; i++) {
        must(cu.cuDeviceGet(&device, i));
        must(cu.cuDeviceGetPCIBusId(pci, sizeof pci, device));
        if (strcasecmp(pci, wanted) == 0)
            return device;
    }
    measure_fail("cuda by hand: no device at", wanted);
}

void bench_start_cuda(bench_start how, const char *device, const char *path)
{
    float a = 1.0f;
    int n = 1;
    size_t size = 0;
    yk_CUcontext context;
    yk_CUstream stream;
    yk_CUmodule module;
    yk_CUfunction function;
    yk_CUdeviceptr buffer;
    void *parameters[] = { &buffer, &a, &n };
    measure_cuda_load();
    must(cu.cuInit(0));
    yk_CUdevice found = find_device(device);
    must(cu.cuDevicePrimaryCtxRetain(&context, found));
    must(cu.cuCtxPushCurrent_v2(context));
    void *image = how == BENCH_LOAD ? bench_file_read(path, &size) : measure_cuda_compile(found, &measure_touch, &size);
    if (how == BENCH_SAVE)
        bench_file_write(path, image, size);
    must(cu.cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
    must(cu.cuModuleGetFunction(&function, module, "touch"));
    must(cu.cuStreamCreate(&stream, YK_CU_STREAM_NON_BLOCKING));
    must(cu.cuMemAlloc_v2(&buffer, 4096));
    must(cu.cuLaunchKernel(function, 1, 1, 1, MEASURE_BLOCK, 1, 1, 0, stream, parameters, NULL));
    must(cu.cuStreamSynchronize(stream));
    free(image);
}
