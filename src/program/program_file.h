/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Program binaries: a compiled program in a form that outlives the process, for the cache and for yoke_program_save. The same
 * bytes on every machine; the reader accepts any bytes as input, and rejects bytes that were changed.
 */
#ifndef YK_PROGRAM_FILE_H
#define YK_PROGRAM_FILE_H

#include "objects/objects.h"

/* A kernel that the compiler gave another name than the source. */
typedef struct yk_name_expression {
    const char *name, *lowered;
} yk_name_expression;

/* A kernel's signature: its parameters in order, a shared one included. */
typedef struct yk_program_file_kernel {
    const char *name;
    int32_t count;            /* -1: the driver did not tell; then params is not looked at */
    bool signature_has_local; /* as in yoke_kernel */
    const yk_param *params;
} yk_program_file_kernel;

typedef struct yk_program_file {
    yk_code_kind kind;
    const void *code;
    size_t code_size;
    const char *fingerprint; /* all that decides, beside the source, whether the code is of any use */
    const char *log;         /* the compiler's */
    const yk_name_expression *name_expressions;
    size_t name_expression_count;
    const yk_program_file_kernel *kernels;
    size_t kernel_count;
    void *memory; /* of the arrays in an image that was read */
} yk_program_file;

/* Whether the bytes start like an image, whole or not, of this version or another. */
bool yk_program_file_is(const void *bytes, size_t size);
/* Append. All members but `memory` are set; strings may be NULL, which means "". YOKE_E_UNSUPPORTED: built without xxHash. */
yoke_status yk_program_file_write(const yk_program_file *image, yk_text *out_bytes);
/* Sets all of *out_file, to be freed by yk_program_file_free; strings and code point into the bytes, which have to stay. Code is
 * followed by a NUL byte, and aligned to 16 bytes where the bytes are. YOKE_E_INVALID_ARGUMENT: damaged, or no image.
 * YOKE_E_UNSUPPORTED: written by another version of Yoke, or built without xxHash. The record's text says so without the name of a
 * function before it. */
yoke_status yk_program_file_read(const void *bytes, size_t size, yk_program_file *out_file);
/* Also of one that could not be read, or is zeroed. */
void yk_program_file_free(yk_program_file *image);

#endif
