/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, as the other rooms of src/ use them. */
#ifndef YK_BUFFER_H
#define YK_BUFFER_H

#include "core.h"

/* YOKE_OK when `size` bytes from `offset` lie within the buffer, else a failure that names them. `what` is the argument's name. */
yoke_status yk_buffer_check_range(const yoke_buffer *buffer, const char *function, const char *what, size_t offset, size_t size);

/* YOKE_OK when the buffer belongs to the stream's device. */
yoke_status yk_buffer_check_device(const yoke_buffer *buffer, const yoke_stream *stream, const char *function, const char *what);

/* A variable of the program, which it keeps alive. */
yoke_status yk_buffer_of_global(yoke_program *program, const char *name, yoke_buffer **out_buffer);

#endif
