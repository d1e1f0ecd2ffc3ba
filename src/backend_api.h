/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a backend may call in the core, beside texts, errors and messages (base/). Nothing else in src/ is for backends:
 * tests/static/layers.sh compares this header with the symbols that the backends' object files import. The order of locks is in
 * README.md.
 */
#ifndef YK_BACKEND_API_H
#define YK_BACKEND_API_H

#include "objects/line_map.h"
#include "objects/objects.h"

/* The devices that drivers offer, and what was rejected. */
typedef struct yk_device_list {
    const yk_backend *backend; /* whose devices are added now: the core sets it before it calls device_list */
    yoke_device_info *infos;
    size_t count;
    yk_text rejected; /* one per line */
} yk_device_list;

/* `info` is copied; selector, backend and index are set here. */
yoke_status yk_device_list_add(yk_device_list *list, const yoke_device_info *info);
/* A device or platform that cannot be used, and why: one line. */
void yk_device_list_reject(yk_device_list *list, const char *format, ...) YOKE_PRINTF(2, 3);

/* Append a line: a file's path, size, modification time and inode, as far as it exists; a variable of the environment. */
void yk_text_add_file(yk_text *text, const char *path);
void yk_text_add_variable(yk_text *text, const char *name);

/* For driver_each: a driver's name, and the lines of NAME=VALUE that start it alone. Both are copied. */
typedef void yk_driver_visit(const char *name, const char *settings, void *user);

/* Call the visitor for each object that the operation uses: buffers (roots, or the arguments of a launch), the program, events, the
 * executable graph. */
typedef void (*yk_object_visitor)(void *object, void *context);
void yk_op_visit(const yk_op *op, yk_object_visitor visitor, void *context);

/* Wake all threads that sleep for an event. From any thread, at any time, any number of times: notices are recycled but
 * never freed. */
void yk_notice_post(yk_notice *notice);

/* A source's defines for the language, those for all languages first, as "NAME", "NAME=VALUE" or "NAME(a,b)=VALUE"; NULL behind
 * the last. */
const char *yk_source_define(const yoke_source *source, yk_language language, size_t index);
/* A source's options for the compiler of the language; NULL-terminated, or NULL. */
const char *const *yk_source_options(const yoke_source *source, yk_language language);
/* Record the compiler's name, `lowered`, for a name expression of the source. For program_build. */
yoke_status yk_program_add_name_expression(yoke_program *program, const char *name, const char *lowered);
/* The compiler's name for a name expression, and the reverse; `name` itself where it is not a name expression. */
const char *yk_program_lowered(const yoke_program *program, const char *name);
const char *yk_program_spelled(const yoke_program *program, const char *lowered);

/* The file and line behind a line of the expanded text. The name lives as long as the map. False: the map is empty, or line 0. */
bool yk_line_map_find(const yk_line_map *map, unsigned long line, const char **out_file, unsigned long *out_line);

/* "PTX" or "a cubin", for messages: the text for a yk_code_kind or a kind from program/code.h. */
const char *yk_code_kind_text(int kind);
/* Read a little-endian number of `width` bytes from `at`; 0 when it reaches past the end of the bytes. */
uint64_t yk_code_number(const void *bytes, size_t size, uint64_t at, unsigned width);

/* ---- The declarations of kernels in a source. Pure text, for tools too ---- */

/* How a source is read. */
enum {
    YK_SIGNATURE_OPENCL = 1,    /* the source is OpenCL C; else CUDA C++ */
    YK_SIGNATURE_AS_WRITTEN = 2 /* words have their usual meaning: for a source that is neither expanded nor compiled */
};

/*
 * Read the kernels of a source. `out` is empty before, and freed by the caller. False: out of memory, and `out` is still empty.
 *
 * By default the source has its #includes expanded: uncertain parameters are omitted. The rest is used where it agrees with the
 * compiled kernel. A C++ kernel has the last part of its name. Types are spelled as in the source.
 * As written, only kernels with a body count, types are spelled without qualifiers, and a value's size is 0 when it is not known.
 */
bool yk_kernel_table_read(int how, const char *text, size_t size, yk_kernel_table *out);

void yk_kernel_table_free(yk_kernel_table *table);

/* Append a parameter to the kernel's signature. YOKE_E_UNSUPPORTED: too many parameters. */
yoke_status yk_kernel_add_param(yoke_kernel *kernel, const yk_param *param);
/* The same failure, for a driver that reports only the number of parameters. */
YK_COLD yoke_status yk_kernel_has_too_many(const yoke_kernel *kernel);

#endif
