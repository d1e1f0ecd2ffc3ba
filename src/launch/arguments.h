/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a launch: whether they match the kernel, and the kinds that no driver accepts directly. Nearly every argument
 * of nearly every launch is a buffer or a scalar and passes the fast check; arguments.c and launch_host_arrays.c handle the rest.
 */
#ifndef YK_ARGUMENTS_H
#define YK_ARGUMENTS_H

#include "objects/objects.h"

/* Everything there is to check at a fast_check, where so many are `wanted`. False: a closer look is needed. */
YK_HOT bool yk_arguments_fit(const yoke_kernel *kernel, const yoke_stream *stream, const yoke_arg *args, size_t count, int wanted)
{
    if (count != (size_t)wanted)
        return false;
    if (!args)
        return count == 0;
    const yk_arg_head(*heads)[2] = kernel->heads; /* looked up once */
    for (size_t i = 0; i < count; i++) {
        yk_arg_head head;
        memcpy(&head, &args[i], sizeof head);
        if (head == heads[i][0])
            continue;
        const yoke_buffer *buffer = args[i].value.buffer;
        if (head != heads[i][1] || !yk_is_same_process(buffer, YK_BUFFER) || buffer->argument_of != stream->device)
            return false;
        yk_buffer_used(buffer->root, stream);
    }
    return true;
}

/* The closer look, at op->u.launch. YOKE_OK when its arguments fit the kernel's signature and the stream's device, else
 * YOKE_E_KERNEL_ARGUMENT, _INVALID or _RANGE saying which one, what was expected and what was given. Sets *out_special when some
 * are others than buffers, scalars and structs: then the launch goes by yk_launch_special. */
YK_COLD yoke_status yk_arguments_check(const char *function, const yoke_stream *stream, const yk_op *op, bool *out_special);

/* Whether the shared memory of the launch, `shared` and arguments together, is what the kernel takes. */
YK_COLD yoke_status yk_arguments_check_local(const char *function, const yk_op *op);

/* The bytes of shared memory of a launch; SIZE_MAX when they are more than any number. */
size_t yk_arguments_local_bytes(const yk_op *op);

/* An argument's kind, without what yoke_arg_host keeps beside it; and the bytes of a host array. */
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

/* Enqueue a launch whose arguments are checked: host arrays become buffers, which are written before and read behind it. */
YK_COLD yoke_status yk_launch_special(const char *function, yoke_stream *stream, const yk_op *op);

#endif
