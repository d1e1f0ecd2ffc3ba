/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs, for the other rooms of src/: program.c has the object, build.c builds it from a source, program_load.c from compiled
 * code.
 */
#ifndef YK_PROGRAM_INTERNAL_H
#define YK_PROGRAM_INTERNAL_H

#include "objects/objects.h"

/* program.c */

/* A program that is YK_PROGRAM_BUILDING and does not keep its device alive. Destroyed by yk_program_destroy, when it is no
 * longer used. NULL and a record when out of memory. */
yoke_program *yk_program_new(yoke_device *device, const char *name);
void yk_program_destroy(yoke_program *program);
/* Its last reference is gone: from now on a use of the program or of its kernels is a failure. */
void yk_program_forbid(yoke_program *program);
/* The build is complete, or failed with `failure`, whose reference is taken over. */
void yk_program_complete(yoke_program *program, yk_failure *failure);
/* Wait for the build: YOKE_OK, or its failure. */
yoke_status yk_program_wait(yoke_program *program);

/* build.c */

/* Build a checked source, or load the program from the cache. program->log gets the compiler's output. */
yoke_status yk_program_compile(yoke_program *program, const char *function, const yoke_source *source);
/* Create and compile, for the library's own programs; `log` may be NULL. */
yoke_status yk_program_create(yoke_device *device, const char *function, const yoke_source *source, yk_text *log,
                              yoke_program **out_program);

/* yoke_program_build, without its failure's attribution. */
yoke_status yk_program_build(const char *function, yoke_device *device, const yoke_source *caller_source,
                             yoke_program **out_program);
/* The same with a source that yk_source_open_for has opened. */
yoke_status yk_program_build_opened(const char *function, yoke_device *device, const yoke_source *source,
                                    yoke_program **out_program);

/* device_programs.c */

/* The device's last reference is gone: its programs are the user's no longer. */
void yk_device_programs_forbid(yoke_device *device);
/* The device is about to close, and all its work has ended. */
void yk_device_programs_end(yoke_device *device);

/* program_load.c */

/* Make the program from a program file, whose bytes it takes over on success. YOKE_E_UNSUPPORTED: made for another device or
 * driver. */
yoke_status yk_program_restore(yoke_program *program, yk_text *bytes);
/* Load the first of the source's compiled codes that fits the device. YOKE_OK with *out_loaded false: none of them fits, but there
 * is a text. */
yoke_status yk_program_load_compiled(yoke_program *program, const char *function, const yoke_source *source, bool *out_loaded);
/* Append a program file of a program that was compiled without a device, for all devices that accept its code. */
yoke_status yk_program_write_portable(const yoke_program *program, yk_text *bytes);
/* Make program->image unless it exists. */
yoke_status yk_program_make_file(yoke_program *program);
/* Complete a kernel's signature from the program file, where the driver does not report it. */
yoke_status yk_program_complete_signature(yoke_kernel *kernel);

#endif
