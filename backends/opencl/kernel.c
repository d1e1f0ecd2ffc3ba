/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels: their signature as the driver reports it, and the launch, the hottest path of the library: no queries, no allocations.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/type_name.h"

/* NVIDIA's driver puts 4 hidden bytes before local memory: of 49152 bytes 49136 can be allocated and 49151 cannot. */
enum { HIDDEN_SHARED = 16 };

/* ---- The signature ---- */

/* The size of a scalar or vector type of OpenCL C, 0 for any other name. */
static uint32_t size_of_type(const char *name)
{
    yk_type type;
    return yk_type_read(true, name, &type) ? yk_type_bytes(true, &type) : 0;
}

/* Empty when the driver does not know the text, or the text does not fit. */
static cl_int ask_text(cl_kernel handle, cl_uint index, cl_kernel_arg_info what, char *target, size_t size)
{
    char text[512] = "";
    cl_int code = yk_cl.clGetKernelArgInfo(handle, index, what, sizeof text - 1, text, NULL);

    yk_string_copy(target, size, code == CL_SUCCESS ? text : "");
    return code == CL_INVALID_VALUE || code == CL_KERNEL_ARG_INFO_NOT_AVAILABLE ? CL_SUCCESS : code;
}

static bool is_opaque(const char *type, cl_kernel_arg_access_qualifier access, cl_kernel_arg_type_qualifier qualifier)
{
    return access != CL_KERNEL_ARG_ACCESS_NONE || strncmp(type, "image", 5) == 0 || strncmp(type, "queue_t", 7) == 0 ||
           strncmp(type, "reserve_id_t", 12) == 0 || qualifier & (1 << 3); /* an OpenCL C 2.0 pipe */
}

static bool is_image(const char *type)
{
    return strncmp(type, "image2d_t", 9) == 0 || strncmp(type, "image3d_t", 9) == 0;
}

static yoke_status add_parameter(yoke_kernel *kernel, cl_kernel handle, cl_uint index)
{
    cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
    cl_kernel_arg_type_qualifier qualifier = CL_KERNEL_ARG_TYPE_NONE;
    yk_param param = { .kind = YK_PARAM_SCALAR, .read_only = -1 };
    cl_int code = yk_cl.clGetKernelArgInfo(handle, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL);

    if (code == CL_SUCCESS)
        code = yk_cl.clGetKernelArgInfo(handle, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL);
    if (code == CL_SUCCESS)
        code = yk_cl.clGetKernelArgInfo(handle, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL);
    if (code == CL_SUCCESS)
        code = ask_text(handle, index, CL_KERNEL_ARG_NAME, param.name, sizeof param.name);
    if (code == CL_SUCCESS)
        code = ask_text(handle, index, CL_KERNEL_ARG_TYPE_NAME, param.type, sizeof param.type);
    if (code != CL_SUCCESS)
        return yk_opencl_fail("clGetKernelArgInfo", code, "parameter %u of kernel '%s'", (unsigned)index + 1, kernel->name);

    if (is_image(param.type)) {
        param.kind = YK_PARAM_IMAGE;
        param.size = sizeof(cl_mem);
        param.read_only = access == CL_KERNEL_ARG_ACCESS_NONE || access == CL_KERNEL_ARG_ACCESS_READ_ONLY;
    } else if (strncmp(param.type, "sampler_t", 9) == 0) {
        param.kind = YK_PARAM_SAMPLER;
        param.size = sizeof(cl_sampler);
    } else if (is_opaque(param.type, access, qualifier)) {
        return yk_fail(YOKE_E_UNSUPPORTED,
                       "opencl: parameter %u '%s' of kernel '%s' is of type %s: of images Yoke passes image2d_t and image3d_t, "
                       "and no pipes or queues",
                       (unsigned)index + 1, param.name, kernel->name, param.type);
    } else if (space == CL_KERNEL_ARG_ADDRESS_GLOBAL || space == CL_KERNEL_ARG_ADDRESS_CONSTANT) {
        param.kind = YK_PARAM_BUFFER;
        param.size = sizeof(cl_mem);
        param.read_only = space == CL_KERNEL_ARG_ADDRESS_CONSTANT || qualifier & CL_KERNEL_ARG_TYPE_CONST;
    } else if (space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
        param.kind = YK_PARAM_LOCAL;
    } else {
        param.size = size_of_type(param.type);
    }
    return yk_kernel_add_param(kernel, &param);
}

