/* SPDX-License-Identifier: Apache-2.0 */
/* The functions about kernels: blocks, local memory, and what arguments take. */
#include <pthread.h>
#include <stdlib.h>

#include "profile.h"

/* What the arguments of a kernel take. */
typedef struct tracked {
    struct tracked *next;
    cl_kernel kernel;
    size_t sizes[256];
    size_t constants[256]; /* bytes of the buffers in constant memory */
} tracked;

static const cl_icd_dispatch *next; /* the driver, or another layer */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tracked *all;

static tracked **find(cl_kernel kernel)
{
    tracked **link = &all;
    while (*link && (*link)->kernel != kernel)
        link = &(*link)->next;
    return link;
}

/* ---- What it looks like ---- */

static bool asks_for_block(cl_kernel kernel, cl_device_id device)
{
    size_t block[3] = { 0 };
    return next->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof block, block, NULL) ==
               CL_SUCCESS &&
           block[0] > 0;
}

/* A kernel's limit is the device's, or less where its registers are many: for a kernel that names its block, compilers spill. */
static size_t most_threads(cl_kernel kernel, cl_device_id device)
{
    size_t most = profile_number(CL_DEVICE_MAX_WORK_GROUP_SIZE, SIZE_MAX), driver = most;
    (void)next->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof driver, &driver, NULL);
    if (!asks_for_block(kernel, device))
        most = profile_number(CL_KERNEL_WORK_GROUP_SIZE, most);
    return most < driver ? most : driver;
}

static cl_int CL_API_CALL get_work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t size,
                                              void *value, size_t *size_ret)
{
    const size_t most = most_threads(kernel, device);
    cl_int code;
    if (name == CL_KERNEL_WORK_GROUP_SIZE)
        return profile_give(&most, sizeof most, size, value, size_ret);
    if (profile_answer(name, size, value, size_ret, &code))
        return code;
    return next->clGetKernelWorkGroupInfo(kernel, device, name, size, value, size_ret);
}

/* ---- Arguments ---- */

static size_t bytes_in_constant_memory(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    size_t bytes = 0;
    if (!value || size != sizeof(cl_mem) ||
        next->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL) != CL_SUCCESS ||
        space != CL_KERNEL_ARG_ADDRESS_CONSTANT || !*(const cl_mem *)value)
        return 0;
    return next->clGetMemObjectInfo(*(const cl_mem *)value, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS ? bytes : 0;
}

static cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_int code;

    if (!value && size > profile_number(CL_DEVICE_LOCAL_MEM_SIZE, SIZE_MAX))
        return CL_OUT_OF_RESOURCES; /* PoCL 3.1 ends the process */
    code = next->clSetKernelArg(kernel, index, size, value);
    if (code != CL_SUCCESS)
        return code;
    size_t constant = bytes_in_constant_memory(kernel, index, size, value);
    pthread_mutex_lock(&lock);
    tracked **link = find(kernel);
    if (!*link && (*link = calloc(1, sizeof **link)))
        (*link)->kernel = kernel;
    if (*link && index < 256) {
        (*link)->sizes[index] = value ? size : sizeof(cl_uint); /* of local memory, its place */
        (*link)->constants[index] = constant;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
    cl_uint references = 0;
    if (next->clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof references, &references, NULL) == CL_SUCCESS &&
        references == 1) {
        pthread_mutex_lock(&lock);
        tracked **link = find(kernel), *found = *link;
        if (found)
            *link = found->next;
        pthread_mutex_unlock(&lock);
        free(found);
    }
    return next->clReleaseKernel(kernel);
}

static bool takes_too_much(cl_kernel kernel)
{
    size_t parameters = 0, constant_buffers = 0;
    bool large = false;
    pthread_mutex_lock(&lock);
    const tracked *found = *find(kernel);
    for (size_t i = 0; found && i < 256; i++) {
        parameters += found->sizes[i];
        constant_buffers += found->constants[i] > 0;
        large = large || found->constants[i] > profile_number(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, SIZE_MAX);
    }
    pthread_mutex_unlock(&lock);
    return large || parameters > profile_number(CL_DEVICE_MAX_PARAMETER_SIZE, SIZE_MAX) ||
           constant_buffers > profile_number(CL_DEVICE_MAX_CONSTANT_ARGS, SIZE_MAX);
}

/* ---- Launches ---- */

static cl_int judge_block(cl_kernel kernel, cl_device_id device, cl_uint dimensions, const size_t *local)
{
    cl_int code;
    size_t sizes[3] = { SIZE_MAX, SIZE_MAX, SIZE_MAX }, threads = 1;

    if (!profile_answer(CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL, &code))
        code = CL_SUCCESS;
    for (cl_uint i = 0; i < dimensions; i++) {
        if (local[i] > sizes[i])
            return CL_INVALID_WORK_ITEM_SIZE;
        threads *= local[i];
    }
    return threads > most_threads(kernel, device) ? CL_INVALID_WORK_GROUP_SIZE : code;
}

static cl_int judge(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *local)
{
    cl_device_id device;
    cl_ulong shared = 0;
    cl_int code = next->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);

    if (code == CL_SUCCESS && local && dimensions <= 3)
        code = judge_block(kernel, device, dimensions, local);
    if (code != CL_SUCCESS)
        return code;
    code = next->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof shared, &shared, NULL);
    if (code == CL_SUCCESS && (shared > profile_number(CL_DEVICE_LOCAL_MEM_SIZE, UINT64_MAX) || takes_too_much(kernel)))
        return CL_OUT_OF_RESOURCES;
    return code;
}

static cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                         const size_t *global, const size_t *local, cl_uint count, const cl_event *list,
                                         cl_event *event)
{
    cl_int code = judge(queue, kernel, dimensions, local);
    if (code != CL_SUCCESS)
        return code;
    return next->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, list, event);
}

void profile_take_kernel_calls(const cl_icd_dispatch *target, cl_icd_dispatch *table)
{
    next = target;
    table->clGetKernelWorkGroupInfo = get_work_group_info;
    table->clSetKernelArg = set_arg;
    table->clReleaseKernel = release_kernel;
    table->clEnqueueNDRangeKernel = enqueue_kernel;
}
