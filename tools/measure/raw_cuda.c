/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA driver for benchmarks that call it by hand: see raw_cuda.h. */
#include "raw_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

measure_cuda_table cu;

static void *driver, *nvrtc;

void measure_cuda_load(void)
{
    if (driver)
        return;
    driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver)
        measure_fail("cuda by hand", "no libcuda.so.1");
#define YK_CUDA_SYMBOL(need, name, parameters, ...) *(void **)&cu.name = dlsym(driver, #name);
#include "../../backends/cuda/symbols.def"
}

static void load_nvrtc(void)
{
    static const char *const nvrtcs[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                          "/usr/local/cuda/lib64/libnvrtc.so" };
    if (nvrtc)
        return;
    for (size_t i = 0; !nvrtc && i < sizeof nvrtcs / sizeof nvrtcs[0]; i++)
        nvrtc = dlopen(nvrtcs[i], RTLD_NOW | RTLD_LOCAL);
    if (!nvrtc)
        measure_fail("cuda by hand", "no NVRTC");
#define YK_NVRTC_SYMBOL(need, result, name, parameters, ...) *(void **)&cu.name = dlsym(nvrtc, #name);
#include "../../backends/cuda/symbols.def"
}

static void is_missing(void)
{
    measure_fail("cuda by hand", "the driver lacks a function that this needs");
}

void *measure_cuda_symbol(const char *name)
{
    void *symbol = dlsym(driver, name);
    return symbol ? symbol : (void *)(uintptr_t)is_missing;
}

void measure_cuda_fail(yk_CUresult result)
{
    const char *name = NULL;
    cu.cuGetErrorName(result, &name);
    measure_fail("cuda by hand", name ? name : "unknown error");
}

/* With the options of yoke_program_build's exact mathematics that matter to the benchmarks' kernels: none does. */
void *measure_cuda_compile(yk_CUdevice device, const yoke_source *source, size_t *out_size)
{
    int major = 0, minor = 0;
    char option[64];
    const char *options[] = { option };
    yk_nvrtcProgram program;
    size_t size = 0;
    load_nvrtc();
    must(cu.cuDeviceGetAttribute(&major, YK_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    must(cu.cuDeviceGetAttribute(&minor, YK_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    snprintf(option, sizeof option, "--gpu-architecture=sm_%d%d", major, minor);
    if (cu.nvrtcCreateProgram(&program, source->cuda, source->name, 0, NULL, NULL) != YK_NVRTC_SUCCESS ||
        cu.nvrtcCompileProgram(program, 1, options) != YK_NVRTC_SUCCESS || cu.nvrtcGetCUBINSize(program, &size) != YK_NVRTC_SUCCESS)
        measure_fail("cuda by hand", "NVRTC does not compile the kernel");
    char *image = malloc(size);
    if (!image || cu.nvrtcGetCUBIN(program, image) != YK_NVRTC_SUCCESS)
        measure_fail("cuda by hand", "NVRTC gives no image");
    cu.nvrtcDestroyProgram(&program);
    *out_size = size;
    return image;
}

yk_CUmodule measure_cuda_build(yk_CUdevice device, const yoke_source *source)
{
    size_t size = 0;
    void *image = measure_cuda_compile(device, source, &size);
    yk_CUmodule module;
    must(cu.cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
    free(image);
    return module;
}