static yoke_status describe_signature(yoke_kernel *kernel, cl_kernel handle, cl_uint count)
{
    cl_kernel_arg_address_qualifier space;
    cl_int code = CL_SUCCESS;
    yoke_status status = YOKE_OK;

    kernel->signature_has_local = true;
    if (count > 0)
        code = yk_cl.clGetKernelArgInfo(handle, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL);
    if (code == CL_KERNEL_ARG_INFO_NOT_AVAILABLE) {
        kernel->param_count = -1;
        kernel->signature_has_local = false;
        return YOKE_OK;
    }
    if (code != CL_SUCCESS)
        return yk_opencl_fail("clGetKernelArgInfo", code, "the parameters of kernel '%s'", kernel->name);
    for (cl_uint i = 0; status == YOKE_OK && i < count; i++)
        status = add_parameter(kernel, handle, i);
    return status;
}

/* ---- Creating ---- */

/* 0 when the driver does not report it. */
static size_t ask_size(cl_kernel handle, cl_device_id id, cl_kernel_work_group_info what)
{
    size_t size = 0;

    return yk_cl.clGetKernelWorkGroupInfo(handle, id, what, sizeof size, &size, NULL) == CL_SUCCESS ? size : 0;
}

/* The block size from reqd_work_group_size in the source, into `block`; false when the source leaves the choice. */
static bool asks_for_block(cl_kernel handle, cl_device_id id, size_t block[3])
{
    return yk_cl.clGetKernelWorkGroupInfo(handle, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 3 * sizeof block[0], block, NULL) ==
               CL_SUCCESS &&
           block[0] > 0;
}

/* Private memory per thread besides registers. */
static int64_t ask_private(cl_kernel handle, const yk_opencl_slot *slot)
{
    cl_ulong bytes = 0;

    if (slot->quirks.same_private ||
        yk_cl.clGetKernelWorkGroupInfo(handle, slot->id, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL) != CL_SUCCESS)
        return -1;
    return (int64_t)bytes;
}

/* The block of yoke_launch_n stays within what the driver suggests, and within 256 threads, beyond which little is gained. */
static uint32_t choose_block(size_t suggested, size_t multiple)
{
    size_t block = suggested < 256 ? suggested : 256;

    return (uint32_t)(block > multiple ? block - block % multiple : block);
}

static void describe_blocks(yoke_kernel *kernel, yk_opencl_kernel *native)
{
    const yoke_device_info *device = &kernel->program->device->info;
    const yk_opencl_slot *slot = yk_opencl_device_of(kernel->program->device)->slot;
    size_t threads = ask_size(native->handle, slot->id, CL_KERNEL_WORK_GROUP_SIZE), most;
    size_t multiple = ask_size(native->handle, slot->id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
    size_t block[3] = { 0, 0, 0 };

    if (threads == 0 || (threads == multiple && slot->quirks.width_as_threads))
        threads = (size_t)device->max_block_threads;
    if (multiple == 0)
        multiple = 1;
    most = threads;
    if (asks_for_block(native->handle, slot->id, block)) {
        most = multiple = threads = block[0] * block[1] * block[2]; /* so that yoke_launch_n chooses this block */
    } else if (slot->quirks.advises_blocks && threads < device->max_block_threads) {
        most = (size_t)device->max_block_threads;
        kernel->info.automatic_block = choose_block(threads, multiple);
    }
    for (int i = 0; i < 3; i++)
        kernel->info.required_block[i] = (uint32_t)block[i];
    native->sure_threads = threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
    kernel->info.max_block_threads = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    kernel->info.preferred_multiple = multiple < UINT32_MAX ? (uint32_t)multiple : UINT32_MAX;
}

static void describe_memory(yoke_kernel *kernel, cl_kernel handle)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(kernel->program->device)->slot;
    uint64_t shared_limit = slot->info.max_shared_bytes;
    cl_device_id id = slot->id;
    cl_ulong shared = 0, taken;

    kernel->info.registers = -1;
    kernel->info.constant_bytes = -1;
    kernel->info.local_bytes = ask_private(handle, slot);
    if (yk_cl.clGetKernelWorkGroupInfo(handle, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof shared, &shared, NULL) != CL_SUCCESS)
        shared = 0;
    taken = shared + HIDDEN_SHARED;
    kernel->info.static_shared_bytes = shared;
    kernel->info.max_dynamic_shared_bytes = shared_limit > taken ? shared_limit - taken : 0;
}

