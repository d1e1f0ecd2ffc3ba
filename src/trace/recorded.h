/* SPDX-License-Identifier: Apache-2.0 */
/* The launches that YOKE_RECORD keeps, for `yoke cc --replay`. */
#ifndef YK_RECORDED_H
#define YK_RECORDED_H

#include "objects/objects.h"

/* An argument, with what its buffer has before the launch and after it. */
typedef struct yk_recorded_arg {
    yoke_arg_kind kind;
    size_t size;           /* bytes of the value, of the buffer, or of shared memory */
    size_t same;           /* of a buffer: the first argument that is the same bytes; else its own index */
    yoke_buffer *buffer;   /* valid during the submission */
    const yk_param *param; /* NULL: not known */
    unsigned char *before, *after;
} yk_recorded_arg;

typedef struct yk_recorded {
    yoke_stream *stream;
    yoke_kernel *kernel;
    yoke_dim grid, block;
    size_t shared;   /* without that of arguments */
    unsigned number; /* which launch of the kernel it is, from 1 */
    size_t count;
    yk_recorded_arg args[];
} yk_recorded;

/* The device is being opened: its launches are recorded if YOKE_RECORD is set, and it has no other observer. */
void yk_recorded_init(yoke_device *device);

/* Make the folder; its path from the root, to be freed, so that it stays this one where the program changes its own folder. NULL,
 * with a line in the log: it cannot be used. */
char *yk_recorded_folder(const char *path);
/* Write the launch to the folder; says in the log where it is, or why it is not there. */
void yk_recorded_write(const char *path, const yk_recorded *launch);

#endif
