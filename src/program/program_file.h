/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Program binaries: a compiled program in a form that outlives the process, for the cache and for yoke_program_save. The same bytes
 * on every machine; the reader accepts any bytes as input, and rejects bytes that were changed.
 */
#ifndef YK_PROGRAM_FILE_H
#define YK_PROGRAM_FILE_H

#include "objects/objects.h"

/* A kernel that the compiler renamed. */
typedef struct yk_name_expression {
    const char *name, *lowered;
} yk_name_expression;

/* A kernel's signature: its parameters in order, including shared memory. */
typedef struct yk_program_file_kernel {
    const char *name;
    int32_t count;            /* -1: not reported by the driver; params is unused */
    bool signature_has_local; /* as in yoke_kernel */
    const yk_param *params;
    const char *refusal; /* why Yoke cannot launch the kernel; NULL: it can */
} yk_program_file_kernel;

typedef struct yk_program_file {
    yk_code_kind kind;
    const void *code;
    size_t code_size;
    const char *fingerprint; /* decides, beside the source, whether the code can be used */
    const char *log;         /* the compiler's log */
    const char *options;     /* as in yoke_program */
    const yk_name_expression *name_expressions;
    size_t name_expression_count;
    const yk_program_file_kernel *kernels;
    size_t kernel_count;
    void *memory; /* the arrays of a file that was read */
} yk_program_file;

/* Whether the bytes begin like a program file, complete or not, of any version. */
bool yk_program_file_is(const void *bytes, size_t size);
/* Append a program file to `out_bytes`. All members but `memory` are set; strings may be NULL, which means "". */
yoke_status yk_program_file_write(const yk_program_file *file, yk_text *out_bytes);
/* Sets all of *out_file, to be freed by yk_program_file_free; strings and code point into the bytes, which must outlive it. The
 * code is followed by a NUL byte, and aligned to 16 bytes where the bytes are. YOKE_E_INVALID_ARGUMENT: damaged, or not a
 * program file. YOKE_E_UNSUPPORTED: written by another version of Yoke. The record's text names no function. */
yoke_status yk_program_file_read(const void *bytes, size_t size, yk_program_file *out_file);
/* `file` may also be zeroed, or a file that could not be read. */
void yk_program_file_free(yk_program_file *file);

#endif