/* A memory object has been released since the arguments were set, and a new one may have its handle. */
YK_COLD static void forget_arguments(yk_opencl_kernel *native, uint64_t released)
{
    for (cl_uint i = 0; i < YK_COUNT_OF(native->set); i++)
        native->set[i].head = YK_NO_HEAD;
    native->released = released;
}

static yoke_status name_fault(const yoke_kernel *kernel, cl_int code)
{
    /* The second is what rusticl (22.3) says of a program without kernels. */
    if (code != CL_INVALID_KERNEL_NAME && code != CL_INVALID_PROGRAM_EXECUTABLE)
        return yk_opencl_fail("clCreateKernel", code, "kernel \"%s\"", kernel->name);
    return yk_opencl_fail_as(YOKE_E_NOT_FOUND, "clCreateKernel", code, "program \"%s\" has no kernel \"%s\"", kernel->program->name,
                             kernel->name);
}

yoke_status yk_opencl_kernel_create(yoke_kernel *kernel)
{
    yk_opencl_kernel *native = calloc(1, sizeof *native);
    yoke_status status = YOKE_OK;
    cl_int code;

    if (!native)
        return yk_no_memory("a kernel");
    forget_arguments(native, 0);
    native->handle = yk_cl.clCreateKernel(kernel->program->native, kernel->native_name, &code);
    if (!native->handle) {
        status = name_fault(kernel, code);
        goto out;
    }
    code = yk_cl.clGetKernelInfo(native->handle, CL_KERNEL_NUM_ARGS, sizeof native->count, &native->count, NULL);
    if (code != CL_SUCCESS)
        status = yk_opencl_fail("clGetKernelInfo", code, "kernel '%s'", kernel->name);
    else if (native->count > YOKE_MAX_ARGS + 1) /* the last parameter may be shared memory */
        status = yk_kernel_has_too_many(kernel);
    else
        status = describe_signature(kernel, native->handle, native->count);
    if (status != YOKE_OK)
        goto out;
    describe_blocks(kernel, native);
    describe_memory(kernel, native->handle);
    status = yk_opencl_lock_create(&native->lock);
    if (status != YOKE_OK)
        goto out;
    kernel->native = native;
    native = NULL;
out:
    if (native && native->handle)
        yk_opencl_note("clReleaseKernel", yk_cl.clReleaseKernel(native->handle));
    free(native);
    return status;
}

void yk_opencl_kernel_destroy(yoke_kernel *kernel)
{
    yk_opencl_kernel *native = kernel->native;

    yk_opencl_note("clReleaseKernel", yk_cl.clReleaseKernel(native->handle));
    yk_opencl_lock_destroy(&native->lock);
    free(native);
    kernel->native = NULL;
}

/* ---- Launching ---- */

YK_COLD static yoke_status count_fault(const yk_op *op)
{
    const yk_opencl_kernel *native = op->u.launch.kernel->native;

    return yk_fail(YOKE_E_KERNEL_ARGUMENT, "opencl: kernel '%s' has %u parameters, but %zu arguments were passed%s",
                   op->u.launch.kernel->name, (unsigned)native->count, op->u.launch.count,
                   op->u.launch.shared ? ", and shared memory" : "");
}

