/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs, for the other rooms of src/: program.c has the object, build.c builds it from a source, program_load.c from saved
 * code.
 */
#ifndef YK_PROGRAM_INTERNAL_H
#define YK_PROGRAM_INTERNAL_H

#include "objects/objects.h"

/* program.c */

/* A program that is YK_PROGRAM_BUILDING and does not keep its device alive. Ended by yk_program_destroy, when nothing uses it any
 * more. NULL and a record when out of memory. */
yoke_program *yk_program_new(yoke_device *device, const char *name);
void yk_program_destroy(yoke_program *program);
/* It is built; or has failed, with a failure whose reference it takes. */
void yk_program_complete(yoke_program *program, yk_failure *failure);
/* Wait until it is: YOKE_OK, or its failure. */
yoke_status yk_program_wait(yoke_program *program);

/* build.c */

/* Build, or take from the cache: a source that is checked. program->log gets what the compiler prints. */
yoke_status yk_program_compile(yoke_program *program, const char *function, const yoke_source *source);
/* Both, for programs that are the library's own; `log` may be NULL. */
yoke_status yk_program_create(yoke_device *device, const char *function, const yoke_source *source, yk_text *log,
                              yoke_program **out_program);

/* program_load.c */

/* Make the program of an image, whose bytes it takes over when that succeeds. YOKE_E_UNSUPPORTED: for another device or driver. */
yoke_status yk_program_restore(yoke_program *program, yk_text *bytes);
/* See that program->image is there. */
yoke_status yk_program_make_file(yoke_program *program);
/* What the driver does not tell of a kernel and the program's image does. */
yoke_status yk_program_complete_signature(yoke_kernel *kernel);

#endif
