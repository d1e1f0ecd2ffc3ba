/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver's side of code: modules, functions and launches. What an image holds and how a grid runs is on the other side of
 * double.h.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_PER_MULTIPROCESSOR = 2048, SHARED_PER_MULTIPROCESSOR = 228 << 10, SHARED_RESERVED = 1 << 10 };

struct CUmod_st {
    double_module *code;
    yk_CUcontext context;
    yk_CUmodule next;
};

/* After a fault modules stay, since kernels of other streams may still run; here they are still known. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static yk_CUmodule left;

/* ---- Modules ---- */

/* Where the driver's own compiler writes to. */
static char *find_log(unsigned count, const yk_CUjit_option *options, void *const *values, size_t *out_size)
{
    char *log = NULL;

    *out_size = 0;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == YK_CU_JIT_ERROR_LOG_BUFFER)
            log = values[i];
        if (options[i] == YK_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            *out_size = (size_t)(uintptr_t)values[i];
    }
    return log;
}

yk_CUresult cuModuleLoadDataEx(yk_CUmodule *out_module, const void *image, unsigned int count, yk_CUjit_option *options,
                               void **values)
{
    yk_CUresult result;
    yk_CUmodule module;
    size_t log_size;

    ENTER(DOUBLE_CONTEXT);
    if (!out_module || !image || (count > 0 && (!options || !values)))
        return YK_CUDA_ERROR_INVALID_VALUE;
    double_function_stall();
    module = calloc(1, sizeof *module);
    if (!module)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    module->context = double_current();
    double_print_bring_out((unsigned)module->context->ordinal);
    char *log = find_log(count, options, values, &log_size);
    result = double_module_load_log(image, (unsigned)module->context->ordinal, log, log_size, &module->code);
    if (result != YK_CUDA_SUCCESS) {
        free(module);
        return result;
    }
    *out_module = module;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuModuleUnload(yk_CUmodule module)
{
    ENTER(DOUBLE_START);
    if (!module)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    double_function_stall();
    if (double_lost() != YK_CUDA_SUCCESS) {
        pthread_mutex_lock(&lock);
        module->next = left;
        left = module;
        pthread_mutex_unlock(&lock);
        return double_lost();
    }
    double_module_end_memory(module);
    double_module_unload(module->code);
    free(module);
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuModuleGetGlobal_v2(yk_CUdeviceptr *out_address, size_t *out_size, yk_CUmodule module, const char *name)
{
    void *address = NULL;
    size_t size = 0;
    yk_CUresult result;

    ENTER(DOUBLE_CONTEXT);
    if (!module)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    if (!name)
        return YK_CUDA_ERROR_INVALID_VALUE;
    result = double_module_global(module->code, name, &address, &size);
    if (result == YK_CUDA_SUCCESS)
        result = double_global_add(module, module->context, address, size);
    if (result != YK_CUDA_SUCCESS)
        return result;
    if (out_address)
        *out_address = (uintptr_t)address;
    if (out_size)
        *out_size = size;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuModuleGetFunctionCount(unsigned *out_count, yk_CUmodule module)
{
    ENTER(DOUBLE_USABLE);
    if (!out_count || !module)
        return YK_CUDA_ERROR_INVALID_VALUE;
    *out_count = (unsigned)double_module_count(module->code);
    return YK_CUDA_SUCCESS;
}

/* A function is the code's own. */
static yk_CUfunction handle_of(double_function *function)
{
    return (yk_CUfunction)(void *)function;
}

static double_function *function_of(yk_CUfunction handle)
{
    return (double_function *)(void *)handle;
}

yk_CUresult cuModuleEnumerateFunctions(yk_CUfunction *functions, unsigned count, yk_CUmodule module)
{
    ENTER(DOUBLE_USABLE);
    if (!functions || !module)
        return YK_CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count && i < double_module_count(module->code); i++)
        functions[i] = handle_of(double_module_at(module->code, i));
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuModuleGetFunction(yk_CUfunction *out_function, yk_CUmodule module, const char *name)
{
    double_function *function = NULL;
    yk_CUresult result;

    ENTER(DOUBLE_CONTEXT);
    if (!out_function || !name)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!module)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    result = double_module_function(module->code, name, &function);
    if (result == YK_CUDA_SUCCESS)
        *out_function = handle_of(function);
    return result;
}

/* ---- Functions ---- */

yk_CUresult cuFuncGetName(const char **out_name, yk_CUfunction function)
{
    ENTER(DOUBLE_USABLE);
    if (!out_name || !function)
        return YK_CUDA_ERROR_INVALID_VALUE;
    *out_name = double_function_name(function_of(function));
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuFuncGetAttribute(int *out_value, yk_CUfunction_attribute attribute, yk_CUfunction function)
{
    ENTER(DOUBLE_USABLE);
    if (!out_value)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!function)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    return double_function_attribute(function_of(function), (int)attribute, out_value);
}

yk_CUresult cuFuncSetAttribute(yk_CUfunction function, yk_CUfunction_attribute attribute, int value)
{
    ENTER(DOUBLE_USABLE);
    if (!function)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    return double_function_set_attribute(function_of(function), (int)attribute, value);
}

yk_CUresult cuFuncGetParamInfo(yk_CUfunction function, size_t index, size_t *out_offset, size_t *out_size)
{
    size_t offset = 0, size = 0;
    yk_CUresult result;

    ENTER(DOUBLE_USABLE);
    if (!function || !out_offset)
        return YK_CUDA_ERROR_INVALID_VALUE;
    result = double_function_param(function_of(function), index, &offset, &size);
    if (result != YK_CUDA_SUCCESS)
        return result;
    *out_offset = offset;
    if (out_size)
        *out_size = size;
    return YK_CUDA_SUCCESS;
}

/* ---- Launches ---- */

yk_CUresult double_work_kernel(double_work *out, double_function *function, const double_grid *grid, void **parameters)
{
    yk_CUresult result;
    size_t offset, size;

    *out = (double_work){ .kind = DOUBLE_KERNEL, .function = function, .grid = *grid };
    if (!function)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    result = double_function_check(function, grid);
    if (result != YK_CUDA_SUCCESS)
        return result;
    out->owned_size = double_function_params_size(function);
    if (out->owned_size > 0 && !parameters)
        return YK_CUDA_ERROR_INVALID_VALUE;
    out->owned = calloc(1, out->owned_size ? out->owned_size : 1);
    if (!out->owned)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; double_function_param(function, i, &offset, &size) == YK_CUDA_SUCCESS; i++)
        memcpy((char *)out->owned + offset, parameters[i], size);
    return YK_CUDA_SUCCESS;
}

static yk_CUresult launch(yk_CUfunction function, const double_grid *grid, yk_CUstream stream, void **parameters)
{
    yk_CUresult result = double_stream_check_for_work(stream);
    double_work work;

    if (result == YK_CUDA_SUCCESS)
        result = double_work_kernel(&work, function_of(function), grid, parameters);
    return result == YK_CUDA_SUCCESS ? double_work_give(stream, &work, false) : result;
}

yk_CUresult cuLaunchKernel(yk_CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                           unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
                           yk_CUstream stream, void **parameters, void **extra)
{
    double_grid grid = { { grid_x, grid_y, grid_z }, { block_x, block_y, block_z }, shared, 0 };

    ENTER(DOUBLE_USABLE);
    if (extra)
        return YK_CUDA_ERROR_NOT_SUPPORTED;
    return launch(function, &grid, stream, parameters);
}

yk_CUresult cuLaunchCooperativeKernel(yk_CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                      unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
                                      yk_CUstream stream, void **parameters)
{
    double_grid grid = { { grid_x, grid_y, grid_z }, { block_x, block_y, block_z }, shared, 1 };

    ENTER(DOUBLE_USABLE);
    return launch(function, &grid, stream, parameters);
}

/* ---- Occupancy ---- */

int double_occupancy(int block_threads, size_t shared)
{
    int warps = (block_threads + 31) / 32, blocks = DOUBLE_BLOCKS_PER_MULTIPROCESSOR;

    if (block_threads <= 0 || block_threads > DOUBLE_THREADS_PER_BLOCK || shared > DOUBLE_SHARED_OPTIN)
        return 0;
    if (blocks > THREADS_PER_MULTIPROCESSOR / 32 / warps)
        blocks = THREADS_PER_MULTIPROCESSOR / 32 / warps;
    if ((size_t)blocks > SHARED_PER_MULTIPROCESSOR / (shared + SHARED_RESERVED))
        blocks = (int)(SHARED_PER_MULTIPROCESSOR / (shared + SHARED_RESERVED));
    return blocks;
}

yk_CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out_blocks, yk_CUfunction function, int block_threads, size_t shared)
{
    int own = 0;
    yk_CUresult result;

    ENTER(DOUBLE_CONTEXT);
    if (!out_blocks || block_threads <= 0)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (!function)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    result = double_function_attribute(function_of(function), YK_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &own);
    if (result == YK_CUDA_SUCCESS)
        *out_blocks = double_occupancy(block_threads, shared + (size_t)own);
    return result;
}

yk_CUresult cuOccupancyMaxPotentialBlockSize(int *out_min_grid, int *out_block, yk_CUfunction function,
                                             yk_CUoccupancyB2DSize shared_of, size_t shared, int most_threads)
{
    int best = 0, best_threads = 0,
        most = most_threads > 0 && most_threads < DOUBLE_THREADS_PER_BLOCK ? most_threads : DOUBLE_THREADS_PER_BLOCK;

    ENTER(DOUBLE_CONTEXT);
    if (!out_min_grid || !out_block)
        return YK_CUDA_ERROR_INVALID_VALUE;
    for (int threads = most; threads > 0; threads -= threads % 32 ? threads % 32 : 32) {
        int blocks = 0;
        yk_CUresult result =
            cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shared_of ? shared_of(threads) : shared);
        if (result != YK_CUDA_SUCCESS)
            return result;
        if (blocks * threads > best_threads) {
            best_threads = blocks * threads;
            best = threads;
            *out_min_grid = blocks * DOUBLE_MULTIPROCESSORS;
        }
    }
    *out_block = best;
    return YK_CUDA_SUCCESS;
}