/* clSetKernelArg refused argument `index`; the index after the last argument is the shared memory. */
YK_COLD static yoke_status argument_fault(const yk_op *op, cl_uint index, cl_int code)
{
    const yoke_kernel *kernel = op->u.launch.kernel;
    const yoke_arg *arg = index < op->u.launch.count ? &op->u.launch.args[index] : NULL;
    bool shared = !arg || arg->kind == YOKE_ARG_LOCAL;
    size_t size = !arg ? op->u.launch.shared : shared ? (size_t)arg->value.u64 : arg->size;
    const yk_param *param = kernel->param_count > (int)index ? &kernel->params[index] : NULL;

    if (code != CL_INVALID_ARG_SIZE && code != CL_INVALID_ARG_VALUE && code != CL_INVALID_MEM_OBJECT)
        return yk_opencl_fail("clSetKernelArg", code, "argument %u of kernel '%s'", (unsigned)index + 1, kernel->name);
    if (arg && arg->kind == YOKE_ARG_BUFFER)
        return yk_opencl_fail_as(YOKE_E_KERNEL_ARGUMENT, "clSetKernelArg", code,
                                 "parameter %u '%s' (%s) of kernel '%s' does not take a buffer", (unsigned)index + 1,
                                 param ? param->name : "", param ? param->type : "", kernel->name);
    return yk_opencl_fail_as(shared ? YOKE_E_RANGE : YOKE_E_KERNEL_ARGUMENT, "clSetKernelArg", code,
                             "parameter %u '%s' (%s) of kernel '%s' does not take %zu bytes", (unsigned)index + 1,
                             param ? param->name : "", param ? param->type : "", kernel->name, size);
}

/* Whether the driver refused a block that is larger than it suggests. A lost device answers with the same code, to a marker too. */
YK_COLD static bool is_block_refused(yoke_stream *stream, const yk_op *op, cl_int code)
{
    const yk_opencl_kernel *native = op->u.launch.kernel->native;
    const yoke_dim *block = &op->u.launch.block;

    if ((uint64_t)block->x * block->y * block->z <= native->sure_threads)
        return false;
    if (code != CL_OUT_OF_RESOURCES)
        return code == CL_INVALID_WORK_GROUP_SIZE;
    cl_int marked = yk_cl.clEnqueueMarkerWithWaitList(yk_opencl_enter(stream), 0, NULL, NULL);
    yk_opencl_leave(stream);
    return marked == CL_SUCCESS;
}

/* What the kernel wants more of than the device has, in words; false when it is within all of these limits. Drivers tell no more
 * than CL_OUT_OF_RESOURCES, or refuse the only block that the kernel takes. */
YK_COLD static bool exceeds_device(const yk_op *op, char *words, size_t size)
{
    const yoke_kernel *kernel = op->u.launch.kernel;
    const yoke_device_info *device = &kernel->program->device->info;
    const uint32_t *block = kernel->info.required_block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    uint64_t shared = (uint64_t)kernel->info.static_shared_bytes + op->u.launch.shared, parameters = 0;
    size_t most = 0;
    cl_device_id id = yk_opencl_device_of(kernel->program->device)->slot->id;
    cl_int code = yk_cl.clGetDeviceInfo(id, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof most, &most, NULL);

    for (size_t i = 0; i < op->u.launch.count; i++) {
        bool local = op->u.launch.args[i].kind == YOKE_ARG_LOCAL;
        parameters += local ? sizeof(cl_uint) : op->u.launch.args[i].size;
        shared += local ? op->u.launch.args[i].value.u64 : 0;
    }
    if (threads > device->max_block_threads)
        return snprintf(words, size, "its block of %llu threads (reqd_work_group_size); the device has blocks of %llu",
                        (unsigned long long)threads, (unsigned long long)device->max_block_threads) > 0;
    if (shared > device->max_shared_bytes)
        return snprintf(words, size, "%llu bytes of shared memory; the device has %llu", (unsigned long long)shared,
                        (unsigned long long)device->max_shared_bytes) > 0;
    if (code == CL_SUCCESS && parameters > most)
        return snprintf(words, size, "%llu bytes of arguments; the device takes %zu", (unsigned long long)parameters, most) > 0;
    return false;
}

