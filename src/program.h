/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are the library's own: they do not keep their device alive. */
#ifndef YK_PROGRAM_INTERNAL_H
#define YK_PROGRAM_INTERNAL_H

#include "core.h"

/* Compile; `log` gets what the compiler prints. Ended by yk_program_destroy, when nothing uses it any more. */
yoke_status yk_program_create(yoke_device *device, const yoke_source *source, yk_text *log, yoke_program **out_program);
void yk_program_destroy(yoke_program *program);

#endif
