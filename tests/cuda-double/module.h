/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the double's code half among themselves. A .cu text becomes a shared object of the host (source.c, compiler.c), that
 * becomes a cubin or PTX (image.c), and a module loads it (module.c) and runs its kernels (run.c, fiber.c, fault.c).
 */
#ifndef DOUBLE_MODULE_H
#define DOUBLE_MODULE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "double.h"
#include "table.h"

/* For what runs on a fiber's stack, since sanitizers follow one stack of a thread; and for what reads a loaded object's memory
 * outside the loader's lock. */
#define NO_SANITIZER __attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined"), noinline))

/* ---- Text and bytes that grow (text.c) ---- */

/* NULL and 0: empty. Ended by a NUL that `length` does not count. Without memory the program ends: this is for tests. */
typedef struct double_text {
    char *data;
    size_t length;
} double_text;

void double_text_add_bytes(double_text *text, const void *bytes, size_t length);
void double_text_add(double_text *text, const char *format, ...) __attribute__((nonnull(2), format(printf, 2, 3)));
const char *double_text_get(const double_text *text);
void double_text_free(double_text *text);

/* ---- Compiling (source.c, compiler.c) ---- */

/* What NVRTC is asked for. */
typedef struct double_request {
    const char *name, *text;
    const char *standard;           /* "c++17" */
    const char *const *expressions; /* whose names are asked for */
    size_t expression_count;
    char **flags; /* for the preprocessor: -D, -U, -I */
    size_t flag_count;
    int architecture;
    bool fuses; /* products and sums, as nvcc does unless it is told not to */
} double_request;

/* The preprocessed text as plain C++, with the table behind it: what is CUDA's is rewritten, and the kernels are found. */
void double_source_rewrite(const char *text, size_t length, const double_request *request, double_text *out);

/* The host's compiler, by its absolute path; "no" when there is none. */
const char *double_compiler(void);

/* False: the log says why, in NVRTC's form. */
bool double_compile(const double_request *request, double_text *object, double_text *log);

/* ---- Images (image.c, ptx.c) ---- */

/* Turn a shared object into a cubin, in place; and give it as the text that stands in PTX. */
void double_image_to_cubin(double_text *object, int architecture);
void double_image_to_ptx(const double_text *object, int architecture, double_text *ptx);

/* The shared object that is in an image, for this device; what the driver says when there is none. */
yk_CUresult double_image_read(const void *image, double_text *object, double_text *log);

/* PTX that a person or another compiler wrote, as CUDA C++. False: the log names the line. */
bool double_ptx_translate(const char *ptx, double_text *source, double_text *log);

/* A symbol of a shared object (elf.c). */
typedef struct double_symbol {
    const char *name;
    size_t value, size;
    int type;
    bool global;
} double_symbol;

/* Calls `each` for every symbol that is defined, until it returns true. */
void double_symbols(const double_text *object, bool (*each)(const double_symbol *symbol, void *user), void *user);

/* A shared object in this process. */
typedef struct double_library {
    void *handle;
    char *base;
    const double_table *table;
} double_library;

/* False: the log says why, unless there is no memory, or none for files. */
bool double_library_open(const double_text *object, double_library *out, double_text *log);
void double_library_close(double_library *library);
/* The name of the function, or of the variable, that begins here; "" when it has none. Lives as long as the object's bytes. */
const char *double_library_name(const double_text *object, const double_library *library, const void *address);

/* ---- Running (run.c, fiber.c, print.c, fault.c) ---- */

/* A function of a module: what module.c finds and run.c runs. */
struct double_function {
    double_module *module;
    unsigned device; /* that it prints for */
    double_kernel kernel;
    const char *name; /* of its symbol; belongs to the module */
    size_t static_shared_bytes;
    _Atomic int most_dynamic; /* shared memory that a launch may ask for */
    bool has_barriers;
};

/* The hook: what kernels print, each device's by itself; brought out by double_print_bring_out (print.c). */
int double_print(const char *format, va_list values);
/* Whose kernels run on this thread from now on. */
void double_print_device(unsigned device);

/* Run the threads of one block so that they can meet; `kernel` is known to have barriers. */
void double_fibers_run(const double_kernel *kernel, const double_place *place, const void *params);
/* The hooks barrier, meet and active, of the thread of the block that is running. */
void double_fibers_meet(void);
void double_fibers_warp(unsigned mask, unsigned long long value, unsigned long long *values, unsigned *present);
unsigned double_fibers_active(void);

/* Call function(user); 0, or the result of the fault that has ended it before its end: a signal of this thread, or double_fail. */
yk_CUresult double_guarded(void (*function)(void *user), void *user);
void double_fail(int result);

#endif