YK_COLD static yoke_status launch_fault(yoke_stream *stream, const yk_op *op, cl_int code)
{
    char words[128];
    const yoke_kernel *kernel = op->u.launch.kernel;
    const yoke_dim *grid = &op->u.launch.grid, *block = &op->u.launch.block;
    yoke_status status = YOKE_E_RANGE;

    if ((code == CL_OUT_OF_RESOURCES || code == CL_INVALID_WORK_GROUP_SIZE) && exceeds_device(op, words, sizeof words))
        return yk_opencl_fail_as(YOKE_E_UNSUPPORTED, "clEnqueueNDRangeKernel", code, "kernel '%s' wants %s", kernel->name, words);
    if (is_block_refused(stream, op, code))
        return yk_opencl_fail_as(
            YOKE_E_RANGE, "clEnqueueNDRangeKernel", code,
            "block is %u x %u x %u; kernel '%s' allows fewer threads in a block on this device: %u always run, and with "
            "__attribute__((reqd_work_group_size(%u, %u, %u))) the compiler makes room for more",
            block->x, block->y, block->z, kernel->name, (unsigned)((const yk_opencl_kernel *)kernel->native)->sure_threads,
            block->x, block->y, block->z);

    switch (code) {
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
    case CL_INVALID_GLOBAL_WORK_SIZE:
        break;
    case CL_INVALID_KERNEL_ARGS:
        status = YOKE_E_KERNEL_ARGUMENT;
        break;
    default:
        return yk_opencl_fail("clEnqueueNDRangeKernel", code, "kernel '%s', %u x %u x %u blocks of %u x %u x %u", kernel->name,
                              grid->x, grid->y, grid->z, block->x, block->y, block->z);
    }
    return yk_opencl_fail_as(status, "clEnqueueNDRangeKernel", code, "kernel '%s', %u x %u x %u blocks of %u x %u x %u",
                             kernel->name, grid->x, grid->y, grid->z, block->x, block->y, block->z);
}

/* A struct, or local memory. */
YK_COLD static cl_int set_other(cl_kernel handle, cl_uint index, const yoke_arg *arg)
{
    if (arg->kind == YOKE_ARG_STRUCT)
        return yk_cl.clSetKernelArg(handle, index, arg->size, arg->value.bytes);
    return yk_cl.clSetKernelArg(handle, index, arg->value.u64 ? (size_t)arg->value.u64 : 1, NULL); /* 0 bytes are refused */
}

static cl_int set_argument(cl_kernel handle, cl_uint index, const yoke_arg *arg)
{
    if (arg->kind == YOKE_ARG_BUFFER) /* a cl_mem has the size of any pointer */
        return yk_cl.clSetKernelArg(handle, index, sizeof(cl_mem), &arg->value.buffer->native.pointer);
    if (YK_UNLIKELY(arg->kind > YOKE_ARG_FLOATING))
        return set_other(handle, index, arg);
    return yk_cl.clSetKernelArg(handle, index, arg->size, &arg->value);
}

static yoke_status set_shared(cl_kernel handle, const yk_op *op)
{
    cl_uint index = (cl_uint)op->u.launch.count;
    cl_int code = yk_cl.clSetKernelArg(handle, index, op->u.launch.shared, NULL);

    return code == CL_SUCCESS ? YOKE_OK : argument_fault(op, index, code);
}

static yoke_status set_arguments(cl_kernel handle, const yk_op *op)
{
    cl_int code;

    for (cl_uint index = 0; index < (cl_uint)op->u.launch.count; index++)
        if ((code = set_argument(handle, index, &op->u.launch.args[index])) != CL_SUCCESS)
            return argument_fault(op, index, code);
    return op->u.launch.shared > 0 ? set_shared(handle, op) : YOKE_OK;
}

static inline uint64_t value_of(const yoke_arg *arg)
{
    return arg->kind == YOKE_ARG_BUFFER ? (uint64_t)(uintptr_t)arg->value.buffer->native.pointer : arg->value.u64;
}

/* Whether the kernel object has this argument already. */
static inline bool is_set(const yk_opencl_set *set, const yoke_arg *arg)
{
    return set->head == yk_arg_head_of(arg) && set->value == value_of(arg);
}

/* Set the arguments from `first` on, and the shared memory. */
__attribute__((noinline)) static yoke_status set_changed_arguments(yk_opencl_kernel *native, const yk_op *op, size_t first)
{
    for (size_t i = first; i < op->u.launch.count; i++) {
        const yoke_arg *arg = &op->u.launch.args[i];
        if (is_set(&native->set[i], arg))
            continue;
        cl_int code = set_argument(native->handle, (cl_uint)i, arg);
        bool known = code == CL_SUCCESS && arg->kind <= YOKE_ARG_FLOATING; /* what a struct's pointer leads to may change */
        native->set[i].head = known ? yk_arg_head_of(arg) : YK_NO_HEAD;
        native->set[i].value = value_of(arg);
        if (code != CL_SUCCESS)
            return argument_fault(op, (cl_uint)i, code);
    }
    return op->u.launch.shared > 0 ? set_shared(native->handle, op) : YOKE_OK;
}

