/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels, and launching them. A launch is one call of the driver, which copies the arguments: nothing is allocated or locked. */
#include "driver.h"

static yoke_status get_attribute(yk_CUfunction function, yk_CUfunction_attribute attribute, int *out_value)
{
    return yk_cuda_check("cuFuncGetAttribute", yk_cu.cuFuncGetAttribute(out_value, attribute, function));
}

static yoke_status describe(yoke_kernel *kernel, yk_CUfunction function)
{
    const yk_cuda_device *device = yk_cuda_device_of(kernel->program->device);
    int threads, own_shared, shared_left;
    yoke_status status = get_attribute(function, YK_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &threads);

    if (status == YOKE_OK)
        status = get_attribute(function, YK_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &own_shared);
    if (status < 0)
        return status;

    /* Dynamic shared memory beyond 48 KiB in all has to be asked for, kernel by kernel. Asking costs nothing until a launch uses
     * it. */
    shared_left = device->max_shared > own_shared ? device->max_shared - own_shared : 0;
    status = yk_cuda_check("cuFuncSetAttribute",
                           yk_cu.cuFuncSetAttribute(function, YK_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_left));
    kernel->info.max_block_threads = (uint32_t)threads;
    kernel->info.preferred_multiple = (uint32_t)device->warp_size;
    kernel->info.static_shared = (uint64_t)own_shared;
    kernel->info.max_dynamic_shared = (uint64_t)shared_left;
    return status;
}

/* The driver tells the width of each parameter, and CUDA_ERROR_INVALID_VALUE behind the last one. */
static yoke_status read_signature(yoke_kernel *kernel, yk_CUfunction function)
{
    if (!yk_cu.cuFuncGetParamInfo) {
        kernel->param_count = -1;
        return YOKE_OK;
    }
    for (size_t i = 0;; i++) {
        yk_param param = { .kind = YK_PARAM_ANY };
        size_t offset, size;
        yk_CUresult result = yk_cu.cuFuncGetParamInfo(function, i, &offset, &size);
        if (result == YK_CUDA_ERROR_INVALID_VALUE)
            return YOKE_OK;
        if (result != YK_CUDA_SUCCESS)
            return yk_cuda_fail("cuFuncGetParamInfo", result, "parameter %zu of kernel '%s'", i, kernel->name);
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
        status = yk_cuda_fail_as(YOKE_E_NOT_FOUND, "cuModuleGetFunction", result,
                                 "program '%s' has no kernel '%s' (kernels are functions declared extern \"C\" __global__)",
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

yoke_status yk_cuda_launch(yoke_stream *stream, const yk_op *op)
{
    void *arguments[YOKE_MAX_ARGS];
    const yoke_dim *grid = &op->u.launch.grid, *block = &op->u.launch.block;

    yk_cuda_point_to_arguments(op, arguments);
    yoke_status status = yk_cuda_check(
        "cuLaunchKernel", yk_cu.cuLaunchKernel(op->u.launch.kernel->native, grid->x, grid->y, grid->z, block->x, block->y, block->z,
                                               (unsigned)op->u.launch.shared, stream->native, arguments, NULL));
    if (YK_UNLIKELY(status < 0 && status != YOKE_E_DEVICE_LOST)) /* that would be the fault of one before */
        yk_error_append("; kernel '%s', %u x %u x %u blocks of %u x %u x %u threads", op->u.launch.kernel->name, grid->x, grid->y,
                        grid->z, block->x, block->y, block->z);
    return status;
}
