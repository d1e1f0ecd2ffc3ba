/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a launch: whether they match the kernel, and the kinds that no driver accepts directly. Nearly every argument
 * of nearly every launch is a buffer or a scalar and passes the fast check; arguments.c and launch_host_arrays.c handle the rest.
 * The launch itself, from yoke_launch to the stream, is in launch.c.
 */
#ifndef YK_ARGUMENTS_H
#define YK_ARGUMENTS_H

#include "objects/objects.h"

/* The fast check, for a kernel that takes `wanted` arguments. False: the full check is needed. */
YK_HOT bool yk_arguments_fit(const yoke_kernel *kernel, const yoke_stream *stream, const yoke_arg *args, size_t count, int wanted)
{
    if (count != (size_t)wanted)
        return false;
    if (!args)
        return count == 0;
    const yk_arg_heads *heads = kernel->heads; /* looked up once */
    const yoke_device *device = stream->device;
    for (; count > 0; count--, args++, heads++) {
        yk_arg_head head = yk_arg_head_of(args);
        if (head == heads->value)
            continue;
        if (head != heads->buffer) {
            if (head == atomic_load_explicit(&heads->other, memory_order_relaxed) &&
                (args->kind != YOKE_ARG_STRUCT || args->value.bytes))
                continue;
            return false;
        }
        const yoke_buffer *buffer = args->value.buffer;
        if (!yk_is_same_process(buffer, YK_BUFFER) || buffer->argument_of != device)
            return false;
        yk_buffer_used(buffer->root, stream);
    }
    return true;
}

/* The full check of op->u.launch. YOKE_OK when its arguments fit the kernel's signature and the stream's device, else
 * YOKE_E_KERNEL_ARGUMENT, _INVALID_ARGUMENT or _RANGE, with the parameter, what it takes and what was passed. Sets *out_special
 * when an argument is not a buffer, scalar or struct: yk_launch_special then enqueues the launch. */
YK_COLD yoke_status yk_arguments_check(const char *function, const yoke_stream *stream, const yk_op *op, bool *out_special);

/* Whether the shared memory of the launch, `shared` and arguments together, fits the kernel. */
YK_COLD yoke_status yk_arguments_check_local(const char *function, const yk_op *op);

/* Whether an argument is for one language only: such a launch is checked and enqueued without those of the other language. */
YK_COLD bool yk_arguments_are_mixed(const yk_op *op);
/* Copy the arguments for the language, as ordinary ones; returns their count. `target` has room for YOKE_MAX_ARGS. */
YK_COLD size_t yk_arguments_in_language(yk_language language, const yk_op *op, yoke_arg *target);

/* The bytes of shared memory of a launch; SIZE_MAX when the sum overflows. */
size_t yk_arguments_local_bytes(const yk_op *op);

/* An argument's kind, without the bits of the size that yoke_arg_host adds; and the bytes of a host array. */
static inline uint32_t yk_arg_kind(const yoke_arg *arg)
{
    return arg->kind & 0xff;
}

static inline uint64_t yk_arg_host_size(const yoke_arg *arg)
{
    return (uint64_t)(arg->kind >> 8) << 32 | arg->size;
}

static inline bool yk_arg_is_array(const yoke_arg *arg)
{
    return yk_arg_kind(arg) >= YOKE_ARG_IN && yk_arg_kind(arg) <= YOKE_ARG_INOUT;
}

static inline bool yk_arg_is_image(const yoke_arg *arg)
{
    return arg->kind == YOKE_ARG_IMAGE || arg->kind == YOKE_ARG_SURFACE;
}

/* Enqueue a launch whose arguments are checked: host arrays become buffers, written before the launch and read after it; images
 * become what the driver takes for them. */
YK_COLD yoke_status yk_launch_special(const char *function, yoke_stream *stream, const yk_op *op);

#endif
