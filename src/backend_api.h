/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a backend may call of the core, beside texts, errors and messages (base/). Nothing else of src/ is for backends. The order of
 * locks is in README.md.
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

/* Wake all threads that sleep for an event. From any thread, at any time, any number of times: notices are recycled but
 * never freed. */
void yk_notice_post(yk_notice *notice);

/* The compiler calls this name of the source so. For program_build. */
yoke_status yk_program_add_name_expression(yoke_program *program, const char *name, const char *lowered);
/* What the compiler calls it, and the other way round: `name` itself where it is none of the name_expressions. */
const char *yk_program_lowered(const yoke_program *program, const char *name);
const char *yk_program_spelled(const yoke_program *program, const char *lowered);

/* Append a parameter to kernel's signature. YOKE_E_UNSUPPORTED: there are too many. */
yoke_status yk_kernel_add_param(yoke_kernel *kernel, const yk_param *param);
/* Fail with that, where the driver tells only how many there are. */
YK_COLD yoke_status yk_kernel_has_too_many(const yoke_kernel *kernel);

#endif
