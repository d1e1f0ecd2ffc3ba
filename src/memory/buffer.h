/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, for the other rooms of src/. */
#ifndef YK_BUFFER_H
#define YK_BUFFER_H

#include "objects/objects.h"

/* YOKE_OK when `size` bytes from `offset` lie within the buffer, else a failure that names the range. `what` is the argument's
 * name. */
yoke_status yk_buffer_check_range(const yoke_buffer *buffer, const char *function, const char *what, size_t offset, size_t size);

/* YOKE_OK when the buffer belongs to the stream's device. */
yoke_status yk_buffer_check_device(const yoke_buffer *buffer, const yoke_stream *stream, const char *function, const char *what);

/* A buffer over a program's variable, which keeps the program alive. */
yoke_status yk_buffer_of_global(yoke_program *program, const char *name, yoke_buffer **out_buffer);

/* YOKE_OK unless the buffer is a const view, which is read-only. */
YK_HOT yoke_status yk_buffer_check_writable(const yoke_buffer *buffer, const char *function, const char *what)
{
    if (YK_UNLIKELY(buffer->read_only))
        return yk_fail(YOKE_E_KERNEL_ARGUMENT, "%s: %s is a const view, which is read-only; pass the buffer itself", function,
                       what);
    return YOKE_OK;
}

/* yoke_buffer_create_ordered for another function, which has checked the stream. */
yoke_status yk_buffer_create_ordered(const char *function, yoke_stream *stream, size_t size, yoke_buffer **out_buffer);
/* yoke_buffer_create_pinned, likewise for a device. */
yoke_status yk_buffer_create_pinned(const char *function, yoke_device *device, size_t size, yoke_buffer **out_buffer);

#endif
