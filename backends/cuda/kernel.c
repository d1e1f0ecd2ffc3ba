/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and their launch. A launch is one driver call, which copies the arguments: no allocation and no lock. */
#include "driver.h"

static yoke_status get_attribute(yk_CUfunction function, yk_CUfunction_attribute attribute, int *out_value)
{
    return yk_cuda_check("cuFuncGetAttribute", yk_cu.cuFuncGetAttribute(out_value, attribute, function));
}

/* The block size of at most 256 threads with the highest occupancy: a one-dimensional kernel whose threads share nothing gains
 * nothing from a larger block, and waits longer for the block's last thread. 0: the core chooses. */
static uint32_t choose_block(yk_CUfunction function)
{
    int least_grid = 0, block = 0;

    if (!yk_cu.cuOccupancyMaxPotentialBlockSize ||
        !yk_cuda_note("cuOccupancyMaxPotentialBlockSize",
                      yk_cu.cuOccupancyMaxPotentialBlockSize(&least_grid, &block, function, NULL, 0, 256)))
        return 0;
    return block > 0 ? (uint32_t)block : 0;
}

static yoke_status describe(yoke_kernel *kernel, yk_CUfunction function)
{
    const yk_cuda_device *device = yk_cuda_device_of(kernel->program->device);
    int threads = 0, own_shared = 0, shared_left, registers = 0, local = 0, constant = 0;
    yoke_status status = get_attribute(function, YK_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &threads);

    if (status == YOKE_OK)
        status = get_attribute(function, YK_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &own_shared);
    if (status == YOKE_OK)
        status = get_attribute(function, YK_CU_FUNC_ATTRIBUTE_NUM_REGS, &registers);
    if (status == YOKE_OK)
        status = get_attribute(function, YK_CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &local);
    if (status == YOKE_OK)
        status = get_attribute(function, YK_CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &constant);
    if (status < 0)
        return status;

    /* Dynamic shared memory beyond 48 KiB in total is an opt-in per kernel. The opt-in costs nothing until a launch uses the
     * memory. */
    shared_left = device->max_shared_bytes > own_shared ? device->max_shared_bytes - own_shared : 0;
    status = yk_cuda_check("cuFuncSetAttribute",
                           yk_cu.cuFuncSetAttribute(function, YK_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_left));
    kernel->info.max_block_threads = (uint32_t)threads;
    kernel->info.preferred_multiple = (uint32_t)device->warp_size;
    kernel->info.static_shared_bytes = (uint64_t)own_shared;
    kernel->info.max_dynamic_shared_bytes = (uint64_t)shared_left;
    kernel->info.registers = registers;
    kernel->info.local_bytes = local;
    kernel->info.constant_bytes = constant;
    kernel->info.automatic_block = choose_block(function);
    return status;
}

/* The driver reports the width of each parameter, and CUDA_ERROR_INVALID_VALUE after the last parameter. */
static yoke_status read_signature(yoke_kernel *kernel, yk_CUfunction function)
{
    if (!yk_cu.cuFuncGetParamInfo) {
        kernel->param_count = -1;
        return YOKE_OK;
    }
    for (size_t i = 0;; i++) {
        yk_param param = { .kind = YK_PARAM_ANY, .read_only = -1 };
        size_t offset, size;
        yk_CUresult result = yk_cu.cuFuncGetParamInfo(function, i, &offset, &size);
        if (result == YK_CUDA_ERROR_INVALID_VALUE)
            return YOKE_OK;
        if (result != YK_CUDA_SUCCESS)
            return yk_cuda_fail("cuFuncGetParamInfo", result, "parameter %zu of kernel '%s'", i + 1, kernel->name);
        param.size = (uint32_t)size;
        yoke_status status = yk_kernel_add_param(kernel, &param);
        if (status < 0)
            return status;
    }
}

yoke_status yk_cuda_kernel_create(yoke_kernel *kernel)
{
    yk_CUfunction function = NULL;
    yk_CUresult result;
    yoke_status status = yk_cuda_enter(kernel->program->device);

    if (status < 0)
        return status;
    result = yk_cu.cuModuleGetFunction(&function, kernel->program->native, kernel->native_name);
    if (result == YK_CUDA_ERROR_NOT_FOUND)
        status =
            yk_cuda_fail_as(YOKE_E_NOT_FOUND, "cuModuleGetFunction", result,
                            "program '%s' has no kernel '%s' (kernels are functions declared __global__; a template is compiled "
                            "for the arguments that source.name_expressions names)",
                            kernel->program->name, kernel->name);
    else if (result != YK_CUDA_SUCCESS)
        status = yk_cuda_fail("cuModuleGetFunction", result, "kernel '%s' of program '%s'", kernel->name, kernel->program->name);
    if (status == YOKE_OK)
        status = describe(kernel, function);
    if (status == YOKE_OK)
        status = read_signature(kernel, function);
    yk_cuda_leave();
    kernel->native = function;
    return status;
}

void yk_cuda_kernel_destroy(yoke_kernel *kernel)
{
    kernel->native = NULL; /* belongs to the module */
}

static inline yoke_status check_launch(const char *call, yk_CUresult result, const yk_op *op)
{
    const yoke_dim *grid = &op->u.launch.grid, *block = &op->u.launch.block;
    yoke_status status = yk_cuda_check(call, result);

    if (YK_UNLIKELY(status < 0 && status != YOKE_E_DEVICE_LOST)) /* a lost device is the fault of an earlier kernel */
        yk_error_append("; kernel '%s', %u x %u x %u blocks of %u x %u x %u threads", op->u.launch.kernel->name, grid->x, grid->y,
                        grid->z, block->x, block->y, block->z);
    return status;
}

yoke_status yk_cuda_launch(yoke_stream *stream, const yk_op *op)
{
    void *arguments[YOKE_MAX_ARGS];
    const yoke_dim *grid = &op->u.launch.grid, *block = &op->u.launch.block;

    yk_cuda_point_to_arguments(op, arguments);
    return check_launch("cuLaunchKernel",
                        yk_cu.cuLaunchKernel(op->u.launch.kernel->native, grid->x, grid->y, grid->z, block->x, block->y, block->z,
                                             (unsigned)op->u.launch.shared, stream->native, arguments, NULL),
                        op);
}

/* ---- Cooperative launches ---- */

yoke_status yk_cuda_launch_cooperative(yoke_stream *stream, const yk_op *op)
{
    void *arguments[YOKE_MAX_ARGS];
    const yoke_dim *grid = &op->u.launch.grid, *block = &op->u.launch.block;

    yk_cuda_point_to_arguments(op, arguments);
    return check_launch("cuLaunchCooperativeKernel",
                        yk_cu.cuLaunchCooperativeKernel(op->u.launch.kernel->native, grid->x, grid->y, grid->z, block->x, block->y,
                                                        block->z, (unsigned)op->u.launch.shared, stream->native, arguments),
                        op);
}

yoke_status yk_cuda_cooperative_blocks(const yoke_kernel *kernel, uint32_t block_threads, size_t shared, uint64_t *out_most)
{
    const yoke_device *device = kernel->program->device;
    int blocks = 0;
    yoke_status status = yk_cuda_enter(device);

    if (status < 0)
        return status;
    status = yk_cuda_check("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                           yk_cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel->native, (int)block_threads, shared));
    yk_cuda_leave();
    *out_most = blocks > 0 ? (uint64_t)blocks * device->info.compute_units : 0;
    return status;
}
