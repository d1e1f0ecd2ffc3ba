/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a backend may call of the core, beside texts, errors and messages (base/). Nothing else of src/ is for backends:
 * tests/static/layers.sh compares this header with what the backends' object files want from the linker. The order of locks is in
 * README.md.
 */
#ifndef YK_BACKEND_API_H
#define YK_BACKEND_API_H

#include "objects/line_map.h"
#include "objects/objects.h"

/* What drivers offered, and what was rejected. */
typedef struct yk_device_list {
    yoke_device_info *infos;
    size_t count;
    yk_text rejected; /* a line each */
} yk_device_list;

/* `info` is copied; selector, backend and index are set here. */
yoke_status yk_device_list_add(yk_device_list *list, const yk_backend *backend, const yoke_device_info *info);
/* A device or platform that cannot be used, and why: one line. */
void yk_device_list_reject(yk_device_list *list, const char *format, ...) YOKE_PRINTF(2, 3);

/* For driver_each: a driver's name, and the lines of NAME=VALUE that start it alone. Both are copied. */
typedef void yk_driver_visit(const char *name, const char *settings, void *user);

/* Call the visitor for each object that the operation uses: buffers (roots, or the arguments of a launch), the program, events, the
 * exec. */
typedef void (*yk_object_visitor)(void *object, void *context);
void yk_op_visit(const yk_op *op, yk_object_visitor visitor, void *context);

/* Wake all threads that sleep for an event. From any thread, at any time, any number of times: notices are recycled but
 * never freed. */
void yk_notice_post(yk_notice *notice);

/* The compiler calls this name of the source so. For program_build. */
yoke_status yk_program_add_name_expression(yoke_program *program, const char *name, const char *lowered);
/* What the compiler calls it, and the other way round: `name` itself where it is none of the name_expressions. */
const char *yk_program_lowered(const yoke_program *program, const char *name);
const char *yk_program_spelled(const yoke_program *program, const char *lowered);

/* The file and line behind a line of the expanded text. The name lives as long as the map. False: the map is empty, or line 0. */
bool yk_line_map_find(const yk_line_map *map, unsigned long line, const char **out_file, unsigned long *out_line);

/* "PTX", "a cubin", for messages: of a yk_code_kind, or of what program/code.h finds. */
const char *yk_code_kind_text(int kind);
/* Read a number of `width` bytes from `at`; 0 beyond the end of the bytes. Little-endian. */
uint64_t yk_code_number(const void *bytes, size_t size, uint64_t at, unsigned width);

/* ---- The declarations of kernels in a source. Pure text, for tools too ---- */

/* How a source is read. */
enum {
    YK_SIGNATURE_OPENCL = 1,    /* it is OpenCL C; else CUDA C++ */
    YK_SIGNATURE_AS_WRITTEN = 2 /* words mean what they usually do: for a source that nothing has expanded or will compile */
};

/*
 * Read the kernels of a source. `out` is empty before, to be freed; false, and it is empty still, where there is no memory.
 *
 * Unless it is read as written, of a source whose #includes are put in: what is not certain is left out, as is any kernel of CUDA
 * that is not extern "C". The rest counts where it agrees with the compiled kernel. Types stand as they are in the source.
 * As written, only kernels with a body count, types stand without qualifiers, and a value's size is 0 when it is not known.
 */
bool yk_kernel_table_read(int how, const char *text, size_t size, yk_kernel_table *out);

void yk_kernel_table_free(yk_kernel_table *table);

/* Append a parameter to kernel's signature. YOKE_E_UNSUPPORTED: there are too many. */
yoke_status yk_kernel_add_param(yoke_kernel *kernel, const yk_param *param);
/* Fail with that, where the driver tells only how many there are. */
YK_COLD yoke_status yk_kernel_has_too_many(const yoke_kernel *kernel);

#endif