/* A kernel object keeps its arguments from one launch to the next, so the same ones need not be set again: that call alone takes
 * PoCL 130 instructions. With native->lock taken. */
static inline yoke_status renew_arguments(yk_opencl_kernel *native, const yk_op *op)
{
    uint64_t released = atomic_load_explicit(&yk_opencl_released, memory_order_relaxed);
    const yoke_arg *arg = op->u.launch.args, *end = arg + op->u.launch.count;
    const yk_opencl_set *set = native->set;

    if (YK_UNLIKELY(native->released != released))
        forget_arguments(native, released);
    while (arg != end && is_set(set, arg)) {
        arg++;
        set++;
    }
    if (arg != end || YK_UNLIKELY(op->u.launch.shared > 0))
        return set_changed_arguments(native, op, (size_t)(set - native->set));
    return YOKE_OK;
}

/* The core has checked the arguments against the signature, if there is one. Without it, a missing argument would keep the value
 * of the previous launch. */
static inline bool is_complete(const yk_op *op)
{
    const yoke_kernel *kernel = op->u.launch.kernel;

    return kernel->signature_has_local ||
           op->u.launch.count + (op->u.launch.shared > 0) == ((const yk_opencl_kernel *)kernel->native)->count;
}

YK_HOT yoke_status submit_launch(yoke_stream *stream, const yk_op *op)
{
    const yoke_kernel *kernel = op->u.launch.kernel;
    yk_opencl_kernel *native = kernel->native;
    size_t global[3], local[3];
    yoke_status status;

    if (YK_UNLIKELY(!is_complete(op)))
        return count_fault(op);
    yk_opencl_lock_take(&native->lock);
    status = renew_arguments(native, op);
    if (status == YOKE_OK) {
        cl_uint dimensions = yk_opencl_shape_of(op, global, local);
        cl_command_queue queue = yk_opencl_enter(stream);
        cl_event *end = yk_opencl_end_of(stream, op);
        cl_int code = yk_cl.clEnqueueNDRangeKernel(queue, native->handle, dimensions, NULL, global, local, 0, NULL, end);
        yk_opencl_leave(stream);
        if (YK_UNLIKELY(code != CL_SUCCESS))
            status = launch_fault(stream, op, code);
    }
    yk_opencl_lock_give_back(&native->lock);
    return status;
}

/* Not inlined, for memory that has to be handed over. */
YK_COLD static yoke_status submit_shared(yoke_stream *stream, const yk_op *op)
{
    return submit_launch(stream, op);
}

yoke_status yk_opencl_launch(yoke_stream *stream, const yk_op *op)
{
    if (YK_UNLIKELY(op->u.launch.touches_host))
        return yk_opencl_hand_over(stream, op, submit_shared);
    return submit_launch(stream, op);
}

yoke_status yk_opencl_kernel_for(const yk_op *op, cl_kernel *out_handle)
{
    const yoke_kernel *kernel = op->u.launch.kernel;
    yoke_status status;
    cl_int code;

    if (!is_complete(op))
        return count_fault(op);
    *out_handle = yk_cl.clCreateKernel(kernel->program->native, kernel->native_name, &code);
    if (!*out_handle)
        return name_fault(kernel, code);
    status = set_arguments(*out_handle, op);
    if (status < 0)
        yk_opencl_note("clReleaseKernel", yk_cl.clReleaseKernel(*out_handle));
    return status;
}

/* Never called, since no device has YOKE_CAP_COOPERATIVE. */
static yoke_status lacks_cooperative(const yoke_device *device)
{
    return yk_fail(YOKE_E_UNSUPPORTED, "opencl: %s", yk_opencl_device_lacks(device, YOKE_CAP_COOPERATIVE));
}

yoke_status yk_opencl_launch_cooperative(yoke_stream *stream, const yk_op *op)
{
    (void)op;
    return lacks_cooperative(stream->device);
}

yoke_status yk_opencl_cooperative_blocks(const yoke_kernel *kernel, uint32_t block_threads, size_t shared, uint64_t *out_most)
{
    (void)block_threads, (void)shared;
    *out_most = 0;
    return lacks_cooperative(kernel->program->device);
}
