/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels, as the other rooms of src/ use them. */
#ifndef YK_KERNEL_INTERNAL_H
#define YK_KERNEL_INTERNAL_H

#include "core.h"

/* As yoke_kernel_get, of a program that may still be in the making. */
yoke_status yk_kernel_find(yoke_program *program, const char *name, yoke_kernel **out_kernel);
/* For the kernel's program, when it ends. */
void yk_kernel_destroy(yoke_kernel *kernel);

/* YOKE_OK when the arguments fit the kernel's signature and the stream's device, else YOKE_E_ARGUMENT or YOKE_E_INVALID saying
 * which one, what was expected and what was given. */
YK_COLD yoke_status yk_kernel_check_args(const yoke_kernel *kernel, const yoke_stream *stream, const char *function,
                                         const yoke_arg *args, size_t count);

/* The same at a glance: nearly every argument of nearly every launch fits by its head alone. False: a closer look is needed. */
YK_HOT bool yk_kernel_args_fit(const yoke_kernel *kernel, const yoke_stream *stream, const yoke_arg *args, size_t count)
{
    if (count != (size_t)kernel->param_count || (count && !args))
        return false;
    for (size_t i = 0; i < count; i++) {
        const yoke_buffer *buffer = args[i].value.buffer;
        yk_arg_head head;
        memcpy(&head, &args[i], sizeof head);
        if (head == kernel->heads[i][0])
            continue;
        if (head != kernel->heads[i][1] || !yk_is(buffer, YK_BUFFER) || buffer->argument_of != stream->device)
            return false;
        yk_buffer_used(buffer->root, stream);
    }
    return true;
}

#endif
